"""tf.train.Checkpoint, which saves objects under the paths of attributes that lead to them."""

import os

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.core.protobuf import trackable_object_graph_pb2
from ramet.framework import dtypes, errors, ops, trackable
from ramet.lib import paths
from ramet.ops.array import array_ops
from ramet.ops.variables import variables
from ramet.train import checkpoint_management, checkpoint_utils
from ramet.train.tracking import eager_files, load_status, object_graph, restoration


class _SaveOperation:
    """The operation that saves a set of values, with its inputs."""

    def __init__(self, values, graph):
        self.values = values
        with graph.as_default(), ops.control_dependencies(None), ops.device('/cpu:0'):
            self._prefix = array_ops.placeholder(dtypes.string, shape=[], name='save_prefix')
            self._proto = array_ops.placeholder(dtypes.string, shape=[], name='object_graph')
            names = [value.key for value in values] + [object_graph.PROTO_KEY]
            tensors = [value.variable._checkpoint_value for value in values] + [self._proto]
            self._operation = gen.SaveV2(self._prefix, names, [''] * len(names), tensors)

    def run(self, session, prefix, proto):
        session.run(self._operation, feed_dict={
            self._prefix: prefix, self._proto: np.array(proto.SerializeToString(deterministic=True), object)})


class Saver:
    """Saves and restores the objects that can be reached from a root."""

    def __init__(self, root):
        self._root = root
        self._save = None
        self._operations = restoration.RestoreOperations()

    def save(self, prefix, session):
        """Writes a checkpoint; returns its prefix."""
        graph = object_graph.ObjectGraph(self._root)
        values = graph.values()
        if ops.executing_eagerly():
            proto = ops.convert_to_tensor(graph.to_proto().SerializeToString(deterministic=True))
            eager_files.write(prefix, [value.key for value in values] + [object_graph.PROTO_KEY],
                              [value.variable._checkpoint_value for value in values] + [proto])
            return prefix
        if self._save is None or self._save.values != values:
            self._save = _SaveOperation(values, values[0].variable.graph if values else ops.get_default_graph())
        folder = os.path.dirname(prefix)
        if folder:
            os.makedirs(folder, exist_ok=True)
        self._save.run(session, prefix, graph.to_proto())
        return prefix

    def restore(self, path):
        """Matches a checkpoint with the objects; returns the status that restores it."""
        if path is None:
            return load_status.InitializationOnlyStatus(self._root)
        path = paths.to_text(path)
        reader = checkpoint_utils.load_checkpoint(path)
        try:
            text = reader.get_tensor(object_graph.PROTO_KEY)
        except (errors.NotFoundError, KeyError, ValueError):
            return load_status.NameBasedSaverStatus(self._root, reader, path, self._operations)
        text = text if isinstance(text, bytes) else np.asarray(text).item()
        proto = trackable_object_graph_pb2.TrackableObjectGraph.FromString(text)
        made = restoration.Restoration(self._root, reader, proto, path, self._operations)
        if ops.executing_eagerly():
            made.run_eagerly()
            trackable.restorations.append(made.run_eagerly)
        return load_status.CheckpointLoadStatus(made)


@export('train.Checkpoint')
class Checkpoint(trackable.AutoTrackable):
    """Saves variables, layers, optimizers, and lists and dicts of them, and restores them.

        checkpoint = tf.train.Checkpoint(optimizer=optimizer, layer=layer)
        checkpoint.save('/tmp/model/ckpt')
        checkpoint.restore(tf.train.latest_checkpoint('/tmp/model')).initialize_or_restore()

    A value has the path of attributes that leads to it in the checkpoint, such as `layer/kernel`; the names of
    variables do not matter. TensorFlow 1.x and 2.x read and write the same files.

    Args:
      **kwargs: the objects to save. Each becomes an attribute of the checkpoint.

    Raises:
      ValueError: if an argument cannot be saved.
    """

    def __init__(self, **kwargs):
        self._save_counter = None
        self._save_assign = None
        for name, value in sorted(kwargs.items()):
            if not isinstance(value, (list, dict, tuple)) and not trackable.is_trackable(value):
                raise ValueError(
                    '`Checkpoint` was expecting a trackable object (an object derived from `Trackable`), got '
                    f'{value} for {name!r}. Pass variables, layers, optimizers, and lists and dicts of them.')
            setattr(self, name, value)
        self._saver = Saver(self)

    def _trackable_children(self):
        found = {name: value for name, value in vars(self).items()
                 if not name.startswith('_save') and trackable.is_trackable(value)}
        if self._save_counter is not None:
            found['save_counter'] = self._save_counter
        return found

    def _create_save_counter(self):
        if self._save_counter is None:
            with ops.device('/cpu:0'):
                self._save_counter = variables.Variable(
                    np.int64(0), name='save_counter', trainable=False, dtype=dtypes.int64, use_resource=True)

    @property
    def save_counter(self):
        """The int64 variable that counts the calls of save."""
        self._create_save_counter()
        return self._save_counter

    def write(self, file_prefix, session=None):
        """Writes a checkpoint without a number, and does not record it in the file `checkpoint`.

        Args:
          file_prefix: str, the prefix of the files. The folder is created.
          session: the Session whose values are saved, or None for the default one.

        Returns:
          str, the prefix.

        Raises:
          ValueError: if `session` is None and no default session exists.
          tf.errors.FailedPreconditionError: if a variable is uninitialized.
        """
        session = load_status.session_or_default(session)
        return self._saver.save(paths.to_text(file_prefix), session)

    def save(self, file_prefix, session=None):
        """Increments the save counter, writes the checkpoint FILE_PREFIX-COUNTER, and records it as the latest.

        Args:
          file_prefix: str, the prefix of the files. The folder is created.
          session: the Session whose values are saved, or None for the default one.

        Returns:
          str, the prefix with the number.

        Raises:
          ValueError: if `session` is None and no default session exists.
          tf.errors.FailedPreconditionError: if a variable is uninitialized.
        """
        session = load_status.session_or_default(session)
        number = self._next_number(session)
        file_prefix = paths.to_text(file_prefix)
        path = self.write(f'{file_prefix}-{number}', session)
        checkpoint_management.record_checkpoints(os.path.dirname(file_prefix), path, [path])
        return path

    def _next_number(self, session):
        if ops.executing_eagerly():
            return int(self.save_counter.assign_add(1))
        if self._save_counter is None:
            session.run(self.save_counter.initializer)
        if self._save_assign is None:
            with ops.colocate_with(self.save_counter.op):
                self._save_assign = self.save_counter.assign_add(1)
        return int(session.run(self._save_assign))

    def restore(self, save_path):
        """Matches a checkpoint with the objects. Values are restored when the result is told to do so.

        Args:
          save_path: str, a checkpoint's prefix, as returned by save; or None to only initialize.

        Returns:
          An object with these methods: initialize_or_restore(session=None), run_restore_ops(session=None),
          assert_consumed(), assert_existing_objects_matched(), assert_nontrivial_match(), expect_partial().

        Raises:
          tf.errors.NotFoundError: if the checkpoint does not exist.
          ValueError: if a variable has a different shape in the checkpoint.
        """
        status = self._saver.restore(save_path)
        had_counter = self._save_counter is not None
        self._create_save_counter()
        if isinstance(status, load_status.NameBasedSaverStatus) and not had_counter:
            status._optional = (self._save_counter,)
        return status

    def read(self, save_path):
        """Like restore, but for checkpoints of write: it does not create a save counter.

        Args:
          save_path: str, a checkpoint's prefix, as returned by write; or None to only initialize.

        Returns:
          As restore.

        Raises:
          tf.errors.NotFoundError: if the checkpoint does not exist.
          ValueError: if a variable has a different shape in the checkpoint.
        """
        return self._saver.restore(save_path)
