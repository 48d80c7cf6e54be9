#pragma once

#include <cstdint>
#include <vector>

#include "ramet/linalg/element_program.h"
#include "ramet/op/kernel.h"

namespace ramet {

// A FusedElementwise computes element-wise operations in one pass over memory: block by block, with
// the values between them in the cache (linalg::ElementProgram). Operands may broadcast to the
// shape of the widest one, and rows may be reduced. The bits of the results are those of the
// separate steps, for any number of threads.
//
// The result may be assigned to a variable, the target: in place if no other reference to its
// buffer exists, otherwise to a new buffer, past the caches if it is large.
class FusedElementwise {
 public:
  static constexpr int kMaxInputs = linalg::ElementProgram::kMaxInputs;
  static constexpr int kMaxParts = linalg::ElementProgram::kMaxInstructions;
  static constexpr int kMaxOutputs = linalg::ElementProgram::kMaxOutputs;
  static constexpr int kMaxReductions = 8;

  // How the shape of a result follows from those of the operands.
  enum class ShapeRule : uint8_t {
    kUnchanged,      // of a unary operation
    kBroadcast,      // one operand has the shape of the result
    kSame,           // all operands have one shape
    kBias,           // operand 1 is a vector, operand 0 has at least two dimensions
    kReduce,         // the last dimension is dropped
    kReduceInPlace,  // the last dimension has size 1
    kSizes,          // the sizes are given; operand 0 broadcasts to them
    kMultiples,      // the sizes of operand 0, times given ones for dimensions of size 1
    kLike            // that of another value
  };
  // A shape that does not follow from those of the operands.
  struct GivenShape {
    std::vector<int64_t> constant;  // the sizes or multiples, unless a value has them
    int8_t value = -1;              // it has the sizes or multiples (an input), or the shape
  };
  struct Part {
    linalg::ElementInstruction instruction;
    ShapeRule rule = ShapeRule::kUnchanged;
    int32_t axis = -1;  // of a reduction
    GivenShape given;
  };

  FusedElementwise() = default;
  // Values are numbered as in linalg::ElementProgram. `outputs` are in ascending order. `target` is
  // the input that names the variable, or -1; with a target, the last part is the only output.
  FusedElementwise(std::vector<linalg::Type> inputs, const std::vector<Part>& parts,
                   std::vector<int8_t> outputs, int target);

  // Computes the outputs, or assigns the target, which output 0 then names if there is an output.
  // With a target, inputs that are variables are read here; otherwise the caller has resolved them.
  // Returns false, with no side effects, if the values do not fit: shapes that broadcast in an
  // unsupported way or not at all, no elements, a different dtype, a variable without a value, or
  // not enough memory.
  bool Compute(KernelContext& context) const;

 private:
  class Run;
  struct Rule {
    ShapeRule rule;
    int32_t axis;
    GivenShape given;
  };

  bool Assign(KernelContext& context) const;

  linalg::ElementProgram program_;
  std::vector<Rule> rules_;  // by instruction
  // If all inputs have one shape, all values have it.
  bool keeps_shape_ = true;
  int target_ = -1;
};

}  // namespace ramet
