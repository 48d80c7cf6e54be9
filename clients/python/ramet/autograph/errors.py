"""Errors of AutoGraph, and messages that point to lines of the program."""

import linecache
import os

from ramet.api import export
from ramet.framework import errors

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_WITH_MESSAGE = (
    AssertionError, AttributeError, NameError, NotImplementedError, RuntimeError, StopIteration, TypeError,
    UnboundLocalError, ValueError, IndexError, ZeroDivisionError, FileNotFoundError, OSError)

# Maps the code of converted functions, and of the functions inside, to the function's name.
_names_of_code = {}


@export('contrib.autograph.AutoGraphError')
class AutoGraphError(Exception):
    """The base class of errors of conversions."""


class ConversionError(AutoGraphError):
    """A function could not be converted."""


class UnsupportedError(AutoGraphError, NotImplementedError):
    """A function contains a statement that cannot be converted."""


class NoSourceError(AutoGraphError, ValueError):
    """The source code of a function cannot be read."""


def register_code(code, name):
    """Makes messages name a converted function instead of the functions that conversion made of its statements.

    Args:
      code: the code object of the converted function.
      name: the name of the original function.
    """
    _names_of_code[code] = name
    for constant in code.co_consts:
        if hasattr(constant, 'co_consts'):
            register_code(constant, name)


def _frames(traceback):
    """Returns (file, line, function, is_converted) of the frames of the program, from the first converted one on."""
    found, last = [], None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        name = _names_of_code.get(code)
        converted = name is not None
        if (found or converted) and not code.co_filename.startswith(_PACKAGE):
            frame = (code.co_filename, name or code.co_name, converted)
            # The functions made of nested statements are called one by another: only the innermost line counts.
            if found and last == frame and converted:
                found.pop()
            found.append((code.co_filename, traceback.tb_lineno, name or code.co_name, converted))
            last = frame
        traceback = traceback.tb_next
    return found


def _message(error, frames):
    lines = ['in user code:\n']
    for file, number, name, converted in frames:
        lines.append(f'    File "{file}", line {number}, in {name}{"  *" if converted else ""}')
        text = linecache.getline(file, number).strip()
        if text:
            lines.append(f'        {text}')
    text = str(error).replace('\n', '\n    ')
    return '\n'.join([*lines, '', f'    {type(error).__name__}: {text}\n'])


def in_user_code(error):
    """Returns an error of the same type whose message shows the lines of converted functions, or None.

    None means that the error must be raised as it is: its class has a constructor of its own, or no line is known.

    Args:
      error: an exception that was raised while a converted function was called.
    """
    frames = _frames(error.__traceback__)
    if not frames or hasattr(error, '_ramet_in_user_code'):
        return None
    kind, message = type(error), _message(error, frames)
    if isinstance(error, errors.OpError):
        made = _op_error(error, message)
    elif kind is KeyError:
        made = _MultilineKeyError(message)
    elif kind in _WITH_MESSAGE or kind.__init__ is Exception.__init__ or issubclass(kind, AutoGraphError):
        made = kind(message)
    else:
        return None
    if made is not None:
        made._ramet_in_user_code = True
    return made


def _op_error(error, message):
    try:
        return type(error)(error.node_def, error.op, message)
    except TypeError:
        return None


class _MultilineKeyError(KeyError):
    """A KeyError that shows the lines of its message."""

    def __str__(self):
        return str(self.args[0])
