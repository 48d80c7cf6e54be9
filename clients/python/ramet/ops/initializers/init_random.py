"""Initializers that draw at random."""

import math

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.initializers.init_values import Initializer, floating
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


@export('random_uniform_initializer', 'initializers.random_uniform')
class RandomUniform(Initializer):
    """Draws from a uniform distribution over [minval, maxval).

    Args:
      minval: the lower bound.
      maxval: the upper bound. None means 1 for floating-point types.
      seed: an integer; see tf.set_random_seed.
      dtype: the default type.
    """

    def __init__(self, minval=0.0, maxval=None, seed=None, dtype=dtypes.float32):
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.random_uniform(
            shape, self.minval, self.maxval, self.dtype if dtype is None else dtype,
            seed=self.seed)

    def get_config(self):
        return {'minval': self.minval, 'maxval': self.maxval, 'seed': self.seed,
                'dtype': self.dtype.name}


class _Normal(Initializer):

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = floating(dtype)

    def get_config(self):
        return {'mean': self.mean, 'stddev': self.stddev, 'seed': self.seed,
                'dtype': self.dtype.name}


@export('random_normal_initializer', 'initializers.random_normal')
class RandomNormal(_Normal):
    """Draws from a normal distribution.

    Args:
      mean: the mean.
      stddev: the standard deviation.
      seed: an integer; see tf.set_random_seed.
      dtype: the default type, a floating-point type.
    """

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.random_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype,
            seed=self.seed)


@export('truncated_normal_initializer', 'initializers.truncated_normal')
class TruncatedNormal(_Normal):
    """Draws from a normal distribution, truncated at two standard deviations from the mean.

    Args:
      mean: the mean.
      stddev: the standard deviation before truncation.
      seed: an integer; see tf.set_random_seed.
      dtype: the default type, a floating-point type.
    """

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.truncated_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype,
            seed=self.seed)


@export('uniform_unit_scaling_initializer', 'initializers.uniform_unit_scaling')
class UniformUnitScaling(Initializer):
    """Draws uniformly so that a layer keeps the scale of its inputs.

    Args:
      factor: a factor of the width sqrt(3 / inputs).
      seed: an integer; see tf.set_random_seed.
      dtype: the default type, a floating-point type.
    """

    def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
        self.factor = factor
        self.seed = seed
        self.dtype = floating(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        full = shape if partition_info is None else partition_info.full_shape
        inputs = 1.0
        for size in list(full)[:-1]:
            inputs *= float(tensor_shape.dimension_value(size))
        limit = math.sqrt(3 / max(inputs, 1.0)) * self.factor
        return random_ops.random_uniform(
            shape, -limit, limit, self.dtype if dtype is None else dtype, seed=self.seed)

    def get_config(self):
        return {'factor': self.factor, 'seed': self.seed, 'dtype': self.dtype.name}


@export('orthogonal_initializer', 'initializers.orthogonal', 'keras.initializers.orthogonal',
        'keras.initializers.Orthogonal')
class Orthogonal(Initializer):
    """Initializes with a matrix whose rows or columns are orthonormal: Q of the QR decomposition of a random one.

    Weights with more dimensions are a matrix whose columns are the last dimension. Source: Saxe et al., "Exact
    solutions to the nonlinear dynamics of learning in deep linear neural networks".

    Args:
      gain: a factor.
      seed: an integer; see tf.set_random_seed.
      dtype: the default type, a floating-point type.

    Raises:
      ValueError: if the shape has fewer than two dimensions.
    """

    def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
        self.gain = gain
        self.dtype = floating(dtype)
        self.seed = seed

    def __call__(self, shape, dtype=None, partition_info=None):
        if len(shape) < 2:
            raise ValueError('The tensor to initialize, specified by argument `shape` must be at least '
                             f'two-dimensional. Received shape={shape}')
        sizes = [int(tensor_shape.dimension_value(size)) for size in tensor_shape.bounded(shape)]
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        matrix = random_ops.random_normal(
            (max(rows, columns), min(rows, columns)), dtype=self.dtype if dtype is None else dtype, seed=self.seed)
        q, r = gen.Qr(matrix, full_matrices=False)
        # The signs make the distribution uniform.
        q *= math_ops.sign(array_ops.diag_part(r))
        if rows < columns:
            q = array_ops.matrix_transpose(q)
        return self.gain * array_ops.reshape(q, shape)

    def get_config(self):
        return {'gain': self.gain, 'seed': self.seed, 'dtype': self.dtype.name}


def _fans(shape):
    """Returns the number of inputs and outputs of a unit of a layer, from the shape of its weights."""
    sizes = [int(tensor_shape.dimension_value(size)) for size in tensor_shape.bounded(shape)]
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    receptive = math.prod(sizes[:-2])
    return sizes[-2] * receptive, sizes[-1] * receptive


# The standard deviation of a standard normal distribution that is truncated at 2.
_CUT_STDDEV = .87962566103423978
_MODES = ('fan_in', 'fan_out', 'fan_avg')
_DISTRIBUTIONS = ('normal', 'uniform', 'truncated_normal', 'untruncated_normal')


@export('variance_scaling_initializer', 'initializers.variance_scaling',
        'keras.initializers.VarianceScaling')
class VarianceScaling(Initializer):
    """Draws with a variance of scale / n, where n is the number of inputs, outputs, or their mean.

    Args:
      scale: a positive number.
      mode: 'fan_in', 'fan_out' or 'fan_avg'.
      distribution: 'truncated_normal' (alias 'normal'), 'untruncated_normal' or 'uniform'.
      seed: an integer; see tf.set_random_seed.
      dtype: the default type, a floating-point type.

    Raises:
      ValueError: if an argument is invalid.
    """

    def __init__(self, scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None,
                 dtype=dtypes.float32):
        if scale <= 0.:
            raise ValueError(f'Argument `scale` must be a positive float. Received: {scale}')
        if mode not in _MODES:
            raise ValueError('Argument `mode` should be one of '
                             f"('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        distribution = distribution.lower()
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                "Argument `distribution` should be one of ('normal', uniform', "
                f"'truncated_normal', 'untruncated_normal'). Received: {distribution}")
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = floating(dtype)

    def _variance(self, shape):
        fan_in, fan_out = _fans(shape)
        units = {'fan_in': fan_in, 'fan_out': fan_out, 'fan_avg': (fan_in + fan_out) / 2.}
        return self.scale / max(1., units[self.mode])

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtype
        variance = self._variance(shape if partition_info is None else partition_info.full_shape)
        if self.distribution in ('normal', 'truncated_normal'):
            stddev = math.sqrt(variance) / _CUT_STDDEV
            return random_ops.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)
        if self.distribution == 'untruncated_normal':
            return random_ops.random_normal(
                shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        limit = math.sqrt(3.0 * variance)
        return random_ops.random_uniform(shape, -limit, limit, dtype, seed=self.seed)

    def get_config(self):
        return {'scale': self.scale, 'mode': self.mode, 'distribution': self.distribution,
                'seed': self.seed, 'dtype': self.dtype.name}


class _FixedScaling(VarianceScaling):
    """A VarianceScaling with a fixed scale, mode and distribution."""

    _FIXED = {}

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(seed=seed, **self._FIXED)

    def get_config(self):
        return {'seed': self.seed, 'dtype': self.dtype.name}


@export('glorot_uniform_initializer', 'initializers.glorot_uniform',
        'keras.initializers.glorot_uniform', 'keras.initializers.GlorotUniform')
class GlorotUniform(_FixedScaling):
    """Draws uniformly within sqrt(6 / (inputs + outputs)); also called the Xavier initializer.

    Args:
      seed: an integer; see tf.set_random_seed.
      dtype: ignored: the type is that of the call, or float.
    """

    _FIXED = {'scale': 1.0, 'mode': 'fan_avg', 'distribution': 'uniform'}


@export('glorot_normal_initializer', 'initializers.glorot_normal',
        'keras.initializers.glorot_normal', 'keras.initializers.GlorotNormal')
class GlorotNormal(_FixedScaling):
    """Draws from a truncated normal distribution with a variance of 2 / (inputs + outputs).

    Args:
      seed: an integer; see tf.set_random_seed.
      dtype: ignored: the type is that of the call, or float.
    """

    _FIXED = {'scale': 1.0, 'mode': 'fan_avg', 'distribution': 'truncated_normal'}


@export('initializers.lecun_normal', 'keras.initializers.lecun_normal',
        'keras.initializers.LecunNormal')
def lecun_normal(seed=None):
    """Returns a VarianceScaling with variance 1 / inputs and a truncated normal distribution.

    Args:
      seed: an integer; see tf.set_random_seed.
    """
    return VarianceScaling(scale=1., mode='fan_in', distribution='truncated_normal', seed=seed)


@export('initializers.lecun_uniform', 'keras.initializers.lecun_uniform',
        'keras.initializers.LecunUniform')
def lecun_uniform(seed=None):
    """Returns a VarianceScaling with variance 1 / inputs and a uniform distribution.

    Args:
      seed: an integer; see tf.set_random_seed.
    """
    return VarianceScaling(scale=1., mode='fan_in', distribution='uniform', seed=seed)


@export('initializers.he_normal', 'keras.initializers.he_normal', 'keras.initializers.HeNormal')
def he_normal(seed=None):
    """Returns a VarianceScaling with variance 2 / inputs and a truncated normal distribution.

    Args:
      seed: an integer; see tf.set_random_seed.
    """
    return VarianceScaling(scale=2., mode='fan_in', distribution='truncated_normal', seed=seed)


@export('initializers.he_uniform', 'keras.initializers.he_uniform',
        'keras.initializers.HeUniform')
def he_uniform(seed=None):
    """Returns a VarianceScaling with variance 2 / inputs and a uniform distribution.

    Args:
      seed: an integer; see tf.set_random_seed.
    """
    return VarianceScaling(scale=2., mode='fan_in', distribution='uniform', seed=seed)


@export('keras.initializers.RandomUniform', 'keras.initializers.random_uniform',
        'keras.initializers.uniform')
@with_args_of(RandomUniform)
class KerasRandomUniform(RandomUniform):
    """tf.random_uniform_initializer with the default range [-0.05, 0.05)."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype=dtypes.float32):
        super().__init__(minval=minval, maxval=maxval, seed=seed, dtype=dtype)


@export('keras.initializers.RandomNormal', 'keras.initializers.random_normal',
        'keras.initializers.normal')
@with_args_of(RandomNormal)
class KerasRandomNormal(RandomNormal):
    """tf.random_normal_initializer with the default standard deviation 0.05."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=dtypes.float32):
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)


@export('keras.initializers.TruncatedNormal', 'keras.initializers.truncated_normal')
@with_args_of(TruncatedNormal)
class KerasTruncatedNormal(TruncatedNormal):
    """tf.truncated_normal_initializer with the default standard deviation 0.05."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=dtypes.float32):
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)
