"""Registers public names, and provides stand-ins for the names of TensorFlow that Ramet lacks.

Modules mark their public symbols with `export` and `export_value`. tools/gen_python_api.py reads
these calls from the sources, so the names must be literal strings. ramet.compat.v1 serves them.
"""

_values = {}


def export(*names):
    """Makes a function or class public under names below `tf.`.

    Args:
      *names: dotted paths without the leading `tf.`, as in `@export('nn.relu', 'relu')`. Each of
        them refers to the same object.

    Returns:
      A decorator that returns the symbol unchanged.
    """

    return lambda symbol: symbol


def export_value(name, value):
    """Makes a constant public under a name below `tf.`: `export_value('newaxis', None)`.

    Args:
      name: a dotted path without the leading `tf.`.
      value: any object.

    Returns:
      value.
    """
    _values[name] = value
    return value


def exported_value(name):
    """Returns the value that was exported under a name with `export_value`.

    Args:
      name: the dotted path given to `export_value`.

    Raises:
      KeyError: if no value was exported under the name.
    """
    return _values[name]


class UnavailableError(NotImplementedError):
    """The program used a name or an op of TensorFlow that Ramet does not have."""


class UnavailableAttributeError(UnavailableError, AttributeError):
    """An UnavailableError raised for attribute access, so that `hasattr` returns False."""


def list_of(names):
    """Returns the names a, b and c as the text 'tf.a, tf.b or tf.c'."""
    names = [f'tf.{name}' for name in names]
    return names[0] if len(names) == 1 else ', '.join(names[:-1]) + ' or ' + names[-1]


def is_internal(name):
    """Returns whether a dotted name belongs to TensorFlow's internal modules instead of `tf.`."""
    return 'python' in name.split('.')


def unavailable_message(name, near=()):
    """Returns the error message for a TensorFlow name that Ramet does not have.

    Args:
      name: the dotted path without the leading `tf.`.
      near: similar names that Ramet has, the closest first.
    """
    if is_internal(name):
        message = f'Ramet has nothing for tensorflow.{name}, which is internal to TensorFlow'
    else:
        message = f'TensorFlow has tf.{name}, but Ramet does not have it'
    return f'{message}; similar names: {list_of(near)}' if near else message


class Unavailable:
    """A stand-in for a TensorFlow name that Ramet does not have.

    It can be imported, stored, compared by identity and printed. Every other use (a call, an
    attribute, iteration, arithmetic, subclassing, isinstance) raises UnavailableError with its name.
    """

    __slots__ = ('__weakref__', '_advice', '_name', '_near')

    def __init__(self, name, near=None, advice=None):
        """Creates the stand-in.

        Args:
          name: the dotted path without the leading `tf.`.
          near: a function that maps a name to the similar names of Ramet. It is called only when an
            error is raised.
          advice: what to write instead of a name that was removed before TensorFlow 1.0.
        """
        self._name = name
        self._near = near
        self._advice = advice

    def _message(self):
        if self._advice:
            return f'tf.{self._name} is from before TensorFlow 1.0; write {self._advice}'
        return unavailable_message(self._name, self._near(self._name) if self._near else ())

    def _refuse(self, *unused_args, **unused_kwargs):
        raise UnavailableError(self._message())

    def __getattr__(self, attribute):
        if attribute.startswith(('__', '_repr_')):
            raise AttributeError(attribute)
        raise UnavailableAttributeError(self._message())

    def __setattr__(self, attribute, value):
        if attribute in Unavailable.__slots__:
            object.__setattr__(self, attribute, value)
        else:
            raise UnavailableAttributeError(self._message())

    def __repr__(self):
        root = 'tensorflow' if is_internal(self._name) else 'tf'
        return f'<{root}.{self._name}: not in Ramet>'

    def __reduce__(self):
        return Unavailable, (self._name, None, self._advice)


def message_of(stand_in):
    """Returns the error message that every use of an Unavailable raises.

    Args:
      stand_in: the Unavailable, whose attributes cannot be read.
    """
    return Unavailable._message(stand_in)


_REFUSED = """
call mro_entries instancecheck subclasscheck iter next len contains getitem setitem delitem enter
exit bool int float complex index array lt le gt ge add radd iadd sub rsub isub mul rmul imul
matmul rmatmul truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod pow rpow lshift rshift
and rand or ror xor rxor neg pos abs invert
"""

for _name in _REFUSED.split():
    setattr(Unavailable, f'__{_name}__', Unavailable._refuse)
del _name
