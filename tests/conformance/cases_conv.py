"""Convolutions of images and volumes, and their gradients."""

import numpy as np

from case import FLOATS, Case, eighths, i32

# Tolerances for sums of many products in low-precision types.
TOL = {"half": 4e-2, "bfloat16": 1e-1}
NHWC, NCHW = {"data_format": "NHWC"}, {"data_format": "NCHW"}


def output(size, window, stride, dilation, padding):
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        return -(-size // stride)
    before_after = 0 if padding == "VALID" else sum(padding)
    return (size + before_after - reach) // stride + 1


def family(name, dtype, x, filter_shape, attrs, grad=True, parts="fwd input filter"):
    """Yields cases of the op and its two gradients for channels-last shapes (transposed for NCHW)."""
    spatial = len(x) - 2
    strides, dilations = attrs["strides"], attrs.get("dilations", [1] * len(x))
    explicit = attrs.get("explicit_paddings")
    first = attrs.get("data_format", "").startswith("NC")
    out = []
    for d in range(spatial):
        axis = d + 2 if first else d + 1
        padding = explicit[2 * axis:2 * axis + 2] if explicit else attrs["padding"]
        out.append(output(x[d + 1], filter_shape[d], strides[axis], dilations[axis], padding))
    depth = filter_shape[-1] * (x[-1] if name.startswith("Depthwise") else 1)
    shape = lambda batch, sizes, channels: (batch, channels, *sizes) if first else (batch, *sizes, channels)
    x_shape, y_shape = shape(x[0], x[1:-1], x[-1]), shape(x[0], out, depth)
    suffix = "V2" if spatial == 3 else ""
    values = eighths(dtype, x_shape, key="x"), eighths(dtype, filter_shape, key="f"), eighths(dtype, y_shape, key="y")
    tol = {"tol": TOL.get(dtype), "grad_tol": TOL.get(dtype)}
    if "fwd" in parts:
        yield Case(name, [values[0], values[1]], attrs, grad=grad, **tol)
    if "input" in parts:
        yield Case(name + "BackpropInput" + suffix, [i32(*x_shape), values[1], values[2]], attrs, grad=grad, **tol)
    if "filter" in parts:
        yield Case(name + "BackpropFilter" + suffix, [values[0], i32(*filter_shape), values[2]], attrs, grad=grad, **tol)


def two(stride=1, padding="SAME", dilation=1, **more):
    last = more.get("data_format", "NHWC") == "NHWC"
    spread = lambda v: [1, *(v if isinstance(v, tuple) else (v, v)), 1] if last else [1, 1, *(v if isinstance(v, tuple) else (v, v))]
    return {"strides": spread(stride), "padding": padding, "dilations": spread(dilation), **more}


def explicit(top, bottom, left, right, **more):
    last = more.get("data_format", "NHWC") == "NHWC"
    middle = [top, bottom, left, right]
    return {"padding": "EXPLICIT", "explicit_paddings": [0, 0, *middle, 0, 0] if last else [0, 0, 0, 0, *middle], **more}


def images():
    for dtype in FLOATS:
        yield from family("Conv2D", dtype, (2, 5, 4, 3), (3, 2, 3, 4), two())
    yield from family("Conv2D", "int32", (2, 5, 4, 3), (3, 2, 3, 4), two(), grad=False, parts="fwd input")
    c = lambda x, f, attrs, **more: family("Conv2D", "float", x, f, attrs, **more)
    for dtype in ("float", "double"):
        yield from family("Conv2D", dtype, (2, 5, 4, 3), (3, 2, 3, 4), two(padding="VALID"))
        yield from family("Conv2D", dtype, (1, 7, 6, 2), (3, 3, 2, 2), two(stride=2))
        yield from family("Conv2D", dtype, (1, 6, 5, 2), (2, 3, 2, 3), two(stride=(1, 2), **explicit(0, 1, 2, 1)))
        yield from family("Conv2D", dtype, (2, 3, 3, 4), (1, 1, 4, 5), two())
    yield from c((1, 7, 7, 2), (3, 3, 2, 3), two(dilation=2))
    yield from c((1, 8, 7, 2), (3, 2, 2, 3), two(dilation=(2, 3), padding="VALID"))
    yield from c((2, 7, 5, 1), (5, 5, 1, 3), two())
    yield from c((1, 6, 6, 3), (3, 3, 3, 1), two(stride=3))
    yield from c((1, 5, 5, 2), (1, 1, 2, 2), two(stride=2, padding="VALID"))
    yield from c((1, 3, 3, 2), (3, 3, 2, 2), two(padding="VALID"))
    yield from c((1, 6, 6, 4), (3, 3, 2, 6), two())
    yield from c((2, 5, 4, 3), (3, 2, 3, 4), two(**NCHW))
    yield from c((1, 7, 6, 2), (3, 3, 2, 2), two(stride=2, padding="VALID", **NCHW))
    yield from c((1, 6, 5, 16), (3, 2, 16, 16), two(stride=2), grad=False)
    yield from family("Conv2D", "double", (0, 5, 4, 3), (3, 2, 3, 4), two(), grad=False)
    yield Case("Conv2DBackpropInput", [i32(5, 4), eighths("float", (3, 2, 3, 4)), eighths("float", (2, 5, 4, 4))], two(**NHWC))


def depthwise():
    name = "DepthwiseConv2dNative"
    for dtype in FLOATS:
        yield from family(name, dtype, (2, 5, 4, 3), (3, 2, 3, 2), two())
        yield from family(name, dtype, (1, 6, 5, 3), (3, 3, 3, 1), two(stride=2, padding="VALID"))
    for dtype in ("float", "double"):
        yield from family(name, dtype, (1, 6, 5, 3), (2, 3, 3, 2), two(**explicit(0, 1, 2, 1)))
        yield from family(name, dtype, (1, 6, 5, 1), (2, 3, 1, 3), two())
    # TensorFlow's gradients ignore the dilation.
    yield from family(name, "float", (1, 7, 7, 2), (3, 3, 2, 2), two(dilation=2), grad=False, parts="fwd")
    yield from family(name, "float", (1, 6, 7, 3), (3, 3, 3, 1), two(stride=(1, 2)))
    yield from family(name, "float", (2, 5, 4, 3), (3, 2, 3, 2), two(**NCHW))
    yield from family(name, "float", (1, 5, 6, 16), (3, 3, 16, 1), two())


def volumes():
    attrs = lambda stride=1, padding="SAME", **more: {"strides": [1, stride, stride, stride, 1], "padding": padding, **more}
    for dtype in FLOATS:
        yield from family("Conv3D", dtype, (1, 3, 4, 3, 2), (2, 3, 2, 2, 3), attrs())
    for dtype in ("float", "double"):
        yield from family("Conv3D", dtype, (2, 4, 5, 4, 2), (2, 3, 2, 2, 3), attrs(2, "VALID"))
        yield from family("Conv3D", dtype, (1, 3, 2, 4, 2), (1, 1, 1, 2, 3), attrs())
    yield from family("Conv3D", "float", (1, 3, 4, 3, 2), (2, 3, 2, 2, 3), attrs(data_format="NCDHW"))


def errors():
    d = lambda *s: eighths("double", s)
    for inputs, attrs, what in (
        ([d(2, 3, 4), d(3, 3, 4, 5)], two(), "convolution input must be 4-dimensional: [2,3,4]"),
        ([d(2, 6, 6, 4), d(3, 4, 5)], two(), "convolution filter must be 4-dimensional: [3,4,5]"),
        ([d(2, 6, 6, 4), d(3, 3, 3, 5)], two(), "input depth must be evenly divisible by filter depth: 4 vs 3"),
        ([d(2, 6, 6, 4), d(3, 3, 2, 5)], two(), "output depth must be evenly divisible by number of groups: 5 vs 2"),
        ([d(2, 1, 1, 4), d(3, 3, 4, 5)], two(padding="VALID"),
         "Computed output size would be negative: -1 [input_size: 1, effective_filter_size: 3, stride: 1]"),
        ([d(2, 2, 2, 4), d(3, 3, 4, 5)], two(padding="VALID", dilation=4),
         "Computed output size would be negative: -6 [input_size: 2, effective_filter_size: 9, stride: 1]"),
        ([d(2, 6, 6, 4), d(0, 3, 4, 5)], two(),
         "filter must not have zero elements (i.e. all dimensions must be non-zero)"),
        ([d(2, 6, 6, 4), d(3, 3, 4, 5)], {"strides": [2, 1, 1, 1], "padding": "SAME"},
         "Current implementation does not yet support strides in the batch and depth dimensions."),
        ([d(2, 6, 6, 4), d(3, 3, 4, 5)], {"strides": [1] * 4, "dilations": [1, 1, 1, 2], "padding": "SAME"},
         "Current implementation does not yet support dilations in the batch and depth dimensions.")):
        yield Case("Conv2D", inputs, attrs, error=what)
    label = "Conv2DCustomBackpropInput: "
    for sizes, filter_shape, dy, what in (
        ([6, 6, 4], (3, 3, 4, 5), (2, 6, 6, 5), "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: 3"),
        ([2, 6, 6, 4], (3, 3, 4, 5), (2, 5, 6, 5), label + "Size of out_backprop doesn't match computed: actual = 5, computed = 6"),
        ([3, 6, 6, 4], (3, 3, 4, 5), (2, 6, 6, 5), label + "input and out_backprop must have the same batch size. Input batch: 3, outbackprop batch: 2"),
        ([2, 6, 6, 4], (3, 3, 4, 5), (2, 6, 6, 4), label + "filter and out_backprop must have the same out_depth"),
        ([2, -6, 6, 4], (3, 3, 4, 5), (2, 6, 6, 5), "Dimension -6 must be >= 0"),
        ([[2, 6, 6, 4]], (3, 3, 4, 5), (2, 6, 6, 5), "Conv2DBackpropInput: input_sizes input must be 1-dim, not 2")):
        yield Case("Conv2DBackpropInput", [np.asarray(sizes, np.int32), d(*filter_shape), d(*dy)], two(), error=what)
    label = "Conv2DCustomBackpropFilter: "
    for x, sizes, dy, what in (
        ((2, 6, 6, 4), [3, 3, 4], (2, 6, 6, 5), label + "filter must be 4-dimensional"),
        ((2, 6, 6, 4), [3, 3, 4, 5], (2, 5, 6, 5), label + "Size of out_backprop doesn't match computed: actual = 5, computed = 6"),
        ((2, 6, 6, 4), [3, -3, 4, 5], (2, 6, 6, 5), "Dimension -3 must be >= 0"),
        ((2, 6, 6, 4), [3, 3, 4, 5], (3, 6, 6, 5), label + "input and out_backprop must have the same batch size")):
        yield Case("Conv2DBackpropFilter", [d(*x), i32(*sizes), d(*dy)], two(), error=what)
    yield Case("DepthwiseConv2dNative", [d(2, 6, 6, 4), d(3, 3, 3, 5)], two(), error="input and filter must have the same depth: 4 vs 3")


def cases():
    for group in (images, depthwise, volumes, errors):
        yield from group()
