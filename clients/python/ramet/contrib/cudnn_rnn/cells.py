"""Cells that compute on any device what cuDNN's layers compute on a GPU."""

from ramet.api import export
from ramet.contrib.rnn.lstm_ops import LSTMBlockCell
from ramet.docstrings import with_args_of
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.rnn.rnn_cell import GRUCell


@export('contrib.cudnn_rnn.CudnnCompatibleLSTMCell')
class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """An LSTM without a forget bias, clipping and peepholes.

    Args:
      num_units: the size of memory and output.
      reuse: whether to reuse existing variables.
    """

    def __init__(self, num_units, reuse=None):
        super().__init__(num_units, forget_bias=0, cell_clip=None, use_peephole=False,
                         reuse=reuse, name='cudnn_compatible_lstm_cell')


@export('contrib.cudnn_rnn.CudnnCompatibleGRUCell')
@with_args_of(GRUCell)
class CudnnCompatibleGRUCell(GRUCell):
    """A GRU that applies the reset gate after the product with the state.

    Args:
      kernel_initializer: the initializer of the matrices.
    """

    def __init__(self, num_units, reuse=None, kernel_initializer=None):
        super().__init__(num_units, activation=None, reuse=reuse,
                         kernel_initializer=kernel_initializer)

    def build(self, input_shape):
        """Creates the variables.

        Args:
          input_shape: the TensorShape of the inputs.
        """
        units, depth = self._num_units, self._depth(input_shape)
        self._gate_kernel = self.add_variable('gates/kernel', [depth + units, 2 * units],
                                              initializer=self._kernel_initializer)
        self._gate_bias = self.add_variable(
            'gates/bias', [2 * units],
            initializer=self._bias_initializer or init_ops.Constant(1.0))
        self._projections = [self._add_projection(f'candidate/{name}_projection/', rows)
                             for name, rows in (('input', depth), ('hidden', units))]
        self.built = True

    def _add_projection(self, prefix, rows):
        units = self._num_units
        return (self.add_variable(prefix + 'kernel', [rows, units],
                                  initializer=self._kernel_initializer),
                self.add_variable(prefix + 'bias', [units],
                                  initializer=self._bias_initializer or init_ops.Zeros()))

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: a Tensor [batch, num_units].
        """
        gates = math_ops.sigmoid(self._linear(inputs, state, self._gate_kernel, self._gate_bias))
        r, u = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        x, h = (nn_activation.bias_add(math_ops.matmul(value, kernel), bias) for value, (kernel, bias) in zip(
            (inputs, state), self._projections, strict=True))
        new = (1 - u) * self._activation(x + r * h) + u * state
        return new, new
