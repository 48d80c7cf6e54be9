"""Losses of batches: objects that reduce the losses of samples."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.keras import losses_functions as functions
from ramet.keras.utils import generic_utils
from ramet.ops.array import array_ops
from ramet.ops.losses import squeeze_ops
from ramet.ops.math import math_ops


@export('keras.losses.Reduction')
class Reduction:
    """How a loss combines the losses of samples: AUTO, NONE, SUM or SUM_OVER_BATCH_SIZE (the mean)."""

    AUTO = 'auto'
    NONE = 'none'
    SUM = 'sum'
    SUM_OVER_BATCH_SIZE = 'sum_over_batch_size'

    @classmethod
    def all(cls):
        """Returns all reductions."""
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key):
        """Checks that a reduction exists.

        Args:
          key: str.

        Raises:
          ValueError: if it does not.
        """
        if key not in cls.all():
            raise ValueError(f'Invalid Reduction Key {key}.')


def weighted(losses, sample_weight=None):
    """Returns the losses, multiplied by the weights of samples."""
    losses = ops.convert_to_tensor(losses)
    if sample_weight is None:
        return losses
    weights = math_ops.cast(sample_weight, losses.dtype)
    _, _, weights = squeeze_or_expand(losses, None, weights)
    return losses * weights


def squeeze_or_expand(y_pred, y_true=None, sample_weight=None):
    """Removes or adds a last axis of size 1, so that the ranks of labels and weights fit the predictions."""
    if y_true is not None:
        ranks = y_pred.shape.ndims, y_true.shape.ndims
        if None in ranks or ranks[0] - ranks[1] != 0 or y_pred.shape.as_list()[-1:] == [1]:
            y_true, y_pred = squeeze_ops.remove_squeezable_dimensions(y_true, y_pred)
    if sample_weight is None:
        return y_pred, y_true, None
    rank, predicted = sample_weight.shape.ndims, y_pred.shape.ndims
    if rank and predicted is not None and predicted - rank == 1:
        sample_weight = array_ops.expand_dims(sample_weight, -1)
    elif rank and predicted is not None and rank - predicted == 1:
        sample_weight = array_ops.squeeze(sample_weight, [-1])
    return y_pred, y_true, sample_weight


@export('keras.losses.Loss')
class Loss:
    """The base class of losses: callables that combine the losses of samples, which `call` returns.

    Args:
      reduction: a Reduction; AUTO means SUM_OVER_BATCH_SIZE.
      name: the name of the loss.
    """

    def __init__(self, reduction=Reduction.AUTO, name=None):
        Reduction.validate(reduction)
        self.reduction = reduction
        self.name = name

    def __call__(self, y_true, y_pred, sample_weight=None):
        """Returns the loss of a batch.

        Args:
          y_true: the true values.
          y_pred: the predicted values.
          sample_weight: the weights of samples, or None.
        """
        with ops.name_scope((self.name or type(self).__name__).replace('<', '').replace('>', '')):
            losses = weighted(self.call(y_true, y_pred), sample_weight)
            return self.reduced(losses)

    def reduced(self, losses):
        """Combines weighted losses.

        Args:
          losses: a Tensor.
        """
        if self.reduction == Reduction.NONE:
            return losses
        total = math_ops.reduce_sum(losses)
        if self.reduction == Reduction.SUM:
            return total
        return math_ops.div_no_nan(total, math_ops.cast(array_ops.size(losses), total.dtype))

    def call(self, y_true, y_pred):
        """Returns the losses of samples. Subclasses override it.

        Args:
          y_true: the true values.
          y_pred: the predicted values.
        """
        raise NotImplementedError('Must be implemented in subclasses.')

    def get_config(self):
        """Returns the arguments as a dict that can be serialized as JSON."""
        return {'reduction': self.reduction, 'name': self.name}

    @classmethod
    def from_config(cls, config):
        """Creates a loss from the result of get_config.

        Args:
          config: a dict of arguments.
        """
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A loss that a function computes.

    Args:
      fn: a function (y_true, y_pred, **kwargs).
      reduction: a Reduction.
      name: the name of the loss.
      **kwargs: further arguments of `fn`.
    """

    def __init__(self, fn, reduction=Reduction.AUTO, name=None, **kwargs):
        super().__init__(reduction=reduction, name=name)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true, y_pred):
        y_pred, y_true = ops.convert_to_tensor(y_pred), ops.convert_to_tensor(y_true)
        ranks = y_pred.shape.ndims, y_true.shape.ndims
        if None not in ranks and abs(ranks[0] - ranks[1]) == 1:
            y_true, y_pred = squeeze_ops.remove_squeezable_dimensions(y_true, y_pred)
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self):
        return {**super().get_config(), **self._fn_kwargs}


@export('keras.losses.MeanSquaredError')
@with_args_of(Loss)
class MeanSquaredError(LossFunctionWrapper):
    """A loss: the mean of squared differences."""

    def __init__(self, reduction=Reduction.AUTO, name='mean_squared_error'):
        super().__init__(functions.mean_squared_error, name=name, reduction=reduction)


@export('keras.losses.MeanAbsoluteError')
@with_args_of(Loss)
class MeanAbsoluteError(LossFunctionWrapper):
    """A loss: the mean of absolute differences."""

    def __init__(self, reduction=Reduction.AUTO, name='mean_absolute_error'):
        super().__init__(functions.mean_absolute_error, name=name, reduction=reduction)


@export('keras.losses.MeanAbsolutePercentageError')
@with_args_of(Loss)
class MeanAbsolutePercentageError(LossFunctionWrapper):
    """A loss: the mean of absolute differences in percent."""

    def __init__(self, reduction=Reduction.AUTO, name='mean_absolute_percentage_error'):
        super().__init__(functions.mean_absolute_percentage_error, name=name, reduction=reduction)


@export('keras.losses.MeanSquaredLogarithmicError')
@with_args_of(Loss)
class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """A loss: the mean squared difference of log(x + 1)."""

    def __init__(self, reduction=Reduction.AUTO, name='mean_squared_logarithmic_error'):
        super().__init__(functions.mean_squared_logarithmic_error, name=name, reduction=reduction)


@export('keras.losses.SquaredHinge')
@with_args_of(Loss)
class SquaredHinge(LossFunctionWrapper):
    """A loss: the mean of the squares of max(1 - y_true * y_pred, 0)."""

    def __init__(self, reduction=Reduction.AUTO, name='squared_hinge'):
        super().__init__(functions.squared_hinge, name=name, reduction=reduction)


@export('keras.losses.Hinge')
@with_args_of(Loss)
class Hinge(LossFunctionWrapper):
    """A loss: the mean of max(1 - y_true * y_pred, 0)."""

    def __init__(self, reduction=Reduction.AUTO, name='hinge'):
        super().__init__(functions.hinge, name=name, reduction=reduction)


@export('keras.losses.CategoricalHinge')
@with_args_of(Loss)
class CategoricalHinge(LossFunctionWrapper):
    """A loss: max(largest prediction of a wrong class - prediction of the true class + 1, 0)."""

    def __init__(self, reduction=Reduction.AUTO, name='categorical_hinge'):
        super().__init__(functions.categorical_hinge, name=name, reduction=reduction)


@export('keras.losses.Poisson')
@with_args_of(Loss)
class Poisson(LossFunctionWrapper):
    """A loss: the mean of y_pred - y_true * log(y_pred)."""

    def __init__(self, reduction=Reduction.AUTO, name='poisson'):
        super().__init__(functions.poisson, name=name, reduction=reduction)


@export('keras.losses.LogCosh')
@with_args_of(Loss)
class LogCosh(LossFunctionWrapper):
    """A loss: the mean logarithm of the hyperbolic cosine of differences."""

    def __init__(self, reduction=Reduction.AUTO, name='logcosh'):
        super().__init__(functions.logcosh, name=name, reduction=reduction)


@export('keras.losses.KLDivergence')
@with_args_of(Loss)
class KLDivergence(LossFunctionWrapper):
    """A loss: the sum of y_true * log(y_true / y_pred)."""

    def __init__(self, reduction=Reduction.AUTO, name='kullback_leibler_divergence'):
        super().__init__(functions.kullback_leibler_divergence, name=name, reduction=reduction)


@export('keras.losses.BinaryCrossentropy')
@with_args_of(functions.binary_crossentropy, Loss)
class BinaryCrossentropy(LossFunctionWrapper):
    """A loss: the mean cross-entropy of elements."""

    def __init__(self, from_logits=False, label_smoothing=0, reduction=Reduction.AUTO, name='binary_crossentropy'):
        super().__init__(functions.binary_crossentropy, name=name, reduction=reduction, from_logits=from_logits,
                         label_smoothing=label_smoothing)
        self.from_logits = from_logits


@export('keras.losses.CategoricalCrossentropy')
@with_args_of(functions.categorical_crossentropy, Loss)
class CategoricalCrossentropy(LossFunctionWrapper):
    """A loss: the cross-entropy of distributions."""

    def __init__(self, from_logits=False, label_smoothing=0, reduction=Reduction.AUTO,
                 name='categorical_crossentropy'):
        super().__init__(functions.categorical_crossentropy, name=name, reduction=reduction, from_logits=from_logits,
                         label_smoothing=label_smoothing)


@export('keras.losses.SparseCategoricalCrossentropy')
@with_args_of(functions.sparse_categorical_crossentropy, Loss)
class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """A loss: the cross-entropy of distributions with classes."""

    def __init__(self, from_logits=False, reduction=Reduction.AUTO, name='sparse_categorical_crossentropy'):
        super().__init__(functions.sparse_categorical_crossentropy, name=name, reduction=reduction,
                         from_logits=from_logits)


@export('keras.losses.Huber')
@with_args_of(Loss)
class Huber(LossFunctionWrapper):
    """A loss: squares of differences below delta, and linear above.

    Args:
      delta: the difference at which the loss becomes linear.
    """

    def __init__(self, delta=1.0, reduction=Reduction.AUTO, name='huber_loss'):
        super().__init__(functions.huber_loss, name=name, reduction=reduction, delta=delta)


@export('keras.losses.CosineSimilarity')
@with_args_of(functions.cosine_similarity, Loss)
class CosineSimilarity(LossFunctionWrapper):
    """A loss: the negative cosine of the angle between vectors."""

    def __init__(self, axis=-1, reduction=Reduction.AUTO, name='cosine_similarity'):
        super().__init__(functions.cosine_similarity, name=name, reduction=reduction, axis=axis)


_NAMES = {name: value for name, value in [*vars(functions).items(), *globals().items()]
          if not name.startswith('_') and (isinstance(value, type) and issubclass(value, Loss)
                                           or getattr(value, '__module__', None) == functions.__name__)}
_NAMES.update(functions.SHORT_NAMES, cosine_proximity=functions.cosine_similarity, cosine=functions.cosine_similarity)


@export('keras.losses.serialize')
def serialize(loss):
    """Returns the name or configuration of a loss.

    Args:
      loss: a function or a Loss.
    """
    return generic_utils.serialize_keras_object(loss)


@export('keras.losses.deserialize')
def deserialize(name, custom_objects=None):
    """Returns the loss with a name or configuration.

    Args:
      name: a name, or a dict with class_name and config.
      custom_objects: a dict from names to the program's own classes and functions.

    Raises:
      ValueError: if the name is unknown.
    """
    return generic_utils.deserialize_keras_object(name, _NAMES, custom_objects, 'loss function')


@export('keras.losses.get')
def get(identifier):
    """Returns a loss.

    Args:
      identifier: its name or configuration; a function or a Loss; or None.

    Raises:
      ValueError: if the name is unknown, or it is something else.
    """
    return None if identifier is None else generic_utils.interpreted(identifier, deserialize, 'loss function')
