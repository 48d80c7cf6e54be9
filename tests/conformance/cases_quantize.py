"""Quantized numbers, edit distances."""

import numpy as np
import tensorflow.compat.v1 as tf

from case import COMPLEX, NUMPY, QUANTIZED, REALS, Case, array, eighths, i64, scalar, strings

X = [-10, -6, -5.99, -0.01, 0, 0.02, 3.3, 5.99, 7]


def fake():
    x = array("float", X)
    g = eighths("float", (9,), key="g")
    ranges = ({}, {"min": 0.1, "max": 2.0}, {"min": -2.0, "max": -1.0}, {"num_bits": 2}, {"num_bits": 4, "narrow_range": True},
              {"min": 0.0, "max": 6.0, "num_bits": 16}, {"min": -1.0, "max": 3.0, "num_bits": 5})
    for attrs in ranges:
        attrs = {"min": -6.0, "max": 6.0, **attrs}
        yield Case("FakeQuantWithMinMaxArgs", [x], attrs, grad=True)
        yield Case("FakeQuantWithMinMaxArgsGradient", [g, x], attrs)
    yield Case("FakeQuantWithMinMaxArgs", [np.zeros([0, 2], np.float32)])
    wide = eighths("float", (2, 3, 4), -4, 4)
    yield Case("FakeQuantWithMinMaxArgs", [wide], {"min": -3.0, "max": 3.0}, grad=True)
    for attrs, what in (({"min": 1.0, "max": 0.0}, "min has to be smaller than max, was: 1 >= 0"),
                        ({"num_bits": 1}, "num_bits must be between 2 and 16, inclusive"),
                        ({"num_bits": 17}, "num_bits must be between 2 and 16, inclusive")):
        yield Case("FakeQuantWithMinMaxArgs", [x], attrs, error=what)


# Ranges and numbers halfway between two of their steps, up to rounding.
HALFWAY = ((0, 2, 8), (-1, 1, 8), (-6, 6, 8), (0, 3, 4), (-10, 0, 12), (0.1, 2, 8))


def fake_halfway():
    for low, high, bits in HALFWAY:
        step = (np.float32(high) - np.float32(min(low, 0))) / np.float32(2**bits - 1)
        at = np.unique(np.linspace(0, 2**bits - 2, 40).astype(np.int64)) + 0.5
        x = (at * step + np.float32(min(low, 0))).astype(np.float32)
        x = np.concatenate([x, array("float", [1, 0.5, 0.25, 5 / 3])])
        attrs, ends = {"num_bits": bits}, {"min": float(low), "max": float(high)}
        yield Case("FakeQuantWithMinMaxArgs", [x], {**attrs, **ends}, tol=0.0, atol=0.0)
        yield Case("FakeQuantWithMinMaxVars", [x, scalar("float", low), scalar("float", high)], attrs, tol=0.0, atol=0.0)
        yield Case("FakeQuantWithMinMaxVarsPerChannel", [x.reshape(-1, 1), array("float", [low]), array("float", [high])],
                   attrs, tol=0.0, atol=0.0)


def fake_ranges():
    x, g = array("float", X), eighths("float", (9,), key="g")
    op = "FakeQuantWithMinMaxVars"
    for low, high in ((-6, 6), (0, 0), (0.1, 2), (-2, -1), (-1, 5)):
        for attrs in ({}, {"num_bits": 4, "narrow_range": True}):
            yield Case(op, [x, scalar("float", low), scalar("float", high)], attrs, grad=True)
            yield Case(op + "Gradient", [g, x, scalar("float", low), scalar("float", high)], attrs)
    yield Case(op, [np.zeros([0], np.float32), scalar("float", -6), scalar("float", 6)])
    yield Case(op, [x, array("float", [1]), scalar("float", 2)], error="`min` must be rank 0 but is rank 1")
    yield Case(op + "Gradient", [g[:8], x, scalar("float", 0), scalar("float", 2)], error="gradient and input must be the same size")
    op = "FakeQuantWithMinMaxVarsPerChannel"
    for shape in ((4,), (3, 4), (2, 3, 4), (1, 2, 2, 4)):
        x = eighths("float", shape, -4, 4)
        low, high = array("float", [-3, 0, 0.1, 0]), array("float", [3, 3.3, 2, 0])
        yield Case(op, [x, low, high], grad=True)
        yield Case(op + "Gradient", [eighths("float", shape, key="g"), x, low, high])
        yield Case(op, [x, low, high], {"num_bits": 3, "narrow_range": True})
    x = array("float", [[1, 2], [3, 4]])
    for low, high, what in (([0], [2, 3], "min has incorrect size, expected 2 was 1"), ([0, 1], [2], "max has incorrect size, expected 2 was 1"),
                            (0, 1, "`min` must be rank 1 but is rank 0")):
        yield Case(op, [x, array("float", low), array("float", high)], error=what)


def sparse(rows, shape, dtype="string"):
    values = strings(["v%d" % v for _, v in rows]) if dtype == "string" else array(dtype, [v for _, v in rows])
    indices = np.array([at for at, _ in rows], np.int64).reshape(len(rows), len(shape))
    return [indices, values, i64(*shape)]


def distances():
    a = [((0, 0), 1), ((0, 1), 0), ((1, 0), 1), ((2, 0), 1), ((2, 1), 1)]
    b = [((0, 0), 1), ((0, 1), 1), ((0, 2), 0), ((2, 0), 0), ((3, 0), 1)]
    for normalize in (True, False):
        for dtype in REALS + COMPLEX + ("bool", "string"):
            yield Case("EditDistance", sparse(a, (3, 2), dtype) + sparse(b, (4, 3), dtype), {"normalize": normalize})
        words = [((0, k), v) for k, v in enumerate([3, 1, 4, 1, 5, 9, 2, 6])], [((0, k), v) for k, v in enumerate([1, 4, 2, 5, 9, 7])]
        yield Case("EditDistance", sparse(words[0], (1, 8)) + sparse(words[1], (1, 6)), {"normalize": normalize})
    deep = [((0, 0, 0), 1), ((1, 0, 1), 2)], [((0, 0, 0), 1), ((0, 0, 1), 2), ((1, 0, 0), 3)]
    yield Case("EditDistance", sparse(deep[0], (2, 1, 2)) + sparse(deep[1], (2, 1, 2)), {"normalize": True})
    one = [((0, 0), 1)]
    bad = lambda k, v: [v if i == k else x for i, x in enumerate(sparse(one, (2, 1)) + sparse(one, (2, 2)))]
    for inputs, what in (
        (bad(5, i64(2, 2, 2)), "Expected truth_shape.NumElements == #cols(truth_indices), their shapes are: [3] and [1,2]"),
        (bad(5, i64(2, -3)), "Dimension -3 must be >= 0"),
        (bad(1, strings(["a", "b"])), "Expected hypothesis_values.NumElements == #rows(hypothesis_indices), their shapes are: [2] and [1,2]"),
        (bad(0, i64(0)), "hypothesis_indices should be a matrix, but got shape: [1]"),
        (sparse([((0,), 1)], (1,)) * 2, "Input SparseTensors must have rank at least 2, but truth_shape rank is: 1")):
        yield Case("EditDistance", inputs, {"normalize": True}, error=what)


MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
RANGES = ((-1, 1), (0, 5), (-6, 0), (-3.3, 7.1), (1, 2), (-0.1, -0.05), (0, 0), (2, 2))


def kind(name):
    return tf.as_dtype(name)


def quantize():
    op, x = "QuantizeV2", np.linspace(-7.7, 7.9, 13, dtype=np.float32)
    lows, highs = array("float", [-3, 0, 0.1, -8]), array("float", [3, 3.3, 2, -1])
    for name in QUANTIZED:
        for mode in MODES:
            attrs = {"T": kind(name), "mode": mode}
            for low, high in RANGES:
                if name != "qint32" or mode == "SCALED" or low < high:
                    yield Case(op, [x, scalar("float", low), scalar("float", high)], attrs)
            yield Case(op, [np.zeros([2, 0], np.float32), scalar("float", -1), scalar("float", 1)], attrs)
            yield Case(op, [x[3], scalar("float", -9), scalar("float", 4)], {**attrs, "ensure_minimum_range": 2.0})
            if mode != "MIN_FIRST":
                yield Case(op, [eighths("float", (2, 4, 3), -4, 4), lows, highs], {**attrs, "axis": 1})
                yield Case(op, [eighths("float", (4, 3), -4, 4), lows, highs], {**attrs, "axis": 0})
        for attrs in ({"round_mode": "HALF_TO_EVEN"}, {"narrow_range": True}, {"round_mode": "HALF_TO_EVEN", "narrow_range": True, "axis": 0}):
            low, high = (array("float", [-2, -2]), array("float", [127 / 64, 2])) if "axis" in attrs else (scalar("float", -2), scalar("float", 127 / 64))
            halves = np.arange(-3, 3, 0.25, dtype=np.float32)
            yield Case(op, [halves.reshape(2, -1), low, high], {"T": kind(name), "mode": "SCALED", **attrs})
    attrs = {"T": kind("qint8")}
    wrong = "If axis is specified, max_range must be a 1-D tensor whose size matches the axis dimension of the input and output tensors, but max_range "
    for low, high, more, what in (
        (1, -1, {}, "input_max_range must be larger than input_min_range."),
        ([1, 2], 3, {}, "If axis is not specified, min_range must contain a single float element, but it contains 2 elements"),
        (1, [3, 4], {}, "If axis is not specified, max_range must contain a single float element, but it contains 2 elements"),
        ([0], [1], {"axis": 1}, "dims, but given axis value was 1 and input's dims was 1"),
        ([0] * 13, 1, {"axis": 0}, wrong + "dims are 0"),
        ([0] * 13, [1] * 3, {"axis": 0}, wrong + "is a 1-D tensor of size 3 and input's axis dimension is of size 13"),
        ([0] * 13, [1] * 13, {"axis": 0, "mode": "MIN_FIRST"}, "MIN_FIRST mode is not implemented for Quantize with axis != -1."),
        (0, 1, {"round_mode": "HALF_TO_EVEN"}, "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is 'MIN_COMBINED'.")):
        yield Case(op, [x, array("float", low), array("float", high)], {**attrs, **more}, error=what)


def dequantize():
    op = "Dequantize"
    low, high = array("float", [-3, 0, 0.1, -8]), array("float", [3, 3.3, 2, -1])
    for name in QUANTIZED:
        whole = np.iinfo(np.dtype(NUMPY[name])[0])
        steps = np.array([whole.min, whole.min + 1, whole.max // 3, whole.max - 1, whole.max, 7, 0, 100]).astype(whole.dtype)
        q = steps.view(NUMPY[name])
        for mode in MODES:
            attrs = {"mode": mode}
            for ends in RANGES + ((3, -3),):
                if name == "qint32" and mode == "MIN_FIRST" and ends[0] == ends[1]:
                    continue
                yield Case(op, [q] + [scalar("float", v) for v in ends], attrs)
            if mode == "MIN_COMBINED":
                yield Case(op, [q] + [scalar("float", v) for v in (-3.3, 7)], {**attrs, "dtype": kind("bfloat16")})
            if mode != "MIN_FIRST":
                yield Case(op, [q.reshape(2, 4), low, high], {**attrs, "axis": 1})
                yield Case(op, [q.reshape(4, 2), low, high], {**attrs, "axis": 0})
        yield Case(op, [q] + [scalar("float", v) for v in (-3.3, 3)], {"mode": "SCALED", "narrow_range": True})
        yield Case(op, [q[:0].reshape(0, 3)] + [scalar("float", v) for v in (-3.3, 3)])
    wide = np.array([-2**31, -2**31 + 1, -2**31 + 100, -1, 0, 1, 2**24 + 1, 2**30 + 77, 2**31 - 1], np.int32)
    for ends in ((0, 5), (-1, 1), (2, 2), (3, -1), (-1e-3, 2e4)):
        yield Case(op, [wide.view(NUMPY["qint32"])] + [scalar("float", v) for v in ends], {"mode": "MIN_FIRST"}, tol=0.0,
                   atol=0.0)
    q = np.zeros([4], np.int8).view(NUMPY["qint8"])
    wrong = "must have as many elements as input on the dequantization axis "
    for low, high, more, what in (
        ([1, 2], 3, {}, "input_min_tensor " + wrong + "(-1), got 2, expected 1"),
        (1, [3, 4], {}, "input_max_tensor " + wrong + "(-1), got 2, expected 1"),
        (1, 2, {"dtype": kind("bfloat16"), "mode": "SCALED"}, "When output type is bfloat16, Mode string must be 'MIN_COMBINED', is 'SCALED'")):
        yield Case(op, [q, array("float", low), array("float", high)], more, error=what)


def rounding():
    for dtype in ("float", "double"):
        x = array(dtype, np.linspace(-7.7, 7.9, 13))
        for op in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"):
            for attrs in ({}, {"num_bits": 3}, {"signed_input": False}, {"narrow_range": True}, {"num_bits": 17, "narrow_range": True},
                          {"round_mode": "HALF_UP"}, {"num_bits": 2, "round_mode": "HALF_UP", "signed_input": False}, {"num_bits": 1}):
                for low, high in ((-1, 1), (-6, 0), (0, 5), (-3.3, 7.1), (1, 2), (-2, -1)):
                    yield Case(op, [x, scalar(dtype, low), scalar(dtype, high)], {**attrs, "range_given": True}, grad=True)
                yield Case(op, [x, scalar(dtype, 0), scalar(dtype, 0)], attrs, grad=True)
                yield Case(op, [x[:12].reshape(2, 3, 2), array(dtype, [0] * 3), array(dtype, [0] * 3)], {**attrs, "axis": 1})
            yield Case(op, [x[:0].reshape(0, 2), scalar(dtype, 0), scalar(dtype, 0)])
        op = "QuantizeAndDequantizeV3"
        low, high = array(dtype, [-3, 0, -8]), array(dtype, [3, 3.3, -1])
        for bits in (2, 8, 20):
            for attrs in ({}, {"signed_input": False}, {"narrow_range": True}):
                yield Case(op, [x, scalar(dtype, -3), scalar(dtype, 4), scalar("int32", bits)], attrs, grad=True)
                yield Case(op, [x[:12].reshape(2, 3, 2), low, high, scalar("int32", bits)], {**attrs, "axis": 1})
                yield Case(op, [x, scalar(dtype, 0), scalar(dtype, 0), scalar("int32", bits)], {**attrs, "range_given": False})
        g, op = eighths(dtype, (13,), key="g"), "QuantizeAndDequantizeV4Grad"
        yield Case(op, [g, x, scalar(dtype, -3), scalar(dtype, 4)])
        yield Case(op, [g[:12].reshape(2, 3, 2), x[:12].reshape(2, 3, 2), low, high], {"axis": 1})
    x, op = array("float", X), "QuantizeAndDequantizeV2"
    for low, high, attrs, what in (
        (1, -1, {}, "Invalid range: input_min 1 > input_max -1"), ([1, 2], 1, {}, "input_min must be a scalar."), (1, [1, 2], {}, "input_max must be a scalar."),
        (0, 1, {"num_bits": 0}, "num_bits is out of range: 0 with signed_input_ 1"), (0, 1, {"num_bits": 62}, "num_bits is out of range: 62 with signed_input_ 1"),
        (0, 1, {"num_bits": 63, "signed_input": False}, "num_bits is out of range: 63 with signed_input_ 0"),
        (0, 1, {"axis": 0}, "Shape must be rank 1 for input_min_tensor when the axis is specified"), ([0], [1], {"axis": 1}, "Shape must be at least rank 2 but is rank 1")):
        yield Case(op, [x, array("float", low), array("float", high)], {"range_given": True, **attrs}, error=what)
    op = "QuantizeAndDequantizeV4Grad"
    for low, high, attrs, what in (
        ([0, 1], 1, {}, "input_min must be a scalar if axis is unspecified"), ([0] * 9, [1] * 8, {"axis": 0}, "max has incorrect size, expected 9 was 8"),
        (0, 1, {"axis": 0}, "Shape must be rank 1 for input_min_tensor when the axis is specified")):
        yield Case(op, [x, x, array("float", low), array("float", high)], attrs, error=what)
    yield Case(op, [x[:3], x, scalar("float", 0), scalar("float", 1)], error="gradient and input must be the same size")


def cases():
    for group in (fake, fake_halfway, fake_ranges, distances, quantize, dequantize, rounding):
        yield from group()
