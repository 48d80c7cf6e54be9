"""The default graph and the default session. Each thread has its own stack of them."""

import contextlib
import threading

from ramet.api import export


class DefaultStack(threading.local):
    """The items that `as_default` opened in this thread, innermost last."""

    def __init__(self, what):
        super().__init__()
        self.what = what
        self.stack = []
        self.enforce_nesting = True

    def top(self):
        return self.stack[-1] if self.stack else None

    @contextlib.contextmanager
    def open(self, item):
        self.stack.append(item)
        try:
            yield item
        finally:
            if self.stack:
                if self.enforce_nesting and self.stack[-1] is not item:
                    raise AssertionError(
                        f'Nesting violated for default stack of {type(item)} objects'
                    )
                if item in self.stack:
                    del self.stack[len(self.stack) - 1 - self.stack[::-1].index(item)]


graphs = DefaultStack('graph')
sessions = DefaultStack('session')
_global_graph = None


@export('get_default_graph')
def get_default_graph():
    """Returns the innermost graph opened with `as_default` in this thread.

    If there is none, returns the graph that all threads of the process share.
    """
    stack = graphs.stack
    if stack:
        return stack[-1]
    global _global_graph
    if _global_graph is None:
        from ramet.framework import graph

        _global_graph = graph.Graph()
    return _global_graph


@export('reset_default_graph')
def reset_default_graph():
    """Replaces the process's default graph by a new, empty graph.

    Raises:
      AssertionError: inside a `with graph.as_default()` block.
    """
    global _global_graph
    if graphs.stack:
        raise AssertionError(
            'Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared '
            'graph, exit the nesting and create a new graph.'
        )
    _global_graph = None


@export('get_default_session')
def get_default_session():
    """Returns the innermost session opened with `as_default` or `with` in this thread, or None."""
    return sessions.top()


def default_session(session):
    """Returns a context manager in which the session is the default session of this thread."""
    return sessions.open(session)
