"""Sparse tensors in queues: the session keeps them, and their numbers pass through the queue."""

from ramet import gen
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_ops
from ramet.ops.control_flow import dependencies
from ramet.ops.control_flow.smart_cond import smart_cond
from ramet.ops.sparse import sparse_ops

_STORES = ('AddSparseToTensorsMap', 'AddManySparseToTensorsMap')


class Stored:
    """Describes one component of an example: whether it is sparse, the operation whose map keeps it, and its rank."""

    def __init__(self, tensor, map_op, enqueue_many):
        self.sparse = isinstance(tensor, SparseTensor)
        self.map_op = map_op if self.sparse else None
        self.rank = tensor_shape.as_dimension(None)
        if self.sparse:
            rank = tensor.dense_shape.shape.with_rank(1).dims[0]
            self.rank = rank - 1 if enqueue_many else rank

    def fits(self, other):
        """Returns whether both can be components of the same queue."""
        if not (self.sparse and other.sparse):
            return self.sparse == other.sparse
        return self.map_op == other.map_op and self.rank.is_compatible_with(other.rank)


def _store(tensor, build, shared_name):
    return build(tensor.indices, tensor.values, tensor.dense_shape, shared_name=shared_name)


def _store_one(tensor, keep_input, shared_name):
    return smart_cond(keep_input,
                      lambda: _store(tensor, gen.AddSparseToTensorsMap, shared_name),
                      lambda: constant_op.constant(-1, dtypes.int64))


def _store_rows(tensor, keep_input, shared_name):
    numbers = smart_cond(keep_input,
                         lambda: _store(tensor, gen.AddManySparseToTensorsMap, shared_name),
                         lambda: -1 * array_ops.ones(array_ops.shape(tensor)[0:1], dtypes.int64))
    numbers.set_shape([None])
    return numbers


def _store_kept_rows(tensor, keep_input, shared_name):
    kept = sparse_ops.sparse_retain(tensor, array_ops.gather(keep_input, tensor.indices[:, 0]))
    return _store(kept, gen.AddManySparseToTensorsMap, shared_name)


def _storing_op(numbers):
    """Returns the operation that stores; it may be in a branch of a condition."""
    for tensor in numbers.op.inputs:
        if tensor.op.type in _STORES:
            return tensor.op
    return numbers.op


def store(tensors, enqueue_many, keep_input, shared=None):
    """Replaces the sparse components of an example by their numbers.

    Args:
      tensors: a list of Tensors and SparseTensors.
      enqueue_many: whether each tensor holds several examples, one per row.
      keep_input: a bool scalar, or a vector with one element per row.
      shared: the list of Stored of a first source whose maps to use, or None.

    Returns:
      A tuple (list of Tensors, list of Stored).
    """
    if keep_input.shape.ndims == 1:
        build = _store_kept_rows
    else:
        build = _store_rows if enqueue_many else _store_one
    results, infos = [], []
    for i, tensor in enumerate(tensors):
        map_op = shared[i].map_op if shared else None
        if not isinstance(tensor, SparseTensor):
            results.append(tensor)
            infos.append(Stored(tensor, None, enqueue_many))
            continue
        numbers = build(tensor, keep_input, map_op.name if map_op else None)
        infos.append(Stored(tensor, map_op or _storing_op(numbers), enqueue_many))
        results.append(numbers)
    results = [array_ops.expand_dims(result, [-1]) if info.sparse else result
               for result, info in zip(results, infos)]
    return results, infos


def store_all(lists, enqueue_many, keep_input):
    """Like store, for several sources of examples, which share the maps of the first.

    Args:
      lists: a list of the tensors of each source.
      enqueue_many: whether each tensor holds several examples, one per row.
      keep_input: a bool scalar, or a vector with one element per row.

    Returns:
      A tuple (list of lists of Tensors, list of Stored).

    Raises:
      ValueError: if the sources differ in which components are sparse.
    """
    first, infos = store(lists[0], enqueue_many, keep_input)
    results = [first]
    for tensors in lists[1:]:
        stored, others = store(tensors, enqueue_many, keep_input, infos)
        if not all(info.fits(other) for info, other in zip(infos, others)):
            raise ValueError(f'Inconsistent SparseTensors list: {lists[0]} vs. {tensors}')
        results.append(stored)
    return results, infos


def _taken(info, numbers):
    """Returns the SparseTensor of a batch."""
    map_op = info.map_op
    rank = tensor_shape.dimension_value(info.rank + 1)
    with ops.colocate_with(map_op):
        name = map_op.get_attr('shared_name') or map_op.name
        name = name.decode() if isinstance(name, bytes) else name
        indices, values, shape = gen.TakeManySparseFromTensorsMap(
            array_ops.squeeze(numbers, [1]), dtype=map_op.get_attr('T'),
            container=map_op.get_attr('container'), shared_name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def restore(batch, infos):
    """Returns the components of a batch with its sparse tensors.

    All of them are taken together, because each number can be taken only once.

    Args:
      batch: the components that come from the queue: a list, or a single Tensor.
      infos: the list of Stored.

    Returns:
      A list like `batch`, or a single component.
    """
    if not any(info.sparse for info in infos):
        return batch
    several = isinstance(batch, (list, tuple))
    parts = [_taken(info, part) if info.sparse else part
             for info, part in zip(infos, batch if several else [batch])]
    values = [part.values if isinstance(part, SparseTensor) else part for part in parts]

    def after(tensor):
        return dependencies.with_dependencies(values, tensor)

    result = [SparseTensor(after(part.indices), after(part.values), after(part.dense_shape))
              if isinstance(part, SparseTensor) else after(part) for part in parts]
    return result if several else parts[0]
