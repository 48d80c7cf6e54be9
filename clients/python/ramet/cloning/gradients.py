"""Calls the program's gradient functions for operations that were cloned.

A gradient function may refer to tensors and variables of the graph that it was written for. While
it builds the gradient of a copy, the copies replace them.
"""

from ramet import _core
from ramet.cloning import arguments
from ramet.framework import gradient_registration, ops


def call(func, op, gradients):
    """Returns func(op, *gradients), with the tensors of the original replaced by those of `op`."""
    graph = op.graph
    stand_in = _stand_in(op)
    outer, graph._stand_in = graph._stand_in, stand_in
    _core.set_capturing(graph, True, True)
    try:
        with graph.as_default():
            made = func(op, *gradients)
    finally:
        graph._stand_in = outer
        _core.set_capturing(graph, outer is not None or graph.building_function, outer is not None)
    if not isinstance(made, (list, tuple)):
        made = [made]
    return [_result(stand_in, g) for g in made]


def _result(stand_in, gradient):
    if hasattr(gradient, 'indices'):
        parts = (gradient.values, gradient.indices, gradient.dense_shape)
        return type(gradient)(*(p and stand_in(p) for p in parts))
    return stand_in(gradient) if isinstance(gradient, ops.Tensor) else gradient


def _stand_in(op):
    """Returns a function that maps tensors and variables to those of the clone that has `op`."""
    found = op.graph._cloned_gradients.get(op.name)
    if found is None:
        return lambda x: x
    clone, original = found
    outer = _stand_in(original)

    def stand_in(x):
        x = outer(x)
        if x.graph is not clone.source:
            return x
        copy = clone._core.transformed(x._id if arguments.is_variable(x) else x)
        return x if copy is None else copy

    return stand_in


gradient_registration.set_caller_for_clones(call)
