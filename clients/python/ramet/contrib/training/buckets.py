"""Batches of examples that belong to the same bucket, such as sequences of similar lengths."""

import functools

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, errors, nest, ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.math import math_ops
from ramet.ops.queues import queues
from ramet.summary import summary
from ramet.train import queue_runner

_CLOSED = (errors.OutOfRangeError, errors.CancelledError)


def _add_runner(queues, enqueue_ops):
    queue_runner.add_queue_runner(queue_runner.QueueRunner(
        queues[0], enqueue_ops, close_op=control_flow_ops.group(*[q.close() for q in queues]),
        cancel_op=control_flow_ops.group(*[q.close(cancel_pending_enqueues=True) for q in queues]),
        queue_closed_exception_types=_CLOSED))


class _Buckets:
    """The queues of the buckets, and the queue of the batches."""

    def __init__(self, tensors, batch_sizes, capacities, capacity, shapes, dynamic_pad,
                 allow_smaller_final_batch, shared_name):
        self.tensors, self.batch_sizes = tensors, batch_sizes
        types = [t.dtype for t in tensors]
        shapes = [t.get_shape() for t in tensors] if shapes is None \
            else [tensor_shape.TensorShape(s) for s in shapes]
        if not dynamic_pad and not all(s.is_fully_defined() for s in shapes):
            raise ValueError(f'All shapes must be fully defined: {shapes}')
        make = queues.PaddingFIFOQueue if dynamic_pad else queues.FIFOQueue
        self.queues = [
            make(capacity=bucket_capacity, dtypes=types, shapes=shapes,
                 shared_name=None if shared_name is None else f'{shared_name}_{i}',
                 name=f'bucket_queue_{i}') for i, bucket_capacity in enumerate(capacities)]
        known = [tensor_util.constant_value(ops.convert_to_tensor(b)) for b in batch_sizes]
        size = None
        if not allow_smaller_final_batch and all(k is not None and k == known[0] for k in known):
            size = int(known[0])
        # This queue pads because the batches may have different sizes.
        self.top = queues.PaddingFIFOQueue(
            capacity=capacity, dtypes=[dtypes.int32, *types],
            shapes=[tensor_shape.TensorShape([]), *(tensor_shape.TensorShape([size]).concatenate(s) for s in shapes)],
            shared_name=shared_name, name='top_queue')
        self.smaller = allow_smaller_final_batch

    def enqueue(self, which_bucket, keep_input):
        """Returns an operation that adds an example to its bucket."""

        def to_bucket():
            return control_flow_ops.group(*[
                control_flow_ops.cond(math_ops.equal(which_bucket, i),
                        functools.partial(queue.enqueue, self.tensors), gen.NoOp)
                for i, queue in enumerate(self.queues)], name='group_enqueues')

        if keep_input is True:
            return to_bucket()
        return control_flow_ops.cond(ops.convert_to_tensor(keep_input), to_bucket, gen.NoOp)

    def move_batches(self):
        """Returns the operations that move a batch from each bucket to the queue of batches."""
        moves = []
        for i, (queue, size) in enumerate(zip(self.queues, self.batch_sizes, strict=True)):
            take = queue.dequeue_up_to if self.smaller else queue.dequeue_many
            batch = take(size, name=f'read_bucket_{i}')
            batch = batch if isinstance(batch, (list, tuple)) else [batch]
            moves.append(self.top.enqueue([constant_op.constant(i), *batch],
                                          name=f'enqueue_from_bucket_{i}'))
        return moves


def _batch_sizes(batch_size, num_buckets):
    if not isinstance(batch_size, (list, tuple)):
        return [batch_size] * num_buckets
    if len(batch_size) != num_buckets:
        raise ValueError(f'If batch_size is a list it must have num_buckets elements')
    return list(batch_size)


@export('contrib.training.bucket')
def bucket(tensors, which_bucket, batch_size, num_buckets, num_threads=1, capacity=32,
           bucket_capacities=None, shapes=None, dynamic_pad=False,
           allow_smaller_final_batch=False, keep_input=True, shared_name=None, name=None):
    """Makes batches of examples that belong to the same bucket, with queues and their runners.

    Args:
      tensors: the parts of an example: a list of tensors, or a dict.
      which_bucket: the number of its bucket, an int32 scalar.
      batch_size: the size of the batches, or a list with the size for each bucket.
      num_buckets: the number of buckets.
      num_threads: the number of threads that add examples.
      capacity: the largest number of batches in the queue.
      bucket_capacities: the largest numbers of examples in the buckets. Defaults to `capacity` each.
      shapes: the shapes of the tensors. Defaults to their static shapes.
      dynamic_pad: whether to pad the tensors of a batch to the same shape.
      allow_smaller_final_batch: whether the last batch of a bucket may be smaller.
      keep_input: whether to use the example: a bool, or a boolean scalar.
      shared_name: the prefix of the shared names of the queues, or None.
      name: the name of the scope. Defaults to "bucket".

    Returns:
      The number of the bucket, and a batch in the structure of `tensors`.

    Raises:
      ValueError: if a shape is unknown without dynamic_pad, or a list has the wrong length.
    """
    flat = nest.flatten(tensors)
    with ops.name_scope(name, 'bucket', flat):
        flat = [ops.convert_to_tensor(t) for t in flat]
        sizes = _batch_sizes(batch_size, num_buckets)
        capacities = [capacity] * num_buckets if bucket_capacities is None else bucket_capacities
        if len(capacities) != num_buckets:
            raise ValueError(f'The list bucket_capacities ({capacities}) must have exactly '
                             f'num_buckets ({num_buckets}) elements.')
        which_bucket = ops.convert_to_tensor(which_bucket, dtype=dtypes.int32, name='which_bucket')
        made = _Buckets(flat, sizes, capacities, capacity, shapes, dynamic_pad,
                        allow_smaller_final_batch, shared_name)
        _add_runner(made.queues, [made.enqueue(which_bucket, keep_input)] * num_threads)
        _add_runner([made.top], made.move_batches())
        for i, queue in enumerate(made.queues):
            summary.scalar(f'bucket/{i}/size', math_ops.cast(queue.size(), dtypes.float32))
        summary.scalar(f'bucket/fraction_of_{capacity}_full',
                          math_ops.cast(made.top.size(), dtypes.float32) * (1. / capacity))
        which, *batch = made.top.dequeue(name='dequeue_top')
        return which, nest.pack_sequence_as(tensors, batch)


@export('contrib.training.bucket_by_sequence_length')
@with_args_of(bucket)
def bucket_by_sequence_length(input_length, tensors, batch_size, bucket_boundaries, num_threads=1,
                              capacity=32, bucket_capacities=None, shapes=None, dynamic_pad=False,
                              allow_smaller_final_batch=False, keep_input=True, shared_name=None,
                              name=None):
    """Makes batches of sequences of similar lengths, with queues and their runners.

    Args:
      input_length: the length of the sequence, an int32 scalar.
      bucket_boundaries: the first lengths of all buckets but the first, an increasing list.
      name: the name of the scope. Defaults to "bucket_by_seq_length".

    Returns:
      The lengths of the sequences of a batch, and the batch in the structure of `tensors`.

    Raises:
      TypeError: if a boundary is not an integer.
      ValueError: if there are no boundaries, or they do not increase.
    """
    if not bucket_boundaries:
        raise ValueError('bucket_boundaries must not be empty')
    for boundary in bucket_boundaries:
        if not isinstance(boundary, (int, np.integer)) or isinstance(boundary, bool):
            raise TypeError(f'bucket boundaries must be integers, but saw: {boundary}')
    if any(b <= a for a, b in zip(bucket_boundaries, bucket_boundaries[1:], strict=False)):
        raise ValueError(
            f'Buckets must contain sequential increasing lengths, but saw: {bucket_boundaries}')
    with ops.name_scope(name, 'bucket_by_seq_length', [input_length, *nest.flatten(tensors)]):
        input_length = ops.convert_to_tensor(input_length, dtype=dtypes.int32, name='input_length')
        limits = np.iinfo(np.int32)
        least = constant_op.constant([limits.min, *bucket_boundaries])
        following = constant_op.constant([*bucket_boundaries, limits.max])
        inside = gen.LogicalAnd(gen.LessEqual(least, input_length),
                                gen.Less(input_length, following))
        which = math_ops.to_int32(math_ops.reduce_min(array_ops.where(inside)))
        if shapes is not None:
            shapes = [tensor_shape.TensorShape([]), *shapes]
        _, (lengths, batch) = bucket(
            [input_length, tensors], which, batch_size, len(bucket_boundaries) + 1,
            num_threads=num_threads, capacity=capacity, bucket_capacities=bucket_capacities,
            shapes=shapes, dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch, keep_input=keep_input,
            shared_name=shared_name)
        return lengths, batch
