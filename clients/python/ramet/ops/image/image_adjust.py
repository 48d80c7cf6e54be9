"""Changes of brightness, contrast, hue, saturation and quality."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow.dependencies import with_dependencies
from ramet.ops.image.image_checks import at_least_3d, check, is_tensor
from ramet.ops.image.image_types import convert_image_dtype
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


def _as_float(image):
    if image.dtype in (dtypes.float16, dtypes.float32):
        return image
    return convert_image_dtype(image, dtypes.float32)


@export('image.per_image_standardization')
def per_image_standardization(image):
    """Scales each image to mean 0 and variance 1.

    Args:
      image: a tensor [..., height, width, channels].

    Returns:
      A tensor of float32 of the same shape.

    Raises:
      ValueError: if the rank is less than 3.
    """
    with ops.name_scope(None, 'per_image_standardization', [image]) as scope:
        image = at_least_3d(ops.convert_to_tensor(image, name='image'))
        image = math_ops.cast(image, dtype=dtypes.float32)
        pixels = math_ops.reduce_prod(array_ops.shape(image)[-3:])
        mean = math_ops.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = math_ops.reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        least = math_ops.rsqrt(math_ops.cast(pixels, dtypes.float32))
        deviation = math_ops.maximum(deviation, least)
        image -= mean
        return math_ops.divide(image, deviation, name=scope)


@export('image.adjust_brightness')
def adjust_brightness(image, delta):
    """Adds a number to an image.

    Args:
      image: a tensor of numbers.
      delta: a scalar, which is added to numbers in 0..1.

    Returns:
      A tensor of the same shape and dtype.
    """
    with ops.name_scope(None, 'adjust_brightness', [image, delta]) as name:
        image = ops.convert_to_tensor(image, name='image')
        numbers = _as_float(image)
        adjusted = math_ops.add(numbers, math_ops.cast(delta, numbers.dtype), name=name)
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


@export('image.adjust_contrast')
def adjust_contrast(images, contrast_factor):
    """Multiplies the distances of numbers from the mean of their channel.

    Args:
      images: a tensor [..., height, width, channels].
      contrast_factor: a scalar.

    Returns:
      A tensor of the same shape and dtype.
    """
    with ops.name_scope(None, 'adjust_contrast', [images, contrast_factor]) as name:
        images = ops.convert_to_tensor(images, name='images')
        adjusted = gen.AdjustContrastv2(_as_float(images), contrast_factor, name=name)
        return convert_image_dtype(adjusted, images.dtype, saturate=True)


@export('image.adjust_gamma')
def adjust_gamma(image, gamma=1, gain=1):
    """Returns gain * image ** gamma.

    Args:
      image: a tensor of numbers.
      gamma: a scalar, 0 or more.
      gain: a scalar.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if gamma is negative.
    """
    with ops.name_scope(None, 'adjust_gamma', [image, gamma, gain]):
        image = ops.convert_to_tensor(image, name='image')
        numbers = _as_float(image)
        checks = check(gamma >= 0, 'Gamma should be a non-negative real number.')
        if checks:
            gamma = with_dependencies(checks, gamma)
        return convert_image_dtype(gain * numbers ** gamma, image.dtype, saturate=True)


@export('image.adjust_hue')
def adjust_hue(image, delta, name=None):
    """Turns the hue of RGB colors.

    Args:
      image: a tensor [..., height, width, 3].
      delta: a scalar in -1..1, a part of a full turn.
      name: the name of the operation.

    Returns:
      A tensor of the same shape and dtype.
    """
    with ops.name_scope(name, 'adjust_hue', [image]):
        image = ops.convert_to_tensor(image, name='image')
        return convert_image_dtype(gen.AdjustHue(_as_float(image), delta), image.dtype)


@export('image.adjust_saturation')
def adjust_saturation(image, saturation_factor, name=None):
    """Multiplies the saturation of RGB colors.

    Args:
      image: a tensor [..., height, width, 3].
      saturation_factor: a scalar.
      name: the name of the operation.

    Returns:
      A tensor of the same shape and dtype.
    """
    with ops.name_scope(name, 'adjust_saturation', [image]):
        image = ops.convert_to_tensor(image, name='image')
        adjusted = gen.AdjustSaturation(_as_float(image), saturation_factor)
        return convert_image_dtype(adjusted, image.dtype)


@export('image.adjust_jpeg_quality')
def adjust_jpeg_quality(image, jpeg_quality, dct_method='', name=None):
    """Encodes an image as JPEG and decodes it again.

    Args:
      image: a tensor [height, width, channels] of 1 or 3 channels.
      jpeg_quality: a scalar integer in 0..100.
      dct_method: see tf.image.decode_jpeg.
      name: the name of the operation.

    Returns:
      A tensor of the same shape and dtype.
    """
    with ops.name_scope(name, 'adjust_jpeg_quality', [image]):
        image = ops.convert_to_tensor(image, name='image')
        channels = image.shape.as_list()[-1]
        original = image.dtype
        image = convert_image_dtype(image, dtypes.uint8, saturate=True)
        if not is_tensor(jpeg_quality):
            jpeg_quality = ops.convert_to_tensor(jpeg_quality, dtype=dtypes.int32)
        image = gen.EncodeJpegVariableQuality(image, jpeg_quality)
        image = gen.DecodeJpeg(image, channels=channels, dct_method=dct_method)
        return convert_image_dtype(image, original, saturate=True)


@export('image.random_brightness')
def random_brightness(image, max_delta, seed=None):
    """Adds a random number to an image.

    Args:
      image: a tensor of numbers.
      max_delta: the limit of the number, 0 or more.
      seed: an integer; see tf.set_random_seed.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if max_delta is negative.
    """
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')
    delta = random_ops.random_uniform([], -max_delta, max_delta, seed=seed)
    return adjust_brightness(image, delta)


def _check_range(lower, upper):
    if upper <= lower:
        raise ValueError('upper must be > lower.')
    if lower < 0:
        raise ValueError('lower must be non-negative.')


@export('image.random_contrast')
def random_contrast(image, lower, upper, seed=None):
    """Changes the contrast by a random factor.

    Args:
      image: a tensor [..., height, width, channels].
      lower: the least factor, 0 or more.
      upper: the limit of the factor.
      seed: an integer; see tf.set_random_seed.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if the range is empty or lower is negative.
    """
    _check_range(lower, upper)
    factor = random_ops.random_uniform([], lower, upper, seed=seed)
    return adjust_contrast(image, factor)


@export('image.random_hue')
def random_hue(image, max_delta, seed=None):
    """Turns the hue of RGB colors by a random part of a full turn.

    Args:
      image: a tensor [..., height, width, 3].
      max_delta: the limit of the part, in 0..0.5.
      seed: an integer; see tf.set_random_seed.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if max_delta is not in 0..0.5.
    """
    if max_delta > 0.5:
        raise ValueError('max_delta must be <= 0.5.')
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')
    delta = random_ops.random_uniform([], -max_delta, max_delta, seed=seed)
    return adjust_hue(image, delta)


@export('image.random_saturation')
def random_saturation(image, lower, upper, seed=None):
    """Multiplies the saturation of RGB colors by a random factor.

    Args:
      image: a tensor [..., height, width, 3].
      lower: the least factor, 0 or more.
      upper: the limit of the factor.
      seed: an integer; see tf.set_random_seed.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if the range is empty or lower is negative.
    """
    _check_range(lower, upper)
    factor = random_ops.random_uniform([], lower, upper, seed=seed)
    return adjust_saturation(image, factor)


@export('image.random_jpeg_quality')
def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """Encodes an image as JPEG with a random quality and decodes it again.

    Args:
      image: a tensor [height, width, channels] of 1 or 3 channels.
      min_jpeg_quality: the least quality, 0 or more.
      max_jpeg_quality: the limit of the quality, 100 or less.
      seed: an integer; see tf.set_random_seed.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if the range is empty or not in 0..100.
    """
    if min(min_jpeg_quality, max_jpeg_quality) < 0 or max(min_jpeg_quality, max_jpeg_quality) > 100:
        raise ValueError('jpeg encoding range must be between 0 and 100.')
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError('`min_jpeg_quality` must be less than `max_jpeg_quality`.')
    quality = random_ops.random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed,
                                        dtype=dtypes.int32)
    return adjust_jpeg_quality(image, quality)
