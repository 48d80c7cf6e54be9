"""The global step, a variable that counts the training steps of a model."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.lib import tf_logging as logging
from ramet.ops.initializers import init_ops
from ramet.ops.variables import variable_scope, variables


@export('train.global_step')
def global_step(sess, global_step_tensor):
    """Returns the value of a global step in a session, as an int.

    Args:
      sess: a Session.
      global_step_tensor: a tensor or variable, or its name.
    """
    return int(sess.run(global_step_tensor))


@export('train.get_global_step')
def get_global_step(graph=None):
    """Returns the global step of a graph: the item of the collection "global_step", or "global_step:0".

    Args:
      graph: a Graph, or None for the default graph.

    Returns:
      The variable or tensor, or None if there is none or more than one.

    Raises:
      TypeError: if it is not a scalar integer.
    """
    graph = graph or ops.get_default_graph()
    found = graph.get_collection(ops.GraphKeys.GLOBAL_STEP)
    if len(found) == 1:
        step = found[0]
    elif not found:
        try:
            step = graph.get_tensor_by_name('global_step:0')
        except KeyError:
            return None
    else:
        logging.error('Multiple tensors in global_step collection.')
        return None
    assert_global_step(step)
    return step


@export('train.create_global_step')
def create_global_step(graph=None):
    """Creates the variable "global_step" (a scalar int64, initially 0) in a graph.

    Args:
      graph: a Graph, or None for the default graph.

    Returns:
      The variable, which is in the collections "variables" and "global_step".

    Raises:
      ValueError: if the graph already has a global step.
    """
    graph = graph or ops.get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default() as g, g.name_scope(None):
        return variable_scope.get_variable(
            ops.GraphKeys.GLOBAL_STEP, shape=[], dtype=dtypes.int64,
            initializer=init_ops.Zeros(), trainable=False,
            aggregation=variables.VariableAggregation.ONLY_FIRST_REPLICA,
            collections=[ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.GLOBAL_STEP])


@export('train.get_or_create_global_step')
def get_or_create_global_step(graph=None):
    """Returns the global step of a graph, and creates it if there is none.

    Args:
      graph: a Graph, or None for the default graph.
    """
    graph = graph or ops.get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


@export('train.assert_global_step')
def assert_global_step(global_step_tensor):
    """Checks that a tensor or variable is a valid global step.

    Args:
      global_step_tensor: a tensor or variable.

    Raises:
      TypeError: if it is not a tensor or variable, does not have an integer dtype, or has a known
        shape other than that of a scalar.
    """
    if not isinstance(global_step_tensor, (variables.Variable, ops.Tensor)):
        raise TypeError('Existing "global_step" must be a Variable or Tensor: %s.'
                        % global_step_tensor)
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError('Existing "global_step" does not have integer type: %s'
                        % global_step_tensor.dtype)
    shape = global_step_tensor.get_shape()
    if shape.ndims != 0 and shape.is_fully_defined():
        raise TypeError('Existing "global_step" is not scalar: %s' % shape)
