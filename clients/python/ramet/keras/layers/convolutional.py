"""Convolution layers with 1, 2 and 3 spatial axes."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.keras import regularizers
from ramet.keras.engine.base_layer import Layer
from ramet.keras.engine.input_spec import InputSpec
from ramet.keras.layers import arguments, configs
from ramet.ops.array import array_ops
from ramet.ops.nn import nn_activation, nn_convolution


def channels_of(input_shape, data_format):
    """Returns the number of channels of an input.

    Raises:
      ValueError: if it is unknown.
    """
    axis = -1 if data_format == 'channels_last' else 1
    channels = tensor_shape.dimension_value(tensor_shape.as_shape(input_shape)[axis])
    if channels is None:
        raise ValueError('The channel dimension of the inputs should be defined. Found `None`.')
    return channels


class Conv(Layer):
    """The base class of convolution layers: activation(convolution(inputs, kernel) + bias).

    Args:
      rank: the number of spatial axes.
      filters: the number of filters, which is the number of output channels.
      kernel_size: the size of the filters: an int, or one per spatial axis.
      strides: an int, or one per spatial axis.
      padding: 'valid' or 'same'.
      data_format: 'channels_last' or 'channels_first'.
      dilation_rate: an int, or one per spatial axis.
      activation: a function of the output, or the name of one, or None.
      use_bias: whether to add a bias.
      kernel_initializer, bias_initializer: initializers of the variables.
      kernel_regularizer, bias_regularizer: functions from a variable to a loss.
      activity_regularizer: a function from the output to a loss.
      kernel_constraint, bias_constraint: functions that optimizers apply to new values.
      trainable: whether the variables are trainable.
      name: the name of the layer.

    Attributes:
      kernel: the variable of shape kernel_size + [channels in, filters], after the first call.
      bias: the variable of shape [filters], or None.

    Raises:
      ValueError: if an argument is malformed, or if strides and dilation rates are both above 1.
    """

    _paddings = ()

    def __init__(self, rank, filters, kernel_size, strides=1, padding='valid', data_format=None,
                 dilation_rate=1, activation=None, use_bias=True, kernel_initializer='glorot_uniform',
                 bias_initializer='zeros', kernel_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 trainable=True, name=None, **kwargs):
        super().__init__(trainable=trainable, name=name,
                         activity_regularizer=regularizers.get(activity_regularizer), **kwargs)
        self.rank = rank
        self.filters = int(filters)
        self.kernel_size = arguments.per_axis(kernel_size, rank, 'kernel_size')
        self.strides = arguments.per_axis(strides, rank, 'strides')
        self.padding = arguments.padding(padding, self._paddings)
        self.data_format = arguments.keras_data_format(data_format)
        self.dilation_rate = arguments.per_axis(dilation_rate, rank, 'dilation_rate')
        self.use_bias = use_bias
        configs.keep(self, activation=activation, kernel_initializer=kernel_initializer,
                     bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
                     bias_regularizer=bias_regularizer, kernel_constraint=kernel_constraint,
                     bias_constraint=bias_constraint)
        self.input_spec = InputSpec(ndim=rank + 2)

    def _channels(self, input_shape):
        channels = channels_of(input_shape, self.data_format)
        axis = -1 if self.data_format == 'channels_last' else 1
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        return channels

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self._add_kernel((*self.kernel_size, channels, self.filters))
        self._add_bias()
        super().build(input_shape)

    def _add_kernel(self, shape):
        self.kernel = self.add_weight(
            'kernel', shape=shape, initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
            trainable=True, dtype=self.dtype)

    def _add_bias(self):
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                'bias', shape=(self.filters,), initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
                trainable=True, dtype=self.dtype)

    def call(self, inputs):
        outputs = nn_convolution.convolution(
            self._padded(inputs), self.kernel,
            padding='VALID' if self.padding == 'causal' else self.padding.upper(),
            strides=list(self.strides), dilation_rate=list(self.dilation_rate),
            data_format=arguments.op_format(self.data_format, self.rank), name=self._op_name())
        outputs.set_shape(self.compute_output_shape(inputs.get_shape()))
        return self._finished(outputs)

    def _op_name(self):
        return 'conv1d' if self.rank == 1 else type(self).__name__

    def _padded(self, inputs):
        if self.padding != 'causal':
            return inputs
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        steps, no = [before, 0], [0, 0]
        return array_ops.pad(inputs, [no, steps, no] if self.data_format == 'channels_last'
                             else [no, no, steps])

    def _finished(self, outputs):
        if self.use_bias:
            first = self.data_format == 'channels_first'
            if first and self.rank == 1:
                outputs += array_ops.reshape(self.bias, (1, self.filters, 1))
            else:
                outputs = nn_activation.bias_add(outputs, self.bias,
                                                 data_format='NCHW' if first else 'NHWC')
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).with_rank(self.rank + 2).as_list()
        padding = 'same' if self.padding == 'causal' else self.padding
        sizes = [arguments.window_outputs(shape[axis], self.kernel_size[i], padding,
                                          self.strides[i], self.dilation_rate[i])
                 for i, axis in enumerate(arguments.spatial_axes(self.data_format, self.rank))]
        return arguments.resized(shape, self.data_format, sizes, self.filters)

    _config = ('filters kernel_size strides padding data_format dilation_rate activation use_bias kernel_initializer '
               'bias_initializer kernel_regularizer bias_regularizer activity_regularizer kernel_constraint '
               'bias_constraint')

    def get_config(self):
        return {**super().get_config(), **configs.serialized(self, self._config)}


class _Conv(Conv):
    """A convolution whose number of spatial axes is fixed."""

    _rank = None

    def __init__(self, filters, kernel_size, strides=1, padding='valid', data_format=None, dilation_rate=1,
                 activation=None, use_bias=True, kernel_initializer='glorot_uniform', bias_initializer='zeros',
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, **kwargs):
        super().__init__(
            self._rank, filters, kernel_size, strides=strides, padding=padding, data_format=data_format,
            dilation_rate=dilation_rate, activation=activation, use_bias=use_bias,
            kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint, **kwargs)


@export('keras.layers.Conv1D', 'keras.layers.Convolution1D')
@with_args_of(Conv, Layer)
class Conv1D(_Conv):
    """A convolution of sequences: activation(convolution(inputs, kernel) + bias).

    Attributes:
      kernel: the variable of shape kernel_size + [channels in, filters], after the first call.
      bias: the variable of shape [filters], or None.

    Raises:
      ValueError: if an argument is malformed, or if strides and dilation rates are both above 1.
    """

    _rank = 1
    _paddings = ('causal',)


@export('keras.layers.Conv2D', 'keras.layers.Convolution2D')
@with_args_of(Conv, Layer)
class Conv2D(_Conv):
    """A convolution of images: activation(convolution(inputs, kernel) + bias).

    Attributes:
      kernel: the variable of shape kernel_size + [channels in, filters], after the first call.
      bias: the variable of shape [filters], or None.

    Raises:
      ValueError: if an argument is malformed, or if strides and dilation rates are both above 1.
    """

    _rank = 2


@export('keras.layers.Conv3D', 'keras.layers.Convolution3D')
@with_args_of(Conv, Layer)
class Conv3D(_Conv):
    """A convolution of volumes: activation(convolution(inputs, kernel) + bias).

    Attributes:
      kernel: the variable of shape kernel_size + [channels in, filters], after the first call.
      bias: the variable of shape [filters], or None.

    Raises:
      ValueError: if an argument is malformed, or if strides and dilation rates are both above 1.
    """

    _rank = 3
