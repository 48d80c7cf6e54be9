"""Loops and built-in functions on objects of higher rooms, such as datasets."""

_overrides = {}


def register(kind, **functions):
    """Sets what loops and built-in functions do with objects of a class.

    Args:
      kind: the class.
      **functions: `for_`, a function with the arguments of loops.for_stmt, and functions for `abs`, `len`, `enumerate`,
        `zip`, `map`, `filter`, `any`, `all` and `next`, with the arguments of these.
    """
    _overrides[kind] = {name.rstrip('_'): function for name, function in functions.items()}


def override_of(name, value):
    """Returns the function for a value, or None.

    Args:
      name: 'for', or the name of a built-in function.
      value: any value.
    """
    for kind, functions in _overrides.items():
        if isinstance(value, kind):
            return functions.get(name)
    return None
