"""Helpers of the base class of layers: collections, and dependencies between tensors."""

from ramet.framework import nest, ops
from ramet.ops.variables.partitioned_variable import PartitionedVariable


def collect(elements, key):
    """Adds elements to a collection, except those that it already contains."""
    collection = ops.get_collection_ref(key)
    known = set(map(id, collection))
    collection.extend(e for e in elements if id(e) not in known)


def all_variables():
    """Returns the global and local variables of the default graph."""
    return ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES) \
        + ops.get_collection(ops.GraphKeys.LOCAL_VARIABLES)


def parts_of(variable):
    """Returns the parts of a partitioned variable, or a list with the variable itself."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def reached_from(values, inputs, all_inputs):
    """Returns the `values` that depend on the inputs; with None, those that depend on no inputs."""
    starts = {t.op for t in nest.flatten(all_inputs if inputs is None else inputs)}
    found = []
    for value in values:
        waiting, seen, hit = [getattr(value, 'op', value)], set(), False
        while waiting and not hit:
            op = waiting.pop()
            hit = op in starts
            new = [t.op for t in op.inputs if t.op not in seen]
            seen.update(new)
            waiting.extend(new)
        if hit == (inputs is not None):
            found.append(value)
    return found
