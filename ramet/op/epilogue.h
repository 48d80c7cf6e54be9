#pragma once

#include "ramet/op/kernel.h"

namespace ramet {

// An epilogue that a kernel can apply to its result before writing it: add a tensor of the same
// shape or one row to all rows, then optionally Relu. kNone is not passed to an EpilogueKernel.
enum class Epilogue : uint8_t { kNone, kAdd, kAddRelu };

// An EpilogueKernel is a kernel that can apply an epilogue. A session uses it if no other step
// reads the values in between.
class EpilogueKernel {
 public:
  virtual ~EpilogueKernel() = default;
  // Computes output 0 with `epilogue` applied; the addend is the input after the kernel's own.
  // Returns false, with no side effects, if the inputs are invalid or the epilogue would not pay.
  // The caller then runs the steps unfused.
  virtual bool ComputeWith(Epilogue epilogue, KernelContext& context) = 0;
};

}  // namespace ramet
