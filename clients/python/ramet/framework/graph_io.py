"""Writes a graph to a file."""

import os
import tempfile

from ramet.api import export
from ramet.framework import ops


@export('io.write_graph', 'train.write_graph')
def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph to a file, which is replaced atomically.

    Args:
      graph_or_graph_def: a Graph, or a message.
      logdir: str, the folder, which is created if it does not exist.
      name: str, the name of the file.
      as_text: whether to write the text format instead of the binary format.

    Returns:
      str, the path.
    """
    message = graph_or_graph_def
    if isinstance(message, ops.Graph):
        message = message.as_graph_def()
    logdir = os.fspath(logdir)
    if logdir and not os.path.isdir(logdir):
        os.makedirs(logdir)
    path = os.path.join(logdir, name)
    _replace(path, _text_of(message) if as_text else message.SerializeToString())
    return path


def _text_of(message):
    from google.protobuf import text_format
    return text_format.MessageToString(message).encode()


def _replace(path, data):
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or '.',
                                         prefix=os.path.basename(path) + '.tmp')
    try:
        with os.fdopen(handle, 'wb') as f:
            f.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
