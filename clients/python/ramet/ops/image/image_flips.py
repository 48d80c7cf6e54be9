"""Mirror images, and rotations by quarters of a turn."""

import functools

from ramet.api import export
from ramet.framework import dtypes, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.control_flow.cond import cond
from ramet.ops.control_flow.control_flow_case import case
from ramet.ops.image import image_checks
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


def _with_shape_of(image, result):
    if image.get_shape() == tensor_shape.unknown_shape():
        result.set_shape([None, None, None])
    else:
        result.set_shape(image.get_shape())
    return result


def _random_flip(image, axis, draw, scope_name):
    with ops.name_scope(None, scope_name, [image]) as scope:
        image = image_checks.at_least_3d(ops.convert_to_tensor(image, name='image'))

        def of_image():
            mirrored = math_ops.less(draw(shape=[], minval=0, maxval=1.0), .5)
            result = cond(mirrored, lambda: array_ops.reverse(image, [axis]), lambda: image,
                          name=scope)
            return _with_shape_of(image, result)

        def of_batch():
            batch = array_ops.shape(image)[0]
            drawn = draw(shape=[batch], minval=0, maxval=1.0)
            flips = math_ops.round(array_ops.reshape(drawn, [batch, 1, 1, 1]))
            flips = math_ops.cast(flips, image.dtype)
            flipped = array_ops.reverse(image, [axis + 1])
            return flips * flipped + (1 - flips) * image

        return image_checks.by_rank(image, of_image, of_batch)


@export('image.random_flip_up_down')
def random_flip_up_down(image, seed=None):
    """Turns an image upside down with probability 1/2.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].
      seed: an integer; see tf.set_random_seed.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4.
    """
    draw = functools.partial(random_ops.random_uniform, seed=seed)
    return _random_flip(image, 0, draw, 'random_flip_up_down')


@export('image.random_flip_left_right')
def random_flip_left_right(image, seed=None):
    """Mirrors an image, left to right, with probability 1/2.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].
      seed: an integer; see tf.set_random_seed.

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4.
    """
    draw = functools.partial(random_ops.random_uniform, seed=seed)
    return _random_flip(image, 1, draw, 'random_flip_left_right')


def _flip(image, axis, scope_name):
    with ops.name_scope(None, scope_name, [image]):
        image = image_checks.at_least_3d(ops.convert_to_tensor(image, name='image'))
        return image_checks.by_rank(
            image,
            lambda: _with_shape_of(image, array_ops.reverse(image, [axis])),
            lambda: array_ops.reverse(image, [axis + 1]),
            "'image' (shape %s)must have either 3 or 4 dimensions.")


@export('image.flip_left_right')
def flip_left_right(image):
    """Mirrors an image, left to right.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4.
    """
    return _flip(image, 1, 'flip_left_right')


@export('image.flip_up_down')
def flip_up_down(image):
    """Turns an image upside down.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].

    Returns:
      A tensor of the same shape and dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4.
    """
    return _flip(image, 0, 'flip_up_down')


def _quarter_turns(image, k, rows, swap, name):
    """Turns images, whose rows are dimension `rows`; `swap` exchanges rows and columns."""
    cases = [
        (math_ops.equal(k, 1),
         lambda: array_ops.transpose(array_ops.reverse_v2(image, [rows + 1]), swap)),
        (math_ops.equal(k, 2), lambda: array_ops.reverse_v2(image, [rows, rows + 1])),
        (math_ops.equal(k, 3),
         lambda: array_ops.reverse_v2(array_ops.transpose(image, swap), [rows + 1])),
    ]
    return case(cases, default=lambda: image, exclusive=True, name=name)


@export('image.rot90')
def rot90(image, k=1, name=None):
    """Turns an image counter-clockwise by quarters of a turn.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].
      k: a scalar integer, the number of quarters.
      name: the name of the operation.

    Returns:
      A tensor of the same rank and dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4.
    """
    with ops.name_scope(name, 'rot90', [image, k]) as scope:
        image = image_checks.at_least_3d(ops.convert_to_tensor(image, name='image'))
        k = ops.convert_to_tensor(k, dtype=dtypes.int32, name='k')
        k.get_shape().assert_has_rank(0)
        k = k % 4

        def of_image():
            result = _quarter_turns(image, k, 0, [1, 0, 2], scope)
            result.set_shape([None, None, image.get_shape()[2]])
            return result

        def of_batch():
            result = _quarter_turns(image, k, 1, [0, 2, 1, 3], scope)
            shape = result.get_shape()
            result.set_shape([shape[0], None, None, shape[3]])
            return result

        return image_checks.by_rank(image, of_image, of_batch)


@export('image.transpose', 'image.transpose_image')
def transpose(image, name=None):
    """Exchanges the rows and columns of an image.

    Args:
      image: a tensor [height, width, channels] or [batch, height, width, channels].
      name: the name of the operation.

    Returns:
      A tensor of the same rank and dtype.

    Raises:
      ValueError: if the rank of image is not 3 or 4.
    """
    with ops.name_scope(name, 'transpose', [image]):
        image = image_checks.at_least_3d(ops.convert_to_tensor(image, name='image'))
        return image_checks.by_rank(
            image,
            lambda: array_ops.transpose(image, [1, 0, 2], name=name),
            lambda: array_ops.transpose(image, [0, 2, 1, 3], name=name))
