"""Layers that turn feature maps into coordinates or sequences."""

from ramet.api import export
from ramet.contrib.framework import variables
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import utils
from ramet.framework import constant_op, dtypes, ops, sparse_tensor, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.variables import variable_scope


def _size(shape, axis, dynamic):
    size = tensor_shape.dimension_value(shape[axis])
    return dynamic[axis] if size is None else size


@export('contrib.layers.spatial_softmax')
@add_arg_scope
def spatial_softmax(features, temperature=None, name=None, trainable=True, data_format='NHWC'):
    """Returns the expected coordinates of each channel's features (arXiv 1509.06113).

    Args:
      features: a tensor [batch, height, width, channels], or in the order of `data_format`.
      temperature: the features are divided by this number, or None for a variable that starts with 1.
      name: the name of the variable scope. Defaults to 'spatial_softmax'.
      trainable: whether the variable is trainable.
      data_format: 'NHWC' or 'NCHW'.

    Returns:
      A tensor [batch, 2 * channels] with the coordinates x and y of each channel, from -1 to 1.

    Raises:
      ValueError: if the data format is unknown, or the number of channels is.
    """
    utils.check_format(data_format, 'NCHW', 'NHWC')
    with variable_scope.variable_scope(name, 'spatial_softmax', [features]):
        static, dynamic = features.get_shape(), array_ops.shape(features)
        axes = (1, 2, 3) if data_format == 'NHWC' else (2, 3, 1)
        height, width, channels = (_size(static, axis, dynamic) for axis in axes)
        if not isinstance(channels, int):
            raise ValueError('The number of channels must be known.')
        x, y = array_ops.meshgrid(math_ops.linspace(-1., 1., num=height), math_ops.linspace(-1., 1., num=width),
                           indexing='ij')
        if temperature is None:
            temperature = variables.model_variable(
                'temperature', shape=(), dtype=dtypes.float32, initializer=init_ops.Ones(),
                trainable=trainable)
        if data_format == 'NHWC':
            features = array_ops.transpose(features, [0, 3, 1, 2])
        attention = nn_activation.softmax(array_ops.reshape(features, [-1, height * width]) / temperature)
        expected = [math_ops.reduce_sum(array_ops.reshape(c, [height * width]) * attention, [1], keepdims=True)
                    for c in (x, y)]
        keypoints = array_ops.reshape(array_ops.concat(expected, 1), [-1, channels * 2])
        keypoints.set_shape([None, channels * 2])
        return keypoints


@export('contrib.layers.images_to_sequence')
@add_arg_scope
def images_to_sequence(inputs, data_format='NHWC', outputs_collections=None, scope=None):
    """Returns the rows of images as sequences of pixels.

    Args:
      inputs: a tensor [batch, height, width, channels].
      data_format: 'NHWC' or 'NCHW'.
      outputs_collections: collections of the output.
      scope: the name of the name scope. Defaults to 'ImagesToSequence'.

    Returns:
      A tensor [width, batch * height, channels].

    Raises:
      ValueError: if the data format is unknown.
    """
    utils.check_format(data_format, 'NCHW', 'NHWC')
    with ops.name_scope(scope, 'ImagesToSequence', [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        if data_format == 'NCHW':
            inputs = array_ops.transpose(inputs, [0, 2, 3, 1])
        _, _, width, depth = inputs.get_shape().as_list()
        shape = array_ops.shape(inputs)
        rows = array_ops.reshape(inputs, array_ops.stack([shape[0] * shape[1], shape[2], shape[3]]))
        outputs = array_ops.transpose(rows, [1, 0, 2])
        outputs.set_shape([width, None, depth])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@export('contrib.layers.sequence_to_images')
@add_arg_scope
def sequence_to_images(inputs, height, output_data_format='channels_last',
                       outputs_collections=None, scope=None):
    """Returns sequences of pixels as the rows of images; see images_to_sequence.

    Args:
      inputs: a tensor [width, batch * height, channels].
      height: the height of the images.
      output_data_format: 'channels_last' or 'channels_first'.
      outputs_collections: collections of the output.
      scope: the name of the name scope. Defaults to 'SequenceToImages'.

    Returns:
      A tensor [batch, height, width, channels], or in the order of `output_data_format`.
    """
    with ops.name_scope(scope, 'SequenceToImages', [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        width, _, depth = inputs.get_shape().as_list()
        shape = array_ops.shape(inputs)
        rows = array_ops.transpose(inputs, [1, 0, 2])
        outputs = array_ops.reshape(rows, array_ops.stack([-1, height, shape[0], shape[2]]))
        outputs.set_shape([None, height if isinstance(height, int) else None, width, depth])
        if output_data_format == 'channels_first':
            outputs = array_ops.transpose(outputs, [0, 3, 1, 2])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@export('contrib.layers.dense_to_sparse')
@add_arg_scope
def dense_to_sparse(tensor, eos_token=0, outputs_collections=None, scope=None):
    """Returns a SparseTensor of all elements but a given one.

    Args:
      tensor: a tensor.
      eos_token: the value to leave out.
      outputs_collections: collections of the output.
      scope: the name of the variable scope. Defaults to 'dense_to_sparse'.

    Returns:
      A SparseTensor.
    """
    with variable_scope.variable_scope(scope, 'dense_to_sparse', [tensor]) as sc:
        tensor = ops.convert_to_tensor(tensor)
        indices = array_ops.where(math_ops.not_equal(tensor, constant_op.constant(eos_token, tensor.dtype)))
        shape = array_ops.shape(tensor, out_type=dtypes.int64)
        outputs = sparse_tensor.SparseTensor(indices, array_ops.gather_nd(tensor, indices), shape)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)
