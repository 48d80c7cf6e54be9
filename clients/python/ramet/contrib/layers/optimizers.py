"""tf.contrib.layers.optimize_loss: an optimizer with noise, clipping, decay and summaries in one call."""

from ramet.api import export, export_value
from ramet.framework import constant_op, dtypes, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.control_flow import dependencies
from ramet.ops.initializers import init_ops
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.random import random_ops
from ramet.ops.variables import variable_lists, variable_scope
from ramet.summary import summary as summary_lib
from ramet.train import (
    adagrad,
    adam,
    ftrl,
    gradient_descent,
    momentum,
    optimizer as optimizer_lib,
    rmsprop,
    training_util,
)

OPTIMIZER_CLS_NAMES = export_value('contrib.layers.OPTIMIZER_CLS_NAMES', {
    'Adagrad': adagrad.AdagradOptimizer, 'Adam': adam.AdamOptimizer,
    'Ftrl': ftrl.FtrlOptimizer,
    'Momentum': lambda learning_rate: momentum.MomentumOptimizer(learning_rate, momentum=0.9),
    'RMSProp': rmsprop.RMSPropOptimizer, 'SGD': gradient_descent.GradientDescentOptimizer})
OPTIMIZER_SUMMARIES = export_value('contrib.layers.OPTIMIZER_SUMMARIES', [
    'learning_rate', 'loss', 'gradients', 'gradient_norm', 'global_gradient_norm'])


def _rate(learning_rate):
    if learning_rate is None:
        return None
    if isinstance(learning_rate, ops.Tensor) and learning_rate.get_shape().ndims == 0:
        return learning_rate
    if isinstance(learning_rate, (float, int)):
        if learning_rate < 0.0:
            raise ValueError(f'Invalid learning_rate {learning_rate}.')
        return variable_scope.get_variable('learning_rate', [], trainable=False,
                               initializer=init_ops.Constant(float(learning_rate)))
    raise ValueError('Learning rate should be 0d Tensor or float. Got %s of type %s' % (
        learning_rate, type(learning_rate)))


def _made(optimizer, rate):
    """Returns an optimizer that is given as a name, a class, an instance or a function of the rate."""
    if isinstance(optimizer, str):
        if rate is None:
            raise ValueError(f'Learning rate is None, but should be specified for {optimizer}.')
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError('Optimizer name should be one of [%s], you provided %s.' % (
                ', '.join(OPTIMIZER_CLS_NAMES), optimizer))
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if isinstance(optimizer, type) and issubclass(optimizer, optimizer_lib.Optimizer):
        if rate is None:
            raise ValueError('Learning rate is None, but should be specified if optimizer is class')
        return optimizer(learning_rate=rate)
    if isinstance(optimizer, optimizer_lib.Optimizer):
        return optimizer
    if callable(optimizer):
        made = optimizer() if rate is None else optimizer(rate)
        if not isinstance(made, optimizer_lib.Optimizer):
            raise ValueError(f'Optimizer must be an instance of Optimizer, got {made}.')
        return made
    raise ValueError('Unrecognized optimizer: should be string, subclass of Optimizer, instance '
                     f'of subclass of Optimizer or function with one argument. Got {optimizer}.')


def _noisy(grads, scale):
    if scale is None:
        return grads
    noisy = []
    for grad, var in grads:
        if grad is not None:
            shape = grad.dense_shape if isinstance(grad, IndexedSlices) else grad.get_shape()
            grad = grad + random_ops.truncated_normal(shape) * scale
        noisy.append((grad, var))
    return noisy


def _multiplied(grads, factors):
    multiplied = []
    for grad, var in grads:
        key = var if var in factors else var.name
        if grad is not None and key in factors:
            factor = constant_op.constant(factors[key], dtype=dtypes.float32)
            grad = IndexedSlices(grad.values * factor, grad.indices, grad.dense_shape) \
                if isinstance(grad, IndexedSlices) else grad * math_ops.cast(factor, grad.dtype)
        multiplied.append((grad, var))
    return multiplied


def _clipped(grads, clip):
    if clip is None:
        return grads
    if isinstance(clip, (float, int)):
        clipped, _ = clip_ops.clip_by_global_norm([grad for grad, _ in grads], float(clip))
        return list(zip(clipped, [var for _, var in grads], strict=True))
    if callable(clip):
        return clip(grads)
    raise ValueError(f'Unknown type {type(clip)} for clip_gradients')


def _global_norm(grads):
    return clip_ops.global_norm([grad for grad, _ in grads])


def _summarize(summaries, grads):
    for grad, var in grads:
        if grad is None:
            continue
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        name = var.name.replace(':', '_')
        if 'gradients' in summaries:
            summary_lib.histogram('gradients/%s' % name, values)
        if 'gradient_norm' in summaries:
            summary_lib.scalar('gradient_norm/%s' % name, clip_ops.global_norm([values]))


@export('contrib.layers.optimize_loss')
def optimize_loss(loss, global_step, learning_rate, optimizer, gradient_noise_scale=None,
                  gradient_multipliers=None, clip_gradients=None, learning_rate_decay_fn=None,
                  update_ops=None, variables=None, name=None, summaries=None,
                  colocate_gradients_with_ops=False, increment_global_step=True):
    """Creates an operation that runs a step of training and returns the loss.

    Args:
      loss: a scalar tensor.
      global_step: the variable that counts steps, or None for the global step, if there is one.
      learning_rate: a float or a scalar tensor, or None.
      optimizer: a name ('SGD', 'Adam', 'Adagrad', 'Momentum', 'RMSProp' or 'Ftrl'), a class, an
        instance, or a function from the learning rate to an optimizer.
      gradient_noise_scale: the factor of the noise that is added to gradients, or None.
      gradient_multipliers: a dict from variables or their names to factors of their gradients, or None.
      clip_gradients: the largest norm of all gradients together, or a function from pairs (gradient,
        variable) to such pairs, or None.
      learning_rate_decay_fn: a function (learning rate, global step) -> learning rate, or None.
      update_ops: operations to run before the loss. Defaults to the collection "update_ops".
      variables: the variables to train. Defaults to all trainable variables.
      name: the name of the variable scope. Defaults to 'OptimizeLoss'.
      summaries: a list of names from OPTIMIZER_SUMMARIES. Defaults to the rate, the loss and the
        global norm of the gradients.
      colocate_gradients_with_ops: whether to place gradients on the devices of their operations.
      increment_global_step: whether to increment the global step.

    Returns:
      The loss, a tensor.

    Raises:
      ValueError: if an argument is invalid.
    """
    loss = ops.convert_to_tensor(loss)
    if loss.get_shape().ndims not in (0, None):
        raise ValueError(f'Shape {loss.get_shape()} must be rank 0')
    global_step = training_util.get_global_step() if global_step is None else global_step
    if global_step is not None:
        training_util.assert_global_step(global_step)
    with variable_scope.variable_scope(name, 'OptimizeLoss', [loss, global_step]):
        if update_ops is None:
            update_ops = set(ops.get_collection(ops.GraphKeys.UPDATE_OPS))
        if update_ops:
            loss = dependencies.with_dependencies(list(update_ops), loss)
        rate = _decayed(_rate(learning_rate), learning_rate_decay_fn, global_step)
        summaries = _checked(summaries)
        if 'learning_rate' in summaries and rate is not None:
            summary_lib.scalar('learning_rate', rate)
        if 'loss' in summaries:
            summary_lib.scalar('loss', loss)
        opt = _made(optimizer, rate)
        grads = opt.compute_gradients(
            loss, variable_lists.trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops)
        grads = _noisy(grads, gradient_noise_scale)
        if gradient_multipliers is not None:
            grads = _multiplied(grads, gradient_multipliers)
            if not grads:
                raise ValueError('Empty list of (gradient, var) pairs encountered. This is most '
                                 'likely to be caused by an improper value of '
                                 'gradient_multipliers.')
        if 'global_gradient_norm' in summaries or 'gradient_norm' in summaries:
            summary_lib.scalar('global_norm/gradient_norm', _global_norm(grads))
        clipped = _clipped(grads, clip_gradients)
        _summarize(summaries, clipped)
        if clip_gradients is not None and (
                'global_gradient_norm' in summaries or 'gradient_norm' in summaries):
            summary_lib.scalar('global_norm/clipped_gradient_norm', _global_norm(clipped))
        updates = opt.apply_gradients(
            clipped, global_step=global_step if increment_global_step else None, name='train')
        return dependencies.with_dependencies([updates], loss)


def _decayed(rate, decay_fn, global_step):
    if rate is None or decay_fn is None:
        return rate
    if global_step is None:
        raise ValueError('global_step is required for learning_rate_decay_fn.')
    return decay_fn(rate, global_step)


def _checked(summaries):
    if summaries is None:
        return ['loss', 'learning_rate', 'global_gradient_norm']
    for summary in summaries:
        if summary not in OPTIMIZER_SUMMARIES:
            raise ValueError('Summaries should be one of [%s], you provided %s.' % (
                ', '.join(OPTIMIZER_SUMMARIES), summary))
    return summaries
