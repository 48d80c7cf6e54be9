"""Normalization of each example by channel or by groups of channels, and the maximum of groups."""

from ramet.api import export
from ramet.contrib.framework import variables
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import utils
from ramet.framework import ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_norm
from ramet.ops.variables import variable_scope


def _static(tensor):
    """Returns the sizes of a tensor's axes, as ints if they are known, else as tensors."""
    shape = array_ops.shape(tensor)
    return [shape[i] if size is None else size
            for i, size in enumerate(tensor.get_shape().as_list())]


def _parameters(channels, form, dtype, center, scale, initializers, collections, trainable):
    """Returns (beta, gamma) in a shape that broadcasts with the inputs; None for unused ones."""
    found = []
    for name, wanted, default in (('beta', center, init_ops.zeros_initializer()),
                                  ('gamma', scale, init_ops.ones_initializer())):
        if wanted:
            variable = variables.model_variable(
                name, shape=[channels], dtype=dtype,
                initializer=initializers.get(name, default), trainable=trainable,
                collections=utils.get_variable_collections(collections, name))
            found.append(array_ops.reshape(variable, form))
        else:
            found.append(None)
    return found


def _channels(inputs, axis):
    size = tensor_shape.dimension_value(inputs.get_shape()[axis])
    if size is None:
        raise ValueError(f'Inputs {inputs.name} has undefined channels dimension '
                         f'{inputs.get_shape()}.')
    return size


def _ranked(inputs):
    inputs = ops.convert_to_tensor(inputs)
    if inputs.get_shape().ndims is None:
        raise ValueError(f'Inputs {inputs.name} has undefined rank.')
    return inputs, inputs.get_shape().ndims


@export('contrib.layers.instance_norm')
@add_arg_scope
def instance_norm(inputs, center=True, scale=True, epsilon=1e-6, activation_fn=None,
                  param_initializers=None, reuse=None, variables_collections=None,
                  outputs_collections=None, trainable=True, data_format='NHWC', scope=None):
    """Normalizes each channel of each example by its mean and variance.

    Args:
      inputs: a Tensor [batch, spatial axes, channels], or in the order of `data_format`.
      center, scale: whether to use the variables beta and gamma.
      epsilon: added to the variance.
      activation_fn: a function of the outputs, or None.
      param_initializers: a dict of initializers of 'beta' and 'gamma'.
      reuse: whether to reuse the variables of the scope.
      variables_collections: additional collections of the variables.
      outputs_collections: collections of the output.
      trainable: whether the variables are trainable.
      data_format: 'NHWC' or 'NCHW', with the channels last or second.
      scope: the name of the variable scope. Defaults to 'InstanceNorm'.

    Returns:
      A Tensor like the inputs.

    Raises:
      ValueError: if `data_format` is invalid, or the rank or number of channels is unknown.
    """
    inputs, rank = _ranked(inputs)
    utils.check_format(data_format, 'NCHW', 'NHWC')
    with variable_scope.variable_scope(scope, 'InstanceNorm', [inputs], reuse=reuse) as sc:
        axis = 1 if data_format == 'NCHW' else rank - 1
        channels = _channels(inputs, axis)
        form = [channels if i == axis else 1 for i in range(rank)]
        beta, gamma = _parameters(channels, form, inputs.dtype.base_dtype, center, scale,
                                  param_initializers or {}, variables_collections, trainable)
        axes = [i for i in range(1, rank) if i != axis]
        mean, variance = nn_norm.moments(inputs, axes, keepdims=True)
        outputs = nn_norm.batch_normalization(inputs, mean, variance, beta, gamma, epsilon,
                                              name='instancenorm')
        outputs.set_shape(inputs.get_shape())
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@export('contrib.layers.group_norm')
@add_arg_scope
def group_norm(inputs, groups=32, channels_axis=-1, reduction_axes=(-3, -2), center=True,
               scale=True, epsilon=1e-6, activation_fn=None, param_initializers=None, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True, scope=None,
               mean_close_to_zero=False):
    """Normalizes each group of channels of each example by its mean and variance.

    Args:
      inputs: a Tensor of a known rank.
      groups: the number of groups.
      channels_axis: the axis of the channels.
      reduction_axes: the axes, in addition to a group's channels, over which mean and variance are computed.
      center, scale: whether to use the variables beta and gamma.
      epsilon: added to the variance.
      activation_fn: a function of the outputs, or None.
      param_initializers: a dict of initializers of 'beta' and 'gamma'.
      reuse: whether to reuse the variables of the scope.
      variables_collections: additional collections of the variables.
      outputs_collections: collections of the output.
      trainable: whether the variables are trainable.
      scope: the name of the variable scope. Defaults to 'GroupNorm'.
      mean_close_to_zero: not used: mean and variance are always computed with the more accurate method.

    Returns:
      A Tensor like the inputs.

    Raises:
      ValueError: if an axis is out of range or given twice, or if the number of channels is not a
        multiple of the number of groups.
    """
    inputs, rank = _ranked(inputs)
    with variable_scope.variable_scope(scope, 'GroupNorm', [inputs], reuse=reuse) as sc:
        axis = channels_axis + rank if channels_axis < 0 else channels_axis
        if not 0 <= axis < rank:
            raise ValueError('Axis is out of bounds.')
        reduced = [a + rank if a < 0 else a for a in reduction_axes]
        if any(not 0 <= a < rank for a in reduced):
            raise ValueError('Axis is out of bounds.')
        if axis in reduced:
            raise ValueError('reduction_axis must be mutually exclusive with channels_axis')
        channels = _channels(inputs, axis)
        if groups > channels:
            raise ValueError(f'Invalid groups {groups} for {channels} channels.')
        if channels % groups:
            raise ValueError(f'{channels} channels is not commensurate with {groups} groups.')
        outputs = _grouped(inputs, axis, groups, channels, reduced, lambda form: _parameters(
            channels, form, inputs.dtype.base_dtype, center, scale, param_initializers or {},
            variables_collections, trainable), epsilon)
        outputs.set_shape(inputs.get_shape())
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


def _grouped(inputs, axis, groups, channels, reduced, parameters, epsilon):
    sizes = _static(inputs)
    grouped = array_ops.reshape(
        inputs, sizes[:axis] + [groups, channels // groups] + sizes[axis + 1:])
    form = [1] * (len(sizes) + 1)
    form[axis:axis + 2] = groups, channels // groups
    beta, gamma = parameters(form)
    axes = sorted([axis + 1, *(a if a < axis else a + 1 for a in reduced)])
    mean, variance = nn_norm.moments(grouped, axes, keepdims=True)
    outputs = nn_norm.batch_normalization(grouped, mean, variance, beta, gamma, epsilon)
    return array_ops.reshape(outputs, sizes)


@export('contrib.layers.maxout')
@add_arg_scope
def maxout(inputs, num_units, axis=-1, scope=None):
    """Returns the largest value in each group of channels.

    Args:
      inputs: a Tensor of a known rank.
      num_units: the number of groups, which is the size of the axis in the output.
      axis: the axis of the channels.
      scope: the name of the variable scope. Defaults to 'MaxOut'.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if the number of channels is not a multiple of the number of groups.
    """
    with variable_scope.variable_scope(scope, 'MaxOut', [inputs]):
        inputs, _ = _ranked(inputs)
        channels = _channels(inputs, axis)
        if channels % num_units:
            raise ValueError(f'number of features({channels}) is not a multiple of '
                             f'num_units({num_units})')
        sizes = _static(inputs)
        sizes[axis] = num_units
        grouped = array_ops.reshape(inputs, [*sizes, channels // num_units])
        return math_ops.reduce_max(grouped, -1, keepdims=False)
