"""Element-wise functions of ragged tensors."""

from ramet.framework import ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_select
from ramet.ops.ragged import ragged_array, ragged_broadcast, ragged_functional, ragged_tensor


def unary(function, *args, **kwargs):
    """Applies a function to the values of its ragged argument, and returns a ragged tensor with the same rows.

    Args:
      function: a function that keeps the shape of its first argument.
      *args: its arguments.
      **kwargs: its keyword arguments.
    """
    args, kwargs = list(args), dict(kwargs)
    place, holder = _first_ragged(args, kwargs)
    ragged = ragged_tensor.convert(holder[place])
    holder[place] = ragged.flat_values
    return ragged.with_flat_values(function(*args, **kwargs))


def _first_ragged(args, kwargs):
    """Returns the key of the first ragged argument, and the list or dict that it is in."""
    for holder in (dict(enumerate(args)), kwargs):
        for place, value in holder.items():
            if is_ragged(value):
                return place, args if holder is not kwargs else kwargs
    raise TypeError('the ragged argument must not be in a list')


def binary(function, *args, **kwargs):
    """Applies a function of two tensors element-wise after broadcasting.

    Args:
      function: a function of two tensors that broadcasts them.
      *args: its arguments, the two tensors first.
      **kwargs: its keyword arguments.

    Returns:
      A RaggedTensor.
    """
    args, kwargs = list(args), dict(kwargs)
    places = [(args, i) for i in range(len(args))] + [(kwargs, name) for name in kwargs if name != 'name']
    (first, i), (second, k) = places[:2]
    x, y, ragged = operands(first[i], second[k])
    first[i], second[k] = x, y
    return ragged(function(*args, **kwargs))


def operands(x, y):
    """Returns the values of two tensors, in the same order, and a function that makes a ragged tensor of such values.

    Args:
      x: a Tensor, RaggedTensor or value.
      y: a Tensor, RaggedTensor or value. At least one is ragged.

    Raises:
      ValueError: if a rank is not known, or dimensions are known to differ.
    """
    x_type, y_type = (v.dtype if is_ragged(v) or isinstance(v, ops.Tensor) else None for v in (x, y))
    x = ragged_tensor.convert(x, preferred_dtype=y_type)
    y = ragged_tensor.convert(y, preferred_dtype=x_type)
    x, y = ragged_tensor.match_row_splits_dtypes(x, y)
    if is_ragged(x) and is_ragged(y) and x.nested_row_splits == y.nested_row_splits and (
            x.flat_values.shape.rank == y.flat_values.shape.rank):
        return x.flat_values, y.flat_values, x.with_flat_values
    for ragged, other in ((x, y), (y, x)):
        inner = ragged.flat_values.shape.rank if is_ragged(ragged) else 0
        rank = None if is_ragged(other) else other.shape.rank
        if rank == 0 or rank is not None and inner is not None and rank < inner:
            parts = [v.flat_values if is_ragged(v) else v for v in (x, y)]
            return *parts, ragged.with_flat_values
    if x.shape.rank is None or y.shape.rank is None:
        raise ValueError('Unable to broadcast: unknown rank')
    return ragged_broadcast.broadcast(x, y)


def where_v2(condition, x=None, y=None, name=None):
    """Implements tf.where_v2 for ragged tensors: the condition and the values are broadcast.

    Args:
      condition: a bool Tensor or RaggedTensor.
      x: values where it is true.
      y: values where it is false.
      name: the name of the scope.

    Raises:
      ValueError: if only one of x and y is given.
    """
    if (x is None) != (y is None):
        raise ValueError('x and y must be either both None or both non-None')
    with ops.name_scope(name, 'RaggedWhere', [condition, x, y]):
        if x is None:
            return ragged_array.where(condition)
        parts = [ragged_tensor.convert(condition), *_of_one_dtype(x, y)]
        shaped = [part for part in parts if is_ragged(part) or part.shape.rank != 0]
        values, ragged = _with_equal_rows(sorted(shaped, key=is_ragged, reverse=True))
        spread = dict(zip(sorted(range(len(shaped)), key=lambda i: not is_ragged(shaped[i])), values))
        flat_parts = iter([spread[i] for i in range(len(shaped))])
        return ragged(array_select.where_v2(*(
            next(flat_parts) if is_ragged(part) or part.shape.rank != 0 else part for part in parts)))


def _with_equal_rows(parts):
    """Returns the values of up to three tensors, the first one ragged, and a function as `operands`."""
    if len(parts) == 1:
        return [parts[0].flat_values], parts[0].with_flat_values
    first, second, ragged = operands(*parts[:2])
    if len(parts) == 2:
        return [first, second], ragged
    pair = [ragged(first), ragged(second)]
    third, made = operands(pair[0], parts[2])[1:]
    return [operands(part, parts[2])[0] for part in pair] + [third], made


def _of_one_dtype(x, y):
    known = next((v.dtype for v in (x, y) if is_ragged(v) or isinstance(v, ops.Tensor)), None)
    return tuple(ragged_tensor.convert(v, preferred_dtype=known) for v in (x, y))


def check(function, *args, **kwargs):
    """Applies a function that checks two tensors to their values after broadcasting.

    Args:
      function: a function of two tensors that returns an operation.
      *args: its arguments, the two tensors first.
      **kwargs: its keyword arguments.
    """
    args, kwargs = list(args), dict(kwargs)
    places = [(args, i) for i in range(len(args))] + [(kwargs, name) for name in ('x', 'y') if name in kwargs]
    (first, i), (second, k) = places[:2]
    first[i], second[k], _ = operands(first[i], second[k])
    return function(*args, **kwargs)


def flat(function, *args, **kwargs):
    """Applies a function to the values of ragged tensors with equal rows, as tf.ragged.map_flat_values does.

    Args:
      function: a function.
      *args: its arguments.
      **kwargs: its keyword arguments.
    """
    return ragged_functional.map_flat_values(function, *args, **kwargs)
