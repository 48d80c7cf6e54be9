"""Scores and likelihoods of sequences of tags."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.layers import utils as layer_utils
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import variable_scope
from ramet.rnn import rnn_cell, rnn_dynamic


def by_length(inputs, single, several):
    """Returns single() if the sequences have one step, and several() otherwise."""
    steps = tensor_shape.dimension_value(inputs.get_shape()[1])
    one = math_ops.equal(array_ops.shape(inputs)[1], 1) if steps is None else steps == 1
    return layer_utils.smart_cond(one, single, several)


def zero_if_empty(sequence_lengths, values):
    return array_ops.where(gen.LessEqual(sequence_lengths, 0), array_ops.zeros_like(values), values)


def first_and_rest(inputs):
    """Returns the first step of inputs [batch, time, tags], and the other steps."""
    first = array_ops.squeeze(array_ops.slice(inputs, [0, 0, 0], [-1, 1, -1]), [1])
    return first, array_ops.slice(inputs, [0, 1, 0], [-1, -1, -1])


def lengths_of_rest(sequence_lengths):
    return gen.Maximum(constant_op.constant(0, dtype=sequence_lengths.dtype), sequence_lengths - 1)


@export('contrib.crf.crf_unary_score')
def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """Returns the sum of the scores of the tags of each sequence.

    Args:
      tag_indices: the tags, an integer tensor [batch, time].
      sequence_lengths: the lengths of the sequences, an integer vector [batch].
      inputs: the scores of all tags, a float tensor [batch, time, tags].

    Returns:
      A vector [batch].
    """
    shape = array_ops.shape(inputs)
    steps, tags = shape[1], shape[2]
    flat = array_ops.reshape(inputs, [-1])
    offsets = array_ops.expand_dims(math_ops.range(shape[0]) * steps * tags, 1)
    offsets += array_ops.expand_dims(math_ops.range(steps) * tags, 0)
    indices = array_ops.reshape(offsets + math_ops.cast(tag_indices, dtypes.int32), [-1])
    scores = array_ops.reshape(array_ops.gather(flat, indices), [shape[0], steps])
    mask = array_ops.sequence_mask(sequence_lengths, maxlen=array_ops.shape(tag_indices)[1], dtype=scores.dtype)
    return math_ops.reduce_sum(scores * mask, 1)


@export('contrib.crf.crf_binary_score')
@with_args_of(crf_unary_score)
def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """Returns the sum of the scores of the transitions of each sequence.

    Args:
      transition_params: the scores of transitions, a float tensor [tags, tags].

    Returns:
      A vector [batch].
    """
    tags = tensor_shape.dimension_value(transition_params.get_shape()[0])
    tags = array_ops.shape(transition_params)[0] if tags is None else tags
    transitions = array_ops.shape(tag_indices)[1] - 1
    start = array_ops.slice(tag_indices, [0, 0], [-1, transitions])
    end = array_ops.slice(tag_indices, [0, 1], [-1, transitions])
    scores = array_ops.gather(array_ops.reshape(transition_params, [-1]), start * tags + end)
    mask = array_ops.sequence_mask(sequence_lengths, maxlen=array_ops.shape(tag_indices)[1], dtype=scores.dtype)
    return math_ops.reduce_sum(scores * array_ops.slice(mask, [0, 1], [-1, -1]), 1)


@export('contrib.crf.crf_sequence_score')
@with_args_of(crf_unary_score, crf_binary_score)
def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """Returns the score of each sequence of tags, without normalization.

    Returns:
      A vector [batch].
    """

    def single():
        rows = array_ops.expand_dims(math_ops.range(array_ops.shape(inputs)[0], dtype=tag_indices.dtype), 1)
        scores = array_ops.gather_nd(array_ops.squeeze(inputs, [1]), array_ops.concat([rows, tag_indices], axis=1))
        return zero_if_empty(sequence_lengths, scores)

    def several():
        return crf_unary_score(tag_indices, sequence_lengths, inputs) \
            + crf_binary_score(tag_indices, sequence_lengths, transition_params)

    return by_length(inputs, single, several)


def only_allowed(scores, tag_bitmap):
    """Returns the scores, with minus infinity for the tags that the bitmap does not allow."""
    return array_ops.where(tag_bitmap, scores, array_ops.fill(array_ops.shape(scores), constant_op.constant(
        -np.inf, dtype=scores.dtype)))


@export('contrib.crf.crf_multitag_sequence_score')
@with_args_of(crf_sequence_score, crf_unary_score, crf_binary_score)
def crf_multitag_sequence_score(inputs, tag_bitmap, sequence_lengths, transition_params):
    """Returns the score of all sequences whose tags a bitmap allows.

    Args:
      tag_bitmap: the tags that are allowed, a boolean tensor [batch, time, tags].

    Returns:
      A vector [batch].
    """

    def single():
        scores = math_ops.reduce_logsumexp(array_ops.squeeze(only_allowed(inputs, tag_bitmap), [1]), axis=1)
        return zero_if_empty(sequence_lengths, scores)

    return by_length(inputs, single, lambda: crf_log_norm(
        only_allowed(inputs, tag_bitmap), sequence_lengths, transition_params))


@export('contrib.crf.CrfForwardRnnCell')
class CrfForwardRnnCell(rnn_cell.RNNCell):
    """The forward recursion: its state is the logarithm of the sums over all sequences up to a step.

    Args:
      transition_params: the scores of transitions, a float tensor [tags, tags].
    """

    def __init__(self, transition_params):
        super().__init__()
        self._transition_params = array_ops.expand_dims(transition_params, 0)
        self._num_tags = tensor_shape.dimension_value(transition_params.get_shape()[0])

    state_size = output_size = property(lambda self: self._num_tags)

    def __call__(self, inputs, state, scope=None):
        """Returns the new state, twice.

        Args:
          inputs: the scores of the step's tags [batch, tags].
          state: the last state [batch, tags].
          scope: ignored.
        """
        scores = array_ops.expand_dims(state, 2) + self._transition_params
        new = inputs + math_ops.reduce_logsumexp(scores, [1])
        return new, new


@export('contrib.crf.crf_log_norm')
@with_args_of(crf_unary_score, crf_binary_score)
def crf_log_norm(inputs, sequence_lengths, transition_params):
    """Returns the logarithm of the sum of the exponentials of all sequences' scores.

    Returns:
      A vector [batch].
    """
    first, rest = first_and_rest(inputs)

    def single():
        return zero_if_empty(sequence_lengths, math_ops.reduce_logsumexp(first, [1]))

    def several():
        _, alphas = rnn_dynamic.dynamic_rnn(
            cell=CrfForwardRnnCell(transition_params), inputs=rest,
            sequence_length=lengths_of_rest(sequence_lengths), initial_state=first,
            dtype=inputs.dtype)
        return zero_if_empty(sequence_lengths, math_ops.reduce_logsumexp(alphas, [1]))

    return by_length(inputs, single, several)


@export('contrib.crf.crf_log_likelihood')
@with_args_of(crf_unary_score, crf_binary_score)
def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """Returns the logarithm of the likelihood of each sequence of tags.

    Args:
      transition_params: the scores of transitions, a float tensor [tags, tags], or None for a new
        variable "transitions".

    Returns:
      A vector [batch], and the scores of transitions.
    """
    tags = tensor_shape.dimension_value(inputs.get_shape()[2])
    if transition_params is None:
        transition_params = variable_scope.get_variable('transitions', [tags, tags])
    sequence_lengths = ops.convert_to_tensor(sequence_lengths)
    transition_params = ops.convert_to_tensor(transition_params)
    tag_indices = ops.convert_to_tensor(tag_indices)
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    norms = crf_log_norm(inputs, sequence_lengths, transition_params)
    return scores - norms, transition_params
