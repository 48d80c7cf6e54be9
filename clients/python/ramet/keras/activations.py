"""tf.keras.activations: functions of the output of a layer."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.keras.utils import generic_utils
from ramet.ops.array import array_ops
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.nn import nn_activation

_relu = gen.endpoint('Relu', 'relu')


@export('keras.activations.linear')
def linear(x):
    """Returns x unchanged.

    Args:
      x: a Tensor.
    """
    return x


@export('keras.activations.softmax')
def softmax(x, axis=-1):
    """Returns exp(x), divided by its sum along an axis.

    Args:
      x: a Tensor of rank 2 or more.
      axis: an int.

    Raises:
      ValueError: if x has a lower rank.
    """
    rank = x.shape.ndims
    if rank == 2 or (rank is not None and rank > 2 and axis in (-1, rank - 1)):
        return nn_activation.softmax(x, axis=axis) if rank > 2 else nn_activation.softmax(x)
    if rank is not None and rank > 2:
        exponentials = math_ops.exp(x - math_ops.reduce_max(x, axis, True))
        return exponentials / math_ops.reduce_sum(exponentials, axis, True)
    raise ValueError(f'Cannot apply softmax to a tensor that is 1D. Received input: {x}')


@export('keras.activations.elu', 'keras.backend.elu')
def elu(x, alpha=1.0):
    """Returns x where it is positive, and alpha * (exp(x) - 1) elsewhere.

    Args:
      x: a Tensor.
      alpha: a number.
    """
    result = gen.Elu(x)
    return result if alpha == 1 else array_ops.where(x > 0, result, alpha * result)


@export('keras.activations.relu', 'keras.backend.relu')
def relu(x, alpha=0., max_value=None, threshold=0):
    """Returns x where it is above a threshold, and alpha * (x - threshold) elsewhere, limited from above.

    Args:
      x: a Tensor.
      alpha: the slope below the threshold.
      max_value: the upper bound, or None.
      threshold: the threshold.
    """
    if alpha != 0. and max_value is None and threshold == 0:
        return nn_activation.leaky_relu(x, alpha=alpha)
    negative = None
    if alpha != 0.:
        negative = _relu(-x + threshold) if threshold != 0 else _relu(-x)
    clipped = max_value is not None
    if threshold != 0:
        x = x * math_ops.cast(math_ops.greater(x, threshold), x.dtype.base_dtype)
    elif max_value == 6:
        x, clipped = nn_activation.relu6(x), False
    else:
        x = _relu(x)
    if clipped:
        x = clip_ops.clip_by_value(x, 0., float(max_value))
    return x if negative is None else x - alpha * negative


@export('keras.activations.exponential')
def exponential(x):
    """Returns exp(x).

    Args:
      x: a Tensor.
    """
    return math_ops.exp(x)


@export('keras.activations.hard_sigmoid', 'keras.backend.hard_sigmoid')
def hard_sigmoid(x):
    """Returns 0.2 * x + 0.5, limited to the range from 0 to 1.

    Args:
      x: a Tensor.
    """
    x = ops.convert_to_tensor(x)
    scaled = math_ops.multiply(x, ops.convert_to_tensor(0.2, dtype=x.dtype.base_dtype))
    return clip_ops.clip_by_value(math_ops.add(scaled, ops.convert_to_tensor(0.5, dtype=x.dtype.base_dtype)), 0., 1.)


@export('keras.activations.selu')
def selu(x):
    """Returns the scaled exponential linear unit; see tf.nn.selu.

    Args:
      x: a Tensor.
    """
    return gen.Selu(x)


@export('keras.activations.sigmoid')
def sigmoid(x):
    """Returns 1 / (1 + exp(-x)).

    Args:
      x: a Tensor.
    """
    return math_ops.sigmoid(x)


@export('keras.activations.softplus')
def softplus(x):
    """Returns log(exp(x) + 1).

    Args:
      x: a Tensor.
    """
    return math_ops.softplus(x)


@export('keras.activations.softsign')
def softsign(x):
    """Returns x / (abs(x) + 1).

    Args:
      x: a Tensor.
    """
    return gen.Softsign(x)


@export('keras.activations.tanh')
def tanh(x):
    """Returns the hyperbolic tangent.

    Args:
      x: a Tensor.
    """
    return math_ops.tanh(x)


_NAMES = {f.__name__: f for f in (linear, softmax, elu, relu, exponential, hard_sigmoid, selu, sigmoid, softplus,
                                  softsign, tanh)}
_NAMES.update(relu6=nn_activation.relu6, swish=nn_activation.swish)


@export('keras.activations.serialize')
def serialize(activation):
    """Returns the name of an activation function.

    Args:
      activation: a function.
    """
    return getattr(activation, '__name__', None) or generic_utils.serialize_keras_object(activation)


@export('keras.activations.deserialize')
def deserialize(name, custom_objects=None):
    """Returns the activation function with a name.

    Args:
      name: str.
      custom_objects: a dict from names to the program's own functions.

    Raises:
      ValueError: if the name is unknown.
    """
    return generic_utils.deserialize_keras_object(name, _NAMES, custom_objects, 'activation function')


@export('keras.activations.get')
def get(identifier):
    """Returns an activation function.

    Args:
      identifier: its name; a function, which is returned unchanged; or None for `linear`.

    Raises:
      ValueError: if the name is unknown.
      TypeError: if it is something else.
    """
    if identifier is None:
        return linear
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise TypeError(f'Could not interpret activation function identifier: {identifier!r}')
