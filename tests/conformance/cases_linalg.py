"""Factors of matrices, determinants, inverses, linear equations."""

import numpy as np
import tensorflow as tf

from case import Case, array, eighths, i32

TYPES = ("float", "double", "complex64", "complex128")
TOL = {"half": 2e-2, "float": 1e-4, "complex64": 1e-4, "double": 1e-9, "complex128": 1e-9}


def case(op, dtype, inputs, attrs=None, grad=True, **more):
    tol = TOL[dtype]
    return Case(op, inputs, attrs or {}, grad=grad and dtype != "half", tol=tol, atol=tol, grad_tol=10 * tol, **more)


def regular(dtype, shape, key=0):
    """Matrices that are far from singular."""
    x = eighths(dtype, shape, -2, 2, key)
    n = shape[-1]
    return (x + np.where(np.eye(n), 5 + np.arange(n), 0)).astype(x.dtype)


def positive(dtype, shape, key=0):
    x = eighths(dtype, shape, -1, 1, key).astype(np.complex128 if "complex" in dtype else np.float64)
    a = x @ np.conj(np.swapaxes(x, -1, -2)) + 2 * np.eye(shape[-1])
    return a.astype(eighths(dtype, (1,)).dtype)


def zeros(*shape):
    return np.zeros(shape, np.float32)


def wrong(op, attrs=None):
    yield Case(op, [zeros(2)], attrs or {}, error="must have rank >= 2, got 1")
    yield Case(op, [zeros(2, 3)], attrs or {}, error="Input matrix must be square.")


def cholesky():
    for dtype in TYPES:
        for shape in ((3, 3), (2, 3, 3), (1, 1)):
            yield case("Cholesky", dtype, [positive(dtype, shape)])
    yield case("Cholesky", "float", [positive("float", (2, 1, 4, 4))])
    for shape in ((0, 0), (2, 0, 0), (0, 2, 2)):
        yield Case("Cholesky", [zeros(*shape)])
    yield from wrong("Cholesky")
    for dtype in ("float", "double"):
        for shape in ((3, 3), (2, 4, 4)):
            l = np.linalg.cholesky(positive(dtype, shape).astype(np.float64)).astype(eighths(dtype, (1,)).dtype)
            yield case("CholeskyGrad", dtype, [l, np.tril(eighths(dtype, shape, key="g"))], grad=False)


def determinants():
    for op in ("MatrixDeterminant", "LogMatrixDeterminant"):
        for dtype in TYPES:
            real = "complex" not in dtype
            for shape in ((3, 3), (2, 3, 3), (2, 1, 2, 2), (1, 1)):
                yield case(op, dtype, [regular(dtype, shape)], grad=real)
            yield case(op, dtype, [-regular(dtype, (3, 3))], grad=real)
            yield case(op, dtype, [array(dtype, [[1, 2], [2, 4]])], grad=False)
        for shape in ((0, 0), (2, 0, 0), (0, 2, 2)):
            yield Case(op, [zeros(*shape)])
        yield from wrong(op)


def lu():
    for dtype in TYPES:
        for index in (tf.int32, tf.int64):
            yield case("Lu", dtype, [regular(dtype, (2, 4, 4))[:, ::-1]], {"output_idx_type": index}, grad=False)
        yield case("Lu", dtype, [array(dtype, [[1, 2, 3], [4, 5, 6], [7, 8, 10]])], {"output_idx_type": tf.int32}, grad=False)
    for shape in ((0, 0), (2, 0, 0), (0, 2, 2)):
        yield Case("Lu", [zeros(*shape)], {"output_idx_type": tf.int32})
    yield from wrong("Lu", {"output_idx_type": tf.int32})
    yield Case("Lu", [zeros(2, 2)], {"output_idx_type": tf.int32}, error="Input is not invertible.")


def inverses():
    for dtype in TYPES + ("half",):
        for adjoint in (False, True):
            for shape in ((3, 3), (2, 3, 3), (1, 1)):
                yield case("MatrixInverse", dtype, [regular(dtype, shape)], {"adjoint": adjoint})
    for shape in ((0, 0), (2, 0, 0), (0, 2, 2)):
        yield Case("MatrixInverse", [zeros(*shape)])
    yield from wrong("MatrixInverse")
    yield Case("MatrixInverse", [array("float", [[1, 2], [2, 4]])], error="Input is not invertible.")


def solutions():
    for dtype in TYPES:
        for adjoint in (False, True):
            for a, b in (((3, 3), (3, 2)), ((2, 3, 3), (2, 3, 1)), ((1, 1), (1, 1))):
                yield case("MatrixSolve", dtype, [regular(dtype, a), eighths(dtype, b, key="b")], {"adjoint": adjoint})
    for a, b in (((0, 0), (0, 1)), ((2, 2), (2, 0)), ((0, 2, 2), (0, 2, 1))):
        yield Case("MatrixSolve", [zeros(*a) + 1, zeros(*b)])
    for a, b, what in (((2, 3), (2, 1), "First input (lhs) must be a square matrix."), ((2, 2), (3, 1), "Input matrix and rhs are incompatible."),
                       ((2, 2), (2, 1), "Input matrix is not invertible."), ((2, 2), (2,), "All input tensors must have the same rank."),
                       ((2,), (2, 1), "Input tensor 0 must have rank >= 2, got 1")):
        yield Case("MatrixSolve", [zeros(*a), zeros(*b)], error=what)


def triangular():
    op = "MatrixTriangularSolve"
    for dtype in TYPES:
        for lower in (False, True):
            for adjoint in (False, True):
                attrs = {"lower": lower, "adjoint": adjoint}
                yield case(op, dtype, [regular(dtype, (3, 3)), eighths(dtype, (3, 2), key="b")], attrs)
                yield case(op, dtype, [regular(dtype, (2, 3, 3)), eighths(dtype, (2, 3, 1), key="b")], attrs)
    attrs = {"lower": True, "adjoint": False}
    for a, b in (((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 2)), ((2, 1, 3, 3), (4, 3, 3)), ((1, 3, 3), (2, 3, 3))):
        yield case(op, "float", [regular("float", a), eighths("float", b, key="b")], attrs)
    yield case(op, "float", [regular("float", (3, 3)), regular("float", (3, 3), 1)], attrs)
    for a, b in (((0, 0), (0, 1)), ((0, 2, 2), (0, 2, 1))):
        yield Case(op, [zeros(*a), zeros(*b)])
    yield Case(op, [zeros(2, 2), zeros(2, 1) + 1])
    for a, b, what in (((2, 3), (2, 1), "In[0] matrices in the last dimensions must be square (3 =/= 2)"),
                       ((2, 2), (3, 1), "In[0] mismatch In[1] shape: 2 vs. 3"), ((2, 2), (2,), "In[1] ndims must be >= 2: 1"),
                       ((2,), (2, 1), "In[0] ndims must be >= 2: 1"),
                       ((4, 2, 2), (3, 2, 1), "In[0] and In[1] must have compatible batch dimensions: [4,2,2] vs. [3,2,1]")):
        yield Case(op, [zeros(*a), zeros(*b)], error=what)


def eigen():
    op = "SelfAdjointEigV2"
    for dtype in TYPES:
        real = "complex" not in dtype
        for shape in ((3, 3), (2, 4, 4), (1, 1)):
            yield case(op, dtype, [positive(dtype, shape, "e")], {"compute_v": True}, grad=real)
    for shape in ((0, 0), (2, 0, 0), (0, 2, 2)):
        yield Case(op, [zeros(*shape)], {"compute_v": True})
    yield from wrong(op, {"compute_v": True})
    yield Case(op, [array("float", [[np.nan, 0], [0, 1]])], {"compute_v": True},
               error="Self-adjoint eigen decomposition was not successful. The input might not be valid.")


def cases():
    for group in (cholesky, determinants, lu, inverses, solutions, triangular, eigen):
        yield from group()
