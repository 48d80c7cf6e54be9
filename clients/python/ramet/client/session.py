"""Sessions, which run graphs and own the values of variables."""

import contextlib
import warnings

from ramet.api import export
from ramet.client.base_session import BaseSession
from ramet.docstrings import with_args_of
from ramet.framework import errors, stacks


@export('Session')
@with_args_of(BaseSession)
class Session(BaseSession):
    """Runs operations of a graph and owns the values of its variables.

    As a context manager, it makes itself the default session and its graph the default graph, and closes
    on exit. Several threads may run it at the same time.
    """

    def __init__(self, target='', graph=None, config=None):
        super().__init__(target, graph, config)
        self._entered = []

    def __enter__(self):
        graph = self._graph.as_default()
        graph.__enter__()
        session = self.as_default()
        session.__enter__()
        self._entered.append((graph, session))
        return self

    def __exit__(self, *error):
        graph, session = self._entered.pop()
        session.__exit__(*error)
        graph.__exit__(*error)
        self.close()
        return False

    @staticmethod
    def reset(target, containers=None, config=None):
        """Raises an error: Ramet has no distributed runtime, and its sessions share no resources.

        Args:
          target: the name of a server.
          containers: ignored.
          config: ignored.

        Raises:
          tf.errors.NotFoundError: always, as in TensorFlow for a target without a server.
        """
        raise errors.NotFoundError(None, None, f'No session with target {target!r} to reset')


@export('InteractiveSession')
@with_args_of(BaseSession)
class InteractiveSession(BaseSession):
    """A Session that is the default session from its construction until it is closed."""

    _active = 0

    def __init__(self, target='', graph=None, config=None):
        super().__init__(target, graph, config)
        if InteractiveSession._active:
            warnings.warn(
                'An interactive session is already active. This can cause out-of-memory errors in '
                'some cases. You must explicitly call `InteractiveSession.close()` to release '
                'resources held by the other session(s).'
            )
        InteractiveSession._active += 1
        self._opened = contextlib.ExitStack()
        stacks.sessions.enforce_nesting = False
        stacks.graphs.enforce_nesting = False
        if graph is not None:
            self._opened.enter_context(graph.as_default())
        self._opened.enter_context(self.as_default())

    def close(self):
        """Closes the session, which is then not the default session anymore."""
        if not self._closed:
            InteractiveSession._active -= 1
            self._opened.close()
        super().close()
