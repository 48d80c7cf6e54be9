"""Batches that queues collect from single examples."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, graph_only, ops, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.control_flow.smart_cond import smart_cond
from ramet.ops.math import math_ops
from ramet.ops.queues.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from ramet.summary import summary
from ramet.train import queue_runner, sparse_examples


def _as_list(tensors):
    return [tensors[key] for key in sorted(tensors, key=str)] if isinstance(tensors, dict) else tensors


def _as_lists(tensors_list):
    if not tensors_list:
        raise ValueError('Expected at least one set of tensors')
    first = tensors_list[0]
    if isinstance(first, dict) and any(set(each) != set(first) for each in tensors_list[1:]):
        raise ValueError('All dictionaries in tensors_list must have the same keys')
    return [_as_list(tensors) for tensors in tensors_list]


def _like(tensors, batch):
    """Returns the tensors of a batch in the structure of an example."""
    if not isinstance(tensors, dict):
        return batch
    batch = [batch] if len(tensors) == 1 else batch
    return dict(zip(sorted(tensors, key=str), batch))


def _converted(tensors):
    return [tensor if isinstance(tensor, SparseTensor)
            else ops.convert_n_to_tensor_or_indexed_slices([tensor])[0] for tensor in tensors]


def _checked_keep_input(keep_input, enqueue_many):
    keep_input = ops.convert_to_tensor(keep_input)
    if keep_input.shape.ndims is None:
        raise ValueError('`keep_input` dimensions must be known at graph construction.')
    if not enqueue_many and keep_input.shape.ndims == 1:
        raise ValueError('`keep_input` cannot be a vector when `enqueue_many=False`.')
    if keep_input.shape.ndims > 1:
        raise ValueError('`keep_input` must be 0 or 1 dimensions.')
    return keep_input


def _common_dtypes(lists):
    first, *others = [[tensor.dtype.base_dtype for tensor in tensors] for tensors in lists]
    for types in others:
        if types != first:
            raise TypeError('Expected types to be consistent: %s vs. %s.' %
                            (', '.join(t.name for t in first), ', '.join(t.name for t in types)))
    return first


def _common_shapes(lists, enqueue_many):
    for tensor in (tensor for tensors in lists for tensor in tensors):
        if tensor.shape.ndims is None:
            raise ValueError("Cannot infer Tensor's rank: %s" % tensor)
    shapes = []
    for components in zip(*lists):
        each = [tensor_shape.as_shape(tensor.shape.as_list()) for tensor in components]
        if enqueue_many:
            each = [shape.with_rank_at_least(1)[1:] for shape in each]
        for shape in each[1:]:
            each[0].merge_with(shape)
        shapes.append(each[0].as_list())
    return shapes


def _enqueue(queue, tensors, enqueue_many, keep_input):
    """Returns an operation that adds the examples that are to be kept."""
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input.shape.ndims == 1:
        partitions = math_ops.cast(keep_input, dtypes.int32)
        return enqueue([gen.DynamicPartition(tensor, partitions, num_partitions=2)[1]
                        for tensor in tensors])
    return smart_cond(keep_input, lambda: enqueue(tensors),
                                       gen.NoOp)


_NEEDS_GRAPH = graph_only.needs_graph(graph_only.QUEUE_INPUT, ValueError)


class _Batcher:
    """One call of batch, shuffle_batch and their relatives."""

    def __init__(self, examples, joined, batch_size, keep_input, capacity, enqueue_many, shapes,
                 allow_smaller_final_batch, shared_name, name):
        self._examples = examples
        self._joined = joined
        self._batch_size = batch_size
        self._keep_input = keep_input
        self._capacity = capacity
        self._enqueue_many = enqueue_many
        self._shapes = shapes
        self._smaller = allow_smaller_final_batch
        self._shared_name = shared_name
        self._name = name

    def _lists(self):
        return _as_lists(self._examples) if self._joined else [_as_list(self._examples)]

    def _batch(self, scope, lists, make_queue, add_summary, num_threads):
        lists = [_converted(tensors) for tensors in lists]
        if not lists[0]:
            raise ValueError('Expected at least one tensor in batch().')
        keep_input = _checked_keep_input(self._keep_input, self._enqueue_many)
        lists, infos = sparse_examples.store_all(lists, self._enqueue_many, keep_input)
        types = _common_dtypes(lists)
        shapes = self._shapes
        if shapes is None:
            shapes = _common_shapes(lists, self._enqueue_many)
        queue = make_queue(capacity=self._capacity, dtypes=types, shapes=shapes,
                           shared_name=self._shared_name)
        enqueue_ops = [_enqueue(queue, tensors, self._enqueue_many, keep_input)
                       for tensors in lists]
        if not self._joined:
            enqueue_ops = enqueue_ops * num_threads
        queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, enqueue_ops))
        add_summary(queue)
        dequeue = queue.dequeue_up_to if self._smaller else queue.dequeue_many
        batch = sparse_examples.restore(dequeue(self._batch_size, name=scope), infos)
        return _like(self._examples[0] if self._joined else self._examples, batch)

    def in_order(self, default_name, dynamic_pad, num_threads=1):
        lists = self._lists()

        def add_summary(queue):
            summary.scalar('fraction_of_%d_full' % self._capacity,
                           math_ops.cast(queue.size(), dtypes.float32) * (1. / self._capacity))

        values = [tensor for tensors in lists for tensor in tensors] + [self._keep_input]
        with ops.name_scope(self._name, default_name, values) as scope:
            return self._batch(scope, lists, PaddingFIFOQueue if dynamic_pad else FIFOQueue,
                               add_summary, num_threads)

    def shuffled(self, default_name, min_after_dequeue, seed, num_threads=1):
        lists = self._lists()
        free = self._capacity - min_after_dequeue

        def make_queue(**kwargs):
            return RandomShuffleQueue(min_after_dequeue=min_after_dequeue, seed=seed, **kwargs)

        def add_summary(queue):
            above = math_ops.maximum(0, queue.size() - min_after_dequeue)
            summary.scalar('fraction_over_%d_of_%d_full' % (min_after_dequeue, free),
                           math_ops.cast(above, dtypes.float32) * (1. / free))

        values = [tensor for tensors in lists for tensor in tensors] + [self._keep_input]
        with ops.name_scope(self._name, default_name, values) as scope:
            if free <= 0 and not self._joined:
                raise ValueError('capacity %d must be bigger than min_after_dequeue %d.'
                                 % (self._capacity, min_after_dequeue))
            return self._batch(scope, lists, make_queue, add_summary, num_threads)


@export('train.batch')
@_NEEDS_GRAPH
def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None,
          dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Returns batches of examples, in the order in which threads of a QueueRunner compute them.

    Args:
      tensors: a list or dict of tensors, one example.
      batch_size: int or an int32 scalar.
      num_threads: int, the number of threads that compute examples. With more than one, their order may vary.
      capacity: int, the maximum number of examples in the queue.
      enqueue_many: whether each tensor holds several examples, one per row.
      shapes: a list of the shapes of an example's tensors, if they are not known.
      dynamic_pad: whether tensors may differ in size; they are then padded with zeros.
      allow_smaller_final_batch: whether the last batch may be smaller, instead of being dropped.
      shared_name: str. Queues with the same shared name share one queue of the session.
      name: the name of the operations.

    Returns:
      A tensor for each tensor of the example, as a list or dict like `tensors`; a single tensor for a list of one.

    Raises:
      ValueError: if the shapes cannot be inferred.
    """
    return _Batcher(tensors, False, batch_size, True, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name).in_order(
                        'batch', dynamic_pad, num_threads)


@export('train.maybe_batch')
@_NEEDS_GRAPH
@with_args_of(batch)
def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False,
                shapes=None, dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None,
                name=None):
    """Like batch, but uses only the examples that `keep_input` selects.

    Args:
      keep_input: a bool scalar: whether to use the example; with enqueue_many, also a vector with one for each row.

    Raises:
      ValueError: if the shapes cannot be inferred, or `keep_input` has a different rank.
    """
    return _Batcher(tensors, False, batch_size, keep_input, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name).in_order(
                        'batch', dynamic_pad, num_threads)


@export('train.batch_join')
@_NEEDS_GRAPH
@with_args_of(batch)
def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None,
               dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like batch, for several sources of examples, each with a thread of its own.

    Args:
      tensors_list: a list of examples (lists or dicts of tensors) of the same dtypes, one for each source.

    Raises:
      ValueError: if the shapes cannot be inferred.
      TypeError: if the dtypes of the sources differ.
    """
    return _Batcher(tensors_list, True, batch_size, True, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name).in_order(
                        'batch_join', dynamic_pad)


@export('train.maybe_batch_join')
@_NEEDS_GRAPH
@with_args_of(maybe_batch, batch_join)
def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False,
                     shapes=None, dynamic_pad=False, allow_smaller_final_batch=False,
                     shared_name=None, name=None):
    """Like batch_join, but uses only the examples that `keep_input` selects."""
    return _Batcher(tensors_list, True, batch_size, keep_input, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name).in_order(
                        'batch_join', dynamic_pad)


@export('train.shuffle_batch')
@_NEEDS_GRAPH
@with_args_of(batch)
def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None,
                  enqueue_many=False, shapes=None, allow_smaller_final_batch=False,
                  shared_name=None, name=None):
    """Returns batches of examples in random order.

    Args:
      min_after_dequeue: int, the number of examples that stay in the queue until the inputs end, for good mixing.
      seed: int, the seed of the order.

    Raises:
      ValueError: if the shapes cannot be inferred, or capacity is not larger than min_after_dequeue.
    """
    return _Batcher(tensors, False, batch_size, True, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name).shuffled(
                        'shuffle_batch', min_after_dequeue, seed, num_threads)


@export('train.maybe_shuffle_batch')
@_NEEDS_GRAPH
@with_args_of(shuffle_batch, maybe_batch)
def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input,
                        num_threads=1, seed=None, enqueue_many=False, shapes=None,
                        allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like shuffle_batch, but uses only the examples that `keep_input` selects."""
    return _Batcher(tensors, False, batch_size, keep_input, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name).shuffled(
                        'shuffle_batch', min_after_dequeue, seed, num_threads)


@export('train.shuffle_batch_join')
@_NEEDS_GRAPH
@with_args_of(shuffle_batch, batch_join)
def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None,
                       enqueue_many=False, shapes=None, allow_smaller_final_batch=False,
                       shared_name=None, name=None):
    """Like shuffle_batch, for several sources of examples, each with a thread of its own."""
    return _Batcher(tensors_list, True, batch_size, True, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name).shuffled(
                        'shuffle_batch_join', min_after_dequeue, seed)


@export('train.maybe_shuffle_batch_join')
@_NEEDS_GRAPH
@with_args_of(shuffle_batch_join, maybe_batch)
def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input,
                             seed=None, enqueue_many=False, shapes=None,
                             allow_smaller_final_batch=False, shared_name=None, name=None):
    """Like shuffle_batch_join, but uses only the examples that `keep_input` selects."""
    return _Batcher(tensors_list, True, batch_size, keep_input, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name).shuffled(
                        'shuffle_batch_join', min_after_dequeue, seed)
