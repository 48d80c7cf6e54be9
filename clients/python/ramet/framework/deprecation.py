"""Old spellings of arguments: which value counts, and one warning for each old spelling."""

import logging
import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_warned = set()


def _caller():
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f'{frame.f_code.co_filename}:{frame.f_lineno}'


def warn_once(what, instructions):
    """Logs once in a process, from the caller's line, that `what` is deprecated.

    Args:
      what: what the caller did, as 'calling softmax with dim'.
      instructions: what to write instead.
    """
    if what not in _warned:
        _warned.add(what)
        logging.getLogger('tensorflow').warning(
            'From %s: %s is deprecated.\nInstructions for updating:\n%s\n',
            _caller(), what, instructions)


def alias(new_name, new_value, old_name, old_value):
    """Returns the value of an argument that has two names, the one that is not None.

    Raises:
      ValueError: if both are given.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def renamed(function, new_name, new_value, old_name, old_value):
    """As alias, with one warning in a process where the old name is used.

    Args:
      function: the name of the function, for the warning.
      new_name: the name that counts today.
      new_value: its value, None where it was not given.
      old_name: the old name.
      old_value: its value, None where it was not given.

    Returns:
      old_value where it was given, new_value otherwise.

    Raises:
      ValueError: if both are given.
    """
    if old_value is not None:
        warn_once(f'calling {function} with {old_name}',
                  f'{old_name} is deprecated, use {new_name} instead')
    return alias(new_name, new_value, old_name, old_value)
