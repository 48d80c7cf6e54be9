"""The functions that users pass to estimators, and their arguments."""

import functools
import inspect

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def argument_names(function):
    """Returns the names of a callable's arguments as a tuple, without `self` and those that a partial has set.

    Args:
      function: a function, method, functools.partial, or object with __call__.
    """
    if isinstance(function, functools.partial):
        given = set(function.keywords)
        return tuple(n for n in argument_names(function.func)[len(function.args):] if n not in given)
    return tuple(p.name for p in inspect.signature(function).parameters.values() if p.kind in _NAMED)


def call_with_known(function, *args, **known):
    """Calls a function with those of the keyword arguments that it has.

    Args:
      function: a callable.
      *args: positional arguments.
      **known: the values that the function may ask for by name.
    """
    names = argument_names(function)
    return function(*args, **{name: value for name, value in known.items() if name in names})
