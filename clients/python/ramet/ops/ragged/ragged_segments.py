"""Conversions between row splits and segment ids."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_util
from ramet.ops.array import array_basics, array_join, array_repeat
from ramet.ops.math import math_cast, math_range


def _integers(value, name, dtype=None):
    """Converts a value, without a dtype of its own to int64."""
    if isinstance(value, ops.Tensor) or dtype is None:
        return ops.convert_to_tensor(value, preferred_dtype=dtypes.int64, name=name)
    return ops.convert_to_tensor(value, dtype=dtype, name=name)


@export('ragged.row_splits_to_segment_ids')
def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """Returns the number of the row that each value is in.

    Args:
      splits: an integer vector, the splits between rows.
      name: the name of the scope.
      out_type: the dtype of the result. Defaults to that of `splits`, or int64.

    Returns:
      An integer vector with splits[-1] elements.

    Raises:
      ValueError: if `splits` is empty or has a different dtype.
    """
    with ops.name_scope(name, 'RaggedSplitsToSegmentIds', [splits]):
        splits = _integers(splits, 'splits')
        if splits.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError('splits must have dtype int32 or int64')
        splits.shape.assert_has_rank(1)
        if splits.shape[0].value == 0:
            raise ValueError('Invalid row_splits: []')
        lengths = splits[1:] - splits[:-1]
        out_type = splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        count = array_basics.shape(splits, out_type=out_type)[0] - 1
        return array_repeat.repeat_with_axis(math_range.range(count), lengths, axis=0)


@export('ragged.segment_ids_to_row_splits')
def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Returns the splits between the rows that values are in.

    Args:
      segment_ids: an integer vector that does not descend, the row of each value.
      num_segments: an integer scalar, the number of rows. Defaults to one more than the last row.
      out_type: the dtype of the result. Defaults to that of `segment_ids`, or int64.
      name: the name of the scope.

    Returns:
      An integer vector with num_segments + 1 elements.

    Raises:
      ValueError: if `segment_ids` is not an integer vector.
    """
    with ops.name_scope(name, 'SegmentIdsToRaggedSplits', [segment_ids]):
        segment_ids = _integers(segment_ids, 'segment_ids')
        if segment_ids.dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError('segment_ids must have dtype int32 or int64')
        segment_ids.shape.assert_has_rank(1)
        out_type = segment_ids.dtype if out_type is None else dtypes.as_dtype(out_type)
        if num_segments is None:
            before = ops.convert_to_tensor([-1], dtype=segment_ids.dtype)
            num_segments = array_join.concat([before, segment_ids], axis=0)[-1] + 1
        else:
            num_segments = _integers(num_segments, 'num_segments', segment_ids.dtype)
            num_segments.shape.assert_has_rank(0)
        return _splits(segment_ids, num_segments, out_type)


def _splits(segment_ids, num_segments, out_type):
    counts = gen.Bincount(math_cast.cast(segment_ids, dtypes.int32),
                          math_cast.cast(num_segments, dtypes.int32),
                          ops.convert_to_tensor([], dtype=dtypes.int32))
    ends = gen.Cumsum(math_cast.cast(counts, out_type), 0)
    splits = array_join.concat([ops.convert_to_tensor([0], dtype=out_type), ends], axis=0)
    known = tensor_util.constant_value(num_segments)
    if known is not None:
        splits.set_shape([int(known) + 1])
    return splits
