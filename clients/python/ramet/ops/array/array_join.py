"""Joins and splits tensors: stack, unstack, concat, split."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, graph_only, ops, tensor_shape
from ramet.ops.array import array_basics

Tensor = ops.Tensor


def _all_tensors(values):
    return (type(values) in (list, tuple) and bool(values)
            and all(type(value) is Tensor for value in values))


@export('stack')
def stack(values, axis=0, name='stack'):
    """Stacks tensors of one shape along a new dimension.

    Args:
      values: a list of tensors of one dtype and shape.
      axis: the position of the new dimension, in [-(rank + 1), rank].
      name: the name of the node.

    Returns:
      A tensor; a constant if all values are numbers.

    Raises:
      ValueError: if `axis` is out of range.
    """
    if axis == 0:
        if _all_tensors(values):
            return gen.Pack(values, axis=0, name=name)
        try:
            return ops.convert_to_tensor(values, name=name)
        except (TypeError, ValueError, NotImplementedError):
            pass
    rank = ops.convert_to_tensor(values[0], name=name).shape.rank
    if rank is not None and not -rank - 1 <= axis <= rank:
        raise ValueError(f'Argument `axis` = {axis} not in range [{-rank - 1}, {rank + 1})')
    return gen.Pack(values, axis=axis, name=name)


@export('parallel_stack')
@graph_only.needs_graph('tf.parallel_stack() is not compatible with eager execution.')
def parallel_stack(values, name='parallel_stack'):
    """Stacks tensors along a new first dimension, copying each one as soon as it is computed.

    Args:
      values: a list of tensors of one dtype and one fully known shape.
      name: the name of the node.

    Returns:
      A tensor with one more dimension than each value.
    """
    with ops.name_scope(name):
        first = ops.convert_to_tensor(values[0])
        known = tensor_shape.TensorShape([len(values)]).concatenate(first.shape)
        return gen.ParallelConcat([array_basics.expand_dims(value, 0) for value in values],
                                  shape=known)


@export('unstack')
def unstack(value, num=None, axis=0, name='unstack'):
    """Splits a tensor along one dimension, which is removed.

    Args:
      value: a tensor of rank at least 1.
      num: the size of that dimension; required if it is not known statically.
      axis: the dimension, in [-rank, rank).
      name: the name of the node.

    Returns:
      A list of tensors with one dimension fewer.

    Raises:
      ValueError: if `axis` is out of range, or `num` is neither given nor known.
    """
    if num is None:
        value = ops.convert_to_tensor(value)
        static = value.shape
        if static.rank is not None:
            if not -static.rank <= axis < static.rank:
                raise ValueError(
                    f'Argument `axis` = {axis} not in range [{-static.rank}, {static.rank})')
            num = static.as_list()[axis]
    if num is None:
        raise ValueError(f'Cannot infer argument `num` from shape {static}')
    return gen.Unpack(value, num=num, axis=axis, name=name)


@export('concat')
def concat(values, axis, name='concat'):
    """Concatenates tensors along an existing dimension.

    Args:
      values: a list of tensors of one dtype, or a tensor.
      axis: an int32 scalar in [-rank, rank).
      name: the name of the node.

    Returns:
      A tensor; sizes along `axis` add up, the others must be equal.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with ops.name_scope(name):
            ops.convert_to_tensor(axis, name='concat_dim',
                                  dtype=dtypes.int32).shape.assert_has_rank(0)
            return array_basics.identity(values[0], name=name)
    return gen.ConcatV2(values, axis, name=name)


@export('split')
def split(value, num_or_size_splits, axis=0, num=None, name='split'):
    """Splits a tensor into pieces along one dimension.

    Args:
      value: a tensor.
      num_or_size_splits: the number of equal pieces (an int), or the sizes of the pieces (a 1-D
        integer tensor; one may be -1).
      axis: an int32 scalar, the dimension, in [-rank, rank).
      num: the number of pieces, if it cannot be inferred from `num_or_size_splits`.
      name: the name of the node.

    Returns:
      A list of tensors.

    Raises:
      ValueError: if the number of pieces is not known, or does not divide the dimension.
    """
    if isinstance(num_or_size_splits, (int, np.integer, tensor_shape.Dimension)):
        return gen.Split(axis=axis, value=value, num_split=int(num_or_size_splits), name=name)
    sizes = ops.convert_to_tensor(num_or_size_splits)
    static = sizes.shape
    if static.rank == 0:
        raise ValueError('Rank-0 tensors are not supported as the num_or_size_splits argument to '
                         f'split. Argument provided: {num_or_size_splits}')
    if num is None:
        num = static.as_list()[0] if static.rank else None
        if num is None:
            raise ValueError(
                f'Cannot infer argument `num` from shape {num_or_size_splits}')
    return gen.SplitV(value, sizes, axis, num_split=num, name=name)


def _first_dtype(values):
    """Returns the dtype of the first tensor in nested lists, or None."""
    for value in values:
        if isinstance(value, (list, tuple)):
            found = _first_dtype(value)
            if found is not None:
                return found
        elif ops.is_dense_tensor_like(value):
            return value.dtype.base_dtype
    return None


def _cast_all(values, dtype):
    if isinstance(values, (list, tuple)):
        return [_cast_all(value, dtype) for value in values]
    if ops.is_dense_tensor_like(values) and values.dtype.base_dtype != dtype:
        return gen.Cast(values, dtype)
    return values


def _packed(values, dtype, name):
    """Converts nested lists that contain a tensor to a tensor; other lists are returned unchanged."""
    parts, has_tensor = [], False
    with ops.name_scope(name) as scope:
        for i, value in enumerate(values):
            if isinstance(value, (list, tuple)):
                value = _packed(value, dtype, str(i))
            elif ops.is_dense_tensor_like(value) and value.dtype.base_dtype != dtype:
                raise TypeError('Cannot convert a list containing a tensor of dtype '
                                f'{value.dtype} to {dtype} (Tensor is: {value!r})')
            has_tensor = has_tensor or ops.is_dense_tensor_like(value)
            parts.append(value)
        if not has_tensor:
            return parts
        tensors = [part if ops.is_dense_tensor_like(part)
                   else constant_op.constant(part, dtype=dtype, name=str(i))
                   for i, part in enumerate(parts)]
        return gen.Pack(tensors, name=scope)


def pack_nested(values, dtype=None, name=None, as_ref=False):
    """Converts nested lists that contain tensors to one tensor (a conversion function)."""
    found = None if as_ref else _first_dtype(values)
    if found is None:
        return NotImplemented
    if dtype is not None and dtype != found:
        values, found = _cast_all(values, dtype), dtype
    elif _all_tensors(values) and all(value.dtype == found for value in values):
        return gen.Pack(values, name=name or 'packed')
    return _packed(values, found, name or 'packed')


ops.register_tensor_conversion_function((list, tuple), pack_nested, 99)
