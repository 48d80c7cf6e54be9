"""Compares gradients from tf.gradients with finite differences."""

import numpy as np

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.array import array_ops
from ramet.ops.gradients import gradients
from ramet.ops.math import math_ops

_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.complex64,
          dtypes.complex128)


def _parts(tensor, array):
    """Returns the array as real numbers; complex elements become their real and imaginary parts."""
    return array.view(array.real.dtype) if tensor.dtype.is_complex else array


def _numbers(tensor, shape):
    return int(np.prod(shape)) * (2 if tensor.dtype.is_complex else 1)


def _dense(gradient, shape):
    if not isinstance(gradient, IndexedSlices):
        return gradient
    size = int(np.prod(shape)) // shape[0]
    return math_ops.unsorted_segment_sum(
        array_ops.reshape(gradient.values, [-1, size]), gradient.indices, shape[0])


def _computed(session, x, x_shape, x_value, y, y_shape, feeds):
    """Returns the Jacobian [numbers of x, numbers of y], with one run per number of y."""
    grad_y = ops.convert_to_tensor(np.zeros(y_shape, y.dtype.base_dtype.as_numpy_dtype))
    gradient = gradients.gradients(y, x, grad_ys=grad_y)[0]
    jacobian = np.zeros((_numbers(x, x_shape), _numbers(y, y_shape)),
                        _real_type(x).as_numpy_dtype)
    if gradient is None or 0 in jacobian.shape:
        return jacobian
    gradient = _dense(gradient, x_shape)
    unit = np.zeros(y_shape, y.dtype.base_dtype.as_numpy_dtype)
    flat = _parts(y, unit.reshape(-1))
    for column in range(flat.size):
        flat[column] = 1
        row = session.run(gradient, {grad_y: unit, x: x_value, **feeds})
        jacobian[:, column] = _parts(x, np.ascontiguousarray(row).reshape(-1))
        flat[column] = 0
    return jacobian


def _by_differences(session, x, x_shape, x_value, y, y_shape, delta, feeds):
    """Returns the Jacobian [numbers of x, numbers of y] from central differences with step delta."""
    jacobian = np.zeros((_numbers(x, x_shape), _numbers(y, y_shape)),
                        _real_type(x).as_numpy_dtype)
    if 0 in jacobian.shape:
        return jacobian
    x_value = np.array(x_value, x.dtype.base_dtype.as_numpy_dtype)
    flat = _parts(x, x_value.reshape(-1))
    for row in range(flat.size):
        saved = flat[row].copy()
        sides = []
        for step in (delta, -delta):
            flat[row] = saved + step
            value = session.run(y, {x: x_value, **feeds})
            sides.append(_parts(y, np.ascontiguousarray(value).reshape(-1)))
        flat[row] = saved
        jacobian[row] = (sides[0] - sides[1]).reshape(-1) / (2 * delta)
    return jacobian


def _real_type(tensor):
    return tensor.dtype.base_dtype.real_dtype


def _pair(x, x_shape, y, y_shape, x_init_value, delta, feeds):
    if x.dtype.base_dtype not in _TYPES:
        raise ValueError(f'Unrecognized type {x.dtype.base_dtype}')
    if y.dtype.base_dtype not in _TYPES:
        raise ValueError(f'Unrecognized type {y.dtype.base_dtype}')
    dtype = x.dtype.base_dtype.as_numpy_dtype
    if x_init_value is None:
        x_init_value = np.random.random_sample(x_shape).astype(dtype)
        if x.dtype.is_complex:
            x_init_value = x_init_value + (1j * np.random.random_sample(x_shape)).astype(dtype)
    elif list(np.shape(x_init_value)) != list(x_shape):
        raise ValueError(f'x_init_value has shape {np.shape(x_init_value)}, not {x_shape}')
    session = ops.get_default_session()
    x_value = np.asarray(x_init_value, dtype)
    computed = _computed(session, x, x_shape, x_value, y, y_shape, feeds)
    return computed, _by_differences(
        session, x, x_shape, x_value, y, y_shape, delta, feeds)


@export('test.compute_gradient')
def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None,
                     extra_feed_dict=None):
    """Computes the Jacobian of y with respect to x, in the default session.

    It is computed both with tf.gradients and with finite differences.

    Args:
      x: a Tensor, or a list of them.
      x_shape: its shape as a list of numbers, or a list of these.
      y: a Tensor that depends on x.
      y_shape: its shape as a list of numbers.
      x_init_value: a numpy array, the point. Defaults to random numbers. A list if x is a list.
      delta: the step of the differences.
      init_targets: an Operation or a list of them to run first.
      extra_feed_dict: other tensors to feed.

    Returns:
      Both Jacobians as numpy arrays of shape [numbers of x, numbers of y], where a complex number
      counts as two. A list of such pairs if x is a list.

    Raises:
      ValueError: if x or y does not have a floating-point type, or x_init_value has a different shape.
    """
    if init_targets is not None:
        for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
            target.run()
    feeds = extra_feed_dict or {}
    if not isinstance(x, list):
        return _pair(x, x_shape, y, y_shape, x_init_value, delta, feeds)
    values = x_init_value or [None] * len(x)
    feeds = dict(feeds)
    feeds.update({xi: vi for xi, vi in zip(x, values) if vi is not None})
    return [_pair(xi, si, y, y_shape, vi, delta, {k: v for k, v in feeds.items() if k is not xi})
            for xi, si, vi in zip(x, x_shape, values)]


@export('test.compute_gradient_error')
def compute_gradient_error(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3,
                           init_targets=None, extra_feed_dict=None):
    """Returns the largest difference between the two Jacobians of tf.test.compute_gradient.

    Args:
      x: a Tensor, or a list of them.
      x_shape: its shape as a list of numbers, or a list of these.
      y: a Tensor that depends on x.
      y_shape: its shape as a list of numbers.
      x_init_value: a numpy array, the point. Defaults to random numbers. A list if x is a list.
      delta: the step of the differences.
      init_targets: an Operation or a list of them to run first.
      extra_feed_dict: other tensors to feed.

    Raises:
      ValueError: if x or y does not have a floating-point type, or x_init_value has a different shape.
    """
    pairs = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets,
                             extra_feed_dict)
    pairs = [pairs] if isinstance(pairs, tuple) else pairs
    error = 0
    for computed, numeric in pairs:
        if computed.size or numeric.size:
            difference = np.fabs(computed - numeric).max()
            error = np.maximum(error, difference)
    return error
