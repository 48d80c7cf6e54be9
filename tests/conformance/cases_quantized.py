"""Inference with quantized numbers, as TensorFlow 1's graph transforms write it."""

import numpy as np
import tensorflow.compat.v1 as tf

from case import NUMPY, Case, array, generator, i32, i64, scalar

NUMPY_STEPS = {"qint8": np.int8, "quint8": np.uint8, "qint32": np.int32}


def steps(name, values):
    """Returns quantized integers."""
    return np.asarray(values).astype(NUMPY_STEPS[name]).view(NUMPY[name])


def drawn(name, *shape):
    limits = np.iinfo(NUMPY_STEPS[name])
    return steps(name, generator(name, shape).randint(limits.min, limits.max + 1, shape, np.int64))


def bounds(*values):
    return [scalar("float", v) for v in values]


def exact(op, inputs, attrs=None, **more):
    return Case(op, inputs, attrs or {}, tol=0.0, atol=0.0, **more)


def changed(inputs, k, value):
    return [value if i == k else v for i, v in enumerate(inputs)]


RANGES = ((-1, 1), (0, 5), (-3.25, 7.125), (1, 2), (-2, -1), (-1e-3, 2e4), (0, 0), (2, 2), (3, -1))
BYTES = [0, 1, 7, 100, 127, 128, 129, 200, 254, 255]
WIDE = [-2**31, -2**31 + 1, -2**30, -65536, -5, 0, 1, 100, 65535, 2**24 + 1, 2**30, 2**31 - 1]
QINT32, QUINT8, QINT8 = tf.qint32, tf.quint8, tf.qint8


def activations():
    for op in ("QuantizedRelu", "QuantizedRelu6"):
        for low, high in RANGES + ((-np.inf, 1), (-1, np.inf), (np.nan, 1)):
            yield exact(op, [steps("quint8", BYTES), *bounds(low, high)])
            yield exact(op, [steps("qint32", WIDE), *bounds(low, high)], {"out_type": QINT32})
        x = [steps("quint8", np.zeros([2, 0])), *bounds(-1, 1)]
        yield exact(op, x)
        for k, name in ((1, "min_input"), (2, "max_input")):
            yield exact(op, changed(x, k, array("float", [1])), error="`%s` must be rank 0 but is rank 1" % name)


def bias():
    op = "QuantizedBiasAdd"
    for name in ("qint8", "quint8"):
        x, b = drawn(name, 3, 2, 5), drawn(name, 5)
        for given in (x[0], x, drawn(name, 0, 5)):
            for low, high in RANGES:
                yield exact(op, [given, b, *bounds(low, high, -2, 3.5)], {"out_type": QINT32})
        yield exact(op, [x, b, *bounds(-1, 1, -400, 80)], {"out_type": QINT32})
    x = [steps("quint8", [[1, 2], [3, 4]]), steps("quint8", [7, 200]), *bounds(-1, 1, 0, 3)]
    more = "Must provide as many biases as the last dimension of the input tensor: [3] vs. [2,2]"
    for k, value, what in ((0, x[0][0], "Input tensor must be at least 2D: [2]"), (1, x[0][:1], "Biases must be 1D: [1,2]"),
                           (1, steps("quint8", [1, 2, 3]), more), (2, array("float", [1]), "`min_input` must be rank 0 but is rank 1"),
                           (5, array("float", [1]), "`max_bias` must be rank 0 but is rank 1")):
        yield exact(op, changed(x, k, value), {"out_type": QINT32}, error=what)
    yield exact(op, [steps("quint8", np.zeros([2, 0])), steps("quint8", []), *x[2:]], {"out_type": QINT32},
                error="Must provide at least 1 bias")


def binary():
    for op in ("QuantizedAdd", "QuantizedMul"):
        x, y = drawn("quint8", 2, 3, 4), drawn("quint8", 4)
        for low, high in RANGES[:6]:
            for other in ((-2, 3.5), (-400, 80)):
                yield exact(op, [x, drawn("quint8", 2, 3, 4)[::-1], *bounds(low, high, *other)])
                yield exact(op, [y, y[::-1], *bounds(*other, low, high)])
        for a, b in ((x, y), (y, x), (x, x[0]), (x[0], x), (x, y[:1]), (y[0], x), (y[:1], y[0]), (x[0, 0], y), (y[:0], y[:0])):
            yield exact(op, [a, b, *bounds(-1, 2, 0, 3)])
        for a, b in ((x[:0], y[0]), (y[:1], x[:0]), (x[:, :0], x[0, 0, :1]), (x[:0], x[:0])):
            yield exact(op, [a, b, *bounds(-1, 2, 0, 3)])
        empty = "Must have some elements to add" if op == "QuantizedAdd" else "vector must have at least 1 element"
        for a, b in ((x[:0], y), (x[0], x[:0]), (x[:, :0], y), (x[:, :, :0], x[0, :, :0]), (x[:0, :1, 0], x[:0, :, 0])):
            yield exact(op, [a, b, *bounds(-1, 2, 0, 3)], error=empty)
        yield exact(op, [x[:, :1], x[:0, :, :1], *bounds(-1, 2, 0, 3)], error="Incompatible shapes: [2,1,4] vs. [0,3,1]")
        for ends in ((0, 5, -2, np.inf), (-np.inf, 1, 0, 1), (-1e38, 1e38, 0, 1)):
            for b in (x, y, y[:1]):
                yield exact(op, [x, b, *bounds(*ends)])
        given = [x, x, *bounds(-1, 2, 0, 3)]
        yield exact(op, changed(given, 1, y[:3]), error="Incompatible shapes: [2,3,4] vs. [3]")
        yield exact(op, [x[:, :1], x[:1], *given[2:]], error="Broadcast between [2,1,4] and [1,3,4] is not supported yet.")
        for k, value, sum_error, product_error in (
            (3, -1, "max_x must be larger than min_x.", "max_x must be larger than min_a."),
            (3, np.nan, "max_x must be larger than min_x.", "max_x must be larger than min_a."),
            (5, 0, "max_y must be larger than min_y.", "max_x must be larger than min_b."),
            (2, [1], "`min_x` must be rank 0 but is rank 1", "min_x must be a scalar"),
            (5, [1], "`max_y` must be rank 0 but is rank 1", "max_y must be a scalar")):
            yield exact(op, changed(given, k, array("float", value)), error=sum_error if op == "QuantizedAdd" else product_error)


def matmul():
    op = "QuantizedMatMul"
    a, b = drawn("quint8", 3, 40), drawn("quint8", 40, 5)
    for low, high in RANGES[:6]:
        yield exact(op, [a, b, *bounds(low, high, -2, 3.5)])
        yield exact(op, [a, b, *bounds(-400, 80, low, high)])
    yield exact(op, [a.T.copy(), b, *bounds(-1, 1, 0, 3)], {"transpose_a": True})
    yield exact(op, [a, b.T.copy(), *bounds(-1, 1, 0, 3)], {"transpose_b": True})
    yield exact(op, [a.T.copy(), b.T.copy(), *bounds(-1, 1, 0, 3)], {"transpose_a": True, "transpose_b": True})
    given = [a, b, *bounds(-1, 1, 0, 3)]
    for k, value, what in ((0, a[0], "In[0] is not a matrix"), (1, b[0], "In[1] is not a matrix"),
                           (0, a[:, :7], "Matrix size-incompatible: In[0]: [3,7], In[1]: [40,5]"),
                           (2, array("float", [0, 1]), "min_a must be a scalar, but got shape[2]"),
                           (3, scalar("float", -1), "max_a must be larger than min_a."),
                           (5, scalar("float", np.nan), "max_b must be larger than min_b.")):
        yield exact(op, changed(given, k, value), error=what)


def conv():
    op = "QuantizedConv2D"
    image = drawn("quint8", 2, 5, 6, 3)
    kernel = drawn("quint8", 3, 2, 3, 4)
    for padding in ("SAME", "VALID"):
        for stride in (1, 2, 3):
            yield exact(op, [image, kernel, *bounds(-1, 1, -2, 3)], {"strides": [1, stride, stride, 1], "padding": padding})
        for low, high in RANGES:
            yield exact(op, [image, kernel, *bounds(low, high, -2, 3)], {"strides": [1, 1, 1, 1], "padding": padding})
            yield exact(op, [image, kernel, *bounds(-2, 3, low, high)], {"strides": [1, 1, 1, 1], "padding": padding})
    yield exact(op, [image, drawn("quint8", 1, 1, 3, 2), *bounds(0, 1, -1, 1)], {"strides": [1, 1, 1, 1], "padding": "SAME"})
    attrs = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    given = [image, kernel, *bounds(-1, 1, -2, 3)]
    for k, value, what in ((0, image[0], "input must be rank 4 but is rank 3"), (1, kernel[0], "filter must be rank 4 but is rank 3"),
                           (1, kernel[:, :, :2], "input and filter must have the same depth: 3 vs 2"),
                           (0, image[:0], "Invalid input: Shapes dimension cannot be 0."),
                           (2, array("float", [1]), "min_input must be rank 0 but is rank 1"),
                           (5, array("float", [1]), "max_filter must be rank 0 but is rank 1")):
        yield exact(op, changed(given, k, value), attrs, error=what)
    for more, what in (({"strides": [1, 1, 2, 1]}, "only supports equal length strides in the row and column dimensions."),
                       ({"strides": [2, 1, 1, 1]}, "does not yet support strides in the batch and depth dimensions."),
                       ({"dilations": [1, 2, 2, 1]}, "only supports dilated rate as 1 in the row and column dimensions."),
                       ({"dilations": [1, 1, 1, 2]}, "does not yet support dilations in the batch and depth dimensions.")):
        yield exact(op, given, {**attrs, **more}, error="Current implementation " + what)


def pool():
    for op in ("QuantizedMaxPool", "QuantizedAvgPool"):
        for name in ("quint8", "qint8"):
            image = drawn(name, 2, 5, 6, 3)
            for padding in ("SAME", "VALID"):
                for size, stride in ((1, 1), (2, 1), (2, 2), (3, 2), (5, 3)):
                    attrs = {"ksize": [1, size, size, 1], "strides": [1, stride, stride, 1], "padding": padding}
                    yield exact(op, [image, *bounds(-1, 3)], attrs)
            yield exact(op, [image, *bounds(3, -1)], {"ksize": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "padding": "VALID"})
            yield exact(op, [image[:0], *bounds(-1, 1)], {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"})
        attrs = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
        given = [image, *bounds(-1, 1)]
        yield exact(op, changed(given, 1, array("float", [1, 2])), attrs,
                    error="min_input shape must be rank 0 but is rank 1, received shape: [2]")
        yield exact(op, changed(given, 0, image[0]), attrs, error="tensor_in_shape must have 2 spatial dimensions. 3")
        if op == "QuantizedMaxPool":
            for size in (1, 3):
                depth = {"ksize": [1, 1, 1, size], "strides": [1, 1, 1, size], "padding": "VALID"}
                yield exact(op, given, depth)
                yield exact(op, [drawn("qint8", 1, 2, 2, 6), *bounds(0, 2)], depth)
            many = "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
            for more, what in (({"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2]}, "the depth window to evenly divide the input depth"),
                               ({"ksize": [1, 1, 1, 3], "strides": [1, 1, 1, 1]}, "the depth window to equal the depth stride"),
                               ({"ksize": [1, 2, 1, 3], "strides": [1, 1, 1, 3]}, many)):
                yield exact(op, given, {**attrs, **more}, error=what)
        batch = "Pooling is not yet supported on the batch dimension."
        yield exact(op, given, {**attrs, "ksize": [2, 1, 1, 1]}, error=batch)
        yield exact(op, given, {**attrs, "strides": [2, 1, 1, 1]}, error=batch)
        yield exact(op, given, {**attrs, "ksize": [1, 9, 9, 1]}, error="Computed output size would be negative")


def concat():
    op = "QuantizedConcat"

    def case(axis, values, ranges, **more):
        lows, highs = zip(*ranges)
        return exact(op, [np.int32(axis), *values, *bounds(*lows), *bounds(*highs)], {"N": len(values)}, **more)

    for name in ("quint8", "qint32"):
        a, b, c = drawn(name, 2, 3, 2), drawn(name, 2, 1, 2), drawn(name, 2, 4, 2)
        for first in RANGES:
            yield case(1, [a, b, c], [first, (-1, 1), (0, 2.5)])
            yield case(1, [a, b], [first, first])
        for first in ((-1, np.nan), (np.nan, 1), (np.nan, np.nan)):
            for other in ((0, 3), (-5, -2), (np.nan, 1), (-1, np.nan)):
                yield case(1, [a, b], [first, other])
        yield case(0, [a, a[:0]], [(-1, 1), (0, 3)])
        yield case(2, [b, b], [(-1, 1), (0, 3)])
    two = [(-1, 1), (0, 3)]
    yield case(-1, [a, a], two, error="ConcatOp : Expected concatenating dimensions in the range [0, 3), but got -1")
    yield case(3, [a, a], two, error="ConcatOp : Expected concatenating dimensions in the range [0, 3), but got 3")
    yield case(0, [a, a[0]], two, error="ConcatOp : Ranks of all input tensors should match: shape[0] = [2,3,2] vs. shape[1] = [3,2]")
    yield case(0, [a, b], two, error="ConcatOp : Dimensions of inputs should match: shape[0] = [2,3,2] vs. shape[1] = [2,1,2]")
    yield exact(op, [i32(1), a, a, *bounds(0, 0, 1, 1)], {"N": 2}, error="Concat dim tensor should be a scalar integer, but got shape [1]")
    yield exact(op, [np.int32(1), a, a, array("float", [0, 1]), *bounds(0, 1, 1)], {"N": 2},
                error="input_mins each tensor's num elements must be 1, given num elements 2 in index 0")


def reshape():
    op = "QuantizedReshape"
    for name in ("quint8", "qint32"):
        x = drawn(name, 2, 6)
        for shape in (i32(12), i64(3, -1), i32(1, 2, 3, 2), i32(-1)):
            yield exact(op, [x, shape, *bounds(-1, 2)])
    given = [x, i32(12), *bounds(-1, 2)]
    yield exact(op, changed(given, 1, i32(5)), error="Input to reshape is a tensor with 12 values, but the requested shape has 5")
    yield exact(op, changed(given, 2, array("float", [1, 2])), error="input_min must be a scalar or a vector of 1 element")


def requantize():
    wide = steps("qint32", WIDE)
    some = drawn("qint32", 4, 5)
    for x in (wide, some, steps("qint32", some.view(np.int32) // 1000), wide[5:7], wide[:2], wide[:0]):
        for low, high in RANGES + ((-3e5, 2e5), (-np.inf, 1), (np.nan, 1)):
            yield exact("RequantizationRange", [x, *bounds(low, high)])
            yield exact("QuantizeDownAndShrinkRange", [x, *bounds(low, high)], {"out_type": QUINT8})
    for kind in (QUINT8, QINT8):
        for x in (wide, some):
            for low, high in RANGES + ((-3e5, 2e5),):
                for asked in ((-1, 3), (0, 6), (-0.001, 0.001), (-1e6, 1e3), (0, 0), (-5, -2)):
                    yield exact("Requantize", [x, *bounds(low, high, *asked)], {"out_type": kind})
    x = [wide, *bounds(-10, 10, -1, 3)]
    for k, value, what in ((1, [1, 2], "`input_min` must be rank 0 but is rank 1"),
                           (4, [1], "`requested_output_max` must be rank 0 but is rank 1"),
                           (3, 0.5, "requested_output_min must be <= 0, but got 0.5"),
                           (4, -5, "requested_output_max must be >= requested_output_min, but got -5 and -1")):
        yield exact("Requantize", changed(x, k, array("float", value)), {"out_type": QUINT8}, error=what)
    yield exact("QuantizeDownAndShrinkRange", changed(x[:3], 1, array("float", [1])), {"out_type": QUINT8},
                error="`input_min` must be rank 0 but is rank 1")


def norm():
    op = "QuantizedBatchNormWithGlobalNormalization"
    attrs = {"out_type": QINT32, "variance_epsilon": 0.001, "scale_after_normalization": True}
    image, vectors = drawn("quint8", 2, 3, 4, 5), drawn("quint8", 4, 5)

    def inputs(image, ranges):
        given = [image, *bounds(*ranges[0])]
        for vector, limits in zip(vectors, ranges[1:]):
            given += [vector, *bounds(*limits)]
        return given

    for ranges in (((-10, 10), (-1, 1), (0, 2), (-3, 3), (0, 2)), ((0, 255), (0, 255), (10, 300), (-50, 50), (-1, 1)),
                   ((-1e5, 1e6), (0, 1), (0, 1e-3), (0, 1e6), (-1e3, 1e3)), ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5))):
        for scale in (True, False):
            yield exact(op, inputs(image, ranges), {**attrs, "scale_after_normalization": scale})
    given = inputs(image, ((-10, 10), (-1, 1), (0, 2), (-3, 3), (0, 2)))
    yield exact(op, changed(given, 0, image[:0]), attrs)
    short = vectors[0, :4]
    for k, value, what in ((0, image[0], "input must be 4-dimensional[3,4,5]"), (3, vectors[:1], "mean must be 1-dimensional[1,5]"),
                           (3, short[:1], "Must have at least a mean value[5]"),
                           (6, short, "Mean and variance tensors must have the same shape: [5] vs. [4]"),
                           (9, short, "Mean and beta tensors must have the same shape: [5] vs. [4]"),
                           (12, short, "Mean and gamma tensors must have the same shape: [5] vs. [4]"),
                           (14, array("float", [1, 2]), "gamma_max must have 1 element")):
        yield exact(op, changed(given, k, value), attrs, error=what)


def cases():
    yield from activations()
    yield from bias()
    yield from binary()
    yield from matmul()
    yield from conv()
    yield from pool()
    yield from concat()
    yield from reshape()
    yield from requantize()
    yield from norm()
