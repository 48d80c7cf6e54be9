"""The base class of publishers and followers."""

import os
import textwrap

from ramet import _core
from ramet.framework.uncopyable import Uncopyable
from ramet.replica import sessions


def address_text(address):
    """Returns an address, given as str, bytes or a path, as str.

    Raises:
      TypeError: if it has a different type.
      ValueError: if it is not valid UTF-8.
    """
    if not isinstance(address, (str, bytes, os.PathLike)):
        raise TypeError(f"the address must be a str, bytes or a path, such as 'shm:policy', not "
                        f'{type(address).__name__}')
    text = os.fsdecode(address)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f'the address {address!r} is not valid UTF-8') from None
    return text


def with_texts(**texts):
    """Returns a decorator that replaces each {name} in a docstring by a text, such as a list of the core's names.

    Args:
      **texts: the texts by name. A list is joined with commas.
    """
    def decorate(function):
        for name, text in texts.items():
            lines = (function.__doc__ or '').split('\n')
            for number, line in enumerate(lines):
                if '{' + name + '}' in line:
                    said = text if isinstance(text, str) else ', '.join(text)
                    indent = ' ' * (len(line) - len(line.lstrip()))
                    lines[number] = textwrap.fill(line.strip().replace('{' + name + '}', said), 110,
                                                  initial_indent=indent, subsequent_indent=indent)
            function.__doc__ = '\n'.join(lines)
        return function
    return decorate


def chosen_options(names, given):
    """Returns a dict of the options that are not None.

    Args:
      names: the names of the options, from the core.
      given: a dict with these names, and possibly others.
    """
    return {name: given[name] for name in names if given[name] is not None}


class Stats(dict):
    """Statistics by name. `stats` and `stats()` are the same."""

    def __call__(self):
        return self


class Endpoint(Uncopyable):
    """A publisher or follower. Used as a context manager, it closes on exit.

    Attributes:
      address: str.
    """

    _instead = 'it is tied to this process; create another one for its address'

    def __init__(self, address):
        self._core = None
        self.address = address_text(address)

    def _begin(self, core):
        """Marks the endpoint as open until close() or the end of the program."""
        self._core = core
        sessions.close_at_exit(self)

    def _end(self):
        """Marks the endpoint as closed. Returns the C++ object if it was open, else None."""
        core, self._core = self._core, None
        return core

    def _open(self):
        if self._core is None:
            raise RuntimeError(f'the {type(self).__name__} of {self._where()} is closed')
        return self._core

    def _where(self):
        return _core.printable_address(self.address)

    @property
    def signature(self):
        """The signature of each version: a list of (name, DType, shape as a list)."""
        return self._open().signature()

    def prometheus(self):
        """Returns the statistics in the Prometheus text format."""
        return self._open().prometheus(self.address)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()

    def __repr__(self):
        said = 'closed' if self._core is None else self._said()
        return f'<ramet.{type(self).__name__} {self._where()}: {said}>'
