"""Provides variables, their kinds and their modes in one module, with TensorFlow's name."""

from ramet.api import export
from ramet.framework.variable_objects import object_of  # noqa: F401
from ramet.ops.variables.ref_variable import RefVariable  # noqa: F401
from ramet.ops.variables.resource_variable import ResourceVariable  # noqa: F401
from ramet.ops.variables.save_slice_info import SaveSliceInfo  # noqa: F401
from ramet.ops.variables.variable_base import Variable
from ramet.ops.variables.variable_modes import VariableAggregation, VariableSynchronization  # noqa: F401

export('Variable')(Variable)
