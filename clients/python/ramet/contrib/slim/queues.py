"""tf.contrib.slim.queues: a context in which the threads of queues run."""

import contextlib
import threading

from ramet.api import export
from ramet.train import coordinator as coordinator_lib, queue_runner


@export('contrib.slim.queues.NestedQueueRunnerError')
class NestedQueueRunnerError(Exception):
    """QueueRunners was used inside QueueRunners."""


_lock = threading.Lock()


@export('contrib.slim.queues.QueueRunners')
@contextlib.contextmanager
def QueueRunners(session):
    """Runs the threads of the collection of queue runners inside the context, and stops them at its end.

    Args:
      session: a Session.

    Yields:
      Nothing.

    Raises:
      NestedQueueRunnerError: if the context is already open.
    """
    if not _lock.acquire(blocking=False):
        raise NestedQueueRunnerError('QueueRunners cannot be nested')
    try:
        coordinator = coordinator_lib.Coordinator()
        threads = queue_runner.start_queue_runners(session, coord=coordinator)
        yield
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=120)
    finally:
        _lock.release()
