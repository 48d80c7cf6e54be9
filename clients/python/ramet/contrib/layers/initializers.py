"""Initializers of weights."""

import math

from ramet.api import export
from ramet.framework import dtypes, tensor_shape
from ramet.ops.random import random_ops


@export('contrib.layers.xavier_initializer', 'contrib.layers.xavier_initializer_conv2d')
def xavier_initializer(uniform=True, seed=None, dtype=dtypes.float32):
    """Returns an initializer that keeps the scale of gradients similar in all layers.

    Args:
      uniform: whether to draw from a uniform distribution within sqrt(6 / (inputs + outputs)).
        Otherwise values are drawn from a truncated normal distribution with a standard deviation of
        about sqrt(2 / (inputs + outputs)).
      seed: an integer; see tf.set_random_seed.
      dtype: the default floating-point type.

    Returns:
      A function (shape, dtype=None, partition_info=None) -> Tensor.
    """
    return variance_scaling_initializer(factor=1.0, mode='FAN_AVG', uniform=uniform, seed=seed,
                                        dtype=dtype)


def _units(shape, mode):
    sizes = [float(tensor_shape.dimension_value(size)) for size in tensor_shape.bounded(shape)]
    receptive = math.prod(sizes[:-2])
    fan_out = (sizes[-1] if sizes else 1.0) * receptive
    fan_in = (sizes[-2] if len(sizes) > 1 else sizes[-1] if sizes else 1.0) * receptive
    return {'FAN_IN': fan_in, 'FAN_OUT': fan_out, 'FAN_AVG': (fan_in + fan_out) / 2.0}[mode]


@export('contrib.layers.variance_scaling_initializer')
def variance_scaling_initializer(factor=2.0, mode='FAN_IN', uniform=False, seed=None,
                                 dtype=dtypes.float32):
    """Returns an initializer of values with a variance of factor / n.

    Args:
      factor: a number.
      mode: 'FAN_IN' (n is the number of inputs of a unit), 'FAN_OUT' (of outputs), or 'FAN_AVG'
        (their mean).
      uniform: whether to draw from a uniform instead of a truncated normal distribution.
      seed: an integer; see tf.set_random_seed.
      dtype: the default floating-point type.

    Returns:
      A function (shape, dtype=None, partition_info=None) -> Tensor.

    Raises:
      TypeError: if dtype is not a floating-point type, or mode is unknown.
    """
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise TypeError('Cannot create initializer for non-floating point type.')
    if mode not in ('FAN_IN', 'FAN_OUT', 'FAN_AVG'):
        raise TypeError('Unknown mode %s [FAN_IN, FAN_OUT, FAN_AVG]', mode)
    default_dtype = dtype

    def _initializer(shape, dtype=None, partition_info=None):
        dtype = default_dtype if dtype is None else dtypes.as_dtype(dtype)
        if not dtype.is_floating:
            raise TypeError('Cannot create initializer for non-floating point type.')
        units = _units(shape, mode)
        if uniform:
            limit = math.sqrt(3.0 * factor / units)
            return random_ops.random_uniform(shape, -limit, limit, dtype, seed=seed)
        stddev = math.sqrt(1.3 * factor / units)
        return random_ops.truncated_normal(shape, 0.0, stddev, dtype, seed=seed)

    return _initializer
