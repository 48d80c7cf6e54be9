"""tf.losses: losses of a batch, weighted, reduced and collected."""

from ramet.api import export
from ramet.framework import constant_op
from ramet.framework import deprecation
from ramet.framework import dtypes
from ramet.framework import ops
from ramet.ops import array_ops
from ramet.ops import gen
from ramet.ops import math_ops
from ramet.ops import nn_loss
from ramet.ops import squeeze_ops
from ramet.ops import weights_broadcast_ops

_LOSSES = 'losses'
_REGULARIZATION_LOSSES = 'regularization_losses'


@export('losses.Reduction')
class Reduction:
    """How the weighted losses of a batch become one number.

    NONE: not at all. SUM: their sum. MEAN: the sum divided by the sum of weights.
    SUM_OVER_BATCH_SIZE: divided by the number of losses. SUM_BY_NONZERO_WEIGHTS (and its old name
    SUM_OVER_NONZERO_WEIGHTS): divided by the number of weights that are not 0.
    """

    NONE = 'none'
    SUM = 'weighted_sum'
    MEAN = 'weighted_mean'
    SUM_OVER_BATCH_SIZE = 'weighted_sum_over_batch_size'
    SUM_BY_NONZERO_WEIGHTS = 'weighted_sum_by_nonzero_weights'
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls):
        """Returns the values of all reductions."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE,
                cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key):
        """Raises ValueError if key is no reduction."""
        if key not in cls.all():
            raise ValueError(f'Invalid Reduction Key {key}. Key should be one of {cls.all()}.')


def _required(**arguments):
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f'Argument `{name}` must not be None.')


def _safe_mean(losses, count):
    return math_ops.div_no_nan(math_ops.reduce_sum(losses), count, name='value')


def _num_present(losses, weights, per_batch=False):
    with ops.name_scope(None, 'num_present', (losses, weights)) as scope:
        weights = math_ops.cast(weights, dtype=dtypes.float32)
        present = array_ops.where(
            math_ops.equal(weights, 0.0), array_ops.zeros_like(weights),
            array_ops.ones_like(weights))
        present = weights_broadcast_ops.broadcast_weights(present, losses)
        if per_batch:
            return math_ops.reduce_sum(
                present, axis=math_ops.range(1, array_ops.rank(present)), keepdims=True,
                name=scope)
        return math_ops.reduce_sum(present, name=scope)


def _num_elements(losses):
    with ops.name_scope(None, 'num_elements', [losses]) as scope:
        return math_ops.cast(array_ops.size(losses, name=scope), dtype=losses.dtype)


def _reduced(losses, weights, reduction):
    weighted = math_ops.multiply(losses, weights)
    if reduction == Reduction.NONE:
        return weighted
    loss = math_ops.reduce_sum(weighted)
    if reduction == Reduction.MEAN:
        return _safe_mean(loss, math_ops.reduce_sum(array_ops.ones_like(losses) * weights))
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        return _safe_mean(loss, _num_present(losses, weights))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return _safe_mean(loss, _num_elements(losses))
    return loss


@export('losses.compute_weighted_loss')
def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=_LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Weights losses, reduces them and adds the result to a collection.

    Args:
      losses: a Tensor.
      weights: a Tensor of rank 0 or of losses' rank, that broadcasts to losses.
      scope: name of the scope.
      loss_collection: the collection, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A Tensor of losses' type: a scalar, or of losses' shape for Reduction.NONE.

    Raises:
      ValueError: if reduction is none, or weights do not broadcast.
    """
    Reduction.validate(reduction)
    with ops.name_scope(scope, 'weighted_loss', (losses, weights)):
        check = weights_broadcast_ops.assert_broadcastable(weights, losses)
        with ops.control_dependencies((check,)):
            losses = ops.convert_to_tensor(losses)
            dtype = losses.dtype
            losses = math_ops.cast(losses, dtype=dtypes.float32)
            weights = math_ops.cast(weights, dtype=dtypes.float32)
            loss = math_ops.cast(_reduced(losses, weights, reduction), dtype)
            add_loss(loss, loss_collection)
            return loss


def _floats(predictions, labels):
    predictions = math_ops.cast(predictions, dtype=dtypes.float32)
    labels = math_ops.cast(labels, dtype=dtypes.float32)
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return predictions, labels


@export('losses.absolute_difference')
def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES,
                        reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The loss |predictions - labels|.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of predictions' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or predictions is None, or shapes do not fit.
    """
    _required(labels=labels, predictions=predictions)
    with ops.name_scope(scope, 'absolute_difference', (predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = math_ops.abs(math_ops.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.cosine_distance')
def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None,
                    loss_collection=_LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
                    dim=None):
    """The loss 1 - sum(predictions * labels) along an axis; both are taken as unit vectors.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      axis: the axis of the vectors.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.
      reduction: one of tf.losses.Reduction.
      dim: the old name of axis.

    Returns:
      A float scalar, or a Tensor of predictions' shape with 1 for axis for Reduction.NONE.

    Raises:
      ValueError: if axis, labels or predictions is None, or shapes do not fit.
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
def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=_LOSSES,
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The loss max(0, 1 - logits * (2 * labels - 1)).

    Args:
      labels: a Tensor of 0 and 1, of logits' shape.
      logits: a Tensor.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of logits' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or logits is None, or shapes do not fit.
    """
    _required(labels=labels, logits=logits)
    with ops.name_scope(scope, 'hinge_loss', (logits, labels, weights)) as scope:
        logits, labels = _floats(logits, labels)
        ones = array_ops.ones_like(labels)
        labels = math_ops.subtract(2 * labels, ones)
        losses = gen.Relu(math_ops.subtract(ones, math_ops.multiply(labels, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.huber_loss')
def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=_LOSSES,
               reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The loss x**2 / 2 of an error x up to delta, and delta * (|x| - delta / 2) above.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      delta: where the loss becomes linear.
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of predictions' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or predictions is None, or shapes do not fit.
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
def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=_LOSSES,
             reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The loss -labels * log(predictions) - (1 - labels) * log(1 - predictions).

    Args:
      labels: a Tensor of probabilities, of predictions' shape.
      predictions: a Tensor of probabilities.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      epsilon: a small number against log(0).
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of predictions' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or predictions is None, or shapes do not fit.
    """
    _required(labels=labels, predictions=predictions)
    with ops.name_scope(scope, 'log_loss', (predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = -math_ops.multiply(labels, math_ops.log(predictions + epsilon)) - (
            math_ops.multiply((1 - labels), math_ops.log(1 - predictions + epsilon)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.mean_pairwise_squared_error')
def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None,
                                loss_collection=_LOSSES):
    """The mean over pairs of elements of an example of the squared error of their difference.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor of shape [batch, ...].
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to them.
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.

    Returns:
      A float scalar.

    Raises:
      ValueError: if labels or predictions is None, or shapes do not fit.
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
    present = _num_present(differences, weights, per_batch=True)
    first = 2.0 * math_ops.div_no_nan(squares, math_ops.maximum(present - 1, 0), name='value')
    total = math_ops.reduce_sum(differences, axis=axes, keepdims=True)
    second = 2.0 * math_ops.div_no_nan(
        math_ops.square(total),
        math_ops.maximum(math_ops.multiply(present, present - 1), 0), name='value')
    loss = math_ops.reduce_sum(math_ops.multiply(first - second, weights))
    return array_ops.where(
        math_ops.reduce_sum(present) > 0, loss, array_ops.zeros_like(loss), name='value')


@export('losses.mean_squared_error')
def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=_LOSSES,
                       reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The loss (predictions - labels)**2.

    Args:
      labels: a Tensor of predictions' shape.
      predictions: a Tensor.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A float scalar, or a Tensor of predictions' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or predictions is None, or shapes do not fit.
    """
    _required(labels=labels, predictions=predictions)
    with ops.name_scope(scope, 'mean_squared_error', (predictions, labels, weights)) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = math_ops.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.sigmoid_cross_entropy')
def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=_LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The cross entropy of sigmoid(logits) under labels.

    Args:
      multi_class_labels: a Tensor of 0 and 1, of logits' shape.
      logits: a Tensor of a floating point type.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      label_smoothing: how far labels are moved towards 1/2, in [0, 1].
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A scalar of logits' type, or a Tensor of logits' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or logits is None, or shapes do not fit.
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
                          loss_collection=_LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The cross entropy of softmax(logits) under labels, which receive no gradient.

    Args:
      onehot_labels: a Tensor of distributions, of logits' shape.
      logits: a Tensor of a floating point type; classes along the last axis.
      weights: a Tensor of rank 0 or of the losses' rank, that broadcasts to them.
      label_smoothing: how far labels are moved towards 1/classes, in [0, 1].
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A scalar of logits' type, or a Tensor of logits' shape without classes for Reduction.NONE.

    Raises:
      ValueError: if labels or logits is None, or shapes do not fit.
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
                                 loss_collection=_LOSSES,
                                 reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """The cross entropy of softmax(logits) where each example has one class.

    Args:
      labels: a Tensor of class numbers, int32 or int64, of logits' shape without the last axis
        (or with a last axis of size 1).
      logits: a Tensor of a floating point type; classes along the last axis.
      weights: a Tensor of rank 0 or of labels' rank, that broadcasts to them.
      scope: name of the scope.
      loss_collection: the collection the loss is added to, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A scalar of logits' type, or a Tensor of labels' shape for Reduction.NONE.

    Raises:
      ValueError: if labels or logits is None, or shapes do not fit.
    """
    _required(labels=labels, logits=logits)
    with ops.name_scope(scope, 'sparse_softmax_cross_entropy_loss',
                        (logits, labels, weights)) as scope:
        labels, logits, weights = squeeze_ops.for_loss(
            labels, logits, weights, expected_rank_diff=1)
        losses = nn_loss.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export('losses.add_loss')
def add_loss(loss, loss_collection=_LOSSES):
    """Adds a loss to a collection.

    Args:
      loss: a Tensor.
      loss_collection: the collection; nothing happens where it is None.
    """
    if loss_collection:
        ops.add_to_collection(loss_collection, loss)


@export('losses.get_losses')
def get_losses(scope=None, loss_collection=_LOSSES):
    """Returns the losses of a collection.

    Args:
      scope: a prefix of their names, or None.
      loss_collection: the collection.
    """
    return ops.get_collection(loss_collection, scope)


@export('losses.get_regularization_losses')
def get_regularization_losses(scope=None):
    """Returns the losses of the collection of regularization losses.

    Args:
      scope: a prefix of their names, or None.
    """
    return ops.get_collection(_REGULARIZATION_LOSSES, scope)


@export('losses.get_regularization_loss')
def get_regularization_loss(scope=None, name='total_regularization_loss'):
    """Returns the sum of the regularization losses; 0 where there is none.

    Args:
      scope: a prefix of their names, or None.
      name: name of the sum.
    """
    losses = get_regularization_losses(scope)
    return math_ops.add_n(losses, name=name) if losses else constant_op.constant(0.0)


@export('losses.get_total_loss')
def get_total_loss(add_regularization_losses=True, name='total_loss', scope=None):
    """Returns the sum of the collected losses.

    Args:
      add_regularization_losses: whether the regularization losses are part of it.
      name: name of the sum.
      scope: a prefix of their names, or None.

    Raises:
      ValueError: if there is no loss.
    """
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    return math_ops.add_n(losses, name=name)
