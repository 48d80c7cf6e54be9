"""Aligns labels, predictions and weights whose ranks differ by a last axis of size 1."""

from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_ops


def _squeeze_if(condition, tensor):
    return cond(
        condition, lambda: array_ops.squeeze(tensor, [-1]), lambda: tensor)


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0, name=None):
    """Squeezes the last axis of labels or predictions if their ranks differ by one too many.

    Args:
      labels: a Tensor.
      predictions: a Tensor.
      expected_rank_diff: the expected rank of predictions minus that of labels.
      name: the name of the scope.

    Returns:
      labels and predictions, one of them squeezed if necessary.
    """
    with ops.name_scope(name, 'remove_squeezable_dimensions', [labels, predictions]):
        predictions = ops.convert_to_tensor(predictions)
        labels = ops.convert_to_tensor(labels)
        predictions_rank = predictions.get_shape().ndims
        labels_rank = labels.get_shape().ndims
        if predictions_rank is not None and labels_rank is not None:
            difference = predictions_rank - labels_rank
            if difference == expected_rank_diff + 1 and _last_may_be_one(predictions):
                predictions = array_ops.squeeze(predictions, [-1])
            elif difference == expected_rank_diff - 1 and _last_may_be_one(labels):
                labels = array_ops.squeeze(labels, [-1])
            return labels, predictions
        difference = array_ops.rank(predictions) - array_ops.rank(labels)
        if predictions_rank is None or _last_may_be_one(predictions):
            predictions = _squeeze_if(
                math_ops.equal(expected_rank_diff + 1, difference), predictions)
        if labels_rank is None or _last_may_be_one(labels):
            labels = _squeeze_if(math_ops.equal(expected_rank_diff - 1, difference), labels)
        return labels, predictions


def _last_may_be_one(tensor):
    return tensor.get_shape().dims[-1].is_compatible_with(1)


def for_loss(labels, predictions, weights, expected_rank_diff):
    """Aligns the ranks of labels, predictions and the weights of a loss.

    Args:
      labels: a Tensor.
      predictions: a Tensor.
      weights: a Tensor, which is squeezed if its rank is one more than that of labels.
      expected_rank_diff: the expected rank of predictions minus that of labels.

    Returns:
      labels, predictions and weights.
    """
    labels, predictions = remove_squeezable_dimensions(labels, predictions, expected_rank_diff)
    weights = ops.convert_to_tensor(weights)
    labels_rank, weights_rank = labels.get_shape().ndims, weights.get_shape().ndims
    if labels_rank is not None and weights_rank is not None:
        if weights_rank - labels_rank == 1:
            weights = array_ops.squeeze(weights, [-1])
        return labels, predictions, weights
    difference = array_ops.rank(weights) - array_ops.rank(labels)
    if weights_rank is None or (weights_rank > 0 and _last_may_be_one(weights)):
        weights = _squeeze_if(math_ops.equal(1, difference), weights)
    return labels, predictions, weights


def for_metric(predictions, labels, weights):
    """Aligns the ranks of predictions, labels and the weights of a metric.

    Args:
      predictions: a Tensor.
      labels: a Tensor, or None.
      weights: a Tensor, which is squeezed or expanded if its rank differs by one; or None.

    Returns:
      predictions, labels and weights.
    """
    predictions = ops.convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if weights is None:
        return predictions, labels, None
    weights = ops.convert_to_tensor(weights)
    predictions_rank, weights_rank = predictions.get_shape().ndims, weights.get_shape().ndims
    if weights_rank == 0:
        return predictions, labels, weights
    if predictions_rank is None or weights_rank is None:
        return predictions, labels, _weights_at_run(weights, predictions)
    if weights_rank - predictions_rank == 1:
        weights = array_ops.squeeze(weights, [-1])
    elif predictions_rank - weights_rank == 1:
        weights = array_ops.expand_dims(weights, [-1])
    return predictions, labels, weights


def _weights_at_run(weights, predictions):
    predictions_rank = array_ops.rank(predictions)
    weights_rank = array_ops.rank(weights)
    difference = weights_rank - predictions_rank

    def expand():
        return cond(
            math_ops.equal(difference, -1), lambda: array_ops.expand_dims(weights, [-1]),
            lambda: weights)

    def fit():
        rank = weights.get_shape().ndims
        if rank is None or _last_may_be_one(weights):
            return cond(
                math_ops.equal(difference, 1), lambda: array_ops.squeeze(weights, [-1]), expand)
        return expand()

    return cond(math_ops.equal(weights_rank, 0), lambda: weights, fit)
