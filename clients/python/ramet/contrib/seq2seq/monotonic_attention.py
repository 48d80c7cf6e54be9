"""Monotonic attention (arXiv 1704.00784), which moves through the memory in one direction."""

import functools

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.contrib.seq2seq import attention_mechanisms
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import functional_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.random import random_ops
from ramet.ops.variables import variable_scope


@export('contrib.seq2seq.safe_cumprod')
def safe_cumprod(x, *args, **kwargs):
    """Returns the cumulative product of values from 0 to 1, computed with logarithms.

    Args:
      x: a float tensor.
      *args: further arguments of tf.cumsum.
      **kwargs: further arguments of tf.cumsum, such as axis and exclusive.
    """
    with ops.name_scope(None, 'SafeCumprod', [x]):
        x = ops.convert_to_tensor(x, name='x')
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return math_ops.exp(math_ops.cumsum(gen.Log(clip_ops.clip_by_value(x, tiny, 1)), *args, **kwargs))


def _recursive(p_choose_i, previous_attention):
    batch_size = attention_mechanisms.static_or_dynamic(p_choose_i, 0)
    shifted = array_ops.concat([array_ops.ones((batch_size, 1), dtype=p_choose_i.dtype),
                         1 - p_choose_i[:, :-1]], 1)
    scanned = functional_ops.scan(
        lambda x, yz: array_ops.reshape(yz[0] * x + yz[1], (batch_size,)),
        [array_ops.transpose(shifted), array_ops.transpose(previous_attention)],
        array_ops.zeros((batch_size,), dtype=p_choose_i.dtype))
    return p_choose_i * array_ops.transpose(scanned)


def _parallel(p_choose_i, previous_attention):
    product = safe_cumprod(1 - p_choose_i, axis=1, exclusive=True)
    # The clipped divisor bounds the error where the product is almost zero.
    return p_choose_i * product * math_ops.cumsum(
        previous_attention / clip_ops.clip_by_value(product, 1e-10, 1.), axis=1)


def _hard(p_choose_i, previous_attention):
    p_choose_i *= math_ops.cumsum(previous_attention, axis=1)
    return p_choose_i * math_ops.cumprod(1 - p_choose_i, axis=1, exclusive=True)


_MODES = {'recursive': _recursive, 'parallel': _parallel, 'hard': _hard}


@export('contrib.seq2seq.monotonic_attention')
def monotonic_attention(p_choose_i, previous_attention, mode):
    """Returns the weights of a step of monotonic attention.

    Args:
      p_choose_i: the probabilities of choosing each element of the memory [batch, time].
      previous_attention: the weights of the previous step [batch, time].
      mode: 'recursive' (exact), 'parallel' (approximate, without a loop) or 'hard' (the
        probabilities must be 0 or 1).

    Raises:
      ValueError: if the mode is unknown.
    """
    p_choose_i = ops.convert_to_tensor(p_choose_i, name='p_choose_i')
    previous_attention = ops.convert_to_tensor(previous_attention, name='previous_attention')
    if mode not in _MODES:
        raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")
    return _MODES[mode](p_choose_i, previous_attention)


def _probability(score, previous_alignments, sigmoid_noise, mode, seed=None):
    if sigmoid_noise > 0:
        score += sigmoid_noise * random_ops.random_normal(array_ops.shape(score), dtype=score.dtype, seed=seed)
    p_choose_i = math_ops.cast(score > 0, score.dtype) if mode == 'hard' else math_ops.sigmoid(score)
    return monotonic_attention(p_choose_i, previous_alignments, mode)


def _initial_alignments(mechanism, batch_size, dtype):
    return array_ops.one_hot(array_ops.zeros((batch_size,), dtype=dtypes.int32), mechanism.alignments_size,
                      dtype=dtype)


def _biased(score, initial):
    return score + variable_scope.get_variable('attention_score_bias', dtype=score.dtype, shape=(),
                                   initializer=init_ops.Constant(initial))


@export('contrib.seq2seq.BahdanauMonotonicAttention')
@with_args_of(attention_mechanisms.BahdanauAttention)
class BahdanauMonotonicAttention(attention_mechanisms.BahdanauScores):
    """Monotonic attention with additive scores.

    Args:
      sigmoid_noise: the standard deviation of the noise that is added to the scores.
      sigmoid_noise_seed: the seed of the noise.
      score_bias_init: the initial value of the bias of the scores.
      mode: see monotonic_attention.
    """

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False,
                 score_mask_value=None, sigmoid_noise=0., sigmoid_noise_seed=None,
                 score_bias_init=0., mode='parallel', dtype=None, custom_key_value_fn=None,
                 name='BahdanauMonotonicAttention'):
        probability_fn = functools.partial(_probability, sigmoid_noise=sigmoid_noise, mode=mode,
                                           seed=sigmoid_noise_seed)
        super().__init__(num_units, memory, memory_sequence_length, normalize, probability_fn,
                         score_mask_value, dtype, custom_key_value_fn, name)
        self._score_bias_init = score_bias_init

    def initial_alignments(self, batch_size, dtype):
        """Returns weights of 1 for the first element, like BahdanauAttention.initial_alignments."""
        return _initial_alignments(self, batch_size, dtype)

    def __call__(self, query, state):
        """Returns the weights for a query, and the new state.

        Args:
          query: a tensor [batch, size].
          state: the weights of the previous step.
        """
        with variable_scope.variable_scope(None, 'bahdanau_monotonic_attention', [query]):
            return self._attend(_biased(self._score(query), self._score_bias_init), state)


@export('contrib.seq2seq.LuongMonotonicAttention')
@with_args_of(BahdanauMonotonicAttention, attention_mechanisms.LuongAttention)
class LuongMonotonicAttention(attention_mechanisms.LuongScores):
    """Monotonic attention with multiplicative scores.

    Args:
      num_units: the size of the keys, which is that of the queries.
    """

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False,
                 score_mask_value=None, sigmoid_noise=0., sigmoid_noise_seed=None,
                 score_bias_init=0., mode='parallel', dtype=None, custom_key_value_fn=None,
                 name='LuongMonotonicAttention'):
        probability_fn = functools.partial(_probability, sigmoid_noise=sigmoid_noise, mode=mode,
                                           seed=sigmoid_noise_seed)
        super().__init__(num_units, memory, memory_sequence_length, scale, probability_fn,
                         score_mask_value, dtype, custom_key_value_fn, name)
        self._score_bias_init = score_bias_init

    def initial_alignments(self, batch_size, dtype):
        """Returns weights of 1 for the first element, like LuongAttention.initial_alignments."""
        return _initial_alignments(self, batch_size, dtype)

    def __call__(self, query, state):
        """Returns the weights for a query, and the new state.

        Args:
          query: a tensor [batch, num_units].
          state: the weights of the previous step.
        """
        with variable_scope.variable_scope(None, 'luong_monotonic_attention', [query]):
            return self._attend(_biased(self._score(query), self._score_bias_init), state)
