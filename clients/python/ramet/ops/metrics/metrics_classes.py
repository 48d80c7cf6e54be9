"""tf.metrics of classes: accuracy per class, and intersection over union."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, graph_only
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.math.math_segment import confusion_matrix
from ramet.ops.metrics.metrics import collect, metric_variable
from ramet.ops.variables import state_ops, variable_scope


def _flat(tensor):
    return array_ops.reshape(tensor, [-1]) if tensor.get_shape().ndims > 1 else tensor


@export('metrics.mean_per_class_accuracy')
@graph_only.metric
def mean_per_class_accuracy(labels, predictions, num_classes, weights=None, metrics_collections=None,
                            updates_collections=None, name=None):
    """Returns the mean over the classes of the share of elements of a class that are predicted correctly.

    Args:
      labels: a Tensor of classes.
      predictions: a Tensor of classes, of labels' shape.
      num_classes: int, the number of classes.
      weights: a Tensor of labels' shape, or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The mean, and an operation (a Tensor) that adds a batch and returns the new shares of all classes.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    with variable_scope.variable_scope(name, 'mean_accuracy', (predictions, labels, weights)):
        labels = _flat(math_ops.cast(labels, dtypes.int64))
        predictions = _flat(predictions)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        total = metric_variable([num_classes], dtypes.float32, name='total')
        count = metric_variable([num_classes], dtypes.float32, name='count')
        ones = array_ops.ones([array_ops.size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = math_ops.cast(predictions, labels.dtype)
        is_correct = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = math_ops.cast(_flat(weights), dtypes.float32)
            is_correct *= weights
            ones *= weights
        update_total = state_ops.scatter_add(total, labels, ones)
        update_count = state_ops.scatter_add(count, labels, is_correct)
        shares = math_ops.div_no_nan(count, math_ops.maximum(total, 0))
        value = math_ops.reduce_mean(shares, name='mean_accuracy')
        update = math_ops.div_no_nan(update_count, math_ops.maximum(update_total, 0), name='update_op')
        return collect(value, update, metrics_collections, updates_collections)


def _updated_confusion(labels, predictions, num_classes, weights):
    """Returns a variable with the confusion matrix so far, and an operation that adds a batch."""
    total = metric_variable([num_classes, num_classes], dtypes.float64, name='total_confusion_matrix')
    predictions = math_ops.cast(predictions, dtypes.int64)
    labels = math_ops.cast(labels, dtypes.int64)
    num_classes = math_ops.cast(num_classes, dtypes.int64)
    predictions, labels = _flat(predictions), _flat(labels)
    if weights is not None:
        weights = _flat(weights)
    batch = confusion_matrix(labels, predictions, num_classes, weights=weights, dtype=dtypes.float64)
    return total, state_ops.assign_add(total, batch)


@export('metrics.mean_iou')
@graph_only.metric
@with_args_of(mean_per_class_accuracy)
def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None,
             name=None):
    """Returns the mean over the classes of intersection over union: tp / (tp + fp + fn).

    Returns:
      The mean, and an operation (a Tensor) that adds a batch and returns the new confusion matrix.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    with variable_scope.variable_scope(name, 'mean_iou', (predictions, labels, weights)):
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
        total, update = _updated_confusion(labels, predictions, num_classes, weights)
        rows = math_ops.cast(math_ops.reduce_sum(total, 0), dtypes.float32)
        columns = math_ops.cast(math_ops.reduce_sum(total, 1), dtypes.float32)
        diagonal = math_ops.cast(array_ops.diag_part(total), dtypes.float32)
        union = rows + columns - diagonal
        present = math_ops.reduce_sum(math_ops.cast(math_ops.not_equal(union, 0), dtype=dtypes.float32))
        union = array_ops.where(math_ops.greater(union, 0), union, array_ops.ones_like(union))
        iou = math_ops.divide(diagonal, union)
        value = array_ops.where(math_ops.greater(present, 0),
                                math_ops.reduce_sum(iou, name='mean_iou') / present, 0)
        return collect(value, update, metrics_collections, updates_collections)
