"""Sums over segments, counts of values, and confusion matrices."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_basics, array_fill, array_join
from ramet.ops.checks import check_ops
from ramet.ops.control_flow import dependencies
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_cast, math_reduce


@export('math.unsorted_segment_mean', 'unsorted_segment_mean')
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """Returns the mean of the rows of each segment, or 0 for empty segments.

    Args:
      data: a tensor of numbers.
      segment_ids: an integer tensor whose shape is a prefix of that of `data`. Negative ids are
        ignored.
      num_segments: an integer scalar.
      name: the name of the scope.

    Returns:
      A tensor with `num_segments` rows.
    """
    with ops.name_scope(name, 'UnsortedSegmentMean'):
        data = ops.convert_to_tensor(data)
        segment_ids = ops.convert_to_tensor(segment_ids)
        counts = _segment_counts(data, segment_ids, num_segments)
        return gen.UnsortedSegmentSum(data, segment_ids, num_segments) / counts


@export('math.unsorted_segment_sqrt_n', 'unsorted_segment_sqrt_n')
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """Returns the sum of the rows of each segment divided by the square root of their number.

    Args:
      data: a tensor of numbers.
      segment_ids: an integer tensor whose shape is a prefix of that of `data`. Negative ids are
        ignored.
      num_segments: an integer scalar.
      name: the name of the scope.

    Returns:
      A tensor with `num_segments` rows.
    """
    with ops.name_scope(name, 'UnsortedSegmentSqrtN'):
        data = ops.convert_to_tensor(data)
        segment_ids = ops.convert_to_tensor(segment_ids)
        counts = _segment_counts(data, segment_ids, num_segments)
        total = gen.UnsortedSegmentSum(data, segment_ids, num_segments)
        return total / gen.Sqrt(counts)


def _segment_counts(data, segment_ids, num_segments):
    """Returns the number of rows of each segment, at least 1, in a shape that divides the sums."""
    num_segments = ops.convert_to_tensor(num_segments)
    lone = array_fill.ones(array_fill.shape_in_scope(segment_ids), dtype=data.dtype)
    counts = gen.UnsortedSegmentSum(lone, segment_ids, num_segments)
    outer = num_segments[array_basics.newaxis]
    inner = array_basics.rank(data) - array_basics.rank(segment_ids)
    shape = array_join.concat([outer, array_fill.ones([inner], dtypes.int32)], axis=0)
    return gen.Maximum(array_basics.reshape(counts, shape), 1)


def _sparse_segment(plain, counted, data, indices, segment_ids, name, num_segments,
                    sparse_gradient):
    if num_segments is not None:
        return counted(data=data, indices=indices, segment_ids=segment_ids,
                       num_segments=num_segments, name=name, sparse_gradient=sparse_gradient)
    return plain(data=data, indices=indices, segment_ids=segment_ids, name=name,
                 sparse_gradient=sparse_gradient)


@export('sparse.segment_sum', 'sparse_segment_sum')
def sparse_segment_sum(data, indices, segment_ids, name=None, num_segments=None,
                       sparse_gradient=False):
    """Returns the sums of selected rows over segments.

    Args:
      data: a tensor.
      indices: a 1-D tensor, the rows.
      segment_ids: a sorted 1-D tensor, the segment of each row.
      name: the name of the node.
      num_segments: the number of segments, including empty ones.
      sparse_gradient: whether the gradient is IndexedSlices.

    Returns:
      A tensor with a row for each segment.
    """
    return _sparse_segment(gen.SparseSegmentSum, gen.SparseSegmentSumWithNumSegments,
                           data, indices, segment_ids, name, num_segments, sparse_gradient)


@export('sparse.segment_mean', 'sparse_segment_mean')
def sparse_segment_mean(data, indices, segment_ids, name=None, num_segments=None,
                        sparse_gradient=False):
    """Returns the means of selected rows over segments.

    Args:
      data: a tensor.
      indices: a 1-D tensor, the rows.
      segment_ids: a sorted 1-D tensor, the segment of each row.
      name: the name of the node.
      num_segments: the number of segments, including empty ones.
      sparse_gradient: whether the gradient is IndexedSlices.

    Returns:
      A tensor with a row for each segment.
    """
    return _sparse_segment(gen.SparseSegmentMean, gen.SparseSegmentMeanWithNumSegments,
                           data, indices, segment_ids, name, num_segments, sparse_gradient)


@export('sparse.segment_sqrt_n', 'sparse_segment_sqrt_n')
def sparse_segment_sqrt_n(data, indices, segment_ids, name=None, num_segments=None,
                          sparse_gradient=False):
    """Returns the sums of selected rows over segments, divided by the square roots of their numbers.

    Args:
      data: a tensor.
      indices: a 1-D tensor, the rows.
      segment_ids: a sorted 1-D tensor, the segment of each row.
      name: the name of the node.
      num_segments: the number of segments, including empty ones.
      sparse_gradient: whether the gradient is IndexedSlices.

    Returns:
      A tensor with a row for each segment.
    """
    return _sparse_segment(gen.SparseSegmentSqrtN, gen.SparseSegmentSqrtNWithNumSegments,
                           data, indices, segment_ids, name, num_segments, sparse_gradient)


@export('bincount', 'math.bincount')
def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32):
    """Counts how often each integer occurs.

    Args:
      arr: an int32 tensor without negative elements.
      weights: a tensor of the same shape whose elements are summed instead of counted.
      minlength: the minimum length of the result.
      maxlength: the maximum length of the result; larger values are ignored.
      dtype: the dtype of the counts, if there are no weights.

    Returns:
      A vector.
    """
    with ops.name_scope('bincount'):
        arr = ops.convert_to_tensor(arr, name='arr', dtype=dtypes.int32)
        filled = gen.Cast(gen.Greater(array_basics.size(arr), 0), dtypes.int32)
        length = filled * (math_reduce.reduce_max(arr) + 1)
        if minlength is not None:
            minlength = ops.convert_to_tensor(minlength, name='minlength', dtype=dtypes.int32)
            length = gen.Maximum(minlength, length)
        if maxlength is not None:
            maxlength = ops.convert_to_tensor(maxlength, name='maxlength', dtype=dtypes.int32)
            length = gen.Minimum(maxlength, length)
        if weights is None:
            flat = array_basics.reshape(arr, [-1])
            return gen.DenseBincount(flat, length, constant_op.constant([], dtype))
        weights = ops.convert_to_tensor(weights, name='weights')
        weights = array_basics.reshape(weights, [-1])
        return gen.DenseBincount(array_basics.reshape(arr, [-1]), length, weights)


@export('confusion_matrix', 'math.confusion_matrix')
def confusion_matrix(labels, predictions, num_classes=None, dtype=dtypes.int32, name=None,
                     weights=None):
    """Counts pairs of labels and predictions.

    Args:
      labels: a vector of integers without negative elements.
      predictions: a vector of integers of the same length.
      num_classes: the number of classes. Defaults to one more than the largest.
      dtype: the dtype of the counts.
      name: the name of the scope.
      weights: a vector whose elements are summed instead of counted.

    Returns:
      A matrix whose rows are labels and whose columns are predictions.
    """
    with ops.name_scope(name, 'confusion_matrix', (predictions, labels, num_classes, weights)):
        labels, predictions = remove_squeezable_dimensions(
            ops.convert_to_tensor(labels, name='labels'),
            ops.convert_to_tensor(predictions, name='predictions'))
        predictions = math_cast.cast(predictions, dtypes.int64)
        labels = math_cast.cast(labels, dtypes.int64)
        labels = _checked(check_ops.assert_non_negative(
            labels, message='`labels` contains negative values'), labels)
        predictions = _checked(check_ops.assert_non_negative(
            predictions, message='`predictions` contains negative values'), predictions)
        if num_classes is None:
            num_classes = gen.Maximum(math_reduce.reduce_max(predictions),
                                      math_reduce.reduce_max(labels)) + 1
        else:
            count = math_cast.cast(num_classes, dtypes.int64)
            labels = _checked(check_ops.assert_less(
                labels, count, message='`labels` out of bound'), labels)
            predictions = _checked(check_ops.assert_less(
                predictions, count, message='`predictions` out of bound'), predictions)
        if weights is not None:
            weights = ops.convert_to_tensor(weights, name='weights')
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = math_cast.cast(weights, dtype)
        shape = array_join.stack([num_classes, num_classes])
        places = array_join.stack([labels, predictions], axis=1)
        values = array_fill.ones_like(predictions, dtype) if weights is None else weights
        return gen.ScatterNd(places, values, math_cast.cast(shape, dtypes.int64))


def _checked(check, tensor):
    return dependencies.with_dependencies([check], tensor)


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0, name=None):
    """Removes a last dimension of size 1 that only one of two tensors has.

    Args:
      labels: a tensor.
      predictions: a tensor.
      expected_rank_diff: the rank of `predictions` minus that of `labels`.
      name: the name of the scope.

    Returns:
      A tuple (labels, predictions).
    """
    with ops.name_scope(name, 'remove_squeezable_dimensions', [labels, predictions]):
        predictions = ops.convert_to_tensor(predictions)
        labels = ops.convert_to_tensor(labels)
        difference = _rank_difference(labels, predictions)
        if difference is not None:
            if difference == expected_rank_diff + 1 and _may_be_one(predictions):
                predictions = array_basics.squeeze(predictions, [-1])
            elif difference == expected_rank_diff - 1 and _may_be_one(labels):
                labels = array_basics.squeeze(labels, [-1])
            return labels, predictions
        difference = array_basics.rank(predictions) - array_basics.rank(labels)
        if predictions.shape.rank is None or _may_be_one(predictions):
            wide = predictions
            predictions = cond(gen.Equal(expected_rank_diff + 1, difference),
                               lambda: array_basics.squeeze(wide, [-1]), lambda: wide)
        if labels.shape.rank is None or _may_be_one(labels):
            wide_labels = labels
            labels = cond(gen.Equal(expected_rank_diff - 1, difference),
                          lambda: array_basics.squeeze(wide_labels, [-1]), lambda: wide_labels)
        return labels, predictions


def _rank_difference(labels, predictions):
    if labels.shape.rank is None or predictions.shape.rank is None:
        return None
    return predictions.shape.rank - labels.shape.rank


def _may_be_one(tensor):
    return tensor.shape.dims[-1].is_compatible_with(1)
