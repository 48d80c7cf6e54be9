"""The metrics of tf.metrics with the arguments of tf.contrib.metrics: predictions come first."""

from ramet.api import export
from ramet.docstrings import named
from ramet.ops.metrics import metrics, metrics_classes, metrics_counts, metrics_thresholds

_COLLECTIONS = """  weights: a tensor of rank 0 or of the rank of the values, that broadcasts to them; or None.
  metrics_collections: collections to add the value to.
  updates_collections: collections to add the update to.
  name: the name of the variable scope.

Returns:
  The value, and an operation (a Tensor) that adds a batch and returns the new value.
"""
_CALLS = 'Calls tf.metrics.%s with predictions and labels.\n\nArgs:\n'
_THRESHOLDS = '  thresholds: a list of numbers from 0 to 1.\n'
_PAIR = """  predictions: a tensor.
  labels: a tensor of predictions' shape.
"""


def _of_pairs(name, metric):
    """Returns the function (predictions, labels, weights, ...) of a metric."""

    @named(name, _CALLS % metric.__name__ + _PAIR + _COLLECTIONS)
    def function(predictions, labels, weights=None, metrics_collections=None,
                 updates_collections=None, name=None):
        return metric(labels, predictions, weights=weights,
                      metrics_collections=metrics_collections,
                      updates_collections=updates_collections, name=name)

    return function


def _at_thresholds(name, metric):
    """Returns the function (predictions, labels, thresholds, weights, ...) of a metric."""

    @named(name, _CALLS % metric.__name__ + _PAIR + _THRESHOLDS + _COLLECTIONS)
    def function(predictions, labels, thresholds, weights=None, metrics_collections=None,
                 updates_collections=None, name=None):
        return metric(labels, predictions, thresholds, weights=weights,
                      metrics_collections=metrics_collections,
                      updates_collections=updates_collections, name=name)

    return function


streaming_accuracy = export('contrib.metrics.streaming_accuracy')(
    _of_pairs('streaming_accuracy', metrics.accuracy))
streaming_precision = export('contrib.metrics.streaming_precision')(
    _of_pairs('streaming_precision', metrics_counts.precision))
streaming_recall = export('contrib.metrics.streaming_recall')(
    _of_pairs('streaming_recall', metrics_counts.recall))
streaming_true_positives = export('contrib.metrics.streaming_true_positives')(
    _of_pairs('streaming_true_positives', metrics_counts.true_positives))
streaming_true_negatives = export('contrib.metrics.streaming_true_negatives')(
    _of_pairs('streaming_true_negatives', metrics_counts.true_negatives))
streaming_false_positives = export('contrib.metrics.streaming_false_positives')(
    _of_pairs('streaming_false_positives', metrics_counts.false_positives))
streaming_false_negatives = export('contrib.metrics.streaming_false_negatives')(
    _of_pairs('streaming_false_negatives', metrics_counts.false_negatives))
streaming_mean_absolute_error = export('contrib.metrics.streaming_mean_absolute_error')(
    _of_pairs('streaming_mean_absolute_error', metrics.mean_absolute_error))
streaming_mean_squared_error = export('contrib.metrics.streaming_mean_squared_error')(
    _of_pairs('streaming_mean_squared_error', metrics.mean_squared_error))
streaming_root_mean_squared_error = export('contrib.metrics.streaming_root_mean_squared_error')(
    _of_pairs('streaming_root_mean_squared_error', metrics.root_mean_squared_error))
streaming_precision_at_thresholds = export('contrib.metrics.streaming_precision_at_thresholds')(
    _at_thresholds('streaming_precision_at_thresholds', metrics_thresholds.precision_at_thresholds))
streaming_recall_at_thresholds = export('contrib.metrics.streaming_recall_at_thresholds')(
    _at_thresholds('streaming_recall_at_thresholds', metrics_thresholds.recall_at_thresholds))
streaming_true_positives_at_thresholds = export('contrib.metrics.streaming_true_positives_at_thresholds')(
    _at_thresholds('streaming_true_positives_at_thresholds', metrics_thresholds.true_positives_at_thresholds))
streaming_true_negatives_at_thresholds = export('contrib.metrics.streaming_true_negatives_at_thresholds')(
    _at_thresholds('streaming_true_negatives_at_thresholds', metrics_thresholds.true_negatives_at_thresholds))
streaming_false_positives_at_thresholds = export('contrib.metrics.streaming_false_positives_at_thresholds')(
    _at_thresholds('streaming_false_positives_at_thresholds', metrics_thresholds.false_positives_at_thresholds))
streaming_false_negatives_at_thresholds = export('contrib.metrics.streaming_false_negatives_at_thresholds')(
    _at_thresholds('streaming_false_negatives_at_thresholds', metrics_thresholds.false_negatives_at_thresholds))


@export('contrib.metrics.streaming_auc')
def streaming_auc(predictions, labels, weights=None, num_thresholds=200, metrics_collections=None,
                  updates_collections=None, curve='ROC', name=None):
    """Calls tf.metrics.auc with predictions and labels.

    Args:
      predictions: a tensor of numbers from 0 to 1.
      labels: a tensor of predictions' shape.
      weights: a tensor that broadcasts to labels, or None.
      num_thresholds: the number of thresholds.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      curve: 'ROC' or 'PR'.
      name: the name of the variable scope.

    Returns:
      The value, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    return metrics_thresholds.auc(labels, predictions, weights=weights, num_thresholds=num_thresholds,
                          metrics_collections=metrics_collections,
                          updates_collections=updates_collections, curve=curve, name=name)


@export('contrib.metrics.streaming_specificity_at_sensitivity')
def streaming_specificity_at_sensitivity(predictions, labels, sensitivity, weights=None,
                                         num_thresholds=200, metrics_collections=None,
                                         updates_collections=None, name=None):
    """Calls tf.metrics.specificity_at_sensitivity with predictions and labels.

    Args:
      predictions: a tensor of numbers from 0 to 1.
      labels: a tensor of predictions' shape.
      sensitivity: a number from 0 to 1.
      weights: a tensor that broadcasts to labels, or None.
      num_thresholds: the number of thresholds.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The value, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    return metrics_thresholds.specificity_at_sensitivity(
        labels, predictions, sensitivity, weights=weights, num_thresholds=num_thresholds,
        metrics_collections=metrics_collections, updates_collections=updates_collections,
        name=name)


@export('contrib.metrics.streaming_sensitivity_at_specificity')
def streaming_sensitivity_at_specificity(predictions, labels, specificity, weights=None,
                                         num_thresholds=200, metrics_collections=None,
                                         updates_collections=None, name=None):
    """Calls tf.metrics.sensitivity_at_specificity with predictions and labels.

    Args:
      predictions: a tensor of numbers from 0 to 1.
      labels: a tensor of predictions' shape.
      specificity: a number from 0 to 1.
      weights: a tensor that broadcasts to labels, or None.
      num_thresholds: the number of thresholds.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The value, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    return metrics_thresholds.sensitivity_at_specificity(
        labels, predictions, specificity, weights=weights, num_thresholds=num_thresholds,
        metrics_collections=metrics_collections, updates_collections=updates_collections,
        name=name)


@export('contrib.metrics.streaming_mean_relative_error')
def streaming_mean_relative_error(predictions, labels, normalizer, weights=None,
                                  metrics_collections=None, updates_collections=None, name=None):
    """Calls tf.metrics.mean_relative_error with predictions and labels.

    Args:
      predictions: a tensor.
      labels: a tensor of predictions' shape.
      normalizer: a tensor of predictions' shape.
      weights: a tensor that broadcasts to labels, or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The value, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    return metrics.mean_relative_error(
        labels, predictions, normalizer, weights=weights, metrics_collections=metrics_collections,
        updates_collections=updates_collections, name=name)


@export('contrib.metrics.streaming_mean_cosine_distance')
def streaming_mean_cosine_distance(predictions, labels, dim, weights=None,
                                   metrics_collections=None, updates_collections=None, name=None):
    """Calls tf.metrics.mean_cosine_distance with predictions and labels.

    Args:
      predictions: a tensor of unit vectors.
      labels: a tensor of predictions' shape.
      dim: the axis of the vectors.
      weights: a tensor that broadcasts to labels, or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The value, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    return metrics.mean_cosine_distance(
        labels, predictions, dim, weights=weights, metrics_collections=metrics_collections,
        updates_collections=updates_collections, name=name)


@export('contrib.metrics.streaming_mean_iou')
def streaming_mean_iou(predictions, labels, num_classes, weights=None, metrics_collections=None,
                       updates_collections=None, name=None):
    """Calls tf.metrics.mean_iou with predictions and labels.

    Args:
      predictions: an integer tensor.
      labels: an integer tensor of predictions' shape.
      num_classes: the number of classes.
      weights: a tensor that broadcasts to labels, or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The value, and an operation (a Tensor) that adds a batch and returns the new confusion matrix.
    """
    return metrics_classes.mean_iou(
        labels, predictions, num_classes, weights=weights, metrics_collections=metrics_collections,
        updates_collections=updates_collections, name=name)


@export('contrib.metrics.streaming_percentage_less')
def streaming_percentage_less(values, threshold, weights=None, metrics_collections=None,
                              updates_collections=None, name=None):
    """Calls tf.metrics.percentage_below.

    Args:
      values: a tensor.
      threshold: a number.
      weights: a tensor that broadcasts to values, or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The value, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    return metrics.percentage_below(
        values, threshold, weights=weights, metrics_collections=metrics_collections,
        updates_collections=updates_collections, name=name)
