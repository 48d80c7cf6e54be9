#include "ramet/ops/training/rules.h"
#include "ramet/ops/training/twins.h"

// Rules with the penalties l1 and l2.
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

RAMET_SPARSE_TWIN("SparseApplyFtrl", SparseApplyShape<3, 3>);
RAMET_SPARSE_TWIN("SparseApplyFtrlV2", SparseApplyShape<3, 3>);
RAMET_SPARSE_TWIN("SparseApplyAdagradDA", SparseApplyShape<3, 3>);
RAMET_SPARSE_TWIN("SparseApplyProximalGradientDescent", SparseApplyShape<1, 4>);
RAMET_SPARSE_TWIN("SparseApplyProximalAdagrad", SparseApplyShape<2, 5>);

RAMET_RESOURCE_TWIN("ResourceApplyFtrl");
RAMET_RESOURCE_TWIN("ResourceSparseApplyFtrl");
RAMET_RESOURCE_TWIN("ResourceApplyFtrlV2");
RAMET_RESOURCE_TWIN("ResourceSparseApplyFtrlV2");
RAMET_RESOURCE_TWIN("ResourceApplyAdagradDA");
RAMET_RESOURCE_TWIN("ResourceSparseApplyAdagradDA");
RAMET_RESOURCE_TWIN("ResourceApplyProximalGradientDescent");
RAMET_RESOURCE_TWIN("ResourceSparseApplyProximalGradientDescent");
RAMET_RESOURCE_TWIN("ResourceApplyProximalAdagrad");
RAMET_RESOURCE_TWIN("ResourceSparseApplyProximalAdagrad");

}  // namespace ramet
