"""Convolution layers with 1, 2 and 3 spatial axes."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras.layers import convolutional
from ramet.layers import base
from ramet.layers.arguments import as_function
from ramet.ops.initializers import init_ops

_ZEROS = init_ops.zeros_initializer()


@export('layers.Conv1D')
@with_args_of(convolutional.Conv, base.Layer)
class Conv1D(convolutional.Conv1D, base.Layer):
    """A convolution of sequences: activation(convolution(inputs, kernel) + bias).

    Args:
      kernel_initializer, bias_initializer: initializers of the variables, or None for that of the variable scope.

    Attributes:
      kernel: the variable of shape kernel_size + [channels in, filters], after the first call.
      bias: the variable of shape [filters], or None.

    Raises:
      ValueError: if an argument is malformed, or if strides and dilation rates are both above 1.
    """

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format='channels_last',
                 dilation_rate=1, activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=_ZEROS, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
            kernel_constraint, bias_constraint, trainable=trainable, name=name, **kwargs)


@export('layers.Conv2D')
@with_args_of(convolutional.Conv, base.Layer)
class Conv2D(convolutional.Conv2D, base.Layer):
    """A convolution of images: activation(convolution(inputs, kernel) + bias).

    Args:
      kernel_initializer, bias_initializer: initializers of the variables, or None for that of the variable scope.

    Attributes:
      kernel: the variable of shape kernel_size + [channels in, filters], after the first call.
      bias: the variable of shape [filters], or None.

    Raises:
      ValueError: if an argument is malformed, or if strides and dilation rates are both above 1.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last',
                 dilation_rate=(1, 1), activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=_ZEROS, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
            kernel_constraint, bias_constraint, trainable=trainable, name=name, **kwargs)


@export('layers.Conv3D')
@with_args_of(convolutional.Conv, base.Layer)
class Conv3D(convolutional.Conv3D, base.Layer):
    """A convolution of volumes: activation(convolution(inputs, kernel) + bias).

    Args:
      kernel_initializer, bias_initializer: initializers of the variables, or None for that of the variable scope.

    Attributes:
      kernel: the variable of shape kernel_size + [channels in, filters], after the first call.
      bias: the variable of shape [filters], or None.

    Raises:
      ValueError: if an argument is malformed, or if strides and dilation rates are both above 1.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid', data_format='channels_last',
                 dilation_rate=(1, 1, 1), activation=None, use_bias=True, kernel_initializer=None,
                 bias_initializer=_ZEROS, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
            kernel_constraint, bias_constraint, trainable=trainable, name=name, **kwargs)


conv1d = export('layers.conv1d')(as_function(Conv1D, 'conv1d'))
conv2d = export('layers.conv2d')(as_function(Conv2D, 'conv2d'))
conv3d = export('layers.conv3d')(as_function(Conv3D, 'conv3d'))
