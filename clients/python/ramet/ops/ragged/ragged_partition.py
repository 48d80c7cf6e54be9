"""Segments and partitions of ragged tensors."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_fill, array_gather, sort_ops
from ramet.ops.checks import check_ops
from ramet.ops.control_flow import dependencies
from ramet.ops.math import math_cast, math_divide
from ramet.ops.ragged import ragged_reduce, ragged_tensor, row_partition
from ramet.ops.ragged.ragged_concat import gather_rows
from ramet.ops.ragged.ragged_tensor import RaggedTensor

_PREFIX = 'segment_ids.shape must be a prefix of data.shape'


def _aggregated(build, data, segment_ids, count):
    """Applies an op of segments to the rows of a tensor, whose dimensions the segment ids may share."""
    if not is_ragged(segment_ids):
        return ragged_reduce.segments(build, data, segment_ids, count)
    if not is_ragged(data):
        raise ValueError(f'{_PREFIX}, but segment_ids is ragged and data is not.')
    with ops.control_dependencies(row_partition.same_rows([segment_ids._partition, data._partition], _PREFIX)):
        return _aggregated(build, data.values, segment_ids.values, count)


def _converted(data, segment_ids):
    data = ragged_tensor.convert(data, name='data')
    segment_ids = ragged_tensor.convert(segment_ids, name='segment_ids', preferred_dtype=dtypes.int32)
    return ragged_tensor.match_row_splits_dtypes(data, segment_ids)


def _segment_function(scope, build):
    def aggregate(data, segment_ids, num_segments, name=None):
        with ops.name_scope(name, scope, [data, segment_ids, num_segments]):
            data, segment_ids = _converted(data, segment_ids)
            return _aggregated(build, data, segment_ids, ops.convert_to_tensor(num_segments))

    return aggregate


segment_sum = _segment_function('RaggedSegmentSum', gen.UnsortedSegmentSum)
segment_prod = _segment_function('RaggedSegmentProd', gen.UnsortedSegmentProd)
segment_min = _segment_function('RaggedSegmentMin', gen.UnsortedSegmentMin)
segment_max = _segment_function('RaggedSegmentMax', gen.UnsortedSegmentMax)


def _sums_and_counts(data, segment_ids, num_segments):
    data, segment_ids = _converted(data, segment_ids)
    ones = array_fill.ones_like(data.flat_values if is_ragged(data) else data)
    total = segment_sum(data, segment_ids, num_segments)
    counts = segment_sum(data.with_flat_values(ones) if is_ragged(data) else ones, segment_ids,
                         num_segments)
    return total, gen.Maximum(counts.flat_values if is_ragged(counts) else counts,
                              constant_op.constant(1, dtype=counts.dtype))


def _divided(total, divisor):
    if is_ragged(total):
        return total.with_flat_values(math_divide.divide(total.flat_values, divisor))
    return math_divide.divide(total, divisor)


def segment_mean(data, segment_ids, num_segments, name=None):
    """Implements tf.math.unsorted_segment_mean for ragged tensors.

    Args:
      data: a RaggedTensor.
      segment_ids: an integer Tensor or RaggedTensor whose shape is a prefix of that of `data`.
      num_segments: an integer scalar.
      name: the name of the scope.
    """
    with ops.name_scope(name, 'RaggedSegmentMean', [data, segment_ids, num_segments]):
        return _divided(*_sums_and_counts(data, segment_ids, num_segments))


def segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """Implements tf.math.unsorted_segment_sqrt_n for ragged tensors.

    Args:
      data: a RaggedTensor.
      segment_ids: an integer Tensor or RaggedTensor whose shape is a prefix of that of `data`.
      num_segments: an integer scalar.
      name: the name of the scope.
    """
    with ops.name_scope(name, 'RaggedSegmentSqrtN', [data, segment_ids, num_segments]):
        total, counts = _sums_and_counts(data, segment_ids, num_segments)
        return _divided(total, gen.Sqrt(counts))


@export('ragged.stack_dynamic_partitions')
def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """Returns a ragged tensor whose row i has the elements of partition i, in their order.

    Args:
      data: a Tensor or RaggedTensor.
      partitions: an int32 or int64 Tensor or RaggedTensor with the partition of each element. Its shape
        is a prefix of that of `data`.
      num_partitions: an integer scalar.
      name: the name of the scope.

    Returns:
      A RaggedTensor.

    Raises:
      ValueError: if the rank of `partitions` is not known or is 0.
    """
    with ops.name_scope(name, 'SegmentStack', [data, partitions, num_partitions]):
        data = ragged_tensor.convert(data, name='data')
        partitions = ragged_tensor.convert(partitions, name='partitions', preferred_dtype=dtypes.int32)
        data, partitions = ragged_tensor.match_row_splits_dtypes(data, partitions)
        return _stacked(data, partitions, num_partitions)


def _stacked(data, partitions, num_partitions):
    rank = partitions.shape.rank
    if rank is None:
        raise ValueError('partitions must have known rank')
    if rank == 0:
        raise ValueError('partitions must not be a scalar')
    if is_ragged(partitions) or rank > 1:
        data, partitions = (value if is_ragged(value) else RaggedTensor.from_tensor(value, ragged_rank=1)
                            for value in (data, partitions))
        checks = row_partition.same_rows([data._partition, partitions._partition])
        with ops.control_dependencies(checks):
            ids = partitions.values
            ids = ids if is_ragged(ids) else math_cast.cast(ids, partitions.row_splits.dtype)
            return _stacked(data.values, ids, num_partitions)
    if is_ragged(data):
        partitions = math_cast.cast(partitions, data.row_splits.dtype)
    return _grouped(data, partitions, ops.convert_to_tensor(num_partitions, name='num_partitions'))


def _grouped(data, partitions, count):
    """Groups the rows of `data` by a vector of partitions."""
    count = math_cast.cast(count, partitions.dtype)
    order = sort_ops.argsort(partitions, stable=True)
    rows = array_gather.gather(partitions, order)
    rows = dependencies.with_dependencies([
        check_ops.assert_less(rows[-1:], count, message='partitions must be less than num_partitions'),
        check_ops.assert_non_negative(partitions, message='partitions must be non-negative.')], rows)
    values = gather_rows(data, order) if is_ragged(data) else array_gather.gather(data, order)
    return RaggedTensor.from_value_rowids(values, rows, nrows=count, validate=False)


def dynamic_partition(data, partitions, num_partitions, name=None):
    """Implements tf.dynamic_partition for ragged tensors.

    Args:
      data: a Tensor or RaggedTensor.
      partitions: an int32 or int64 Tensor or RaggedTensor with the partition of each element.
      num_partitions: an int.
      name: the name of the scope.

    Raises:
      TypeError: if num_partitions is not an int.
      ValueError: if it is negative.
    """
    if not isinstance(num_partitions, int):
        raise TypeError('num_partitions must be a Python integer')
    if num_partitions < 0:
        raise ValueError('num_partitions must be greater than zero')
    stacked = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [stacked[i] for i in range(num_partitions)]
