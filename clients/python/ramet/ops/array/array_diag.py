"""Diagonals of matrices and tensors."""

from ramet import gen
from ramet.api import UnavailableError, export
from ramet.framework import dtypes, ops


@export('linalg.diag', 'matrix_diag')
def matrix_diag(diagonal, name='diag', k=0, num_rows=-1, num_cols=-1, padding_value=0,
                align='RIGHT_LEFT'):
    """Returns matrices with given diagonals.

    Args:
      diagonal: a tensor of rank at least 1.
      name: the name of the node.
      k: the diagonal, or the pair of the lowest and the highest one.
      num_rows: the number of rows of a matrix, or -1 for as many as needed.
      num_cols: the number of columns of a matrix, or -1 for as many as needed.
      padding_value: the value of elements off the diagonals.
      align: the alignment of shorter diagonals in `diagonal`: 'RIGHT_LEFT', 'LEFT_RIGHT',
        'LEFT_LEFT' or 'RIGHT_RIGHT'.

    Returns:
      A tensor.
    """
    padding = _padding_of(diagonal, padding_value)
    try:
        return gen.MatrixDiagV3(diagonal, k, num_rows, num_cols, padding, align=align, name=name)
    except UnavailableError:
        if _is_plain(k, padding) and num_rows == num_cols == -1:
            return gen.MatrixDiag(diagonal, name=name)
        raise


def _padding_of(tensor, padding_value):
    is_bool = getattr(tensor, 'dtype', None) == dtypes.bool
    return bool(padding_value) if is_bool else padding_value


def _is_plain(k, padding=0):
    """Returns whether the oldest diagonal op supports the arguments."""
    return isinstance(k, int) and k == 0 and not isinstance(padding, ops.Tensor) and padding == 0


@export('linalg.diag_part', 'matrix_diag_part')
def matrix_diag_part(input, name='diag_part', k=0, padding_value=0, align='RIGHT_LEFT'):
    """Returns the diagonals of matrices.

    Args:
      input: a tensor of rank at least 2.
      name: the name of the node.
      k: the diagonal, or the pair of the lowest and the highest one.
      padding_value: the value that pads shorter diagonals.
      align: the alignment of shorter diagonals in the result.

    Returns:
      A tensor.
    """
    padding = _padding_of(input, padding_value)
    try:
        return gen.MatrixDiagPartV3(input, k, padding, align=align, name=name)
    except UnavailableError:
        if _is_plain(k, padding):
            return gen.MatrixDiagPart(input, name=name)
        raise


@export('linalg.set_diag', 'matrix_set_diag')
def matrix_set_diag(input, diagonal, name='set_diag', k=0, align='RIGHT_LEFT'):
    """Returns matrices with their diagonals replaced.

    Args:
      input: a tensor of rank at least 2.
      diagonal: the new diagonals.
      name: the name of the node.
      k: the diagonal, or the pair of the lowest and the highest one.
      align: the alignment of shorter diagonals in `diagonal`.

    Returns:
      A tensor like `input`.
    """
    try:
        return gen.MatrixSetDiagV3(input, diagonal, k, align=align, name=name)
    except UnavailableError:
        if _is_plain(k):
            return gen.MatrixSetDiag(input, diagonal, name=name)
        raise


@export('diag_part', 'linalg.tensor_diag_part')
def tensor_diag_part(input, name=None):
    """Returns the diagonal of a tensor of shape [d1, ..., dn, d1, ..., dn].

    Args:
      input: a tensor of even rank.
      name: the name of the node.

    Returns:
      A tensor of shape [d1, ..., dn].
    """
    return gen.DiagPart(input, name=name)
