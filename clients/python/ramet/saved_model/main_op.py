"""Operations that initialize a model after it is loaded."""

from ramet.api import export
from ramet.framework import ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.variables import variable_lists


@export('saved_model.main_op.main_op')
def main_op():
    """Returns an operation that initializes all variables and tables."""
    init = variable_lists.global_variables_initializer()
    init_local = variable_lists.local_variables_initializer()
    init_tables = variable_lists.tables_initializer()
    return control_flow_ops.group(init, init_local, init_tables)


@export('saved_model.main_op_with_restore', 'saved_model.main_op.main_op_with_restore')
def main_op_with_restore(restore_op_name):
    """Returns an operation that initializes all variables and tables, then restores the variables.

    Args:
      restore_op_name: the operation that restores the variables, or its name.
    """
    with ops.control_dependencies([main_op()]):
        return control_flow_ops.group(restore_op_name)
