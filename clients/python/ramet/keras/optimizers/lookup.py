"""Finds optimizers by name."""

from ramet.api import export
from ramet.keras.optimizers import optimizers
from ramet.keras.optimizers.optimizer import Optimizer
from ramet.keras.utils import generic_utils
from ramet.train import optimizer as train_optimizer

_CLASSES = (optimizers.SGD, optimizers.RMSprop, optimizers.Adagrad, optimizers.Adadelta, optimizers.Adam,
            optimizers.Adamax, optimizers.Nadam, optimizers.Ftrl)
_NAMES = {cls.__name__.lower(): cls for cls in _CLASSES}


@export('keras.optimizers.serialize')
def serialize(optimizer):
    """Returns the configuration of an optimizer.

    Args:
      optimizer: an Optimizer.
    """
    return generic_utils.serialize_keras_object(optimizer)


@export('keras.optimizers.deserialize')
def deserialize(config, custom_objects=None):
    """Creates an optimizer from a configuration.

    Args:
      config: a dict with class_name and config.
      custom_objects: a dict from names to the program's own classes.

    Raises:
      ValueError: if the class is unknown.
    """
    if config['class_name'].lower() in _NAMES:
        config = {**config, 'class_name': config['class_name'].lower()}
    return generic_utils.deserialize_keras_object(config, _NAMES, custom_objects, 'optimizer')


@export('keras.optimizers.get')
def get(identifier):
    """Returns an optimizer.

    Args:
      identifier: its name or configuration; an Optimizer; or a tf.train.Optimizer.

    Raises:
      ValueError: if the name is unknown, or it is something else.
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, train_optimizer.Optimizer):
        return optimizers.TFOptimizer(identifier)
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({'class_name': identifier, 'config': {}})
    raise ValueError(f'Could not interpret optimizer identifier: {identifier}')
