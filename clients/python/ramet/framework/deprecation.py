"""Deprecated functions and arguments: selects the value to use, and warns once."""

import functools
import inspect
import logging
import os
import sys

from ramet.api import export

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_warned = set()


def _caller():
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f'{frame.f_code.co_filename}:{frame.f_lineno}'


def warn_once(what, instructions, date=None):
    """Logs, once per process and calling line, that something is deprecated.

    Args:
      what: str, what the caller did, such as 'calling softmax with dim'.
      instructions: str, what to write instead.
      date: str, when it will be removed, or None for an unknown date.
    """
    if what in _warned:
        return
    _warned.add(what)
    logging.getLogger('tensorflow').warning(
        'From %s: %s is deprecated and will be removed %s.\nInstructions for updating:\n%s',
        _caller(),
        what,
        'in a future version' if date is None else f'after {date}',
        instructions,
    )


def alias(new_name, new_value, old_name, old_value):
    """Returns the value of an argument that has two names: the one that is not None.

    Raises:
      ValueError: if both are given.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def renamed(function, new_name, new_value, old_name, old_value):
    """Like `alias`, but warns once per process if the old name is used.

    Args:
      function: str, the name of the function.
      new_name: str, the current name.
      new_value: its value, None if it was not given.
      old_name: str, the old name.
      old_value: its value, None if it was not given.

    Raises:
      ValueError: if both are given.
    """
    if old_value is not None:
        warn_once(
            f'calling {function} with {old_name}',
            f'{old_name} is deprecated, use {new_name} instead',
        )
    return alias(new_name, new_value, old_name, old_value)


def _described(function):
    return f'{function.__qualname__} (from {function.__module__})'


@export('contrib.framework.deprecated')
def deprecated(date, instructions):
    """Returns a decorator that warns once when the function is called.

    Args:
      date: str, when it will be removed, or None for an unknown date.
      instructions: str, what to write instead.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            warn_once(_described(function), instructions, date)
            return function(*args, **kwargs)

        return wrapper

    return decorate


@export('contrib.framework.deprecated_args')
def deprecated_args(date, instructions, *names):
    """Returns a decorator that warns once for each deprecated argument that a call passes.

    Args:
      date: str, when they will be removed, or None for an unknown date.
      instructions: str, what to write instead.
      *names: names of arguments, or pairs of a name and a value that causes no warning.

    Raises:
      ValueError: when decorating a function that does not have one of the arguments.
    """
    fine = dict(name if isinstance(name, tuple) else (name, _warned) for name in names)

    def decorate(function):
        signature = inspect.signature(function)
        missing = [name for name in fine if name not in signature.parameters]
        if missing:
            raise ValueError(
                'The following deprecated arguments are not present in the function signature: '
                f'{missing}. Expected arguments from the following list: '
                f'{list(signature.parameters)}.'
            )

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            given = signature.bind_partial(*args, **kwargs).arguments
            for name, allowed in fine.items():
                if name in given and given[name] is not allowed:
                    what = f'calling {_described(function)} with {name}'
                    warn_once(what, instructions, date)
            return function(*args, **kwargs)

        return wrapper

    return decorate
