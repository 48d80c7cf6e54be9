"""Counts of predicted classes that are, or are not, among the labels of an example."""

from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from ramet.ops.array import array_ops
from ramet.ops.control_flow.cond import cond
from ramet.ops.losses import weights_broadcast_ops
from ramet.ops.math import math_ops
from ramet.ops.metrics.metrics import metric_variable
from ramet.ops.sparse import sets_ops, sparse_ops
from ramet.ops.variables import state_ops


def at_k_name(name, k=None, class_id=None):
    """Returns the default name of a metric of the k best predictions, such as recall_at_5_class2."""
    name = f'{name}_at_{"k" if k is None else int(k)}'
    return name if class_id is None else f'{name}_class{int(class_id)}'


def _reduced_to_one(shape):
    """Returns a shape vector with 1 as its last dimension."""
    return array_ops.concat((shape[:-1], ops.convert_to_tensor([1], dtypes.int64)), 0)


def _only_class(ids, class_id):
    """Returns the ids that equal class_id, as a SparseTensor."""
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return sparse_ops.sparse_retain(ids, math_ops.equal(ids.values, class_id))
    shape = array_ops.shape(ids, out_type=dtypes.int64)
    wanted = array_ops.fill(_reduced_to_one(shape), math_ops.cast(class_id, dtypes.int64))
    found = sets_ops.set_intersection(wanted, ids)
    return SparseTensor(indices=found.indices, values=found.values, dense_shape=shape)


def expand_labels(labels, predictions):
    """Returns labels of the rank of predictions: those of one class per example get a last dimension.

    Raises:
      ValueError: if the static ranks do not fit.
    """
    with ops.name_scope(None, 'expand_labels', (labels, predictions)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            shape = labels.dense_shape
            return cond(math_ops.equal(array_ops.rank(predictions), array_ops.size(shape) + 1),
                        lambda: sparse_ops.sparse_reshape(labels, array_ops.concat((shape, (1,)), 0), name=scope),
                        lambda: labels)
        ranks = labels.get_shape().ndims, predictions.get_shape().ndims
        if None in ranks:
            return cond(math_ops.equal(array_ops.rank(predictions), array_ops.rank(labels) + 1),
                        lambda: array_ops.expand_dims(labels, -1, name=scope), lambda: labels)
        if ranks[1] == ranks[0]:
            return labels
        if ranks[1] == ranks[0] + 1:
            return array_ops.expand_dims(labels, -1, name=scope)
        raise ValueError(f'Unexpected labels shape {labels.get_shape()} for predictions shape '
                         f'{predictions.get_shape()}. Predictions rank should be the same rank as labels rank or '
                         'labels rank plus one .')


def without_unknown(labels, num_classes):
    """Returns labels with -1 instead of classes that do not exist."""
    is_sparse = isinstance(labels, SparseTensor) or hasattr(labels, 'dense_shape')

    def known(values):
        return array_ops.where_v2(math_ops.greater_equal(values, num_classes),
                                  -1 * array_ops.ones_like(values), values)

    def cleaned():
        if is_sparse:
            return type(labels)(indices=labels.indices, values=known(labels.values), dense_shape=labels.dense_shape)
        return known(labels)

    largest = math_ops.reduce_max(labels.values if is_sparse else labels)
    return cond(math_ops.greater_equal(largest, num_classes), cleaned, lambda: labels)


def repeated(labels, count, name):
    """Returns labels [..., n] repeated `count` times in a new dimension before the last one."""
    with ops.name_scope(name, 'expand_and_tile', (labels, count, -1)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return _repeated_sparse(labels, count, scope)
        expanded = array_ops.expand_dims(labels, -2, name='expand')
        if count == 1:
            return expanded
        ones = array_ops.ones_like(array_ops.shape(labels))
        times = array_ops.concat((ones[:-1], (count,), ones[-1:]), 0, name='multiples')
        return array_ops.tile(expanded, times, name=scope)


def _repeated_sparse(labels, count, scope):
    shape = labels.dense_shape
    before = array_ops.reshape(array_ops.size(shape) - 1, [1])
    expanded_shape = array_ops.concat(
        (array_ops.slice(shape, [0], before), [1], array_ops.slice(shape, before, [-1])), 0, name='expanded_shape')
    expanded = sparse_ops.sparse_reshape(labels, shape=expanded_shape, name='expand')
    return expanded if count == 1 else sparse_ops.sparse_concat(-2, [expanded] * count, name=scope)


def num_relevant(labels, k):
    """Returns the number of labels of each example, at most k.

    Raises:
      ValueError: if k is less than 1.
    """
    if k < 1:
        raise ValueError(f'Invalid k={k}')
    with ops.name_scope(None, 'num_relevant', (labels,)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return math_ops.minimum(sets_ops.set_size(labels), k, name=scope)
        is_label = array_ops.where_v2(math_ops.greater_equal(labels, 0), array_ops.ones_like(labels),
                                      array_ops.zeros_like(labels))
        return math_ops.minimum(math_ops.reduce_sum(is_label, axis=-1), k, name=scope)


def _true_positives(predictions, labels):
    return sets_ops.set_intersection(predictions, labels)


def _false_negatives(predictions, labels):
    return sets_ops.set_difference(predictions, labels, aminusb=False)


def _false_positives(predictions, labels):
    return sets_ops.set_difference(predictions, labels, aminusb=True)


_SETS = {'true_positive': _true_positives, 'false_negative': _false_negatives, 'false_positive': _false_positives}


def count_per_example(kind, labels, predictions_idx, class_id=None, weights=None, name=None):
    """Returns how many predictions or labels of each example are of a kind, times weights.

    Args:
      kind: 'true_positive', 'false_negative' or 'false_positive'.
      labels: int64 Tensor or SparseTensor [D1, ... DN, number of labels].
      predictions_idx: int64 Tensor [D1, ... DN, k], predicted classes.
      class_id: int, the only class that counts; or None for all.
      weights: a Tensor that broadcasts to [D1, ... DN], or None.
      name: str, the name scope.
    """
    with ops.name_scope(name, f'{kind}s', (predictions_idx, labels, weights)):
        if class_id is not None:
            labels, predictions_idx = _only_class(labels, class_id), _only_class(predictions_idx, class_id)
        count = math_ops.cast(sets_ops.set_size(_SETS[kind](predictions_idx, labels)), dtypes.float64)
        if weights is None:
            return count
        with ops.control_dependencies((weights_broadcast_ops.assert_broadcastable(weights, count),)):
            return math_ops.multiply(count, math_ops.cast(weights, dtypes.float64))


def running_count(kind, labels, predictions_idx, k=None, class_id=None, weights=None):
    """Returns a variable with the sum of the counts of all batches, and the operation that adds a batch."""
    with ops.name_scope(None, at_k_name(kind, k, class_id), (predictions_idx, labels, weights)) as scope:
        counts = count_per_example(kind, labels, predictions_idx, class_id, weights)
        total = math_ops.cast(math_ops.reduce_sum(counts), dtypes.float64)
        variable = metric_variable([], dtypes.float64, name=scope)
        return variable, state_ops.assign_add(variable, total, name='update')
