"""Moments and batch normalization."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, deprecation, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops


def _static_count(shape, axes):
    count = 1
    for axis in axes:
        size = shape.as_list()[axis] if shape.ndims is not None else None
        if size is None:
            return None
        count *= size
    return count


def _count(x, axes):
    count = _static_count(x.get_shape(), axes)
    if count is not None:
        return constant_op.constant(count, dtype=x.dtype)
    rank = array_ops.rank(x)
    positive = [axis + rank if axis < 0 else axis for axis in axes]
    sizes = array_ops.gather(math_ops.cast(array_ops.shape(x), x.dtype), positive)
    return math_ops.reduce_prod(sizes, name='count')


@export('nn.sufficient_statistics')
def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    """Returns the statistics for computing moments: count, sum and sum of squares along axes.

    Args:
      x: a Tensor of a number type.
      axes: a list of axes.
      shift: a value near the mean, which is subtracted first, or None.
      keep_dims: deprecated name of keepdims.
      name: the name of the scope.
      keepdims: whether to keep the reduced axes, with size 1.

    Returns:
      count (a scalar of x's type), the sum, the sum of squares, and shift as a Tensor or None.

    Raises:
      ValueError: if both keep_dims and keepdims are given.
    """
    axes = list(set(axes))
    keep = deprecation.renamed(
        'sufficient_statistics', 'keepdims', keepdims, 'keep_dims', keep_dims) or False
    with ops.name_scope(name, 'sufficient_statistics', [x, shift]):
        x = ops.convert_to_tensor(x, name='x')
        count = _count(x, axes)
        if shift is None:
            first, second = x, math_ops.square(x)
        else:
            shift = ops.convert_to_tensor(shift, name='shift')
            first, second = math_ops.subtract(x, shift), math_ops.squared_difference(x, shift)
        mean_ss = math_ops.reduce_sum(first, axes, keepdims=keep, name='mean_ss')
        var_ss = math_ops.reduce_sum(second, axes, keepdims=keep, name='var_ss')
        return count, mean_ss, var_ss, shift


@export('nn.normalize_moments')
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """Returns mean and variance, given the results of sufficient_statistics.

    Args:
      counts: a scalar, the number of values.
      mean_ss: their sum (of value - shift).
      variance_ss: the sum of their squares (of value - shift).
      shift: the shift, or None.
      name: the name of the scope.

    Returns:
      mean and variance, of mean_ss's shape.
    """
    with ops.name_scope(name, 'normalize', [counts, mean_ss, variance_ss, shift]):
        divisor = math_ops.reciprocal(counts, name='divisor')
        if shift is None:
            shifted_mean = mean = math_ops.multiply(mean_ss, divisor, name='mean')
        else:
            shifted_mean = math_ops.multiply(mean_ss, divisor, name='shifted_mean')
            mean = math_ops.add(shifted_mean, shift, name='mean')
        variance = math_ops.subtract(
            math_ops.multiply(variance_ss, divisor), math_ops.square(shifted_mean),
            name='variance')
        return mean, variance


def _widened(x):
    return math_ops.cast(x, dtypes.float32) if x.dtype == dtypes.float16 else x


def _narrowed(mean, variance, dtype):
    if dtype != dtypes.float16:
        return mean, variance
    return math_ops.cast(mean, dtype), math_ops.cast(variance, dtype)


@export('nn.moments')
def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """Returns the mean and variance of x along axes. float16 is computed in float32.

    Args:
      x: a Tensor of a number type.
      axes: a list of axes.
      shift: ignored.
      name: the name of the scope.
      keep_dims: deprecated name of keepdims.
      keepdims: whether to keep the reduced axes, with size 1.

    Returns:
      mean and variance, of x's type.

    Raises:
      ValueError: if both keep_dims and keepdims are given.
    """
    keep = deprecation.renamed('moments', 'keepdims', keepdims, 'keep_dims', keep_dims) or False
    with ops.name_scope(name, 'moments', [x, axes]):
        y = _widened(x)
        mean = math_ops.reduce_mean(y, axes, keepdims=True, name='mean')
        variance = math_ops.reduce_mean(
            math_ops.squared_difference(y, array_ops.stop_gradient(mean)), axes, keepdims=True,
            name='variance')
        if not keep:
            mean, variance = array_ops.squeeze(mean, axes), array_ops.squeeze(variance, axes)
        return _narrowed(mean, variance, x.dtype)


@export('nn.weighted_moments')
def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    """Returns the weighted mean and variance of x along axes.

    Args:
      x: a Tensor of a number type.
      axes: a list of axes.
      frequency_weights: a Tensor of weights that broadcasts to x.
      name: the name of the scope.
      keep_dims: deprecated name of keepdims.
      keepdims: whether to keep the reduced axes, with size 1.

    Returns:
      mean and variance, of x's type.

    Raises:
      ValueError: if both keep_dims and keepdims are given.
    """
    keep = deprecation.renamed(
        'weighted_moments', 'keepdims', keepdims, 'keep_dims', keep_dims) or False
    with ops.name_scope(name, 'weighted_moments', [x, frequency_weights, axes]):
        x = ops.convert_to_tensor(x, name='x')
        weights = ops.convert_to_tensor(frequency_weights, name='frequency_weights')
        dtype = x.dtype
        x = _widened(x)
        if weights.dtype != x.dtype:
            weights = math_ops.cast(weights, x.dtype)
        weighted_sum = math_ops.reduce_sum(
            weights * x, axes, name='weighted_input_sum', keepdims=True)
        total = math_ops.reduce_sum(
            weights + array_ops.zeros_like(x), axes, name='sum_of_weights', keepdims=True)
        mean = math_ops.div_no_nan(weighted_sum, total)
        distance = math_ops.reduce_sum(
            weights * math_ops.squared_difference(x, mean), axes,
            name='weighted_distsq', keepdims=True)
        variance = math_ops.div_no_nan(distance, total)
        if not keep:
            mean, variance = array_ops.squeeze(mean, axes), array_ops.squeeze(variance, axes)
        return _narrowed(mean, variance, dtype)


@export('nn.batch_normalization')
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """Returns scale * (x - mean) / sqrt(variance + variance_epsilon) + offset.

    Args:
      x: a Tensor of a floating-point type.
      mean: a Tensor that broadcasts to x.
      variance: a Tensor that broadcasts to x.
      offset: a Tensor that broadcasts to x, or None for 0.
      scale: a Tensor that broadcasts to x, or None for 1.
      variance_epsilon: a small number that avoids division by 0.
      name: the name of the scope.

    Returns:
      A Tensor like x.
    """
    with ops.name_scope(name, 'batchnorm', [x, mean, variance, scale, offset]):
        factor = math_ops.rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor *= scale
        scaled = x * math_ops.cast(factor, x.dtype)
        shift = offset - mean * factor if offset is not None else -mean * factor
        return scaled + math_ops.cast(shift, x.dtype)


@export('nn.batch_norm_with_global_normalization')
def batch_norm_with_global_normalization(
        t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None,
        scale_after_normalization=None, name=None, input=None, mean=None, variance=None):
    """Normalizes a batch. Deprecated: use tf.nn.batch_normalization.

    Args:
      t: a Tensor of shape [batch, height, width, channels].
      m: the means, of shape [channels].
      v: the variances, of shape [channels].
      beta: the offsets, of shape [channels].
      gamma: the scales, of shape [channels].
      variance_epsilon: a small number that avoids division by 0.
      scale_after_normalization: whether to use gamma.
      name: the name of the scope.
      input: another name of t.
      mean: another name of m.
      variance: another name of v.

    Returns:
      A Tensor like t.

    Raises:
      ValueError: if an argument is given with both of its names.
    """
    t = deprecation.alias('input', input, 't', t)
    m = deprecation.alias('mean', mean, 'm', m)
    v = deprecation.alias('variance', variance, 'v', v)
    return batch_normalization(
        t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


def _check_statistics(mean, variance, is_training, exponential_avg_factor):
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            'Both `mean` and `variance` must be a 1D tensor when `is_training` is False or '
            '`exponential_avg_factor` != 1.0. '
            f'Received: `mean` {mean!r} and `variance` {variance!r}')


@export('nn.fused_batch_norm')
def fused_batch_norm(
        x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format='NHWC',
        is_training=True, name=None, exponential_avg_factor=1.0):
    """Normalizes a batch in one operation.

    Args:
      x: a Tensor of rank 4 (or 5), of half, bfloat16 or float.
      scale: a float vector with one element per channel of x.
      offset: a float vector with one element per channel of x.
      mean: the population's mean, used if is_training is False or the factor is not 1.
      variance: the population's variance, like mean.
      epsilon: a small number that avoids division by 0.
      data_format: 'NHWC' or 'NCHW' ('NDHWC', 'NCDHW').
      is_training: whether to use the moments of x.
      name: the name of the operation.
      exponential_avg_factor: the weight of the batch in the running moments.

    Returns:
      y, which is like x, the running mean, and the running variance.

    Raises:
      ValueError: if mean or variance is missing but needed.
    """
    _check_statistics(mean, variance, is_training, exponential_avg_factor)
    x = ops.convert_to_tensor(x, name='input')
    scale = ops.convert_to_tensor(scale, name='scale')
    offset = ops.convert_to_tensor(offset, name='offset')
    mean = constant_op.constant([]) if mean is None else mean
    variance = constant_op.constant([]) if variance is None else variance
    return tuple(gen.FusedBatchNormV3(
        x, scale, offset, mean, variance, epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor, data_format=data_format,
        is_training=is_training, name=name)[:3])
