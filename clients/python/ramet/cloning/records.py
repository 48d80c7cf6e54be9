"""Registers a clone's variables, collections and gradients with the Python side of its graph."""

import math

from ramet import _core
from ramet.cloning import (
    arguments,
    gradients,  # noqa: F401 - calls the gradient functions of the copies
    objects,
)
from ramet.framework import collections_lib, ops
from ramet.framework.gradient_registration import any_registered
from ramet.ops.variables.partitioned_variable import PartitionedVariable
from ramet.ops.variables.variable_creation import state_of
from ramet.ops.variables.variable_scope import scope_store
from ramet.ops.variables.variable_store import VariableStore

_BY_CORE = (ops.Tensor, ops.Operation, _core.ControlFlowContext, bytes, int, float, type(None))


def complete(clone, wanted):
    """Registers a new clone with variable scopes, collections and gradient functions.

    Args:
      clone: the Clone.
      wanted: the keys of the collections that it joins, or None for all.
    """
    pairs = [(v, copy) for v, copy in clone.variables.items() if arguments.is_variable(v)]
    for original, copy in pairs:
        copy._constraint = original._constraint
    _store(clone)
    if clone.scope:
        scope_store(clone.graph).open(clone.scope)
    _collect(clone, wanted)
    if clone.graph is not clone.source:
        clone.graph._py_funcs_used_in_graph.extend(clone.source._py_funcs_used_in_graph)
    for op in clone._core.originals_with_gradient() if any_registered() else ():
        clone.graph._cloned_gradients[clone._core.transformed(op).name] = clone, op


def _store(clone):
    """Makes the copies available to get_variable, by their names and by the keys of their originals."""
    store = state_of(clone.graph, '_variable_store', VariableStore)
    known = state_of(clone.source, '_variable_store', VariableStore)
    wholes = {}
    for copy in clone.variables.values():
        store._vars.setdefault(copy.op.name, copy)
        info = copy._save_slice_info
        if info is not None:
            wholes.setdefault(info.full_name, []).append((copy, info))
    for key, variable in list(known._vars.items()):
        copy = clone.variables.get(variable)
        if copy is not None and key != variable.op.name:
            store._vars.setdefault(f'{clone.scope}/{key}' if clone.scope else key, copy)
    for name, parts in wholes.items():
        if name not in store._partitioned_vars and _is_whole([info for _, info in parts]):
            store._partitioned_vars[name] = _whole(name, parts)


def _is_whole(infos):
    return sum(math.prod(i.var_shape) for i in infos) == math.prod(infos[0].full_shape)


def _whole(name, parts):
    infos = [info for _, info in parts]
    starts = zip(*(info.var_offset for info in infos), strict=True)
    return PartitionedVariable(
        name=name, shape=infos[0].full_shape, dtype=parts[0][0].dtype.base_dtype,
        variable_list=[copy for copy, _ in parts], partitions=[len(set(s)) for s in starts])


def _collect(clone, wanted):
    """Adds the copies of the program's objects to the collections of their originals."""
    for key in _core.collection_keys(clone.source) if wanted is None else wanted:
        for item in _core.collection_get(clone.source, key):
            if isinstance(item, _BY_CORE) or arguments.is_variable(item):
                continue
            copy = _copy(clone, key, item)
            if copy is not None:
                _add(clone, key, copy)


def _add(clone, key, item):
    name = getattr(clone.source, '_collection_objects', {}).get(key, key)
    clone.graph.add_to_collection(name, item)


def _copy(clone, key, item):
    proto_type, to_proto, from_proto = collections_lib.proto_functions(key)
    if not (proto_type and to_proto and from_proto):
        return objects.mapped(clone, item)
    message = to_proto(item)
    if message is None:
        return None
    message = proto_type.FromString(message.SerializeToString())
    if not _rename(clone, message):
        return None
    with clone.graph.as_default():
        return from_proto(message)


def _rename(clone, message):
    """Replaces the names of originals in a message by those of their copies.

    Returns whether there were any.
    """
    found = False
    for field, value in message.ListFields():
        if field.message_type is not None:
            if field.message_type.GetOptions().map_entry:
                continue
            inner = [value] if hasattr(value, 'ListFields') else value
            found = any([_rename(clone, m) for m in inner]) or found
        elif field.type == field.TYPE_STRING:
            texts = [value] if isinstance(value, str) else list(value)
            names = [_copied_name(clone, text) for text in texts]
            if names == texts:
                continue
            found = True
            if isinstance(value, str):
                setattr(message, field.name, names[0])
            else:
                value[:] = names
    return found


def _copied_name(clone, text):
    op, colon, index = text.partition(':')
    if not op or not clone.source._has_operation(op):
        return text
    copy = clone._core.transformed(clone.source.get_operation_by_name(op))
    return text if copy is None else copy.name + colon + index
