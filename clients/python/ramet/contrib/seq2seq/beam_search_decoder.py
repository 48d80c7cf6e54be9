"""A decoder that keeps the most likely sequences."""

import collections

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.contrib.seq2seq import beam_search_ops, decoder, helpers
from ramet.contrib.seq2seq.attention_mechanisms import static_or_dynamic
from ramet.contrib.seq2seq.attention_wrapper import AttentionWrapperState
from ramet.contrib.seq2seq.basic_decoder import size_after
from ramet.framework import constant_op, dtypes, nest, ops, tensor_shape, tensor_util
from ramet.layers import base
from ramet.lib import tf_logging as logging
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops, tensor_array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.rnn import rnn_steps


@export('contrib.seq2seq.BeamSearchDecoderState')
class BeamSearchDecoderState(collections.namedtuple(
        'BeamSearchDecoderState',
        ('cell_state', 'log_probs', 'finished', 'lengths', 'accumulated_attention_probs'))):
    """The state of a BeamSearchDecoder."""


@export('contrib.seq2seq.BeamSearchDecoderOutput')
class BeamSearchDecoderOutput(collections.namedtuple(
        'BeamSearchDecoderOutput', ('scores', 'predicted_ids', 'parent_ids'))):
    """The scores and symbols of a step, and the beams of the previous step that they continue."""


@export('contrib.seq2seq.FinalBeamSearchDecoderOutput')
class FinalBeamSearchDecoderOutput(collections.namedtuple(
        'FinalBeamDecoderOutput', ('predicted_ids', 'beam_search_decoder_output'))):
    """The symbols of all beams, the best beam first, and the outputs of the steps."""


def _attention_probs(cell_state, coverage_penalty_weight):
    """Returns the weights of the attention in the state, [batch, beam, time], or None without a penalty."""
    if coverage_penalty_weight == 0.0:
        return None
    states = [cell_state] if isinstance(cell_state, AttentionWrapperState) else [
        s for s in cell_state if isinstance(s, AttentionWrapperState)] \
        if isinstance(cell_state, tuple) else []
    if not states:
        raise ValueError('coverage_penalty_weight must be 0.0 if no cell is attention wrapped.')
    probs = [_joined_alignments(state.alignments) for state in states]
    return probs[0] if len(probs) == 1 else math_ops.add_n(probs) / len(probs)


def _joined_alignments(alignments):
    if isinstance(alignments, tuple):
        return alignments[0] if len(alignments) == 1 else math_ops.add_n(alignments) / len(alignments)
    return alignments


@export('contrib.seq2seq.BeamSearchDecoder')
class BeamSearchDecoder(decoder.Decoder):
    """Keeps the `beam_width` most likely sequences.

    The initial state, and with attention also the memory and its lengths, must be repeated with
    tile_batch(..., multiplier=beam_width).

    Args:
      cell: an RNNCell.
      embedding: a function from symbols to embeddings, or the table of the embeddings.
      start_tokens: an int32 vector [batch], the first symbols.
      end_token: an int32 scalar, the symbol that ends a sequence.
      initial_state: the first state of the cell [batch * beam_width, ...].
      beam_width: the number of sequences.
      output_layer: a tf.layers.Layer from the outputs of the cell to logits, or None.
      length_penalty_weight: the exponent of the length penalty; 0 for none.
      coverage_penalty_weight: the weight of the coverage penalty; 0 for none.
      reorder_tensor_arrays: whether to order the TensorArrays in the last state by the final beams.

    Raises:
      TypeError: if `cell` or `output_layer` has the wrong type.
      ValueError: if start_tokens is not a vector or end_token is not a scalar.
    """

    def __init__(self, cell, embedding, start_tokens, end_token, initial_state, beam_width,
                 output_layer=None, length_penalty_weight=0.0, coverage_penalty_weight=0.0,
                 reorder_tensor_arrays=True):
        rnn_steps.check_cell(cell)
        if output_layer is not None and not isinstance(output_layer, base.Layer):
            raise TypeError(f'output_layer must be a Layer, received: {type(output_layer)}')
        self._cell, self._output_layer = cell, output_layer
        self._penalties = length_penalty_weight, coverage_penalty_weight
        self._reorder, self._beam_width = reorder_tensor_arrays, beam_width
        self._embedding_fn = helpers.embedding_function(embedding)
        start_tokens = ops.convert_to_tensor(start_tokens, dtype=dtypes.int32, name='start_tokens')
        if start_tokens.get_shape().ndims != 1:
            raise ValueError('start_tokens must be a vector')
        self._end_token = ops.convert_to_tensor(end_token, dtype=dtypes.int32, name='end_token')
        if self._end_token.get_shape().ndims != 0:
            raise ValueError('end_token must be a scalar')
        self._batch_size = array_ops.size(start_tokens)
        self._initial_cell_state = nest.map_structure(self._split, initial_state)
        self._start_inputs = self._embedding_fn(
            gen.Tile(array_ops.expand_dims(start_tokens, 1), [1, beam_width]))
        self._finished = array_ops.one_hot(array_ops.zeros([self._batch_size], dtype=dtypes.int32),
                                    depth=beam_width, on_value=False, off_value=True,
                                    dtype=dtypes.bool)

    batch_size = property(lambda self: self._batch_size)
    tracks_own_finished = property(lambda self: True)  # Beams are reordered.

    @property
    def output_size(self):
        shape = tensor_shape.TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(scores=shape, predicted_ids=shape, parent_ids=shape)

    @property
    def output_dtype(self):
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        size_after(self._output_layer, self._cell.output_size)
        return BeamSearchDecoderOutput(scores=dtype, predicted_ids=dtypes.int32, parent_ids=dtypes.int32)

    # Values [batch * beam, ...] of the cell and values [batch, beam, ...] of the search.

    def _reshaped(self, t, shape_before, static_before, axes):
        if isinstance(t, tensor_array_ops.TensorArray) or t.get_shape().ndims == 0:
            return t
        t = ops.convert_to_tensor(t)
        if t.get_shape().ndims is None:
            raise ValueError(f'Expected tensor ({t}) to have known rank, but ndims == None.')
        result = array_ops.reshape(t, array_ops.concat((shape_before, array_ops.shape(t)[axes:]), 0))
        result.set_shape(tensor_shape.TensorShape(static_before).concatenate(t.get_shape()[axes:]))
        return result

    def _static_batch(self):
        known = tensor_util.constant_value(self._batch_size)
        return None if known is None else int(known)

    def _split(self, t):
        return self._reshaped(t, [self._batch_size, self._beam_width],
                              [self._static_batch(), self._beam_width], 1)

    def _merge(self, t):
        size = self._static_batch()
        return self._reshaped(t, [self._batch_size * self._beam_width],
                              [None if size is None else size * self._beam_width], 2)

    def initialize(self, name=None):
        """Returns which beams have ended, the first inputs and the first state.

        Only the first beam of each sequence is open, so that the beams of the first step differ.

        Args:
          name: ignored.
        """
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        log_probs = array_ops.one_hot(
            array_ops.zeros([self._batch_size], dtype=dtypes.int32), depth=self._beam_width,
            on_value=constant_op.constant(0.0, dtype=dtype), off_value=constant_op.constant(-np.inf, dtype=dtype),
            dtype=dtype)
        probs = _attention_probs(self._initial_cell_state, self._penalties[1])
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state, log_probs=log_probs, finished=self._finished,
            lengths=array_ops.zeros([self._batch_size, self._beam_width], dtype=dtypes.int64),
            accumulated_attention_probs=() if probs is None else probs)
        return self._finished, self._start_inputs, state

    def finalize(self, outputs, final_state, sequence_lengths):
        """Follows the beams back from their ends, like Decoder.finalize.

        Returns:
          (FinalBeamSearchDecoderOutput, the last state).
        """
        lengths = math_ops.cast(math_ops.reduce_max(final_state.lengths, axis=1), dtypes.int32)
        predicted = beam_search_ops.gather_tree(outputs.predicted_ids, outputs.parent_ids,
                                                max_sequence_lengths=lengths,
                                                end_token=self._end_token)
        if self._reorder:
            final_state = final_state._replace(cell_state=nest.map_structure(
                lambda t: self._ordered(t, outputs.parent_ids, final_state.lengths),
                final_state.cell_state))
        return FinalBeamSearchDecoderOutput(
            beam_search_decoder_output=outputs, predicted_ids=predicted), final_state

    def _ordered(self, t, parent_ids, lengths):
        if not isinstance(t, tensor_array_ops.TensorArray):
            return t
        shape = t.element_shape
        size, width = self._static_batch(), self._beam_width
        if shape.ndims is None or shape.ndims < 1 or (
                None not in (size, shape.as_list()[0]) and shape.as_list()[0] != size * width):
            logging.warning('The TensorArray %s in the cell state is not amenable to sorting '
                            'based on the beam search result: its elements must be '
                            '[batch_size * beam_width, ...], but are %s.', t.handle.name, shape)
            return t
        return beam_search_ops.gather_tree_from_array(t, parent_ids, lengths)

    def step(self, time, inputs, state, name=None):
        """Computes one step, like Decoder.step."""
        with ops.name_scope(name, 'BeamSearchDecoderStep', (time, inputs, state)):
            inputs = nest.map_structure(self._merge, inputs)
            cell_state = nest.map_structure(self._merge, state.cell_state)
            outputs, cell_state = self._cell(inputs, cell_state)
            outputs = nest.map_structure(self._split, outputs)
            cell_state = nest.map_structure(self._split, cell_state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            output, state = self._search(outputs, cell_state, state)
            next_inputs = control_flow_ops.cond(math_ops.reduce_all(state.finished), lambda: self._start_inputs,
                                  lambda: self._embedding_fn(output.predicted_ids))
            return output, state, next_inputs, state.finished

    def _search(self, logits, cell_state, state):
        """Returns the BeamSearchDecoderOutput and the state after a step with the given logits."""
        open_beams = gen.LogicalNot(state.finished)
        log_probs = beam_search_ops.mask_of_finished(
            nn_activation.log_softmax(logits), self._end_token, state.finished)
        total = array_ops.expand_dims(state.log_probs, 2) + log_probs
        vocabulary = static_or_dynamic(logits, -1)
        attention_probs = self._accumulated(cell_state, state, open_beams)
        scores = beam_search_ops.scores_of(
            total, self._new_lengths(state.lengths, open_beams, vocabulary), *self._penalties,
            state.finished, attention_probs)
        best, indices = nn_activation.top_k(array_ops.reshape(scores, [self._batch_size, -1]),
                                    k=ops.convert_to_tensor(self._beam_width, name='beam_width'))
        for t in (best, indices):
            t.set_shape([self._static_batch(), self._beam_width])
        words = gen.FloorMod(indices, vocabulary, name='next_beam_word_ids')
        parents = math_ops.floordiv(indices, vocabulary, name='next_beam_parent_ids')
        log_probs = self._gathered(array_ops.reshape(total, [self._batch_size, -1]), indices)
        finished = self._gathered(state.finished, parents)
        lengths = self._gathered(state.lengths, parents) \
            + math_ops.cast(gen.LogicalNot(finished), dtypes.int64)
        new_state = BeamSearchDecoderState(
            cell_state=nest.map_structure(lambda t: self._gathered(t, parents), cell_state),
            log_probs=log_probs, lengths=lengths,
            finished=gen.LogicalOr(finished, math_ops.equal(words, self._end_token),
                                   name='next_beam_finished'),
            accumulated_attention_probs=() if attention_probs is None
            else self._gathered(attention_probs, parents))
        return BeamSearchDecoderOutput(scores=best, predicted_ids=words, parent_ids=parents), \
            new_state

    def _accumulated(self, cell_state, state, open_beams):
        probs = _attention_probs(cell_state, self._penalties[1])
        if probs is None:
            return None
        return state.accumulated_attention_probs \
            + probs * array_ops.expand_dims(math_ops.cast(open_beams, dtypes.float32), 2)

    def _new_lengths(self, lengths, open_beams, vocabulary):
        """Returns the lengths of the beams continued with each symbol, [batch, beam, symbols]."""
        added = array_ops.one_hot(
            array_ops.fill([self._batch_size, self._beam_width], self._end_token), vocabulary,
            on_value=constant_op.constant(0, dtype=dtypes.int64), off_value=constant_op.constant(1, dtype=dtypes.int64),
            dtype=dtypes.int64)
        added *= array_ops.expand_dims(math_ops.cast(open_beams, dtypes.int64), 2)
        return added + array_ops.expand_dims(lengths, 2)

    def _gathered(self, t, indices):
        """Returns the chosen beams of a tensor [batch, beam, ...]."""
        if isinstance(t, tensor_array_ops.TensorArray) or t.get_shape().ndims == 0:
            return t
        result = array_ops.batch_gather(t, indices)
        result.set_shape(tensor_shape.TensorShape([self._static_batch(), self._beam_width])
                         .concatenate(t.get_shape()[2:]))
        return result
