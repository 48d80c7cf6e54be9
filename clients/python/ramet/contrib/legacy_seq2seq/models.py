"""Sequence-to-sequence models: an encoder whose last state is the first state of a decoder."""

import copy

from ramet.api import export
from ramet.contrib.legacy_seq2seq import attention_decoders, rnn_decoders
from ramet.contrib.rnn.projection_wrappers import EmbeddingWrapper, OutputProjectionWrapper
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, nest
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.nn import embedding_ops
from ramet.ops.variables import variable_scope
from ramet.rnn import rnn_static


def _choose(feed_previous, decode, num_outputs, state_structure):
    """Runs a decoder with or without feeding its outputs back, which is known now or in a session.

    Args:
      feed_previous: a bool, or a boolean scalar.
      decode: a function (whether to feed back, whether gradients flow through fed outputs) that
        returns the outputs and the state.
      num_outputs: the number of outputs.
      state_structure: a structure of the state.
    """
    if isinstance(feed_previous, bool):
        return decode(feed_previous, True)

    def branch(feed_back):
        with variable_scope.variable_scope(variable_scope.get_variable_scope(), reuse=None if feed_back else True):
            outputs, state = decode(feed_back, False)
            return outputs + nest.flatten(state)

    both = control_flow_ops.cond(feed_previous, lambda: branch(True), lambda: branch(False))
    state = nest.pack_sequence_as(state_structure, both[num_outputs:])
    return both[:num_outputs], state


@export('contrib.legacy_seq2seq.basic_rnn_seq2seq')
@with_args_of(rnn_decoders.rnn_decoder)
def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=dtypes.float32, scope=None):
    """Encodes and decodes with two copies of a cell.

    Args:
      encoder_inputs: a list of tensors [batch, size].
      dtype: the DType of the encoder's state.
      scope: a VariableScope, or the name of one. Defaults to "basic_rnn_seq2seq".

    Returns:
      A list of outputs of the decoder, and its last state.
    """
    with variable_scope.variable_scope(scope or 'basic_rnn_seq2seq'):
        _, state = rnn_static.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoders.rnn_decoder(decoder_inputs, state, cell)


@export('contrib.legacy_seq2seq.tied_rnn_seq2seq')
@with_args_of(basic_rnn_seq2seq, rnn_decoders.rnn_decoder)
def tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=None, dtype=dtypes.float32,
                     scope=None):
    """Encodes and decodes with the same cell.

    Args:
      scope: the name of the variable scope. Defaults to "tied_rnn_seq2seq".

    Returns:
      A list of outputs of the decoder, and its last state.
    """
    with variable_scope.variable_scope('combined_tied_rnn_seq2seq'):
        scope = scope or 'tied_rnn_seq2seq'
        _, state = rnn_static.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        variable_scope.get_variable_scope().reuse_variables()
        return rnn_decoders.rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function,
                                        scope=scope)


@export('contrib.legacy_seq2seq.embedding_rnn_seq2seq')
@with_args_of(rnn_decoders.embedding_rnn_decoder)
def embedding_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols,
                          num_decoder_symbols, embedding_size, output_projection=None,
                          feed_previous=False, dtype=None, scope=None):
    """Encodes and decodes symbols with two copies of a cell.

    Args:
      encoder_inputs: a list of int32 vectors [batch].
      num_encoder_symbols: the number of symbols of the encoder.
      num_decoder_symbols: the number of symbols of the decoder.
      feed_previous: whether the input of each step of the decoder but the first is the most likely
        symbol of the previous output: a bool, or a boolean scalar.
      dtype: the DType of the encoder's state. Defaults to that of the scope.
      scope: a VariableScope, or the name of one. Defaults to "embedding_rnn_seq2seq".

    Returns:
      A list of outputs of the decoder, and its last state.
    """
    with variable_scope.variable_scope(scope or 'embedding_rnn_seq2seq') as opened:
        if dtype is not None:
            opened.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), embedding_classes=num_encoder_symbols,
                                   embedding_size=embedding_size)
        _, state = rnn_static.static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed_back, update_embedding):
            return rnn_decoders.embedding_rnn_decoder(
                decoder_inputs, state, cell, num_decoder_symbols, embedding_size,
                output_projection=output_projection, feed_previous=feed_back,
                update_embedding_for_previous=update_embedding)

        return _choose(feed_previous, decode, len(decoder_inputs), state)


@export('contrib.legacy_seq2seq.embedding_tied_rnn_seq2seq')
@with_args_of(embedding_rnn_seq2seq, rnn_decoders.embedding_rnn_decoder)
def embedding_tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_symbols, embedding_size,
                               num_decoder_symbols=None, output_projection=None,
                               feed_previous=False, dtype=None, scope=None):
    """Encodes and decodes symbols with the same cell and the same embedding.

    Args:
      num_decoder_symbols: the number of symbols of the decoder, or None for num_symbols.
      scope: a VariableScope, or the name of one. Defaults to "embedding_tied_rnn_seq2seq".

    Returns:
      A list of outputs of the decoder, and its last state.

    Raises:
      ValueError: if output_projection has the wrong shape.
    """
    with variable_scope.variable_scope(scope or 'embedding_tied_rnn_seq2seq', dtype=dtype) as opened:
        dtype = opened.dtype
        rnn_decoders.check_projection(output_projection, num_symbols, dtype)
        embedding = variable_scope.get_variable('embedding', [num_symbols, embedding_size], dtype=dtype)
        embedded = [[embedding_ops.embedding_lookup(embedding, i) for i in inputs]
                    for inputs in (encoder_inputs, decoder_inputs)]
        if output_projection is None:
            cell = OutputProjectionWrapper(
                cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(feed_back, update_embedding):
            loop_function = rnn_decoders.argmax_and_embed(
                embedding, output_projection, update_embedding) if feed_back else None
            return tied_rnn_seq2seq(*embedded, cell, loop_function=loop_function, dtype=dtype)

        structure = None
        if not isinstance(feed_previous, bool):
            structure = cell.zero_state(array_ops.shape(encoder_inputs[0])[0], dtype)
        return _choose(feed_previous, decode, len(decoder_inputs), structure)


@export('contrib.legacy_seq2seq.embedding_attention_seq2seq')
@with_args_of(embedding_rnn_seq2seq, attention_decoders.embedding_attention_decoder)
def embedding_attention_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols,
                                num_decoder_symbols, embedding_size, num_heads=1,
                                output_projection=None, feed_previous=False, dtype=None,
                                scope=None, initial_state_attention=False):
    """Encodes and decodes symbols with two copies of a cell, with attention to the encoder's outputs.

    Args:
      scope: a VariableScope, or the name of one. Defaults to "embedding_attention_seq2seq".

    Returns:
      A list of outputs of the decoder, and its last state.
    """
    with variable_scope.variable_scope(scope or 'embedding_attention_seq2seq', dtype=dtype) as opened:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), embedding_classes=num_encoder_symbols,
                                   embedding_size=embedding_size)
        outputs, state = rnn_static.static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        attention_states = array_ops.concat(
            [array_ops.reshape(e, [-1, 1, cell.output_size]) for e in outputs], 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feed_back, update_embedding):
            return attention_decoders.embedding_attention_decoder(
                decoder_inputs, state, attention_states, cell, num_decoder_symbols,
                embedding_size, num_heads=num_heads, output_size=output_size,
                output_projection=output_projection, feed_previous=feed_back,
                update_embedding_for_previous=update_embedding,
                initial_state_attention=initial_state_attention)

        return _choose(feed_previous, decode, len(decoder_inputs), state)


@export('contrib.legacy_seq2seq.one2many_rnn_seq2seq')
@with_args_of(embedding_rnn_seq2seq)
def one2many_rnn_seq2seq(encoder_inputs, decoder_inputs_dict, enc_cell, dec_cells_dict,
                         num_encoder_symbols, num_decoder_symbols_dict, embedding_size,
                         feed_previous=False, dtype=None, scope=None):
    """Encodes symbols once, and decodes them with several decoders.

    Args:
      decoder_inputs_dict: a dict from the name of a decoder to its list of int32 vectors [batch].
      enc_cell: the RNNCell of the encoder.
      dec_cells_dict: a dict from the name of a decoder to its RNNCell.
      num_decoder_symbols_dict: a dict from the name of a decoder to the number of its symbols.
      scope: a VariableScope, or the name of one. Defaults to "one2many_rnn_seq2seq".

    Returns:
      Two dicts from the names of the decoders: to lists of outputs, and to last states.
    """
    outputs_dict, state_dict = {}, {}
    with variable_scope.variable_scope(scope or 'one2many_rnn_seq2seq', dtype=dtype) as opened:
        encoder = EmbeddingWrapper(enc_cell, embedding_classes=num_encoder_symbols,
                                   embedding_size=embedding_size)
        _, encoder_state = rnn_static.static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        for name, decoder_inputs in decoder_inputs_dict.items():
            num_symbols = num_decoder_symbols_dict[name]
            with variable_scope.variable_scope(f'one2many_decoder_{name}'):
                cell = OutputProjectionWrapper(dec_cells_dict[name], num_symbols)
                outputs_dict[name], state_dict[name] = _choose(
                    feed_previous, _embedding_decoder(decoder_inputs, encoder_state, cell,
                                                      num_symbols, embedding_size),
                    len(decoder_inputs), encoder_state)
    return outputs_dict, state_dict


def _embedding_decoder(decoder_inputs, state, cell, num_symbols, embedding_size):
    def decode(feed_back, update_embedding):
        return rnn_decoders.embedding_rnn_decoder(
            decoder_inputs, state, cell, num_symbols, embedding_size, feed_previous=feed_back,
            update_embedding_for_previous=update_embedding)

    return decode
