"""Singular value decomposition, and tridiagonal systems of equations."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_basics, array_diag, array_join, array_layout
from ramet.ops.math import math_cast


@export('linalg.svd', 'svd')
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """Returns the singular values and vectors of matrices.

    Args:
      tensor: a tensor [..., m, n] of floating-point or complex numbers.
      full_matrices: whether u and v are square.
      compute_uv: whether u and v are computed.
      name: the name of the operation.

    Returns:
      s [..., p] with p = min(m, n), in descending order. With `compute_uv`, s, u [..., m, p] and v
      [..., n, p], so that tensor = u * diag(s) * v^H.
    """
    s, u, v = gen.Svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    if compute_uv:
        return math_cast.real(s), u, v
    return math_cast.real(s)


@export('linalg.tridiagonal_solve')
def tridiagonal_solve(diagonals, rhs, diagonals_format='compact', transpose_rhs=False,
                      conjugate_rhs=False, name=None, partial_pivoting=True,
                      perturb_singular=False):
    """Solves matrix * x = rhs for tridiagonal matrices.

    Args:
      diagonals: for the format 'compact', a tensor [..., 3, m] of the diagonals above, on and below
        the main one; for 'sequence', three tensors [..., m], or [..., m - 1] for the first and the
        last; for 'matrix', a tensor [..., m, m].
      rhs: a tensor [..., m] or [..., m, k] of the same dtype.
      diagonals_format: 'compact', 'sequence' or 'matrix'.
      transpose_rhs: whether `rhs` is [..., k, m].
      conjugate_rhs: whether to conjugate `rhs`.
      name: the name of the operation.
      partial_pivoting: whether to swap rows for a larger pivot.
      perturb_singular: whether to replace pivots of 0 by small numbers.

    Returns:
      A tensor [..., m] or [..., m, k].

    Raises:
      ValueError: if the format is invalid, or the shapes are incompatible.
    """
    forms = {'compact': _compact, 'sequence': _sequence, 'matrix': _matrix}
    if diagonals_format not in forms:
        raise ValueError(f'Unrecognized diagonals_format: {diagonals_format}')
    compact = forms[diagonals_format](diagonals)
    return _solve(compact, ops.convert_to_tensor(rhs, name='rhs'), transpose_rhs, conjugate_rhs,
                  partial_pivoting, perturb_singular, name)


@export('linalg.tridiagonal_matmul')
def tridiagonal_matmul(diagonals, rhs, diagonals_format='compact', name=None):
    """Multiplies tridiagonal matrices by matrices.

    Args:
      diagonals: for the format 'compact', a tensor [..., 3, m] of the diagonals above, on and below
        the main one; for 'sequence', three tensors [..., m]; for 'matrix', a tensor [..., m, m].
        The last element above and the first below the main diagonal are not read.
      rhs: a tensor [..., m, n] of the same dtype: float, double or complex numbers.
      diagonals_format: 'compact', 'sequence' or 'matrix'.
      name: the name of the operation.

    Returns:
      The products, a tensor [..., m, n].

    Raises:
      ValueError: if the format is invalid, or the shapes are incompatible.
    """
    if diagonals_format == 'sequence':
        above, main, below = diagonals
    elif diagonals_format in ('compact', 'matrix'):
        compact = _matrix(diagonals) if diagonals_format == 'matrix' else diagonals
        above, main, below = (compact[..., i, :] for i in range(3))
    else:
        raise ValueError(f'Unrecognized diagonals_format: {diagonals_format}')
    rows = [array_basics.expand_dims(diagonal, -2) for diagonal in (above, main, below)]
    return gen.TridiagonalMatMul(*rows, rhs, name=name)


def _compact(diagonals):
    return ops.convert_to_tensor(diagonals, name='diagonals')


def _matrix(diagonals):
    diagonals = ops.convert_to_tensor(diagonals, name='diagonals')
    known = diagonals.shape.rank is not None
    rows, columns = diagonals.shape.as_list()[-2:] if known else (None, None)
    if rows is not None and columns is not None and rows != columns:
        raise ValueError('Expected last two dimensions of diagonals to be same, got '
                         f'{columns} and {rows}')
    return array_diag.matrix_diag_part(diagonals, k=(-1, 1), padding_value=0.0, align='LEFT_RIGHT')


def _sequence(diagonals):
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError('Expected diagonals to be a sequence of length 3.')
    above, main, below = (ops.convert_to_tensor(t) for t in diagonals)
    length = main.shape.as_list()[-1]
    below = _padded(below, 'subdiagonal', length, [1, 0])
    above = _padded(above, 'superdiagonal', length, [0, 1])
    return array_join.stack([above, main, below], axis=-2)


def _padded(diagonal, what, length, padding):
    shape = diagonal.shape.as_list()
    if shape[-1] == length:
        return diagonal
    if shape[-1] != length - 1:
        raise ValueError(f'Expected {what} to be have length {length} or {length - 1}, got '
                         f'{shape[-1]}.')
    return array_layout.pad(diagonal, [[0, 0]] * (len(shape) - 1) + [padding])


def _solve(diagonals, rhs, transpose_rhs, conjugate_rhs, partial_pivoting, perturb_singular, name):
    rank, rhs_rank = diagonals.shape.rank, rhs.shape.rank
    _check_ranks(diagonals.shape, rhs_rank)
    is_vector = rank is not None and rhs_rank is not None and rhs_rank == rank - 1
    if transpose_rhs and not is_vector:
        rhs = array_layout.matrix_transpose(rhs, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        rhs = math_cast.conj(rhs)
    _check_lengths(diagonals.shape, rhs.shape, -1 if is_vector else -2)
    if is_vector:
        rhs = array_basics.expand_dims(rhs, -1)
    result = gen.TridiagonalSolve(diagonals, rhs, partial_pivoting=partial_pivoting,
                                  perturb_singular=perturb_singular, name=name)
    return array_basics.squeeze(result, -1) if is_vector else result


def _check_ranks(shape, rhs_rank):
    if shape.rank is None:
        return
    if shape.rank < 2:
        raise ValueError(f'Expected diagonals to have rank at least 2, got {shape.rank}')
    if rhs_rank is not None and rhs_rank not in (shape.rank, shape.rank - 1):
        raise ValueError(f'Expected the rank of rhs to be {shape.rank - 1} or {shape.rank}, got '
                         f'{rhs_rank}')
    if shape.as_list()[-2] not in (3, None):
        raise ValueError(f'Expected 3 diagonals got {shape.as_list()[-2]}')


def _check_lengths(shape, rhs_shape, axis):
    if not shape.rank or not rhs_shape.rank:
        return
    left, right = shape.as_list()[-1], rhs_shape.as_list()[axis]
    if left is not None and right is not None and left != right:
        raise ValueError('Expected number of left-hand sided and right-hand sides to be equal, got '
                         f'{left} and {right}')
