"""Activations, softmax, losses, biases."""

import numpy as np

from case import (COMPLEX, FLOATS, LOOSE, NUMBERS, REALS, Case, array, eighths, i32, i64)

INF, NAN = np.inf, np.nan


def activations():
    special = array("float", [0.0, -0.0, 1.0, -1.0, 6.0, 7.0, INF, -INF, NAN, 30.0, -30.0, 1e-6])
    for op in ("Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign"):
        for dtype in REALS if op.startswith("Relu") else FLOATS:
            yield Case(op, [eighths(dtype, (2, 3), -4, 9, op)], grad=dtype in FLOATS, grad_tol=LOOSE.get(dtype))
        yield Case(op, [eighths("float", (), key=op)], grad=True)
        yield Case(op, [eighths("float", (0, 2), key=op)], grad=True)
        yield Case(op, [eighths("float", (3, 7, 5), key=op)], grad=True)
        yield Case(op, [special], tol=2e-5)
    for op in ("ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"):
        for dtype in REALS if op.startswith("Relu") else FLOATS:
            grad = dtype in FLOATS and op != "SoftsignGrad"
            yield Case(op, [eighths(dtype, (2, 3), key=op), eighths(dtype, (2, 3), -0.75, 8, op)], grad=grad,
                       grad_tol=LOOSE.get(dtype))
        yield Case(op, [array("float", [1, 2, 3, 4]), array("float", [0, -0.5, 6, NAN])])
        yield Case(op, [eighths("float", (2,)), eighths("float", (3,))],
                   error="must have the same size and shape.  Input 0: [2] != input 1: [3]")
    for dtype in FLOATS:
        for alpha in (0.25, 1.5):
            yield Case("LeakyRelu", [eighths(dtype, (2, 3), key="leaky")], {"alpha": alpha}, grad=True, grad_tol=LOOSE.get(dtype))
            yield Case("LeakyReluGrad", [eighths(dtype, (2, 3), key="g"), eighths(dtype, (2, 3), key="leaky")],
                       {"alpha": alpha}, grad=True, grad_tol=LOOSE.get(dtype))
    yield Case("LeakyRelu", [special])


def softmaxes():
    for op in ("Softmax", "LogSoftmax"):
        for dtype in FLOATS:
            yield Case(op, [eighths(dtype, (3, 5), key=op)], grad=True, grad_tol=LOOSE.get(dtype))
        for shape in ((4,), (2, 3, 2), (0, 3), (2, 0), (1, 1), (2, 40)):
            yield Case(op, [eighths("float", shape, key=op)], grad=0 not in shape)
        yield Case(op, [array("float", [[1000, 1001, 999], [-1000, 0, -INF]])])
    yield Case("LogSoftmax", [array("float", 1.0)], error="logits must have >= 1 dimension, got []")


def distribution(dtype, shape, key):
    x = eighths(dtype, shape, 0.125, 2, key).astype(np.float64)
    return (x / x.sum(-1, keepdims=True)).astype(array(dtype, 0).dtype)


def losses():
    name = "SoftmaxCrossEntropyWithLogits"
    for dtype in FLOATS:
        yield Case(name, [eighths(dtype, (3, 5), key="x"), distribution(dtype, (3, 5), "y")], grad=True, grad_tol=LOOSE.get(dtype))
    for x, y in (((2, 3), (1, 3)), ((1, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((0, 3), (0, 3)), ((2, 0), (2, 0))):
        yield Case(name, [eighths("float", x, key="x"), eighths("float", y, 0, 1, "y")],
                   grad=x == y and 0 not in x)
    yield Case(name, [array("float", [[1000, 0, -1000], [1, 2, 3]]), array("float", [[1, 0, 0], [0, 0, 0]])], grad=True)
    yield Case(name, [eighths("float", (2, 3)), eighths("float", (3, 3))],
               error="logits and labels must be broadcastable: logits_size=[2,3] labels_size=[3,3]")
    yield Case(name, [eighths("float", (3,)), eighths("float", (3,))],
               error="logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional")
    name = "SparseSoftmaxCrossEntropyWithLogits"
    for dtype in FLOATS:
        for labels in (i32(4, 0, 2), i64(4, 0, 2)):
            yield Case(name, [eighths(dtype, (3, 5), key="x"), labels], grad=True, grad_tol=LOOSE.get(dtype))
    yield Case(name, [eighths("float", (0, 3)), np.zeros([0], np.int64)], grad=True)
    yield Case(name, [array("float", [[1000, 0, -1000], [1, 2, 3]]), i64(0, 1)], grad=True)
    f = lambda *s: eighths("float", s)
    for inputs, what in (
        ([f(2, 3), i64(1, 5)], "Received a label value of 5 which is outside the valid range of [0, 3).  Label values: 1 5"),
        ([f(2, 3), i64(1, 2, 1)], "logits and labels must have the same first dimension, got logits shape [2,3] and labels shape [3]"),
        ([f(3), i64(1)], "logits must be 2-D, but got shape [3]"),
        ([f(2, 3), i64([1], [2])], "labels must be 1-D, but got shape [2,1]"),
        ([f(2, 0), i64(0, 0)], "Must have at least one class, but got logits shape [2,0]")):
        yield Case(name, inputs, error=what)
    for dtype in FLOATS:
        yield Case("L2Loss", [eighths(dtype, (2, 3))], grad=True, grad_tol=LOOSE.get(dtype))
    for shape in ((), (0,), (3, 50)):
        yield Case("L2Loss", [eighths("float", shape)], grad=True)


def biases():
    for dtype in NUMBERS:
        grad = dtype in FLOATS + COMPLEX
        yield Case("BiasAdd", [eighths(dtype, (2, 3), key="v"), eighths(dtype, (3,), key="b")], {"data_format": "NHWC"}, grad=grad)
        yield Case("BiasAddGrad", [eighths(dtype, (4, 3), key="v")], {"data_format": "NHWC"}, grad=grad)
        yield Case("BiasAddV1", [eighths(dtype, (2, 3), key="v"), eighths(dtype, (3,), key="b")], grad=dtype == "float")
    for shape in ((2, 3), (0, 3), (2, 2, 3), (2, 1, 2, 3), (2, 1, 2, 2, 3), (1, 3), (2, 0)):
        yield Case("BiasAdd", [eighths("float", shape, key="v"), eighths("float", shape[-1:], key="b")], {"data_format": "NHWC"}, grad=True)
        yield Case("BiasAddGrad", [eighths("float", shape, key="v")], {"data_format": "NHWC"}, grad=0 not in shape)
    for shape in ((2, 3, 4), (2, 3, 2, 2), (1, 2, 3, 2, 2), (2, 3, 0)):
        yield Case("BiasAdd", [eighths("float", shape, key="v"), eighths("float", shape[1:2], key="b")], {"data_format": "NCHW"}, grad=True)
        yield Case("BiasAddGrad", [eighths("float", shape, key="v")], {"data_format": "NCHW"}, grad=0 not in shape)
    nhwc = {"data_format": "NHWC"}
    f = lambda *s: eighths("float", s)
    yield Case("BiasAdd", [f(3), f(3)], nhwc, error="Input tensor must be at least 2D: [3]")
    yield Case("BiasAdd", [f(2, 4), f(3)], nhwc,
               error="Must provide as many biases as the last dimension of the input tensor: [3] vs. [2,4]")
    yield Case("BiasAdd", [f(2, 4), f(2, 4)], nhwc, error="Biases must be 1D: [2,4]")
    yield Case("BiasAddGrad", [f(3)], nhwc, error="Input tensor must be at least 2D: [3]")


def top():
    predictions = array("float", [[0.5, 0.25, 1, 0.75], [1, 1, 1, 0], [NAN, 1, 2, 3], [1, INF, 0, 2], [4, 3, 2, 1]])
    for targets in (i32(2, 3, 1, 2, 3), i64(3, 0, 3, 0, 7), i32(0, 1, 2, 3, -1)):
        for k in (0, 1, 2, 3, 4):
            yield Case("InTopK", [predictions, targets], {"k": k})
            yield Case("InTopKV2", [predictions, targets, targets.dtype.type(k)])
    f = lambda *s: eighths("float", s)
    yield Case("InTopK", [f(3), i32(1)], {"k": 1}, error="predictions must be 2-dimensional")
    yield Case("InTopK", [f(2, 3), i32([1], [1])], {"k": 1}, error="targets must be 1-dimensional")
    yield Case("InTopK", [f(2, 3), i32(1)], {"k": 1}, error="First dimension of predictions 2 must match length of targets 1")
    yield Case("InTopKV2", [f(2, 3), i32(1, 1), i32(1, 2)], error="k must be 0-D, got shape [2]")


def nth_elements():
    for dtype in REALS:
        yield Case("NthElement", [eighths(dtype, (3, 5)), np.int32(1)], grad=dtype in FLOATS)
        yield Case("NthElement", [eighths(dtype, (2, 2, 3)), np.int32(0)], {"reverse": True}, grad=dtype in FLOATS)
    x = eighths("float", (2, 4), -1, 1)
    for n in range(4):
        yield Case("NthElement", [x, np.int32(n)], grad=True)
        yield Case("NthElement", [x, np.int32(n)], {"reverse": True}, grad=True)
    yield Case("NthElement", [eighths("float", (4,)), np.int32(2)], grad=True)
    yield Case("NthElement", [eighths("float", (0, 3)), np.int32(2)])
    for shape, n, what in (((2, 5), np.int32(-1), "n must be non-negative but is -1"), ((2, 5), np.int32(5), "Input must have last dimension > n = 5"),
                           ((2, 5), i32(1), "N must be scalar but has rank 1"), ((), np.int32(0), "Input must be at least rank 1 but is rank 0"),
                           ((2, 0), np.int32(0), "Input must have last dimension > n = 0")):
        yield Case("NthElement", [eighths("float", shape), n], error=what)


def dilations():
    plain = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"}
    forms = (plain, {**plain, "padding": "SAME"}, {**plain, "strides": [1, 2, 1, 1], "padding": "SAME"},
             {**plain, "rates": [1, 2, 2, 1]}, {**plain, "strides": [1, 2, 2, 1], "rates": [1, 1, 2, 1], "padding": "SAME"})
    for attrs in forms:
        for shape, size in (((2, 5, 6, 2), (2, 3, 2)), ((1, 4, 4, 1), (2, 2, 1)), ((1, 3, 5, 3), (1, 1, 3))):
            yield Case("Dilation2D", [eighths("float", shape), eighths("float", size, key="w")], attrs, grad=True)
    for dtype in REALS:
        x, w = eighths(dtype, (1, 4, 5, 2), 0, 9), eighths(dtype, (2, 2, 2), 0, 3, key="w")
        yield Case("Dilation2D", [x, w], plain, grad=dtype in FLOATS)
        out = eighths(dtype, (1, 3, 4, 2), 0, 2, key="g")
        yield Case("Dilation2DBackpropInput", [x, w, out], plain)
        yield Case("Dilation2DBackpropFilter", [x, w, out], plain)
    yield Case("Dilation2D", [eighths("float", (0, 3, 3, 1)), eighths("float", (2, 2, 1))], plain)
    yield Case("Dilation2D", [array("float", [[[[NAN], [1], [INF]], [[2], [-INF], [3]]]]), eighths("float", (1, 2, 1))], plain)
    f = lambda *s: eighths("float", s)
    for x, w, attrs, what in ((f(3, 3, 1), f(2, 2, 1), plain, "input must be 4-dimensional[3,3,1]"),
                              (f(1, 3, 3, 1), f(2, 2, 1, 1), plain, "filter must be 3-dimensional: [2,2,1,1]"),
                              (f(1, 3, 3, 2), f(2, 2, 1), plain, "input and filter must have the same depth: 2 vs 1"),
                              (f(1, 3, 3, 1), f(2, 2, 1), {**plain, "strides": [2, 1, 1, 1]}, "Stride is only supported across spatial dimensions."),
                              (f(1, 3, 3, 1), f(2, 2, 1), {**plain, "strides": [1, 0, 1, 1]}, "Stride must be > 0, but got 0"),
                              (f(1, 3, 3, 1), f(2, 2, 1), {**plain, "rates": [1, 1, 1, 2]}, "Rate is only supported across spatial dimensions.")):
        yield Case("Dilation2D", [x, w], attrs, error=what)
    for op in ("Dilation2DBackpropInput", "Dilation2DBackpropFilter"):
        yield Case(op, [f(1, 3, 3, 1), f(2, 2, 1), f(1, 3, 2, 1)], plain, error="out_backprop has incompatible size.")


def cases():
    for group in (activations, softmaxes, losses, biases, top, nth_elements, dilations):
        yield from group()
