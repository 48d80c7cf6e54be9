"""Configurations of graphs of layers, from which equal models are made."""

import numpy as np

from ramet.framework import nest, ops
from ramet.keras.engine import node as node_lib
from ramet.keras.layers import serialization


def config_of(model):
    """Returns the configuration of a model that has a graph of layers."""
    graph = model._graph_of_layers
    used = set(map(id, graph.nodes))
    kept = {layer: [n for n in layer._inbound_nodes if id(n) in used] for layer in graph.layers}
    numbers = {}
    for layer, nodes in kept.items():
        # A model has a node of its own, from its inputs to its outputs, before its first call.
        first = 1 if getattr(layer, '_graph_of_layers', None) is not None else 0
        numbers.update({id(n): i for i, n in enumerate(nodes, first)})
    layers = [{'name': layer.name, 'class_name': type(layer).__name__, 'config': layer.get_config(),
               'inbound_nodes': [_call(n, numbers) for n in nodes if n.parents and n.parents != [n]]}
              for layer, nodes in kept.items()]
    return {'name': model.name, 'layers': layers,
            'input_layers': [_place(h, numbers) for h in graph.input_coordinates],
            'output_layers': [_place(h, numbers) for h in graph.output_coordinates]}


def _place(history, numbers):
    node = history.layer._inbound_nodes[history.node_index]
    return [history.layer.name, numbers.get(id(node), 0), history.tensor_index]


def _call(node, numbers):
    arguments = {key: _argument(value, numbers) for key, value in node.arguments.items()}
    return [[*_place(history, numbers), arguments if i == 0 or not arguments else {}]
            for i, history in enumerate(node.inbound)]


def _argument(value, numbers):
    def converted(item):
        if isinstance(item, ops.Tensor):
            history = node_lib.history_of(item)
            if history is None:
                raise ValueError(f'Cannot serialize the argument {item} of a layer: it is not the output of a layer')
            return ['_CONSTANT_TENSOR', *_place(history, numbers)]
        return item.tolist() if isinstance(item, (np.ndarray, np.generic)) else item

    return nest.map_structure(converted, value)


def build(config, custom_objects=None):
    """Makes the layers of a configuration and calls them.

    Args:
      config: the result of config_of.
      custom_objects: a dict from names to the program's own classes and functions.

    Returns:
      The inputs and the outputs.

    Raises:
      ValueError: if the configuration is malformed.
    """
    layers = {data['name']: serialization.deserialize(data, custom_objects) for data in config['layers']}
    waiting = [(layers[data['name']], call) for data in config['layers'] for call in data['inbound_nodes']]
    while waiting:
        left, blocked = [], set()
        for layer, call in waiting:
            # The calls of a layer keep their order, because places count them.
            if layer in blocked or not _called(layer, call, layers):
                blocked.add(layer)
                left.append((layer, call))
        if len(left) == len(waiting):
            raise ValueError(f'The configuration of the model has calls without inputs: {left[0][1]}')
        waiting = left
    inputs = [_tensor(place, layers) for place in _places(config['input_layers'])]
    outputs = [_tensor(place, layers) for place in _places(config['output_layers'])]
    return inputs, outputs


def _places(places):
    return [places] if places and isinstance(places[0], str) else list(_flat_places(places))


def _flat_places(places):
    """Yields the places [name, node, tensor] of a nested list."""
    for place in places:
        if place and isinstance(place[0], str):
            yield place
        else:
            yield from _flat_places(place)


def _has(place, layers):
    if place[0] not in layers:
        raise ValueError(f'The configuration of the model names an unknown layer: {place[0]!r}')
    return len(layers[place[0]]._inbound_nodes) > place[1]


def _tensor(place, layers):
    return nest.flatten(layers[place[0]]._inbound_nodes[place[1]].output_tensors)[place[2]]


def _called(layer, call, layers):
    """Calls a layer if its inputs exist; returns whether it did."""
    call = [call] if call and isinstance(call[0], str) else call
    arguments = dict(call[0][3]) if len(call[0]) > 3 else {}
    needed = [*call, *(value[1:] for value in arguments.values() if _is_place(value))]
    if not all(_has(place, layers) for place in needed):
        return False
    arguments = {key: _tensor(value[1:], layers) if _is_place(value) else value for key, value in arguments.items()}
    inputs = [_tensor(place, layers) for place in call]
    layer(inputs[0] if len(inputs) == 1 else inputs, **arguments)
    return True


def _is_place(value):
    return isinstance(value, list) and len(value) == 4 and value[0] == '_CONSTANT_TENSOR'
