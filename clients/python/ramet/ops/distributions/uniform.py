"""The uniform distribution."""

import math

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops, check_types
from ramet.ops.distributions.distribution import FULLY_REPARAMETERIZED
from ramet.ops.distributions.scalar_distribution import ScalarDistribution
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


@export('distributions.Uniform')
class Uniform(ScalarDistribution):
    """The uniform distribution over [low, high)."""

    def __init__(self, low=0., high=1., validate_args=False, allow_nan_stats=True, name='Uniform'):
        """Creates a batch of distributions.

        Args:
          low: the lower bounds, a floating-point Tensor.
          high: the upper bounds, a Tensor of the same dtype. Both broadcast.
          validate_args: whether runs check that low is less than high.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          name: the prefix of the names of operations.

        Raises:
          ValueError: if low and high have different dtypes.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[low, high]) as name:
            checks = [check_ops.assert_less(low, high, message='uniform not defined when low >= high.')] \
                if validate_args else []
            with ops.control_dependencies(checks):
                self._low = array_ops.identity(low, name='low')
                self._high = array_ops.identity(high, name='high')
                check_types.assert_same_float_dtype([self._low, self._high])
        super().__init__(self._low.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
                         [self._low, self._high], name)

    @staticmethod
    def _param_shapes(sample_shape):
        return dict.fromkeys(('low', 'high'), ops.convert_to_tensor(sample_shape, dtype=dtypes.int32))

    @property
    def low(self):
        """The lower bounds, a Tensor."""
        return self._low

    @property
    def high(self):
        """The upper bounds, a Tensor."""
        return self._high

    def range(self, name='range'):
        """Returns high - low.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n, seed=None):
        shape = array_ops.concat([[n], self.batch_shape_tensor()], 0)
        samples = random_ops.random_uniform(shape, dtype=self.dtype, seed=seed)
        return self.low + self.range() * samples

    def _prob(self, x):
        x = x * array_ops.ones(self.batch_shape_tensor(), dtype=x.dtype)
        return array_ops.where_v2(
            math_ops.is_nan(x), x,
            array_ops.where_v2(
                math_ops.logical_or(x < self.low, x >= self.high), array_ops.zeros_like(x),
                array_ops.ones_like(x) / self.range()))

    def _cdf(self, x):
        shape = array_ops.broadcast_dynamic_shape(array_ops.shape(x), self.batch_shape_tensor())
        zeros = array_ops.zeros(shape, dtype=self.dtype)
        ones = array_ops.ones(shape, dtype=self.dtype)
        broadcast = x * ones
        below_high = array_ops.where_v2(x < self.low, zeros, (broadcast - self.low) / self.range())
        return array_ops.where_v2(x >= self.high, ones, below_high)

    def _entropy(self):
        return math_ops.log(self.range())

    def _mean(self):
        return (self.low + self.high) / 2.

    def _variance(self):
        return math_ops.square(self.range()) / 12.

    def _stddev(self):
        return self.range() / math.sqrt(12.)
