"""The base class of models: a graph of layers that is itself a layer."""

from ramet.framework import nest, tensor_shape
from ramet.keras.backend import values
from ramet.keras.engine import call_context, network_config, tracking
from ramet.keras.engine.base_layer import Layer, unique
from ramet.keras.engine.network_graph import NetworkGraph
from ramet.keras.engine.node import Node
from ramet.keras.saving import model_files, weight_files
from ramet.keras.utils import generic_utils, layer_utils


class Network(Layer):
    """A graph of layers with inputs and outputs, or, in a subclass, layers with a computation of its own.

    Args:
      inputs: a Tensor of tf.keras.Input, or a structure of them. Absent in subclasses.
      outputs: a Tensor that layers computed from the inputs, or a structure of them.
      name: the name of the model.
      trainable: whether the variables are trainable.
    """

    def __init__(self, *args, **kwargs):
        name, trainable = kwargs.pop('name', None), kwargs.pop('trainable', True)
        inputs, outputs = kwargs.pop('inputs', None), kwargs.pop('outputs', None)
        if args and not isinstance(args[0], str):
            inputs, args = args[0], args[1:]
            if args:
                outputs, args = args[0], args[1:]
        if args:
            name, args = args[0], args[1:]
        super().__init__(trainable=trainable, name=name, **kwargs)
        self._graph_of_layers = None
        self.inputs = self.outputs = self._nested_inputs = self._nested_outputs = None
        self.input_names = self.output_names = None
        if inputs is not None:
            if outputs is None:
                raise TypeError('Model() with `inputs` needs `outputs`')
            self._init_graph(inputs, outputs)

    def _init_graph(self, inputs, outputs):
        if isinstance(inputs, (list, tuple)) and len(nest.flatten(inputs)) == 1:
            inputs = nest.flatten(inputs)[0]
        if isinstance(outputs, (list, tuple)) and len(nest.flatten(outputs)) == 1:
            outputs = nest.flatten(outputs)[0]
        self._graph_of_layers = NetworkGraph(inputs, outputs)
        self._nested_inputs, self._nested_outputs = inputs, outputs
        self.inputs, self.outputs = self._graph_of_layers.inputs, self._graph_of_layers.outputs
        self.input_names = [h.layer.name for h in self._graph_of_layers.input_coordinates]
        self.output_names = _numbered([h.layer.name for h in self._graph_of_layers.output_coordinates])
        self.built = True
        self.supports_masking = True
        self._inbound_nodes[:] = []
        Node(self, inputs, outputs, connected=False)

    # Calling.

    @property
    def _is_graph_network(self):
        return self._graph_of_layers is not None

    def call(self, inputs, training=None, mask=None):
        """Applies the layers to inputs. Subclasses override it.

        Args:
          inputs: a Tensor, or a structure of them.
          training: whether to train: a bool or a boolean scalar Tensor, or None for the learning phase.
          mask: the mask of the inputs.
        """
        if not self._is_graph_network:
            raise NotImplementedError('When subclassing the `Model` class, you should implement a `call` method.')
        flat = nest.flatten(inputs)
        masks = [None] * len(flat) if mask is None else nest.flatten(mask)
        return self._graph_of_layers.run(flat, masks, self._nested_outputs, training)

    def build(self, input_shape):
        """Creates the variables of a subclass by calling it on a placeholder.

        Args:
          input_shape: a shape with the batch, or a list of them.
        """
        if self._is_graph_network or self.built:
            self.built = True
            return
        self.built = True
        if type(self).call is Network.call or call_context.inside():
            return
        shapes = input_shape if isinstance(input_shape, list) and not _is_sizes(input_shape) else [input_shape]
        placeholders = [values.placeholder(shape=tensor_shape.as_shape(s).as_list()) for s in shapes]
        self(generic_utils.unpack_singleton(placeholders))

    def compute_output_shape(self, input_shape):
        if not self._is_graph_network:
            raise NotImplementedError(f'{type(self).__name__}.compute_output_shape')
        shapes = nest.flatten([input_shape]) if isinstance(input_shape, (list, tuple)) and not _is_sizes(input_shape) \
            else [input_shape]
        placeholders = [values.placeholder(shape=tensor_shape.as_shape(s).as_list(), dtype=t.dtype)
                        for s, t in zip(shapes, self.inputs)]
        outputs = self.call(generic_utils.unpack_singleton(placeholders))
        return nest.map_structure(lambda t: t.get_shape(), outputs)

    def compute_mask(self, inputs, mask=None):
        return None

    # Layers and variables.

    @property
    def layers(self):
        """The layers, in the order in which variables are listed."""
        return self._own_layers()

    def _own_layers(self):
        own = self._graph_of_layers.layers if self._is_graph_network else []
        return unique([*own, *super()._own_layers()])

    def _trackable_children(self):
        found = {name: child for name, child in super()._trackable_children().items() if not name.startswith('_')}
        with_weights = [layer for layer in self.layers if layer.weights]
        found.update((f'layer-{i}', layer) for i, layer in enumerate(self.layers))
        found.update((f'layer_with_weights-{i}', layer) for i, layer in enumerate(with_weights))
        return found

    def get_layer(self, name=None, index=None):
        """Returns a layer by its name or its number.

        Args:
          name: the name of a layer.
          index: a number.

        Raises:
          ValueError: if no layer matches, or both arguments are missing.
        """
        if index is not None:
            if len(self.layers) <= index:
                raise ValueError(f'Was asked to retrieve layer at index {index} but model only has '
                                 f'{len(self.layers)} layers.')
            return self.layers[index]
        if not name:
            raise ValueError('Provide either a layer name or layer index.')
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f'No such layer: {name}. Existing layers are: {[layer.name for layer in self.layers]}')

    @property
    def weights(self):
        """All variables, layer by layer."""
        return unique([*(w for layer in self._own_layers() for w in layer.weights),
                       *self._own_variables(True), *self._own_variables(False)])

    def _all_losses(self):
        return self._related(super()._all_losses())

    def _all_updates(self):
        return self._related(super()._all_updates())

    def _related(self, pairs):
        """Returns the pairs of losses or updates that depend on no inputs, or on an input of the model."""
        if not self.inputs or not any(conditional for _, conditional in pairs):
            return pairs
        inputs = [t for n in self._inbound_nodes for t in nest.flatten(n.input_tensors)]
        found = tracking.depends_on([value for value, _ in pairs], [*inputs, *self.inputs])
        return [pair for pair, depends in zip(pairs, found) if depends or not pair[1]]

    @property
    def stateful(self):
        """True if a layer keeps a state from batch to batch."""
        return any(layer.stateful for layer in self._own_layers())

    @stateful.setter
    def stateful(self, value):
        pass

    def reset_states(self):
        """Resets the states of all stateful layers."""
        for layer in self.layers:
            if hasattr(layer, 'reset_states') and layer.stateful:
                layer.reset_states()

    @property
    def state_updates(self):
        """The updates of stateful layers, which run also in predictions."""
        return [u for layer in self._own_layers() if layer.stateful
                for u in (layer.state_updates if isinstance(layer, Network) else layer.updates)]

    @property
    def input_spec(self):
        """The requirements on the inputs, or None."""
        return None

    @input_spec.setter
    def input_spec(self, value):
        pass

    # Files.

    def get_config(self):
        if not self._is_graph_network:
            raise NotImplementedError
        return network_config.config_of(self)

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """Creates a model from the result of get_config.

        Args:
          config: a dict.
          custom_objects: a dict from names to the program's own classes and functions.
        """
        inputs, outputs = network_config.build(config, custom_objects)
        return cls(inputs=inputs, outputs=outputs, name=config.get('name'))

    def to_json(self, **kwargs):
        """Returns the model's configuration as a string; see tf.keras.models.model_from_json.

        Args:
          **kwargs: further arguments of json.dumps.
        """
        return model_files.to_json(self, **kwargs)

    def save_weights(self, filepath, overwrite=True, save_format=None):
        """Saves the values of all variables.

        Args:
          filepath: the name of a file that ends with '.h5' or '.keras' (HDF5), or the prefix of a checkpoint.
          overwrite: whether to replace an existing file without asking.
          save_format: 'h5' or 'tf', or None for that of the name.

        Raises:
          ImportError: if an HDF5 file is requested and the package h5py is not installed.
          ValueError: if an argument is invalid.
        """
        weight_files.save(self, filepath, overwrite, save_format)

    def load_weights(self, filepath, by_name=False):
        """Loads the values of all variables.

        Args:
          filepath: what was given to save_weights.
          by_name: whether to find layers by their names instead of their order, and to skip others (HDF5 only).

        Raises:
          ImportError: if it is an HDF5 file and the package h5py is not installed.
          ValueError: if the file does not fit the model.
        """
        return weight_files.load(self, filepath, by_name)

    def save(self, filepath, overwrite=True, include_optimizer=True, save_format=None):
        """Saves the model: its configuration, the values of its variables and the state of its optimizer.

        Args:
          filepath: the name of an HDF5 file.
          overwrite: whether to replace an existing file without asking.
          include_optimizer: whether to save the optimizer.
          save_format: 'h5', or None for that of the name.

        Raises:
          ImportError: if the package h5py is not installed.
          NotImplementedError: if the model is a subclass, or the format is not HDF5.
        """
        model_files.save_model(self, filepath, overwrite, include_optimizer, save_format)

    def summary(self, line_length=None, positions=None, print_fn=None):
        """Prints a table of the layers.

        Args:
          line_length: the width of the table.
          positions: the ends of the columns, as numbers or as fractions of the width.
          print_fn: a function that prints a line. Defaults to print.

        Raises:
          ValueError: if the model has not been built.
        """
        if not self.built:
            raise ValueError('This model has not yet been built. Build the model first by calling `build()` or '
                             'calling `fit()` with some data, or specify an `input_shape` argument in the first '
                             'layer(s) for automatic build.')
        layer_utils.print_summary(self, line_length=line_length, positions=positions, print_fn=print_fn)


def _is_sizes(shape):
    return all(s is None or isinstance(s, (int, tensor_shape.Dimension)) for s in shape)


def _numbered(names):
    """Makes names unique: a, a_1, a_2."""
    counts, result = {}, []
    for name in names:
        made = name
        while made in result:
            made = f'{name}_{counts.get(name, 1)}'
            counts[name] = counts.get(name, 1) + 1
        result.append(made)
    return result

