"""BaselineClassifier, BaselineRegressor and BaselineEstimator, which ignore the features."""

from ramet.api import export
from ramet.estimator.canned import heads_of, model_fns
from ramet.estimator.estimator import Estimator
from ramet.estimator.heads.base import SUM


def _model_fn(head, optimizer):
    def model_fn(features, labels, mode):
        return model_fns.baseline(features, labels, mode, head, optimizer)

    return model_fn


@export('estimator.BaselineEstimator', 'contrib.estimator.BaselineEstimator')
class BaselineEstimator(Estimator):
    """A constant model with a given head."""

    def __init__(self, head, model_dir=None, optimizer='Ftrl', config=None):
        """Creates the estimator.

        Args:
          head: a Head.
          model_dir: str, the folder of checkpoints and event files.
          optimizer: an Optimizer, a function that returns one, or a name.
          config: a RunConfig, or None.
        """
        super().__init__(_model_fn(head, optimizer), model_dir, config)


@export('estimator.BaselineClassifier')
class BaselineClassifier(Estimator):
    """A classifier that learns how frequent the classes are."""

    def __init__(self, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None, optimizer='Ftrl',
                 config=None, loss_reduction=SUM):
        """Creates the estimator.

        Args:
          model_dir: str, the folder of checkpoints and event files.
          n_classes: int, the number of classes.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          label_vocabulary: a list of the names of the classes, if labels are names, or None.
          optimizer: an Optimizer, a function that returns one, or a name.
          config: a RunConfig, or None.
          loss_reduction: a tf.losses.Reduction.
        """
        head = heads_of.for_classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_model_fn(head, optimizer), model_dir, config)


@export('estimator.BaselineRegressor')
class BaselineRegressor(Estimator):
    """A model that learns the mean of the labels."""

    def __init__(self, model_dir=None, label_dimension=1, weight_column=None, optimizer='Ftrl', config=None,
                 loss_reduction=SUM):
        """Creates the estimator.

        Args:
          model_dir: str, the folder of checkpoints and event files.
          label_dimension: int, the numbers per example.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          optimizer: an Optimizer, a function that returns one, or a name.
          config: a RunConfig, or None.
          loss_reduction: a tf.losses.Reduction.
        """
        head = heads_of.for_numbers(label_dimension, weight_column, loss_reduction)
        super().__init__(_model_fn(head, optimizer), model_dir, config)
