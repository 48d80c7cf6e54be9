"""Dropout that keeps means and variances, and losses whose first argument has the logits."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_loss
from ramet.ops.random import random_ops


@export('contrib.nn.alpha_dropout')
def alpha_dropout(x, keep_prob, noise_shape=None, seed=None, name=None):
    """Drops elements and keeps the mean and variance of normalized values (arXiv 1706.02515).

    Args:
      x: a floating-point tensor.
      keep_prob: the probability of keeping each element, a number or a scalar tensor.
      noise_shape: the shape of the random choices, or None for that of x.
      seed: the seed of the random numbers.
      name: the name of the scope. Defaults to 'alpha_dropout'.

    Returns:
      A tensor like x.

    Raises:
      ValueError: if keep_prob is a number that is not in (0, 1].
    """
    with ops.name_scope(name, 'alpha_dropout', [x]):
        x = ops.convert_to_tensor(x, name='x')
        if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1.:
            raise ValueError('keep_prob must be a scalar tensor or a float in the range (0, 1], '
                             f'got {keep_prob:g}')
        keep_prob = ops.convert_to_tensor(keep_prob, dtype=x.dtype, name='keep_prob')
        noise_shape = array_ops.shape(x) if noise_shape is None else noise_shape
        random = keep_prob + random_ops.random_uniform(noise_shape, seed=seed, dtype=x.dtype)
        kept = math_ops.floor(random)
        alpha = -1.7580993408473766  # The limit of the activation SELU.
        dropped = x * kept + alpha * (1 - kept)
        a = (keep_prob + keep_prob * (1 - keep_prob) * alpha ** 2) ** -0.5
        result = a * dropped - a * alpha * (1 - keep_prob)
        result.set_shape(x.get_shape())
        return result


@export('contrib.nn.scaled_softplus')
def scaled_softplus(x, alpha, clip=None, name=None):
    """Returns alpha * softplus(x / alpha), clipped to at most `clip`.

    Args:
      x: a floating-point tensor.
      alpha: a positive tensor that broadcasts to x.
      clip: a tensor that broadcasts to x, or None.
      name: the name of the scope. Defaults to 'scaled_softplus'.
    """
    with ops.name_scope(name, 'scaled_softplus', [x, alpha]):
        x = ops.convert_to_tensor(x, name='x')
        alpha = ops.convert_to_tensor(alpha, name='alpha', dtype=x.dtype)
        y = alpha * math_ops.softplus(x / alpha)
        return y if clip is None else gen.Minimum(y, ops.convert_to_tensor(clip, dtype=x.dtype))


@export('contrib.nn.deprecated_flipped_softmax_cross_entropy_with_logits')
def deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels, dim=-1, name=None):
    """Calls tf.nn.softmax_cross_entropy_with_logits.

    Args:
      logits: a floating-point tensor.
      labels: a tensor of probabilities, of logits' shape.
      dim: the axis of the classes.
      name: the name of the operation.
    """
    return nn_loss.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim,
                                                   name=name)


@export('contrib.nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits')
def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, labels, name=None):
    """Calls tf.nn.sparse_softmax_cross_entropy_with_logits.

    Args:
      logits: a floating-point tensor [..., classes].
      labels: an integer tensor [...].
      name: the name of the operation.
    """
    return nn_loss.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


@export('contrib.nn.deprecated_flipped_sigmoid_cross_entropy_with_logits')
def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, targets, name=None):
    """Calls tf.nn.sigmoid_cross_entropy_with_logits.

    Args:
      logits: a floating-point tensor.
      targets: a tensor of probabilities, of logits' shape.
      name: the name of the operation.
    """
    return nn_loss.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
