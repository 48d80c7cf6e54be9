"""tf.contrib.learn.datasets: readers of CSV files, and synthetic data."""

import collections
import csv

import numpy as np

from ramet.api import export
from ramet.lib.file_io import FileIO

Dataset = collections.namedtuple('Dataset', ['data', 'target'])
export('contrib.learn.datasets.base.Dataset', 'contrib.learn.datasets.synthetic.Dataset')(Dataset)
Datasets = collections.namedtuple('Datasets', ['train', 'validation', 'test'])
export('contrib.learn.datasets.base.Datasets')(Datasets)


def _rows(filename):
    with FileIO(filename, 'r') as file:
        yield from csv.reader(file)


def _split(rows, features_dtype, target_dtype, target_column):
    data, target = [], []
    for row in rows:
        target.append(row.pop(target_column))
        data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


@export('contrib.learn.datasets.base.load_csv_with_header')
def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """Reads a CSV file whose first line begins with the numbers of its rows and features.

    Args:
      filename: str.
      target_dtype: the numpy type of the labels.
      features_dtype: the numpy type of the features.
      target_column: int, the column of the labels.

    Returns:
      A Dataset(data, target).

    Raises:
      ValueError: if the file has a different number of rows or features, or a value has the wrong type.
    """
    rows = _rows(filename)
    header = next(rows)
    count, features = int(header[0]), int(header[1])
    found = _split(rows, features_dtype, target_dtype, target_column)
    if len(found.target) != count or count and found.data.shape[1:] != (features,):
        raise ValueError(f'{filename}: the header announces {count} rows with {features} features, but the file has '
                         f'data of shape {found.data.shape}')
    return found


@export('contrib.learn.datasets.base.load_csv_without_header')
def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
    """Reads a CSV file without a header.

    Args:
      filename: str.
      target_dtype: the numpy type of the labels.
      features_dtype: the numpy type of the features.
      target_column: int, the column of the labels.

    Returns:
      A Dataset(data, target).

    Raises:
      ValueError: if a value has the wrong type.
    """
    return _split(_rows(filename), features_dtype, target_dtype, target_column)


@export('contrib.learn.datasets.base.shrink_csv')
def shrink_csv(filename, ratio):
    """Writes every ratio-th row of a file, after its header, to a file with 'small' in its name.

    Args:
      filename: str, a name that ends with '.csv'.
      ratio: int.
    """
    with FileIO(filename, 'r') as file, FileIO(filename.replace('.', '_small.'), 'w') as small:
        for number, line in enumerate(file):
            if number % ratio == 0:
                small.write(line)


@export('contrib.learn.datasets.synthetic.circles')
def circles(n_samples=100, noise=None, seed=None, factor=0.8, n_classes=2, *args, **kwargs):
    """Returns points on circles around the origin, and the numbers of the circles.

    Args:
      n_samples: int, the number of points.
      noise: float, the standard deviation of added noise, or None.
      seed: int, the seed of the noise and the order, or None.
      factor: float in [0, 1), the ratio of the radii of two neighboring circles.
      n_classes: int, the number of circles.
      *args: ignored.
      **kwargs: ignored.

    Returns:
      A Dataset(data of shape [n_samples, 2], target).

    Raises:
      ValueError: if factor is out of range.
    """
    del args, kwargs
    if not 0 <= factor < 1:
        raise ValueError("'factor' has to be between 0 and 1.")
    if seed is not None:
        np.random.seed(seed)
    angles = np.linspace(0, 2 * np.pi, n_samples // n_classes, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = np.concatenate([circle * factor ** number for number in range(n_classes)])
    labels = np.repeat(np.arange(n_classes), len(angles))
    order = np.random.permutation(len(points))
    points, labels = points[order], labels[order]
    if noise is not None:
        points += np.random.normal(scale=noise, size=points.shape)
    return Dataset(data=points, target=labels)
