"""Checkpoints that name variables by the attributes that hold them, as those of tf.train.Checkpoint do."""

import os

from ramet import gen
from ramet.core.protobuf import trackable_object_graph_pb2
from ramet.framework import dtypes, ops
from ramet.keras.backend import state, values
from ramet.keras.engine.children import children_of
from ramet.ops.array import array_placeholders
from ramet.ops.variables.variable_base import Variable
from ramet.train import checkpoint_management

GRAPH_KEY = '_CHECKPOINTABLE_OBJECT_GRAPH'


def _escaped(name):
    return name.replace('.', '..').replace('/', '.S')


def _suffix(path):
    return f'{path}/.ATTRIBUTES/VARIABLE_VALUE'


class ObjectGraph:
    """The objects below a model, with the paths of attributes to them.

    Attributes:
      proto: the TrackableObjectGraph.
      variables: a dict from keys in the file to variables.
    """

    def __init__(self, root):
        self.proto = trackable_object_graph_pb2.TrackableObjectGraph()
        self.variables = {}
        self._numbers, self._paths, objects = {id(root): 0}, {id(root): ''}, [root]
        for parent in objects:  # The list grows: breadth first, so that paths are short.
            for name, child in children_of(parent).items():
                if id(child) not in self._numbers:
                    self._numbers[id(child)] = len(objects)
                    path = self._paths[id(parent)]
                    self._paths[id(child)] = f'{path}/{_escaped(name)}' if path else _escaped(name)
                    objects.append(child)
        self._objects = objects
        self._fill()

    def _fill(self):
        slots = [(o, self._slots_of(o)) for o in self._objects if hasattr(o, '_slots')]
        for item in self._objects:
            node = self.proto.nodes.add()
            for name, child in children_of(item).items():
                node.children.add(node_id=self._numbers[id(child)], local_name=name)
            if isinstance(item, Variable):
                self._add_value(node, item, _suffix(self._paths[id(item)]))
        for optimizer, found in slots:
            node = self.proto.nodes[self._numbers[id(optimizer)]]
            for variable, name, slot in found:
                self._add_slot(node, optimizer, variable, name, slot)

    def _slots_of(self, optimizer):
        by_name = {o.op.name: o for o in self._objects if isinstance(o, Variable)}
        return [(by_name[owner], name, slot) for owner, named in optimizer._slots.items() if owner in by_name
                for name, slot in named.items()]

    def _add_value(self, node, variable, key):
        node.attributes.add(name='VARIABLE_VALUE', full_name=variable.op.name, checkpoint_key=key)
        self.variables[key] = variable

    def _add_slot(self, node, optimizer, variable, name, slot):
        number = len(self.proto.nodes)
        path = f'{self._paths[id(variable)]}/.OPTIMIZER_SLOT/{self._paths[id(optimizer)]}/{_escaped(name)}'
        self._add_value(self.proto.nodes.add(), slot, _suffix(path))
        node.slot_variables.add(original_variable_node_id=self._numbers[id(variable)], slot_name=name,
                                slot_variable_node_id=number)


def save(root, prefix):
    """Writes the variables below an object to a checkpoint.

    Args:
      root: a model.
      prefix: the beginning of the names of the files.
    """
    graph = ObjectGraph(root)
    with state.get_session().graph.as_default(), ops.name_scope('save_weights'), ops.device('/cpu:0'):
        file = array_placeholders.placeholder(dtypes.string, shape=())
        names = [GRAPH_KEY, *graph.variables]
        tensors = [ops.convert_to_tensor(graph.proto.SerializeToString(), dtype=dtypes.string),
                   *(v.read_value() for v in graph.variables.values())]
        operation = gen.SaveV2(file, names, [''] * len(names), tensors)
    folder = os.path.dirname(os.path.abspath(prefix))
    os.makedirs(folder, exist_ok=True)
    state.get_session().run(operation, {file: os.fspath(prefix)})
    checkpoint_management.update_checkpoint_state(
        os.path.dirname(prefix) or '.', os.path.basename(prefix), [os.path.basename(prefix)])


class LoadStatus:
    """The outcome of loading a checkpoint.

    Args:
      missing: the names of the model's variables that the file lacks.
      unused: the keys of the file that the model lacks.
    """

    def __init__(self, missing, unused):
        self._missing, self._unused = missing, unused

    def assert_existing_objects_matched(self):
        """Checks that the file had all variables.

        Raises:
          AssertionError: if it did not.
        """
        if self._missing:
            raise AssertionError(f'Unresolved objects in the checkpoint: no value for {sorted(self._missing)}')
        return self

    def assert_consumed(self):
        """Checks that the file had all variables and that the model had all values.

        Raises:
          AssertionError: if not.
        """
        self.assert_existing_objects_matched()
        if self._unused:
            raise AssertionError(f'Some objects had attributes which were not restored: {sorted(self._unused)}')
        return self

    def expect_partial(self):
        """Does nothing; for compatibility."""
        return self

    def initialize_or_restore(self, session=None):
        """Does nothing: values are loaded at once."""

    run_restore_ops = initialize_or_restore


def load(root, reader):
    """Sets the variables below an object from a checkpoint; returns a LoadStatus.

    Args:
      root: a model.
      reader: a reader of the checkpoint.
    """
    proto = trackable_object_graph_pb2.TrackableObjectGraph.FromString(reader.get_tensor(GRAPH_KEY))
    found = _matched(root, proto)
    pairs, used = [], set()
    for number, item in found.items():
        for attribute in proto.nodes[number].attributes if isinstance(item, Variable) else ():
            if reader.has_tensor(attribute.checkpoint_key):
                used.add(attribute.checkpoint_key)
                pairs.append((item, _fitting(item, reader, attribute.checkpoint_key)))
    values.batch_set_value(pairs)
    loaded = {id(v) for v, _ in pairs}
    missing = [v.name for v in ObjectGraph(root).variables.values() if id(v) not in loaded]
    known = {a.checkpoint_key for node in proto.nodes for a in node.attributes}
    return LoadStatus(missing, known - used)


def _fitting(variable, reader, key):
    value = reader.get_tensor(key)
    if tuple(variable.shape.as_list()) != value.shape:
        raise ValueError(f'Tensor {key} has shape {value.shape} in the checkpoint, but variable {variable.name} has '
                         f'shape {tuple(variable.shape.as_list())}')
    return value


def _matched(root, proto):
    """Returns a dict from numbers of nodes in the file to objects of the model."""
    found, waiting = {0: root}, [0]
    while waiting:
        number = waiting.pop()
        own = children_of(found[number])
        for child in proto.nodes[number].children:
            if child.local_name in own and child.node_id not in found and 0 <= child.node_id < len(proto.nodes):
                found[child.node_id] = own[child.local_name]
                waiting.append(child.node_id)
    for number, item in list(found.items()):
        for slot in proto.nodes[number].slot_variables if hasattr(item, '_slots') else ():
            variable = found.get(slot.original_variable_node_id)
            named = item._slots.get(variable.op.name, {}) if variable is not None else {}
            if slot.slot_name in named:
                found[slot.slot_variable_node_id] = named[slot.slot_name]
    return found
