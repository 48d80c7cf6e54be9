"""Numbers rounded to few bits, distances of sequences."""

import numpy as np

from case import COMPLEX, REALS, Case, array, eighths, i64, scalar, strings

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
        (bad(1, strings(["a", "b"])), "Expected hypothesis_values.NumElements == #rows(hypothesis_indices), their shapes are: [2] and [1,2]"),
        (bad(0, i64(0)), "hypothesis_indices should be a matrix, but got shape: [1]"),
        (sparse([((0,), 1)], (1,)) * 2, "Input SparseTensors must have rank at least 2, but truth_shape rank is: 1")):
        yield Case("EditDistance", inputs, {"normalize": True}, error=what)


def cases():
    for group in (fake, fake_ranges, distances):
        yield from group()
