"""The Dirichlet and Dirichlet-multinomial distributions."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops, check_rank
from ramet.ops.control_flow import dependencies
from ramet.ops.distributions import distribution_checks
from ramet.ops.distributions.beta import positive_concentration
from ramet.ops.distributions.distribution import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution
from ramet.ops.distributions.distribution_shapes import gen_new_seed
from ramet.ops.distributions.kullback_leibler import RegisterKL
from ramet.ops.math import math_ops, special_math_ops
from ramet.ops.random import random_ops


def outer_covariance(left, right, variance):
    """Returns the matrices -left * right^T with the diagonal variance().

    Args:
      left: a Tensor [..., classes].
      right: a Tensor [..., classes].
      variance: a function that returns a Tensor [..., classes].
    """
    return array_ops.matrix_set_diag(-math_ops.matmul(left[..., None], right[..., None, :]), variance())


class _WithConcentration(Distribution):
    """A distribution of vectors with concentrations of the classes."""

    @property
    def concentration(self):
        """The concentrations, a Tensor [..., classes]."""
        return self._concentration

    @property
    def total_concentration(self):
        """The sums of the concentrations, a Tensor [...]."""
        return self._total_concentration

    def _batch_shape_tensor(self):
        return array_ops.shape(self.total_concentration)

    def _batch_shape(self):
        return self.total_concentration.get_shape()

    def _event_shape_tensor(self):
        return array_ops.shape(self.concentration)[-1:]

    def _event_shape(self):
        return self.concentration.get_shape().with_rank_at_least(1)[-1:]

    def _covariance(self):
        x = self._variance_scale_term() * self._mean()
        return outer_covariance(x, x, self._variance)


@export('distributions.Dirichlet')
class Dirichlet(_WithConcentration):
    """The Dirichlet distribution of the probabilities of classes.

    Its density is proportional to the product of x^(concentration - 1) over the classes.
    """

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name='Dirichlet'):
        """Creates a batch of distributions.

        Args:
          concentration: the concentrations, a floating-point Tensor [..., classes].
          validate_args: whether runs check parameters and values.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration]) as name:
            self._concentration = _checked_concentration(
                ops.convert_to_tensor(concentration, name='concentration'), validate_args)
            self._total_concentration = math_ops.reduce_sum(self._concentration, -1)
        super().__init__(self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._concentration, self._total_concentration], name)

    def _sample_n(self, n, seed=None):
        gamma = random_ops.random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return gamma / math_ops.reduce_sum(gamma, -1, keepdims=True)

    def _log_prob(self, x):
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _prob(self, x):
        return math_ops.exp(self._log_prob(x))

    def _log_unnormalized_prob(self, x):
        x = distribution_checks.checked(self, lambda: [
            check_ops.assert_positive(x, message='samples must be positive'),
            check_ops.assert_near(array_ops.ones([], dtype=self.dtype), math_ops.reduce_sum(x, -1),
                                  message='sample last-dimension must sum to `1`')], x)
        return math_ops.reduce_sum(math_ops.xlogy(self.concentration - 1., x), -1)

    def _log_normalization(self):
        return special_math_ops.lbeta(self.concentration)

    def _entropy(self):
        classes = math_ops.cast(self.event_shape_tensor()[0], self.dtype)
        return (self._log_normalization()
                + (self.total_concentration - classes) * math_ops.digamma(self.total_concentration)
                - math_ops.reduce_sum((self.concentration - 1.) * math_ops.digamma(self.concentration), axis=-1))

    def _mean(self):
        return self.concentration / self.total_concentration[..., None]

    def _variance(self):
        scale = self._variance_scale_term()
        x = scale * self._mean()
        return x * (scale - x)

    def _variance_scale_term(self):
        return math_ops.rsqrt(1. + self.total_concentration[..., None])

    def _mode(self):
        classes = math_ops.cast(self.event_shape_tensor()[0], self.dtype)
        mode = (self.concentration - 1.) / (self.total_concentration[..., None] - classes)
        return distribution_checks.defined_where(
            self, lambda: math_ops.reduce_all(self.concentration > 1., axis=-1), mode,
            lambda: array_ops.shape(mode),
            lambda: [check_ops.assert_less(array_ops.ones([], self.dtype), self.concentration,
                                           message='Mode undefined when any concentration <= 1')])


def _checked_concentration(concentration, validate_args):
    if not validate_args:
        return concentration
    return dependencies.with_dependencies([
        check_ops.assert_positive(concentration, message='Concentration parameter must be positive.'),
        check_rank.assert_rank_at_least(
            concentration, 1, message='Concentration parameter must have >=1 dimensions.'),
        check_ops.assert_less(1, array_ops.shape(concentration)[-1],
                              message='Concentration parameter must have event_size >= 2.')], concentration)


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(a, b, name=None):
    with ops.name_scope(name, 'kl_dirichlet_dirichlet', values=[a.concentration, b.concentration]):
        total = math_ops.digamma(math_ops.reduce_sum(a.concentration, axis=-1, keepdims=True))
        digammas = math_ops.digamma(a.concentration) - total
        delta = a.concentration - b.concentration
        return (math_ops.reduce_sum(delta * digammas, axis=-1) - special_math_ops.lbeta(a.concentration)
                + special_math_ops.lbeta(b.concentration))


@export('distributions.DirichletMultinomial')
class DirichletMultinomial(_WithConcentration):
    """The distribution of counts of classes among draws with probabilities from a Dirichlet distribution."""

    def __init__(self, total_count, concentration, validate_args=False, allow_nan_stats=True,
                 name='DirichletMultinomial'):
        """Creates a batch of distributions.

        Args:
          total_count: the number of draws, a floating-point Tensor [...].
          concentration: the concentrations, a Tensor [..., classes] of the same dtype.
          validate_args: whether runs check parameters and values.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[total_count, concentration]) as name:
            self._total_count = ops.convert_to_tensor(total_count, name='total_count')
            if validate_args:
                self._total_count = distribution_checks.nonnegative_integers(self._total_count)
            concentration = ops.convert_to_tensor(concentration, name='concentration')
            if validate_args:
                concentration = distribution_checks.categorical_parameter(concentration)
            self._concentration = positive_concentration(concentration, validate_args)
            self._total_concentration = math_ops.reduce_sum(self._concentration, -1)
        super().__init__(self._concentration.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._total_count, self._concentration], name)

    @property
    def total_count(self):
        """The number of draws, a Tensor."""
        return self._total_count

    def _sample_n(self, n, seed=None):
        draws = math_ops.cast(self.total_count, dtype=dtypes.int32)
        classes = self.event_shape_tensor()[0]
        gamma = random_ops.random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        logits = array_ops.reshape(math_ops.log(gamma), shape=[-1, classes])
        drawn = random_ops.multinomial(logits, draws, seed=gen_new_seed(seed, 'dirichlet_multinomial'))
        counts = math_ops.reduce_sum(array_ops.one_hot(drawn, depth=classes), -2)
        shape = array_ops.concat([[n], self.batch_shape_tensor(), [classes]], 0)
        return math_ops.cast(array_ops.reshape(counts, shape), self.dtype)

    def _log_prob(self, counts):
        counts = checked_counts(self, counts, 'counts last-dimension must sum to `self.total_count`')
        ordered = (special_math_ops.lbeta(self.concentration + counts) - special_math_ops.lbeta(self.concentration))
        return ordered + distribution_checks.log_combinations(self.total_count, counts)

    def _prob(self, counts):
        return math_ops.exp(self._log_prob(counts))

    def _mean(self):
        return self.total_count * (self.concentration / self.total_concentration[..., None])

    def _variance(self):
        scale = self._variance_scale_term()
        x = scale * self._mean()
        return x * (self.total_count * scale - x)

    def _variance_scale_term(self):
        total = self.total_concentration[..., None]
        return math_ops.sqrt((1. + total / self.total_count) / (1. + total))


def checked_counts(self, counts, message):
    """Returns counts of classes, whose run fails unless they are integers with the sum `self.total_count`.

    Args:
      self: the Distribution; checks only if it validates its arguments.
      counts: a Tensor [..., classes].
      message: the error message for a different sum.
    """
    if not self.validate_args:
        return counts
    counts = distribution_checks.nonnegative_integers(counts)
    return dependencies.with_dependencies(
        [check_ops.assert_equal(self.total_count, math_ops.reduce_sum(counts, -1), message=message)], counts)
