"""Transposed convolution layers."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.keras.engine.base_layer import Layer
from ramet.keras.layers import arguments
from ramet.keras.layers.convolutional import Conv
from ramet.ops.array import array_ops
from ramet.ops.nn import nn_conv_transpose


class _Transposed(Conv):
    """The base class of transposed convolution layers: activation(transposed convolution + bias).

    The kernel has the shape kernel_size + [filters, channels in].
    """

    _rank = None
    _config = Conv._config.replace(' dilation_rate', '')

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format=None, activation=None,
                 use_bias=True, kernel_initializer='glorot_uniform', bias_initializer='zeros',
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, **kwargs):
        if kwargs.pop('output_padding', None) is not None or kwargs.pop('dilation_rate', 1) not in (1, (1, 1), [1, 1]):
            raise ValueError('Ramet has transposed convolutions without `output_padding` and `dilation_rate`')
        super().__init__(
            self._rank, filters, kernel_size, strides=strides, padding=padding, data_format=data_format,
            activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint, bias_constraint=bias_constraint, **kwargs)

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self._add_kernel((*self.kernel_size, self.filters, channels))
        self._add_bias()
        self.built = True

    def call(self, inputs):
        sizes = self._output_sizes(inputs)
        last = self.data_format == 'channels_last'
        if not last:
            inputs = array_ops.transpose(inputs, [0, *range(2, self.rank + 2), 1])
        op = (nn_conv_transpose.conv2d_transpose if self.rank == 2
              else nn_conv_transpose.conv3d_transpose)
        outputs = op(
            inputs, self.kernel, array_ops.stack([*sizes, self.filters]),
            strides=[1, *self.strides, 1], padding=self.padding.upper(),
            data_format=arguments.op_format('channels_last', self.rank))
        if not last:
            outputs = array_ops.transpose(outputs, [0, self.rank + 1, *range(1, self.rank + 1)])
        outputs.set_shape(self.compute_output_shape(self._shape_of_call(inputs, last)))
        return self._finished(outputs)

    def _shape_of_call(self, inputs, last):
        shape = inputs.get_shape().as_list()
        return shape if last else [shape[0], shape[-1], *shape[1:-1]]

    def _output_sizes(self, inputs):
        known = inputs.get_shape().as_list()
        shape = array_ops.shape(inputs)
        axes = arguments.spatial_axes(self.data_format, self.rank)
        batch = shape[0]
        sizes = [known[axis] if known[axis] is not None else shape[axis] for axis in axes]
        return [batch] + [
            arguments.transposed_outputs(size, self.kernel_size[i], self.padding, self.strides[i])
            for i, size in enumerate(sizes)]

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).with_rank(self.rank + 2).as_list()
        sizes = [arguments.transposed_outputs(shape[axis], self.kernel_size[i], self.padding,
                                              self.strides[i])
                 for i, axis in enumerate(arguments.spatial_axes(self.data_format, self.rank))]
        return arguments.resized(shape, self.data_format, sizes, self.filters)


@export('keras.layers.Conv2DTranspose', 'keras.layers.Convolution2DTranspose')
@with_args_of(Conv, Layer)
class Conv2DTranspose(_Transposed):
    """A transposed convolution of images: the gradient of a convolution with respect to its input.

    Raises:
      ValueError: if an argument is malformed.
    """

    _rank = 2


@export('keras.layers.Conv3DTranspose', 'keras.layers.Convolution3DTranspose')
@with_args_of(Conv, Layer)
class Conv3DTranspose(_Transposed):
    """A transposed convolution of volumes: the gradient of a convolution with respect to its input.

    Raises:
      ValueError: if an argument is malformed.
    """

    _rank = 3
