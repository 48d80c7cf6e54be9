"""Linear equations, determinants and eigenvalues of batches of matrices."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_basics, array_diag
from ramet.ops.control_flow.cond import cond
from ramet.ops.linalg import linalg_ops
from ramet.ops.math import math_linear, math_reduce


@export('linalg.triangular_solve', 'matrix_triangular_solve')
def matrix_triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """Solves matrix * x = rhs for triangular matrices.

    Args:
      matrix: a tensor [..., m, m], only one triangle of which is read.
      rhs: a tensor [..., m, k] of the same dtype.
      lower: whether to read the lower instead of the upper triangle.
      adjoint: whether to solve matrix^H * x = rhs.
      name: the name of the scope.

    Returns:
      A tensor [..., m, k].
    """
    with ops.name_scope(name, 'triangular_solve', [matrix, rhs]):
        return gen.MatrixTriangularSolve(matrix, rhs, lower=lower, adjoint=adjoint)


@export('linalg.cholesky_solve', 'cholesky_solve')
def cholesky_solve(chol, rhs, name=None):
    """Solves a * x = rhs for matrices a, given their Cholesky factors.

    Args:
      chol: a tensor [..., m, m], tf.linalg.cholesky(a).
      rhs: a tensor [..., m, k] of the same dtype.
      name: the name of the scope.

    Returns:
      A tensor [..., m, k].
    """
    with ops.name_scope(name, 'cholesky_solve', [chol, rhs]):
        y = gen.MatrixTriangularSolve(chol, rhs, adjoint=False, lower=True)
        return gen.MatrixTriangularSolve(chol, y, adjoint=True, lower=True)


@export('linalg.logdet')
def logdet(matrix, name=None):
    """Returns the logarithms of the determinants of Hermitian positive definite matrices.

    Args:
      matrix: a tensor [..., m, m].
      name: the name of the scope.

    Returns:
      A tensor [...] of the same dtype.
    """
    with ops.name_scope(name, 'logdet', [matrix]):
        chol = gen.Cholesky(matrix)
        diagonal = array_diag.matrix_diag_part(chol)
        if diagonal.dtype.is_complex:
            diagonal = gen.Real(diagonal, Tout=diagonal.dtype.real_dtype)
        return 2.0 * math_reduce.reduce_sum(gen.Log(diagonal), axis=[-1])


@export('linalg.eigh', 'self_adjoint_eig')
def self_adjoint_eig(tensor, name=None):
    """Returns the eigenvalues and eigenvectors of Hermitian matrices.

    Args:
      tensor: a tensor [..., n, n], only the lower triangles of which are read.
      name: the name of the operation.

    Returns:
      e, the eigenvalues in ascending order, and v, with the eigenvectors as columns.
    """
    e, v = gen.SelfAdjointEigV2(tensor, compute_v=True, name=name)
    return e, v


@export('linalg.eigvalsh', 'self_adjoint_eigvals')
def self_adjoint_eigvals(tensor, name=None):
    """Returns the eigenvalues of Hermitian matrices.

    Args:
      tensor: a tensor [..., n, n], only the lower triangles of which are read.
      name: the name of the operation.

    Returns:
      A tensor [..., n], in ascending order.
    """
    e, _ = gen.SelfAdjointEigV2(tensor, compute_v=False, name=name)
    return e


def _gramian_cholesky(matrix, l2_regularizer, first):
    """Returns the Cholesky factor of A^H * A (or A * A^H) + l2_regularizer * identity."""
    gramian = math_linear.matmul(matrix, matrix, adjoint_a=first, adjoint_b=not first)
    if isinstance(l2_regularizer, ops.Tensor) or l2_regularizer != 0:
        shape = array_basics.shape(matrix)
        batch = shape[:-2]
        size = shape[-1] if first else shape[-2]
        identity = linalg_ops.eye(size, batch_shape=batch, dtype=matrix.dtype)
        known = matrix.shape[-1 if first else -2]
        identity.set_shape(matrix.shape[:-2].concatenate([known, known]))
        gramian += l2_regularizer * identity
    return gen.Cholesky(gramian)


def _overdetermined(matrix, rhs, l2_regularizer):
    chol = _gramian_cholesky(matrix, l2_regularizer, True)
    return cholesky_solve(chol, math_linear.matmul(matrix, rhs, adjoint_a=True))


def _underdetermined(matrix, rhs, l2_regularizer):
    chol = _gramian_cholesky(matrix, l2_regularizer, False)
    return math_linear.matmul(matrix, cholesky_solve(chol, rhs), adjoint_a=True)


@export('linalg.lstsq', 'matrix_solve_ls')
def matrix_solve_ls(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """Solves matrix * x = rhs in the least squares sense.

    If there are more columns than rows, x has the smallest norm of all solutions.

    Args:
      matrix: a tensor [..., m, n], of full rank with `fast`.
      rhs: a tensor [..., m, k] of the same dtype.
      l2_regularizer: a scalar, the factor of the squared norm of x that is added to the error. Not used without `fast`.
      fast: whether to solve the normal equations, which is less precise than an orthogonal decomposition. Without it,
        there is no gradient.
      name: the name of the scope.

    Returns:
      A tensor [..., n, k].

    Raises:
      NotImplementedError: if the matrix is complex128 and l2_regularizer is not 0.
    """
    matrix = ops.convert_to_tensor(matrix, name='matrix')
    if matrix.dtype == dtypes.complex128 and l2_regularizer != 0:
        raise NotImplementedError('matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due '
                                  'to poor accuracy.')
    if not fast:
        return gen.MatrixSolveLs(matrix, rhs, l2_regularizer, fast=fast, name=name)
    with ops.name_scope(name, 'matrix_solve_ls', [matrix, rhs, l2_regularizer]):
        known = matrix.get_shape()[-2:]
        if known.is_fully_defined():
            solve = _overdetermined if known[-2] >= known[-1] else _underdetermined
            return solve(matrix, rhs, l2_regularizer)
        shape = array_basics.shape(matrix)[-2:]
        return cond(shape[-2] >= shape[-1], lambda: _overdetermined(matrix, rhs, l2_regularizer),
                    lambda: _underdetermined(matrix, rhs, l2_regularizer))
