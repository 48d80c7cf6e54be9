"""The cross-entropy of a batch of sequences."""

from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_loss


def _check_ranks(logits, targets, weights):
    for tensor, what, rank, axes in (
            (logits, 'Logits', 3, 'batch_size x sequence_length x logits'),
            (targets, 'Targets', 2, 'batch_size x sequence_length'),
            (weights, 'Weights', 2, 'batch_size x sequence_length')):
        if len(tensor.get_shape()) != rank:
            raise ValueError(f'{what} must be a [{axes}] tensor')


@export('contrib.seq2seq.sequence_loss')
def sequence_loss(logits, targets, weights, average_across_timesteps=True,
                  average_across_batch=True, sum_over_timesteps=False, sum_over_batch=False,
                  softmax_loss_function=None, name=None):
    """Returns the weighted cross-entropy of a batch of sequences.

    Args:
      logits: a float tensor [batch, time, symbols].
      targets: an integer tensor [batch, time].
      weights: a float tensor [batch, time].
      average_across_timesteps: whether to sum over time and to divide by the sum of the weights.
      average_across_batch: whether to sum over the sequences and to divide by the sum of the weights.
      sum_over_timesteps: whether to sum over time and to divide by the number of nonzero weights.
      sum_over_batch: whether to sum over the sequences and to divide by the number of nonzero weights.
      softmax_loss_function: a function (labels=..., logits=...) that returns losses, or None for the
        cross-entropy.
      name: the name of the scope. Defaults to "sequence_loss".

    Returns:
      A float tensor: a scalar, or of the axes that are not reduced.

    Raises:
      ValueError: if a tensor has the wrong rank, or both an average and a sum are chosen for an axis.
    """
    _check_ranks(logits, targets, weights)
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError('average_across_timesteps and sum_over_timesteps cannot be set to True '
                         'at same time.')
    if average_across_batch and sum_over_batch:
        raise ValueError('average_across_batch and sum_over_batch cannot be set to True '
                         'at same time.')
    with ops.name_scope(name, 'sequence_loss', [logits, targets, weights]):
        flat_logits = array_ops.reshape(logits, [-1, array_ops.shape(logits)[2]])
        flat_targets = array_ops.reshape(targets, [-1])
        loss = softmax_loss_function or nn_loss.sparse_softmax_cross_entropy_with_logits
        losses = loss(labels=flat_targets, logits=flat_logits) * array_ops.reshape(weights, [-1])
        losses = array_ops.reshape(losses, array_ops.shape(logits)[0:2])
        averaged = [axis for axis, given in enumerate(
            (average_across_batch, average_across_timesteps)) if given]
        if averaged:
            return math_ops.div_no_nan(math_ops.reduce_sum(losses, axis=averaged),
                                 math_ops.reduce_sum(weights, axis=averaged))
        return _summed(losses, weights, sum_over_batch, sum_over_timesteps)


def _summed(losses, weights, over_batch, over_time):
    axes = [axis for axis, given in enumerate((over_batch, over_time)) if given]
    if not axes:
        return losses
    count = math_ops.cast(math_ops.count_nonzero(weights, axis=axes), losses.dtype)
    return math_ops.div_no_nan(math_ops.reduce_sum(losses, axis=axes), count)
