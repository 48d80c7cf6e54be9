"""Stacks of bidirectional networks: each layer sees the outputs of both directions of the layer below it."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.ops.array import array_ops
from ramet.ops.variables import variable_scope
from ramet.rnn import rnn_dynamic, rnn_static


def _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw):
    for name, cells in (('fw', cells_fw), ('bw', cells_bw)):
        if not isinstance(cells, list) or not cells:
            raise ValueError(f'Must specify at least one {name} cell for '
                             'BidirectionalRNN; cells must be a list.')
    if len(cells_fw) != len(cells_bw):
        raise ValueError('Forward and Backward cells must have the same depth.')
    for name, states in (('fw', initial_states_fw), ('bw', initial_states_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(f'initial_states_{name} must be a list of state tensors (one per '
                             'layer).')


@export('contrib.rnn.stack_bidirectional_rnn')
@with_args_of(rnn_static.static_rnn)
def stack_bidirectional_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None,
                            initial_states_bw=None, dtype=None, sequence_length=None, scope=None):
    """Runs layers of tf.nn.static_bidirectional_rnn.

    Args:
      cells_fw: a list of RNNCells, the forward cell of each layer.
      cells_bw: a list of RNNCells, the backward cell of each layer.
      initial_states_fw: a list of the first states of the forward cells, or None.
      initial_states_bw: a list of the first states of the backward cells, or None.
      scope: a VariableScope, or the name of one. Defaults to 'stack_bidirectional_rnn'.

    Returns:
      A list of outputs [batch, 2 * size], and the last states of the forward and backward cells.

    Raises:
      ValueError: if the lists of cells or states are empty or have different lengths.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw, layer = [], [], inputs
    with variable_scope.variable_scope(scope or 'stack_bidirectional_rnn'):
        for i, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope.variable_scope(f'cell_{i}') as cell_scope:
                layer, state_fw, state_bw = rnn_static.static_bidirectional_rnn(
                    cell_fw, cell_bw, layer,
                    initial_state_fw=initial_states_fw and initial_states_fw[i],
                    initial_state_bw=initial_states_bw and initial_states_bw[i],
                    sequence_length=sequence_length, dtype=dtype, scope=cell_scope)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return layer, tuple(states_fw), tuple(states_bw)


@export('contrib.rnn.stack_bidirectional_dynamic_rnn')
@with_args_of(stack_bidirectional_rnn, rnn_dynamic.bidirectional_dynamic_rnn)
def stack_bidirectional_dynamic_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None,
                                    initial_states_bw=None, dtype=None, sequence_length=None,
                                    parallel_iterations=None, time_major=False, scope=None,
                                    swap_memory=False):
    """Runs layers of tf.nn.bidirectional_dynamic_rnn.

    Args:
      inputs: a tensor [batch, time, ...].

    Returns:
      The outputs [batch, time, 2 * size], and the last states of the forward and backward cells.

    Raises:
      ValueError: if the lists of cells or states are empty or have different lengths.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw, layer = [], [], inputs
    with variable_scope.variable_scope(scope or 'stack_bidirectional_rnn'):
        for i, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope.variable_scope(f'cell_{i}'):
                outputs, (state_fw, state_bw) = rnn_dynamic.bidirectional_dynamic_rnn(
                    cell_fw, cell_bw, layer,
                    initial_state_fw=initial_states_fw and initial_states_fw[i],
                    initial_state_bw=initial_states_bw and initial_states_bw[i],
                    sequence_length=sequence_length, parallel_iterations=parallel_iterations,
                    dtype=dtype, swap_memory=swap_memory, time_major=time_major)
            layer = array_ops.concat(outputs, 2)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return layer, tuple(states_fw), tuple(states_bw)
