"""The sessions that publishers and followers are given, and what closes with the program."""

import atexit
import weakref

from ramet import _core

_open = weakref.WeakSet()


def base_session(session, what):
    """The Session or InteractiveSession behind `session`, such as a MonitoredSession.

    Args:
      session: any of these.
      what: who wants it, for the error.

    Raises:
      TypeError: if it is none.
      RuntimeError: if it is closed.
    """
    from ramet.client.session import BaseSession
    found = session
    while not isinstance(found, BaseSession):
        inner = getattr(found, '_tf_sess', None) or getattr(found, 'raw_session', None)
        if inner is None:
            raise TypeError(f'{what}: a Session is expected, not {session!r}')
        found = inner()
    if found._closed:
        raise RuntimeError(f'{what}: the session is closed')
    return found


def close_at_exit(thing):
    """Has `thing.close()` called when the program ends and it is still there."""
    _open.add(thing)


@atexit.register
def _close_all():
    for thing in list(_open):
        thing.close()
    _core.end_callbacks()
