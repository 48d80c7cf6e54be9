"""LSTMs whose products are convolutions (arXiv 1506.04214)."""

from ramet.api import export
from ramet.contrib.rnn.layer_cell import describe_steps
from ramet.framework import tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_conv
from ramet.ops.variables import variable_scope
from ramet.rnn import rnn_cell

_CONVOLUTIONS = {1: lambda x, kernel: nn_conv.conv1d(x, kernel, 1, 'SAME'),
                 2: lambda x, kernel: nn_conv.conv2d(x, kernel, [1, 1, 1, 1], 'SAME'),
                 3: lambda x, kernel: nn_conv.conv3d(x, kernel, [1, 1, 1, 1, 1], 'SAME')}


@export('contrib.rnn.ConvLSTMCell')
@describe_steps
class ConvLSTMCell(rnn_cell.RNNCell):
    """An LSTM whose inputs and states are sequences, images or volumes.

    Args:
      conv_ndims: the number of axes of the convolutions: 1, 2 or 3.
      input_shape: the shape of the input without the batch, a list; the last axis has the channels.
      output_channels: the number of channels of the output.
      kernel_shape: the sizes of the kernel, a list.
      use_bias: whether to add a bias.
      skip_connection: whether to append the input to the output.
      forget_bias: added to the forget gate.
      initializers: ignored.
      name: the name of the layer.

    Raises:
      ValueError: if the input shape does not match the number of axes.
    """

    def __init__(self, conv_ndims, input_shape, output_channels, kernel_shape, use_bias=True,
                 skip_connection=False, forget_bias=1.0, initializers=None,
                 name='conv_lstm_cell'):
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f'Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.')
        self._conv_ndims, self._kernel_shape = conv_ndims, list(kernel_shape)
        self._channels, self._use_bias = output_channels, use_bias
        self._skip, self._forget_bias = skip_connection, forget_bias
        space = list(input_shape[:-1])
        self._output_size = tensor_shape.TensorShape(
            [*space, output_channels + (input_shape[-1] if skip_connection else 0)])
        self._state_size = rnn_cell.LSTMStateTuple(
            tensor_shape.TensorShape([*space, output_channels]), self._output_size)

    state_size = property(lambda self: self._state_size)
    output_size = property(lambda self: self._output_size)

    def call(self, inputs, state, scope=None):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, ..., channels].
          state: the state, an LSTMStateTuple.
          scope: ignored.
        """
        cell, hidden = state
        gates = array_ops.split(value=self._convolved(array_ops.concat([inputs, hidden], self._conv_ndims + 1)),
                         num_or_size_splits=4, axis=self._conv_ndims + 1)
        input_gate, new_input, forget_gate, output_gate = gates
        new_cell = math_ops.sigmoid(forget_gate + self._forget_bias) * cell
        new_cell += math_ops.sigmoid(input_gate) * math_ops.tanh(new_input)
        output = math_ops.tanh(new_cell) * math_ops.sigmoid(output_gate)
        if self._skip:
            output = array_ops.concat([output, inputs], axis=-1)
        return output, rnn_cell.LSTMStateTuple(new_cell, output)

    def _convolved(self, joined):
        depth = tensor_shape.dimension_value(joined.get_shape()[-1])
        kernel = variable_scope.get_variable('kernel', [*self._kernel_shape, depth, 4 * self._channels],
                                 dtype=joined.dtype)
        result = _CONVOLUTIONS[self._conv_ndims](joined, kernel)
        if not self._use_bias:
            return result
        return result + variable_scope.get_variable('biases', [4 * self._channels], dtype=joined.dtype,
                                        initializer=init_ops.Zeros())


def _of_dimension(ndims):
    """Returns a decorator that makes a class the ConvLSTMCell of a number of axes."""

    def decorate(cls):
        def __init__(self, name=f'conv_{ndims}d_lstm_cell', **kwargs):
            ConvLSTMCell.__init__(self, conv_ndims=ndims, name=name, **kwargs)

        cls.__init__ = __init__
        return cls

    return decorate


@export('contrib.rnn.Conv1DLSTMCell')
@_of_dimension(1)
class Conv1DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell of sequences.

    Args:
      name: the name of the layer.
      **kwargs: the other arguments of ConvLSTMCell.
    """


@export('contrib.rnn.Conv2DLSTMCell')
@_of_dimension(2)
class Conv2DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell of images.

    Args:
      name: the name of the layer.
      **kwargs: the other arguments of ConvLSTMCell.
    """


@export('contrib.rnn.Conv3DLSTMCell')
@_of_dimension(3)
class Conv3DLSTMCell(ConvLSTMCell):
    """A ConvLSTMCell of volumes.

    Args:
      name: the name of the layer.
      **kwargs: the other arguments of ConvLSTMCell.
    """
