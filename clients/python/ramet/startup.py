"""Fills in the hooks of lower rooms that the modules of upper rooms register themselves in.

Code that resolves a public name imports this module first. Without it, tensors would have no operators, and a variable
in a file would have a class that is not loaded.
"""

from ramet.framework import collections_lib, ops, ragged_hooks, variable_objects  # noqa: F401 - ops passes the classes to the C++ library
from ramet.ops.control_flow import modes
from ramet.ops.math import operators  # noqa: F401 - operators of tensors


def _load_variables(is_resource):
    from ramet.ops.variables import variables  # noqa: F401  # deferred: start-up time of programs without variables

    if is_resource is None:
        from ramet.ops.variables import eager_variable  # noqa: F401  # deferred: start-up time of programs with graphs


variable_objects.set_loader(_load_variables)


def _load_queue_runners():
    from ramet.train import queue_runner  # noqa: F401  # deferred: start-up time of programs without queue runners


collections_lib.set_proto_loader(ops.GraphKeys.QUEUE_RUNNERS, _load_queue_runners)


def _load_ragged_operators():
    from ramet.ops.ragged import ragged_operators  # noqa: F401  # deferred: start-up time of programs without ragged tensors


ragged_hooks.set_operators_loader(_load_ragged_operators)


def _load_functional_control_flow():
    from ramet.ops.control_flow import functional_cond, functional_while  # deferred: few graphs have such operations

    return functional_cond.cond, functional_while.while_loop


modes.set_loader(_load_functional_control_flow)
