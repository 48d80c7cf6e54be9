"""tf.losses: weighting, reduction and collection of losses."""

from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.losses import weights_broadcast_ops
from ramet.ops.math import math_ops

LOSSES = 'losses'
_REGULARIZATION_LOSSES = 'regularization_losses'


@export('losses.Reduction')
class Reduction:
    """How the weighted losses of a batch are reduced to one number.

    NONE: no reduction. SUM: the sum. MEAN: the sum divided by the sum of weights.
    SUM_OVER_BATCH_SIZE: the sum divided by the number of losses. SUM_BY_NONZERO_WEIGHTS (formerly
    SUM_OVER_NONZERO_WEIGHTS): the sum divided by the number of weights that are not 0.
    """

    NONE = 'none'
    SUM = 'weighted_sum'
    MEAN = 'weighted_mean'
    SUM_OVER_BATCH_SIZE = 'weighted_sum_over_batch_size'
    SUM_BY_NONZERO_WEIGHTS = 'weighted_sum_by_nonzero_weights'
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls):
        """Returns all reductions."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE,
                cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key):
        """Raises ValueError if key is not a reduction.

        Args:
          key: a value.
        """
        if key not in cls.all():
            raise ValueError(f'Invalid Reduction Key {key}. Key should be one of {cls.all()}.')


def _safe_mean(losses, count):
    return math_ops.div_no_nan(math_ops.reduce_sum(losses), count, name='value')


def num_present(losses, weights, per_batch=False):
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
        return _safe_mean(loss, num_present(losses, weights))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return _safe_mean(loss, _num_elements(losses))
    return loss


@export('losses.compute_weighted_loss')
def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """Weights losses, reduces them and adds the result to a collection.

    Args:
      losses: a Tensor.
      weights: a Tensor of rank 0 or of losses' rank, that broadcasts to losses.
      scope: the name of the scope.
      loss_collection: the collection, or None.
      reduction: one of tf.losses.Reduction.

    Returns:
      A Tensor of losses' type: a scalar, or of losses' shape for Reduction.NONE.

    Raises:
      ValueError: if reduction is invalid, or weights do not broadcast.
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


@export('losses.add_loss')
def add_loss(loss, loss_collection=LOSSES):
    """Adds a loss to a collection.

    Args:
      loss: a Tensor.
      loss_collection: the collection. With None, nothing is added.
    """
    if loss_collection:
        ops.add_to_collection(loss_collection, loss)


@export('losses.get_losses')
def get_losses(scope=None, loss_collection=LOSSES):
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
    """Returns the sum of the regularization losses, or 0 if there are none.

    Args:
      scope: a prefix of their names, or None.
      name: the name of the sum.
    """
    losses = get_regularization_losses(scope)
    return math_ops.add_n(losses, name=name) if losses else constant_op.constant(0.0)


@export('losses.get_total_loss')
def get_total_loss(add_regularization_losses=True, name='total_loss', scope=None):
    """Returns the sum of the collected losses.

    Args:
      add_regularization_losses: whether to include the regularization losses.
      name: the name of the sum.
      scope: a prefix of their names, or None.

    Raises:
      ValueError: if there are no losses.
    """
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    return math_ops.add_n(losses, name=name)
