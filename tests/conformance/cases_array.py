"""Shapes, slices, joins, gathers and other ops that move elements; NoOp's family has no values to compare."""

import numpy as np
import tensorflow.compat.v1 as tf

from case import (COMPLEX, FLOATS, NAMES, NUMBERS, Case, array, eighths, i32, i64, strings)

INF, NAN = np.inf, np.nan
# One dtype of each width, and strings, for ops that only move elements.
MOVED = ("float", "double", "half", "int8", "int64", "bool", "complex128")


def words(*shape):
    n = int(np.prod(shape))
    return strings(["w%d" % i for i in range(n)]).reshape(shape)


def moved(shape, key="x"):
    """Yields (tensor, whether it has a gradient) for every width."""
    for dtype in MOVED:
        yield eighths(dtype, shape, key=key), dtype in FLOATS + COMPLEX
    yield words(*shape), False


def f(*shape, key=0):
    return eighths("float", shape, key=key)


def none(dtype=np.int32):
    return np.zeros([0], dtype)


def identities():
    for op in ("Identity", "StopGradient", "Snapshot"):
        for x, grad in moved((2, 3)):
            if op != "Snapshot" or x.dtype != object:
                yield Case(op, [x], grad=grad and op == "Identity")
    yield Case("PreventGradient", [f(2)], {"message": "no"})
    yield Case("DeepCopy", [f(2, 3)])
    yield Case("DeepCopy", [words(2)])
    yield Case("IdentityN", [f(2), i32(1, 2), words(2)])
    yield Case("IdentityN", [f(2), f(3, 1)], grad=True)
    yield Case("PlaceholderWithDefault", [f(2)], {"shape": tf.TensorShape([None])}, grad=True)
    for dtype in FLOATS:
        yield Case("CheckNumerics", [eighths(dtype, (2, 3))], {"message": "m"}, grad=True)
        for bad, what in (([INF, 1], "Inf"), ([1, -INF], "Inf"), ([NAN, 2], "NaN"), ([INF, NAN], "Inf and NaN")):
            yield Case("CheckNumerics", [array(dtype, bad)], {"message": "m"}, error="m : Tensor had %s values" % what)
    yield Case("EnsureShape", [f(2, 3)], {"shape": tf.TensorShape([2, None])}, grad=True)
    yield Case("EnsureShape", [f(2, 3)], {"shape": tf.TensorShape([None, 3])}, grad=True)
    yield Case("EnsureShape", [f(2, 3)], {"shape": tf.TensorShape([2, 4])},
               error="is not compatible with expected shape [2,4].")
    for x, t in ((array("float", [1, -2]), tf.int32), (array("double", [1, 2]), tf.int32), (i32([1, 2], [3, 4]), tf.int64),
                 (i32(1, 2), tf.uint8), (array("uint8", [[1, 2, 3, 4]]), tf.float32), (i32(5), tf.int32),
                 (array("int8", [[[1, 2]]]), tf.uint16), (array("complex64", 1 + 2j), tf.float32)):
        yield Case("Bitcast", [x], {"type": t})
    yield Case("Bitcast", [array("uint8", [[1, 2, 3]])], {"type": tf.float32}, error="Cannot bitcast")
    yield Case("Identity", [array("float", 1.5)], grad=True)


def shapes():
    for x in (f(2, 3), array("float", 1), f(0, 4), words(2, 1), f(1, 2, 1, 2, 1, 2, 1, 3)):
        for t in (tf.int32, tf.int64):
            yield Case("Shape", [x], {"out_type": t})
            yield Case("Size", [x], {"out_type": t})
        yield Case("Rank", [x])
        yield Case("OnesLike" if x.dtype != object else "ZerosLike", [x])
    yield Case("ShapeN", [f(2, 3), f(4), array("float", 1)], {"N": 3, "out_type": tf.int64})
    for x, grad in moved((2, 6)):
        yield Case("Reshape", [x, i32(3, 4)], grad=grad)
        yield Case("ExpandDims", [x, i32(1)[0]], grad=grad)
        yield Case("Squeeze", [x.reshape(1, 2, 1, 6)], grad=grad)
    for sizes in (i32(-1), i64(2, -1, 3), i32(1, 12, 1), i64(12, -1)):
        yield Case("Reshape", [f(2, 6), sizes], grad=True)
    yield Case("Reshape", [array("float", 1), none()], grad=True)
    yield Case("Reshape", [f(0, 3), i32(0, -1) + i32(3, 0)], grad=True)
    yield Case("Reshape", [f(0, 3), i32(5, 0, 2)], grad=True)
    for sizes, what in ((i32(5), "Input to reshape is a tensor with 12 values, but the requested shape has 5"),
                        (i32(-1, 5), "Input to reshape is a tensor with 12 values, but the requested shape requires a multiple of 5"),
                        (i32(-1, -1), "Only one input size may be -1, not both 0 and 1"),
                        (i32(-2, 6), "Size 0 must be non-negative, not -2"),
                        (i32([3], [4]), "sizes input must be 1-D, not [2,1]")):
        yield Case("Reshape", [f(2, 6), sizes], error=what)
    for shape, sizes in (((0, 6), i32(0, -1)), ((0, 3), i32(-1, 0, 2)), ((0, 3), i32(-1)), ((0, 3), i32(4, -1))):
        yield Case("Reshape", [f(*shape), sizes])
    yield Case("Reshape", [f(2, 3), i32(0, -1)], error="Input to reshape is a tensor with 6 values, but the requested shape has 0")
    for dim in (-3, -1, 0, 2):
        yield Case("ExpandDims", [f(2, 3), np.int64(dim)], grad=True)
    yield Case("ExpandDims", [f(2, 3), np.int32(3)], error="Tried to expand dim index 3 for tensor with 2 dimensions.")
    for dims in ([], [0], [-1], [0, 2], [2, -4]):
        yield Case("Squeeze", [f(1, 3, 1, 1)], {"squeeze_dims": dims}, grad=True)
    yield Case("Squeeze", [f(1, 3)], {"squeeze_dims": [1]}, error="expected a dimension of 1, got 3")
    yield Case("Squeeze", [f(1, 3)], {"squeeze_dims": [2]}, error="Tried to squeeze dim index 2 for tensor with 2 dimensions.")


def fills():
    for dtype in NUMBERS + ("bool",):
        yield Case("Fill", [i32(2, 3), eighths(dtype, ())], grad=dtype in FLOATS + COMPLEX)
        yield Case("ZerosLike", [eighths(dtype, (2, 2))])
        yield Case("OnesLike", [eighths(dtype, (2, 2))])
    yield Case("Fill", [i64(2), words(1)[0:1].reshape(())])
    yield Case("PadV2", [f(2, 3), i32([0, 0], [0, 0]), f(1)], error="constant_values must be a scalar. Found: [1]")
    yield Case("Fill", [none(), array("float", 3)], grad=True)
    yield Case("Fill", [i32(0, 2), array("float", 3)], grad=True)
    yield Case("Fill", [i32(-1), array("float", 3)], error="Dimension -1 must be >= 0")
    yield Case("Fill", [i32(2), f(2)], error="value must represent a scalar, got shape [2]")
    on, off = array("float", 5), array("float", -1)
    for kind in (np.uint8, np.int32, np.int64):
        yield Case("OneHot", [np.asarray([0, 2, 1, 3], kind), np.int32(3), on, off])
    for axis in (-1, 0, 1, 2):
        yield Case("OneHot", [i64([0, -1], [2, 9]), np.int32(3), on, off], {"axis": axis})
    for dtype in MOVED:
        yield Case("OneHot", [i32(1, 0), np.int32(2), array(dtype, 1), array(dtype, 0)])
    one_hot = [i32(1, 0), np.int32(2), array("float", 1), array("float", 0)]
    for k, name in enumerate(("depth", "on_value", "off_value"), 1):
        vectors = [x.reshape(1) if i == k else x for i, x in enumerate(one_hot)]
        yield Case("OneHot", vectors, error=f"{name} must be a scalar")
    yield Case("OneHot", [i32(1, 0), np.int32(2), strings("on"), strings("off")])
    yield Case("OneHot", [np.int32(1), np.int32(3), on, off])
    yield Case("OneHot", [i32(1), np.int32(0), on, off])
    yield Case("OneHot", [i32(1), np.int32(-1), on, off], error="depth must be non-negative, got: -1")
    yield Case("OneHot", [i32(1), np.int32(2), on, off], {"axis": 3}, error="Expected axis to be -1 or between [0, 2).  But received: 3")


def broadcasts():
    for x, grad in moved((2, 1)):
        yield Case("BroadcastTo", [x, i32(3, 2, 4)], grad=grad)
    for shape, to in (((), i64(2, 3)), ((3,), i32(3)), ((1, 3), i32(2, 3)), ((1,), i32(0)), ((0, 1), i32(0, 3)), ((2, 1, 1, 3), i32(2, 2, 2, 3))):
        yield Case("BroadcastTo", [f(*shape), to], grad=True)
    yield Case("BroadcastTo", [f(3), i32(2)], error="Incompatible shapes: [3] vs. [2]")
    yield Case("BroadcastTo", [f(2, 2), i32(2)], error="Rank of input (2) must be no greater than rank of output shape (1).")
    e = none()
    for a, b in ((e, e), (i32(1), e), (i32(2, 3), i32(3)), (i32(3), i32(2, 3)), (i32(1, 3), i32(2, 3)), (i32(2, 1), i32(1, 3)),
                 (i32(1, 3), i32(1, 3)), (i32(1, 1, 3), i32(3)), (i32(0, 3), i32(1, 3)), (i32(1, 2), i32(2)), (i64(5, 1), i64(4, 1, 1))):
        yield Case("BroadcastArgs", [a, b])
        yield Case("BroadcastGradientArgs", [a, b])
    yield Case("BroadcastArgs", [i32(2), i32(3)], error="Incompatible shapes")
    yield Case("BroadcastGradientArgs", [i32(2), i32(3)], error="Incompatible shapes: [2] vs. [3]")
    for x, grad in moved((2, 3)):
        if x.dtype != np.int8:
            yield Case("Tile", [x, i32(2, 1)], grad=grad)
    for shape, by in (((), none()), ((3,), i64(4)), ((2, 3), i32(1, 1)), ((2, 3), i32(2, 3)), ((2, 1, 3), i32(2, 2, 2)), ((2,), i32(0)), ((0, 2), i32(2, 2))):
        yield Case("Tile", [f(*shape), by], grad=0 not in shape and 0 not in by)
    yield Case("Tile", [f(2, 3), i32(2)], error="Expected multiples argument to be a vector of length 2 but got length 1")
    yield Case("Tile", [f(2, 3), i32(2, -1)], error="Expected multiples[1] >= 0, but got -1")


def transposes():
    for op in ("Transpose", "ConjugateTranspose"):
        for x, grad in moved((2, 3)):
            yield Case(op, [x, i32(1, 0)], grad=grad)
        for perm in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0)):
            yield Case(op, [f(2, 3, 4), i64(*perm)], grad=True)
    yield Case("Transpose", [array("float", 1), none()], grad=True)
    yield Case("Transpose", [f(1, 3, 1), i32(2, 1, 0)], grad=True)
    yield Case("Transpose", [f(2, 0), i32(1, 0)], grad=True)
    yield Case("Transpose", [f(2, 3, 2, 1, 2), i32(4, 2, 0, 3, 1)], grad=True)
    yield Case("Transpose", [f(40, 35), i32(1, 0)])
    yield Case("Transpose", [f(2, 3), i32(0)], error="transpose expects a vector of size 2. But input(1) is a vector of size 1")
    yield Case("Transpose", [f(2, 3), i32(0, 2)], error="2 is out of range [0 .. 2)")
    yield Case("Transpose", [f(2, 3), i32(0, 0)], error="1 is missing from {0,0}.")
    for x in (i32(2, 0, 1), i64(0), none(), i32(3, 1, 0, 2)):
        yield Case("InvertPermutation", [x])
    yield Case("InvertPermutation", [i32(0, 0)], error="0 is duplicated in the input.")
    yield Case("InvertPermutation", [i32(0, 2)], error="2 is not between 0 and 2")
    yield Case("InvertPermutation", [i32([0])], error="invert_permutation expects a 1D vector.")


def joins():
    for (a, grad), (b, _) in zip(moved((2, 3)), moved((2, 1), "y")):
        yield Case("ConcatV2", [a, b, np.int32(1)], {"N": 2}, grad=grad)
        yield Case("Concat", [np.int32(1), a, b], {"N": 2}, grad=grad)
        yield Case("Pack", [a, a], {"N": 2, "axis": 1}, grad=grad)
    for axis in (0, -1, 1, 2):
        yield Case("ConcatV2", [f(2, 3, 4), f(2, 3, 4, key=1), np.int32(axis)], {"N": 2}, grad=True)
    yield Case("ConcatV2", [f(2, 3), f(2, 1), np.int64(-1)], {"N": 2})
    yield Case("ConcatV2", [f(1), f(0), f(3), f(2), np.int32(0)], {"N": 4}, grad=True)
    yield Case("ConcatV2", [f(0, 2), f(0, 3), np.int32(1)], {"N": 2}, grad=True)
    yield Case("ConcatV2", [f(2, key=k) for k in range(18)] + [np.int32(0)], {"N": 18}, grad=True)
    yield Case("ConcatV2", [f(2), f(2), np.int32(1)], {"N": 2}, error="ConcatOp : Expected concatenating dimensions in the range [-1, 1), but got 1")
    yield Case("ConcatV2", [f(2), f(2, 1), np.int32(0)], {"N": 2}, error="ConcatOp : Ranks of all input tensors should match: shape[0] = [2] vs. shape[1] = [2,1]")
    yield Case("ConcatV2", [f(2, 3), f(2, 4), np.int32(0)], {"N": 2}, error="ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = [2,4]")
    yield Case("ConcatOffset", [np.int32(1), i32(2, 2, 7), i32(2, 3, 7), i32(2, 9, 7)], {"N": 3})
    yield Case("ConcatOffset", [np.int32(-1), i32(2, 1), i32(2, 3)], {"N": 2})
    yield Case("ConcatOffset", [i32(0), i32(2, 1), i32(2, 3)], {"N": 2}, error="Concat dim tensor should be a scalar integer, but got shape [1]")
    yield Case("ConcatOffset", [np.int32(1), i32(2, 1), i32(3, 3)], {"N": 2}, error="All dimensions except 1 must match. Input 1 has shape [3 3] and doesn't match input 0 with shape [2 1].")
    for axis in (0, 1, 2, -1, -3):
        yield Case("Pack", [f(2, 3, key=k) for k in range(3)], {"N": 3, "axis": axis}, grad=True)
    yield Case("Pack", [array("float", 1), array("float", 2)], {"N": 2}, grad=True)
    yield Case("Pack", [f(2)], {"N": 1}, grad=True)
    yield Case("Pack", [f(0), f(0)], {"N": 2}, grad=True)
    yield Case("Pack", [f(2), f(3)], {"N": 2}, error="Shapes of all inputs must match: values[0].shape = [2] != values[1].shape = [3]")


def splits():
    for x, grad in moved((2, 4)):
        yield Case("Split", [np.int32(1), x], {"num_split": 2}, grad=grad)
        yield Case("SplitV", [x, i64(1, 3), np.int32(1)], {"num_split": 2}, grad=grad)
        yield Case("Unpack", [x], {"num": 2, "axis": 0}, grad=grad)
    for axis in (0, 1, -1):
        yield Case("Split", [np.int32(axis), f(4, 2, 2)], {"num_split": 2}, grad=True)
        yield Case("SplitV", [f(4, 4, 4), i32(1, -1, 2), np.int32(axis)], {"num_split": 3}, grad=True)
        yield Case("Unpack", [f(3, 3, 3)], {"num": 3, "axis": axis}, grad=True)
    yield Case("Split", [np.int32(0), f(3)], {"num_split": 1}, grad=True)
    yield Case("SplitV", [f(3), i32(0, 3), np.int32(0)], {"num_split": 2}, grad=True)
    yield Case("Unpack", [f(2)], {"num": 2}, grad=True)
    yield Case("Split", [np.int32(0), f(3)], {"num_split": 2}, error="Number of ways to split should evenly divide the split dimension, but got split_dim 0 (size = 3) and num_split 2")
    yield Case("Split", [np.int32(2), f(3, 2)], {"num_split": 2}, error="-input rank(-2) <= split_dim < input rank (2), but got 2")
    yield Case("SplitV", [f(3), i32(1, 1), np.int32(0)], {"num_split": 2}, error="Determined shape must either match input shape along split_dim exactly if fully specified")
    yield Case("SplitV", [f(3), i32(-1, -1), np.int32(0)], {"num_split": 2}, error="There can only be one -1 in the input.")
    yield Case("Unpack", [f(3, 2)], {"num": 2}, error="Input shape axis 0 must equal 2, got shape [3,2]")


MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def spec(index):
    """Returns begin, end, strides and masks of a Python index."""
    entries = index if isinstance(index, tuple) else (index,)
    begin, end, strides, masks = [], [], [], dict.fromkeys(MASKS, 0)
    for i, e in enumerate(entries):
        b, t, s = 0, 0, 1
        if e is Ellipsis:
            masks["ellipsis_mask"] |= 1 << i
        elif e is None:
            masks["new_axis_mask"] |= 1 << i
        elif isinstance(e, slice):
            b, t, s = e.start or 0, e.stop or 0, e.step or 1
            masks["begin_mask"] |= (e.start is None) << i
            masks["end_mask"] |= (e.stop is None) << i
        else:
            b, t = e, e + 1
            masks["shrink_axis_mask"] |= 1 << i
        begin.append(b), end.append(t), strides.append(s)
    return [np.asarray(v, np.int32) for v in (begin, end, strides)], masks


S = np.s_


def slices():
    for x, grad in moved((3, 4)):
        yield Case("Slice", [x, i32(1, 0), i32(2, 3)], grad=grad)
        s, masks = spec(S[1:, ::2])
        yield Case("StridedSlice", [x] + s, masks, grad=grad)
    for begin, size in (((0, 0), (3, 4)), ((0, 1), (-1, -1)), ((3, 0), (0, 4)), ((2, 3), (1, 1))):
        yield Case("Slice", [f(3, 4), i64(*begin), i64(*size)], grad=True)
    yield Case("Slice", [array("float", 2), none(), none()], grad=True)
    yield Case("Slice", [f(3), i32(4), i32(0)], error="Expected begin[0] in [0, 3], but got 4")
    yield Case("Slice", [f(3), i32(2), i32(2)], error="Expected size[0] in [0, 1], but got 2")
    yield Case("Slice", [f(3), i32(0, 0), i32(1, 1)], error="Expected begin and size arguments to be 1-D tensors of size 1, but got shapes [2] and [2] instead.")
    x = f(4, 3, 5)
    for index in (S[:], S[1], S[-1], S[1:3], S[::-1], S[3:0:-2], S[..., 0], S[..., 1:, None], S[None, 1, ..., ::2], S[1:1],
                  S[2:1], S[-9:9], S[9:-9:-1], S[:, 1, 2], S[0, 0, 0], S[1, None, :, None, 2], S[:, ::2, ::-2], S[...], S[None],
                  S[0:2, ..., -1:], S[:, :-1], S[-3:-1, 1:3, ::3]):
        s, masks = spec(index)
        yield Case("StridedSlice", [x] + s, masks, grad=True)
        out = x[index]
        for name in (np.int32, np.int64):
            yield Case("StridedSliceGrad", [np.asarray(x.shape, name)] + [v.astype(name) for v in s] + [eighths("float", out.shape, key=index)], masks, grad=True)
    s, masks = spec(S[1:3])
    yield Case("StridedSlice", [x] + [v.astype(np.int64) for v in s], masks, grad=True)
    yield Case("StridedSlice", [f(0, 3)] + s, masks, grad=True)
    yield Case("StridedSlice", [array("float", 3), none(), none(), none()], grad=True)
    for index, what in ((S[4], "slice index 4 of dimension 0 out of bounds."), (S[:, -4], "slice index -1 of dimension 1 out of bounds.")):
        s, masks = spec(index)
        yield Case("StridedSlice", [x] + s, masks, error=what)
    yield Case("StridedSlice", [x, i32(0), i32(1), i32(0)], error="strides[0] must be non-zero")
    yield Case("StridedSlice", [x, i32(0, 0), i32(1), i32(1)], error="Expected begin, end, and strides to be 1D equal size tensors, but got shapes [2], [1], and [1] instead.")
    yield Case("StridedSlice", [f(2), i32(0, 0), i32(1, 1), i32(1, 1)], error="Index out of range using input dim 1; input has only 1 dims")
    yield Case("StridedSlice", [f(2), i32(0, 0), i32(1, 1), i32(1, 1)], {"ellipsis_mask": 3}, error="Multiple ellipses in slice spec not allowed")


def pads():
    for x, grad in moved((2, 3)):
        if x.dtype != object:
            yield Case("Pad", [x, i32([1, 0], [0, 2])], grad=grad)
            yield Case("PadV2", [x, i32([1, 0], [0, 2]), eighths(NAMES[x.dtype], (), 1, 2)], grad=grad)
    for shape, by in (((), np.zeros([0, 2], np.int32)), ((3,), i64([2, 1])), ((2, 2), i32([0, 0], [0, 0])), ((0, 2), i32([1, 1], [0, 1])), ((2, 1, 2), i32([1, 1], [2, 0], [0, 1]))):
        yield Case("Pad", [f(*shape), by], grad=True)
    yield Case("Pad", [f(2), i32([-1, 0])], error="-1")
    yield Case("Pad", [f(2), i32([0, 0], [0, 0])], error="The first dimension of paddings must be the rank of inputs")


def gathers():
    for x, grad in moved((4, 3)):
        for kind in (np.int32, np.int64):
            yield Case("GatherV2", [x, np.asarray([3, 0, 3], kind), np.int32(0)], grad=grad)
        yield Case("Gather", [x, i32(1, 2)], grad=grad)
        yield Case("GatherV2", [x, i32(2, 0), np.int32(1)], grad=grad)
        yield Case("GatherNd", [x, i32([1, 2], [3, 0])], grad=grad)
    for shape, indices, axis in (((4,), np.int32(2), 0), ((4, 2), i32([0, 1], [3, 3]), 0), ((2, 3, 4), i32([0, 2], [1, 1]), 1),
                                 ((2, 3, 4), i32(3), -1), ((2, 3, 4), none(), 1), ((3, 2), i64(1, 1, 1), -2), ((2, 3), np.int64(1), 1)):
        yield Case("GatherV2", [f(*shape), indices, np.int64(axis)], grad=True)
    for shape, indices, axis, batch in (((2, 4), i32([0, 3], [1, 1]), 1, 1), ((2, 4, 3), i32([0, 3], [1, 1]), 1, 1), ((2, 2, 3), i32([0, 2], [1, 1]), 2, 1),
                                        ((2, 2, 3), i64([[0, 2], [1, 1]], [[2, 2], [0, 1]]), 2, 2), ((2, 3), i32([0, 2], [1, 1]), 1, -1), ((2, 3, 2), i32(2, 0), 1, 1)):
        yield Case("GatherV2", [f(*shape), indices, np.int32(axis)], {"batch_dims": batch}, grad=True, static_only=batch < 0)
    yield Case("Gather", [f(4, 0), i32(-1, 4)])
    yield Case("GatherV2", [f(2, 4, 0), i32(-1, 4), np.int32(1)])
    yield Case("GatherV2", [f(0, 4), i32(7), np.int32(1)])
    yield Case("Gather", [f(0, 4), i32(0)], error="indices[0] = 0 is not in [0, 0)")
    yield Case("GatherV2", [f(3, 2), i32(0, 1), i32(0)], error="axis must be scalar")
    yield Case("GatherV2", [f(3, 2), i32(0, 3), np.int32(0)], error="indices[1] = 3 is not in [0, 3)")
    yield Case("GatherV2", [f(3, 2), i32([0, 1], [-1, 1]), np.int32(0)], error="indices[1,0] = -1 is not in [0, 3)")
    yield Case("GatherV2", [f(3, 2), i32(0), np.int32(1)], {"batch_dims": 2}, error="batch_dims")
    for shape, indices in (((4, 3), i32([1], [3])), ((4, 3), i64([[1, 1]], [[0, 0]])), ((2, 3, 2), i32([1, 2], [1, 2])), ((4,), i32([3], [0])), ((4, 2), np.zeros([0, 1], np.int32))):
        yield Case("GatherNd", [f(*shape), indices], grad=True)
    yield Case("GatherNd", [f(4, 3), np.zeros([2, 0], np.int32)])
    yield Case("GatherNd", [f(4), i32(3)])
    yield Case("GatherNd", [f(3, 2), i32([1, 1], [3, 0])], error="indices[1] = [3, 0] does not index into param shape [3,2]")
    yield Case("GatherNd", [f(3, 2), i32([1, 1], [3, 0])], {"bad_indices_policy": "IGNORE"})
    yield Case("GatherNd", [f(3), i32([1, 1], [3, 0])], error="index innermost dimension length must be <= params rank; saw: 2 vs. 1")


def scatters():
    for dtype in NUMBERS:
        yield Case("ScatterNd", [i32([2], [0], [2]), eighths(dtype, (3, 2)), i32(4, 2)], grad=dtype in FLOATS + COMPLEX)
    for indices, updates, shape in ((i64([0, 1], [2, 2]), f(2), i64(3, 3)), (i32([1]), f(1), i32(2)),
                                    (np.zeros([0, 1], np.int32), f(0, 2), i32(2, 2))):
        yield Case("ScatterNd", [indices, updates, shape], grad=True)
    yield Case("ScatterNd", [i32([1], [4]), f(2), i32(3)], error="indices[1] = [4] does not index into shape [3]")
    for x, grad in moved((4, 2)):
        if x.dtype == object:
            yield Case("TensorScatterUpdate", [x, i32([1], [3]), words(2, 2)])
            continue
        dtype = NAMES[x.dtype]
        yield Case("TensorScatterUpdate", [x, i32([1], [3]), eighths(dtype, (2, 2), key="u")], grad=grad)
        if dtype not in ("bool", "int8"):
            yield Case("TensorScatterAdd", [x, i32([1], [3], [1]), eighths(dtype, (3, 2), key="u")], grad=grad)
    for indices, data in (((i32(0, 2), i32(1, 3)), (f(2, 2), f(2, 2, key=1))), ((i32(0), i32([1, 1], [3, 2])), (f(1, 3), f(2, 2, 3))), ((np.int32(1), i32(0)), (f(2), f(1, 2))), ((none(), none()), (f(0, 2), f(0, 2)))):
        for op in ("DynamicStitch", "ParallelDynamicStitch"):
            yield Case(op, list(indices) + list(data), {"N": 2}, grad=op == "DynamicStitch" and indices[1].size != 4)
    yield Case("DynamicStitch", [i32(1, 0), words(2, 2)], {"N": 1})
    yield Case("DynamicStitch", [i32(0, 1), i32(2), f(3), f(1)], {"N": 2}, error="does not start with indices[0].shape = [2]")
    for x, grad in moved((4, 2)):
        yield Case("DynamicPartition", [x, i32(1, 0, 1, 2)], {"num_partitions": 3}, grad=grad)
    yield Case("DynamicPartition", [f(2, 2), i32([1, 0], [1, 0])], {"num_partitions": 2}, grad=True)
    yield Case("DynamicPartition", [f(0, 2), none()], {"num_partitions": 2}, grad=True)
    yield Case("DynamicPartition", [f(2), i32(0, 2)], {"num_partitions": 2}, error="partitions[1] = 2 is not in [0, 2)")
    yield Case("DynamicPartition", [f(2), i32(0, 1, 0)], {"num_partitions": 2}, error="data.shape must start with partitions.shape, got data.shape = [2], partitions.shape = [3]")


def searches():
    for dtype in NUMBERS + ("bool",):
        if dtype == "half":
            continue
        yield Case("Where", [eighths(dtype, (2, 3), -1, 1)])
    for x in (array("bool", [True, False, True]), np.zeros([0, 2], bool), np.zeros([3], bool), eighths("bool", (2, 2, 2))):
        yield Case("Where", [x])
    for dtype in NUMBERS:
        if dtype in COMPLEX:
            continue
        x = array(dtype, [2, 0, 2, 1, 0, 3])
        yield Case("Unique", [x])
        yield Case("UniqueWithCounts", [x], {"out_idx": tf.int64})
        yield Case("ListDiff", [x, array(dtype, [0, 5, 3])])
    yield Case("Unique", [strings(["b", "a", "b", ""])])
    yield Case("ListDiff", [strings(["b", "a", "b", ""]), strings(["a"])], {"out_idx": tf.int64})
    yield Case("Unique", [array("float", [0.0, -0.0, NAN, 1, NAN])])
    yield Case("Unique", [np.zeros([0], np.float32)])
    yield Case("Unique", [f(2, 2)], error="unique expects a 1D vector.")


def reversals():
    for x, grad in moved((2, 3)):
        yield Case("ReverseV2", [x, i32(1)], grad=grad)
        yield Case("Reverse", [x, array("bool", [True, True])], grad=grad)
    for axis in (none(), i32(0), i32(-1), i64(0, 2), i32(2, 1, 0)):
        yield Case("ReverseV2", [f(2, 3, 4), axis], grad=True)
    yield Case("ReverseV2", [f(2, 3), i32(2)], error="'axis'[0] = 2 is out of valid range [0, 1")
    yield Case("ReverseV2", [f(2, 3), i32(0, -2)], error="specified more than once.")
    yield Case("ReverseSequence", [f(3, 4), i64(0, 4, 2)], {"seq_dim": 1}, grad=True)
    yield Case("ReverseSequence", [f(4, 2, 3), i32(3, 1, 2)], {"seq_dim": 0, "batch_dim": 2}, grad=True)
    yield Case("StridedSlice", [f(2, 3), i32(0), i32(1), i32(1)], {"ellipsis_mask": 5}, error="Multiple ellipses in slice spec not allowed")
    yield Case("ReverseSequence", [f(3, 4), i64(0, 5, 2)], {"seq_dim": 1}, error="seq_lens(1) > input.dims(1)")


def diagonals():
    for dtype in ("float", "double", "int32", "complex64"):
        grad = dtype in FLOATS + COMPLEX
        yield Case("Diag", [eighths(dtype, (3,))], grad=grad)
        yield Case("DiagPart", [eighths(dtype, (3, 3))], grad=grad)
        yield Case("MatrixDiag", [eighths(dtype, (2, 3))], grad=grad)
        yield Case("MatrixDiagPart", [eighths(dtype, (2, 3, 3))], grad=grad)
        yield Case("MatrixSetDiag", [eighths(dtype, (2, 3, 4)), eighths(dtype, (2, 3), key="d")], grad=grad)
        yield Case("MatrixBandPart", [eighths(dtype, (3, 4)), np.int64(1), np.int64(0)], grad=grad)
    yield Case("Diag", [f(2, 3)], grad=True)
    yield Case("DiagPart", [f(2, 3, 2, 3)], grad=True)
    yield Case("MatrixDiagPart", [f(2, 4)], grad=True)
    for lower, upper in ((-1, -1), (0, 0), (-1, 0), (2, 1), (4, -1)):
        yield Case("MatrixBandPart", [f(2, 4, 3), np.int64(lower), np.int64(upper)], grad=True)
    yield Case("MatrixBandPart", [f(2, 3), i64(1), np.int64(0)], error="num_lower must be scalar, got shape [1]")
    yield Case("MatrixBandPart", [f(2, 3), np.int64(3), np.int64(0)], error="num_lower must be negative or less or equal to number of rows (2) got: 3")
    yield Case("DiagPart", [f(2, 3)], error="Invalid shape [2,3]: dimensions")



def cases():
    for family in (identities, shapes, fills, broadcasts, transposes, joins, splits, slices, pads, gathers, scatters, searches, reversals, diagonals):
        yield from family()
