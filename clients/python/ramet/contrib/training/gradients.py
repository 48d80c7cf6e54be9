"""Training operations, and functions that change or summarize gradients."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.lib import tf_logging as logging
from ramet.ops.control_flow import dependencies
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.variables import variable_lists
from ramet.summary import summary
from ramet.train import training_util
from ramet.train import optimizer as optimizer_lib

USE_GLOBAL_STEP = 0  # The default global step. None means no step at all.


@export('contrib.training.add_gradients_summaries', 'contrib.slim.learning.add_gradients_summaries')
def add_gradients_summaries(grads_and_vars):
    """Adds a histogram and the norm of each gradient to the summaries.

    Args:
      grads_and_vars: a list of pairs (gradient, variable). Gradients that are None are skipped.

    Returns:
      The summaries, a list of tensors.
    """
    summaries = []
    for grad, var in grads_and_vars:
        if grad is None:
            logging.info('Var %s has no gradient', var.op.name)
            continue
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        summaries.append(summary.histogram(var.op.name + '_gradient', values))
        summaries.append(summary.scalar(var.op.name + '_gradient_norm',
                                           clip_ops.global_norm([values])))
    return summaries


@export('contrib.training.clip_gradient_norms', 'contrib.slim.learning.clip_gradient_norms')
def clip_gradient_norms(gradients_to_variables, max_norm):
    """Clips each gradient to a norm.

    Args:
      gradients_to_variables: a list of pairs (gradient, variable).
      max_norm: the largest norm.

    Returns:
      A list of pairs (gradient, variable).
    """
    clipped = []
    for grad, var in gradients_to_variables:
        if isinstance(grad, IndexedSlices):
            grad = IndexedSlices(clip_ops.clip_by_norm(grad.values, max_norm), grad.indices,
                                 grad.dense_shape)
        elif grad is not None:
            grad = clip_ops.clip_by_norm(grad, max_norm)
        clipped.append((grad, var))
    return clipped


@export('contrib.training.clip_gradient_norms_fn')
def clip_gradient_norms_fn(max_norm):
    """Returns a function that clips gradients, for create_train_op.

    Args:
      max_norm: the largest norm.
    """
    return lambda grads_and_vars: clip_gradient_norms(grads_and_vars, max_norm)


@export('contrib.training.multiply_gradients', 'contrib.slim.learning.multiply_gradients')
def multiply_gradients(grads_and_vars, gradient_multipliers):
    """Multiplies gradients.

    Args:
      grads_and_vars: a list of pairs (gradient, variable).
      gradient_multipliers: a dict from variables, or their names without ':0', to factors.

    Returns:
      A list of pairs (gradient, variable).

    Raises:
      ValueError: if an argument has the wrong type, there are no factors, or one is for a gradient
        that is None.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError('`grads_and_vars` must be a list.')
    if not gradient_multipliers:
        raise ValueError('`gradient_multipliers` is empty.')
    if not isinstance(gradient_multipliers, dict):
        raise ValueError('`gradient_multipliers` must be a dict.')
    return [(_multiplied(grad, var, gradient_multipliers), var) for grad, var in grads_and_vars]


def _multiplied(grad, var, factors):
    if var not in factors and var.op.name not in factors:
        return grad
    if grad is None:
        raise ValueError('Requested multiple of `None` gradient.')
    factor = factors[var] if var in factors else factors[var.op.name]
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(grad.values * _factor(factor, grad.values), grad.indices,
                             grad.dense_shape)
    return grad * _factor(factor, grad)


def _factor(factor, like):
    return math_ops.cast(factor, like.dtype) if isinstance(factor, ops.Tensor) \
        else constant_op.constant(factor, dtype=like.dtype)


@export('contrib.training.create_train_op')
@with_args_of(optimizer_lib.Optimizer.compute_gradients)
def create_train_op(total_loss, optimizer, global_step=USE_GLOBAL_STEP, update_ops=None,
                    variables_to_train=None, transform_grads_fn=None, summarize_gradients=False,
                    gate_gradients=optimizer_lib.Optimizer.GATE_OP, aggregation_method=None,
                    colocate_gradients_with_ops=False, check_numerics=True):
    """Creates an operation that runs a step of training and returns the loss.

    Args:
      total_loss: the loss, a float scalar.
      optimizer: a tf.train.Optimizer.
      global_step: the variable that counts steps, or None for none. Defaults to the global step,
        which is created if there is none.
      update_ops: operations to run before the loss is computed. Defaults to the collection
        "update_ops".
      variables_to_train: the variables to train. Defaults to all trainable variables.
      transform_grads_fn: a function from pairs (gradient, variable) to such pairs, or None.
      summarize_gradients: whether to add summaries of the gradients.
      gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH of tf.train.Optimizer.
      check_numerics: whether to raise an error if the loss is not finite.

    Returns:
      A tensor, the loss.
    """
    if global_step is USE_GLOBAL_STEP:
        global_step = training_util.get_or_create_global_step()
    total_loss = _after_updates(total_loss, update_ops)
    if variables_to_train is None:
        variables_to_train = variable_lists.trainable_variables()
    else:
        for variable in variables_to_train:
            assert variable.trainable if hasattr(variable, 'trainable') \
                else variable in variable_lists.trainable_variables()
    assert variables_to_train
    grads = optimizer.compute_gradients(
        total_loss, variables_to_train, gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops)
    if transform_grads_fn:
        grads = transform_grads_fn(grads)
    if summarize_gradients:
        with ops.name_scope('summarize_grads'):
            add_gradients_summaries(grads)
    updates = optimizer.apply_gradients(grads, global_step=global_step)
    with ops.name_scope('train_op'):
        if check_numerics:
            total_loss = gen.CheckNumerics(total_loss, 'LossTensor is inf or nan')
        train_op = dependencies.with_dependencies([updates], total_loss)
    train_ops = ops.get_collection_ref(ops.GraphKeys.TRAIN_OP)
    if not any(op is train_op for op in train_ops):
        train_ops.append(train_op)
    return train_op


def _after_updates(total_loss, update_ops):
    collected = ops.get_collection(ops.GraphKeys.UPDATE_OPS)
    if update_ops is None:
        update_ops = collected
    elif not {id(op) for op in collected} <= {id(op) for op in update_ops}:
        logging.warning('update_ops in create_train_op does not contain all the update_ops in '
                        'GraphKeys.UPDATE_OPS')
    if not update_ops:
        return total_loss
    with ops.control_dependencies(list(update_ops)):
        barrier = gen.NoOp(name='update_barrier')
    return dependencies.with_dependencies([barrier], total_loss)
