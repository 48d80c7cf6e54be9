"""The beta distribution."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops, check_types
from ramet.ops.control_flow import dependencies
from ramet.ops.distributions import distribution_checks
from ramet.ops.distributions.distribution import FULLY_REPARAMETERIZED
from ramet.ops.distributions.distribution_shapes import gen_new_seed
from ramet.ops.distributions.kullback_leibler import RegisterKL
from ramet.ops.distributions.scalar_distribution import ScalarDistribution
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


def positive_concentration(concentration, validate_args):
    """Returns concentrations, whose run fails unless they are positive.

    Args:
      concentration: a Tensor.
      validate_args: whether to check.
    """
    if not validate_args:
        return concentration
    return dependencies.with_dependencies(
        [check_ops.assert_positive(concentration, message='Concentration parameter must be positive.')],
        concentration)


@export('distributions.Beta')
class Beta(ScalarDistribution):
    """The beta distribution, whose density is proportional to x^(concentration1 - 1) * (1 - x)^(concentration0 - 1)."""

    def __init__(self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True,
                 name='Beta'):
        """Creates a batch of distributions.

        Args:
          concentration1: the concentrations near 1, a floating-point Tensor.
          concentration0: the concentrations near 0, a Tensor of the same dtype. Both broadcast.
          validate_args: whether runs check parameters and values.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.

        Raises:
          ValueError: if the concentrations have different dtypes.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration1, concentration0]) as name:
            self._concentration1 = positive_concentration(
                ops.convert_to_tensor(concentration1, name='concentration1'), validate_args)
            self._concentration0 = positive_concentration(
                ops.convert_to_tensor(concentration0, name='concentration0'), validate_args)
            check_types.assert_same_float_dtype([self._concentration1, self._concentration0])
            self._total_concentration = self._concentration1 + self._concentration0
        super().__init__(self._total_concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         parameters, [self._concentration1, self._concentration0, self._total_concentration], name)

    @staticmethod
    def _param_shapes(sample_shape):
        return dict.fromkeys(
            ('concentration1', 'concentration0'), ops.convert_to_tensor(sample_shape, dtype=dtypes.int32))

    @property
    def concentration1(self):
        """The concentrations near 1, a Tensor."""
        return self._concentration1

    @property
    def concentration0(self):
        """The concentrations near 0, a Tensor."""
        return self._concentration0

    @property
    def total_concentration(self):
        """The sums of both concentrations, a Tensor."""
        return self._total_concentration

    def _shape_parents(self):
        return [self.total_concentration]

    def _sample_n(self, n, seed=None):
        alpha1 = array_ops.ones_like(self.total_concentration, dtype=self.dtype) * self.concentration1
        alpha0 = array_ops.ones_like(self.total_concentration, dtype=self.dtype) * self.concentration0
        gamma1 = random_ops.random_gamma([n], alpha1, dtype=self.dtype, seed=seed)
        gamma0 = random_ops.random_gamma([n], alpha0, dtype=self.dtype, seed=gen_new_seed(seed, 'beta'))
        return gamma1 / (gamma1 + gamma0)

    def _log_prob(self, x):
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _prob(self, x):
        return math_ops.exp(self._log_prob(x))

    def _log_cdf(self, x):
        return math_ops.log(self._cdf(x))

    def _cdf(self, x):
        return math_ops.betainc(self.concentration1, self.concentration0, x)

    def _log_unnormalized_prob(self, x):
        x = distribution_checks.checked(self, lambda: [
            check_ops.assert_positive(x, message='sample must be positive'),
            check_ops.assert_less(x, array_ops.ones([], self.dtype), message='sample must be less than `1`.')], x)
        return math_ops.xlogy(self.concentration1 - 1., x) + (self.concentration0 - 1.) * math_ops.log1p(-x)

    def _log_normalization(self):
        return (math_ops.lgamma(self.concentration1) + math_ops.lgamma(self.concentration0)
                - math_ops.lgamma(self.total_concentration))

    def _entropy(self):
        return (self._log_normalization() - (self.concentration1 - 1.) * math_ops.digamma(self.concentration1)
                - (self.concentration0 - 1.) * math_ops.digamma(self.concentration0)
                + (self.total_concentration - 2.) * math_ops.digamma(self.total_concentration))

    def _mean(self):
        return self._concentration1 / self._total_concentration

    def _variance(self):
        return self._mean() * (1. - self._mean()) / (1. + self.total_concentration)

    def _mode(self):
        mode = (self.concentration1 - 1.) / (self.total_concentration - 2.)

        def checks():
            return [check_ops.assert_less(array_ops.ones([], self.dtype), concentration,
                                          message=f'Mode undefined for {name} <= 1.')
                    for name, concentration in (('concentration1', self.concentration1),
                                                ('concentration0', self.concentration0))]

        return distribution_checks.defined_where(
            self, lambda: math_ops.logical_and(self.concentration1 > 1., self.concentration0 > 1.), mode,
            self.batch_shape_tensor, checks)


@RegisterKL(Beta, Beta)
def _kl_beta_beta(a, b, name=None):
    parameters = [getattr(d, f'{part}concentration{i}') for d in (a, b)
                  for part, i in (('', 1), ('', 0), ('total_', ''))]
    with ops.name_scope(name, 'kl_beta_beta', values=parameters):
        return (b._log_normalization() - a._log_normalization()
                - math_ops.digamma(a.concentration1) * (b.concentration1 - a.concentration1)
                - math_ops.digamma(a.concentration0) * (b.concentration0 - a.concentration0)
                + math_ops.digamma(a.total_concentration) * (b.total_concentration - a.total_concentration))
