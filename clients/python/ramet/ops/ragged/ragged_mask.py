"""tf.ragged.boolean_mask."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_select
from ramet.ops.math import math_cast
from ramet.ops.ragged import ragged_concat, ragged_tensor, row_partition
from ramet.ops.ragged.ragged_tensor import RaggedTensor


@export('ragged.boolean_mask')
def boolean_mask(data, mask, name=None):
    """Returns the values of a tensor where a mask is true. Dimensions of the mask are kept.

    Args:
      data: a Tensor or RaggedTensor.
      mask: a bool Tensor or RaggedTensor whose shape is a prefix of that of `data`.
      name: the name of the scope.

    Returns:
      A RaggedTensor, or a Tensor if the mask is a vector and `data` is not ragged.

    Raises:
      ValueError: if the rank of the mask is not known, or is 0.
    """
    with ops.name_scope(name, 'RaggedMask', [data, mask]):
        data = ragged_tensor.convert(data, name='data')
        if isinstance(mask, ops.Tensor) or is_ragged(mask):
            mask = ragged_tensor.convert(mask)
        else:
            mask = ops.convert_to_tensor(mask, dtypes.bool, name='mask')
        data, mask = ragged_tensor.match_row_splits_dtypes(data, mask)
        if mask.dtype != dtypes.bool:
            raise TypeError(f'mask must be boolean; got {mask.dtype.name}.')
        if mask.shape.rank is None:
            raise ValueError('mask.shape.ndims must be known statically.')
        if mask.shape.rank == 0:
            raise ValueError('mask cannot be scalar.')
        return _masked(data, mask)


def _masked(data, mask):
    if is_ragged(mask):
        return _masked_below(_as_ragged(data, mask), mask)
    if is_ragged(data) and mask.shape.rank > 1:
        return _masked_below(data, _as_ragged(mask, data))
    if mask.shape.rank > 1:
        data, mask = (RaggedTensor.from_tensor(t, ragged_rank=1) for t in (data, mask))
        return _masked_below(data, mask)
    data.shape[:1].assert_is_compatible_with(mask.shape)
    if not is_ragged(data):
        return array_select.boolean_mask(data, mask)
    places = array_basics.squeeze(array_select.where(mask), [1])
    return ragged_concat.gather_rows(data, places)


def _as_ragged(tensor, like):
    if is_ragged(tensor):
        return tensor
    return RaggedTensor.from_tensor(tensor, ragged_rank=1, row_splits_dtype=like.row_splits.dtype)


def _masked_below(data, mask):
    """Masks the values of rows, and counts how many each row keeps."""
    checks = row_partition.same_rows([mask._partition, data._partition])
    with ops.control_dependencies(checks):
        values = _masked(data.values, mask.values)
        if mask.shape.rank > 2:
            return RaggedTensor.from_row_splits(values, mask.row_splits, validate=False)
        return RaggedTensor.from_row_lengths(values, _counts(mask), validate=False)


def _counts(mask):
    """Returns the number of true values of each row."""
    ones = math_cast.cast(mask.values, mask.row_splits.dtype)
    return gen.UnsortedSegmentSum(ones, mask.value_rowids(), mask.nrows())
