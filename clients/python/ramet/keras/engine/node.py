"""Calls of layers, which form the graph of layers that models are made of."""

import collections

from ramet.framework import nest, ops

KerasHistory = collections.namedtuple('KerasHistory', ['layer', 'node_index', 'tensor_index'])
KerasHistory.__doc__ = """The origin of a tensor: a layer, the number of its call, and the number of the output."""


class Node:
    """A call of a layer.

    Attributes:
      layer: the layer that was called.
      input_tensors, output_tensors: the structures of tensors that it took and returned.
      arguments: the other arguments of the call, a dict.
      connected: whether the layers of the inputs know of the call.
      inbound: the KerasHistory of each input, or None for tensors that no layer made.
    """

    def __init__(self, layer, input_tensors, output_tensors, arguments=None, connected=True):
        self.layer = layer
        self.input_tensors = input_tensors
        self.output_tensors = output_tensors
        self.arguments = arguments or {}
        self.inbound = [history_of(tensor) for tensor in nest.flatten(input_tensors)] if connected else []
        self.outbound_layer = layer
        for history in self.inbound:
            if history is not None:
                history.layer._outbound_nodes.append(self)
        layer._inbound_nodes.append(self)

    @property
    def inbound_layers(self):
        """The layers that made the inputs: one layer, or a list."""
        layers = [history.layer for history in self.inbound if history is not None]
        return layers[0] if len(layers) == 1 else layers

    @property
    def parents(self):
        """The nodes that made the inputs."""
        return [history.layer._inbound_nodes[history.node_index] for history in self.inbound if history is not None]


def history_of(tensor):
    """Returns the KerasHistory of a tensor, or None."""
    return getattr(tensor, '_keras_history', None)


def is_keras_tensor(tensor):
    """Returns whether a layer or tf.keras.Input made a tensor."""
    return history_of(tensor) is not None


def connect(layer, inputs, outputs, arguments=None):
    """Adds a Node for a call. If all inputs come from layers, so do the outputs from then on."""
    node = Node(layer, inputs, outputs, arguments)
    if all(history is not None for history in node.inbound):
        mark(node)
    return node


def mark(node):
    """Makes the outputs of a node tensors of its layer."""
    index = node.layer._inbound_nodes.index(node)
    for i, tensor in enumerate(nest.flatten(node.output_tensors)):
        if isinstance(tensor, ops.Tensor) or hasattr(tensor, 'dense_shape'):
            tensor._keras_history = KerasHistory(node.layer, index, i)
