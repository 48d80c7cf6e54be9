"""Layers that apply another layer."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import nest, ops, tensor_shape
from ramet.keras.backend import tensors
from ramet.keras.engine import node
from ramet.keras.engine.base_layer import Layer
from ramet.keras.engine.input_spec import InputSpec
from ramet.keras.layers import serialization
from ramet.keras.utils import generic_utils
from ramet.ops.array import array_ops


@export('keras.layers.Wrapper')
@with_args_of(Layer)
class Wrapper(Layer):
    """The base class of layers that apply another layer.

    Args:
      layer: the other layer.
    """

    def __init__(self, layer, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError(f'Please initialize `{type(self).__name__}` layer with a `Layer` instance. You passed: '
                             f'{layer}')
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape=None):
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    def get_config(self):
        return {**super().get_config(), 'layer': serialization.serialize(self.layer)}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """Creates a layer from the result of get_config.

        Args:
          config: a dict of arguments.
          custom_objects: a dict from names to the program's own classes.
        """
        config = dict(config)
        config['layer'] = serialization.deserialize(config['layer'], custom_objects)
        return cls(**config)


@export('keras.layers.TimeDistributed')
@with_args_of(Wrapper, Layer)
class TimeDistributed(Wrapper):
    """Applies a layer to each step of sequences."""

    def __init__(self, layer, **kwargs):
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape=None):
        shape = tensor_shape.as_shape(input_shape).as_list()
        if len(shape) < 3:
            raise ValueError('`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 dimensions, '
                             f'received: {shape}')
        self.input_spec = InputSpec(shape=[None, None, *shape[2:]])
        if not self.layer.built and self.layer._dtype is None:
            self.layer._dtype = self._dtype
        if not hasattr(self.layer, '_graph_of_layers') and not self.layer.built:
            self.layer.build(tensor_shape.TensorShape([shape[0], *shape[2:]]))
            self.layer.built = True
        self.built = True

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).as_list()
        inner = tensor_shape.as_shape(self.layer.compute_output_shape(
            tensor_shape.TensorShape([shape[0], *shape[2:]]))).as_list()
        return tensor_shape.TensorShape([inner[0], shape[1], *inner[1:]])

    def call(self, inputs, training=None, mask=None):
        kwargs = {'training': training} if 'training' in self.layer._call_parameters else {}
        shape = inputs.shape.as_list()
        dynamic = array_ops.shape(inputs)
        flat = array_ops.reshape(inputs, array_ops.concat([[-1], dynamic[2:]], 0))
        flat.set_shape([None, *shape[2:]])
        made = self.layer(flat, **kwargs)
        outputs = array_ops.reshape(made, array_ops.concat([dynamic[:2], array_ops.shape(made)[1:]], 0))
        outputs.set_shape([shape[0], shape[1], *made.shape.as_list()[1:]])
        return outputs

    def compute_mask(self, inputs, mask=None):
        return mask


@export('keras.layers.Bidirectional')
@with_args_of(Wrapper, Layer)
class Bidirectional(Wrapper):
    """Applies a recurrent layer in both directions.

    Args:
      layer: a recurrent layer, which is copied.
      merge_mode: how to combine the outputs: 'concat', 'sum', 'mul', 'ave', or None for a list of both.
      weights: a list of arrays, the initial values of the variables.
      backward_layer: the layer for the other direction, or None for a copy.

    Raises:
      ValueError: if merge_mode is invalid.
    """

    def __init__(self, layer, merge_mode='concat', weights=None, backward_layer=None, **kwargs):
        if not isinstance(layer, Layer):
            raise ValueError(f'Please initialize `Bidirectional` layer with a `Layer` instance. You passed: {layer}')
        if merge_mode not in ('sum', 'mul', 'ave', 'concat', None):
            raise ValueError('Invalid merge mode. Merge mode should be one of {"sum", "mul", "ave", "concat", None}')
        super().__init__(layer, **kwargs)
        del self.layer
        object.__setattr__(self, 'layer', layer)
        self.forward_layer = _copied(layer, layer.go_backwards)
        self.backward_layer = backward_layer or _copied(layer, not layer.go_backwards)
        self._has_own_backward = backward_layer is not None
        self.forward_layer._name = f'forward_{self.forward_layer.name}'
        self.backward_layer._name = f'backward_{self.backward_layer.name}'
        self.merge_mode = merge_mode
        self.stateful = layer.stateful
        self.return_sequences = layer.return_sequences
        self.return_state = layer.return_state
        self.supports_masking = True
        if weights:
            half = len(weights) // 2
            self.forward_layer._initial_weights = weights[:half]
            self.backward_layer._initial_weights = weights[half:]

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs):
        """Applies the layer.

        Args:
          inputs: a Tensor of shape [batch, time, ...]; or a list of it and the initial states of both directions.
          initial_state: a list of the initial states of both directions, or None for zeros.
          constants: must be None.
          **kwargs: `mask` and `training`.
        """
        if constants is not None:
            raise ValueError('Bidirectional has no constants')
        if isinstance(inputs, (list, tuple)):
            initial_state = list(inputs[1:]) or initial_state
            inputs = inputs[0]
        if initial_state is None:
            return super().__call__(inputs, **kwargs)
        states = nest.flatten(initial_state)
        if len(states) % 2:
            raise ValueError('When passing `initial_state` to a Bidirectional RNN, the state should be a list '
                             f'containing the states of the underlying RNNs. Found: {initial_state}')
        if all(node.is_keras_tensor(t) for t in states):
            return super().__call__([inputs, *states], **kwargs)
        return super().__call__(inputs, initial_state=states, **kwargs)

    def build(self, input_shape=None):
        for layer in (self.forward_layer, self.backward_layer):
            layer._dtype = layer._dtype or self._dtype
            weights, layer._initial_weights = layer._initial_weights, None
            with ops.name_scope(layer.name):
                layer.build(input_shape)
            if weights:
                layer.set_weights(weights)
        self.built = True

    def call(self, inputs, training=None, mask=None, initial_state=None):
        if isinstance(inputs, list):
            inputs, initial_state = inputs[0], inputs[1:]
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        kwargs = {'training': training, 'mask': mask}
        states = [None, None]
        if initial_state:
            half = len(initial_state) // 2
            states = [initial_state[:half], initial_state[half:]]
        outputs = [layer.call(inputs, initial_state=state, **{k: v for k, v in kwargs.items()
                                                              if k in layer._call_parameters})
                   for layer, state in zip((self.forward_layer, self.backward_layer), states)]
        last = []
        if self.return_state:
            last = [*outputs[0][1:], *outputs[1][1:]]
            outputs = [outputs[0][0], outputs[1][0]]
        if self.return_sequences:
            outputs[1] = tensors.reverse(outputs[1], 1)
        merged = self._merged(*outputs)
        if not self.return_state:
            return merged
        return [*generic_utils.to_list(merged), *last]

    def _merged(self, first, second):
        if self.merge_mode == 'concat':
            return tensors.concatenate([first, second])
        if self.merge_mode == 'sum':
            return first + second
        if self.merge_mode == 'ave':
            return (first + second) / 2
        return first * second if self.merge_mode == 'mul' else [first, second]

    def reset_states(self):
        """Resets the states of both directions."""
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        kept = mask if self.return_sequences else None
        result = [kept, kept] if not self.merge_mode else kept
        if not self.return_state:
            return result
        return [*generic_utils.to_list(result or [None]), *([None] * (2 * len(self.forward_layer.states)))]

    def compute_output_shape(self, input_shape):
        shape = self.forward_layer.compute_output_shape(input_shape)
        states = []
        if self.return_state:
            shape, states = shape[0], shape[1:]
        shape = tensor_shape.as_shape(shape).as_list()
        if self.merge_mode == 'concat':
            shape[-1] *= 2
        shape = tensor_shape.TensorShape(shape)
        result = [shape, shape] if self.merge_mode is None else shape
        return [*generic_utils.to_list(result), *states, *states] if self.return_state else result

    def get_config(self):
        config = {**super().get_config(), 'merge_mode': self.merge_mode}
        if self._has_own_backward:
            config['backward_layer'] = serialization.serialize(self.backward_layer)
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """Creates a layer from the result of get_config; see Wrapper.from_config."""
        config = dict(config)
        config.pop('num_constants', None)
        if config.get('backward_layer') is not None:
            config['backward_layer'] = serialization.deserialize(config['backward_layer'], custom_objects)
        return super().from_config(config, custom_objects)


def _copied(layer, go_backwards):
    """Returns a copy of a recurrent layer with a direction."""
    return type(layer).from_config({**layer.get_config(), 'go_backwards': go_backwards})
