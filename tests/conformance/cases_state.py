"""Assignments to variables and to parts of them."""

import numpy as np
import tensorflow.compat.v1 as tf

from case import (COMPLEX, FLOATS, NUMBERS, REALS, Case, Ref, array, eighths, i32, i64, nonzero, strings)


TF_NAMES = {"float": "float32", "double": "float64", "half": "float16"}


def f(*shape, key=0):
    return eighths("float", shape, key=key)


def assigns():
    for dtype in NUMBERS + ("bool",):
        yield Case("Assign", [Ref(eighths(dtype, (2, 3), key="v")), eighths(dtype, (2, 3))])
    yield Case("Assign", [Ref(strings(["a", "b"])), strings(["", "long enough not to be kept in place"])])
    yield Case("Assign", [Ref(f(4)), f(4)], {"validate_shape": False})
    yield Case("Assign", [Ref(array("float", 1)), array("float", 2)])
    yield Case("Assign", [Ref(f(4)), f(2)],
               error="Assign requires shapes of both tensors to match. lhs shape= [4] rhs shape= [2]")
    for op in ("AssignAdd", "AssignSub"):
        for dtype in NUMBERS:
            yield Case(op, [Ref(eighths(dtype, (2, 3), 2, 4, "v")), eighths(dtype, (2, 3), 0, 2)])
        yield Case(op, [Ref(f(0)), f(0)])
        yield Case(op, [Ref(array("float", 1)), array("float", 2)])
        yield Case(op, [Ref(f(4)), f(2)], error="Parameters and update must be the same size")


def counters():
    for dtype in ("int32", "int64"):
        yield Case("CountUpTo", [Ref(array(dtype, 3))], {"limit": 5})
        yield Case("CountUpTo", [Ref(array(dtype, 5))], {"limit": 5}, error="Reached limit of 5")
    yield Case("IsVariableInitialized", [Ref(f(2))])


def slices():
    """Yields (begin, end, strides, masks, shape of the value) of slices of a variable of shape (4, 3)."""
    yield [1], [2], [1], {"shrink_axis_mask": 1}, (3,)
    yield [1], [3], [1], {}, (2, 3)
    yield [1], [3], [1], {}, ()
    yield [1], [3], [1], {}, (2, 1)
    yield [0], [2], [1], {}, (3,)
    yield [0], [1], [1], {}, (1, 1, 3)
    yield [2, 0], [3, 1], [1, 1], {"shrink_axis_mask": 3}, ()
    yield [3], [1], [-1], {}, (2, 3)
    yield [3, 2], [0, 0], [-2, -2], {"end_mask": 2}, (2, 2)
    yield [0, 1], [0, 2], [1, 1], {"new_axis_mask": 1}, (1, 1, 3)
    yield [0, 1], [0, 2], [1, 1], {"ellipsis_mask": 1, "shrink_axis_mask": 2}, (4,)
    yield [0, 0, 1], [0, 0, 2], [1, 1, 1], {"ellipsis_mask": 1, "new_axis_mask": 2}, (4, 1, 1)
    yield [0], [0], [1], {"begin_mask": 1, "end_mask": 1}, (4, 3)
    yield [3], [1], [1], {}, (2, 7)


def slice_assigns():
    for op in ("StridedSliceAssign", "ResourceStridedSliceAssign"):
        for begin, end, strides, masks, shape in slices():
            yield Case(op, [Ref(f(4, 3, key="v")), i32(*begin), i32(*end), i32(*strides), f(*shape) + 50], masks)
        for dtype in NUMBERS + ("bool",):
            yield Case(op, [Ref(eighths(dtype, (4, 2), key="v")), i64(1), i64(3), i64(1), eighths(dtype, (2, 2))])
        yield Case(op, [Ref(strings(["a", "b", "c"])), i32(1), i32(3), i32(1), strings(["x", "long enough not to be in place"])])
        errors = {
            "slice index 9 of dimension 0 out of bounds.": ([9], [10], [1], {"shrink_axis_mask": 1}, (3,)),
            "strides[0] must be non-zero": ([0], [3], [0], {}, (3,)),
            "Index out of range using input dim 2; input has only 2 dims": ([0, 0, 0], [3, 1, 1], [1, 1, 1], {}, (3,)),
            "Cannot broadcast input shape [2] into final shape [1,3]": ([0], [1], [1], {}, (2,)),
            "Cannot broadcast input shape [4,3] into final shape [2,3]": ([0], [2], [1], {}, (4, 3)),
        }
        for error, (begin, end, strides, masks, shape) in errors.items():
            yield Case(op, [Ref(f(4, 3)), i32(*begin), i32(*end), i32(*strides), f(*shape)], masks, error=error)


SCATTERS = ("ScatterUpdate", "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv", "ScatterMax", "ScatterMin")


def scatters():
    for op in SCATTERS:
        short = op in ("ScatterMax", "ScatterMin")
        for dtype in ("half", "bfloat16", "float", "double", "int32", "int64") if short else NUMBERS:
            # TensorFlow's ScatterDiv adds numbers of unsigned types before it divides.
            v, u = eighths(dtype, (4, 2), 2, 4, "v"), nonzero(eighths(dtype, (3, 2), 1, 2))
            yield Case(op, [Ref(v), i32(2, 0, 2), u])
        yield Case(op, [Ref(f(4)), i64(3, 1), f(2, key=1) + 3])
        yield Case(op, [Ref(f(4, 2)), i64([3, 1], [0, 0]), f(2, 2, 2, key=1) + 3])
        yield Case(op, [Ref(f(4, 2)), np.int32(2), f(2, key=1) + 3])
        yield Case(op, [Ref(f(4, 2)), i32(1, 2), array("float", 2)])
        yield Case(op, [Ref(f(4, 2)), np.zeros([0], np.int32), np.zeros([0, 2], np.float32)])
        yield Case(op, [Ref(f(4)), i32(0, 7), f(2)], error="indices[1] = 7 is not in [0, 4)")
        yield Case(op, [Ref(f(4)), i32(0, -1), f(2)], error="indices[1] = -1 is not in [0, 4)")
        yield Case(op, [Ref(f(4)), i32(0, 1), f(3)],
                   error="Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
                         "updates.shape [3], indices.shape [2], params.shape [4]")
    yield Case("ScatterUpdate", [Ref(strings(["a", "b", "c"])), i32(1), strings(["x"])])
    yield Case("ScatterUpdate", [Ref(array("bool", [True, True])), i32(1), array("bool", [False])])
    for op in ("ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub", "ScatterNdMax", "ScatterNdMin"):
        ordered = op in ("ScatterNdMax", "ScatterNdMin")
        last = ("bfloat16", "int8", "int16", "uint8", "uint16") if ordered else ("complex64",)
        for dtype in ("float", "double", "half", "int32", "int64") + last:
            yield Case(op, [Ref(eighths(dtype, (4, 2), key="v")), i32([2], [0]), eighths(dtype, (2, 2))])
        yield Case(op, [Ref(f(2, 3)), i64([0, 2], [1, 1]), f(2)])
        yield Case(op, [Ref(f(4)), i32([0], [7]), f(2)], error="indices[1] = [7] does not index into shape [4]")


def resources():
    for op in ("AssignAddVariableOp", "AssignSubVariableOp"):
        for dtype in ("float", "double", "half", "bfloat16", "int32", "int64", "complex64"):
            yield Case(op, [Ref(eighths(dtype, (2, 3), 2, 4, "v")), eighths(dtype, (2, 3), 0, 2)])
        yield Case(op, [Ref(f(4)), f(2)],
                   error="Cannot update variable with shape [4] using a Tensor with shape [2], shapes must be equal.")
    for dtype in NUMBERS + ("bool",):
        of = {"dtype": tf.as_dtype(TF_NAMES.get(dtype, dtype))}
        yield Case("AssignVariableOp", [Ref(eighths(dtype, (2, 3), key="v")), eighths(dtype, (2, 3))])
        yield Case("ReadVariableOp", [Ref(eighths(dtype, (2, 3), key="v"))], of)
    yield Case("AssignVariableOp", [Ref(f(4)), f(2)], {"validate_shape": True},
               error="Trying to assign to variable with tensor with wrong shape. Expected [4] got [2]")
    yield Case("ReadVariableOp", [Ref(strings(["a", "b"]))], {"dtype": tf.string})
    yield Case("VarIsInitializedOp", [Ref(f(2))])
    for kind in (tf.int32, tf.int64):
        yield Case("VariableShape", [Ref(f(2, 3))], {"out_type": kind})
    yield Case("VariableShape", [Ref(f())])
    yield Case("DisableCopyOnRead", [Ref(f(2))])
    for dtype in ("int32", "int64"):
        yield Case("ResourceCountUpTo", [Ref(array(dtype, 3))], {"limit": 5, "T": tf.as_dtype(dtype)})
        yield Case("ResourceCountUpTo", [Ref(array(dtype, 5))], {"limit": 5, "T": tf.as_dtype(dtype)},
                   error="Reached limit of 5")
    of = {"dtype": tf.float32}
    yield Case("ResourceGather", [Ref(f(4, 2)), i32([3, 0], [1, 1])], of)
    yield Case("ResourceGather", [Ref(f(2, 3, 2)), i64([2, 0], [1, 1])], {"dtype": tf.float32, "batch_dims": 1})
    yield Case("ResourceGather", [Ref(f(4, 2)), i32(0, 7)], of, error="indices[1] = 7 is not in [0, 4)")
    yield Case("ResourceGatherNd", [Ref(f(4, 2)), i32([3, 0], [1, 1])], of)
    yield Case("ResourceGatherNd", [Ref(f(4, 2)), i64([3], [1])], of)


def resource_scatters():
    for op in SCATTERS:
        ordered = op in ("ScatterMax", "ScatterMin")
        for dtype in REALS if ordered else ("half", "float", "double", "int32", "int64"):
            v, u = eighths(dtype, (4, 2), 2, 4, "v"), nonzero(eighths(dtype, (3, 2), 1, 2))
            yield Case("Resource" + op, [Ref(v), i32(2, 0, 2), u])
        yield Case("Resource" + op, [Ref(f(4, 2)), i64([3, 1], [0, 0]), f(2, 2, 2, key=1) + 3])
        yield Case("Resource" + op, [Ref(f(4, 2)), i32(1, 2), array("float", 2)])
        yield Case("Resource" + op, [Ref(f(4)), i32(0, 7), f(2)], error="indices[1] = 7 is not in [0, 4)")
    for op in ("ResourceScatterNdUpdate", "ResourceScatterNdAdd", "ResourceScatterNdSub", "ResourceScatterNdMax",
               "ResourceScatterNdMin"):
        for dtype in ("float", "double", "int32"):
            yield Case(op, [Ref(eighths(dtype, (4, 2), key="v")), i32([2], [0]), eighths(dtype, (2, 2))])
        yield Case(op, [Ref(f(2, 3)), i64([0, 2], [1, 1]), f(2)])
        yield Case(op, [Ref(f(4)), i32([0], [7]), f(2)], error="indices[1] = [7] does not index into shape [4]")
    for op in ("ResourceScatterNdAdd", "ResourceScatterNdSub"):
        before, after = array("bool", [0, 0, 1, 1, 0, 1]), array("bool", [0, 1, 0, 1])
        yield Case(op, [Ref(before), i32([0], [1], [2], [3]), after])
        yield Case(op, [Ref(before), i32([4], [4], [5], [5]), array("bool", [1, 1, 1, 0])])


def cases():
    for family in (assigns, counters, slice_assigns, scatters, resources, resource_scatters):
        yield from family()
