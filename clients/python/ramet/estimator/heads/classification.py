"""Heads for classes: two, several, and any number at the same time."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.estimator import functions
from ramet.estimator.export.export_output import ClassificationOutput, RegressionOutput
from ramet.estimator.heads import base
from ramet.estimator.heads.base import SUM_OVER_BATCH_SIZE, Head, MetricKeys, PredictionKeys
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.lookup import lookup_ops
from ramet.ops.losses import losses
from ramet.ops.math import math_ops, math_reduce
from ramet.ops.metrics import metrics, metrics_counts, metrics_thresholds
from ramet.ops.nn import nn_activation, nn_loss
from ramet.ops.sparse import sparse_build


def _check_vocabulary(label_vocabulary, n_classes):
    if label_vocabulary is None:
        return
    if not isinstance(label_vocabulary, (list, tuple)):
        raise ValueError('label_vocabulary should be a list or a tuple. Given type: {}'.format(type(label_vocabulary)))
    if n_classes is not None and len(label_vocabulary) != n_classes:
        raise ValueError('"label_vocabulary" does not have "n_classes" items. required={}, given={}'.format(
            n_classes, len(label_vocabulary)))


def _check_thresholds(thresholds):
    for threshold in thresholds:
        if not 0 < threshold < 1:
            raise ValueError(f'thresholds must be in (0, 1) range. Given: {thresholds}')
    return tuple(thresholds)


def custom_losses(loss_fn, labels, logits, features):
    """Returns the losses of examples that a function of the user computes.

    Args:
      loss_fn: a function of labels and logits, and if it has them features and loss_reduction.
      labels: a Tensor.
      logits: a Tensor.
      features: a dict of features.

    Raises:
      ValueError: if the result has a different shape than [..., 1].
    """
    made = functions.call_with_known(loss_fn, labels=labels, logits=logits, features=features,
                                     loss_reduction=base.NONE)
    if made.get_shape().ndims == logits.get_shape().ndims - 1:
        made = array_ops.expand_dims(made, -1)
    if not made.get_shape().is_compatible_with(logits.get_shape()[:-1].concatenate([1])):
        raise ValueError(f'loss_fn must return Tensor of shape [D0, D1, ... DN, 1]. Given: {made.get_shape()}')
    return made


class _ClassHead(Head):
    """The base class of heads with one class per example."""

    def _label_ids(self, labels):
        if self._label_vocabulary is None:
            if not labels.dtype.is_integer and self.logits_dimension > 1:
                raise ValueError(f'Labels dtype should be integer. Instead got {labels.dtype}.')
            return labels
        if labels.dtype != dtypes.string:
            raise ValueError(f'Labels dtype should be string if there is a vocabulary. Instead got {labels.dtype}')
        return lookup_ops.index_table_from_tensor(
            vocabulary_list=tuple(self._label_vocabulary), name='class_id_lookup').lookup(labels)

    def _names_of(self, class_ids):
        if self._label_vocabulary is None:
            return gen.AsString(class_ids, name='str_classes')
        return lookup_ops.index_to_string_table_from_tensor(
            vocabulary_list=list(self._label_vocabulary), name='class_string_lookup').lookup(class_ids)

    def _class_predictions(self, logits, count, scores):
        """Returns the predictions of classes, from the scores of all classes."""
        keys = PredictionKeys
        class_ids = array_ops.expand_dims(math_reduce.argmax(scores, axis=-1, name=keys.CLASS_IDS), -1)
        ids = array_ops.expand_dims(math_ops.range(count), 0)
        return {keys.CLASS_IDS: class_ids, keys.CLASSES: self._names_of(class_ids),
                keys.ALL_CLASS_IDS: array_ops.tile(ids, [array_ops.shape(logits)[0], 1]),
                keys.ALL_CLASSES: base.class_names(logits, count, self._label_vocabulary)}

    def _classification(self, predictions):
        return ClassificationOutput(scores=predictions[PredictionKeys.PROBABILITIES],
                                    classes=predictions[PredictionKeys.ALL_CLASSES])


@export('estimator.MultiClassHead')
class MultiClassHead(_ClassHead):
    """A head for one of more than two classes, with a softmax."""

    def __init__(self, n_classes, weight_column=None, label_vocabulary=None, loss_reduction=SUM_OVER_BATCH_SIZE,
                 loss_fn=None, name=None):
        """Creates the head.

        Args:
          n_classes: int, the number of classes.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          label_vocabulary: a list of the names of the classes, if labels are names, or None.
          loss_reduction: a tf.losses.Reduction.
          loss_fn: a function of (labels, logits) that returns the losses of examples, or None for the cross entropy.
          name: str, or None.

        Raises:
          ValueError: if n_classes is not greater than 2, or label_vocabulary has a different length.
        """
        if n_classes is None:
            raise ValueError('n_classes cannot be None')
        if n_classes <= 2:
            raise ValueError(f'n_classes must be > 2: {n_classes}. For binary classification, use BinaryClassHead.')
        _check_vocabulary(label_vocabulary, n_classes)
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._n_classes = n_classes
        self._label_vocabulary = label_vocabulary

    logits_dimension = property(lambda self: self._n_classes)

    def predictions(self, logits):
        keys = PredictionKeys
        with ops.name_scope('predictions', values=(logits,)):
            return {keys.LOGITS: logits, keys.PROBABILITIES: nn_activation.softmax(logits, name=keys.PROBABILITIES),
                    **self._class_predictions(logits, self._n_classes, logits)}

    def _losses(self, labels, logits, features):
        labels = self._label_ids(base.dense_labels(labels, 1, logits))
        if self._loss_fn:
            return custom_losses(self._loss_fn, labels, logits, features), labels
        made = losses.sparse_softmax_cross_entropy(labels=labels, logits=logits, reduction=base.NONE)
        return array_ops.expand_dims(made, -1), labels

    def _metrics(self, labels, predictions, losses, weights):
        accuracy = metrics.accuracy(labels=labels, predictions=predictions[PredictionKeys.CLASS_IDS],
                                    weights=_or_none(weights), name=MetricKeys.ACCURACY)
        return {MetricKeys.ACCURACY: accuracy}

    def _export_outputs(self, predictions):
        return {'classification': self._classification(predictions)}


def _or_none(weights):
    return weights if isinstance(weights, ops.Tensor) else None


@export('estimator.BinaryClassHead')
class BinaryClassHead(_ClassHead):
    """A head for one of two classes, with a sigmoid of one logit."""

    def __init__(self, weight_column=None, thresholds=None, label_vocabulary=None, loss_reduction=SUM_OVER_BATCH_SIZE,
                 loss_fn=None, name=None):
        """Creates the head.

        Args:
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          thresholds: a list of floats in (0, 1), for further metrics, or None.
          label_vocabulary: a list of the names of the two classes, if labels are names, or None.
          loss_reduction: a tf.losses.Reduction.
          loss_fn: a function of (labels, logits) that returns the losses of examples, or None for the cross entropy.
          name: str, or None.

        Raises:
          ValueError: if a threshold is out of range, or label_vocabulary does not have two items.
        """
        _check_vocabulary(label_vocabulary, 2)
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._thresholds = _check_thresholds(thresholds or ())
        self._label_vocabulary = label_vocabulary

    logits_dimension = property(lambda self: 1)

    def predictions(self, logits):
        keys = PredictionKeys
        with ops.name_scope('predictions', values=(logits,)):
            logistic = math_ops.sigmoid(logits, name=keys.LOGISTIC)
            both = array_ops.concat((array_ops.zeros_like(logits), logits), axis=-1, name='two_class_logits')
            probabilities = nn_activation.softmax(both, name=keys.PROBABILITIES)
            return {keys.LOGITS: logits, keys.LOGISTIC: logistic, keys.PROBABILITIES: probabilities,
                    **self._class_predictions(logits, 2, both)}

    def _losses(self, labels, logits, features):
        labels = self._label_ids(base.dense_labels(labels, 1, logits))
        labels = math_ops.cast(labels, dtypes.float32)
        with ops.name_scope(None, 'assert_range', (labels,)):
            check = check_ops.assert_less_equal(
                labels, ops.convert_to_tensor(1., dtypes.float32), message='Labels must be <= 2 - 1')
            other = check_ops.assert_non_negative(labels, message='Labels must be >= 0')
            with ops.control_dependencies((check, other)):
                labels = array_ops.identity(labels)
        if self._loss_fn:
            return custom_losses(self._loss_fn, labels, logits, features), labels
        return nn_loss.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), labels

    def _metrics(self, labels, predictions, losses, weights):
        keys, weights = MetricKeys, _or_none(weights)
        logistic, class_ids = predictions[PredictionKeys.LOGISTIC], predictions[PredictionKeys.CLASS_IDS]
        label_mean = metrics.mean(labels, weights=weights, name=keys.LABEL_MEAN)
        compared = {'labels': labels, 'predictions': class_ids, 'weights': weights}
        scored = {'labels': labels, 'predictions': logistic, 'weights': weights}
        found = {
            keys.ACCURACY: metrics.accuracy(**compared, name=keys.ACCURACY),
            keys.PRECISION: metrics_counts.precision(**compared, name=keys.PRECISION),
            keys.RECALL: metrics_counts.recall(**compared, name=keys.RECALL),
            keys.PREDICTION_MEAN: metrics.mean(logistic, weights=weights, name=keys.PREDICTION_MEAN),
            keys.LABEL_MEAN: label_mean,
            keys.ACCURACY_BASELINE: _baseline(labels, weights),
            keys.AUC: metrics_thresholds.auc(**scored, name=keys.AUC),
            keys.AUC_PR: metrics_thresholds.auc(**scored, curve='PR', name=keys.AUC_PR,
                                                summation_method='careful_interpolation')}
        for threshold in self._thresholds:
            found.update(_at_threshold(threshold, **scored))
        return found

    def _export_outputs(self, predictions):
        return {'classification': self._classification(predictions),
                'regression': RegressionOutput(value=predictions[PredictionKeys.LOGISTIC])}


def _baseline(labels, weights):
    """Returns the accuracy of always predicting the more frequent class."""
    with ops.name_scope(None, MetricKeys.ACCURACY_BASELINE, (labels,)):
        value, update = metrics.mean(labels, weights=weights, name='labels_mean')
        return (math_ops.maximum(value, 1. - value, name='value'),
                math_ops.maximum(update, 1 - update, name='update_op'))


def _at_threshold(threshold, labels, predictions, weights):
    """Returns the metrics of two classes that a threshold separates."""
    keys = MetricKeys
    classes = math_ops.cast(math_ops.greater_equal(predictions, threshold), dtypes.float32)
    found = {keys.ACCURACY_AT_THRESHOLD % threshold: metrics.accuracy(
        labels=labels, predictions=classes, weights=weights, name=keys.ACCURACY_AT_THRESHOLD % threshold)}
    for name, function in ((keys.PRECISION_AT_THRESHOLD, metrics_thresholds.precision_at_thresholds),
                           (keys.RECALL_AT_THRESHOLD, metrics_thresholds.recall_at_thresholds)):
        value, update = function(labels=labels, predictions=predictions, thresholds=(threshold,), weights=weights,
                                 name=name % threshold)
        found[name % threshold] = (array_ops.squeeze(value), array_ops.squeeze(update))
    return found


@export('estimator.MultiLabelHead')
class MultiLabelHead(Head):
    """A head for any number of classes per example, with a sigmoid for each."""

    def __init__(self, n_classes, weight_column=None, thresholds=None, label_vocabulary=None,
                 loss_reduction=SUM_OVER_BATCH_SIZE, loss_fn=None, classes_for_class_based_metrics=None, name=None):
        """Creates the head.

        Args:
          n_classes: int, the number of classes.
          weight_column: the name of a feature with weights of examples, a numeric column, or None.
          thresholds: a list of floats in (0, 1), for further metrics, or None.
          label_vocabulary: a list of the names of the classes, if labels are names, or None.
          loss_reduction: a tf.losses.Reduction.
          loss_fn: a function of (labels, logits) that returns the losses of examples, or None for the cross entropy.
          classes_for_class_based_metrics: a list of classes with metrics of their own, or None.
          name: str, or None.

        Raises:
          ValueError: if an argument is invalid.
        """
        if n_classes is None or n_classes < 2:
            raise ValueError('n_classes must be > 1 for multi-label classification. Given: {}'.format(n_classes))
        _check_vocabulary(label_vocabulary, n_classes)
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._n_classes = n_classes
        self._thresholds = _check_thresholds(thresholds or ())
        self._label_vocabulary = label_vocabulary
        self._own_metrics = [label_vocabulary.index(c) if isinstance(c, str) else c
                             for c in classes_for_class_based_metrics or ()]
        if any(not 0 <= c < n_classes for c in self._own_metrics):
            raise ValueError(f'All classes_for_class_based_metrics must be in range [0, {n_classes - 1}]. Given: '
                             f'{classes_for_class_based_metrics}')

    logits_dimension = property(lambda self: self._n_classes)

    def predictions(self, logits):
        keys = PredictionKeys
        with ops.name_scope('predictions', values=(logits,)):
            return {keys.LOGITS: logits, keys.PROBABILITIES: math_ops.sigmoid(logits, name=keys.PROBABILITIES)}

    def _losses(self, labels, logits, features):
        labels = self._multi_hot(labels, logits)
        if self._loss_fn:
            return custom_losses(self._loss_fn, labels, logits, features), labels
        made = losses.sigmoid_cross_entropy(multi_class_labels=labels, logits=logits, reduction=base.NONE)
        return math_ops.reduce_mean(made, axis=-1, keepdims=True), labels

    def _multi_hot(self, labels, logits):
        if not isinstance(labels, SparseTensor):
            labels = base.dense_labels(labels, self._n_classes, logits)
            return math_ops.cast(labels, dtypes.float32)
        if labels.dtype == dtypes.string:
            labels = lookup_ops.index_table_from_tensor(
                vocabulary_list=tuple(self._label_vocabulary), name='class_id_lookup').lookup(labels)
        found = sparse_build.sparse_to_indicator(labels, self._n_classes)
        return math_ops.cast(found, dtypes.float32)

    def _metrics(self, labels, predictions, losses, weights):
        keys, weights = MetricKeys, _or_none(weights)
        scored = {'labels': labels, 'predictions': predictions[PredictionKeys.PROBABILITIES], 'weights': weights}
        found = {keys.AUC: metrics_thresholds.auc(**scored, name=keys.AUC),
                 keys.AUC_PR: metrics_thresholds.auc(**scored, curve='PR', name=keys.AUC_PR,
                                                     summation_method='careful_interpolation')}
        for threshold in self._thresholds:
            found.update(_at_threshold(threshold, **scored))
        for number in self._own_metrics:
            found.update(self._metrics_of_class(number, **scored))
        return found

    def _metrics_of_class(self, number, labels, predictions, weights):
        keys = MetricKeys
        labels, predictions = labels[..., number:number + 1], predictions[..., number:number + 1]
        scored = {'labels': labels, 'predictions': predictions, 'weights': weights}
        mean, auc, area = (key % number for key in (
            keys.PROBABILITY_MEAN_AT_CLASS, keys.AUC_AT_CLASS, keys.AUC_PR_AT_CLASS))
        return {mean: metrics.mean(predictions, weights=weights, name=mean),
                auc: metrics_thresholds.auc(**scored, name=auc),
                area: metrics_thresholds.auc(**scored, curve='PR', name=area,
                                             summation_method='careful_interpolation')}

    def _export_outputs(self, predictions):
        probabilities = predictions[PredictionKeys.PROBABILITIES]
        return {'classification': ClassificationOutput(
            scores=probabilities, classes=base.class_names(probabilities, self._n_classes, self._label_vocabulary))}


@export('contrib.estimator.multi_class_head')
@with_args_of(MultiClassHead)
def multi_class_head(n_classes, weight_column=None, label_vocabulary=None, loss_reduction=SUM_OVER_BATCH_SIZE,
                     loss_fn=None, name=None):
    """Returns a MultiClassHead."""
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


@export('contrib.estimator.binary_classification_head')
@with_args_of(BinaryClassHead)
def binary_classification_head(weight_column=None, thresholds=None, label_vocabulary=None,
                               loss_reduction=SUM_OVER_BATCH_SIZE, loss_fn=None, name=None):
    """Returns a BinaryClassHead."""
    return BinaryClassHead(weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name)


@export('contrib.estimator.multi_label_head')
@with_args_of(MultiLabelHead)
def multi_label_head(n_classes, weight_column=None, thresholds=None, label_vocabulary=None,
                     loss_reduction=SUM_OVER_BATCH_SIZE, loss_fn=None, classes_for_class_based_metrics=None, name=None):
    """Returns a MultiLabelHead."""
    return MultiLabelHead(n_classes, weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn,
                          classes_for_class_based_metrics, name)
