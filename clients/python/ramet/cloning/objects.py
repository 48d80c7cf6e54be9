"""Maps objects of the program that refer to parts of the source to their counterparts."""

import copy
import functools
import inspect

from ramet.client.session import BaseSession
from ramet.cloning import arguments
from ramet.framework import ops
from ramet.framework.saveable_object import SaveableObject
from ramet.ops.lookup.mutable_tables import TableSaveable
from ramet.ops.variables import variables as variables_lib
from ramet.ops.variables.partitioned_variable import PartitionedVariable
from ramet.train.saver import Saver

_PLAIN = (str, bytes, int, float, complex, bool, type(None), type)


def transformed(clone, x):
    """See Clone.transformed."""
    if isinstance(x, (str, bytes)):
        return _element(clone, clone.source.as_graph_element(x))
    if isinstance(x, (ops.Tensor, ops.Operation)) or arguments.is_variable(x):
        return _element(clone, x)
    if isinstance(x, PartitionedVariable):
        return partitioned(clone, x)
    if type(x) in (list, tuple):
        return type(x)(transformed(clone, e) for e in x)
    if isinstance(x, tuple) and hasattr(x, '_fields'):
        return type(x)(*(transformed(clone, e) for e in x))
    if isinstance(x, dict):
        return type(x)((key, transformed(clone, e)) for key, e in x.items())
    if isinstance(x, _PLAIN) or inspect.ismodule(x) or isinstance(x, ops.Graph):
        raise TypeError(f'expected a Tensor, Operation, Variable, a name or a structure of these, '
                        f'not {x!r}')
    return mapped(clone, x)


def _element(clone, x):
    if x.graph is not clone.source:
        return None
    return clone._core.transformed(x._id if arguments.is_variable(x) else x)


def partitioned(clone, whole):
    """Returns the clone's PartitionedVariable, `whole` itself if it is shared, or None."""
    parts = [_element(clone, part) for part in whole]
    if any(part is None for part in parts):
        return None
    if parts == list(whole):
        return whole
    return PartitionedVariable(
        name=parts[0]._save_slice_info.full_name, shape=whole.shape,
        dtype=parts[0].dtype.base_dtype, variable_list=parts, partitions=whole._get_partitions())


def mapped(clone, x):
    """Returns a copy of an object with originals replaced by their copies, or None if it has none.

    Containers and the attributes of objects are searched recursively.
    """
    found = _Mapper(clone).of(x)
    return None if found is x else found


class _Mapper:
    """Maps each object once. Objects without originals map to themselves."""

    def __init__(self, clone):
        self._clone = clone
        self._known = {}

    def of(self, x):
        if isinstance(x, _PLAIN) or callable(x) and inspect.isroutine(x) or inspect.ismodule(x):
            return x
        if id(x) not in self._known:
            self._known[id(x)] = x, x
            self._known[id(x)] = x, self._of_new(x)
        return self._known[id(x)][1]

    def _of_new(self, x):
        clone = self._clone
        if isinstance(x, (ops.Tensor, ops.Operation)) or arguments.is_variable(x):
            found = _element(clone, x)
            return x if found is None else found
        if isinstance(x, ops.Graph):
            return clone.graph if x is clone.source else x
        special = _special(type(x))
        if special is not None:
            found = special(clone, x, self)
            return x if found is None else found
        if isinstance(x, (list, tuple, set, frozenset)):
            return self._container(x, [self.of(e) for e in x])
        if isinstance(x, dict):
            values = [self.of(e) for e in x.values()]
            keys = [self.of(e) for e in x]
            if _same(values, x.values()) and _same(keys, x):
                return x
            made = copy.copy(x)
            made.clear()
            made.update(zip(keys, values, strict=True))
            return made
        return self._object(x)

    @staticmethod
    def _container(x, items):
        if _same(items, x):
            return x
        return type(x)(*items) if hasattr(x, '_fields') else type(x)(items)

    def _object(self, x):
        attributes = _attributes(x)
        changed = {name: new for name, old in attributes.items()
                   if (new := self.of(old)) is not old}
        if not changed or all(isinstance(new, ops.Graph) for new in changed.values()):
            return x
        try:
            made = copy.copy(x)
        except TypeError:
            return x
        for name, value in attributes.items():
            if name in changed:
                object.__setattr__(made, name, changed[name])
            elif isinstance(value, str):
                object.__setattr__(made, name, self._name(value))
        return made

    def _name(self, text):
        """Returns the name of the copy if `text` is the name of an original, else `text`."""
        if not text or not self._clone.source._has_operation(text):
            return text
        found = _element(self._clone, self._clone.source.get_operation_by_name(text))
        return text if found is None else found.name


def _same(a, b):
    return all(x is y for x, y in zip(a, b, strict=True))


def _attributes(x):
    found = {}
    for kind in type(x).__mro__:
        slots = kind.__dict__.get('__slots__', ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot not in ('__weakref__', '__dict__') and hasattr(x, slot):
                found[slot] = getattr(x, slot)
    found.update(getattr(x, '__dict__', {}))
    return found


@functools.cache
def _special(kind):
    """Returns the function that copies objects of a kind that needs special treatment, or None."""
    known = {Saver: _saver, PartitionedVariable: _partitioned, BaseSession: _itself,
             TableSaveable: _table_saveable, SaveableObject: _saveable,
             variables_lib.Variable: _itself}
    return next((known[base] for base in kind.__mro__ if base in known), None)


def _itself(clone, x, mapper):
    del clone, x, mapper


def _partitioned(clone, x, mapper):
    del mapper
    return partitioned(clone, x)


def _saver(clone, saver, mapper):
    """Returns a Saver for the copies of the save and restore nodes, or None if any is missing."""
    del mapper
    saver_def = saver.as_saver_def()
    if saver_def is None:
        return None
    made = type(saver_def).FromString(saver_def.SerializeToString())
    for field in ('filename_tensor_name', 'save_tensor_name', 'restore_op_name'):
        name = getattr(saver_def, field)
        try:
            found = _element(clone, clone.source.as_graph_element(name))
        except (KeyError, ValueError):
            return None
        if found is None:
            return None
        setattr(made, field, found.name)
    with clone.graph.as_default():
        return type(saver)(saver_def=made)


def _under(clone, name):
    return f'{clone.scope}/{name}' if clone.scope else name


def _table_saveable(clone, saveable, mapper):
    """Saves the copy of a table. Adds the nodes that export it if they are not part of the clone."""
    table = mapper.of(saveable.op)
    if table is saveable.op:
        return None
    with clone.graph.as_default(), ops.control_dependencies(None), ops.name_scope(None):
        return type(saveable)(table, _under(clone, saveable.name))


def _saveable(clone, saveable, mapper):
    """Returns a program's saveable under a new name, or None unless all of it was copied."""
    specs = [mapper.of(spec.tensor) for spec in saveable.specs]
    if any(new is spec.tensor for new, spec in zip(specs, saveable.specs, strict=True)):
        return None
    made = mapper._object(saveable)
    if made is saveable:
        return None
    made.specs = [copy.copy(spec) for spec in saveable.specs]
    for spec, tensor in zip(made.specs, specs, strict=True):
        spec._tensor, spec.name = tensor, _under(clone, spec.name)
    made.name = _under(clone, saveable.name)
    return made
