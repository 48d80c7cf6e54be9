"""tf.metrics of the k best predictions: precision, recall, average precision."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, graph_only, ops
from ramet.ops.array import array_ops
from ramet.ops.losses import weights_broadcast_ops
from ramet.ops.math import math_ops
from ramet.ops.metrics.metrics import collect, metric_variable
from ramet.ops.metrics.metrics_sets import (
    at_k_name, count_per_example, expand_labels, num_relevant, repeated, running_count, without_unknown,
)
from ramet.ops.nn.nn_activation import top_k
from ramet.ops.variables import state_ops


def _share(kind, name, labels, predictions_idx, k, class_id, weights, collections):
    """Returns true positives / (true positives + counts of `kind`), and its update."""
    with ops.name_scope(name[0], at_k_name(name[1], k, class_id), (predictions_idx, labels, weights)) as scope:
        labels = expand_labels(labels, predictions_idx)
        predictions_idx = math_ops.cast(predictions_idx, dtypes.int64)
        right, right_update = running_count('true_positive', labels, predictions_idx, k, class_id, weights)
        wrong, wrong_update = running_count(kind, labels, predictions_idx, k, class_id, weights)
        value = math_ops.divide(right, math_ops.add(right, wrong), name=scope)
        update = math_ops.divide(right_update, math_ops.add(right_update, wrong_update), name='update')
        return collect(value, update, *collections)


@export('metrics.recall_at_top_k')
@graph_only.metric
def recall_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None, metrics_collections=None,
                    updates_collections=None, name=None):
    """Returns the share of labels that are among the predicted classes.

    Args:
      labels: int64 Tensor or SparseTensor [D1, ... DN, number of labels], or a Tensor [D1, ... DN] of one label
        per example. Negative labels count as not predicted.
      predictions_idx: integer Tensor [D1, ... DN, k], the predicted classes.
      k: int, for the default name only.
      class_id: int, the only class that counts; or None for all.
      weights: a Tensor of rank 0 or N that broadcasts to [D1, ... DN], or None.
      metrics_collections: collections to add the value to.
      updates_collections: collections to add the update to.
      name: the name of the scope.

    Returns:
      The recall, and an operation (a Tensor) that adds a batch and returns the new recall.

    Raises:
      ValueError: if shapes are incompatible.
    """
    return _share('false_negative', (name, 'recall'), labels, predictions_idx, k, class_id, weights,
                  (metrics_collections, updates_collections))


@export('metrics.recall_at_k')
@graph_only.metric
@with_args_of(recall_at_top_k)
def recall_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None,
                updates_collections=None, name=None):
    """Returns the share of labels that are among the k classes with the highest scores.

    Args:
      predictions: floating-point Tensor [D1, ... DN, number of classes], the scores.
      k: int, how many of the best classes count.
    """
    with ops.name_scope(name, at_k_name('recall', k, class_id), (predictions, labels, weights)) as scope:
        _, best = top_k(predictions, k)
        return recall_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


@export('metrics.precision_at_top_k')
@graph_only.metric
@with_args_of(recall_at_top_k)
def precision_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None, metrics_collections=None,
                       updates_collections=None, name=None):
    """Returns the share of predicted classes that are among the labels.

    Returns:
      The precision, and an operation (a Tensor) that adds a batch and returns the new precision.
    """
    return _share('false_positive', (name, 'precision'), labels, predictions_idx, k, class_id, weights,
                  (metrics_collections, updates_collections))


@export('metrics.precision_at_k')
@graph_only.metric
@with_args_of(recall_at_k, precision_at_top_k)
def precision_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """Returns the share of the k classes with the highest scores that are among the labels.

    Returns:
      The precision, and an operation (a Tensor) that adds a batch and returns the new precision.
    """
    with ops.name_scope(name, at_k_name('precision', k, class_id), (predictions, labels, weights)) as scope:
        _, best = top_k(predictions, k)
        return precision_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections,
                                  scope)


@export('metrics.sparse_precision_at_k')
@graph_only.metric
@with_args_of(precision_at_k)
def sparse_precision_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None,
                          updates_collections=None, name=None):
    """Calls precision_at_k; an older name of it."""
    return precision_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name)


def _average_precision(labels, predictions_idx):
    """Returns the mean of the precisions at each rank with a right prediction, for each example."""
    with ops.name_scope(None, 'average_precision', (predictions_idx, labels)) as scope:
        predictions_idx = math_ops.cast(predictions_idx, dtypes.int64, name='predictions_idx')
        if predictions_idx.get_shape().ndims == 0:
            raise ValueError('The rank of `predictions_idx` must be at least 1.')
        k = predictions_idx.get_shape().as_list()[-1]
        if k is None:
            raise ValueError('The last dimension of predictions_idx must be set. Currently, it is None.')
        labels = expand_labels(labels, predictions_idx)
        one_per_rank = array_ops.expand_dims(predictions_idx, -1, name='predictions_idx_per_k')
        labels_per_rank = repeated(labels, k, 'labels_per_k')
        relevant = count_per_example('true_positive', labels_per_rank, one_per_rank, name='relevant_per_k')
        right = math_ops.cumsum(relevant, axis=-1, name='tp_per_k')
        retrieved = math_ops.cumsum(array_ops.ones_like(relevant), axis=-1, name='retrieved_per_k')
        precision = math_ops.divide(right, retrieved, name='precision_per_k')
        relevant_precision = math_ops.multiply(precision, relevant, name='relevant_precision_per_k')
        total = math_ops.reduce_sum(relevant_precision, axis=(-1,), name='precision_sum')
        return math_ops.divide(total, math_ops.cast(num_relevant(labels, k), dtypes.float64), name=scope)


def _running_total(name, batch_total, value):
    """Returns a variable that sums values over all batches, and the operation that adds a batch."""
    with ops.name_scope(None, name, (value,)) as scope:
        variable = metric_variable([], dtypes.float64, name=scope)
        return variable, state_ops.assign_add(variable, batch_total(), name='update')


def _mean_average_precision(labels, predictions_idx, weights, collections, name):
    with ops.name_scope(name, 'average_precision_at_top_k', (predictions_idx, labels, weights)) as scope:
        each = _average_precision(labels, predictions_idx)
        if weights is not None:
            weights = weights_broadcast_ops.broadcast_weights(math_ops.cast(weights, dtypes.float64), each)
            each = math_ops.multiply(each, weights)

        def largest_total():
            if weights is None:
                return math_ops.cast(array_ops.size(each, name='batch_max'), dtypes.float64)
            return math_ops.reduce_sum(weights, name='batch_max')

        largest, largest_update = _running_total('max', largest_total, each)
        total, total_update = _running_total(
            'total', lambda: math_ops.reduce_sum(each, name='batch_total'), each)
        return collect(math_ops.div_no_nan(total, math_ops.maximum(largest, 0), name='mean'),
                       math_ops.div_no_nan(total_update, math_ops.maximum(largest_update, 0), name=scope),
                       *collections)


@export('metrics.average_precision_at_k')
@graph_only.metric
@with_args_of(recall_at_k)
def average_precision_at_k(labels, predictions, k, weights=None, metrics_collections=None,
                           updates_collections=None, name=None):
    """Returns the mean, over examples, of the average precision of the k classes with the highest scores.

    The average precision of an example is the mean of the precisions at each rank with a right prediction.

    Returns:
      The mean, and an operation (a Tensor) that adds a batch and returns the new mean.

    Raises:
      ValueError: if k is less than 1, or shapes are incompatible.
    """
    if k < 1:
        raise ValueError(f'Invalid k={k}. `k` should be >= 1.')
    with ops.name_scope(name, at_k_name('average_precision', k), (predictions, labels, weights)) as scope:
        _, best = top_k(predictions, k)
        labels = without_unknown(labels, math_ops.cast(array_ops.shape(predictions)[-1], dtypes.int64))
        return _mean_average_precision(labels, best, weights, (metrics_collections, updates_collections), scope)


@export('metrics.sparse_average_precision_at_k')
@graph_only.metric
@with_args_of(average_precision_at_k)
def sparse_average_precision_at_k(labels, predictions, k, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """Calls average_precision_at_k; an older name of it."""
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)
