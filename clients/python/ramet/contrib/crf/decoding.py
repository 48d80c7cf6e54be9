"""The most likely sequences of tags."""

import numpy as np

from ramet.api import export
from ramet.contrib.crf import scores
from ramet.framework import dtypes, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.rnn import rnn_cell, rnn_dynamic


@export('contrib.crf.viterbi_decode')
def viterbi_decode(score, transition_params):
    """Finds the sequence of tags with the highest score, outside of TensorFlow.

    Args:
      score: the scores of the tags, an array [time, tags].
      transition_params: the scores of transitions, an array [tags, tags].

    Returns:
      The tags, a list of integers, and their score.
    """
    best = np.zeros_like(score)
    pointers = np.zeros_like(score, dtype=np.int32)
    best[0] = score[0]
    for step in range(1, score.shape[0]):
        following = np.expand_dims(best[step - 1], 1) + transition_params
        best[step] = score[step] + np.max(following, 0)
        pointers[step] = np.argmax(following, 0)
    tags = [int(np.argmax(best[-1]))]
    for pointer in reversed(pointers[1:]):
        tags.append(int(pointer[tags[-1]]))
    return tags[::-1], np.max(best[-1])


@export('contrib.crf.CrfDecodeForwardRnnCell')
class CrfDecodeForwardRnnCell(rnn_cell.RNNCell):
    """The forward recursion of decoding: its state is the score of the best sequence up to each tag.

    Args:
      transition_params: the scores of transitions, a float tensor [tags, tags].
    """

    def __init__(self, transition_params):
        super().__init__()
        self._transition_params = array_ops.expand_dims(transition_params, 0)
        self._num_tags = tensor_shape.dimension_value(transition_params.get_shape()[0])

    state_size = output_size = property(lambda self: self._num_tags)

    def __call__(self, inputs, state, scope=None):
        """Returns the best previous tag of each tag, and the new state.

        Args:
          inputs: the scores of the step's tags [batch, tags].
          state: the last state [batch, tags].
          scope: ignored.
        """
        following = array_ops.expand_dims(state, 2) + self._transition_params
        new_state = inputs + math_ops.reduce_max(following, [1])
        return math_ops.cast(math_ops.argmax(following, 1), dtypes.int32), new_state


@export('contrib.crf.CrfDecodeBackwardRnnCell')
class CrfDecodeBackwardRnnCell(rnn_cell.RNNCell):
    """The backward recursion of decoding, which follows the best previous tags.

    Args:
      num_tags: the number of tags.
    """

    def __init__(self, num_tags):
        super().__init__()
        self._num_tags = num_tags

    state_size = output_size = property(lambda self: 1)

    def __call__(self, inputs, state, scope=None):
        """Returns the previous tags, twice.

        Args:
          inputs: the best previous tag of each tag [batch, tags].
          state: the tags of the step [batch, 1].
          scope: ignored.
        """
        rows = math_ops.range(array_ops.shape(inputs)[0])
        indices = array_ops.stack([rows, array_ops.squeeze(state, axis=[1])], axis=1)
        tags = array_ops.expand_dims(array_ops.gather_nd(inputs, indices), axis=-1)
        return tags, tags


@export('contrib.crf.crf_decode')
def crf_decode(potentials, transition_params, sequence_length):
    """Finds the sequences of tags with the highest scores.

    Args:
      potentials: the scores of the tags, a float tensor [batch, time, tags].
      transition_params: the scores of transitions, a float tensor [tags, tags].
      sequence_length: the lengths of the sequences, an int32 vector [batch].

    Returns:
      The tags, an int32 tensor [batch, time], which are 0 after the end of a sequence; and their
      scores, a vector [batch].
    """
    sequence_length = ops.convert_to_tensor(sequence_length)

    def single():
        squeezed = array_ops.squeeze(potentials, [1])
        tags = array_ops.expand_dims(math_ops.argmax(squeezed, axis=1), 1)
        return math_ops.cast(tags, dtypes.int32), math_ops.reduce_max(squeezed, axis=1)

    return scores.by_length(potentials, single, lambda: _decoded(
        potentials, transition_params, sequence_length))


def _decoded(potentials, transition_params, lengths):
    tags = tensor_shape.dimension_value(potentials.get_shape()[2])
    first, rest = scores.first_and_rest(potentials)
    rest_lengths = scores.lengths_of_rest(lengths)
    pointers, last = rnn_dynamic.dynamic_rnn(
        CrfDecodeForwardRnnCell(transition_params), inputs=rest, sequence_length=rest_lengths,
        initial_state=first, time_major=False, dtype=dtypes.int32)
    pointers = array_ops.reverse_sequence(pointers, rest_lengths, seq_dim=1)
    end = array_ops.expand_dims(math_ops.cast(math_ops.argmax(last, axis=1), dtypes.int32), axis=-1)
    found, _ = rnn_dynamic.dynamic_rnn(
        CrfDecodeBackwardRnnCell(tags), inputs=pointers, sequence_length=rest_lengths,
        initial_state=end, time_major=False, dtype=dtypes.int32)
    found = array_ops.concat([end, array_ops.squeeze(found, axis=[2])], axis=1)
    return array_ops.reverse_sequence(found, lengths, seq_dim=1), math_ops.reduce_max(last, axis=1)
