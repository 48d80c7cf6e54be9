#pragma once

#include "ramet/op/kernel.h"

namespace ramet {

// What may be done with a result by the kernel that computes it, in place of the steps behind it:
// the addition of an addend, which is of the result's shape or one row for all of its rows, and
// Relu after that.
enum class FollowUp : uint8_t { kAdd, kAddRelu };

// The part of a kernel that can do so. A session asks for it where nobody else sees the values in
// between.
class FollowedKernel {
 public:
  virtual ~FollowedKernel() = default;
  // Output 0 is what comes out of it all; the addend is the input after the kernel's own. False if
  // it is not worth it or something is wrong: then nothing has been done, and the steps are run one
  // by one.
  virtual bool ComputeAnd(FollowUp next, KernelContext& context) = 0;
};

}  // namespace ramet
