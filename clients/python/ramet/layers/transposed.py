"""Transposed convolution layers."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras.layers import convolutional, transposed
from ramet.layers import base
from ramet.layers.arguments import as_function
from ramet.ops.initializers import init_ops

_ZEROS = init_ops.zeros_initializer()


@export('layers.Conv2DTranspose')
@with_args_of(convolutional.Conv, base.Layer)
class Conv2DTranspose(transposed.Conv2DTranspose, base.Layer):
    """A transposed convolution of images: the gradient of a convolution with respect to its input.

    Args:
      kernel_initializer, bias_initializer: initializers of the variables, or None for that of the variable scope.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last',
                 activation=None, use_bias=True, kernel_initializer=None, bias_initializer=_ZEROS,
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(
            filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer,
            bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
            bias_constraint, trainable=trainable, name=name, **kwargs)


@export('layers.Conv3DTranspose')
@with_args_of(convolutional.Conv, base.Layer)
class Conv3DTranspose(transposed.Conv3DTranspose, base.Layer):
    """A transposed convolution of volumes: the gradient of a convolution with respect to its input.

    Args:
      kernel_initializer, bias_initializer: initializers of the variables, or None for that of the variable scope.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid', data_format='channels_last',
                 activation=None, use_bias=True, kernel_initializer=None, bias_initializer=_ZEROS,
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(
            filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer,
            bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
            bias_constraint, trainable=trainable, name=name, **kwargs)


conv2d_transpose = export('layers.conv2d_transpose')(
    as_function(Conv2DTranspose, 'conv2d_transpose'))
conv3d_transpose = export('layers.conv3d_transpose')(
    as_function(Conv3DTranspose, 'conv3d_transpose'))
