"""Collections, and what depends on what: helpers of the class of all layers."""

from ramet.framework import nest, ops
from ramet.ops.partitioned_variable import PartitionedVariable


def collect(elements, key):
    """Adds to a collection what it does not have yet."""
    collection = ops.get_collection_ref(key)
    known = set(map(id, collection))
    collection.extend(e for e in elements if id(e) not in known)


def all_variables():
    """The global and local variables of the default graph."""
    return ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES) \
        + ops.get_collection(ops.GraphKeys.LOCAL_VARIABLES)


def parts_of(variable):
    """The parts of a partitioned variable; or a list of the variable."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def reached_from(values, inputs, all_inputs):
    """Those of `values` that depend on the inputs, or, if these are None, on no inputs at all."""
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
