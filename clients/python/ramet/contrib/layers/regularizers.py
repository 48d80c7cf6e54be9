"""Regularizers: functions from weights to a loss."""

import numbers

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, ops
from ramet.lib import tf_logging as logging
from ramet.ops.math import math_ops


def _checked_scale(scale, name):
    if isinstance(scale, numbers.Integral):
        raise ValueError(f'{name} cannot be an integer: {scale}')
    if isinstance(scale, numbers.Real) and scale < 0.:
        raise ValueError(f'Setting a scale less than 0 on a regularizer: {scale:g}.')
    return scale


def _regularizer(scale, scope, default_scope, penalty):
    if isinstance(_checked_scale(scale, 'scale'), numbers.Real) and scale == 0.:
        logging.info('Scale of 0 disables regularizer.')
        return lambda _: None

    def regularizer(weights):
        with ops.name_scope(scope, default_scope, [weights]) as name:
            factor = ops.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name='scale')
            return math_ops.multiply(factor, penalty(weights), name=name)

    return regularizer


@export('contrib.layers.l1_regularizer')
def l1_regularizer(scale, scope=None):
    """Returns a function from weights to scale * sum(abs(weights)).

    Args:
      scale: a float, 0.0 for no loss at all, or a scalar tensor.
      scope: the name of the scope of the operations.

    Raises:
      ValueError: if scale is an integer or negative.
    """
    return _regularizer(scale, scope, 'l1_regularizer',
                        lambda weights: math_ops.reduce_sum(math_ops.abs(weights)))


@export('contrib.layers.l2_regularizer')
def l2_regularizer(scale, scope=None):
    """Returns a function from weights to scale * sum(weights ** 2) / 2.

    Args:
      scale: a float, 0.0 for no loss at all, or a scalar tensor.
      scope: the name of the scope of the operations.

    Raises:
      ValueError: if scale is an integer or negative.
    """
    return _regularizer(scale, scope, 'l2_regularizer', lambda weights: gen.L2Loss(weights))


@export('contrib.layers.l1_l2_regularizer')
def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """Returns a function from weights to the sum of their L1 and L2 losses.

    Args:
      scale_l1, scale_l2: the scales; see l1_regularizer and l2_regularizer.
      scope: the name of the scope of the operations.

    Raises:
      ValueError: if a scale is an integer or negative.
    """
    _checked_scale(scale_l1, 'scale_l1')
    _checked_scale(scale_l2, 'scale_l2')
    scope = scope or 'l1_l2_regularizer'
    if scale_l1 == 0.:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


@export('contrib.layers.sum_regularizer')
def sum_regularizer(regularizer_list, scope=None):
    """Returns a function from weights to the sum of several regularizers' losses.

    Args:
      regularizer_list: a list of functions. Elements that are None are ignored.
      scope: the name of the scope of the operations.

    Returns:
      A function, or None if the list is empty.
    """
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def regularizer(weights):
        with ops.name_scope(scope, 'sum_regularizer', [weights]) as name:
            losses = [r(weights) for r in regularizers]
            losses = [loss for loss in losses if loss is not None]
            return math_ops.add_n(losses, name=name) if losses else None

    return regularizer


@export('contrib.layers.apply_regularization')
def apply_regularization(regularizer, weights_list=None):
    """Adds the sum of a regularizer's losses to the collection of regularization losses.

    Args:
      regularizer: a function from weights to a scalar, or to None.
      weights_list: the weights. Defaults to those of the collection "weights".

    Returns:
      The sum, a scalar Tensor.

    Raises:
      ValueError: if there are no weights, or the regularizer does not return a scalar.
    """
    weights_list = weights_list or ops.get_collection(ops.GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError('No weights to regularize.')
    with ops.name_scope('get_regularization_penalty', values=weights_list) as scope:
        penalties = [regularizer(weights) for weights in weights_list]
        penalties = [constant_op.constant(0.0) if p is None else p for p in penalties]
        for penalty in penalties:
            if penalty.get_shape().ndims != 0:
                raise ValueError('regularizer must return a scalar Tensor instead of a Tensor with '
                                 f'rank {penalty.get_shape().ndims}.')
        total = math_ops.add_n(penalties, name=scope)
        ops.add_to_collection(ops.GraphKeys.REGULARIZATION_LOSSES, total)
        return total
