"""Losses whose first argument has the predictions."""

from ramet import gen
from ramet.api import export
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.docstrings import with_args_of
from ramet.framework import deprecation, ops
from ramet.ops.array import array_ops
from ramet.ops.losses import losses, losses_weighted
from ramet.ops.math import math_ops


@export('contrib.losses.compute_weighted_loss')
def compute_weighted_loss(losses, weights=1.0, scope=None):
    """Returns the sum of losses times weights, divided by the number of nonzero weights.

    Args:
      losses: a float tensor.
      weights: a tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: the name of the scope. Defaults to 'weighted_loss'.

    Returns:
      A float scalar, which is also added to the collection of losses.

    Raises:
      ValueError: if the weights do not broadcast.
    """
    return losses_weighted.compute_weighted_loss(losses, weights, scope)


@export('contrib.losses.add_loss')
@add_arg_scope
def add_loss(loss, loss_collection=ops.GraphKeys.LOSSES):
    """Adds a loss to a collection.

    Args:
      loss: a tensor.
      loss_collection: the key of the collection, or None to do nothing.
    """
    if loss_collection:
        ops.add_to_collection(loss_collection, loss)


@export('contrib.losses.get_losses')
def get_losses(scope=None, loss_collection=ops.GraphKeys.LOSSES):
    """Returns the losses of a collection.

    Args:
      scope: the prefix of their names, or None for any.
      loss_collection: the key of the collection.
    """
    return ops.get_collection(loss_collection, scope)


@export('contrib.losses.get_regularization_losses')
def get_regularization_losses(scope=None):
    """Returns the regularization losses.

    Args:
      scope: the prefix of their names, or None for any.
    """
    return ops.get_collection(ops.GraphKeys.REGULARIZATION_LOSSES, scope)


@export('contrib.losses.get_total_loss')
def get_total_loss(add_regularization_losses=True, name='total_loss'):
    """Returns the sum of all losses.

    Args:
      add_regularization_losses: whether to include the regularization losses.
      name: the name of the sum.

    Raises:
      ValueError: if there are no losses.
    """
    losses = get_losses()
    if add_regularization_losses:
        losses += get_regularization_losses()
    return math_ops.add_n(losses, name=name)


@export('contrib.losses.absolute_difference')
def absolute_difference(predictions, labels=None, weights=1.0, scope=None):
    """Returns the loss |predictions - labels|.

    Args:
      predictions: a tensor.
      labels: a tensor of predictions' shape.
      weights: a tensor of rank 0 or of the losses' rank, that broadcasts to them.
      scope: the name of the scope.

    Returns:
      A float scalar, which is also added to the collection of losses.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return losses.absolute_difference(labels, predictions, weights, scope)


@export('contrib.losses.sigmoid_cross_entropy')
@with_args_of(absolute_difference)
def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None):
    """Returns the cross-entropy of independent classes.

    Args:
      logits: a float tensor [batch, classes].
      multi_class_labels: a tensor of numbers from 0 to 1, of logits' shape.
      label_smoothing: how far labels are moved to 0.5, from 0 to 1.

    Returns:
      A float scalar, which is also added to the collection of losses.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return losses.sigmoid_cross_entropy(multi_class_labels, logits, weights, label_smoothing,
                                           scope)


@export('contrib.losses.softmax_cross_entropy')
@with_args_of(sigmoid_cross_entropy, absolute_difference)
def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None):
    """Returns the cross-entropy of exclusive classes.

    Args:
      onehot_labels: the probabilities of the classes, of logits' shape.
      label_smoothing: how far labels are moved to 1 / classes, from 0 to 1.

    Returns:
      A float scalar, which is also added to the collection of losses.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return losses.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


@export('contrib.losses.sparse_softmax_cross_entropy')
@with_args_of(sigmoid_cross_entropy, absolute_difference)
def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None):
    """Returns the cross-entropy of exclusive classes that are given by their numbers.

    Args:
      labels: an integer tensor [batch].

    Returns:
      A float scalar, which is also added to the collection of losses.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return losses.sparse_softmax_cross_entropy(labels, logits, weights, scope)


@export('contrib.losses.log_loss')
@with_args_of(absolute_difference)
def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None):
    """Returns the loss -labels * log(predictions) - (1 - labels) * log(1 - predictions).

    Args:
      epsilon: added to the arguments of the logarithms.

    Returns:
      A float scalar, which is also added to the collection of losses.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return losses.log_loss(labels, predictions, weights, epsilon, scope)


@export('contrib.losses.hinge_loss')
@with_args_of(absolute_difference)
def hinge_loss(logits, labels=None, scope=None):
    """Returns the loss max(0, 1 - logits * sign), where the sign is 1 for label 1 and -1 for label 0.

    Args:
      logits: a float tensor.
      labels: a tensor of zeros and ones, of logits' shape.

    Returns:
      A float tensor of logits' shape, which is not added to the collection of losses.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    with ops.name_scope(scope, 'hinge_loss', [logits, labels]):
        logits = ops.convert_to_tensor(logits)
        logits.get_shape().assert_is_compatible_with(ops.convert_to_tensor(labels).get_shape())
        signs = math_ops.to_float(labels)
        signs = math_ops.subtract(2 * signs, array_ops.ones_like(signs))
        return gen.Relu(math_ops.subtract(array_ops.ones_like(signs), math_ops.multiply(signs, logits)))


@export('contrib.losses.mean_squared_error')
@with_args_of(absolute_difference)
def mean_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """Returns the loss (predictions - labels) ** 2.

    Returns:
      A float scalar, which is also added to the collection of losses.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return losses.mean_squared_error(labels, predictions, weights, scope)


@export('contrib.losses.mean_pairwise_squared_error')
@with_args_of(absolute_difference)
def mean_pairwise_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """Returns the mean of squared differences between the differences of all pairs of elements.

    Returns:
      A float scalar, which is also added to the collection of losses.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    return losses.mean_pairwise_squared_error(labels, predictions, weights, scope)


@export('contrib.losses.cosine_distance')
@with_args_of(absolute_difference)
def cosine_distance(predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None):
    """Returns the loss 1 - sum(predictions * labels) along an axis. Both must be unit vectors.

    Args:
      axis: the axis of the vectors.
      dim: an old name of axis.

    Returns:
      A float scalar, which is also added to the collection of losses.

    Raises:
      ValueError: if the axis is missing, or the shapes are incompatible.
    """
    axis = deprecation.renamed('cosine_distance', 'axis', axis, 'dim', dim)
    if axis is None:
        raise ValueError('You must specify `axis`.')
    return losses.cosine_distance(labels, predictions, axis, weights, scope)
