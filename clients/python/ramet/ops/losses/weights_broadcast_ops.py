"""Weights that broadcast to values: of rank 0, or of the same rank with equal sizes or sizes 1."""

from ramet import gen
from ramet.framework import ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow import assertions
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_ops

_ERROR = 'weights can not be broadcast to values.'


def _described(tensor, name):
    """Returns a tensor with its shape and rank as Tensors, all under one name scope."""
    with ops.name_scope(None, name, (tensor,)) as scope:
        tensor = ops.convert_to_tensor(tensor, name=scope)
        return tensor, array_ops.shape(tensor, name='shape'), array_ops.rank(tensor, name='rank')


def _check_static(weights, weights_shape, values, values_shape):
    """Checks the known sizes. Returns whether all sizes are known."""
    if weights.shape.ndims != values.shape.ndims:
        raise ValueError(
            f'{_ERROR} values.rank={values.shape.ndims}. weights.rank={weights.shape.ndims}. '
            f'values.shape={values.shape}. weights.shape={weights.shape}. '
            f'Received weights={weights}, values={values}')
    weights_sizes = tensor_util.constant_value(weights_shape)
    values_sizes = tensor_util.constant_value(values_shape)
    if weights_sizes is None or values_sizes is None:
        return False
    for i, (size, limit) in enumerate(zip(weights_sizes, values_sizes)):
        if size not in (1, limit):
            raise ValueError(
                f'{_ERROR} Mismatch at dim {i}. values.shape={values_sizes}, '
                f'weights.shape={weights_sizes}. Received weights={weights}, values={values}')
    return True


def _has_valid_dims(weights_shape, values_shape):
    with ops.name_scope(None, 'has_invalid_dims', (weights_shape, values_shape)) as scope:
        values_column = array_ops.expand_dims(values_shape, -1)
        valid = array_ops.concat((values_column, array_ops.ones_like(values_column)), axis=1)
        weights_column = array_ops.expand_dims(weights_shape, -1)
        invalid = gen.DenseToDenseSetOperation(weights_column, valid, 'a-b')
        count = array_ops.size(invalid[1], name='num_invalid_dims')
        return math_ops.equal(0, count, name=scope)


def _check_at_run(weights, weights_shape, weights_rank, values, values_shape, values_rank, scope):

    def valid_nonscalar():
        with ops.name_scope(None, 'has_valid_nonscalar_shape',
                            (weights_rank, weights_shape, values_rank, values_shape)) as inner:
            same_rank = math_ops.equal(values_rank, weights_rank, name='is_same_rank')
            return cond(
                same_rank, lambda: _has_valid_dims(weights_shape, values_shape),
                lambda: same_rank, name=inner)

    is_scalar = math_ops.equal(0, weights_rank, name='is_scalar')
    data = (_ERROR, 'weights.shape=', weights.name, weights_shape, 'values.shape=', values.name,
            values_shape, 'is_scalar=', is_scalar)
    is_valid = cond(
        is_scalar, lambda: is_scalar, valid_nonscalar, name='is_valid_shape')
    return assertions.Assert(is_valid, data, name=scope)


def assert_broadcastable(weights, values):
    """Returns an op that fails if weights do not broadcast to values.

    Args:
      weights: a Tensor of rank 0 or of values' rank.
      values: a Tensor.

    Returns:
      An Operation: a NoOp if the static shapes are sufficient, otherwise an assertion.

    Raises:
      ValueError: if the static shapes do not broadcast.
    """
    with ops.name_scope(None, 'assert_broadcastable', (weights, values)) as scope:
        weights, weights_shape, weights_rank = _described(weights, 'weights')
        values, values_shape, values_rank = _described(values, 'values')
        if weights.shape.ndims is not None and values.shape.ndims is not None:
            if weights.shape.ndims == 0:
                return gen.NoOp(name='static_scalar_check_success')
            if _check_static(weights, weights_shape, values, values_shape):
                return gen.NoOp(name='static_dims_check_success')
        return _check_at_run(weights, weights_shape, weights_rank, values, values_shape,
                             values_rank, scope)


def broadcast_weights(weights, values):
    """Broadcasts weights to the shape of values.

    Args:
      weights: a Tensor of rank 0 or of values' rank, of values' type.
      values: a Tensor.

    Returns:
      A Tensor of values' shape.

    Raises:
      ValueError: if the static shapes do not broadcast.
    """
    with ops.name_scope(None, 'broadcast_weights', (weights, values)) as scope:
        values = ops.convert_to_tensor(values, name='values')
        weights = ops.convert_to_tensor(weights, dtype=values.dtype.base_dtype, name='weights')
        known = weights.shape.is_fully_defined() and values.shape.is_fully_defined()
        if known and weights.shape.is_compatible_with(values.shape):
            return weights
        with ops.control_dependencies((assert_broadcastable(weights, values),)):
            return math_ops.multiply(weights, array_ops.ones_like(values), name=scope)
