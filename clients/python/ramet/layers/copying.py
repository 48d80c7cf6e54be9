"""Copies of layers."""

import copy

from ramet.framework import nest, ops
from ramet.ops.variables import variables

# Attributes that belong to a graph, which copies of a layer share.
_OF_GRAPH = ('_graph', '_scope', '_scope_given', '_current_scope', '_rnn_scope')


def _is_of_graph(value):
    return isinstance(value, (ops.Tensor, ops.Operation, variables.Variable))


def deep_copy(layer, memo):
    """Returns a deep copy of a layer that shares the graph, the variables and the tensors of the original.

    Args:
      layer: a Layer.
      memo: the copies so far, as for copy.deepcopy.
    """
    result = memo[id(layer)] = object.__new__(type(layer))
    for name, value in vars(layer).items():
        if name in _OF_GRAPH or _is_of_graph(value):
            copied = value
        elif isinstance(value, (list, tuple)) and value and all(map(_is_of_graph, nest.flatten(value))):
            copied = copy.copy(value)
        else:
            copied = copy.deepcopy(value, memo)
        vars(result)[name] = copied
    return result
