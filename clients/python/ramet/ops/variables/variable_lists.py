"""The variables of a graph by collection, and operations on them."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import dependencies
from ramet.ops.variables import state_ops

_OLD_VARIABLE_OPS = ('Variable', 'VariableV2', 'AutoReloadVariable')


@export('global_variables')
def global_variables(scope=None):
    """Returns the global variables of the default graph, which checkpoints contain.

    Args:
      scope: a regular expression that must match the start of a variable's name, or None.

    Returns:
      A list of Variables in the order of their creation.
    """
    return ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope)


@export('local_variables')
def local_variables(scope=None):
    """Returns the variables in GraphKeys.LOCAL_VARIABLES.

    Args:
      scope: see global_variables.
    """
    return ops.get_collection(ops.GraphKeys.LOCAL_VARIABLES, scope)


@export('model_variables')
def model_variables(scope=None):
    """Returns the variables in GraphKeys.MODEL_VARIABLES.

    Args:
      scope: see global_variables.
    """
    return ops.get_collection(ops.GraphKeys.MODEL_VARIABLES, scope)


@export('trainable_variables')
def trainable_variables(scope=None):
    """Returns the trainable variables.

    Args:
      scope: see global_variables.
    """
    return ops.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES, scope)


@export('moving_average_variables')
def moving_average_variables(scope=None):
    """Returns the variables that have moving averages.

    Args:
      scope: see global_variables.
    """
    return ops.get_collection(ops.GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def _global_and_local():
    return global_variables() + local_variables()


@export('initializers.variables', 'variables_initializer')
def variables_initializer(var_list, name='init'):
    """Returns an Operation that initializes a list of variables.

    Args:
      var_list: a list of Variables.
      name: the name of the Operation.
    """
    return _group([v.initializer for v in var_list], name)


@export('initializers.global_variables', 'global_variables_initializer')
def global_variables_initializer():
    """Returns an Operation that initializes all global variables that exist when it is called."""
    return variables_initializer(global_variables())


@export('initializers.local_variables', 'local_variables_initializer')
def local_variables_initializer():
    """Returns an Operation that initializes all local variables that exist when it is called."""
    return variables_initializer(local_variables())


@export('initializers.tables_initializer', 'tables_initializer')
def tables_initializer(name='init_all_tables'):
    """Returns an Operation that initializes all lookup tables of the default graph.

    Args:
      name: the name of the Operation.
    """
    return _group(ops.get_collection(ops.GraphKeys.TABLE_INITIALIZERS), name)


def _group(operations, name):
    return dependencies.group(*operations, name=name)


@export('is_variable_initialized')
def is_variable_initialized(variable):
    """Returns a bool Tensor that is True if a variable has a value.

    Args:
      variable: a Variable.
    """
    return state_ops.is_variable_initialized(variable)


@export('assert_variables_initialized')
def assert_variables_initialized(var_list=None):
    """Returns a Tensor that can only be evaluated if the variables have values.

    Args:
      var_list: a list of Variables. Defaults to the global and local ones.

    Returns:
      The Tensor, or None if there are no variables.
    """
    if var_list is None:
        var_list = _global_and_local()
    if not var_list:
        var_list = [op.outputs[0] for op in ops.get_default_graph().get_operations()
                    if op.type in _OLD_VARIABLE_OPS]
    if not var_list:
        return None
    ranks = []
    for variable in var_list:
        with ops.colocate_with(variable.op):
            ranks.append(gen.Rank(variable))
    return ranks[0] if len(ranks) == 1 else array_ops.stack(ranks)


@export('report_uninitialized_variables')
def report_uninitialized_variables(var_list=None, name='report_uninitialized_variables'):
    """Returns a string Tensor with the names of the variables that have no values.

    Args:
      var_list: a list of Variables. Defaults to the global and local ones.
      name: the name scope of the nodes.
    """
    if var_list is None:
        var_list = _global_and_local() or [
            op.outputs[0] for op in ops.get_default_graph().get_operations()
            if op.type in _OLD_VARIABLE_OPS]
    with ops.name_scope(name):
        flags = [state_ops.is_variable_initialized(v) for v in var_list]
        with ops.device('/cpu:0'):
            if not var_list:
                return constant_op.constant([], dtype=dtypes.string)
            missing = gen.LogicalNot(array_ops.stack(flags))
            names = constant_op.constant([v.op.name for v in var_list])
            return array_ops.boolean_mask(names, missing)
