"""The normal distribution."""

import math

from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops, check_types
from ramet.ops.distributions import special_math
from ramet.ops.distributions.distribution import FULLY_REPARAMETERIZED
from ramet.ops.distributions.kullback_leibler import RegisterKL
from ramet.ops.distributions.scalar_distribution import ScalarDistribution
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


class LocationScale(ScalarDistribution):
    """A distribution with a location and a scale."""

    def __init__(self, loc, scale, validate_args, allow_nan_stats, parameters, name):
        with ops.name_scope(name, values=[loc, scale]) as name:
            with ops.control_dependencies([check_ops.assert_positive(scale)] if validate_args else []):
                self._loc = array_ops.identity(loc, name='loc')
                self._scale = array_ops.identity(scale, name='scale')
                check_types.assert_same_float_dtype([self._loc, self._scale])
        super().__init__(self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._loc, self._scale], name)

    @staticmethod
    def _param_shapes(sample_shape):
        return dict.fromkeys(('loc', 'scale'), ops.convert_to_tensor(sample_shape, dtype=dtypes.int32))

    @property
    def loc(self):
        """The location, a Tensor."""
        return self._loc

    @property
    def scale(self):
        """The scale, a Tensor."""
        return self._scale

    def _log_prob(self, x):
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _mode(self):
        return self._mean()


@export('distributions.Normal')
class Normal(LocationScale):
    """The normal distribution with mean `loc` and standard deviation `scale`."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Normal'):
        """Creates a batch of distributions.

        Args:
          loc: the means, a floating-point Tensor.
          scale: the standard deviations, a Tensor of the same dtype. Both broadcast.
          validate_args: whether runs check that scale is positive.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.

        Raises:
          ValueError: if loc and scale have different dtypes.
        """
        super().__init__(loc, scale, validate_args, allow_nan_stats, dict(locals()), name)

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        return random_ops.random_normal(shape, dtype=self.loc.dtype, seed=seed) * self.scale + self.loc

    def _log_unnormalized_prob(self, x):
        return -0.5 * math_ops.square(self._z(x))

    def _log_normalization(self):
        return 0.5 * math.log(2. * math.pi) + math_ops.log(self.scale)

    def _log_cdf(self, x):
        return special_math.log_ndtr(self._z(x))

    def _cdf(self, x):
        return special_math.ndtr(self._z(x))

    def _log_survival_function(self, x):
        return special_math.log_ndtr(-self._z(x))

    def _survival_function(self, x):
        return special_math.ndtr(-self._z(x))

    def _entropy(self):
        scale = self.scale * array_ops.ones_like(self.loc)
        return 0.5 * math.log(2. * math.pi * math.e) + math_ops.log(scale)

    def _mean(self):
        return self.loc * array_ops.ones_like(self.scale)

    def _stddev(self):
        return self.scale * array_ops.ones_like(self.loc)

    def _quantile(self, p):
        z = special_math.ndtri(p)
        with ops.name_scope('reconstruct', values=[z]):
            return z * self.scale + self.loc

    def _z(self, x):
        with ops.name_scope('standardize', values=[x]):
            return (x - self.loc) / self.scale


@RegisterKL(Normal, Normal)
def _kl_normal_normal(a, b, name=None):
    with ops.name_scope(name, 'kl_normal_normal', [a.loc, b.loc]):
        one, two, half = (constant_op.constant(value, dtype=a.dtype) for value in (1, 2, 0.5))
        square_a, square_b = math_ops.square(a.scale), math_ops.square(b.scale)
        ratio = square_a / square_b
        return (math_ops.squared_difference(a.loc, b.loc) / (two * square_b)
                + half * (ratio - one - math_ops.log(ratio)))
