"""The model functions of ready models: deep, linear, both, and constant."""

import math

from ramet.estimator.canned import logits as logits_lib
from ramet.estimator.canned.optimizers import optimizer_for
from ramet.framework import ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.variables import state_ops, variable_scope
from ramet.train import training_util
from ramet.train.ftrl import FtrlOptimizer

_DNN_RATE = 0.05
_LINEAR_RATE = 0.2
_COMBINED_LINEAR_RATE = 0.005
_BASELINE_RATE = 0.3


def _linear_rate(most, feature_columns):
    return min(most, 1.0 / math.sqrt(len(feature_columns)))


def dnn(features, labels, mode, head, hidden_units, feature_columns, optimizer, activation_fn, dropout,
        input_layer_partitioner, batch_norm, config):
    """Returns the EstimatorSpec of a deep model.

    Args:
      features: a dict of features.
      labels: the labels.
      mode: one of ModeKeys.
      head: a Head.
      hidden_units: a list of the sizes of the hidden layers.
      feature_columns: a list of dense columns.
      optimizer: an Optimizer, a function that returns one, or a name.
      activation_fn: the activation of the hidden layers.
      dropout: the fraction of values that training drops, or None.
      input_layer_partitioner: the partitioner of the columns' tables, or None.
      batch_norm: whether to normalize each hidden layer.
      config: a RunConfig, or None.
    """
    logits_lib.check_features(features)
    optimizer = optimizer_for(optimizer, _DNN_RATE)
    with variable_scope.variable_scope('dnn', values=tuple(features.values()),
                                       partitioner=logits_lib.partitioner_of(config)):
        logit_fn = logits_lib.dnn_logit_fn_builder(
            head.logits_dimension, hidden_units, feature_columns, activation_fn, dropout,
            input_layer_partitioner or logits_lib.input_partitioner_of(config), batch_norm)
        logits = logit_fn(features=features, mode=mode)
        return head.create_estimator_spec(features=features, mode=mode, labels=labels, optimizer=optimizer,
                                          logits=logits)


def linear(features, labels, mode, head, feature_columns, optimizer, partitioner, config, sparse_combiner):
    """Returns the EstimatorSpec of a linear model.

    Args:
      features: a dict of features.
      labels: the labels.
      mode: one of ModeKeys.
      head: a Head.
      feature_columns: a list of columns.
      optimizer: an Optimizer, a function that returns one, a name, or None for Ftrl.
      partitioner: the partitioner of the variables, or None.
      config: a RunConfig, or None.
      sparse_combiner: 'mean', 'sqrtn' or 'sum'.
    """
    logits_lib.check_features(features)
    if optimizer is None:
        optimizer = FtrlOptimizer(learning_rate=_linear_rate(_LINEAR_RATE, feature_columns))
    optimizer = optimizer_for(optimizer, _LINEAR_RATE)
    with variable_scope.variable_scope('linear', values=tuple(features.values()),
                                       partitioner=partitioner or logits_lib.input_partitioner_of(config)):
        logit_fn = logits_lib.linear_logit_fn_builder(head.logits_dimension, feature_columns, sparse_combiner)
        return head.create_estimator_spec(features=features, mode=mode, labels=labels, optimizer=optimizer,
                                          logits=logit_fn(features=features))


def combined(features, labels, mode, head, linear_options, dnn_options, input_layer_partitioner, config):
    """Returns the EstimatorSpec of the sum of a linear and a deep model.

    Args:
      features: a dict of features.
      labels: the labels.
      mode: one of ModeKeys.
      head: a Head.
      linear_options: a dict with feature_columns, optimizer and sparse_combiner. Without columns there is no such part.
      dnn_options: a dict with feature_columns, hidden_units, optimizer, activation_fn, dropout and batch_norm.
      input_layer_partitioner: the partitioner of the columns' tables, or None.
      config: a RunConfig, or None.
    """
    logits_lib.check_features(features)
    partitioner = input_layer_partitioner or logits_lib.input_partitioner_of(config)
    parts = []
    if dnn_options['feature_columns']:
        parts.append(_dnn_part(features, mode, head, dnn_options, partitioner, config))
    if linear_options['feature_columns']:
        parts.append(_linear_part(features, head, linear_options, partitioner))
    logits = parts[0][0] + parts[1][0] if len(parts) == 2 else parts[0][0]

    def train_op_fn(loss):
        steps = [optimizer.minimize(loss, var_list=logits_lib.scope_variables(scope)) for _, optimizer, scope in parts]
        with ops.control_dependencies([control_flow_ops.group(*steps)]):
            return state_ops.assign_add(training_util.get_global_step(), 1).op

    return head.create_estimator_spec(features=features, mode=mode, labels=labels, train_op_fn=train_op_fn,
                                      logits=logits)


def _dnn_part(features, mode, head, options, partitioner, config):
    """Returns (logits, optimizer, name of the scope)."""
    optimizer = optimizer_for(options['optimizer'], _DNN_RATE)
    if not options['hidden_units']:
        raise ValueError('dnn_hidden_units must be defined when dnn_feature_columns is specified.')
    with variable_scope.variable_scope('dnn', values=tuple(features.values()),
                                       partitioner=logits_lib.partitioner_of(config)) as scope:
        logit_fn = logits_lib.dnn_logit_fn_builder(
            head.logits_dimension, options['hidden_units'], options['feature_columns'], options['activation_fn'],
            options['dropout'], partitioner, options['batch_norm'])
        return logit_fn(features=features, mode=mode), optimizer, scope.name


def _linear_part(features, head, options, partitioner):
    """Returns (logits, optimizer, name of the scope)."""
    rate = _linear_rate(_COMBINED_LINEAR_RATE, options['feature_columns'])
    optimizer = optimizer_for(options['optimizer'], rate)
    with variable_scope.variable_scope('linear', values=tuple(features.values()), partitioner=partitioner) as scope:
        logit_fn = logits_lib.linear_logit_fn_builder(
            head.logits_dimension, options['feature_columns'], options['sparse_combiner'])
        logits = logit_fn(features=features)
        logits_lib.summarize_layer(logits, scope.name)
        return logits, optimizer, scope.name


def baseline(features, labels, mode, head, optimizer):
    """Returns the EstimatorSpec of a constant model.

    Args:
      features: a dict of features.
      labels: the labels.
      mode: one of ModeKeys.
      head: a Head.
      optimizer: an Optimizer, a function that returns one, or a name.
    """
    logits_lib.check_features(features)
    optimizer = optimizer_for(optimizer, _BASELINE_RATE)
    logits = logits_lib.baseline_logits(features, head.logits_dimension)
    return head.create_estimator_spec(features=features, mode=mode, labels=labels, optimizer=optimizer, logits=logits)
