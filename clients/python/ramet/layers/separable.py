"""Separable convolution layers, which convolve each channel and then mix the channels."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras.layers import convolutional, separable
from ramet.layers import base
from ramet.layers.arguments import as_function
from ramet.ops.initializers import init_ops

_ZEROS = init_ops.zeros_initializer()


@export('layers.SeparableConv1D')
@with_args_of(separable._Separable, convolutional.Conv, base.Layer)
class SeparableConv1D(separable.SeparableConv1D, base.Layer):
    """A separable convolution of sequences.

    Args:
      depthwise_initializer, pointwise_initializer, bias_initializer: initializers of the variables, or None for that
        of the variable scope.

    Attributes:
      depthwise_kernel: the variable of shape kernel_size + [channels in, depth_multiplier].
      pointwise_kernel: the variable of shape [1, channels in * depth_multiplier, filters].
      bias: the variable of shape [filters], or None.
    """

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format='channels_last',
                 dilation_rate=1, depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer=None,
                 pointwise_initializer=None, bias_initializer=_ZEROS, depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, trainable=True,
                 name=None, **kwargs):
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation, use_bias,
            depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer,
            pointwise_regularizer, bias_regularizer, activity_regularizer, depthwise_constraint,
            pointwise_constraint, bias_constraint, trainable=trainable, name=name, **kwargs)


@export('layers.SeparableConv2D')
@with_args_of(separable._Separable, convolutional.Conv, base.Layer)
class SeparableConv2D(separable.SeparableConv2D, base.Layer):
    """A separable convolution of images.

    Args:
      depthwise_initializer, pointwise_initializer, bias_initializer: initializers of the variables, or None for that
        of the variable scope.

    Attributes:
      depthwise_kernel: the variable of shape kernel_size + [channels in, depth_multiplier].
      pointwise_kernel: the variable of shape [1, 1, channels in * depth_multiplier, filters].
      bias: the variable of shape [filters], or None.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid', data_format='channels_last',
                 dilation_rate=(1, 1), depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer=None,
                 pointwise_initializer=None, bias_initializer=_ZEROS, depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, trainable=True,
                 name=None, **kwargs):
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation, use_bias,
            depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer,
            pointwise_regularizer, bias_regularizer, activity_regularizer, depthwise_constraint,
            pointwise_constraint, bias_constraint, trainable=trainable, name=name, **kwargs)


separable_conv1d = export('layers.separable_conv1d')(
    as_function(SeparableConv1D, 'separable_conv1d'))
separable_conv2d = export('layers.separable_conv2d')(
    as_function(SeparableConv2D, 'separable_conv2d'))
