"""TensorFlow's event files: record files of Event messages."""

import os
import socket
import threading
import time

from ramet.api import export
from ramet.core.util import event_pb2
from ramet.framework import compat
from ramet.lib import tf_record

_VERSION = 'brain.Event:2'


def _event(**fields):
    return event_pb2.Event(**fields)


def _free_path(directory, suffix):
    """Returns an unused path in TensorFlow's format, also for two writers in the same second."""
    stem = os.path.join(
        directory, f'events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}')
    path, number = stem + suffix, 0
    while os.path.exists(path):
        number += 1
        path = f'{stem}.{number}{suffix}'
    return path


class EventFileWriter:
    """Writes Event messages to a new event file in a folder. Any thread may add events.

    The file is created with the first event. It starts with an event that contains the version.
    """

    def __init__(self, logdir, flush_secs=120, filename_suffix=None):
        """Creates the folder if it does not exist.

        Args:
          logdir: str or os.PathLike.
          flush_secs: the number of seconds between flushes. The first event after this time flushes all
            events to the file.
          filename_suffix: str, the end of the file's name.
        """
        self._logdir = compat.path_to_str(logdir)
        self._flush_secs = flush_secs
        self._suffix = filename_suffix or ''
        self._lock = threading.Lock()
        self._records = None
        self._flushed = 0.0
        self._closed = False
        os.makedirs(self._logdir, exist_ok=True)

    def get_logdir(self):
        """Returns the folder."""
        return self._logdir

    @property
    def closed(self):
        """True if the writer is closed."""
        return self._closed

    def _open(self):
        self._records = tf_record.TFRecordWriter(_free_path(self._logdir, self._suffix))
        self._records.write(
            _event(wall_time=time.time(), file_version=_VERSION).SerializeToString())
        self._flushed = time.time()

    def add_event(self, event):
        """Appends an Event. Does nothing if the writer is closed."""
        with self._lock:
            if self._closed:
                return
            if self._records is None:
                self._open()
            self._records.write(event.SerializeToString())
            if time.time() - self._flushed >= self._flush_secs:
                self._flush()

    def _flush(self):
        if self._records is not None:
            self._records.flush()
            self._flushed = time.time()

    def flush(self):
        """Passes all events to the operating system."""
        with self._lock:
            self._flush()

    def close(self):
        """Writes the remaining events and closes the file. May be called twice."""
        with self._lock:
            self._closed = True
            records, self._records = self._records, None
        if records is not None:
            records.close()

    def reopen(self):
        """Reopens a closed writer, with a new file."""
        with self._lock:
            self._closed = False


@export('train.summary_iterator')
def summary_iterator(path):
    """Yields the Event messages of an event file.

    Args:
      path: str, the file.

    Raises:
      DataLossError: if the file is corrupt.
      NotFoundError: if the file does not exist.
    """
    for record in tf_record.tf_record_iterator(path):
        yield event_pb2.Event.FromString(record)
