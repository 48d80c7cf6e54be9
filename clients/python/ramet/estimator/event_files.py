"""Writes the results of an evaluation into an event file."""

import numpy as np

from ramet.core.framework import summary_pb2, tensor_pb2
from ramet.framework import dtypes, tensor_util
from ramet.lib import tf_logging as logging
from ramet.summary.writer import FileWriterCache


def write_metrics(output_dir, metrics, step):
    """Writes metrics as a summary.

    Args:
      output_dir: str, the folder.
      metrics: a dict from names to values.
      step: int, the global step.
    """
    text = ', '.join(f'{name} = {value}' for name, value in sorted(metrics.items())
                     if not isinstance(value, bytes))
    logging.info('Saving dict for global step %d: %s', step, text)
    summary = summary_pb2.Summary()
    for name, value in metrics.items():
        if value is not None and name != 'global_step':
            _add(summary, name, value)
    _write(output_dir, summary, step)


def write_checkpoint_path(output_dir, checkpoint_path, step):
    """Writes the path of the evaluated checkpoint as a summary.

    Args:
      output_dir: str, the folder.
      checkpoint_path: str.
      step: int, the global step.
    """
    name = 'checkpoint_path'
    logging.info("Saving '%s' summary for global step %d: %s", name, step, checkpoint_path)
    summary = summary_pb2.Summary()
    summary.value.add(tag=name, tensor=_message(np.array(checkpoint_path, dtype=object), dtypes.string))
    _write(output_dir, summary, step)


def _message(value, dtype):
    proto = tensor_util.make_tensor_proto(value, dtype)
    return tensor_pb2.TensorProto.FromString(proto.SerializeToString())


def _add(summary, name, value):
    if isinstance(value, (float, np.floating)):
        summary.value.add(tag=name, simple_value=float(value))
    elif isinstance(value, (int, np.integer, np.bool_)):
        summary.value.add(tag=name, simple_value=int(value))
    elif isinstance(value, bytes):
        _add_serialized(summary, name, value)
    elif isinstance(value, np.ndarray):
        if value.dtype == object or value.dtype.kind in 'SU':
            summary.value.add(tag=name, tensor=_message(value, dtypes.string))
        else:
            summary.value.add(tag=name, tensor=_message(value, dtypes.as_dtype(value.dtype)))
    else:
        logging.warning('Skipping summary for %s, must be a float, np.float32, np.int64, np.int32 or int or np.ndarray '
                        'or a serialized string of Summary.', name)


def _add_serialized(summary, name, value):
    try:
        parsed = summary_pb2.Summary.FromString(value)
    except Exception:  # the parser's errors depend on the implementation of protobuf
        logging.warning('Skipping summary for %s, cannot parse string to Summary.', name)
        return
    for i, item in enumerate(parsed.value):
        item.tag = f'{name}/{i}'
    summary.value.extend(parsed.value)


def _write(output_dir, summary, step):
    writer = FileWriterCache.get(output_dir)
    writer.add_summary(summary, step)
    writer.flush()
