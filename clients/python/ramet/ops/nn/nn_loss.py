"""Losses per example: softmax, sigmoid, weighted and Poisson cross entropies."""

import math

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.math import math_ops


def _required(function, labels, logits):
    if labels is None or logits is None:
        raise ValueError(f'Both `labels` and `logits` must be provided for {function}'
                         f'Received: labels={labels} and logits={logits}')


def _same_shape(logits_name, logits, labels_name, labels):
    try:
        labels.get_shape().assert_is_compatible_with(logits.get_shape())
    except ValueError as error:
        raise ValueError(f'`{logits_name}` and `{labels_name}` must have the same shape, received '
                         f'({logits.get_shape()} vs {labels.get_shape()}).') from error


def _axis_moved_last(tensor, axis, rank):
    order = array_ops.concat([math_ops.range(axis), math_ops.range(axis + 1, rank), [axis]], 0)
    return array_ops.transpose(tensor, order)


def _as_matrix(tensor):
    rank = array_ops.rank(tensor)
    last = array_ops.slice(array_ops.shape(tensor), [math_ops.subtract(rank, 1)], [1])
    matrix = array_ops.reshape(tensor, array_ops.concat([[-1], last], 0))
    static = tensor.get_shape()
    if static.dims is not None:
        rows = 1
        for size in static.as_list()[:-1]:
            rows = None if rows is None or size is None else rows * size
        matrix.set_shape([rows, static.dims[-1]])
    return matrix


def _without_axis(shape, axis, rank):
    if shape.ndims is None:
        return shape
    sizes = shape.as_list()
    del sizes[axis]
    return sizes


@export('nn.softmax_cross_entropy_with_logits_v2')
def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """Returns the cross entropy of labels and softmax(logits), with gradients for both.

    Args:
      labels: a Tensor of distributions over the classes, of logits' shape.
      logits: a Tensor of half, bfloat16, float or double.
      axis: the axis of the classes. Defaults to the last.
      name: the name of the scope.
      dim: deprecated name of axis.

    Returns:
      A Tensor of logits' shape and type without axis.

    Raises:
      ValueError: if labels or logits is None, or both axis and dim are given.
    """
    axis = deprecation.renamed(
        'softmax_cross_entropy_with_logits_v2', 'axis', axis, 'dim', dim)
    return _softmax_cross_entropy(labels, logits, -1 if axis is None else axis, name)


def _softmax_cross_entropy(labels, logits, axis, name):
    _required('softmax_cross_entropy_with_logits', labels, logits)
    with ops.name_scope(name, 'softmax_cross_entropy_with_logits', [logits, labels]) as name:
        logits = ops.convert_to_tensor(logits, name='logits')
        labels = ops.convert_to_tensor(labels, name='labels')
        narrow = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = math_ops.cast(logits, dtypes.float32) if narrow else logits
        labels = math_ops.cast(labels, precise.dtype)
        input_rank = array_ops.rank(precise)
        static = logits.get_shape()
        if axis != -1 and not (static.ndims is not None and axis == static.ndims - 1):
            precise = _axis_moved_last(precise, axis, input_rank)
            labels = _axis_moved_last(labels, axis, input_rank)
        input_shape = array_ops.shape(precise)
        cost, _ = gen.SoftmaxCrossEntropyWithLogits(
            _as_matrix(precise), _as_matrix(labels), name=name)
        output_shape = array_ops.slice(input_shape, [0], [math_ops.subtract(input_rank, 1)])
        cost = array_ops.reshape(cost, output_shape)
        if static.ndims is not None:
            cost.set_shape(_without_axis(static, axis, static.ndims))
        return math_ops.cast(cost, logits.dtype) if narrow else cost


@export('nn.softmax_cross_entropy_with_logits')
def softmax_cross_entropy_with_logits(labels=None, logits=None, dim=-1, name=None, axis=None):
    """Returns the cross entropy of labels and softmax(logits), with gradients for logits only.

    Args:
      labels: a Tensor of distributions over the classes, of logits' shape.
      logits: a Tensor of half, bfloat16, float or double.
      dim: deprecated name of axis.
      name: the name of the scope.
      axis: the axis of the classes. Defaults to the last.

    Returns:
      A Tensor of logits' shape and type without axis.

    Raises:
      ValueError: if labels or logits is None.
    """
    deprecation.warn_once(
        'softmax_cross_entropy_with_logits',
        'Use softmax_cross_entropy_with_logits_v2, and tf.stop_gradient on labels that should '
        'not receive gradients.')
    dim = axis if axis is not None else dim
    _required('softmax_cross_entropy_with_logits', labels, logits)
    with ops.name_scope(name, 'softmax_cross_entropy_with_logits_sg', [logits, labels]) as name:
        labels = array_ops.stop_gradient(labels, name='labels_stop_gradient')
    return _softmax_cross_entropy(labels, logits, dim, name)


def _check_sparse_shapes(labels, logits):
    if logits.get_shape().ndims == 0:
        raise ValueError(f'`logits` cannot be a scalar. Received logits={logits}`')
    label_shape, logit_shape = labels.get_shape(), logits.get_shape()
    if None not in (label_shape.ndims, logit_shape.ndims) and (
            label_shape.ndims != logit_shape.ndims - 1):
        raise ValueError(
            '`labels.shape.rank` must equal `logits.shape.rank - 1`. '
            f'Received: labels.shape={label_shape} of rank {label_shape.ndims} '
            f'and logits.shape={logit_shape} of rank {logit_shape.ndims}')
    if not label_shape.is_compatible_with(logit_shape[:-1]):
        raise ValueError('`labels.shape` must equal `logits.shape` except for the last dimension. '
                         f'Received: labels.shape={label_shape} and logits.shape={logit_shape}')


def _sparse_shape_checks(labels, logits):
    if labels.get_shape().is_fully_defined() and logits.get_shape()[:-1].is_fully_defined():
        return []
    return [check_ops.assert_equal(
        array_ops.shape(labels), array_ops.shape(logits)[:-1])]


@export('nn.sparse_softmax_cross_entropy_with_logits')
def sparse_softmax_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """Returns the cross entropy of softmax(logits) for labels that are class numbers.

    Args:
      labels: a Tensor of class numbers, int32 or int64, of logits' shape without the last axis.
      logits: a Tensor of half, bfloat16, float or double; classes along the last axis.
      name: the name of the scope.

    Returns:
      A Tensor of labels' shape and logits' type.

    Raises:
      ValueError: if labels or logits is None, logits is a scalar, or the shapes do not match.
    """
    _required('sparse_softmax_cross_entropy_with_logits', labels, logits)
    with ops.name_scope(name, 'SparseSoftmaxCrossEntropyWithLogits', [labels, logits]):
        labels = ops.convert_to_tensor(labels)
        logits = ops.convert_to_tensor(logits)
        narrow = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = math_ops.cast(logits, dtypes.float32) if narrow else logits
        labels_shape = array_ops.shape(labels)
        _check_sparse_shapes(labels, logits)
        if logits.get_shape().ndims == 2:
            cost, _ = gen.SparseSoftmaxCrossEntropyWithLogits(precise, labels, name=name)
            return math_ops.cast(cost, logits.dtype) if narrow else cost
        static = logits.get_shape()[:-1]
        with ops.control_dependencies(_sparse_shape_checks(labels, logits)):
            classes = array_ops.shape(logits)[array_ops.rank(logits) - 1]
            precise = array_ops.reshape(precise, [-1, classes])
            labels = array_ops.reshape(labels, [-1])
            cost, _ = gen.SparseSoftmaxCrossEntropyWithLogits(precise, labels, name=name)
            cost = array_ops.reshape(cost, labels_shape)
            cost.set_shape(static)
            return math_ops.cast(cost, logits.dtype) if narrow else cost


@export('nn.sigmoid_cross_entropy_with_logits')
def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
    """Returns the cross entropy of labels and sigmoid(logits), element-wise.

    Args:
      labels: a Tensor of probabilities, of logits' shape and type.
      logits: a Tensor of half, bfloat16, float or double.
      name: the name of the operation.

    Returns:
      A Tensor like logits.

    Raises:
      ValueError: if labels or logits is None, or their shapes differ.
    """
    _required('sigmoid_cross_entropy_with_logits', labels, logits)
    with ops.name_scope(name, 'logistic_loss', [logits, labels]) as name:
        logits = ops.convert_to_tensor(logits, name='logits')
        labels = ops.convert_to_tensor(labels, name='labels')
        _same_shape('logits', logits, 'labels', labels)
        zeros = array_ops.zeros_like(logits, dtype=logits.dtype)
        positive = logits >= zeros
        relu_logits = array_ops.where(positive, logits, zeros)
        minus_abs = array_ops.where(positive, -logits, logits)
        return math_ops.add(relu_logits - logits * labels,
                            math_ops.log1p(math_ops.exp(minus_abs)), name=name)


@export('nn.weighted_cross_entropy_with_logits')
def weighted_cross_entropy_with_logits(
        labels=None, logits=None, pos_weight=None, name=None, targets=None):
    """Returns the sigmoid cross entropy with a different weight for positive labels.

    Args:
      labels: a Tensor of probabilities, of logits' shape and type.
      logits: a Tensor of half, bfloat16, float or double.
      pos_weight: the factor of the term of positive labels, which is broadcast to logits.
      name: the name of the operation.
      targets: deprecated name of labels.

    Returns:
      A Tensor like logits.

    Raises:
      ValueError: if the shapes of labels and logits differ, or labels and targets are given.
    """
    labels = deprecation.renamed(
        'weighted_cross_entropy_with_logits', 'labels', labels, 'targets', targets)
    with ops.name_scope(name, 'logistic_loss', [logits, labels]) as name:
        logits = ops.convert_to_tensor(logits, name='logits')
        labels = ops.convert_to_tensor(labels, name='labels')
        _same_shape('logits', logits, 'labels', labels)
        weight = 1 + (pos_weight - 1) * labels
        negative = (1 - labels) * logits
        softplus = (math_ops.log1p(math_ops.exp(-math_ops.abs(logits)))
                    + gen.Relu(-logits))
        return math_ops.add(negative, weight * softplus, name=name)


@export('nn.log_poisson_loss')
def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    """Returns exp(log_input) - log_input * targets, element-wise.

    Args:
      targets: a Tensor of counts, of log_input's shape and type.
      log_input: a Tensor of a floating-point type, the log of the expected count.
      compute_full_loss: whether to add Stirling's approximation of log(targets!) where targets > 1.
      name: the name of the scope.

    Returns:
      A Tensor like log_input.

    Raises:
      ValueError: if the shapes differ.
    """
    with ops.name_scope(name, 'log_poisson_loss', [log_input, targets]) as name:
        log_input = ops.convert_to_tensor(log_input, name='log_input')
        targets = ops.convert_to_tensor(targets, name='targets')
        _same_shape('log_input', log_input, 'targets', targets)
        result = math_ops.exp(log_input) - log_input * targets
        return result + _stirling(targets) if compute_full_loss else result


def _stirling(targets):
    half = ops.convert_to_tensor(0.5, dtype=targets.dtype)
    two_pi = ops.convert_to_tensor(2 * math.pi, dtype=targets.dtype)
    approximation = (targets * math_ops.log(targets) - targets
                     + half * math_ops.log(two_pi * targets))
    zeros = array_ops.zeros_like(targets, dtype=targets.dtype)
    ones = array_ops.ones_like(targets, dtype=targets.dtype)
    small = math_ops.logical_and(targets >= zeros, targets <= ones)
    return array_ops.where(small, zeros, approximation)
