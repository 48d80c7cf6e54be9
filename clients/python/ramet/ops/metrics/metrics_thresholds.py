"""tf.metrics of scores in [0, 1], which are compared with thresholds: areas, precision, recall, counts."""

from ramet.api import export
from ramet.docstrings import named, with_args_of
from ramet.framework import constant_op, dtypes, graph_only, ops
from ramet.lib import tf_logging
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.losses import squeeze_ops, weights_broadcast_ops
from ramet.ops.math import math_ops
from ramet.ops.metrics.metrics import collect, metric_variable
from ramet.ops.variables import state_ops, variable_scope

_EPSILON = 1e-7
_MAX_THRESHOLDS = 1 << 20
# name: (name of the variable, whether the label is positive, whether the prediction is)
_KINDS = {'tp': ('true_positives', True, True), 'fn': ('false_negatives', True, False),
          'tn': ('true_negatives', False, False), 'fp': ('false_positives', False, True)}


def _checked(labels, predictions, weights):
    zero, one = (math_ops.cast(bound, dtype=predictions.dtype) for bound in (0.0, 1.0))
    message = 'predictions must be in [0, 1]'
    with ops.control_dependencies([check_ops.assert_greater_equal(predictions, zero, message=message),
                                   check_ops.assert_less_equal(predictions, one, message=message)]):
        return squeeze_ops.for_metric(
            math_ops.cast(predictions, dtypes.float32), math_ops.cast(labels, dtypes.bool), weights)


def _counts(labels, predictions, thresholds, weights=None, includes=tuple(_KINDS)):
    """Returns ({kind: variable}, {kind: update}) of counts for each threshold."""
    predictions, labels, weights = _checked(labels, predictions, weights)
    rows = len(thresholds)
    column = array_ops.reshape(predictions, [-1, 1])
    flat_labels = array_ops.reshape(math_ops.cast(labels, dtypes.bool), [1, -1])
    columns = column.get_shape().as_list()[0]
    if columns is None:
        columns = array_ops.shape(column)[0]
    limits = array_ops.tile(array_ops.expand_dims(constant_op.constant(thresholds), [1]),
                            array_ops.stack([1, columns]))
    prediction_is = {True: math_ops.greater(array_ops.tile(array_ops.transpose(column), [rows, 1]), limits)}
    if {'fn', 'tn'} & set(includes):
        prediction_is[False] = math_ops.logical_not(prediction_is[True])
    label_is = {True: array_ops.tile(flat_labels, [rows, 1])}
    if {'fp', 'tn'} & set(includes):
        label_is[False] = math_ops.logical_not(label_is[True])
    if weights is not None:
        weights = weights_broadcast_ops.broadcast_weights(math_ops.cast(weights, dtypes.float32), predictions)
        weights = array_ops.tile(array_ops.reshape(weights, [1, -1]), [rows, 1])
        limits.get_shape().assert_is_compatible_with(weights.get_shape())
    values, updates = {}, {}
    for kind, (name, label, prediction) in _KINDS.items():
        if kind in includes:
            values[kind] = metric_variable([rows], dtypes.float32, name=name)
            matches = math_ops.cast(math_ops.logical_and(label_is[label], prediction_is[prediction]), dtypes.float32)
            if weights is not None:
                matches *= weights
            updates[kind] = state_ops.assign_add(values[kind], math_ops.reduce_sum(matches, 1))
    return values, updates


def inner_thresholds(num_thresholds):
    """Returns even thresholds without the first and the last one, which are 0 and 1.

    Raises:
      ValueError: if there are more than 2**20 thresholds, with which each batch would be compared.
    """
    if num_thresholds > _MAX_THRESHOLDS:
        raise ValueError(f'num_thresholds is {num_thresholds}, but must be at most {_MAX_THRESHOLDS}')
    return [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]


def _even_thresholds(count, above=_EPSILON):
    return [0.0 - _EPSILON, *inner_thresholds(count), 1.0 + above]


_DOC = """Returns the number of {what} so far for each threshold.

Args:
  labels: a Tensor of predictions' shape, cast to bool.
  predictions: a floating-point Tensor of scores in [0, 1].
  thresholds: a list of floats in [0, 1]. A score above a threshold is positive.
  weights: a Tensor of rank 0 or of labels' rank, that broadcasts to labels; or None.
  metrics_collections: collections to add the value to.
  updates_collections: collections to add the update to.
  name: the name of the variable scope.

Returns:
  The numbers, and an operation (a Tensor) that adds a batch and returns the new numbers.

Raises:
  ValueError: if the shapes are incompatible.
"""


def _counter(kind):
    scope = _KINDS[kind][0]

    @named(f'{scope}_at_thresholds', _DOC.format(what=scope.replace('_', ' ')))
    def count(labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None,
              name=None):
        with variable_scope.variable_scope(name, scope, (predictions, labels, weights)):
            values, updates = _counts(labels, predictions, thresholds, weights, (kind,))
            return collect(array_ops.identity(values[kind]), updates[kind], metrics_collections, updates_collections)

    return count


true_positives_at_thresholds = export('metrics.true_positives_at_thresholds')(_counter('tp'))
false_negatives_at_thresholds = export('metrics.false_negatives_at_thresholds')(_counter('fn'))
true_negatives_at_thresholds = export('metrics.true_negatives_at_thresholds')(_counter('tn'))
false_positives_at_thresholds = export('metrics.false_positives_at_thresholds')(_counter('fp'))


@export('metrics.precision_at_thresholds')
@graph_only.metric
@with_args_of(true_positives_at_thresholds)
def precision_at_thresholds(labels, predictions, thresholds, weights=None, metrics_collections=None,
                            updates_collections=None, name=None):
    """Returns the share of true positives among the elements predicted as positive, for each threshold.

    Returns:
      The precisions, and an operation (a Tensor) that adds a batch and returns the new precisions.
    """
    with variable_scope.variable_scope(name, 'precision_at_thresholds', (predictions, labels, weights)):
        values, updates = _counts(labels, predictions, thresholds, weights, ('tp', 'fp'))
        value, update = (math_ops.divide(of['tp'], _EPSILON + of['tp'] + of['fp'], name=f'precision_{which}')
                         for which, of in (('value', values), ('update_op', updates)))
        return collect(value, update, metrics_collections, updates_collections)


@export('metrics.recall_at_thresholds')
@graph_only.metric
@with_args_of(true_positives_at_thresholds)
def recall_at_thresholds(labels, predictions, thresholds, weights=None, metrics_collections=None,
                         updates_collections=None, name=None):
    """Returns the share of true positives among the positive elements, for each threshold.

    Returns:
      The recalls, and an operation (a Tensor) that adds a batch and returns the new recalls.
    """
    with variable_scope.variable_scope(name, 'recall_at_thresholds', (predictions, labels, weights)):
        values, updates = _counts(labels, predictions, thresholds, weights, ('tp', 'fn'))
        value, update = (math_ops.divide(of['tp'], _EPSILON + of['tp'] + of['fn'], name=f'recall_{which}')
                         for which, of in (('value', values), ('update_op', updates)))
        return collect(value, update, metrics_collections, updates_collections)


@export('metrics.sensitivity_at_specificity')
@graph_only.metric
@with_args_of(true_positives_at_thresholds)
def sensitivity_at_specificity(labels, predictions, specificity, weights=None, num_thresholds=200,
                               metrics_collections=None, updates_collections=None, name=None):
    """Returns the sensitivity at the threshold whose specificity is nearest to a given one.

    Args:
      specificity: a float in [0, 1].
      num_thresholds: int, the number of thresholds.

    Returns:
      The sensitivity, and an operation (a Tensor) that adds a batch and returns the new sensitivity.

    Raises:
      ValueError: if specificity is out of range, or the shapes are incompatible.
    """
    if specificity < 0 or specificity > 1:
        raise ValueError(f'`specificity` must be in the range [0, 1]. Currently, `specificity` got {specificity}.')

    def at(of, name):
        found = math_ops.divide(of['tn'], of['tn'] + of['fp'] + _EPSILON)
        index = math_ops.cast(math_ops.argmin(math_ops.abs(found - specificity), 0), dtypes.int32)
        return math_ops.divide(of['tp'][index], of['tp'][index] + of['fn'][index] + _EPSILON, name)

    with variable_scope.variable_scope(name, 'sensitivity_at_specificity', (predictions, labels, weights)):
        values, updates = _counts(labels, predictions, _even_thresholds(num_thresholds), weights)
        return collect(at(values, 'value'), at(updates, 'update_op'), metrics_collections, updates_collections)


@export('metrics.specificity_at_sensitivity')
@graph_only.metric
@with_args_of(sensitivity_at_specificity)
def specificity_at_sensitivity(labels, predictions, sensitivity, weights=None, num_thresholds=200,
                               metrics_collections=None, updates_collections=None, name=None):
    """Returns the specificity at the highest threshold whose sensitivity is nearest to a given one.

    Args:
      sensitivity: a float in [0, 1].

    Returns:
      The specificity, and an operation (a Tensor) that adds a batch and returns the new specificity.

    Raises:
      ValueError: if sensitivity is out of range, or the shapes are incompatible.
    """
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError(f'`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}.')

    def at(of, name):
        found = math_ops.divide(of['tp'], of['tp'] + of['fn'] + _EPSILON)
        least = math_ops.reduce_min(math_ops.abs(found - sensitivity))
        nearest = math_ops.cast(math_ops.equal(math_ops.abs(found - sensitivity), least), dtypes.int64)
        index = math_ops.cast(math_ops.argmax(math_ops.cumsum(nearest), 0), dtypes.int32)
        return math_ops.divide(of['tn'][index], of['tn'][index] + of['fp'][index] + _EPSILON, name)

    with variable_scope.variable_scope(name, 'specificity_at_sensitivity', (predictions, labels, weights)):
        values, updates = _counts(labels, predictions, _even_thresholds(num_thresholds, -_EPSILON), weights)
        return collect(at(values, 'value'), at(updates, 'update_op'), metrics_collections, updates_collections)


def _interpolated(tp, fp, fn, last):
    """Returns the area under a precision-recall curve. Source: Davis and Goadrich, "The relationship ..."."""
    delta = tp[:last] - tp[1:]
    p = tp + fp
    slope = math_ops.div_no_nan(delta, math_ops.maximum(p[:last] - p[1:], 0), name='prec_slope')
    intercept = tp[1:] - math_ops.multiply(slope, p[1:])
    ratio = array_ops.where(
        math_ops.logical_and(p[:last] > 0, p[1:] > 0),
        math_ops.div_no_nan(p[:last], math_ops.maximum(p[1:], 0), name='recall_relative_ratio'),
        array_ops.ones_like(p[1:]))
    return math_ops.reduce_sum(
        math_ops.div_no_nan(slope * (delta + intercept * math_ops.log(ratio)),
                            math_ops.maximum(tp[1:] + fn[1:], 0), name='pr_auc_increment'),
        name='interpolate_pr_auc')


def _area(of, curve, method, last, name):
    tp, fn, tn, fp = of['tp'], of['fn'], of['tn'], of['fp']
    if curve == 'PR' and method == 'trapezoidal':
        tf_logging.warning('Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to '
                           '"careful_interpolation" instead.')
    elif curve == 'PR' and method == 'careful_interpolation':
        return _interpolated(tp, fp, fn, last)
    epsilon = 1.0e-6
    recall = math_ops.divide(tp + epsilon, tp + fn + epsilon)
    if curve == 'ROC':
        x, y = math_ops.divide(fp, fp + tn + epsilon), recall
    else:
        x, y = recall, math_ops.divide(tp + epsilon, tp + fp + epsilon)
    heights = {'trapezoidal': lambda: (y[:last] + y[1:]) / 2., 'careful_interpolation': lambda: (y[:last] + y[1:]) / 2.,
               'minoring': lambda: math_ops.minimum(y[:last], y[1:]),
               'majoring': lambda: math_ops.maximum(y[:last], y[1:])}
    if method not in heights:
        raise ValueError(f"Invalid summation_method: {method} summation_method should be 'trapezoidal', "
                         "'careful_interpolation', 'minoring', or 'majoring'.")
    return math_ops.reduce_sum(math_ops.multiply(x[:last] - x[1:], heights[method]()), name=name)


@export('metrics.auc')
@graph_only.metric
@with_args_of(sensitivity_at_specificity)
def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None,
        curve='ROC', name=None, summation_method='trapezoidal', thresholds=None):
    """Returns the area under a curve of rates for different thresholds.

    Args:
      curve: 'ROC' (true over false positive rates) or 'PR' (precision over recall).
      summation_method: 'trapezoidal', 'careful_interpolation' (better for PR), 'minoring' or 'majoring'.
      thresholds: a list of floats in [0, 1], or None for num_thresholds even ones.

    Returns:
      The area, and an operation (a Tensor) that adds a batch and returns the new area.

    Raises:
      ValueError: if curve or summation_method is unknown, num_thresholds is above 2**20, or the shapes are
        incompatible.
    """
    with variable_scope.variable_scope(name, 'auc', (labels, predictions, weights)):
        if curve not in ('ROC', 'PR'):
            raise ValueError(f'Curve must be either ROC or PR. Curve {curve} is unknown.')
        if thresholds is None:
            thresholds = _even_thresholds(num_thresholds)
        else:
            thresholds = [0.0 - _EPSILON, *sorted(thresholds), 1.0 + _EPSILON]
        values, updates = _counts(labels, predictions, thresholds, weights)
        last = len(thresholds) - 1
        return collect(_area(values, curve, summation_method, last, 'value'),
                       _area(updates, curve, summation_method, last, 'update_op'),
                       metrics_collections, updates_collections)
