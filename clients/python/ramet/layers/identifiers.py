"""Looks up activations and initializers by name."""

from ramet import gen
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation

_ACTIVATIONS = {
    'elu': gen.endpoint('Elu', 'elu'), 'exponential': math_ops.exp, 'linear': None,
    'relu': gen.endpoint('Relu', 'relu'), 'relu6': nn_activation.relu6,
    'selu': gen.endpoint('Selu', 'selu'), 'sigmoid': math_ops.sigmoid, 'softmax': nn_activation.softmax,
    'softplus': math_ops.softplus, 'softsign': gen.endpoint('Softsign', 'softsign'),
    'swish': nn_activation.swish, 'tanh': math_ops.tanh,
}
# The names in tf.keras.initializers.
_INITIALIZERS = {
    'Constant': init_ops.Constant, 'constant': init_ops.Constant,
    'GlorotNormal': init_ops.GlorotNormal, 'glorot_normal': init_ops.GlorotNormal,
    'GlorotUniform': init_ops.GlorotUniform, 'glorot_uniform': init_ops.GlorotUniform,
    'HeNormal': init_ops.he_normal, 'he_normal': init_ops.he_normal,
    'HeUniform': init_ops.he_uniform, 'he_uniform': init_ops.he_uniform,
    'Identity': init_ops.Identity, 'identity': init_ops.Identity,
    'LecunNormal': init_ops.lecun_normal, 'lecun_normal': init_ops.lecun_normal,
    'LecunUniform': init_ops.lecun_uniform, 'lecun_uniform': init_ops.lecun_uniform,
    'Ones': init_ops.Ones, 'ones': init_ops.Ones,
    'RandomNormal': init_ops.KerasRandomNormal, 'random_normal': init_ops.KerasRandomNormal,
    'normal': init_ops.KerasRandomNormal,
    'RandomUniform': init_ops.KerasRandomUniform, 'random_uniform': init_ops.KerasRandomUniform,
    'uniform': init_ops.KerasRandomUniform,
    'TruncatedNormal': init_ops.KerasTruncatedNormal, 'truncated_normal': init_ops.KerasTruncatedNormal,
    'VarianceScaling': init_ops.VarianceScaling,
    'Zeros': init_ops.Zeros, 'zeros': init_ops.Zeros,
}


def activation(identifier):
    """Returns the activation function with a name. Callables and None are returned unchanged.

    Args:
      identifier: the name, such as 'relu'; a callable; or None.

    Raises:
      ValueError: if there is no activation with this name.
      TypeError: if it is something else.
    """
    if identifier is None or callable(identifier):
        return identifier
    if not isinstance(identifier, str):
        raise TypeError(f'Could not interpret activation function identifier: {identifier}')
    if identifier not in _ACTIVATIONS:
        raise ValueError(f'Unknown activation function: {identifier}; known functions are '
                         f'{", ".join(sorted(_ACTIVATIONS))}')
    return _ACTIVATIONS[identifier]


def initializer(identifier):
    """Returns the initializer with a name of tf.keras.initializers; others are returned unchanged.

    Args:
      identifier: the name, such as 'zeros', or any other object.

    Raises:
      ValueError: if there is no initializer with this name.
    """
    if not isinstance(identifier, str):
        return identifier
    if identifier not in _INITIALIZERS:
        raise ValueError(f'Unknown initializer: {identifier}')
    return _INITIALIZERS[identifier]()
