"""Student's t-distribution."""

import numpy as np

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops, check_types
from ramet.ops.distributions import distribution_checks
from ramet.ops.distributions.distribution import FULLY_REPARAMETERIZED
from ramet.ops.distributions.distribution_shapes import gen_new_seed
from ramet.ops.distributions.scalar_distribution import ScalarDistribution
from ramet.ops.math import math_ops, special_math_ops
from ramet.ops.random import random_ops


@export('distributions.StudentT')
class StudentT(ScalarDistribution):
    """Student's t-distribution with `df` degrees of freedom, moved by `loc` and stretched by `scale`."""

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name='StudentT'):
        """Creates a batch of distributions.

        Args:
          df: the degrees of freedom, a floating-point Tensor.
          loc: the locations, a Tensor of the same dtype.
          scale: the scales, a Tensor of the same dtype. All three broadcast.
          validate_args: whether runs check that df is positive.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.

        Raises:
          ValueError: if df, loc and scale have different dtypes.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[df, loc, scale]) as name:
            with ops.control_dependencies([check_ops.assert_positive(df)] if validate_args else []):
                self._df = array_ops.identity(df, name='df')
                self._loc = array_ops.identity(loc, name='loc')
                self._scale = array_ops.identity(scale, name='scale')
                check_types.assert_same_float_dtype((self._df, self._loc, self._scale))
        super().__init__(self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._df, self._loc, self._scale], name)

    @staticmethod
    def _param_shapes(sample_shape):
        return dict.fromkeys(('df', 'loc', 'scale'), ops.convert_to_tensor(sample_shape, dtype=dtypes.int32))

    @property
    def df(self):
        """The degrees of freedom, a Tensor."""
        return self._df

    @property
    def loc(self):
        """The locations, a Tensor."""
        return self._loc

    @property
    def scale(self):
        """The scales, a Tensor."""
        return self._scale

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        normal = random_ops.random_normal(shape, dtype=self.dtype, seed=seed)
        df = self.df * array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)
        gamma = random_ops.random_gamma(
            [n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=gen_new_seed(seed, 'student_t'))
        return normal * math_ops.rsqrt(gamma / df) * self.scale + self.loc

    def _log_prob(self, x):
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _log_unnormalized_prob(self, x):
        y = (x - self.loc) / self.scale
        return -0.5 * (self.df + 1.) * math_ops.log1p(y**2. / self.df)

    def _log_normalization(self):
        return (math_ops.log(math_ops.abs(self.scale)) + 0.5 * math_ops.log(self.df) + 0.5 * np.log(np.pi)
                + math_ops.lgamma(0.5 * self.df) - math_ops.lgamma(0.5 * (self.df + 1.)))

    def _cdf(self, x):
        y = (x - self.loc) / math_ops.abs(self.scale)
        ratio = self.df / (y**2. + self.df)
        tail = 0.5 * math_ops.betainc(0.5 * self.df, 0.5, ratio)
        return array_ops.where_v2(math_ops.less(y, 0.), tail, 1. - tail)

    def _entropy(self):
        ones = array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)[..., None]
        pair = array_ops.concat([ones * self.df[..., None], ones], -1) / 2.
        return (math_ops.log(math_ops.abs(self.scale)) + 0.5 * math_ops.log(self.df) + special_math_ops.lbeta(pair)
                + 0.5 * (self.df + 1.) * (math_ops.digamma(0.5 * (self.df + 1.)) - math_ops.digamma(0.5 * self.df)))

    def _mean(self):
        return self._where_finite('mean', self.loc * self._ones())

    def _variance(self):
        safe = array_ops.where_v2(math_ops.greater(self.df, 2.), self.df - 2., array_ops.ones_like(self.df))
        variance = self._ones() * math_ops.square(self.scale) * self.df / safe
        infinity = np.array(np.inf, self.dtype.as_numpy_dtype)
        shape = self.batch_shape_tensor
        variance = array_ops.where_v2(
            self.df > array_ops.fill(shape(), 2.), variance, array_ops.fill(shape(), infinity, name='inf'))
        return self._where_finite('variance', variance)

    def _mode(self):
        return array_ops.identity(self.loc)

    def _ones(self):
        return array_ops.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _where_finite(self, what, value):
        """Returns a statistic, which is undefined for df <= 1."""
        is_defined = math_ops.greater(self.df, self._ones()) if self.allow_nan_stats else None
        return distribution_checks.defined_where(
            self, lambda: is_defined, value, self.batch_shape_tensor,
            lambda: [check_ops.assert_less(array_ops.ones([], dtype=self.dtype), self.df,
                                           message=f'{what} not defined for components of df <= 1')])
