"""Pooling layers."""

from ramet.api import export
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import utils
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.layers import pooling
from ramet.ops.nn import nn_pool


def _pooled(layer_class, default_name, inputs, kernel_size, stride, padding, data_format,
            outputs_collections, scope):
    with ops.name_scope(scope, default_name, [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = layer_class(pool_size=kernel_size, strides=stride, padding=padding,
                            data_format=utils.layer_format(data_format), _scope=sc)
        return utils.collect_named_outputs(outputs_collections, sc, layer.apply(inputs))


@export('contrib.layers.max_pool2d')
@add_arg_scope
def max_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format='NHWC',
               outputs_collections=None, scope=None):
    """Returns the largest value in each window of images.

    Args:
      inputs: a Tensor [batch, height, width, channels], or in the order of `data_format`.
      kernel_size: the size of the windows: an int, or one per spatial axis.
      stride: an int, or one per spatial axis.
      padding: 'VALID' or 'SAME'.
      data_format: 'NHWC' or 'NCHW'.
      outputs_collections: collections of the output.
      scope: the name of the name scope. Defaults to 'MaxPool2D'.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if `data_format` is invalid, or the rank of the inputs is not 4.
    """
    utils.check_format(data_format, 'NCHW', 'NHWC')
    return _pooled(pooling.MaxPooling2D, 'MaxPool2D', inputs, kernel_size, stride, padding,
                   data_format, outputs_collections, scope)


@export('contrib.layers.avg_pool2d')
@add_arg_scope
@with_args_of(max_pool2d)
def avg_pool2d(inputs, kernel_size, stride=2, padding='VALID', data_format='NHWC',
               outputs_collections=None, scope=None):
    """Returns the mean of each window of images.

    Args:
      scope: the name of the name scope. Defaults to 'AvgPool2D'.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if `data_format` is invalid, or the rank of the inputs is not 4.
    """
    utils.check_format(data_format, 'NCHW', 'NHWC')
    return _pooled(pooling.AveragePooling2D, 'AvgPool2D', inputs, kernel_size, stride, padding,
                   data_format, outputs_collections, scope)


@export('contrib.layers.max_pool3d')
@add_arg_scope
@with_args_of(max_pool2d)
def max_pool3d(inputs, kernel_size, stride=2, padding='VALID', data_format='NDHWC',
               outputs_collections=None, scope=None):
    """Returns the largest value in each window of volumes.

    Args:
      data_format: 'NDHWC' or 'NCDHW'.
      scope: the name of the name scope.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if `data_format` is invalid, or the rank of the inputs is not 5.
    """
    utils.check_format(data_format, 'NCDHW', 'NDHWC')
    return _pooled(pooling.MaxPooling3D, 'MaxPool3D', inputs, kernel_size, stride, padding,
                   data_format, outputs_collections, scope)


@export('contrib.layers.avg_pool3d')
@add_arg_scope
@with_args_of(max_pool2d)
def avg_pool3d(inputs, kernel_size, stride=2, padding='VALID', data_format='NDHWC',
               outputs_collections=None, scope=None):
    """Returns the mean of each window of volumes.

    Args:
      data_format: 'NDHWC' or 'NCDHW'.
      scope: the name of the name scope.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if `data_format` is invalid, or the rank of the inputs is not 5.
    """
    utils.check_format(data_format, 'NCDHW', 'NDHWC')
    return _pooled(pooling.AveragePooling3D, 'AvgPool3D', inputs, kernel_size, stride, padding,
                   data_format, outputs_collections, scope)


@export('contrib.slim.pool')
@add_arg_scope
def pool(inputs, kernel_size, pooling_type, padding='VALID', data_format=None, dilation_rate=1,
         stride=1, outputs_collections=None, scope=None):
    """Returns the largest value in each window, or the mean, over all spatial axes of the inputs.

    Args:
      inputs: a Tensor [batch, spatial axes, channels], or in the order of `data_format`.
      kernel_size, dilation_rate, stride: an int, or one per spatial axis.
      pooling_type: 'MAX' or 'AVG'.
      padding: 'VALID' or 'SAME'.
      data_format: see tf.nn.pool.
      outputs_collections: collections of the output.
      scope: the name of the name scope. Defaults to 'max_pool' or 'avg_pool'.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if the rank of the inputs is unknown or less than 3.
    """
    with ops.name_scope(scope, f'{pooling_type.lower()}_pool', [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError('Rank of inputs must be known')
        if rank < 3:
            raise ValueError('Rank of inputs must be >= 3')

        def each_axis(value):
            return [value] * (rank - 2) if isinstance(value, int) else value

        outputs = nn_pool.pool(
            inputs, window_shape=each_axis(kernel_size), pooling_type=pooling_type,
            padding=padding, data_format=data_format, dilation_rate=each_axis(dilation_rate),
            strides=each_axis(stride), name=sc)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)
