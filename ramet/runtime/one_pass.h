#pragma once

#include <cstdint>
#include <vector>

#include "ramet/linalg/elementwise.h"
#include "ramet/op/kernel.h"

namespace ramet {

// Sums, differences and products of tensors of one shape and of scalars, in one pass over memory: a
// piece of the result after the other is computed, and what lies in between stays in the cache. The
// bits are those of the steps one by one, for any number of threads.
//
// As target a variable can be given, whose value the result becomes: in place where nobody else
// holds its buffer, and else past the caches if it is large.
class OnePass {
 public:
  static constexpr int kMostInputs = 8;

  // An input, or what a step before has computed.
  struct Operand {
    bool is_step = false;
    int8_t index = 0;
  };
  struct Step {
    linalg::BinaryOp op = linalg::BinaryOp::kAdd;
    Operand a, b;
  };

  OnePass() = default;
  // At most kMostInputs inputs and so many steps; each step is used once, by a later one, and the
  // last one makes the result. `target`: the input that names the variable, or -1. All values are
  // of `dtype`: half, bfloat16, float or double.
  OnePass(DType dtype, int num_inputs, std::vector<Step> steps, int target)
      : dtype_(dtype), num_inputs_(num_inputs), target_(target), steps_(std::move(steps)) {}

  // Output 0 is the result, or names the target (if there is such an output). With a target, inputs
  // that are variables are read here, else they are resolved. False if the values do not fit (other
  // shapes that broadcast, another dtype, no value, no memory): then nothing has been done.
  bool Compute(KernelContext& context) const;

 private:
  class Run;

  DType dtype_ = DType::kInvalid;
  int num_inputs_ = 0;
  int target_ = -1;
  std::vector<Step> steps_;
};

}  // namespace ramet
