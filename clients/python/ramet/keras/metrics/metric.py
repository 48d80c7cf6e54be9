"""The base classes of metrics: values that accumulate over batches."""

import numpy as np

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.keras import losses as losses_lib
from ramet.keras.backend import config, values
from ramet.keras.engine.base_layer import Layer
from ramet.ops.array import array_ops
from ramet.ops.control_flow import dependencies
from ramet.ops.math import math_ops


@export('keras.metrics.Metric')
class Metric(Layer):
    """The base class of metrics. A subclass overrides update_state and result.

    Args:
      name: the name of the metric.
      dtype: the DType of the result, or None for float32.
      **kwargs: see Layer.
    """

    def __init__(self, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.stateful = True
        self.built = True
        self._dtype = config.floatx() if dtype is None else dtypes.as_dtype(dtype).name

    def __call__(self, *args, **kwargs):
        """Updates the state and returns the result.

        Args:
          *args, **kwargs: the arguments of update_state.
        """
        update = self.update_state(*args, **kwargs)
        if update is not None:
            self.add_update(update)
        with ops.control_dependencies([update] if update is not None else []):
            result = self._call_result = array_ops.identity(self.result())
        result._metric_obj = self
        return result

    def update_state(self, *args, **kwargs):
        """Returns an operation that adds a batch to the state.

        Args:
          *args, **kwargs: the values of the batch.
        """
        raise NotImplementedError('Must be implemented in subclasses.')

    def result(self):
        """Returns a Tensor with the value of the metric."""
        raise NotImplementedError('Must be implemented in subclasses.')

    def reset_states(self):
        """Sets all variables to zero."""
        values.batch_set_value([(v, np.zeros(v.shape.as_list())) for v in self.variables])

    def add_weight(self, name, shape=(), aggregation=None, synchronization=None, initializer=None, dtype=None):
        """Creates a variable of the metric.

        Args:
          name: its name.
          shape: its shape.
          aggregation, synchronization: ignored.
          initializer: an initializer, or the name of one.
          dtype: its DType, or None for that of the metric.
        """
        with ops.init_scope(), ops.name_scope(self.name):
            return super().add_weight(name=name, shape=shape, dtype=dtype or self._dtype, trainable=False,
                                      initializer=initializer)

    def get_config(self):
        return {'name': self.name, 'dtype': self.dtype}


class Reduce(Metric):
    """A metric that combines all values of all batches.

    Args:
      reduction: 'sum', 'sum_over_batch_size' (the mean of all values) or 'weighted_mean'.
      name: the name of the metric.
      dtype: the DType of the result, or None for float32.
    """

    def __init__(self, reduction, name, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.reduction = reduction
        self.total = self.add_weight('total', initializer='zeros')
        if reduction != 'sum':
            self.count = self.add_weight('count', initializer='zeros')

    def update_state(self, values, sample_weight=None):
        """Returns an operation that adds values.

        Args:
          values: a Tensor.
          sample_weight: their weights, or None.
        """
        given = math_ops.cast(values, self._dtype)
        if sample_weight is not None:
            given, sample_weight = _weighted(given, math_ops.cast(sample_weight, self._dtype), self.reduction)
        total = self.total.assign_add(math_ops.reduce_sum(given), read_value=False)
        if self.reduction == 'sum':
            return operation_of(total)
        if self.reduction == 'weighted_mean' and sample_weight is not None:
            count = math_ops.reduce_sum(sample_weight)
        else:
            count = math_ops.cast(array_ops.size(given), self._dtype)
        return dependencies.group(operation_of(total), operation_of(self.count.assign_add(count, read_value=False)))

    def result(self):
        """Returns a Tensor with the value of the metric."""
        if self.reduction == 'sum':
            return self.total.read_value()
        return math_ops.div_no_nan(self.total.read_value(), self.count.read_value())


def operation_of(value):
    """Returns the Operation of an assignment, or None if it ran eagerly."""
    return value if value is None or isinstance(value, ops.Operation) else value.op


def _weighted(given, weights, reduction):
    """Returns values multiplied by weights, and the weights in the shape of the values."""
    given, _, weights = losses_lib.squeeze_or_expand(given, None, weights)
    ranks = weights.shape.ndims, given.shape.ndims
    if None not in ranks and 0 < ranks[0] < ranks[1]:
        given = (math_ops.reduce_sum if reduction == 'sum' else math_ops.reduce_mean)(given, list(range(*ranks)))
    weights = weights * array_ops.ones_like(given)
    return given * weights, weights


@export('keras.metrics.Sum')
@with_args_of(Metric)
class Sum(Reduce):
    """The weighted sum of values."""

    def __init__(self, name='sum', dtype=None):
        super().__init__('sum', name, dtype=dtype)


@export('keras.metrics.Mean')
@with_args_of(Metric)
class Mean(Reduce):
    """The weighted mean of values."""

    def __init__(self, name='mean', dtype=None):
        super().__init__('weighted_mean', name, dtype=dtype)


@export('keras.metrics.MeanRelativeError')
@with_args_of(Metric)
class MeanRelativeError(Mean):
    """The mean of absolute differences, divided by a normalizer.

    Args:
      normalizer: a Tensor.
    """

    def __init__(self, normalizer, name=None, dtype=None):
        super().__init__(name=name or 'mean_relative_error', dtype=dtype)
        self.normalizer = math_ops.cast(normalizer, self._dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Returns an operation that adds a batch.

        Args:
          y_true: the true values.
          y_pred: the predicted values.
          sample_weight: the weights of samples, or None.
        """
        y_true, y_pred = math_ops.cast(y_true, self._dtype), math_ops.cast(y_pred, self._dtype)
        y_pred, y_true, sample_weight = losses_lib.squeeze_or_expand(y_pred, y_true, sample_weight)
        errors = math_ops.div_no_nan(math_ops.abs(y_true - y_pred), self.normalizer)
        return Reduce.update_state(self, errors, sample_weight=sample_weight)


class MeanMetricWrapper(Mean):
    """The mean of a function of the true and the predicted values.

    Args:
      fn: a function (y_true, y_pred, **kwargs).
      name: the name of the metric.
      dtype: the DType of the result, or None for float32.
      **kwargs: further arguments of `fn`.
    """

    def __init__(self, fn, name=None, dtype=None, **kwargs):
        super().__init__(name=name or fn.__name__, dtype=dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Returns an operation that adds a batch.

        Args:
          y_true: the true values.
          y_pred: the predicted values.
          sample_weight: the weights of samples, or None.
        """
        y_true, y_pred = math_ops.cast(y_true, self._dtype), math_ops.cast(y_pred, self._dtype)
        y_pred, y_true, sample_weight = losses_lib.squeeze_or_expand(y_pred, y_true, sample_weight)
        return Reduce.update_state(self, self._fn(y_true, y_pred, **self._fn_kwargs), sample_weight=sample_weight)

    def get_config(self):
        return {**super().get_config(), **self._fn_kwargs}


@export('keras.metrics.MeanTensor')
@with_args_of(Metric)
class MeanTensor(Metric):
    """The weighted mean of each element of tensors."""

    def __init__(self, name='mean_tensor', dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.total = self.count = None

    def update_state(self, values, sample_weight=None):
        """Returns an operation that adds a tensor.

        Args:
          values: a Tensor.
          sample_weight: weights that broadcast with it, or None.
        """
        given = math_ops.cast(values, self._dtype)
        if self.total is None:
            shape = given.shape.as_list()
            self.total = self.add_weight('total', shape=shape, initializer='zeros')
            self.count = self.add_weight('count', shape=shape, initializer='zeros')
        counted = array_ops.ones_like(given)
        if sample_weight is not None:
            weights = math_ops.cast(sample_weight, self._dtype)
            given, _, weights = losses_lib.squeeze_or_expand(given, None, weights)
            given, counted = given * weights, counted * weights
        return dependencies.group(operation_of(self.total.assign_add(given, read_value=False)),
                                  operation_of(self.count.assign_add(counted, read_value=False)))

    def result(self):
        """Returns a Tensor with the means.

        Raises:
          ValueError: if no tensor was added.
        """
        if self.total is None:
            raise ValueError('MeanTensor does not have any result yet. Please call the MeanTensor instance or use '
                             '`.update_state(value)` before retrieving the result.')
        return math_ops.div_no_nan(self.total.read_value(), self.count.read_value())
