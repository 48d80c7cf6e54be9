"""Transforms of the frames of signals."""

import math

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.signal import dct_ops, fft_ops, reconstruction_ops, shape_ops, window_ops


def _scalar(value, name):
    tensor = ops.convert_to_tensor(value, name=name)
    tensor.shape.assert_has_rank(0)
    return tensor


def _next_power_of_two(value):
    """Returns the least power of two that is not below an integer scalar."""
    known = tensor_util.constant_value(value)
    if known is not None:
        return constant_op.constant(int(2**np.ceil(np.log(known) / np.log(2.0))), value.dtype)
    exponent = gen.Ceil(gen.Log(math_ops.cast(value, dtypes.float32)) / gen.Log(2.0))
    return math_ops.cast(math_ops.pow(2.0, exponent), value.dtype)


@export('signal.stft')
def stft(signals, frame_length, frame_step, fft_length=None, window_fn=window_ops.hann_window, pad_end=False,
         name=None):
    """Returns the short-time Fourier transform of signals.

    Args:
      signals: a tensor [..., samples] of float32 or float64.
      frame_length: an integer scalar, the number of samples per frame.
      frame_step: an integer scalar, the distance between the starts of frames.
      fft_length: an integer scalar, the length of the transforms. Defaults to the next power of two.
      window_fn: a function of a length and `dtype` that returns the factors of the samples of a frame, or None.
      pad_end: whether to append zeros so that every frame that starts within the signal is complete.
      name: the name of the scope.

    Returns:
      A complex tensor [..., frames, fft_length / 2 + 1].

    Raises:
      ValueError: if signals is a scalar, or frame_length or frame_step is not.
    """
    with ops.name_scope(name, 'stft', [signals, frame_length, frame_step]):
        signals = ops.convert_to_tensor(signals, name='signals')
        signals.shape.with_rank_at_least(1)
        frame_length = _scalar(frame_length, 'frame_length')
        frame_step = _scalar(frame_step, 'frame_step')
        if fft_length is None:
            fft_length = _next_power_of_two(frame_length)
        else:
            fft_length = ops.convert_to_tensor(fft_length, name='fft_length')
        frames = shape_ops.frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=frames.dtype)
        return fft_ops.rfft(frames, [fft_length])


@export('signal.inverse_stft_window_fn')
def inverse_stft_window_fn(frame_step, forward_window_fn=window_ops.hann_window, name=None):
    """Returns a window function with which tf.signal.inverse_stft reconstructs a signal.

    Args:
      frame_step: an integer scalar, the distance between the starts of frames.
      forward_window_fn: the window function given to tf.signal.stft.
      name: the name of the scope.

    Returns:
      A function of a length and a dtype that returns a window.
    """

    def window_fn(frame_length, dtype):
        """Returns the window.

        Args:
          frame_length: an integer scalar, the number of elements.
          dtype: the dtype of the elements.

        Returns:
          A tensor [frame_length].
        """
        with ops.name_scope(name, 'inverse_stft_window_fn', [forward_window_fn]):
            step, length = _scalar(frame_step, 'frame_step'), _scalar(frame_length, 'frame_length')
            window = forward_window_fn(length, dtype=dtype)
            sums = _overlapping_sums(gen.Square(window), length, step)
            return array_ops.where(math_ops.equal(sums, 0.0), array_ops.zeros_like(window), window / sums)

    return window_fn


def _overlapping_sums(squares, length, step):
    """Adds the elements of a frame that meet in the same sample of the signal."""
    overlaps = -(-length // step)
    padded = array_ops.pad(squares, [(0, overlaps * step - length)])
    sums = math_ops.reduce_sum(array_ops.reshape(padded, [overlaps, step]), 0, keepdims=True)
    return array_ops.reshape(gen.Tile(sums, [overlaps, 1]), [overlaps * step])[:length]


def _with_length(frames, frame_length):
    """Crops the frames, or appends zeros."""
    known = tensor_util.constant_value(frame_length)
    size = frames.shape.as_list()[-1] if frames.shape.ndims is not None else None
    if known is None or size is None:
        frames = frames[..., :frame_length]
        outer = array_ops.zeros([array_ops.rank(frames) - 1, 2], dtype=frame_length.dtype)
        missing = gen.Maximum(0, frame_length - array_ops.shape(frames)[-1])
        frames = array_ops.pad(frames, array_ops.concat([outer, [[0, missing]]], 0))
    elif size > known:
        frames = frames[..., :known]
    elif size < known:
        frames = array_ops.pad(frames, [[0, 0]] * (frames.shape.ndims - 1) + [[0, known - size]])
    if known is not None and frames.shape.ndims is not None:
        frames.set_shape([None] * (frames.shape.ndims - 1) + [known])
    return frames


@export('signal.inverse_stft')
def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=window_ops.hann_window, name=None):
    """Returns the signals of short-time Fourier transforms.

    Args:
      stfts: a complex tensor [..., frames, fft_length / 2 + 1], a result of tf.signal.stft.
      frame_length: an integer scalar, the number of samples per frame.
      frame_step: an integer scalar, the distance between the starts of frames.
      fft_length: an integer scalar, the length of the transforms. Defaults to the next power of two.
      window_fn: a function of a length and `dtype` that returns the factors of the samples of a frame, or None. To
        reconstruct a signal exactly, use tf.signal.inverse_stft_window_fn(frame_step, the forward function).
      name: the name of the scope.

    Returns:
      A tensor [..., samples].

    Raises:
      ValueError: if the rank of stfts is below 2, or frame_length, frame_step or fft_length is not a scalar.
    """
    with ops.name_scope(name, 'inverse_stft', [stfts]):
        stfts = ops.convert_to_tensor(stfts, name='stfts')
        stfts.shape.with_rank_at_least(2)
        frame_length = _scalar(frame_length, 'frame_length')
        frame_step = _scalar(frame_step, 'frame_step')
        if fft_length is None:
            fft_length = _next_power_of_two(frame_length)
        else:
            fft_length = _scalar(fft_length, 'fft_length')
        frames = _with_length(fft_ops.irfft(stfts, [fft_length]), frame_length)
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=stfts.dtype.real_dtype)
        return reconstruction_ops.overlap_and_add(frames, frame_step)


@export('signal.mdct')
def mdct(signals, frame_length, window_fn=window_ops.vorbis_window, pad_end=False, norm=None, name=None):
    """Returns the modified discrete cosine transform of signals. Frames overlap by half.

    Args:
      signals: a tensor [..., samples] of float32 or float64.
      frame_length: an integer scalar, the number of samples per frame, a multiple of 4.
      window_fn: a function of a length and `dtype` that returns the factors of the samples of a frame. None divides
        by sqrt(2).
      pad_end: whether to append zeros so that every frame that starts within the signal is complete.
      norm: None, or 'ortho' for an orthonormal transform.
      name: the name of the scope.

    Returns:
      A tensor [..., frames, frame_length / 2].

    Raises:
      ValueError: if signals is a scalar, frame_length is not, or it is not a multiple of 4.
    """
    with ops.name_scope(name, 'mdct', [signals, frame_length]):
        signals = ops.convert_to_tensor(signals, name='signals')
        signals.shape.with_rank_at_least(1)
        frame_length = _scalar(frame_length, 'frame_length')
        known = tensor_util.constant_value(frame_length)
        if known is None:
            frame_step = frame_length // 2
        elif known % 4 != 0:
            raise ValueError('The frame length must be a multiple of 4.')
        else:
            frame_step = ops.convert_to_tensor(known // 2, dtype=frame_length.dtype)
        frames = shape_ops.frame(signals, frame_length, frame_step, pad_end=pad_end)
        frames *= math.sqrt(0.5) if window_fn is None else window_fn(frame_length, dtype=frames.dtype)
        a, b, c, d = array_ops.split(frames, 4, axis=-1)
        folded = (-gen.ReverseV2(c, [-1]) - d, a - gen.ReverseV2(b, [-1]))
        return dct_ops.dct(array_ops.concat(folded, axis=-1), type=4, norm=norm)


@export('signal.inverse_mdct')
def inverse_mdct(mdcts, window_fn=window_ops.vorbis_window, norm=None, name=None):
    """Returns the signals of modified discrete cosine transforms.

    Args:
      mdcts: a tensor [..., frames, frame_length / 2], a result of tf.signal.mdct.
      window_fn: the window function given to tf.signal.mdct. It reconstructs the signal if the squares of elements
        that are half a frame apart sum to 1, as for tf.signal.vorbis_window.
      norm: the norm given to tf.signal.mdct.
      name: the name of the scope.

    Returns:
      A tensor [..., samples].

    Raises:
      ValueError: if the rank of mdcts is below 2, or there is no such norm.
    """
    with ops.name_scope(name, 'inverse_mdct', [mdcts]):
        mdcts = ops.convert_to_tensor(mdcts, name='mdcts')
        mdcts.shape.with_rank_at_least(2)
        half = math_ops.cast(mdcts.shape[-1], dtype=dtypes.int32)
        if norm is None:
            signal = (0.5 / math_ops.cast(half, dtype=mdcts.dtype)) * dct_ops.dct(mdcts, type=4)
        else:
            signal = dct_ops.dct(mdcts, type=4, norm=norm)
        first, second = array_ops.split(signal, 2, axis=-1)
        frames = array_ops.concat(
            (second, -gen.ReverseV2(second, [-1]), -gen.ReverseV2(first, [-1]), -first), axis=-1)
        frames *= math.sqrt(0.5) if window_fn is None else window_fn(2 * half, dtype=mdcts.dtype)
        return reconstruction_ops.overlap_and_add(frames, half)
