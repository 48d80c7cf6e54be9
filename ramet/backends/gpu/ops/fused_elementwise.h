#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ramet/backends/gpu/ops/elementwise_table.h"
#include "ramet/backends/gpu/ops/program_variants.h"
#include "ramet/op/fused_kernel.h"
#include "ramet/tensor/dtype.h"

namespace ramet::gpu {

// An element-wise op: its result as an expression of the dialect in `a`, or in `a` and `b`, which
// have one dtype. It may use the macros of elementwise_table.h.
struct ElementwiseCode {
  ElementwiseForm form = ElementwiseForm::kUnary;
  DType operand = DType::kInvalid;
  DType result = DType::kInvalid;
  std::string expression;
};

// A part of a fused kernel. The code of two operands is applied to all of them, from the left.
struct CodePart {
  ElementwiseCode code;
  std::vector<FusedOperand> operands;
  bool is_kept = false;
};

// Returns the program that computes the last part from inputs of these dtypes, which is made once.
// Its kernel is "fused"; `rank` is one of kCompiledRanks. The outputs are those of FusedKernel.
ProgramVariant FusedProgram(std::span<const CodePart> parts, std::span<const DType> inputs,
                            int rank);
// Reports whether the parts compute on doubles.
bool NeedsDoubles(std::span<const CodePart> parts, std::span<const DType> inputs);

// A FusableElementwise is the kernel of an element-wise op. Trees of them become one generated
// kernel (docs/decisions/0087-gpu-fusion.md).
class FusableElementwise : public FusableKernel {
 public:
  std::unique_ptr<FusedKernel> Fuse(std::span<const FusedPart> parts,
                                    int num_inputs) const override;
  // Appends the code of element-wise parts and sets the dtypes of their inputs. Returns false if a
  // part is a different kernel.
  static bool SetCode(std::span<const FusedPart> parts, std::vector<CodePart>* made,
                      std::span<DType> inputs);

 protected:
  virtual ElementwiseCode code() const = 0;
};

}  // namespace ramet::gpu
