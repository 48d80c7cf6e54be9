"""tf.ragged.constant, constant_value and placeholder."""

import numpy as np

from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_placeholders
from ramet.ops.ragged.ragged_tensor import RaggedTensor
from ramet.ops.ragged.ragged_value import RaggedTensorValue


@export('ragged.constant')
def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None,
             row_splits_dtype=dtypes.int64):
    """Returns a ragged tensor with the values of nested lists.

    Args:
      pylist: nested lists, tuples or arrays. All values have the same depth.
      dtype: the dtype of the values. Defaults to that of the values.
      ragged_rank: the number of ragged dimensions. Defaults to the depth of the values less 1, or less
        the rank of inner_shape.
      inner_shape: the shape of the innermost lists, which then have the same lengths, as a tuple.
      name: the name of the scope.
      row_splits_dtype: int32 or int64.

    Returns:
      A RaggedTensor, or a Tensor if no dimension is ragged.

    Raises:
      ValueError: if the values have different depths, or do not fit ragged_rank or inner_shape.
      TypeError: if the values cannot be converted to the dtype.
    """

    def values_of(elements, dtype, shape):
        return constant_op.constant(elements, dtype=dtype, shape=shape, name='values')

    def splits_of(splits):
        return constant_op.constant(splits, dtype=row_splits_dtype)

    def ragged(values, splits):
        return RaggedTensor.from_row_splits(values, splits, validate=False)

    with ops.name_scope(name, 'RaggedConstant'):
        return _build(values_of, splits_of, ragged, pylist, dtype, ragged_rank, inner_shape)


@export('ragged.constant_value')
def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None, row_splits_dtype='int64'):
    """Returns a RaggedTensorValue with the values of nested lists.

    Args:
      pylist: nested lists, tuples or arrays. All values have the same depth.
      dtype: the numpy dtype of the values.
      ragged_rank: the number of ragged dimensions. Defaults to the depth of the values less 1, or less
        the rank of inner_shape.
      inner_shape: the shape of the innermost lists, which then have the same lengths, as a tuple.
      row_splits_dtype: int32 or int64.

    Returns:
      A RaggedTensorValue, or an array if no dimension is ragged.

    Raises:
      ValueError: if the values have different depths, or do not fit ragged_rank or inner_shape.
    """
    if dtype is not None and isinstance(dtype, dtypes.DType):
        dtype = dtype.as_numpy_dtype
    splits_dtype = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype

    def values_of(elements, dtype, shape):
        array = np.array(elements, dtype=dtype)
        return array if shape is None else np.reshape(array, shape)

    return _build(values_of, lambda splits: np.array(splits, splits_dtype), RaggedTensorValue, pylist,
                  dtype, ragged_rank, inner_shape)


def _is_list(item):
    return isinstance(item, (list, tuple)) or isinstance(item, np.ndarray) and item.ndim > 0


def _build(values_of, splits_of, ragged, pylist, dtype, ragged_rank, inner_shape):
    """Builds a ragged value out of nested lists with functions that make its parts."""
    if not _is_list(pylist):
        if ragged_rank is not None and ragged_rank != 0:
            raise ValueError(f'Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank}')
        if inner_shape is not None and inner_shape:
            raise ValueError(f'Invalid pylist={pylist}: incompatible with '
                             f'dim(inner_shape)={len(inner_shape)}')
        return values_of(pylist, dtype, ())
    ragged_rank, inner_shape = _ranks(pylist, ragged_rank, inner_shape)
    if ragged_rank == 0:
        return values_of(pylist, dtype, inner_shape)
    nested_splits, values = _flattened(pylist, ragged_rank)
    result = values_of(values, dtype, (len(values),) + inner_shape)
    for splits in reversed(nested_splits):
        result = ragged(result, splits_of(splits))
    return result


def _ranks(pylist, ragged_rank, inner_shape):
    """Returns the number of ragged dimensions and the shape of each innermost value."""
    scalar_depth, max_depth = _depths(pylist)
    if scalar_depth is not None and max_depth > scalar_depth:
        raise ValueError(f'Invalid pylist={pylist}: empty list nesting is greater than scalar value '
                         'nesting')
    if ragged_rank is not None and scalar_depth is not None and scalar_depth <= ragged_rank:
        raise ValueError(f'pylist has scalar values depth {scalar_depth}, but ragged_rank={ragged_rank} '
                         f'requires scalar value depth greater than {ragged_rank}')
    if ragged_rank is not None and max_depth < ragged_rank:
        raise ValueError(f'Invalid pylist={pylist}, max depth smaller than ragged_rank={ragged_rank}')
    if inner_shape is not None and ragged_rank is not None:
        expected = ragged_rank + len(inner_shape) + 1
        if scalar_depth not in (None, expected) or max_depth > expected:
            raise ValueError(f'Invalid pylist={pylist}: incompatible with ragged_rank={ragged_rank} '
                             f'and dim(inner_shape)={len(inner_shape)}')
    if ragged_rank is None:
        ragged_rank = max(max_depth - 1 - len(inner_shape or ()), 0)
        return ragged_rank, None if ragged_rank == 0 and inner_shape is None else tuple(inner_shape or ())
    if inner_shape is None:
        return ragged_rank, _inner_shape(pylist, ragged_rank) if ragged_rank > 0 else None
    return ragged_rank, tuple(inner_shape)


def _depths(item):
    """Returns the depth of the scalars, or None without any, and the depth of the deepest list."""
    if not _is_list(item):
        return 0, 0
    scalar_depth, max_depth = None, 1
    for child in item:
        child_scalars, child_depth = _depths(child)
        if child_scalars is not None:
            if scalar_depth is not None and scalar_depth != child_scalars + 1:
                raise ValueError('all scalar values must have the same nesting depth')
            scalar_depth = child_scalars + 1
        max_depth = max(max_depth, child_depth + 1)
    return scalar_depth, max_depth


def _flattened(pylist, ragged_rank):
    """Returns the splits of each ragged dimension, and the list of the values below them."""
    nested_splits, values = [], pylist
    for _ in range(ragged_rank):
        splits = [0]
        for row in values:
            splits.append(splits[-1] + len(row))
        nested_splits.append(splits)
        values = [item for row in values for item in row]
    return nested_splits, values


def _inner_shape(pylist, ragged_rank):
    """Returns the shape of the values below the ragged dimensions, after that of the first one."""
    _, values = _flattened(pylist, ragged_rank)
    shape, item = [], values
    while _is_list(item) and len(item):
        item = item[0]
        if _is_list(item):
            shape.append(len(item))
    _check_shape(values, shape)
    return tuple(shape)


def _check_shape(values, shape):
    for item in values:
        if _is_list(item) != bool(shape):
            raise ValueError('inner values have inconsistent shape')
        if shape:
            if len(item) != shape[0]:
                raise ValueError('inner values have inconsistent shape')
            _check_shape(item, shape[1:])


@export('ragged.placeholder')
def placeholder(dtype, ragged_rank, value_shape=None, name=None):
    """Returns a ragged tensor whose value is fed.

    Args:
      dtype: the dtype of the values.
      ragged_rank: the number of ragged dimensions.
      value_shape: the shape of each innermost value. Defaults to any.
      name: the name of the scope.

    Returns:
      A RaggedTensor, or a Tensor if ragged_rank is 0.
    """
    if ragged_rank == 0:
        return array_placeholders.placeholder(dtype, value_shape, name)
    with ops.name_scope(name, 'RaggedPlaceholder', []):
        shape = None if value_shape is None else [None, *value_shape]
        result = array_placeholders.placeholder(dtype, shape, 'flat_values')
        for i in reversed(range(ragged_rank)):
            splits = array_placeholders.placeholder(dtypes.int64, [None], f'row_splits_{i}')
            result = RaggedTensor.from_row_splits(result, splits, validate=False)
        return result
