"""input_layer, sequence_input_layer and make_parse_example_spec, which use columns."""

from ramet.api import export
from ramet.feature_column import columns
from ramet.feature_column.columns import DenseColumn, FeatureColumn, LazyBuilder, SequenceDenseColumn
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.variables import variable_scope


@export('feature_column.input_layer')
def input_layer(features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None,
                cols_to_output_tensors=None):
    """Returns the dense columns of a batch, side by side and sorted by name, as one Tensor.

    Args:
      features: a dict from names to Tensors or SparseTensors.
      feature_columns: an iterable of dense columns.
      weight_collections: a list of collections for new variables, or None.
      trainable: whether new variables are trainable.
      cols_to_vars: a dict that gets a list of variables for each column, or None.
      cols_to_output_tensors: a dict that gets the part of the result for each column, or None.

    Returns:
      A Tensor with one row for each example.

    Raises:
      ValueError: if an item is not a dense column, or batch sizes differ.
    """
    return scoped_input_layer(features, feature_columns, weight_collections, trainable, cols_to_vars,
                              cols_to_output_tensors)


def scoped_input_layer(features, feature_columns, weight_collections=None, trainable=True, cols_to_vars=None,
                       cols_to_output_tensors=None, scope=None):
    """Like input_layer, in a given variable scope.

    Args:
      features: as for input_layer.
      feature_columns: as for input_layer.
      weight_collections: as for input_layer.
      trainable: as for input_layer.
      cols_to_vars: as for input_layer.
      cols_to_output_tensors: as for input_layer.
      scope: the name of the scope, or None for a unique one.
    """
    feature_columns = columns.normalized(feature_columns)
    for column in feature_columns:
        if not isinstance(column, DenseColumn):
            raise ValueError('Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with '
                             f'an embedding_column or indicator_column. Given: {column}')
    weight_collections = columns.weight_collections_of(weight_collections)
    ordered, outputs = columns.by_name(feature_columns), []
    with variable_scope.variable_scope(scope, default_name='input_layer', values=features.values()):
        builder = LazyBuilder(features)
        for column in ordered:
            with variable_scope.variable_scope(None, default_name=column.var_scope_name) as inner:
                tensor = column.dense_tensor(builder, weight_collections, trainable)
                outputs.append(columns.flat(tensor, column))
                if cols_to_vars is not None:
                    cols_to_vars[column] = ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope=inner.name)
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = outputs[-1]
        columns.check_batch_sizes(outputs, ordered)
        return array_ops.concat(outputs, 1)


@export('contrib.feature_column.sequence_input_layer')
def sequence_input_layer(features, feature_columns, weight_collections=None, trainable=True):
    """Returns the sequences of columns, side by side and sorted by name.

    Args:
      features: a dict from names to SparseTensors.
      feature_columns: an iterable of columns of sequences, in embedding, indicator or numeric columns.
      weight_collections: a list of collections for new variables, or None.
      trainable: whether new variables are trainable.

    Returns:
      (a Tensor of shape [batch, steps, size], a Tensor of the lengths of the sequences).

    Raises:
      ValueError: if an item is not such a column.
    """
    feature_columns = columns.normalized(feature_columns)
    for column in feature_columns:
        if not isinstance(column, SequenceDenseColumn):
            raise ValueError('All feature_columns must be of type _SequenceDenseColumn. You can wrap a '
                             'sequence_categorical_column with an embedding_column or indicator_column. Given (type '
                             f'{type(column)}): {column}')
    weight_collections = columns.weight_collections_of(weight_collections)
    outputs, lengths = [], []
    with variable_scope.variable_scope(None, default_name='sequence_input_layer', values=features.values()):
        builder = LazyBuilder(features)
        for column in columns.by_name(feature_columns):
            with variable_scope.variable_scope(None, default_name=column.var_scope_name):
                dense, length = column.sequence_dense_tensor(builder, weight_collections, trainable)
                shape = array_ops.concat([array_ops.shape(dense)[:2], [column.variable_shape.num_elements()]], axis=0)
                outputs.append(array_ops.reshape(dense, shape=shape))
                lengths.append(length)
        return array_ops.concat(outputs, axis=-1), _all_equal(lengths)


def _all_equal(tensors):
    with ops.name_scope(None, 'assert_all_equal', values=tensors):
        if len(tensors) == 1:
            return tensors[0]
        with ops.control_dependencies([check_ops.assert_equal(tensors[0], t) for t in tensors[1:]]):
            return array_ops.identity(tensors[0])


@export('feature_column.make_parse_example_spec')
def make_parse_example_spec(feature_columns):
    """Returns what parse_example reads for columns: a dict from names to FixedLenFeatures and VarLenFeatures.

    Args:
      feature_columns: an iterable of columns.

    Raises:
      ValueError: if an item is not a column, or two columns read the same feature in different ways.
    """
    found = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f'All feature_columns must be _FeatureColumn instances. Given: {column}')
        for key, feature in column.parse_example_spec.items():
            if key in found and found[key] != feature:
                raise ValueError('feature_columns contain different parse_spec for key {}. Given {} and {}'.format(
                    key, feature, found[key]))
            found[key] = feature
    return found
