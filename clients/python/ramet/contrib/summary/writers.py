"""Writers of summaries, and functions that write to the default one while operations run eagerly."""

import contextlib
import threading

from ramet.api import export
from ramet.core.framework import summary_pb2
from ramet.core.util import event_pb2
from ramet.framework import ops
from ramet.summary import events_file, summary
from ramet.train import training_util


class _Settings(threading.local):
    """The default writer of a thread, and the function that tells whether it gets summaries."""

    def __init__(self):
        self.writer = None
        self.should_record = None


_settings = _Settings()


class SummaryWriter:
    """Writes summaries to an event file. `create_file_writer` makes one."""

    def __init__(self, logdir, flush_secs, filename_suffix):
        self._events = None if logdir is None else events_file.EventFileWriter(logdir, flush_secs, filename_suffix)

    def set_as_default(self):
        """Makes this the default writer of the thread."""
        _settings.writer = self

    @contextlib.contextmanager
    def as_default(self):
        """Returns a context in which this is the default writer of the thread."""
        before, _settings.writer = _settings.writer, self
        try:
            yield self
            self.flush()
        finally:
            _settings.writer = before

    def flush(self):
        """Writes the summaries so far to the file."""
        if self._events is not None:
            self._events.flush()

    def close(self):
        """Writes the summaries so far to the file and closes it."""
        if self._events is not None:
            self._events.close()

    def _add(self, text, step):
        if self._events is not None:
            self._events.add_event(event_pb2.Event(summary=summary_pb2.Summary.FromString(text), step=step))


@export('contrib.summary.create_file_writer')
def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None):
    """Creates a writer of summaries. The file is created with the first one.

    Args:
      logdir: str, the folder; or None for a writer that drops all summaries.
      max_queue: ignored.
      flush_millis: the number of milliseconds that summaries may stay in memory. Defaults to 2 minutes.
      filename_suffix: the end of the file's name. Defaults to '.v2'.
      name: ignored.

    Returns:
      A SummaryWriter.

    Raises:
      RuntimeError: if operations do not run eagerly.
    """
    if not ops.executing_eagerly():
        raise RuntimeError('tf.contrib.summary needs eager execution in Ramet. Use tf.summary in graphs.')
    return SummaryWriter(logdir, 120 if flush_millis is None else flush_millis / 1000,
                         '.v2' if filename_suffix is None else filename_suffix)


@contextlib.contextmanager
def _recording(should_record):
    before, _settings.should_record = _settings.should_record, should_record
    try:
        yield
    finally:
        _settings.should_record = before


@export('contrib.summary.always_record_summaries')
def always_record_summaries():
    """Returns a context in which all summaries are written."""
    return _recording(lambda: True)


@export('contrib.summary.never_record_summaries')
def never_record_summaries():
    """Returns a context in which no summaries are written, as outside of all these contexts."""
    return _recording(lambda: False)


@export('contrib.summary.record_summaries_every_n_global_steps')
def record_summaries_every_n_global_steps(n, global_step=None):
    """Returns a context in which the summaries of every n-th step are written.

    Args:
      n: an int.
      global_step: the variable of the step, or None for the global step.
    """
    step = training_util.get_or_create_global_step() if global_step is None else global_step
    return _recording(lambda: int(step) % n == 0)


@export('contrib.summary.should_record_summaries')
def should_record_summaries():
    """Returns whether summaries are written here."""
    return bool(_settings.should_record is not None and _settings.should_record())


@export('contrib.summary.flush')
def flush(writer=None, name=None):
    """Writes the summaries so far to the file.

    Args:
      writer: a SummaryWriter, or None for the default one.
      name: ignored.
    """
    writer = writer or _settings.writer
    if writer is not None:
        writer.flush()


@export('contrib.summary.initialize')
def initialize(graph=None, session=None):
    """Does nothing: writers need no initialization while operations run eagerly.

    Args:
      graph: ignored.
      session: ignored.
    """


def _write(make, step):
    """Writes the summary that a function makes to the default writer."""
    if _settings.writer is None or not should_record_summaries():
        return
    if step is None:
        step = training_util.get_or_create_global_step()
    _settings.writer._add(make().numpy(), int(step))


@export('contrib.summary.scalar')
def scalar(name, tensor, family=None, step=None):
    """Writes a number.

    Args:
      name: str, the name of the number. The name with its name scopes is its tag.
      tensor: a real scalar.
      family: str, a prefix of the tag.
      step: an int, or a scalar Tensor or variable. Defaults to the global step.
    """
    _write(lambda: summary.scalar(name, tensor, family=family), step)


@export('contrib.summary.histogram')
def histogram(name, tensor, family=None, step=None):
    """Writes the distribution of numbers.

    Args:
      name: as for `scalar`.
      tensor: finite real numbers of any shape.
      family: as for `scalar`.
      step: as for `scalar`.
    """
    _write(lambda: summary.histogram(name, tensor, family=family), step)


@export('contrib.summary.image')
def image(name, tensor, bad_color=None, max_images=3, family=None, step=None):
    """Writes images.

    Args:
      name: as for `scalar`.
      tensor: [batch, height, width, channels]; see tf.summary.image.
      bad_color: ignored.
      max_images: the maximum number of images.
      family: as for `scalar`.
      step: as for `scalar`.
    """
    _write(lambda: summary.image(name, tensor, max_outputs=max_images, family=family), step)


@export('contrib.summary.audio')
def audio(name, tensor, sample_rate, max_outputs, family=None, step=None):
    """Writes sounds.

    Args:
      name: as for `scalar`.
      tensor: [batch, frames, channels]; see tf.summary.audio.
      sample_rate: the number of frames per second.
      max_outputs: the maximum number of sounds.
      family: as for `scalar`.
      step: as for `scalar`.
    """
    _write(lambda: summary.audio(name, tensor, sample_rate, max_outputs=max_outputs, family=family), step)
