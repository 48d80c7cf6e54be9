#include "ramet/ops/training/rules.h"

namespace ramet {

RAMET_OP("ApplyFtrl")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("linear: Ref(T)")
    .Input("grad: T")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("lr_power: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("multiply_linear_by_lr: bool = false")
    .Doc(
        "FTRL-Proximal with the penalties l1 and l2; accum is the sum of grad^2. All tensors have "
        "the shape of var; the hyperparameters are scalars. Error: a variable is uninitialized "
        "(kFailedPrecondition) or is passed twice; the shapes or dtypes differ; a hyperparameter "
        "is not a scalar.")
    .Shape(ApplyShape<3, 3>)
    .CpuKernelClasses<ApplyKernels<FtrlRule>::For, Half, BFloat16, float, double>();

RAMET_OP("ApplyFtrlV2")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("linear: Ref(T)")
    .Input("grad: T")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("l2_shrinkage: T")
    .Input("lr_power: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("multiply_linear_by_lr: bool = false")
    .Doc(
        "FTRL-Proximal with the penalties l1 and l2 and the shrinkage term l2_shrinkage; accum is "
        "the sum of grad^2. All tensors have the shape of var; the hyperparameters are scalars. "
        "Error: a variable is uninitialized (kFailedPrecondition) or is passed twice; the shapes "
        "or dtypes differ; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 3>)
    .CpuKernelClasses<ApplyKernels<FtrlV2Rule>::For, Half, BFloat16, float, double>();

RAMET_OP("ApplyAdagradDA")
    .Input("var: Ref(T)")
    .Input("gradient_accumulator: Ref(T)")
    .Input("gradient_squared_accumulator: Ref(T)")
    .Input("grad: T")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("global_step: int64")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "Adagrad with dual averaging: gradient_accumulator += grad, gradient_squared_accumulator "
        "+= grad^2; var = -lr * sign(sum) * max(|sum| - l1 * step, 0) / (l2 * step * lr + "
        "sqrt(squares)). All tensors have the shape of var; the hyperparameters are scalars. "
        "Error: a variable is uninitialized (kFailedPrecondition) or is passed twice; the shapes "
        "or dtypes differ; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 3>)
    .CpuKernelClasses<ApplyKernels<AdagradDaRule>::For, float, double>();

RAMET_OP("ApplyProximalGradientDescent")
    .Input("var: Ref(T)")
    .Input("alpha: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("delta: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "Gradient descent with the penalties l1 and l2: prox = var - alpha * delta; var = "
        "sign(prox) * max(|prox| - alpha * l1, 0) / (1 + alpha * l2). All tensors have the shape "
        "of var; the hyperparameters are scalars. Error: a variable is uninitialized "
        "(kFailedPrecondition) or is passed twice; the shapes or dtypes differ; a hyperparameter "
        "is not a scalar.")
    .Shape(ApplyShape<1, 4>)
    .CpuKernelClasses<ApplyKernels<ProximalGradientDescentRule>::For, Half, BFloat16, float,
                      double>();

RAMET_OP("ApplyProximalAdagrad")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "Adagrad with the penalties l1 and l2: accum += grad^2; rate = lr / sqrt(accum); prox = "
        "var - rate * grad; var = sign(prox) * max(|prox| - rate * l1, 0) / (1 + rate * l2). All "
        "tensors have the shape of var; the hyperparameters are scalars. Error: a variable is "
        "uninitialized (kFailedPrecondition) or is passed twice; the shapes or dtypes differ; a "
        "hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 5>)
    .CpuKernelClasses<ApplyKernels<ProximalAdagradRule>::For, Half, BFloat16, float, double>();

RAMET_OP("ApplyAdaMax")
    .Input("var: Ref(T)")
    .Input("m: Ref(T)")
    .Input("v: Ref(T)")
    .Input("beta1_power: T")
    .Input("lr: T")
    .Input("beta1: T")
    .Input("beta2: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "AdaMax: m is the running mean of grad, v is the largest |grad| so far, decayed by beta2; "
        "var -= lr / (1 - beta1_power) * m / (v + epsilon). All tensors have the shape of var; the "
        "hyperparameters are scalars. Error: a variable is uninitialized (kFailedPrecondition) or "
        "is passed twice; the shapes or dtypes differ; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 8>)
    .CpuKernelClasses<ApplyKernels<AdaMaxRule>::For, Half, BFloat16, float, double>();

RAMET_OP("ApplyAddSign")
    .Input("var: Ref(T)")
    .Input("m: Ref(T)")
    .Input("lr: T")
    .Input("alpha: T")
    .Input("sign_decay: T")
    .Input("beta: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "AddSign: m is the running mean of grad; var -= lr * (alpha + sign_decay * sign(grad) * "
        "sign(m)) * grad. All tensors have the shape of var; the hyperparameters are scalars. "
        "Error: a variable is uninitialized (kFailedPrecondition) or is passed twice; the shapes "
        "or dtypes differ; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 6>)
    .CpuKernelClasses<ApplyKernels<AddSignRule>::For, Half, BFloat16, float, double>();

RAMET_OP("ApplyPowerSign")
    .Input("var: Ref(T)")
    .Input("m: Ref(T)")
    .Input("lr: T")
    .Input("logbase: T")
    .Input("sign_decay: T")
    .Input("beta: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "PowerSign: m is the running mean of grad; var -= lr * exp(logbase * sign_decay * "
        "sign(grad) * sign(m)) * grad. All tensors have the shape of var; the hyperparameters are "
        "scalars. Error: a variable is uninitialized (kFailedPrecondition) or is passed twice; the "
        "shapes or dtypes differ; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 6>)
    .CpuKernelClasses<ApplyKernels<PowerSignRule>::For, Half, BFloat16, float, double>();

RAMET_RESOURCE_TWIN("ResourceApplyAdagradDA");
RAMET_RESOURCE_TWIN("ResourceApplyFtrl");
RAMET_RESOURCE_TWIN("ResourceApplyFtrlV2");
RAMET_RESOURCE_TWIN("ResourceApplyProximalGradientDescent");
RAMET_RESOURCE_TWIN("ResourceApplyProximalAdagrad");
RAMET_RESOURCE_TWIN("ResourceApplyAdaMax");
RAMET_RESOURCE_TWIN("ResourceApplyAddSign");
RAMET_RESOURCE_TWIN("ResourceApplyPowerSign");

}  // namespace ramet
