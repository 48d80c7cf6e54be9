"""Conversions of images between dtypes, and between gray, RGB, YIQ and YUV."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow.dependencies import with_dependencies
from ramet.ops.image.image_checks import check_grayscale
from ramet.ops.math import math_ops


def _between_integers(image, dtype, saturate, name):
    most, wanted = image.dtype.max, dtype.max
    if most > wanted:
        scaled = math_ops.floordiv(image, (most + 1) // (wanted + 1))
        to = math_ops.saturate_cast if saturate else math_ops.cast
        return to(scaled, dtype, name=name)
    to = math_ops.saturate_cast if saturate else math_ops.cast
    return math_ops.multiply(to(image, dtype), (wanted + 1) // (most + 1), name=name)


@export('image.convert_image_dtype')
def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Converts an image to a dtype and scales its numbers: floats are in 0..1, integers 0..max.

    Args:
      image: a tensor of numbers.
      dtype: a dtype of integers or floats.
      saturate: whether to limit numbers to the range of dtype.
      name: the name of the operation.

    Returns:
      A tensor of the same shape.

    Raises:
      AttributeError: if a dtype is neither integer nor float.
    """
    image = ops.convert_to_tensor(image, name='image')
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError('dtype must be either floating point or integer')
    if not image.dtype.is_floating and not image.dtype.is_integer:
        raise AttributeError('image dtype must be either floating point or integer')
    if dtype == image.dtype:
        return array_ops.identity(image, name=name)
    with ops.name_scope(name, 'convert_image', [image]) as name:
        if image.dtype.is_integer and dtype.is_integer:
            return _between_integers(image, dtype, saturate, name)
        if image.dtype.is_floating and dtype.is_floating:
            return math_ops.cast(image, dtype, name=name)
        if image.dtype.is_integer:
            number = math_ops.cast(image, dtype)
            return math_ops.multiply(number, 1. / image.dtype.max, name=name)
        scaled = math_ops.multiply(image, dtype.max + 0.5)
        to = math_ops.saturate_cast if saturate else math_ops.cast
        return to(scaled, dtype, name=name)


@export('image.rgb_to_grayscale')
def rgb_to_grayscale(images, name=None):
    """Converts RGB to gray.

    Args:
      images: a tensor [..., 3].
      name: the name of the operation.

    Returns:
      A tensor [..., 1] of the same dtype.
    """
    with ops.name_scope(name, 'rgb_to_grayscale', [images]) as name:
        images = ops.convert_to_tensor(images, name='images')
        numbers = convert_image_dtype(images, dtypes.float32)
        gray = math_ops.tensordot(numbers, [0.2989, 0.5870, 0.1140], [-1, -1])
        gray = array_ops.expand_dims(gray, -1)
        return convert_image_dtype(gray, images.dtype, name=name)


@export('image.grayscale_to_rgb')
def grayscale_to_rgb(images, name=None):
    """Converts gray to RGB.

    Args:
      images: a tensor [..., 1].
      name: the name of the operation.

    Returns:
      A tensor [..., 3] of the same dtype.

    Raises:
      ValueError: if the last dimension is known and not 1.
    """
    with ops.name_scope(name, 'grayscale_to_rgb', [images]) as name:
        images = with_dependencies(check_grayscale(images), images)
        images = ops.convert_to_tensor(images, name='images')
        last = array_ops.expand_dims(array_ops.rank(images) - 1, 0)
        ones = array_ops.ones(last, dtype=dtypes.int32)
        multiples = array_ops.concat([ones] + [array_ops.expand_dims(3, 0)], 0)
        rgb = array_ops.tile(images, multiples, name=name)
        rgb.set_shape(images.get_shape()[:-1].concatenate([3]))
        return rgb


def _mixed(images, kernel):
    """Multiplies the channels by a matrix."""
    images = ops.convert_to_tensor(images, name='images')
    kernel = ops.convert_to_tensor(kernel, dtype=images.dtype, name='kernel')
    ndims = images.get_shape().ndims
    return math_ops.tensordot(images, kernel, axes=[[ndims - 1], [0]])


@export('image.rgb_to_yiq')
def rgb_to_yiq(images):
    """Converts RGB to YIQ.

    Args:
      images: a tensor [..., 3] of floats.

    Returns:
      A tensor of the same shape and dtype.
    """
    return _mixed(images, [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617],
                           [0.114, -0.32134392, 0.31119955]])


@export('image.yiq_to_rgb')
def yiq_to_rgb(images):
    """Converts YIQ to RGB.

    Args:
      images: a tensor [..., 3] of floats.

    Returns:
      A tensor of the same shape and dtype.
    """
    return _mixed(images, [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021],
                           [0.6208248, -0.64720424, 1.70423049]])


@export('image.rgb_to_yuv')
def rgb_to_yuv(images):
    """Converts RGB to YUV.

    Args:
      images: a tensor [..., 3] of floats.

    Returns:
      A tensor of the same shape and dtype.
    """
    return _mixed(images, [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512],
                           [0.114, 0.43601035, -0.10001026]])


@export('image.yuv_to_rgb')
def yuv_to_rgb(images):
    """Converts YUV to RGB.

    Args:
      images: a tensor [..., 3] of floats.

    Returns:
      A tensor of the same shape and dtype.
    """
    return _mixed(images, [[1, 1, 1], [0, -0.394642334, 2.03206185],
                           [1.13988303, -0.58062185, 0]])
