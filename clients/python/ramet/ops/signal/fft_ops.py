"""Fourier transforms."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_util
from ramet.ops.array import array_ops

_COMPLEX = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}


def _inferred_length(tensor, rank, inverse):
    """Returns the length of a transform of the whole tensor."""
    known = tensor.shape[-rank:]
    if known.is_fully_defined():
        sizes = known.as_list()
        if inverse and sizes:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return ops.convert_to_tensor(sizes, dtypes.int32)
    sizes = array_ops.shape(tensor)[-rank:]
    if not inverse:
        return sizes
    sizes = array_ops.unstack(sizes)
    sizes[-1] = gen.Maximum(0, 2 * (sizes[-1] - 1))
    return array_ops.stack(sizes)


def _known_paddings(shape, lengths, inverse):
    """Returns the zeros to add before and after each dimension, or None if the sizes are not known."""
    if not lengths.is_fully_defined() or shape.ndims is None or not shape[-lengths.ndims:].is_fully_defined():
        return None
    lengths = lengths.as_list()
    if inverse:
        lengths[-1] = lengths[-1] // 2 + 1
    sizes = shape.as_list()[-len(lengths):]
    outer = max(shape.ndims - len(lengths), 0)
    return [[0, 0]] * outer + [[0, max(n - size, 0)] for n, size in zip(lengths, sizes)]


def _padded(tensor, rank, fft_length, inverse):
    """Appends zeros to the last `rank` dimensions if they are shorter than the transform."""
    shape = tensor.shape
    if shape.ndims is not None and 0 in shape.as_list():
        return tensor
    known = _known_paddings(shape, tensor_util.constant_value_as_shape(fft_length), inverse)
    if known is not None:
        return array_ops.pad(tensor, known) if any(after for _, after in known) else tensor
    tensor_rank = array_ops.rank(tensor)
    sizes = array_ops.shape(tensor)[-rank:]
    outer = array_ops.zeros([gen.Maximum(0, tensor_rank - rank)], fft_length.dtype)
    if inverse:
        fft_length = array_ops.concat([fft_length[:-1], fft_length[-1:] // 2 + 1], 0)
    after = array_ops.concat([outer, gen.Maximum(0, fft_length - sizes)], 0)
    return array_ops.pad(tensor, array_ops.stack([array_ops.zeros_like(after), after], axis=1))


def _prepared(tensor, rank, fft_length, inverse):
    """Returns the padded input and the length of a real transform."""
    tensor.shape.with_rank_at_least(rank)
    if fft_length is None:
        fft_length = _inferred_length(tensor, rank, inverse)
    else:
        fft_length = ops.convert_to_tensor(fft_length, dtypes.int32)
    tensor = _padded(tensor, rank, fft_length, inverse)
    known = tensor_util.constant_value(fft_length)
    return tensor, fft_length if known is None else known


def _rfft(op, rank, default_name, tensor, fft_length, name):
    with ops.name_scope(name, default_name, [tensor, fft_length]) as name:
        tensor = ops.convert_to_tensor(tensor, preferred_dtype=dtypes.float32)
        if tensor.dtype not in _COMPLEX:
            raise ValueError(f'RFFT requires tf.float32 or tf.float64 inputs, got: {tensor}')
        tensor, fft_length = _prepared(tensor, rank, fft_length, False)
        return op(tensor, fft_length, Tcomplex=_COMPLEX[tensor.dtype], name=name)


def _irfft(op, rank, default_name, tensor, fft_length, name):
    with ops.name_scope(name, default_name, [tensor, fft_length]) as name:
        tensor = ops.convert_to_tensor(tensor, preferred_dtype=dtypes.complex64)
        tensor.shape.with_rank_at_least(rank)
        if not tensor.dtype.is_complex:
            raise ValueError(f'IRFFT requires tf.complex64 or tf.complex128 inputs, got: {tensor}')
        tensor, fft_length = _prepared(tensor, rank, fft_length, True)
        return op(tensor, fft_length, Treal=tensor.dtype.real_dtype, name=name)


@export('signal.rfft', 'spectral.rfft')
def rfft(input_tensor, fft_length=None, name=None):
    """Returns the half of the Fourier transform of real numbers that determines the other half.

    Args:
      input_tensor: a tensor [..., n] of float32 or float64.
      fft_length: an int32 vector of one element, the length of the transform. Longer inputs are cropped, and zeros
        are appended to shorter ones. Defaults to n.
      name: the name of the operation.

    Returns:
      A complex tensor [..., fft_length / 2 + 1].

    Raises:
      ValueError: if the dtype is different, or the rank is 0.
    """
    return _rfft(gen.RFFT, 1, 'rfft', input_tensor, fft_length, name)


@export('signal.irfft', 'spectral.irfft')
def irfft(input_tensor, fft_length=None, name=None):
    """Returns the real numbers whose transform by tf.signal.rfft is given.

    Args:
      input_tensor: a tensor [..., m] of complex64 or complex128.
      fft_length: an int32 vector of one element, the number of real numbers. Longer inputs than fft_length / 2 + 1
        are cropped, and zeros are appended to shorter ones. Defaults to 2 * (m - 1).
      name: the name of the operation.

    Returns:
      A tensor [..., fft_length].

    Raises:
      ValueError: if the dtype is different, or the rank is 0.
    """
    return _irfft(gen.IRFFT, 1, 'irfft', input_tensor, fft_length, name)


@export('signal.rfft2d', 'spectral.rfft2d')
def rfft2d(input_tensor, fft_length=None, name=None):
    """Transforms the last two dimensions of real numbers.

    Args:
      input_tensor: a tensor [..., m, n] of float32 or float64.
      fft_length: an int32 vector, the lengths of both dimensions, see tf.signal.rfft.
      name: the name of the operation.

    Returns:
      A complex tensor [..., fft_length[0], fft_length[1] / 2 + 1].

    Raises:
      ValueError: if the dtype is different, or the rank is below 2.
    """
    return _rfft(gen.RFFT2D, 2, 'rfft2d', input_tensor, fft_length, name)


@export('signal.irfft2d', 'spectral.irfft2d')
def irfft2d(input_tensor, fft_length=None, name=None):
    """Returns the real numbers whose transform by tf.signal.rfft2d is given.

    Args:
      input_tensor: a tensor [..., m, n] of complex64 or complex128.
      fft_length: an int32 vector, the dimensions of the result, see tf.signal.irfft.
      name: the name of the operation.

    Returns:
      A tensor [..., fft_length[0], fft_length[1]].

    Raises:
      ValueError: if the dtype is different, or the rank is below 2.
    """
    return _irfft(gen.IRFFT2D, 2, 'irfft2d', input_tensor, fft_length, name)


@export('signal.rfft3d', 'spectral.rfft3d')
def rfft3d(input_tensor, fft_length=None, name=None):
    """Transforms the last three dimensions of real numbers.

    Args:
      input_tensor: a tensor [..., l, m, n] of float32 or float64.
      fft_length: an int32 vector, the lengths of the three dimensions, see tf.signal.rfft.
      name: the name of the operation.

    Returns:
      A complex tensor [..., fft_length[0], fft_length[1], fft_length[2] / 2 + 1].

    Raises:
      ValueError: if the dtype is different, or the rank is below 3.
    """
    return _rfft(gen.RFFT3D, 3, 'rfft3d', input_tensor, fft_length, name)


@export('signal.irfft3d', 'spectral.irfft3d')
def irfft3d(input_tensor, fft_length=None, name=None):
    """Returns the real numbers whose transform by tf.signal.rfft3d is given.

    Args:
      input_tensor: a tensor [..., l, m, n] of complex64 or complex128.
      fft_length: an int32 vector, the dimensions of the result, see tf.signal.irfft.
      name: the name of the operation.

    Returns:
      A tensor [..., fft_length[0], fft_length[1], fft_length[2]].

    Raises:
      ValueError: if the dtype is different, or the rank is below 3.
    """
    return _irfft(gen.IRFFT3D, 3, 'irfft3d', input_tensor, fft_length, name)


def _shifted(x, axes, direction, name):
    """Rolls x by half of the dimensions `axes`, forwards or backwards."""
    x = ops.convert_to_tensor(x)

    def half(sizes):
        return sizes // 2 if direction > 0 else -(sizes // 2)

    if axes is None:
        axes = tuple(range(x.shape.ndims))
        shift = half(array_ops.shape(x))
    elif isinstance(axes, int):
        shift = half(array_ops.shape(x)[axes])
    else:
        rank = array_ops.rank(x)
        axes = array_ops.where(gen.Less(axes, 0), axes + rank, axes)
        shift = half(array_ops.gather(array_ops.shape(x), axes))
    return array_ops.roll(x, shift, axes, name)


@export('signal.fftshift')
def fftshift(x, axes=None, name=None):
    """Moves the element of frequency zero from the start to the center of dimensions.

    Args:
      x: a tensor.
      axes: an int or a tuple of ints, the dimensions. Defaults to all.
      name: the name of the operation.

    Returns:
      A tensor like x.
    """
    with ops.name_scope(name, 'fftshift') as name:
        return _shifted(x, axes, 1, name)


@export('signal.ifftshift')
def ifftshift(x, axes=None, name=None):
    """Undoes tf.signal.fftshift. The two differ by one element for odd sizes.

    Args:
      x: a tensor.
      axes: an int or a tuple of ints, the dimensions. Defaults to all.
      name: the name of the operation.

    Returns:
      A tensor like x.
    """
    with ops.name_scope(name, 'ifftshift') as name:
        return _shifted(x, axes, -1, name)


_GENERATED = {'fft': 'FFT', 'fft2d': 'FFT2D', 'fft3d': 'FFT3D', 'ifft': 'IFFT', 'ifft2d': 'IFFT2D', 'ifft3d': 'IFFT3D'}


def __getattr__(name):
    if name not in _GENERATED:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return getattr(gen, _GENERATED[name])
