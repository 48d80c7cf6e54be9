"""Clipping by value and by norm."""

import collections.abc

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops


def _values(t, name=None):
    return ops.convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=name)


def _like(t, values):
    if isinstance(t, IndexedSlices):
        return IndexedSlices(values, t.indices, t.dense_shape)
    return values


@export('clip_by_value')
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """Clips the values of a tensor to a range.

    Args:
      t: a Tensor or IndexedSlices.
      clip_value_min: the lower bound; broadcasts to t.
      clip_value_max: the upper bound; broadcasts to t.
      name: the name of the operation.

    Returns:
      A value of the same kind as t, with the clipped values.

    Raises:
      ValueError: if a bound's shape is larger than t's.
    """
    with ops.name_scope(name, 'clip_by_value', [t, clip_value_min, clip_value_max]) as name:
        values = _values(t, 't')
        low = math_ops.minimum(values, clip_value_max)
        values.shape.assert_is_compatible_with(low.shape)
        clipped = math_ops.maximum(low, clip_value_min, name=name)
        values.shape.assert_is_compatible_with(clipped.shape)
        return _like(t, clipped)


@export('clip_by_norm')
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """Scales a tensor down if its L2 norm exceeds clip_norm.

    Args:
      t: a Tensor or IndexedSlices of a floating-point type.
      clip_norm: the maximum norm, a scalar.
      axes: the axes of the norm. Defaults to all.
      name: the name of the operation.

    Returns:
      A value of the same kind as t, with the clipped values.
    """
    with ops.name_scope(name, 'clip_by_norm', [t, clip_norm]) as name:
        values = _values(t, 't')
        sum_of_squares = math_ops.reduce_sum(values * values, axes, keepdims=True)
        positive = sum_of_squares > 0
        safe = array_ops.where(positive, sum_of_squares, array_ops.ones_like(sum_of_squares))
        norm = array_ops.where(positive, math_ops.sqrt(safe), sum_of_squares)
        scaled = values * clip_norm
        values.shape.assert_is_compatible_with(scaled.shape)
        clipped = array_ops.identity(scaled / math_ops.maximum(norm, clip_norm), name=name)
        return _like(t, clipped)


@export('clip_by_average_norm')
def clip_by_average_norm(t, clip_norm, name=None):
    """Scales a tensor down so that its L2 norm divided by its size is at most clip_norm.

    Args:
      t: a Tensor of a floating-point type.
      clip_norm: the maximum average norm, a scalar.
      name: the name of the operation.

    Returns:
      A Tensor like t.
    """
    with ops.name_scope(name, 'clip_by_average_norm', [t, clip_norm]) as name:
        t = ops.convert_to_tensor(t, name='t')
        count = math_ops.cast(array_ops.size(t), t.dtype)
        inverse = math_ops.rsqrt(
            math_ops.reduce_sum(t * t, math_ops.range(array_ops.rank(t))))
        return array_ops.identity(
            t * clip_norm * math_ops.minimum(
                inverse * count, constant_op.constant(1.0, dtype=t.dtype) / clip_norm), name=name)


def _checked_list(t_list):
    if not isinstance(t_list, collections.abc.Sequence) or isinstance(t_list, str):
        raise TypeError('`t_list` should be a sequence of tensors. '
                        f'Received {type(t_list)}.')
    return list(t_list)


def _all_values(t_list):
    return [t if t is None else _values(t, f't_{i}') for i, t in enumerate(t_list)]


@export('global_norm', 'linalg.global_norm')
def global_norm(t_list, name=None):
    """Returns the L2 norm of all values of a list of tensors.

    Args:
      t_list: a list of Tensors, IndexedSlices and None, which is ignored.
      name: the name of the scope.

    Returns:
      A scalar.

    Raises:
      TypeError: if t_list is not a list.
    """
    t_list = _checked_list(t_list)
    with ops.name_scope(name, 'global_norm', t_list) as name:
        half_squared_norms = []
        for value in _all_values(t_list):
            if value is not None:
                with ops.colocate_with(value):
                    half_squared_norms.append(gen.L2Loss(value))
        half_squared_norm = math_ops.reduce_sum(array_ops.stack(half_squared_norms))
        two = constant_op.constant(2.0, dtype=half_squared_norm.dtype)
        return math_ops.sqrt(half_squared_norm * two, name='global_norm')


@export('clip_by_global_norm')
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Scales tensors down together so that their global norm is at most clip_norm.

    Args:
      t_list: a list of Tensors, IndexedSlices and None, which stays None.
      clip_norm: the maximum norm, a scalar.
      use_norm: the global norm, if it is already known.
      name: the name of the scope.

    Returns:
      The list of clipped tensors, and the global norm. All values are NaN if the norm is infinite.

    Raises:
      TypeError: if t_list is not a list.
    """
    t_list = _checked_list(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with ops.name_scope(name, 'clip_by_global_norm', t_list + [clip_norm]) as name:
        factor = clip_norm * math_ops.minimum(
            1.0 / use_norm, constant_op.constant(1.0, dtype=use_norm.dtype) / clip_norm)
        factor = factor + (use_norm - use_norm)
        clipped = []
        for i, value in enumerate(_all_values(t_list)):
            if value is not None:
                with ops.colocate_with(value):
                    value = array_ops.identity(value * factor, name=f'{name}_{i}')
            clipped.append(value)
        return [c if c is None else _like(t, c) for c, t in zip(clipped, t_list)], use_norm
