"""tf.train.Saver, which saves the variables of a session to checkpoint files and restores them."""

import os

import numpy as np

from ramet import _core
from ramet.api import export
from ramet.core import convert
from ramet.core.protobuf import saver_pb2
from ramet.framework import errors, ops, stacks
from ramet.framework.saveable_object import SaveableObject, SaveSpec
from ramet.framework.uncopyable import Uncopyable
from ramet.lib import paths
from ramet.ops.variables import variables
from ramet.train import checkpoint_management, eager_saver, meta_graph_io, saved_names

_V1, _V2 = 1, 2


class BaseSaverBuilder:
    """Provides the classes of saveable objects under TensorFlow's name."""

    SaveSpec = SaveSpec
    SaveableObject = SaveableObject


def _all_saveable_objects(scope=None):
    return (ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope)
            + ops.get_collection(ops.GraphKeys.SAVEABLE_OBJECTS, scope))


def _checked_saver_def(saver_def):
    if convert.full_name(saver_def) != 'tensorflow.SaverDef':
        raise ValueError('saver_def must be a saver_pb2.SaverDef: %s' % saver_def)
    for field in ('save_tensor_name', 'restore_op_name'):
        if not getattr(saver_def, field):
            raise ValueError('saver_def must specify the %s: %s' % (field, saver_def))
    copy = saver_pb2.SaverDef()
    copy.ParseFromString(saver_def.SerializeToString())
    return copy


def _under(scope, saver_def):
    if scope:
        for field in ('filename_tensor_name', 'save_tensor_name', 'restore_op_name'):
            setattr(saver_def, field, ops.prepend_name_scope(getattr(saver_def, field), scope))
    return saver_def


@export('train.Saver')
class Saver(Uncopyable):
    """Writes variables to checkpoint files that TensorFlow can read too, and restores them.

    The constructor adds the save and restore nodes to the graph. A save replaces an older checkpoint of
    the same name atomically; if it fails, the older one remains.

    Args:
      var_list: a list of variables; a dict from names in the checkpoint to variables, lists of the
        parts of a partitioned variable, or SaveableObjects; or None for the collections "variables"
        and "saveable_objects".
      reshape: whether to restore tensors with a different shape if the number of elements is equal.
      sharded: whether to write one data file per device that has variables.
      max_to_keep: how many checkpoints to keep; None or 0 keeps all.
      keep_checkpoint_every_n_hours: in each period of this length, one checkpoint is kept permanently.
      name: str, the scope of the nodes, or None for 'save'. With saver_def, a scope that is prefixed to
        its names.
      restore_sequentially: ignored.
      saver_def: a SaverDef whose nodes are in the graph. If it is given, var_list is ignored.
      builder: ignored.
      defer_build: whether build() creates the nodes, instead of the constructor.
      allow_empty: whether to allow a graph without variables.
      write_version: SaverDef.V2, or SaverDef.V1 for the format of TensorFlow before 1.0.
      pad_step_number: whether to pad steps in file names to at least 8 digits.
      save_relative_paths: whether to write relative paths to the `checkpoint` file.
      filename: the default file name of the save and restore nodes, or None for 'model'.

    Raises:
      TypeError: if var_list has an unsupported type.
      ValueError: if there are no variables, two have the same name, or one occurs twice.
    """

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5,
                 keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False,
                 saver_def=None, builder=None, defer_build=False, allow_empty=False,
                 write_version=_V2, pad_step_number=False, save_relative_paths=False,
                 filename=None):
        if defer_build and var_list:
            raise ValueError('If `var_list` is provided then build cannot be deferred. Either set '
                             'defer_build=False or var_list=None.')
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._saver_def = None
        self._allow_empty = allow_empty
        self._write_version = write_version
        self._pad_step_number = pad_step_number
        self._save_relative_paths = save_relative_paths
        self._filename = filename
        self._is_built = False
        self._is_empty = False
        self._core = None
        self._eager = None  # saves variables of eager execution
        if ops.executing_eagerly():
            if var_list is None:
                raise RuntimeError('When eager execution is enabled, `var_list` must specify a list or dict of '
                                   'variables to save')
            self._eager = eager_saver.EagerSaver(self)
        elif saver_def is not None:
            self._adopt(_under(name, _checked_saver_def(saver_def)), ops.get_default_graph())
        elif not defer_build:
            self.build()

    def _adopt(self, saver_def, graph):
        self._saver_def = saver_def
        self._is_built = True
        self._core = _core.Saver.from_proto(
            graph, saver_def.SerializeToString(), pad_step_number=self._pad_step_number,
            save_relative_paths=self._save_relative_paths)

    def build(self):
        """Creates the nodes, if the constructor did not.

        Raises:
          ValueError: as the constructor.
        """
        if self._is_built:
            return
        if ops.executing_eagerly():
            raise RuntimeError('Use save/restore instead of build in eager mode.')
        self._is_built = True
        var_list = _all_saveable_objects() if self._var_list is None else self._var_list
        if not var_list:
            if not self._allow_empty:
                raise ValueError('No variables to save')
            self._is_empty = True
            return
        named = var_list if isinstance(var_list, dict) else saved_names.of_list(var_list)
        saved, objects = saved_names.checked(named)
        self._core = _core.Saver(
            _graph_of(saved, objects), saved,
            [(o.name, [(s.tensor, s.slice_spec, s.name) for s in o.specs], _restorer(o))
             for o in objects],
            reshape=self._reshape, sharded=self._sharded, max_to_keep=self._max_to_keep or 0,
            keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
            name=self._name or 'save', write_version=self._write_version,
            pad_step_number=self._pad_step_number,
            save_relative_paths=self._save_relative_paths, filename=self._filename or 'model')
        self._saver_def = saver_pb2.SaverDef.FromString(self._core.to_proto())

    @property
    def saver_def(self):
        """The SaverDef, or None if the saver is empty or not built."""
        return self._saver_def

    @saver_def.setter
    def saver_def(self, value):
        self._adopt(_checked_saver_def(value), ops.get_default_graph())

    def as_saver_def(self):
        """Returns the SaverDef, or None if the saver is empty or not built."""
        return self._saver_def

    def to_proto(self, export_scope=None):
        """Returns the SaverDef with "export_scope/" removed from its names, or None if they lack it.

        Args:
          export_scope: a name scope to remove from the names, or None.
        """
        if not export_scope:
            return self._saver_def
        if not (self._saver_def and self._name and self._name.startswith(export_scope)):
            return None
        return saver_pb2.SaverDef.FromString(self._core.to_proto(export_scope))

    @staticmethod
    def from_proto(saver_def, import_scope=None):
        """Returns a Saver for the nodes that a SaverDef names.

        Args:
          saver_def: a SaverDef.
          import_scope: str, a name scope that is prefixed to the names.

        Raises:
          ValueError: if saver_def is not a SaverDef, or lacks names.
        """
        return Saver(saver_def=saver_def, name=import_scope)

    def save(self, sess, save_path, global_step=None, latest_filename=None,
             meta_graph_suffix='meta', write_meta_graph=True, write_state=True,
             strip_default_attrs=False, save_debug_info=False):
        """Saves the variables of a session.

        Writes SAVE_PATH[-STEP].index, .data-00000-of-00001 and .meta, records the checkpoint in
        the file `checkpoint` of that folder, and removes old ones beyond max_to_keep.

        Args:
          sess: the session whose variables are saved.
          save_path: str, the prefix of the files.
          global_step: a number, a scalar integer tensor or variable, or its name. It becomes part of
            the prefix.
          latest_filename: str, the name of the state file, or None for 'checkpoint'.
          meta_graph_suffix: str, the suffix of the .meta file.
          write_meta_graph: whether to write a .meta file.
          write_state: whether to write the state file and remove old checkpoints.
          strip_default_attrs: whether to leave out attrs with default values from the .meta file.
          save_debug_info: ignored, because graphs hold no stack traces.

        Returns:
          str, the prefix to pass to restore, or None if the saver is empty.

        Raises:
          TypeError: if sess is not a session.
          RuntimeError: if the saver is not built.
          ValueError: if latest_filename contains a folder or equals the save path's own name, or if the
            parent of the folder does not exist.
          tf.errors.FailedPreconditionError: if a variable is uninitialized.
        """
        if self._eager is not None:
            return self._eager.save(paths.to_text(save_path), global_step, latest_filename, write_state)
        if not self._is_built and not self._is_empty:
            raise RuntimeError('`build()` should be called before save if defer_build==True')
        latest_filename = paths.to_text(latest_filename or 'checkpoint')
        session = stacks.core_session(sess)
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = paths.to_text(save_path)
        meta_graph_suffix = paths.to_text(meta_graph_suffix)
        step = _step_value(sess, global_step)
        self._check_collision(save_path, latest_filename, step)
        if self._is_empty:
            return self._save_empty(save_path, step, write_meta_graph, meta_graph_suffix,
                                    strip_default_attrs)
        try:
            return self._core.save(session, save_path, step, latest_filename, meta_graph_suffix,
                                   write_meta_graph, write_state, strip_default_attrs)
        except errors.InvalidArgumentError as e:
            if e.message.startswith('Parent directory of '):
                raise ValueError(e.message) from None
            raise

    def _check_collision(self, save_path, latest_filename, step):
        if (step is None and not self._sharded
                and os.path.basename(save_path) == latest_filename):
            raise ValueError("'latest_filename' collides with 'save_path': '%s' and '%s'"
                             % (latest_filename, save_path))

    def _save_empty(self, save_path, step, write_meta_graph, suffix, strip_default_attrs):
        if write_meta_graph:
            path = save_path if step is None else '%s-%s' % (
                save_path, ('%08d' if self._pad_step_number else '%d') % step)
            self.export_meta_graph(path + '.' + suffix, strip_default_attrs=strip_default_attrs)
        return None

    def restore(self, sess, save_path):
        """Restores the variables from a checkpoint. They need not be initialized.

        Args:
          sess: the session that gets the values.
          save_path: str, a checkpoint's prefix, as returned by save or latest_checkpoint.

        Raises:
          ValueError: if it is None, or there is no checkpoint with that prefix. The message names similar
            ones.
          tf.errors.NotFoundError, InvalidArgumentError, DataLossError: if the checkpoint lacks a
            variable, has one with a different shape or dtype, or is corrupt.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None." + _no_checkpoint_found())
        save_path = paths.to_text(save_path)
        if self._eager is not None:
            self._eager.restore(save_path)
            return
        if not self._is_built:
            if not checkpoint_management.checkpoint_exists(save_path):
                raise ValueError('The passed save_path is not a valid checkpoint: ' + save_path)
            raise RuntimeError('`build()` should be called before restore if defer_build==True')
        if not save_path:
            raise ValueError('The passed save_path is not a valid checkpoint: ')
        try:
            self._core.restore(stacks.core_session(sess), save_path)
        except errors.InvalidArgumentError as e:
            if e.message.startswith('The passed save_path is not a valid checkpoint'):
                raise ValueError(e.message) from None
            raise

    def export_meta_graph(self, filename=None, collection_list=None, as_text=False,
                          export_scope=None, clear_devices=False, clear_extraneous_savers=False,
                          strip_default_attrs=False, save_debug_info=False):
        """Returns the default graph with this saver as a MetaGraphDef; see tf.train.export_meta_graph."""
        return meta_graph_io.export_meta_graph(
            filename=filename, graph_def=None, saver_def=self._saver_def,
            collection_list=collection_list, as_text=as_text, export_scope=export_scope,
            clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info)

    @property
    def last_checkpoints(self):
        """The checkpoints that this saver keeps and will eventually remove, oldest first."""
        keeper = self._keeper()
        return keeper.last_checkpoints() if keeper else []

    def _keeper(self):
        """Returns the object that removes old checkpoints, or None before `build`."""
        return self._eager or self._core

    def set_last_checkpoints(self, last_checkpoints):
        """Replaces `last_checkpoints` by paths of checkpoints, which are never removed.

        Args:
          last_checkpoints: a list of paths, the newest last.
        """
        assert isinstance(last_checkpoints, list)
        self._keeper().set_last_checkpoints([(path, float('inf')) for path in last_checkpoints])

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time):
        """Replaces `last_checkpoints` by pairs of a path and the time when it was saved.

        Args:
          last_checkpoints_with_time: a list of (path, seconds since 1970), the newest last.
        """
        assert isinstance(last_checkpoints_with_time, list)
        self._keeper().set_last_checkpoints([(path, time) for path, time in last_checkpoints_with_time])

    def recover_last_checkpoints(self, checkpoint_paths):
        """Replaces `last_checkpoints` by those of an earlier process that still exist.

        Args:
          checkpoint_paths: a list of paths, the newest last.
        """
        found = [(path, mtimes[0]) for path in checkpoint_paths
                 for mtimes in [checkpoint_management.get_checkpoint_mtimes([path])] if mtimes]
        self.set_last_checkpoints_with_time(found)


def _graph_of(saved, objects):
    for _, _, tensors, _ in saved:
        return tensors[0].graph
    return objects[0].specs[0].tensor.graph


def _restorer(saveable):
    def restore(tensors, shapes):
        restored = saveable.restore(tensors, shapes or None)
        return restored.op if isinstance(restored, (ops.Tensor, variables.Variable)) else restored
    return restore


def _step_value(sess, step):
    if step is None:
        return None
    if isinstance(step, (int, np.integer)):
        return int(step)
    return int(sess.run(step))


def _no_checkpoint_found():
    folder = checkpoint_management.last_folder_without_checkpoint()
    if folder is None:
        return ''
    return (" tf.train.latest_checkpoint('%s') returned None: there is no file 'checkpoint' in %s"
            % (folder, os.path.abspath(folder)))
