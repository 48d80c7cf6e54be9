"""Variables of converted functions that may have no value."""


class Undefined:
    """The value of a variable that has not been assigned."""

    __slots__ = ('symbol_name',)

    def __init__(self, symbol_name):
        self.symbol_name = symbol_name

    def read(self):
        raise UnboundLocalError(f"'{self.symbol_name}' is used before assignment")

    def __repr__(self):
        return self.symbol_name

    def __getattr__(self, name):
        return self

    def __getitem__(self, i):
        return self


class UndefinedReturnValue:
    """The result of a function that has not returned."""


def is_undefined(value):
    """Returns whether a value stands for a missing one."""
    return isinstance(value, (Undefined, UndefinedReturnValue))


def ld(value):
    """Returns the value of a variable.

    Raises:
      UnboundLocalError: if it has none.
    """
    return value.read() if isinstance(value, Undefined) else value


def ldu(load, name):
    """Returns the value of an attribute or item, or Undefined if it is absent.

    Args:
      load: a function that returns it.
      name: its source, such as "self.x".
    """
    try:
        return load()
    except (KeyError, AttributeError, NameError):
        return Undefined(name)


def returned(value, do_return):
    """Returns the result of a function: None if it has not returned.

    Args:
      value: the result.
      do_return: whether the function returned. It is an argument so that conditionals keep it.
    """
    return None if isinstance(value, UndefinedReturnValue) else value
