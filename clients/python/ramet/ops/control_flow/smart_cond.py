"""Chooses between two computations, at graph construction if the condition is known."""

from ramet.api import export
from ramet.framework import ops, tensor_util
from ramet.ops.control_flow.cond import cond
from ramet.ops.variables import variables as tf_variables


@export('contrib.framework.smart_constant_value')
def constant_value(pred):
    """Returns the value of a condition as a bool, or None if it is only known when the graph runs.

    Args:
      pred: a bool, 0 or 1, a boolean Tensor or a Variable.

    Raises:
      TypeError: if it is something else.
    """
    if isinstance(pred, tf_variables.Variable):
        return None
    if pred is True or pred is False or (isinstance(pred, int) and pred in (0, 1)):
        return bool(pred)
    if isinstance(pred, ops.Tensor):
        value = tensor_util.constant_value(pred)
        return None if value is None else bool(value)
    raise TypeError('`pred` must be a Tensor, or a Python bool, or 1 or 0. '
                    f'Found instead type: {type(pred)}')


@export('contrib.framework.smart_cond')
def smart_cond(pred, true_fn, false_fn, name=None):
    """Returns true_fn() or false_fn(). Uses tf.cond if the condition is only known at run time.

    Args:
      pred: a bool, 0 or 1, a boolean Tensor or a Variable.
      true_fn: a function without arguments.
      false_fn: a function without arguments.
      name: the name of the tf.cond.
    """
    known = constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()
