"""Activations: softmax, the ReLU family and related small functions."""

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, dtypes, errors, ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow.cond import cond
from ramet.ops.functions import custom_gradient
from ramet.ops.math import math_ops


@export('nn.relu6')
def relu6(features, name=None):
    """Returns min(max(features, 0), 6) element-wise.

    Args:
      features: a Tensor of a real number type.
      name: the name of the operation.

    Returns:
      A Tensor like features.
    """
    with ops.name_scope(name, 'Relu6', [features]) as name:
        features = ops.convert_to_tensor(features, name='features')
        return gen.Relu6(features, name=name)


@export('nn.leaky_relu')
def leaky_relu(features, alpha=0.2, name=None):
    """Returns features where they are positive and alpha * features elsewhere.

    Args:
      features: a Tensor of half, bfloat16, float, double, or of integers, which become float.
      alpha: a Python float, the slope for negative values.
      name: the name of the operation.

    Returns:
      A Tensor of the shape of features.
    """
    with ops.name_scope(name, 'LeakyRelu', [features, alpha]) as name:
        features = ops.convert_to_tensor(features, name='features')
        if features.dtype.is_integer:
            features = math_ops.cast(features, 'float32')
        return gen.LeakyRelu(features, alpha=getattr(alpha, 'item', lambda: alpha)(), name=name)


@export('nn.crelu')
def crelu(features, name=None, axis=-1):
    """Returns relu of features and of -features, concatenated along an axis.

    Args:
      features: a Tensor of a real number type.
      name: the name of the scope.
      axis: the axis to concatenate along.

    Returns:
      A Tensor like features, twice as long along axis.
    """
    with ops.name_scope(name, 'CRelu', [features]) as name:
        features = ops.convert_to_tensor(features, name='features')
        return gen.Relu(array_ops.concat([features, -features], axis, name=name))


def _swish_grad(features, beta):
    def grad(dy):
        with ops.control_dependencies([dy]):
            sigmoid = math_ops.sigmoid(beta * features)
        slope = sigmoid * (1.0 + (beta * features) * (1.0 - sigmoid))
        beta_grad = math_ops.reduce_sum(
            dy * math_ops.square(features) * sigmoid * (1.0 - sigmoid))
        return dy * slope, beta_grad

    return grad


@export('nn.silu', 'nn.swish')
def swish(features, beta=1.0):
    """Returns features * sigmoid(beta * features), with a gradient that keeps no activations.

    Args:
      features: a Tensor of a floating-point type.
      beta: a scalar.

    Returns:
      A Tensor like features.
    """
    features = ops.convert_to_tensor(features, name='features')
    beta = ops.convert_to_tensor(beta, name='beta')
    beta = math_ops.cast(beta, features.dtype)

    @custom_gradient.custom_gradient
    def swish_impl(features, beta):
        return features * math_ops.sigmoid(beta * features), _swish_grad(features, beta)

    return swish_impl(features, beta)


def _normalized_axis(axis, rank):
    if isinstance(axis, ops.Tensor):
        return array_ops.where(math_ops.less(axis, 0), axis + rank, axis)
    return axis + rank if axis < 0 else axis


def _swap_with_last(tensor, axis, last, name=None):
    order = array_ops.concat([
        math_ops.range(axis), [last],
        math_ops.range(axis + 1, last), [axis]
    ], 0)
    return array_ops.transpose(tensor, order, name=name)


def _along_last_axis(op, tensor, axis, name):
    """Applies an op for the last axis to a different axis, by transposing before and after."""
    tensor = ops.convert_to_tensor(tensor)
    static = tensor.get_shape()
    is_tensor = isinstance(axis, ops.Tensor)
    if not is_tensor and (axis == -1 or axis == static.ndims - 1):
        return op(tensor, name=name)
    value = tensor_util.constant_value(axis) if is_tensor else axis
    if value is not None and not -static.ndims <= value < static.ndims:
        raise errors.InvalidArgumentError(
            None, None, f'`dim` must be in the range [{-static.ndims}, {static.ndims}) where '
            f'{static.ndims} is the number of dimensions in the input. Received: dim={value}')
    axis = _normalized_axis(axis, array_ops.rank(tensor))
    rank = array_ops.rank(tensor)
    axis = axis % static.ndims
    swapped = op(_swap_with_last(tensor, axis, math_ops.subtract(rank, 1)))
    return _swap_with_last(swapped, axis, math_ops.subtract(rank, 1), name=name)


@export('nn.softmax', 'math.softmax')
def softmax(logits, axis=None, name=None, dim=None):
    """Returns exp(logits) / sum(exp(logits)) along an axis.

    Args:
      logits: a Tensor of half, bfloat16, float or double.
      axis: the axis of the sum. Defaults to the last.
      name: the name of the operation.
      dim: deprecated name of axis.

    Returns:
      A Tensor like logits.

    Raises:
      InvalidArgumentError: if axis is not one of logits' axes.
      ValueError: if both axis and dim are given.
    """
    axis = deprecation.renamed('softmax', 'axis', axis, 'dim', dim)
    return _along_last_axis(gen.Softmax, logits, -1 if axis is None else axis, name)


@export('nn.log_softmax', 'math.log_softmax')
def log_softmax(logits, axis=None, name=None, dim=None):
    """Returns logits - log(sum(exp(logits))) along an axis.

    Args:
      logits: a Tensor of half, bfloat16, float or double.
      axis: the axis of the sum. Defaults to the last.
      name: the name of the operation.
      dim: deprecated name of axis.

    Returns:
      A Tensor like logits.

    Raises:
      InvalidArgumentError: if axis is not one of logits' axes.
      ValueError: if both axis and dim are given.
    """
    axis = deprecation.renamed('log_softmax', 'axis', axis, 'dim', dim)
    return _along_last_axis(gen.LogSoftmax, logits, -1 if axis is None else axis, name)


@export('nn.relu_layer')
def relu_layer(x, weights, biases, name=None):
    """Returns relu(x * weights + biases).

    Args:
      x: a Tensor of shape [batch, in].
      weights: a Tensor of shape [in, out].
      biases: a Tensor of shape [out].
      name: the name of the operation.

    Returns:
      A Tensor of shape [batch, out].
    """
    with ops.name_scope(name, 'relu_layer', [x, weights, biases]) as name:
        x = ops.convert_to_tensor(x, name='x')
        weights = ops.convert_to_tensor(weights, name='weights')
        biases = ops.convert_to_tensor(biases, name='biases')
        return gen.Relu(bias_add(math_ops.matmul(x, weights), biases), name=name)


@export('nn.xw_plus_b')
def xw_plus_b(x, weights, biases, name=None):
    """Returns x * weights + biases.

    Args:
      x: a Tensor of shape [batch, in].
      weights: a Tensor of shape [in, out].
      biases: a Tensor of shape [out].
      name: the name of the operation.

    Returns:
      A Tensor of shape [batch, out].
    """
    with ops.name_scope(name, 'xw_plus_b', [x, weights, biases]) as name:
        x = ops.convert_to_tensor(x, name='x')
        weights = ops.convert_to_tensor(weights, name='weights')
        biases = ops.convert_to_tensor(biases, name='biases')
        return bias_add(math_ops.matmul(x, weights), biases, name=name)


def _bias_format(data_format):
    if data_format is None:
        return 'NHWC'
    if data_format.startswith('NC'):
        return 'NCHW'
    if data_format.startswith('N') and data_format.endswith('C'):
        return 'NHWC'
    raise ValueError('`data_format` must be of the form `N...C` or `NC...`. '
                     f'Received: data_format={data_format}')


@export('nn.bias_add')
def bias_add(value, bias, data_format=None, name=None):
    """Adds a vector to the channels of a tensor.

    Args:
      value: a Tensor of rank 2 or more.
      bias: a vector of value's type with one element per channel.
      data_format: 'N...C' (the default) or 'NC...'.
      name: the name of the operation.

    Returns:
      A Tensor like value.

    Raises:
      ValueError: if data_format has another form.
    """
    with ops.name_scope(name, 'BiasAdd', [value, bias]) as name:
        data_format = _bias_format(data_format)
        value = ops.convert_to_tensor(value, name='input')
        bias = ops.convert_to_tensor(bias, dtype=value.dtype, name='bias')
        return gen.BiasAdd(value, bias, data_format=data_format, name=name)


@export('nn.l2_normalize', 'math.l2_normalize', 'linalg.l2_normalize')
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """Returns x / sqrt(max(sum(x ** 2), epsilon)), the sum taken along axes.

    Args:
      x: a Tensor of a floating-point or complex type.
      axis: an axis or a list of axes. Defaults to all.
      epsilon: the minimum of the sum of squares.
      name: the name of the operation.
      dim: deprecated name of axis.

    Returns:
      A Tensor like x.

    Raises:
      ValueError: if both axis and dim are given.
    """
    axis = deprecation.renamed('l2_normalize', 'axis', axis, 'dim', dim)
    with ops.name_scope(name, 'l2_normalize', [x]) as name:
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.is_complex:
            return _complex_l2_normalize(x, axis, epsilon, name)
        square_sum = math_ops.reduce_sum(math_ops.square(x), axis, keepdims=True)
        inverse_norm = math_ops.rsqrt(math_ops.maximum(square_sum, epsilon))
        return math_ops.multiply(x, inverse_norm, name=name)


def _complex_l2_normalize(x, axis, epsilon, name):
    square_real = math_ops.square(math_ops.real(x))
    square_imag = math_ops.square(math_ops.imag(x))
    square_sum = math_ops.real(
        math_ops.reduce_sum(square_real + square_imag, axis, keepdims=True))
    inverse_norm = math_ops.rsqrt(math_ops.maximum(square_sum, epsilon))
    return math_ops.complex(
        math_ops.multiply(math_ops.real(x), inverse_norm),
        math_ops.multiply(math_ops.imag(x), inverse_norm), name=name)


@export('nn.top_k', 'math.top_k')
def top_k(input, k=1, sorted=True, index_type=dtypes.int32, name=None):
    """Returns the k largest entries along the last axis.

    Args:
      input: a Tensor of a real number type, of rank 1 or more.
      k: the number of entries; a scalar int32.
      sorted: whether to return them in descending order.
      index_type: the type of the indices, int32 or int64.
      name: the name of the operation.

    Returns:
      values and indices, of shape input.shape[:-1] + [k].
    """
    return gen.TopKV2(input, k=k, sorted=sorted, index_type=index_type, name=name)


@export('nn.in_top_k', 'math.in_top_k')
def in_top_k(predictions, targets, k, name=None):
    """Returns, for each row, whether its target is among the k largest predictions.

    Args:
      predictions: a float Tensor of shape [batch, classes].
      targets: an int32 or int64 Tensor of shape [batch].
      k: the number of predictions; a scalar.
      name: the name of the operation.

    Returns:
      A bool Tensor of shape [batch].
    """
    with ops.name_scope(name, 'in_top_k'):
        return gen.InTopKV2(predictions, targets, k, name=name)


def _count_nonzero(value, dtype):
    with ops.name_scope('count_nonzero', 'count_nonzero', [value]):
        zero = array_ops.zeros([], value.dtype)
        return math_ops.reduce_sum(
            math_ops.cast(math_ops.not_equal(value, zero), dtype), name='nonzero_count')


def _nonzero_count(value, size):
    return cond(
        size <= dtypes.int32.max,
        true_fn=lambda: math_ops.cast(_count_nonzero(value, dtypes.int32), dtypes.int64),
        false_fn=lambda: _count_nonzero(value, dtypes.int64))


@export('nn.zero_fraction', 'math.zero_fraction')
def zero_fraction(value, name=None):
    """Returns the fraction of elements that are 0.

    Args:
      value: a Tensor of a number type.
      name: the name of the scope.

    Returns:
      A float scalar.
    """
    with ops.name_scope(name, 'zero_fraction', [value]):
        value = ops.convert_to_tensor(value, name='value')
        size = array_ops.size(value, out_type=dtypes.int64)
        nonzero = _nonzero_count(value, size)
        with ops.name_scope('counts_to_fraction'):
            zeros = math_ops.cast(size - nonzero, dtype=dtypes.float32)
            fraction = zeros / math_ops.cast(size, dtype=dtypes.float32)
        return array_ops.identity(fraction, 'fraction')
