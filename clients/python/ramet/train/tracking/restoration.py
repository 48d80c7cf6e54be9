"""Restores the objects of a program from the object graph of a checkpoint."""

from ramet import gen
from ramet.framework import dtypes, ops, trackable
from ramet.ops.array import array_ops
from ramet.ops.variables import variables
from ramet.train.tracking import eager_files, object_graph


class RestoreOperations:
    """The operations that restore variables, which are added once for all restores.

    Attributes:
      prefix: the placeholder of the checkpoint's prefix, or None before the first operation.
    """

    def __init__(self):
        self.prefix = None
        self._made = {}

    def of(self, variable, key):
        """Returns the operation that assigns the tensor `key` to a variable."""
        made = self._made.get((id(variable), key))
        if made is None:
            made = self._made[id(variable), key] = self._make(variable, key)
        return made

    def _make(self, variable, key):
        with variable.graph.as_default(), ops.control_dependencies(None), ops.device('/cpu:0'):
            if self.prefix is None or self.prefix.graph is not variable.graph:
                self.prefix = array_ops.placeholder(dtypes.string, shape=[], name='restore_prefix')
            value = gen.RestoreV2(self.prefix, [key], [''], dtypes=[variable.dtype.base_dtype])[0]
        with variable.graph.as_default(), ops.control_dependencies(None), ops.device(variable.device):
            if variable._is_resource:
                return gen.AssignVariableOp(variable.handle, value)
            return gen.Assign(variable._ref(), value, validate_shape=variable.shape.is_fully_defined()).op


class Restoration:
    """The match of a checkpoint's objects with those of the program that can be reached from a root.

    Objects are matched by the names of their dependencies, from the root on. Objects that the program adds
    later are matched when a method of the status is called.

    Attributes:
      proto: the TrackableObjectGraph of the checkpoint.
      matched: a dict from numbers of objects in the checkpoint to objects.
    """

    def __init__(self, root, reader, proto, path, operations):
        self.proto = proto
        self.matched = {}
        self._root = root
        self._path = path
        self._operations = operations
        self._shapes = reader.get_variable_to_shape_map()
        self._restored = {}
        self._unused = {}
        self._done = set()  # the variables of eager execution that have been restored
        self.match()

    def graph(self):
        """Returns the ObjectGraph of the program as it is now."""
        return object_graph.ObjectGraph(self._root)

    def match(self):
        """Matches objects that have been added since the last call."""
        seen = set()
        waiting = [(0, self._root)]
        while waiting:
            number, value = waiting.pop(0)
            if number in seen:
                continue
            seen.add(number)
            if number in self.matched and self.matched[number] is not value:
                continue
            self._bind(number, value)
            found = trackable.children(value)
            for child in self.proto.nodes[number].children:
                if child.local_name in found and 0 <= child.node_id < len(self.proto.nodes):
                    waiting.append((child.node_id, found[child.local_name]))
        self._match_slots()

    def _match_slots(self):
        for number, optimizer in list(self.matched.items()):
            if not object_graph.has_slots(optimizer):
                continue
            for slot in self.proto.nodes[number].slot_variables:
                variable = self.matched.get(slot.original_variable_node_id)
                found = None if variable is None else object_graph.slot_of(optimizer, variable, slot.slot_name)
                if found is not None:
                    self._bind(slot.slot_variable_node_id, found)

    def _bind(self, number, value):
        self.matched[number] = value
        for attribute in self.proto.nodes[number].attributes:
            if attribute.name == object_graph.VALUE and isinstance(value, variables.Variable):
                if id(value) not in self._restored:
                    self._restored[id(value)] = (value, self._checked_key(value, attribute.checkpoint_key))
            else:
                self._unused.setdefault(number, []).append(attribute.name)

    def _checked_key(self, variable, key):
        shape = self._shapes.get(key)
        if shape is not None and not variable.shape.is_compatible_with(shape):
            raise ValueError(f'Received incompatible tensor with shape {tuple(shape)} when attempting to restore '
                             f'variable with shape {variable.shape} and name {variable.name}.')
        return key

    def restored(self):
        """Returns the variables that have a value in the checkpoint."""
        return [variable for variable, _ in self._restored.values()]

    def unused(self):
        """Returns {number of a matched object: names of its values that have no place in the program}."""
        return self._unused

    def unresolved_slots(self):
        """Returns the slots of matched objects that have no variable in the program."""
        return [slot for number in self.matched for slot in self.proto.nodes[number].slot_variables
                if slot.slot_variable_node_id not in self.matched]

    def run_eagerly(self):
        """Restores the variables that have been matched since the last call."""
        self.match()
        new = [pair for pair in self._restored.values() if id(pair[0]) not in self._done]
        eager_files.restore(self._path, new)
        self._done.update(id(variable) for variable, _ in new)
        return len(self.matched) == len(self.proto.nodes)

    def run(self, session):
        """Restores the values in a session."""
        if session is None:
            self.run_eagerly()
            return
        restore = [self._operations.of(variable, key) for variable, key in self._restored.values()]
        if restore:
            session.run(restore, feed_dict={self._operations.prefix: self._path})
