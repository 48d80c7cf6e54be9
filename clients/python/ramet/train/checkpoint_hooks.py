"""Hooks that save checkpoints."""

import os

from ramet.api import export
from ramet.core.util import event_pb2
from ramet.framework import graph_io, ops
from ramet.lib import tf_logging as logging
from ramet.summary import writer
from ramet.train import meta_graph_io
from ramet.train.session_run_hook import SessionRunArgs, SessionRunHook
from ramet.train.step_timer import SecondOrStepTimer, global_step_for


def meta_graph_of(graph, saver):
    return meta_graph_io.export_meta_graph(graph=graph, saver_def=saver.saver_def if saver else None)


@export('train.CheckpointSaverListener')
class CheckpointSaverListener:
    """An interface that a CheckpointSaverHook calls for each checkpoint, for subclassing."""

    def begin(self):
        """Called before the session is created."""

    def before_save(self, session, global_step_value):
        """Called before a checkpoint is saved.

        Args:
          session: the Session.
          global_step_value: the value of the global step, an int.
        """

    def after_save(self, session, global_step_value):
        """Called after a checkpoint is saved. Returning True requests a stop.

        Args:
          session: the Session.
          global_step_value: the value of the global step, an int.
        """

    def end(self, session, global_step_value):
        """Called after the last checkpoint.

        Args:
          session: the Session.
          global_step_value: the value of the global step, an int.
        """


@export('train.CheckpointSaverHook')
class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints at the beginning, periodically, and at the end."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None,
                 checkpoint_basename='model.ckpt', scaffold=None, listeners=None,
                 save_graph_def=True):
        """Creates the hook. Exactly one of `save_secs` and `save_steps` must be given.

        Args:
          checkpoint_dir: str, the folder.
          save_secs: float, the seconds between two checkpoints.
          save_steps: int, the steps between two checkpoints.
          saver: a Saver, or None for that of the scaffold or of the graph.
          checkpoint_basename: str, the file name without the step.
          scaffold: a Scaffold. It cannot be combined with `saver`.
          listeners: a list of CheckpointSaverListeners.
          save_graph_def: whether to write .meta files and graph.pbtxt.

        Raises:
          ValueError: if saver and scaffold are both given, or if neither or both periods are.
        """
        if saver is not None and scaffold is not None:
            raise ValueError('You cannot provide both saver and scaffold.')
        logging.info('Create CheckpointSaverHook.')
        self._saver = saver
        self._scaffold = scaffold
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = listeners or []
        self._save_graph_def = save_graph_def

    def begin(self):
        self._summary_writer = writer.FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = global_step_for(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        step = session.run(self._global_step_tensor)
        if self._save_graph_def:
            graph_io.write_graph(ops.get_default_graph().as_graph_def(add_shapes=True),
                                 self._checkpoint_dir, 'graph.pbtxt')
        self._summary_writer.add_graph(session.graph)
        self._summary_writer.add_meta_graph(meta_graph_of(session.graph, self._get_saver()))
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session):
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        """Saves a checkpoint. Returns whether a listener requests a stop."""
        logging.info('Saving checkpoints for %d into %s.', step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        path = self._get_saver().save(session, self._save_path, global_step=step,
                                      write_meta_graph=self._save_graph_def)
        log = event_pb2.SessionLog(status=event_pb2.SessionLog.CHECKPOINT, checkpoint_path=path)
        self._summary_writer.add_session_log(log, step)
        return any([listener.after_save(session, step) for listener in self._listeners])

    def _get_saver(self):
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = ops.get_collection(ops.GraphKeys.SAVERS)
        if len(savers) != 1:
            raise RuntimeError(
                ('No' if not savers else 'More than one') +
                ' items in collection savers. Please add a saver to the collection or provide a '
                'saver or scaffold.')
        self._saver = savers[0]
        return self._saver
