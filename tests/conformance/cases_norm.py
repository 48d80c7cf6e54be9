"""Batch normalization and local response normalization."""

import numpy as np

from case import Case, eighths

TOL = {"float": 2e-5, "half": 1e-2, "bfloat16": 6e-2}


def vectors(n, *keys):
    return [np.abs(eighths("float", (n,), 0.25, 2, k)) if k == "v" else eighths("float", (n,), key=k) for k in keys]


def forward():
    f = lambda *s: eighths("float", s)
    none = np.zeros([0], np.float32)
    for shape, fmt in (((2, 3, 3, 4), "NHWC"), ((2, 4, 3, 3), "NCHW"), ((3, 1, 1, 2), "NHWC"), ((2, 9, 8, 3), "NHWC"),
                       ((1, 2, 7, 11), "NCHW")):
        x, c = f(*shape), shape[-1 if fmt == "NHWC" else 1]
        scale, offset, mean, variance = vectors(c, "s", "o", "m", "v")
        for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
            attrs = {"data_format": fmt, "epsilon": 0.5}
            grad = op == "FusedBatchNormV3" or shape == (2, 3, 3, 4)
            yield Case(op, [x, scale, offset, none, none], {**attrs, "is_training": True}, grad=grad, tol=1e-4, atol=2e-5)
            yield Case(op, [x, scale, offset, mean, variance], {**attrs, "is_training": False}, grad=grad, tol=1e-4, atol=2e-5)
            yield Case(op, [x, scale, offset, mean, variance], {**attrs, "is_training": True, "exponential_avg_factor": 0.25},
                       tol=1e-4, atol=2e-5)
    for dtype in ("half", "bfloat16"):
        scale, offset, mean, variance = vectors(4, "s", "o", "m", "v")
        x = eighths(dtype, (2, 3, 3, 4))
        for training in (True, False):
            m, v = (none, none) if training else (mean, variance)
            yield Case("FusedBatchNormV3", [x, scale, offset, m, v], {"is_training": training, "epsilon": 0.5},
                       grad=True, tol=TOL[dtype], atol=TOL[dtype])
    x = f(2, 2, 3, 2, 4)
    scale, offset = vectors(4, "s", "o")
    yield Case("FusedBatchNormV3", [x, scale, offset, none, none], {"data_format": "NDHWC", "epsilon": 0.5},
               grad=True, tol=1e-4, atol=2e-5)
    for shape in ((0, 3, 3, 4), (1, 1, 1, 4)):
        yield Case("FusedBatchNormV3", [f(*shape), scale, offset, none, none], {})


def backward():
    f = lambda *s: eighths("float", s)
    for shape, fmt in (((2, 3, 3, 4), "NHWC"), ((2, 4, 3, 3), "NCHW")):
        for training in (True, False):
            if fmt == "NCHW" and not training:
                continue  # TensorFlow's kernel uses the wrong dimension as the channels
            x, dy = f(*shape), eighths("float", shape, key="dy")
            scale, = vectors(4, "s")
            axes = (0, 1, 2) if fmt == "NHWC" else (0, 2, 3)
            mean, variance = x.mean(axes), x.var(axes)
            attrs = {"is_training": training, "data_format": fmt, "epsilon": 0.5}
            for op in ("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"):
                inputs = [dy, x, scale, mean, variance] + ([variance] if op.endswith("V3") else [])
                yield Case(op, inputs, attrs, grad=True, tol=1e-4, atol=2e-5)


def errors():
    f = lambda *s: eighths("float", s)
    none = np.zeros([0], np.float32)
    for inputs, attrs, what in (
        ([f(2, 3, 4), f(4), f(4), none, none], {}, "input must be 4-dimensional[2,3,4]"),
        ([f(2, 3, 3, 4), f(3), f(4), none, none], {}, "scale must have the same number of elements as the channels of x, got 3 and 4"),
        ([f(2, 3, 3, 4), f(4), f(4), f(3), f(4)], {**{}, "is_training": False},
         "When is_training=false, mean must have the same number of elements as the channels of x, got 3 and 4"),
        ([f(2, 3, 3, 4), f(4), f(4), none, none], {**{}, "exponential_avg_factor": 0.5},
         "When exponential_avg_factor != 1, mean must have the same number of elements as the channels of x, got 0 and 4")):
        yield Case("FusedBatchNormV3", inputs, attrs, error=what)
    for inputs, what in (
        ([f(2, 3, 2, 4), f(2, 3, 3, 4), f(4), f(4), f(4), f(4)],
         "x and y_backprop must have same shape, but x has shape [2,3,3,4] and y_backprop has shape [2,3,2,4]"),
        ([f(2, 3, 3, 4), f(2, 3, 3, 4), f(4), f(3), f(4), f(4)],
         "reserve_space_1 must have the same number of elements as the channels of x, got 3 and 4")):
        yield Case("FusedBatchNormGradV3", inputs, {}, error=what)


def responses():
    for dtype in ("float", "half"):
        yield Case("LRN", [eighths(dtype, (1, 2, 2, 7))], {"depth_radius": 2}, grad=dtype == "float", tol=TOL[dtype], atol=TOL[dtype])
    for attrs in ({"depth_radius": 0}, {"depth_radius": 5, "bias": 2.0, "alpha": 0.5, "beta": 0.75}, {"depth_radius": 20}):
        yield Case("LRN", [eighths("float", (2, 1, 2, 6))], attrs, grad=True, tol=1e-4, atol=2e-5)
    yield Case("LRN", [eighths("float", (3, 4))], error="in must be 4-dimensional")


def cases():
    for group in (forward, backward, responses, errors):
        yield from group()
