#include "ramet/op/op.h"

namespace ramet {
namespace {

Status Nothing(KernelContext&) { return OkStatus(); }

}  // namespace

RAMET_OP("NoOp")
    .Doc("Does nothing; serves as a node for control inputs.")
    .Shape(NoOutputs)
    .NotDifferentiable()
    .CpuKernel(Nothing);

RAMET_OP("ControlTrigger")
    .Doc("Does nothing. In loops and branches it runs even if its control inputs are dead.")
    .Shape(NoOutputs)
    .NotDifferentiable()
    .CpuKernel(Nothing);

}  // namespace ramet
