"""Distributions of numbers."""

import math

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, ops
from ramet.ops.array import array_ops
from ramet.ops.distributions import distribution_checks, normal as normal_lib
from ramet.ops.distributions.normal import LocationScale
from ramet.ops.distributions.reparameterization import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED
from ramet.ops.distributions.scalar_distribution import ScalarDistribution
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


def _shape(distribution, n):
    return array_ops.concat([[n], distribution.batch_shape_tensor()], 0)


def _open_uniform(shape, dtype, seed):
    """Returns uniform numbers between 0 and 1, without 0."""
    return random_ops.random_uniform(shape, minval=np.finfo(dtype.as_numpy_dtype).tiny, maxval=1.,
                             dtype=dtype, seed=seed)


@export('contrib.distributions.Logistic')
@with_args_of(normal_lib.Normal)
class Logistic(LocationScale):
    """The logistic distribution, whose cumulative distribution function is a sigmoid."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Logistic'):
        super().__init__(loc, scale, validate_args, allow_nan_stats, dict(locals()), name)

    def _z(self, x):
        return (x - self.loc) / self.scale

    def _sample_n(self, n, seed=None):
        u = _open_uniform(_shape(self, n), self.dtype, seed)
        return self.loc + self.scale * (gen.Log(u) - gen.Log1p(-u))

    def _log_prob(self, x):
        z = self._z(x)
        return -z - 2. * math_ops.softplus(-z) - gen.Log(self.scale)

    def _log_cdf(self, x):
        return -math_ops.softplus(-self._z(x))

    def _cdf(self, x):
        return math_ops.sigmoid(self._z(x))

    def _log_survival_function(self, x):
        return -math_ops.softplus(self._z(x))

    def _survival_function(self, x):
        return math_ops.sigmoid(-self._z(x))

    def _entropy(self):
        return 2. + gen.Log(self.scale) + array_ops.zeros_like(self.loc)

    def _mean(self):
        return self.loc + array_ops.zeros_like(self.scale)

    _mode = _mean

    def _stddev(self):
        return self.scale * math.pi / math.sqrt(3) + array_ops.zeros_like(self.loc)


@export('contrib.distributions.HalfNormal')
class HalfNormal(ScalarDistribution):
    """The distribution of the absolute value of a normal number of mean 0.

    Args:
      scale: the scale, a positive floating-point tensor.
      validate_args: whether runs check parameters and values.
      allow_nan_stats: whether undefined statistics are NaN instead of errors.
      name: the prefix of the names of operations.
    """

    def __init__(self, scale, validate_args=False, allow_nan_stats=True, name='HalfNormal'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[scale]) as name:
            self._scale = ops.convert_to_tensor(scale, name='scale')
        super().__init__(self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         parameters, [self._scale], name)

    scale = property(lambda self: self._scale)

    def _sample_n(self, n, seed=None):
        return math_ops.abs(random_ops.random_normal(_shape(self, n), dtype=self.dtype, seed=seed)) * self.scale

    def _log_prob(self, x):
        log_prob = 0.5 * math.log(2 / math.pi) - gen.Log(self.scale) \
            - 0.5 * math_ops.square(x / self.scale)
        negative = x + array_ops.zeros_like(self.scale) < 0
        impossible = constant_op.constant(-np.inf, dtype=self.dtype)
        return array_ops.where(negative, array_ops.fill(array_ops.shape(log_prob), impossible),
                               log_prob)

    def _cdf(self, x):
        return math_ops.erf(gen.Relu(x) / (math.sqrt(2) * self.scale))

    def _entropy(self):
        return 0.5 * math.log(math.pi / 2) + 0.5 + gen.Log(self.scale)

    def _mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    def _variance(self):
        return math_ops.square(self.scale) * (1 - 2 / math.pi)


@export('contrib.distributions.Poisson')
class Poisson(ScalarDistribution):
    """The Poisson distribution: the number of events at a rate.

    Args:
      rate: the rate, a positive floating-point tensor; instead of log_rate.
      log_rate: the logarithm of the rate.
      interpolate_nondiscrete: whether values between integers have probabilities.
      validate_args: whether runs check parameters and values.
      allow_nan_stats: whether undefined statistics are NaN instead of errors.
      name: the prefix of the names of operations.

    Raises:
      ValueError: if both or none of rate and log_rate are given.
    """

    def __init__(self, rate=None, log_rate=None, interpolate_nondiscrete=True,
                 validate_args=False, allow_nan_stats=True, name='Poisson'):
        parameters = dict(locals())
        if (rate is None) == (log_rate is None):
            raise ValueError('Must specify exactly one of `rate` and `log_rate`.')
        with ops.name_scope(name, values=[rate]) as name:
            if log_rate is None:
                self._rate = ops.convert_to_tensor(rate, name='rate')
                self._log_rate = gen.Log(self._rate, name='log_rate')
            else:
                self._log_rate = ops.convert_to_tensor(log_rate, name='log_rate')
                self._rate = math_ops.exp(self._log_rate, name='rate')
        self._interpolate = interpolate_nondiscrete
        super().__init__(self._rate.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats,
                         parameters, [self._rate], name)

    rate = property(lambda self: self._rate)
    log_rate = property(lambda self: self._log_rate)

    def _sample_n(self, n, seed=None):
        return random_ops.random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)

    def _log_prob(self, x):
        log_prob = x * self.log_rate - gen.Lgamma(1. + x) - self.rate
        if self._interpolate:
            return log_prob
        x = x + array_ops.zeros_like(log_prob)
        whole = math_ops.equal(x, math_ops.floor(x))
        impossible = constant_op.constant(-np.inf, dtype=self.dtype)
        return array_ops.where(whole, log_prob, array_ops.fill(
            array_ops.shape(log_prob), impossible))

    def _cdf(self, x):
        return gen.Igammac(1. + (x if self._interpolate else math_ops.floor(x)), self.rate)

    def _mean(self):
        return array_ops.identity(self.rate)

    _variance = _mean

    def _mode(self):
        return math_ops.floor(self.rate)


@export('contrib.distributions.Geometric')
class Geometric(ScalarDistribution):
    """The number of failures before the first success.

    Args:
      logits: the log-odds of success, a floating-point tensor; instead of probs.
      probs: the probabilities of success, a floating-point tensor.
      validate_args: whether runs check parameters and values.
      allow_nan_stats: whether undefined statistics are NaN instead of errors.
      name: the prefix of the names of operations.

    Raises:
      ValueError: if both or none of logits and probs are given.
    """

    def __init__(self, logits=None, probs=None, validate_args=False, allow_nan_stats=True,
                 name='Geometric'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = distribution_checks.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, name=name)
        super().__init__(self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats,
                         parameters, [self._probs], name)

    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)

    def _sample_n(self, n, seed=None):
        u = _open_uniform(_shape(self, n), self.dtype, seed)
        return math_ops.floor(gen.Log(u) / gen.Log1p(-self.probs))

    def _log_prob(self, x):
        return x * gen.Log1p(-self.probs) + gen.Log(self.probs)

    def _cdf(self, x):
        x = x + array_ops.zeros_like(self.probs)
        return array_ops.where(x < 0., array_ops.zeros_like(x),
                        -gen.Expm1((1. + math_ops.floor(x)) * gen.Log1p(-self.probs)))

    def _entropy(self):
        return (-gen.Log(self.probs) * self.probs - gen.Log1p(-self.probs) * (1. - self.probs)) \
            / self.probs

    def _mean(self):
        return math_ops.exp(-self.logits)

    def _variance(self):
        return self._mean() / self.probs

    def _mode(self):
        return array_ops.zeros_like(self.probs)


@export('contrib.distributions.RelaxedBernoulli')
class RelaxedBernoulli(ScalarDistribution):
    """A continuous relative of the Bernoulli distribution (arXiv 1611.00712).

    Args:
      temperature: a positive scalar; samples are close to 0 and 1 if it is small.
      logits: the log-odds of 1, a floating-point tensor; instead of probs.
      probs: the probabilities of 1, a floating-point tensor.
      validate_args: whether runs check parameters and values.
      allow_nan_stats: whether undefined statistics are NaN instead of errors.
      name: the prefix of the names of operations.

    Raises:
      ValueError: if both or none of logits and probs are given.
    """

    def __init__(self, temperature, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='RelaxedBernoulli'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs, temperature]) as name:
            self._temperature = ops.convert_to_tensor(temperature, name='temperature')
            self._logits, self._probs = distribution_checks.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, name=name)
            self._logistic = Logistic(self._logits / self._temperature, 1. / self._temperature)
        super().__init__(self._probs.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         parameters, [self._logits], name)

    temperature = property(lambda self: self._temperature)
    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)

    def _sample_n(self, n, seed=None):
        return math_ops.sigmoid(self._logistic.sample(n, seed=seed))

    def _log_prob(self, y):
        x = gen.Log(y) - gen.Log1p(-y)
        return self._logistic.log_prob(x) + math_ops.softplus(-x) + math_ops.softplus(x)
