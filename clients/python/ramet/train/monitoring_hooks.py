"""Hooks that observe runs: speed, values of tensors, NaN losses and summaries."""

import numpy as np

from ramet.api import export
from ramet.core.framework import summary_pb2
from ramet.core.util import event_pb2
from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.summary import writer
from ramet.train.session_run_hook import SessionRunArgs, SessionRunHook
from ramet.train.step_timer import SecondOrStepTimer, global_step_for


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
            self._summary_writer = writer.FileWriterCache.get(self._output_dir)
        self._global_step_tensor = global_step_for(self)
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
            self._summary_writer = writer.FileWriterCache.get(self._output_dir)
        self._next_step = None
        self._global_step_tensor = global_step_for(self)

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
