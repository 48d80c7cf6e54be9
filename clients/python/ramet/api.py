"""How names become public, and what stands where TensorFlow has a name that Ramet has not.

Modules mark their symbols with `export` and `export_value`. tools/gen_python_api.py reads these
calls from the sources, so their names must be literal strings; ramet.compat.v1 serves them.
"""

_values = {}


def export(*names):
    """Makes a function or class public under names below `tf.`.

    Args:
      *names: dotted paths without the leading `tf.`, as in `@export('nn.relu', 'relu')`. The same
        object is reached under each.

    Returns:
      A decorator that returns the symbol as it is.
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
    """Returns the value that `export_value` was given for a name; KeyError if there is none."""
    return _values[name]


class UnavailableError(NotImplementedError):
    """A name or an op of TensorFlow was used that Ramet does not have."""


class UnavailableAttributeError(UnavailableError, AttributeError):
    """As UnavailableError, where an attribute was asked for, so that `hasattr` says False."""


def list_of(names):
    """Returns 'tf.a, tf.b or tf.c' of the names a, b, c."""
    names = [f'tf.{name}' for name in names]
    return names[0] if len(names) == 1 else ', '.join(names[:-1]) + ' or ' + names[-1]


def is_internal(name):
    """Whether a dotted name is of a module from TensorFlow's inside, not below `tf.`."""
    return 'python' in name.split('.')


def unavailable_message(name, near=()):
    """Returns what an error says of a TensorFlow name that Ramet does not have.

    Args:
      name: the dotted path without the leading `tf.`.
      near: names of Ramet that are close to it, the nearest first.
    """
    if is_internal(name):
        message = f"Ramet has nothing for tensorflow.{name}, a name of TensorFlow's inside"
    else:
        message = f'TensorFlow has tf.{name}, Ramet does not have it'
    return f'{message}; near names that it has: {list_of(near)}' if near else message


class Unavailable:
    """Stands for a name of TensorFlow that Ramet does not have.

    It can be imported, stored, compared by identity and printed. Every other use (a call, an
    attribute, iteration, arithmetic, a class that derives from it, isinstance) raises
    UnavailableError, which names it.
    """

    __slots__ = ('__weakref__', '_advice', '_name', '_near')

    def __init__(self, name, near=None, advice=None):
        """Makes the stand-in.

        Args:
          name: the dotted path without the leading `tf.`.
          near: a function from a name to the near names of Ramet, asked when an error is raised.
          advice: what to write instead of a name that went out of use before TensorFlow 1.0.
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


_REFUSED = """
call mro_entries instancecheck subclasscheck iter next len contains getitem setitem delitem enter
exit bool int float complex index array lt le gt ge add radd iadd sub rsub isub mul rmul imul
matmul rmatmul truediv rtruediv floordiv rfloordiv mod rmod divmod rdivmod pow rpow lshift rshift
and rand or ror xor rxor neg pos abs invert
"""

for _name in _REFUSED.split():
    setattr(Unavailable, f'__{_name}__', Unavailable._refuse)
del _name
