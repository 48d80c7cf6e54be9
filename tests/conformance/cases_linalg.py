"""Matrix factorizations, determinants, inverses, linear equations."""

import numpy as np
import tensorflow as tf

from case import Case, array, eighths, i32

TYPES = ("float", "double", "complex64", "complex128")
TOL = {"half": 2e-2, "float": 1e-4, "complex64": 1e-4, "double": 1e-9, "complex128": 1e-9}


def case(op, dtype, inputs, attrs=None, grad=True, **more):
    tol = TOL[dtype]
    return Case(op, inputs, attrs or {}, grad=grad and dtype != "half", tol=tol, atol=tol, grad_tol=10 * tol, **more)


def regular(dtype, shape, key=0):
    """Returns matrices that are far from singular."""
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


EINSUMS = (
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,kj->ik", (2, 3), (4, 3)), ("ji,jk->ik", (3, 2), (3, 4)),
    ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("bij,bkj->bki", (2, 2, 3), (2, 4, 3)), ("ij,jk->ki", (2, 3), (3, 4)),
    ("...ij,...jk->...ik", (2, 1, 2, 3), (3, 3, 2)), ("...ij,jk->...ik", (2, 2, 3), (3, 2)),
    ("ij,...jk->...ik", (2, 3), (2, 1, 3, 2)), ("i...j,j->i...", (2, 2, 3), (3,)),
    ("btd,hde->bhte", (2, 3, 2), (2, 2, 3)), ("bhqd,bhkd->bhqk", (2, 2, 3, 2), (2, 2, 2, 2)),
    ("i,j->ij", (2,), (3,)), ("i,i->", (3,), (3,)), ("i,i->i", (3,), (3,)), (",ij->ji", (), (2, 3)), (",->", (), ()),
    ("ij,ij->", (2, 3), (2, 3)), ("ijk,jk->i", (2, 3, 2), (3, 2)), ("ija,jkb->ik", (2, 3, 2), (3, 2, 2)),
    ("iij,jk->ik", (2, 2, 3), (3, 2)), ("ij,jk->iik", (2, 2), (2, 2)), ("ii,jj->ij", (2, 2), (3, 3)),
    ("...,...->...", (2, 1), (3,)), ("ij,jk->...ik", (2, 3), (3, 2)), ("abc,cd->abd", (2, 2, 3), (3, 2)),
    ("ij->ji", (2, 3), None), ("ij->", (2, 3), None), ("ij->j", (2, 3), None), ("ijk->ki", (2, 3, 2), None),
    ("ii->i", (3, 3), None), ("ii->", (3, 3), None), ("i->ii", (3,), None), ("i->iii", (2,), None),
    ("iij->ji", (2, 2, 3), None), ("iijj->j", (2, 2, 2, 2), None), ("...i->...", (2, 3), None), ("...ij->...ji", (2, 1, 3), None),
    ("i...j->ij...", (2, 3, 2), None), ("ij->...ij", (2, 3), None), ("i...->...", (2, 2, 3), None), ("->", (), None),
)


def einsums():
    for equation, *shapes in EINSUMS:
        inputs = [eighths("float", s, key=(equation, i)) for i, s in enumerate(shapes) if s is not None]
        yield Case("Einsum", inputs, {"equation": equation, "N": len(inputs)}, grad=True)
    for dtype in TYPES + ("half", "bfloat16", "int32", "int64"):
        inexact = dtype not in ("int32", "int64")
        for equation, x, y in (("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("aib,...b->...ai", (2, 3, 2), (2, 1, 2))):
            yield Case("Einsum", [eighths(dtype, x), eighths(dtype, y, key=1)], {"equation": equation, "N": 2}, grad=inexact,
                       tol=TOL.get(dtype, 0.05) if inexact else None)
        yield Case("Einsum", [eighths(dtype, (3, 3, 2))], {"equation": "iik->k", "N": 1}, grad=inexact, tol=TOL.get(dtype, 0.05) if inexact else None)
    for x, y in (((2, 0), (0, 3)), ((0, 2), (2, 3)), ((2, 3), (3, 0))):
        yield Case("Einsum", [zeros(*x), zeros(*y)], {"equation": "ij,jk->ik", "N": 2})
    yield Case("Einsum", [zeros(0, 3)], {"equation": "ij->j", "N": 1})
    for equation, what, *shapes in (
            ("ij,jk->ik", "Expected dimension 3 at axis 0 of the input shaped [2,3] but got dimension 2", (2, 3), (2, 3)),
            ("ij,jk->ik", "Expected input 0 to have rank 2 but got: 3", (2, 3, 1), (3, 3)),
            ("...ijk->...ik", "Expected input 0 to have rank at least 3 but got: 2", (2, 3)),
            ("ii->i", "Expected dimension 2 at axis 1 of the input shaped [2,3] but got dimension 3", (2, 3)),
            ("...ij->ij", "Output contains 1 broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.", (2, 2, 2)),
            ("...ij,...jk->...ik", "Invalid broadcasting dimensions: [2,2,2] vs. [3,2,2]", (2, 2, 2), (3, 2, 2))):
        yield Case("Einsum", [zeros(*s) for s in shapes], {"equation": equation, "N": len(shapes)}, error=what)


def wrong_rank(op):
    yield Case(op, [zeros(2)], error="Input tensor 0 must have rank >= 2, got 1")


def qrs():
    for full in (False, True):
        attrs = {"full_matrices": full}
        for dtype in TYPES + ("half",):
            for m, n in ((3, 3), (4, 2), (2, 4), (1, 1), (1, 3), (3, 1)):
                x = eighths(dtype, (m, n), key=("qr", m)) + np.eye(m, n).astype(eighths(dtype, (1,)).dtype)
                yield case("Qr", dtype, [x], attrs, grad=m <= n or not full, static_only=True)
            yield case("Qr", dtype, [eighths(dtype, (2, 1, 3, 2), key="b")], attrs, grad=not full, static_only=True)
        for shape in ((0, 3), (3, 0), (0, 0), (2, 0, 3), (2, 3, 0), (0, 3, 2)):
            yield Case("Qr", [zeros(*shape)], attrs)
    yield case("Qr", "float", [eighths("float", (20, 17))], grad=False)
    yield from wrong_rank("Qr")


def svds():
    for full in (False, True):
        attrs = {"full_matrices": full}
        for dtype in TYPES:
            for m, n in ((3, 3), (4, 2), (2, 4), (3, 2), (2, 3), (1, 1), (1, 3), (3, 1)):
                x = regular(dtype, (m, n)) if m == n else eighths(dtype, (m, n), key=("svd", m))
                # The phases of complex vectors are arbitrary, and so are their gradients.
                grad = "complex" not in dtype and (not full or abs(m - n) <= 1)
                yield case("Svd", dtype, [x], attrs, grad=grad, static_only=True)
            yield case("Svd", dtype, [eighths(dtype, (2, 1, 3, 2), key="b")], attrs, grad="complex" not in dtype, static_only=True)
        for shape in ((0, 3), (3, 0), (0, 0), (2, 0, 3), (2, 3, 0), (0, 3, 2)):
            yield Case("Svd", [zeros(*shape)], attrs)
        yield Case("Svd", [array("float", [[1, 2], [np.nan, 3], [1, 0]])], attrs)
    yield case("Svd", "float", [eighths("float", (20, 18))], grad=False)
    yield case("Svd", "double", [eighths("double", (17, 30))], {"full_matrices": True}, grad=False)
    yield from wrong_rank("Svd")


def square_roots():
    op = "MatrixSquareRoot"
    for dtype in TYPES:
        for shape in ((3, 3), (2, 3, 3), (1, 1), (2, 1, 2, 2)):
            yield case(op, dtype, [positive(dtype, shape, "r")])
            yield case(op, dtype, [regular(dtype, shape, "r")])
    for shape in ((0, 0), (2, 0, 0), (0, 2, 2)):
        yield Case(op, [zeros(*shape)])
    yield from wrong(op)


def tridiagonals():
    op = "TridiagonalSolve"
    for dtype in TYPES:
        for pivoting in (False, True):
            attrs = {"partial_pivoting": pivoting}
            for m, k in ((4, 2), (1, 2), (2, 1), (5, 3)):
                d, b = eighths(dtype, (3, m), 0.5, 2, "d"), eighths(dtype, (m, k), key="b")
                d[1] += 3
                yield case(op, dtype, [d, b], attrs, static_only=True)
            d, b = eighths(dtype, (2, 3, 4), 0.5, 2, "d"), eighths(dtype, (2, 4, 2), key="b")
            yield case(op, dtype, [d, b], attrs, grad=pivoting, static_only=True)
    # Small pivots come first.
    d = array("double", [[2, 3, 1, 0], [0, 0.125, 0, 2], [0, 4, 1, 3]])
    yield case(op, "double", [d, eighths("double", (4, 2))], static_only=True)
    for pivoting in (False, True):
        yield Case(op, [zeros(3, 4), zeros(4, 2) + 1], {"partial_pivoting": pivoting})
        yield Case(op, [zeros(3, 1), zeros(1, 2) + 1], {"partial_pivoting": pivoting})
    for d in ([[0, 0, 0], [10, 0, 1], [0, 0, 0]], [[7, 0, 0], [1, 0, 3], [0, 0, 0]], [[0, 0, 0]] * 3):
        yield Case(op, [array("float", d), zeros(3, 1) + 1], {"perturb_singular": True})
    for d, b in (((3, 0), (0, 2)), ((0, 3, 2), (0, 2, 1)), ((3, 2), (2, 0))):
        yield Case(op, [zeros(*d), zeros(*b)])
    for d, b, what in (((2, 4), (4, 2), "Expected diagonals to be provided as a matrix with 3 rows, got 2 rows."),
                       ((3, 4), (5, 2), "Expected the same number of left-hand sides and right-hand sides, got 4 and 5."),
                       ((3,), (5, 2), "Input tensor 0 must have rank >= 2, got 1"), ((3, 4), (4,), "All input tensors must have the same rank."),
                       ((2, 3, 4), (3, 4, 2), "All input tensors must have the same outer dimensions.")):
        yield Case(op, [zeros(*d), zeros(*b)], error=what)
    yield Case(op, [zeros(3, 4), zeros(4, 2)], {"partial_pivoting": False, "perturb_singular": True},
               error="Setting perturb_singular requires also setting partial_pivoting.")


def least_squares():
    op = "MatrixSolveLs"
    for dtype in TYPES:
        for a, b in (((4, 2), (4, 3)), ((2, 4), (2, 1)), ((3, 3), (3, 2)), ((2, 3, 2), (2, 3, 1)), ((1, 1), (1, 1))):
            for l2 in (0.0, 0.5):
                x, y = eighths(dtype, a, key="ls") + np.eye(*a[-2:]).astype(eighths(dtype, (1,)).dtype), eighths(dtype, b, key="b")
                yield case(op, dtype, [x, y, np.float64(l2)], {"fast": True}, static_only=True)
                yield case(op, dtype, [x, y, np.float64(l2)], {"fast": False}, grad=False)
        yield case(op, dtype, [array(dtype, np.ones((3, 2))), eighths(dtype, (3, 2), key="b"), np.float64(0)], {"fast": False}, grad=False)
    none = np.float64(0)
    for a, b in (((3, 0), (3, 1)), ((3, 2), (3, 0)), ((0, 3, 2), (0, 3, 1))):
        yield Case(op, [zeros(*a) + 1, zeros(*b), none])
    for l2 in (np.float64(-1), np.float64(np.nan)):
        yield Case(op, [zeros(0, 3, 2), zeros(0, 3, 1), l2])
    for a, b, what in (((2,), (2, 1), "Input tensor 0 must have rank >= 2, got 1"), ((3, 2), (4, 1), "Input matrix and rhs are incompatible."),
                       ((3, 2), (3,), "All input tensors must have the same rank."),
                       ((2, 3, 2), (3, 3, 1), "All input tensors must have the same outer dimensions."),
                       ((3, 2), (3, 1), "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger")):
        yield Case(op, [zeros(*a), zeros(*b), none], error=what)
    yield Case(op, [zeros(3, 2) + 1, zeros(3, 1), np.float64(-1)], error="l2_regularizer must be >= 0.")
    yield Case(op, [zeros(3, 2) + 1, zeros(3, 1), np.zeros(1)], error="l2_regularizer must be scalar, got shape [1]")


def logarithms():
    op = "MatrixLogarithm"
    for dtype in ("complex64", "complex128"):
        for shape in ((3, 3), (2, 3, 3), (1, 1), (2, 1, 2, 2)):
            yield case(op, dtype, [positive(dtype, shape, "r")], grad=False)
            yield case(op, dtype, [regular(dtype, shape, "r")], grad=False)
        yield case(op, dtype, [array(dtype, [[1, np.nan], [0, 1]])], grad=False)
    for shape in ((0, 0), (2, 0, 0), (0, 2, 2)):
        yield Case(op, [np.zeros(shape, np.complex64)])
    yield Case(op, [np.zeros(2, np.complex64)], error="must have rank >= 2, got 1")
    yield Case(op, [np.zeros((2, 3), np.complex64)], error="Input matrix must be square.")


def tridiagonal_products():
    op = "TridiagonalMatMul"
    for dtype in TYPES:
        for d, b in (((1, 4), (4, 2)), ((1, 1), (1, 3)), ((2, 1, 3), (2, 3, 1))):
            yield case(op, dtype, [eighths(dtype, d, key=k) for k in range(3)] + [eighths(dtype, b, key="b")], static_only=True)
    yield Case(op, [zeros(1, 0)] * 3 + [zeros(0, 2)])
    yield Case(op, [zeros(0, 1, 3)] * 3 + [zeros(0, 3, 2)])
    for above, rest, b, what in (((1, 3), (1, 4), (4, 2), "Invalid superdiagonal shape."), ((2, 4), (1, 4), (4, 2), "Invalid superdiagonal shape."),
                                 ((4,), (4,), (4, 2), "Input tensor 0 must have rank >= 2, got 1"),
                                 ((2, 1, 4), (2, 1, 4), (4, 2), "All input tensors must have the same rank."),
                                 ((2, 1, 4), (2, 1, 4), (3, 4, 2), "All input tensors must have the same outer dimensions.")):
        yield Case(op, [zeros(*above), zeros(*rest), zeros(*rest), zeros(*b)], error=what)


def cases():
    for group in (least_squares, logarithms, tridiagonal_products, cholesky, determinants, lu, inverses, solutions, triangular, eigen, einsums, qrs, svds, square_roots, tridiagonals):
        yield from group()
