"""tf.metrics based on counts: true and false positives and negatives, precision and recall."""

from ramet.api import export
from ramet.docstrings import named
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_rank, check_types
from ramet.ops.losses import squeeze_ops
from ramet.ops.math import math_ops
from ramet.ops.metrics.metrics import collect, metric_variable
from ramet.ops.variables import state_ops, variable_scope


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


_DOC = """Returns the {what}.

Args:
  labels: a Tensor of predictions' shape, cast to bool.
  predictions: a Tensor, cast to bool.
  weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
  metrics_collections: collections to add the value to.
  updates_collections: collections to add the update to.
  name: the name of the variable scope.

Returns:
  The {value}, and an operation (a Tensor) that adds a batch and returns the new value.

Raises:
  ValueError: if the shapes are incompatible.
"""


def _counter(function_name, label, prediction):
    """Returns the metric that counts the elements with a label and a prediction."""
    what = f'(weighted) number of elements so far that are {label} and predicted as {prediction}'.lower()

    @named(function_name, _DOC.format(what=what, value='number'))
    def count(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        return _confusion(function_name, label, prediction, labels, predictions, weights, metrics_collections,
                          updates_collections, name)

    return count


true_positives = export('metrics.true_positives')(_counter('true_positives', True, True))
true_negatives = export('metrics.true_negatives')(_counter('true_negatives', False, False))
false_positives = export('metrics.false_positives')(_counter('false_positives', False, True))
false_negatives = export('metrics.false_negatives')(_counter('false_negatives', True, False))


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


def _fraction(function_name, count_false, what):
    """Returns the metric that divides the true positives by their sum with another count."""

    @named(function_name, _DOC.format(what=what, value=function_name))
    def share(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        return _share_of_true(function_name, count_false, labels, predictions, weights, metrics_collections,
                              updates_collections, name)

    return share


precision = export('metrics.precision')(_fraction(
    'precision', false_positives, 'fraction of elements predicted as true so far that are true'))
recall = export('metrics.recall')(_fraction(
    'recall', false_negatives, 'fraction of true elements so far that were predicted as true'))
