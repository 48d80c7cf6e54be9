"""Cells that compute all steps of a sequence in one call."""

import abc

from ramet import gen
from ramet.api import export
from ramet.framework import tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.rnn import rnn_dynamic, rnn_static


@export('contrib.rnn.FusedRNNCell')
class FusedRNNCell(abc.ABC):
    """The interface of cells that compute all steps of a sequence in one call."""

    @abc.abstractmethod
    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        """Computes all steps.

        Args:
          inputs: a tensor [time, batch, depth], or a list of tensors [batch, depth].
          initial_state: the first state, or None for zeros.
          dtype: the DType of the first state and of the outputs.
          sequence_length: an int vector [batch], the lengths of the sequences, or None.
          scope: a VariableScope, or the name of one.

        Returns:
          The outputs, like the inputs a tensor or a list, and the last state.
        """


@export('contrib.rnn.FusedRNNCellAdaptor')
class FusedRNNCellAdaptor(FusedRNNCell):
    """Makes a FusedRNNCell of an RNNCell.

    Args:
      cell: an RNNCell.
      use_dynamic_rnn: whether to use a loop instead of adding a step to the graph per input.
    """

    def __init__(self, cell, use_dynamic_rnn=False):
        self._cell, self._use_dynamic_rnn = cell, use_dynamic_rnn

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        """Computes all steps; see FusedRNNCell."""
        is_list = isinstance(inputs, list)
        if self._use_dynamic_rnn:
            outputs, state = rnn_dynamic.dynamic_rnn(
                self._cell, array_ops.stack(inputs) if is_list else inputs,
                sequence_length=sequence_length, initial_state=initial_state, dtype=dtype,
                time_major=True, scope=scope)
            return (array_ops.unstack(outputs) if is_list else outputs), state
        outputs, state = rnn_static.static_rnn(
            self._cell, inputs if is_list else array_ops.unstack(inputs), initial_state=initial_state,
            dtype=dtype, sequence_length=sequence_length, scope=scope)
        return (outputs if is_list else array_ops.stack(outputs)), state


@export('contrib.rnn.TimeReversedFusedRNN')
class TimeReversedFusedRNN(FusedRNNCell):
    """Runs a FusedRNNCell from the ends of the sequences to their beginnings.

    Args:
      cell: a FusedRNNCell.
    """

    def __init__(self, cell):
        self._cell = cell

    @staticmethod
    def _reversed(t, lengths):
        if isinstance(t, list):
            return list(reversed(t))
        if lengths is None:
            return gen.ReverseV2(t, [0])
        return array_ops.reverse_sequence(t, lengths, 0, 1)

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        """Computes all steps; see FusedRNNCell."""
        outputs, state = self._cell(
            self._reversed(inputs, sequence_length), initial_state=initial_state, dtype=dtype,
            sequence_length=sequence_length, scope=scope)
        return self._reversed(outputs, sequence_length), state


@export('contrib.rnn.transpose_batch_time')
def transpose_batch_time(x):
    """Swaps the first two axes.

    Args:
      x: a tensor. One of rank 1 or less is returned unchanged.
    """
    shape = x.get_shape()
    if shape.ndims is not None and shape.ndims < 2:
        return x
    rank = array_ops.rank(x)
    result = array_ops.transpose(x, array_ops.concat(([1, 0], math_ops.range(2, rank)), axis=0))
    if shape.ndims is not None:
        dims = shape.as_list()
        result.set_shape([dims[1], dims[0], *dims[2:]])
    return result


@export('contrib.rnn.best_effort_input_batch_size')
def best_effort_input_batch_size(flat_input):
    """Returns the number of sequences of inputs [time, batch, ...], as a number if it is known.

    Args:
      flat_input: a list of tensors.

    Raises:
      ValueError: if the rank of a tensor is less than 2.
    """
    for tensor in flat_input:
        shape = tensor.shape
        if shape.ndims is None:
            continue
        if shape.ndims < 2:
            raise ValueError(f'Expected input tensor {tensor.name} to have rank at least 2')
        size = tensor_shape.dimension_value(shape[1])
        if size is not None:
            return size
    return array_ops.shape(flat_input[0])[1]
