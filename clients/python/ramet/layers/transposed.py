"""Transposed convolution layers."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.layers import arguments, base
from ramet.layers.arguments import as_function
from ramet.layers.convolutional import Conv
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.nn import nn_conv_transpose

_ZEROS = init_ops.zeros_initializer()


class _Transposed(Conv):
    """The base class of transposed convolution layers: activation(transposed convolution + bias).

    The kernel has the shape kernel_size + [filters, channels in].
    """

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


@export('layers.Conv2DTranspose')
@with_args_of(Conv, base.Layer)
class Conv2DTranspose(_Transposed):
    """A transposed convolution of images: the gradient of a convolution with respect to its input.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1), padding='valid',
                 data_format='channels_last', activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=_ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(
            2, filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs)


@export('layers.Conv3DTranspose')
@with_args_of(Conv, base.Layer)
class Conv3DTranspose(_Transposed):
    """A transposed convolution of volumes: the gradient of a convolution with respect to its input.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, filters, kernel_size, strides=(1, 1, 1), padding='valid',
                 data_format='channels_last', activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=_ZEROS, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(
            3, filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs)


conv2d_transpose = export('layers.conv2d_transpose')(
    as_function(Conv2DTranspose, 'conv2d_transpose'))
conv3d_transpose = export('layers.conv3d_transpose')(
    as_function(Conv3DTranspose, 'conv3d_transpose'))
