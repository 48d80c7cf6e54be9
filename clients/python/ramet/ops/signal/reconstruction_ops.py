"""Adds overlapping frames to a signal."""

from ramet.api import export
from ramet.framework import dtypes, ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops


def _maybe_constant(tensor):
    value = tensor_util.constant_value(tensor)
    return tensor if value is None else value[()]


@export('signal.overlap_and_add')
def overlap_and_add(signal, frame_step, name=None):
    """Adds frames, each of which starts frame_step samples after the one before it.

    Args:
      signal: a tensor [..., frames, frame_length].
      frame_step: an integer scalar, at most frame_length.
      name: the name of the scope.

    Returns:
      A tensor [..., samples] with samples = (frames - 1) * frame_step + frame_length.

    Raises:
      ValueError: if the rank of signal is below 2, or frame_step is not an integer scalar.
    """
    with ops.name_scope(name, 'overlap_and_add', [signal, frame_step]):
        signal = ops.convert_to_tensor(signal, name='signal')
        signal.shape.with_rank_at_least(2)
        frame_step = ops.convert_to_tensor(frame_step, name='frame_step')
        frame_step.shape.assert_has_rank(0)
        if not frame_step.dtype.is_integer:
            raise ValueError(f'frame_step must be an integer. Got {frame_step.dtype}')
        frame_step = _maybe_constant(frame_step)
        sizes = _maybe_constant(array_ops.shape(signal))
        outer = sizes[:-2]
        rank = _maybe_constant(array_ops.size(outer))
        frame_length, frames = sizes[-1], sizes[-2]
        length = frame_length + frame_step * (frames - 1)
        known = not isinstance(frame_step, ops.Tensor) and signal.shape.dims is not None
        if known and frame_step == signal.shape.dims[-1].value:
            return array_ops.reshape(signal, array_ops.concat([outer, [length]], 0), name='fast_path')
        return _added(signal, frame_step, outer, rank, frames, frame_length)[..., :length]


def _padded(signal, rank, segments, frame_step, frame_length):
    """Appends `segments` empty frames, and to each frame what it lacks to `segments` steps."""
    paddings = [[0, segments], [0, segments * frame_step - frame_length]]
    outer = array_ops.zeros([rank, 2], dtypes.int32)
    return array_ops.pad(signal, array_ops.concat([outer, paddings], 0))


def _added(signal, frame_step, outer, rank, frames, frame_length):
    """Adds the frames. The result may have zeros after the samples.

    Each frame is cut into segments of one step. Segment i of all frames, shifted by i steps, is a row of a matrix
    whose columns are added. Dropping one segment from the rows laid end to end shifts them.
    """
    segments = -(-frame_length // frame_step)

    def reshaped(tensor, inner):
        return array_ops.reshape(tensor, array_ops.concat([outer, inner], 0))

    padded = _padded(signal, rank, segments, frame_step, frame_length)
    cut = reshaped(padded, [frames + segments, segments, frame_step])
    order = _maybe_constant(array_ops.concat([math_ops.range(rank), rank + [1, 0, 2]], 0))
    rows = reshaped(array_ops.transpose(cut, order), [(frames + segments) * segments, frame_step])
    shifted = rows[..., :(frames + segments - 1) * segments, :]
    columns = reshaped(shifted, [segments, frames + segments - 1, frame_step])
    return reshaped(math_ops.reduce_sum(columns, -3), [(frames + segments - 1) * frame_step])
