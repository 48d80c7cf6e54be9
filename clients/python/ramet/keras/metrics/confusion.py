"""Metrics that count right and wrong predictions at thresholds."""

import numpy as np

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.keras import losses as losses_lib
from ramet.keras.backend import config, values
from ramet.keras.metrics.metric import Metric, operation_of
from ramet.ops.array import array_ops
from ramet.ops.control_flow import dependencies
from ramet.ops.math import math_ops
from ramet.ops.metrics.metrics_thresholds import inner_thresholds
from ramet.ops.nn import nn_activation

# For each count: whether the predictions and the labels are positive.
_COUNTS = {'tp': (True, True), 'fp': (True, False), 'tn': (False, False), 'fn': (False, True)}


def _checked(thresholds, default):
    thresholds = default if thresholds is None else thresholds
    result = [float(t) for t in (thresholds if isinstance(thresholds, (list, tuple)) else [thresholds])]
    bad = [t for t in result if not 0 <= t <= 1]
    if bad:
        raise ValueError(f'Threshold values must be in [0, 1]. Invalid values: {bad}')
    return result


def update_counts(variables, y_true, y_pred, thresholds, top_k=None, class_id=None, sample_weight=None):
    """Returns an operation that adds a batch to counts.

    Args:
      variables: a dict from 'tp', 'fp', 'tn' and 'fn' to variables of shape [number of thresholds].
      y_true: the true values, 0 or 1.
      y_pred: the predictions, from 0 to 1.
      thresholds: a list of floats; predictions above one are positive.
      top_k: how many of the largest predictions of a sample count as positive, or None.
      class_id: the class to look at, or None for all.
      sample_weight: the weights of samples, or None.
    """
    dtype = next(iter(variables.values())).dtype.base_dtype
    y_true, y_pred = math_ops.cast(y_true, dtype), math_ops.cast(y_pred, dtype)
    y_pred, y_true, sample_weight = losses_lib.squeeze_or_expand(
        y_pred, y_true, None if sample_weight is None else math_ops.cast(sample_weight, dtype))
    if top_k is not None:
        y_pred = _only_top(y_pred, top_k)
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
    predicted = math_ops.greater(array_ops.reshape(y_pred, [1, -1]), ops.convert_to_tensor(
        np.reshape(thresholds, [-1, 1]).astype(dtype.as_numpy_dtype)))
    true = math_ops.cast(array_ops.reshape(y_true, [1, -1]), 'bool')
    weights = _spread(sample_weight, y_pred)
    updates = []
    for key, variable in variables.items():
        positive, label = _COUNTS[key]
        hit = math_ops.logical_and(predicted if positive else math_ops.logical_not(predicted),
                                   true if label else math_ops.logical_not(true))
        counted = math_ops.cast(hit, dtype)
        counted = counted if weights is None else counted * weights
        update = variable.assign_add(math_ops.reduce_sum(counted, 1), read_value=False)
        updates.append(operation_of(update))
    return dependencies.group(*updates)


def _spread(weights, y_pred):
    """Returns the weights of all elements of the predictions in a row."""
    if weights is None:
        return None
    missing = y_pred.shape.ndims - weights.shape.ndims
    for _ in range(max(missing, 0)):
        weights = array_ops.expand_dims(weights, -1)
    return array_ops.reshape(weights * array_ops.ones_like(y_pred), [1, -1])


def _only_top(y_pred, k):
    """Replaces all but the k largest predictions of each sample by minus infinity."""
    _, top = nn_activation.top_k(y_pred, k, sorted=False)
    kept = math_ops.reduce_sum(array_ops.one_hot(top, array_ops.shape(y_pred)[-1], axis=-1), -2)
    return y_pred * kept + -1e10 * (1 - kept)


class _Count(Metric):
    """A count of predictions.

    Args:
      thresholds: a number from 0 to 1, or a list of them. Predictions above it are positive. None means 0.5.
      name: the name of the metric.
      dtype: the DType of the result, or None for float32.

    Raises:
      ValueError: if a threshold is out of range.
    """

    _key = None

    def __init__(self, thresholds=None, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = _checked(thresholds, 0.5)
        self.accumulator = self.add_weight('accumulator', shape=(len(self.thresholds),), initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Returns an operation that adds a batch.

        Args:
          y_true: the true values.
          y_pred: the predicted values.
          sample_weight: the weights of samples, or None.
        """
        return update_counts({self._key: self.accumulator}, y_true, y_pred, self.thresholds,
                             sample_weight=sample_weight)

    def result(self):
        """Returns a Tensor with the value of the metric."""
        return self.accumulator[0] if len(self.thresholds) == 1 else self.accumulator.read_value()

    def get_config(self):
        return {**super().get_config(), 'thresholds': self.init_thresholds}


@export('keras.metrics.FalsePositives')
@with_args_of(_Count)
class FalsePositives(_Count):
    """The number of positive predictions that are wrong."""

    _key = 'fp'


@export('keras.metrics.FalseNegatives')
@with_args_of(_Count)
class FalseNegatives(_Count):
    """The number of negative predictions that are wrong."""

    _key = 'fn'


@export('keras.metrics.TrueNegatives')
@with_args_of(_Count)
class TrueNegatives(_Count):
    """The number of negative predictions that are right."""

    _key = 'tn'


@export('keras.metrics.TruePositives')
@with_args_of(_Count)
class TruePositives(_Count):
    """The number of positive predictions that are right."""

    _key = 'tp'


class _Ratio(Metric):
    """The ratio of right predictions.

    Args:
      thresholds: a number from 0 to 1, or a list of them. Predictions above it are positive. None means 0.5, or no
        threshold with top_k.
      top_k: how many of the largest predictions of a sample are positive, or None.
      class_id: the class to look at, or None for all.
      name: the name of the metric.
      dtype: the DType of the result, or None for float32.

    Raises:
      ValueError: if a threshold is out of range.
    """

    _wrong, _words = None, None

    def __init__(self, thresholds=None, top_k=None, class_id=None, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        self.thresholds = [-1e10 / 2] if thresholds is None and top_k is not None else _checked(thresholds, 0.5)
        shape = (len(self.thresholds),)
        self.true_positives = self.add_weight('true_positives', shape=shape, initializer='zeros')
        setattr(self, self._words, self.add_weight(self._words, shape=shape, initializer='zeros'))

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Returns an operation that adds a batch.

        Args:
          y_true: the true values.
          y_pred: the predicted values.
          sample_weight: the weights of samples, or None.
        """
        counts = {'tp': self.true_positives, self._wrong: getattr(self, self._words)}
        return update_counts(counts, y_true, y_pred, self.thresholds, top_k=self.top_k, class_id=self.class_id,
                             sample_weight=sample_weight)

    def result(self):
        """Returns a Tensor with the value of the metric."""
        right, wrong = self.true_positives.read_value(), getattr(self, self._words).read_value()
        result = math_ops.div_no_nan(right, right + wrong)
        return result[0] if len(self.thresholds) == 1 else result

    def get_config(self):
        return {**super().get_config(), 'thresholds': self.init_thresholds, 'top_k': self.top_k,
                'class_id': self.class_id}


@export('keras.metrics.Precision')
@with_args_of(_Ratio)
class Precision(_Ratio):
    """The fraction of positive predictions that are right."""

    _wrong, _words = 'fp', 'false_positives'


@export('keras.metrics.Recall')
@with_args_of(_Ratio)
class Recall(_Ratio):
    """The fraction of positive labels that are predicted."""

    _wrong, _words = 'fn', 'false_negatives'


class _Curve(Metric):
    """Counts at many thresholds from 0 to 1."""

    def _add_counts(self, num_thresholds, thresholds=None):
        if thresholds is None:
            thresholds = inner_thresholds(num_thresholds)
        self.thresholds = [0.0 - config.epsilon(), *thresholds, 1.0 + config.epsilon()]
        for name in ('true_positives', 'true_negatives', 'false_positives', 'false_negatives'):
            setattr(self, name, self.add_weight(name, shape=(len(self.thresholds),), initializer='zeros'))

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Returns an operation that adds a batch.

        Args:
          y_true: the true values.
          y_pred: the predicted values.
          sample_weight: the weights of samples, or None.
        """
        counts = {'tp': self.true_positives, 'tn': self.true_negatives, 'fp': self.false_positives,
                  'fn': self.false_negatives}
        return update_counts(counts, y_true, y_pred, self.thresholds, sample_weight=sample_weight)

    def reset_states(self):
        """Sets all counts to zero."""
        values.batch_set_value([(v, np.zeros(len(self.thresholds))) for v in self.variables])

    def _rate(self, right, wrong):
        return math_ops.div_no_nan(right.read_value(), right.read_value() + wrong.read_value())


@export('keras.metrics.AUC')
@with_args_of(Metric)
class AUC(_Curve):
    """The area under a curve of rates at different thresholds.

    Args:
      num_thresholds: the number of thresholds.
      curve: 'ROC' (true positive rate by false positive rate) or 'PR' (precision by recall).
      summation_method: 'interpolation', 'minoring' or 'majoring'.
      thresholds: the thresholds between 0 and 1, or None for equal distances.

    Raises:
      ValueError: if an argument is invalid.
    """

    def __init__(self, num_thresholds=200, curve='ROC', summation_method='interpolation', name=None, dtype=None,
                 thresholds=None):
        if curve not in ('ROC', 'PR'):
            raise ValueError(f'Invalid curve: "{curve}". Valid options are: "[\'ROC\', \'PR\']"')
        if summation_method not in ('interpolation', 'minoring', 'majoring'):
            raise ValueError(f'Invalid summation method: "{summation_method}". Valid options are: '
                             '"[\'interpolation\', \'majoring\', \'minoring\']"')
        if thresholds is None and num_thresholds <= 1:
            raise ValueError('`num_thresholds` must be > 1.')
        super().__init__(name=name, dtype=dtype)
        self.num_thresholds = num_thresholds if thresholds is None else len(thresholds) + 2
        self.curve = curve
        self.summation_method = summation_method
        self._add_counts(self.num_thresholds, None if thresholds is None else sorted(thresholds))

    def result(self):
        """Returns a Tensor with the value of the metric."""
        if self.curve == 'PR' and self.summation_method == 'interpolation':
            return self._interpolated_precision()
        recall = self._rate(self.true_positives, self.false_negatives)
        if self.curve == 'ROC':
            x, y = self._rate(self.false_positives, self.true_negatives), recall
        else:
            x, y = recall, self._rate(self.true_positives, self.false_positives)
        left, right = y[:self.num_thresholds - 1], y[1:]
        heights = {'interpolation': lambda: (left + right) / 2., 'minoring': lambda: math_ops.minimum(left, right),
                   'majoring': lambda: math_ops.maximum(left, right)}[self.summation_method]()
        return math_ops.reduce_sum((x[:self.num_thresholds - 1] - x[1:]) * heights)

    def _interpolated_precision(self):
        """The area of precision by recall; see Davis and Goadrich, "The Relationship Between Precision-Recall and ROC
        Curves"."""
        last = self.num_thresholds - 1
        right, wrong = self.true_positives.read_value(), self.false_positives.read_value()
        gained = right[:last] - right[1:]
        positives = right + wrong
        slope = math_ops.div_no_nan(gained, math_ops.maximum(positives[:last] - positives[1:], 0))
        offset = right[1:] - slope * positives[1:]
        both = math_ops.logical_and(positives[:last] > 0, positives[1:] > 0)
        ratio = array_ops.where(both, math_ops.div_no_nan(positives[:last], math_ops.maximum(positives[1:], 0)),
                                array_ops.ones_like(positives[1:]))
        area = slope * (gained + offset * math_ops.log(ratio))
        total = math_ops.maximum(right[1:] + self.false_negatives.read_value()[1:], 0)
        return math_ops.reduce_sum(math_ops.div_no_nan(area, total))

    def get_config(self):
        return {**super().get_config(), 'num_thresholds': self.num_thresholds, 'curve': self.curve,
                'summation_method': self.summation_method, 'thresholds': self.thresholds[1:-1]}


@export('keras.metrics.SensitivityAtSpecificity')
@with_args_of(AUC, Metric)
class SensitivityAtSpecificity(_Curve):
    """The sensitivity at the threshold whose specificity is closest to a value.

    Args:
      specificity: a number from 0 to 1.

    Raises:
      ValueError: if an argument is out of range.
    """

    def __init__(self, specificity, num_thresholds=200, name=None, dtype=None):
        if not 0 <= specificity <= 1:
            raise ValueError('`specificity` must be in the range [0, 1].')
        super().__init__(name=name, dtype=dtype)
        self.specificity = specificity
        self.num_thresholds = num_thresholds
        self._add_counts(num_thresholds)

    def result(self):
        """Returns a Tensor with the value of the metric."""
        rates = self._rate(self.true_negatives, self.false_positives)
        index = math_ops.cast(math_ops.argmin(math_ops.abs(rates - self.specificity), axis=0), 'int32')
        return self._rate(self.true_positives, self.false_negatives)[index]


@export('keras.metrics.SpecificityAtSensitivity')
@with_args_of(AUC, Metric)
class SpecificityAtSensitivity(_Curve):
    """The specificity at the threshold whose sensitivity is closest to a value.

    Args:
      sensitivity: a number from 0 to 1.

    Raises:
      ValueError: if an argument is out of range.
    """

    def __init__(self, sensitivity, num_thresholds=200, name=None, dtype=None):
        if not 0 <= sensitivity <= 1:
            raise ValueError('`sensitivity` must be in the range [0, 1].')
        super().__init__(name=name, dtype=dtype)
        self.sensitivity = sensitivity
        self.num_thresholds = num_thresholds
        self._add_counts(num_thresholds)

    def result(self):
        """Returns a Tensor with the value of the metric."""
        rates = self._rate(self.true_positives, self.false_negatives)
        index = math_ops.cast(math_ops.argmin(math_ops.abs(rates - self.sensitivity), axis=0), 'int32')
        return self._rate(self.true_negatives, self.false_positives)[index]


@export('keras.metrics.MeanIoU')
@with_args_of(Metric)
class MeanIoU(Metric):
    """The mean over classes of intersection over union.

    Args:
      num_classes: the number of classes.
    """

    def __init__(self, num_classes, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_weight('total_confusion_matrix', shape=(num_classes, num_classes),
                                        initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Returns an operation that adds a batch.

        Args:
          y_true: the numbers of the true classes.
          y_pred: the numbers of the predicted classes.
          sample_weight: the weights of samples, or None.
        """
        flat = [array_ops.reshape(math_ops.cast(y, 'int64'), [-1]) for y in (y_true, y_pred)]
        if sample_weight is not None:
            sample_weight = array_ops.reshape(math_ops.cast(sample_weight, self._dtype), [-1])
        matrix = math_ops.confusion_matrix(*flat, self.num_classes, weights=sample_weight, dtype=self._dtype)
        update = self.total_cm.assign_add(matrix, read_value=False)
        return operation_of(update)

    def result(self):
        """Returns a Tensor with the value of the metric."""
        matrix = self.total_cm.read_value()
        right = array_ops.diag_part(matrix)
        union = math_ops.reduce_sum(matrix, 0) + math_ops.reduce_sum(matrix, 1) - right
        present = math_ops.reduce_sum(math_ops.cast(math_ops.not_equal(union, 0), self._dtype))
        return math_ops.div_no_nan(math_ops.reduce_sum(math_ops.div_no_nan(right, union)), present)

    def get_config(self):
        return {**super().get_config(), 'num_classes': self.num_classes}
