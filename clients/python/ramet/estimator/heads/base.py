"""Head, the base class, and what heads share: names of results, weights, labels and summaries."""

from ramet import gen
from ramet.api import export
from ramet.estimator.export.export_output import PredictOutput, SERVING_DEFAULT
from ramet.estimator.mode_keys import ModeKeys
from ramet.estimator.spec import EstimatorSpec
from ramet.feature_column.columns import LazyBuilder
from ramet.feature_column.numeric import NumericColumn, numeric_column
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.losses import losses_weighted
from ramet.ops.math import math_ops
from ramet.ops.metrics import metrics
from ramet.ops.sparse import sparse_ops
from ramet.summary import summary
from ramet.train import training_util

SUM = losses_weighted.Reduction.SUM
SUM_OVER_BATCH_SIZE = losses_weighted.Reduction.SUM_OVER_BATCH_SIZE
NONE = losses_weighted.Reduction.NONE


class MetricKeys:
    """The names of metrics."""

    LOSS = 'loss'
    LOSS_MEAN = 'average_loss'
    LOSS_REGULARIZATION = 'regularization_loss'
    ACCURACY = 'accuracy'
    PRECISION = 'precision'
    RECALL = 'recall'
    ACCURACY_BASELINE = 'accuracy_baseline'
    AUC = 'auc'
    AUC_PR = 'auc_precision_recall'
    LABEL_MEAN = 'label/mean'
    PREDICTION_MEAN = 'prediction/mean'
    ACCURACY_AT_THRESHOLD = 'accuracy/positive_threshold_%g'
    PRECISION_AT_THRESHOLD = 'precision/positive_threshold_%g'
    RECALL_AT_THRESHOLD = 'recall/positive_threshold_%g'
    PROBABILITY_MEAN_AT_CLASS = 'probability_mean/class%d'
    AUC_AT_CLASS = 'auc/class%d'
    AUC_PR_AT_CLASS = 'auc_precision_recall/class%d'


class PredictionKeys:
    """The names of predictions."""

    CLASSES = 'classes'
    CLASS_IDS = 'class_ids'
    ALL_CLASSES = 'all_classes'
    ALL_CLASS_IDS = 'all_class_ids'
    LOGISTIC = 'logistic'
    LOGITS = 'logits'
    PREDICTIONS = 'predictions'
    PROBABILITIES = 'probabilities'


def check_reduction(loss_reduction):
    """Raises a ValueError unless a loss can be reduced to a scalar in a given way.

    Args:
      loss_reduction: a tf.losses.Reduction.
    """
    if loss_reduction == NONE or loss_reduction not in losses_weighted.Reduction.all():
        raise ValueError(f'Invalid loss_reduction: {loss_reduction}. See `losses.Reduction` for valid options.')


def checked_logits(logits, size):
    """Returns logits, after a check of their last dimension.

    Args:
      logits: a Tensor.
      size: int, the expected size.

    Raises:
      ValueError: if the size is known and differs, or logits are missing.
    """
    if logits is None:
        raise ValueError('logits must be a Tensor')
    with ops.name_scope(None, 'logits', (logits,)) as scope:
        logits = math_ops.cast(logits, dtypes.float32)
        shape = logits.get_shape()
        if shape.ndims is not None and shape[-1].value not in (None, size):
            raise ValueError(f'logits shape must be [D0, D1, ... DN, logits_dimension], got {shape}.')
        check = check_ops.assert_equal(
            size, array_ops.shape(logits)[-1], message='logits shape must be [D0, D1, ... DN, logits_dimension]')
        with ops.control_dependencies([check]):
            return array_ops.identity(logits, name=scope)


def dense_labels(labels, size, logits=None):
    """Returns labels as a Tensor whose last dimension has a given size.

    Args:
      labels: a Tensor or SparseTensor with one label, or `size` labels, for each example.
      size: int.
      logits: the logits, whose first dimensions labels must have, or None.

    Raises:
      ValueError: if labels are missing or have a different shape.
    """
    if labels is None:
        raise ValueError('You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that '
                         'your data contains your label feature. Check that your input_fn properly parses and returns '
                         'labels.')
    with ops.name_scope(None, 'labels', (labels,)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            labels = sparse_ops.sparse_tensor_to_dense(
                labels, default_value='' if labels.dtype == dtypes.string else -1)
        rank = labels.get_shape().ndims
        if size == 1 and rank is not None and (
                rank == 1 or logits is not None and logits.get_shape().ndims == rank + 1):
            labels = array_ops.expand_dims(labels, -1)
        _check_label_shape(labels, size, logits)
        return array_ops.identity(labels, name=scope)


def _check_label_shape(labels, size, logits):
    shape = labels.get_shape()
    if shape.ndims is None:
        return
    if shape[-1].value not in (None, size):
        raise ValueError('Mismatched label shape. Expected labels dimension={}.  Received {}. Suggested Fix:If your '
                         'classifier expects one-hot encoding label,check your n_classes argument to the estimator '
                         'and/or the shape of your label. Otherwise, check the shape of your label.'.format(
                             size, shape[-1].value))
    if logits is not None and logits.get_shape().ndims is not None and (
            not shape[:-1].is_compatible_with(logits.get_shape()[:-1])):
        raise ValueError(f'Labels and logits must have the same first dimensions: {shape} and {logits.get_shape()}')


def checked_weight_column(weight_column):
    """Returns a weight column as a numeric column, or None.

    Args:
      weight_column: the name of a feature, a numeric column, or None.

    Raises:
      TypeError: if it has a different type.
    """
    if weight_column is None or isinstance(weight_column, NumericColumn):
        return weight_column
    if not isinstance(weight_column, str):
        raise TypeError(f'Weight column must be either a string or _NumericColumn. Given type: {type(weight_column)}.')
    return numeric_column(weight_column, shape=(1,))


def weights_of(features, weight_column, logits):
    """Returns the weights of examples, 1.0 without a weight column.

    Args:
      features: a dict of features.
      weight_column: a numeric column, or None.
      logits: the logits.

    Raises:
      ValueError: if the weights have a different shape than [..., 1] with the first dimensions of the logits.
    """
    if weight_column is None:
        return 1.
    with ops.name_scope(None, 'weights', list(features.values())):
        weights = weight_column.dense_tensor(LazyBuilder(features))
        weights = math_ops.cast(weights, dtypes.float32, name='weights')
        expected = logits.get_shape()[:-1].concatenate([None])
        if not weights.get_shape().is_compatible_with(expected):
            raise ValueError(f'weights shape {weights.get_shape()} does not match the logits shape '
                             f'{logits.get_shape()}')
        return weights


def mean_metric(values, weights, name):
    """Returns the metric of a weighted mean.

    Args:
      values: a Tensor.
      weights: a Tensor of weights.
      name: str.
    """
    if isinstance(weights, ops.Tensor):
        values = math_ops.cast(values, dtypes.float32)
        weights = math_ops.multiply(array_ops.ones_like(values), weights)
    return metrics.mean(values, weights=weights, name=name)


def class_names(logits, count, vocabulary=None):
    """Returns the names of all classes for each example, a Tensor of strings of shape [batch, count].

    Args:
      logits: the logits.
      count: int, the number of classes.
      vocabulary: a list of names, or None for the numbers.
    """
    names = array_ops.expand_dims(
        gen.AsString(math_ops.range(count)) if vocabulary is None else ops.convert_to_tensor(vocabulary), 0)
    return array_ops.tile(names, [array_ops.shape(logits)[0], 1])


@export('estimator.Head')
class Head:
    """The base class of heads.

    Attributes:
      name: the name of the head, which ends the names of its metrics, or None.
      logits_dimension: the size of the last dimension of logits.
      loss_reduction: how the losses of examples become one.
    """

    def __init__(self, weight_column=None, loss_reduction=SUM_OVER_BATCH_SIZE, loss_fn=None, name=None):
        """Creates the head.

        Args:
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          loss_reduction: a tf.losses.Reduction.
          loss_fn: a function of (labels, logits), and if it likes (features, loss_reduction), that returns the losses
            of examples, or None for the head's own.
          name: str, or None.
        """
        check_reduction(loss_reduction)
        self._weight_column = checked_weight_column(weight_column)
        self._loss_reduction = loss_reduction
        self._loss_fn = loss_fn
        self._name = name

    name = property(lambda self: self._name)
    loss_reduction = property(lambda self: self._loss_reduction)

    def _key(self, key):
        return f'{key}/{self._name}' if self._name else key

    # For subclasses.

    def _losses(self, labels, logits, features):
        """Returns (losses of examples with a last dimension of 1, processed labels)."""
        raise NotImplementedError

    def _metrics(self, labels, predictions, losses, weights):
        """Returns a dict from names of metrics to metrics, without the mean loss."""
        raise NotImplementedError

    def _export_outputs(self, predictions):
        """Returns a dict from names of signatures to ExportOutputs. The first one is the default."""
        raise NotImplementedError

    def predictions(self, logits):
        """Returns the predictions, a dict from names to Tensors.

        Args:
          logits: a Tensor.
        """
        raise NotImplementedError

    # For users.

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        """Returns the loss.

        Args:
          labels: the labels.
          logits: the logits.
          features: a dict of features, for weights.
          mode: ignored.
          regularization_losses: a list of Tensors to add, or None.
        """
        del mode
        return self._weighted(labels, logits, features, regularization_losses)[0]

    def _weighted(self, labels, logits, features, regularization_losses):
        """Returns (regularized loss, losses of examples, weights, processed labels, regularization or None)."""
        logits = checked_logits(logits, self.logits_dimension)
        losses, labels = self._losses(labels, logits, features)
        weights = weights_of(features, self._weight_column, logits)
        loss = losses_weighted.compute_weighted_loss(losses, weights=weights, reduction=self._loss_reduction)
        added = math_ops.add_n(regularization_losses) if regularization_losses else None
        return (loss if added is None else loss + added), losses, weights, labels, added, loss

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None, trainable_variables=None,
                              train_op_fn=None, update_ops=None, regularization_losses=None):
        """Returns the EstimatorSpec of a model.

        Args:
          features: a dict of features, for weights.
          mode: one of ModeKeys.
          logits: a Tensor.
          labels: the labels, in training and evaluation.
          optimizer: an Optimizer, in training.
          trainable_variables: a list of the variables that the optimizer changes, or None for all trainable ones.
          train_op_fn: a function from the loss to the operation of a step, in place of the optimizer.
          update_ops: a list of operations of each step, or None for those of the collection of updates.
          regularization_losses: a list of Tensors to add to the loss.

        Raises:
          ValueError: if both optimizer and train_op_fn are given in training, or none.
        """
        with ops.name_scope(self._name, 'head'):
            predictions = self.predictions(checked_logits(logits, self.logits_dimension))
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions=predictions, export_outputs=self._signatures(predictions))
            loss, losses, weights, labels, added, plain = self._weighted(labels, logits, features,
                                                                         regularization_losses)
            if mode == ModeKeys.EVAL:
                return EstimatorSpec(mode, predictions=predictions, loss=loss, eval_metric_ops=self._all_metrics(
                    labels, predictions, losses, weights, added))
            train_op = train_op_of(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        self._summarize(loss, losses, weights, added, plain)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _signatures(self, predictions):
        found = self._export_outputs(predictions)
        return {SERVING_DEFAULT: next(iter(found.values())), **found, 'predict': PredictOutput(predictions)}

    def _all_metrics(self, labels, predictions, losses, weights, added):
        with ops.name_scope(None, 'metrics', [labels, losses]):
            found = {MetricKeys.LOSS_MEAN: mean_metric(losses, weights, MetricKeys.LOSS_MEAN)}
            if added is not None:
                found[MetricKeys.LOSS_REGULARIZATION] = metrics.mean(added, name=MetricKeys.LOSS_REGULARIZATION)
            found.update(self._metrics(labels, predictions, losses, weights))
        return {self._key(name): metric for name, metric in found.items()}

    def _summarize(self, loss, losses, weights, added, plain):
        """Adds the summaries of training. The mean loss is one if the loss is a sum."""
        with ops.name_scope(''):
            summary.scalar(self._key(MetricKeys.LOSS), loss)
            if self._loss_reduction == SUM:
                total = math_ops.reduce_sum(weights * array_ops.ones_like(losses))
                summary.scalar(self._key(MetricKeys.LOSS_MEAN), plain / total)
            if added is not None:
                summary.scalar(self._key(MetricKeys.LOSS_REGULARIZATION), added)


def train_op_of(loss, optimizer, trainable_variables, train_op_fn, update_ops):
    """Returns the operation of a training step.

    Args:
      loss: a Tensor.
      optimizer: an Optimizer, or None.
      trainable_variables: a list of the variables that the optimizer changes, or None for all trainable ones.
      train_op_fn: a function from the loss to the operation, or None.
      update_ops: a list of operations of each step, or None for those of the collection of updates.

    Raises:
      ValueError: if both optimizer and train_op_fn are given, or none.
    """
    if optimizer is not None:
        if train_op_fn is not None:
            raise ValueError('train_op_fn and optimizer cannot both be set.')
        train_op = optimizer.minimize(loss, global_step=training_util.get_global_step(), var_list=trainable_variables)
    elif train_op_fn is not None:
        train_op = train_op_fn(loss)
    else:
        raise ValueError('train_op_fn and optimizer cannot both be None.')
    if update_ops is None:
        update_ops = ops.get_collection(ops.GraphKeys.UPDATE_OPS)
    return control_flow_ops.group(train_op, *update_ops) if update_ops else train_op
