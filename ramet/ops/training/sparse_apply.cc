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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyAdagrad; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyMomentum; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyAdagradV2; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyRMSProp; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyCenteredRMSProp; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyAdadelta; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyFtrl; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyFtrlV2; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyAdagradDA; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyProximalAdagrad; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
        "The rows `indices` of var and its slots, one after another, by the rule of\n"
        "ApplyProximalGradientDescent; grad is [indices, rows...].\n"
        "\\error kFailedPrecondition if a variable is uninitialised; kInvalidArgument if an index "
        "is\n"
        "  outside or the shapes do not fit.")
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
