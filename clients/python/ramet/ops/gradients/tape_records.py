"""The operations that a tape has recorded, as ranges of a graph's operations."""

from ramet import gen
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.gradients import gradients as graph_gradients

_READS = frozenset(('ReadVariableOp', 'ResourceGather', 'ResourceGatherNd'))


def is_trainable(tensor):
    """Returns whether a tensor, by its dtype, can have a gradient."""
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_complex or dtype.name in ('resource', 'variant')


class TapeRecords:
    """The ranges of operations that were added while a tape was recording, and the tensors it watches.

    An operation is recorded if it was added in one of the ranges and one of its inputs is tracked. A tensor
    is tracked if it is watched or an output of a recorded operation.
    """

    def __init__(self, watch_accessed_variables):
        self._watch_accessed = watch_accessed_variables
        self._ranges = []
        self._watched = set()
        self._variables = []

    def start(self):
        """Begins a range at the end of the default graph."""
        graph = ops.get_default_graph()
        self._ranges.append((graph, graph.version, {}))

    def stop(self):
        """Ends the last range."""
        graph, _, ends = self._ranges[-1]
        ends[graph] = graph.version
        here = ops.get_default_graph()
        ends.setdefault(here, here.version)

    def watch(self, tensor):
        """Adds a tensor to the watched ones."""
        self._watched.add(tensor)

    def watch_variable(self, variable):
        """Adds the handle of a variable to the watched tensors."""
        self._watched.add(variable.handle)
        if variable not in self._variables:
            self._variables.append(variable)

    def variables(self):
        """Returns the watched variables, those that were read while recording included."""
        self._add_accessed_variables()
        return tuple(sorted(self._variables, key=lambda v: v.handle.op._id))

    def _added_here(self, op):
        for graph, start, ends in self._ranges:
            begin = start if op.graph is graph else 0
            if begin <= op._id < ends.get(op.graph, op.graph.version):
                return True
        return False

    def _add_accessed_variables(self):
        if not self._watch_accessed:
            return
        for graph in {graph for graph, _, _ in self._ranges}:
            for variable in list(graph._variable_objects.values()):
                if variable._is_resource and variable.trainable and self._is_read_here(variable):
                    self.watch_variable(variable)

    def _is_read_here(self, variable):
        return any(op.type in _READS and self._added_here(op) for op in variable.handle.consumers())

    def gradients(self, targets, sources, starts):
        """Adds the nodes that compute the derivatives of the sum of the targets.

        Args:
          targets: a list of Tensors.
          sources: a list of Tensors, and handles of variables.
          starts: for each target, the derivative to start from, or None for ones.

        Returns:
          A Tensor, IndexedSlices or None for each source.
        """
        tracked, stops = self._tracked(targets + sources)
        asked = [s for s in sources if s in tracked and is_trainable(s)]
        pairs = [(t, g) for t, g in zip(targets, starts) if t in tracked and is_trainable(t)]
        found = {}
        if asked and pairs:
            ys, grad_ys = zip(*((t, array_ops.ones_like(t) if g is None else g) for t, g in pairs))
            found = dict(zip(asked, graph_gradients.gradients(list(ys), asked, list(grad_ys),
                                                              stop_gradients=stops)))
        return [found.get(source) for source in sources]

    @staticmethod
    def zeros_for(source):
        """Returns the gradient of a source that no target depends on, as zeros."""
        if getattr(source, '_is_resource', False):
            return gen.ReadVariableOp(source.handle, source.dtype) * 0
        return array_ops.zeros_like(source)

    def _tracked(self, tensors):
        """Returns the tracked ones of `tensors`, and the outputs that gradients must not pass.

        Args:
          tensors: a list of tensors.

        Returns:
          A set of tensors, and the list of the outputs of operations before `tensors` that are not recorded.
        """
        self._add_accessed_variables()
        users, outside = self._users_before(tensors)
        recorded = self._recorded(users)
        stops = [output for op in outside for output in op.outputs]
        stops += [output for op in users if op not in recorded for output in op.outputs]
        return {t for t in tensors if t in self._watched or t.op in recorded}, stops

    def _users_before(self, tensors):
        """Returns {operation: the operations that use it} for those added here, and the first other ones."""
        users, outside = {}, set()
        waiting = [tensor.op for tensor in tensors]
        while waiting:
            op = waiting.pop()
            if op in users or op in outside:
                continue
            if not self._added_here(op):
                outside.add(op)
                continue
            users[op] = []
            waiting.extend(tensor.op for tensor in op.inputs)
        for op in users:
            for tensor in op.inputs:
                if tensor.op in users:
                    users[tensor.op].append(op)
        return users, outside

    def _recorded(self, users):
        recorded = set()
        waiting = [op for op in users if any(tensor in self._watched for tensor in op.inputs)]
        while waiting:
            op = waiting.pop()
            if op not in recorded:
                recorded.add(op)
                waiting.extend(users[op])
        return recorded
