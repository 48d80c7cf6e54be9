"""The kinds of feature columns, and the builder that computes their tensors once."""

import collections
import collections.abc

from ramet.framework import dtypes, ops, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from ramet.lib import tf_logging as logging
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.math import math_ops
from ramet.ops.sparse import sparse_ops

IdWeightPair = collections.namedtuple('IdWeightPair', ('id_tensor', 'weight_tensor'))
TensorSequenceLengthPair = collections.namedtuple('TensorSequenceLengthPair', ['dense_tensor', 'sequence_length'])


class FeatureColumn:
    """A description of how a feature is used. Immutable; columns are compared by their fields.

    Attributes:
      name: the name of the column, from which the names of variables are made.
      parse_example_spec: a dict from the names of features to the features that parse_example reads.
    """

    __slots__ = ()

    @property
    def var_scope_name(self):
        """The name of the scope of the column's variables."""
        return self.name

    def transform(self, builder):
        """Returns the tensors that are computed once from the features.

        Args:
          builder: a LazyBuilder.
        """
        raise NotImplementedError(f'transform is not implemented for {type(self)}')

    def __lt__(self, other):
        return str(self) < str(other)

    def __gt__(self, other):
        return str(self) > str(other)


class DenseColumn(FeatureColumn):
    """A column with a tensor of a known shape for each example.

    Attributes:
      variable_shape: the TensorShape of an example's tensor.
    """

    __slots__ = ()

    def dense_tensor(self, builder, weight_collections=None, trainable=None):
        """Returns the Tensor of a batch.

        Args:
          builder: a LazyBuilder.
          weight_collections: a list of collections for new variables, or None.
          trainable: whether new variables are trainable.
        """
        raise NotImplementedError(f'dense_tensor is not implemented for {type(self)}')


class CategoricalColumn(FeatureColumn):
    """A column with numbers of categories for each example.

    Attributes:
      num_buckets: the number of categories.
    """

    __slots__ = ()

    def sparse_tensors(self, builder):
        """Returns an IdWeightPair of a batch. The weights may be None.

        Args:
          builder: a LazyBuilder.
        """
        return IdWeightPair(builder.get(self), None)


class SequenceDenseColumn(FeatureColumn):
    """A column with a sequence of tensors for each example."""

    __slots__ = ()

    def sequence_dense_tensor(self, builder, weight_collections=None, trainable=None):
        """Returns a TensorSequenceLengthPair of a batch.

        Args:
          builder: a LazyBuilder.
          weight_collections: a list of collections for new variables, or None.
          trainable: whether new variables are trainable.
        """
        raise NotImplementedError(f'sequence_dense_tensor is not implemented for {type(self)}')


class LazyBuilder:
    """The features of a batch, and the tensors that columns compute from them."""

    def __init__(self, features):
        """Creates the builder.

        Args:
          features: a dict from names to Tensors or SparseTensors.
        """
        self._features = dict(features)
        self._made = {}

    def get(self, key):
        """Returns the tensor of a feature, or what a column makes of its features.

        Args:
          key: the name of a feature, or a FeatureColumn.

        Raises:
          ValueError: if there is no such feature.
          TypeError: if key is neither a str nor a FeatureColumn.
        """
        if key in self._made:
            return self._made[key]
        if key in self._features:
            made = _at_least_two_dimensions(self._features[key], key)
        elif isinstance(key, str):
            raise ValueError(f'Feature {key} is not in features dictionary.')
        elif not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}')
        else:
            logging.debug('Transforming feature_column %s.', key)
            made = key.transform(self)
            if made is None:
                raise ValueError(f'Column {key.name} is not supported.')
        self._made[key] = made
        return made


def _at_least_two_dimensions(feature, key):
    tensor = convert_to_tensor_or_sparse_tensor(feature)

    def expanded():
        if isinstance(tensor, SparseTensor):
            return sparse_ops.sparse_reshape(tensor, [array_ops.shape(tensor)[0], 1])
        return array_ops.expand_dims(tensor, -1)

    message = f'Feature (key: {key}) cannot have rank 0. Given: {tensor}'
    rank = tensor.get_shape().ndims
    if rank is not None:
        if rank == 0:
            raise ValueError(message)
        return expanded() if rank == 1 else tensor
    with ops.control_dependencies([check_ops.assert_positive(array_ops.rank(tensor), message=message)]):
        return control_flow_ops.cond(math_ops.equal(1, array_ops.rank(tensor)), expanded, lambda: tensor)


def to_sparse_input(tensor, ignore_value=None):
    """Returns a tensor as a SparseTensor without the elements that stand for no value.

    Args:
      tensor: a Tensor or SparseTensor.
      ignore_value: the element that stands for no value. Defaults to '' for strings, -1 for integers, and 0.
    """
    tensor = convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with ops.name_scope(None, 'to_sparse_input', (tensor, ignore_value)):
        if ignore_value is None:
            if tensor.dtype == dtypes.string:
                ignore_value = ''
            elif tensor.dtype.is_integer:
                ignore_value = -1
            else:
                ignore_value = tensor.dtype.as_numpy_dtype()
        ignore_value = math_ops.cast(ignore_value, tensor.dtype, name='ignore_value')
        indices = array_ops.where(math_ops.not_equal(tensor, ignore_value), name='indices')
        return SparseTensor(indices, array_ops.gather_nd(tensor, indices, name='values'),
                            array_ops.shape(tensor, out_type=dtypes.int64, name='dense_shape'))


def normalized(feature_columns):
    """Returns columns as a list.

    Args:
      feature_columns: a FeatureColumn, or an iterable of these.

    Raises:
      ValueError: if an item is not a column, there is none, or two have the same name.
    """
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, dict):
        raise ValueError('Expected feature_columns to be iterable, found dict.')
    feature_columns = list(feature_columns)
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f'Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): '
                             f'{column}.')
    if not feature_columns:
        raise ValueError('feature_columns must not be empty.')
    by_name = {}
    for column in feature_columns:
        if column.name in by_name:
            raise ValueError('Duplicate feature column name found for columns: {} and {}. This usually means that '
                             'these columns refer to same base feature. Either one must be discarded or a duplicated '
                             'but renamed item must be inserted in features dict.'.format(column, by_name[column.name]))
        by_name[column.name] = column
    return feature_columns


def by_name(feature_columns):
    """Returns columns sorted by name.

    Args:
      feature_columns: a list of FeatureColumns.
    """
    return sorted(feature_columns, key=lambda column: column.name)


def check_batch_sizes(tensors, columns):
    """Raises a ValueError if the known batch sizes of tensors differ.

    Args:
      tensors: a list of Tensors.
      columns: the columns that they belong to.
    """
    first = None
    for tensor, column in zip(tensors, columns):
        size = tensor_shape.dimension_value(tensor.get_shape()[0])
        if size is None:
            continue
        if first is None:
            first = size, column
        elif first[0] != size:
            raise ValueError('Batch size (first dimension) of each feature must be same. Batch size of columns ({}, '
                             '{}): ({}, {})'.format(first[1].name, column.name, first[0], size))


def flat(tensor, column):
    """Returns the tensor of a dense column with one row for each example.

    Args:
      tensor: a Tensor.
      column: its DenseColumn.
    """
    rows = array_ops.shape(tensor)[0]
    return array_ops.reshape(tensor, shape=(rows, column.variable_shape.num_elements()))


def weight_collections_of(weight_collections):
    """Returns collections for variables, with those of global and model variables.

    Args:
      weight_collections: a list of collection keys, or None.
    """
    keys = list(weight_collections or [])
    for key in (ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.MODEL_VARIABLES):
        if key not in keys:
            keys.append(key)
    return keys
