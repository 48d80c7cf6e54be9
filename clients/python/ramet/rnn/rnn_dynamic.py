"""tf.nn.dynamic_rnn and bidirectional_dynamic_rnn, with as many steps as the data has."""

from ramet.api import export
from ramet.framework import constant_op, dtypes, nest, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow.tensor_array_ops import TensorArray
from ramet.ops.control_flow.while_loop import while_loop
from ramet.ops.math import math_ops
from ramet.ops.variables import variable_scope as vs
from ramet.rnn import rnn_steps


def cache_reads(scope):
    """Makes the variables of the scope be read once instead of in each step."""
    if scope.caching_device is None:
        scope.set_caching_device(lambda op: op.device)


@export('nn.dynamic_rnn')
def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None,
                parallel_iterations=None, swap_memory=False, time_major=False, scope=None):
    """Computes the outputs of a recurrent cell over the time steps of its inputs, in a loop.

    Args:
      cell: an RNNCell.
      inputs: a tensor [batch, time, ...], or a structure of them.
      sequence_length: an int vector [batch], the number of steps of each sequence. After its end, the
        outputs are zero and the state does not change.
      initial_state: a state of the cell, or None for its zero state.
      dtype: the DType of the state and output; required without initial_state.
      parallel_iterations: as for tf.while_loop, or None for 32.
      swap_memory: as in tf.while_loop.
      time_major: whether inputs and outputs are [time, batch, ...].
      scope: a VariableScope, or the name of one. Defaults to 'rnn'.

    Returns:
      The outputs, [batch, time, ...], and the last state.

    Raises:
      TypeError: if `cell` is not an RNNCell.
      ValueError: if required shapes are unknown or incompatible, or the dtype is unknown.
    """
    rnn_steps.check_cell(cell)
    with vs.variable_scope(scope or 'rnn') as var_scope:
        cache_reads(var_scope)
        flat_input = nest.flatten(inputs)
        if not time_major:
            flat_input = [rnn_steps.transposed(ops.convert_to_tensor(i)) for i in flat_input]
        if sequence_length is not None:
            sequence_length = math_ops.to_int32(sequence_length)
            rnn_steps.as_vector(sequence_length)
            sequence_length = array_ops.identity(sequence_length, name='sequence_length')
        batch_size = rnn_steps.batch_size_of(flat_input)
        state = rnn_steps.initial_state_of(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            sequence_length = rnn_steps.checked_lengths(sequence_length, batch_size)
        inputs = nest.pack_sequence_as(inputs, flat_input)
        outputs, state = _Loop(cell, inputs, state, sequence_length, dtype).run(
            parallel_iterations or 32, swap_memory)
        if not time_major:
            outputs = nest.map_structure(rnn_steps.transposed, outputs)
        return outputs, state


class _Loop:
    """The loop over time of inputs [time, batch, ...]."""

    def __init__(self, cell, inputs, state, sequence_length, dtype):
        self.cell, self.inputs, self.state, self.dtype = cell, inputs, state, dtype
        self.flat_input = nest.flatten(inputs)
        self.lengths = sequence_length
        shape = array_ops.shape(self.flat_input[0])
        self.steps = shape[0]
        self.batch_size = rnn_steps.batch_size_of(self.flat_input)
        self._check_shapes()
        self.zeros = rnn_steps.zero_output(cell, self.batch_size, self._output_dtype())
        if sequence_length is not None:
            self.least = math_ops.reduce_min(sequence_length)
            self.most = math_ops.reduce_max(sequence_length)
        else:
            self.most = self.steps

    def _check_shapes(self):
        first = self.flat_input[0].shape.with_rank_at_least(2).as_list()[:2]
        for tensor in self.flat_input:
            shape = tensor.shape.with_rank_at_least(2)
            if None in shape.as_list()[2:]:
                raise ValueError('Input size (depth of inputs) must be accessible via shape '
                                 'inference, but saw value None.')
            for got, expected, what in zip(shape.as_list(), first, ('Time steps', 'Batch_size'),
                                           strict=False):
                if None not in (got, expected) and got != expected:
                    raise ValueError(f'{what} is not the same for all the elements in the input '
                                     'in a batch.')

    def _output_dtype(self):
        if self.dtype is not None:
            return self.dtype
        found = {t.dtype.base_dtype for t in nest.flatten(self.state)}
        if len(found) != 1:
            raise ValueError('State has tensors of different inferred_dtypes. Unable to infer a '
                             'single representative dtype.')
        return found.pop()

    def run(self, parallel_iterations, swap_memory):
        time = constant_op.constant(0, dtype=dtypes.int32, name='time')
        outputs = [self._array('output', zero.dtype, zero.shape) for zero in self.zeros]
        self.arrays = [self._array('input', t.dtype, t.shape[1:]).unstack(t)
                       for t in self.flat_input]
        bound = math_ops.minimum(self.steps, math_ops.maximum(1, self.most))
        _, outputs, state = while_loop(
            lambda time, *_: time < bound, self._step, (time, tuple(outputs), self.state),
            parallel_iterations=parallel_iterations, maximum_iterations=self.steps,
            swap_memory=swap_memory)
        stacked = [array.stack() for array in outputs]
        known = self.flat_input[0].shape[:2]
        for tensor, size in zip(stacked, nest.flatten(self.cell.output_size), strict=True):
            tensor.set_shape(rnn_steps.static_shape_with_nodes(known, size))
        return nest.pack_sequence_as(self.cell.output_size, stacked), state

    def _array(self, name, dtype, element_shape):
        return TensorArray(dtype.base_dtype, size=self.steps, element_shape=element_shape,
                           tensor_array_name=ops.get_default_graph().get_name_scope()
                           + '/dynamic_rnn/' + name + '_0')

    def _step(self, time, outputs, state):
        step_inputs = [array.read(time) for array in self.arrays]
        for value, tensor in zip(step_inputs, self.flat_input, strict=True):
            value.set_shape(tensor.shape[1:])
        step_inputs = nest.pack_sequence_as(self.inputs, step_inputs)
        if self.lengths is not None:
            output, state = rnn_steps.step_within_lengths(
                time, self.lengths, self.least, self.most, self.zeros, state,
                lambda: self.cell(step_inputs, state), self.cell.state_size,
                skip_conditionals=True)
        else:
            output, state = self.cell(step_inputs, state)
        outputs = tuple(array.write(time, value) for array, value in zip(
            outputs, nest.flatten(output), strict=True))
        return time + 1, outputs, state


@export('nn.bidirectional_dynamic_rnn')
def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None,
                              initial_state_fw=None, initial_state_bw=None, dtype=None,
                              parallel_iterations=None, swap_memory=False, time_major=False,
                              scope=None):
    """Runs two tf.nn.dynamic_rnn: one forward, and one backward from the end of each sequence.

    Args:
      cell_fw: the RNNCell of the forward network.
      cell_bw: the RNNCell of the backward network.
      inputs: a tensor [batch, time, ...], or a structure of them.
      sequence_length: an int vector [batch], the number of steps of each sequence.
      initial_state_fw: a state of cell_fw, or None for its zero state.
      initial_state_bw: a state of cell_bw, or None for its zero state.
      dtype: the DType of states and outputs; required without initial states.
      parallel_iterations: as for tf.while_loop, or None for 32.
      swap_memory: as in tf.while_loop.
      time_major: whether inputs and outputs are [time, batch, ...].
      scope: a VariableScope, or the name of one. Defaults to 'bidirectional_rnn'.

    Returns:
      A pair of outputs, with those of cell_bw in forward order, and a pair of last states.

    Raises:
      The errors of tf.nn.dynamic_rnn.
    """
    rnn_steps.check_cell(cell_fw)
    rnn_steps.check_cell(cell_bw)
    common = dict(sequence_length=sequence_length, dtype=dtype, swap_memory=swap_memory,
                  parallel_iterations=parallel_iterations, time_major=time_major)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def reverse(tensor):
        if sequence_length is not None:
            return array_ops.reverse_sequence(tensor, seq_lengths=sequence_length,
                                              seq_axis=time_axis, batch_axis=batch_axis)
        return array_ops.reverse(tensor, axis=[time_axis])

    with vs.variable_scope(scope or 'bidirectional_rnn'):
        with vs.variable_scope('fw') as fw_scope:
            output_fw, state_fw = dynamic_rnn(cell_fw, inputs, initial_state=initial_state_fw,
                                              scope=fw_scope, **common)
        with vs.variable_scope('bw') as bw_scope:
            reversed_inputs = nest.map_structure(reverse, inputs)
            output_bw, state_bw = dynamic_rnn(cell_bw, reversed_inputs,
                                              initial_state=initial_state_bw, scope=bw_scope,
                                              **common)
    return (output_fw, nest.map_structure(reverse, output_bw)), (state_fw, state_bw)
