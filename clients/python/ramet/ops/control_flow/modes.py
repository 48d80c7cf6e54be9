"""The setting whether conditionals and loops are functions of the library or nodes of the graph."""

from ramet.api import export
from ramet.framework import ops

_state = {'enabled': False}


@export('enable_control_flow_v2')
def enable_control_flow_v2():
    """Makes tf.cond and tf.while_loop add one operation that calls functions, If or While, in all graphs.

    In the functions of datasets and of tf.function they always do.
    """
    _state['enabled'] = True


@export('disable_control_flow_v2')
def disable_control_flow_v2():
    """Makes tf.cond and tf.while_loop add Switch and Merge, the operations of TensorFlow 1: the initial setting."""
    _state['enabled'] = False


@export('control_flow_v2_enabled')
def control_flow_v2_enabled():
    """Returns whether tf.cond and tf.while_loop add operations that call functions."""
    return _state['enabled']


def is_functional():
    """Returns whether conditionals and loops in the default graph are functions."""
    graph = ops.get_default_graph()
    return getattr(graph, 'functional_control_flow', False) or _state['enabled']


def set_loader(load):
    """Sets the function that returns (cond, while_loop), which add operations that call functions.

    Args:
      load: a function without arguments. It is called before the first such operation is added.
    """
    _state['load'] = load


def functional():
    """Returns (cond, while_loop), which add operations that call functions."""
    return _state['load']()
