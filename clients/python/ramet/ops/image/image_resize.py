"""Resizing images."""

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, dtypes, ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.image.image_checks import as_batch, dimensions
from ramet.ops.image.image_crop import checked_for_target, larger, pad_to_bounding_box
from ramet.ops.math import math_ops


@export('image.ResizeMethod')
class ResizeMethod:
    """The methods of tf.image.resize_images."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _resizer(method, align_corners):
    names = {
        ResizeMethod.BILINEAR: 'ResizeBilinear', 'bilinear': 'ResizeBilinear',
        ResizeMethod.NEAREST_NEIGHBOR: 'ResizeNearestNeighbor', 'nearest': 'ResizeNearestNeighbor',
        ResizeMethod.BICUBIC: 'ResizeBicubic', 'bicubic': 'ResizeBicubic',
        ResizeMethod.AREA: 'ResizeArea', 'area': 'ResizeArea',
    }

    def resize(images, size):
        if method not in names:
            raise ValueError(f'Resize method is not implemented: {method}')
        return getattr(gen, names[method])(images, size, align_corners=align_corners)

    return resize


def _with_aspect_ratio(images, size):
    """Returns the largest size within `size` that has the aspect ratio of the images."""
    _, height, width, _ = dimensions(images, rank=4)
    by_height = math_ops.cast(size[0], dtypes.float32) / math_ops.cast(height, dtypes.float32)
    by_width = math_ops.cast(size[1], dtypes.float32) / math_ops.cast(width, dtypes.float32)
    factor = math_ops.minimum(by_height, by_width)
    scaled = [
        math_ops.cast(math_ops.round(factor * math_ops.cast(side, dtypes.float32)), dtypes.int32)
        for side in (height, width)]
    return ops.convert_to_tensor(scaled, dtypes.int32, name='size')


def _size_tensor(size):
    try:
        size = ops.convert_to_tensor(size, dtypes.int32, name='size')
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor")
    if not size.get_shape().is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return size


def _image_batch(images):
    if images.get_shape().ndims is None:
        raise ValueError("'images' contains no shape.")
    if images.get_shape().ndims == 3:
        return array_ops.expand_dims(images, 0), False
    if images.get_shape().ndims != 4:
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    return images, True


@export('image.resize_images', 'image.resize')
def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False,
                  preserve_aspect_ratio=False, name=None):
    """Resizes images.

    Args:
      images: a tensor [height, width, channels] or [batch, height, width, channels].
      size: a vector of two integers, the height and width of the result.
      method: a member of tf.image.ResizeMethod.
      align_corners: whether the centers of the corner pixels stay in place.
      preserve_aspect_ratio: whether to make the result smaller so that it has the aspect ratio of
        the images.
      name: the name of the operation.

    Returns:
      A tensor of the same rank. It is float32, unless the method is NEAREST_NEIGHBOR or the size is
      known to be that of the images; then it has their dtype.

    Raises:
      ValueError: if a shape is different or unknown, or the method is unknown.
    """
    with ops.name_scope(name, 'resize', [images, size]):
        images, is_batch = _image_batch(ops.convert_to_tensor(images, name='images'))
        _, height, width, _ = images.get_shape().as_list()
        size = _size_tensor(size)
        if preserve_aspect_ratio:
            size = _with_aspect_ratio(images, size)
        known = tensor_util.constant_value_as_shape(size)
        new_height, new_width = (
            tensor_shape.dimension_value(known[i]) if known.ndims is not None else None
            for i in (0, 1))
        same = None not in (height, width) and (height, width) == (new_height, new_width)
        if not same:
            images = _resizer(method, align_corners)(images, size)
            images.set_shape([None, new_height, new_width, None])
        return images if is_batch else array_ops.squeeze(images, axis=[0])


def _fitted(image, target_height, target_width):
    """Returns the size of an image that fits the target, and the rows and columns around it."""
    _, height, width, _ = dimensions(image, rank=4)
    height, width, target_height, target_width = (
        math_ops.cast(x, dtype=dtypes.float32) for x in (height, width, target_height, target_width))
    ratio = larger(width / target_width, height / target_height)
    fit_height = height / ratio
    fit_width = width / ratio
    size = [math_ops.cast(math_ops.floor(x), dtype=dtypes.int32) for x in (fit_height, fit_width)]
    around_height = (target_height - fit_height) / 2
    around_width = (target_width - fit_width) / 2
    floors = [math_ops.floor(around_height), math_ops.floor(around_width)]
    return size, [larger(0, math_ops.cast(x, dtype=dtypes.int32)) for x in floors]


@export('image.resize_image_with_pad')
def resize_image_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR,
                          align_corners=False):
    """Resizes an image without changing its aspect ratio, and puts it on zeros.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].
      target_height: the height of the result.
      target_width: the width of the result.
      method: a member of tf.image.ResizeMethod.
      align_corners: whether the centers of the corner pixels stay in place.

    Returns:
      A tensor of the same rank; see tf.image.resize_images for its dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4, or a size is not positive.
    """
    with ops.name_scope(None, 'resize_image_with_pad', [image]):
        image, is_batch = as_batch(ops.convert_to_tensor(image, name='image'))
        image, _ = checked_for_target(image, target_height, target_width)
        size, (above, left) = _fitted(image, target_height, target_width)
        resized = resize_images(image, size, method, align_corners=align_corners)
        padded = pad_to_bounding_box(resized, above, left, target_height, target_width)
        if padded.get_shape().ndims is None:
            raise ValueError('padded contains no shape.')
        dimensions(padded, rank=4)
        return padded if is_batch else array_ops.squeeze(padded, axis=[0])


@export('image.resize_bicubic')
@deprecation.deprecated(None, 'Use `tf.image.resize(...method=ResizeMethod.BICUBIC...)` instead.')
def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resizes images by cubic interpolation. Deprecated: use tf.image.resize.

    Args:
      images: a tensor [batch, height, width, channels].
      size: a vector of two integers, the height and width of the result.
      align_corners: whether the centers of the corner pixels stay in place.
      name: the name of the operation.
      half_pixel_centers: whether the outer edges of the image stay in place.

    Returns:
      A tensor [batch, height, width, channels] of float32.
    """
    return gen.ResizeBicubic(images, size, align_corners=align_corners,
                             half_pixel_centers=half_pixel_centers, name=name)


@export('image.resize_bilinear')
@deprecation.deprecated(None, 'Use `tf.image.resize(...method=ResizeMethod.BILINEAR...)` instead.')
def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resizes images by linear interpolation. Deprecated: use tf.image.resize.

    Args:
      images: a tensor [batch, height, width, channels].
      size: a vector of two integers, the height and width of the result.
      align_corners: whether the centers of the corner pixels stay in place.
      name: the name of the operation.
      half_pixel_centers: whether the outer edges of the image stay in place.

    Returns:
      A tensor [batch, height, width, channels] of float32.
    """
    return gen.ResizeBilinear(images, size, align_corners=align_corners,
                              half_pixel_centers=half_pixel_centers, name=name)


@export('image.resize_nearest_neighbor')
@deprecation.deprecated(
    None, 'Use `tf.image.resize(...method=ResizeMethod.NEAREST_NEIGHBOR...)` instead.')
def resize_nearest_neighbor(images, size, align_corners=False, name=None,
                            half_pixel_centers=False):
    """Resizes images by copying the nearest pixels. Deprecated: use tf.image.resize.

    Args:
      images: a tensor [batch, height, width, channels].
      size: a vector of two integers, the height and width of the result.
      align_corners: whether the centers of the corner pixels stay in place.
      name: the name of the operation.
      half_pixel_centers: whether the outer edges of the image stay in place.

    Returns:
      A tensor [batch, height, width, channels] of the same dtype.
    """
    return gen.ResizeNearestNeighbor(images, size, align_corners=align_corners,
                                     half_pixel_centers=half_pixel_centers, name=name)
