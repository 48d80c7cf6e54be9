#include "ramet/op/op.h"

namespace ramet {
namespace {

Status Nothing(KernelContext&) { return OkStatus(); }

}  // namespace

RAMET_OP("NoOp")
    .Doc("Does nothing: a place for control inputs.")
    .Shape(NoOutputs)
    .NotDifferentiable()
    .CpuKernel(Nothing);

RAMET_OP("ControlTrigger")
    .Doc("Does nothing; in loops and branches it runs even where its control inputs do not.")
    .Shape(NoOutputs)
    .NotDifferentiable()
    .CpuKernel(Nothing);

}  // namespace ramet
