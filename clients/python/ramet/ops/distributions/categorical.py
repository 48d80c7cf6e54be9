"""The categorical distribution."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.distributions import distribution_checks
from ramet.ops.distributions.bernoulli import Bernoulli
from ramet.ops.distributions.distribution import NOT_REPARAMETERIZED
from ramet.ops.distributions.kullback_leibler import RegisterKL
from ramet.ops.distributions.scalar_distribution import ScalarDistribution
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation, nn_loss
from ramet.ops.random import random_ops


def _broadcast(event, params, dtype):
    """Returns classes as integers, and parameters, with the same shape except for the last dimension of params."""
    if event.dtype.is_floating:
        event = math_ops.cast(event, dtypes.int32)
    elif not event.dtype.is_integer:
        raise TypeError(f'`value` should have integer `dtype` or `self.dtype` ({dtype.base_dtype})')
    batch = params.shape[:-1] if params.shape.ndims is not None else None
    known = batch is not None and batch.is_fully_defined() and event.shape.is_fully_defined()
    if not known or batch != event.shape:
        params *= array_ops.ones_like(event[..., None], dtype=params.dtype)
        event *= array_ops.ones(array_ops.shape(params)[:-1], dtype=event.dtype)
        if params.shape.ndims is not None:
            event.set_shape(params.shape[:-1])
    return event, params


@export('distributions.Categorical')
@with_args_of(Bernoulli)
class Categorical(ScalarDistribution):
    """The distribution of the classes 0, 1, ... with the probabilities `probs`, or softmax(logits).

    Args:
      logits: unnormalized log probabilities, a floating-point Tensor [..., classes]; instead of probs.
      probs: the probabilities, a floating-point Tensor [..., classes].

    Raises:
      ValueError: if both or none of logits and probs are given.
    """

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False, allow_nan_stats=True,
                 name='Categorical'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = distribution_checks.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, multidimensional=True, name=name)
            if validate_args:
                self._logits = distribution_checks.categorical_parameter(self._logits)
            self._set_shapes(self._logits.get_shape().with_rank_at_least(1))
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._logits, self._probs], name)

    def _set_shapes(self, known):
        if known.ndims is not None:
            self._batch_rank = ops.convert_to_tensor(known.ndims - 1, dtype=dtypes.int32, name='batch_rank')
        else:
            with ops.name_scope(name='batch_rank'):
                self._batch_rank = array_ops.rank(self._logits) - 1
        shape = array_ops.shape(self._logits, name='logits_shape')
        classes = tensor_shape.dimension_value(known[-1]) if known.ndims is not None else None
        if classes is not None:
            self._event_size = ops.convert_to_tensor(classes, dtype=dtypes.int32, name='event_size')
        else:
            with ops.name_scope(name='event_size'):
                self._event_size = shape[self._batch_rank]
        if known.ndims is not None and known[:-1].is_fully_defined():
            self._batch_shape_value = constant_op.constant(
                known[:-1].as_list(), dtype=dtypes.int32, name='batch_shape')
        else:
            with ops.name_scope(name='batch_shape'):
                self._batch_shape_value = shape[:-1]

    @property
    def event_size(self):
        """The number of classes, an int32 scalar."""
        return self._event_size

    @property
    def logits(self):
        """The logarithms of the probabilities, up to a constant, a Tensor [..., classes]."""
        return self._logits

    @property
    def probs(self):
        """The probabilities, a Tensor [..., classes]."""
        return self._probs

    def _batch_shape_tensor(self):
        return array_ops.identity(self._batch_shape_value)

    def _batch_shape(self):
        return self.logits.get_shape()[:-1]

    def _sample_n(self, n, seed=None):
        logits = self.logits
        if logits.get_shape().ndims != 2:
            logits = array_ops.reshape(logits, [-1, self.event_size])
        dtype = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        draws = random_ops.multinomial(logits, n, seed=seed, output_dtype=dtype)
        draws = array_ops.transpose(draws)
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        return math_ops.cast(array_ops.reshape(draws, shape), self.dtype)

    def _classes(self, k, params):
        k = ops.convert_to_tensor(k, name='k')
        if self.validate_args:
            k = distribution_checks.integers_of(k, dtypes.int32)
        return _broadcast(k, params, self.dtype)

    def _log_prob(self, k):
        k, logits = self._classes(k, self.logits)
        return -nn_loss.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k):
        k, probs = self._classes(k, self.probs)
        rows = array_ops.reshape(probs, (-1, self._event_size))
        below = array_ops.sequence_mask(array_ops.reshape(k, [-1]), self._event_size)
        sums = math_ops.reduce_sum(array_ops.where(below, rows, array_ops.zeros_like(rows)), axis=-1)
        return array_ops.reshape(sums, array_ops.shape(k))

    def _entropy(self):
        return -math_ops.reduce_sum(nn_activation.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self):
        mode = math_ops.cast(math_ops.argmax(self.logits, axis=self._batch_rank), self.dtype)
        mode.set_shape(self.batch_shape)
        return mode


@RegisterKL(Categorical, Categorical)
def _kl_categorical_categorical(a, b, name=None):
    with ops.name_scope(name, 'kl_categorical_categorical', values=[a.logits, b.logits]):
        delta = nn_activation.log_softmax(a.logits) - nn_activation.log_softmax(b.logits)
        return math_ops.reduce_sum(nn_activation.softmax(a.logits) * delta, axis=-1)
