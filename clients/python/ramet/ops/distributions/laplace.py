"""The Laplace distribution."""

import math

import numpy as np

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.ops.array import array_ops
from ramet.ops.distributions import special_math
from ramet.ops.distributions.normal import LocationScale, Normal
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


@export('distributions.Laplace')
@with_args_of(Normal)
class Laplace(LocationScale):
    """The Laplace distribution with the density exp(-|x - loc| / scale) / (2 * scale)."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Laplace'):
        super().__init__(loc, scale, validate_args, allow_nan_stats, dict(locals()), name)

    def _sample_n(self, n, seed=None):
        kind = self.dtype.as_numpy_dtype
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        # The lower bound is not -1, whose logarithm would be infinite.
        uniform = random_ops.random_uniform(
            shape, minval=np.nextafter(kind(-1.), kind(0.)), maxval=1., dtype=self.dtype, seed=seed)
        return self.loc - self.scale * math_ops.sign(uniform) * math_ops.log1p(-math_ops.abs(uniform))

    def _prob(self, x):
        return math_ops.exp(self._log_prob(x))

    def _log_unnormalized_prob(self, x):
        return -math_ops.abs(self._z(x))

    def _log_normalization(self):
        return math.log(2.) + math_ops.log(self.scale)

    def _log_cdf(self, x):
        return special_math.log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x):
        return special_math.log_cdf_laplace(-self._z(x))

    def _cdf(self, x):
        z = self._z(x)
        return 0.5 + 0.5 * math_ops.sign(z) * (1. - math_ops.exp(-math_ops.abs(z)))

    def _entropy(self):
        scale = self.scale + array_ops.zeros_like(self.loc)
        return math.log(2.) + 1. + math_ops.log(scale)

    def _mean(self):
        return self.loc + array_ops.zeros_like(self.scale)

    def _stddev(self):
        return math.sqrt(2.) * self.scale + array_ops.zeros_like(self.loc)

    def _z(self, x):
        return (x - self.loc) / self.scale
