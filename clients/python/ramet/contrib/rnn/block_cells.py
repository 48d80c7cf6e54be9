"""The cells whose steps are a single op in TensorFlow. Here, they are made of elementary ops."""

from ramet.api import export
from ramet.contrib.rnn import fused
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.layers import base
from ramet.layers.input_spec import InputSpec
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.nn import nn_activation
from ramet.rnn import rnn_cell, rnn_dynamic
from ramet.rnn.rnn_cell import LayerCell


def lstm_step(x, c, h, kernel, bias, peepholes, forget_bias, cell_clip):
    """Returns the new memory and output of an LSTM whose gates are in the order i, c, f, o.

    Args:
      x: the input [batch, depth].
      c: the memory [batch, units].
      h: the last output [batch, units].
      kernel: the matrix [depth + units, 4 * units].
      bias: the vector [4 * units].
      peepholes: the vectors of the gates i, f and o, or None.
      forget_bias: added to the forget gate.
      cell_clip: the memory is clipped to [-cell_clip, cell_clip] if it is positive.
    """
    product = nn_activation.bias_add(math_ops.matmul(array_ops.concat([x, h], 1), kernel), bias)
    i, j, f, o = array_ops.split(product, 4, axis=1)
    if peepholes is not None:
        i, f = i + peepholes[0] * c, f + peepholes[1] * c
    new_c = math_ops.sigmoid(i) * math_ops.tanh(j) + math_ops.sigmoid(f + forget_bias) * c
    if cell_clip is not None and cell_clip > 0:
        new_c = clip_ops.clip_by_value(new_c, -cell_clip, cell_clip)
    if peepholes is not None:
        o = o + peepholes[2] * new_c
    return new_c, math_ops.sigmoid(o) * math_ops.tanh(new_c)


_GATES = ('w_i_diag', 'w_f_diag', 'w_o_diag')


@export('contrib.rnn.LSTMBlockCell')
@with_args_of(base.Layer)
class LSTMBlockCell(LayerCell):
    """Long short-term memory with the variables of TensorFlow's block cell.

    Args:
      num_units: the size of memory and output.
      forget_bias: added to the forget gate.
      cell_clip: the memory is clipped to [-cell_clip, cell_clip], unless this is None.
      use_peephole: whether the gates see the memory.
      dtype: the DType of the variables. Defaults to that of the inputs.
      reuse: whether to reuse existing variables.
      name: the name of the layer.
    """

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None,
                 reuse=None, name='lstm_cell'):
        super().__init__(num_units, None, reuse, name, dtype)
        self._forget_bias, self._cell_clip = forget_bias, cell_clip
        self._use_peephole = use_peephole

    state_size = property(lambda self: rnn_cell.LSTMStateTuple(self._num_units,
                                                                     self._num_units))
    output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        """Creates the variables.

        Args:
          inputs_shape: the TensorShape of the inputs.
        """
        units = self._num_units
        self._kernel = self.add_variable('kernel', [self._depth(inputs_shape) + units, 4 * units])
        self._bias = self.add_variable('bias', [4 * units],
                                       initializer=init_ops.Constant(0.0))
        self._peepholes = [self.add_variable(name, [units]) for name in _GATES] \
            if self._use_peephole else None
        self.built = True

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: a pair of tensors [batch, num_units].

        Raises:
          ValueError: if the state is not a pair.
        """
        if len(state) != 2:
            raise ValueError('Expecting state to be a tuple with length 2.')
        c, h = lstm_step(inputs, *state, self._kernel, self._bias, self._peepholes,
                         self._forget_bias, self._cell_clip)
        return h, rnn_cell.LSTMStateTuple(c, h)


@export('contrib.rnn.GRUBlockCell')
@with_args_of(base.Layer)
class GRUBlockCell(LayerCell):
    """Gated recurrent unit with the variables of TensorFlow's block cell.

    Args:
      num_units: the size of state and output.
      cell_size: an old name of num_units.
      reuse: whether to reuse existing variables.
      name: the name of the layer.
      dtype: the DType of the variables. Defaults to that of the inputs.

    Raises:
      ValueError: if both or neither of num_units and cell_size are given.
    """

    _VARIABLES = ('w_ru', 'b_ru', 'w_c', 'b_c')

    def __init__(self, num_units=None, cell_size=None, reuse=None, name='gru_cell', dtype=None):
        if (num_units is None) == (cell_size is None):
            raise ValueError('num_units has to be specified.')
        super().__init__(cell_size if num_units is None else num_units, None, reuse, name, dtype)

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        """Creates the variables.

        Args:
          inputs_shape: the TensorShape of the inputs.
        """
        units = self._num_units
        rows = self._depth(inputs_shape) + units
        shapes = ([rows, 2 * units], [2 * units], [rows, units], [units])
        initializers = (None, init_ops.Constant(1.0), None, init_ops.Constant(0.0))
        self._weights = [self.add_variable(name, shape, initializer=initializer)
                         for name, shape, initializer in zip(self._VARIABLES, shapes, initializers,
                                                             strict=True)]
        self.built = True

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: a Tensor [batch, num_units].
        """
        w_ru, b_ru, w_c, b_c = self._weights
        gates = math_ops.sigmoid(self._linear(inputs, state, w_ru, b_ru))
        r, u = array_ops.split(gates, 2, axis=1)
        c = math_ops.tanh(self._linear(inputs, r * state, w_c, b_c))
        new = u * state + (1 - u) * c
        return new, new


@export('contrib.rnn.GRUBlockCellV2')
@with_args_of(GRUBlockCell)
class GRUBlockCellV2(GRUBlockCell):
    """A GRUBlockCell whose variables have the names of those of GRUCell."""

    _VARIABLES = ('gates/kernel', 'gates/bias', 'candidate/kernel', 'candidate/bias')


@export('contrib.rnn.LSTMBlockFusedCell')
class LSTMBlockFusedCell(base.Layer, fused.FusedRNNCell):
    """An LSTM of all steps at once, with the variables of TensorFlow's fused cell.

    Args:
      num_units: the size of memory and output.
      forget_bias: added to the forget gate.
      cell_clip: the memory is clipped to [-cell_clip, cell_clip], unless this is None.
      use_peephole: whether the gates see the memory.
      reuse: whether to reuse existing variables.
      dtype: the DType of the variables. Defaults to that of the inputs.
      name: the name of the layer.
    """

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, reuse=None,
                 dtype=None, name='lstm_fused_cell'):
        base.Layer.__init__(self, _reuse=reuse, name=name, dtype=dtype)
        self._num_units, self._forget_bias, self._cell_clip = num_units, forget_bias, cell_clip
        self._use_peephole = use_peephole
        self.input_spec = InputSpec(ndim=3)

    num_units = property(lambda self: self._num_units)

    def build(self, input_shape):
        """Creates the variables.

        Args:
          input_shape: the TensorShape of the inputs [time, batch, depth].
        """
        units = self._num_units
        depth = tensor_shape.dimension_value(tensor_shape.as_shape(input_shape)[2])
        self._kernel = self.add_variable('kernel', [depth + units, 4 * units])
        self._bias = self.add_variable('bias', [4 * units],
                                       initializer=init_ops.Constant(0.0))
        self._peepholes = [self.add_variable(name, [units]) for name in _GATES] \
            if self._use_peephole else None
        self.built = True

    def __call__(self, inputs, *args, **kwargs):
        """Computes all steps; see FusedRNNCell."""
        return base.Layer.__call__(self, inputs, *args, **kwargs)

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        """Computes all steps; see FusedRNNCell.

        Args:
          inputs: a tensor [time, batch, depth].
          initial_state: a pair of tensors [batch, num_units], or None for zeros.
          dtype: the DType of the first state.
          sequence_length: an int vector [batch]. After the end of a sequence, outputs are zero.

        Returns:
          The outputs [time, batch, num_units], and the last state.
        """
        cell = _StepOf(self)
        if initial_state is not None:
            initial_state = rnn_cell.LSTMStateTuple(*initial_state)
        outputs, state = rnn_dynamic.dynamic_rnn(
            cell, inputs, sequence_length, initial_state, dtype or inputs.dtype, time_major=True)
        return outputs, state


class _StepOf(rnn_cell.RNNCell):
    """One step of a fused cell."""

    def __init__(self, cell):
        super().__init__(name='step')
        self._cell = cell

    state_size = property(lambda self: rnn_cell.LSTMStateTuple(
        self._cell.num_units, self._cell.num_units))
    output_size = property(lambda self: self._cell.num_units)

    def call(self, inputs, state):
        cell = self._cell
        c, h = lstm_step(inputs, *state, cell._kernel, cell._bias, cell._peepholes,
                         cell._forget_bias, cell._cell_clip)
        return h, rnn_cell.LSTMStateTuple(c, h)
