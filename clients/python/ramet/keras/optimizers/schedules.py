"""tf.keras.optimizers.schedules: learning rates that depend on the step."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras.utils import generic_utils
from ramet.ops.math import math_ops
from ramet.train import learning_rate_decay as decays


@export('keras.optimizers.schedules.LearningRateSchedule')
class LearningRateSchedule:
    """The base class of schedules: callables from a step to a learning rate.

    Args:
      *args: the values of the arguments that the subclass lists in `_fields`.
      **kwargs: the same, by name.
    """

    _fields = ()

    def __init__(self, *args, **kwargs):
        given = dict(zip(self._fields, args))
        for key, value in {**given, **kwargs}.items():
            setattr(self, key, value)

    def __call__(self, step):
        """Returns the learning rate at a step.

        Args:
          step: a Tensor.
        """
        raise NotImplementedError('Learning rate schedule must override __call__')

    def get_config(self):
        """Returns the arguments as a dict that can be serialized as JSON."""
        return {field: getattr(self, field) for field in self._fields}

    @classmethod
    def from_config(cls, config):
        """Creates a schedule from the result of get_config.

        Args:
          config: a dict of arguments.
        """
        return cls(**config)


@export('keras.optimizers.schedules.ExponentialDecay')
@with_args_of(decays.exponential_decay)
class ExponentialDecay(LearningRateSchedule):
    """initial_learning_rate * decay_rate ^ (step / decay_steps).

    Args:
      initial_learning_rate: the learning rate at step 0.
    """

    _fields = ('initial_learning_rate', 'decay_steps', 'decay_rate', 'staircase', 'name')

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        super().__init__(initial_learning_rate, decay_steps, decay_rate, staircase, name)

    def __call__(self, step):
        return decays.exponential_decay(self.initial_learning_rate, step, self.decay_steps, self.decay_rate,
                                        staircase=self.staircase, name=self.name or 'ExponentialDecay')


@export('keras.optimizers.schedules.InverseTimeDecay')
@with_args_of(decays.inverse_time_decay)
class InverseTimeDecay(LearningRateSchedule):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps).

    Args:
      initial_learning_rate: the learning rate at step 0.
    """

    _fields = ('initial_learning_rate', 'decay_steps', 'decay_rate', 'staircase', 'name')

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        super().__init__(initial_learning_rate, decay_steps, decay_rate, staircase, name)

    def __call__(self, step):
        return decays.inverse_time_decay(self.initial_learning_rate, step, self.decay_steps, self.decay_rate,
                                         staircase=self.staircase, name=self.name or 'InverseTimeDecay')


@export('keras.optimizers.schedules.PiecewiseConstantDecay')
@with_args_of(decays.piecewise_constant)
class PiecewiseConstantDecay(LearningRateSchedule):
    """A constant for each interval between boundaries.

    Raises:
      ValueError: if the number of values is not the number of boundaries plus one.
    """

    _fields = ('boundaries', 'values', 'name')

    def __init__(self, boundaries, values, name=None):
        if len(boundaries) != len(values) - 1:
            raise ValueError('The length of boundaries should be 1 less than the length of values')
        super().__init__(boundaries, values, name)

    def __call__(self, step):
        boundaries = [math_ops.cast(b, step.dtype.base_dtype) for b in self.boundaries]
        return decays.piecewise_constant(step, boundaries, self.values, name=self.name or 'PiecewiseConstant')


@export('keras.optimizers.schedules.PolynomialDecay')
@with_args_of(decays.polynomial_decay)
class PolynomialDecay(LearningRateSchedule):
    """A polynomial from initial_learning_rate to end_learning_rate.

    Args:
      initial_learning_rate: the learning rate at step 0.
    """

    _fields = ('initial_learning_rate', 'decay_steps', 'end_learning_rate', 'power', 'cycle', 'name')

    def __init__(self, initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False,
                 name=None):
        super().__init__(initial_learning_rate, decay_steps, end_learning_rate, power, cycle, name)

    def __call__(self, step):
        return decays.polynomial_decay(self.initial_learning_rate, step, self.decay_steps, self.end_learning_rate,
                                       power=self.power, cycle=self.cycle, name=self.name or 'PolynomialDecay')


@export('keras.experimental.CosineDecay')
@with_args_of(decays.cosine_decay)
class CosineDecay(LearningRateSchedule):
    """Half a period of a cosine from initial_learning_rate to alpha * initial_learning_rate.

    Args:
      initial_learning_rate: the learning rate at step 0.
    """

    _fields = ('initial_learning_rate', 'decay_steps', 'alpha', 'name')

    def __init__(self, initial_learning_rate, decay_steps, alpha=0.0, name=None):
        super().__init__(initial_learning_rate, decay_steps, alpha, name)

    def __call__(self, step):
        return decays.cosine_decay(self.initial_learning_rate, step, self.decay_steps, alpha=self.alpha,
                                   name=self.name or 'CosineDecay')


_NAMES = {cls.__name__: cls for cls in (ExponentialDecay, InverseTimeDecay, PiecewiseConstantDecay, PolynomialDecay,
                                        CosineDecay)}


@export('keras.optimizers.schedules.serialize')
def serialize(learning_rate_schedule):
    """Returns the configuration of a schedule.

    Args:
      learning_rate_schedule: a LearningRateSchedule.
    """
    return generic_utils.serialize_keras_object(learning_rate_schedule)


@export('keras.optimizers.schedules.deserialize')
def deserialize(config, custom_objects=None):
    """Creates a schedule from a configuration.

    Args:
      config: a dict with class_name and config.
      custom_objects: a dict from names to the program's own classes.

    Raises:
      ValueError: if the class is unknown.
    """
    return generic_utils.deserialize_keras_object(config, _NAMES, custom_objects, 'decay')
