"""tf.losses: losses of a batch."""

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.losses import squeeze_ops, weights_broadcast_ops
from ramet.ops.losses.losses_weighted import LOSSES, Reduction, add_loss, compute_weighted_loss, num_present
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_loss


def _required(**arguments):
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f'Argument `{name}` must not be None.')


def _floats(predictions, labels):
    predictions = math_ops.cast(predictions, dtype=dtypes.float32)
    labels = math_ops.cast(labels, dtype=dtypes.float32)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return predictions, labels


@export('losses.absolute_difference')
def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection=LOSSES,
                        reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Returns the loss |predictions - labels|.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of predictions' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or predictions is None, or the shapes are incompatible.
    """
    _required(labels=labels, predictions=predictions)
    with ops.name_scope(scope, 'absolute_difference', (predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = math_ops.abs(math_ops.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.cosine_distance')
def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None,
                    loss_collection=LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
                    dim=None):
    """Returns the loss 1 - sum(predictions * labels) along an axis. Both must be unit vectors.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      axis: the axis of the vectors.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.
      reduction: one of tf.losses.Reduction.
      dim: deprecated name of axis.

    Returns:
      A float scalar, or for Reduction.NONE a Tensor of predictions' shape with size 1 along axis.

    Raises:
      ValueError: if axis, labels or predictions is None, or the shapes are incompatible.
    """
    axis = deprecation.renamed('cosine_distance', 'axis', axis, 'dim', dim)
    if axis is None:
        raise ValueError('You must specify argument `axis`.')
    _required(labels=labels, predictions=predictions)
    with ops.name_scope(scope, 'cosine_distance_loss', (predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = 1 - math_ops.reduce_sum(
            math_ops.multiply(predictions, labels), axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.hinge_loss')
def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=LOSSES,
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Returns the loss max(0, 1 - logits * (2 * labels - 1)).

    Args:
      labels: a Tensor of 0 and 1, of logits' shape.
      logits: a Tensor.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of logits' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or logits is None, or the shapes are incompatible.
    """
    _required(labels=labels, logits=logits)
    with ops.name_scope(scope, 'hinge_loss', (logits, labels, weights)) as scope:
        logits, labels = _floats(logits, labels)
        ones = array_ops.ones_like(labels)
        labels = math_ops.subtract(2 * labels, ones)
        losses = gen.Relu(math_ops.subtract(ones, math_ops.multiply(labels, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.huber_loss')
def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=LOSSES,
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Returns the loss x**2 / 2 for errors x up to delta, and delta * (|x| - delta / 2) above.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      delta: the error at which the loss becomes linear.
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of predictions' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or predictions is None, or the shapes are incompatible.
    """
    _required(labels=labels, predictions=predictions)
    with ops.name_scope(scope, 'huber_loss', (predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        error = math_ops.abs(math_ops.subtract(predictions, labels))
        quadratic = math_ops.minimum(error, delta)
        linear = math_ops.subtract(error, quadratic)
        half = ops.convert_to_tensor(0.5, dtype=quadratic.dtype)
        losses = math_ops.add(
            math_ops.multiply(half, math_ops.multiply(quadratic, quadratic)),
            math_ops.multiply(delta, linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.log_loss')
def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=LOSSES,
             reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Returns the loss -labels * log(predictions) - (1 - labels) * log(1 - predictions).

    Args:
      labels: a Tensor of probabilities, of predictions' shape.
      predictions: a Tensor of probabilities.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      epsilon: a small number that avoids log(0).
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of predictions' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or predictions is None, or the shapes are incompatible.
    """
    _required(labels=labels, predictions=predictions)
    with ops.name_scope(scope, 'log_loss', (predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = -math_ops.multiply(labels, math_ops.log(predictions + epsilon)) - (
            math_ops.multiply((1 - labels), math_ops.log(1 - predictions + epsilon)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.mean_pairwise_squared_error')
def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None,
                                loss_collection=LOSSES):
    """Returns the mean squared error of the differences between pairs of elements of each example.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor of shape [batch, ...].
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to them.
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.

    Returns:
      A float scalar.

    Raises:
      ValueError: if labels or predictions is None, or the shapes are incompatible.
    """
    _required(labels=labels, predictions=predictions)
    with ops.name_scope(scope, 'mean_pairwise_squared_error', (predictions, labels, weights)):
        weights = math_ops.cast(weights, dtype=dtypes.float32)
        labels = math_ops.cast(labels, dtype=dtypes.float32)
        check = weights_broadcast_ops.assert_broadcastable(weights, labels)
        with ops.control_dependencies((check,)):
            predictions, labels = _floats(predictions, labels)
            loss = _pairwise(math_ops.subtract(predictions, labels), weights)
            add_loss(loss, loss_collection)
            return loss


def _pairwise(differences, weights):
    axes = math_ops.range(1, array_ops.rank(differences))
    squares = math_ops.reduce_sum(math_ops.square(differences), axis=axes, keepdims=True)
    present = num_present(differences, weights, per_batch=True)
    first = 2.0 * math_ops.div_no_nan(squares, math_ops.maximum(present - 1, 0), name='value')
    total = math_ops.reduce_sum(differences, axis=axes, keepdims=True)
    second = 2.0 * math_ops.div_no_nan(
        math_ops.square(total),
        math_ops.maximum(math_ops.multiply(present, present - 1), 0), name='value')
    loss = math_ops.reduce_sum(math_ops.multiply(first - second, weights))
    return array_ops.where(
        math_ops.reduce_sum(present) > 0, loss, array_ops.zeros_like(loss), name='value')


@export('losses.mean_squared_error')
def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=LOSSES,
                       reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Returns the loss (predictions - labels)**2.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of predictions' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or predictions is None, or the shapes are incompatible.
    """
    _required(labels=labels, predictions=predictions)
    with ops.name_scope(scope, 'mean_squared_error', (predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = math_ops.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.sigmoid_cross_entropy')
def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Returns the cross entropy of sigmoid(logits) under labels.

    Args:
      multi_class_labels: a Tensor of 0 and 1, of logits' shape.
      logits: a Tensor of a floating-point type.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      label_smoothing: how far labels are moved toward 1/2, in [0, 1].
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A scalar of logits' type, or a Tensor of logits' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or logits is None, or the shapes are incompatible.
    """
    _required(multi_class_labels=multi_class_labels, logits=logits)
    with ops.name_scope(scope, 'sigmoid_cross_entropy_loss',
                        (logits, multi_class_labels, weights)) as scope:
        logits = ops.convert_to_tensor(logits)
        labels = math_ops.cast(multi_class_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn_loss.sigmoid_cross_entropy_with_logits(
            labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.softmax_cross_entropy')
def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Returns the cross entropy of softmax(logits) under labels, which receive no gradient.

    Args:
      onehot_labels: a Tensor of distributions, of logits' shape.
      logits: a Tensor of a floating-point type; classes along the last axis.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      label_smoothing: how far labels are moved toward 1/classes, in [0, 1].
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A scalar of logits' type, or a Tensor of logits' shape without classes for Reduction.NONE.

    Raises:
      ValueError: if labels or logits is None, or the shapes are incompatible.
    """
    _required(onehot_labels=onehot_labels, logits=logits)
    with ops.name_scope(scope, 'softmax_cross_entropy_loss',
                        (logits, onehot_labels, weights)) as scope:
        logits = ops.convert_to_tensor(logits)
        labels = math_ops.cast(onehot_labels, logits.dtype)
        logits.get_shape().assert_is_compatible_with(labels.get_shape())
        if label_smoothing > 0:
            classes = math_ops.cast(array_ops.shape(labels)[-1], logits.dtype)
            negatives = label_smoothing / classes
            labels = labels * (1.0 - label_smoothing) + negatives
        labels = array_ops.stop_gradient(labels, name='labels_stop_gradient')
        losses = nn_loss.softmax_cross_entropy_with_logits_v2(
            labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.sparse_softmax_cross_entropy')
def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None,
                                 loss_collection=LOSSES,
                                 reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Returns the cross entropy of softmax(logits) for labels that are class numbers.

    Args:
      labels: a Tensor of class numbers, int32 or int64, of logits' shape without the last axis
        (or with a last axis of size 1).
      logits: a Tensor of a floating-point type; classes along the last axis.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to them.
      scope: the name of the scope.
      loss_collection: the collection to add the loss to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A scalar of logits' type, or a Tensor of labels' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or logits is None, or the shapes are incompatible.
    """
    _required(labels=labels, logits=logits)
    with ops.name_scope(scope, 'sparse_softmax_cross_entropy_loss',
                        (logits, labels, weights)) as scope:
        labels, logits, weights = squeeze_ops.for_loss(
            labels, logits, weights, expected_rank_diff=1)
        losses = nn_loss.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
