"""Checks of the shapes of images that functions of tf.image share."""

from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.control_flow.assertions import Assert
from ramet.ops.control_flow.cond import cond
from ramet.ops.control_flow.dependencies import with_dependencies
from ramet.ops.math import math_ops


def is_tensor(x):
    """Reports whether x is a tensor or a variable, whose value is not known yet."""
    return isinstance(x, ops.Tensor) or hasattr(x, 'read_value')


def check(condition, message):
    """Returns the operations that check a condition: none if it is known and holds.

    Raises:
      ValueError: if it is known and does not hold.
    """
    if is_tensor(condition):
        return [Assert(condition, [message])]
    if not condition:
        raise ValueError(message)
    return []


def dimensions(image, rank):
    """Returns the sizes of an image: numbers as far as they are known, else tensors."""
    if image.get_shape().is_fully_defined():
        return image.get_shape().as_list()
    known = image.get_shape().with_rank(rank).as_list()
    unknown = array_ops.unstack(array_ops.shape(image), rank)
    return [d if s is None else s for s, d in zip(known, unknown)]


def check_at_least_3d(image):
    """Returns the operations that check that an image has three dimensions or more, none of size 0.

    Raises:
      ValueError: if the shape is known and does not fit.
    """
    try:
        if image.get_shape().ndims is None:
            shape = image.get_shape().with_rank(3)
        else:
            shape = image.get_shape().with_rank_at_least(3)
    except ValueError:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if any(x == 0 for x in shape[-3:]):
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {shape}")
    if shape[-3:].is_fully_defined():
        return []
    return [
        check_ops.assert_positive(
            array_ops.shape(image)[-3:], ["inner 3 dims of 'image.shape' must be > 0."]),
        check_ops.assert_greater_equal(
            array_ops.rank(image), 3, message="'image' must be at least three-dimensional."),
    ]


def at_least_3d(image):
    """Returns the image behind the checks of check_at_least_3d."""
    return with_dependencies(check_at_least_3d(image), image)


def check_grayscale(image):
    """Returns the operations that check that the last dimension of an image is 1.

    Raises:
      ValueError: if the shape is known and does not fit.
    """
    try:
        if image.get_shape().ndims is None:
            shape = image.get_shape().with_rank(2)
        else:
            shape = image.get_shape().with_rank_at_least(2)
    except ValueError:
        raise ValueError(
            f'A grayscale image (shape {image.shape}) must be at least two-dimensional.')
    if shape.is_fully_defined():
        if shape[-1] != 1:
            raise ValueError('Last dimension of a grayscale image should be size 1.')
        return []
    return [
        check_ops.assert_equal(array_ops.shape(image)[-1], 1,
                               message='Last dimension of a grayscale image should be size 1.'),
        check_ops.assert_greater_equal(
            array_ops.rank(image), 3,
            message='A grayscale image must be at least two-dimensional.'),
    ]


def by_rank(image, of_image, of_batch, message="'image' (shape %s) must have either 3 or 4 dimensions."):
    """Returns of_image() for an image of rank 3 and of_batch() for one of rank 4.

    Raises:
      ValueError: if the rank is different.
    """
    shape = image.get_shape()
    if shape.ndims is None:
        return cond(math_ops.equal(array_ops.rank(image), 3), of_image, of_batch)
    if shape.ndims == 3:
        return of_image()
    if shape.ndims == 4:
        return of_batch()
    raise ValueError(message % shape)


def as_batch(image):
    """Returns a batch of images and whether the image was one already.

    Raises:
      ValueError: if the rank is known and not 3 or 4.
    """
    shape = image.get_shape()
    if shape.ndims == 4:
        return image, True
    if shape.ndims not in (3, None):
        raise ValueError(f"'image' (shape {shape}) must have either 3 or 4 dimensions.")
    image = array_ops.expand_dims(image, 0)
    if shape.ndims is None:
        image.set_shape([None] * 4)
    return image, False
