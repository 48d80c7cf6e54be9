"""tf.nn.raw_rnn: a recurrent network whose inputs, outputs and end are determined by a function."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, nest, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow.tensor_array_ops import TensorArray
from ramet.ops.control_flow.while_loop import while_loop
from ramet.ops.math import math_ops
from ramet.ops.variables import variable_scope as vs
from ramet.rnn import rnn_steps
from ramet.rnn.rnn_dynamic import cache_reads


@export('nn.raw_rnn')
def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """Runs steps of a recurrent cell until a function reports that all sequences have ended.

    Args:
      cell: an RNNCell.
      loop_fn: a function (time, cell_output, cell_state, loop_state) that returns (which sequences
        have ended [batch], the next input, the next state, the value to emit, the next loop_state).
        In the first call, the outputs and states are None, and the value to emit defines the
        structure: None means that of the cell's output.
      parallel_iterations: as for tf.while_loop, or None for 32.
      swap_memory: as for tf.while_loop.
      scope: a VariableScope, or the name of one. Defaults to 'rnn'.

    Returns:
      TensorArrays of the emitted values, the last state, and the last loop_state.

    Raises:
      TypeError: if `cell` is not an RNNCell, or loop_fn is not callable.
    """
    rnn_steps.check_cell(cell)
    if not callable(loop_fn):
        raise TypeError('loop_fn must be a callable')
    with vs.variable_scope(scope or 'rnn') as var_scope:
        cache_reads(var_scope)
        return _RawLoop(cell, loop_fn).run(parallel_iterations or 32, swap_memory)


class _RawLoop:
    """The loop, with the results of the first call of the function."""

    def __init__(self, cell, loop_fn):
        self.cell, self.loop_fn = cell, loop_fn
        self.time = constant_op.constant(0, dtype=dtypes.int32)
        (self.finished, self.input, self.state, emit,
         self.loop_state) = loop_fn(self.time, None, None, None)
        self.input = nest.map_structure(ops.convert_to_tensor, self.input)
        self.has_loop_state = self.loop_state is not None
        if not self.has_loop_state:
            self.loop_state = constant_op.constant(0, dtype=dtypes.int32)
        nest.assert_same_structure(self.state, cell.state_size)
        first = nest.flatten(self.input)[0]
        size = first.shape.with_rank_at_least(1)[0].value
        self.batch_size = array_ops.shape(first)[0] if size is None else size
        self._make_outputs(emit, nest.flatten(self.state)[0].dtype)

    def _make_outputs(self, emit, dtype):
        self.structure = self.cell.output_size if emit is None else emit
        if emit is None:
            forms = [(dtype, size) for size in nest.flatten(self.structure)]
        else:
            forms = [(e.dtype, e.shape if e.shape.is_fully_defined() else array_ops.shape(e))
                     for e in map(ops.convert_to_tensor, nest.flatten(emit))]
        self.outputs = [
            TensorArray(form[0].base_dtype, size=0, dynamic_size=True,
                        element_shape=None if isinstance(form[1], ops.Tensor)
                        else rnn_steps.static_shape([self._known_batch], form[1]),
                        name=f'rnn_output_{i}')
            for i, form in enumerate(forms)]
        self.zeros = [self._zeros(*form) for form in forms]

    @property
    def _known_batch(self):
        return None if isinstance(self.batch_size, ops.Tensor) else self.batch_size

    def _zeros(self, dtype, size):
        zeros = array_ops.zeros(rnn_steps.joined_shape(self.batch_size, size), dtype)
        if not isinstance(size, ops.Tensor):
            zeros.set_shape(rnn_steps.static_shape([self._known_batch], size))
        return zeros

    def run(self, parallel_iterations, swap_memory):
        loop_vars = [self.time, self.finished, self.input,
                     nest.pack_sequence_as(self.structure, self.outputs), self.state,
                     self.loop_state]
        result = while_loop(lambda _, finished, *__: gen.LogicalNot(math_ops.reduce_all(finished)),
                            self._step, loop_vars, parallel_iterations=parallel_iterations,
                            swap_memory=swap_memory)
        emitted, state, loop_state = result[-3:]
        return emitted, state, loop_state if self.has_loop_state else None

    def _step(self, time, finished, inputs, outputs, state, loop_state):
        output, cell_state = self.cell(inputs, state)
        nest.assert_same_structure(self.state, cell_state)
        following = time + 1
        next_finished, next_input, next_state, emit, next_loop_state = self.loop_fn(
            following, output, cell_state, loop_state if self.has_loop_state else None)
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(inputs, next_input)
        nest.assert_same_structure(outputs, emit)
        if next_loop_state is None:
            next_loop_state = loop_state
        emit = [rnn_steps.select(finished, zero, value) for zero, value in zip(
            self.zeros, map(ops.convert_to_tensor, nest.flatten(emit)), strict=True)]
        next_state = nest.pack_sequence_as(next_state, [
            rnn_steps.select(finished, old, new) for old, new in zip(
                nest.flatten(state), nest.flatten(next_state), strict=True)])
        written = [array.write(time, value) for array, value in zip(
            nest.flatten(outputs), emit, strict=True)]
        over = gen.LogicalOr(finished, next_finished)
        return [following, over, next_input, nest.pack_sequence_as(outputs, written), next_state,
                next_loop_state]
