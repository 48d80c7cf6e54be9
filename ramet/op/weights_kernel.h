#pragma once

#include "ramet/op/epilogue.h"

namespace ramet {

// A WeightsKernel is a kernel that can keep its second operand in a form that it reads faster, from
// one run to the next (KeptForm). A session uses it if that operand is a constant, or a variable
// that the run does not write.
class WeightsKernel {
 public:
  virtual ~WeightsKernel() = default;
  // Computes output 0, as EpilogueKernel::ComputeWith, or without an addend (Epilogue::kNone). If
  // there are several outputs, they are equal parts of the columns of the result. Further inputs
  // are ignored.
  virtual bool ComputeWithWeights(Epilogue epilogue, KernelContext& context) = 0;
  // Reports whether ComputeWithWeights may be asked for several outputs.
  virtual bool CanSplitColumns() const { return false; }
  // Computes output 0, as EpilogueKernel::ComputeWithSteps.
  virtual bool ComputeStepsWithWeights(std::span<const ChannelStep> steps,
                                       KernelContext& context) = 0;
};

}  // namespace ramet
