"""Separable convolution layers, which convolve each channel and then mix the channels."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras.engine.base_layer import Layer
from ramet.keras.layers import arguments, configs
from ramet.keras.layers.convolutional import Conv, channels_of
from ramet.ops.array import array_ops
from ramet.ops.nn import nn_activation, nn_convolution


class _Separable(Conv):
    """The base class of separable convolution layers.

    Args:
      filters: the number of output channels.
      depth_multiplier: the number of filters per input channel.
      depthwise_initializer, pointwise_initializer, bias_initializer: initializers of the variables.
      depthwise_regularizer, pointwise_regularizer, bias_regularizer: functions from a variable to
        a loss.
      activity_regularizer: a function from the output to a loss.
      depthwise_constraint, pointwise_constraint, bias_constraint: functions that optimizers apply to new
        values.
      trainable: whether the variables are trainable.
      name: the name of the layer.
    """

    _rank = None
    _config = Conv._config.replace(' kernel_initializer', '').replace(' kernel_regularizer', '').replace(
        ' kernel_constraint', '') + (
            ' depth_multiplier depthwise_initializer pointwise_initializer depthwise_regularizer '
            'pointwise_regularizer depthwise_constraint pointwise_constraint')

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format=None, dilation_rate=1,
                 depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer='glorot_uniform',
                 pointwise_initializer='glorot_uniform', bias_initializer='zeros', depthwise_regularizer=None,
                 pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(
            self._rank, filters, kernel_size, strides=strides, padding=padding, data_format=data_format,
            dilation_rate=dilation_rate, activation=activation, use_bias=use_bias,
            bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, bias_constraint=bias_constraint, **kwargs)
        self.depth_multiplier = depth_multiplier
        configs.keep(self, depthwise_initializer=depthwise_initializer, pointwise_initializer=pointwise_initializer,
                     depthwise_regularizer=depthwise_regularizer, pointwise_regularizer=pointwise_regularizer,
                     depthwise_constraint=depthwise_constraint, pointwise_constraint=pointwise_constraint)

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            'depthwise_kernel', shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint, trainable=True, dtype=self.dtype)
        self.pointwise_kernel = self.add_weight(
            'pointwise_kernel',
            shape=(1,) * self.rank + (self.depth_multiplier * channels, self.filters),
            initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint, trainable=True, dtype=self.dtype)
        self._add_bias()
        self.built = True


@export('keras.layers.SeparableConv1D', 'keras.layers.SeparableConvolution1D')
@with_args_of(_Separable, Conv, Layer)
class SeparableConv1D(_Separable):
    """A separable convolution of sequences.

    Attributes:
      depthwise_kernel: the variable of shape kernel_size + [channels in, depth_multiplier].
      pointwise_kernel: the variable of shape [1, channels in * depth_multiplier, filters].
      bias: the variable of shape [filters], or None.
    """

    _paddings = ('causal',)
    _rank = 1

    def call(self, inputs):
        axis = 1 if self.data_format == 'channels_last' else 2
        padding = 'VALID' if self.padding == 'causal' else self.padding.upper()
        inputs = array_ops.expand_dims(self._padded(inputs), axis)
        strides = self.strides * 2
        outputs = nn_convolution.separable_conv2d(
            inputs, array_ops.expand_dims(self.depthwise_kernel, 0),
            array_ops.expand_dims(self.pointwise_kernel, 0),
            strides=(1, *strides, 1) if axis == 1 else (1, 1, *strides), padding=padding,
            rate=(1, *self.dilation_rate),
            data_format=arguments.op_format(self.data_format, 2))
        squeeze = self._with_bias(outputs)
        outputs = array_ops.squeeze(squeeze, [axis])
        return outputs if self.activation is None else self.activation(outputs)

    def _with_bias(self, outputs):
        if not self.use_bias:
            return outputs
        return nn_activation.bias_add(outputs, self.bias,
                                      data_format=arguments.op_format(self.data_format, 2))


@export('keras.layers.SeparableConv2D', 'keras.layers.SeparableConvolution2D')
@with_args_of(_Separable, Conv, Layer)
class SeparableConv2D(_Separable):
    """A separable convolution of images.

    Attributes:
      depthwise_kernel: the variable of shape kernel_size + [channels in, depth_multiplier].
      pointwise_kernel: the variable of shape [1, 1, channels in * depth_multiplier, filters].
      bias: the variable of shape [filters], or None.
    """

    _rank = 2

    def call(self, inputs):
        last = self.data_format == 'channels_last'
        outputs = nn_convolution.separable_conv2d(
            inputs, self.depthwise_kernel, self.pointwise_kernel,
            strides=(1, *self.strides, 1) if last else (1, 1, *self.strides),
            padding=self.padding.upper(), rate=self.dilation_rate,
            data_format=arguments.op_format(self.data_format, 2))
        return self._finished(outputs)


@export('keras.layers.DepthwiseConv2D')
@with_args_of(_Separable, Conv, Layer)
class DepthwiseConv2D(Conv):
    """A convolution of images that convolves each channel by itself.

    Args:
      depthwise_initializer, bias_initializer: initializers of the variables.
      depthwise_regularizer, bias_regularizer: functions from a variable to a loss.
      depthwise_constraint, bias_constraint: functions that optimizers apply to new values.

    Attributes:
      depthwise_kernel: the variable of shape kernel_size + [channels in, depth_multiplier].
      bias: the variable of shape [channels in * depth_multiplier], or None.
    """

    _config = ('kernel_size strides padding data_format depth_multiplier activation use_bias depthwise_initializer '
               'bias_initializer depthwise_regularizer bias_regularizer activity_regularizer depthwise_constraint '
               'bias_constraint')

    def __init__(self, kernel_size, strides=(1, 1), padding='valid', depth_multiplier=1, data_format=None,
                 activation=None, use_bias=True, depthwise_initializer='glorot_uniform', bias_initializer='zeros',
                 depthwise_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 depthwise_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(
            2, 1, kernel_size, strides=strides, padding=padding, data_format=data_format, activation=activation,
            use_bias=use_bias, bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, bias_constraint=bias_constraint, **kwargs)
        self.depth_multiplier = depth_multiplier
        configs.keep(self, depthwise_initializer=depthwise_initializer, depthwise_regularizer=depthwise_regularizer,
                     depthwise_constraint=depthwise_constraint)

    def build(self, input_shape):
        channels = channels_of(input_shape, self.data_format)
        self.depthwise_kernel = self.add_weight(
            'depthwise_kernel', shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint)
        self.filters = channels * self.depth_multiplier
        self._add_bias()
        self.built = True

    def call(self, inputs):
        last = self.data_format == 'channels_last'
        outputs = nn_convolution.depthwise_conv2d(
            inputs, self.depthwise_kernel, strides=(1, *self.strides, 1) if last else (1, 1, *self.strides),
            padding=self.padding.upper(), rate=self.dilation_rate,
            data_format=arguments.op_format(self.data_format, 2))
        return self._finished(outputs)
