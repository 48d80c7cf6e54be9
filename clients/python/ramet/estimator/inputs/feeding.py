"""Queues that threads of Python fill from arrays."""

import random

import numpy as np

from ramet.api import export
from ramet.framework import dtypes, errors, ops
from ramet.lib import tf_logging as logging
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.queues import queues
from ramet.summary import summary
from ramet.train import queue_runner


class RowFeeder:
    """Makes the feeds of one thread: row numbers and rows of arrays, in order, from a start on."""

    def __init__(self, placeholders, arrays, batch_size, random_start=False, seed=None, num_epochs=None):
        """Creates the feeder.

        Args:
          placeholders: the tensors to feed: row numbers, and one for each array.
          arrays: a list of arrays of the same length.
          batch_size: int, the number of rows of one feed.
          random_start: whether to start at a random row.
          seed: int, the seed of the start, or None.
          num_epochs: int, how often all rows are fed, or None for no end.
        """
        self._placeholders = placeholders
        self._arrays = arrays
        self._rows = len(arrays[0])
        self._batch_size = batch_size
        self._num_epochs = num_epochs
        self._epoch = 0
        start = random.Random(seed).randrange(self._rows) if random_start else 0
        self._next = start
        self._last = (start - 1) % self._rows

    def __call__(self):
        """Returns a dict from placeholders to values.

        Raises:
          tf.errors.OutOfRangeError: if all rows were fed num_epochs times.
        """
        if self._num_epochs and self._epoch >= self._num_epochs:
            raise errors.OutOfRangeError(None, None, f'Already emitted {self._epoch} epochs.')
        rows = self._take()
        return dict(zip(self._placeholders, [rows, *(array[rows] for array in self._arrays)]))

    def _take(self):
        rows = [i % self._rows for i in range(self._next, self._next + self._batch_size)]
        ends = [i for i, row in enumerate(rows) if row == self._last]
        epochs = self._epoch + len(ends)
        if self._num_epochs and epochs >= self._num_epochs:
            rows = rows[:ends[self._num_epochs - self._epoch - 1] + 1]
            epochs = self._num_epochs
        self._epoch = epochs
        self._next = (rows[-1] + 1) % self._rows
        return np.array(rows, np.int64)


@export('contrib.training.FeedingQueueRunner')
class FeedingQueueRunner(queue_runner.QueueRunner):
    """A QueueRunner whose enqueue operations are fed by functions."""

    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None, feed_fns=None,
                 queue_closed_exception_types=None):
        """Creates the runner.

        Args:
          queue: a queue.
          enqueue_ops: a list of operations, one for each thread.
          close_op: an operation that closes the queue, or None to add one.
          cancel_op: an operation that closes the queue and cancels pending enqueues, or None to add one.
          feed_fns: a list of functions without arguments that return the feeds, one for each operation.
          queue_closed_exception_types: a tuple of types of tf.errors, or None for the ends of a queue.

        Raises:
          ValueError: if there are more or fewer functions than operations.
        """
        if queue_closed_exception_types is None:
            queue_closed_exception_types = (errors.OutOfRangeError, errors.CancelledError)
        super().__init__(queue, enqueue_ops, close_op, cancel_op,
                         queue_closed_exception_types=queue_closed_exception_types)
        if feed_fns is None:
            feed_fns = [dict for _ in enqueue_ops]
        if len(feed_fns) != len(enqueue_ops):
            raise ValueError('If feed_fns is not None, it must have the same length as enqueue_ops.')
        self._feed_fns = dict(zip(enqueue_ops, feed_fns))

    def _runner(self, sess, enqueue_op):
        feed_fn = self._feed_fns[enqueue_op]
        return lambda: sess.run(enqueue_op, feed_dict=feed_fn())

    def to_proto(self, export_scope=None):
        del export_scope
        raise NotImplementedError


def _queue(shuffle, capacity, min_after_dequeue, types, shapes, seed):
    if shuffle:
        return queues.RandomShuffleQueue(capacity, min_after_dequeue, dtypes=types, shapes=shapes, seed=seed)
    return queues.FIFOQueue(capacity, dtypes=types, shapes=shapes)


def enqueue_data(arrays, capacity, shuffle=False, min_after_dequeue=None, num_threads=1, seed=None,
                 name='enqueue_input', enqueue_size=1, num_epochs=None):
    """Returns a queue that threads fill with the numbers and the contents of the rows of arrays.

    Args:
      arrays: a dict from names to arrays of the same length.
      capacity: int, the number of rows that the queue holds.
      shuffle: whether to shuffle the rows.
      min_after_dequeue: int, the number of rows that remain in a shuffling queue. Defaults to a quarter of capacity.
      num_threads: int, the number of threads.
      seed: int, the seed of shuffling, or None.
      name: the name of the scope.
      enqueue_size: int, the number of rows that are added at a time.
      num_epochs: int, how often the rows are added, or None for no end.

    Raises:
      ValueError: if the arrays have no rows.
    """
    values = list(arrays.values())
    if not len(values[0]):
        raise ValueError(f'The arrays have no rows: {list(arrays)}')
    with ops.name_scope(name):
        types = [dtypes.int64, *(dtypes.as_dtype(v.dtype) for v in values)]
        shapes = [(), *(v.shape[1:] for v in values)]
        if num_threads > 1 and num_epochs is not None:
            logging.warning('enqueue_data was called with num_epochs and num_threads > 1. num_epochs is applied per '
                            'thread, so this will produce more epochs than you probably intend. If you want to limit '
                            'epochs, use one thread.')
        if min_after_dequeue is None:
            min_after_dequeue = capacity // 4 if shuffle else 0
        queue = _queue(shuffle, capacity, min_after_dequeue, types, shapes, seed)
        enqueue_ops, feed_fns = [], []
        for i in range(num_threads):
            placeholders = [array_ops.placeholder(t) for t in types]
            enqueue_ops.append(queue.enqueue_many(placeholders))
            feed_fns.append(RowFeeder(placeholders, values, enqueue_size, shuffle,
                                      None if seed is None else (i + 1) * seed, num_epochs))
        queue_runner.add_queue_runner(FeedingQueueRunner(queue, enqueue_ops, feed_fns=feed_fns))
        _summarize(queue, min_after_dequeue, capacity)
        return queue


def _summarize(queue, least, capacity):
    room = capacity - least
    full = math_ops.cast(math_ops.maximum(0, queue.size() - least), dtypes.float32) * (1. / room)
    summary.scalar(f'queue/{queue.name}fraction_over_{least}_of_{room}_full', full)
