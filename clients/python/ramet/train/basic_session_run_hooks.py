"""Hooks for monitored sessions: stopping, checkpoints, summaries and logging."""

import os
import time

import numpy as np

from ramet.api import export
from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.train import training_util
from ramet.train.session_run_hook import SessionRunArgs, SessionRunHook


def _global_step(hook):
    """Returns the tensor of the global step.

    Raises:
      RuntimeError: if the graph has no global step.
    """
    variable = training_util.get_global_step()
    if variable is None:
        raise RuntimeError(f'Global step should be created to use {type(hook).__name__}.')
    return variable.value() if hasattr(variable, 'value') else variable


def _meta_graph(graph, saver):
    from ramet.train import meta_graph_io
    return meta_graph_io.export_meta_graph(graph=graph, saver_def=saver.saver_def)


@export('train.SecondOrStepTimer')
class SecondOrStepTimer:
    """Decides when to trigger an action, based on seconds or steps."""

    def __init__(self, every_secs=None, every_steps=None):
        """Creates the timer. Exactly one of the arguments must be given.

        Args:
          every_secs: float, the seconds between two triggers.
          every_steps: int, the steps between two triggers.

        Raises:
          ValueError: if neither or both are given.
        """
        self.reset()
        if every_secs is None and every_steps is None:
            raise ValueError('Either every_secs or every_steps should be provided.')
        if every_secs is not None and every_steps is not None:
            raise ValueError('Can not provide both every_secs and every_steps.')
        self._every_secs = every_secs
        self._every_steps = every_steps

    def reset(self):
        """Forgets the last trigger."""
        self._last_triggered_step = None
        self._last_triggered_time = None

    def should_trigger_for_step(self, step):
        """Returns whether to trigger at this step.

        Args:
          step: int, the current step.
        """
        if self._last_triggered_step is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_triggered_time + self._every_secs
        return step >= self._last_triggered_step + self._every_steps

    def update_last_triggered_step(self, step):
        """Records a trigger at a step.

        Args:
          step: int, the current step.

        Returns:
          (seconds, steps) since the previous trigger, or (None, None) for the first one.
        """
        now = time.time()
        elapsed = (None, None)
        if self._last_triggered_step is not None:
            elapsed = (now - self._last_triggered_time, step - self._last_triggered_step)
        self._last_triggered_time = now
        self._last_triggered_step = step
        return elapsed

    def last_triggered_step(self):
        """Returns the step of the last trigger, or None."""
        return self._last_triggered_step


@export('train.StopAtStepHook')
class StopAtStepHook(SessionRunHook):
    """Requests a stop at a given step."""

    def __init__(self, num_steps=None, last_step=None):
        """Creates the hook. Exactly one of the arguments must be given.

        Args:
          num_steps: int, the number of steps to run.
          last_step: int, the step to stop after.

        Raises:
          ValueError: if neither or both are given.
        """
        if num_steps is None and last_step is None:
            raise ValueError('One of num_steps or last_step must be specified.')
        if num_steps is not None and last_step is not None:
            raise ValueError('Only one of num_steps or last_step can be specified.')
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self):
        self._global_step_tensor = _global_step(self)

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        if run_values.results + 1 >= self._last_step:
            if run_context.session.run(self._global_step_tensor) >= self._last_step:
                run_context.request_stop()


@export('train.CheckpointSaverListener')
class CheckpointSaverListener:
    """An interface that a CheckpointSaverHook calls for each checkpoint, for subclassing."""

    def begin(self):
        """Called before the session is created."""

    def before_save(self, session, global_step_value):
        """Called before a checkpoint is saved."""

    def after_save(self, session, global_step_value):
        """Called after a checkpoint is saved. Returning True requests a stop."""

    def end(self, session, global_step_value):
        """Called after the last checkpoint."""


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
        from ramet.summary import writer
        self._summary_writer = writer.FileWriterCache.get(self._checkpoint_dir)
        self._global_step_tensor = _global_step(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        step = session.run(self._global_step_tensor)
        if self._save_graph_def:
            from ramet.framework import graph_io
            graph_io.write_graph(ops.get_default_graph().as_graph_def(add_shapes=True),
                                 self._checkpoint_dir, 'graph.pbtxt')
        self._summary_writer.add_graph(session.graph)
        self._summary_writer.add_meta_graph(_meta_graph(session.graph, self._get_saver()))
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
        from ramet.core.util import event_pb2
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


@export('train.StepCounterHook')
class StepCounterHook(SessionRunHook):
    """Logs the number of steps per second, and writes it to summaries."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None,
                 summary_writer=None):
        """Creates the hook. Exactly one of the periods must be given.

        Args:
          every_n_steps: int, the steps between two measurements.
          every_n_secs: float, the seconds between two measurements.
          output_dir: str, the folder of the summaries, or None for no summaries.
          summary_writer: a FileWriter to use instead of `output_dir`.

        Raises:
          ValueError: if neither or both periods are given.
        """
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError('exactly one of every_n_steps and every_n_secs should be provided.')
        self._timer = SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_steps)
        self._summary_writer = summary_writer
        self._output_dir = output_dir

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            from ramet.summary import writer
            self._summary_writer = writer.FileWriterCache.get(self._output_dir)
        self._global_step_tensor = _global_step(self)
        self._tag = self._global_step_tensor.op.inputs[0].op.name + '/sec' if (
            self._global_step_tensor.op.inputs) else 'global_step/sec'

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._global_step_tensor)
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds:
            self._log_and_record(seconds, steps, step)

    def _log_and_record(self, elapsed_time, elapsed_steps, global_step):
        rate = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            from ramet.core.framework import summary_pb2
            value = summary_pb2.Summary.Value(tag=self._tag, simple_value=rate)
            self._summary_writer.add_summary(summary_pb2.Summary(value=[value]), global_step)
        logging.info('%s: %g', self._tag, rate)


@export('train.LoggingTensorHook')
class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors periodically."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False,
                 formatter=None):
        """Creates the hook. One of the periods may be given; without one, `at_end` must be True.

        Args:
          tensors: a dict from tags to tensors or names, or a list of tensors or names.
          every_n_iter: int, the runs between two log lines.
          every_n_secs: float, the seconds between two log lines.
          at_end: whether to log the values at the end.
          formatter: a function of the dict from tags to values that returns the text.

        Raises:
          ValueError: if the periods are invalid.
        """
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError('either at_end and/or exactly one of every_n_iter and every_n_secs '
                             'must be provided.')
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f'invalid every_n_iter={every_n_iter}.')
        if not isinstance(tensors, dict):
            self._tag_order = list(tensors)
            tensors = {item: item for item in tensors}
        else:
            self._tag_order = sorted(tensors.keys())
        self._tensors = tensors
        self._formatter = formatter
        self._timer = None if only_at_end else SecondOrStepTimer(
            every_secs=every_n_secs, every_steps=every_n_iter)
        self._log_at_end = at_end

    def begin(self):
        if self._timer is not None:
            self._timer.reset()
        self._iter_count = 0
        graph = ops.get_default_graph()
        self._current_tensors = {tag: graph.as_graph_element(tensor)
                                 for tag, tensor in self._tensors.items()}

    def before_run(self, run_context):
        self._should_trigger = (self._timer is not None and
                                self._timer.should_trigger_for_step(self._iter_count))
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context, run_values):
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session):
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, values):
        seconds = None
        if self._timer is not None:
            seconds, _ = self._timer.update_last_triggered_step(self._iter_count)
        if self._formatter:
            logging.info('%s', self._formatter(values))
            return
        with np.printoptions(suppress=True):
            text = ', '.join(f'{_tag_text(tag)} = {values[tag]}' for tag in self._tag_order)
        logging.info('%s%s', text, '' if seconds is None else f' ({seconds:.3f} sec)')


def _tag_text(tag):
    return tag if isinstance(tag, str) else tag.name


@export('train.NanLossDuringTrainingError')
class NanLossDuringTrainingError(RuntimeError):
    """Raised when the loss is not a number."""

    def __str__(self):
        return 'NaN loss during training.'


@export('train.NanTensorHook')
class NanTensorHook(SessionRunHook):
    """Monitors the loss and stops training if it is NaN."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        """Creates the hook.

        Args:
          loss_tensor: a Tensor.
          fail_on_nan_loss: whether to raise NanLossDuringTrainingError instead of requesting a stop.
        """
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context, run_values):
        if np.isnan(run_values.results):
            failure = 'Model diverged with loss = NaN.'
            if self._fail_on_nan_loss:
                logging.error(failure)
                raise NanLossDuringTrainingError
            logging.warning(failure)
            run_context.request_stop()


@export('train.SummarySaverHook')
class SummarySaverHook(SessionRunHook):
    """Writes summaries periodically."""

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None,
                 scaffold=None, summary_op=None):
        """Creates the hook.

        Exactly one of the periods must be given, and exactly one of `scaffold` and `summary_op`.

        Args:
          save_steps: int, the steps between two summaries.
          save_secs: float, the seconds between two summaries.
          output_dir: str, the folder of the summaries.
          summary_writer: a FileWriter to use instead of `output_dir`.
          scaffold: a Scaffold whose summary_op is written.
          summary_op: a Tensor of summaries, or a list of these.

        Raises:
          ValueError: if the arguments do not meet these conditions.
        """
        if (scaffold is None) == (summary_op is None):
            raise ValueError('Exactly one of scaffold or summary_op must be provided.')
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            from ramet.summary import writer
            self._summary_writer = writer.FileWriterCache.get(self._output_dir)
        self._next_step = None
        self._global_step_tensor = _global_step(self)

    def before_run(self, run_context):
        self._request_summary = (self._next_step is None or
                                 self._timer.should_trigger_for_step(self._next_step))
        wanted = {'global_step': self._global_step_tensor}
        summaries = self._summaries()
        if self._request_summary and summaries is not None:
            wanted['summary'] = summaries
        return SessionRunArgs(wanted)

    def after_run(self, run_context, run_values):
        if self._summary_writer is None:
            return
        step = run_values.results['global_step']
        if self._next_step is None or self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            from ramet.core.util import event_pb2
            self._summary_writer.add_session_log(
                event_pb2.SessionLog(status=event_pb2.SessionLog.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get('summary', ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session):
        if self._summary_writer is not None:
            self._summary_writer.flush()

    def _summaries(self):
        op = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        if op is None:
            return None
        return list(op) if isinstance(op, (list, tuple)) else [op]


@export('train.FinalOpsHook')
class FinalOpsHook(SessionRunHook):
    """Runs fetches once, at the end."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        """Creates the hook.

        Args:
          final_ops: the fetches, as for session.run.
          final_ops_feed_dict: feeds for them.
        """
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values = None

    @property
    def final_ops_values(self):
        """The values of the fetches, or None before the end."""
        return self._final_ops_values

    def end(self, session):
        if self._final_ops is not None:
            self._final_ops_values = session.run(self._final_ops,
                                                 feed_dict=self._final_ops_feed_dict)


@export('train.FeedFnHook')
class FeedFnHook(SessionRunHook):
    """Feeds the result of a function to each run."""

    def __init__(self, feed_fn):
        """Creates the hook.

        Args:
          feed_fn: a function without arguments that returns a dict of feeds.
        """
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


@export('train.GlobalStepWaiterHook')
class GlobalStepWaiterHook(SessionRunHook):
    """Delays runs until the global step, which another trainer increments, reaches a value."""

    def __init__(self, wait_until_step):
        """Creates the hook.

        Args:
          wait_until_step: int, the step to wait for.
        """
        self._wait_until_step = wait_until_step

    def begin(self):
        self._worker_is_started = False
        self._global_step_tensor = _global_step(self)

    def before_run(self, run_context):
        if self._worker_is_started:
            return None
        if self._wait_until_step > 0:
            logging.info('Waiting for global step %d before starting training.',
                         self._wait_until_step)
        while run_context.session.run(self._global_step_tensor) < self._wait_until_step:
            time.sleep(0.5)
        self._worker_is_started = True
        return None
