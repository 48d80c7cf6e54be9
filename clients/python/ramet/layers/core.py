"""Fully connected layers, dropout and flattening."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.layers import base, identifiers
from ramet.layers import utils as layer_utils
from ramet.layers.input_spec import InputSpec
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_dropout


@export('layers.Dense')
@with_args_of(base.Layer)
class Dense(base.Layer):
    """Computes activation(inputs . kernel + bias) over the last axis of the inputs.

    Args:
      units: the size of the last axis of the output.
      activation: a function of the output, or the name of one, or None.
      use_bias: whether to add a bias.
      kernel_initializer, bias_initializer: initializers of the variables, or None for that of the
        variable scope.
      kernel_regularizer, bias_regularizer: functions from a variable to a loss.
      activity_regularizer: a function from the output to a loss.
      kernel_constraint, bias_constraint: functions that optimizers apply to new values.
      trainable: whether the variables are trainable.
      name: the name of the layer.

    Attributes:
      kernel: the variable of shape [channels in, units], after the first call.
      bias: the variable of shape [units], or None.
    """

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=init_ops.zeros_initializer(), kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(trainable=trainable, name=name,
                         activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation = identifiers.activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
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


@export('layers.dense')
@with_args_of(Dense)
def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None,
          bias_initializer=init_ops.zeros_initializer(), kernel_regularizer=None,
          bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
          bias_constraint=None, trainable=True, name=None, reuse=None):
    """Applies a new Dense layer.

    Args:
      inputs: a Tensor of rank 2 or more, of a floating-point type.
      reuse: whether to reuse the variables of the layer `name`.

    Returns:
      A Tensor with the type and shape of the inputs, except that the last axis has size `units`.

    Raises:
      ValueError: if the size of the last axis of the inputs is unknown, or the rank is less than 2.
    """
    layer = Dense(
        units, activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
        bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
        bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint, bias_constraint=bias_constraint, trainable=trainable,
        name=name, _scope=name, _reuse=reuse)
    return layer.apply(inputs)


@export('layers.Dropout')
@with_args_of(base.Layer)
class Dropout(base.Layer):
    """Randomly zeroes a fraction of the inputs in training, and scales the rest to keep the sum.

    Args:
      rate: the fraction to zero, from 0 to 1; a number or a scalar tensor.
      noise_shape: an int32 vector, the shape of the random choices, or None for that of the inputs.
      seed: an integer; see tf.set_random_seed.
      name: the name of the layer.
    """

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs, training=False):
        """Returns the inputs, some of them zeroed if the layer trains.

        Args:
          inputs: a Tensor.
          training: whether to drop elements: a bool or a bool scalar tensor.
        """
        def dropped():
            return nn_dropout.dropout(inputs, noise_shape=self._noise_shape(inputs),
                                      seed=self.seed, rate=self.rate)

        return layer_utils.smart_cond(training, dropped, lambda: array_ops.identity(inputs))

    def _noise_shape(self, inputs):
        if self.noise_shape is None or isinstance(self.noise_shape, ops.Tensor):
            return self.noise_shape
        shape = array_ops.shape(inputs)
        return ops.convert_to_tensor(
            [shape[i] if size is None else size for i, size in enumerate(self.noise_shape)])

    def compute_output_shape(self, input_shape):
        return tensor_shape.as_shape(input_shape)


@export('layers.dropout')
@with_args_of(Dropout)
def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """Applies a new Dropout layer.

    Args:
      inputs: a Tensor of a floating-point type.
      training: whether to zero values: a bool or a tensor.

    Returns:
      A Tensor like the inputs.
    """
    return Dropout(rate, noise_shape=noise_shape, seed=seed, name=name).apply(
        inputs, training=training)


@export('layers.Flatten')
@with_args_of(base.Layer)
class Flatten(base.Layer):
    """Flattens all axes but the first into one.

    Args:
      data_format: 'channels_last', or 'channels_first', which moves the second axis to the end before
        flattening.
      **kwargs: `trainable`, `name` and `dtype`; see Layer.
    """

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = 'channels_last' if data_format is None else data_format.lower()
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


@export('layers.flatten')
def flatten(inputs, name=None, data_format='channels_last'):
    """Flattens all axes but the first into one; see Flatten.

    Args:
      inputs: a Tensor of rank 2 or more.
      name: the name of the layer.
      data_format: 'channels_last' or 'channels_first'.

    Returns:
      A Tensor with the type of the inputs, of shape [batch, size].
    """
    return Flatten(name=name, data_format=data_format).apply(inputs)
