"""Layer normalization, and normalization to unit length."""

from ramet.api import export
from ramet.contrib.framework import variables
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import utils
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_norm
from ramet.ops.variables import variable_scope


def _parameter(wanted, name, initializer, shape, dtype, variables_collections, trainable):
    if not wanted:
        return None
    return variables.model_variable(
        name, shape=shape, dtype=dtype, initializer=initializer, trainable=trainable,
        collections=utils.get_variable_collections(variables_collections, name))


@export('contrib.layers.layer_norm')
@add_arg_scope
def layer_norm(inputs, center=True, scale=True, activation_fn=None, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True,
               begin_norm_axis=1, begin_params_axis=-1, scope=None):
    """Normalizes each example by the mean and variance of its values.

    Args:
      inputs: a Tensor of rank 2 or more.
      center, scale: whether to use the variables beta and gamma.
      activation_fn: a function of the outputs, or None.
      reuse: whether to reuse the variables of the scope.
      variables_collections: additional collections of the variables.
      outputs_collections: collections of the output.
      trainable: whether the variables are trainable.
      begin_norm_axis: the first axis over which mean and variance are computed.
      begin_params_axis: the first axis of beta and gamma.
      scope: the name of the variable scope. Defaults to 'LayerNorm'.

    Returns:
      A Tensor like the inputs.

    Raises:
      ValueError: if the rank is unknown or not greater than the axes, or if a size of beta is unknown.
    """
    with variable_scope.variable_scope(scope, 'LayerNorm', [inputs], reuse=reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        shape, rank = inputs.get_shape(), inputs.get_shape().ndims
        if rank is None:
            raise ValueError(f'Inputs {inputs.name} has undefined rank.')
        dtype = inputs.dtype.base_dtype
        first = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
        if begin_params_axis >= rank or first >= rank:
            raise ValueError(f'begin_params_axis ({begin_params_axis}) and begin_norm_axis '
                             f'({first}) must be < rank(inputs) ({rank})')
        params_shape = shape[begin_params_axis:]
        if not params_shape.is_fully_defined():
            raise ValueError(f'Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not '
                             f'fully defined: {shape}')
        beta = _parameter(center, 'beta', init_ops.zeros_initializer(), params_shape, dtype,
                          variables_collections, trainable)
        gamma = _parameter(scale, 'gamma', init_ops.ones_initializer(), params_shape, dtype,
                           variables_collections, trainable)
        mean, variance = nn_norm.moments(inputs, list(range(first, rank)), keepdims=True)
        outputs = nn_norm.batch_normalization(
            inputs, mean, variance, offset=beta, scale=gamma,
            variance_epsilon=1e-3 if dtype == dtypes.float16 else 1e-12)
        outputs.set_shape(shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@export('contrib.layers.unit_norm')
@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """Scales the inputs to unit length along an axis.

    Args:
      inputs: a Tensor of a known rank.
      dim: the axis, not negative.
      epsilon: added to the square of the length.
      scope: the name of the variable scope. Defaults to 'UnitNorm'.

    Returns:
      A Tensor like the inputs.

    Raises:
      ValueError: if the rank is unknown, or `dim` is not in [0, rank).
    """
    with variable_scope.variable_scope(scope, 'UnitNorm', [inputs]):
        rank = inputs.get_shape().ndims
        if not rank:
            raise ValueError('The input rank must be known.')
        if dim < 0 or dim >= rank:
            raise ValueError('dim must be positive but smaller than the input rank.')
        lengths = math_ops.sqrt(epsilon + math_ops.reduce_sum(math_ops.square(inputs), dim, True))
        multiples = [array_ops.strided_slice(array_ops.shape(inputs), [dim], [dim + 1])]
        if dim > 0:
            multiples.insert(0, array_ops.ones([dim], dtypes.int32))
        if dim < rank - 1:
            multiples.append(array_ops.ones([rank - 1 - dim], dtypes.int32))
        return math_ops.div(inputs, array_ops.tile(lengths, array_ops.concat(multiples, 0)))
