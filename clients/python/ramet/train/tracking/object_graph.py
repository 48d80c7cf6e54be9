"""The graph of the objects that a checkpoint saves, with the key of each value in the checkpoint."""

import collections

from ramet.core.protobuf import trackable_object_graph_pb2
from ramet.framework import trackable

VALUE = 'VARIABLE_VALUE'
PROTO_KEY = '_CHECKPOINTABLE_OBJECT_GRAPH'

SavedValue = collections.namedtuple('SavedValue', ['key', 'variable'])
_Slot = collections.namedtuple('_Slot', ['optimizer', 'variable', 'name', 'slot'])


def escaped(name):
    """Returns a name without slashes, which separate the parts of a key."""
    return name.replace('.', '..').replace('/', '.S')


def has_slots(value):
    """Returns whether an object has a variable for each of several variables, as optimizers do."""
    return hasattr(value, 'get_slot_names') and hasattr(value, 'get_slot')


def slot_of(optimizer, variable, name):
    """Returns the slot of a variable in an object that has slots, or None."""
    try:
        return optimizer.get_slot(variable, name)
    except KeyError:  # optimizers of tf.keras
        return None


class ObjectGraph:
    """The objects that can be reached from a root, in breadth-first order, and the slots of optimizers.

    Attributes:
      objects: a list of the objects; the position of an object is its number.
    """

    def __init__(self, root):
        self.objects = []
        self._numbers = {}
        self._paths = {}
        self._children = []
        self._collect(root)
        self._slots = list(self._find_slots())

    def _collect(self, root):
        waiting = collections.deque([(root, ())])
        self._paths[id(root)] = ()
        while waiting:
            value, path = waiting.popleft()
            self._numbers[id(value)] = len(self.objects)
            self.objects.append(value)
            found = trackable.children(value)
            self._children.append(found)
            for name, child in found.items():
                if id(child) not in self._paths:
                    self._paths[id(child)] = (*path, name)
                    waiting.append((child, self._paths[id(child)]))

    def _find_slots(self):
        known = list(self.objects)
        for optimizer in (each for each in known if has_slots(each)):
            for name in optimizer.get_slot_names():
                for variable in known:
                    slot = None if getattr(variable, '_checkpoint_value', None) is None else (
                        slot_of(optimizer, variable, name))
                    if slot is None:
                        continue
                    if id(slot) in self._numbers:
                        raise NotImplementedError(
                            'A slot variable was re-used as a dependency of a Trackable object: '
                            f'{slot}. This is not currently allowed.')
                    yield _Slot(optimizer, variable, name, slot)

    def number(self, value):
        """Returns the number of an object."""
        return self._numbers[id(value)]

    def children(self, number):
        """Returns the dependencies of an object by name."""
        return self._children[number]

    def _path(self, value):
        return '/'.join(escaped(name) for name in self._paths[id(value)])

    def _slot_path(self, slot):
        return f'{self._path(slot.variable)}/.OPTIMIZER_SLOT/{self._path(slot.optimizer)}/{escaped(slot.name)}'

    def values(self):
        """Returns a SavedValue for each variable, slots included."""
        own = [(self._path(v), v) for v in self.objects if getattr(v, '_checkpoint_value', None) is not None]
        own += [(self._slot_path(slot), slot.slot) for slot in self._slots]
        return [SavedValue(f'{path}/.ATTRIBUTES/{VALUE}' if path else f'.ATTRIBUTES/{VALUE}', variable)
                for path, variable in own]

    def to_proto(self):
        """Returns the TrackableObjectGraph message."""
        keys = {id(value.variable): value.key for value in self.values()}
        proto = trackable_object_graph_pb2.TrackableObjectGraph()
        slot_numbers = {}
        for value in self.objects + [slot.slot for slot in self._slots]:
            slot_numbers.setdefault(id(value), len(proto.nodes))
            node = proto.nodes.add()
            if id(value) in keys:
                node.attributes.add(name=VALUE, full_name=value._shared_name, checkpoint_key=keys[id(value)])
                node.has_checkpoint_values.value = True
        for number, found in enumerate(self._children):
            for name, child in found.items():
                proto.nodes[number].children.add(node_id=self.number(child), local_name=name)
        for slot in self._slots:
            proto.nodes[self.number(slot.optimizer)].slot_variables.add(
                original_variable_node_id=self.number(slot.variable), slot_name=slot.name,
                slot_variable_node_id=slot_numbers[id(slot.slot)])
        return proto
