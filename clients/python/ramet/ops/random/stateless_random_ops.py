"""Random numbers that depend only on a seed tensor. They are equal to TensorFlow's."""

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, dtypes, ops
from ramet.ops.math import math_ops
from ramet.ops.random.random_algorithms import Algorithm, number_of, unsupported
from ramet.ops.random.random_ops import _shape_tensor, _with_static_shape

_UNIFORM_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32,
                  dtypes.int64, dtypes.uint32, dtypes.uint64)


def _key_counter_alg(seed, alg):
    number = Algorithm.AUTO_SELECT.value if alg is None else number_of(alg)
    if number not in [known.value for known in Algorithm]:
        raise ValueError(unsupported(alg))
    if number != Algorithm.AUTO_SELECT.value:
        raise NotImplementedError(
            f"alg={alg!r}: only 'auto_select' is supported, which is Philox on a CPU")
    key, counter = gen.StatelessRandomGetKeyCounter(seed)
    return key, counter, number


def _normal(draw, default_name, shape, seed, mean, stddev, dtype, name, alg):
    with ops.name_scope(name, default_name, [shape, seed, mean, stddev]) as name:
        shape = _shape_tensor(shape)
        mean = ops.convert_to_tensor(mean, dtype=dtype, name='mean')
        stddev = ops.convert_to_tensor(stddev, dtype=dtype, name='stddev')
        key, counter, alg = _key_counter_alg(seed, alg)
        normal = draw(shape, key, counter, alg, dtype=dtype)
        return _with_static_shape(math_ops.add(normal * stddev, mean, name=name), shape)


@export('random.stateless_normal')
def stateless_random_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None,
                            alg='auto_select'):
    """Draws from a normal distribution. Equal seeds draw equal numbers.

    Args:
      shape: the shape, an integer vector.
      seed: two integers (int32 or int64), a Tensor or a value that can be converted to one.
      mean: a scalar (or Tensor that broadcasts to shape) of dtype.
      stddev: the standard deviation, like mean.
      dtype: half, bfloat16, float or double.
      name: the name of the operation.
      alg: 'auto_select'.

    Returns:
      A Tensor of shape and dtype.

    Raises:
      ValueError: if alg is not an algorithm.
      NotImplementedError: if it is not 'auto_select'.
    """
    return _normal(gen.StatelessRandomNormalV2, 'stateless_random_normal', shape, seed, mean,
                   stddev, dtype, name, alg)


@export('random.stateless_truncated_normal')
def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None,
                               alg='auto_select'):
    """Draws from a normal distribution, truncated at two standard deviations from the mean.

    Args:
      shape: the shape, an integer vector.
      seed: two integers (int32 or int64), a Tensor or a value that can be converted to one.
      mean: a scalar (or Tensor that broadcasts to shape) of dtype.
      stddev: the standard deviation before truncation, like mean.
      dtype: half, bfloat16, float or double.
      name: the name of the operation.
      alg: 'auto_select'.

    Returns:
      A Tensor of shape and dtype.

    Raises:
      ValueError: if alg is not an algorithm.
      NotImplementedError: if it is not 'auto_select'.
    """
    return _normal(gen.StatelessTruncatedNormalV2, 'stateless_truncated_normal', shape, seed, mean,
                   stddev, dtype, name, alg)


def _check_bounds(dtype, minval, maxval):
    if dtype not in _UNIFORM_TYPES:
        names = ', '.join(f'tf.{accepted.name}' for accepted in _UNIFORM_TYPES)
        raise ValueError(f'Argument `dtype` got invalid value {dtype}. '
                         f'Accepted dtypes are ({names}).')
    if dtype.is_integer and (minval is None) != (maxval is None):
        raise ValueError(f'For integer `dtype` argument {dtype}, argument `minval` and `maxval` '
                         f'must be both None or not None. Got `minval`={minval} and '
                         f'`maxval`={maxval}.')


@export('random.stateless_uniform')
def stateless_random_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None,
                             alg='auto_select'):
    """Draws from a uniform distribution over [minval, maxval). Equal seeds draw equal numbers.

    Args:
      shape: the shape, an integer vector.
      seed: two integers (int32 or int64), a Tensor or a value that can be converted to one.
      minval: the lower bound, a scalar of dtype. If both bounds are None, the range is that of an
        integer dtype.
      maxval: the upper bound, exclusive. Defaults to 1 for floating-point types.
      dtype: half, bfloat16, float, double, int32, int64; without bounds also uint32, uint64.
      name: the name of the operation.
      alg: 'auto_select'.

    Returns:
      A Tensor of shape and dtype.

    Raises:
      ValueError: if dtype or alg is not supported, or only one bound of integers is None.
      NotImplementedError: if alg is not 'auto_select'.
    """
    dtype = dtypes.as_dtype(dtype)
    _check_bounds(dtype, minval, maxval)
    if maxval is None and not dtype.is_integer:
        maxval = 1
    with ops.name_scope(name, 'stateless_random_uniform', [shape, seed, minval, maxval]) as name:
        shape = _shape_tensor(shape)
        if dtype.is_integer and minval is None:
            key, counter, alg = _key_counter_alg(seed, alg)
            result = gen.StatelessRandomUniformFullIntV2(shape, key, counter, alg, dtype=dtype,
                                                         name=name)
            return _with_static_shape(result, shape)
        minval = ops.convert_to_tensor(minval, dtype=dtype, name='min')
        maxval = ops.convert_to_tensor(maxval, dtype=dtype, name='max')
        key, counter, alg = _key_counter_alg(seed, alg)
        if dtype.is_integer:
            result = gen.StatelessRandomUniformIntV2(shape, key, counter, alg, minval, maxval,
                                                     name=name)
        else:
            drawn = gen.StatelessRandomUniformV2(shape, key, counter, alg, dtype=dtype)
            result = math_ops.add(drawn * (maxval - minval), minval, name=name)
        return _with_static_shape(result, shape)


def _categorical(logits, num_samples, dtype, seed):
    logits = ops.convert_to_tensor(logits, name='logits')
    dtype = dtypes.as_dtype(dtype) if dtype else dtypes.int64
    accepted = (dtypes.int32, dtypes.int64)
    if dtype not in accepted:
        raise ValueError(f'Argument `dtype` got invalid value {dtype}. Accepted dtypes are '
                         f'{accepted}.')
    return gen.StatelessMultinomial(logits, num_samples, seed, output_dtype=dtype)


@export('random.stateless_multinomial')
def stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.int64, name=None):
    """Draws classes. Deprecated: use tf.random.stateless_categorical.

    Args:
      logits: a Tensor of shape [batch, classes]: unnormalized log probabilities.
      num_samples: the number of samples per row; a scalar.
      seed: two integers (int32 or int64), a Tensor or a value that can be converted to one.
      output_dtype: int32 or int64.
      name: the name of the scope.

    Returns:
      A Tensor of class numbers, of shape [batch, num_samples].

    Raises:
      ValueError: if output_dtype is not supported.
    """
    deprecation.warn_once('stateless_multinomial',
                          'Use `tf.random.stateless_categorical` instead.')
    with ops.name_scope(name, 'stateless_multinomial', [logits, seed]):
        return _categorical(logits, num_samples, output_dtype, seed)


@export('random.stateless_categorical')
def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None):
    """Draws classes from categorical distributions. Equal seeds draw equal classes.

    Args:
      logits: a Tensor of shape [batch, classes]: unnormalized log probabilities.
      num_samples: the number of samples per row; a scalar.
      seed: two integers (int32 or int64), a Tensor or a value that can be converted to one.
      dtype: int32 or int64.
      name: the name of the scope.

    Returns:
      A Tensor of class numbers, of shape [batch, num_samples].

    Raises:
      ValueError: if dtype is not supported.
    """
    with ops.name_scope(name, 'stateless_categorical', [logits, seed]):
        return _categorical(logits, num_samples, dtype, seed)
