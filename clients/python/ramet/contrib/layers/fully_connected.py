"""Fully connected layers."""

import functools

from ramet import gen
from ramet.api import export
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import initializers, utils
from ramet.framework import ops
from ramet.layers import core
from ramet.ops.initializers import init_ops
from ramet.ops.nn.nn_activation import relu6 as _relu6
from ramet.ops.variables import variable_scope


def relu_fn(features):
    return gen.Relu(features)


def finish(outputs, layer_name, normalizer_fn, normalizer_params, activation_fn, collections):
    """Normalizes the output of a layer, applies the activation and adds the result to collections."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return utils.collect_named_outputs(collections, layer_name, outputs)


@export('contrib.layers.fully_connected')
@add_arg_scope
def fully_connected(inputs, num_outputs, activation_fn=relu_fn, normalizer_fn=None,
                    normalizer_params=None,
                    weights_initializer=initializers.xavier_initializer(),
                    weights_regularizer=None, biases_initializer=init_ops.zeros_initializer(),
                    biases_regularizer=None, reuse=None, variables_collections=None,
                    outputs_collections=None, trainable=True, scope=None):
    """Adds a fully connected layer: activation(normalizer(inputs . weights + biases)).

    Args:
      inputs: a Tensor of rank 2 or more, [..., channels].
      num_outputs: the number of the layer's outputs, an int.
      activation_fn: a function of the outputs, or None. Defaults to ReLU.
      normalizer_fn: a function of the outputs before the activation, which replaces the biases.
      normalizer_params: a dict of its arguments.
      weights_initializer, biases_initializer: initializers. With None, there are no biases.
      weights_regularizer, biases_regularizer: functions from a variable to a loss.
      reuse: whether to reuse the variables of the scope.
      variables_collections: additional collections of the variables: a list, or a dict of lists for
        'weights' and 'biases'.
      outputs_collections: collections of the output.
      trainable: whether the variables are trainable.
      scope: the name of the variable scope, or a VariableScope. Defaults to 'fully_connected'.

    Returns:
      A Tensor [..., num_outputs].

    Raises:
      ValueError: if the rank of the inputs is less than 2, the size of the last axis is unknown, or
        num_outputs is not an int.
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f'num_outputs type should be one of [int], got {type(num_outputs)}.')
    getter = utils.layer_variable_getter({'bias': 'biases', 'kernel': 'weights'})
    with variable_scope.variable_scope(scope, 'fully_connected', [inputs], reuse=reuse,
                                       custom_getter=getter) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = core.Dense(
            units=num_outputs, activation=None,
            use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer, bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
            trainable=trainable, name=sc.name, dtype=inputs.dtype.base_dtype, _scope=sc,
            _reuse=reuse)
        outputs = layer.apply(inputs)
        utils.add_variable_to_collections(layer.kernel, variables_collections, 'weights')
        if layer.bias is not None:
            utils.add_variable_to_collections(layer.bias, variables_collections, 'biases')
        return finish(outputs, sc.name, normalizer_fn, normalizer_params, activation_fn,
                      outputs_collections)


def _alias(name, activation_fn):
    function = functools.partial(fully_connected, activation_fn=activation_fn)
    function.__name__ = name
    function.__doc__ = 'Calls fully_connected with a fixed activation; see there.'
    return function


linear = export('contrib.layers.linear')(_alias('linear', None))
relu = export('contrib.layers.relu')(_alias('relu', relu_fn))
relu6 = export('contrib.layers.relu6')(_alias('relu6', _relu6))
elu = export('contrib.layers.elu')(_alias('elu', lambda features: gen.Elu(features)))
