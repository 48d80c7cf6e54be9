"""Tables of layers, and numbers of parameters."""

import numpy as np


def count_params(weights):
    """Returns the number of elements of variables, each of which counts once."""
    return int(sum(np.prod(w.shape.as_list()) for w in {id(w): w for w in weights}.values()))


def print_summary(model, line_length=None, positions=None, print_fn=None):
    """Prints a table of the layers of a model; see Model.summary."""
    _Table(model, line_length, positions, print_fn or print).print()


def _is_sequential(model):
    if model._graph_of_layers is None:
        return True
    used = set(map(id, model._graph_of_layers.nodes))
    for node in model._graph_of_layers.nodes:
        outbound = [n for n in node.layer._outbound_nodes if id(n) in used]
        if len([h for h in node.inbound if h is not None]) > 1 or len(outbound) > 1:
            return False
    return len(model._graph_of_layers.inputs) <= 1


class _Table:
    """A table of layers."""

    def __init__(self, model, line_length, positions, print_fn):
        self.model, self.print_fn = model, print_fn
        self.connected = not _is_sequential(model)
        if self.connected:
            self.width, positions = line_length or 98, positions or [.33, .55, .67, 1.]
            self.titles = ['Layer (type)', 'Output Shape', 'Param #', 'Connected to']
            self.used = set(map(id, model._graph_of_layers.nodes))
        else:
            self.width, positions = line_length or 65, positions or [.45, .85, 1.]
            self.titles = ['Layer (type)', 'Output Shape', 'Param #']
        self.ends = [int(self.width * p) for p in positions] if positions[-1] <= 1 else list(positions)

    def print(self):
        self.print_fn(f'Model: "{self.model.name}"')
        self.print_fn('_' * self.width)
        self._row(self.titles)
        self.print_fn('=' * self.width)
        layers = self.model.layers
        for i, layer in enumerate(layers):
            self._layer(layer)
            self.print_fn(('=' if i == len(layers) - 1 else '_') * self.width)
        trainable = count_params(self.model.trainable_weights)
        others = count_params(self.model.non_trainable_weights)
        self.print_fn(f'Total params: {trainable + others:,}')
        self.print_fn(f'Trainable params: {trainable:,}')
        self.print_fn(f'Non-trainable params: {others:,}')
        self.print_fn('_' * self.width)

    def _row(self, fields):
        line = ''
        for field, end in zip(fields, self.ends):
            if line:
                line = line[:-1] + ' '
            line = (line + str(field))[:end].ljust(end)
        self.print_fn(line)

    def _layer(self, layer):
        first = f'{layer.name} ({type(layer).__name__})'
        try:
            shape = str(layer.output_shape)
        except AttributeError:
            shape = 'multiple'
        params = layer.count_params() if layer.built else '0 (unused)'
        fields = [first, shape, params]
        if not self.connected:
            self._row(fields)
            return
        links = [f'{h.layer.name}[{h.node_index}][{h.tensor_index}]' for n in layer._inbound_nodes
                 if id(n) in self.used for h in n.inbound
                 if h is not None and h.layer is not layer]
        self._row([*fields, links[0] if links else ''])
        for link in links[1:]:
            self._row(['', '', '', link])

