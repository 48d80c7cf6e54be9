"""The descriptions of features that the parse functions take."""

import collections

from ramet.api import export


@export('io.VarLenFeature', 'VarLenFeature')
class VarLenFeature(collections.namedtuple('VarLenFeature', ['dtype'])):
    """A feature with any number of values, parsed into a SparseTensor.

    Attributes:
      dtype: int64, float32 or string.
    """


@export('io.SparseFeature', 'SparseFeature')
class SparseFeature(
        collections.namedtuple('SparseFeature',
                               ['index_key', 'value_key', 'dtype', 'size', 'already_sorted'])):
    """Several features that make a SparseTensor together: values and their indices.

    Attributes:
      index_key: the key of the indices, or a list with a key for each dimension.
      value_key: the key of the values.
      dtype: the DType of the values.
      size: the size of the dimension, or a list of sizes.
      already_sorted: whether the values are sorted by their indices.
    """

    def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


@export('io.FixedLenFeature', 'FixedLenFeature')
class FixedLenFeature(collections.namedtuple('FixedLenFeature', ['shape', 'dtype', 'default_value'])):
    """A feature with a fixed number of values, parsed into a tensor.

    Attributes:
      shape: the shape of the values.
      dtype: int64, float32 or string.
      default_value: the value for examples that do not have the feature. Without it, such examples
        are errors.
    """

    def __new__(cls, shape, dtype, default_value=None):
        return super().__new__(cls, shape, dtype, default_value)


@export('io.FixedLenSequenceFeature', 'FixedLenSequenceFeature')
class FixedLenSequenceFeature(
        collections.namedtuple('FixedLenSequenceFeature',
                               ['shape', 'dtype', 'allow_missing', 'default_value'])):
    """A feature with any number of rows of a fixed shape, parsed into a padded tensor.

    Attributes:
      shape: the shape of a row.
      dtype: int64, float32 or string.
      allow_missing: whether examples may lack the feature. Must be True for tf.train.Example.
      default_value: the value to pad with. Defaults to 0 or ''.
    """

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super().__new__(cls, shape, dtype, allow_missing, default_value)
