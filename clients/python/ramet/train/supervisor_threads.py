"""The threads of a Supervisor: summaries, steps per second, checkpoints."""

import time

from ramet.core.framework import summary_pb2
from ramet.core.util import event_pb2
from ramet.lib import tf_logging
from ramet.train import coordinator, training_util


class SVSummaryThread(coordinator.LooperThread):
    """Writes the summaries from time to time."""

    def __init__(self, sv, sess):
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self):
        step = None
        if self._sv.global_step is None:
            summaries = self._sess.run(self._sv.summary_op)
        else:
            summaries, step = self._sess.run([self._sv.summary_op, self._sv.global_step])
        if self._sv.summary_writer:
            tf_logging.info('Recording summary at step %s.', step)
            self._sv.summary_writer.add_summary(summaries, step)


class SVStepCounterThread(coordinator.LooperThread):
    """Writes the number of steps per second from time to time."""

    def __init__(self, sv, sess, step_counter=None):
        super().__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess
        self._step_counter = sv.global_step if step_counter is None else step_counter
        self._tag = f'{self._step_counter.op.name}/sec'
        self._last_time, self._last_step = 0.0, 0

    def _step(self):
        return training_util.global_step(self._sess, self._step_counter)

    def start_loop(self):
        self._last_time, self._last_step = time.time(), self._step()

    def run_loop(self):
        step, now = self._step(), time.time()
        steps, seconds = step - self._last_step, now - self._last_time
        self._last_time, self._last_step = now, step
        rate = steps / seconds if seconds > 0 else float('inf')
        if self._sv.summary_writer:
            summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=self._tag, simple_value=rate)])
            self._sv.summary_writer.add_summary(summary, step)
        tf_logging.log_first_n(tf_logging.INFO, '%s: %g', 10, self._tag, rate)


class SVTimerCheckpointThread(coordinator.LooperThread):
    """Saves a checkpoint from time to time."""

    def __init__(self, sv, sess):
        super().__init__(sv.coord, sv.save_model_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self):
        sv = self._sv
        tf_logging.info('Saving checkpoint to path %s', sv.save_path)
        sv.saver.save(self._sess, sv.save_path, global_step=sv.global_step)
        if sv.summary_writer and sv.global_step is not None:
            log = event_pb2.SessionLog(status=event_pb2.SessionLog.CHECKPOINT, checkpoint_path=sv.save_path)
            sv.summary_writer.add_session_log(log, training_util.global_step(self._sess, sv.global_step))
