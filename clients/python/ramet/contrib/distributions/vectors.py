"""Distributions of vectors."""

import math

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.distributions import (
    categorical as categorical_lib,
    distribution_checks,
    kullback_leibler,
)
from ramet.ops.distributions.distribution import Distribution
from ramet.ops.distributions.reparameterization import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.random import random_ops


class _VectorDistribution(Distribution):
    """A distribution of vectors whose batch and event shapes are those of a tensor of parameters."""

    def _batch_shape_tensor(self):
        return array_ops.shape(self._graph_parents[0])[:-1]

    def _batch_shape(self):
        return self._graph_parents[0].get_shape()[:-1]

    def _event_shape_tensor(self):
        return array_ops.shape(self._graph_parents[0])[-1:]

    def _event_shape(self):
        return self._graph_parents[0].get_shape()[-1:]

    def _shape(self, n):
        return array_ops.concat([[n], array_ops.shape(self._graph_parents[0])], 0)


@export('contrib.distributions.MultivariateNormalDiag')
class MultivariateNormalDiag(_VectorDistribution):
    """Normal vectors with independent elements.

    Args:
      loc: the means, a floating-point tensor [..., size], or None for 0.
      scale_diag: the standard deviations [..., size], or None for 1.
      scale_identity_multiplier: a tensor [...] that is added to the standard deviations, or replaces them.
      validate_args: whether runs check parameters and values.
      allow_nan_stats: whether undefined statistics are NaN instead of errors.
      name: the prefix of the names of operations.

    Raises:
      ValueError: if the size is not known from an argument.
    """

    def __init__(self, loc=None, scale_diag=None, scale_identity_multiplier=None,
                 validate_args=False, allow_nan_stats=True, name='MultivariateNormalDiag'):
        parameters = dict(locals())
        if loc is None and scale_diag is None:
            raise ValueError('Must specify loc or scale_diag.')
        with ops.name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as name:
            scale = None if scale_diag is None else ops.convert_to_tensor(scale_diag, name='scale')
            if scale_identity_multiplier is not None:
                multiple = array_ops.expand_dims(ops.convert_to_tensor(scale_identity_multiplier), -1)
                scale = multiple if scale is None else scale + multiple
            loc = array_ops.zeros_like(scale) if loc is None else ops.convert_to_tensor(loc, name='loc')
            scale = array_ops.ones_like(loc) if scale is None else scale
            self._loc = loc + array_ops.zeros_like(scale)
            self._scale_diag = scale + array_ops.zeros_like(loc)
        super().__init__(self._loc.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         parameters, [self._loc, self._scale_diag], name)

    loc = property(lambda self: self._loc)
    scale_diag = property(lambda self: self._scale_diag)

    def _sample_n(self, n, seed=None):
        noise = random_ops.random_normal(self._shape(n), dtype=self.dtype, seed=seed)
        return self._loc + self._scale_diag * noise

    def _log_prob(self, x):
        z = (x - self._loc) / self._scale_diag
        logs = -0.5 * math_ops.square(z) - 0.5 * math.log(2 * math.pi) - gen.Log(self._scale_diag)
        return math_ops.reduce_sum(logs, axis=-1)

    def _entropy(self):
        return math_ops.reduce_sum(0.5 * (1 + math.log(2 * math.pi)) + gen.Log(self._scale_diag), axis=-1)

    def _mean(self):
        return array_ops.identity(self._loc)

    _mode = _mean

    def _stddev(self):
        return math_ops.abs(self._scale_diag)

    def _covariance(self):
        return array_ops.matrix_diag(math_ops.square(self._scale_diag))


@kullback_leibler.RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
def _kl_of_normals(a, b, name=None):
    with ops.name_scope(name, 'kl_multivariate_normal_diag'):
        ratio = math_ops.square(a.scale_diag / b.scale_diag)
        distance = math_ops.square((a.loc - b.loc) / b.scale_diag)
        return 0.5 * math_ops.reduce_sum(distance + ratio - 1 - gen.Log(ratio), axis=-1)


@export('contrib.distributions.OneHotCategorical')
class OneHotCategorical(_VectorDistribution):
    """Vectors with a single 1, at a random position.

    Args:
      logits: the unnormalized logarithms of the probabilities [..., size]; instead of probs.
      probs: the probabilities of the positions [..., size].
      dtype: the DType of samples.
      validate_args: whether runs check parameters and values.
      allow_nan_stats: whether undefined statistics are NaN instead of errors.
      name: the prefix of the names of operations.

    Raises:
      ValueError: if both or none of logits and probs are given.
    """

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False,
                 allow_nan_stats=True, name='OneHotCategorical'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = distribution_checks.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, multidimensional=True,
                name=name)
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._logits, self._probs], name)

    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)

    def _sample_n(self, n, seed=None):
        size = tensor_shape.dimension_value(self._logits.get_shape()[-1])
        positions = categorical_lib.Categorical(logits=self._logits).sample(n, seed=seed)
        return array_ops.one_hot(positions, array_ops.shape(self._logits)[-1] if size is None else size,
                          dtype=self.dtype)

    def _log_prob(self, x):
        return math_ops.reduce_sum(math_ops.cast(x, self._logits.dtype) * nn_activation.log_softmax(self._logits), -1)

    def _entropy(self):
        return -math_ops.reduce_sum(nn_activation.log_softmax(self._logits) * self._probs, axis=-1)

    def _mean(self):
        return array_ops.identity(self._probs)

    def _variance(self):
        return self._probs * (1. - self._probs)

    def _mode(self):
        size = array_ops.shape(self._logits)[-1]
        return array_ops.one_hot(math_ops.argmax(self._logits, axis=-1), size, dtype=self.dtype)


@export('contrib.distributions.RelaxedOneHotCategorical')
@with_args_of(OneHotCategorical)
class RelaxedOneHotCategorical(_VectorDistribution):
    """A continuous relative of OneHotCategorical (arXiv 1611.00712, 1611.01144).

    Args:
      temperature: a positive scalar; samples are close to one-hot vectors if it is small.
    """

    def __init__(self, temperature, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='RelaxedOneHotCategorical'):
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs, temperature]) as name:
            self._temperature = ops.convert_to_tensor(temperature, name='temperature')
            self._logits, self._probs = distribution_checks.get_logits_and_probs(
                logits=logits, probs=probs, validate_args=validate_args, multidimensional=True,
                name=name)
        super().__init__(self._logits.dtype, FULLY_REPARAMETERIZED, validate_args,
                         allow_nan_stats, parameters, [self._logits, self._probs], name)

    temperature = property(lambda self: self._temperature)
    logits = property(lambda self: self._logits)
    probs = property(lambda self: self._probs)

    def _sample_n(self, n, seed=None):
        u = random_ops.random_uniform(self._shape(n), minval=1e-20, maxval=1., dtype=self.dtype, seed=seed)
        gumbel = -gen.Log(-gen.Log(u))
        return nn_activation.softmax((self._logits + gumbel) / self._temperature)

    def _log_prob(self, y):
        size = math_ops.cast(array_ops.shape(y)[-1], self.dtype)
        log_y = gen.Log(y)
        scores = nn_activation.log_softmax(self._logits - log_y * self._temperature)
        return gen.Lgamma(size) + (size - 1) * gen.Log(self._temperature) \
            + math_ops.reduce_sum(scores - log_y, axis=-1)
