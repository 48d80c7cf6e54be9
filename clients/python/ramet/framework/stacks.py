"""The default graph and the default session, each a stack per thread."""

import contextlib
import threading

from ramet.api import export


class DefaultStack(threading.local):
    """What `as_default` has opened in this thread, the innermost last."""

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
    """The innermost graph that `as_default` has opened in this thread, else the process's own."""
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
    """Puts an empty graph in the place of the process's default graph.

    Raises:
        AssertionError: inside of `with graph.as_default()`.
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
    """The innermost session that `as_default` or `with` has opened in this thread, or None."""
    return sessions.top()


def default_session(session):
    """A context in which the session is the default one of this thread."""
    return sessions.open(session)
