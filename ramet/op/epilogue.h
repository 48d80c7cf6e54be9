#pragma once

#include <cstdint>
#include <span>

#include "ramet/op/kernel.h"

namespace ramet {

// An epilogue that a kernel can apply to its result before writing it: add a tensor of the same
// shape or one row to all rows, then optionally Relu. kNone is not passed to an EpilogueKernel.
enum class Epilogue : uint8_t { kNone, kAdd, kAddRelu };

// One step of a chain that follows a product or convolution: it adds, subtracts or multiplies by a
// tensor, normalizes each channel with four vectors (scale, offset, mean, variance), or is Relu.
// The channels are the last dimension, and the tensor has one number per channel; the last addition
// may be of a tensor of the result's shape.
struct ChannelStep {
  enum class Kind : uint8_t { kAdd, kSubtract, kMultiply, kNormalize, kRelu };

  Kind kind;
  float epsilon = 0;  // of a normalization
};

// An EpilogueKernel is a kernel that can apply an epilogue. A session uses it if no other step
// reads the values in between.
class EpilogueKernel {
 public:
  virtual ~EpilogueKernel() = default;
  // Reports whether ComputeWith may be asked to apply `epilogue` on the device of `env`, given the
  // static shapes of output 0 and the addend. A kernel that does not override this computes in host
  // memory only.
  virtual bool CanApply(Epilogue /*epilogue*/, const KernelEnv& env, const Shape& /*output*/,
                        const Shape& /*addend*/) const {
    return env.memory == nullptr;
  }
  // Computes output 0 with `epilogue` applied; the addend is the input after the kernel's own.
  // Returns false, with no side effects, if the inputs are invalid or the epilogue would not pay.
  // The caller then runs the steps unfused.
  virtual bool ComputeWith(Epilogue epilogue, KernelContext& context) = 0;
  // Computes output 0 with all of `steps` applied. Their operands are the inputs after the kernel's
  // own, in order. Returns false under the same conditions.
  virtual bool ComputeWithSteps(std::span<const ChannelStep> steps, KernelContext& context) = 0;
};

}  // namespace ramet
