"""Functions on tensors whose arguments or results differ from TensorFlow's."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.keras.backend import config, values
from ramet.ops.array import array_ops
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.sparse import sparse_ops


def _floating(x):
    return math_ops.cast(x, config.floatx()) if x.dtype.base_dtype == dtypes.bool else x


# Reductions.


@export('keras.backend.max')
def max(x, axis=None, keepdims=False):
    """Returns the maximum along axes.

    Args:
      x: a Tensor or Variable.
      axis: an int, a list of ints, or None for all axes.
      keepdims: whether to keep reduced axes with size 1.
    """
    return math_ops.reduce_max(x, axis, keepdims)


@export('keras.backend.min')
@with_args_of(max)
def min(x, axis=None, keepdims=False):
    """Returns the minimum along axes."""
    return math_ops.reduce_min(x, axis, keepdims)


@export('keras.backend.sum')
@with_args_of(max)
def sum(x, axis=None, keepdims=False):
    """Returns the sum along axes."""
    return math_ops.reduce_sum(x, axis, keepdims)


@export('keras.backend.prod')
@with_args_of(max)
def prod(x, axis=None, keepdims=False):
    """Returns the product along axes."""
    return math_ops.reduce_prod(x, axis, keepdims)


@export('keras.backend.mean')
@with_args_of(max)
def mean(x, axis=None, keepdims=False):
    """Returns the mean along axes. Booleans count as 0 and 1."""
    return math_ops.reduce_mean(_floating(x), axis, keepdims)


@export('keras.backend.var')
@with_args_of(max)
def var(x, axis=None, keepdims=False):
    """Returns the variance along axes."""
    return math_ops.reduce_variance(_floating(x), axis=axis, keepdims=keepdims)


@export('keras.backend.std')
@with_args_of(max)
def std(x, axis=None, keepdims=False):
    """Returns the standard deviation along axes."""
    return math_ops.reduce_std(_floating(x), axis=axis, keepdims=keepdims)


@export('keras.backend.any')
@with_args_of(max)
def any(x, axis=None, keepdims=False):
    """Returns whether an element is not zero, along axes."""
    return math_ops.reduce_any(math_ops.cast(x, dtypes.bool), axis, keepdims)


@export('keras.backend.all')
@with_args_of(max)
def all(x, axis=None, keepdims=False):
    """Returns whether all elements are not zero, along axes."""
    return math_ops.reduce_all(math_ops.cast(x, dtypes.bool), axis, keepdims)


@export('keras.backend.argmax')
def argmax(x, axis=-1):
    """Returns the index of the maximum along an axis.

    Args:
      x: a Tensor or Variable.
      axis: an int.
    """
    return math_ops.argmax(x, axis)


@export('keras.backend.argmin')
@with_args_of(argmax)
def argmin(x, axis=-1):
    """Returns the index of the minimum along an axis."""
    return math_ops.argmin(x, axis)


@export('keras.backend.cumsum')
@with_args_of(argmax)
def cumsum(x, axis=0):
    """Returns the cumulative sum along an axis."""
    return math_ops.cumsum(x, axis=axis)


@export('keras.backend.cumprod')
@with_args_of(argmax)
def cumprod(x, axis=0):
    """Returns the cumulative product along an axis."""
    return math_ops.cumprod(x, axis=axis)


# Element-wise functions.


@export('keras.backend.sqrt')
def sqrt(x):
    """Returns the square root, after setting negative elements to zero.

    Args:
      x: a Tensor or Variable.
    """
    x = ops.convert_to_tensor(x)
    zero, infinity = _constant_like(0., x), _constant_like(float('inf'), x)
    return math_ops.sqrt(clip_ops.clip_by_value(x, zero, infinity))


def _constant_like(value, x):
    return ops.convert_to_tensor(value, dtype=x.dtype.base_dtype)


@export('keras.backend.pow')
def pow(x, a):
    """Returns x to the power `a`.

    Args:
      x: a Tensor or Variable.
      a: an int.
    """
    return math_ops.pow(x, a)


@export('keras.backend.clip')
def clip(x, min_value, max_value):
    """Returns the elements, limited to a range.

    Args:
      x: a Tensor or Variable.
      min_value: a number, the lower bound, or None.
      max_value: a number, the upper bound, or None.
    """
    if isinstance(min_value, (int, float)) and isinstance(max_value, (int, float)) and max_value < min_value:
        max_value = min_value
    min_value = -float('inf') if min_value is None else min_value
    max_value = float('inf') if max_value is None else max_value
    return clip_ops.clip_by_value(x, min_value, max_value)


@export('keras.backend.cast')
def cast(x, dtype):
    """Converts to a type.

    Args:
      x: a Tensor or Variable.
      dtype: a DType or the name of one.
    """
    return math_ops.cast(x, dtype)


@export('keras.backend.arange')
def arange(start, stop=None, step=1, dtype='int32'):
    """Returns the numbers from start (inclusive) to stop (exclusive).

    Args:
      start: the first number, or the end if `stop` is None.
      stop: the end.
      step: the difference of two numbers.
      dtype: the type of the result.
    """
    if stop is None and start < 0:
        start = 0
    result = math_ops.range(start, limit=stop, delta=step, name='arange')
    return result if dtype == 'int32' else cast(result, dtype)


# Products.


@export('keras.backend.dot')
def dot(x, y):
    """Multiplies tensors: the last axis of x with the next to last axis of y.

    Args:
      x: a Tensor or SparseTensor.
      y: a Tensor or Variable.

    Returns:
      A Tensor with the other axes of x, then those of y.
    """
    if isinstance(x, SparseTensor):
        return sparse_ops.sparse_tensor_dense_matmul(x, y)
    x_rank, y_rank = values.ndim(x), values.ndim(y)
    if x_rank is None or (x_rank <= 2 and y_rank <= 2):
        return math_ops.matmul(x, y)
    return math_ops.tensordot(x, y, [[x_rank - 1], [y_rank - 2 if y_rank > 1 else 0]])


@export('keras.backend.batch_dot')
def batch_dot(x, y, axes=None):
    """Multiplies the tensors of two batches along an axis of each.

    Args:
      x: a Tensor of rank 2 or more.
      y: a Tensor of rank 2 or more.
      axes: the axis of x and that of y, or one int for both. None means the last axis of x, and the next to last
        one of y.

    Returns:
      A Tensor with the axes of x and y except the multiplied ones, and the batch once. A result of rank 1 gets an
      axis of size 1.

    Raises:
      ValueError: if a rank is less than 2, an axis is that of the batch, or sizes differ.
    """
    x_rank, y_rank = values.ndim(x), values.ndim(y)
    if x_rank < 2 or y_rank < 2:
        raise ValueError(f'Cannot do batch_dot on inputs with rank < 2. Received inputs with shapes {x.shape} and '
                         f'{y.shape}.')
    if axes is None:
        axes = [x_rank - 1, y_rank - 1 if y_rank == 2 else y_rank - 2]
    axes = [axes, axes] if isinstance(axes, int) else list(axes)
    axes = [axis + rank if axis < 0 else axis for axis, rank in zip(axes, (x_rank, y_rank))]
    if 0 in axes:
        raise ValueError('Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy batch '
                         'dimension to your inputs using K.expand_dims(x, 0)')
    sizes = values.int_shape(x)[axes[0]], values.int_shape(y)[axes[1]]
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(f'Cannot do batch_dot on inputs with shapes {values.int_shape(x)} and '
                         f'{values.int_shape(y)} with axes={axes}. x.shape[{axes[0]}] != y.shape[{axes[1]}] '
                         f'({sizes[0]} != {sizes[1]}).')
    letters = 'bcdefghijklmnopqrstuvwxyz'
    left = [letters[i] for i in range(x_rank)]
    right = ['b', *letters[x_rank:x_rank + y_rank - 1]]
    left[axes[0]] = right[axes[1]] = 'a'
    result = ''.join([*(c for c in left if c != 'a'), *(c for c in right[1:] if c != 'a')])
    product = _batched(x, y, axes, x_rank, y_rank) if x_rank <= 3 and y_rank <= 3 else \
        _einsum(f'{"".join(left)},{"".join(right)}->{result}', x, y)
    return array_ops.expand_dims(product, 1) if values.ndim(product) == 1 else product


def _batched(x, y, axes, x_rank, y_rank):
    """Multiplies with one product of batches of matrices."""
    left = array_ops.expand_dims(x, 1) if x_rank == 2 else (
        array_ops.transpose(x, [0, 2, 1]) if axes[0] == 1 else x)
    right = array_ops.expand_dims(y, 2) if y_rank == 2 else (
        array_ops.transpose(y, [0, 2, 1]) if axes[1] == 2 else y)
    product = math_ops.matmul(left, right)
    unwanted = ([1] if x_rank == 2 else []) + ([2] if y_rank == 2 else [])
    return array_ops.squeeze(product, unwanted) if unwanted else product


def _einsum(equation, x, y):
    from ramet.ops.math import special_math_ops  # deferred: needed only for tensors of rank 4 and more
    return special_math_ops.einsum(equation, x, y)


@export('keras.backend.l2_normalize')
def l2_normalize(x, axis=None):
    """Divides by the Euclidean norm along an axis.

    Args:
      x: a Tensor or Variable.
      axis: an int, or None for the whole tensor.
    """
    return nn_activation.l2_normalize(x, axis=axis)


# Shapes.


@export('keras.backend.transpose')
def transpose(x):
    """Reverses the order of the axes.

    Args:
      x: a Tensor or Variable.
    """
    return array_ops.transpose(x)


@export('keras.backend.permute_dimensions')
def permute_dimensions(x, pattern):
    """Changes the order of the axes.

    Args:
      x: a Tensor or Variable.
      pattern: the new order, a tuple of ints.
    """
    return array_ops.transpose(x, perm=pattern)


@export('keras.backend.expand_dims')
def expand_dims(x, axis=-1):
    """Adds an axis of size 1.

    Args:
      x: a Tensor or Variable.
      axis: its index in the result.
    """
    return array_ops.expand_dims(x, axis)


@export('keras.backend.squeeze')
def squeeze(x, axis):
    """Removes an axis of size 1.

    Args:
      x: a Tensor or Variable.
      axis: its index.
    """
    return array_ops.squeeze(x, [axis])


@export('keras.backend.flatten')
def flatten(x):
    """Returns a vector of all elements.

    Args:
      x: a Tensor or Variable.
    """
    return array_ops.reshape(x, [-1])


@export('keras.backend.batch_flatten')
def batch_flatten(x):
    """Returns a matrix: all axes but the first become one.

    Args:
      x: a Tensor or Variable.
    """
    shape = array_ops.shape(x)
    size = math_ops.reduce_prod(shape[1:])
    known = ops.convert_to_tensor(x).shape[1:].num_elements()
    return array_ops.reshape(x, array_ops.stack([-1, size if known is None else known]))


@export('keras.backend.concatenate')
def concatenate(tensors, axis=-1):
    """Joins tensors along an axis.

    Args:
      tensors: a list of Tensors.
      axis: an int.
    """
    if axis < 0:
        rank = values.ndim(tensors[0])
        axis = axis % rank if rank else 0
    return array_ops.concat([values.to_dense(x) for x in tensors], axis)


@export('keras.backend.repeat')
def repeat(x, n):
    """Repeats a matrix along a new axis 1.

    Args:
      x: a Tensor of shape [samples, size].
      n: the number of repetitions.

    Returns:
      A Tensor of shape [samples, n, size].
    """
    return array_ops.tile(array_ops.expand_dims(x, 1), array_ops.stack([1, n, 1]))


@export('keras.backend.repeat_elements')
def repeat_elements(x, rep, axis):
    """Repeats each element along an axis.

    Args:
      x: a Tensor.
      rep: the number of repetitions.
      axis: an int.
    """
    shape = x.shape.as_list()
    if shape[axis] is not None:
        parts = array_ops.split(x, shape[axis], axis=axis)
        return concatenate([part for part in parts for _ in range(rep)], axis)
    rank = len(shape)
    spread = array_ops.tile(array_ops.expand_dims(x, axis + 1),
                            [rep if i == axis + 1 else 1 for i in range(rank + 1)])
    factors = ops.convert_to_tensor([rep if i == axis else 1 for i in range(rank)])
    result = array_ops.reshape(spread, array_ops.shape(x) * factors)
    result.set_shape(shape)
    return result


@export('keras.backend.tile')
def tile(x, n):
    """Repeats a tensor along each axis.

    Args:
      x: a Tensor or Variable.
      n: the number of repetitions for each axis.
    """
    return array_ops.tile(x, [n] if isinstance(n, int) else n)


@export('keras.backend.reverse')
def reverse(x, axes):
    """Reverses the elements along axes.

    Args:
      x: a Tensor or Variable.
      axes: an int or a list of ints.
    """
    return gen.ReverseV2(x, [axes] if isinstance(axes, int) else axes)


@export('keras.backend.one_hot')
def one_hot(indices, num_classes):
    """Returns one-hot vectors.

    Args:
      indices: an integer Tensor.
      num_classes: the size of the new last axis.
    """
    return array_ops.one_hot(indices, depth=num_classes, axis=-1)


@export('keras.backend.zeros_like')
def zeros_like(x, dtype=None, name=None):
    """Returns a tensor of zeros.

    Args:
      x: a Tensor or Variable with its shape.
      dtype: its type, or None for that of x.
      name: its name.
    """
    return array_ops.zeros_like(x, dtype=dtype, name=name)


@export('keras.backend.ones_like')
def ones_like(x, dtype=None, name=None):
    """Returns a tensor of ones.

    Args:
      x: a Tensor or Variable with its shape.
      dtype: its type, or None for that of x.
      name: its name.
    """
    return array_ops.ones_like(x, dtype=dtype, name=name)


@export('keras.backend.gather')
def gather(reference, indices):
    """Returns rows of a tensor.

    Args:
      reference: a Tensor or Variable.
      indices: an integer Tensor.
    """
    return array_ops.gather(reference, indices)


# Padding.


@export('keras.backend.temporal_padding')
def temporal_padding(x, padding=(1, 1)):
    """Adds zeros to the middle axis of a tensor of rank 3.

    Args:
      x: a Tensor.
      padding: how many to add before and after.
    """
    return array_ops.pad(x, [[0, 0], list(padding), [0, 0]])


@export('keras.backend.spatial_2d_padding')
def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    """Adds zeros to the spatial axes of images.

    Args:
      x: a Tensor.
      padding: for each spatial axis, how many to add before and after.
      data_format: 'channels_last' or 'channels_first'; None means the default of tf.keras.
    """
    return pad_spatial(x, padding, data_format)


@export('keras.backend.spatial_3d_padding')
@with_args_of(spatial_2d_padding)
def spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None):
    """Adds zeros to the spatial axes of volumes."""
    return pad_spatial(x, padding, data_format)


def pad_spatial(x, padding, data_format):
    """Adds zeros to the spatial axes; see spatial_2d_padding."""
    spatial = [list(pair) for pair in padding]
    first = (data_format or config.image_data_format()) == 'channels_first'
    return array_ops.pad(x, [[0, 0], [0, 0], *spatial] if first else [[0, 0], *spatial, [0, 0]])


@export('keras.backend.resize_images')
def resize_images(x, height_factor, width_factor, data_format, interpolation='nearest'):
    """Enlarges images by integer factors.

    Args:
      x: a Tensor of rank 4.
      height_factor: a positive int.
      width_factor: a positive int.
      data_format: 'channels_last' or 'channels_first'.
      interpolation: 'nearest' or 'bilinear'.

    Raises:
      ValueError: if an argument is invalid.
    """
    if interpolation not in ('nearest', 'bilinear'):
        raise ValueError('interpolation should be one of "nearest" or "bilinear".')
    if data_format not in ('channels_last', 'channels_first'):
        raise ValueError(f'Invalid `data_format` argument: {data_format}')
    first = 2 if data_format == 'channels_first' else 1
    if interpolation == 'nearest':
        return repeat_spatial(x, (height_factor, width_factor), first)
    x = array_ops.transpose(x, [0, 2, 3, 1]) if first == 2 else x
    shape = values.int_shape(x)
    size = array_ops.shape(x)[1:3] * ops.convert_to_tensor([height_factor, width_factor])
    resized = gen.ResizeBilinear(x, size, half_pixel_centers=True)
    resized.set_shape([shape[0], *(None if s is None else s * f for s, f in
                                   zip(shape[1:3], (height_factor, width_factor))), shape[3]])
    return array_ops.transpose(resized, [0, 3, 1, 2]) if first == 2 else resized


def repeat_spatial(x, factors, first):
    """Repeats each element along the axes from `first` on, by one factor per axis."""
    for axis, factor in enumerate(factors, first):
        x = repeat_elements(x, factor, axis)
    return x


@export('keras.backend.resize_volumes')
def resize_volumes(x, depth_factor, height_factor, width_factor, data_format):
    """Enlarges volumes by integer factors.

    Args:
      x: a Tensor of rank 5.
      depth_factor: a positive int.
      height_factor: a positive int.
      width_factor: a positive int.
      data_format: 'channels_last' or 'channels_first'.

    Raises:
      ValueError: if data_format is invalid.
    """
    if data_format not in ('channels_last', 'channels_first'):
        raise ValueError(f'Invalid data_format: {data_format}')
    return repeat_spatial(x, (depth_factor, height_factor, width_factor), 2 if data_format == 'channels_first' else 1)
