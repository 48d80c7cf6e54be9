"""Serialization of objects by name and configuration."""

import codecs
import inspect
import marshal
import re
import types

from ramet.api import export

_custom_objects = {}


@export('keras.utils.get_custom_objects')
def get_custom_objects():
    """Returns the dict from names to the program's own classes and functions, which may be changed."""
    return _custom_objects


@export('keras.utils.CustomObjectScope')
class CustomObjectScope:
    """A context manager that adds own classes and functions inside.

    Args:
      *args: dicts from names to classes and functions.
    """

    def __init__(self, *args):
        self.custom_objects = args
        self.backup = None

    def __enter__(self):
        self.backup = _custom_objects.copy()
        for objects in self.custom_objects:
            _custom_objects.update(objects or {})
        return self

    def __exit__(self, *unused):
        _custom_objects.clear()
        _custom_objects.update(self.backup)


@export('keras.utils.custom_object_scope')
def custom_object_scope(*args):
    """Returns a context manager that adds own classes and functions inside.

    Args:
      *args: dicts from names to classes and functions.
    """
    return CustomObjectScope(*args)


@export('keras.utils.serialize_keras_object')
def serialize_keras_object(instance):
    """Returns the configuration of an object, from which deserialize_keras_object makes an equal one.

    Args:
      instance: an object with get_config, a function or class, or None.

    Returns:
      A dict with class_name and config, or the name of a function, or None.

    Raises:
      ValueError: if it cannot be serialized.
    """
    if instance is None:
        return None
    if hasattr(instance, 'get_config'):
        return {'class_name': type(instance).__name__, 'config': _serialized(instance.get_config())}
    if hasattr(instance, '__name__'):
        return instance.__name__
    raise ValueError('Cannot serialize', instance)


def _serialized(config):
    """Serializes the values of a configuration that are objects or functions themselves."""
    result = {}
    for key, item in config.items():
        own = item is not None and not isinstance(item, (str, type)) and (
            callable(item) or hasattr(item, 'get_config'))
        try:
            result[key] = serialize_keras_object(item) if own else item
        except ValueError:
            result[key] = item
    return result


def find_object(name, module_objects=None, custom_objects=None):
    """Returns the class or function with a name, or None."""
    for objects in (custom_objects, _custom_objects, module_objects):
        if objects and name in objects:
            return objects[name]
    return None


@export('keras.utils.deserialize_keras_object')
def deserialize_keras_object(identifier, module_objects=None, custom_objects=None, printable_module_name='object'):
    """Returns the object with a name or configuration.

    Args:
      identifier: a name; a dict with class_name and config; or a function, which is returned unchanged.
      module_objects: a dict from names to classes and functions.
      custom_objects: a dict from names to the program's own classes and functions.
      printable_module_name: a word for the object in errors.

    Raises:
      ValueError: if the name is unknown, or the identifier is something else.
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        return _from_config(identifier, module_objects, custom_objects, printable_module_name)
    if isinstance(identifier, str):
        found = find_object(identifier, module_objects, custom_objects)
        if found is None:
            raise ValueError(f'Unknown {printable_module_name}: {identifier}')
        return found() if inspect.isclass(found) else found
    if callable(identifier):
        return identifier
    raise ValueError(f'Could not interpret serialized {printable_module_name}: {identifier}')


def _from_config(identifier, module_objects, custom_objects, what):
    if 'class_name' not in identifier or 'config' not in identifier:
        raise ValueError(f'Improper config format: {identifier}')
    name, config = identifier['class_name'], identifier['config']
    cls = find_object(name, module_objects, custom_objects)
    if cls is None:
        raise ValueError(f'Unknown {what}: {name}')
    if not hasattr(cls, 'from_config'):
        with CustomObjectScope(custom_objects or {}):
            return cls(**config)
    if 'custom_objects' in inspect.signature(cls.from_config).parameters:
        return cls.from_config(config, custom_objects={**_custom_objects, **(custom_objects or {})})
    with CustomObjectScope(custom_objects or {}):
        return cls.from_config(config)


def interpreted(identifier, deserialize, what):
    """Returns the object with a name or configuration, or a callable unchanged.

    Args:
      identifier: a name, a configuration or a callable.
      deserialize: a function from a name or configuration to an object.
      what: a word for the object in errors.

    Raises:
      ValueError: if the name is unknown, or the identifier is something else.
    """
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f'Could not interpret {what} identifier: {identifier}')


def to_snake_case(name):
    """Returns the name of a class in snake case: 'conv2d' for Conv2D, 'global_max_pooling1d', ..."""
    name = re.sub('(.)([A-Z][a-z0-9]+)', r'\1_\2', name)
    name = re.sub('([a-z])([A-Z])', r'\1_\2', name).lower()
    return f'private{name}' if name.startswith('_') else name


def has_arg(function, name, accept_all=False):
    """Returns whether a function has a parameter, or with `accept_all`, takes all keyword arguments."""
    parameters = inspect.signature(function).parameters
    if name in parameters:
        return True
    return accept_all and any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def to_list(value):
    """Returns a list for a list or tuple, an empty one for None, and [value] otherwise."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def unpack_singleton(values):
    """Returns the only element of a list, or the list if it has several."""
    return values[0] if isinstance(values, (list, tuple)) and len(values) == 1 else values


def dump_function(function):
    """Returns the code, the defaults and the closure of a function, as JSON can store them."""
    code = codecs.encode(marshal.dumps(function.__code__), 'base64').decode('ascii')
    closure = function.__closure__
    return code, function.__defaults__, tuple(c.cell_contents for c in closure) if closure else None


def load_function(dumped, names):
    """Returns the function of dump_function, with the global names of a dict."""
    code, defaults, closure = dumped
    code = marshal.loads(codecs.decode(code.encode('ascii'), 'base64'))
    cells = tuple(types.CellType(value) for value in closure) if closure else None
    return types.FunctionType(code, names, name=code.co_name, argdefs=tuple(defaults) if defaults else None,
                              closure=cells)

