"""Finds the session to publish or follow, and closes endpoints when the program ends."""

import atexit
import weakref

from ramet import _core
from ramet.client.session import BaseSession

_open = weakref.WeakSet()


def base_session(session, what):
    """Returns the Session or InteractiveSession behind `session`, such as a MonitoredSession.

    Args:
      session: a session, or an object that wraps one.
      what: the name of the caller, for error messages.

    Raises:
      TypeError: if it is not a session.
      RuntimeError: if it is closed.
    """
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
    """Registers an object so that its close() is called at exit, unless it is collected first."""
    _open.add(thing)


@atexit.register
def _close_all():
    for thing in list(_open):
        thing.close()
    _core.end_callbacks()
