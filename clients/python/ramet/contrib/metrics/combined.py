"""Metrics of single batches, statistics of pairs, and functions that combine metrics."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops, math_segment
from ramet.ops.metrics import metrics_counts
from ramet.ops.metrics.metrics import collect, metric_variable
from ramet.ops.variables import state_ops, variable_scope


@export('contrib.metrics.accuracy')
def accuracy(predictions, labels, weights=None, name=None):
    """Returns the fraction of predictions that equal their labels, in one batch.

    Args:
      predictions: a tensor of strings, integers or booleans.
      labels: a tensor of predictions' type and shape.
      weights: a float tensor that broadcasts to labels, or None.
      name: the name of the scope. Defaults to 'accuracy'.

    Returns:
      A float scalar.

    Raises:
      ValueError: if the types or shapes are different.
    """
    predictions, labels = ops.convert_to_tensor(predictions), ops.convert_to_tensor(labels)
    if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool, dtypes.string)):
        raise ValueError('Labels should have bool, string, or integer dtype, not '
                         f'{labels.dtype}')
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError('Dtypes of predictions and labels should match. Given: '
                         f'predictions ({predictions.dtype}) and labels ({labels.dtype})')
    with ops.name_scope(name, 'accuracy', [predictions, labels]):
        correct = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            correct = math_ops.multiply(correct, weights)
            count = math_ops.multiply(weights, array_ops.ones_like(correct))
            return math_ops.div(math_ops.reduce_sum(correct), math_ops.reduce_sum(count))
        return math_ops.reduce_mean(correct)


@export('contrib.metrics.aggregate_metrics')
def aggregate_metrics(*value_update_tuples):
    """Splits metrics into a list of values and a list of updates.

    Args:
      *value_update_tuples: pairs (value, update).

    Raises:
      ValueError: if there are no pairs.
    """
    if not value_update_tuples:
        raise ValueError('Expected at least one value_tensor/update_op pair')
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


@export('contrib.metrics.aggregate_metric_map')
def aggregate_metric_map(names_to_tuples):
    """Splits a dict of metrics into a dict of values and a dict of updates.

    Args:
      names_to_tuples: a dict from names to pairs (value, update).
    """
    return ({name: value for name, (value, _) in names_to_tuples.items()},
            {name: update for name, (_, update) in names_to_tuples.items()})


@export('contrib.metrics.count')
def count(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Returns the number of values so far, or the sum of their weights.

    Args:
      values: a tensor.
      weights: a tensor that broadcasts to values, or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope. Defaults to 'count'.

    Returns:
      The count, and an operation (a Tensor) that adds a batch and returns the new count.
    """
    with variable_scope.variable_scope(name, 'count', (values, weights)):
        total = metric_variable([], dtypes.float32, name='count')
        values = math_ops.cast(values, dtypes.float32)
        if weights is None:
            added = math_ops.to_float(array_ops.size(values))
        else:
            added = math_ops.reduce_sum(math_ops.cast(weights, dtypes.float32) * array_ops.ones_like(values))
        with ops.control_dependencies([values]):
            update = state_ops.assign_add(total, added)
        return collect(array_ops.identity(total), update, metrics_collections, updates_collections)


@export('contrib.metrics.streaming_covariance')
@with_args_of(count)
def streaming_covariance(predictions, labels, weights=None, metrics_collections=None,
                         updates_collections=None, name=None):
    """Returns the sample covariance of all pairs so far (Chan, Golub, LeVeque 1979).

    Args:
      predictions: a tensor.
      labels: a tensor of predictions' shape.
      name: the name of the variable scope. Defaults to 'covariance'.

    Returns:
      The covariance, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    predictions, labels = math_ops.cast(predictions, dtypes.float32), math_ops.cast(labels, dtypes.float32)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    with variable_scope.variable_scope(name, 'covariance', (predictions, labels)):
        n, mean_p, mean_l, moment = (metric_variable([], dtypes.float32, name=name) for name in (
            'count', 'mean_prediction', 'mean_label', 'comoment'))
        weights = array_ops.ones_like(labels) if weights is None \
            else math_ops.cast(weights, dtypes.float32) * array_ops.ones_like(labels)
        added = math_ops.reduce_sum(weights)
        batch_p, batch_l = (math_ops.div_no_nan(math_ops.reduce_sum(t * weights), added)
                            for t in (predictions, labels))
        batch_moment = math_ops.reduce_sum((predictions - batch_p) * (labels - batch_l) * weights)
        total = n + added
        delta_p, delta_l = batch_p - mean_p, batch_l - mean_l
        with ops.control_dependencies([total, delta_p, delta_l]):
            new_moment = state_ops.assign_add(
                moment, batch_moment + math_ops.div_no_nan(delta_p * delta_l * n * added, total))
        with ops.control_dependencies([new_moment]):
            share = math_ops.div_no_nan(added, total)
            updates = [state_ops.assign_add(mean_p, delta_p * share),
                       state_ops.assign_add(mean_l, delta_l * share)]
        with ops.control_dependencies(updates):
            new_n = state_ops.assign_add(n, added)
        return collect(_covariance(moment, n, 'covariance'),
                       _covariance(new_moment, new_n, 'update_op'),
                       metrics_collections, updates_collections)


def _covariance(moment, n, name):
    return math_ops.truediv(moment, n - 1, name=name)


@export('contrib.metrics.streaming_pearson_correlation')
@with_args_of(streaming_covariance, count)
def streaming_pearson_correlation(predictions, labels, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """Returns Pearson's correlation coefficient of all pairs so far.

    Args:
      name: the name of the variable scope. Defaults to 'pearson_r'.

    Returns:
      The coefficient, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    with variable_scope.variable_scope(name, 'pearson_r', (predictions, labels)):
        parts = [streaming_covariance(a, b, weights, name=name) for a, b, name in (
            (predictions, labels, 'covariance'), (predictions, predictions, 'variance_predictions'),
            (labels, labels, 'variance_labels'))]
        values = [math_ops.truediv(c, math_ops.multiply(math_ops.sqrt(p), math_ops.sqrt(q)), name=name)
                  for (c, p, q), name in zip(zip(*parts, strict=True),
                                             ('pearson_r', 'update_op'), strict=True)]
        return collect(*values, metrics_collections, updates_collections)


def _rate(kind, against, scope, predictions, labels, weights, metrics_collections,
          updates_collections, name):
    with variable_scope.variable_scope(name, scope, (predictions, labels, weights)):
        parts = [metric(labels, predictions, weights) for metric in (kind, against)]
        values = [math_ops.div_no_nan(a, a + b, name=name) for (a, b), name in zip(
            zip(*parts, strict=True), ('value', 'update_op'), strict=True)]
        return collect(*values, metrics_collections, updates_collections)


@export('contrib.metrics.streaming_false_positive_rate')
@with_args_of(streaming_covariance, count)
def streaming_false_positive_rate(predictions, labels, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """Returns false positives / (false positives + true negatives) so far.

    Args:
      name: the name of the variable scope. Defaults to 'false_positive_rate'.

    Returns:
      The rate, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    return _rate(metrics_counts.false_positives, metrics_counts.true_negatives, 'false_positive_rate',
                 predictions, labels, weights, metrics_collections, updates_collections, name)


@export('contrib.metrics.streaming_false_negative_rate')
@with_args_of(streaming_covariance, count)
def streaming_false_negative_rate(predictions, labels, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """Returns false negatives / (false negatives + true positives) so far.

    Args:
      name: the name of the variable scope. Defaults to 'false_negative_rate'.

    Returns:
      The rate, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    return _rate(metrics_counts.false_negatives, metrics_counts.true_positives, 'false_negative_rate',
                 predictions, labels, weights, metrics_collections, updates_collections, name)


@export('contrib.metrics.cohen_kappa')
@with_args_of(count)
def cohen_kappa(labels, predictions_idx, num_classes, weights=None, metrics_collections=None,
                updates_collections=None, name=None):
    """Returns Cohen's kappa of all pairs so far.

    Args:
      labels: the classes of the labels, an integer vector [batch] or [batch, 1].
      predictions_idx: the predicted classes, of labels' shape.
      num_classes: the number of classes.
      name: the name of the variable scope. Defaults to 'cohen_kappa'.

    Returns:
      The value, and an operation (a Tensor) that adds a batch and returns the new value.
    """
    with variable_scope.variable_scope(name, 'cohen_kappa', (labels, predictions_idx, weights)):
        confusion = metric_variable([num_classes, num_classes], dtypes.float32, name='confusion')
        added = math_segment.confusion_matrix(
            array_ops.reshape(labels, [-1]), array_ops.reshape(predictions_idx, [-1]), num_classes,
            weights=None if weights is None else array_ops.reshape(weights, [-1]), dtype=dtypes.float32)
        return collect(_kappa(confusion, 'value'), _kappa(state_ops.assign_add(confusion, added),
                                                          'update_op'),
                       metrics_collections, updates_collections)


def _kappa(confusion, name):
    total = math_ops.reduce_sum(confusion)
    expected = math_ops.div_no_nan(math_ops.reduce_sum(
        math_ops.reduce_sum(confusion, 0) * math_ops.reduce_sum(confusion, 1)), total)
    return math_ops.div_no_nan(math_ops.trace(confusion) - expected, total - expected, name=name)
