"""tf.keras.constraints: functions that optimizers apply to new values of variables."""

from ramet.api import export
from ramet.keras.backend import config, tensors
from ramet.keras.utils import generic_utils
from ramet.ops.math import math_ops


@export('keras.constraints.Constraint')
class Constraint:
    """The base class of constraints: callables that return a permitted value near a value."""

    def __call__(self, w):
        return w

    def get_config(self):
        """Returns the arguments as a dict that can be serialized as JSON."""
        return {}


def _norm(w, axis):
    return tensors.sqrt(math_ops.reduce_sum(math_ops.square(w), axis, True))


@export('keras.constraints.MaxNorm', 'keras.constraints.max_norm')
class MaxNorm(Constraint):
    """Limits the norm of the weights of each unit.

    Args:
      max_value: the largest norm.
      axis: the axis (or axes) along which norms are computed.
    """

    def __init__(self, max_value=2, axis=0):
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w):
        norms = _norm(w, self.axis)
        return w * (tensors.clip(norms, 0, self.max_value) / (config.epsilon() + norms))

    def get_config(self):
        return {'max_value': self.max_value, 'axis': self.axis}


@export('keras.constraints.NonNeg', 'keras.constraints.non_neg')
class NonNeg(Constraint):
    """Replaces negative weights by zero."""

    def __call__(self, w):
        return w * math_ops.cast(math_ops.greater_equal(w, 0.), w.dtype.base_dtype)


@export('keras.constraints.UnitNorm', 'keras.constraints.unit_norm')
class UnitNorm(Constraint):
    """Scales the weights of each unit to norm 1.

    Args:
      axis: the axis (or axes) along which norms are computed.
    """

    def __init__(self, axis=0):
        self.axis = axis

    def __call__(self, w):
        return w / (config.epsilon() + _norm(w, self.axis))

    def get_config(self):
        return {'axis': self.axis}


@export('keras.constraints.MinMaxNorm', 'keras.constraints.min_max_norm')
class MinMaxNorm(Constraint):
    """Limits the norm of the weights of each unit from both sides.

    Args:
      min_value: the smallest norm.
      max_value: the largest norm.
      rate: the fraction of the way to the nearest permitted norm that an update goes.
      axis: the axis (or axes) along which norms are computed.
    """

    def __init__(self, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
        self.min_value = min_value
        self.max_value = max_value
        self.rate = rate
        self.axis = axis

    def __call__(self, w):
        norms = _norm(w, self.axis)
        desired = self.rate * tensors.clip(norms, self.min_value, self.max_value) + (1 - self.rate) * norms
        return w * (desired / (config.epsilon() + norms))

    def get_config(self):
        return {'min_value': self.min_value, 'max_value': self.max_value, 'rate': self.rate, 'axis': self.axis}


_NAMES = {'Constraint': Constraint, 'MaxNorm': MaxNorm, 'max_norm': MaxNorm, 'NonNeg': NonNeg, 'non_neg': NonNeg,
          'nonneg': NonNeg, 'UnitNorm': UnitNorm, 'unit_norm': UnitNorm, 'unitnorm': UnitNorm, 'maxnorm': MaxNorm,
          'MinMaxNorm': MinMaxNorm, 'min_max_norm': MinMaxNorm}


@export('keras.constraints.serialize')
def serialize(constraint):
    """Returns the configuration of a constraint.

    Args:
      constraint: a constraint or None.
    """
    return generic_utils.serialize_keras_object(constraint)


@export('keras.constraints.deserialize')
def deserialize(config, custom_objects=None):
    """Returns the constraint with a name or configuration.

    Args:
      config: a name, or a dict with class_name and config.
      custom_objects: a dict from names to the program's own classes and functions.

    Raises:
      ValueError: if the name is unknown.
    """
    return generic_utils.deserialize_keras_object(config, _NAMES, custom_objects, 'constraint')


@export('keras.constraints.get')
def get(identifier):
    """Returns a constraint.

    Args:
      identifier: its name or configuration; a constraint; or None.

    Raises:
      ValueError: if the name is unknown, or it is something else.
    """
    return None if identifier is None else generic_utils.interpreted(identifier, deserialize, 'constraint')
