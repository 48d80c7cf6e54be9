"""The gamma and exponential distributions."""

import numpy as np

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops, check_types
from ramet.ops.distributions import distribution_checks
from ramet.ops.distributions.distribution import FULLY_REPARAMETERIZED
from ramet.ops.distributions.kullback_leibler import RegisterKL
from ramet.ops.distributions.scalar_distribution import ScalarDistribution
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


@export('distributions.Gamma')
class Gamma(ScalarDistribution):
    """The gamma distribution, whose density is proportional to x^(concentration - 1) * exp(-x * rate)."""

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name='Gamma'):
        """Creates a batch of distributions.

        Args:
          concentration: the shape parameters, a floating-point Tensor.
          rate: the inverse scales, a Tensor of the same dtype. Both broadcast.
          validate_args: whether runs check that parameters and values are positive.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.

        Raises:
          ValueError: if concentration and rate have different dtypes.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration, rate]) as name:
            checks = [check_ops.assert_positive(concentration), check_ops.assert_positive(rate)] \
                if validate_args else []
            with ops.control_dependencies(checks):
                self._concentration = array_ops.identity(concentration, name='concentration')
                self._rate = array_ops.identity(rate, name='rate')
                check_types.assert_same_float_dtype([self._concentration, self._rate])
        super().__init__(self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         parameters, [self._concentration, self._rate], name)

    @staticmethod
    def _param_shapes(sample_shape):
        return dict.fromkeys(('concentration', 'rate'), ops.convert_to_tensor(sample_shape, dtype=dtypes.int32))

    @property
    def concentration(self):
        """The shape parameters, a Tensor."""
        return self._concentration

    @property
    def rate(self):
        """The inverse scales, a Tensor."""
        return self._rate

    def _shape_parents(self):
        return [self.concentration, self.rate]

    def _sample_n(self, n, seed=None):
        return random_ops.random_gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, x):
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _cdf(self, x):
        return math_ops.igamma(self.concentration, self.rate * self._checked_sample(x))

    def _log_unnormalized_prob(self, x):
        x = self._checked_sample(x)
        return math_ops.xlogy(self.concentration - 1., x) - self.rate * x

    def _log_normalization(self):
        return math_ops.lgamma(self.concentration) - self.concentration * math_ops.log(self.rate)

    def _entropy(self):
        return (self.concentration - math_ops.log(self.rate) + math_ops.lgamma(self.concentration)
                + (1. - self.concentration) * math_ops.digamma(self.concentration))

    def _mean(self):
        return self.concentration / self.rate

    def _variance(self):
        return self.concentration / math_ops.square(self.rate)

    def _stddev(self):
        return math_ops.sqrt(self.concentration) / self.rate

    def _mode(self):
        return distribution_checks.defined_where(
            self, lambda: self.concentration > 1., (self.concentration - 1.) / self.rate, self.batch_shape_tensor,
            lambda: [check_ops.assert_less(
                array_ops.ones([], self.dtype), self.concentration,
                message='mode not defined when any concentration <= 1')])

    def _checked_sample(self, x):
        check_types.assert_same_float_dtype(tensors=[x], dtype=self.dtype)
        return distribution_checks.checked(self, lambda: [check_ops.assert_positive(x)], x)


@RegisterKL(Gamma, Gamma)
def _kl_gamma_gamma(a, b, name=None):
    with ops.name_scope(name, 'kl_gamma_gamma', values=[a.concentration, a.rate, b.concentration, b.rate]):
        return ((a.concentration - b.concentration) * math_ops.digamma(a.concentration)
                + math_ops.lgamma(b.concentration) - math_ops.lgamma(a.concentration)
                + b.concentration * math_ops.log(a.rate) - b.concentration * math_ops.log(b.rate)
                + a.concentration * (b.rate / a.rate - 1.))


@export('distributions.Exponential')
class Exponential(Gamma):
    """The exponential distribution, with the density rate * exp(-x * rate)."""

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name='Exponential'):
        """Creates a batch of distributions.

        Args:
          rate: the inverse means, a floating-point Tensor.
          validate_args: whether runs check that parameters and values are positive.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[rate]) as name:
            self._rate = ops.convert_to_tensor(rate, name='rate')
        super().__init__(array_ops.ones([], dtype=self._rate.dtype), self._rate, validate_args, allow_nan_stats, name)
        del parameters['self']
        self._parameters = parameters
        self._graph_parents += [self._rate]

    @staticmethod
    def _param_shapes(sample_shape):
        return {'rate': ops.convert_to_tensor(sample_shape, dtype=dtypes.int32)}

    def _log_survival_function(self, value):
        return self._log_prob(value) - math_ops.log(self._rate)

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], array_ops.shape(self._rate)], 0)
        # The lower bound is not 0, whose logarithm would be infinite.
        uniform = random_ops.random_uniform(
            shape, minval=np.finfo(self.dtype.as_numpy_dtype).tiny, maxval=1., seed=seed, dtype=self.dtype)
        return -math_ops.log(uniform) / self._rate
