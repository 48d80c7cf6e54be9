"""Crops and paddings of images."""

from ramet.api import export
from ramet.framework import dtypes, ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow.dependencies import with_dependencies
from ramet.ops.image.image_checks import (
    as_batch, at_least_3d, check, check_at_least_3d, dimensions, is_tensor)
from ramet.ops.math import math_ops


def _central_part(size, fraction, known_fraction):
    """Returns the begin and size of the middle of an axis, and the size if it is known."""
    size, known = size
    if known and known_fraction is not None:
        begin = int((float(size) - float(size) * known_fraction) / 2)
        return begin, size - begin * 2, size - begin * 2
    wide = math_ops.cast(size, dtypes.float64)
    begin = math_ops.cast((wide - wide * math_ops.cast(fraction, dtypes.float64)) / 2, dtypes.int32)
    return begin, size, None


def _size_at(image, axis):
    size = image.get_shape().dims[axis].value
    return (array_ops.shape(image)[axis], False) if size is None else (size, True)


def _checked_fraction(image, fraction):
    """Returns the fraction if it is known, and the image behind a check of it."""
    known = tensor_util.constant_value(fraction) if is_tensor(fraction) else fraction
    if known is None:
        checks = check(math_ops.logical_or(fraction > 0.0, fraction <= 1.0),
                       'central_fraction must be within (0, 1]')
        return None, with_dependencies(checks, image)
    if known <= 0.0 or known > 1.0:
        raise ValueError('central_fraction must be within (0, 1]')
    return known, image


@export('image.central_crop')
def central_crop(image, central_fraction):
    """Returns the middle of an image.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].
      central_fraction: a scalar in (0, 1], the fraction of the height and width to keep.

    Returns:
      A tensor of the same rank and dtype.

    Raises:
      ValueError: if the fraction is out of range, or the rank of image is not 3 or 4.
    """
    with ops.name_scope(None, 'central_crop', [image]):
        image = ops.convert_to_tensor(image, name='image')
        known, image = _checked_fraction(image, central_fraction)
        if known == 1.0:
            return image
        at_least_3d(image)
        rank = image.get_shape().ndims
        if rank not in (3, 4):
            raise ValueError('`image` should either be a Tensor with rank = 3 or rank = 4. '
                             f'Had rank = {rank}.')
        shape = image.get_shape()
        sizes = [_size_at(image, axis) for axis in (rank - 3, rank - 2)]
        (top, height, known_height), (left, width, known_width) = (
            _central_part(size, central_fraction, known) for size in sizes)
        if known_height is None:
            height = height - top * 2
        if known_width is None:
            width = width - left * 2
        first = [0] * (rank - 3)
        begin = array_ops.stack([*first, top, left, 0])
        size = array_ops.stack([*([-1] * (rank - 3)), height, width, -1])
        image = array_ops.slice(image, begin, size)
        image.set_shape([*shape[:rank - 3], known_height, known_width, shape[rank - 1]])
        return image


@export('image.pad_to_bounding_box')
def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Puts an image on a larger one of zeros.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].
      offset_height: the number of rows of zeros above.
      offset_width: the number of columns of zeros on the left.
      target_height: the height of the result.
      target_width: the width of the result.

    Returns:
      A tensor of the same rank and dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4, or it does not fit the result.
    """
    with ops.name_scope(None, 'pad_to_bounding_box', [image]):
        image, is_batch = as_batch(ops.convert_to_tensor(image, name='image'))
        batch, height, width, depth = dimensions(image, rank=4)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        checks = check_at_least_3d(image)
        checks += check(offset_height >= 0, 'offset_height must be >= 0')
        checks += check(offset_width >= 0, 'offset_width must be >= 0')
        checks += check(right >= 0, 'width must be <= target - offset')
        checks += check(below >= 0, 'height must be <= target - offset')
        image = with_dependencies(checks, image)
        paddings = array_ops.reshape(
            array_ops.stack([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2])
        padded = array_ops.pad(image, paddings)
        padded.set_shape([None if is_tensor(i) else i
                          for i in (batch, target_height, target_width, depth)])
        return padded if is_batch else array_ops.squeeze(padded, axis=[0])


@export('image.crop_to_bounding_box')
def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Returns a rectangle of an image.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].
      offset_height: the first row.
      offset_width: the first column.
      target_height: the height of the result.
      target_width: the width of the result.

    Returns:
      A tensor of the same rank and dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4, or the rectangle is not in it.
    """
    with ops.name_scope(None, 'crop_to_bounding_box', [image]):
        image, is_batch = as_batch(ops.convert_to_tensor(image, name='image'))
        checks = check_at_least_3d(image)
        batch, height, width, depth = dimensions(image, rank=4)
        checks += check(offset_width >= 0, 'offset_width must be >= 0.')
        checks += check(offset_height >= 0, 'offset_height must be >= 0.')
        checks += check(target_width > 0, 'target_width must be > 0.')
        checks += check(target_height > 0, 'target_height must be > 0.')
        checks += check(width >= target_width + offset_width, 'width must be >= target + offset.')
        checks += check(height >= target_height + offset_height,
                        'height must be >= target + offset.')
        image = with_dependencies(checks, image)
        begin = array_ops.stack([0, offset_height, offset_width, 0])
        size = array_ops.stack([array_ops.shape(image)[0], target_height, target_width,
                                array_ops.shape(image)[3]])
        cropped = array_ops.slice(image, begin, size)
        cropped.set_shape([None if is_tensor(i) else i
                           for i in (batch, target_height, target_width, depth)])
        return cropped if is_batch else array_ops.squeeze(cropped, axis=[0])


def larger(x, y):
    """Returns the maximum of two numbers or tensors."""
    return math_ops.maximum(x, y) if is_tensor(x) or is_tensor(y) else max(x, y)


def _smaller(x, y):
    return math_ops.minimum(x, y) if is_tensor(x) or is_tensor(y) else min(x, y)


def _equal(x, y):
    return math_ops.equal(x, y) if is_tensor(x) or is_tensor(y) else x == y


def checked_for_target(image, target_height, target_width):
    """Returns an image behind checks of it and of the size of a result, and the checks."""
    checks = check_at_least_3d(image)
    checks += check(target_width > 0, 'target_width must be > 0.')
    checks += check(target_height > 0, 'target_height must be > 0.')
    return with_dependencies(checks, image), checks


def _crop_and_pad(image, target_height, target_width):
    _, height, width, _ = dimensions(image, rank=4)
    width_diff = target_width - width
    crop_left = larger(-width_diff // 2, 0)
    pad_left = larger(width_diff // 2, 0)
    height_diff = target_height - height
    crop_top = larger(-height_diff // 2, 0)
    pad_top = larger(height_diff // 2, 0)
    cropped = crop_to_bounding_box(image, crop_top, crop_left, _smaller(target_height, height),
                                   _smaller(target_width, width))
    return pad_to_bounding_box(cropped, pad_top, pad_left, target_height, target_width)


@export('image.resize_with_crop_or_pad', 'image.resize_image_with_crop_or_pad')
def resize_image_with_crop_or_pad(image, target_height, target_width):
    """Returns an image of a given size: the middle of a larger one, or a smaller one on zeros.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].
      target_height: the height of the result.
      target_width: the width of the result.

    Returns:
      A tensor of the same rank and dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4, or a size is not positive.
    """
    with ops.name_scope(None, 'resize_image_with_crop_or_pad', [image]):
        image, is_batch = as_batch(ops.convert_to_tensor(image, name='image'))
        image, checks = checked_for_target(image, target_height, target_width)
        if is_tensor(target_height):
            target_height = with_dependencies(checks, target_height)
        if is_tensor(target_width):
            target_width = with_dependencies(checks, target_width)
        resized = _crop_and_pad(image, target_height, target_width)
        if resized.get_shape().ndims is None:
            raise ValueError('resized contains no shape.')
        _, height, width, _ = dimensions(resized, rank=4)
        checks = check(_equal(height, target_height), 'resized height is not correct.')
        checks += check(_equal(width, target_width), 'resized width is not correct.')
        resized = with_dependencies(checks, resized)
        return resized if is_batch else array_ops.squeeze(resized, axis=[0])
