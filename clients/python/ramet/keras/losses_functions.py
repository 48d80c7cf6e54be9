"""Losses of each sample: functions of the true and the predicted values."""

import numpy as np

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.keras.backend import config, nn, tensors
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation


def _converted(y_true, y_pred):
    y_pred = ops.convert_to_tensor(y_pred)
    return math_ops.cast(y_true, y_pred.dtype.base_dtype), y_pred


def _mean(x, axis=-1):
    return math_ops.reduce_mean(x, axis)


@export('keras.losses.mean_squared_error', 'keras.losses.mse', 'keras.losses.MSE',
        'keras.metrics.mean_squared_error', 'keras.metrics.mse', 'keras.metrics.MSE')
def mean_squared_error(y_true, y_pred):
    """Returns the mean of squared differences over the last axis.

    Args:
      y_true: the true values.
      y_pred: the predicted values.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    return _mean(math_ops.squared_difference(y_pred, y_true))


@export('keras.losses.mean_absolute_error', 'keras.losses.mae', 'keras.losses.MAE',
        'keras.metrics.mean_absolute_error', 'keras.metrics.mae', 'keras.metrics.MAE')
@with_args_of(mean_squared_error)
def mean_absolute_error(y_true, y_pred):
    """Returns the mean of absolute differences over the last axis."""
    y_true, y_pred = _converted(y_true, y_pred)
    return _mean(math_ops.abs(y_pred - y_true))


@export('keras.losses.mean_absolute_percentage_error', 'keras.losses.mape', 'keras.losses.MAPE',
        'keras.metrics.mean_absolute_percentage_error', 'keras.metrics.mape', 'keras.metrics.MAPE')
@with_args_of(mean_squared_error)
def mean_absolute_percentage_error(y_true, y_pred):
    """Returns the mean of absolute differences over the last axis, in percent of the true values."""
    y_true, y_pred = _converted(y_true, y_pred)
    return 100. * _mean(math_ops.abs((y_true - y_pred) / tensors.clip(math_ops.abs(y_true), config.epsilon(), None)))


@export('keras.losses.mean_squared_logarithmic_error', 'keras.losses.msle', 'keras.losses.MSLE',
        'keras.metrics.mean_squared_logarithmic_error', 'keras.metrics.msle', 'keras.metrics.MSLE')
@with_args_of(mean_squared_error)
def mean_squared_logarithmic_error(y_true, y_pred):
    """Returns the mean over the last axis of the squared differences of log(x + 1)."""
    y_true, y_pred = _converted(y_true, y_pred)
    first = math_ops.log(tensors.clip(y_pred, config.epsilon(), None) + 1.)
    second = math_ops.log(tensors.clip(y_true, config.epsilon(), None) + 1.)
    return _mean(math_ops.squared_difference(first, second))


def _with_signs(y_true):
    """Converts labels 0 and 1 to -1 and 1."""
    binary = math_ops.reduce_all(math_ops.logical_or(math_ops.equal(y_true, 0), math_ops.equal(y_true, 1)))
    return nn.switch(binary, lambda: 2. * y_true - 1., lambda: y_true)


@export('keras.losses.hinge', 'keras.metrics.hinge')
@with_args_of(mean_squared_error)
def hinge(y_true, y_pred):
    """Returns the mean of max(1 - y_true * y_pred, 0) over the last axis. Labels are -1 and 1, or 0 and 1."""
    y_true, y_pred = _converted(y_true, y_pred)
    return _mean(math_ops.maximum(1. - _with_signs(y_true) * y_pred, 0.))


@export('keras.losses.squared_hinge', 'keras.metrics.squared_hinge')
@with_args_of(mean_squared_error)
def squared_hinge(y_true, y_pred):
    """Returns the mean of the squares of max(1 - y_true * y_pred, 0) over the last axis; see hinge."""
    y_true, y_pred = _converted(y_true, y_pred)
    return _mean(math_ops.square(math_ops.maximum(1. - _with_signs(y_true) * y_pred, 0.)))


@export('keras.losses.categorical_hinge')
@with_args_of(mean_squared_error)
def categorical_hinge(y_true, y_pred):
    """Returns max(largest prediction of a wrong class - prediction of the true class + 1, 0)."""
    y_true, y_pred = _converted(y_true, y_pred)
    positive = math_ops.reduce_sum(y_true * y_pred, -1)
    negative = math_ops.reduce_max((1. - y_true) * y_pred, -1)
    return math_ops.maximum(0., negative - positive + 1.)


@export('keras.losses.logcosh')
@with_args_of(mean_squared_error)
def logcosh(y_true, y_pred):
    """Returns the mean over the last axis of the logarithm of the hyperbolic cosine of differences."""
    y_true, y_pred = _converted(y_true, y_pred)
    x = y_pred - y_true
    return _mean(x + math_ops.softplus(-2. * x) - math_ops.cast(np.log(2.), x.dtype))


def huber_loss(y_true, y_pred, delta=1.0):
    """Returns the mean of losses that are squares for differences below delta and linear above."""
    y_true, y_pred = _converted(y_true, y_pred)
    delta = math_ops.cast(delta, y_pred.dtype.base_dtype)
    error = math_ops.abs(y_pred - y_true)
    half = ops.convert_to_tensor(0.5, dtype=error.dtype)
    return _mean(array_ops.where(error <= delta, half * math_ops.square(error),
                                 delta * error - half * math_ops.square(delta)))


def _smoothed(y_true, label_smoothing, classes):
    """Moves a part of the probability to all classes."""
    if isinstance(label_smoothing, (int, float)) and not label_smoothing:
        return y_true
    return y_true * (1.0 - label_smoothing) + label_smoothing / classes


@export('keras.losses.categorical_crossentropy', 'keras.metrics.categorical_crossentropy')
def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    """Returns the cross-entropy of distributions.

    Args:
      y_true: the true probabilities.
      y_pred: the predicted probabilities or logits.
      from_logits: whether `y_pred` contains logits.
      label_smoothing: the part of the probability that moves to all classes.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    classes = math_ops.cast(array_ops.shape(y_true)[1], y_pred.dtype) if label_smoothing else None
    return nn.categorical_crossentropy(_smoothed(y_true, label_smoothing, classes), y_pred, from_logits=from_logits)


@export('keras.losses.sparse_categorical_crossentropy', 'keras.metrics.sparse_categorical_crossentropy')
def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, axis=-1):
    """Returns the cross-entropy of distributions with classes.

    Args:
      y_true: the numbers of the true classes.
      y_pred: the predicted probabilities or logits.
      from_logits: whether `y_pred` contains logits.
      axis: the axis of the classes.
    """
    return nn.sparse_categorical_crossentropy(ops.convert_to_tensor(y_true), y_pred, from_logits=from_logits,
                                              axis=axis)


@export('keras.losses.binary_crossentropy', 'keras.metrics.binary_crossentropy')
def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    """Returns the mean over the last axis of the cross-entropies of elements.

    Args:
      y_true: the true probabilities.
      y_pred: the predicted probabilities or logits.
      from_logits: whether `y_pred` contains logits.
      label_smoothing: the part of the probability that moves to 1/2.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    return _mean(nn.binary_crossentropy(_smoothed(y_true, label_smoothing, 2.), y_pred, from_logits=from_logits))


@export('keras.losses.kullback_leibler_divergence', 'keras.losses.kld', 'keras.losses.KLD',
        'keras.metrics.kullback_leibler_divergence', 'keras.metrics.kld', 'keras.metrics.KLD')
@with_args_of(mean_squared_error)
def kullback_leibler_divergence(y_true, y_pred):
    """Returns the sum over the last axis of y_true * log(y_true / y_pred)."""
    y_true, y_pred = _converted(y_true, y_pred)
    y_true = tensors.clip(y_true, config.epsilon(), 1)
    y_pred = tensors.clip(y_pred, config.epsilon(), 1)
    return math_ops.reduce_sum(y_true * math_ops.log(y_true / y_pred), -1)


@export('keras.losses.poisson', 'keras.metrics.poisson')
@with_args_of(mean_squared_error)
def poisson(y_true, y_pred):
    """Returns the mean over the last axis of y_pred - y_true * log(y_pred)."""
    y_true, y_pred = _converted(y_true, y_pred)
    return _mean(y_pred - y_true * math_ops.log(y_pred + config.epsilon()))


@export('keras.losses.cosine_similarity', 'keras.losses.cosine_proximity', 'keras.losses.cosine')
def cosine_similarity(y_true, y_pred, axis=-1):
    """Returns the negative cosine of the angle between vectors.

    Args:
      y_true: the true values.
      y_pred: the predicted values.
      axis: the axis of the vectors.
    """
    y_true, y_pred = _converted(y_true, y_pred)
    return -math_ops.reduce_sum(nn_activation.l2_normalize(y_true, axis=axis)
                                * nn_activation.l2_normalize(y_pred, axis=axis), axis)


SHORT_NAMES = {
    'mse': mean_squared_error, 'MSE': mean_squared_error,
    'mae': mean_absolute_error, 'MAE': mean_absolute_error,
    'mape': mean_absolute_percentage_error, 'MAPE': mean_absolute_percentage_error,
    'msle': mean_squared_logarithmic_error, 'MSLE': mean_squared_logarithmic_error,
    'kld': kullback_leibler_divergence, 'KLD': kullback_leibler_divergence,
}
