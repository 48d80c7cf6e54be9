"""What a publisher and a follower have in common: an address, and an end."""

import os

from ramet import _core
from ramet.framework.uncopyable import Uncopyable
from ramet.replica import sessions


def address_text(address):
    """An address, given as str, bytes or a path, as str.

    Raises:
      TypeError: if it is something else.
      ValueError: if it is not text in UTF-8.
    """
    text = os.fsdecode(address)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f'the address {address!r} is not text in UTF-8') from None
    return text


class Endpoint(Uncopyable):
    """One end of a live copy. As a context manager it is closed at the end.

    Attributes:
      address: str.
    """

    _instead = 'it is open in this process; make another one of its address'

    def __init__(self, address):
        self._core = None
        self.address = address_text(address)

    def _begin(self, core):
        """Is open from now on, until close() or the end of the program."""
        self._core = core
        sessions.close_at_exit(self)

    def _end(self):
        """Is closed from now on; what was open, or None."""
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
        """What each version has: a list of (name, DType, shape as a list)."""
        return self._open().signature()

    def prometheus(self):
        """The stats as Prometheus reads them."""
        return self._open().prometheus(self.address)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()

    def __repr__(self):
        said = 'closed' if self._core is None else self._said()
        return f'<ramet.{type(self).__name__} {self._where()}: {said}>'
