"""Reads MNIST, or other data in the same four files, like TensorFlow's tutorials."""

import collections
import os

import numpy as np

from ramet import _core
from ramet.api import export
from ramet.framework import dtypes, errors, random_seed

Datasets = collections.namedtuple('Datasets', ['train', 'validation', 'test'])

_FAKE_EXAMPLES = 10000
_PIXELS = 28 * 28
_CLASSES = 10


@export('contrib.learn.datasets.mnist.DataSet')
class DataSet:
    """Images with labels, returned in batches, epoch after epoch. Created by read_data_sets.

    Attributes:
      images: float32 [n, rows*cols] from 0 to 1, or as requested from read_data_sets, in the order of
        the current epoch.
      labels: uint8 [n], or float64 [n, 10] with a single 1 in each row.
      num_examples: n.
      epochs_completed: how many epochs next_batch has completed.
    """

    def __init__(self, core, one_hot):
        """Wraps a data set of the C++ library; read_data_sets does this.

        Args:
          core: the data set.
          one_hot: whether labels are vectors with a single 1.
        """
        self._core = core
        self._one_hot = one_hot
        self._begun = False
        self._order = None
        self._kept = {}

    def _all(self, what, convert):
        """Returns the images or labels. They are converted again only if their order may have changed."""
        order = (self._begun, self._core.epochs_completed)
        if order != self._order:
            self._order, self._kept = order, {}
        if what not in self._kept:
            self._kept[what] = convert(getattr(self._core, what)())
        return self._kept[what]

    def _label_array(self, labels):
        return labels.astype(np.float64 if self._one_hot else np.uint8)

    @property
    def images(self):
        return self._all('images', np.asarray)

    @property
    def labels(self):
        return self._all('labels', self._label_array)

    @property
    def num_examples(self):
        return self._core.num_examples

    @property
    def epochs_completed(self):
        return self._core.epochs_completed

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """Returns the next examples. They are shuffled before the first batch and after each epoch.

        Args:
          batch_size: the number of examples.
          fake_data: if true, identical made-up examples are returned.
          shuffle: whether to shuffle. Otherwise the order of the files is kept.

        Returns:
          (images, labels), shaped like the attributes, with batch_size rows.
        """
        if fake_data:
            return _fake_batch(batch_size, self._one_hot)
        images, labels = self._core.next_batch(batch_size, shuffle)
        self._begun = True
        return images, self._label_array(labels)


class _FakeDataSet:
    """A DataSet without files: 10,000 identical examples."""

    images = np.array([])
    labels = np.array([])
    num_examples = _FAKE_EXAMPLES
    epochs_completed = 0

    def __init__(self, one_hot):
        self._one_hot = one_hot

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        return _fake_batch(batch_size, self._one_hot)


def _fake_batch(batch_size, one_hot):
    label = [1] + [0] * (_CLASSES - 1) if one_hot else 0
    return [[1] * _PIXELS] * batch_size, [label] * batch_size


def _seed_of(seed):
    graph_seed, op_seed = random_seed.get_seed(seed)
    return graph_seed if seed is None else op_seed


@export('contrib.learn.datasets.mnist.read_data_sets')
def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype=None, reshape=True,
                   validation_size=5000, seed=None, source_url=None):
    """Reads the four files of MNIST or of a similar data set. Nothing is downloaded.

    Args:
      train_dir: the folder with train-images-idx3-ubyte.gz and its three companions, gzipped or not.
      fake_data: if true, no files are read and all examples are identical.
      one_hot: whether labels are one-hot rows instead of class numbers.
      dtype: tf.float32, for pixels from 0 to 1, or tf.uint8, as in the files.
      reshape: whether images are rows of pixels instead of [rows, cols, 1].
      validation_size: how many of the first training examples form the validation set.
      seed: int, makes the shuffled order reproducible, as does the graph's seed.
      source_url: ignored.

    Returns:
      Datasets(train, validation, test), each a DataSet.

    Raises:
      tf.errors.NotFoundError: if files are missing. The message names the files and the folder that were
        tried, and the Debian package that contains such files.
      tf.errors.DataLossError: if a file is corrupt.
      TypeError: if dtype is not one of these.
      ValueError: if validation_size is negative or exceeds the number of training examples.
    """
    if fake_data:
        return Datasets(*(_FakeDataSet(one_hot) for _ in Datasets._fields))
    dtype = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype).base_dtype
    if dtype not in (dtypes.uint8, dtypes.float32):
        raise TypeError(f'Invalid image dtype {dtype!r}, expected uint8 or float32')
    try:
        sets = _core.read_mnist(os.fspath(train_dir), bool(one_hot), dtype, bool(reshape),
                                validation_size, _seed_of(seed))
    except errors.InvalidArgumentError as error:
        raise ValueError(error.message) from None
    return Datasets(*(DataSet(core, one_hot) for core in sets))


@export('contrib.learn.datasets.mnist.load_mnist')
def load_mnist(train_dir='MNIST-data'):
    """Reads the four files of MNIST from a folder: read_data_sets(train_dir).

    Args:
      train_dir: the folder.
    """
    return read_data_sets(train_dir)
