"""Functions of neural networks: activations, losses, convolutions, random values, and choices by the learning phase."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.keras.backend import config, state, tensors, values
from ramet.ops.array import array_ops
from ramet.ops.control_flow import cond as cond_lib
from ramet.ops.gradients import gradients as gradients_lib
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.nn import nn_activation, nn_conv_transpose, nn_convolution, nn_dropout, nn_loss, nn_norm, nn_pool
from ramet.ops.random import random_ops

# Activations.


@export('keras.backend.softmax')
def softmax(x, axis=-1):
    """Returns exp(x), divided by its sum along an axis.

    Args:
      x: a Tensor.
      axis: an int.
    """
    return nn_activation.softmax(x, axis=axis)


@export('keras.backend.dropout')
def dropout(x, level, noise_shape=None, seed=None):
    """Zeroes a fraction of the elements and scales the others.

    Args:
      x: a Tensor.
      level: the fraction.
      noise_shape: the shape of the random choices, or None for that of x.
      seed: an integer.
    """
    return nn_dropout.dropout(x, rate=level, noise_shape=noise_shape,
                              seed=np.random.randint(int(10e6)) if seed is None else seed)


@export('keras.backend.bias_add')
def bias_add(x, bias, data_format=None):
    """Adds a bias to the channels.

    Args:
      x: a Tensor.
      bias: a Tensor of rank 1, or with the rank of x less one.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.

    Raises:
      ValueError: if the rank of the bias is wrong.
    """
    data_format = config.image_data_format() if data_format is None else data_format
    shape, rank = values.int_shape(bias), values.ndim(x)
    if len(shape) not in (1, rank - 1):
        raise ValueError(f'Unexpected bias dimensions {len(shape)}, expect to be 1 or {rank} dimensions')
    if len(shape) == 1 and data_format == 'channels_last':
        return nn_activation.bias_add(x, bias)
    if data_format == 'channels_first':
        form = (1, shape[-1], *((1,) * (rank - 2) if len(shape) == 1 else shape[:-1]))
    else:
        form = (1, *shape)
    return x + array_ops.reshape(bias, form)


# Losses.


@export('keras.backend.categorical_crossentropy')
def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """Returns the cross-entropy of distributions.

    Args:
      target: a Tensor of probabilities.
      output: a Tensor of probabilities or logits.
      from_logits: whether `output` contains logits.
      axis: the axis of the classes.
    """
    if from_logits:
        return nn_loss.softmax_cross_entropy_with_logits_v2(labels=target, logits=output, axis=axis)
    logits = logits_of(output, 'Softmax')
    if logits is not None:
        return nn_loss.softmax_cross_entropy_with_logits_v2(labels=target, logits=logits, axis=axis)
    output = output / math_ops.reduce_sum(output, axis, True)
    return -math_ops.reduce_sum(target * math_ops.log(_inside(output)), axis)


@export('keras.backend.sparse_categorical_crossentropy')
def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """Returns the cross-entropy of distributions with classes.

    Args:
      target: a Tensor with the numbers of the classes.
      output: a Tensor of probabilities or logits.
      from_logits: whether `output` contains logits.
      axis: the axis of the classes.
    """
    if not from_logits:
        logits = logits_of(output, 'Softmax')
        output = math_ops.log(_inside(output)) if logits is None else logits
    rank = values.ndim(output)
    axis = axis % rank if rank is not None else axis
    if rank is not None and axis != rank - 1:
        output = array_ops.transpose(output, [*range(axis), *range(axis + 1, rank), axis])
    target = math_ops.cast(target, dtypes.int64)
    output_shape = array_ops.shape(output)
    target_rank = values.ndim(target)
    flattened = target_rank is None or rank is None or target_rank != rank - 1 or rank > 2
    if flattened:
        target = array_ops.reshape(target, [-1])
        output = array_ops.reshape(output, [-1, output_shape[-1]])
    result = nn_loss.sparse_softmax_cross_entropy_with_logits(labels=target, logits=output)
    return array_ops.reshape(result, output_shape[:-1]) if flattened and (rank is None or rank >= 3) else result


@export('keras.backend.binary_crossentropy')
def binary_crossentropy(target, output, from_logits=False):
    """Returns the cross-entropy of each element.

    Args:
      target: a Tensor of probabilities.
      output: a Tensor of probabilities or logits.
      from_logits: whether `output` contains logits.
    """
    logits = output if from_logits else logits_of(output, 'Sigmoid')
    if logits is not None:
        return nn_loss.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    output = _inside(output)
    epsilon = config.epsilon()
    result = target * math_ops.log(output + epsilon)
    return -(result + (1 - target) * math_ops.log(1 - output + epsilon))


def logits_of(output, op_type):
    """Returns the input of the activation that computed `output`, or None if it was a different operation."""
    if output._is_eager:
        return None
    return output.op.inputs[0] if output.op.type == op_type else None


def _inside(probabilities):
    epsilon = ops.convert_to_tensor(config.epsilon(), dtype=probabilities.dtype.base_dtype)
    return clip_ops.clip_by_value(probabilities, epsilon, 1. - epsilon)


@export('keras.backend.in_top_k')
def in_top_k(predictions, targets, k):
    """Returns whether each target is among the k largest predictions.

    Args:
      predictions: a Tensor of shape [batch, classes].
      targets: an integer Tensor of shape [batch].
      k: an int.
    """
    return nn_activation.in_top_k(predictions, targets, k)


# Convolutions.


def _format(data_format, spatial):
    data_format = config.image_data_format() if data_format is None else data_format
    if data_format not in ('channels_first', 'channels_last'):
        raise ValueError(f'Unknown data_format: {data_format}')
    axes = 'DHW'[3 - spatial:]
    return f'N{axes}C' if data_format == 'channels_last' else f'NC{axes}'


def _convolved(x, kernel, strides, padding, data_format, dilation_rate, spatial):
    if padding == 'causal':
        left = dilation_rate * (kernel.shape.as_list()[0] - 1)
        x, padding = tensors.temporal_padding(x, (left, 0)), 'valid'
    per_axis = [[v] * spatial if isinstance(v, int) else list(v) for v in (strides, dilation_rate)]
    return nn_convolution.convolution(x, kernel, padding=padding.upper(), strides=per_axis[0],
                                      dilation_rate=per_axis[1], data_format=_format(data_format, spatial))


@export('keras.backend.conv1d')
def conv1d(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1):
    """Returns the convolution of sequences.

    Args:
      x: a Tensor.
      kernel: a Tensor of shape kernel size + [channels in, channels out].
      strides: an int, or one per spatial axis.
      padding: 'valid' or 'same', or 'causal' for sequences.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
      dilation_rate: an int, or one per spatial axis.

    Raises:
      ValueError: if data_format is invalid.
    """
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate, 1)


@export('keras.backend.conv2d')
def conv2d(x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    """Returns the convolution of images.

    Args:
      x: a Tensor.
      kernel: a Tensor of shape kernel size + [channels in, channels out].
      strides: an int, or one per spatial axis.
      padding: 'valid' or 'same'.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
      dilation_rate: an int, or one per spatial axis.

    Raises:
      ValueError: if data_format is invalid.
    """
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate, 2)


@export('keras.backend.conv3d')
def conv3d(x, kernel, strides=(1, 1, 1), padding='valid', data_format=None, dilation_rate=(1, 1, 1)):
    """Returns the convolution of volumes.

    Args:
      x: a Tensor.
      kernel: a Tensor of shape kernel size + [channels in, channels out].
      strides: an int, or one per spatial axis.
      padding: 'valid' or 'same'.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
      dilation_rate: an int, or one per spatial axis.

    Raises:
      ValueError: if data_format is invalid.
    """
    return _convolved(x, kernel, strides, padding, data_format, dilation_rate, 3)


@export('keras.backend.conv2d_transpose')
def conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding='valid', data_format=None,
                     dilation_rate=(1, 1)):
    """Returns the transposed convolution of images.

    Args:
      x: a Tensor of shape [batch, height, width, channels], or channels first.
      kernel: a Tensor of shape [height, width, channels out, channels in].
      output_shape: the shape of the result.
      strides: two ints.
      padding: 'valid' or 'same'.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
      dilation_rate: two ints; only (1, 1) with strides or channels first.

    Raises:
      ValueError: if data_format is invalid.
    """
    last = _format(data_format, 2) == 'NHWC'
    if isinstance(output_shape, (tuple, list)):
        output_shape = array_ops.stack([array_ops.shape(x)[0] if output_shape[0] is None else output_shape[0],
                                        *output_shape[1:]])
    if not last:
        x = array_ops.transpose(x, [0, 2, 3, 1])
        output_shape = array_ops.gather(output_shape, [0, 2, 3, 1])
    if tuple(dilation_rate) == (1, 1):
        result = nn_conv_transpose.conv2d_transpose(x, kernel, output_shape, strides=[1, *strides, 1],
                                                    padding=padding.upper())
    else:
        result = nn_conv_transpose.atrous_conv2d_transpose(x, kernel, output_shape, dilation_rate[0],
                                                           padding.upper())
    return result if last else array_ops.transpose(result, [0, 3, 1, 2])


@export('keras.backend.separable_conv2d')
def separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding='valid', data_format=None,
                     dilation_rate=(1, 1)):
    """Returns the separable convolution of images.

    Args:
      x: a Tensor.
      depthwise_kernel: a Tensor of shape [height, width, channels in, multiplier].
      pointwise_kernel: a Tensor of shape [1, 1, channels in * multiplier, channels out].
      strides: two ints.
      padding: 'valid' or 'same'.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
      dilation_rate: two ints.

    Raises:
      ValueError: if data_format is invalid.
    """
    form = _format(data_format, 2)
    return nn_convolution.separable_conv2d(
        x, depthwise_kernel, pointwise_kernel, strides=_windows(strides, form), padding=padding.upper(),
        rate=dilation_rate, data_format=form)


def _windows(sizes, form):
    return [1, *sizes, 1] if form[-1] == 'C' else [1, 1, *sizes]


def _pooled(x, pool_size, strides, padding, data_format, pool_mode, spatial):
    form = _format(data_format, spatial)
    pools = {'max': (nn_pool.max_pool, nn_pool.max_pool3d), 'avg': (nn_pool.avg_pool, nn_pool.avg_pool3d)}
    if pool_mode not in pools:
        raise ValueError(f'Invalid pooling mode: {pool_mode}')
    x = x if form[-1] == 'C' else array_ops.transpose(x, [0, *range(2, spatial + 2), 1])
    result = pools[pool_mode][spatial - 2](x, [1, *pool_size, 1], [1, *strides, 1], padding=padding.upper())
    return result if form[-1] == 'C' else array_ops.transpose(result, [0, spatial + 1, *range(1, spatial + 1)])


@export('keras.backend.pool2d')
def pool2d(x, pool_size, strides=(1, 1), padding='valid', data_format=None, pool_mode='max'):
    """Returns the maximum or mean of each window in images.

    Args:
      x: a Tensor.
      pool_size: the size of the windows, one int per spatial axis.
      strides: one int per spatial axis.
      padding: 'valid' or 'same'.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
      pool_mode: 'max' or 'avg'.

    Raises:
      ValueError: if an argument is invalid.
    """
    return _pooled(x, pool_size, strides, padding, data_format, pool_mode, 2)


@export('keras.backend.pool3d')
def pool3d(x, pool_size, strides=(1, 1, 1), padding='valid', data_format=None, pool_mode='max'):
    """Returns the maximum or mean of each window in volumes.

    Args:
      x: a Tensor.
      pool_size: the size of the windows, one int per spatial axis.
      strides: one int per spatial axis.
      padding: 'valid' or 'same'.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
      pool_mode: 'max' or 'avg'.

    Raises:
      ValueError: if an argument is invalid.
    """
    return _pooled(x, pool_size, strides, padding, data_format, pool_mode, 3)


# Normalization.


@export('keras.backend.batch_normalization')
def batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=1e-3):
    """Returns gamma * (x - mean) / sqrt(var + epsilon) + beta.

    Args:
      x: a Tensor.
      mean: the mean.
      var: the variance.
      beta: the offset, or None.
      gamma: the scale, or None.
      axis: ignored: the parameters must broadcast with x.
      epsilon: added to the variance.
    """
    return nn_norm.batch_normalization(x, mean, var, beta, gamma, epsilon)


@export('keras.backend.normalize_batch_in_training')
def normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=1e-3):
    """Normalizes with the mean and variance of a batch.

    Args:
      x: a Tensor.
      gamma: the scale, or None.
      beta: the offset, or None.
      reduction_axes: the axes of the mean and variance.
      epsilon: added to the variance.

    Returns:
      A tuple: the normalized Tensor, the mean and the variance.
    """
    axes = list(reduction_axes)
    mean, variance = nn_norm.moments(x, axes)
    form = [1 if axis in axes else array_ops.shape(x)[axis] for axis in range(values.ndim(x))]

    def spread(value):
        return None if value is None else array_ops.reshape(value, array_ops.stack(form))

    result = nn_norm.batch_normalization(x, spread(mean), spread(variance), spread(beta), spread(gamma), epsilon)
    return result, mean, variance


@export('keras.backend.moving_average_update')
def moving_average_update(x, value, momentum):
    """Returns an operation that moves a variable towards a value.

    Args:
      x: a Variable.
      value: a Tensor.
      momentum: the fraction of the old value that is kept.
    """
    return values.update_sub(x, (x - value) * (1. - momentum))


# Random values.


def _drawn_with(seed):
    return np.random.randint(int(10e6)) if seed is None else seed


@export('keras.backend.random_normal')
def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Returns random values from a normal distribution.

    Args:
      shape: the shape.
      mean: the mean.
      stddev: the standard deviation.
      dtype: the type; None means the default floating-point type.
      seed: an integer.
    """
    return random_ops.random_normal(shape, mean=mean, stddev=stddev, dtype=config.default_dtype(dtype),
                                    seed=_drawn_with(seed))


@export('keras.backend.random_uniform')
def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Returns random values from a uniform distribution.

    Args:
      shape: the shape.
      minval: the lower bound.
      maxval: the upper bound.
      dtype: the type; None means the default floating-point type.
      seed: an integer.
    """
    return random_ops.random_uniform(shape, minval=minval, maxval=maxval, dtype=config.default_dtype(dtype),
                                     seed=_drawn_with(seed))


@export('keras.backend.random_binomial')
def random_binomial(shape, p=0.0, dtype=None, seed=None):
    """Returns ones with a probability and zeros otherwise.

    Args:
      shape: the shape.
      p: the probability.
      dtype: the type; None means the default floating-point type.
      seed: an integer.
    """
    dtype = config.default_dtype(dtype)
    drawn = random_ops.random_uniform(shape, dtype=dtype, seed=_drawn_with(seed))
    return array_ops.where(drawn <= p, array_ops.ones(shape, dtype=dtype), array_ops.zeros(shape, dtype=dtype))


@export('keras.backend.truncated_normal')
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Returns random values from a normal distribution without values that are far from the mean.

    Args:
      shape: the shape.
      mean: the mean.
      stddev: the standard deviation; values are at most twice as far from the mean.
      dtype: the type; None means the default floating-point type.
      seed: an integer.
    """
    return random_ops.truncated_normal(shape, mean, stddev, dtype=config.default_dtype(dtype), seed=_drawn_with(seed))


# Choices.


@export('keras.backend.switch')
def switch(condition, then_expression, else_expression):
    """Chooses between two tensors.

    Args:
      condition: a Tensor. A scalar chooses one tensor, others choose between elements or rows.
      then_expression: a Tensor, or a function without arguments that returns one.
      else_expression: like then_expression.

    Raises:
      ValueError: if the condition has a higher rank than the tensors.
    """
    if condition.dtype.base_dtype != dtypes.bool:
        condition = math_ops.cast(condition, dtypes.bool)
    choices = [e if callable(e) else (lambda e=e: e) for e in (then_expression, else_expression)]
    if not values.ndim(condition):
        return cond_lib.cond(condition, *choices)
    first, second = (choice() for choice in choices)
    missing = values.ndim(first) - values.ndim(condition)
    if missing < 0:
        raise ValueError('Rank of `condition` should be less than or equal to rank of `then_expression` and '
                         f'`else_expression`. ndim(condition)={values.ndim(condition)}, '
                         f'ndim(then_expression)={values.ndim(first)}')
    for _ in range(missing):
        condition = array_ops.expand_dims(condition, -1)
    if missing:
        condition = math_ops.logical_and(condition, array_ops.ones_like(first, dtype=dtypes.bool))
    return array_ops.where(condition, first, second)


@export('keras.backend.in_train_phase')
def in_train_phase(x, alt, training=None):
    """Returns x in training and alt otherwise.

    Args:
      x: a Tensor, or a function without arguments that returns one.
      alt: like x.
      training: whether to train: a bool, 0, 1 or a boolean scalar Tensor. None means the learning phase.
    """
    training = state.learning_phase() if training is None else training
    if isinstance(training, ops.Tensor):
        return switch(training, x, alt)
    chosen = x if training else alt
    return chosen() if callable(chosen) else chosen


@export('keras.backend.in_test_phase')
def in_test_phase(x, alt, training=None):
    """Returns alt in training and x otherwise.

    Args:
      x: a Tensor, or a function without arguments that returns one.
      alt: like x.
      training: see in_train_phase.
    """
    return in_train_phase(alt, x, training=training)


@export('keras.backend.gradients')
def gradients(loss, variables):
    """Returns the gradients of a loss with respect to variables.

    Args:
      loss: a Tensor.
      variables: a list of Variables or Tensors.
    """
    return gradients_lib.gradients(loss, variables)


@export('keras.backend.print_tensor')
def print_tensor(x, message='', summarize=3):
    """Prints a tensor when it is computed.

    Args:
      x: a Tensor.
      message: printed before the tensor.
      summarize: how many elements to print per axis.

    Returns:
      x.
    """
    return gen.Print(x, [x], message=message, summarize=summarize)
