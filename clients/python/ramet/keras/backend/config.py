"""The settings of tf.keras: the default type, the fuzz factor and the order of axes in images."""

from ramet.api import export
from ramet.framework import dtypes

_settings = {'floatx': 'float32', 'epsilon': 1e-7, 'image_data_format': 'channels_last'}


@export('keras.backend.floatx')
def floatx():
    """Returns the name of the default floating-point type, such as 'float32'."""
    return _settings['floatx']


@export('keras.backend.set_floatx')
def set_floatx(value):
    """Sets the default floating-point type.

    Args:
      value: 'float16', 'float32' or 'float64'.

    Raises:
      ValueError: if it is something else.
    """
    if value not in ('float16', 'float32', 'float64'):
        raise ValueError(f'Unknown floatx type: {value}')
    _settings['floatx'] = str(value)


@export('keras.backend.epsilon')
def epsilon():
    """Returns the fuzz factor, a small number that keeps divisors and logarithms away from zero."""
    return _settings['epsilon']


@export('keras.backend.set_epsilon')
def set_epsilon(value):
    """Sets the fuzz factor.

    Args:
      value: a float.
    """
    _settings['epsilon'] = value


@export('keras.backend.image_data_format')
def image_data_format():
    """Returns the default order of axes in images: 'channels_last' or 'channels_first'."""
    return _settings['image_data_format']


@export('keras.backend.set_image_data_format')
def set_image_data_format(data_format):
    """Sets the default order of axes in images.

    Args:
      data_format: 'channels_last' or 'channels_first'.

    Raises:
      ValueError: if it is something else.
    """
    if data_format not in ('channels_last', 'channels_first'):
        raise ValueError(f'Unknown data_format: {data_format}')
    _settings['image_data_format'] = str(data_format)


@export('keras.backend.backend')
def backend():
    """Returns 'tensorflow', the name that programs compare with."""
    return 'tensorflow'


@export('keras.backend.cast_to_floatx')
def cast_to_floatx(x):
    """Converts to the default floating-point type.

    Args:
      x: a numpy array, or a Tensor or Variable.

    Returns:
      An array for an array, otherwise a Tensor.
    """
    if hasattr(x, 'op'):
        from ramet.ops.math import math_cast  # deferred: the settings need no ops
        return math_cast.cast(x, floatx())
    import numpy as np
    return np.asarray(x, dtype=floatx())


def default_dtype(dtype=None):
    """Returns the DType with a name, or the default floating-point type for None."""
    return dtypes.as_dtype(floatx() if dtype is None else dtype)
