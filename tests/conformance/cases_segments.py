"""Segments of rows, the largest elements, and special functions."""

import numpy as np
import tensorflow as tf

from case import COMPLEX, FLOATS, LOOSE, NUMBERS, REALS, SIGNED, UNSIGNED, Case, array, eighths, i32, i64, nonzero, scalar


def sorted_segments():
    for op in ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"):
        for dtype in NUMBERS if op in ("SegmentSum", "SegmentProd") else REALS:
            grad = dtype in ("float", "double")
            yield Case(op, [nonzero(eighths(dtype, (4, 3), 1, 2, op)), i32(0, 0, 1, 3)], grad=grad, tol=LOOSE.get(dtype))
        x = eighths("float", (5, 2, 2), -1, 1, op)
        yield Case(op, [x, i64(0, 1, 1, 1, 4)], grad=op != "SegmentProd")
        yield Case(op, [eighths("float", (3,), key=op), i32(2, 2, 2)], grad=True)
        yield Case(op, [eighths("float", (0, 2)), np.zeros([0], np.int32)])
    yield Case("SegmentProd", [array("float", [[0, 2], [3, 0], [0, 0], [4, 5]]), i32(0, 0, 0, 1)], grad=True)
    f = lambda *s: eighths("float", s)
    for x, ids, what in (
        (f(3, 2), i32(0, 1, 0), "segment ids are not increasing"),
        (f(3, 2), i32(-1, 0, 1), "Segment id -1 out of range [0, 2), possibly because 'segment_ids' input is not sorted."),
        (f(3, 2), i32(0, 1), "segment_ids should be the same size as dimension 0 of input."),
        (f(3, 2), i32([0], [1], [1]), "segment_ids should be a vector."),
        (f(), i32(0), "input must be at least rank 1")):
        yield Case("SegmentSum", [x, ids], error=what)


def unsorted_segments():
    for op in ("UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"):
        for dtype in NUMBERS if op == "UnsortedSegmentProd" else REALS:
            grad = dtype in ("float", "double")
            yield Case(op, [nonzero(eighths(dtype, (4, 3), 1, 2, op)), i32(2, 0, -1, 2), scalar("int32", 4)], grad=grad,
                       tol=LOOSE.get(dtype))
        yield Case(op, [nonzero(eighths("float", (2, 3, 2), key=op)), i64([0, 1, 1], [3, 0, 1]), scalar("int64", 4)], grad=True)
        yield Case(op, [eighths("float", (0, 2)), np.zeros([0], np.int32), scalar("int32", 2)])
    yield Case("UnsortedSegmentMax", [eighths("float", (3, 2)), i32(0, 1, 5), scalar("int32", 3)],
               error="segment_ids[2] = 5 is out of range [0, 3)")


def top():
    for dtype in REALS:
        x = array(dtype, [[3, 1, 2, 5, 5, 0], [1, 1, 4, 0, 2, 4]])
        for k in (0, 1, 3, 6):
            yield Case("TopKV2", [x, scalar("int32", k)], {"index_type": tf.int32}, grad=dtype in ("float", "double") and k > 0)
    yield Case("TopKV2", [eighths("float", (9,)), scalar("int64", 2)], {"index_type": tf.int64})
    yield Case("TopKV2", [eighths("float", (3, 60), -20, 20), scalar("int16", 5)], {"index_type": tf.int16})
    yield Case("TopKV2", [eighths("float", (0, 3)), scalar("int32", 2)], {"index_type": tf.int32})
    f = lambda *s: eighths("float", s)
    for x, k, what in (
        (f(), scalar("int32", 1), "input must be >= 1-D, got shape []"),
        (f(2, 3), scalar("int32", 4), "input must have at least k columns. Had 3, needed 4"),
        (f(2, 3), scalar("int32", -1), "Need k >= 0, got -1"),
        (f(2, 3), i32(1, 2), "k must be scalar, got shape [2]")):
        yield Case("TopKV2", [x, k], {"index_type": tf.int32}, error=what)


def special():
    for dtype in ("float", "double", "half"):
        x = eighths(dtype, (2, 4), 0.5, 6)
        yield Case("Lgamma", [x], grad=dtype in ("float", "double"), tol=LOOSE.get(dtype, 1e-5 if dtype == "float" else 1e-11),
                   grad_tol=1e-4 if dtype == "float" else 1e-9)
        yield Case("Digamma", [x], grad=dtype in ("float", "double"), tol=LOOSE.get(dtype, 1e-5 if dtype == "float" else 1e-11),
                   atol=1e-6, grad_tol=1e-4 if dtype == "float" else 1e-9)
    wild = [0, -1, -0.5, 1e-3, 30, np.inf, np.nan, -3.25, 100]
    for dtype in ("float", "double"):
        tol = 2e-5 if dtype == "float" else 1e-10
        yield Case("Lgamma", [array(dtype, wild)], tol=tol)
        yield Case("Digamma", [array(dtype, wild)], tol=tol)
        yield Case("Polygamma", [array(dtype, [0, 1, 2, 3, 1.5, -1, 5]), array(dtype, [2, 0.25, 2, 7, 2, 2, 40])], tol=tol)
        yield Case("Polygamma", [array(dtype, [[1], [2]]), eighths(dtype, (2, 3), 0.5, 4)], grad=True, tol=tol, grad_tol=10 * tol)
        yield Case("Zeta", [array(dtype, [2, 1, 0.5, 3, 2, 1.5, 9]), array(dtype, [1, 1, 1, 2.5, 30, 0.25, 4])], tol=tol)
        yield Case("Zeta", [array(dtype, [[2.5], [4]]), eighths(dtype, (2, 3), 0.5, 4)], grad=True, tol=tol, grad_tol=10 * tol)
    for dtype in FLOATS:
        yield Case("EuclideanNorm", [eighths(dtype, (2, 3, 4), 0.5, 2), i32(0, 2)], grad=True, tol=LOOSE.get(dtype))
    for dtype in COMPLEX:
        yield Case("EuclideanNorm", [eighths(dtype, (2, 3, 4), 0.5, 2), i32(0, 2)], grad=True)
        yield Case("EuclideanNorm", [eighths(dtype, (2, 3), -2, 2), i32(1)], {"keep_dims": True}, grad=True)
    for dtype in SIGNED + UNSIGNED:
        yield Case("EuclideanNorm", [eighths(dtype, (2, 3, 4), 0, 3), i32(0, 2)])
        yield Case("EuclideanNorm", [array(dtype, [[3, 4, 7], [5, 2, 100], [0, 0, 0]]), i32(1)])
    for axes in (i32(), i32(1), i32(-1, 0), i64(0, 1, 2)):
        for keep in (False, True):
            yield Case("EuclideanNorm", [eighths("float", (2, 3, 4), 0.5, 2), axes], {"keep_dims": keep}, grad=axes.size > 0)
    for dtype in ("float", "double"):
        yield Case("LinSpace", [scalar(dtype, -1), scalar(dtype, 2), scalar("int32", 7)], tol=LOOSE.get(dtype))
    for num in (1, 2):
        yield Case("LinSpace", [scalar("float", 3), scalar("float", -2), scalar("int64", num)])
    for start, stop in ((-np.inf, 2), (1, np.inf)):
        yield Case("LinSpace", [scalar("double", start), scalar("double", stop), scalar("int32", 4)])
    yield Case("LinSpace", [scalar("float", 3), scalar("float", -2), scalar("int64", 0)], error="Requires num > 0: 0")
    for dtype in REALS:
        yield Case("Cross", [eighths(dtype, (2, 3), key="a"), eighths(dtype, (2, 3), key="b")], grad=dtype in ("float", "double"),
                   tol=LOOSE.get(dtype))
    f = lambda *s: eighths("float", s)
    yield Case("Cross", [f(2, 4), f(2, 4)], error="Cross-products are only defined for 3-element vectors.")
    yield Case("Cross", [f(2, 3), f(3)], error="Both inputs must be of same shape: [2,3] vs. [3]")


def counted():
    for index in (i32, i64):
        size = index(5).reshape(())
        x, rows = index(1, 4, 1, 7, 0), index([1, 4, 1], [2, 2, 9])
        for dtype in ("int32", "int64", "float", "double"):
            none = np.zeros([0], eighths(dtype, (1,)).dtype)
            yield Case("DenseBincount", [x, size, none])
            yield Case("DenseBincount", [x, size, eighths(dtype, (5,))])
            yield Case("DenseBincount", [rows, size, eighths(dtype, (2, 3))])
            yield Case("DenseBincount", [rows, size, none], {"binary_output": True})
    none = np.zeros([0], np.float32)
    yield Case("DenseBincount", [np.zeros([0], np.int32), scalar("int32", 3), none])
    for inputs, what in (
        ([i32(1, -2), scalar("int32", 3), none], "Input arr must be non-negative!"),
        ([i32(1), scalar("int32", -1), none], "size (-1) must be non-negative"),
        ([i32(1, 2), scalar("int32", 4), array("float", [1])], "`weights` must be the same shape as `arr`")):
        yield Case("DenseBincount", inputs, error=what)


def cases():
    for group in (sorted_segments, unsorted_segments, top, special, counted):
        yield from group()
