"""Conversions between ragged, dense and sparse tensors.

The functions take the class RaggedTensor as an argument, because its module imports this one.
"""

import numpy as np

from ramet import gen
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_basics, array_fill, array_join, array_select
from ramet.ops.control_flow import assertions
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_cast, math_range, math_reduce


def _are_nested(lengths):
    return isinstance(lengths, (list, tuple)) and bool(lengths) and not isinstance(
        lengths[0], (int, float, np.integer))


def rows_of_tensor(cls, tensor, lengths, padding, ragged_rank, dtype):
    """Implements RaggedTensor.from_tensor for checked arguments.

    Args:
      cls: the class RaggedTensor.
      tensor: a Tensor.
      lengths: an integer vector, a list of these, or None.
      padding: a value, or None.
      ragged_rank: a positive int.
      dtype: the DType of the splits.

    Raises:
      ValueError: if the rank of the tensor is too small, or does not fit the number of lengths.
    """
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        raise ValueError('The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars '
                         "won't have ragged dimensions. Received argument `tensor` with rank "
                         f'{tensor.shape.rank}.')
    if lengths is not None and _are_nested(lengths):
        return _rows_of_nested_lengths(cls, tensor, lengths, ragged_rank, dtype)
    tensor.shape.with_rank_at_least(ragged_rank + 1)
    sizes = _sizes(tensor, dtype)
    if ragged_rank > 1:
        rows = array_basics.reshape(tensor, _joined(sizes, 2))
        values = rows_of_tensor(cls, rows, lengths, padding, ragged_rank - 1, dtype)
        return cls.from_uniform_row_length(values, sizes[1], nrows=sizes[0], validate=False)
    if padding is not None:
        lengths = _lengths_without(tensor, padding, sizes[1], dtype)
    if lengths is None:
        values = array_basics.reshape(tensor, _joined(sizes, 2))
        return cls.from_uniform_row_length(values, sizes[1], nrows=sizes[0], validate=False)
    return _cut_off(cls, tensor, lengths, sizes[1], dtype)


def _sizes(tensor, dtype):
    """Returns the dimensions of a tensor: constants where they are known, else scalars."""
    known = tensor.shape.as_list() if tensor.shape.rank is not None else None
    if known is None:
        return array_basics.shape(tensor, out_type=dtype)
    sizes = None if None not in known else array_basics.shape(tensor, out_type=dtype)
    return [constant_op.constant(dim, dtype=dtype) if dim is not None else sizes[i]
            for i, dim in enumerate(known)]


def _joined(sizes, dims):
    """Returns the shape in which the first dimensions of a tensor are one."""
    first = sizes[0]
    for i in range(1, dims):
        first = first * sizes[i]
    if isinstance(sizes, list):
        return array_join.stack([first, *sizes[dims:]])
    return array_join.concat([array_basics.reshape(first, [1]), sizes[dims:]], axis=0)


def _rows_of_nested_lengths(cls, tensor, lengths, ragged_rank, dtype):
    if ragged_rank not in (1, len(lengths)):
        raise ValueError('If Tensor lengths are given as a list, then ragged_rank must be '
                         f'{len(lengths)}; it is {ragged_rank}.')
    tensor.shape.with_rank_at_least(len(lengths) + 1)
    lengths = [ops.convert_to_tensor(part, preferred_dtype=dtype) for part in lengths]
    ones = array_fill.ones([math_reduce.reduce_sum(lengths[-1])], dtype=dtypes.bool)
    mask = cls.from_nested_row_lengths(ones, lengths, validate=False).to_tensor(False)
    values = array_select.boolean_mask(tensor, mask)
    return cls.from_nested_row_lengths(values, lengths, validate=False)


def _lengths_without(tensor, padding, width, dtype):
    """Returns the lengths of rows up to the last value that is not the padding."""
    padding = ops.convert_to_tensor(padding, dtype=tensor.dtype, name='padding')
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    same = gen.Equal(tensor, padding)
    rank = tensor.shape.rank
    if rank is None:
        dims = array_basics.rank(tensor)
        inner = math_range.range(2, dims)
        same = cond(dims > 2, lambda: math_reduce.reduce_all(same, axis=inner), lambda: same)
    elif rank > 2:
        same = math_reduce.reduce_all(same, axis=list(range(2, rank)))
    places = array_basics.expand_dims(math_range.range(1, width + 1), 0)
    kept = math_cast.cast(gen.LogicalNot(same), dtype) * places
    return math_reduce.reduce_max(kept, axis=1)


def _cut_off(cls, tensor, lengths, width, dtype):
    lengths = lengths if isinstance(lengths, ops.Tensor) else ops.convert_to_tensor(
        lengths, dtype=dtype, name='lengths')
    lengths.shape.assert_has_rank(1)
    lengths = math_cast.cast(lengths, dtype)
    zero = constant_op.constant(0, dtype=dtype)
    lengths = gen.Maximum(gen.Minimum(lengths, width), zero)
    splits = array_join.concat([constant_op.constant([0], dtype=dtype), gen.Cumsum(lengths, 0)], axis=0)
    values = array_select.boolean_mask(tensor, array_select.sequence_mask(lengths, maxlen=width))
    return cls.from_row_splits(values, splits, validate=False)


def _is_right_ragged(indices):
    """Returns whether the indices of each row count from 0, a bool scalar."""
    row, column = indices[:, :-1], indices[:, -1]
    zero = constant_op.constant(0, dtype=dtypes.int64)
    new_row = math_reduce.reduce_any(gen.NotEqual(row[1:], row[:-1]), axis=1)
    follows = gen.Equal(column[1:], column[:-1] + 1)
    good = array_select.where(new_row, gen.Equal(column[1:], zero), follows)
    return gen.LogicalAnd(math_reduce.reduce_all(gen.Equal(column[:1], zero)),
                          math_reduce.reduce_all(good))


def rows_of_sparse(cls, sparse, dtype):
    """Implements RaggedTensor.from_sparse for a SparseTensor.

    Args:
      cls: the class RaggedTensor.
      sparse: a SparseTensor.
      dtype: the DType of the splits.

    Raises:
      ValueError: if the rank is not known to be 2.
    """
    ranks = sparse.dense_shape.shape.with_rank(1)[0].value, sparse.indices.shape.with_rank(2)[1].value
    if 2 not in ranks:
        raise ValueError('rank(st_input) must be 2.')
    check = assertions.Assert(
        _is_right_ragged(sparse.indices),
        ['SparseTensor is not right-ragged', 'SparseTensor.indices =', sparse.indices])
    with ops.control_dependencies([check]):
        rows = math_cast.cast(sparse.indices[:, 0], dtype)
        nrows = math_cast.cast(sparse.dense_shape[0], dtype)
        return cls.from_value_rowids(sparse.values, rows, nrows, validate=False)


def _asked_shape(shape, dtype):
    """Returns the shape that a dense tensor should have as a tensor; -1 is any size."""
    if isinstance(shape, ops.Tensor):
        return shape if shape.dtype in (dtypes.int32, dtypes.int64) else math_cast.cast(shape, dtype)
    shape = tensor_shape.as_shape(shape)
    if shape.rank is None:
        return constant_op.constant(-1, dtype=dtype)
    return constant_op.constant([-1 if d is None else d for d in shape.as_list()], dtype=dtype)


def to_tensor(ragged, default_value, shape):
    """Implements RaggedTensor.to_tensor within the caller's scope.

    Args:
      ragged: a RaggedTensor.
      default_value: a value that can be broadcast to the values, or None for zeros.
      shape: the shape of the result, as a tensor or anything that TensorShape accepts.
    """
    if default_value is None:
        default_value = array_fill.zeros((), ragged.dtype)
    else:
        default_value = ops.convert_to_tensor(default_value, dtype=ragged.dtype, name='default_value')
    splits = ragged.nested_row_splits
    result = gen.RaggedTensorToTensor(
        shape=_asked_shape(shape, splits[0].dtype), values=ragged.flat_values,
        default_value=default_value, row_partition_tensors=list(splits),
        row_partition_types=['ROW_SPLITS'] * len(splits))
    if ragged.shape.rank is not None and not isinstance(shape, ops.Tensor):
        asked = tensor_shape.as_shape(shape)
        known = ragged.shape.as_list()
        if asked.rank is not None:
            known = [b if a is None else a for a, b in zip(asked.as_list(), known)]
        result.set_shape(known)
    return result


def to_sparse(ragged, name):
    """Implements RaggedTensor.to_sparse.

    Args:
      ragged: a RaggedTensor.
      name: the name of the scope.
    """
    with ops.name_scope(name, 'RaggedToSparse', [ragged.flat_values, *ragged.nested_row_splits]):
        indices, values, shape = gen.RaggedTensorToSparse(
            list(ragged.nested_row_splits), ragged.flat_values)
        return SparseTensor(indices, values, shape)
