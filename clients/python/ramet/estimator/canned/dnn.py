"""DNNClassifier, DNNRegressor and DNNEstimator."""

from ramet import gen
from ramet.api import export
from ramet.estimator.canned import heads_of, model_fns
from ramet.estimator.estimator import Estimator
from ramet.estimator.heads.base import SUM


def _model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, partitioner, batch_norm):
    columns = tuple(feature_columns or [])

    def model_fn(features, labels, mode, config):
        return model_fns.dnn(features, labels, mode, head, hidden_units, columns, optimizer, activation_fn, dropout,
                             partitioner, batch_norm, config)

    return model_fn


@export('estimator.DNNEstimator', 'contrib.estimator.DNNEstimator')
class DNNEstimator(Estimator):
    """A deep model with a given head."""

    def __init__(self, head, hidden_units, feature_columns, model_dir=None, optimizer='Adagrad',
                 activation_fn=gen.Relu, dropout=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, batch_norm=False):
        """Creates the estimator.

        Args:
          head: a Head.
          hidden_units: a list of the sizes of the hidden layers.
          feature_columns: an iterable of dense columns.
          model_dir: str, the folder of checkpoints and event files.
          optimizer: an Optimizer, a function that returns one, or a name.
          activation_fn: the activation of the hidden layers, or None.
          dropout: the fraction of values that training drops, or None.
          input_layer_partitioner: the partitioner of the columns' tables, or None.
          config: a RunConfig, or None.
          warm_start_from: as for Estimator.
          batch_norm: whether to normalize each hidden layer.
        """
        super().__init__(_model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout,
                                   input_layer_partitioner, batch_norm), model_dir, config,
                         warm_start_from=warm_start_from)


@export('estimator.DNNClassifier')
class DNNClassifier(Estimator):
    """A deep classifier."""

    def __init__(self, hidden_units, feature_columns, model_dir=None, n_classes=2, weight_column=None,
                 label_vocabulary=None, optimizer='Adagrad', activation_fn=gen.Relu, dropout=None,
                 input_layer_partitioner=None, config=None, warm_start_from=None, loss_reduction=SUM,
                 batch_norm=False):
        """Creates the estimator.

        Args:
          hidden_units: a list of the sizes of the hidden layers.
          feature_columns: an iterable of dense columns.
          model_dir: str, the folder of checkpoints and event files.
          n_classes: int, the number of classes.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          label_vocabulary: a list of the names of the classes, if labels are names, or None.
          optimizer: an Optimizer, a function that returns one, or a name.
          activation_fn: the activation of the hidden layers, or None.
          dropout: the fraction of values that training drops, or None.
          input_layer_partitioner: the partitioner of the columns' tables, or None.
          config: a RunConfig, or None.
          warm_start_from: as for Estimator.
          loss_reduction: a tf.losses.Reduction.
          batch_norm: whether to normalize each hidden layer.
        """
        head = heads_of.for_classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout,
                                   input_layer_partitioner, batch_norm), model_dir, config,
                         warm_start_from=warm_start_from)


@export('estimator.DNNRegressor')
class DNNRegressor(Estimator):
    """A deep model of numbers."""

    def __init__(self, hidden_units, feature_columns, model_dir=None, label_dimension=1, weight_column=None,
                 optimizer='Adagrad', activation_fn=gen.Relu, dropout=None, input_layer_partitioner=None,
                 config=None, warm_start_from=None, loss_reduction=SUM, batch_norm=False):
        """Creates the estimator.

        Args:
          hidden_units: a list of the sizes of the hidden layers.
          feature_columns: an iterable of dense columns.
          model_dir: str, the folder of checkpoints and event files.
          label_dimension: int, the numbers per example.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          optimizer: an Optimizer, a function that returns one, or a name.
          activation_fn: the activation of the hidden layers, or None.
          dropout: the fraction of values that training drops, or None.
          input_layer_partitioner: the partitioner of the columns' tables, or None.
          config: a RunConfig, or None.
          warm_start_from: as for Estimator.
          loss_reduction: a tf.losses.Reduction.
          batch_norm: whether to normalize each hidden layer.
        """
        head = heads_of.for_numbers(label_dimension, weight_column, loss_reduction)
        super().__init__(_model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout,
                                   input_layer_partitioner, batch_norm), model_dir, config,
                         warm_start_from=warm_start_from)
