"""Values of layers' arguments in configurations."""

from ramet.keras import activations, constraints, initializers, regularizers

_SERIALIZERS = (('activation', activations.serialize), ('_initializer', initializers.serialize),
                ('_regularizer', regularizers.serialize), ('_constraint', constraints.serialize))
_GETTERS = (('activation', activations.get), ('_initializer', initializers.get), ('_regularizer', regularizers.get),
            ('_constraint', constraints.get))


def serialized(layer, names):
    """Returns a dict from the names of attributes to their values in a configuration.

    Args:
      layer: a layer.
      names: the names, separated by spaces. Activations, initializers, regularizers and constraints are recognized
        by the ends of their names.
    """
    return {name: _serializer(name)(getattr(layer, name)) for name in names.split()}


def _serializer(name):
    return next((function for end, function in _SERIALIZERS if name.endswith(end)), lambda value: value)


def keep(layer, **arguments):
    """Sets attributes of a layer. Names of activations, initializers, regularizers and constraints become objects."""
    for name, value in arguments.items():
        getter = next((function for end, function in _GETTERS if name.endswith(end)), None)
        setattr(layer, name, value if getter is None else getter(value))
