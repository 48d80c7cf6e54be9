#include "ramet/ops/training/rules.h"

namespace ramet {

RAMET_OP("SparseApplyAdagrad")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyAdagrad. grad has one row per index, with the shape of a row of var. Error: a "
        "variable is uninitialized (kFailedPrecondition) or is passed twice; an index is out of "
        "range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 3, 4>)
    .CpuKernelClasses<ApplyKernels<AdagradRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexAdagradRule);

RAMET_OP("SparseApplyMomentum")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("momentum: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("use_nesterov: bool = false")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyMomentum. grad has one row per index, with the shape of a row of var. Error: a "
        "variable is uninitialized (kFailedPrecondition) or is passed twice; an index is out of "
        "range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 3, 4>)
    .CpuKernelClasses<ApplyKernels<MomentumRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexMomentumRule);

RAMET_OP("SparseApplyAdagradV2")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("update_slots: bool = true")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyAdagradV2. grad has one row per index, with the shape of a row of var. Error: a "
        "variable is uninitialized (kFailedPrecondition) or is passed twice; an index is out of "
        "range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 4, 5>)
    .CpuKernelClasses<ApplyKernels<AdagradV2Rule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexAdagradV2Rule);

RAMET_OP("SparseApplyRMSProp")
    .Input("var: Ref(T)")
    .Input("ms: Ref(T)")
    .Input("mom: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyRMSProp. grad has one row per index, with the shape of a row of var. Error: a "
        "variable is uninitialized (kFailedPrecondition) or is passed twice; an index is out of "
        "range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 7, 8>)
    .CpuKernelClasses<ApplyKernels<RmsPropRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexRmsPropRule);

RAMET_OP("SparseApplyCenteredRMSProp")
    .Input("var: Ref(T)")
    .Input("mg: Ref(T)")
    .Input("ms: Ref(T)")
    .Input("mom: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("momentum: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyCenteredRMSProp. grad has one row per index, with the shape of a row of var. Error: "
        "a variable is uninitialized (kFailedPrecondition) or is passed twice; an index is out of "
        "range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<4, 8, 9>)
    .CpuKernelClasses<ApplyKernels<CenteredRmsPropRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexCenteredRmsPropRule);

RAMET_OP("SparseApplyAdadelta")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("accum_update: Ref(T)")
    .Input("lr: T")
    .Input("rho: T")
    .Input("epsilon: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyAdadelta. grad has one row per index, with the shape of a row of var. Error: a "
        "variable is uninitialized (kFailedPrecondition) or is passed twice; an index is out of "
        "range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 6, 7>)
    .CpuKernelClasses<ApplyKernels<AdadeltaRule>::For, Half, BFloat16, float, double>()
    .RAMET_COMPLEX_RULE(ComplexAdadeltaRule);

RAMET_OP("SparseApplyFtrl")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("linear: Ref(T)")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("lr_power: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("multiply_linear_by_lr: bool = false")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyFtrl. grad has one row per index, with the shape of a row of var. Error: a variable "
        "is uninitialized (kFailedPrecondition) or is passed twice; an index is out of range; the "
        "shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 3, 4>)
    .CpuKernelClasses<ApplyKernels<FtrlRule>::For, Half, BFloat16, float, double>();

RAMET_OP("SparseApplyFtrlV2")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("linear: Ref(T)")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("l2_shrinkage: T")
    .Input("lr_power: T")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Attr("multiply_linear_by_lr: bool = false")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyFtrlV2. grad has one row per index, with the shape of a row of var. Error: a "
        "variable is uninitialized (kFailedPrecondition) or is passed twice; an index is out of "
        "range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 3, 4>)
    .CpuKernelClasses<ApplyKernels<FtrlV2Rule>::For, Half, BFloat16, float, double>();

RAMET_OP("SparseApplyAdagradDA")
    .Input("var: Ref(T)")
    .Input("gradient_accumulator: Ref(T)")
    .Input("gradient_squared_accumulator: Ref(T)")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("global_step: int64")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyAdagradDA. grad has one row per index, with the shape of a row of var. Error: a "
        "variable is uninitialized (kFailedPrecondition) or is passed twice; an index is out of "
        "range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<3, 3, 4>)
    .CpuKernelClasses<ApplyKernels<AdagradDaRule>::For, float, double>();

RAMET_OP("SparseApplyProximalAdagrad")
    .Input("var: Ref(T)")
    .Input("accum: Ref(T)")
    .Input("lr: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyProximalAdagrad. grad has one row per index, with the shape of a row of var. Error: "
        "a variable is uninitialized (kFailedPrecondition) or is passed twice; an index is out of "
        "range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<2, 5, 6>)
    .CpuKernelClasses<ApplyKernels<ProximalAdagradRule>::For, Half, BFloat16, float, double>();

RAMET_OP("SparseApplyProximalGradientDescent")
    .Input("var: Ref(T)")
    .Input("alpha: T")
    .Input("l1: T")
    .Input("l2: T")
    .Input("grad: T")
    .Input("indices: Tindices")
    .Output("out: Ref(T)")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("use_locking: bool = false")
    .Doc(
        "Updates the rows `indices` of var and its slots, one after another, by the rule of "
        "ApplyProximalGradientDescent. grad has one row per index, with the shape of a row of var. "
        "Error: a variable is uninitialized (kFailedPrecondition) or is passed twice; an index is "
        "out of range; the shapes or dtypes do not match; a hyperparameter is not a scalar.")
    .Shape(ApplyShape<1, 4, 5>)
    .CpuKernelClasses<ApplyKernels<ProximalGradientDescentRule>::For, Half, BFloat16, float,
                      double>();

RAMET_RESOURCE_TWIN("ResourceSparseApplyAdagrad");
RAMET_RESOURCE_TWIN("ResourceSparseApplyMomentum");
RAMET_RESOURCE_TWIN("ResourceSparseApplyAdagradV2");
RAMET_RESOURCE_TWIN("ResourceSparseApplyRMSProp");
RAMET_RESOURCE_TWIN("ResourceSparseApplyCenteredRMSProp");
RAMET_RESOURCE_TWIN("ResourceSparseApplyAdadelta");
RAMET_RESOURCE_TWIN("ResourceSparseApplyAdagradDA");
RAMET_RESOURCE_TWIN("ResourceSparseApplyFtrl");
RAMET_RESOURCE_TWIN("ResourceSparseApplyFtrlV2");
RAMET_RESOURCE_TWIN("ResourceSparseApplyProximalAdagrad");
RAMET_RESOURCE_TWIN("ResourceSparseApplyProximalGradientDescent");

}  // namespace ramet
