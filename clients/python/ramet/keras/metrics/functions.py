"""Accuracies of each sample: functions of the true and the predicted values."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.keras.backend import config
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation


def accuracy(y_true, y_pred):
    """Returns 1 where the values are equal, and 0 elsewhere."""
    if y_true.dtype != y_pred.dtype:
        y_pred = math_ops.cast(y_pred, y_true.dtype)
    return math_ops.cast(math_ops.equal(y_true, y_pred), config.floatx())


@export('keras.metrics.binary_accuracy')
def binary_accuracy(y_true, y_pred, threshold=0.5):
    """Returns the mean over the last axis of 1 where predictions are right, and 0 elsewhere.

    Args:
      y_true: the true values, 0 or 1.
      y_pred: the predicted probabilities.
      threshold: predictions above it count as 1.
    """
    y_pred = ops.convert_to_tensor(y_pred)
    predicted = math_ops.cast(y_pred > math_ops.cast(threshold, y_pred.dtype), y_pred.dtype)
    return math_ops.reduce_mean(math_ops.cast(math_ops.equal(math_ops.cast(y_true, y_pred.dtype), predicted),
                                              config.floatx()), -1)


@export('keras.metrics.categorical_accuracy')
def categorical_accuracy(y_true, y_pred):
    """Returns 1 for each sample whose largest prediction is that of the true class, and 0 for others.

    Args:
      y_true: one-hot vectors.
      y_pred: the predicted probabilities.
    """
    return math_ops.cast(math_ops.equal(math_ops.argmax(y_true, axis=-1), math_ops.argmax(y_pred, axis=-1)),
                         config.floatx())


@export('keras.metrics.sparse_categorical_accuracy')
def sparse_categorical_accuracy(y_true, y_pred):
    """Returns 1 for each sample whose largest prediction is that of the true class, and 0 for others.

    Args:
      y_true: the numbers of the true classes.
      y_pred: the predicted probabilities.
    """
    y_true, y_pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
    ranks = y_true.shape.ndims, y_pred.shape.ndims
    if None not in ranks and ranks[0] == ranks[1] and y_true.shape.as_list()[-1] in (1, None) and \
            y_pred.shape.as_list()[-1] != 1:
        y_true = array_ops.squeeze(y_true, [-1])
    predicted = math_ops.argmax(y_pred, axis=-1)
    if predicted.dtype != y_true.dtype:
        predicted = math_ops.cast(predicted, y_true.dtype)
    return math_ops.cast(math_ops.equal(y_true, predicted), config.floatx())


@export('keras.metrics.top_k_categorical_accuracy')
def top_k_categorical_accuracy(y_true, y_pred, k=5):
    """Returns 1 for each sample whose true class is among the k largest predictions, and 0 for others.

    Args:
      y_true: one-hot vectors.
      y_pred: the predicted probabilities.
      k: an int.
    """
    return sparse_top_k_categorical_accuracy(math_ops.argmax(y_true, axis=-1), y_pred, k)


@export('keras.metrics.sparse_top_k_categorical_accuracy')
@with_args_of(top_k_categorical_accuracy)
def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5):
    """Returns 1 for each sample whose true class is among the k largest predictions, and 0 for others.

    Args:
      y_true: the numbers of the true classes.
    """
    y_true, y_pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
    shape = array_ops.shape(y_true)
    if y_pred.shape.ndims is not None and y_pred.shape.ndims > 2:
        y_pred = array_ops.reshape(y_pred, [-1, y_pred.shape.as_list()[-1]])
        result = _in_top_k(array_ops.reshape(y_true, [-1]), y_pred, k)
        return array_ops.reshape(result, shape)
    return _in_top_k(array_ops.reshape(y_true, [-1]), y_pred, k)


def _in_top_k(targets, predictions, k):
    return math_ops.cast(nn_activation.in_top_k(predictions, math_ops.cast(targets, 'int32'), k), config.floatx())


@export('keras.metrics.cosine_proximity', 'keras.metrics.cosine')
def cosine_similarity(y_true, y_pred, axis=-1):
    """Returns the cosine of the angle between vectors.

    Args:
      y_true: the true values.
      y_pred: the predicted values.
      axis: the axis of the vectors.
    """
    return math_ops.reduce_sum(nn_activation.l2_normalize(y_true, axis=axis)
                               * nn_activation.l2_normalize(y_pred, axis=axis), axis)
