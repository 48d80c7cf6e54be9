"""Decoders, and the loop that runs one until all sequences have ended."""

import abc

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, nest, ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops, tensor_array_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import variable_scope
from ramet.rnn import rnn_steps
from ramet.rnn.rnn_dynamic import cache_reads


@export('contrib.seq2seq.Decoder')
class Decoder(abc.ABC):
    """An algorithm that makes the outputs of a sequence, one step at a time."""

    @property
    @abc.abstractmethod
    def batch_size(self):
        """The number of sequences, an int32 scalar."""

    @property
    @abc.abstractmethod
    def output_size(self):
        """The sizes of the outputs of a step: a structure of numbers and TensorShapes."""

    @property
    @abc.abstractmethod
    def output_dtype(self):
        """The DTypes of the outputs of a step, in the structure of output_size."""

    @abc.abstractmethod
    def initialize(self, name=None):
        """Returns which sequences have ended before the first step, the first inputs and the first state.

        Args:
          name: the name of the scope of the operations.
        """

    @abc.abstractmethod
    def step(self, time, inputs, state, name=None):
        """Computes one step.

        Args:
          time: the number of the step, an int32 scalar.
          inputs: the inputs of the step.
          state: the state before the step.
          name: the name of the scope of the operations.

        Returns:
          (outputs, the next state, the next inputs, which sequences have ended).
        """

    def finalize(self, outputs, final_state, sequence_lengths):
        """Returns the final outputs and state after the last step. dynamic_decode calls it if a class has it.

        Args:
          outputs: the outputs of all steps, [time, batch, ...].
          final_state: the last state.
          sequence_lengths: the lengths of the sequences, an int32 vector [batch].
        """
        raise NotImplementedError

    @property
    def tracks_own_finished(self):
        """True if only step() decides which sequences have ended, so that a sequence may go on again."""
        return False


def _zero_outputs(decoder):
    def zeros(size, dtype):
        return array_ops.zeros(rnn_steps.joined_shape(decoder.batch_size, size), dtype)

    return nest.map_structure(zeros, decoder.output_size, decoder.output_dtype)


def _element_shape(batch_size, size):
    if not isinstance(size, tensor_shape.TensorShape) or size.ndims == 0:
        return None
    known = tensor_util.constant_value(ops.convert_to_tensor(batch_size, name='batch_size'))
    return tensor_shape.TensorShape([known]).concatenate(size)


class _Loop:
    """The loop of dynamic_decode."""

    def __init__(self, decoder, impute_finished, maximum_iterations):
        self.decoder, self.impute_finished = decoder, impute_finished
        self.maximum_iterations = maximum_iterations
        finished, inputs, state = decoder.initialize()
        self.zeros = _zero_outputs(decoder)
        if maximum_iterations is not None:
            finished = gen.LogicalOr(finished, 0 >= maximum_iterations)
        arrays = nest.map_structure(
            lambda size, dtype: tensor_array_ops.TensorArray(
                dtype=dtype, size=0, dynamic_size=True,
                element_shape=_element_shape(decoder.batch_size, size)),
            decoder.output_size, decoder.output_dtype)
        self.first = (constant_op.constant(0, dtype=dtypes.int32), arrays, state, inputs, finished,
                      array_ops.zeros_like(finished, dtype=dtypes.int32))

    def run(self, parallel_iterations, swap_memory):
        """Returns the outputs [time, batch, ...], the last state and the lengths."""
        result = control_flow_ops.while_loop(
            lambda time, arrays, state, inputs, finished, lengths:
            gen.LogicalNot(math_ops.reduce_all(finished)), self._step, self.first,
            parallel_iterations=parallel_iterations, swap_memory=swap_memory,
            maximum_iterations=self.maximum_iterations)
        return nest.map_structure(lambda array: array.stack(), result[1]), result[2], result[5]

    def _step(self, time, arrays, state, inputs, finished, lengths):
        outputs, next_state, next_inputs, next_finished = self.decoder.step(time, inputs, state)
        if not self.decoder.tracks_own_finished:
            next_finished = gen.LogicalOr(next_finished, finished)
        lengths = array_ops.where(gen.LogicalNot(finished), array_ops.fill(array_ops.shape(lengths), time + 1), lengths)
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(arrays, outputs)
        nest.assert_same_structure(inputs, next_inputs)
        if self.impute_finished:
            outputs = nest.map_structure(lambda new, zero: array_ops.where(finished, zero, new),
                                         outputs, self.zeros)
            next_state = nest.map_structure(
                lambda new, old: _kept(finished, new, old), next_state, state)
        arrays = nest.map_structure(lambda array, output: array.write(time, output),
                                    arrays, outputs)
        return time + 1, arrays, next_state, next_inputs, next_finished, lengths


def _kept(finished, new, old):
    """Returns the old part of the state for the sequences that have ended, and the new one for others."""
    if isinstance(new, tensor_array_ops.TensorArray):
        return new
    new.set_shape(old.shape)
    return new if new.shape.ndims == 0 else array_ops.where(finished, old, new)


@export('contrib.seq2seq.dynamic_decode')
def dynamic_decode(decoder, output_time_major=False, impute_finished=False,
                   maximum_iterations=None, parallel_iterations=32, swap_memory=False, scope=None):
    """Runs a decoder until all sequences have ended.

    Args:
      decoder: a Decoder.
      output_time_major: whether the outputs are [time, batch, ...] instead of [batch, time, ...].
      impute_finished: whether a sequence that has ended keeps its state and emits zeros.
      maximum_iterations: the largest number of steps, an int32 scalar, or None.
      parallel_iterations: as for tf.while_loop.
      swap_memory: as for tf.while_loop.
      scope: a VariableScope, or the name of one. Defaults to "decoder".

    Returns:
      (outputs, the last state, the lengths of the sequences).

    Raises:
      TypeError: if `decoder` is not a Decoder.
      ValueError: if maximum_iterations is not a scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f'Expected decoder to be type Decoder, but saw: {type(decoder)}')
    with variable_scope.variable_scope(scope, 'decoder') as var_scope:
        cache_reads(var_scope)
        if maximum_iterations is not None:
            maximum_iterations = ops.convert_to_tensor(
                maximum_iterations, dtype=dtypes.int32, name='maximum_iterations')
            if maximum_iterations.get_shape().ndims != 0:
                raise ValueError('maximum_iterations must be a scalar')
        loop = _Loop(decoder, impute_finished, maximum_iterations)
        outputs, state, lengths = loop.run(parallel_iterations, swap_memory)
        try:
            outputs, state = decoder.finalize(outputs, state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = nest.map_structure(rnn_steps.transposed, outputs)
        return outputs, state, lengths
