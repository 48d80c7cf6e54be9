"""Switching TensorFlow 2 behaviour off, as many programs do first. It never is on."""

from ramet.api import export


@export('disable_v2_behavior')
def disable_v2_behavior():
    """Variables are those of TensorFlow 1 from now on; all else is so already."""
    from ramet.ops import variable_creation

    variable_creation.disable_resource_variables()


@export('disable_eager_execution')
def disable_eager_execution():
    """Changes nothing: operations are always added to a graph."""


@export('disable_v2_tensorshape')
def disable_v2_tensorshape():
    """Changes nothing: the elements of a TensorShape are always Dimensions."""


@export('disable_tensor_equality')
def disable_tensor_equality():
    """Changes nothing: tensors are always compared by identity."""


@export('disable_control_flow_v2')
def disable_control_flow_v2():
    """Changes nothing: conditions and loops are those of TensorFlow 1."""


@export('control_flow_v2_enabled')
def control_flow_v2_enabled():
    """False, always."""
    return False
