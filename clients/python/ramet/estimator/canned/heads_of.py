"""The heads of ready classifiers and regressors."""

from ramet.estimator.heads.classification import BinaryClassHead, MultiClassHead
from ramet.estimator.heads.regression import RegressionHead


def for_classes(n_classes, weight_column, label_vocabulary, loss_reduction):
    """Returns the head of a classifier.

    Args:
      n_classes: int, the number of classes.
      weight_column: the name of a feature with weights of examples, a numeric column, or None.
      label_vocabulary: a list of the names of the classes, or None.
      loss_reduction: a tf.losses.Reduction.
    """
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


def for_numbers(label_dimension, weight_column, loss_reduction):
    """Returns the head of a regressor.

    Args:
      label_dimension: int, the numbers per example.
      weight_column: the name of a feature with weights of examples, a numeric column, or None.
      loss_reduction: a tf.losses.Reduction.
    """
    return RegressionHead(label_dimension, weight_column, loss_reduction)
