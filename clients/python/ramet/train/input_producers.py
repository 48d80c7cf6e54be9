"""Queues of input items: file names, numbers and slices, in epochs and shuffled."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, graph_only, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow.assertions import Assert
from ramet.ops.math import math_ops
from ramet.ops.queues.queues import FIFOQueue
from ramet.ops.random import random_ops
from ramet.ops.variables import variables
from ramet.summary import summary
from ramet.train import queue_runner


@export('io.match_filenames_once', 'train.match_filenames_once')
def match_filenames_once(pattern, name=None):
    """Returns a local variable with the names of the files that match patterns when it is initialized.

    Args:
      pattern: str or a tensor of patterns.
      name: the name of the variable.
    """
    with ops.name_scope(name, 'matching_filenames', [pattern]) as name:
        return variables.Variable(
            name=name, initial_value=gen.MatchingFiles(pattern), trainable=False,
            validate_shape=False, collections=[ops.GraphKeys.LOCAL_VARIABLES])


@export('train.limit_epochs')
def limit_epochs(tensor, num_epochs=None, name=None):
    """Returns a tensor that can be computed num_epochs times; then a run fails with OutOfRangeError.

    It counts in a local variable, so run tf.local_variables_initializer() first.

    Args:
      tensor: a tensor.
      num_epochs: int, or None for no limit.
      name: the name of the operation.

    Raises:
      ValueError: if num_epochs is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError('num_epochs must be > 0 not %d.' % num_epochs)
    with ops.name_scope(name, 'limit_epochs', [tensor]) as name:
        epochs = variables.Variable(constant_op.constant(0, dtype=dtypes.int64), name='epochs',
                                      trainable=False,
                                      collections=[ops.GraphKeys.LOCAL_VARIABLES])
        with ops.control_dependencies([epochs.count_up_to(num_epochs)]):
            return array_ops.identity(tensor, name=name)


@export('train.input_producer')
@graph_only.needs_graph(graph_only.QUEUE_INPUT)
def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None,
                   capacity=32, shared_name=None, summary_name=None, name=None, cancel_op=None):
    """Returns a queue that a QueueRunner fills with the rows of a tensor, again and again.

    Args:
      input_tensor: a tensor of rank 1 or more.
      element_shape: the shape of a row, if the tensor's is not known.
      num_epochs: int, how often each row is produced before the queue is closed, or None for no limit.
      shuffle: whether to shuffle the rows in each epoch.
      seed: int, the seed for shuffling.
      capacity: int, the capacity of the queue.
      shared_name: str. Queues with the same shared name share one queue of the session.
      summary_name: str, the name of a summary of how full the queue is, or None for no summary.
      name: the name of the operations.
      cancel_op: an operation for QueueRunner, or None.

    Raises:
      ValueError: if the shape of a row is not known.
    """
    with ops.name_scope(name, 'input_producer', [input_tensor]):
        input_tensor = ops.convert_to_tensor(input_tensor, name='input_tensor')
        element_shape = input_tensor.shape[1:].merge_with(element_shape)
        if not element_shape.is_fully_defined():
            raise ValueError('Either `input_tensor` must have a fully defined shape or '
                             '`element_shape` must be specified')
        if shuffle:
            input_tensor = random_ops.random_shuffle(input_tensor, seed=seed)
        input_tensor = limit_epochs(input_tensor, num_epochs)
        queue = FIFOQueue(capacity=capacity, dtypes=[input_tensor.dtype.base_dtype],
                          shapes=[element_shape], shared_name=shared_name, name=name)
        enqueue = queue.enqueue_many([input_tensor])
        queue_runner.add_queue_runner(
            queue_runner.QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            summary.scalar(summary_name,
                           math_ops.cast(queue.size(), dtypes.float32) * (1. / capacity))
        return queue


@export('train.string_input_producer')
@with_args_of(input_producer)
def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32,
                          shared_name=None, name=None, cancel_op=None):
    """Returns a queue that a QueueRunner fills with strings, such as the names of files.

    Args:
      string_tensor: a list or vector of strings, not empty.

    Raises:
      ValueError: if the list is empty. If a tensor is empty, a run fails with InvalidArgumentError.
    """
    message = 'string_input_producer requires a non-null input tensor'
    if not isinstance(string_tensor, ops.Tensor) and not string_tensor:
        raise ValueError(message)
    with ops.name_scope(name, 'input_producer', [string_tensor]) as name:
        string_tensor = ops.convert_to_tensor(string_tensor, dtype=dtypes.string)
        not_empty = Assert(
            math_ops.greater(array_ops.size(string_tensor), 0), [message])
        with ops.control_dependencies([not_empty]):
            string_tensor = array_ops.identity(string_tensor)
        return input_producer(
            input_tensor=string_tensor, element_shape=[], num_epochs=num_epochs, shuffle=shuffle,
            seed=seed, capacity=capacity, shared_name=shared_name, name=name,
            summary_name='fraction_of_%d_full' % capacity, cancel_op=cancel_op)


@export('train.range_input_producer')
@with_args_of(input_producer)
def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32,
                         shared_name=None, name=None):
    """Returns a queue that a QueueRunner fills with the numbers from 0 to limit - 1.

    Args:
      limit: int or an int32 scalar.
    """
    with ops.name_scope(name, 'input_producer', [limit]) as name:
        return input_producer(math_ops.range(limit), [], num_epochs, shuffle, seed, capacity,
                              shared_name, 'fraction_of_%d_full' % capacity, name)


@export('train.slice_input_producer')
@with_args_of(input_producer)
def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32,
                         shared_name=None, name=None):
    """Returns one row of each of several tensors; a QueueRunner chooses the row.

    Args:
      tensor_list: a list of tensors with the same number of rows.

    Returns:
      A list of tensors.

    Raises:
      ValueError: if the list is empty.
    """
    with ops.name_scope(name, 'input_producer', tensor_list):
        tensor_list = ops.convert_n_to_tensor_or_indexed_slices(tensor_list)
        if not tensor_list:
            raise ValueError('Expected at least one tensor in slice_input_producer().')
        queue = range_input_producer(array_ops.shape(tensor_list[0])[0], num_epochs=num_epochs,
                                     shuffle=shuffle, seed=seed, capacity=capacity,
                                     shared_name=shared_name)
        index = queue.dequeue()
        return [array_ops.gather(tensor, index) for tensor in tensor_list]
