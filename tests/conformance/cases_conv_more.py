"""Convolutions of padded and resized images, and the first versions of the gradients of Conv3D."""

import numpy as np

from case import Case, eighths, i32

# The tolerance for sums of many products in half precision.
TOL = {"half": 4e-2}


def first_versions():
    """Gradients of Conv3D that take an input or a filter for its shape."""
    one = {"strides": [1] * 5, "padding": "SAME"}
    for attrs, out in ((one, (3, 4, 3)), ({"strides": [1, 2, 1, 2, 1], "padding": "VALID"}, (1, 2, 1))):
        for dtype in ("half", "float", "double"):
            x, f, dy = (eighths(dtype, shape, key="v1") for shape in ((2, 3, 4, 3, 2), (2, 3, 2, 2, 3), (2, *out, 3)))
            for op in ("Conv3DBackpropInput", "Conv3DBackpropFilter"):
                yield Case(op, [x, f, dy], attrs, tol=TOL.get(dtype))
    x, f, dy = (eighths("float", shape) for shape in ((2, 3, 4, 3, 2), (2, 3, 2, 2, 3), (2, 3, 4, 2, 3)))
    for op in ("Conv3DBackpropInput", "Conv3DBackpropFilter"):
        yield Case(op, [x, f, dy], one, error=op + "Op: Size of out_backprop doesn't match computed: actual = 2, computed = 3")


def fused():
    """Convolutions of padded images. TensorFlow repeats the result of the first image for all others."""
    pads = np.array([[0, 0], [1, 2], [2, 0], [0, 0]], np.int32)
    attrs = lambda mode="REFLECT", stride=(1, 1), padding="VALID", **more: {
        "mode": mode, "strides": [1, *stride, 1], "padding": padding, **more}
    for dtype in ("half", "float", "double"):
        x, f = eighths(dtype, (1, 4, 3, 2)), eighths(dtype, (2, 3, 2, 3), key="f")
        tol = {"tol": TOL.get(dtype), "static_only": True}
        for mode in ("REFLECT", "SYMMETRIC"):
            yield Case("FusedPadConv2D", [x, pads, f], attrs(mode), **tol)
            for size in ((5, 7), (4, 3), (9, 3)):
                for align in (False, True):
                    yield Case("FusedResizeAndPadConv2D", [x, i32(*size), pads, f], attrs(mode, resize_align_corners=align), **tol)
        yield Case("FusedPadConv2D", [x, pads, f], attrs(stride=(2, 3), padding="SAME"), **tol)
        yield Case("FusedPadConv2D", [x, 0 * pads, f], attrs(), **tol)
        yield Case("FusedResizeAndPadConv2D", [x, i32(2, 3), 0 * pads, f], attrs(stride=(2, 1), padding="SAME"), **tol)
    yield Case("FusedPadConv2D", [eighths("bfloat16", (1, 4, 3, 2)), pads, eighths("bfloat16", (2, 3, 2, 3))], attrs(), tol=1e-1, static_only=True)
    yield from fused_errors(x, f, pads, attrs)


def fused_errors(x, f, pads, attrs):
    at = lambda row, column, value: np.array([[value if (i, j) == (row, column) else 0 for j in range(2)] for i in range(4)], np.int32)
    for inputs, more, what in (
        ([x, at(1, 0, 4), f], {}, "paddings must be less than the dimension size: 4, 0 not less than 4"),
        ([x, at(1, 1, 5), f], {"mode": "SYMMETRIC"}, "paddings must be no greater than the dimension size: 0, 5 greater than 4"),
        ([x, at(0, 1, 1), f], {"mode": "SYMMETRIC"}, "Fused mirror padding only support spatial padding, not batches: "),
        ([x[:0], pads, f], {}, "Input tensor can't be empty"),
        ([x, pads, f[..., :0]], {}, "Output tensor can't be empty"),
        ([x, pads, f], {"strides": [2, 1, 1, 1]}, "Current implementation does not yet support strides in the batch and depth dimensions.")):
        yield Case("FusedPadConv2D", inputs, {**attrs(), **more}, error=what, static_only=True)
    yield Case("FusedResizeAndPadConv2D", [x, i32(0, 2), pads, f], attrs(), error="output dimensions must be positive", static_only=True)


def cases():
    yield from first_versions()
    yield from fused()
