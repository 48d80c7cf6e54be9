"""Copies of layers."""

import copy

from ramet.framework import ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.variables import variables
from ramet.ops.variables.partitioned_variable import PartitionedVariable

# Attributes that belong to a graph, which copies of a layer share.
_OF_GRAPH = ('_graph', '_scope', '_scope_given', '_current_scope', '_rnn_scope', '_inbound_nodes', '_outbound_nodes')
_GRAPH_TYPES = (ops.Tensor, ops.Operation, SparseTensor, variables.Variable, PartitionedVariable)


def _share(value, memo):
    """Makes copy.deepcopy keep the tensors, operations and variables of a structure."""
    if isinstance(value, _GRAPH_TYPES):
        memo[id(value)] = value
    elif isinstance(value, dict):
        for item in (*value, *value.values()):
            _share(item, memo)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            _share(item, memo)


def deep_copy(layer, memo):
    """Returns a deep copy of a layer that shares the graph, the variables and the tensors of the original.

    Args:
      layer: a Layer.
      memo: the copies so far, as for copy.deepcopy.
    """
    result = memo[id(layer)] = object.__new__(type(layer))
    for name, value in vars(layer).items():
        if name not in _OF_GRAPH:
            _share(value, memo)
            value = copy.deepcopy(value, memo)
        vars(result)[name] = value
    return result
