"""Decoders that add a step to the graph per input of a list."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import embedding_ops, nn_activation
from ramet.ops.variables import variable_scope


def argmax_and_embed(embedding, output_projection=None, update_embedding=True):
    """Returns a loop function that embeds the most likely symbol of the previous output.

    Args:
      embedding: the table of the symbols' embeddings.
      output_projection: a pair (weights, biases) from outputs to logits, or None for outputs that are logits.
      update_embedding: whether gradients flow into the embedding through the function.
    """

    def loop_function(prev, _):
        if output_projection is not None:
            prev = nn_activation.xw_plus_b(prev, output_projection[0], output_projection[1])
        embedded = embedding_ops.embedding_lookup(embedding, math_ops.argmax(prev, 1))
        return embedded if update_embedding else array_ops.stop_gradient(embedded)

    return loop_function


def previous_output(loop_function, prev, index, step_input):
    """Returns the input of a step: the given one, or what a loop function makes of the previous output."""
    if loop_function is None or prev is None:
        return step_input
    with variable_scope.variable_scope('loop_function', reuse=True):
        return loop_function(prev, index)


@export('contrib.legacy_seq2seq.rnn_decoder')
def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    """Runs a cell over a list of inputs.

    Args:
      decoder_inputs: a list of tensors [batch, size].
      initial_state: the first state of the cell.
      cell: an RNNCell.
      loop_function: a function (previous output, index) that returns the input of each step but the
        first, or None to use decoder_inputs.
      scope: a VariableScope, or the name of one. Defaults to "rnn_decoder".

    Returns:
      A list of outputs, and the last state.
    """
    with variable_scope.variable_scope(scope or 'rnn_decoder'):
        state, outputs, prev = initial_state, [], None
        for i, step_input in enumerate(decoder_inputs):
            step_input = previous_output(loop_function, prev, i, step_input)
            if i > 0:
                variable_scope.get_variable_scope().reuse_variables()
            prev, state = cell(step_input, state)
            outputs.append(prev)
        return outputs, state


@export('contrib.legacy_seq2seq.embedding_rnn_decoder')
@with_args_of(rnn_decoder)
def embedding_rnn_decoder(decoder_inputs, initial_state, cell, num_symbols, embedding_size,
                          output_projection=None, feed_previous=False,
                          update_embedding_for_previous=True, scope=None):
    """Runs a cell over the embeddings of a list of symbols.

    Args:
      decoder_inputs: a list of int32 vectors [batch].
      num_symbols: the number of symbols.
      embedding_size: the size of an embedding.
      output_projection: a pair (weights, biases) from outputs to logits, or None for outputs that are logits.
      feed_previous: whether the input of each step but the first is the most likely symbol of the
        previous output.
      update_embedding_for_previous: whether gradients flow into the embedding of that symbol.
      scope: a VariableScope, or the name of one. Defaults to "embedding_rnn_decoder".

    Returns:
      A list of outputs, and the last state.

    Raises:
      ValueError: if output_projection has the wrong shape.
    """
    with variable_scope.variable_scope(scope or 'embedding_rnn_decoder') as scope:
        check_projection(output_projection, num_symbols, scope.dtype)
        embedding = variable_scope.get_variable('embedding', [num_symbols, embedding_size])
        loop_function = argmax_and_embed(embedding, output_projection,
                                         update_embedding_for_previous) if feed_previous else None
        embedded = (embedding_ops.embedding_lookup(embedding, i) for i in decoder_inputs)
        return rnn_decoder(embedded, initial_state, cell, loop_function=loop_function)


def check_projection(output_projection, num_symbols, dtype):
    """Checks that a projection, if there is one, has a column for each symbol."""
    if output_projection is not None:
        weights = ops.convert_to_tensor(output_projection[0], dtype=dtype)
        weights.get_shape().assert_is_compatible_with([None, num_symbols])
        biases = ops.convert_to_tensor(output_projection[1], dtype=dtype)
        biases.get_shape().assert_is_compatible_with([num_symbols])
