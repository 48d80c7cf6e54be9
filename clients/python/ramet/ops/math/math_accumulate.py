"""Cumulative sums and products, and sums of several tensors."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_shape
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.array import array_basics

Tensor = ops.Tensor


@export('cumsum', 'math.cumsum')
def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Returns the cumulative sums along a dimension.

    Args:
      x: a tensor of numbers.
      axis: an int32 scalar in [-rank, rank).
      exclusive: whether to leave each element out of its own sum.
      reverse: whether to start from the end.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'Cumsum', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        return gen.Cumsum(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


@export('cumprod', 'math.cumprod')
def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Returns the cumulative products along a dimension.

    Args:
      x: a tensor of numbers.
      axis: an int32 scalar in [-rank, rank).
      exclusive: whether to leave each element out of its own product.
      reverse: whether to start from the end.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'Cumprod', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        return gen.Cumprod(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


@export('math.cumulative_logsumexp')
def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """Returns the cumulative log(sum(exp(...))) along a dimension.

    Args:
      x: a tensor of floating-point numbers.
      axis: an int32 scalar in [-rank, rank).
      exclusive: whether to leave each element out of its own sum.
      reverse: whether to start from the end.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'CumulativeLogsumexp', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        return gen.CumulativeLogsumexp(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


@export('add_n', 'math.add_n')
def add_n(inputs, name=None):
    """Adds tensors of one dtype and shape.

    Args:
      inputs: a list of tensors or IndexedSlices.
      name: the name of the node.

    Returns:
      A tensor. A single input is returned unchanged if there is no name.

    Raises:
      ValueError: if the list is empty, or the shapes differ.
    """
    try:
        tensors = [value if isinstance(value, (Tensor, IndexedSlices))
                   else ops.convert_to_tensor(value) for value in inputs]
    except (TypeError, ValueError):
        tensors = []
        if not hasattr(inputs, '__iter__'):
            raise
    if not tensors:
        raise ValueError('Inputs must be an iterable of at least one Tensor/IndexedSlices with '
                         'the same dtype and shape.')
    if len(tensors) > 1:
        return gen.AddN(tensors, name=name)
    if isinstance(tensors[0], IndexedSlices):
        only = ops.convert_to_tensor(tensors[0])
    else:
        only = tensors[0]
    return array_basics.identity(only, name=name) if name else only


@export('accumulate_n', 'math.accumulate_n')
def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """Adds tensors of one dtype and shape (add_n with checks).

    Args:
      inputs: a list of tensors.
      shape: their shape, as far as it is known.
      tensor_dtype: their dtype.
      name: the name of the node.

    Returns:
      A tensor.

    Raises:
      TypeError: if `tensor_dtype` is not their dtype.
      ValueError: if the list is empty, or dtypes or shapes differ.
    """
    def refuse():
        raise ValueError('inputs must be a list of at least one Tensor with the same dtype and '
                         'shape')
    if not inputs or not isinstance(inputs, (list, tuple)):
        refuse()
    tensors = [ops.convert_to_tensor(value) for value in inputs]
    if any(tensor.dtype != tensors[0].dtype for tensor in tensors):
        refuse()
    merged = tensor_shape.as_shape(shape)
    for tensor in tensors:
        merged = merged.merge_with(tensor.shape)
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) != tensors[0].dtype:
        raise TypeError(f'The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type '
                        f'{tensors[0].dtype}. These must be equal. Try casting the input to the '
                        'desired type.')
    if len(tensors) == 1:
        return tensors[0] if name is None else array_basics.identity(tensors[0], name=name)
    return add_n(tensors, name=name)
