"""Checkpoints that name variables by the attributes that hold them, as those of tf.train.Checkpoint do."""

import os

from ramet.core.protobuf import trackable_object_graph_pb2
from ramet.framework import trackable
from ramet.keras.backend import state, values
from ramet.ops.variables.variable_base import Variable
from ramet.train import checkpoint_management
from ramet.train.tracking import checkpoint, object_graph


def save(root, prefix):
    """Writes the variables below an object to a checkpoint.

    Args:
      root: a model.
      prefix: the beginning of the names of the files.
    """
    saver = vars(root).setdefault('_saver', checkpoint.Saver(root))
    saver.save(prefix, state.get_session())
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
    proto = trackable_object_graph_pb2.TrackableObjectGraph.FromString(reader.get_tensor(object_graph.PROTO_KEY))
    found = _matched(root, proto)
    pairs, used = [], set()
    for number, item in found.items():
        for attribute in proto.nodes[number].attributes if isinstance(item, Variable) else ():
            if reader.has_tensor(attribute.checkpoint_key):
                used.add(attribute.checkpoint_key)
                pairs.append((item, _fitting(item, reader, attribute.checkpoint_key)))
    values.batch_set_value(pairs)
    loaded = {id(v) for v, _ in pairs}
    missing = [value.variable.name for value in object_graph.ObjectGraph(root).values()
               if id(value.variable) not in loaded]
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
        own = trackable.children(found[number])
        for child in proto.nodes[number].children:
            if child.local_name in own and child.node_id not in found and 0 <= child.node_id < len(proto.nodes):
                found[child.node_id] = own[child.local_name]
                waiting.append(child.node_id)
    for number, item in list(found.items()):
        for slot in proto.nodes[number].slot_variables if object_graph.has_slots(item) else ():
            variable = found.get(slot.original_variable_node_id)
            own = None if variable is None else object_graph.slot_of(item, variable, slot.slot_name)
            if own is not None:
                found[slot.slot_variable_node_id] = own
    return found
