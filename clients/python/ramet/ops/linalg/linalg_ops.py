"""eye and norm."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_basics, array_diag, array_fill, array_join, array_layout, array_select
from ramet.ops.array.array_basics import one_of
from ramet.ops.math import math_basics, math_cast, math_range, math_reduce


@export('eye', 'linalg.eye')
def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None):
    """Returns a matrix with ones on its diagonal, or several.

    Args:
      num_rows: an int or int32 scalar.
      num_columns: an int or int32 scalar. Defaults to `num_rows`.
      batch_shape: ints or an int32 vector, the leading dimensions.
      dtype: the dtype of the elements.
      name: the name of the scope.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, default_name='eye', values=[num_rows, num_columns, batch_shape]):
        square = num_columns is None
        batch_shape = [] if batch_shape is None else batch_shape
        num_columns = num_rows if num_columns is None else num_columns
        static = not any(isinstance(n, ops.Tensor) for n in (num_rows, num_columns, batch_shape))
        if static:
            diagonal_shape = [*batch_shape, min(num_rows, num_columns)]
            whole = [*batch_shape, num_rows, num_columns]
        else:
            least = gen.Minimum(num_rows, num_columns)
            batch = ops.convert_to_tensor(batch_shape, name='shape', dtype=dtypes.int32)
            diagonal_shape = array_join.concat((batch, [least]), axis=0)
            if not square:
                whole = array_join.concat((batch, [num_rows, num_columns]), axis=0)
        ones = array_fill.ones(diagonal_shape, dtype=dtype)
        if square:
            return array_diag.matrix_diag(ones)
        return array_diag.matrix_set_diag(array_fill.zeros(whole, dtype=dtype), ones)


@export('linalg.norm', 'norm')
def norm(tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None):
    """Returns the norm of vectors or matrices.

    Args:
      tensor: a tensor of floating-point or complex numbers.
      ord: for vectors 'euclidean', 1, 2, np.inf or another positive number; for matrices 'euclidean',
        'fro', 1, np.inf, or 2 (computed from singular values).
      axis: an int for vectors along this dimension, or a pair for matrices. If it is not given,
        `tensor` is treated as one vector.
      keepdims: whether to keep the dimensions with size 1.
      name: the name of the scope.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A tensor.

    Raises:
      ValueError: if there is no such norm.
    """
    keepdims = one_of('keepdims', keepdims, 'keep_dims', keep_dims, False)
    axis, is_matrix = _norm_axis(axis)
    _check_norm(ord, is_matrix)
    with ops.name_scope(name, 'norm', [tensor]):
        tensor = ops.convert_to_tensor(tensor)
        result = _norm_of(tensor, ord, axis, is_matrix)
        if keepdims:
            return result
        return array_basics.squeeze(result, axis)


def _norm_axis(axis):
    if not isinstance(axis, (tuple, list)):
        return axis, False
    if (len(axis) != 2 or not all(isinstance(i, (int, np.integer)) for i in axis)
            or axis[0] == axis[1]):
        raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers, got "
                         f'{axis}')
    return tuple(axis), True


def _check_norm(ord, is_matrix):
    if is_matrix:
        known = ['euclidean', 'fro', 1, 2, np.inf]
        if ord not in known:
            raise ValueError(f"'ord' must be a supported matrix norm in {known}, got {ord}")
        return
    known = ['euclidean', 1, 2, np.inf]
    if isinstance(ord, str) and ord not in known or not isinstance(ord, str) and ord <= 0:
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")


def _norm_of(tensor, ord, axis, is_matrix):
    if ord in ('fro', 'euclidean', 2, 2.0):
        if is_matrix and ord in (2, 2.0):
            return _spectral_norm(tensor, axis)
        axis = [axis] if isinstance(axis, (int, np.integer)) else axis
        squares = tensor * math_cast.conj(tensor)
        return gen.Sqrt(math_reduce.reduce_sum(squares, axis, keepdims=True))
    sizes = math_basics.abs(tensor)
    if ord == 1:
        total = math_reduce.reduce_sum(sizes, axis[0] if is_matrix else axis, keepdims=True)
        if is_matrix:
            total = math_reduce.reduce_max(total, axis[-1], keepdims=True)
        return total
    if ord == np.inf:
        if is_matrix:
            sizes = math_reduce.reduce_sum(sizes, axis[1], keepdims=True)
        return math_reduce.reduce_max(sizes, axis[0] if is_matrix else axis, keepdims=True)
    axis = [axis] if isinstance(axis, (int, np.integer)) else axis
    powers = math_basics.pow(sizes, ord)
    return math_basics.pow(math_reduce.reduce_sum(powers, axis, keepdims=True), 1.0 / ord)


def _spectral_norm(tensor, axis):
    """Returns the largest singular value of matrices along two dimensions."""
    rank = array_basics.rank(tensor)
    first = gen.FloorMod(ops.convert_to_tensor(axis), rank)
    others = array_select.setdiff1d(math_range.range(rank), first)[0]
    perm = array_join.concat([others, first], 0)
    moved = array_layout.transpose(tensor, perm=perm)
    values = gen.Svd(moved, compute_uv=False, full_matrices=False)[0]
    greatest = array_basics.expand_dims(math_reduce.reduce_max(values, axis=-1, keepdims=True),
                                        axis=-1)
    return array_layout.transpose(greatest, perm=gen.InvertPermutation(perm))
