"""tf.nn.static_rnn and static_bidirectional_rnn, which add a step to the graph per input of a list."""

from ramet.api import export
from ramet.framework import nest, ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import variable_scope as vs
from ramet.rnn import rnn_steps
from ramet.rnn.rnn_dynamic import cache_reads


@export('nn.static_rnn', 'contrib.rnn.static_rnn')
def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """Computes the outputs of a recurrent cell for a list of inputs, without a loop.

    Args:
      cell: an RNNCell.
      inputs: a list of tensors [batch, ...], or of structures of them.
      initial_state: a state of the cell, or None for its zero state.
      dtype: the DType of the state and output; required without initial_state.
      sequence_length: an int vector [batch], the number of steps of each sequence. After its end, the
        outputs are zero and the state does not change.
      scope: a VariableScope, or the name of one. Defaults to 'rnn'.

    Returns:
      A list of outputs, and the last state.

    Raises:
      TypeError: if `cell` is not an RNNCell, or inputs is not a list.
      ValueError: if there are no inputs, or required shapes are unknown.
    """
    rnn_steps.check_cell(cell)
    if not nest.is_nested(inputs):
        raise TypeError(f'inputs must be a sequence. Saw: {inputs}')
    if not inputs:
        raise ValueError('inputs must not be empty')
    with vs.variable_scope(scope or 'rnn') as var_scope:
        cache_reads(var_scope)
        batch_size = _batch_size(inputs)
        state = rnn_steps.initial_state_of(cell, initial_state, batch_size, dtype)
        lengths = None
        if sequence_length is not None:
            lengths = _Lengths(cell, sequence_length, batch_size, state)
        outputs = []
        for time, step_input in enumerate(inputs):
            if time > 0:
                var_scope.reuse_variables()
            output, state = _step(cell, time, step_input, state, lengths)
            outputs.append(output)
        return outputs, state


def _batch_size(inputs):
    first = nest.flatten(inputs)[0]
    if first.shape.ndims is None or first.shape.ndims == 1:
        return array_ops.shape(first)[0]
    size = first.shape.with_rank_at_least(2)[0].value
    for tensor in nest.flatten(inputs):
        if None in tensor.shape.as_list()[1:]:
            raise ValueError('Input size (dimension 1 of inputs) must be accessible via shape '
                             'inference, but saw value None.')
    return size if size is not None else array_ops.shape(first)[0]


class _Lengths:
    """The lengths of sequences, and the values to use after their ends."""

    def __init__(self, cell, sequence_length, batch_size, state):
        lengths = ops.convert_to_tensor(sequence_length, name='sequence_length')
        rnn_steps.as_vector(lengths)
        dtype = nest.flatten(state)[0].dtype.base_dtype
        self.zeros = []
        for size in nest.flatten(cell.output_size):
            zero = array_ops.zeros(rnn_steps.joined_shape(batch_size, size), dtype)
            static = None if isinstance(batch_size, ops.Tensor) else batch_size
            zero.set_shape(rnn_steps.static_shape_with_nodes([static], size))
            self.zeros.append(zero)
        self.lengths = math_ops.to_int32(lengths)
        self.least = math_ops.reduce_min(self.lengths)
        self.most = math_ops.reduce_max(self.lengths)


def _step(cell, time, step_input, state, lengths):
    if lengths is None:
        return cell(step_input, state)
    return rnn_steps.step_within_lengths(
        time, lengths.lengths, lengths.least, lengths.most, lengths.zeros, state,
        lambda: cell(step_input, state), cell.state_size)


@export('nn.static_bidirectional_rnn', 'contrib.rnn.static_bidirectional_rnn')
def static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=None,
                             initial_state_bw=None, dtype=None, sequence_length=None, scope=None):
    """Runs two tf.nn.static_rnn: one forward, and one backward from the end of each sequence.

    Args:
      cell_fw: the RNNCell of the forward network.
      cell_bw: the RNNCell of the backward network.
      inputs: a list of tensors [batch, ...].
      initial_state_fw: a state of cell_fw, or None for its zero state.
      initial_state_bw: a state of cell_bw, or None for its zero state.
      dtype: the DType of states and outputs; required without initial states.
      sequence_length: an int vector [batch], the number of steps of each sequence.
      scope: a VariableScope, or the name of one. Defaults to 'bidirectional_rnn'.

    Returns:
      A list of the outputs of both, concatenated along the last axis, and the last states of both.

    Raises:
      The errors of tf.nn.static_rnn.
    """
    rnn_steps.check_cell(cell_fw)
    rnn_steps.check_cell(cell_bw)
    if not nest.is_nested(inputs):
        raise TypeError('inputs must be a sequence')
    if not inputs:
        raise ValueError('inputs must not be empty')
    with vs.variable_scope(scope or 'bidirectional_rnn'):
        with vs.variable_scope('fw') as fw_scope:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype,
                                             sequence_length, scope=fw_scope)
        with vs.variable_scope('bw') as bw_scope:
            reversed_inputs = _reversed(inputs, sequence_length)
            output_bw, state_bw = static_rnn(cell_bw, reversed_inputs, initial_state_bw, dtype,
                                             sequence_length, scope=bw_scope)
    output_bw = _reversed(output_bw, sequence_length)
    flat = [array_ops.concat([fw, bw], 1) for fw, bw in zip(
        nest.flatten(output_fw), nest.flatten(output_bw), strict=True)]
    return nest.pack_sequence_as(output_fw, flat), state_fw, state_bw


def _reversed(sequence, lengths):
    """Returns the list in reverse order; sequences of the batch are reversed within their lengths."""
    if lengths is None:
        return list(reversed(sequence))
    flat = [nest.flatten(item) for item in sequence]
    results = [[] for _ in sequence]
    for tensors in zip(*flat, strict=True):
        stacked = array_ops.stack(tensors)
        turned = array_ops.reverse_sequence(stacked, lengths, seq_axis=0, batch_axis=1)
        for result, tensor in zip(results, array_ops.unstack(turned), strict=True):
            tensor.set_shape(tensors[0].shape)
            result.append(tensor)
    return [nest.pack_sequence_as(like, result) for like, result in zip(
        sequence, results, strict=True)]


@export('nn.static_state_saving_rnn', 'contrib.rnn.static_state_saving_rnn')
def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None,
                            scope=None):
    """Runs tf.nn.static_rnn with a state that is kept from one run to the next.

    Args:
      cell: an RNNCell.
      inputs: a list of tensors [batch, ...].
      state_saver: an object with the methods `state(name)`, which returns a saved state, and
        `save_state(name, value)`, which returns an operation that saves one.
      state_name: the name of the state, or a tuple of names in the structure of the cell's state.
      sequence_length: an int vector [batch], the number of steps of each sequence.
      scope: a VariableScope, or the name of one. Defaults to 'rnn'.

    Returns:
      A list of outputs, and the last state. The last output is computed after the state was saved.

    Raises:
      ValueError: if the names do not match the states of the cell.
    """
    state_size = cell.state_size
    if nest.is_nested(state_size) != nest.is_nested(state_name):
        raise ValueError('state_name should be the same type as cell.state_size.  '
                         f'state_name: {state_name}, cell.state_size: {state_size}')
    names = nest.flatten(state_name)
    if len(names) != len(nest.flatten(state_size)):
        raise ValueError('#elems(state_name) != #elems(state_size): '
                         f'{len(names)} vs. {len(nest.flatten(state_size))}')
    initial = nest.pack_sequence_as(state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial_state=initial,
                                sequence_length=sequence_length, scope=scope)
    saves = [state_saver.save_state(name, part)
             for name, part in zip(names, nest.flatten(state), strict=True)]
    with ops.control_dependencies(saves):
        outputs[-1] = nest.map_structure(array_ops.identity, outputs[-1])
    return outputs, state
