"""Fractional pooling and its gradients."""

import numpy as np

from case import Case, eighths, i64

DTYPES = ("float", "double", "int32", "int64")
OPS = ("FractionalMaxPool", "FractionalAvgPool")


def attrs(rows, columns, seed=3, seed2=4, **more):
    return {"pooling_ratio": [1.0, rows, columns, 1.0], "deterministic": True, "seed": seed, "seed2": seed2, **more}


def pools():
    for op in OPS:
        for dtype in DTYPES:
            yield Case(op, [eighths(dtype, (2, 7, 8, 2))], attrs(1.5, 1.25), grad=dtype in ("float", "double"), static_only=True)
        for pseudo_random in (False, True):
            for overlapping in (False, True):
                for rows, columns, seed in ((1.0, 2.0, 1), (1.41, 1.73, 5), (2.3, 5.5, -7), (3.0, 1.99, 2 ** 40 + 1)):
                    yield Case(op, [eighths("double", (1, 23, 11, 2))],
                               attrs(rows, columns, seed, pseudo_random=pseudo_random, overlapping=overlapping), grad=True, static_only=True)
        yield Case(op, [np.array([np.nan, 2, -np.inf, np.inf] * 4, np.float32).reshape(1, 4, 4, 1)], attrs(1.5, 1.5))
        yield Case(op, [np.full((1, 3, 3, 2), 2 ** 31 - 1, np.int32)], attrs(2.0, 1.5))


def gradients():
    rows, columns = i64(0, 2, 3), i64(0, 1, 3, 4)
    for dtype in DTYPES:
        x = np.arange(2 * 3 * 4 * 2).reshape(2, 3, 4, 2) * 7 % 11
        x = x.astype(eighths(dtype, ()).dtype)
        for overlapping in (False, True):
            y = np.array([[[x[n, r:r2 + overlapping, c:c2 + overlapping].max(axis=(0, 1)) for c, c2 in zip(columns, columns[1:])]
                           for r, r2 in zip(rows, rows[1:])] for n in range(2)], x.dtype)
            dy = eighths(dtype, y.shape, key="dy")
            yield Case("FractionalMaxPoolGrad", [x, y, dy, rows, columns], {"overlapping": overlapping})
            yield Case("FractionalAvgPoolGrad", [i64(*x.shape), 9 * dy, rows, columns], {"overlapping": overlapping})
    y = np.ones((1, 2, 2, 1), np.float32)
    yield Case("FractionalAvgPoolGrad", [i64(1, 4, 4, 1), y, i64(0, 2, 4, -1), i64(0, 2, 4)])
    yield Case("FractionalAvgPoolGrad", [i64(1, 4, 4, 1), y, i64(0, 2, 0), i64(3, 2, 1)], {"overlapping": True})


def gradients_of_unusual_shapes():
    """Gradients of fewer images, and sequences that are longer, in another order, or beyond the image."""
    dy = eighths("float", (1, 2, 3, 2), key="dy")
    for shape, rows, columns in (
        ((2, 3, 4, 2), (0, 2, 3), (0, 1, 3, 4)), ((1, 3, 4, 2), (0, 2, 3, -1), (0, 1, 3, 4, -9)),
        ((1, 3, 4, 2), (2, 1, 3), (0, 1, 3, 4)), ((1, 3, 4, 2), (0, 2, 9), (7, 8, 9, 9)),
        ((1, 3, 4, 2), ([0], [2], [3]), (0, 1, 3, 4))):
        for overlapping in (False, True):
            yield Case("FractionalAvgPoolGrad", [i64(*shape), dy, i64(*rows), i64(*columns)], {"overlapping": overlapping})
    yield Case("FractionalAvgPoolGrad", [i64(1, 3, 4, 2), dy, i64(0, 0, 3), i64(0, 0, 0, 0)], {"overlapping": True})


def errors():
    x = eighths("float", (2, 5, 6, 1))
    ratio = lambda *values: {**attrs(1.5, 1.5), "pooling_ratio": list(values)}
    for op, kind in zip(OPS, ("max", "average")):
        for value, more, what in (
            (x[0], attrs(1.5, 1.5), "tensor_in must be 4-dimensional"),
            (x, ratio(2.0, 1.0, 1.0, 1.0), f"Fractional {kind} pooling is not yet supported on the batch nor channel dimension."),
            (x, attrs(5.5, 1.5), "Pooling ratio is higher than input dimension size for dimension 1. Input dim size: 5 pooling ratio: 5.5"),
            (x[:0], attrs(1.5, 1.5), "Pooling ratio is higher than input dimension size for dimension 0. Input dim size: 0 pooling ratio: 1"),
            (x, attrs(1.5, 1.5, deterministic=False), "Both seed and seed2 should be 0 if deterministic is false.")):
            yield Case(op, [value], more, error=what)
    yield from gradient_errors()


def gradient_errors():
    x, y, rows = eighths("float", (1, 4, 4, 1)), np.ones((1, 2, 2, 1), np.float32), i64(0, 2, 4)
    for inputs, what in (
        ([x[0], y, y, rows, rows], "orig_input should be a tensor of rank 4, got "),
        ([x, y[0], y, rows, rows], "orig_output should be a tensor of rank 4, got "),
        ([x[:, :0], y, y, rows, rows], "orig_input must not be empty, got "),
        ([x, y[:0], y, rows, rows], "orig_output must not be empty, got "),
        ([x, y, y, rows[None], rows], "row_pooling_sequence must be a vector, received shape [1,3]"),
        ([x, y, y, rows, rows[None]], "col_pooling_sequence must be a vector, received shape [1,3]")):
        yield Case("FractionalMaxPoolGrad", inputs, error=what)
    for inputs, what in (
        ([i64(1, 4, 4), y, rows, rows], "original input tensor shape must be1-dimensional and 4 elements"),
        ([i64(1, 0, 4, 1), y, rows, rows], "Rows dimension of input must not be 0"),
        ([i64(1, 4, 4, 1), y[0], rows, rows], "out_backprop must be 4-dimensional"),
        ([i64(1, 4, 4, 1), y[:0], rows, rows], "out_backprop must be positive for all dimension, got:0"),
        ([i64(1, 4, 4, 1), y, rows[:2], rows], "Given out_backprop shape [1,2,2,1], row_seq_tensor must have at least 3 elements, but got 2"),
        ([i64(1, 4, 4, 1), y, rows, rows[1:]], "Given out_backprop shape [1,2,2,1], col_seq_tensor must have at least 3 elements, but got 2"),
        ([i64(1, 4, 4, 1), y, i64(-1, 2, 4), rows], "Row sequence tensor values must not be negative, got "),
        ([i64(1, 4, 4, 1), y, i64(0, 4, 0), rows], "Row sequence tensor values must not be negative, got "),
        ([i64(1, 4, 4, 1), y, rows, i64(0, 2, -4)], "Column sequence tensor values must not be negative, got "),
        ([i64(1, 4, 4, 1), y, i64(0, 0, 4), rows], "Row sequence tensor values must not be negative, got "),
        ([i64(1, 4, 4, 1), y, rows, i64(1, 0, 4)], "Column sequence tensor values must not be negative, got ")):
        yield Case("FractionalAvgPoolGrad", inputs, error=what)


def cases():
    yield from pools()
    yield from gradients()
    yield from gradients_of_unusual_shapes()
    yield from errors()
