"""The multinomial distribution."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import map_fn
from ramet.ops.distributions import distribution_checks
from ramet.ops.distributions.dirichlet import checked_counts, outer_covariance
from ramet.ops.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.random import random_ops


@export('distributions.Multinomial')
class Multinomial(Distribution):
    """The distribution of counts of classes among `total_count` draws from a categorical distribution."""

    def __init__(self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True,
                 name='Multinomial'):
        """Creates a batch of distributions.

        Args:
          total_count: the number of draws, a floating-point Tensor [...].
          logits: unnormalized log probabilities, a Tensor [..., classes] of the same dtype; instead of probs.
          probs: the probabilities, a Tensor [..., classes] of the same dtype.
          validate_args: whether runs check parameters and values.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.

        Raises:
          ValueError: if both or none of logits and probs are given.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[total_count, logits, probs]) as name:
            self._total_count = ops.convert_to_tensor(total_count, name='total_count')
            if validate_args:
                self._total_count = distribution_checks.nonnegative_integers(self._total_count)
            self._logits, self._probs = distribution_checks.get_logits_and_probs(
                logits=logits, probs=probs, multidimensional=True, validate_args=validate_args, name=name)
            self._mean_val = self._total_count[..., None] * self._probs
        super().__init__(self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._total_count, self._logits, self._probs], name)

    @property
    def total_count(self):
        """The number of draws, a Tensor."""
        return self._total_count

    @property
    def logits(self):
        """The logarithms of the probabilities, up to a constant, a Tensor [..., classes]."""
        return self._logits

    @property
    def probs(self):
        """The probabilities, a Tensor [..., classes]."""
        return self._probs

    def _batch_shape_tensor(self):
        return array_ops.shape(self._mean_val)[:-1]

    def _batch_shape(self):
        return self._mean_val.get_shape().with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self):
        return array_ops.shape(self._mean_val)[-1:]

    def _event_shape(self):
        return self._mean_val.get_shape().with_rank_at_least(1)[-1:]

    def _sample_n(self, n, seed=None):
        draws = math_ops.cast(self.total_count, dtype=dtypes.int32)
        classes = self.event_shape_tensor()[0]
        draws = array_ops.ones_like(self.logits[..., 0], dtype=draws.dtype) * draws
        logits = array_ops.ones_like(draws[..., None], dtype=self.logits.dtype) * self.logits
        rows = array_ops.reshape(logits, [-1, classes])
        draws_of_rows = n * array_ops.reshape(draws, [-1])

        def counts(row):
            drawn = random_ops.multinomial(row[0][None, ...], row[1], seed)
            drawn = array_ops.reshape(drawn, shape=[n, -1])
            return math_ops.reduce_sum(array_ops.one_hot(drawn, depth=classes), axis=-2)

        samples = map_fn.map_fn(counts, [rows, draws_of_rows], dtype=self.dtype)
        samples = array_ops.transpose(samples, perm=[1, 0, 2])
        return array_ops.reshape(samples, array_ops.concat([[n], self.batch_shape_tensor(), [classes]], 0))

    def _log_prob(self, counts):
        return self._log_unnormalized_prob(counts) - self._log_normalization(counts)

    def _log_unnormalized_prob(self, counts):
        return math_ops.reduce_sum(self._checked_counts(counts) * nn_activation.log_softmax(self.logits), -1)

    def _log_normalization(self, counts):
        return -distribution_checks.log_combinations(self.total_count, self._checked_counts(counts))

    def _checked_counts(self, counts):
        return checked_counts(self, counts, 'counts must sum to `self.total_count`')

    def _mean(self):
        return array_ops.identity(self._mean_val)

    def _covariance(self):
        return outer_covariance(self._mean_val, self._probs_of_batch(), self._variance)

    def _variance(self):
        return self._mean_val - self._mean_val * self._probs_of_batch()

    def _probs_of_batch(self):
        return self.probs * array_ops.ones_like(self.total_count)[..., None]
