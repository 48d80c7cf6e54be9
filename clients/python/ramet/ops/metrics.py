"""tf.metrics: values over many batches, kept in local variables."""

from ramet.api import export
from ramet.framework import dtypes
from ramet.framework import ops
from ramet.ops import array_ops
from ramet.ops import check_rank
from ramet.ops import check_types
from ramet.ops import math_ops
from ramet.ops import squeeze_ops
from ramet.ops import state_ops
from ramet.ops import variable_scope
from ramet.ops import variables
from ramet.ops import weights_broadcast_ops

_COLLECTIONS = ('local_variables', 'metric_variables')


def _metric_variable(shape, dtype, name):
    """A variable that no optimizer trains and no Saver saves."""
    return variables.Variable(
        lambda: array_ops.zeros(shape, dtype), trainable=False, collections=list(_COLLECTIONS),
        validate_shape=True, name=name)


def _collect(value, update, metrics_collections, updates_collections):
    if metrics_collections:
        ops.add_to_collections(metrics_collections, value)
    if updates_collections:
        ops.add_to_collections(updates_collections, update)
    return value, update


def _ratio(total, count, name):
    return math_ops.div_no_nan(total, math_ops.maximum(count, 0), name=name)


@export('metrics.mean')
def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of all values so far.

    Args:
      values: a Tensor.
      weights: a Tensor of rank 0 or of values' rank, that broadcasts to values; or None.
      metrics_collections: collections the mean is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The mean, and an operation (a Tensor) that adds values and gives the mean after it.

    Raises:
      ValueError: if weights do not broadcast.
    """
    with variable_scope.variable_scope(name, 'mean', (values, weights)):
        values = math_ops.cast(values, dtypes.float32)
        total = _metric_variable([], dtypes.float32, name='total')
        count = _metric_variable([], dtypes.float32, name='count')
        if weights is None:
            added = math_ops.cast(array_ops.size(values), dtypes.float32)
        else:
            values, weights = _weighted(values, weights)
            added = math_ops.reduce_sum(weights)
        update_total = state_ops.assign_add(total, math_ops.reduce_sum(values))
        with ops.control_dependencies([values]):
            update_count = state_ops.assign_add(count, added)
        value = _ratio(total, count, 'value')
        update = _ratio(update_total, update_count, 'update_op')
        return _collect(value, update, metrics_collections, updates_collections)


def _weighted(values, weights):
    values, _, weights = squeeze_ops.for_metric(values, None, weights)
    weights = weights_broadcast_ops.broadcast_weights(
        math_ops.cast(weights, dtypes.float32), values)
    return math_ops.multiply(values, weights), weights


@export('metrics.mean_tensor')
def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None,
                name=None):
    """The mean of each element over all tensors so far.

    Args:
      values: a Tensor of a known shape.
      weights: a Tensor of rank 0 or of values' rank, that broadcasts to values; or None.
      metrics_collections: collections the mean is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The means, and an operation (a Tensor) that adds values and gives the means after it.

    Raises:
      ValueError: if weights do not broadcast.
    """
    with variable_scope.variable_scope(name, 'mean', (values, weights)):
        values = math_ops.cast(values, dtypes.float32)
        total = _metric_variable(values.get_shape(), dtypes.float32, name='total_tensor')
        count = _metric_variable(values.get_shape(), dtypes.float32, name='count_tensor')
        added = array_ops.ones_like(values)
        if weights is not None:
            values, weights = _weighted(values, weights)
            added = math_ops.multiply(added, weights)
        update_total = state_ops.assign_add(total, values)
        with ops.control_dependencies([values]):
            update_count = state_ops.assign_add(count, added)
        value = _ratio(total, count, 'value')
        update = _ratio(update_total, update_count, 'update_op')
        return _collect(value, update, metrics_collections, updates_collections)


@export('metrics.accuracy')
def accuracy(labels, predictions, weights=None, metrics_collections=None,
             updates_collections=None, name=None):
    """The fraction of predictions so far that equal their labels.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The accuracy, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if labels.dtype != predictions.dtype:
        predictions = math_ops.cast(predictions, labels.dtype)
    correct = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
    return mean(correct, weights, metrics_collections, updates_collections, name or 'accuracy')


@export('metrics.mean_absolute_error')
def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    """The mean of |predictions - labels| so far.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The error, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    errors = math_ops.abs(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections,
                name or 'mean_absolute_error')


@export('metrics.mean_squared_error')
def mean_squared_error(labels, predictions, weights=None, metrics_collections=None,
                       updates_collections=None, name=None):
    """The mean of (predictions - labels)**2 so far.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The error, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    errors = math_ops.squared_difference(labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections,
                name or 'mean_squared_error')


@export('metrics.root_mean_squared_error')
def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None,
                            updates_collections=None, name=None):
    """The root of the mean of (predictions - labels)**2 so far.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The error, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    value, update = mean_squared_error(
        labels, predictions, weights, None, None, name or 'root_mean_squared_error')
    return _collect(math_ops.sqrt(value), math_ops.sqrt(update), metrics_collections,
                    updates_collections)


@export('metrics.mean_relative_error')
def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    """The mean of |labels - predictions| / normalizer so far; 0 where normalizer is 0.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      normalizer: a Tensor of predictions' shape.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The error, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    predictions, normalizer = squeeze_ops.remove_squeezable_dimensions(predictions, normalizer)
    predictions.get_shape().assert_is_compatible_with(normalizer.get_shape())
    errors = array_ops.where(
        math_ops.equal(normalizer, 0.0), array_ops.zeros_like(labels),
        math_ops.truediv(math_ops.abs(labels - predictions), normalizer))
    return mean(errors, weights, metrics_collections, updates_collections,
                name or 'mean_relative_error')


@export('metrics.mean_cosine_distance')
def mean_cosine_distance(labels, predictions, dim, weights=None, metrics_collections=None,
                         updates_collections=None, name=None):
    """1 less the mean of sum(predictions * labels) along an axis, so far.

    Args:
      labels: a Tensor of unit vectors, of predictions' shape.
      predictions: a Tensor of unit vectors.
      dim: the axis of the vectors.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The distance, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    products = math_ops.reduce_sum(
        math_ops.multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or 'mean_cosine_distance')
    return _collect(math_ops.subtract(1.0, value), math_ops.subtract(1.0, update),
                    metrics_collections, updates_collections)


@export('metrics.percentage_below')
def percentage_below(values, threshold, weights=None, metrics_collections=None,
                     updates_collections=None, name=None):
    """The fraction of values so far that are below a threshold.

    Args:
      values: a Tensor.
      threshold: a scalar.
      weights: a Tensor of rank 0 or of values' rank, that broadcasts to values; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The fraction, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if weights do not broadcast.
    """
    below = math_ops.cast(math_ops.less(values, threshold), dtypes.float32)
    return mean(below, weights, metrics_collections, updates_collections,
                name or 'percentage_below_threshold')


def _count(condition, weights, metrics_collections, updates_collections):
    check_types.assert_type(condition, dtypes.bool)
    count = _metric_variable([], dtypes.float32, name='count')
    values = math_ops.cast(condition, dtypes.float32)
    if weights is not None:
        check = check_rank.assert_rank_in(weights, (0, array_ops.rank(values)))
        with ops.control_dependencies((check,)):
            values = math_ops.multiply(values, math_ops.cast(weights, dtypes.float32))
    value = array_ops.identity(count)
    update = state_ops.assign_add(count, math_ops.reduce_sum(values))
    return _collect(value, update, metrics_collections, updates_collections)


def _bools(labels, predictions, weights):
    return squeeze_ops.for_metric(
        math_ops.cast(predictions, dtypes.bool), math_ops.cast(labels, dtypes.bool), weights)


def _confusion(scope, label, prediction, labels, predictions, weights, metrics_collections,
               updates_collections, name):
    """Counts the elements whose label and prediction are these."""
    with variable_scope.variable_scope(name, scope, (predictions, labels, weights)):
        predictions, labels, weights = _bools(labels, predictions, weights)
        matches = math_ops.logical_and(
            math_ops.equal(labels, label), math_ops.equal(predictions, prediction))
        return _count(matches, weights, metrics_collections, updates_collections)


@export('metrics.true_positives')
def true_positives(labels, predictions, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """The (weighted) number of elements so far that are true and predicted as true.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The number, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    return _confusion('true_positives', True, True, labels, predictions, weights,
                      metrics_collections, updates_collections, name)


@export('metrics.true_negatives')
def true_negatives(labels, predictions, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """The (weighted) number of elements so far that are false and predicted as false.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The number, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    return _confusion('true_negatives', False, False, labels, predictions, weights,
                      metrics_collections, updates_collections, name)


@export('metrics.false_positives')
def false_positives(labels, predictions, weights=None, metrics_collections=None,
                    updates_collections=None, name=None):
    """The (weighted) number of elements so far that are false and predicted as true.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The number, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    return _confusion('false_positives', False, True, labels, predictions, weights,
                      metrics_collections, updates_collections, name)


@export('metrics.false_negatives')
def false_negatives(labels, predictions, weights=None, metrics_collections=None,
                    updates_collections=None, name=None):
    """The (weighted) number of elements so far that are true and predicted as false.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The number, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    return _confusion('false_negatives', True, False, labels, predictions, weights,
                      metrics_collections, updates_collections, name)


def _share(part, rest, name):
    return array_ops.where(
        math_ops.greater(part + rest, 0), math_ops.truediv(part, part + rest), 0, name)


@export('metrics.precision')
def precision(labels, predictions, weights=None, metrics_collections=None,
              updates_collections=None, name=None):
    """The fraction of true ones among the elements so far that were predicted as true.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The precision, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    with variable_scope.variable_scope(name, 'precision', (predictions, labels, weights)):
        predictions, labels, weights = _bools(labels, predictions, weights)
        true, true_update = true_positives(labels, predictions, weights)
        false, false_update = false_positives(labels, predictions, weights)
        return _collect(_share(true, false, 'value'),
                        _share(true_update, false_update, 'update_op'),
                        metrics_collections, updates_collections)


@export('metrics.recall')
def recall(labels, predictions, weights=None, metrics_collections=None,
           updates_collections=None, name=None):
    """The fraction of elements predicted as true among those so far that are true.

    Args:
      labels: a Tensor of predictions' shape, cast to bool.
      predictions: a Tensor, cast to bool.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections the value is added to.
      updates_collections: collections the update is added to.
      name: name of the variable scope.

    Returns:
      The recall, and an operation (a Tensor) that adds a batch and gives it after that.

    Raises:
      ValueError: if shapes do not fit.
    """
    with variable_scope.variable_scope(name, 'recall', (predictions, labels, weights)):
        predictions, labels, weights = _bools(labels, predictions, weights)
        true, true_update = true_positives(labels, predictions, weights)
        false, false_update = false_negatives(labels, predictions, weights)
        return _collect(_share(true, false, 'value'),
                        _share(true_update, false_update, 'update_op'),
                        metrics_collections, updates_collections)
