"""Writers of event files that belong to the graph."""

import contextlib
import os

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, ops

_INITIALIZERS = '_SUMMARY_WRITER_INIT_V2'
_default_flush_millis = 2 * 60 * 1000


class _State:
    """The default writer, and the condition under which summaries are written."""

    def __init__(self):
        self.writer = None
        self.condition = False


def _state():
    """Returns the _State of the default graph."""
    graph = ops.get_default_graph()
    while hasattr(graph, 'outer_graph'):
        graph = graph.outer_graph
    if not hasattr(graph, '_summary_writer_state'):
        graph._summary_writer_state = _State()
    return graph._summary_writer_state


class SummaryWriter:
    """A writer of an event file. Summaries go to the default writer."""

    def __init__(self, resource, initializer):
        """Creates the object. Programs call create_file_writer instead.

        Args:
          resource: the handle of the writer, or None for a writer that writes nothing.
          initializer: the Operation that opens the file.
        """
        self._resource = resource
        self._initializer = initializer

    def set_as_default(self):
        """Makes this the default writer of the graph."""
        _state().writer = self

    @contextlib.contextmanager
    def as_default(self):
        """Makes this the default writer inside a `with` block."""
        state = _state()
        before, state.writer = state.writer, self
        try:
            yield self
            self.flush()
        finally:
            state.writer = before

    def init(self):
        """Returns the Operation that opens the file."""
        return gen.NoOp() if self._initializer is None else self._initializer

    def flush(self):
        """Returns an Operation that writes all events to the file."""
        return flush(self)

    def close(self):
        """Returns an Operation that writes all events and closes the file."""
        return gen.NoOp() if self._resource is None else gen.CloseSummaryWriter(self._resource)


@export('contrib.summary.create_file_writer', 'contrib.summary.create_summary_file_writer')
def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None):
    """Returns a writer of an event file in a folder.

    tf.contrib.summary.initialize or summary_writer_initializer_op opens the file.

    Args:
      logdir: str, the folder, or None for a writer that writes nothing.
      max_queue: how many events are kept before they are written; 10 by default.
      flush_millis: the milliseconds after which events are written; 120000 by default.
      filename_suffix: the end of the file's name; ".v2" by default.
      name: the name that writers of a session share; by default that of the folder.

    Returns:
      A SummaryWriter.
    """
    if logdir is None:
        return SummaryWriter(None, None)
    logdir = os.fspath(logdir) if isinstance(logdir, os.PathLike) else logdir
    with ops.device('cpu:0'):
        max_queue = constant_op.constant(10) if max_queue is None else max_queue
        flush_millis = constant_op.constant(_default_flush_millis) if flush_millis is None else flush_millis
        filename_suffix = constant_op.constant('.v2') if filename_suffix is None else filename_suffix
        resource = gen.SummaryWriter(shared_name=f'logdir:{logdir}' if name is None else name)
        initializer = gen.CreateSummaryFileWriter(resource, logdir, max_queue, flush_millis, filename_suffix)
    if not ops.executing_eagerly():
        ops.add_to_collection(_INITIALIZERS, initializer)
    return SummaryWriter(resource, initializer)


def default_writer():
    """Returns the default writer, or None if it writes nothing or is not set."""
    writer = _state().writer
    return None if writer is None or writer._resource is None else writer


@export('contrib.summary.summary_writer_initializer_op')
def summary_writer_initializer_op():
    """Returns the Operations that open the files of all writers of the graph, a list.

    Raises:
      RuntimeError: while operations run eagerly, when a new writer opens its file.
    """
    if ops.executing_eagerly():
        raise RuntimeError('tf.contrib.summary.summary_writer_initializer_op is only supported in graph mode.')
    return ops.get_collection(_INITIALIZERS)


@export('contrib.summary.flush')
def flush(writer=None, name=None):
    """Returns an Operation that writes all events to the file.

    Args:
      writer: a SummaryWriter, or None for the default one.
      name: the name of the operation.
    """
    writer = default_writer() if writer is None else writer
    if writer is None or writer._resource is None:
        return gen.NoOp()
    with ops.device('cpu:0'):
        return gen.FlushSummaryWriter(writer._resource, name=name)


@contextlib.contextmanager
def _recording(condition):
    state = _state()
    before, state.condition = state.condition, condition
    try:
        yield
    finally:
        state.condition = before


@export('contrib.summary.always_record_summaries')
def always_record_summaries():
    """Returns a context manager in which new summaries are always written."""
    return _recording(True)


@export('contrib.summary.never_record_summaries')
def never_record_summaries():
    """Returns a context manager in which new summaries are never written."""
    return _recording(False)


@export('contrib.summary.should_record_summaries')
def should_record_summaries():
    """Returns whether new summaries are written: a bool, or a bool Tensor."""
    condition = _state().condition
    return condition() if callable(condition) else condition


def record_if(condition):
    """Returns a context manager in which new summaries are written under a condition.

    Args:
      condition: a function that returns a bool Tensor.
    """
    return _recording(condition)
