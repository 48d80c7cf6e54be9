"""The update ops of optimizers, on whole variables and on rows."""

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import op_def_registry

from case import COMPLEX, FLOATS, Case, Ref, array, eighths, i32, i64

# Op name without "Apply" or "SparseApply": the attrs to test.
OPS = {
    "GradientDescent": ({},), "Momentum": ({}, {"use_nesterov": True}), "Adam": ({}, {"use_nesterov": True}),
    "Adagrad": ({}, {"update_slots": False}), "AdagradV2": ({}, {"update_slots": False}), "RMSProp": ({},),
    "CenteredRMSProp": ({},), "Adadelta": ({},), "Ftrl": ({}, {"multiply_linear_by_lr": True}),
    "FtrlV2": ({}, {"multiply_linear_by_lr": True}), "ProximalGradientDescent": ({},), "ProximalAdagrad": ({},),
    "AdagradDA": ({},), "AdaMax": ({},), "AddSign": ({},), "PowerSign": ({},),
}
NOT_SPARSE = ("GradientDescent", "Adam", "AdaMax", "AddSign", "PowerSign")
SCALARS = {"alpha": 0.25, "lr": 0.125, "momentum": 0.75, "beta1_power": 0.5, "beta2_power": 0.75, "beta1": 0.875,
           "beta2": 0.9375, "epsilon": 0.125, "rho": 0.75, "l1": 0.25, "l2": 0.5, "l2_shrinkage": 0.125,
           "lr_power": -0.5, "logbase": 1.0, "sign_decay": 0.5, "beta": 0.75}
# Slots that hold sums or means of squares.
POSITIVE = ("v", "vhat", "accum", "accum_update", "ms", "gradient_squared_accumulator")
# Types for which TensorFlow has no kernel.
LACKING = {"ApplyProximalGradientDescent": ("half", "bfloat16"), "ApplyProximalAdagrad": ("half", "bfloat16"),
           "SparseApplyProximalGradientDescent": ("half", "bfloat16"),
           "SparseApplyProximalAdagrad": ("half", "bfloat16"), "ApplyAdaMax": ("bfloat16",),
           "ApplyAdagradDA": ("half", "bfloat16"), "SparseApplyAdagradDA": ("half", "bfloat16"),
           "SparseApplyRMSProp": ("bfloat16",), "SparseApplyCenteredRMSProp": ("bfloat16",)}
TOL = {"half": 6e-3, "bfloat16": 5e-2, "float": 2e-5, "double": 1e-11, "complex64": 5e-5, "complex128": 1e-11}
COMPLEX_RULES = ("GradientDescent", "Momentum", "Adam", "Adagrad", "AdagradV2", "RMSProp", "CenteredRMSProp", "Adadelta")


def inputs(op, dtype, shape, indices=None, changed=()):
    changed = dict(changed)
    result = []
    for arg in op_def_registry.get(op).input_arg:
        if arg.name in changed:
            value = changed[arg.name]
        elif arg.name == "indices":
            value = indices
        elif arg.is_ref or arg.type == tf.resource.as_datatype_enum:
            positive = arg.name in POSITIVE and not (arg.name == "accum" and "Momentum" in op)
            value = eighths(dtype, shape, 1 if positive else -2, 3, (op.removeprefix("Resource"), arg.name))
            if arg.name == "mg":
                value = value / array(dtype, 8)
        elif arg.name == "global_step":
            value = array("int64", 3)
        elif arg.name in SCALARS:
            value = array(dtype, SCALARS[arg.name] + (0.0625j if dtype in COMPLEX else 0))
        elif indices is None:
            value = eighths(dtype, shape, key=(op, "grad"))
        else:
            value = eighths(dtype, (len(indices),) + shape[1:], key=(op, "grad"))
        result.append(Ref(value) if arg.is_ref or arg.type == tf.resource.as_datatype_enum else value)
    return result


def dtypes(op):
    complex_ones = COMPLEX if op.removeprefix("Sparse").removeprefix("Apply") in COMPLEX_RULES else ()
    return [d for d in FLOATS + complex_ones if d not in LACKING.get(op, ())]


def applies():
    for name, variants in OPS.items():
        op = "Apply" + name
        for attrs in variants:
            for dtype in dtypes(op):
                yield Case(op, inputs(op, dtype, (3, 4)), attrs, tol=TOL[dtype])
            yield Case(op, inputs(op, "float", ()), attrs, tol=TOL["float"])
            yield Case(op, inputs(op, "float", (0, 2)), attrs)
            yield Case(op, inputs(op, "float", (101,)), attrs, tol=TOL["float"])
        if "l1" in [a.name for a in op_def_registry.get(op).input_arg]:
            yield Case(op, inputs(op, "float", (3, 4), changed={"l1": array("float", 0)}), tol=TOL["float"])
        if "Ftrl" in name:
            yield Case(op, inputs(op, "float", (3, 4), changed={"lr_power": array("float", -0.75)}), tol=TOL["float"])
        grad = "delta" if "GradientDescent" in name else "grad"
        yield Case(op, inputs(op, "float", (4,), changed={grad: eighths("float", (2,))}),
                   error="var and %s do not have the same shape[4] [2]" % grad)
        scalar = [a.name for a in op_def_registry.get(op).input_arg if a.name in SCALARS][0]
        if name not in ("Ftrl", "FtrlV2", "RMSProp", "CenteredRMSProp", "ProximalAdagrad"):
            yield Case(op, inputs(op, "float", (4,), changed={scalar: eighths("float", (2,))}),
                       error="%s is not a scalar: [2]" % scalar)


def sparse_applies():
    for name, variants in OPS.items():
        if name in NOT_SPARSE:
            continue
        op = "SparseApply" + name
        for attrs in variants:
            for dtype in dtypes(op):
                yield Case(op, inputs(op, dtype, (4, 3), i32(2, 0)), attrs, tol=TOL[dtype])
            yield Case(op, inputs(op, "float", (4,), i64(3, 1)), attrs, tol=TOL["float"])
            yield Case(op, inputs(op, "float", (4, 2), np.zeros([0], np.int32)), attrs)
        if name != "CenteredRMSProp":
            yield Case(op, inputs(op, "float", (4, 3), i32(2, 0, 2)), tol=TOL["float"])
        yield Case(op, inputs(op, "float", (4, 3), i32(2, 4)), error="ndex 4 at offset 1 in indices is out of range")


def resource_twins():
    for name, variants in OPS.items():
        for op in ("Apply" + name, "SparseApply" + name):
            sparse = op.startswith("Sparse")
            if sparse and name in NOT_SPARSE:
                continue
            for attrs in variants:
                for dtype in ("float", "double") + (COMPLEX if name in COMPLEX_RULES else ()):
                    values = inputs("Resource" + op, dtype, (4, 3), i32(2, 0) if sparse else None)
                    yield Case("Resource" + op, values, attrs, tol=TOL[dtype])


def resource_only():
    """Updates that exist for resource variables only."""
    for op, variants in (("ResourceApplyKerasMomentum", ({}, {"use_nesterov": True})), ("ResourceApplyAdamWithAmsgrad", ({},))):
        for attrs in variants:
            for dtype in FLOATS:
                yield Case(op, inputs(op, dtype, (4, 3)), attrs, tol=TOL[dtype])
    op = "ResourceSparseApplyKerasMomentum"
    for nesterov in (False, True):
        for dtype in FLOATS:
            for rows in (i32(2, 0), i64(1, 1, 3)):
                yield Case(op, inputs(op, dtype, (4, 3), rows), {"use_nesterov": nesterov}, tol=TOL[dtype])


def cases():
    yield from resource_only()
    yield from applies()
    yield from sparse_applies()
    yield from resource_twins()
