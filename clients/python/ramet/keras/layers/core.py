"""Fully connected layers, dropout, and layers that change shapes."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, nest, ops, tensor_shape
from ramet.keras import activations, regularizers
from ramet.keras.backend import state, tensors
from ramet.keras.engine.base_layer import Layer
from ramet.keras.engine.input_spec import InputSpec
from ramet.keras.layers import arguments, configs
from ramet.keras.utils import generic_utils
from ramet.ops.array import array_ops
from ramet.ops.control_flow.smart_cond import smart_cond
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_dropout


@export('keras.layers.Dense')
@with_args_of(Layer)
class Dense(Layer):
    """Computes activation(inputs . kernel + bias) over the last axis of the inputs.

    Args:
      units: the size of the last axis of the output.
      activation: a function of the output, or the name of one, or None.
      use_bias: whether to add a bias.
      kernel_initializer, bias_initializer: initializers of the variables.
      kernel_regularizer, bias_regularizer: functions from a variable to a loss.
      activity_regularizer: a function from the output to a loss.
      kernel_constraint, bias_constraint: functions that optimizers apply to new values.

    Attributes:
      kernel: the variable of shape [channels in, units], after the first call.
      bias: the variable of shape [units], or None.
    """

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer='glorot_uniform',
                 bias_initializer='zeros', kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(activity_regularizer=regularizers.get(activity_regularizer), **kwargs)
        self.units = int(units)
        self.use_bias = use_bias
        configs.keep(self, activation=activation, kernel_initializer=kernel_initializer,
                     bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
                     bias_regularizer=bias_regularizer, kernel_constraint=kernel_constraint,
                     bias_constraint=bias_constraint)
        self.supports_masking = True
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape):
        dtype = dtypes.as_dtype(self.dtype or dtypes.float32)
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError('Unable to build `Dense` layer with non-floating point dtype '
                            f'{dtype}')
        last = tensor_shape.dimension_value(tensor_shape.as_shape(input_shape)[-1])
        if last is None:
            raise ValueError('The last dimension of the inputs to `Dense` should be defined. '
                             'Found `None`.')
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight(
            'kernel', shape=[last, self.units], initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
            dtype=self.dtype, trainable=True)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                'bias', shape=[self.units], initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
                dtype=self.dtype, trainable=True)
        super().build(input_shape)

    def call(self, inputs):
        shape = inputs.get_shape()
        if shape.ndims is not None and shape.ndims > 2:
            outputs = math_ops.tensordot(inputs, self.kernel, [[shape.ndims - 1], [0]])
            outputs.set_shape(shape[:-1].concatenate(self.units))
        else:
            outputs = gen.MatMul(inputs, self.kernel)
        if self.use_bias:
            outputs = gen.BiasAdd(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).with_rank_at_least(2)
        if tensor_shape.dimension_value(shape[-1]) is None:
            raise ValueError('The innermost dimension of input_shape must be defined, but saw: '
                             f'{shape}')
        return shape[:-1].concatenate(self.units)

    def get_config(self):
        return {**super().get_config(), **configs.serialized(
            self, 'units activation use_bias kernel_initializer bias_initializer kernel_regularizer bias_regularizer '
            'activity_regularizer kernel_constraint bias_constraint')}


class SameShape(Layer):
    """A layer whose output has the shape of its input, and its mask."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape):
        return tensor_shape.as_shape(input_shape)


@export('keras.layers.Activation')
@with_args_of(Layer)
class Activation(SameShape):
    """Applies a function.

    Args:
      activation: a function, or the name of one.
    """

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs):
        return self.activation(inputs)

    def get_config(self):
        return {**super().get_config(), **configs.serialized(self, 'activation')}


@export('keras.layers.Masking')
@with_args_of(Layer)
class Masking(SameShape):
    """Masks the time steps whose values all have one value, and sets them to zero.

    Args:
      mask_value: the value.
    """

    def __init__(self, mask_value=0., **kwargs):
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def compute_mask(self, inputs, mask=None):
        return math_ops.reduce_any(math_ops.not_equal(inputs, self.mask_value), -1)

    def call(self, inputs):
        kept = math_ops.reduce_any(math_ops.not_equal(inputs, self.mask_value), -1, True)
        outputs = inputs * math_ops.cast(kept, inputs.dtype)
        outputs._keras_mask = array_ops.squeeze(kept, [-1])
        return outputs

    def get_config(self):
        return {**super().get_config(), 'mask_value': self.mask_value}


@export('keras.layers.Dropout')
@with_args_of(Layer)
class Dropout(SameShape):
    """Randomly zeroes a fraction of the inputs in training, and scales the rest to keep the sum.

    Args:
      rate: the fraction to zero, from 0 to 1; a number or a scalar tensor.
      noise_shape: an int32 vector, the shape of the random choices, or None for that of the inputs.
      seed: an integer; see tf.set_random_seed.
    """

    def __init__(self, rate=0.5, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs, training=None):
        """Returns the inputs, some of them zeroed if the layer trains.

        Args:
          inputs: a Tensor.
          training: whether to drop elements: a bool or a bool scalar tensor. None means the learning phase.
        """
        training = state.learning_phase() if training is None else training

        def dropped():
            return nn_dropout.dropout(inputs, noise_shape=self._noise_shape(inputs),
                                      seed=self.seed, rate=self.rate)

        return smart_cond(training, dropped, lambda: array_ops.identity(inputs))

    def _noise_shape(self, inputs):
        if self.noise_shape is None or isinstance(self.noise_shape, ops.Tensor):
            return self.noise_shape
        sizes = tensor_shape.bounded(self.noise_shape)
        shape = array_ops.shape(inputs)
        return ops.convert_to_tensor(
            [shape[i] if size is None else size for i, size in enumerate(sizes)])

    def get_config(self):
        return {**super().get_config(), **configs.serialized(self, 'rate noise_shape seed')}


class _SpatialDropout(Dropout):
    """The base class of dropout of whole channels.

    Args:
      rate: the fraction of channels to zero.
      data_format: 'channels_last' or 'channels_first'.
    """

    _rank = None

    def __init__(self, rate, data_format=None, **kwargs):
        super().__init__(rate, **kwargs)
        self.data_format = arguments.keras_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def _noise_shape(self, inputs):
        shape = array_ops.shape(inputs)
        ones = [1] * self._rank
        last = self.data_format == 'channels_last'
        return array_ops.stack([shape[0], *ones, shape[self._rank + 1]] if last else [shape[0], shape[1], *ones])

    def get_config(self):
        config = super().get_config()
        del config['noise_shape'], config['seed']
        return {**config, 'data_format': self.data_format} if self._rank > 1 else config


@export('keras.layers.SpatialDropout1D')
@with_args_of(_SpatialDropout, Layer)
class SpatialDropout1D(_SpatialDropout):
    """Zeroes whole channels of sequences in training."""

    _rank = 1

    def __init__(self, rate, **kwargs):
        super().__init__(rate, 'channels_last', **kwargs)


@export('keras.layers.SpatialDropout2D')
@with_args_of(_SpatialDropout, Layer)
class SpatialDropout2D(_SpatialDropout):
    """Zeroes whole channels of images in training."""

    _rank = 2


@export('keras.layers.SpatialDropout3D')
@with_args_of(_SpatialDropout, Layer)
class SpatialDropout3D(_SpatialDropout):
    """Zeroes whole channels of volumes in training."""

    _rank = 3


@export('keras.layers.Flatten')
@with_args_of(Layer)
class Flatten(Layer):
    """Flattens all axes but the first into one.

    Args:
      data_format: 'channels_last', or 'channels_first', which moves the second axis to the end before
        flattening.
    """

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = arguments.keras_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs):
        rank = inputs.get_shape().ndims
        if self.data_format == 'channels_first' and rank is not None and rank > 1:
            inputs = array_ops.transpose(inputs, [0, *range(2, rank), 1])
        shape = inputs.get_shape()
        if rank == 1:
            return array_ops.expand_dims(inputs, 1)
        batch = None if rank is None else tensor_shape.dimension_value(shape[0])
        if rank is not None and shape[1:].is_fully_defined():
            target = constant_op.constant([-1, shape[1:].num_elements()])
        elif batch is not None:
            target = constant_op.constant([batch, -1])
        else:
            target = (array_ops.shape(inputs)[0], -1)
        return array_ops.reshape(inputs, target)

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).with_rank_at_least(1)
        size = shape[1:].num_elements() if shape.ndims != 1 else 1
        return tensor_shape.TensorShape([shape[0], size])

    def get_config(self):
        return {**super().get_config(), 'data_format': self.data_format}


@export('keras.layers.Reshape')
@with_args_of(Layer)
class Reshape(Layer):
    """Changes the shape of samples.

    Args:
      target_shape: the shape without the batch; one size may be -1.
    """

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).as_list()
        if None in shape[1:]:
            return tensor_shape.TensorShape([shape[0], *(s if s != -1 else None for s in self.target_shape)])
        total, known = int(np.prod(shape[1:], dtype=int)), int(np.prod([s for s in self.target_shape if s != -1],
                                                                       dtype=int))
        unknown = self.target_shape.count(-1)
        if unknown > 1:
            raise ValueError('There must be at most one unknown dimension in output_shape. Received: '
                             f'output_shape={self.target_shape}.')
        if (unknown and (known == 0 or total % known)) or (not unknown and total != known):
            raise ValueError('total size of new array must be unchanged, input_shape = {}, output_shape = {}'.format(
                shape[1:], list(self.target_shape)))
        return tensor_shape.TensorShape([shape[0], *(total // known if s == -1 else s for s in self.target_shape)])

    def call(self, inputs):
        outputs = array_ops.reshape(inputs, array_ops.concat(
            [array_ops.shape(inputs)[:1], ops.convert_to_tensor(np.array(self.target_shape, np.int32))], 0))
        outputs.set_shape(self.compute_output_shape(inputs.get_shape()))
        return outputs

    def get_config(self):
        return {**super().get_config(), 'target_shape': self.target_shape}


@export('keras.layers.Permute')
@with_args_of(Layer)
class Permute(Layer):
    """Changes the order of the axes of samples.

    Args:
      dims: the new order of the axes, counted from 1 without the batch.

    Raises:
      ValueError: if `dims` is not a permutation.
    """

    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError(f'Invalid permutation `dims` for Permute Layer: {dims}. The set of indices in `dims` must '
                             'be consecutive and start from 1.')
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).as_list()
        return tensor_shape.TensorShape([shape[0], *(shape[d] for d in self.dims)])

    def call(self, inputs):
        return array_ops.transpose(inputs, perm=(0, *self.dims))

    def get_config(self):
        return {**super().get_config(), 'dims': self.dims}


@export('keras.layers.RepeatVector')
@with_args_of(Layer)
class RepeatVector(Layer):
    """Repeats vectors along a new axis.

    Args:
      n: the number of repetitions.
    """

    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).as_list()
        return tensor_shape.TensorShape([shape[0], self.n, shape[1]])

    def call(self, inputs):
        return tensors.repeat(inputs, self.n)

    def get_config(self):
        return {**super().get_config(), 'n': self.n}


@export('keras.layers.Lambda')
@with_args_of(Layer)
class Lambda(Layer):
    """Applies a function of the program.

    Args:
      function: a function from the inputs to a Tensor. It may have arguments `mask` and `training`.
      output_shape: the shape of the output without the batch, or a function from the shape of the inputs to that of the
        output. Only compute_output_shape uses it: calls return the shape of the result.
      mask: the mask of the output, or a function (inputs, mask) that returns it, or None.
      arguments: a dict with further arguments of the function.
    """

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        self.function = function
        self.arguments = arguments or {}
        self.mask = mask
        self.supports_masking = mask is not None
        self._output_shape = output_shape

    def call(self, inputs, mask=None, training=None):
        given = dict(self.arguments)
        if generic_utils.has_arg(self.function, 'mask'):
            given['mask'] = mask
        if generic_utils.has_arg(self.function, 'training'):
            given['training'] = training
        return self.function(inputs, **given)

    def compute_mask(self, inputs, mask=None):
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape):
        shape = self._output_shape(input_shape) if callable(self._output_shape) else self._output_shape
        if shape is None:
            raise NotImplementedError("We could not automatically infer the shape of the Lambda's output. Please "
                                      f'specify `output_shape` for this Lambda layer "{self.name}".')
        batch = tensor_shape.as_shape(nest.flatten(input_shape)[0] if isinstance(input_shape, list) else input_shape)[0]
        return tensor_shape.TensorShape(shape if callable(self._output_shape) else [batch, *shape])

    def get_config(self):
        function = self.function
        anonymous = getattr(function, '__name__', '') == '<lambda>'
        return {**super().get_config(), 'function': generic_utils.dump_function(function) if anonymous
                else function.__name__, 'function_type': 'lambda' if anonymous else 'function',
                'module': function.__module__, 'output_shape': None, 'output_shape_type': 'raw',
                'output_shape_module': None, 'arguments': self.arguments}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """Creates a layer from the result of get_config.

        A configuration may contain the code of a function, so it must come from a source that you trust.

        Args:
          config: a dict of arguments.
          custom_objects: a dict from names to the program's own functions.
        """
        config = dict(config)
        for key in ('module', 'output_shape_type', 'output_shape_module'):
            config.pop(key, None)
        if config.pop('function_type', 'function') == 'lambda':
            config['function'] = generic_utils.load_function(config['function'], {**_lambda_names(),
                                                                                  **(custom_objects or {})})
        else:
            config['function'] = generic_utils.deserialize_keras_object(
                config['function'], custom_objects=custom_objects, printable_module_name='function in Lambda layer')
        return cls(**config)


def _lambda_names():
    return dict(generic_utils.get_custom_objects())


@export('keras.layers.ActivityRegularization')
@with_args_of(regularizers.L1L2, Layer)
class ActivityRegularization(SameShape):
    """Adds a loss of the inputs, which it returns unchanged."""

    def __init__(self, l1=0., l2=0., **kwargs):
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.l1 = l1
        self.l2 = l2

    def get_config(self):
        return {**super().get_config(), 'l1': self.l1, 'l2': self.l2}
