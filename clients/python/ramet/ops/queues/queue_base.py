"""The base of all queues, and how their arguments are read."""

import functools

from ramet import gen
from ramet.api import export
from ramet.framework import ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.queues.components import Components


def as_type_list(dtypes):
    """Returns a dtype, or a list or tuple of them, as a list."""
    return list(dtypes) if isinstance(dtypes, (list, tuple)) else [dtypes]


def as_shape_list(shapes, partial=False, unknown_rank=False):
    """Returns the shapes of a queue's components as a list of TensorShape, or None.

    `partial` and `unknown_rank` allow unknown dimensions and ranks.
    """
    if partial and (not isinstance(shapes, (list, tuple)) or not shapes
                    or any(shape is None or isinstance(shape, int) for shape in shapes)):
        raise ValueError('When providing partial shapes, a list of shapes must be provided.')
    if shapes is None:
        return None
    if isinstance(shapes, tensor_shape.TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise TypeError('Shapes must be a TensorShape or a list or tuple of TensorShapes, '
                        f'got {type(shapes)} instead.')
    if all(shape is None or isinstance(shape, int) for shape in shapes):
        shapes = [shapes]
    shapes = [tensor_shape.as_shape(shape) for shape in shapes]
    if not partial and any(not shape.is_fully_defined() for shape in shapes):
        raise ValueError(f'All shapes must be fully defined: {shapes}')
    if not unknown_rank and any(shape.dims is None for shape in shapes):
        raise ValueError(f'All shapes must have a defined rank: {shapes}')
    return shapes


def as_name_list(names, dtypes):
    """Returns the names of a queue's components as a list, or None."""
    if names is None:
        return None
    names = list(names) if isinstance(names, (list, tuple)) else [names]
    if len(names) != len(dtypes):
        raise ValueError('List of names must have the same length as the list of dtypes, received '
                         f'len(names)={len(names)},len(dtypes)={len(dtypes)}')
    return names


def as_list(outputs):
    """Returns the outputs of an op with a list of components as a list."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def _common_shape(a, b):
    a, b = tensor_shape.TensorShape(a), tensor_shape.TensorShape(b)
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return tensor_shape.unknown_shape()
    return tensor_shape.TensorShape([x if x == y else None
                                     for x, y in zip(a.as_list(), b.as_list())])


def _row_shape(value):
    """Returns (number of rows, shape of a row) of a batch."""
    shape = value.get_shape().with_rank_at_least(1)
    return tensor_shape.Dimension(tensor_shape.dimension_value(shape[0])), shape[1:]


@export('queue.QueueBase', 'io.QueueBase', 'QueueBase')
class QueueBase(Components):
    """The methods of all queues. A queue is an object of the session that holds elements, tuples of tensors.

    Operations that add elements wait while the queue is full; operations that remove them wait until there are enough.
    A wait ends with an error when the queue or the session is closed, the run's time is over, or Ctrl-C is pressed.

    Args:
      dtypes: a list of DTypes, those of the components of an element.
      shapes: a list of shapes, or None if the elements may have any.
      names: a list of str, names of the components, or None. Elements of a queue with names are dicts.
      queue_ref: a tensor, the handle of the queue.

    Raises:
      ValueError: if the lists differ in length.
    """

    def __init__(self, dtypes, shapes, names, queue_ref):
        for what, given in (('shapes', shapes), ('names', names)):
            if given is not None and len(given) != len(dtypes):
                raise ValueError(f'Queue {what} must have the same length as dtypes, received '
                                 f'len({what})={len(given)}, len(dtypes)={len(dtypes)}')
        super().__init__(dtypes, shapes, names)
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split('/')[-1]

    @staticmethod
    def from_list(index, queues):
        """Returns a queue that stands for one of several.

        Args:
          index: an int32 scalar, the number of the queue.
          queues: a list of queues.

        Raises:
          TypeError: if `queues` is not a list of queues with the same dtypes and names.
        """
        if not queues or not isinstance(queues, list) or not all(
                isinstance(queue, QueueBase) for queue in queues):
            raise TypeError('A list of queues expected')
        dtypes, names = queues[0].dtypes, queues[0].names
        if any(queue.dtypes != dtypes for queue in queues):
            raise TypeError('Queues do not have matching component dtypes.')
        if any(queue.names != names for queue in queues):
            raise TypeError('Queues do not have matching component names.')
        shapes = [functools.reduce(_common_shape, each)
                  for each in zip(*[queue.shapes for queue in queues])]
        handles = array_ops.stack([queue.queue_ref for queue in queues])
        return QueueBase(dtypes, shapes, names, array_ops.gather(handles, index))

    @property
    def queue_ref(self):
        """The handle of the queue, a tensor."""
        return self._queue_ref

    @property
    def name(self):
        """The name of the operation that creates the queue."""
        return self._queue_ref.op.name

    def _components(self, vals):
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError('Queue must have names to enqueue a dictionary')
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError('Keys in dictionary to enqueue do not match names of Queue.  '
                                 f'Dictionary: {sorted(vals)},Queue: {sorted(self._names)}')
            vals = [vals[name] for name in self._names]
        elif self._names:
            raise ValueError('You must enqueue a dictionary in a Queue with names')
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        return [ops.convert_to_tensor(value, dtype=dtype, name=f'component_{i}')
                for i, (value, dtype) in enumerate(zip(vals, self._dtypes))]

    def _scope(self, name, what, vals):
        if isinstance(vals, dict):
            vals = vals.values()
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        return ops.name_scope(name, f'{self._name}_{what}', list(vals))

    def _call(self, op, *args, **kwargs):
        """Calls an op of the queue: the one for resources, or the older one for references."""
        suffix = 'V2' if self._queue_ref.dtype.base_dtype.name == 'resource' else ''
        return getattr(gen, op + suffix)(self._queue_ref, *args, **kwargs)

    def enqueue(self, vals, name=None):
        """Returns an operation that adds an element; it waits while the queue is full.

        Args:
          vals: a tensor, a list or tuple of tensors, or a dict if the queue has names.
          name: the name of the operation.

        Raises:
          ValueError: if the tensors do not fit the queue.
        """
        with self._scope(name, 'enqueue', vals) as scope:
            vals = self._components(vals)
            for value, shape in zip(vals, self._shapes):
                value.get_shape().assert_is_compatible_with(shape)
            return self._call('QueueEnqueue', vals, name=scope)

    def enqueue_many(self, vals, name=None):
        """Returns an operation that adds an element for each row of the tensors.

        Args:
          vals: as for enqueue, with one dimension more in front.
          name: the name of the operation.

        Raises:
          ValueError: if the tensors do not fit the queue or each other.
        """
        with self._scope(name, 'EnqueueMany', vals) as scope:
            vals = self._components(vals)
            rows = tensor_shape.Dimension(None)
            for value, shape in zip(vals, self._shapes):
                these, row_shape = _row_shape(value)
                rows = rows.merge_with(these)
                row_shape.assert_is_compatible_with(shape)
            return self._call('QueueEnqueueMany', vals, name=scope)

    def _removed(self, tensors, leading):
        """Returns an element, or a batch with the leading dimensions `leading`, as its tensors."""
        tensors = as_list(tensors)
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(tensor_shape.TensorShape(leading).concatenate(shape))
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors

    def dequeue(self, name=None):
        """Returns the next element, which is removed; waits while the queue is empty.

        Args:
          name: the name of the operation.

        Returns:
          A tensor, a list of tensors if an element has several components, or a dict if they have names.
        """
        tensors = self._call('QueueDequeue', self._dtypes, name=name or f'{self._name}_Dequeue')
        return self._removed(tensors, [])

    def dequeue_many(self, n, name=None):
        """Returns the next n elements as rows; waits until there are n.

        Args:
          n: int or an int32 scalar.
          name: the name of the operation.

        Returns:
          As dequeue, with one dimension more in front.
        """
        tensors = as_list(self._call('QueueDequeueMany', n, self._dtypes,
                                     name=name or f'{self._name}_DequeueMany'))
        known = tensor_util.constant_value(tensors[0].op.inputs[1])
        return self._removed(tensors, [None if known is None else int(known)])

    def dequeue_up_to(self, n, name=None):
        """Like dequeue_many, but returns the elements that are left if the queue is closed.

        Args:
          n: int or an int32 scalar.
          name: the name of the operation.
        """
        tensors = self._call('QueueDequeueUpTo', n, self._dtypes,
                             name=name or f'{self._name}_DequeueUpTo')
        return self._removed(tensors, [None])

    def close(self, cancel_pending_enqueues=False, name=None):
        """Returns an operation that closes the queue: nothing can be added afterwards.

        Args:
          cancel_pending_enqueues: whether operations that wait to add elements fail, instead of finishing first.
          name: the name of the operation.
        """
        return self._call('QueueClose', cancel_pending_enqueues=cancel_pending_enqueues,
                          name=name or f'{self._name}_Close')

    def is_closed(self, name=None):
        """Returns a bool scalar: whether the queue is closed.

        Args:
          name: the name of the operation.
        """
        return self._call('QueueIsClosed', name=name or f'{self._name}_Is_Closed')

    def size(self, name=None):
        """Returns the number of elements in the queue, an int32 scalar.

        Args:
          name: the name of the operation.
        """
        return self._call('QueueSize', name=name or f'{self._name}_Size')
