"""sort and argsort, implemented with top_k."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import ops, tensor_util
from ramet.ops.array import array_basics, array_join, array_layout
from ramet.ops.math import math_range


@export('sort')
def sort(values, axis=-1, direction='ASCENDING', name=None):
    """Sorts along a dimension.

    Args:
      values: a tensor of real numbers.
      axis: the dimension, an int.
      direction: 'ASCENDING' or 'DESCENDING'.
      name: the name of the scope.

    Returns:
      A tensor like `values`.

    Raises:
      ValueError: if `direction` is something else, or `axis` is not statically known.
    """
    with ops.name_scope(name, 'sort'):
        return _sorted(values, axis, direction, False)


@export('argsort')
def argsort(values, axis=-1, direction='ASCENDING', stable=False, name=None):
    """Returns the permutation that sorts along a dimension.

    Args:
      values: a tensor of real numbers.
      axis: the dimension, an int.
      direction: 'ASCENDING' or 'DESCENDING'.
      stable: whether to keep the order of equal elements. It is always kept.
      name: the name of the scope.

    Returns:
      An int32 tensor of the shape of `values`.

    Raises:
      ValueError: if `direction` is something else, or `axis` is not statically known.
    """
    del stable
    with ops.name_scope(name, 'argsort'):
        return _sorted(values, axis, direction, True)


def _sorted(values, axis, direction, want_order):
    if direction not in ('ASCENDING', 'DESCENDING'):
        raise ValueError('Argument `direction` should be one of ASCENDING, DESCENDING. Received: '
                         f'direction={direction}')
    axis = ops.convert_to_tensor(axis, name='axis')
    known = tensor_util.constant_value(axis)
    if known is None or known.ndim != 0:
        raise ValueError('axis must be a constant scalar')
    values = ops.convert_to_tensor(values, name='values')
    ascending = direction == 'ASCENDING'
    flipped = _flipped(values) if ascending else values
    found = _top_all(flipped, int(known), want_order)
    return _flipped(found) if ascending and not want_order else found


def _flipped(values):
    """Returns values with the opposite order, without overflow."""
    dtype = values.dtype.base_dtype
    if dtype.is_unsigned:
        return dtype.max - values
    if dtype.is_integer:
        return -values - 1
    return -values


def _top_all(values, axis, want_order):
    count = array_basics.shape(values)[axis]
    rank = array_basics.rank(values)
    static = values.shape.rank
    if axis == -1 or axis + 1 == values.shape.rank:
        found = gen.TopKV2(values, count)
        return found[1] if want_order else found[0]
    if axis < 0 and static is not None:
        axis += static
    if static is not None:
        perm = np.r_[np.arange(axis), static - 1, np.arange(axis + 1, static - 1), axis]
        perm = ops.convert_to_tensor(perm, name='transposition')
    else:
        perm = _dynamic_perm(axis, rank)
    found = gen.TopKV2(array_layout.transpose(values, perm), count)
    return array_layout.transpose(found[1] if want_order else found[0], perm)


def _dynamic_perm(axis, rank):
    if axis < 0:
        axis = rank + axis
    return array_join.concat(
        [math_range.range(axis), [rank - 1], math_range.range(axis + 1, rank - 1), [axis]],
        axis=0)
