#include "ramet/ops/training/apply_kernel.h"
#include "ramet/ops/training/rules.h"

// Optimizers that exist for resource variables only.

namespace ramet {
namespace {

#define RAMET_KERAS_MOMENTUM_INPUTS \
  Input("var: resource").Input("accum: resource").Input("lr: T").Input("grad: T")
#define RAMET_KERAS_MOMENTUM_FLAGS \
  Attr("use_locking: bool = false").Attr("use_nesterov: bool = false")

RAMET_OP("ResourceApplyKerasMomentum")
    .RAMET_KERAS_MOMENTUM_INPUTS.Input("momentum: T")
    .Attr("T: numbertype")
    .RAMET_KERAS_MOMENTUM_FLAGS
    .Doc(
        "Momentum with the learning rate in the slot: accum = accum * momentum - lr * grad; var += "
        "accum, or, with use_nesterov, var += accum * momentum - lr * grad. Error: a variable is "
        "uninitialized (kFailedPrecondition) or is passed twice; the shapes or dtypes differ; a "
        "hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 3>)
    .CpuKernelClasses<ApplyKernels<KerasMomentumRule>::For, Half, BFloat16, float, double>();

RAMET_OP("ResourceSparseApplyKerasMomentum")
    .RAMET_KERAS_MOMENTUM_INPUTS.Input("indices: Tindices")
    .Input("momentum: T")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .RAMET_KERAS_MOMENTUM_FLAGS
    .Doc(
        "Updates the rows `indices` of var and accum, one after another, by the rule of "
        "ResourceApplyKerasMomentum. grad has one row per index. Error: the same as "
        "ResourceApplyKerasMomentum; an index is out of range.")
    .Shape(SparseApplyShape<2, 3>)
    .CpuKernelClasses<ApplyKernels<KerasMomentumRule>::For, Half, BFloat16, float, double>();

RAMET_OP("ResourceApplyAdamWithAmsgrad")
    .Input("var: resource")
    .Input("m: resource")
    .Input("v: resource")
    .Input("vhat: resource")
    .Input("beta1_power: T")
    .Input("beta2_power: T")
    .Input("lr: T")
    .Input("beta1: T")
    .Input("beta2: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "AMSGrad: Adam with the largest v so far. alpha = lr * sqrt(1 - beta2_power) / (1 - "
        "beta1_power); m += (grad - m) * (1 - beta1); v += (grad^2 - v) * (1 - beta2); vhat = "
        "max(vhat, v); var -= m * alpha / (sqrt(vhat) + epsilon). Error: the same as "
        "ResourceApplyKerasMomentum.")
    .Shape(ApplyShape<4, 10>)
    .CpuKernelClasses<ApplyKernels<AmsgradRule>::For, Half, BFloat16, float, double>();

}  // namespace
}  // namespace ramet
