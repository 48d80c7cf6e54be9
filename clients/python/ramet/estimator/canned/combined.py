"""DNNLinearCombinedClassifier, -Regressor and -Estimator."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.estimator.canned import heads_of, model_fns
from ramet.estimator.estimator import Estimator
from ramet.estimator.heads.base import SUM


class _Combined(Estimator):
    """The base class of models with a linear and a deep part."""

    def __init__(self, head, linear, dnn, input_layer_partitioner, model_dir, config, warm_start_from):
        linear_columns, linear_optimizer, sparse_combiner = linear
        dnn_columns, dnn_optimizer, hidden_units, activation_fn, dropout, batch_norm = dnn
        linear_columns, dnn_columns = list(linear_columns or []), list(dnn_columns or [])
        if not linear_columns and not dnn_columns:
            raise ValueError('Either linear_feature_columns or dnn_feature_columns must be defined.')
        linear_options = {'feature_columns': linear_columns, 'optimizer': linear_optimizer,
                          'sparse_combiner': sparse_combiner}
        dnn_options = {'feature_columns': dnn_columns, 'optimizer': dnn_optimizer, 'hidden_units': hidden_units,
                       'activation_fn': activation_fn, 'dropout': dropout, 'batch_norm': batch_norm}

        def model_fn(features, labels, mode, config):
            return model_fns.combined(features, labels, mode, head, linear_options, dnn_options,
                                      input_layer_partitioner, config)

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


@export('estimator.DNNLinearCombinedClassifier')
class DNNLinearCombinedClassifier(_Combined):
    """A classifier whose logits are the sum of those of a linear and a deep model."""

    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer='Ftrl', dnn_feature_columns=None,
                 dnn_optimizer='Adagrad', dnn_hidden_units=None, dnn_activation_fn=gen.Relu,
                 dnn_dropout=None, n_classes=2, weight_column=None, label_vocabulary=None,
                 input_layer_partitioner=None, config=None, warm_start_from=None, loss_reduction=SUM,
                 batch_norm=False, linear_sparse_combiner='sum'):
        """Creates the estimator.

        Args:
          model_dir: str, the folder of checkpoints and event files.
          linear_feature_columns: an iterable of the columns of the linear part, or None.
          linear_optimizer: an Optimizer, a function that returns one, or a name, for the linear part.
          dnn_feature_columns: an iterable of the dense columns of the deep part, or None.
          dnn_optimizer: an Optimizer, a function that returns one, or a name, for the deep part.
          dnn_hidden_units: a list of the sizes of the hidden layers.
          dnn_activation_fn: the activation of the hidden layers, or None.
          dnn_dropout: the fraction of values that training drops, or None.
          n_classes: int, the number of classes.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          label_vocabulary: a list of the names of the classes, if labels are names, or None.
          input_layer_partitioner: the partitioner of the columns' tables, or None.
          config: a RunConfig, or None.
          warm_start_from: as for Estimator.
          loss_reduction: a tf.losses.Reduction.
          batch_norm: whether to normalize each hidden layer.
          linear_sparse_combiner: 'mean', 'sqrtn' or 'sum', how the weights of an example's categories are combined.

        Raises:
          ValueError: if there are no columns.
        """
        super().__init__(
            heads_of.for_classes(n_classes, weight_column, label_vocabulary, loss_reduction),
            (linear_feature_columns, linear_optimizer, linear_sparse_combiner),
            (dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm),
            input_layer_partitioner, model_dir, config, warm_start_from)


@export('estimator.DNNLinearCombinedRegressor')
class DNNLinearCombinedRegressor(_Combined):
    """A model of numbers that is the sum of a linear and a deep model."""

    @with_args_of(DNNLinearCombinedClassifier.__init__)
    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer='Ftrl', dnn_feature_columns=None,
                 dnn_optimizer='Adagrad', dnn_hidden_units=None, dnn_activation_fn=gen.Relu,
                 dnn_dropout=None, label_dimension=1, weight_column=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, loss_reduction=SUM, batch_norm=False, linear_sparse_combiner='sum'):
        """Creates the estimator.

        Args:
          label_dimension: int, the numbers per example.

        Raises:
          ValueError: if there are no columns.
        """
        super().__init__(
            heads_of.for_numbers(label_dimension, weight_column, loss_reduction),
            (linear_feature_columns, linear_optimizer, linear_sparse_combiner),
            (dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm),
            input_layer_partitioner, model_dir, config, warm_start_from)


@export('estimator.DNNLinearCombinedEstimator', 'contrib.estimator.DNNLinearCombinedEstimator')
class DNNLinearCombinedEstimator(_Combined):
    """The sum of a linear and a deep model, with a given head."""

    @with_args_of(DNNLinearCombinedClassifier.__init__)
    def __init__(self, head, model_dir=None, linear_feature_columns=None, linear_optimizer='Ftrl',
                 dnn_feature_columns=None, dnn_optimizer='Adagrad', dnn_hidden_units=None,
                 dnn_activation_fn=gen.Relu, dnn_dropout=None, input_layer_partitioner=None, config=None,
                 batch_norm=False, linear_sparse_combiner='sum'):
        """Creates the estimator.

        Args:
          head: a Head.

        Raises:
          ValueError: if there are no columns.
        """
        super().__init__(
            head, (linear_feature_columns, linear_optimizer, linear_sparse_combiner),
            (dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm),
            input_layer_partitioner, model_dir, config, None)
