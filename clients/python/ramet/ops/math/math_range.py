"""Sequences of numbers: range and linspace."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_basics, array_fill, array_join
from ramet.ops.math import math_cast

Tensor = ops.Tensor


@export('range')
def range(start, limit=None, delta=1, dtype=None, name='range'):
    """Returns the numbers start, start + delta, ... up to but not including `limit`.

    Args:
      start: a scalar. If `limit` is not given, this is the limit, and the start is 0.
      limit: a scalar.
      delta: a scalar.
      dtype: the dtype of the numbers. Defaults to the widest of the three.
      name: the name of the node.

    Returns:
      A 1-D tensor.
    """
    if limit is None:
        start, limit = 0, start
    with ops.name_scope(name, 'Range', [start, limit, delta]) as scope:
        parts = [_range_part(value, dtype, label) for value, label in
                 ((start, 'start'), (limit, 'limit'), (delta, 'delta'))]
        if dtype is None:
            dtype = _widest([part.dtype for part in parts])
        return gen.Range(*(math_cast.cast(part, dtype) for part in parts), name=scope)


def _range_part(value, dtype, label):
    if isinstance(value, Tensor):
        return value
    return ops.convert_to_tensor(value, dtype=dtype, name=label)


def _widest(found):
    order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
    for dtype in found:
        if dtype not in order:
            raise ValueError(f'dtype {dtype} is not supported by range')
    return max(found, key=order.index)


@export('lin_space', 'linspace')
def linspace(start, stop, num, name=None, axis=0):
    """Returns `num` numbers that are evenly spaced from `start` to `stop`, inclusive.

    Args:
      start: a tensor of floating-point numbers.
      stop: a tensor of the same dtype.
      num: an integer scalar, at least 1.
      name: the name of the scope.
      axis: the position of the new dimension if the two are not scalars.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'linspace', [start, stop]) as scope:
        start = ops.convert_to_tensor(start, name='start')
        stop = ops.convert_to_tensor(stop, name='stop', dtype=start.dtype)
        count = _as_int32(num)
        return _linspace(start, stop, count, axis, scope)


def _as_int32(num):
    num = ops.convert_to_tensor(num, name='num')
    return gen.Cast(num, dtypes.int32)


def _linspace(start, stop, count, axis, scope):
    gen.Cast(count, start.dtype)
    shape = array_basics.broadcast_dynamic_shape(array_basics.shape(start),
                                                 array_basics.shape(stop))
    start, stop = gen.BroadcastTo(start, shape), gen.BroadcastTo(stop, shape)
    start = array_basics.expand_dims(start, axis=axis)
    stop = array_basics.expand_dims(stop, axis=axis)
    whole = array_basics.shape(start)
    rank = array_basics.shape(whole)[0]
    axis = gen.SelectV2(axis >= 0, axis, rank + axis)
    inner = gen.Maximum(count - 2, 0)
    steps = gen.Maximum(count - 1, 1)
    delta = (stop - start) / gen.Cast(steps, start.dtype)
    end = gen.SelectV2(count >= 0, steps, -1)
    places = gen.Cast(range(1, end, dtype=dtypes.int64), delta.dtype)
    lone = gen.Equal(axis, range(rank))
    spread = array_basics.reshape(places, gen.SelectV2(lone, inner, 1))
    result = array_join.concat((start, start + delta * spread, stop), axis=axis)
    begin = array_fill.zeros_like(whole)
    size = array_join.concat(
        (whole[0:axis], array_basics.reshape(count, [1]), whole[axis + 1:]), 0)
    return gen.Slice(result, begin, size)
