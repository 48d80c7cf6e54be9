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


def _before(op):
    """Returns the operations that run before one, also those that it waits for without reading from them."""
    return [*(t.op for t in op.inputs), *op.control_inputs]


def depends_on(values, inputs):
    """Returns a list of bools that tell for each Tensor or Operation whether it depends on one of the inputs."""
    known = {t.op: True for t in nest.flatten(inputs)}
    for value in values:
        stack = [getattr(value, 'op', value)]
        while stack:
            op = stack[-1]
            missing = [] if op in known else [o for o in _before(op) if o not in known]
            if missing:
                known[op] = False  # Loops of the graph end here.
                stack.extend(missing)
                continue
            stack.pop()
            known[op] = known.get(op, False) or any(known[o] for o in _before(op))
    return [known[getattr(value, 'op', value)] for value in values]


def reached_from(values, inputs, all_inputs):
    """Returns the `values` that depend on the inputs; with None, those that depend on no inputs."""
    wanted = inputs is not None
    found = depends_on(values, all_inputs if inputs is None else inputs)
    return [value for value, depends in zip(values, found, strict=True) if depends == wanted]
