"""Models that are a list of layers."""

from ramet.api import export
from ramet.framework import nest, tensor_shape
from ramet.keras.backend import values
from ramet.keras.engine.base_layer import Layer
from ramet.keras.engine.input_layer import Input, InputLayer
from ramet.keras.engine.training import Model
from ramet.keras.layers import serialization


@export('keras.Sequential', 'keras.models.Sequential')
class Sequential(Model):
    """A model that is a list of layers, each of which has one input and one output.

    The variables are created when the shape of the input is known: the first layer has an argument `input_shape` or
    `batch_input_shape`, or the model is called, or trained.

    Args:
      layers: a list of layers.
      name: the name of the model.
    """

    _untracked = (*Model._untracked, '_list')

    def __init__(self, layers=None, name=None):
        super().__init__(name=name)
        self.supports_masking = True
        self._list = []
        self._build_input_shape = None
        for layer in layers or ():
            self.add(layer)

    @property
    def layers(self):
        """The layers without that of the input."""
        return [layer for layer in self._list if not isinstance(layer, InputLayer)]

    def _own_layers(self):
        return list(self._list)

    def add(self, layer):
        """Adds a layer at the end.

        Args:
          layer: a layer.

        Raises:
          TypeError: if it is not a layer.
          ValueError: if it has several inputs or outputs, or a name that another layer has.
        """
        if not isinstance(layer, Layer):
            raise TypeError(f'The added layer must be an instance of class Layer. Found: {layer}')
        if any(layer.name == other.name for other in self._list):
            raise ValueError(f'All layers added to a Sequential model should have unique names. Name "{layer.name}" is '
                             'already the name of a layer in this model. Update the `name` argument to pass a unique '
                             'name.')
        if not self._list:
            self._add_first(layer)
        elif self.outputs is not None:
            self._extend(layer)
        self._list.append(layer)
        if self.outputs is not None:
            self._init_graph(self._first_input(), self.outputs[0])

    def _first_input(self):
        return self.inputs[0]

    def _add_first(self, layer):
        if isinstance(layer, InputLayer):
            self.inputs = self.outputs = [layer._inbound_nodes[-1].output_tensors[0]]
            return
        shape, dtype = _shape_of_first(layer)
        if shape is None:
            return
        made = Input(batch_shape=shape, dtype=dtype, name=f'{layer.name}_input')
        self._list.append(made._keras_history.layer)
        self.inputs, self.outputs = [made], [made]
        self._extend(layer)

    def _extend(self, layer):
        outputs = nest.flatten(layer(self.outputs[0]))
        if len(outputs) != 1:
            raise ValueError('All layers in a Sequential model should have a single output tensor. For multi-output '
                             'layers, use the functional API.')
        self.outputs = outputs

    def pop(self):
        """Removes the last layer.

        Raises:
          TypeError: if the model has no layers.
        """
        if not self.layers:
            raise TypeError('There are no layers in the model.')
        self._list.pop()
        if self.outputs is None:
            return
        if not self.layers:
            self.inputs = self.outputs = self._graph_of_layers = None
            self._list.clear()
            self.built = False
            return
        self.outputs = [self._list[-1].output]
        self._init_graph(self._first_input(), self.outputs[0])

    def build(self, input_shape=None):
        """Creates the variables.

        Args:
          input_shape: the shape of the input with the batch.
        """
        if self._graph_of_layers is None and input_shape is not None and self._list:
            self._become_graph(tensor_shape.as_shape(input_shape).as_list(), None)
        self.built = True

    def _become_graph(self, shape, dtype):
        """Applies the layers to a new input, after the shape of the input became known."""
        self._build_input_shape = tuple(shape)
        made = Input(batch_shape=tuple(shape), dtype=dtype, name=f'{self._list[0].name}_input')
        layers, self._list = self._list, [made._keras_history.layer]
        self.inputs, self.outputs = [made], [made]
        for layer in layers:
            self._extend(layer)
            self._list.append(layer)
        self._init_graph(made, self.outputs[0])

    def call(self, inputs, training=None, mask=None):
        if self._graph_of_layers is None and self._list:
            self._become_graph(values.int_shape(inputs), inputs.dtype)
        return super().call(inputs, training=training, mask=mask)

    def predict_proba(self, x, batch_size=32, verbose=0):
        """Returns the probabilities of classes; see Model.predict.

        Args:
          x: the inputs.
          batch_size: the number of samples per step.
          verbose: whether to print the progress.
        """
        return self.predict(x, batch_size, verbose)

    def predict_classes(self, x, batch_size=32, verbose=0):
        """Returns the number of the class of each sample.

        Args:
          x: the inputs.
          batch_size: the number of samples per step.
          verbose: whether to print the progress.
        """
        probabilities = self.predict(x, batch_size=batch_size, verbose=verbose)
        if probabilities.shape[-1] > 1:
            return probabilities.argmax(axis=-1)
        return (probabilities > 0.5).astype('int32')

    def get_config(self):
        layers = [serialization.serialize(layer) for layer in self.layers]
        config = {'name': self.name, 'layers': layers}
        if self._build_input_shape:
            config['build_input_shape'] = self._build_input_shape
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """Creates a model from the result of get_config.

        Args:
          config: a dict, or a list of the configurations of layers.
          custom_objects: a dict from names to the program's own classes and functions.
        """
        name, shape, layers = None, None, config
        if isinstance(config, dict):
            name, shape, layers = config.get('name'), config.get('build_input_shape'), config['layers']
        model = cls(name=name)
        for data in layers:
            model.add(serialization.deserialize(data, custom_objects))
        if shape and not model.inputs:
            model.build(shape)
        return model


def _shape_of_first(layer):
    """Returns the shape and type of the input that a first layer describes, or None."""
    while layer is not None:
        if hasattr(layer, '_batch_input_shape'):
            return layer._batch_input_shape, layer.dtype
        if getattr(layer, 'inputs', None):
            return values.int_shape(layer.inputs[0]), layer.inputs[0].dtype
        inner = getattr(layer, 'layers', None) or [getattr(layer, 'layer', None)]
        layer = inner[0]
    return None, None
