"""Finds metrics by name."""

from ramet.api import export
from ramet.keras import losses_functions
from ramet.keras.metrics import confusion, functions, means, metric
from ramet.keras.utils import generic_utils

_NAMES = {name: value for module in (metric, means, confusion) for name, value in vars(module).items()
          if isinstance(value, type) and issubclass(value, metric.Metric) and not name.startswith('_')}
_NAMES.update({f.__name__: f for f in vars(losses_functions).values()
               if getattr(f, '__module__', None) == losses_functions.__name__ and not f.__name__.startswith('_')})
_NAMES.update({f.__name__: f for f in vars(functions).values()
               if getattr(f, '__module__', None) == functions.__name__ and not f.__name__.startswith('_')})
_NAMES.update(losses_functions.SHORT_NAMES)
_NAMES['cosine_proximity'] = functions.cosine_similarity


@export('keras.metrics.serialize')
def serialize(metric):
    """Returns the name or configuration of a metric.

    Args:
      metric: a function or a Metric.
    """
    return generic_utils.serialize_keras_object(metric)


@export('keras.metrics.deserialize')
def deserialize(config, custom_objects=None):
    """Returns the metric with a name or configuration.

    Args:
      config: a name, or a dict with class_name and config.
      custom_objects: a dict from names to the program's own classes and functions.

    Raises:
      ValueError: if the name is unknown.
    """
    return generic_utils.deserialize_keras_object(config, _NAMES, custom_objects, 'metric function')


@export('keras.metrics.get')
def get(identifier):
    """Returns a metric.

    Args:
      identifier: its name or configuration; a function or a Metric.

    Raises:
      ValueError: if the name is unknown, or it is something else.
    """
    return generic_utils.interpreted(identifier, deserialize, 'metric function')
