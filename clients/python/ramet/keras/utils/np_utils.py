"""Functions on numpy arrays."""

import numpy as np

from ramet.api import export


@export('keras.utils.to_categorical')
def to_categorical(y, num_classes=None, dtype='float32'):
    """Returns one-hot vectors.

    Args:
      y: an array of the numbers of classes.
      num_classes: the number of classes, or None for the largest number plus one.
      dtype: the type of the result.
    """
    y = np.array(y, dtype='int')
    shape = y.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    y = y.ravel()
    num_classes = num_classes or np.max(y) + 1
    result = np.zeros((y.shape[0], num_classes), dtype=dtype)
    result[np.arange(y.shape[0]), y] = 1
    return result.reshape((*shape, num_classes))


@export('keras.utils.normalize')
def normalize(x, axis=-1, order=2):
    """Divides by the norm along an axis.

    Args:
      x: an array.
      axis: an int.
      order: the order of the norm.
    """
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / np.expand_dims(norms, axis)
