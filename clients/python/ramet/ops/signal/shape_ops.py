"""Splits signals into frames."""

import math

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow.while_loop import while_loop
from ramet.ops.math import math_ops


def _common_divisor(a, b):
    """Returns the greatest common divisor of two integer scalars."""
    with ops.name_scope(None, 'gcd', [a, b]):
        for name, tensor in (('a', a), ('b', b)):
            if not tensor.dtype.is_integer:
                raise ValueError(f'{name} must be an integer type. Got: {tensor.dtype}')
        known = tensor_util.constant_value(a), tensor_util.constant_value(b)
        if None not in known:
            return ops.convert_to_tensor(math.gcd(int(known[0]), int(known[1])), a.dtype)
        return while_loop(lambda _, b: gen.Greater(b, array_ops.zeros_like(b)),
                          lambda a, b: [b, a % b], [a, b], back_prop=False)[0]


def _known_frames(size, length, step, pad_end):
    """Returns the number of frames of a signal, or None if a size is not known."""
    if size is None or step is None:
        return None
    if pad_end:
        return max(0, -(-size // step))
    return None if length is None else max(0, (size - length + step) // step)


def _known_shape(signal, frame_length, frame_step, pad_end, axis):
    """Returns the shape of the frames as far as it is known, or None."""
    if signal.shape.ndims is None:
        return None
    axis = tensor_util.constant_value(axis)
    if axis is None:
        return [None] * (signal.shape.ndims + 1)
    length, step = tensor_util.constant_value(frame_length), tensor_util.constant_value(frame_step)
    sizes = signal.shape.as_list()
    frames = _known_frames(sizes[axis], length, step, pad_end)
    return [*sizes[:axis], frames, length, *sizes[axis:][1:]]


def _maybe_constant(tensor):
    value = tensor_util.constant_value(tensor)
    return tensor if value is None else value


def _split_shape(signal, shape, axis):
    """Returns the axis, and the sizes before, at and after it."""
    if not isinstance(shape, ops.Tensor) and not isinstance(axis, ops.Tensor):
        axis = range(len(shape))[axis]
        before, size, after = np.split(shape, [axis, axis + 1])
        return axis, before, size.item(), after
    rank = array_ops.rank(signal)
    axis = math_ops.range(rank)[axis]
    before, size, after = array_ops.split(shape, [axis, 1, rank - 1 - axis])
    return axis, before, array_ops.reshape(size, []), after


def _with_end(signal, size, frame_length, frame_step, pad_value, dims_before, dims_after):
    """Appends to the signal what the last frame lacks. Returns it and the number of frames."""
    pad_value = ops.convert_to_tensor(pad_value, signal.dtype)
    pad_value.shape.assert_has_rank(0)
    frames = -(-size // frame_step)
    missing = gen.Maximum(0, frame_length + frame_step * (frames - 1) - size)
    paddings = array_ops.concat([
        array_ops.zeros([dims_before, 2], dtype=missing.dtype), ops.convert_to_tensor([[0, missing]]),
        array_ops.zeros([dims_after, 2], dtype=missing.dtype)], 0)
    return array_ops.pad(signal, paddings, constant_values=pad_value), frames


def _selector(frames, hop, width, dtype):
    """Returns the numbers of the parts of each frame, [frames, width]."""
    first = array_ops.reshape(math_ops.range(frames, dtype=dtype) * hop, [frames, 1])
    return first + array_ops.reshape(math_ops.range(width, dtype=dtype), [1, width])


@export('signal.frame')
def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Splits a dimension of a signal into overlapping frames.

    Args:
      signal: a tensor of rank at least 1.
      frame_length: an integer scalar, the number of samples per frame.
      frame_step: an integer scalar, the distance between the starts of frames.
      pad_end: whether to append `pad_value` so that every frame that starts within the signal is complete.
      pad_value: a scalar.
      axis: an integer scalar, the dimension.
      name: the name of the scope.

    Returns:
      A tensor [..., frames, frame_length, ...], where the two dimensions replace `axis`.

    Raises:
      ValueError: if frame_length, frame_step, pad_value or axis is not a scalar, or the signal is one.
    """
    with ops.name_scope(name, 'frame', [signal, frame_length, frame_step, pad_value]):
        signal = ops.convert_to_tensor(signal, name='signal')
        frame_length = ops.convert_to_tensor(frame_length, name='frame_length')
        frame_step = ops.convert_to_tensor(frame_step, name='frame_step')
        axis = ops.convert_to_tensor(axis, name='axis')
        signal.shape.with_rank_at_least(1)
        for scalar in (frame_length, frame_step, axis):
            scalar.shape.assert_has_rank(0)
        known_shape = _known_shape(signal, frame_length, frame_step, pad_end, axis)
        frames = _framed(signal, frame_length, frame_step, pad_end, pad_value, _maybe_constant(axis))
        if known_shape:
            frames.set_shape(known_shape)
        return frames


def _framed(signal, frame_length, frame_step, pad_end, pad_value, axis):
    shape = _maybe_constant(array_ops.shape(signal))
    axis, before, size, after = _split_shape(signal, shape, axis)
    dims_before, dims_after = array_ops.size(before), array_ops.size(after)
    if pad_end:
        signal, count = _with_end(signal, size, frame_length, frame_step, pad_value, dims_before, dims_after)
        shape = array_ops.shape(signal)
        size = shape[axis]
    else:
        count = gen.Maximum(constant_op.constant(0, dtype=frame_length.dtype),
                            1 + (size - frame_length) // frame_step)
    # Frames consist of parts as long as the greatest common divisor, so that one gather copies long runs.
    part = _maybe_constant(_common_divisor(frame_length, frame_step))
    width, hop = frame_length // part, frame_step // part
    parts = size // part
    cropped = array_ops.concat([before, [parts * part], after], 0)
    split = array_ops.concat([before, [parts, part], after], 0)
    pieces = array_ops.reshape(array_ops.strided_slice(signal, array_ops.zeros_like(shape), cropped), split)
    selector = _selector(count, hop, width, frame_length.dtype)
    before = ops.convert_to_tensor(before)
    after = ops.convert_to_tensor(after, dtype=before.dtype)
    middle = ops.convert_to_tensor([count, frame_length], dtype=before.dtype)
    return array_ops.reshape(array_ops.gather(pieces, selector, axis=axis),
                             array_ops.concat([before, middle, after], 0))
