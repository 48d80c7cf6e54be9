"""tf.metrics based on counts: true and false positives and negatives, precision and recall."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops import (
    array_ops,
    check_rank,
    check_types,
    math_ops,
    squeeze_ops,
    state_ops,
    variable_scope,
)
from ramet.ops.metrics import collect, metric_variable


def _count(condition, weights, metrics_collections, updates_collections):
    check_types.assert_type(condition, dtypes.bool)
    count = metric_variable([], dtypes.float32, name='count')
    values = math_ops.cast(condition, dtypes.float32)
    if weights is not None:
        check = check_rank.assert_rank_in(weights, (0, array_ops.rank(values)))
        with ops.control_dependencies((check,)):
            values = math_ops.multiply(values, math_ops.cast(weights, dtypes.float32))
    value = array_ops.identity(count)
    update = state_ops.assign_add(count, math_ops.reduce_sum(values))
    return collect(value, update, metrics_collections, updates_collections)


def _bools(labels, predictions, weights):
    return squeeze_ops.for_metric(
        math_ops.cast(predictions, dtypes.bool), math_ops.cast(labels, dtypes.bool), weights)


def _confusion(scope, label, prediction, labels, predictions, weights, metrics_collections,
               updates_collections, name):
    """Counts the elements with this label and prediction."""
    with variable_scope.variable_scope(name, scope, (predictions, labels, weights)):
        predictions, labels, weights = _bools(labels, predictions, weights)
        matches = math_ops.logical_and(
            math_ops.equal(labels, label), math_ops.equal(predictions, prediction))
        return _count(matches, weights, metrics_collections, updates_collections)


@export('metrics.true_positives')
def true_positives(labels, predictions, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """Returns the (weighted) number of elements so far that are true and predicted as true.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The number, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return _confusion('true_positives', True, True, labels, predictions, weights,
                      metrics_collections, updates_collections, name)


@export('metrics.true_negatives')
def true_negatives(labels, predictions, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """Returns the (weighted) number of elements so far that are false and predicted as false.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The number, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return _confusion('true_negatives', False, False, labels, predictions, weights,
                      metrics_collections, updates_collections, name)


@export('metrics.false_positives')
def false_positives(labels, predictions, weights=None, metrics_collections=None,
                    updates_collections=None, name=None):
    """Returns the (weighted) number of elements so far that are false and predicted as true.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The number, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return _confusion('false_positives', False, True, labels, predictions, weights,
                      metrics_collections, updates_collections, name)


@export('metrics.false_negatives')
def false_negatives(labels, predictions, weights=None, metrics_collections=None,
                    updates_collections=None, name=None):
    """Returns the (weighted) number of elements so far that are true and predicted as false.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The number, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return _confusion('false_negatives', True, False, labels, predictions, weights,
                      metrics_collections, updates_collections, name)


def _share(part, rest, name):
    return array_ops.where(
        math_ops.greater(part + rest, 0), math_ops.truediv(part, part + rest), 0, name)


def _share_of_true(scope, count_false, labels, predictions, weights, metrics_collections,
                   updates_collections, name):
    """Returns the true positives divided by the sum of true positives and count_false."""
    with variable_scope.variable_scope(name, scope, (predictions, labels, weights)):
        predictions, labels, weights = _bools(labels, predictions, weights)
        true, true_update = true_positives(labels, predictions, weights)
        false, false_update = count_false(labels, predictions, weights)
        return collect(_share(true, false, 'value'),
                       _share(true_update, false_update, 'update_op'),
                       metrics_collections, updates_collections)


@export('metrics.precision')
def precision(labels, predictions, weights=None, metrics_collections=None,
              updates_collections=None, name=None):
    """Returns the fraction of elements predicted as true so far that are true.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The precision, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return _share_of_true('precision', false_positives, labels, predictions, weights,
                          metrics_collections, updates_collections, name)


@export('metrics.recall')
def recall(labels, predictions, weights=None, metrics_collections=None,
           updates_collections=None, name=None):
    """Returns the fraction of true elements so far that were predicted as true.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The recall, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return _share_of_true('recall', false_negatives, labels, predictions, weights,
                          metrics_collections, updates_collections, name)
