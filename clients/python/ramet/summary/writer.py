"""tf.summary.FileWriter."""

import logging
import threading
import time

from ramet.api import export
from ramet.core.framework import summary_pb2
from ramet.core.util import event_pb2
from ramet.framework import compat, meta_graph, ops
from ramet.summary import events_file


def _graph_def_bytes(graph, graph_def):
    """Returns the serialized GraphDef of a Graph, or of the deprecated argument graph_def."""
    if graph is not None and hasattr(graph, 'as_graph_def'):
        return graph.as_graph_def(add_shapes=True).SerializeToString()
    for message in (graph_def, graph):
        if message is not None and hasattr(message, 'SerializeToString'):
            logging.getLogger('tensorflow').warning(
                'Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object '
                'instead, such as `sess.graph`.')
            return message.SerializeToString()
    raise TypeError('The passed graph must be an instance of `Graph` or the deprecated `GraphDef`')


@export('summary.FileWriter')
class FileWriter:
    """Writes summaries, graphs and other events to an event file for TensorBoard.

    Thread-safe. Used as a context manager, it closes on exit.
    """

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None,
                 filename_suffix=None, session=None):
        """Creates the writer, and the folder if it does not exist.

        Args:
          logdir: str or os.PathLike, the folder of the event file.
          graph: a Graph to write, as with add_graph, or None.
          max_queue: ignored: events go to the file when they are added.
          flush_secs: the number of seconds that events may stay in memory.
          graph_def: a deprecated way to pass a graph.
          filename_suffix: str, the end of the file's name.
          session: not supported.

        Raises:
          RuntimeError: if session is given.
          TypeError: if graph is not a Graph.
        """
        if ops.executing_eagerly():
            raise RuntimeError('v1.summary.FileWriter is not compatible with eager execution. Use '
                               '`tf.summary.create_file_writer`,or a `with v1.Graph().as_default():` context')
        if session is not None:
            raise RuntimeError('FileWriter takes no session: Ramet has no summary writer resources')
        self._events = events_file.EventFileWriter(logdir, flush_secs, filename_suffix)
        self._run_metadata_tags = set()
        self._described_tags = set()
        self._warned = False
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            self._add_meta_graph_of(graph)

    def _add_meta_graph_of(self, graph):
        if isinstance(graph, ops.Graph):
            self.add_meta_graph(meta_graph.export_scoped_meta_graph(graph=graph)[0])

    def __enter__(self):
        return self

    def __exit__(self, *unused_exception):
        self.close()

    @property
    def event_writer(self):
        """The EventFileWriter that this writer uses."""
        return self._events

    def get_logdir(self):
        """Returns the folder of the event file."""
        return self._events.get_logdir()

    def _warn_if_closed(self):
        if self._events.closed and not self._warned:
            self._warned = True
            logging.getLogger('tensorflow').warning(
                'Attempting to use a closed FileWriter. The operation will be a noop unless the '
                'FileWriter is explicitly reopened.')

    def add_event(self, event):
        """Writes an Event message unchanged.

        Args:
          event: an Event message.
        """
        self._warn_if_closed()
        self._events.add_event(event)

    def _add(self, step, **fields):
        event = events_file._event(wall_time=time.time(), **fields)
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    def add_summary(self, summary, global_step=None):
        """Writes a summary.

        Args:
          summary: a Summary message, or a serialized one, as session.run of a summary op returns it.
          global_step: a number, the training step.
        """
        data = summary if isinstance(summary, bytes) else summary.SerializeToString()
        summary = summary_pb2.Summary.FromString(data)
        for value in summary.value:
            if not value.HasField('metadata'):
                continue
            if value.tag in self._described_tags:
                value.ClearField('metadata')
            else:
                self._described_tags.add(value.tag)
        self._add(global_step, summary=summary)

    def add_session_log(self, session_log, global_step=None):
        """Writes a SessionLog message.

        Args:
          session_log: a SessionLog.
          global_step: a number, the training step.
        """
        copied = event_pb2.SessionLog.FromString(session_log.SerializeToString())
        self._add(global_step, session_log=copied)

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Writes a graph, with the static shapes of its tensors.

        Args:
          graph: a Graph.
          global_step: a number, the training step.
          graph_def: a deprecated way to pass a graph.

        Raises:
          ValueError: if both graph and graph_def are given.
          TypeError: if graph is not a Graph.
        """
        if graph is not None and graph_def is not None:
            raise ValueError(
                'Please pass only graph, or graph_def (deprecated), but not both.')
        self._add(global_step, graph_def=_graph_def_bytes(graph, graph_def))

    def add_meta_graph(self, meta_graph_def, global_step=None):
        """Writes a MetaGraphDef.

        Args:
          meta_graph_def: a MetaGraphDef.
          global_step: a number, the training step.

        Raises:
          TypeError: if meta_graph_def is not a MetaGraphDef.
        """
        if getattr(getattr(meta_graph_def, 'DESCRIPTOR', None), 'name', None) != 'MetaGraphDef':
            raise TypeError('meta_graph_def must be type MetaGraphDef, saw type: '
                            f'{type(meta_graph_def)}')
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """Writes the metadata of a run under a tag.

        Args:
          run_metadata: a RunMetadata.
          tag: str, a tag that has not been used before.
          global_step: a number, the training step.

        Raises:
          ValueError: if the tag was already used.
        """
        if tag in self._run_metadata_tags:
            raise ValueError('The provided tag was already used for this event type')
        self._run_metadata_tags.add(tag)
        tagged = event_pb2.TaggedRunMetadata(
            tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(global_step, tagged_run_metadata=tagged)

    def flush(self):
        """Passes all events to the operating system."""
        self._warn_if_closed()
        self._events.flush()

    def close(self):
        """Writes the remaining events and closes the file. May be called twice."""
        self._events.close()

    def reopen(self):
        """Reopens a closed writer, with a new file."""
        self._warned = False
        self._events.reopen()


@export('summary.FileWriterCache')
class FileWriterCache:
    """A cache with one FileWriter per folder."""

    _lock = threading.Lock()
    _writers = {}

    @staticmethod
    def get(logdir):
        """Returns the writer for a folder, and creates it at the first call.

        Args:
          logdir: str, the folder.
        """
        logdir = compat.path_to_str(logdir)
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._writers:
                FileWriterCache._writers[logdir] = FileWriter(
                    logdir, graph=ops.get_default_graph())
            return FileWriterCache._writers[logdir]

    @staticmethod
    def clear():
        """Closes all writers and forgets them."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer.close()
            FileWriterCache._writers.clear()
