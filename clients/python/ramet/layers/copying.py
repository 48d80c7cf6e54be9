"""Copies of layers."""

import copy

from ramet.framework import ops
from ramet.ops.variables import variables

# Attributes that belong to a graph, which copies of a layer share.
_OF_GRAPH = ('_graph', '_scope', '_scope_given', '_current_scope', '_rnn_scope', '_inbound_nodes', '_outbound_nodes')


def _is_of_graph(value):
    return isinstance(value, (ops.Tensor, ops.Operation, variables.Variable))


def _copied(value, memo):
    if _is_of_graph(value):
        return value
    if type(value) in (list, tuple, set):
        return type(value)(_copied(element, memo) for element in value)
    if type(value) is dict:
        return {key: _copied(element, memo) for key, element in value.items()}
    return copy.deepcopy(value, memo)


def deep_copy(layer, memo):
    """Returns a deep copy of a layer that shares the graph, the variables and the tensors of the original.

    Args:
      layer: a Layer.
      memo: the copies so far, as for copy.deepcopy.
    """
    result = memo[id(layer)] = object.__new__(type(layer))
    for name, value in vars(layer).items():
        vars(result)[name] = value if name in _OF_GRAPH else _copied(value, memo)
    return result
