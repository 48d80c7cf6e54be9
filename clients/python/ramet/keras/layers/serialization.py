"""Finds layers by the names of their classes."""

import inspect

from ramet.api import export
from ramet.keras.engine.base_layer import Layer
from ramet.keras.utils import generic_utils

_registered = {}


def register(**classes):
    """Adds classes that configurations may name."""
    _registered.update(classes)


def known():
    """Returns a dict from the names of all classes of layers and models to the classes."""
    found = dict(_registered)
    waiting = list(Layer.__subclasses__())
    while waiting:
        cls = waiting.pop()
        waiting.extend(cls.__subclasses__())
        if cls.__module__.startswith('ramet.keras.'):
            found.setdefault(cls.__name__, cls)
    return found


@export('keras.layers.serialize')
def serialize(layer):
    """Returns the configuration of a layer, from which deserialize makes an equal one.

    Args:
      layer: a layer or model.
    """
    return {'class_name': type(layer).__name__, 'config': layer.get_config()}


@export('keras.layers.deserialize')
def deserialize(config, custom_objects=None):
    """Creates a layer or model from a configuration.

    Args:
      config: a dict with class_name and config.
      custom_objects: a dict from names to the program's own classes.

    Raises:
      ValueError: if the class is unknown.
    """
    classes = known()
    if isinstance(config, dict) and isinstance(config.get('config'), dict):
        config = {**config, 'config': _without_newer(config, classes)}
    return generic_utils.deserialize_keras_object(config, classes, custom_objects, 'layer')


# Arguments that later versions of Keras 2 write, and the values at which they change nothing.
_NEWER = {'groups': 1, 'optional': False, 'keepdims': False, 'synchronized': False, 'output_padding': None,
          'type_spec': None, 'dropout_seed': None, 'sparse': False, 'score_mode': 'dot', 'dropout': 0.0,
          'seed': None, 'noise_shape': None, 'renorm': False, 'virtual_batch_size': None, 'autocast': True}


def _without_newer(config, classes):
    """Returns the arguments of a layer without those that it lacks and that change nothing."""
    arguments = config['config']
    cls = classes.get(config.get('class_name'))
    if cls is None or not any(key in _NEWER for key in arguments):
        return arguments
    own = {name for base in cls.__mro__ if base is not object for name in inspect.signature(base.__init__).parameters}
    return {key: value for key, value in arguments.items()
            if key in own or key not in _NEWER or value != _NEWER[key]}

