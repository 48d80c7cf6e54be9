"""Heads for numbers."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.estimator.export.export_output import RegressionOutput
from ramet.estimator.heads import base
from ramet.estimator.heads.base import SUM_OVER_BATCH_SIZE, Head, MetricKeys, PredictionKeys
from ramet.estimator.heads.classification import custom_losses
from ramet.framework import dtypes, ops
from ramet.ops.losses import losses
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_loss


@export('estimator.RegressionHead')
class RegressionHead(Head):
    """A head for numbers, with the mean squared error."""

    def __init__(self, label_dimension=1, weight_column=None, loss_reduction=SUM_OVER_BATCH_SIZE, loss_fn=None,
                 inverse_link_fn=None, name=None):
        """Creates the head.

        Args:
          label_dimension: int, the numbers per example.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          loss_reduction: a tf.losses.Reduction.
          loss_fn: a function of (labels, logits) that returns the losses of examples, or None for the squared error.
          inverse_link_fn: a function from logits to predictions, or None.
          name: str, or None.

        Raises:
          ValueError: if label_dimension is less than 1.
        """
        if label_dimension is None or label_dimension < 1:
            raise ValueError(f'Invalid label_dimension {label_dimension}.')
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._label_dimension = label_dimension
        self._inverse_link_fn = inverse_link_fn

    logits_dimension = property(lambda self: self._label_dimension)

    def predictions(self, logits):
        keys = PredictionKeys
        with ops.name_scope('predictions', values=(logits,)):
            if self._inverse_link_fn is None:
                return {keys.PREDICTIONS: logits}
            return {keys.PREDICTIONS: self._inverse_link_fn(logits), keys.LOGITS: logits}

    def _losses(self, labels, logits, features):
        labels = math_ops.cast(base.dense_labels(labels, self._label_dimension, logits), dtypes.float32)
        if self._loss_fn:
            return custom_losses(self._loss_fn, labels, logits, features), labels
        return losses.mean_squared_error(labels=labels, predictions=logits, reduction=base.NONE), labels

    def _metrics(self, labels, predictions, losses, weights):
        keys = MetricKeys
        return {keys.PREDICTION_MEAN: base.mean_metric(predictions[PredictionKeys.PREDICTIONS], weights,
                                                       keys.PREDICTION_MEAN),
                keys.LABEL_MEAN: base.mean_metric(labels, weights, keys.LABEL_MEAN)}

    def _export_outputs(self, predictions):
        return {'regression': RegressionOutput(value=predictions[PredictionKeys.PREDICTIONS])}


@export('estimator.PoissonRegressionHead')
class PoissonRegressionHead(RegressionHead):
    """A head for counts, whose logarithms are the logits."""

    def __init__(self, label_dimension=1, weight_column=None, loss_reduction=SUM_OVER_BATCH_SIZE,
                 compute_full_loss=True, name=None):
        """Creates the head.

        Args:
          label_dimension: int, the numbers per example.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          loss_reduction: a tf.losses.Reduction.
          compute_full_loss: whether the loss has the term that does not depend on the logits.
          name: str, or None.
        """

        def loss_fn(labels, logits):
            made = nn_loss.log_poisson_loss(targets=labels, log_input=logits, compute_full_loss=compute_full_loss)
            return math_ops.reduce_mean(made, axis=-1, keepdims=True)

        super().__init__(label_dimension, weight_column, loss_reduction, loss_fn, math_ops.exp, name)


@export('estimator.LogisticRegressionHead')
class LogisticRegressionHead(RegressionHead):
    """A head for numbers in [0, 1], with the cross entropy."""

    def __init__(self, weight_column=None, loss_reduction=SUM_OVER_BATCH_SIZE, name=None):
        """Creates the head.

        Args:
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          loss_reduction: a tf.losses.Reduction.
          name: str, or None.
        """

        def loss_fn(labels, logits):
            return nn_loss.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

        super().__init__(1, weight_column, loss_reduction, loss_fn, math_ops.sigmoid, name)


@export('contrib.estimator.regression_head')
@with_args_of(RegressionHead)
def regression_head(weight_column=None, label_dimension=1, loss_reduction=SUM_OVER_BATCH_SIZE, loss_fn=None,
                    inverse_link_fn=None, name=None):
    """Returns a RegressionHead."""
    return RegressionHead(label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name)


@export('contrib.estimator.poisson_regression_head')
@with_args_of(PoissonRegressionHead)
def poisson_regression_head(weight_column=None, label_dimension=1, loss_reduction=SUM_OVER_BATCH_SIZE,
                            compute_full_loss=True, name=None):
    """Returns a PoissonRegressionHead."""
    return PoissonRegressionHead(label_dimension, weight_column, loss_reduction, compute_full_loss, name)


@export('contrib.estimator.logistic_regression_head')
@with_args_of(LogisticRegressionHead)
def logistic_regression_head(weight_column=None, loss_reduction=SUM_OVER_BATCH_SIZE, name=None):
    """Returns a LogisticRegressionHead."""
    return LogisticRegressionHead(weight_column, loss_reduction, name)
