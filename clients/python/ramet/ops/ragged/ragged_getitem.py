"""Indexing and slicing of ragged tensors."""

import numpy as np

from ramet import gen
from ramet.framework import constant_op, ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_gather, array_join, array_select
from ramet.ops.math import math_cast
from ramet.ops.ragged import ragged_concat, ragged_range
from ramet.ops.ragged.ragged_tensor import RaggedTensor

_ALL = slice(None)


def getitem(ragged, key):
    """Implements ragged[key].

    Args:
      ragged: a RaggedTensor.
      key: an integer, slice, Ellipsis or None (a new dimension), or a tuple of these.

    Raises:
      ValueError: if an integer selects from a ragged dimension other than the first.
      TypeError: if a key is something else.
    """
    keys = list(key) if isinstance(key, (tuple, list)) else [key]
    with ops.name_scope(None, 'RaggedGetItem', [ragged]):
        return _rows(ragged, keys)


def _expanded(keys, rank):
    """Replaces a leading Ellipsis by one slice for each dimension that the other keys leave."""
    if rank is None:
        raise ValueError('Ellipsis not supported for unknown shape RaggedTensors')
    used = sum(1 for key in keys[1:] if key is not None and key is not Ellipsis)
    if any(key is Ellipsis for key in keys[1:]):
        keys = [keys[0]] + [key for key in keys[1:] if key is not Ellipsis]
    if used > rank:
        raise IndexError(f'Too many indices for RaggedTensor with rank {rank}.')
    return [_ALL] * (rank - used) + keys[1:]


def _is_index(key):
    return isinstance(key, (int, np.integer, ops.Tensor)) and not isinstance(key, bool)


def _check(key):
    if isinstance(key, slice) or _is_index(key):
        return
    raise TypeError('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar '
                    f'tf.int32/tf.int64 tensors are valid indices, got {key!r}')


def _rows(ragged, keys):
    """Applies keys to a ragged tensor, the first one to its rows."""
    if not keys:
        return ragged
    if not is_ragged(ragged):
        return ragged[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if first is Ellipsis:
        return _rows(ragged, _expanded(keys, ragged.shape.rank))
    if first is None:
        inner = _rows(ragged, rest)
        count = inner.nrows() if is_ragged(inner) else array_basics.shape(
            inner, out_type=ragged.row_splits.dtype)[0]
        return RaggedTensor.from_uniform_row_length(inner, count, nrows=1, validate=False)
    _check(first)
    if isinstance(first, slice):
        return _columns(_sliced_rows(ragged, first), rest)
    start, limit = ragged.row_splits[:-1][first], ragged.row_splits[1:][first]
    return _rows(_between(ragged.values, start, limit), rest)


def _between(values, start, limit):
    """Returns the rows of a tensor from `start` up to `limit`."""
    if is_ragged(values):
        return _sliced_rows(values, slice(start, limit))
    return values[start:limit]


def _sliced_rows(ragged, key):
    if key == _ALL:
        return ragged
    starts, limits = ragged.row_splits[:-1][key], ragged.row_splits[1:][key]
    if key.step is not None and not (isinstance(key.step, int) and key.step == 1):
        return _ranges(starts, limits, 1, ragged.values)
    zero = constant_op.constant([0], dtype=starts.dtype)
    first = array_join.concat([starts, zero], axis=0)[:1]
    splits = array_join.concat([first, limits], axis=0)
    values = _between(ragged.values, splits[0], splits[-1])
    made = RaggedTensor.from_row_splits(values, splits - splits[0], validate=False)
    if ragged.uniform_row_length is not None:
        return RaggedTensor.from_uniform_row_length(
            values, ragged.uniform_row_length, nrows=made.nrows(), validate=False)
    return made


def _ranges(starts, limits, step, values):
    """Returns a ragged tensor whose row i has the values from starts[i] up to limits[i]."""
    indices = ragged_range.range(starts, limits, step, row_splits_dtype=starts.dtype)
    return indices.with_values(_picked(values, indices.values))


def _picked(values, indices):
    if is_ragged(values):
        return ragged_concat.gather_rows(values, indices)
    return array_gather.gather(values, indices)


def _columns(ragged, keys):
    """Applies keys to the dimensions after the first."""
    if not keys:
        return ragged
    if not is_ragged(ragged):
        return ragged[(_ALL, *keys)]
    first, rest = keys[0], keys[1:]
    if first is Ellipsis:
        return _columns(ragged, _expanded(keys, None if ragged.shape.rank is None
                                          else ragged.shape.rank - 1))
    if first is None:
        inner = _columns(ragged, rest)
        count = inner.nrows() if is_ragged(inner) else array_basics.shape(
            inner, out_type=ragged.row_splits.dtype)[0]
        one = constant_op.constant(1, dtype=ragged.row_splits.dtype)
        return RaggedTensor.from_uniform_row_length(inner, one, nrows=count, validate=False)
    _check(first)
    if isinstance(first, slice):
        part = ragged if first == _ALL else _sliced_columns(ragged, first)
        return part.with_values(_columns(part.values, rest)) if rest else part
    return _columns(_one_column(ragged, first), rest)


def _one_column(ragged, key):
    if ragged.uniform_row_length is None:
        raise ValueError('Cannot index into an inner ragged dimension.')
    length = ragged.uniform_row_length
    key = math_cast.cast(ops.convert_to_tensor(key), length.dtype)
    zero = constant_op.constant(0, dtype=length.dtype)
    place = array_select.where(gen.Less(key, zero), key + length, key)
    return _picked(ragged.values, ragged.row_splits[:-1] + place)


def _sliced_columns(ragged, key):
    splits = ragged.row_splits
    starts, limits = splits[:-1], splits[1:]
    step = 1 if key.step is None else key.step
    if isinstance(step, ops.Tensor):
        raise ValueError('the step of a slice of a ragged dimension must be an integer')
    if step == 0:
        raise ValueError('slice step cannot be zero')
    low, high = (starts, limits) if step > 0 else (starts - 1, limits - 1)
    first = _bound(key.start, low if step > 0 else high, low, high, starts, limits)
    last = _bound(key.stop, high if step > 0 else low, low, high, starts, limits)
    return _ranges(first, last, step, ragged.values)


def _bound(value, default, low, high, starts, limits):
    """Returns a bound of a slice of each row, as a position among all values."""
    if value is None:
        return default
    if isinstance(value, ops.Tensor):
        value = math_cast.cast(value, starts.dtype)
        from_start, from_end = gen.Minimum(starts + value, high), gen.Maximum(limits + value, low)
        negative = gen.Less(value, constant_op.constant(0, dtype=starts.dtype))
        return array_select.where_v2(negative, from_end, from_start)
    if value >= 0:
        return gen.Minimum(starts + value, high)
    return gen.Maximum(limits + value, low)
