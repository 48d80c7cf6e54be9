"""CriticalSection, whose functions run one at a time."""

import collections
import contextlib
import threading

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, nest, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops, tensor_array_ops

CRITICAL_SECTIONS = 'critical_sections'
CRITICAL_SECTION_EXECUTIONS = 'critical_section_executions'

_Execution = collections.namedtuple('_Execution', 'op handle resources exclusive_resource_access')
_running = threading.local()


def _identity(x):
    if isinstance(x, tensor_array_ops.TensorArray):
        return x.identity()
    return control_flow_ops.group(x) if isinstance(x, ops.Operation) else array_ops.identity(x)


@contextlib.contextmanager
def _entered(signature):
    """Marks a section as the one whose function is being called."""
    stack = _running.__dict__.setdefault('stack', [])
    if signature in stack:
        raise ValueError(f'Attempting to lock a CriticalSection (signature={signature}) in which '
                         'we are already running. This is illegal and may cause deadlocks.')
    stack.append(signature)
    try:
        yield
    finally:
        stack.pop()


@export('CriticalSection')
class CriticalSection:
    """A section of the graph that is executed by one run at a time, and by its executions in one run one by one.

    Args:
      name: the name of the operation.
      shared_name: str. Sections with the same shared name share one mutex of the session; None for the name.
      critical_section_def: must be None.
      import_scope: ignored.

    Raises:
      ValueError: if critical_section_def is given.
    """

    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        del import_scope
        if critical_section_def and name is not None:
            raise ValueError(f'Arguments critical_section_def={critical_section_def} and '
                             f'shared_name={shared_name} are mutually exclusive. Please only '
                             'specify one of them.')
        if critical_section_def:
            raise ValueError('Argument `critical_section_def` is not supported.')
        with ops.name_scope(name, 'CriticalSection', []) as name, ops.init_scope():
            shared_name = name if shared_name is None else shared_name
            container = getattr(ops.get_default_graph(), '_container', None) or ''
            self._handle = gen.MutexV2(shared_name=shared_name, container=container, name=name)
            self._signature = (container, shared_name or id(self._handle), self._handle.op.device)
        ops.add_to_collections(CRITICAL_SECTIONS, self)

    @property
    def name(self):
        """The name of the operation that creates the mutex."""
        return self._handle.op.name

    def execute(self, fn, exclusive_resource_access=True, name=None):
        """Adds the operations of a function to the section.

        Args:
          fn: a function without arguments that returns tensors, operations or a structure of them.
          exclusive_resource_access: whether resources that it uses may be used in no other section.
          name: the name of the scope.

        Returns:
          The results of the function, after the section has been left.

        Raises:
          ValueError: if `fn` executes this section too, or uses a resource of a different section.
        """
        with ops.name_scope(name, 'critical_section_execute', []):
            graph = ops.get_default_graph()
            with _entered(self._signature):
                lock = gen.MutexLock(self._handle)
                before = len(graph.get_operations())
                with ops.control_dependencies([lock]):
                    results = fn()
                created = set(graph.get_operations()[before:])
            self._run_inputs_first(created, lock.op)
            resources = {x for op in created for x in op.inputs if x.dtype == dtypes.resource}
            self._check_resources(resources, exclusive_resource_access)
            flat = [_identity(x) for x in nest.flatten(results)]
            with ops.control_dependencies(flat), ops.colocate_with(self._handle):
                unlock = gen.ConsumeMutexLock(lock)
            results = nest.pack_sequence_as(results, control_flow_ops.tuple(nest.flatten(results)))
            with ops.control_dependencies([unlock]):
                outputs = nest.map_structure(_identity, results)
            ops.add_to_collections(CRITICAL_SECTION_EXECUTIONS, _Execution(
                lock.op, self._handle, list(resources), exclusive_resource_access))
            return outputs

    @staticmethod
    def _run_inputs_first(created, lock):
        """Lets the lock wait for all inputs of the section from outside of it."""
        inputs = {x.op for op in created for x in op.inputs}
        inputs.update(c for op in created for c in op.control_inputs)
        inputs -= {*created, *lock.control_inputs, *(x.op for x in lock.inputs), lock}
        if inputs:
            lock._add_control_input(control_flow_ops.group(*sorted(inputs, key=lambda op: op.name)))

    def _is_own_handle(self, x):
        return (x.op.type == 'MutexV2' and x.op.get_attr('shared_name')
                and x.op.get_attr('shared_name') == self._handle.op.get_attr('shared_name')
                and x.op.device == self._handle.op.device)

    def _check_resources(self, resources, exclusive):
        if any(self._is_own_handle(x) for x in resources):
            raise ValueError('Attempting to lock a CriticalSection in which we are already running '
                             f'(signature={self._signature}). This is illegal and may cause '
                             'deadlocks.')
        for other in ops.get_collection(CRITICAL_SECTION_EXECUTIONS):
            if self._is_own_handle(other.handle) or not (
                    exclusive or other.exclusive_resource_access):
                continue
            shared = resources.intersection(other.resources)
            if shared:
                raise ValueError(
                    f'This execution would access resources: {list(shared)}. Either this lock '
                    f"(CriticalSection: {self._handle}) or lock '{other}' (CriticalSection: "
                    f'{other.handle}) requested exclusive resource access of this resource. Did '
                    'you mean to call execute with keyword argument '
                    'exclusive_resource_access=False?')
