"""Joins neighboring dimensions of a ragged tensor to one."""

from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_gather, array_join


def merge_dims(value, outer, inner):
    """Returns a tensor with the dimensions from `outer` to `inner` joined to one.

    Args:
      value: a Tensor or RaggedTensor.
      outer: the first dimension, not negative.
      inner: the last dimension.
    """
    if outer == inner:
        return value
    while outer == 0 and is_ragged(value):
        value = value.values
        inner -= 1
        if inner == 0:
            return value
    if not is_ragged(value):
        return _merge_dense(value, outer, inner)
    if outer > 1:
        return value.with_values(merge_dims(value.values, outer - 1, inner - 1))
    return _merge_rows(value, inner)


def _merge_dense(value, outer, inner):
    known = value.shape
    if known.is_fully_defined():
        sizes = known.as_list()
        return array_basics.reshape(value, sizes[:outer] + [-1] + sizes[inner + 1:])
    sizes = array_basics.shape(value)
    return array_basics.reshape(
        value, array_join.concat([sizes[:outer], [-1], sizes[inner + 1:]], axis=0))


def _merge_rows(value, inner):
    """Joins the dimensions from 1 to `inner`."""
    splits, values = value.row_splits, value.values
    for axis in range(1, inner):
        if is_ragged(values):
            splits = array_gather.gather(values.row_splits, splits)
            values = values.values
            continue
        sizes = array_basics.shape(values, out_type=splits.dtype)
        for i in range(1, inner - axis + 1):
            splits = splits * sizes[i]
        values = _merge_dense(values, 0, inner - axis)
        break
    return type(value).from_row_splits(values, splits, validate=False)
