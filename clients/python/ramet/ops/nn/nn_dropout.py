"""Dropout."""

import numbers

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.random import random_ops


def _noise_shape(x, noise_shape):
    if noise_shape is None:
        return array_ops.shape(x)
    try:
        noise_shape = tensor_shape.as_shape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    static = x.get_shape()
    if static.dims is None or len(static.dims) != len(noise_shape.dims):
        return noise_shape
    sizes = [size if size is not None else tensor_shape.dimension_value(known)
             for size, known in zip(noise_shape.as_list(), static.dims)]
    return tensor_shape.TensorShape(sizes)


def _checked_rate(rate):
    if rate is None:
        raise ValueError('`rate` must be provided. Received: rate=None')
    if isinstance(rate, numbers.Real):
        if not 0 <= rate < 1:
            raise ValueError('`rate` must be a scalar tensor or a float in the range [0, 1). '
                             f'Received: rate={rate}')
    elif not hasattr(rate, 'get_shape'):
        raise ValueError(f'`rate` must be a scalar or scalar tensor. Received: rate={rate}')


def _scaled(x, rate):
    if isinstance(rate, numbers.Real):
        scale = ops.convert_to_tensor(1.0 / (1 - rate), dtype=x.dtype)
        return gen.Mul(x, scale)
    rate.get_shape().assert_has_rank(0)
    if not rate.dtype.is_compatible_with(x.dtype):
        raise ValueError('`x.dtype` must be compatible with `rate.dtype`. '
                         f'Received: x.dtype={x.dtype} and rate.dtype={rate.dtype}')
    one = ops.convert_to_tensor(1, dtype=x.dtype)
    return gen.RealDiv(x, gen.Sub(one, rate))


@export('nn.dropout')
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Randomly sets elements to 0, and scales the rest so that the expected sum is unchanged.

    Args:
      x: a Tensor of a floating-point type.
      keep_prob: 1 - rate. Deprecated.
      noise_shape: the shape of the random decisions, broadcast to x. Defaults to the shape of x.
      seed: an integer; see tf.set_random_seed.
      name: the name of the scope.
      rate: the probability of dropping an element, in [0, 1); a float or a scalar Tensor.

    Returns:
      A Tensor like x, or x itself if rate is 0.

    Raises:
      ValueError: if rate is missing, is given together with keep_prob or is outside [0, 1), or x does
        not have a floating-point type.
    """
    if keep_prob is not None:
        deprecation.warn_once('calling dropout with keep_prob',
                              'Please use `rate` instead of `keep_prob`; rate = 1 - keep_prob.')
        if rate is not None:
            raise ValueError("Cannot specify both 'keep_prob' and 'rate'.")
        try:
            rate = 1 - keep_prob
        except TypeError as error:
            raise ValueError('`keep_prob` must be a floating point number or Tensor. '
                             f'Received: keep_prob={keep_prob}') from error
    _checked_rate(rate)
    with ops.name_scope(name, 'dropout', [x]):
        x = ops.convert_to_tensor(x, name='x')
        if not x.dtype.is_floating:
            raise ValueError('`x.dtype` must be a floating point tensor as `x` will be scaled. '
                             f'Received: x_dtype={x.dtype}')
        if isinstance(rate, numbers.Real) and rate == 0:
            return x
        result = _scaled(x, rate)
        noise = random_ops.random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype)
        keep = noise >= rate
        zero = ops.convert_to_tensor(0, dtype=x.dtype)
        result = gen.SelectV2(keep, result, zero)
        result.set_shape(x.get_shape())
        return result
