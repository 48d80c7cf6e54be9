"""A cell that attends to its own last outputs, and a cell with a highway around it."""

from ramet.api import export
from ramet.contrib.rnn.layer_cell import describe_steps
from ramet.contrib.rnn.linear import linear
from ramet.contrib.rnn.projection_wrappers import ForwardingCell
from ramet.docstrings import with_args_of
from ramet.framework import nest, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation, nn_conv
from ramet.ops.variables import variable_scope
from ramet.rnn import rnn_cell, rnn_steps


@export('contrib.rnn.AttentionCellWrapper')
@with_args_of(ForwardingCell)
@describe_steps
class AttentionCellWrapper(ForwardingCell):
    """Attends to the last outputs of a cell (arXiv 1409.0473).

    Args:
      attn_length: the number of outputs to attend to.
      attn_size: the size of the output. Defaults to that of the cell.
      attn_vec_size: the number of features of the attention. Defaults to attn_size.
      input_size: the size of the cell's inputs. Defaults to that of the inputs.
      state_is_tuple: whether the state is a tuple instead of one tensor.

    Raises:
      ValueError: if attn_length is not positive, or the cell has a tuple of states and
        state_is_tuple is not set.
    """

    def __init__(self, cell, attn_length, attn_size=None, attn_vec_size=None, input_size=None,
                 state_is_tuple=True, reuse=None):
        super().__init__(cell, reuse)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError('Cell returns tuple of states, but the flag state_is_tuple is not '
                             f'set. State size is: {cell.state_size}')
        if attn_length <= 0:
            raise ValueError(f'attn_length should be greater than zero, got {attn_length}')
        self._length, self._size = attn_length, attn_size or cell.output_size
        self._vec_size, self._input_size = attn_vec_size or self._size, input_size
        self._state_is_tuple = state_is_tuple

    output_size = property(lambda self: self._size)

    @property
    def state_size(self):
        sizes = (self._cell.state_size, self._size, self._size * self._length)
        return sizes if self._state_is_tuple else sum(sizes)

    def zero_state(self, batch_size, dtype):
        """Returns a state of zeros.

        Args:
          batch_size: a number or an int32 scalar.
          dtype: its DType.
        """
        return rnn_cell.RNNCell.zero_state(self, batch_size, dtype)

    def _parts(self, state):
        if self._state_is_tuple:
            return state
        sizes = [self._cell.state_size, self._size, self._size * self._length]
        return array_ops.split(state, sizes, axis=1)

    def call(self, inputs, state):
        state, read, outputs = self._parts(state)
        outputs = array_ops.reshape(outputs, [-1, self._length, self._size])
        size = self._input_size
        if size is None:
            size = tensor_shape.dimension_value(inputs.get_shape()[1])
        output, state = self._cell(linear([inputs, read], size, True), state)
        query = array_ops.concat(nest.flatten(state), 1) if self._state_is_tuple else state
        read, kept = self._attention(query, outputs)
        with variable_scope.variable_scope('attn_output_projection'):
            output = linear([output, read], self._size, True)
        outputs = array_ops.reshape(array_ops.concat([kept, array_ops.expand_dims(output, 1)], 1),
                             [-1, self._length * self._size])
        new = (state, read, outputs)
        return output, new if self._state_is_tuple else array_ops.concat(list(new), 1)

    def _attention(self, query, outputs):
        """Returns the weighted mean of the last outputs, and all of them but the oldest."""
        with variable_scope.variable_scope('attention'):
            k = variable_scope.get_variable('attn_w', [1, 1, self._size, self._vec_size], dtype=query.dtype)
            v = variable_scope.get_variable('attn_v', [self._vec_size], dtype=query.dtype)
            hidden = array_ops.reshape(outputs, [-1, self._length, 1, self._size])
            features = nn_conv.conv2d(hidden, k, [1, 1, 1, 1], 'SAME')
            y = array_ops.reshape(linear(query, self._vec_size, True), [-1, 1, 1, self._vec_size])
            weights = nn_activation.softmax(math_ops.reduce_sum(v * math_ops.tanh(features + y), [2, 3]))
            read = math_ops.reduce_sum(array_ops.reshape(weights, [-1, self._length, 1, 1]) * hidden, [1, 2])
            return array_ops.reshape(read, [-1, self._size]), array_ops.slice(outputs, [0, 1, 0], [-1, -1, -1])


@export('contrib.rnn.HighwayWrapper')
class HighwayWrapper(rnn_cell.RNNCell):
    """Mixes the inputs of a cell into its outputs, with gates (arXiv 1505.00387).

    Args:
      cell: an RNNCell.
      couple_carry_transform_gates: whether the gate of the outputs is 1 - the gate of the inputs.
      carry_bias_init: the initial bias of the gate of the inputs.
    """

    def __init__(self, cell, couple_carry_transform_gates=True, carry_bias_init=1.0):
        super().__init__()
        rnn_steps.check_cell(cell)
        self._cell, self._coupled = cell, couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)

    def zero_state(self, batch_size, dtype):
        """Returns the zero state of the cell.

        Args:
          batch_size: a number or an int32 scalar.
          dtype: its DType.
        """
        return self._cell.zero_state(batch_size, dtype)

    @staticmethod
    def _gate(inputs, name, bias):
        size = tensor_shape.dimension_value(inputs.get_shape().with_rank(2)[1])
        weights = variable_scope.get_variable(f'{name}_w', [size, size])
        biases = variable_scope.get_variable(f'{name}_b', [size], initializer=init_ops.Constant(bias))
        return math_ops.sigmoid(nn_activation.xw_plus_b(inputs, weights, biases))

    def _highway(self, inputs, outputs):
        carry = self._gate(inputs, 'carry', self._carry_bias_init)
        transform = 1 - carry if self._coupled else self._gate(inputs, 'transform',
                                                               -self._carry_bias_init)
        return inputs * carry + outputs * transform

    def __call__(self, inputs, state, scope=None):
        """Computes one step.

        Args:
          inputs: a tensor [batch, size], or a structure of them like that of the outputs.
          state: the state of the cell.
          scope: a VariableScope that replaces the cell's own, or None.

        Returns:
          The output and the new state.
        """
        keywords = {} if scope is None else {'scope': scope}
        outputs, new_state = self._cell(inputs, state, **keywords)
        nest.assert_same_structure(inputs, outputs)
        return nest.map_structure(self._highway, inputs, outputs), new_state
