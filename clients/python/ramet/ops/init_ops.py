"""Initializers: callables that give a variable its first value."""

import math

import numpy as np

from ramet.api import export
from ramet.framework import constant_op
from ramet.framework import dtypes
from ramet.framework import tensor_shape
from ramet.ops import array_ops
from ramet.ops import random_ops


def _floating(dtype):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f'Argument `dtype` is expected to be floating point. Received: {dtype}.')
    return dtype


class Initializer:
    """What all initializers are: callables that can be written down and made again.

    `initializer(shape, dtype=None, partition_info=None)` returns a Tensor. partition_info, for a
    part of a partitioned variable, has the whole variable's full_shape and the part's var_offset.
    """

    def __call__(self, shape, dtype=None, partition_info=None):
        """Returns a Tensor of a shape; of dtype, or the initializer's own type where it is None."""
        raise NotImplementedError

    def get_config(self):
        """Returns the arguments as a dict that can be written as JSON."""
        return {}

    @classmethod
    def from_config(cls, config):
        """Returns an initializer from what get_config gave.

        Args:
          config: a dict of arguments; 'dtype' may be there or not.
        """
        arguments = dict(config)
        arguments.pop('dtype', None)
        return cls(**arguments)


@export('zeros_initializer', 'initializers.zeros', 'keras.initializers.Zeros',
        'keras.initializers.zeros')
class Zeros(Initializer):
    """Gives zeros."""

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self):
        return {'dtype': self.dtype.name}


@export('ones_initializer', 'initializers.ones', 'keras.initializers.Ones',
        'keras.initializers.ones')
class Ones(Initializer):
    """Gives ones."""

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.ones(shape, self.dtype if dtype is None else dtype)

    def get_config(self):
        return {'dtype': self.dtype.name}


@export('constant_initializer', 'initializers.constant', 'keras.initializers.Constant',
        'keras.initializers.constant')
class Constant(Initializer):
    """Gives a value, or the values of a list or array in their order.

    Args:
      value: a Python scalar, a list or tuple of values, or a numpy array. Where the variable has
        more elements than there are values, the last one fills the rest.
      dtype: the type where the call names none.
      verify_shape: whether the values must have the variable's shape.

    Raises:
      TypeError: if value is something else.
    """

    def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f'Invalid type for initial value={value} of type: {type(value).__name__}. '
                'Expected Python scalar, list or tuple of values, or numpy.ndarray.')
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        return constant_op.constant(
            self.value, dtype=self.dtype if dtype is None else dtype, shape=shape,
            verify_shape=self._verify_shape if verify_shape is None else verify_shape)

    def get_config(self):
        return {'value': self.value, 'dtype': self.dtype.name}


@export('random_uniform_initializer', 'initializers.random_uniform')
class RandomUniform(Initializer):
    """Draws from a uniform distribution over [minval, maxval).

    Args:
      minval: the lower bound.
      maxval: the upper bound; 1 where it is None and the type is of floating point.
      seed: an integer, see tf.set_random_seed.
      dtype: the type where the call names none.
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
        self.dtype = _floating(dtype)

    def get_config(self):
        return {'mean': self.mean, 'stddev': self.stddev, 'seed': self.seed,
                'dtype': self.dtype.name}


@export('random_normal_initializer', 'initializers.random_normal')
class RandomNormal(_Normal):
    """Draws from a normal distribution.

    Args:
      mean: the mean.
      stddev: the standard deviation.
      seed: an integer, see tf.set_random_seed.
      dtype: the type where the call names none; of floating point.
    """

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.random_normal(
            shape, self.mean, self.stddev, self.dtype if dtype is None else dtype,
            seed=self.seed)


@export('truncated_normal_initializer', 'initializers.truncated_normal')
class TruncatedNormal(_Normal):
    """Draws from a normal distribution, within two standard deviations of the mean.

    Args:
      mean: the mean.
      stddev: the standard deviation before the cut.
      seed: an integer, see tf.set_random_seed.
      dtype: the type where the call names none; of floating point.
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
      seed: an integer, see tf.set_random_seed.
      dtype: the type where the call names none; of floating point.
    """

    def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
        self.factor = factor
        self.seed = seed
        self.dtype = _floating(dtype)

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


def _fans(shape):
    """The number of inputs and of outputs of a unit of a layer with weights of a shape."""
    sizes = [int(tensor_shape.dimension_value(size)) for size in shape]
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    receptive = math.prod(sizes[:-2])
    return sizes[-2] * receptive, sizes[-1] * receptive


# The standard deviation of a standard normal distribution that is cut at 2.
_CUT_STDDEV = .87962566103423978
_MODES = ('fan_in', 'fan_out', 'fan_avg')
_DISTRIBUTIONS = ('normal', 'uniform', 'truncated_normal', 'untruncated_normal')


@export('variance_scaling_initializer', 'initializers.variance_scaling',
        'keras.initializers.VarianceScaling')
class VarianceScaling(Initializer):
    """Draws with a variance of scale / n, where n is the number of inputs, outputs or their mean.

    Args:
      scale: a positive number.
      mode: 'fan_in', 'fan_out' or 'fan_avg'.
      distribution: 'truncated_normal' (or 'normal', the same), 'untruncated_normal' or 'uniform'.
      seed: an integer, see tf.set_random_seed.
      dtype: the type where the call names none; of floating point.

    Raises:
      ValueError: if an argument is none of these.
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
        self.dtype = _floating(dtype)

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
    """A VarianceScaling whose scale, mode and distribution its name says."""

    _FIXED = {}

    def __init__(self, seed=None, dtype=dtypes.float32):
        super().__init__(seed=seed, **self._FIXED)

    def get_config(self):
        return {'seed': self.seed, 'dtype': self.dtype.name}


@export('glorot_uniform_initializer', 'initializers.glorot_uniform',
        'keras.initializers.glorot_uniform', 'keras.initializers.GlorotUniform')
class GlorotUniform(_FixedScaling):
    """Draws uniformly within sqrt(6 / (inputs + outputs)); also called Xavier's.

    Args:
      seed: an integer, see tf.set_random_seed.
      dtype: not used: the type is that of the call, or float.
    """

    _FIXED = {'scale': 1.0, 'mode': 'fan_avg', 'distribution': 'uniform'}


@export('glorot_normal_initializer', 'initializers.glorot_normal',
        'keras.initializers.glorot_normal', 'keras.initializers.GlorotNormal')
class GlorotNormal(_FixedScaling):
    """Draws from a cut normal distribution with a variance of 2 / (inputs + outputs).

    Args:
      seed: an integer, see tf.set_random_seed.
      dtype: not used: the type is that of the call, or float.
    """

    _FIXED = {'scale': 1.0, 'mode': 'fan_avg', 'distribution': 'truncated_normal'}


@export('initializers.lecun_normal', 'keras.initializers.lecun_normal',
        'keras.initializers.LecunNormal')
def lecun_normal(seed=None):
    """Returns a VarianceScaling of 1 / inputs, of a cut normal distribution.

    Args:
      seed: an integer, see tf.set_random_seed.
    """
    return VarianceScaling(scale=1., mode='fan_in', distribution='truncated_normal', seed=seed)


@export('initializers.lecun_uniform', 'keras.initializers.lecun_uniform',
        'keras.initializers.LecunUniform')
def lecun_uniform(seed=None):
    """Returns a VarianceScaling of 1 / inputs, of a uniform distribution.

    Args:
      seed: an integer, see tf.set_random_seed.
    """
    return VarianceScaling(scale=1., mode='fan_in', distribution='uniform', seed=seed)


@export('initializers.he_normal', 'keras.initializers.he_normal', 'keras.initializers.HeNormal')
def he_normal(seed=None):
    """Returns a VarianceScaling of 2 / inputs, of a cut normal distribution.

    Args:
      seed: an integer, see tf.set_random_seed.
    """
    return VarianceScaling(scale=2., mode='fan_in', distribution='truncated_normal', seed=seed)


@export('initializers.he_uniform', 'keras.initializers.he_uniform',
        'keras.initializers.HeUniform')
def he_uniform(seed=None):
    """Returns a VarianceScaling of 2 / inputs, of a uniform distribution.

    Args:
      seed: an integer, see tf.set_random_seed.
    """
    return VarianceScaling(scale=2., mode='fan_in', distribution='uniform', seed=seed)


@export('initializers.identity', 'keras.initializers.Identity', 'keras.initializers.identity')
class Identity(Initializer):
    """Gives a matrix with a value on its diagonal.

    Args:
      gain: the value.
      dtype: the type where the call names none; of floating point.
    """

    def __init__(self, gain=1.0, dtype=dtypes.float32):
        self.gain = gain
        self.dtype = _floating(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        from ramet.ops import linalg_ops
        full = shape if partition_info is None else partition_info.full_shape
        if len(full) != 2:
            raise ValueError('The tensor to initialize, specified by argument `shape` must be at '
                             f'least two-dimensional. Received shape={shape}')
        dtype = self.dtype if dtype is None else dtype
        if isinstance(full, tensor_shape.TensorShape):
            full = full.as_list()
        matrix = linalg_ops.eye(*full, dtype=dtype)
        if partition_info is not None:
            matrix = array_ops.slice(matrix, partition_info.var_offset, shape)
        return self.gain * matrix

    def get_config(self):
        return {'gain': self.gain, 'dtype': self.dtype.name}


@export('keras.initializers.RandomUniform', 'keras.initializers.random_uniform',
        'keras.initializers.uniform')
class KerasRandomUniform(RandomUniform):
    """tf.random_uniform_initializer over [-0.05, 0.05) by default."""

    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype=dtypes.float32):
        super().__init__(minval=minval, maxval=maxval, seed=seed, dtype=dtype)


@export('keras.initializers.RandomNormal', 'keras.initializers.random_normal',
        'keras.initializers.normal')
class KerasRandomNormal(RandomNormal):
    """tf.random_normal_initializer with a standard deviation of 0.05 by default."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=dtypes.float32):
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)


@export('keras.initializers.TruncatedNormal', 'keras.initializers.truncated_normal')
class KerasTruncatedNormal(TruncatedNormal):
    """tf.truncated_normal_initializer with a standard deviation of 0.05 by default."""

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=dtypes.float32):
        super().__init__(mean=mean, stddev=stddev, seed=seed, dtype=dtype)


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
