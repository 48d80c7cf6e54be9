"""Attention to the outputs of an encoder: scores, probabilities, and the mechanisms of Luong and Bahdanau."""

import math

import numpy as np

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, nest, ops, tensor_shape
from ramet.layers import core
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.variables import variable_scope


def static_or_dynamic(tensor, axis):
    """Returns the size of an axis, as a number if it is known."""
    size = tensor_shape.dimension_value(tensor.shape[axis])
    return array_ops.shape(tensor)[axis] if size is None else size


@export('contrib.seq2seq.AttentionMechanism')
class AttentionMechanism:
    """A function from a query and a state to the weights of the values that it holds."""

    @property
    def alignments_size(self):
        """The number of weights of a sequence."""
        raise NotImplementedError

    @property
    def state_size(self):
        """The sizes of the state."""
        raise NotImplementedError


def _prepared(memory, lengths, check_inner_dims_defined):
    """Returns the memory with zeros after the ends of the sequences."""
    memory = nest.map_structure(lambda m: ops.convert_to_tensor(m, name='memory'), memory)
    if check_inner_dims_defined:
        for m in nest.flatten(memory):
            if not m.get_shape()[2:].is_fully_defined():
                raise ValueError(f'Expected memory {m.name} to have fully defined inner dims, '
                                 f'but saw shape: {m.get_shape()}')
    if lengths is None:
        return memory
    first = nest.flatten(memory)[0]
    mask = array_ops.sequence_mask(lengths, maxlen=array_ops.shape(first)[1], dtype=first.dtype)
    check = check_ops.assert_equal(
        static_or_dynamic(first, 0), static_or_dynamic(lengths, 0),
        message='memory_sequence_length and memory tensor batch sizes do not match.')

    def masked(m):
        rank = array_ops.rank(m) if m.get_shape().ndims is None else m.get_shape().ndims
        with ops.control_dependencies([check] if check is not None else []):
            return m * array_ops.reshape(mask, array_ops.concat(
                (array_ops.shape(mask), array_ops.ones([rank - 2], dtype=dtypes.int32)), 0))

    return nest.map_structure(masked, memory)


def _masked_score(score, lengths, value):
    if lengths is None:
        return score
    check = check_ops.assert_positive(
        lengths, message='All values in memory_sequence_length must greater than zero.')
    with ops.control_dependencies([check] if check is not None else []):
        mask = array_ops.sequence_mask(lengths, maxlen=array_ops.shape(score)[1])
        return array_ops.where(mask, score, value * array_ops.ones_like(score))


class MemoryAttention(AttentionMechanism):
    """A mechanism whose keys and values come from a memory [batch, time, ...], such as an encoder's outputs.

    Args:
      query_layer: a Layer of the queries, or None.
      memory: a tensor [batch, time, ...].
      probability_fn: a function (scores, state) -> weights.
      memory_sequence_length: an int vector [batch]: the lengths of the sequences, or None.
      memory_layer: a Layer from the memory to the keys, or None.
      check_inner_dims_defined: whether the sizes of the memory's inner axes must be known.
      score_mask_value: the score after the end of a sequence. Defaults to minus infinity.
      custom_key_value_fn: a function (keys, values) -> (keys, values), or None.
      name: the name of the mechanism.
    """

    def __init__(self, query_layer, memory, probability_fn, memory_sequence_length=None,
                 memory_layer=None, check_inner_dims_defined=True, score_mask_value=None,
                 custom_key_value_fn=None, name=None):
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype
        if not callable(probability_fn):
            raise TypeError('probability_fn must be callable, saw type: '
                            f'{type(probability_fn).__name__}')
        with ops.name_scope(name, 'BaseAttentionMechanismInit', nest.flatten(memory)):
            lengths = memory_sequence_length
            if lengths is not None:
                lengths = ops.convert_to_tensor(lengths, name='memory_sequence_length')
            self._values = _prepared(memory, lengths, check_inner_dims_defined)
            self._keys = memory_layer(self._values) if memory_layer else self._values
            if score_mask_value is None:
                score_mask_value = -np.inf
            self._probability_fn = lambda score, state: probability_fn(
                _masked_score(score, lengths, score_mask_value), state)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = static_or_dynamic(self._keys, 0)
            self._alignments_size = static_or_dynamic(self._keys, 1)

    memory_layer = property(lambda self: self._memory_layer)
    query_layer = property(lambda self: self._query_layer)
    values = property(lambda self: self._values)
    keys = property(lambda self: self._keys)
    batch_size = property(lambda self: self._batch_size)
    alignments_size = property(lambda self: self._alignments_size)
    state_size = property(lambda self: self._alignments_size)

    def initial_alignments(self, batch_size, dtype):
        """Returns the weights before the first step: zeros [batch, time].

        Args:
          batch_size: the number of sequences, a number or an int32 scalar.
          dtype: the DType of the weights.
        """
        zeros = array_ops.zeros(array_ops.stack([batch_size, self._alignments_size]), dtype=dtype)
        zeros.set_shape([batch_size if isinstance(batch_size, int) else None,
                         self._alignments_size if isinstance(self._alignments_size, int)
                         else None])
        return zeros

    def initial_state(self, batch_size, dtype):
        """Returns the state before the first step; see initial_alignments."""
        return self.initial_alignments(batch_size, dtype)

    def _attend(self, score, state):
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def _softmax_unless(probability_fn):
    function = probability_fn or nn_activation.softmax
    return lambda score, _: function(score)


def luong_score(query, keys, scale):
    """Returns the products of the query with the keys, [batch, time], times a scale if it is not None."""
    depth, units = query.get_shape()[-1], keys.get_shape()[-1]
    if tensor_shape.dimension_value(depth) != tensor_shape.dimension_value(units):
        raise ValueError(
            f'Incompatible or unknown inner dimensions between query and keys.  Query ({query}) '
            f'has units: {depth}.  Keys ({keys}) have units: {units}.  Perhaps you need to set '
            f"num_units to the keys' dimension ({units})?")
    score = array_ops.squeeze(math_ops.matmul(array_ops.expand_dims(query, 1), keys, transpose_b=True), [1])
    return score if scale is None else scale * score


def bahdanau_score(query, keys, v, g=None, b=None):
    """Returns sum(v * tanh(keys + query)), [batch, time]; with g and b, v is normalized to length g."""
    query = array_ops.expand_dims(query, 1)
    if g is None:
        return math_ops.reduce_sum(v * math_ops.tanh(keys + query), [2])
    normed = g * v * math_ops.rsqrt(math_ops.reduce_sum(math_ops.square(v)))
    return math_ops.reduce_sum(normed * math_ops.tanh(keys + query + b), [2])


def _layer(units, name, dtype):
    return core.Dense(units, name=name, use_bias=False, dtype=dtype or dtypes.float32)


class LuongScores(MemoryAttention):
    """A mechanism with multiplicative scores."""

    def __init__(self, num_units, memory, memory_sequence_length, scale, probability_fn,
                 score_mask_value, dtype, custom_key_value_fn, name):
        super().__init__(
            query_layer=None, memory_layer=_layer(num_units, 'memory_layer', dtype),
            memory=memory, probability_fn=probability_fn,
            memory_sequence_length=memory_sequence_length, score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn, name=name)
        self._num_units, self._scale, self._name = num_units, scale, name

    def _score(self, query):
        scale = None
        if self._scale:
            scale = variable_scope.get_variable('attention_g', dtype=query.dtype,
                                    initializer=init_ops.Ones(), shape=())
        return luong_score(query, self._keys, scale)


class BahdanauScores(MemoryAttention):
    """A mechanism with additive scores."""

    def __init__(self, num_units, memory, memory_sequence_length, normalize, probability_fn,
                 score_mask_value, dtype, custom_key_value_fn, name):
        super().__init__(
            query_layer=_layer(num_units, 'query_layer', dtype),
            memory_layer=_layer(num_units, 'memory_layer', dtype), memory=memory,
            probability_fn=probability_fn, memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value, custom_key_value_fn=custom_key_value_fn, name=name)
        self._num_units, self._normalize, self._name = num_units, normalize, name

    def _score(self, query):
        processed = self._query_layer(query)
        v = variable_scope.get_variable('attention_v', [self._num_units], dtype=query.dtype)
        g = b = None
        if self._normalize:
            g = variable_scope.get_variable('attention_g', shape=(), dtype=query.dtype,
                                initializer=init_ops.Constant(
                                    math.sqrt(1 / self._num_units)))
            b = variable_scope.get_variable('attention_b', [self._num_units], dtype=query.dtype,
                                initializer=init_ops.Zeros())
        return bahdanau_score(processed, self._keys, v, g, b)


@export('contrib.seq2seq.LuongAttention')
@with_args_of(MemoryAttention)
class LuongAttention(LuongScores):
    """Multiplicative attention (arXiv 1508.04025).

    Args:
      num_units: the size of the keys, which is that of the queries.
      memory: the memory to attend to, a tensor [batch, time, ...].
      scale: whether to multiply the scores by a variable.
      probability_fn: a function from scores to weights. Defaults to the softmax.
      dtype: the DType of the keys. Defaults to float32.
    """

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False,
                 probability_fn=None, score_mask_value=None, dtype=None,
                 custom_key_value_fn=None, name='LuongAttention'):
        super().__init__(num_units, memory, memory_sequence_length, scale,
                         _softmax_unless(probability_fn), score_mask_value, dtype,
                         custom_key_value_fn, name)

    def __call__(self, query, state):
        """Returns the weights for a query, and the new state.

        Args:
          query: a tensor [batch, num_units].
          state: the weights of the previous step.
        """
        with variable_scope.variable_scope(None, 'luong_attention', [query]):
            return self._attend(self._score(query), state)


@export('contrib.seq2seq.BahdanauAttention')
@with_args_of(LuongAttention, MemoryAttention)
class BahdanauAttention(BahdanauScores):
    """Additive attention (arXiv 1409.0473).

    Args:
      num_units: the size of the keys and of the transformed queries.
      normalize: whether to normalize the scores (arXiv 1602.07868).
    """

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False,
                 probability_fn=None, score_mask_value=None, dtype=None,
                 custom_key_value_fn=None, name='BahdanauAttention'):
        super().__init__(num_units, memory, memory_sequence_length, normalize,
                         _softmax_unless(probability_fn), score_mask_value, dtype,
                         custom_key_value_fn, name)

    def __call__(self, query, state):
        """Returns the weights for a query, and the new state.

        Args:
          query: a tensor [batch, size].
          state: the weights of the previous step.
        """
        with variable_scope.variable_scope(None, 'bahdanau_attention', [query]):
            return self._attend(self._score(query), state)
