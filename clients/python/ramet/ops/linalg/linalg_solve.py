"""Linear equations, determinants and eigenvalues of batches of matrices."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_diag
from ramet.ops.math import math_reduce


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
