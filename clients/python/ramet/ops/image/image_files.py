"""Images in files."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.image.image_types import convert_image_dtype
from ramet.ops.math import math_ops
from ramet.ops.strings import string_ops


@export('io.is_jpeg', 'image.is_jpeg')
def is_jpeg(contents, name=None):
    """Reports whether a string starts like a JPEG file.

    Args:
      contents: a scalar string, the bytes of a file.
      name: the name of the operation.

    Returns:
      A scalar of bool.
    """
    with ops.name_scope(name, 'is_jpeg'):
        start = string_ops.substr(contents, 0, 3)
        return math_ops.equal(start, b'\xff\xd8\xff', name=name)


@export('io.encode_png', 'image.encode_png')
def encode_png(image, compression=-1, name=None):
    """Encodes images as PNG files.

    Args:
      image: a tensor [..., height, width, channels] of uint8 or uint16.
      compression: the level of compression, 0 to 9, or -1 for the default.
      name: the name of the operation.

    Returns:
      A tensor [...] of strings.
    """
    return gen.EncodePng(ops.convert_to_tensor(image), compression=compression, name=name)


@export('io.decode_image', 'image.decode_image')
def decode_image(contents, channels=None, dtype=dtypes.uint8, name=None, expand_animations=True):
    """Decodes a BMP, GIF, JPEG or PNG file.

    Args:
      contents: a scalar string, the bytes of the file.
      channels: the number of channels of the result; None for that of the file.
      dtype: the dtype of the result.
      name: the name of the operation.
      expand_animations: whether to return all frames of a GIF file, as a tensor of rank 4.

    Returns:
      A tensor [height, width, channels], or [count, height, width, 3] for frames.
    """
    with ops.name_scope(name, 'decode_image'):
        channels = 0 if channels is None else channels
        known = dtype in (dtypes.float32, dtypes.uint8, dtypes.uint16)
        image = gen.DecodeImage(contents, channels=channels, expand_animations=expand_animations,
                                dtype=dtype if known else dtypes.uint16)
        if not known:
            image = convert_image_dtype(image, dtype)
        if not expand_animations:
            image.set_shape([None, None, channels or None])
        return image
