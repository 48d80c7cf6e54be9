"""QueueRunner, whose threads fill a queue."""

import threading
import weakref

from ramet.api import export
from ramet.client import base_session
from ramet.core.protobuf import queue_runner_pb2
from ramet.framework import errors, graph_only, ops
from ramet.lib import tf_logging as logging


@export('train.QueueRunner', 'train.queue_runner.QueueRunner')
class QueueRunner:
    """Fills a queue: each of its threads runs an enqueue operation until the inputs or the session end.

    When the last operation has ended with one of `queue_closed_exception_types`, the queue is closed. When a Coordinator
    stops, pending enqueues are cancelled.

    Args:
      queue: a queue.
      enqueue_ops: a list of operations, one for each thread.
      close_op: an operation that closes the queue, or None to add one.
      cancel_op: an operation that closes the queue and cancels pending enqueues, or None to add one.
      queue_closed_exception_types: a tuple of types of tf.errors, or None for (OutOfRangeError,).
      queue_runner_def: a QueueRunnerDef that replaces the other arguments.
      import_scope: str, the name scope that the operations of `queue_runner_def` were imported into.

    Raises:
      ValueError: if neither a queue with operations nor a QueueRunnerDef is given, or both are.
      TypeError: if queue_closed_exception_types is not a tuple of types of tf.errors.
    """

    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None,
                 queue_closed_exception_types=None, queue_runner_def=None, import_scope=None):
        if ops.executing_eagerly():
            raise RuntimeError('QueueRunners are not supported when eager execution is enabled. Instead, please '
                               'use tf.data to get data into your model.')
        if queue_runner_def:
            if queue or enqueue_ops:
                raise ValueError('queue_runner_def and queue are mutually exclusive.')
            self._init_from_proto(queue_runner_def, import_scope)
        else:
            self._init_from_args(queue, enqueue_ops, close_op, cancel_op,
                                 queue_closed_exception_types)
        self._lock = threading.Lock()
        self._runs_per_session = weakref.WeakKeyDictionary()
        self._exceptions_raised = []

    def _init_from_args(self, queue, enqueue_ops, close_op, cancel_op, exception_types):
        if not queue or not enqueue_ops:
            raise ValueError('Must provide queue and enqueue_ops.')
        if exception_types is not None and not (
                isinstance(exception_types, tuple) and exception_types
                and all(issubclass(t, errors.OpError) for t in exception_types)):
            raise TypeError('queue_closed_exception_types, when provided, must be a tuple of '
                            f'tf.error types, but saw: {exception_types}')
        self._queue = queue
        self._enqueue_ops = enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = (queue.close(cancel_pending_enqueues=True) if cancel_op is None
                           else cancel_op)
        self._queue_closed_exception_types = exception_types or (errors.OutOfRangeError,)

    def _init_from_proto(self, queue_runner_def, import_scope):
        graph = ops.get_default_graph()

        def element(name):
            return graph.as_graph_element(ops.prepend_name_scope(name, import_scope))

        self._queue = element(queue_runner_def.queue_name)
        self._enqueue_ops = [element(name) for name in queue_runner_def.enqueue_op_name]
        self._close_op = element(queue_runner_def.close_op_name)
        self._cancel_op = element(queue_runner_def.cancel_op_name)
        self._queue_closed_exception_types = tuple(
            errors.exception_type_from_error_code(code)
            for code in queue_runner_def.queue_closed_exception_types) or (errors.OutOfRangeError,)

    @property
    def queue(self):
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self):
        """The operations that fill it."""
        return self._enqueue_ops

    @property
    def close_op(self):
        """The operation that closes it."""
        return self._close_op

    @property
    def cancel_op(self):
        """The operation that closes it and cancels pending enqueues."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self):
        """The types of errors that mean the end of the inputs."""
        return self._queue_closed_exception_types

    @property
    def exceptions_raised(self):
        """The errors of threads without a Coordinator."""
        return self._exceptions_raised

    @property
    def name(self):
        """The name of the queue."""
        return self._queue.name

    def _run(self, sess, enqueue_op, coord=None):
        ended = False
        try:
            enqueue = self._runner(sess, enqueue_op)
            while not (coord and coord.should_stop()):
                try:
                    enqueue()
                except self._queue_closed_exception_types:
                    ended = True
                    self._end_of_inputs(sess)
                    return
        except Exception as error:
            if coord:
                coord.request_stop(error)
            else:
                logging.error('Exception in QueueRunner: %s', str(error))
                with self._lock:
                    self._exceptions_raised.append(error)
                raise
        finally:
            if not ended:
                with self._lock:
                    self._runs_per_session[sess] -= 1

    def _runner(self, sess, enqueue_op):
        """Returns the function that runs an enqueue operation once."""
        return sess.make_callable(enqueue_op)

    def _end_of_inputs(self, sess):
        with self._lock:
            self._runs_per_session[sess] -= 1
            if self._runs_per_session[sess] == 0:
                self._run_quietly(sess, self._close_op)

    @staticmethod
    def _run_quietly(sess, op):
        try:
            sess.run(op)
        except Exception as error:
            logging.vlog(1, 'Ignored exception: %s', str(error))

    def _close_on_stop(self, sess, cancel_op, coord):
        coord.wait_for_stop()
        self._run_quietly(sess, cancel_op)

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        """Creates the threads for a session, unless those created before are still running.

        Args:
          sess: a Session.
          coord: a Coordinator, or None. With one, there is another thread that closes the queue when it stops.
          daemon: whether the process may end while the threads run.
          start: whether to start the threads.

        Returns:
          A list of threads.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        threads = [
            threading.Thread(target=self._run, args=(sess, op, coord),
                             name=f'QueueRunnerThread-{self.name}-{op.name}')
            for op in self._enqueue_ops]
        if coord:
            threads.append(threading.Thread(
                target=self._close_on_stop, args=(sess, self._cancel_op, coord),
                name=f'QueueRunnerThread-{self.name}-close_on_stop'))
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    def to_proto(self, export_scope=None):
        """Returns the QueueRunnerDef, or None if the queue is not in the scope.

        Args:
          export_scope: str, the name scope to remove from the names.
        """
        if export_scope is not None and not self.queue.name.startswith(export_scope):
            return None

        def stripped(item):
            return ops.strip_name_scope(item.name, export_scope)

        return queue_runner_pb2.QueueRunnerDef(
            queue_name=stripped(self.queue),
            enqueue_op_name=[stripped(op) for op in self.enqueue_ops],
            close_op_name=stripped(self.close_op), cancel_op_name=stripped(self.cancel_op),
            queue_closed_exception_types=[
                errors.error_code_from_exception_type(t)
                for t in self._queue_closed_exception_types])

    @staticmethod
    def from_proto(queue_runner_def, import_scope=None):
        """Returns the QueueRunner of a QueueRunnerDef.

        Args:
          queue_runner_def: a QueueRunnerDef.
          import_scope: str, the name scope that its operations were imported into.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


@export('train.queue_runner.add_queue_runner', 'train.add_queue_runner')
def add_queue_runner(qr, collection=ops.GraphKeys.QUEUE_RUNNERS):
    """Adds a QueueRunner to a collection of the graph.

    Args:
      qr: a QueueRunner.
      collection: str, the collection.
    """
    ops.add_to_collection(collection, qr)


@export('train.queue_runner.start_queue_runners', 'train.start_queue_runners')
@graph_only.needs_graph('Queues are not compatible with eager execution.')
def start_queue_runners(sess=None, coord=None, daemon=True, start=True,
                        collection=ops.GraphKeys.QUEUE_RUNNERS):
    """Creates and starts the threads of all QueueRunners of a collection.

    Args:
      sess: a Session, or None for the default session.
      coord: a Coordinator that stops the threads, or None.
      daemon: whether the process may end while the threads run.
      start: whether to start the threads.
      collection: str, the collection.

    Returns:
      A list of threads.

    Raises:
      ValueError: if `sess` is None and no session is the default.
      TypeError: if `sess` is not a Session.
    """
    if sess is None:
        sess = ops.get_default_session()
        if not sess:
            raise ValueError('Cannot start queue runners: No default session is registered. Use '
                             '`with sess.as_default()` or pass an explicit session to '
                             'tf.start_queue_runners(sess=sess)')
    if not isinstance(sess, base_session.BaseSession):
        if type(sess).__name__ in ('MonitoredSession', 'SingularMonitoredSession'):
            return []
        raise TypeError(f'sess must be a `tf.Session` object. Given class: {type(sess)}')
    runners = ops.get_collection(collection)
    if not runners:
        logging.warning('`tf.train.start_queue_runners()` was called when no queue runners were '
                        'defined. You can safely remove the call to this deprecated function.')
    threads = []
    with sess.graph.as_default():
        for runner in runners:
            threads.extend(runner.create_threads(sess, coord=coord, daemon=daemon, start=start))
    return threads


ops.register_proto_function(ops.GraphKeys.QUEUE_RUNNERS,
                            proto_type=queue_runner_pb2.QueueRunnerDef,
                            to_proto=QueueRunner.to_proto, from_proto=QueueRunner.from_proto)
