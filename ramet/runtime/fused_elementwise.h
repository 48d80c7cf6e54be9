#pragma once

#include <cstdint>
#include <vector>

#include "ramet/linalg/elementwise.h"
#include "ramet/op/kernel.h"

namespace ramet {

// A FusedElementwise computes sums, differences and products of tensors of one shape and of scalars
// in one pass over memory: block by block, with the intermediate values in the cache. The bits of
// the result are those of the separate steps, for any number of threads.
//
// The result may be assigned to a variable, the target: in place if no other reference to its
// buffer exists, otherwise to a new buffer, past the caches if it is large.
class FusedElementwise {
 public:
  static constexpr int kMaxInputs = 8;

  // An input, or the result of an earlier step.
  struct Operand {
    bool is_step = false;
    int8_t index = 0;
  };
  struct Step {
    linalg::BinaryOp op = linalg::BinaryOp::kAdd;
    Operand a, b;
  };

  FusedElementwise() = default;
  // There are at most kMaxInputs inputs and kMaxInputs steps. A later step uses the result of each
  // step once; the last one is the result. `target` is the input that names the variable, or -1.
  // All values are of `dtype`: half, bfloat16, float or double.
  FusedElementwise(DType dtype, int num_inputs, std::vector<Step> steps, int target)
      : dtype_(dtype), num_inputs_(num_inputs), target_(target), steps_(std::move(steps)) {}

  // Computes output 0, or assigns the target, which output 0 then names if there is an output. With
  // a target, inputs that are variables are read here; otherwise the caller has resolved them.
  // Returns false, with no side effects, if the values do not fit: shapes that broadcast, a
  // different dtype, a variable without a value, or not enough memory.
  bool Compute(KernelContext& context) const;

 private:
  class Run;

  DType dtype_ = DType::kInvalid;
  int num_inputs_ = 0;
  int target_ = -1;
  std::vector<Step> steps_;
};

}  // namespace ramet
