"""Patch: a set of edge changes that is checked, and then applied completely or not at all."""

from ramet import _core
from ramet.framework import ops
from ramet.graph_editor import util
from ramet.ops.array import array_placeholders


class Patch:
    """A set of changes to the edges between operations of one graph.

    The graph does not change before `apply`, which makes all changes or none. Sessions use the new edges
    from their next run.
    """

    def __init__(self, graph):
        self._graph = graph
        self._inputs = {}
        self._reads = {}
        self._added = []
        self._removed = []

    @property
    def graph(self):
        return self._graph

    def inputs_of(self, op):
        """Returns the inputs that an operation will have."""
        return [self._inputs.get((op, i), t) for i, t in enumerate(op.inputs)]

    def readers(self, t):
        """Returns the operations that will use a tensor, each once."""
        candidates = dict.fromkeys([*t.consumers(), *self._reads.get(t, ())])
        return [op for op in candidates if t in self.inputs_of(op)]

    def set_input(self, op, index, t):
        """Replaces input `index` of `op` by tensor `t`."""
        self._inputs[op, index] = t
        self._reads.setdefault(t, []).append(op)

    def add_control_input(self, op, control):
        """Adds the operation `control` as a control input of `op`."""
        self._added.append((op, control))

    def remove_control_input(self, op, control):
        """Removes the operation `control` from the control inputs of `op`."""
        self._removed.append((op, control))

    def apply(self, check_cycles=True):
        """Makes all of the changes.

        Args:
          check_cycles: whether to reject edges that close a cycle.

        Raises:
          ValueError: if an operation or tensor belongs to a different graph, if a dtype or static shape does
            not match, if an input or control input does not exist, or if there would be a new cycle. The
            graph has not changed in this case.
          RuntimeError: if the graph is finalized.
        """
        changes = [(op, i, t) for (op, i), t in self._inputs.items()]
        _core.apply_patch(self._graph, changes, self._added, self._removed, check_cycles)


def put_away_scopes(graph):
    """Returns a context manager in which the scopes of `graph` do not affect new nodes."""
    from contextlib import ExitStack

    stack = ExitStack()
    stack.enter_context(graph.as_default())
    stack.enter_context(graph.name_scope(None))
    stack.enter_context(ops.control_dependencies(None))
    return stack


def placeholder_like(graph, t, scope=None, with_shape=True, prefix='geph'):
    """Returns a placeholder for `t` in `graph`; its name ignores the current scope."""
    with put_away_scopes(graph):
        name = util.placeholder_name(t, scope, prefix)
        shape = t.get_shape() if with_shape else None
        return array_placeholders.placeholder(t.dtype.base_dtype, shape, name=name)
