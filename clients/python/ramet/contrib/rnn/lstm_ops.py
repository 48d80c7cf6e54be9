"""LSTM cells and layers whose steps are one operation each."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.layers import base
from ramet.keras.engine.input_spec import InputSpec
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.rnn.rnn_cell import LayerCell, LSTMStateTuple


class _LstmVariables:
    """Creates the variables of an LSTM layer, with the names of tf.contrib.rnn."""

    def _set_up(self, num_units, forget_bias, cell_clip, use_peephole):
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = -1 if cell_clip is None else cell_clip
        self._use_peephole = use_peephole

    def _add_variables(self, input_size):
        units = self._num_units
        self._kernel = self.add_variable('kernel', [input_size + units, 4 * units])
        self._bias = self.add_variable('bias', [4 * units], initializer=init_ops.constant_initializer(0.0))
        if self._use_peephole:
            self._peepholes = [self.add_variable(f'w_{gate}_diag', [units]) for gate in 'ifo']
        self.built = True

    def _weights(self, **zeros):
        if self._use_peephole:
            peepholes = self._peepholes
        else:
            peepholes = [array_ops.zeros([self._num_units], **zeros)] * 3
        wci, wcf, wco = peepholes
        return {'w': self._kernel, 'wci': wci, 'wcf': wcf, 'wco': wco, 'b': self._bias}

    def _options(self):
        return {'forget_bias': self._forget_bias, 'cell_clip': self._cell_clip, 'use_peephole': self._use_peephole}


@export('contrib.rnn.LSTMBlockCell')
@with_args_of(base.Layer)
class LSTMBlockCell(_LstmVariables, LayerCell):
    """An LSTM cell whose step is one operation. It computes what BasicLSTMCell does, or LSTMCell with peepholes.

    Args:
      num_units: the size of memory and output.
      forget_bias: added to the forget gate.
      cell_clip: the memory is clipped to [-cell_clip, cell_clip]. None does not clip.
      use_peephole: whether the gates see the memory.
      dtype: the DType of the variables. Defaults to that of the inputs.
      reuse: whether to reuse existing variables.
      name: the name of the layer.
    """

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None, reuse=None,
                 name='lstm_cell'):
        super().__init__(num_units, None, reuse, name, dtype)
        self._set_up(num_units, forget_bias, cell_clip, use_peephole)

    state_size = property(lambda self: LSTMStateTuple(self._num_units, self._num_units))
    output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        """Creates the variables.

        Args:
          inputs_shape: the shape of the inputs.

        Raises:
          ValueError: if the last dimension is not known.
        """
        if not inputs_shape.dims[1].value:
            raise ValueError(f'Expecting inputs_shape[1] to be set: {inputs_shape}')
        self._add_variables(inputs_shape.dims[1].value)

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: a pair of Tensors [batch, num_units], the memory and the output.

        Raises:
          ValueError: if the state is not a pair.
        """
        if len(state) != 2:
            raise ValueError('Expecting state to be a tuple with length 2.')
        weights = self._weights()
        cs_prev, h_prev = state
        step = gen.LSTMBlockCell(x=inputs, cs_prev=cs_prev, h_prev=h_prev, **weights, **self._options())
        return step.h, LSTMStateTuple(step.cs, step.h)


@export('contrib.rnn.LSTMBlockWrapper')
@with_args_of(base.Layer)
class LSTMBlockWrapper(base.Layer):
    """The base of layers that compute all steps of an LSTM. Derived classes define `num_units` and `_call_cell`."""

    num_units = property(lambda self: self._num_units, doc='The size of memory and output.')

    def _call_cell(self, inputs, initial_cell_state, initial_output, dtype, sequence_length):
        raise NotImplementedError

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        """Returns the outputs of all steps and the last state.

        Args:
          inputs: a Tensor [time, batch, depth], or a list of Tensors [batch, depth].
          initial_state: a pair of Tensors [batch, num_units], the memory and the output. Defaults to zeros.
          dtype: the DType of the initial state. Required without initial_state.
          sequence_length: an integer Tensor [batch], the numbers of steps. Later outputs are zeros, and the last
            state is that of the last step within a sequence. Defaults to all steps.

        Returns:
          (outputs, state): a Tensor [time, batch, num_units], or a list of Tensors if inputs is a list, and an
          LSTMStateTuple.

        Raises:
          ValueError: if the depth is not known, initial_state is not a pair, or neither it nor dtype is given.
        """
        is_list = isinstance(inputs, list)
        if is_list:
            inputs = array_ops.stack(inputs)
        shape = inputs.get_shape().with_rank(3)
        if not shape.dims[2].value:
            raise ValueError(f'Expecting inputs_shape[2] to be set: {shape}')
        time, batch = self._sizes(inputs, shape)
        initial_state, dtype = self._initial(initial_state, dtype, batch)
        if sequence_length is not None:
            sequence_length = ops.convert_to_tensor(sequence_length)
        cells, outputs = self._call_cell(inputs, *initial_state, dtype, sequence_length)
        if sequence_length is None:
            state = LSTMStateTuple(cells[-1], outputs[-1])
        else:
            outputs *= self._mask(sequence_length, time, dtype)
            state = LSTMStateTuple(*(self._at_end(first, steps, sequence_length, batch)
                                     for first, steps in zip(initial_state, (cells, outputs))))
        return array_ops.unstack(outputs) if is_list else outputs, state

    @staticmethod
    def _sizes(inputs, shape):
        batch, time = shape.dims[1].value, shape.dims[0].value
        batch = array_ops.shape(inputs)[1] if batch is None else batch
        return array_ops.shape(inputs)[0] if time is None else time, batch

    def _initial(self, initial_state, dtype, batch):
        if initial_state is None:
            if dtype is None:
                raise ValueError('Either initial_state or dtype needs to be specified')
            zeros = array_ops.zeros(array_ops.stack([batch, self.num_units]), dtype=dtype)
            return (zeros, zeros), dtype
        if len(initial_state) != 2:
            raise ValueError('Expecting initial_state to be a tuple with length 2 or None')
        return tuple(initial_state), initial_state[0].dtype if dtype is None else dtype

    def _mask(self, sequence_length, time, dtype):
        """Returns ones for the steps within the sequences and zeros after them."""
        mask = array_ops.transpose(array_ops.sequence_mask(sequence_length, time, dtype=dtype), [1, 0])
        return gen.Tile(array_ops.expand_dims(mask, [-1]), [1, 1, self.num_units])

    @staticmethod
    def _at_end(first, steps, sequence_length, batch):
        """Returns the state after the last step of each sequence; that is `first` for an empty sequence."""
        states = array_ops.concat([array_ops.expand_dims(first, [0]), steps], 0)
        return array_ops.gather_nd(states, array_ops.stack([sequence_length, math_ops.range(batch)], axis=1))


@export('contrib.rnn.LSTMBlockFusedCell')
@with_args_of(base.Layer)
class LSTMBlockFusedCell(_LstmVariables, LSTMBlockWrapper):
    """An LSTM layer whose steps are one operation all together.

    Args:
      num_units: the size of memory and output.
      forget_bias: added to the forget gate.
      cell_clip: the memory is clipped to [-cell_clip, cell_clip]. None does not clip.
      use_peephole: whether the gates see the memory.
      reuse: whether to reuse existing variables.
      dtype: the DType of the variables. Defaults to that of the inputs.
      name: the name of the layer.
    """

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, reuse=None, dtype=None,
                 name='lstm_fused_cell'):
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._set_up(num_units, forget_bias, cell_clip, use_peephole)
        self.input_spec = InputSpec(ndim=3)

    def build(self, input_shape):
        """Creates the variables.

        Args:
          input_shape: the shape of the inputs.
        """
        self._add_variables(input_shape.dims[2].value)

    def _call_cell(self, inputs, initial_cell_state, initial_output, dtype, sequence_length):
        time = inputs.get_shape().with_rank(3).dims[0].value
        time = array_ops.shape(inputs)[0] if time is None else time
        weights = self._weights(dtype=dtype)
        steps = math_ops.to_int64(time if sequence_length is None else math_ops.reduce_max(sequence_length))
        states = gen.BlockLSTM(seq_len_max=steps, x=inputs, cs_prev=initial_cell_state, h_prev=initial_output,
                               **weights, **self._options())
        return states.cs, states.h
