"""Staging areas, which keep tensors of the session between runs, for example to overlap input and training."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops, tensor_shape
from ramet.ops.queues.components import Components
from ramet.ops.queues.queue_base import as_list


class BaseStagingArea(Components):
    """The base of staging areas.

    Args:
      dtypes: a list of DTypes, those of the tensors of an element.
      shapes: a list of their shapes, or None if they are not known.
      names: a list of str. Elements of an area with names are dicts.
      shared_name: str. Areas with the same shared name share one of the session.
      capacity: int, the maximum number of elements, or 0 for no limit.
      memory_limit: int, the maximum number of bytes, or 0 for no limit.

    Raises:
      ValueError: if the lists differ in length, or shared_name is not a str.
    """

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, capacity=0,
                 memory_limit=0):
        if shared_name is None:
            self._name = ops.get_default_graph().unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError(f'shared_name must be a string, got {shared_name}')
        for what, given in (('shapes', shapes), ('names', names)):
            if given is not None and len(given) != len(dtypes):
                raise ValueError(f'StagingArea {what} must be the same length as dtypes')
        super().__init__(dtypes, shapes, names)
        self._capacity = capacity
        self._memory_limit = memory_limit
        with ops.name_scope(f'{self._name}_root'):
            self._coloc_op = gen.NoOp()

    @property
    def name(self):
        """The name of the area."""
        return self._name

    @property
    def capacity(self):
        """The maximum number of elements, or 0."""
        return self._capacity

    @property
    def memory_limit(self):
        """The maximum number of bytes, or 0."""
        return self._memory_limit

    def _attrs(self):
        return {'shared_name': self._name, 'capacity': self._capacity,
                'memory_limit': self._memory_limit}

    def _scope(self, name, values):
        values = values.values() if isinstance(values, dict) else values
        values = list(values) if isinstance(values, (list, tuple)) or not hasattr(
            values, 'dtype') else [values]
        return ops.name_scope(name, f'{self._name}_put', values)

    def _tensors_to_put(self, vals, indices=None):
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError('Staging areas must have names to enqueue a dictionary')
            if not set(vals).issubset(self._names):
                raise ValueError('Keys in dictionary to put do not match names of staging area. '
                                 f'Dictionary: {sorted(vals)}Queue: {sorted(self._names)}')
            indices = [i for i, name in enumerate(self._names) if name in vals]
            vals = [vals[self._names[i]] for i in indices]
        else:
            if self._names:
                raise ValueError('You must enqueue a dictionary in a staging area with names')
            if indices is None:
                raise ValueError('Indices must be supplied when inserting a list of tensors')
            if len(indices) != len(vals):
                raise ValueError(f"Number of indices {len(indices)} doesn't match number of values "
                                 f'{len(vals)}')
            if not isinstance(vals, (list, tuple)):
                vals, indices = [vals], [0]
        if len(vals) > len(self._dtypes):
            raise ValueError(f'Unexpected number of inputs {len(vals)} vs {len(self._dtypes)}')
        tensors = []
        for value, i in zip(vals, indices):
            dtype = self._dtypes[i]
            if value.dtype != dtype:
                raise ValueError(f'Datatypes do not match. Received val.dtype {value.dtype} and '
                                 f'dtype {dtype}')
            value.get_shape().assert_is_compatible_with(self._shapes[i])
            tensors.append(ops.convert_to_tensor(value, dtype=dtype, name=f'component_{i}'))
        return tensors, indices

    def _taken(self, tensors, indices):
        tensors = as_list(tensors)
        for tensor, i in zip(tensors, indices):
            tensor.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: tensor for tensor, i in zip(tensors, indices)}
        return tensors


@export('contrib.staging.StagingArea')
@with_args_of(BaseStagingArea)
class StagingArea(BaseStagingArea):
    """A FIFO of elements, lists of tensors, in the session."""

    def put(self, values, name=None):
        """Returns an operation that adds an element; it waits while the area is full.

        Args:
          values: a tensor, a list of tensors, or a dict if the area has names.
          name: the name of the operation.

        Raises:
          ValueError: if the tensors do not fit.
        """
        with self._scope(name, values) as scope:
            if not isinstance(values, (list, tuple, dict)):
                values = [values]
            tensors, _ = self._tensors_to_put(values, list(range(len(values))))
            with ops.colocate_with(self._coloc_op):
                return gen.Stage(values=tensors, name=scope, **self._attrs())

    def get(self, name=None):
        """Returns the oldest element, which is removed; waits for one.

        Args:
          name: the name of the operation.

        Returns:
          A list of tensors, or a dict if the area has names.
        """
        with ops.colocate_with(self._coloc_op):
            tensors = gen.Unstage(dtypes=self._dtypes, name=name or f'{self._name}_get',
                                  **self._attrs())
        return self._taken(tensors, range(len(self._dtypes)))

    def peek(self, index, name=None):
        """Returns an element without removing it; waits until it is there.

        Args:
          index: int or an int32 scalar; 0 is the oldest element.
          name: the name of the operation.
        """
        with ops.colocate_with(self._coloc_op):
            tensors = gen.StagePeek(index, dtypes=self._dtypes, name=name or f'{self._name}_peek',
                                    **self._attrs())
        return self._taken(tensors, range(len(self._dtypes)))

    def size(self, name=None):
        """Returns the number of elements, an int32 scalar.

        Args:
          name: the name of the operation.
        """
        return gen.StageSize(dtypes=self._dtypes, name=name or f'{self._name}_size',
                             **self._attrs())

    def clear(self, name=None):
        """Returns an operation that removes all elements.

        Args:
          name: the name of the operation.
        """
        return gen.StageClear(dtypes=self._dtypes, name=name or f'{self._name}_clear',
                              **self._attrs())


@with_args_of(BaseStagingArea)
class MapStagingArea(BaseStagingArea):
    """A map in the session from int64 keys to elements, which may be put and taken tensor by tensor.

    Args:
      ordered: whether get without a key returns the element with the smallest key.
    """

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, ordered=False,
                 capacity=0, memory_limit=0):
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._ordered = ordered

    def _call(self, op, *args, **kwargs):
        return getattr(gen, ('Ordered' if self._ordered else '') + op)(
            *args, **kwargs, **self._attrs())

    def put(self, key, vals, indices=None, name=None):
        """Returns an operation that sets tensors of the element of a key; it waits while the area is full.

        Args:
          key: an int64 scalar.
          vals: a list of tensors, or a dict if the area has names.
          indices: a list of int, the positions of the tensors; not for a dict.
          name: the name of the operation.

        Raises:
          ValueError: if the tensors do not fit.
        """
        with self._scope(name, vals) as scope:
            tensors, indices = self._tensors_to_put(vals, indices)
            with ops.colocate_with(self._coloc_op):
                return self._call('MapStage', key, indices, tensors, dtypes=self._dtypes,
                                  name=scope)

    def _positions(self, indices):
        """Returns the positions that `indices` names, and their dtypes."""
        if indices is None:
            indices = list(range(len(self._dtypes)))
        if not isinstance(indices, (tuple, list)):
            raise TypeError(f'Invalid indices type {type(indices)}')
        if not indices:
            raise ValueError('Empty indices')
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError(f'String indices provided {indices}, but this Staging Area was '
                                 'not created with names.')
            if not set(indices).issubset(self._names):
                raise ValueError(f'Named index not in Staging Area names {self._names}')
            indices = [self._names.index(name) for name in indices]
        elif not all(isinstance(i, int) for i in indices):
            raise TypeError(f'Mixed types in indices {indices}. May only be str or int')
        return indices, [self._dtypes[i] for i in indices]

    def peek(self, key, indices=None, name=None):
        """Returns tensors of the element of a key without removing them; waits until it is complete.

        Args:
          key: an int64 scalar.
          indices: a list of positions or names, or None for all.
          name: the name of the operation.
        """
        indices, dtypes = self._positions(indices)
        with ops.colocate_with(self._coloc_op):
            tensors = self._call('MapPeek', key, indices=indices, dtypes=dtypes,
                                 name=name or f'{self._name}_pop')
        return self._taken(tensors, indices)

    def get(self, key=None, indices=None, name=None):
        """Returns tensors of an element, which are removed; waits until it is complete.

        Args:
          key: an int64 scalar, or None for any element.
          indices: a list of positions or names, or None for all.
          name: the name of the operation.

        Returns:
          A pair of the key and a list of tensors, or a dict if the area has names.
        """
        indices, dtypes = self._positions(indices)
        with ops.colocate_with(self._coloc_op):
            if key is None:
                key, tensors = self._call('MapUnstageNoKey', indices=indices, dtypes=dtypes,
                                          name=name or f'{self._name}_get_nokey')
            else:
                tensors = self._call('MapUnstage', key, indices=indices, dtypes=dtypes,
                                     name=name or f'{self._name}_get')
        return key, self._taken(tensors, indices)

    def size(self, name=None):
        """Returns the number of complete elements, an int32 scalar.

        Args:
          name: the name of the operation.
        """
        return self._call('MapSize', dtypes=self._dtypes, name=name or f'{self._name}_size')

    def incomplete_size(self, name=None):
        """Returns the number of incomplete elements, an int32 scalar.

        Args:
          name: the name of the operation.
        """
        return self._call('MapIncompleteSize', dtypes=self._dtypes,
                          name=name or f'{self._name}_incomplete_size')

    def clear(self, name=None):
        """Returns an operation that removes all elements.

        Args:
          name: the name of the operation.
        """
        return self._call('MapClear', dtypes=self._dtypes, name=name or f'{self._name}_clear')
