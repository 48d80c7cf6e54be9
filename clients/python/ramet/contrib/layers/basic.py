"""Flattening, dropout, biases, one-hot encoding, softmax, and sequences of layers."""

from ramet.api import export
from ramet.contrib.framework import variables
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import utils
from ramet.framework import dtypes, ops, tensor_shape
from ramet.layers import core
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.variables import variable_scope


@export('contrib.layers.flatten')
@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    """Flattens all axes but the first into one.

    Args:
      inputs: a Tensor [batch, ...].
      outputs_collections: collections of the output.
      scope: the name of the name scope. Defaults to 'Flatten'.

    Returns:
      A Tensor [batch, size].
    """
    with ops.name_scope(scope, 'Flatten', [inputs]) as sc:
        outputs = core.flatten(ops.convert_to_tensor(inputs))
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@export('contrib.layers.dropout')
@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None,
            scope=None, seed=None):
    """Randomly zeroes a fraction of the inputs in training, and scales the rest to keep the sum.

    Args:
      inputs: a Tensor of a floating-point type.
      keep_prob: the fraction to keep; a number or a scalar tensor.
      noise_shape: an int32 vector, the shape of the random choices, or None for that of the inputs.
      is_training: whether to zero values: a bool or a tensor.
      outputs_collections: collections of the output.
      scope: the name of the variable scope. Defaults to 'Dropout'.
      seed: an integer; see tf.set_random_seed.

    Returns:
      A Tensor like the inputs.
    """
    with variable_scope.variable_scope(scope, 'Dropout', [inputs],
                                       custom_getter=utils.layer_variable_getter()) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = core.Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=sc.name,
                             _scope=sc)
        outputs = layer.apply(inputs, training=is_training)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@export('contrib.layers.bias_add')
@add_arg_scope
def bias_add(inputs, activation_fn=None, initializer=init_ops.zeros_initializer(),
             regularizer=None, reuse=None, variables_collections=None, outputs_collections=None,
             trainable=True, data_format='NHWC', scope=None):
    """Adds a bias to each channel.

    Args:
      inputs: a Tensor of rank 2 or more.
      activation_fn: a function of the outputs, or None.
      initializer: the initializer of the variable 'biases'.
      regularizer: a function from the variable to a loss.
      reuse: whether to reuse the variable of the scope.
      variables_collections: additional collections of the variable.
      outputs_collections: collections of the output.
      trainable: whether the variable is trainable.
      data_format: 'NHWC' or, with four axes, 'NCHW'.
      scope: the name of the variable scope. Defaults to 'BiasAdd'.

    Returns:
      A Tensor like the inputs.

    Raises:
      ValueError: if `data_format` does not match the inputs, or the rank or the number of channels is unknown.
    """
    utils.check_format(data_format, 'NCHW', 'NHWC')
    with variable_scope.variable_scope(scope, 'BiasAdd', [inputs], reuse=reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        shape = inputs.get_shape()
        if shape.ndims is None:
            raise ValueError('Dims of shape must be known but is None')
        if shape.ndims != 4 and data_format == 'NCHW':
            raise ValueError('Data format NCHW only supports 4D Tensor')
        channels = tensor_shape.dimension_value(shape[1 if data_format == 'NCHW' else -1])
        if channels is None:
            raise ValueError('`C` dimension must be known but is None')
        biases = variables.model_variable(
            'biases', shape=[channels], dtype=inputs.dtype.base_dtype, initializer=initializer,
            regularizer=regularizer, trainable=trainable,
            collections=utils.get_variable_collections(variables_collections, 'biases'))
        outputs = nn_activation.bias_add(inputs, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@export('contrib.layers.one_hot_encoding')
@add_arg_scope
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None,
                     scope=None):
    """Encodes integers as vectors with a single element set; see tf.one_hot.

    Args:
      labels: a vector of integers, the positions of the set elements.
      num_classes: the length of the vectors.
      on_value, off_value: the values of the elements.
      outputs_collections: collections of the output.
      scope: the name of the name scope. Defaults to 'OneHotEncoding'.

    Returns:
      A Tensor [len(labels), num_classes].
    """
    with ops.name_scope(scope, 'OneHotEncoding', [labels, num_classes]) as sc:
        labels = ops.convert_to_tensor(labels)
        if labels.dtype == dtypes.int32:
            labels = math_ops.cast(labels, dtypes.int64, name='ToInt64')
        outputs = array_ops.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@export('contrib.layers.softmax')
@add_arg_scope
def softmax(logits, scope=None):
    """Returns the softmax along the last axis.

    Args:
      logits: a Tensor of rank 2 or more, whose last axis has a known size.
      scope: the name of the variable scope. Defaults to 'softmax'.

    Returns:
      A Tensor like the logits.

    Raises:
      ValueError: if the rank is less than 2 or the size of the last axis is unknown.
    """
    with variable_scope.variable_scope(scope, 'softmax', [logits]):
        size = utils.last_dimension(logits.get_shape(), min_rank=2)
        predictions = nn_activation.softmax(array_ops.reshape(logits, [-1, size]))
        predictions = array_ops.reshape(predictions, array_ops.shape(logits))
        predictions.set_shape(logits.get_shape())
        return predictions


def _name_of(layer):
    return getattr(layer, '__name__', None) \
        or getattr(getattr(layer, 'func', None), '__name__', 'repeat')


@export('contrib.layers.repeat')
@add_arg_scope
def repeat(inputs, repetitions, layer, *args, **kwargs):
    """Applies a layer several times, each time to the output of the previous application.

    Args:
      inputs: a Tensor.
      repetitions: the number of times.
      layer: a function (inputs, *args, scope=..., **kwargs) -> Tensor.
      *args, **kwargs: its arguments; and `scope`, the name of the variable scope. The scopes of the
        layers are scope/scope_1, scope/scope_2, ...

    Returns:
      The output of the last application.
    """
    scope = kwargs.pop('scope', None)
    with variable_scope.variable_scope(scope, 'Repeat', [inputs]):
        outputs = ops.convert_to_tensor(inputs)
        for i in range(repetitions):
            outputs = layer(outputs, *args, scope=f'{scope or _name_of(layer)}_{i + 1}', **kwargs)
        return outputs


@export('contrib.layers.stack')
@add_arg_scope
def stack(inputs, layer, stack_args, **kwargs):
    """Applies a layer once for each of its arguments, each time to the previous output.

    Args:
      inputs: a Tensor.
      layer: a function (inputs, argument, scope=..., **kwargs) -> Tensor.
      stack_args: a list of arguments, or of lists of arguments.
      **kwargs: further arguments; `scope`, the name of the variable scope, which defaults to 'Stack'
        (the scopes of the layers are scope/scope_1, scope/scope_2, ...); and `reuse`.

    Returns:
      The output of the last application.

    Raises:
      TypeError: if `stack_args` is not a list or tuple.
    """
    scope, reuse = kwargs.pop('scope', None), kwargs.pop('reuse', None)
    if not isinstance(stack_args, (list, tuple)):
        raise TypeError('stack_args need to be a list or tuple')
    with variable_scope.variable_scope(scope, 'Stack', [inputs], reuse=reuse):
        outputs = ops.convert_to_tensor(inputs)
        for i, args in enumerate(stack_args):
            args = args if isinstance(args, (list, tuple)) else [args]
            outputs = layer(outputs, *args, scope=f'{scope or _name_of(layer)}_{i + 1}', **kwargs)
        return outputs
