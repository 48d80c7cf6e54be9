"""Decoders that attend to the states of an encoder at each step."""

from ramet.api import export
from ramet.contrib.legacy_seq2seq import rnn_decoders
from ramet.contrib.rnn.linear import linear
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, nest, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import embedding_ops, nn_activation, nn_conv
from ramet.ops.variables import variable_scope


class _Attention:
    """Reads from the states of an encoder: a weighted mean of them for each head (arXiv 1412.7449)."""

    def __init__(self, states, num_heads, dtype):
        self.dtype, self.num_heads = dtype, num_heads
        shape = states.get_shape()
        length = tensor_shape.dimension_value(shape[1])
        self.length = array_ops.shape(states)[1] if length is None else length
        self.size = tensor_shape.dimension_value(shape[2])
        # A convolution with a 1x1 window computes the keys of all states.
        self.hidden = array_ops.reshape(states, [-1, self.length, 1, self.size])
        self.keys, self.v = [], []
        for head in range(num_heads):
            k = variable_scope.get_variable(f'AttnW_{head}', [1, 1, self.size, self.size], dtype=dtype)
            self.keys.append(nn_conv.conv2d(self.hidden, k, [1, 1, 1, 1], 'SAME'))
            self.v.append(variable_scope.get_variable(f'AttnV_{head}', [self.size], dtype=dtype))

    def zeros(self, batch_size):
        shape = array_ops.stack([batch_size, self.size])
        reads = [array_ops.zeros(shape, dtype=self.dtype) for _ in range(self.num_heads)]
        for read in reads:
            read.set_shape([None, self.size])
        return reads

    def __call__(self, query):
        """Returns what each head reads for a state of the decoder."""
        if nest.is_nested(query):
            query = array_ops.concat(nest.flatten(query), 1)
        return [self._read(head, query) for head in range(self.num_heads)]

    def _read(self, head, query):
        with variable_scope.variable_scope(f'Attention_{head}'):
            y = array_ops.reshape(linear(query, self.size, True), [-1, 1, 1, self.size])
            y = math_ops.cast(y, self.dtype)
            scores = math_ops.reduce_sum(self.v[head] * math_ops.tanh(self.keys[head] + y), [2, 3])
            weights = math_ops.cast(nn_activation.softmax(math_ops.cast(scores, dtypes.float32)), self.dtype)
            read = math_ops.reduce_sum(array_ops.reshape(weights, [-1, self.length, 1, 1]) * self.hidden, [1, 2])
            return array_ops.reshape(read, [-1, self.size])


def _check(decoder_inputs, num_heads, attention_states):
    if not decoder_inputs:
        raise ValueError('Must provide at least 1 input to attention decoder.')
    if num_heads < 1:
        raise ValueError('With less than 1 heads, use a non-attention decoder.')
    if tensor_shape.dimension_value(attention_states.get_shape()[2]) is None:
        raise ValueError('Shape[2] of attention_states must be known: '
                         f'{attention_states.get_shape()}')


@export('contrib.legacy_seq2seq.attention_decoder')
@with_args_of(rnn_decoders.rnn_decoder)
def attention_decoder(decoder_inputs, initial_state, attention_states, cell, output_size=None,
                      num_heads=1, loop_function=None, dtype=None, scope=None,
                      initial_state_attention=False):
    """Runs a cell over a list of inputs, with attention to the states of an encoder.

    Args:
      attention_states: a tensor [batch, length, size].
      output_size: the size of the outputs. Defaults to that of the cell.
      num_heads: the number of attention heads.
      dtype: the DType of the variables. Defaults to that of the scope.
      scope: a VariableScope, or the name of one. Defaults to "attention_decoder".
      initial_state_attention: whether the first step attends to the states, instead of using zeros.

    Returns:
      A list of outputs [batch, output_size], and the last state.

    Raises:
      ValueError: if there are no inputs or no heads, or a required size is unknown.
    """
    _check(decoder_inputs, num_heads, attention_states)
    output_size = cell.output_size if output_size is None else output_size
    with variable_scope.variable_scope(scope or 'attention_decoder', dtype=dtype) as opened:
        batch_size = array_ops.shape(decoder_inputs[0])[0]
        attention = _Attention(attention_states, num_heads, opened.dtype)
        reads = attention.zeros(batch_size)
        if initial_state_attention:
            reads = attention(initial_state)
        state, outputs, prev = initial_state, [], None
        for i, step_input in enumerate(decoder_inputs):
            if i > 0:
                variable_scope.get_variable_scope().reuse_variables()
            step_input = rnn_decoders.previous_output(loop_function, prev, i, step_input)
            output, state = cell(_joined(step_input, reads, opened.dtype), state)
            if i == 0 and initial_state_attention:
                with variable_scope.variable_scope(variable_scope.get_variable_scope(), reuse=True):
                    reads = attention(state)
            else:
                reads = attention(state)
            with variable_scope.variable_scope('AttnOutputProjection'):
                prev = linear([math_ops.cast(output, opened.dtype), *reads], output_size, True)
            outputs.append(prev)
        return outputs, state


def _joined(step_input, reads, dtype):
    """Returns the input of the cell: a linear map of the input of the step and the attention's reads."""
    size = tensor_shape.dimension_value(step_input.get_shape().with_rank(2)[1])
    if size is None:
        raise ValueError(f'Could not infer input size from input: {step_input.name}')
    return linear([math_ops.cast(e, dtype) for e in [step_input, *reads]], size, True)


@export('contrib.legacy_seq2seq.embedding_attention_decoder')
@with_args_of(attention_decoder, rnn_decoders.embedding_rnn_decoder)
def embedding_attention_decoder(decoder_inputs, initial_state, attention_states, cell, num_symbols,
                                embedding_size, num_heads=1, output_size=None,
                                output_projection=None, feed_previous=False,
                                update_embedding_for_previous=True, dtype=None, scope=None,
                                initial_state_attention=False):
    """Runs a cell over the embeddings of a list of symbols, with attention to an encoder's states.

    Args:
      decoder_inputs: a list of int32 vectors [batch].
      scope: a VariableScope, or the name of one. Defaults to "embedding_attention_decoder".

    Returns:
      A list of outputs [batch, output_size], and the last state.

    Raises:
      ValueError: if output_projection has the wrong shape.
    """
    output_size = cell.output_size if output_size is None else output_size
    if output_projection is not None:
        biases = ops.convert_to_tensor(output_projection[1], dtype=dtype)
        biases.get_shape().assert_is_compatible_with([num_symbols])
    with variable_scope.variable_scope(scope or 'embedding_attention_decoder', dtype=dtype):
        embedding = variable_scope.get_variable('embedding', [num_symbols, embedding_size])
        loop_function = rnn_decoders.argmax_and_embed(
            embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        embedded = [embedding_ops.embedding_lookup(embedding, i) for i in decoder_inputs]
        return attention_decoder(
            embedded, initial_state, attention_states, cell, output_size=output_size,
            num_heads=num_heads, loop_function=loop_function,
            initial_state_attention=initial_state_attention)
