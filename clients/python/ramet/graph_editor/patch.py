"""Patch: changes of edges that are built aside, checked, and applied whole or not at all."""

from ramet import _core
from ramet.graph_editor import util


class Patch:
    """Changes of the edges between operations of one graph.

    Nothing touches the graph before `apply`, which makes all changes or none. Sessions see them at
    their next run.
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
        """The inputs of an operation as they will be."""
        return [self._inputs.get((op, i), t) for i, t in enumerate(op.inputs)]

    def readers(self, t):
        """The operations that will read a tensor, each once."""
        candidates = dict.fromkeys([*t.consumers(), *self._reads.get(t, ())])
        return [op for op in candidates if t in self.inputs_of(op)]

    def set_input(self, op, index, t):
        """Input `index` of `op` becomes tensor `t`."""
        self._inputs[op, index] = t
        self._reads.setdefault(t, []).append(op)

    def add_control_input(self, op, control):
        """`op` waits for operation `control`."""
        self._added.append((op, control))

    def remove_control_input(self, op, control):
        """`op` does not wait for operation `control` any more."""
        self._removed.append((op, control))

    def apply(self, check_cycles=True):
        """Makes all of the changes.

        Args:
            check_cycles: whether edges that close a cycle are refused.

        Raises:
            ValueError: if an operation or tensor is of another graph, a dtype or static shape does
                not fit, there is no such input or control input, or there would be a new cycle. The
                graph is as it was then.
            RuntimeError: if the graph is finalized.
        """
        changes = [(op, i, t) for (op, i), t in self._inputs.items()]
        _core.apply_patch(self._graph, changes, self._added, self._removed, check_cycles)


def put_away_scopes(graph):
    """A context in which new nodes of `graph` have the names, inputs and places they are given."""
    from contextlib import ExitStack

    from ramet.framework import ops

    stack = ExitStack()
    stack.enter_context(graph.as_default())
    stack.enter_context(graph.name_scope(None))
    stack.enter_context(ops.control_dependencies(None))
    return stack


def placeholder_like(graph, t, scope=None, with_shape=True, prefix='geph'):
    """A placeholder that stands for `t` in `graph`, named absolutely."""
    from ramet.ops import array_placeholders

    with put_away_scopes(graph):
        name = util.placeholder_name(t, scope, prefix)
        shape = t.get_shape() if with_shape else None
        return array_placeholders.placeholder(t.dtype.base_dtype, shape, name=name)
