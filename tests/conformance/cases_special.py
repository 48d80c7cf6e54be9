"""Incomplete gamma and beta functions and similar ones, buckets, histograms, bits."""

import numpy as np
import tensorflow as tf

from case import FLOATS, LOOSE, REALS, SIGNED, UNSIGNED, Case, array, eighths, i32, i64, scalar

TOL = {"half": 1e-2, "float": 2e-5, "double": 1e-10}


def unary():
    wild = [0, 1, -1, 0.5, 2, -2, np.nan, np.inf, -np.inf, 1e-3, 0.999, 30]
    for op in ("BesselI0e", "BesselI1e"):
        for dtype in ("half", "float", "double"):
            yield Case(op, [array(dtype, wild)], tol=TOL[dtype], atol=1e-6)
            yield Case(op, [eighths(dtype, (2, 3), -5, 5)], grad=dtype != "half", tol=TOL[dtype], atol=1e-6, grad_tol=10 * TOL[dtype])
        yield Case(op, [array("float", [0, 3])], grad=True, tol=2e-5, atol=1e-6)
        yield Case(op, [np.zeros([0, 2], np.float32)])
    for op, x in (("Erfinv", [-0.875, -0.5, 0, 0.125, 0.75]), ("Ndtri", [0.0625, 0.5, 0.25, 0.875, 0.99])):
        for dtype in ("float", "double"):
            yield Case(op, [array(dtype, wild)], tol=TOL[dtype], atol=1e-6)
            yield Case(op, [array(dtype, x)], grad=True, tol=TOL[dtype], atol=1e-6, grad_tol=10 * TOL[dtype])
        yield Case(op, [array("float", 0.25)], grad=True, tol=2e-5)
    for dtype in ("float", "double"):
        yield Case("Expint", [array(dtype, wild)], tol=TOL[dtype], atol=1e-6)
        yield Case("Expint", [array(dtype, [0.125, 0.5, 1, 3, 10])], grad=True, tol=TOL[dtype], grad_tol=10 * TOL[dtype])


def gammas():
    for op in ("Igamma", "Igammac"):
        for dtype in ("float", "double"):
            tol = TOL[dtype]
            yield Case(op, [eighths(dtype, (2, 3), 0.5, 6, "a"), eighths(dtype, (2, 3), 0.25, 8, "x")], grad=True, tol=tol, grad_tol=20 * tol)
            yield Case(op, [eighths(dtype, (2, 1), 0.5, 6, "a"), eighths(dtype, (3,), 0.25, 8, "x")], grad=True, tol=tol, grad_tol=20 * tol)
            yield Case(op, [array(dtype, [0, 1, -1, 2, np.nan, 1, 50, np.inf]), array(dtype, [1, 0, 1, -2, 1, np.inf, 60, 1])], tol=tol)
        yield Case(op, [np.zeros([0], np.float32), scalar("float", 1)])
        yield Case(op, [eighths("float", (2,), 1, 2), eighths("float", (3,), 1, 2)], error="Incompatible shapes: [2] vs. [3]")
    for op, tol in (("IgammaGradA", 1e-4), ("RandomGammaGrad", 1e-4)):
        for dtype in ("float", "double"):
            yield Case(op, [eighths(dtype, (2, 1), 0.5, 6, "a"), eighths(dtype, (3,), 0.25, 8, "x")], tol=tol if dtype == "float" else 1e-8)


def beta():
    for dtype in ("float", "double"):
        tol = TOL[dtype]
        a, b, x = eighths(dtype, (2, 3), 0.5, 4, "a"), eighths(dtype, (2, 3), 0.5, 4, "b"), array(dtype, [[0.125, 0.25, 0.5], [0.625, 0.75, 0.875]])
        yield Case("Betainc", [a, b, x], grad=True, tol=tol, grad_tol=20 * tol)
        yield Case("Betainc", [scalar(dtype, 2), b, x], tol=tol)
        yield Case("Betainc", [a, b, scalar(dtype, 0.5)], grad=True, tol=tol, grad_tol=20 * tol)
        yield Case("Betainc", [scalar(dtype, 2), scalar(dtype, 3), scalar(dtype, 0.25)], grad=True, tol=tol, grad_tol=20 * tol)
        yield Case("Betainc", [array(dtype, [1, 1, 2, -1, np.nan]), array(dtype, [1, 2, 0, 1, 1]), array(dtype, [0, 1, 0.5, 0.5, 0.5])], tol=tol)
    f = lambda *s: eighths("float", s, 0.5, 1)
    yield Case("Betainc", [f(2), f(3), f(1)], error="Shapes of a and b are inconsistent: [2] vs. [3]")
    yield Case("Betainc", [f(2), f(), f(1)], error="Shapes of a and x are inconsistent: [2] vs. [1]")


def after():
    for dtype in ("float", "double"):
        yield Case("NextAfter", [array(dtype, [0, 1, 1, -1, 2, np.nan, np.inf, 1]), array(dtype, [1, 2, 0, -2, 2, 1, 0, np.nan])], tol=0, atol=0)
        yield Case("NextAfter", [eighths(dtype, (2, 1)), eighths(dtype, (3,), key=1)], grad=True)


def buckets():
    for dtype in ("int32", "int64", "float", "double"):
        yield Case("Bucketize", [array(dtype, [[-1, 0, 1], [5, 10, 100]])], {"boundaries": [0.0, 5.0, 10.0]})
        x, ends = array(dtype, [[-1, 0, 1, 2], [3, 4, 6, 9]]), array(dtype, [0, 5])
        for out in (tf.int32, tf.int64):
            yield Case("HistogramFixedWidth", [x, ends, scalar("int32", 5)], {"dtype": out})
        yield Case("HistogramFixedWidth", [x, array(dtype, [0, 10]), scalar("int32", 3)], {"dtype": tf.int32})
    yield Case("Bucketize", [array("float", [np.nan, np.inf, -np.inf, 2])], {"boundaries": [1.0, 2.0, 2.0]})
    yield Case("Bucketize", [array("float", [1])], {"boundaries": [5.0, 1.0]}, error="Expected sorted boundaries")
    one = {"dtype": tf.int32}
    yield Case("HistogramFixedWidth", [array("float", [0.1, 0.3, 0.7]), array("float", [0, 1]), scalar("int32", 10)], one)
    yield Case("HistogramFixedWidth", [np.zeros([0], np.float32), array("float", [0, 1]), scalar("int32", 2)], one)
    for inputs, what in (
        ([array("float", [1, np.nan]), array("float", [0, 5]), scalar("int32", 5)], "Histogram values must not contain NaN"),
        ([array("float", [1]), array("float", [5, 0]), scalar("int32", 5)],
         "value_range should satisfy value_range[0] < value_range[1], but got '[5, 0]'"),
        ([array("float", [1]), array("float", [0, 5, 6]), scalar("int32", 5)], "value_range should be a vector of 2 elements."),
        ([array("float", [1]), array("float", [0, 5]), i32(5)], "nbins should be a scalar."),
        ([array("float", [1]), array("float", [0, 5]), scalar("int32", 0)], "nbins should be a positive number, but got '0'")):
        yield Case("HistogramFixedWidth", inputs, one, error=what)


def bounds():
    for op in ("LowerBound", "UpperBound"):
        for dtype in REALS:
            yield Case(op, [array(dtype, [[1, 2, 2, 3], [4, 5, 6, 6]]), array(dtype, [[0, 2, 9], [6, 5, 7]])], {"out_type": tf.int32})
        yield Case(op, [array("float", [[1, 2, 2, 3]]), array("float", [[0, np.nan, np.inf]])], {"out_type": tf.int64})
        yield Case(op, [np.zeros([1, 0], np.float32), array("float", [[1]])], {"out_type": tf.int32})
        yield Case(op, [np.zeros([2, 1], np.float32), np.zeros([2, 0], np.float32)], {"out_type": tf.int32})
        f = lambda *s: eighths("float", s)
        for x, v, what in (
            (f(2, 2), f(3, 1), "Leading dim_size of both tensors must match."),
            (f(2), f(1), "Shape must be rank 2 but is rank 1 for `sorted_inputs` argument"),
            (f(1, 2), f(1), "Shape must be rank 2 but is rank 1 for `values` argument")):
            yield Case(op, [x, v], {"out_type": tf.int32}, error=what)


def bits():
    for dtype in SIGNED + UNSIGNED:
        yield Case("PopulationCount", [array(dtype, [[0, 1, 3], [127, 64, 100]])])
    for dtype in SIGNED:
        yield Case("PopulationCount", [array(dtype, [-1, -128, -2])])


def counts():
    for dtype in ("int32", "int64", "float", "double"):
        none = np.zeros([0], eighths(dtype, (1,)).dtype)
        yield Case("Bincount", [i32(1, 4, 1, 7, 0), scalar("int32", 5), none])
        yield Case("Bincount", [i32(1, 4, 1, 7, 0), scalar("int32", 5), eighths(dtype, (5,))])
        yield Case("Bincount", [i32([1, 4], [2, 2]), scalar("int32", 5), eighths(dtype, (2, 2))])
    none = np.zeros([0], np.float32)
    yield Case("Bincount", [np.zeros([0], np.int32), scalar("int32", 3), none])
    yield Case("Bincount", [i32(1), scalar("int32", 0), none])
    for inputs, what in (
        ([i32(1, -2), scalar("int32", 3), none], "Input arr must be non-negative!"),
        ([i32(1), scalar("int32", -1), none], "size (-1) must be non-negative"),
        ([i32(1), i32(4), none], "Shape must be rank 0 but is rank 1"),
        ([i32(1, 2), scalar("int32", 4), array("float", [1])], "Input indices and weights must have the same size.")):
        yield Case("Bincount", inputs, error=what)


def picked():
    for op in ("SparseSegmentSumGradV2", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2"):
        for dtype in FLOATS:
            yield Case(op, [eighths(dtype, (3, 2)), i32(5, 2, 5, 0), i32(0, 0, 1, 2), scalar("int32", 8)], tol=LOOSE.get(dtype))
        g = eighths("float", (2, 2, 2))
        yield Case(op, [g, i64(5, 2, 5), i64(1, 0, 1), scalar("int32", 8)])
        yield Case(op, [g, i64(), i32(), scalar("int32", 8)])
        for indices, ids, size, what in (
            (i32(5, 9), i32(0, 1), 8, "Index 9 out of range [0, 8)."),
            (i32(5, 2), i32(0, 2), 8, "Invalid number of segments"),
            (i32(5, 2), i32(0), 8, "segment_ids and indices should have same size."),
            (i32(5), i32(0), -1, "Expected a non-negative size, got -1"),
            (i32(5), i32(0), [8], "dense_output_dim0 should be a scalar.")):
            size = np.asarray(size, np.int32)
            yield Case(op, [g, indices, ids, size], error=what)


def lrn_gradient():
    for dtype in ("float", "half"):
        x = [eighths(dtype, (2, 2, 1, 5), key=k) for k in "gxy"]
        yield Case("LRNGrad", x, {"depth_radius": 2, "bias": 1.0, "alpha": 0.5, "beta": 0.5}, tol=LOOSE.get(dtype))


def cases():
    for group in (lrn_gradient, unary, gammas, beta, after, buckets, bounds, bits, counts, picked):
        yield from group()
