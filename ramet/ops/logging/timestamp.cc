#include "ramet/base/wall_clock.h"
#include "ramet/op/op.h"

namespace ramet {
namespace {

Status SecondsSinceEpoch(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kDouble, Shape()));
  *y->mutable_data<double>() = static_cast<double>(WallClockNanos() / 1000) / 1e6;
  return OkStatus();
}

}  // namespace

RAMET_OP("Timestamp")
    .Output("ts: double")
    .Doc("Returns the time at which the op runs, in seconds since the start of 1970, as a scalar.")
    .Stateful()
    .HostMemory({"ts"})
    .Shape(ScalarShape)
    .NotDifferentiable()
    .CpuKernel(SecondsSinceEpoch);

}  // namespace ramet
