"""Turns TensorFlow 2 behavior off, as many programs do first. Ramet never turns it on."""

from ramet.api import export
from ramet.ops.variables import variable_creation


@export('disable_v2_behavior')
def disable_v2_behavior():
    """Makes new variables TensorFlow 1 variables. All other behavior is already TensorFlow 1's."""
    variable_creation.disable_resource_variables()


@export('disable_v2_tensorshape')
def disable_v2_tensorshape():
    """Does nothing: the elements of a TensorShape are always Dimensions."""


@export('disable_tensor_equality')
def disable_tensor_equality():
    """Does nothing: tensors are always compared by identity."""
