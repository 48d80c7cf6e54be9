"""Fully connected layers, dropout and flattening."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras.layers import core
from ramet.layers import base
from ramet.ops.initializers import init_ops


@export('layers.Dense')
@with_args_of(core.Dense, base.Layer)
class Dense(core.Dense, base.Layer):
    """Computes activation(inputs . kernel + bias) over the last axis of the inputs.

    Args:
      kernel_initializer, bias_initializer: initializers of the variables, or None for that of the
        variable scope.

    Attributes:
      kernel: the variable of shape [channels in, units], after the first call.
      bias: the variable of shape [units], or None.
    """

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=init_ops.zeros_initializer(), kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(
            units, activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint, bias_constraint=bias_constraint, trainable=trainable,
            name=name, **kwargs)


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
@with_args_of(core.Dropout, base.Layer)
class Dropout(core.Dropout, base.Layer):
    """Randomly zeroes a fraction of the inputs in training, and scales the rest to keep the sum."""

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(rate=rate, noise_shape=noise_shape, seed=seed, name=name, **kwargs)

    def call(self, inputs, training=False):
        """Returns the inputs, some of them zeroed if the layer trains.

        Args:
          inputs: a Tensor.
          training: whether to drop elements: a bool or a bool scalar tensor.
        """
        return super().call(inputs, training=training)


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
@with_args_of(core.Flatten, base.Layer)
class Flatten(core.Flatten, base.Layer):
    """Flattens all axes but the first into one."""


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
