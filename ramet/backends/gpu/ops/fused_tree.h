#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/backends/gpu/launch.h"
#include "ramet/backends/gpu/ops/fused_elementwise.h"

namespace ramet::gpu {

// Returns the program with a source, which is made once.
const Program& ProgramWith(std::string source);

// A FusedTree is a tree of element-wise ops: its source, and how the inputs of a run fit together.
// The values of its last part and of those that are kept have the shape to which all inputs are
// broadcast. Parts may have several readers.
class FusedTree {
 public:
  static constexpr int kMaxInputs = FusableKernel::kMaxInputs;
  static constexpr int kMaxDims = 8;

  using Sizes = std::array<int64_t, kMaxDims>;
  // The dimensions of the value, innermost first, and the steps in each input. Dimensions from
  // `rank` on have size 1.
  struct Layout {
    int rank = 0;
    Sizes dims = {1, 1, 1, 1, 1, 1, 1, 1};
    std::array<Sizes, kMaxInputs> steps = {};
  };

  FusedTree(std::vector<CodePart> parts, std::vector<DType> inputs)
      : parts_(std::move(parts)), inputs_(std::move(inputs)) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_kept() const {
    return static_cast<int>(std::ranges::count(parts_, true, &CodePart::is_kept));
  }
  DType dtype() const { return parts_.back().code.result; }
  std::span<const CodePart> parts() const { return parts_; }
  std::span<const DType> inputs() const { return inputs_; }

  // Sets the shape of the value. Returns false if the first inputs of the context are not those of
  // the tree, or do not fit together.
  bool SetShape(const KernelContext& c, Shape* shape) const;
  // Allocates the outputs of the parts that are kept. Returns false if the memory is full.
  bool AllocateKept(KernelContext& c, const Shape& shape) const;
  // Empties all outputs, after an error. Returns false, as FusedKernel::Compute then does.
  bool DropOutputs(KernelContext& c) const;
  // Merges dimensions that are neighbors in the memory of all inputs. Returns false if too many are
  // left.
  bool SetLayout(const KernelContext& c, const Shape& shape, Layout* layout) const;

 private:
  bool InputsFit(const KernelContext& c) const;

  const std::vector<CodePart> parts_;
  const std::vector<DType> inputs_;
};

// Counts a fused kernel that was started with this status, or logs once why it was not. Reports
// whether it was started.
bool NoteFused(GpuDevice& device, std::string_view program, const Status& status);

// Appends the arguments of a kernel that say where the elements of a value with `n` elements are in
// the inputs, of which there are `num_inputs`.
void AppendSteps(const FusedTree::Layout& layout, int num_inputs, int64_t n,
                 std::vector<LaunchArgument>* arguments);

// Writes the source of fused kernels: a function for each part, which rounds its result as a
// separate kernel does, and text that calls them.
class FusedSource {
 public:
  FusedSource(std::span<const CodePart> parts, std::span<const DType> inputs)
      : parts_(parts), inputs_(inputs) {}

  // The kernel "fused", which stores the values of the last part and of those that are kept. RANK,
  // one of kCompiledRanks, is the number of dimensions of its Steps.
  std::string Elementwise() const;
  // The definitions OPERANDS and ELEMENT(p) of kReduceProgram, for the value of the last part,
  // which need RANK too.
  std::string Operands() const;

 private:
  std::string Functions() const;
  std::string FunctionOf(size_t p) const;
  std::string ForInputs(std::string_view text) const;
  // Returns the text for each part that is kept, with its number.
  std::string ForKept(std::string_view text) const;
  std::string Pointers() const;
  std::string KeptPointers() const;
  std::string StepsParameters() const;
  std::string Element() const;
  std::string ValueFunction() const;
  std::string CallOf(size_t p) const;
  std::string ValueOf(const FusedOperand& operand) const;

  const std::span<const CodePart> parts_;
  const std::span<const DType> inputs_;
};

}  // namespace ramet::gpu
