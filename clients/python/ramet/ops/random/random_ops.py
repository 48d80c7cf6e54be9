"""Random numbers. With the same seeds, they are equal to TensorFlow's."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, dtypes, ops, random_seed, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow import assertions, dependencies
from ramet.ops.math import math_ops


def _shape_tensor(shape):
    """Returns a shape as an int32 (or int64) Tensor named 'shape'."""
    dtype = None
    if isinstance(shape, (tuple, list)):
        shape = tuple(tensor_shape.dimension_value(size) for size in shape)
        dtype = None if shape else dtypes.int32
    return ops.convert_to_tensor(shape, dtype=dtype, name='shape')


def _with_static_shape(tensor, shape):
    if not tensor.get_shape().is_fully_defined():
        known = tensor_util.constant_value_as_shape(shape)
        if known.ndims is not None:
            tensor.set_shape(known)
    return tensor


def _normal(draw, default_name, shape, mean, stddev, dtype, seed, name):
    with ops.name_scope(name, default_name, [shape, mean, stddev]) as name:
        shape = _shape_tensor(shape)
        mean = ops.convert_to_tensor(mean, dtype=dtype, name='mean')
        stddev = ops.convert_to_tensor(stddev, dtype=dtype, name='stddev')
        seed1, seed2 = random_seed.get_seed(seed)
        normal = draw(shape, dtype, seed=seed1, seed2=seed2)
        return math_ops.add(normal * stddev, mean, name=name)


@export('random_normal', 'random.normal')
def random_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Draws from a normal distribution.

    Args:
      shape: the shape, an integer vector.
      mean: a scalar (or Tensor that broadcasts to shape) of dtype.
      stddev: the standard deviation, like mean.
      dtype: half, bfloat16, float or double.
      seed: an integer; see tf.set_random_seed.
      name: the name of the operation.

    Returns:
      A Tensor of shape and dtype.
    """
    return _normal(gen.RandomStandardNormal, 'random_normal', shape, mean, stddev, dtype, seed,
                   name)


@export('truncated_normal', 'random.truncated_normal')
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Draws from a normal distribution, truncated at two standard deviations from the mean.

    Args:
      shape: the shape, an integer vector.
      mean: a scalar of dtype.
      stddev: the standard deviation before truncation, a scalar of dtype.
      dtype: half, bfloat16, float or double.
      seed: an integer; see tf.set_random_seed.
      name: the name of the operation.

    Returns:
      A Tensor of shape and dtype.
    """
    return _normal(gen.TruncatedNormal, 'truncated_normal', shape, mean, stddev, dtype, seed, name)


_UNIFORM_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32,
                  dtypes.int64)


def _uniform_type(dtype, maxval):
    dtype = dtypes.as_dtype(dtype)
    if dtype not in _UNIFORM_TYPES:
        names = ', '.join(f'tf.{accepted.name}' for accepted in _UNIFORM_TYPES)
        raise ValueError(f'Argument `dtype` got invalid value {dtype}. '
                         f'Accepted dtypes are ({names}).')
    if maxval is None and dtype.is_integer:
        raise ValueError(f'Must specify maxval for integer dtype tf.{dtype.name}')
    return dtype


@export('random_uniform', 'random.uniform')
def random_uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None):
    """Draws from a uniform distribution over [minval, maxval).

    Args:
      shape: the shape, an integer vector.
      minval: the lower bound, a scalar of dtype.
      maxval: the upper bound, exclusive. Defaults to 1 for floating-point types.
      dtype: half, bfloat16, float, double, int32 or int64.
      seed: an integer; see tf.set_random_seed.
      name: the name of the operation.

    Returns:
      A Tensor of shape and dtype.

    Raises:
      ValueError: if dtype is not supported, or is an integer type and maxval is None.
    """
    dtype = _uniform_type(dtype, maxval)
    maxval = 1 if maxval is None else maxval
    with ops.name_scope(name, 'random_uniform', [shape, minval, maxval]) as name:
        shape = _shape_tensor(shape)
        from_zero = isinstance(minval, int) and minval == 0
        to_one = isinstance(maxval, int) and maxval == 1
        if dtype.is_integer or not (from_zero and to_one):
            minval = ops.convert_to_tensor(minval, dtype=dtype, name='min')
            maxval = ops.convert_to_tensor(maxval, dtype=dtype, name='max')
        seed1, seed2 = random_seed.get_seed(seed)
        if dtype.is_integer:
            result = gen.RandomUniformInt(
                shape, minval, maxval, seed=seed1, seed2=seed2, name=name)
            return _with_static_shape(result, shape)
        result = gen.RandomUniform(shape, dtype, seed=seed1, seed2=seed2)
        if from_zero:
            result = result if to_one else math_ops.multiply(result, maxval)
        else:
            result = math_ops.add(result * (maxval - minval), minval, name=name)
        return _with_static_shape(result, shape)


@export('random_shuffle', 'random.shuffle')
def random_shuffle(value, seed=None, name=None):
    """Returns the rows of value in a random order.

    Args:
      value: a Tensor.
      seed: an integer; see tf.set_random_seed.
      name: the name of the operation.

    Returns:
      A Tensor like value.
    """
    seed1, seed2 = random_seed.get_seed(seed)
    return gen.RandomShuffle(value, seed=seed1, seed2=seed2, name=name)


@export('random_crop', 'image.random_crop')
def random_crop(value, size, seed=None, name=None):
    """Returns a random part of value with the given size.

    Args:
      value: a Tensor.
      size: an int32 vector with a size for each axis of value.
      seed: an integer; see tf.set_random_seed.
      name: the name of the operation.

    Returns:
      A Tensor of shape size and value's type.
    """
    with ops.name_scope(name, 'random_crop', [value, size]) as name:
        value = ops.convert_to_tensor(value, name='value')
        size = ops.convert_to_tensor(size, dtype=dtypes.int32, name='size')
        shape = array_ops.shape(value)
        check = assertions.Assert(
            math_ops.reduce_all(shape >= size),
            ['Need value.shape >= size, got ', shape, size], summarize=1000)
        shape = dependencies.with_dependencies([check], shape)
        limit = shape - size + 1
        offset = random_uniform(
            array_ops.shape(limit), dtype=size.dtype, maxval=size.dtype.max, seed=seed) % limit
        return array_ops.slice(value, offset, size, name=name)


def _categorical(logits, num_samples, dtype, seed):
    logits = ops.convert_to_tensor(logits, name='logits')
    dtype = dtypes.int64 if dtype is None else dtype
    seed1, seed2 = random_seed.get_seed(seed)
    return gen.Multinomial(
        logits, num_samples, seed=seed1, seed2=seed2, output_dtype=dtype)


@export('multinomial', 'random.multinomial')
def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
    """Draws classes. Deprecated: use tf.random.categorical.

    Args:
      logits: a Tensor of shape [batch, classes]: unnormalized log probabilities.
      num_samples: the number of samples per row; a scalar.
      seed: an integer; see tf.set_random_seed.
      name: the name of the scope.
      output_dtype: int32 or int64 (the default).

    Returns:
      A Tensor of class numbers, of shape [batch, num_samples].
    """
    deprecation.warn_once('multinomial', 'Use `tf.random.categorical` instead.')
    with ops.name_scope(name, 'multinomial', [logits]):
        return _categorical(logits, num_samples, output_dtype, seed)


@export('random.categorical')
def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    """Draws classes from categorical distributions.

    Args:
      logits: a Tensor of shape [batch, classes]: unnormalized log probabilities.
      num_samples: the number of samples per row; a scalar.
      dtype: int32 or int64 (the default).
      seed: an integer; see tf.set_random_seed.
      name: the name of the scope.

    Returns:
      A Tensor of class numbers, of shape [batch, num_samples].
    """
    with ops.name_scope(name, 'categorical', [logits]):
        return _categorical(logits, num_samples, dtype, seed)


@export('random_gamma', 'random.gamma')
def random_gamma(shape, alpha, beta=None, dtype=dtypes.float32, seed=None, name=None):
    """Draws from gamma distributions.

    Args:
      shape: the number of samples per pair of parameters, an integer vector.
      alpha: the shapes of the distributions, a Tensor of dtype.
      beta: the rates, a Tensor of dtype that broadcasts with alpha. Defaults to 1.
      dtype: half, float or double.
      seed: an integer; see tf.set_random_seed.
      name: the name of the scope.

    Returns:
      A Tensor of shape + (shape of alpha + beta).
    """
    with ops.name_scope(name, 'random_gamma', [shape, alpha, beta]):
        shape = ops.convert_to_tensor(shape, name='shape', dtype=dtypes.int32)
        alpha = ops.convert_to_tensor(alpha, name='alpha', dtype=dtype)
        beta = ops.convert_to_tensor(
            beta if beta is not None else 1, name='beta', dtype=dtype)
        broadcast = array_ops.broadcast_dynamic_shape(
            array_ops.shape(alpha), array_ops.shape(beta))
        alpha = array_ops.broadcast_to(alpha, broadcast)
        seed1, seed2 = random_seed.get_seed(seed)
        gamma = gen.RandomGamma(shape, alpha, seed=seed1, seed2=seed2) / beta
        return math_ops.maximum(np.finfo(alpha.dtype.as_numpy_dtype).tiny, gamma)


@export('random_poisson', 'random.poisson')
def random_poisson(lam, shape, dtype=dtypes.float32, seed=None, name=None):
    """Draws from Poisson distributions.

    Args:
      lam: the rates, a Tensor of half, float or double.
      shape: the number of samples per rate, an integer vector.
      dtype: half, float, double, int32 or int64.
      seed: an integer; see tf.set_random_seed.
      name: the name of the scope.

    Returns:
      A Tensor of shape + lam.shape.
    """
    with ops.name_scope(name, 'random_poisson', [lam, shape]):
        shape = ops.convert_to_tensor(shape, name='shape', dtype=dtypes.int32)
        seed1, seed2 = random_seed.get_seed(seed)
        return gen.RandomPoissonV2(shape, lam, dtype=dtype, seed=seed1, seed2=seed2)
