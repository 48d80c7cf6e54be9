"""Pooling of images and volumes."""

import numpy as np
import tensorflow as tf

from case import FLOATS, LOOSE, REALS, Case, array, eighths, i32, i64

POOLED = FLOATS + ("int32", "int64", "uint8", "int16", "int8", "uint16")
INF, NAN = np.inf, np.nan


def window(ksize, strides, padding, **more):
    spread = lambda v: [1, *v, 1] if not more.get("data_format", "").startswith("NC") else [1, 1, *v]
    return {"ksize": spread(ksize), "strides": spread(strides), "padding": padding, **more}


def distinct(dtype, shape, key):
    """Returns distinct numbers, so that each window has a unique maximum."""
    order = np.random.RandomState(len(key) + sum(shape)).permutation(int(np.prod(shape)))
    return array(dtype, order.reshape(shape) - (0 if dtype[0] == "u" else order.size // 2))


WINDOWS = (window((2, 2), (2, 2), "SAME"), window((3, 2), (1, 2), "VALID"), window((3, 3), (2, 1), "SAME"),
           window((1, 1), (2, 2), "VALID"))


def pooled(shape, attrs):
    out = []
    for d in range(1, len(shape) - 1):
        k, s = attrs["ksize"][d], attrs["strides"][d]
        out.append(-(-shape[d] // s) if attrs["padding"] == "SAME" else (shape[d] - k) // s + 1)
    return (shape[0], *out, shape[-1])


def largest():
    for dtype in POOLED:
        yield Case("MaxPool", [distinct(dtype, (2, 5, 4, 2), "m")], WINDOWS[0], grad=dtype in FLOATS)
    for attrs in WINDOWS:
        for dtype in ("float", "double"):
            yield Case("MaxPool", [eighths(dtype, (2, 5, 4, 3))], attrs, grad=True)
            yield Case("AvgPool", [eighths(dtype, (2, 5, 4, 3))], attrs, grad=True)
    for padding in ([0, 0, 1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 0]):
        yield Case("MaxPool", [eighths("double", (2, 5, 4, 3))], window((2, 2), (1, 2), "EXPLICIT", explicit_paddings=padding), grad=True)
    for attrs in (window((2, 2), (2, 2), "SAME", data_format="NCHW"), window((3, 2), (1, 2), "VALID", data_format="NCHW")):
        yield Case("MaxPool", [eighths("float", (2, 3, 5, 4))], attrs, grad=True)
        yield Case("AvgPool", [eighths("float", (2, 3, 5, 4))], attrs, grad=True)
    for shape in ((0, 4, 4, 3), (2, 0, 4, 3), (1, 4, 4, 300)):
        yield Case("MaxPool", [eighths("double", shape)], WINDOWS[0], grad=shape[1] > 0)
    for ksize in (2, 4):
        channels = {"ksize": [1, 1, 1, ksize], "strides": [1, 1, 1, ksize], "padding": "VALID"}
        yield Case("MaxPool", [eighths("double", (1, 2, 3, 4))], channels)
    special = [array(t, [NAN, 1, 1, NAN, -INF, -INF, INF, 2]).reshape(1, 1, -1, 1) for t in ("float", "double")]
    for x in special:
        yield Case("MaxPool", [x], window((1, 2), (1, 2), "VALID"))
        yield Case("MaxPoolWithArgmax", [x], {**window((1, 2), (1, 2), "VALID"), "Targmax": tf.int64})
    sizes = i32(1, 3, 2, 1), i32(1, 2, 1, 1)
    for padding in ("SAME", "VALID"):
        yield Case("MaxPoolV2", [eighths("double", (2, 5, 4, 2)), *sizes], {"padding": padding}, grad=True)


def gradients():
    x_shape = (2, 5, 4, 2)
    for attrs in WINDOWS[:3]:
        y_shape = pooled(x_shape, attrs)
        for dtype in REALS if attrs is WINDOWS[0] else ("float", "double"):
            x = distinct(dtype, x_shape, "g")
            yield Case("MaxPoolGrad", [x, largest_of(x, attrs), eighths(dtype, y_shape, key="dy")], attrs, grad=dtype in ("float", "double"))
            yield Case("MaxPoolGradGrad", [x, largest_of(x, attrs), eighths(dtype, x_shape, key="dx")], attrs)
        for dtype in FLOATS:
            yield Case("AvgPoolGrad", [i32(*x_shape), eighths(dtype, y_shape, key="dy")], attrs, grad=True, tol=LOOSE.get(dtype))
    attrs = WINDOWS[0]
    x = distinct("double", x_shape, "g")
    y = largest_of(x, attrs)
    sizes = i32(*attrs["ksize"]), i32(*attrs["strides"])
    yield Case("MaxPoolGradV2", [x, y, y, *sizes], {"padding": "SAME"})
    yield Case("MaxPoolGradGradV2", [x, largest_of(x, attrs), eighths("double", x_shape), *sizes], {"padding": "SAME"})


def largest_of(x, attrs):
    y = np.zeros(pooled(x.shape, attrs), x.dtype)
    for n, i, j, c in np.ndindex(*y.shape):
        begin = []
        for d, at in ((1, i), (2, j)):
            k, s = attrs["ksize"][d], attrs["strides"][d]
            pad = max(0, (y.shape[d] - 1) * s + k - x.shape[d]) // 2 if attrs["padding"] == "SAME" else 0
            begin.append((max(0, at * s - pad), at * s - pad + k))
        y[n, i, j, c] = x[n, begin[0][0]:begin[0][1], begin[1][0]:begin[1][1], c].max()
    return y


def argmax():
    for dtype in REALS:
        for kind, with_batch in ((tf.int32, False), (tf.int64, True)):
            attrs = {**WINDOWS[0], "Targmax": kind, "include_batch_in_index": with_batch}
            grad = dtype in ("float", "double") and kind == tf.int64
            yield Case("MaxPoolWithArgmax", [distinct(dtype, (2, 5, 4, 2), "a")], attrs, grad=grad)
    for attrs in WINDOWS[1:]:
        yield Case("MaxPoolWithArgmax", [eighths("float", (2, 5, 4, 3))], {**attrs, "Targmax": tf.int64}, grad=True)
    for dtype in ("float", "half", "int32"):
        at = i64(0, 6, 2, 2, 39, 7).reshape(1, 3, 2, 1)
        yield Case("MaxPoolGradWithArgmax", [eighths(dtype, (1, 5, 8, 1)), eighths(dtype, (1, 3, 2, 1), key="dy"), at],
                   window((2, 4), (2, 4), "SAME"))


def volumes():
    for attrs in (window((2, 2, 2), (2, 1, 2), "SAME"), window((2, 3, 1), (1, 1, 2), "VALID")):
        for dtype in ("float", "bfloat16"):
            yield Case("MaxPool3D", [distinct(dtype, (1, 3, 4, 3, 2), "v")], attrs, grad=True)
            yield Case("AvgPool3D", [eighths(dtype, (1, 3, 4, 3, 2))], attrs, grad=True, tol=LOOSE.get(dtype))
        x = distinct("float", (1, 3, 4, 3, 2), "v")
        y = eighths("float", pooled(x.shape, attrs))
        yield Case("AvgPool3DGrad", [i32(*x.shape), y], attrs, grad=True)
    attrs = window((2, 2, 2), (2, 2, 2), "VALID")
    x = distinct("float", (1, 4, 4, 2, 2), "v")
    y = x.reshape(1, 2, 2, 2, 2, 1, 2, 2).max((2, 4, 6))
    yield Case("MaxPool3DGrad", [x, y, eighths("float", y.shape)], attrs, grad=True)
    yield Case("MaxPool3DGradGrad", [x, y, eighths("float", x.shape)], attrs)


def errors():
    d = lambda *s: eighths("double", s)
    attrs = window((2, 2), (2, 2), "VALID")
    for op in ("MaxPool", "AvgPool"):
        for x, changed, what in (
            (d(2, 1, 1, 4), window((3, 3), (1, 1), "VALID"),
             "Computed output size would be negative: -1 [input_size: 1, effective_filter_size: 3, stride: 1]"),
            (d(2, 4, 4, 4), {**attrs, "ksize": [2, 2, 2, 1]}, "Pooling is not yet supported on the batch dimension."),
            (d(2, 4, 4, 4), {**attrs, "strides": [2, 2, 2, 1]}, "Pooling is not yet supported on the batch dimension.")):
            yield Case(op, [x], changed, error=what)
    for x, ksize, strides, what in (
        (d(2, 4, 4, 4), [1, 2, 1, 2], [1, 1, 1, 2],
         "MaxPooling supports exactly one of pooling across depth or pooling across width/height."),
        (d(2, 4, 4, 5), [1, 1, 1, 2], [1, 1, 1, 2],
         "Depthwise max pooling requires the depth window to evenly divide the input depth"),
        (d(2, 4, 4, 4), [1, 1, 1, 2], [1, 1, 1, 1],
         "Depthwise max pooling requires the depth window to equal the depth stride"),
        (d(2, 4, 4, 4), [1, 0, 2, 1], [1, 2, 2, 1], "Sliding window ksize must be positive.")):
        yield Case("MaxPool", [x], {"ksize": ksize, "strides": strides, "padding": "VALID"}, error=what)
    yield Case("AvgPool", [d(2, 4, 4, 4)], {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "padding": "VALID"},
               error="Non-spatial pooling is not yet supported.")
    for op, x, y, g, what in (
        ("MaxPoolGrad", (2, 4, 4, 3), (2, 3, 2, 3), (2, 2, 2, 3), "Expected orig_output shape to be [2,2,2,3], but got [2,3,2,3]"),
        ("MaxPoolGrad", (2, 4, 4, 3), (2, 2, 2, 3), (2, 3, 2, 3), "Expected grad shape to be [2,2,2,3], but got [2,3,2,3]"),
        ("MaxPoolGrad", (2, 4, 4), (2, 2, 2, 3), (2, 2, 2, 3), "tensor_in must be 4-dimensional"),
        ("MaxPoolGradGrad", (2, 4, 4, 3), (2, 2, 2, 3), (2, 3, 2, 3), "Expected grad shape to be [2,4,4,3], but got [2,3,2,3]")):
        yield Case(op, [d(*x), d(*y), d(*g)], attrs, error=what)
    for sizes, grad, what in (
        ([2, 4, 4, 3], (2, 2, 2), "out_backprop must be 4-dimensional"),
        ([2, -4, 4, 3], (2, 2, 2, 3), "-4")):
        yield Case("AvgPoolGrad", [i32(*sizes), d(*grad)], attrs, error=what)
    for ksize, strides, what in (
        ([1, 0, 2, 1], [1, 2, 2, 1], "Sliding window ksize must be positive."),
        ([1, 2, 2, 1], [1, 0, 2, 1], "Stride must be > 0, but got 0"),
        ([2, 2, 2, 1], [1, 2, 2, 1], "Pooling is not yet supported on the batch dimension.")):
        yield Case("MaxPoolV2", [d(2, 4, 4, 3), i32(*ksize), i32(*strides)], {"padding": "VALID"}, error=what)


def cases():
    for group in (largest, gradients, argmax, volumes, errors):
        yield from group()
