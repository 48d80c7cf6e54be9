"""How a variable relates to its copies on other devices."""

import enum

from ramet.api import export


@export('VariableSynchronization')
class VariableSynchronization(enum.Enum):
    """When to synchronize the copies of a variable on several devices."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@export('VariableAggregation')
class VariableAggregation(enum.Enum):
    """How to combine the updates of a variable from several devices."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


def checked_modes(synchronization, aggregation, trainable, name):
    """Returns the two arguments as enums, and whether a variable is trainable.

    Raises:
      ValueError: if a mode is not a member of its enum.
    """
    synchronization = _member(VariableSynchronization, synchronization, 'synchronization', name)
    aggregation = _member(VariableAggregation, aggregation, 'aggregation', name)
    if trainable is None:
        trainable = synchronization != VariableSynchronization.ON_READ
    return synchronization, aggregation, trainable


def _member(enum_class, value, what, name):
    if value is None:
        return enum_class(0)
    try:
        return enum_class(value)
    except ValueError:
        raise ValueError(f'Invalid variable {what} mode: {value} for variable: {name}') from None
