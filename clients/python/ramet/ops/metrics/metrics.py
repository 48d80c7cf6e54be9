"""tf.metrics: metrics over many batches, kept in local variables."""

from ramet.api import export
from ramet.framework import dtypes, graph_only, ops
from ramet.ops.array import array_ops
from ramet.ops.losses import squeeze_ops, weights_broadcast_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import state_ops, variable_scope, variables

_COLLECTIONS = ('local_variables', 'metric_variables')


def metric_variable(shape, dtype, name):
    """Creates a variable that no optimizer trains and no Saver saves."""
    return variables.Variable(
        lambda: array_ops.zeros(shape, dtype), trainable=False, collections=list(_COLLECTIONS),
        validate_shape=True, name=name)


def collect(value, update, metrics_collections, updates_collections):
    if metrics_collections:
        ops.add_to_collections(metrics_collections, value)
    if updates_collections:
        ops.add_to_collections(updates_collections, update)
    return value, update


def _ratio(total, count, name):
    return math_ops.div_no_nan(total, math_ops.maximum(count, 0), name=name)


def _running_ratio(total, count, more, values, added):
    """Returns total / count, and the same after adding `more` and `added` once values are computed."""
    update_total = state_ops.assign_add(total, more)
    with ops.control_dependencies([values]):
        update_count = state_ops.assign_add(count, added)
    return _ratio(total, count, 'value'), _ratio(update_total, update_count, 'update_op')


@export('metrics.mean')
@graph_only.metric
def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Returns the mean of all values so far.

    Args:
      values: a Tensor.
      weights: a Tensor of rank 0 or of values' rank, that broadcasts to values; or None.
      metrics_collections: collections to add the mean to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The mean, and an operation (a Tensor) that adds values and returns the new mean.

    Raises:
      ValueError: if weights do not broadcast.
    """
    with variable_scope.variable_scope(name, 'mean', (values, weights)):
        values = math_ops.cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name='total')
        count = metric_variable([], dtypes.float32, name='count')
        if weights is None:
            added = math_ops.cast(array_ops.size(values), dtypes.float32)
        else:
            values, weights = _weighted(values, weights)
            added = math_ops.reduce_sum(weights)
        return collect(*_running_ratio(total, count, math_ops.reduce_sum(values), values, added),
                       metrics_collections, updates_collections)


def _weighted(values, weights):
    values, _, weights = squeeze_ops.for_metric(values, None, weights)
    weights = weights_broadcast_ops.broadcast_weights(
        math_ops.cast(weights, dtypes.float32), values)
    return math_ops.multiply(values, weights), weights


@export('metrics.mean_tensor')
@graph_only.metric
def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None,
                name=None):
    """Returns the mean of each element over all tensors so far.

    Args:
      values: a Tensor of a known shape.
      weights: a Tensor of rank 0 or of values' rank, that broadcasts to values; or None.
      metrics_collections: collections to add the mean to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The means, and an operation (a Tensor) that adds values and returns the new means.

    Raises:
      ValueError: if weights do not broadcast.
    """
    with variable_scope.variable_scope(name, 'mean', (values, weights)):
        values = math_ops.cast(values, dtypes.float32)
        total = metric_variable(values.get_shape(), dtypes.float32, name='total_tensor')
        count = metric_variable(values.get_shape(), dtypes.float32, name='count_tensor')
        added = array_ops.ones_like(values)
        if weights is not None:
            values, weights = _weighted(values, weights)
            added = math_ops.multiply(added, weights)
        return collect(*_running_ratio(total, count, values, values, added),
                       metrics_collections, updates_collections)


@export('metrics.accuracy')
@graph_only.metric
def accuracy(labels, predictions, weights=None, metrics_collections=None,
             updates_collections=None, name=None):
    """Returns the fraction of predictions so far that equal their labels.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The accuracy, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if labels.dtype != predictions.dtype:
        predictions = math_ops.cast(predictions, labels.dtype)
    correct = math_ops.cast(math_ops.equal(predictions, labels), dtypes.float32)
    return mean(correct, weights, metrics_collections, updates_collections, name or 'accuracy')


@export('metrics.mean_absolute_error')
@graph_only.metric
def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    """Returns the mean of |predictions - labels| so far.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The error, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    errors = math_ops.abs(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections,
                name or 'mean_absolute_error')


@export('metrics.mean_squared_error')
@graph_only.metric
def mean_squared_error(labels, predictions, weights=None, metrics_collections=None,
                       updates_collections=None, name=None):
    """Returns the mean of (predictions - labels)**2 so far.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The error, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    errors = math_ops.squared_difference(labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections,
                name or 'mean_squared_error')


@export('metrics.root_mean_squared_error')
@graph_only.metric
def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None,
                            updates_collections=None, name=None):
    """Returns the root of the mean of (predictions - labels)**2 so far.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The error, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    value, update = mean_squared_error(
        labels, predictions, weights, None, None, name or 'root_mean_squared_error')
    return collect(math_ops.sqrt(value), math_ops.sqrt(update), metrics_collections,
                   updates_collections)


@export('metrics.mean_relative_error')
@graph_only.metric
def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    """Returns the mean of |labels - predictions| / normalizer so far; 0 where normalizer is 0.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      normalizer: a Tensor of predictions' shape.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The error, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
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
@graph_only.metric
def mean_cosine_distance(labels, predictions, dim, weights=None, metrics_collections=None,
                         updates_collections=None, name=None):
    """Returns 1 minus the mean of sum(predictions * labels) along an axis, so far.

    Args:
      labels: a Tensor of unit vectors, of predictions' shape.
      predictions: a Tensor of unit vectors.
      dim: the axis of the vectors.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The distance, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    predictions, labels, weights = squeeze_ops.for_metric(predictions, labels, weights)
    products = math_ops.reduce_sum(
        math_ops.multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or 'mean_cosine_distance')
    return collect(math_ops.subtract(1.0, value), math_ops.subtract(1.0, update),
                   metrics_collections, updates_collections)


@export('metrics.percentage_below')
@graph_only.metric
def percentage_below(values, threshold, weights=None, metrics_collections=None,
                     updates_collections=None, name=None):
    """Returns the fraction of values so far that are below a threshold.

    Args:
      values: a Tensor.
      threshold: a scalar.
      weights: a Tensor of rank 0 or of values' rank, that broadcasts to values; or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the variable scope.

    Returns:
      The fraction, and an operation (a Tensor) that adds a batch and returns the new value.

    Raises:
      ValueError: if weights do not broadcast.
    """
    below = math_ops.cast(math_ops.less(values, threshold), dtypes.float32)
    return mean(below, weights, metrics_collections, updates_collections,
                name or 'percentage_below_threshold')
