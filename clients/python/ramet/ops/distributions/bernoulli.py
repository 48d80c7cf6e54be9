"""The Bernoulli distribution."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.distributions import distribution_checks
from ramet.ops.distributions.distribution import NOT_REPARAMETERIZED
from ramet.ops.distributions.kullback_leibler import RegisterKL
from ramet.ops.distributions.scalar_distribution import ScalarDistribution
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_loss
from ramet.ops.random import random_ops


@export('distributions.Bernoulli')
class Bernoulli(ScalarDistribution):
    """The distribution of 1 with the probability `probs`, or sigmoid(logits), and 0 otherwise."""

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False, allow_nan_stats=True,
                 name='Bernoulli'):
        """Creates a batch of distributions.

        Args:
          logits: the log-odds of 1, a floating-point Tensor; instead of probs.
          probs: the probabilities of 1, a floating-point Tensor.
          dtype: the dtype of samples.
          validate_args: whether runs check probabilities and values.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.

        Raises:
          ValueError: if both or none of logits and probs are given.
        """
        parameters = dict(locals())
        with ops.name_scope(name) as name:
            self._logits, self._probs = distribution_checks.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, name=name)
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._logits, self._probs], name)

    @staticmethod
    def _param_shapes(sample_shape):
        return {'logits': ops.convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    @property
    def logits(self):
        """The log-odds of 1, a Tensor."""
        return self._logits

    @property
    def probs(self):
        """The probabilities of 1, a Tensor."""
        return self._probs

    def _shape_parents(self):
        return [self._logits]

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        uniform = random_ops.random_uniform(shape, seed=seed, dtype=self.probs.dtype)
        return math_ops.cast(math_ops.less(uniform, self.probs), self.dtype)

    def _log_prob(self, event):
        if self.validate_args:
            event = distribution_checks.integers_of(event, dtypes.bool)
        event, logits = math_ops.cast(event, self.logits.dtype), self.logits
        shapes = event.get_shape(), logits.get_shape()
        if not (shapes[0].is_fully_defined() and shapes[1].is_fully_defined() and shapes[0] == shapes[1]):
            logits, event = array_ops.ones_like(event) * logits, array_ops.ones_like(logits) * event
        return -nn_loss.sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self):
        return -self.logits * (math_ops.sigmoid(self.logits) - 1) + math_ops.softplus(-self.logits)

    def _mean(self):
        return array_ops.identity(self.probs)

    def _variance(self):
        return self._mean() * (1. - self.probs)

    def _mode(self):
        return math_ops.cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(a, b, name=None):
    with ops.name_scope(name, 'kl_bernoulli_bernoulli', values=[a.logits, b.logits]):
        delta0 = math_ops.softplus(-b.logits) - math_ops.softplus(-a.logits)
        delta1 = math_ops.softplus(b.logits) - math_ops.softplus(a.logits)
        return math_ops.sigmoid(a.logits) * delta0 + math_ops.sigmoid(-a.logits) * delta1
