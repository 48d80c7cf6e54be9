"""tf.keras.initializers: finds initializers by name. Their classes are those of tf.initializers."""

from ramet.api import export
from ramet.keras.utils import generic_utils
from ramet.ops.initializers import init_ops, init_random
from ramet.ops.initializers.init_values import Initializer

_NAMES = {
    'Initializer': Initializer,
    'Constant': init_ops.Constant, 'constant': init_ops.Constant,
    'GlorotNormal': init_ops.GlorotNormal, 'glorot_normal': init_ops.GlorotNormal,
    'GlorotUniform': init_ops.GlorotUniform, 'glorot_uniform': init_ops.GlorotUniform,
    'HeNormal': init_ops.he_normal, 'he_normal': init_ops.he_normal,
    'HeUniform': init_ops.he_uniform, 'he_uniform': init_ops.he_uniform,
    'Identity': init_ops.Identity, 'identity': init_ops.Identity,
    'LecunNormal': init_ops.lecun_normal, 'lecun_normal': init_ops.lecun_normal,
    'LecunUniform': init_ops.lecun_uniform, 'lecun_uniform': init_ops.lecun_uniform,
    'Ones': init_ops.Ones, 'ones': init_ops.Ones,
    'Orthogonal': init_random.Orthogonal, 'orthogonal': init_random.Orthogonal,
    'RandomNormal': init_ops.KerasRandomNormal, 'random_normal': init_ops.KerasRandomNormal,
    'normal': init_ops.KerasRandomNormal,
    'RandomUniform': init_ops.KerasRandomUniform, 'random_uniform': init_ops.KerasRandomUniform,
    'uniform': init_ops.KerasRandomUniform,
    'TruncatedNormal': init_ops.KerasTruncatedNormal, 'truncated_normal': init_ops.KerasTruncatedNormal,
    'VarianceScaling': init_ops.VarianceScaling,
    'Zeros': init_ops.Zeros, 'zeros': init_ops.Zeros,
}
_CLASS_NAMES = {init_ops.KerasRandomNormal: 'RandomNormal', init_ops.KerasRandomUniform: 'RandomUniform',
                init_ops.KerasTruncatedNormal: 'TruncatedNormal'}
_FUNCTIONS = {'he_normal', 'he_uniform', 'lecun_normal', 'lecun_uniform', 'HeNormal', 'HeUniform', 'LecunNormal',
              'LecunUniform'}


@export('keras.initializers.serialize')
def serialize(initializer):
    """Returns the configuration of an initializer.

    Args:
      initializer: an initializer, a function or None.
    """
    found = generic_utils.serialize_keras_object(initializer)
    if isinstance(found, dict):
        found['class_name'] = _CLASS_NAMES.get(type(initializer), found['class_name'])
    return found


@export('keras.initializers.deserialize')
def deserialize(config, custom_objects=None):
    """Returns the initializer with a name or configuration.

    Args:
      config: a name, or a dict with class_name and config.
      custom_objects: a dict from names to the program's own classes and functions.

    Raises:
      ValueError: if the name is unknown.
    """
    if isinstance(config, str) and config in _FUNCTIONS:
        return _NAMES[config]()
    if isinstance(config, dict) and 'dtype' in config.get('config', {}) and config['class_name'] in _FUNCTIONS:
        config = {**config, 'config': {k: v for k, v in config['config'].items() if k != 'dtype'}}
    return generic_utils.deserialize_keras_object(config, _NAMES, custom_objects, 'initializer')


@export('keras.initializers.get')
def get(identifier):
    """Returns an initializer.

    Args:
      identifier: its name or configuration; an initializer, or a class of them; or None.

    Raises:
      ValueError: if the name is unknown, or it is something else.
    """
    if identifier is None:
        return None
    if isinstance(identifier, type):
        return identifier()
    return generic_utils.interpreted(identifier, deserialize, 'initializer')
