"""The queues by the order in which they return their elements."""

import hashlib

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes as dtypes_lib
from ramet.framework import ops, random_seed
from ramet.ops.queues.queue_base import QueueBase, as_name_list, as_shape_list, as_type_list


@export('queue.FIFOQueue', 'FIFOQueue')
class FIFOQueue(QueueBase):
    """A queue that returns its elements in the order in which they were added.

    Args:
      capacity: int, the maximum number of elements, or -1 for no limit.
      dtypes: a DType, or a list of them for elements with several components.
      shapes: a list of the components' shapes, or None for any; only a queue with shapes can dequeue batches.
      names: a list of str. Elements of a queue with names are dicts.
      shared_name: str. Queues with the same shared name share one queue of the session.
      name: the name of the operation.
    """

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None,
                 name='fifo_queue'):
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes)
        names = as_name_list(names, dtypes)
        with ops.init_scope(), ops.device('CPU'):
            handle = gen.FIFOQueueV2(component_types=dtypes, shapes=shapes or [],
                                     capacity=capacity, shared_name=shared_name or '', name=name)
        super().__init__(dtypes, shapes, names, handle)


@export('queue.PaddingFIFOQueue', 'io.PaddingFIFOQueue', 'PaddingFIFOQueue')
@with_args_of(FIFOQueue)
class PaddingFIFOQueue(QueueBase):
    """A FIFO queue of elements that differ in size. dequeue_many pads them with zeros to the largest of the batch.

    Args:
      shapes: a list of the components' shapes, with None for dimensions that differ.

    Raises:
      ValueError: if a component has no shape, or one of unknown rank.
    """

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None,
                 name='padding_fifo_queue'):
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes, partial=True)
        names = as_name_list(names, dtypes)
        if len(dtypes) != len(shapes):
            raise ValueError('Shapes must be provided for all components, but received '
                             f'{len(dtypes)} dtypes and {len(shapes)} shapes.')
        handle = gen.PaddingFIFOQueueV2(component_types=dtypes, shapes=shapes, capacity=capacity,
                                        shared_name=shared_name or '', name=name)
        super().__init__(dtypes, shapes, names, handle)


@export('queue.RandomShuffleQueue', 'io.RandomShuffleQueue', 'RandomShuffleQueue')
@with_args_of(FIFOQueue)
class RandomShuffleQueue(QueueBase):
    """A queue that returns its elements in random order.

    Args:
      min_after_dequeue: int, the number of elements that stay in the queue until it is closed, for good mixing.
      seed: int, or None for one that depends on the graph's.
    """

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None,
                 shared_name=None, name='random_shuffle_queue'):
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes)
        names = as_name_list(names, dtypes)
        seed1, seed2 = random_seed.get_seed(seed)
        if seed1 is None and seed2 is None:
            seed1, seed2 = 0, 0
        elif seed is None and shared_name is not None:
            # Queues that share a name must have the same seed.
            text = (str(seed1) + shared_name).encode('utf-8')
            seed2 = int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF
        handle = gen.RandomShuffleQueueV2(
            component_types=dtypes, shapes=shapes or [], capacity=capacity,
            min_after_dequeue=min_after_dequeue, seed=seed1, seed2=seed2,
            shared_name=shared_name or '', name=name)
        super().__init__(dtypes, shapes, names, handle)


@export('queue.PriorityQueue', 'io.PriorityQueue', 'PriorityQueue')
@with_args_of(FIFOQueue)
class PriorityQueue(QueueBase):
    """A queue that returns the element with the smallest priority first.

    The first component of each element is its priority, an int64 scalar.

    Args:
      types: a DType or a list of DTypes, those of the components after the priority.
    """

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None,
                 name='priority_queue'):
        types = as_type_list(types)
        shapes = as_shape_list(shapes)
        handle = gen.PriorityQueueV2(component_types=types, shapes=shapes or [],
                                     capacity=capacity, shared_name=shared_name or '', name=name)
        super().__init__([dtypes_lib.int64] + types, [()] + shapes if shapes else shapes, names,
                         handle)
