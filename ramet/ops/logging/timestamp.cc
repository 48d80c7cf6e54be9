#include <chrono>

#include "ramet/op/op.h"

namespace ramet {
namespace {

Status SecondsSinceEpoch(KernelContext& c) {
  RAMET_ASSIGN_OR_RETURN(Tensor * y, c.Allocate(0, DType::kDouble, Shape()));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  *y->mutable_data<double>() = static_cast<double>(micros) / 1e6;
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
