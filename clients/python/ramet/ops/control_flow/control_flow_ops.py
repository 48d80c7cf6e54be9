"""Provides all control flow functions in one module, with TensorFlow's name."""

from ramet import gen
from ramet.ops.control_flow.assertions import Assert, add_check_numerics_ops, verify_tensor_all_finite  # noqa: F401
from ramet.ops.control_flow.cond import cond, merge  # noqa: F401
from ramet.ops.control_flow.control_flow_case import case  # noqa: F401
from ramet.ops.control_flow.dependencies import group, tuple, with_dependencies  # noqa: F401
from ramet.ops.control_flow.while_loop import while_loop  # noqa: F401

no_op = gen.NoOp
