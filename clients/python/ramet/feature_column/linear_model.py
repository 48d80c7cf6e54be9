"""linear_model, a sum of weighted columns."""

from ramet.api import export
from ramet.feature_column import columns, lookup
from ramet.feature_column.columns import CategoricalColumn, DenseColumn, LazyBuilder
from ramet.framework import dtypes, ops
from ramet.layers import base
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.variables import variable_scope


def _last_part(name):
    return name.rsplit('/', 1)[-1]


def _parts(variable):
    return list(variable) if hasattr(variable, '_variable_list') else [variable]


def _add_to_collections(variable, weight_collections):
    for key in weight_collections:
        if key != ops.GraphKeys.GLOBAL_VARIABLES:
            for part in _parts(variable):
                ops.add_to_collection(key, part)


class _ColumnLayer(base.Layer):
    """The weighted sum of one column."""

    def __init__(self, column, units, sparse_combiner, weight_collections, trainable, name):
        super().__init__(trainable=trainable, name=name, dtype=dtypes.float32)
        self.column = column
        self._units = units
        self._combiner = sparse_combiner
        self._weight_collections = weight_collections

    def build(self, input_shape):
        is_categorical = isinstance(self.column, CategoricalColumn)
        rows = self.column.num_buckets if is_categorical else self.column.variable_shape.num_elements()
        self.weights_variable = self.add_weight('weights', shape=[rows, self._units], initializer=init_ops.Zeros(),
                                                trainable=self.trainable)
        _add_to_collections(self.weights_variable, self._weight_collections)
        super().build(input_shape)

    def call(self, inputs, builder):
        if isinstance(self.column, CategoricalColumn):
            return lookup.flat_rows(self.weights_variable, self.column.sparse_tensors(builder), self._combiner,
                                    'weighted_sum')
        tensor = self.column.dense_tensor(builder, self._weight_collections, self.trainable)
        return math_ops.matmul(columns.flat(tensor, self.column), self.weights_variable, name='weighted_sum')


class _BiasLayer(base.Layer):
    """The bias of the sums."""

    def __init__(self, units, trainable, weight_collections, name):
        super().__init__(trainable=trainable, name=name, dtype=dtypes.float32)
        self._units = units
        self._weight_collections = weight_collections

    def build(self, input_shape):
        self.bias = self.add_weight('bias_weights', shape=[self._units], initializer=init_ops.Zeros(),
                                    trainable=self.trainable)
        _add_to_collections(self.bias, self._weight_collections)
        super().build(input_shape)

    def call(self, inputs, builder):
        return self.bias


@export('feature_column.linear_model')
def linear_model(features, feature_columns, units=1, sparse_combiner='sum', weight_collections=None, trainable=True,
                 cols_to_vars=None):
    """Returns the sum of columns, each multiplied by weights, and a bias.

    Args:
      features: a dict from names to Tensors or SparseTensors.
      feature_columns: an iterable of dense and categorical columns.
      units: int, the number of sums.
      sparse_combiner: 'mean', 'sqrtn' or 'sum', how the weights of an example's categories are combined.
      weight_collections: a list of collections for the variables, or None.
      trainable: whether the variables are trainable.
      cols_to_vars: a dict that gets a list of variables for each column and for 'bias', or None.

    Returns:
      A Tensor of shape [batch, units].

    Raises:
      ValueError: if an item is not a dense or categorical column, or batch sizes differ.
    """
    with variable_scope.variable_scope(None, 'linear_model') as scope:
        name = _last_part(scope.name)
    feature_columns = columns.normalized(feature_columns)
    weight_collections = columns.weight_collections_of(weight_collections)
    layers = []
    for column in columns.by_name(feature_columns):
        with variable_scope.variable_scope(None, default_name=column.var_scope_name) as scope:
            column_name = _last_part(scope.name)
        layers.append(_ColumnLayer(column, units, sparse_combiner, weight_collections, trainable, column_name))
    bias = _BiasLayer(units, trainable, weight_collections, 'bias_layer')
    for column in feature_columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError('Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: '
                             f'{column}')
    with ops.name_scope(name), variable_scope.variable_scope(name):
        return _summed(layers, bias, LazyBuilder(features), cols_to_vars)


def _summed(layers, bias, builder, cols_to_vars):
    sums, ordered = [], sorted(layers, key=lambda layer: layer.name)
    for layer in ordered:
        sums.append(layer((), builder))
        if cols_to_vars is not None:
            cols_to_vars[layer.column] = ops.get_collection(
                ops.GraphKeys.GLOBAL_VARIABLES, scope=layer.scope_name)
    columns.check_batch_sizes(sums, [layer.column for layer in ordered])
    total = math_ops.add_n(sums, name='weighted_sum_no_bias')
    value = bias((), builder, scope=variable_scope.get_variable_scope())
    if cols_to_vars is not None:
        cols_to_vars['bias'] = _parts(bias.bias)
    return nn_activation.bias_add(total, value, name='weighted_sum')
