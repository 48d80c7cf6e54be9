"""Control dependencies that make a function's operations with side effects run, in the order of the program."""

import collections

from ramet import gen
from ramet.framework import dtypes

# TensorFlow does not order these.
_UNORDERED = frozenset((
    'RandomUniform', 'RandomUniformInt', 'RandomStandardNormal', 'ParameterizedTruncatedNormal', 'TruncatedNormal',
    'RandomShuffle', 'Multinomial', 'RandomGamma', 'RandomGammaGrad', 'RandomPoisson', 'RandomPoissonV2', 'RestoreV2',
    'SaveV2', 'CudnnRNN', 'CudnnRNNBackprop', 'CudnnRNNV2', 'CudnnRNNV3'))
_READS = frozenset((
    'ReadVariableOp', 'ResourceGather', 'ResourceGatherNd', 'VarIsInitializedOp', 'VariableShape',
    'LookupTableFindV2', 'LookupTableSizeV2', 'LookupTableExportV2', 'TensorArraySizeV3'))


class AutomaticDependencies:
    """Adds the dependencies to the operations that a function adds to a graph."""

    def __init__(self, graph):
        """Starts with the operations that are added from now on.

        Args:
          graph: a FuncGraph.
        """
        self._graph = graph
        self._first = graph._num_operations()
        self._returned = []
        self._last_write = {}
        self._reads = collections.defaultdict(list)
        self._must_run = []

    def mark_as_return(self, tensor):
        """Returns a copy of a result, which is available only after all side effects."""
        made = gen.Identity(tensor)
        self._returned.append(made.op)
        return made

    def finish(self):
        """Adds the dependencies. Returns the operations that must run: the function's control outputs."""
        stateful = set(self._graph.stateful_operations())
        returned = set(self._returned)
        for op in self._graph.get_operations()[self._first:]:
            # TensorFlow does not order the operations of loops and branches of TensorFlow 1.
            if op not in returned and op._get_control_flow_context() is None:
                self._add(op, op in stateful and op.type not in _UNORDERED)
        if self._must_run and self._returned:
            with self._graph.as_default(), self._graph.control_dependencies(None):
                gate = gen.NoOp()
            gate._add_control_inputs(self._must_run)
            for op in self._returned:
                op._add_control_input(gate)
        return self._must_run

    def _add(self, op, is_stateful):
        resources = dict.fromkeys(tensor for tensor in op.inputs if tensor.dtype == dtypes.resource)
        is_read = op.type in _READS
        if is_stateful and (not is_read or any(tensor.consumers() for tensor in op.outputs)):
            self._must_run.append(op)
        before = []
        for resource in resources:
            before.extend(self._uses(resource, op, is_read))
        if is_stateful and not resources:
            before.extend(self._uses(None, op, False))
        for earlier in dict.fromkeys(before):
            if earlier is not op:
                op._add_control_input(earlier)

    def _uses(self, resource, op, is_read):
        """Notes a use of a resource; returns the operations that must run before it."""
        before = [self._last_write[resource]] if resource in self._last_write else []
        if is_read:
            self._reads[resource].append(op)
        else:
            before += self._reads.pop(resource, [])
            self._last_write[resource] = op
        return before


