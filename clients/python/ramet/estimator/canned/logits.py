"""The logits of linear and deep models."""

from ramet.api import export
from ramet.estimator import functions
from ramet.estimator.mode_keys import ModeKeys
from ramet.feature_column.input_layer import scoped_input_layer
from ramet.feature_column.linear_model import linear_model
from ramet.framework import ops
from ramet.layers.core import Dense, dropout as dropped
from ramet.layers.normalization import BatchNormalization
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.variables import partitioned_variables, variable_scope
from ramet.summary import summary

_MIN_SLICE_BYTES = 64 << 20


def check_features(features):
    """Raises a ValueError unless features are a dict.

    Args:
      features: the features of a model function.
    """
    if not isinstance(features, dict):
        raise ValueError(f'features should be a dictionary of `Tensor`s. Given type: {type(features)}')


def partitioner_of(config, min_slice_bytes=256 << 10):
    """Returns the partitioner of a model's variables.

    Args:
      config: a RunConfig, or None.
      min_slice_bytes: int, the least size of a part.
    """
    return partitioned_variables.min_max_variable_partitioner(
        max_partitions=config.num_ps_replicas if config else 0, min_slice_size=min_slice_bytes)


def input_partitioner_of(config):
    """Returns the partitioner of the tables of a model's columns.

    Args:
      config: a RunConfig, or None.
    """
    return partitioner_of(config, _MIN_SLICE_BYTES)


def summarize_layer(value, tag):
    """Adds summaries of the values of a layer.

    Args:
      value: a Tensor.
      tag: str.
    """
    summary.scalar(f'{tag}/fraction_of_zero_values', nn_activation.zero_fraction(value))
    summary.histogram(f'{tag}/activation', value)


def _check_units(units):
    if not isinstance(units, int):
        raise ValueError(f'units must be an int.  Given type: {type(units)}')


@export('estimator.experimental.dnn_logit_fn_builder', 'contrib.estimator.dnn_logit_fn_builder')
def dnn_logit_fn_builder(units, hidden_units, feature_columns, activation_fn, dropout, input_layer_partitioner,
                         batch_norm=False):
    """Returns a function of features and mode that returns the logits of a deep model.

    Args:
      units: int, the number of logits.
      hidden_units: a list of the sizes of the hidden layers.
      feature_columns: an iterable of dense columns.
      activation_fn: the activation of the hidden layers, or None.
      dropout: the fraction of values that training drops, or None.
      input_layer_partitioner: the partitioner of the columns' tables, or None.
      batch_norm: whether to normalize each hidden layer.

    Raises:
      ValueError: if units is not an int.
    """
    _check_units(units)

    def dnn_logit_fn(features, mode):
        is_training = mode == ModeKeys.TRAIN
        with variable_scope.variable_scope('input_from_feature_columns', values=tuple(features.values()),
                                           partitioner=input_layer_partitioner):
            net = scoped_input_layer(features, feature_columns, scope='input_layer')
        for number, size in enumerate(hidden_units):
            net = _hidden_layer(net, number, size, activation_fn, dropout if is_training else None,
                                batch_norm, is_training)
        with variable_scope.variable_scope('logits', values=(net,)) as scope:
            logits = Dense(units, activation=None, kernel_initializer=init_ops.GlorotUniform(), name=scope,
                           _scope=scope)(net)
        summarize_layer(logits, scope.name)
        return logits

    return dnn_logit_fn


def _hidden_layer(net, number, size, activation_fn, dropout, batch_norm, is_training):
    with variable_scope.variable_scope(f'hiddenlayer_{number}', values=(net,)) as scope:
        net = Dense(size, activation=activation_fn, kernel_initializer=init_ops.GlorotUniform(), name=scope,
                    _scope=scope)(net)
        if dropout is not None:
            net = dropped(net, rate=dropout, training=True)
        if batch_norm:
            name = f'batchnorm_{number}'
            net = BatchNormalization(momentum=0.999, trainable=True, name=name, _scope=name)(net, training=is_training)
    summarize_layer(net, scope.name)
    return net


@export('estimator.experimental.linear_logit_fn_builder', 'contrib.estimator.linear_logit_fn_builder')
def linear_logit_fn_builder(units, feature_columns, sparse_combiner='sum'):
    """Returns a function of features that returns the logits of a linear model.

    Args:
      units: int, the number of logits.
      feature_columns: an iterable of columns.
      sparse_combiner: 'mean', 'sqrtn' or 'sum', how the weights of an example's categories are combined.
    """

    def linear_logit_fn(features):
        variables = {}
        logits = linear_model(features, feature_columns, units=units, sparse_combiner=sparse_combiner,
                              cols_to_vars=variables)
        bias = variables.pop('bias')
        if units > 1:
            summary.histogram('bias', bias)
        else:
            summary.scalar('bias', bias[0][0])
        summary.scalar('fraction_of_zero_weights', _fraction_of_zero(variables.values()))
        return logits

    return linear_logit_fn


@export('estimator.experimental.call_logit_fn', 'contrib.estimator.call_logit_fn')
def call_logit_fn(logit_fn, features, mode, params, config):
    """Calls a function that returns logits, with the arguments that it has.

    Args:
      logit_fn: a function of features, and if it has them mode, params and config.
      features: a dict of features.
      mode: one of ModeKeys.
      params: a dict of hyperparameters.
      config: a RunConfig.

    Raises:
      ValueError: if the result is neither a Tensor nor a dict of Tensors.
    """
    made = functions.call_with_known(logit_fn, features=features, mode=mode, params=params, config=config)
    if not isinstance(made, (ops.Tensor, dict)):
        raise ValueError('model_fn should return a logits Tensor, or a dictionary mapping strings to logits Tensors.  '
                         f'Got: {made}')
    return made


def _fraction_of_zero(variables):
    flat = [array_ops.reshape(variable, [-1]) for parts in variables for variable in parts]
    return nn_activation.zero_fraction(array_ops.concat(flat, axis=0))


def baseline_logits(features, num_outputs):
    """Returns logits that are the same for all examples.

    Args:
      features: a dict of features, for the size of the batch.
      num_outputs: int, the number of logits.
    """
    size = array_ops.shape(next(iter(features.values())))[0]
    with variable_scope.variable_scope('baseline', values=tuple(features.values())):
        bias = variable_scope.get_variable('bias', shape=[num_outputs], initializer=init_ops.Zeros())
        return math_ops.multiply(bias, array_ops.ones([size, num_outputs]))


def scope_variables(scope):
    """Returns the trainable variables of a scope.

    Args:
      scope: str, the name of a variable scope.
    """
    return ops.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES, scope=scope)
