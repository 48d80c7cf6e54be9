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
_graph_class = None


def set_graph_class(graph_class):
    """Sets the class of the graph that threads share. The module of the class calls this.

    Args:
      graph_class: a class that can be called without arguments.
    """
    global _graph_class
    _graph_class = graph_class


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
        _global_graph = _graph_class()
    return _global_graph


def enclosing(is_wanted):
    """Returns the innermost open graph that a function accepts, or the default graph if it accepts none.

    Args:
      is_wanted: a function from a Graph to a bool.
    """
    found = next((graph for graph in reversed(graphs.stack) if is_wanted(graph)), None)
    if found is None and _global_graph is not None and _global_graph._eager:
        found = _global_graph
    return get_default_graph() if found is None else found


def base_graph():
    """Returns the graph that is the default outside of all `as_default` blocks, or None if it was not used yet."""
    return _global_graph


def set_base_graph(graph):
    """Sets the graph that is the default outside of all `as_default` blocks.

    Args:
      graph: the Graph, or None for a new one that is created when it is used.
    """
    global _global_graph
    _global_graph = graph


@export('reset_default_graph')
def reset_default_graph():
    """Replaces the process's default graph by a new, empty graph. Eager execution stays enabled.

    Raises:
      AssertionError: inside a `with graph.as_default()` block.
    """
    global _global_graph
    if graphs.stack:
        raise AssertionError(
            'Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared '
            'graph, exit the nesting and create a new graph.'
        )
    if _global_graph is not None and not _global_graph._eager:
        _global_graph = None


@export('get_default_session')
def get_default_session():
    """Returns the innermost session opened with `as_default` or `with` in this thread, or None."""
    return sessions.top()


def default_session(session):
    """Returns a context manager in which the session is the default session of this thread."""
    return sessions.open(session)


def run_default(element, feed_dict, session, what, call):
    """Runs one element in the given session or the default session.

    Args:
      element: a Tensor or Operation.
      feed_dict: {tensor: value}, as in Session.run.
      session: the Session, or None for the default session.
      what: the action for error messages, such as 'evaluate tensor'. Its last word is the kind of the element.
      call: the call for error messages, such as '`eval()`'.

    Returns:
      The value that Session.run returns.

    Raises:
      ValueError: if there is no session, or it runs a different graph.
    """
    kind = what.rpartition(' ')[2]
    if session is None:
        session = get_default_session()
        if session is None:
            raise ValueError(
                f'Cannot {what} using {call}: No default session is registered. Use `with '
                f'sess.as_default()` or pass an explicit session to `{call[1:-3]}(session=sess)`'
            )
        if session.graph is not element.graph:
            raise ValueError(
                f"Cannot use the default session to {what}: the {kind}'s graph is different from the session's graph. "
                f'Pass an explicit session to `{call[1:-3]}(session=sess)`.'
            )
    elif session.graph is not element.graph:
        raise ValueError(
            f"Cannot use the given session to {what}: the {kind}'s graph is different from the session's graph."
        )
    return session.run(element, feed_dict)


def core_session(sess):
    """Returns the session of the C++ library that a session object uses.

    Args:
      sess: a Session, or an object that wraps one, such as a MonitoredSession.

    Raises:
      TypeError: if it is something else.
    """
    core = getattr(sess, '_core', None) or getattr(getattr(sess, '_sess', None), '_core', None)
    if core is None:
        raise TypeError(f"'sess' must be a Session; {sess}")
    return core
