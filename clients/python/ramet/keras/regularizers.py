"""tf.keras.regularizers: losses of variables and of activities."""

from ramet.api import export
from ramet.keras.utils import generic_utils
from ramet.ops.math import math_ops


@export('keras.regularizers.Regularizer')
class Regularizer:
    """The base class of regularizers: callables that return a loss for a variable or an activity."""

    def __call__(self, x):
        return 0.

    def get_config(self):
        """Returns the arguments as a dict that can be serialized as JSON."""
        return {}

    @classmethod
    def from_config(cls, config):
        """Creates a regularizer from the result of get_config.

        Args:
          config: a dict of arguments.
        """
        return cls(**config)


@export('keras.regularizers.L1L2')
class L1L2(Regularizer):
    """The sum of l1 * abs(x) + l2 * x^2 over all elements.

    Args:
      l1: a number.
      l2: a number.
    """

    def __init__(self, l1=0., l2=0.):
        self.l1 = float(l1)
        self.l2 = float(l2)

    def __call__(self, x):
        if not self.l1 and not self.l2:
            return math_ops.cast(0., x.dtype.base_dtype)
        loss = 0.
        if self.l1:
            loss += self.l1 * math_ops.reduce_sum(math_ops.abs(x))
        if self.l2:
            loss += self.l2 * math_ops.reduce_sum(math_ops.square(x))
        return loss

    def get_config(self):
        return {'l1': self.l1, 'l2': self.l2}


@export('keras.regularizers.l1')
def l1(l=0.01):  # noqa: E741 - TensorFlow's name
    """Returns a regularizer with the sum of absolute values.

    Args:
      l: the factor.
    """
    return L1L2(l1=l)


@export('keras.regularizers.l2')
def l2(l=0.01):  # noqa: E741 - TensorFlow's name
    """Returns a regularizer with the sum of squares.

    Args:
      l: the factor.
    """
    return L1L2(l2=l)


@export('keras.regularizers.l1_l2')
def l1_l2(l1=0.01, l2=0.01):
    """Returns a regularizer with the sums of absolute values and of squares.

    Args:
      l1: the factor of absolute values.
      l2: the factor of squares.
    """
    return L1L2(l1=l1, l2=l2)


_NAMES = {'Regularizer': Regularizer, 'L1L2': L1L2, 'l1': l1, 'l2': l2, 'l1_l2': l1_l2,
          'L1': lambda l1=0.01: L1L2(l1=l1), 'L2': lambda l2=0.01: L1L2(l2=l2)}


@export('keras.regularizers.serialize')
def serialize(regularizer):
    """Returns the configuration of a regularizer.

    Args:
      regularizer: a regularizer or None.
    """
    return generic_utils.serialize_keras_object(regularizer)


@export('keras.regularizers.deserialize')
def deserialize(config, custom_objects=None):
    """Returns the regularizer with a name or configuration.

    Args:
      config: a name, or a dict with class_name and config.
      custom_objects: a dict from names to the program's own classes and functions.

    Raises:
      ValueError: if the name is unknown.
    """
    if isinstance(config, str) and config in ('l1', 'l2', 'l1_l2'):
        return _NAMES[config]()
    return generic_utils.deserialize_keras_object(config, _NAMES, custom_objects, 'regularizer')


@export('keras.regularizers.get')
def get(identifier):
    """Returns a regularizer.

    Args:
      identifier: its name or configuration; a regularizer; or None.

    Raises:
      ValueError: if the name is unknown, or it is something else.
    """
    return None if identifier is None else generic_utils.interpreted(identifier, deserialize, 'regularizer')
