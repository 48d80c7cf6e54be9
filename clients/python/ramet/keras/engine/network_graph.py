"""The graph of layers between the inputs and the outputs of a model."""

import collections

from ramet.framework import nest
from ramet.keras.engine import node as node_lib


class NetworkGraph:
    """The nodes between inputs and outputs.

    Attributes:
      nodes: the nodes, those that are computed first at the start.
      layers: the layers in the order in which models list their variables.
      input_coordinates, output_coordinates: the KerasHistory of the inputs and outputs.
    """

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = list(nest.flatten(inputs)), list(nest.flatten(outputs))
        self.input_coordinates = [_history(t, 'Input') for t in self.inputs]
        self.output_coordinates = [_history(t, 'Output') for t in self.outputs]
        visited, indices = self._visited()
        node_depths, layer_depths = self._depths(visited, indices)
        self.nodes = sorted(visited, key=lambda n: -node_depths[n])
        self.layers = sorted(layer_depths, key=lambda layer: (-layer_depths[layer], indices[layer]))
        self._check()

    def _visited(self):
        """Returns the nodes, inputs of each first, and the order in which layers are met from the outputs."""
        order, indices, done = [], {}, set()
        for history in self.output_coordinates:
            stack = [(history.layer._inbound_nodes[history.node_index], False)]
            open_nodes = set()
            while stack:
                node, ready = stack.pop()
                if ready:
                    open_nodes.discard(node)
                    done.add(node)
                    order.append(node)
                    continue
                if node in done:
                    continue
                if node in open_nodes:
                    raise ValueError(f'The tensors of layer "{node.layer.name}" are part of a cycle.')
                open_nodes.add(node)
                indices.setdefault(node.layer, len(indices))
                stack.append((node, True))
                stack.extend((parent, False) for parent in reversed(node.parents)
                             if parent not in done and parent is not node)
        return order, indices

    def _depths(self, visited, indices):
        """Returns the largest distance from an output of each node and each layer."""
        node_depths, layer_depths = {}, {}
        for node in reversed(visited):
            depth = max(node_depths.setdefault(node, 0), layer_depths.get(node.layer, 0))
            node_depths[node] = layer_depths[node.layer] = depth
            for parent in node.parents:
                if parent is not node:
                    node_depths[parent] = max(depth + 1, node_depths.get(parent, 0))
        for history in self.input_coordinates:
            if history.layer not in layer_depths:
                layer_depths[history.layer], indices[history.layer] = 0, -1
        return node_depths, layer_depths

    def _check(self):
        computable, seen = {id(t) for t in self.inputs}, []
        for node in self.nodes:
            if all(id(t) in computable for t in nest.flatten(node.output_tensors)):
                continue
            for tensor in nest.flatten(node.input_tensors):
                if id(tensor) not in computable and node_lib.is_keras_tensor(tensor):
                    raise ValueError(f'Graph disconnected: cannot obtain value for tensor {tensor} at layer '
                                     f'"{node.layer.name}". The following previous layers were accessed without '
                                     f'issue: {seen}')
            computable.update(id(t) for t in nest.flatten(node.output_tensors))
            seen.append(node.layer.name)
        for name, count in collections.Counter(layer.name for layer in self.layers).items():
            if count > 1:
                raise ValueError(f'The name "{name}" is used {count} times in the model. All layer names should be '
                                 'unique.')

    def run(self, inputs, masks, structure, training=None):
        """Applies the layers to different inputs; returns tensors in the structure of the outputs."""
        known = {}
        for own, tensor, mask in zip(self.inputs, inputs, masks):
            known[id(own)] = tensor
            if mask is not None:
                tensor._keras_mask = mask
        for node in self.nodes:
            outputs = nest.flatten(node.output_tensors)
            if all(id(t) in known for t in outputs):
                continue
            arguments = nest.map_structure(lambda t: known.get(id(t), t), node.arguments)
            if 'training' in arguments and training is not None and arguments['training'] is None:
                arguments['training'] = training
            made = node.layer(nest.map_structure(lambda t: known[id(t)], node.input_tensors), **arguments)
            known.update(zip(map(id, outputs), nest.flatten(made)))
        return nest.map_structure(lambda t: known[id(t)], structure)


def _history(tensor, what):
    history = node_lib.history_of(tensor)
    if history is None:
        if what == 'Input':
            raise ValueError('Input tensors to a Model must come from `tf.keras.Input`. Received: '
                             f'{tensor} (missing previous layer metadata).')
        raise ValueError('Output tensors to a Model must be the output of a TensorFlow `Layer` (thus holding past '
                         f'layer metadata). Found: {tensor}')
    return history
