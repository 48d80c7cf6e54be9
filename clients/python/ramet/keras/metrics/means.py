"""Metrics that are means of functions of samples."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras import losses as losses_lib
from ramet.keras import losses_functions
from ramet.keras.metrics import functions
from ramet.keras.metrics.metric import Mean, MeanMetricWrapper, Metric, Reduce
from ramet.ops.math import math_ops


@export('keras.metrics.Accuracy')
@with_args_of(Metric)
class Accuracy(MeanMetricWrapper):
    """The fraction of equal values."""

    def __init__(self, name='accuracy', dtype=None):
        super().__init__(functions.accuracy, name, dtype=dtype)


@export('keras.metrics.CategoricalAccuracy')
@with_args_of(Metric)
class CategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose largest prediction is that of the true class."""

    def __init__(self, name='categorical_accuracy', dtype=None):
        super().__init__(functions.categorical_accuracy, name, dtype=dtype)


@export('keras.metrics.SparseCategoricalAccuracy')
@with_args_of(Metric)
class SparseCategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose largest prediction is that of the true class. Labels are numbers of classes."""

    def __init__(self, name='sparse_categorical_accuracy', dtype=None):
        super().__init__(functions.sparse_categorical_accuracy, name, dtype=dtype)


@export('keras.metrics.MeanAbsoluteError')
@with_args_of(Metric)
class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of absolute differences."""

    def __init__(self, name='mean_absolute_error', dtype=None):
        super().__init__(losses_functions.mean_absolute_error, name, dtype=dtype)


@export('keras.metrics.MeanSquaredError')
@with_args_of(Metric)
class MeanSquaredError(MeanMetricWrapper):
    """The mean of squared differences."""

    def __init__(self, name='mean_squared_error', dtype=None):
        super().__init__(losses_functions.mean_squared_error, name, dtype=dtype)


@export('keras.metrics.MeanAbsolutePercentageError')
@with_args_of(Metric)
class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of absolute differences in percent."""

    def __init__(self, name='mean_absolute_percentage_error', dtype=None):
        super().__init__(losses_functions.mean_absolute_percentage_error, name, dtype=dtype)


@export('keras.metrics.MeanSquaredLogarithmicError')
@with_args_of(Metric)
class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean squared difference of log(x + 1)."""

    def __init__(self, name='mean_squared_logarithmic_error', dtype=None):
        super().__init__(losses_functions.mean_squared_logarithmic_error, name, dtype=dtype)


@export('keras.metrics.Hinge')
@with_args_of(Metric)
class Hinge(MeanMetricWrapper):
    """The mean of max(1 - y_true * y_pred, 0)."""

    def __init__(self, name='hinge', dtype=None):
        super().__init__(losses_functions.hinge, name, dtype=dtype)


@export('keras.metrics.SquaredHinge')
@with_args_of(Metric)
class SquaredHinge(MeanMetricWrapper):
    """The mean of the squares of max(1 - y_true * y_pred, 0)."""

    def __init__(self, name='squared_hinge', dtype=None):
        super().__init__(losses_functions.squared_hinge, name, dtype=dtype)


@export('keras.metrics.CategoricalHinge')
@with_args_of(Metric)
class CategoricalHinge(MeanMetricWrapper):
    """The mean of max(largest prediction of a wrong class - prediction of the true class + 1, 0)."""

    def __init__(self, name='categorical_hinge', dtype=None):
        super().__init__(losses_functions.categorical_hinge, name, dtype=dtype)


@export('keras.metrics.Poisson')
@with_args_of(Metric)
class Poisson(MeanMetricWrapper):
    """The mean of y_pred - y_true * log(y_pred)."""

    def __init__(self, name='poisson', dtype=None):
        super().__init__(losses_functions.poisson, name, dtype=dtype)


@export('keras.metrics.KLDivergence')
@with_args_of(Metric)
class KLDivergence(MeanMetricWrapper):
    """The mean Kullback-Leibler divergence."""

    def __init__(self, name='kullback_leibler_divergence', dtype=None):
        super().__init__(losses_functions.kullback_leibler_divergence, name, dtype=dtype)


@export('keras.metrics.LogCoshError')
@with_args_of(Metric)
class LogCoshError(MeanMetricWrapper):
    """The mean logarithm of the hyperbolic cosine of differences."""

    def __init__(self, name='logcosh', dtype=None):
        super().__init__(losses_functions.logcosh, name, dtype=dtype)


@export('keras.metrics.BinaryAccuracy')
@with_args_of(functions.binary_accuracy, Metric)
class BinaryAccuracy(MeanMetricWrapper):
    """The fraction of right predictions of 0 and 1."""

    def __init__(self, name='binary_accuracy', dtype=None, threshold=0.5):
        super().__init__(functions.binary_accuracy, name, dtype=dtype, threshold=threshold)


@export('keras.metrics.TopKCategoricalAccuracy')
@with_args_of(functions.top_k_categorical_accuracy, Metric)
class TopKCategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose true class is among the k largest predictions."""

    def __init__(self, k=5, name='top_k_categorical_accuracy', dtype=None):
        super().__init__(functions.top_k_categorical_accuracy, name, dtype=dtype, k=k)


@export('keras.metrics.SparseTopKCategoricalAccuracy')
@with_args_of(functions.sparse_top_k_categorical_accuracy, Metric)
class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """The fraction of samples whose true class is among the k largest predictions. Labels are numbers of classes."""

    def __init__(self, k=5, name='sparse_top_k_categorical_accuracy', dtype=None):
        super().__init__(functions.sparse_top_k_categorical_accuracy, name, dtype=dtype, k=k)


@export('keras.metrics.BinaryCrossentropy')
@with_args_of(losses_functions.binary_crossentropy, Metric)
class BinaryCrossentropy(MeanMetricWrapper):
    """The mean cross-entropy of elements."""

    def __init__(self, name='binary_crossentropy', dtype=None,
                 from_logits=False, label_smoothing=0):
        super().__init__(losses_functions.binary_crossentropy, name, dtype=dtype,
                         from_logits=from_logits, label_smoothing=label_smoothing)


@export('keras.metrics.CategoricalCrossentropy')
@with_args_of(losses_functions.categorical_crossentropy, Metric)
class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross-entropy of distributions."""

    def __init__(self, name='categorical_crossentropy', dtype=None,
                 from_logits=False, label_smoothing=0):
        super().__init__(losses_functions.categorical_crossentropy, name, dtype=dtype,
                         from_logits=from_logits, label_smoothing=label_smoothing)


@export('keras.metrics.SparseCategoricalCrossentropy')
@with_args_of(losses_functions.sparse_categorical_crossentropy, Metric)
class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross-entropy of distributions. Labels are numbers of classes."""

    def __init__(self, name='sparse_categorical_crossentropy', dtype=None,
                 from_logits=False, axis=-1):
        super().__init__(losses_functions.sparse_categorical_crossentropy, name, dtype=dtype,
                         from_logits=from_logits, axis=axis)


@export('keras.metrics.CosineSimilarity')
@with_args_of(losses_functions.cosine_similarity, Metric)
class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angle between vectors."""

    def __init__(self, name='cosine_similarity', dtype=None, axis=-1):
        super().__init__(functions.cosine_similarity, name, dtype=dtype, axis=axis)


@export('keras.metrics.RootMeanSquaredError')
@with_args_of(Metric)
class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences."""

    def __init__(self, name='root_mean_squared_error', dtype=None):
        super().__init__(name, dtype=dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Returns an operation that adds a batch.

        Args:
          y_true: the true values.
          y_pred: the predicted values.
          sample_weight: the weights of samples, or None.
        """
        y_true, y_pred = math_ops.cast(y_true, self._dtype), math_ops.cast(y_pred, self._dtype)
        y_pred, y_true, sample_weight = losses_lib.squeeze_or_expand(y_pred, y_true, sample_weight)
        return Reduce.update_state(self, math_ops.squared_difference(y_pred, y_true), sample_weight=sample_weight)

    def result(self):
        """Returns a Tensor with the value of the metric."""
        return math_ops.sqrt(Reduce.result(self))
