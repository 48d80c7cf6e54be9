"""Data sets in the files of Keras, which must be in ~/.keras/datasets. Ramet does not download files."""

import os

import numpy as np

from ramet.api import export
from ramet.keras.utils.data_utils import get_file


def _path(path):
    return path if os.path.isabs(path) and os.path.exists(path) else get_file(path)


@export('keras.datasets.mnist.load_data')
def load_mnist(path='mnist.npz'):
    """Returns MNIST: images of digits and the digits.

    Args:
      path: the name of a file with x_train, y_train, x_test and y_test in ~/.keras/datasets, or its whole path.

    Returns:
      A tuple of the pairs (x_train, y_train) and (x_test, y_test).

    Raises:
      FileNotFoundError: if the file does not exist.
    """
    with np.load(_path(path), allow_pickle=False) as file:
        return (file['x_train'], file['y_train']), (file['x_test'], file['y_test'])


@export('keras.datasets.boston_housing.load_data')
def load_boston_housing(path='boston_housing.npz', test_split=0.2, seed=113):
    """Returns the Boston housing data: features of towns and house prices.

    Args:
      path: the name of a file with x and y in ~/.keras/datasets, or its whole path.
      test_split: the fraction of the data for tests.
      seed: an integer for the order of the data.

    Returns:
      A tuple of the pairs (x_train, y_train) and (x_test, y_test).

    Raises:
      FileNotFoundError: if the file does not exist.
    """
    with np.load(_path(path), allow_pickle=False) as file:
        x, y = file['x'], file['y']
    order = np.arange(len(x))
    np.random.seed(seed)
    np.random.shuffle(order)
    x, y = x[order], y[order]
    at = int(len(x) * (1 - test_split))
    return (x[:at], y[:at]), (x[at:], y[at:])
