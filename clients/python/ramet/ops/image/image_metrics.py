"""Differences between images, and between neighboring pixels."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow.assertions import Assert
from ramet.ops.control_flow.cond import cond
from ramet.ops.image.image_types import convert_image_dtype
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation, nn_convolution, nn_pool

_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


@export('image.total_variation')
def total_variation(images, name=None):
    """Returns the sum of the absolute differences of neighboring pixels.

    Args:
      images: a tensor [height, width, channels] or [batch, height, width, channels].
      name: the name of the operation.

    Returns:
      A scalar, or a vector [batch].

    Raises:
      ValueError: if the rank is not 3 or 4.
    """
    with ops.name_scope(name, 'total_variation'):
        ndims = images.get_shape().ndims
        if ndims == 3:
            down = images[1:, :, :] - images[:-1, :, :]
            right = images[:, 1:, :] - images[:, :-1, :]
            axes = None
        elif ndims == 4:
            down = images[:, 1:, :, :] - images[:, :-1, :, :]
            right = images[:, :, 1:, :] - images[:, :, :-1, :]
            axes = [1, 2, 3]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        return (math_ops.reduce_sum(math_ops.abs(down), axis=axes) +
                math_ops.reduce_sum(math_ops.abs(right), axis=axes))


def _check_alike(a, b):
    """Returns the shapes of two images, and operations that check that they match.

    Raises:
      ValueError: if the known shapes do not match.
    """
    shape_a = a.get_shape().with_rank_at_least(3)
    shape_b = b.get_shape().with_rank_at_least(3)
    shape_a[-3:].assert_is_compatible_with(shape_b[-3:])
    if shape_a.ndims is not None and shape_b.ndims is not None:
        for x, y in zip(reversed(shape_a.dims[:-3]), reversed(shape_b.dims[:-3])):
            if not (x == 1 or y == 1 or x.is_compatible_with(y)):
                raise ValueError(f'Two images are not compatible: {shape_a} and {shape_b}')
    shape_a, shape_b = array_ops.shape_n([a, b])
    checks = [Assert(math_ops.greater_equal(array_ops.size(shape_a), 3), [shape_a, shape_b],
                     summarize=10)]
    checks.append(Assert(math_ops.reduce_all(math_ops.equal(shape_a[-3:], shape_b[-3:])),
                         [shape_a, shape_b], summarize=10))
    return shape_a, shape_b, checks


@export('image.psnr')
def psnr(a, b, max_val, name=None):
    """Returns the peak signal-to-noise ratio of two images, in decibels.

    Args:
      a: a tensor [..., height, width, channels].
      b: a tensor of the same shape.
      max_val: the range of the numbers.
      name: the name of the operation.

    Returns:
      A tensor [...] of float32.
    """
    with ops.name_scope(name, 'PSNR', [a, b]):
        max_val = math_ops.cast(max_val, a.dtype)
        max_val = convert_image_dtype(max_val, dtypes.float32)
        a = convert_image_dtype(a, dtypes.float32)
        b = convert_image_dtype(b, dtypes.float32)
        error = math_ops.reduce_mean(math_ops.squared_difference(a, b), [-3, -2, -1])
        peak = 20 * math_ops.log(max_val) / math_ops.log(10.0)
        ratio = math_ops.subtract(
            peak, np.float32(10 / np.log(10)) * math_ops.log(error), name='psnr')
        _, _, checks = _check_alike(a, b)
        with ops.control_dependencies(checks):
            return array_ops.identity(ratio)


def _similarity(x, y, mean, max_val, k1, k2):
    """Returns the similarity of luminance, and that of contrast and structure."""
    c1 = (k1 * max_val) ** 2
    c2 = (k2 * max_val) ** 2
    mean_x = mean(x)
    mean_y = mean(y)
    product = mean_x * mean_y * 2.0
    squares = math_ops.square(mean_x) + math_ops.square(mean_y)
    luminance = (product + c1) / (squares + c1)
    cross = mean(x * y) * 2.0
    power = mean(math_ops.square(x) + math_ops.square(y))
    c2 *= 1.0
    return luminance, (cross - product + c2) / (power - squares + c2)


def _gaussian(size, sigma):
    """Returns a filter [size, size, 1, 1]."""
    size = ops.convert_to_tensor(size, dtypes.int32)
    sigma = ops.convert_to_tensor(sigma)
    coordinates = math_ops.cast(math_ops.range(size), sigma.dtype)
    coordinates -= math_ops.cast(size - 1, sigma.dtype) / 2.0
    g = math_ops.square(coordinates)
    g *= -0.5 / math_ops.square(sigma)
    g = array_ops.reshape(g, shape=[1, -1]) + array_ops.reshape(g, shape=[-1, 1])
    g = nn_activation.softmax(array_ops.reshape(g, shape=[1, -1]))
    return array_ops.reshape(g, shape=[size, size, 1, 1])


def _per_channel(a, b, max_val, filter_size, filter_sigma, k1, k2, return_index_map=False):
    """Returns the similarity of each channel, and that of contrast and structure."""
    filter_size = constant_op.constant(filter_size, dtype=dtypes.int32)
    filter_sigma = constant_op.constant(filter_sigma, dtype=a.dtype)
    shape_a, shape_b = array_ops.shape_n([a, b])
    checks = [
        Assert(math_ops.reduce_all(math_ops.greater_equal(shape[-3:-1], filter_size)),
               [shape, filter_size], summarize=8)
        for shape in (shape_a, shape_b)]
    with ops.control_dependencies(checks):
        a = array_ops.identity(a)
    kernel = _gaussian(filter_size, filter_sigma)
    kernel = array_ops.tile(kernel, multiples=[1, 1, shape_a[-1], 1])

    def mean(x):
        shape = array_ops.shape(x)
        x = array_ops.reshape(x, shape=array_ops.concat([[-1], shape[-3:]], 0))
        y = nn_convolution.depthwise_conv2d(x, kernel, strides=[1, 1, 1, 1], padding='VALID')
        return array_ops.reshape(y, array_ops.concat([shape[:-3], array_ops.shape(y)[1:]], 0))

    luminance, structure = _similarity(a, b, mean, max_val, k1, k2)
    if return_index_map:
        return luminance * structure, structure
    axes = constant_op.constant([-3, -2], dtype=dtypes.int32)
    similarity = math_ops.reduce_mean(luminance * structure, axes)
    return similarity, math_ops.reduce_mean(structure, axes)


def _prepared(a, b, max_val):
    """Returns both images and max_val as float32, and the shapes of the images."""
    a = ops.convert_to_tensor(a, name='img1')
    b = ops.convert_to_tensor(b, name='img2')
    shape_a, shape_b, checks = _check_alike(a, b)
    with ops.control_dependencies(checks):
        a = array_ops.identity(a)
    max_val = math_ops.cast(max_val, a.dtype)
    max_val = convert_image_dtype(max_val, dtypes.float32)
    a = convert_image_dtype(a, dtypes.float32)
    return a, convert_image_dtype(b, dtypes.float32), max_val, [shape_a, shape_b]


@export('image.ssim')
def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03,
         return_index_map=False):
    """Returns the structural similarity of two images.

    Args:
      img1: a tensor [..., height, width, channels].
      img2: a tensor of the same shape.
      max_val: the range of the numbers.
      filter_size: the size of the Gaussian filter.
      filter_sigma: the width of the Gaussian filter.
      k1: a small number that keeps the ratio of luminances stable.
      k2: a small number that keeps the ratio of contrasts stable.
      return_index_map: whether to return the similarity at each pixel.

    Returns:
      A tensor [...] of float32, or [..., height, width] with return_index_map.
    """
    with ops.name_scope(None, 'SSIM', [img1, img2]):
        img1, img2, max_val, _ = _prepared(img1, img2, max_val)
        similarity, _ = _per_channel(img1, img2, max_val, filter_size, filter_sigma, k1, k2,
                                     return_index_map)
        return math_ops.reduce_mean(similarity, [-1])


def _pad_all(images, remainder):
    padding = array_ops.expand_dims(remainder, -1)
    padding = array_ops.pad(padding, [[1, 0], [1, 0]])
    return [array_ops.pad(x, padding, mode='SYMMETRIC') for x in images]


def _halved(images, heads, tails, divisor_tensor):
    """Returns the images at half their size, and their new sizes."""
    divisor = [1, 2, 2, 1]
    flat = [array_ops.reshape(x, array_ops.concat([[-1], t], 0)) for x, t in zip(images, tails)]
    remainder = tails[0] % divisor_tensor
    odd = math_ops.reduce_any(math_ops.not_equal(remainder, 0))
    padded = cond(odd, lambda: _pad_all(flat, remainder), lambda: flat)
    small = [nn_pool.avg_pool(x, ksize=divisor, strides=divisor, padding='VALID') for x in padded]
    tails = [x[1:] for x in array_ops.shape_n(small)]
    return [array_ops.reshape(x, array_ops.concat([h, t], 0))
            for x, h, t in zip(small, heads, tails)], tails


@export('image.ssim_multiscale')
def ssim_multiscale(img1, img2, max_val, power_factors=_WEIGHTS, filter_size=11, filter_sigma=1.5,
                    k1=0.01, k2=0.03):
    """Returns the structural similarity of two images over several scales.

    Args:
      img1: a tensor [..., height, width, channels].
      img2: a tensor of the same shape.
      max_val: the range of the numbers.
      power_factors: the weights of the scales, each of which is half the size of the one before.
      filter_size: the size of the Gaussian filter.
      filter_sigma: the width of the Gaussian filter.
      k1: a small number that keeps the ratio of luminances stable.
      k2: a small number that keeps the ratio of contrasts stable.

    Returns:
      A tensor [...] of float32.
    """
    with ops.name_scope(None, 'MS-SSIM', [img1, img2]):
        img1, img2, max_val, shapes = _prepared(img1, img2, max_val)
        images = [img1, img2]
        heads = [s[:-3] for s in shapes]
        tails = [s[-3:] for s in shapes]
        divisor = constant_op.constant([2, 2, 1], dtype=dtypes.int32)
        structures = []
        for scale in range(len(power_factors)):
            with ops.name_scope(None, f'Scale{scale}', images):
                if scale > 0:
                    images, tails = _halved(images, heads, tails, divisor)
                similarity, structure = _per_channel(*images, max_val, filter_size, filter_sigma,
                                                     k1, k2)
                structures.append(gen.Relu(structure))
        structures.pop()
        all_scales = array_ops.stack(structures + [gen.Relu(similarity)], axis=-1)
        product = math_ops.reduce_prod(math_ops.pow(all_scales, power_factors), [-1])
        return math_ops.reduce_mean(product, [-1])


@export('image.image_gradients')
def image_gradients(image):
    """Returns the differences of neighboring pixels.

    Args:
      image: a tensor [batch, height, width, channels].

    Returns:
      dy and dx, of the shape of image, with zeros in the last row and column.

    Raises:
      ValueError: if the rank is not 4.
    """
    if image.get_shape().ndims != 4:
        raise ValueError('image_gradients expects a 4D tensor [batch_size, h, w, d], not '
                         f'{image.get_shape()}.')
    image_shape = array_ops.shape(image)
    batch, height, width, depth = array_ops.unstack(image_shape)
    dy = image[:, 1:, :, :] - image[:, :-1, :, :]
    dx = image[:, :, 1:, :] - image[:, :, :-1, :]
    shape = array_ops.stack([batch, 1, width, depth])
    dy = array_ops.concat([dy, array_ops.zeros(shape, image.dtype)], 1)
    dy = array_ops.reshape(dy, image_shape)
    shape = array_ops.stack([batch, height, 1, depth])
    dx = array_ops.concat([dx, array_ops.zeros(shape, image.dtype)], 2)
    return dy, array_ops.reshape(dx, image_shape)


@export('image.sobel_edges')
def sobel_edges(image):
    """Returns the edges of images by Sobel's filters.

    Args:
      image: a tensor [batch, height, width, channels].

    Returns:
      A tensor [batch, height, width, channels, 2]: the changes down and to the right.
    """
    static_shape = image.get_shape()
    image_shape = array_ops.shape(image)
    kernels = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
                        [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])
    kernels = np.expand_dims(np.transpose(kernels, (1, 2, 0)), -2)
    filters = constant_op.constant(kernels, dtype=image.dtype)
    filters = array_ops.tile(filters, [1, 1, image_shape[-1], 1], name='sobel_filters')
    padded = array_ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode='REFLECT')
    output = nn_convolution.depthwise_conv2d(padded, filters, [1, 1, 1, 1], 'VALID')
    output = array_ops.reshape(output, shape=array_ops.concat([image_shape, [2]], 0))
    output.set_shape(static_shape.concatenate([2]))
    return output
