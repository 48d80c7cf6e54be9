"""The outputs of a compiled model: their losses, weights and metrics."""

from ramet.framework import ops
from ramet.keras import losses, losses_functions
from ramet.keras.backend import config, values
from ramet.keras.metrics import functions, lookup, metric
from ramet.ops.array import array_placeholders
from ramet.ops.math import math_ops

_SPARSE = losses_functions.sparse_categorical_crossentropy


class Output:
    """An output of a compiled model.

    Attributes:
      tensor: the predicted values.
      name: the name of the output.
      loss: a Loss, or None.
      loss_weight: the factor of the loss in the total.
      target: the true values, a placeholder or a given tensor; None without a loss.
      weights: the placeholder of the weights of samples, or None.
    """

    def __init__(self, tensor, name, loss, loss_weight, mode=None, target=None):
        self.tensor, self.name = tensor, name
        self.loss, self.loss_weight = loss, loss_weight
        self.mode = mode
        self.target = target
        self.feeds_target = target is None and loss is not None
        self.weights = None
        self.loss_metric = None
        if self.feeds_target:
            self.target = values.placeholder(ndim=len(tensor.shape.as_list()), name=f'{name}_target',
                                             dtype=tensor.dtype.base_dtype.name)

    @property
    def is_sparse(self):
        """True if the true values are numbers of classes."""
        return isinstance(self.loss, losses.SparseCategoricalCrossentropy) or \
            getattr(self.loss, 'fn', None) is _SPARSE

    @property
    def target_shape(self):
        """The expected shape of the true values, or None for any."""
        shape = values.int_shape(self.tensor)
        if self.is_sparse:
            return (*shape[:-1], 1)
        known = getattr(getattr(self.loss, 'fn', None), '__module__', None) == losses_functions.__name__
        return shape if known else None

    def add_weights(self):
        """Creates the placeholder of the weights of samples."""
        if self.weights is None:
            ndim = 2 if self.mode == 'temporal' else 1
            self.weights = array_placeholders.placeholder(config.floatx(), shape=(None,) * ndim,
                                                          name=f'{self.name}_sample_weights')

    def loss_value(self):
        """Returns the loss of a batch, without its factor."""
        weights = self._masked_weights()
        with ops.name_scope(f'{self.name}_loss'):
            if not hasattr(self.loss, 'reduction'):
                return self.loss(self.target, self.tensor, sample_weight=weights)
            reduced = losses.weighted(self.loss.call(self.target, self.tensor), weights)
            return math_ops.reduce_sum(self.loss.reduced(reduced)) if self.loss.reduction == losses.Reduction.NONE \
                else self.loss.reduced(reduced)

    def mask(self):
        """Returns the mask of the predicted values in their type, or None."""
        mask = getattr(self.tensor, '_keras_mask', None)
        return None if mask is None else math_ops.cast(mask, self.tensor.dtype.base_dtype)

    def _masked_weights(self):
        mask = self.mask()
        if mask is None or self.weights is None:
            return self.weights if mask is None else mask
        mask, _, weights = losses.squeeze_or_expand(mask, None, self.weights)
        return weights * mask


def losses_of(loss, names):
    """Returns one Loss (or None) per output for the argument `loss` of compile.

    Raises:
      ValueError: if an output is unknown or the number is wrong.
    """
    if isinstance(loss, dict):
        unknown = [name for name in loss if name not in names]
        if unknown:
            raise ValueError(f'Unknown entries in loss dictionary: {unknown}. Only expected following keys: {names}')
        return [_as_loss(loss.get(name)) for name in names]
    if isinstance(loss, (list, tuple)):
        if len(loss) != len(names):
            raise ValueError('When passing a list as loss, it should have one entry per model outputs. The model has '
                             f'{len(names)} outputs, but you passed loss={loss}')
        return [_as_loss(item) for item in loss]
    return [_as_loss(loss) for _ in names]


def _as_loss(loss):
    if loss is None:
        return None
    loss = losses.get(loss)
    if isinstance(loss, losses.Loss):
        return loss
    return losses.LossFunctionWrapper(loss, name=getattr(loss, '__name__', None))


def loss_weights_of(weights, names):
    """Returns one factor per output for the argument `loss_weights` of compile.

    Raises:
      ValueError: if an output is unknown or the number is wrong.
      TypeError: if it is something else.
    """
    if weights is None:
        return [1.] * len(names)
    if isinstance(weights, dict):
        unknown = [name for name in weights if name not in names]
        if unknown:
            raise ValueError(f'Unknown entries in loss_weights dictionary: {unknown}. Only expected following keys: '
                             f'{names}')
        return [weights.get(name, 1.) for name in names]
    if isinstance(weights, (list, tuple)):
        if len(weights) != len(names):
            raise ValueError('When passing a list as loss_weights, it should have one entry per model output. The '
                             f'model has {len(names)} outputs, but you passed loss_weights={weights}')
        return list(weights)
    raise TypeError(f'Could not interpret loss_weights argument: {weights} - expected a list of dicts.')


def metrics_of(metrics, names, what='metrics'):
    """Returns a list of metrics per output for the argument `metrics` of compile.

    Raises:
      ValueError: if an output is unknown or the number is wrong.
      TypeError: if it is something else.
    """
    if not metrics:
        return [[] for _ in names]
    if isinstance(metrics, dict):
        unknown = [name for name in metrics if name not in names]
        if unknown:
            raise ValueError(f'Unknown entries in {what} dictionary: {unknown}. Only expected following keys: {names}')
        found = [metrics.get(name, []) for name in names]
        return [list(m) if isinstance(m, (list, tuple)) else [m] for m in found]
    if not isinstance(metrics, (list, tuple)):
        raise TypeError(f'Type of `metrics` argument not understood. Expected a list or dictionary, found: {metrics}')
    if any(isinstance(m, (list, tuple)) for m in metrics):
        if len(metrics) != len(names):
            raise ValueError('When passing a list of lists as `metrics`, it should have one entry per model output. '
                             f'The model has {len(names)} outputs, but you passed metrics={metrics}')
        return [list(m) if isinstance(m, (list, tuple)) else [m] for m in metrics]
    if len(names) > 1:
        return [[_copied(m) for m in metrics] for _ in names]
    return [list(metrics)]


def _copied(item):
    return type(item).from_config(item.get_config()) if isinstance(item, metric.Metric) else item


def named_metric(given, output, weighted):
    """Returns (name, Metric) for a name, function or Metric given to compile."""
    prefix = 'weighted_' if weighted else ''
    if given in ('accuracy', 'acc'):
        return f'{prefix}acc', metric.MeanMetricWrapper(_accuracy_of(output), name=f'{prefix}acc')
    if given in ('crossentropy', 'ce'):
        return f'{prefix}ce', metric.MeanMetricWrapper(_crossentropy_of(output), name=f'{prefix}ce')
    found = lookup.get(given)
    if isinstance(found, type):
        found = found()
    if isinstance(found, metric.Metric):
        return found.name, found
    name = f'{prefix}{found.name if hasattr(found, "name") else found.__name__}'
    return name, metric.MeanMetricWrapper(_call_of(found), name=name)


def _call_of(found):
    """Returns a function with a name for a function or a loss."""
    if isinstance(found, losses.Loss):
        return found.call
    return found


def _is(output, function):
    return getattr(output.loss, 'fn', output.loss) is function


def _accuracy_of(output):
    if values.int_shape(output.tensor)[-1] == 1 or _is(output, losses_functions.binary_crossentropy):
        return functions.binary_accuracy
    return functions.sparse_categorical_accuracy if output.is_sparse else functions.categorical_accuracy


def _crossentropy_of(output):
    if values.int_shape(output.tensor)[-1] == 1 or _is(output, losses_functions.binary_crossentropy):
        return losses_functions.binary_crossentropy
    return _SPARSE if output.is_sparse else losses_functions.categorical_crossentropy
