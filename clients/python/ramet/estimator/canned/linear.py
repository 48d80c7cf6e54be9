"""LinearClassifier, LinearRegressor and LinearEstimator."""

from ramet.api import export
from ramet.estimator.canned import heads_of, model_fns
from ramet.estimator.estimator import Estimator
from ramet.estimator.heads.base import SUM


def _model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner):
    columns = tuple(feature_columns or [])

    def model_fn(features, labels, mode, config):
        return model_fns.linear(features, labels, mode, head, columns, optimizer, partitioner, config, sparse_combiner)

    return model_fn


@export('estimator.LinearEstimator', 'contrib.estimator.LinearEstimator')
class LinearEstimator(Estimator):
    """A linear model with a given head."""

    def __init__(self, head, feature_columns, model_dir=None, optimizer='Ftrl', config=None, partitioner=None,
                 sparse_combiner='sum', warm_start_from=None):
        """Creates the estimator.

        Args:
          head: a Head.
          feature_columns: an iterable of columns.
          model_dir: str, the folder of checkpoints and event files.
          optimizer: an Optimizer, a function that returns one, or a name.
          config: a RunConfig, or None.
          partitioner: the partitioner of the variables, or None.
          sparse_combiner: 'mean', 'sqrtn' or 'sum', how the weights of an example's categories are combined.
          warm_start_from: as for Estimator.
        """
        super().__init__(_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner), model_dir, config,
                         warm_start_from=warm_start_from)


@export('estimator.LinearClassifier')
class LinearClassifier(Estimator):
    """A linear classifier."""

    def __init__(self, feature_columns, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None,
                 optimizer='Ftrl', config=None, partitioner=None, warm_start_from=None, loss_reduction=SUM,
                 sparse_combiner='sum'):
        """Creates the estimator.

        Args:
          feature_columns: an iterable of columns.
          model_dir: str, the folder of checkpoints and event files.
          n_classes: int, the number of classes.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          label_vocabulary: a list of the names of the classes, if labels are names, or None.
          optimizer: an Optimizer, a function that returns one, or a name.
          config: a RunConfig, or None.
          partitioner: the partitioner of the variables, or None.
          warm_start_from: as for Estimator.
          loss_reduction: a tf.losses.Reduction.
          sparse_combiner: 'mean', 'sqrtn' or 'sum', how the weights of an example's categories are combined.
        """
        head = heads_of.for_classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner), model_dir, config,
                         warm_start_from=warm_start_from)


@export('estimator.LinearRegressor')
class LinearRegressor(Estimator):
    """A linear model of numbers."""

    def __init__(self, feature_columns, model_dir=None, label_dimension=1, weight_column=None, optimizer='Ftrl',
                 config=None, partitioner=None, warm_start_from=None, loss_reduction=SUM, sparse_combiner='sum'):
        """Creates the estimator.

        Args:
          feature_columns: an iterable of columns.
          model_dir: str, the folder of checkpoints and event files.
          label_dimension: int, the numbers per example.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          optimizer: an Optimizer, a function that returns one, or a name.
          config: a RunConfig, or None.
          partitioner: the partitioner of the variables, or None.
          warm_start_from: as for Estimator.
          loss_reduction: a tf.losses.Reduction.
          sparse_combiner: 'mean', 'sqrtn' or 'sum', how the weights of an example's categories are combined.
        """
        head = heads_of.for_numbers(label_dimension, weight_column, loss_reduction)
        super().__init__(_model_fn(head, feature_columns, optimizer, partitioner, sparse_combiner), model_dir, config,
                         warm_start_from=warm_start_from)
