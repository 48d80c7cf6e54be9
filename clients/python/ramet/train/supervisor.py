"""tf.train.Supervisor, which prepares a session, saves checkpoints and summaries, and stops threads."""

import contextlib
import os

from ramet.api import export
from ramet.core.util import event_pb2
from ramet.framework import dtypes, graph_io, ops
from ramet.lib import tf_logging
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.variables import variable_lists
from ramet.summary import summary, writer
from ramet.train import coordinator, saver as saver_lib, session_manager as session_managers
from ramet.train import supervisor_threads, training_util
from ramet.train.checkpoint_hooks import meta_graph_of

_DEFAULT = 0


def _from_collection(key, make=None, value=_DEFAULT):
    """Returns `value`, or by default the first element of a collection, to which that of make() is added if empty."""
    if value is not _DEFAULT:
        return value
    found = ops.get_collection(key)
    if found:
        return found[0]
    made = make() if make else None
    if made is not None:
        ops.add_to_collection(key, made)
    return made


def _default_saver():
    return saver_lib.Saver() if variable_lists.global_variables() else None


def _local_initializer():
    return control_flow_ops.group(variable_lists.local_variables_initializer(), variable_lists.tables_initializer())


def _default_global_step():
    try:
        step = ops.get_default_graph().get_tensor_by_name('global_step:0')
    except KeyError:
        return None
    if step.dtype.base_dtype in (dtypes.int32, dtypes.int64):
        return step
    tf_logging.warning("Found 'global_step' is not an int type: %s", step.dtype)
    return None


@export('train.Supervisor')
class Supervisor:
    """Prepares sessions of a training program, saves checkpoints and summaries, and stops its threads.

    New programs use tf.train.MonitoredTrainingSession. An operation that is not given is taken from its collection,
    or made and added to it. The constructor finalizes the graph.

    Args:
      graph: a Graph, or None for the default one.
      ready_op: a string vector of the names of uninitialized variables. None disables the check.
      ready_for_local_init_op: like ready_op, checked before local_init_op runs.
      is_chief: whether this process initializes, saves and writes; others wait for it.
      init_op: the operation that initializes a model that is not restored.
      init_feed_dict: the feed for init_op.
      local_init_op: the operation that initializes local variables and tables in every process.
      logdir: str, the folder of checkpoints and summaries, or None.
      summary_op: the summaries to write; None disables them.
      saver: a Saver; None disables checkpoints.
      global_step: an integer scalar that counts steps, or None.
      save_summaries_secs: the seconds between two summaries; 0 disables them.
      save_model_secs: the seconds between two checkpoints; 0 disables them.
      recovery_wait_secs: the seconds between two checks whether the model is ready.
      stop_grace_secs: the seconds that threads have to end when `stop` is called.
      checkpoint_basename: str, the name of the checkpoints.
      session_manager: a SessionManager, or None for a new one.
      summary_writer: a FileWriter; None writes no summaries.
      init_fn: a function that is called with the session after init_op.
      local_init_run_options: RunOptions for local_init_op.

    Raises:
      ValueError: if it is not the chief and a variable has no device.
    """

    USE_DEFAULT = _DEFAULT

    def __init__(self, graph=None, ready_op=USE_DEFAULT, ready_for_local_init_op=USE_DEFAULT, is_chief=True,
                 init_op=USE_DEFAULT, init_feed_dict=None, local_init_op=USE_DEFAULT, logdir=None,
                 summary_op=USE_DEFAULT, saver=USE_DEFAULT, global_step=USE_DEFAULT, save_summaries_secs=120,
                 save_model_secs=600, recovery_wait_secs=30, stop_grace_secs=120, checkpoint_basename='model.ckpt',
                 session_manager=None, summary_writer=USE_DEFAULT, init_fn=None, local_init_run_options=None):
        self._graph = graph = ops.get_default_graph() if graph is None else graph
        keys = ops.GraphKeys
        with graph.as_default():
            self.ready_op = _from_collection(keys.READY_OP, variable_lists.report_uninitialized_variables, ready_op)
            self.ready_for_local_init_op = _from_collection(
                keys.READY_FOR_LOCAL_INIT_OP, None, ready_for_local_init_op)
            self.init_op = _from_collection(keys.INIT_OP, variable_lists.global_variables_initializer, init_op)
            self._local_init_op = _from_collection(keys.LOCAL_INIT_OP, _local_initializer, local_init_op)
            self.saver = _from_collection(keys.SAVERS, _default_saver, saver)
            self.summary_op = _from_collection(keys.SUMMARY_OP, summary.merge_all, summary_op)
            self.global_step = _from_collection(keys.GLOBAL_STEP, _default_global_step, global_step)
        self._meta_graph_def = meta_graph_of(graph, self.saver)
        self.init_feed_dict = init_feed_dict
        self.is_chief = is_chief
        self.coord = coordinator.Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._init_fn = init_fn
        self._set_chief_options(logdir if is_chief else None, save_summaries_secs, save_model_secs,
                                checkpoint_basename, summary_writer)
        self.session_manager = session_manager or session_managers.SessionManager(
            local_init_op=self._local_init_op, ready_op=self.ready_op,
            ready_for_local_init_op=self.ready_for_local_init_op, graph=graph,
            recovery_wait_secs=recovery_wait_secs, local_init_run_options=local_init_run_options)
        self._check_devices()
        graph.finalize()

    def _set_chief_options(self, logdir, save_summaries_secs, save_model_secs, basename, summary_writer):
        self._logdir = logdir
        self.save_summaries_secs = save_summaries_secs if self.is_chief else None
        self.save_model_secs = save_model_secs if self.is_chief else None
        self.save_path = os.path.join(logdir, basename) if logdir else None
        self.summary_writer = None
        self._graph_is_written = False
        if self.is_chief and summary_writer is _DEFAULT:
            self.summary_writer = writer.FileWriter(logdir) if logdir else None
        elif self.is_chief:
            self.summary_writer = summary_writer

    def _check_devices(self):
        if self.is_chief:
            return
        for op in self._graph.get_operations():
            if op.type in ('Variable', 'VariableV2') and not op.device:
                raise ValueError(f'When using replicas, all Variables must have their device set: {op}')

    def _write_graph(self):
        if self._logdir:
            graph_io.write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, 'graph.pbtxt')
        if self.summary_writer and not self._graph_is_written:
            self.summary_writer.add_graph(self._graph)
            self.summary_writer.add_meta_graph(self._meta_graph_def)
            self._graph_is_written = True

    def start_standard_services(self, sess):
        """Starts the threads that write summaries and checkpoints.

        Args:
          sess: the Session.

        Returns:
          A list of the threads, or None without a logdir.

        Raises:
          RuntimeError: if this is not the chief.
        """
        if not self.is_chief:
            raise RuntimeError('Only chief supervisor can start standard services. Because only chief supervisors can '
                               'write events.')
        if not self._logdir:
            tf_logging.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self.global_step is not None and self.summary_writer:
            self.summary_writer.add_session_log(event_pb2.SessionLog(status=event_pb2.SessionLog.START),
                                                training_util.global_step(sess, self.global_step))
        threads = self._service_threads(sess)
        for thread in threads:
            thread.start()
        return threads

    def _service_threads(self, sess):
        threads = []
        if self.save_summaries_secs and self.summary_writer:
            if self.summary_op is not None:
                threads.append(supervisor_threads.SVSummaryThread(self, sess))
            if self.global_step is not None:
                threads.append(supervisor_threads.SVStepCounterThread(self, sess))
        if self.saver and self.save_model_secs:
            threads.append(supervisor_threads.SVTimerCheckpointThread(self, sess))
        return threads

    def prepare_or_wait_for_session(self, master='', config=None, wait_for_checkpoint=False, max_wait_secs=7200,
                                    start_standard_services=True):
        """Returns a session with an initialized or restored model; processes other than the chief wait for it.

        Args:
          master: str, the target of the session.
          config: a ConfigProto for the session.
          wait_for_checkpoint: whether to wait for a checkpoint instead of initializing.
          max_wait_secs: the maximum number of seconds to wait.
          start_standard_services: whether to start the threads of start_standard_services and the queue runners.
        """
        self.coord.clear_stop()
        if self.summary_writer:
            self.summary_writer.reopen()
        if not self.is_chief:
            sess = self.session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        else:
            sess = self.session_manager.prepare_session(
                master, init_op=self.init_op, saver=self.saver, checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs, config=config,
                init_feed_dict=self.init_feed_dict, init_fn=self._init_fn)
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(sess)
        if start_standard_services:
            self.start_queue_runners(sess)
        return sess

    def start_queue_runners(self, sess, queue_runners=None):
        """Starts the threads of queue runners.

        Args:
          sess: the Session.
          queue_runners: a list, or None for those of the graph.

        Returns:
          A list of the threads.
        """
        if queue_runners is None:
            queue_runners = self._graph.get_collection(ops.GraphKeys.QUEUE_RUNNERS)
        return [thread for runner in queue_runners
                for thread in runner.create_threads(sess, coord=self.coord, daemon=True, start=True)]

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        """Starts a thread that calls a function from time to time.

        Args:
          timer_interval_secs: the seconds between two calls; None calls it again at once.
          target: the function.
          args: its arguments.
          kwargs: its keyword arguments.

        Returns:
          The thread.
        """
        looper = coordinator.LooperThread(self.coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        """Stops the threads and waits for them.

        Args:
          threads: threads to wait for in addition to those of the coordinator.
          close_summary_writer: whether to close the summary writer.
          ignore_live_threads: whether to ignore threads that do not end, instead of raising an error.
        """
        self.coord.request_stop()
        try:
            self.coord.join(threads, stop_grace_period_secs=self._stop_grace_secs,
                            ignore_live_threads=ignore_live_threads)
        finally:
            if close_summary_writer and self.summary_writer:
                self.summary_writer.add_session_log(event_pb2.SessionLog(status=event_pb2.SessionLog.STOP))
                self.summary_writer.close()
                self._graph_is_written = False

    def request_stop(self, ex=None):
        """Asks the threads to stop; see Coordinator.request_stop."""
        self.coord.request_stop(ex=ex)

    def should_stop(self):
        """Returns whether the threads were asked to stop."""
        return self.coord.should_stop()

    def stop_on_exception(self):
        """Returns a context manager that stops the threads on an exception; see Coordinator.stop_on_exception."""
        return self.coord.stop_on_exception()

    def wait_for_stop(self):
        """Blocks until the threads were asked to stop."""
        self.coord.wait_for_stop()

    def summary_computed(self, sess, summary, global_step=None):
        """Writes a summary.

        Args:
          sess: the Session, for the value of the global step.
          summary: a Summary message or its bytes.
          global_step: int, or None for the value of the global step.

        Raises:
          RuntimeError: without a summary writer.
        """
        if not self.summary_writer:
            raise RuntimeError('Writing a summary requires a summary writer.')
        if global_step is None and self.global_step is not None:
            global_step = training_util.global_step(sess, self.global_step)
        self.summary_writer.add_summary(summary, global_step)

    @contextlib.contextmanager
    def managed_session(self, master='', config=None, start_standard_services=True, close_summary_writer=True):
        """Returns a context with a prepared session, which stops the threads and closes the session at its end.

        Args:
          master: str, the target of the session.
          config: a ConfigProto for the session.
          start_standard_services: whether to start the threads of start_standard_services and the queue runners.
          close_summary_writer: whether to close the summary writer at the end.
        """
        sess = None
        try:
            sess = self.prepare_or_wait_for_session(master=master, config=config,
                                                    start_standard_services=start_standard_services)
            yield sess
        except Exception as e:
            self.request_stop(e)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if sess is not None:
                    sess.close()

    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed
