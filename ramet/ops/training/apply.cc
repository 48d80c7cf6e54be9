#include "ramet/ops/training/rules.h"
#include "ramet/ops/training/twins.h"

// Rules that move a variable along its gradient.
namespace ramet {

RAMET_OP("ApplyGradientDescent")
    .Input("var: Ref(T)")
    .Input("alpha: T")
    .Input("delta: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "Gradient descent: var -= alpha * delta. All tensors have the shape of var; the "
        "hyperparameters are scalars. Error: a variable is uninitialized (kFailedPrecondition) or "
        "is passed twice; the shapes or dtypes differ; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<1, 2>)
    .CpuKernelClasses<ApplyKernels<GradientDescentRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexGradientDescentRule);

RAMET_OP("ApplyMomentum")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Input("momentum: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .Doc(
        "Momentum: accum = accum * momentum + grad; var -= lr * accum, or, with use_nesterov, var "
        "-= grad * lr + accum * momentum * lr. All tensors have the shape of var; the "
        "hyperparameters are scalars. Error: a variable is uninitialized (kFailedPrecondition) or "
        "is passed twice; the shapes or dtypes differ; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 3>)
    .CpuKernelClasses<ApplyKernels<MomentumRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexMomentumRule);

RAMET_OP("ApplyAdam")
    .Input("var: Ref(T)")
    .Input("m: Ref(T)")
    .Input("v: Ref(T)")
    .Input("beta1_power: T")
    .Input("beta2_power: T")
    .Input("lr: T")
    .Input("beta1: T")
    .Input("beta2: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .Doc(
        "Adam (Kingma and Ba, arXiv 1412.6980): m and v are the running means of grad and grad^2; "
        "var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon), where "
        "use_nesterov replaces m by beta1 * m + (1 - beta1) * grad. All tensors have the shape of "
        "var; the hyperparameters are scalars. Error: a variable is uninitialized "
        "(kFailedPrecondition) or is passed twice; the shapes or dtypes differ; a hyperparameter "
        "is not a scalar.")
    .Shape(ApplyShape<3, 9>)
    .CpuKernelClasses<ApplyKernels<AdamRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexAdamRule);

RAMET_OP("ApplyAdagrad")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .Doc(
        "Adagrad: accum += grad^2 (if update_slots); var -= lr * grad / sqrt(accum). All tensors "
        "have the shape of var; the hyperparameters are scalars. Error: a variable is "
        "uninitialized (kFailedPrecondition) or is passed twice; the shapes or dtypes differ; a "
        "hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 3>)
    .CpuKernelClasses<ApplyKernels<AdagradRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexAdagradRule);

RAMET_OP("ApplyAdagradV2")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .Doc(
        "Adagrad: accum += grad^2 (if update_slots); var -= lr * grad / (sqrt(accum) + epsilon). "
        "All tensors have the shape of var; the hyperparameters are scalars. Error: a variable is "
        "uninitialized (kFailedPrecondition) or is passed twice; the shapes or dtypes differ; a "
        "hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 4>)
    .CpuKernelClasses<ApplyKernels<AdagradV2Rule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexAdagradV2Rule);

RAMET_OP("ApplyRMSProp")
    .Input("var: Ref(T)")
    .Input("ms: Ref(T)")
    .Input("mom: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "RMSProp: ms is the running mean of grad^2 with decay rho; mom = momentum * mom + lr * "
        "grad / sqrt(ms + epsilon); var -= mom. All tensors have the shape of var; the "
        "hyperparameters are scalars. Error: a variable is uninitialized (kFailedPrecondition) or "
        "is passed twice; the shapes or dtypes differ; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 7>)
    .CpuKernelClasses<ApplyKernels<RmsPropRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexRmsPropRule);

RAMET_OP("ApplyCenteredRMSProp")
    .Input("var: Ref(T)")
    .Input("mg: Ref(T)")
    .Input("ms: Ref(T)")
    .Input("mom: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "RMSProp with centered second moments: mg and ms are the running means of grad and grad^2 "
        "with decay rho; mom = momentum * mom + lr * grad / sqrt(ms - mg^2 + epsilon); var -= mom. "
        "All tensors have the shape of var; the hyperparameters are scalars. Error: a variable is "
        "uninitialized (kFailedPrecondition) or is passed twice; the shapes or dtypes differ; a "
        "hyperparameter is not a scalar.")
    .Shape(ApplyShape<4, 8>)
    .CpuKernelClasses<ApplyKernels<CenteredRmsPropRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexCenteredRmsPropRule);

RAMET_OP("ApplyAdadelta")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("accum_update: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("use_locking: bool = false")
    .Doc(
        "Adadelta: accum and accum_update are the running means of grad^2 and of the squared "
        "steps; var -= lr * sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad. All "
        "tensors have the shape of var; the hyperparameters are scalars. Error: a variable is "
        "uninitialized (kFailedPrecondition) or is passed twice; the shapes or dtypes differ; a "
        "hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 6>)
    .CpuKernelClasses<ApplyKernels<AdadeltaRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexAdadeltaRule);

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

RAMET_SPARSE_TWIN("SparseApplyMomentum", SparseApplyShape<2, 3>);
RAMET_SPARSE_TWIN("SparseApplyAdagrad", SparseApplyShape<2, 3>);
RAMET_SPARSE_TWIN("SparseApplyAdagradV2", SparseApplyShape<2, 4>);
RAMET_SPARSE_TWIN("SparseApplyRMSProp", SparseApplyShape<3, 7>);
RAMET_SPARSE_TWIN("SparseApplyCenteredRMSProp", SparseApplyShape<4, 8>);
RAMET_SPARSE_TWIN("SparseApplyAdadelta", SparseApplyShape<3, 6>);

RAMET_RESOURCE_TWIN("ResourceApplyGradientDescent");
RAMET_RESOURCE_TWIN("ResourceApplyMomentum");
RAMET_RESOURCE_TWIN("ResourceSparseApplyMomentum");
RAMET_RESOURCE_TWIN("ResourceApplyAdam");
RAMET_RESOURCE_TWIN("ResourceApplyAdagrad");
RAMET_RESOURCE_TWIN("ResourceSparseApplyAdagrad");
RAMET_RESOURCE_TWIN("ResourceApplyAdagradV2");
RAMET_RESOURCE_TWIN("ResourceSparseApplyAdagradV2");
RAMET_RESOURCE_TWIN("ResourceApplyRMSProp");
RAMET_RESOURCE_TWIN("ResourceSparseApplyRMSProp");
RAMET_RESOURCE_TWIN("ResourceApplyCenteredRMSProp");
RAMET_RESOURCE_TWIN("ResourceSparseApplyCenteredRMSProp");
RAMET_RESOURCE_TWIN("ResourceApplyAdadelta");
RAMET_RESOURCE_TWIN("ResourceSparseApplyAdadelta");
RAMET_RESOURCE_TWIN("ResourceApplyAdaMax");
RAMET_RESOURCE_TWIN("ResourceApplyAddSign");
RAMET_RESOURCE_TWIN("ResourceApplyPowerSign");

}  // namespace ramet
