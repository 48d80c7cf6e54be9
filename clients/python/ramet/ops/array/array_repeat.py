"""repeat."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_basics, array_fill, array_join, array_select


@export('repeat')
def repeat(input, repeats, axis=None, name=None):
    """Repeats elements.

    Args:
      input: a tensor.
      repeats: an integer scalar, or a 1-D tensor with a count for each element along `axis`.
      axis: an int, the dimension. If it is not given, `input` is flattened first.
      name: the name of the scope.

    Returns:
      A tensor like `input`, longer along `axis`.
    """
    if axis is None:
        input = array_basics.reshape(input, [-1])
        axis = 0
    return repeat_with_axis(input, repeats, axis, name)


def repeat_with_axis(data, repeats, axis, name=None):
    if not isinstance(axis, int):
        raise TypeError(f'Argument `axis` must be an int. Received `axis` = {axis} of type '
                        f'{type(axis).__name__}')
    with ops.name_scope(name, 'Repeat', [data, repeats]):
        data = ops.convert_to_tensor(data, name='data')
        repeats = _counts(repeats)
        repeats.shape.with_rank_at_most(1)
        data = _with_nonzero_rank(data)
        data_shape = array_basics.shape(data, out_type=repeats.dtype)
        axis = _nonnegative_axis(axis, data.shape.rank, 'axis', 'rank(data)')
        if repeats.shape.num_elements() == 1:
            return _repeat_all(data, repeats, axis, data_shape)
        return _repeat_each(data, repeats, axis, data_shape)


def _counts(repeats):
    repeats = ops.convert_to_tensor(repeats, name='repeats', preferred_dtype=dtypes.int32)
    wanted = repeats.dtype if repeats.dtype in (dtypes.int32, dtypes.int64) else dtypes.int32
    return gen.Cast(repeats, wanted)


def _nonnegative_axis(axis, rank, axis_name, rank_name):
    if axis >= 0 and rank is None:
        return axis
    if rank is None:
        raise ValueError(f'{axis_name} may only be negative if {rank_name} is statically known.')
    if not -rank <= axis < rank:
        raise ValueError(f'{axis_name}={axis} out of bounds: expected {-rank}<={axis_name}<{rank}')
    return axis + rank if axis < 0 else axis


def _repeat_all(data, repeats, axis, data_shape):
    count = array_basics.reshape(repeats, [])
    spread = _tile_one(array_basics.expand_dims(data, axis + 1), axis + 1, count)
    whole = array_join.concat(
        [data_shape[:axis], [count * data_shape[axis]], data_shape[axis + 1:]], axis=0)
    return array_basics.reshape(spread, whole)


def _repeat_each(data, repeats, axis, data_shape):
    repeats = gen.BroadcastTo(repeats, [data_shape[axis]])
    counts = repeats if axis == 0 else _counts_of_all(repeats, axis, data_shape)
    dims = constant_op.constant(list(range(axis + 1)), dtypes.int32)
    greatest = gen.Max(counts, dims)
    most = gen.Maximum(constant_op.constant(0, counts.dtype, name='zero'), greatest)
    mask = array_select.sequence_mask(counts, most)
    spread = _tile_one(array_basics.expand_dims(data, axis + 1), axis + 1, most)
    chosen = array_select.boolean_mask(spread, mask)
    if axis == 0:
        return chosen
    count = gen.Sum(repeats, gen.Range(start=0, limit=array_basics.rank(repeats), delta=1))
    whole = array_join.concat([data_shape[:axis], [count], data_shape[axis + 1:]], axis=0)
    return array_basics.reshape(chosen, whole)


def _counts_of_all(repeats, axis, data_shape):
    own_shape = array_basics.shape(repeats)
    own_rank = array_basics.rank(repeats)
    whole = array_join.concat([data_shape[:axis + 1 - own_rank], own_shape], axis=0)
    counts = gen.BroadcastTo(repeats, whole)
    counts.set_shape([None] * (axis + 1))
    return counts


def _with_nonzero_rank(data):
    if data.shape.rank is not None:
        return array_join.stack([data]) if data.shape.rank == 0 else data
    data_shape = array_basics.shape(data)
    own_rank = array_basics.rank(data)
    padded = array_join.concat([[1], data_shape], axis=0)[-own_rank:]
    return array_basics.reshape(data, padded)


def _tile_one(data, axis, count):
    if data.shape.rank is not None:
        multiples = [1] * data.shape.rank
        multiples[axis] = count
    else:
        whole = array_fill.ones(array_basics.rank(data), dtypes.int32)
        multiples = array_join.concat([whole[:axis], [count], whole[axis + 1:]], axis=0)
    return gen.Tile(data, multiples)
