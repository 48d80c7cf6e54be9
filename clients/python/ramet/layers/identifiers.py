"""Looks up activations and initializers by name."""

from ramet.compat import namespace

_ACTIVATIONS = {
    'elu': 'nn.elu', 'exponential': 'exp', 'relu': 'nn.relu', 'relu6': 'nn.relu6',
    'selu': 'nn.selu', 'sigmoid': 'nn.sigmoid', 'softmax': 'nn.softmax',
    'softplus': 'nn.softplus', 'softsign': 'nn.softsign', 'swish': 'nn.swish', 'tanh': 'nn.tanh',
}


def activation(identifier):
    """Returns the activation function with a name. Callables and None are returned unchanged.

    Raises:
      ValueError: if there is no activation with this name.
      TypeError: if it is something else.
    """
    if identifier is None or callable(identifier):
        return identifier
    if not isinstance(identifier, str):
        raise TypeError(f'Could not interpret activation function identifier: {identifier}')
    if identifier == 'linear':
        return None
    if identifier not in _ACTIVATIONS:
        raise ValueError(f'Unknown activation function: {identifier}; known functions are '
                         f'{", ".join(sorted([*_ACTIVATIONS, "linear"]))}')
    return namespace.find(_ACTIVATIONS[identifier])


def initializer(identifier):
    """Returns the initializer with a name of tf.keras.initializers; others are returned unchanged.

    Raises:
      ValueError: if there is no initializer with this name.
    """
    if not isinstance(identifier, str):
        return identifier
    path = f'keras.initializers.{identifier}'
    if path not in namespace.known_names():
        raise ValueError(f'Unknown initializer: {identifier}')
    return namespace.find(path)()
