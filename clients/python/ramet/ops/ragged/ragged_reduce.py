"""tf.reduce_* for ragged tensors."""

from ramet import gen
from ramet.framework import constant_op, dtypes, ops, tensor_util
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_fill, array_gather
from ramet.ops.array.array_basics import one_of
from ramet.ops.math import math_cast, math_divide, math_reduce
from ramet.ops.ragged import ragged_tensor
from ramet.ops.ragged.ragged_axis import positive_axis
from ramet.ops.ragged.ragged_tensor import RaggedTensor
from ramet.ops.strings import string_ops


def segments(build, data, segment_ids, count):
    """Applies an op of segments to rows. The result has a row for each segment.

    Args:
      build: the function of the op: build(values, segment_ids, count).
      data: a Tensor or RaggedTensor.
      segment_ids: an integer vector.
      count: an integer scalar, the number of segments.
    """
    if is_ragged(data):
        return _ragged_segments(build, data, segment_ids, count)
    return build(data, segment_ids, count)


def _ragged_segments(build, data, segment_ids, count):
    """Reduces the rows with one segment id element-wise. The longest row gives the length of the result."""
    checked = math_cast.cast(segment_ids, data.row_splits.dtype)
    count = math_cast.cast(count, data.row_splits.dtype)
    lengths = gen.Maximum(gen.UnsortedSegmentMax(data.row_lengths(), checked, count),
                          constant_op.constant(0, dtype=data.row_splits.dtype))
    total = gen.Cumsum(lengths, 0)
    starts = total - lengths
    zero = constant_op.constant([0], dtype=data.row_splits.dtype)
    splits = _joined(zero, total)
    places = array_gather.gather(starts, checked)
    rowids = data.value_rowids()
    within = _places(data)
    ids = array_gather.gather(places, rowids) + within
    values = segments(build, data.values, ids, splits[-1])
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def _joined(first, rest):
    return gen.ConcatV2([first, rest], 0)


def _places(data):
    """Returns the place of each value in its row."""
    count = array_basics.shape(data.value_rowids(), out_type=data.row_splits.dtype)[0]
    zero, one = (constant_op.constant(n, dtype=data.row_splits.dtype) for n in (0, 1))
    return gen.Range(zero, count, one) - array_gather.gather(data.row_splits, data.value_rowids())


def _reduce(reduce_dense, build, ragged, axis, keepdims):
    """Reduces a tensor.

    Args:
      reduce_dense: the function for Tensors: reduce_dense(tensor, axis, keepdims).
      build: the function for segments: build(values, segment_ids, count).
      ragged: a Tensor or RaggedTensor.
      axis: an int, a list of ints or None.
      keepdims: whether to keep the dimensions with size 1.
    """
    if not is_ragged(ragged):
        return reduce_dense(ragged, axis, keepdims)
    if axis is None:
        result = reduce_dense(ragged.flat_values, None, keepdims)
        if keepdims:
            for _ in range(ragged.ragged_rank):
                result = array_basics.expand_dims(result, 0)
        return result
    if isinstance(axis, (list, tuple)):
        if not axis:
            return ragged
        if len(axis) > 1:
            return _reduce_several(reduce_dense, build, ragged, axis, keepdims)
        axis = axis[0]
    axis = positive_axis(axis, ragged.shape.rank, ndims_name='rank(input_tensor)')
    if axis == 0:
        count = gen.Maximum(math_reduce.reduce_max(ragged.row_lengths()),
                            constant_op.constant(0, dtype=ragged.row_splits.dtype))
        result = segments(build, ragged.values, _places(ragged), count)
        return _expanded(result, 0, ragged) if keepdims else result
    if axis == 1:
        result = segments(build, ragged.values, ragged.value_rowids(), ragged.nrows())
        return _expanded(result, 1, ragged) if keepdims else result
    return ragged.with_values(_reduce(reduce_dense, build, ragged.values, axis - 1, keepdims))


def _expanded(result, axis, ragged):
    """Adds a dimension of size 1 to the result."""
    if not is_ragged(result):
        return array_basics.expand_dims(result, axis)
    one = constant_op.constant(1, dtype=ragged.row_splits.dtype)
    if axis == 0:
        return RaggedTensor.from_uniform_row_length(result, result.nrows(), nrows=1, validate=False)
    return RaggedTensor.from_uniform_row_length(result, one, nrows=result.nrows(), validate=False)


def _reduce_several(reduce_dense, build, ragged, axis, keepdims):
    if ragged.shape.rank is None:
        raise ValueError('rank(input_tensor) must be known to reduce several dimensions.')
    axes = sorted(positive_axis(a, ragged.shape.rank) for a in axis)
    for previous, current in zip(axes, axes[1:]):
        if previous == current:
            raise ValueError(f'Duplicate axis: {axis}')
    inner = _reduce(reduce_dense, build, ragged, axes[-1], keepdims)
    return _reduce(reduce_dense, build, inner, axes[:-1], keepdims)


def _constant_axis(axis):
    if not isinstance(axis, ops.Tensor):
        return axis
    known = tensor_util.constant_value(axis)
    if known is None:
        raise ValueError('axis must be known at graph construction time.')
    return known.tolist()


def _arguments(x, axis, keepdims, reduction_indices, keep_dims):
    axis = one_of('axis', axis, 'reduction_indices', reduction_indices)
    keepdims = one_of('keepdims', keepdims, 'keep_dims', keep_dims, False)
    return ragged_tensor.convert(x, name='rt_input'), _constant_axis(axis), keepdims


def _reduction(scope, reduce_dense, build):
    def reduce(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
        x, axis, keepdims = _arguments(input_tensor, axis, keepdims, reduction_indices, keep_dims)
        with ops.name_scope(name, scope, [x]):
            return _reduce(lambda t, a, k: reduce_dense(t, axis=a, keepdims=k), build, x, axis, keepdims)

    return reduce


reduce_sum = _reduction('RaggedReduceSum', math_reduce.reduce_sum, gen.UnsortedSegmentSum)
reduce_prod = _reduction('RaggedReduceProd', math_reduce.reduce_prod, gen.UnsortedSegmentProd)
reduce_min = _reduction('RaggedReduceMin', math_reduce.reduce_min, gen.UnsortedSegmentMin)
reduce_max = _reduction('RaggedReduceMax', math_reduce.reduce_max, gen.UnsortedSegmentMax)


def _as_numbers(build):
    """Returns an op of segments of bools, made of one for integers."""

    def apply(data, segment_ids, count):
        return math_cast.cast(build(math_cast.cast(data, dtypes.int32), segment_ids, count), dtypes.bool)

    return apply


reduce_all = _reduction('RaggedReduceAll', math_reduce.reduce_all, _as_numbers(gen.UnsortedSegmentProd))
reduce_any = _reduction('RaggedReduceAny', math_reduce.reduce_any, _as_numbers(gen.UnsortedSegmentSum))


def reduce_mean(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                keep_dims=None):
    """Implements tf.reduce_mean for ragged tensors: the sum divided by the number of values.

    Args:
      input_tensor: a RaggedTensor.
      axis: an int, a list of ints or None for all dimensions.
      keepdims: whether to keep the dimensions with size 1.
      name: the name of the scope.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.
    """
    x, axis, keepdims = _arguments(input_tensor, axis, keepdims, reduction_indices, keep_dims)
    with ops.name_scope(name, 'RaggedReduceMean', [x]):
        total = reduce_sum(x, axis, keepdims)
        ones = array_fill.ones_like(x.flat_values)
        counts = reduce_sum(x.with_flat_values(ones), axis, keepdims)
        if is_ragged(total):
            quotient = math_divide.divide(total.flat_values, counts.flat_values)
            return total.with_flat_values(quotient)
        return math_divide.divide(total, counts)


def _squares(x):
    return x.with_flat_values(gen.Square(x.flat_values))


def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """Implements tf.math.reduce_variance for ragged tensors: the mean of squares less the squared mean.

    Args:
      input_tensor: a RaggedTensor.
      axis: an int, a list of ints or None for all dimensions.
      keepdims: whether to keep the dimensions with size 1.
      name: the name of the scope.
    """
    x = ragged_tensor.convert(input_tensor, name='rt_input')
    with ops.name_scope(name, 'RaggedReduceVariance', [x]):
        squares, mean = reduce_mean(_squares(x), axis, keepdims), reduce_mean(x, axis, keepdims)
        if is_ragged(mean):
            return mean.with_flat_values(squares.flat_values - gen.Square(mean.flat_values))
        return squares - gen.Square(mean)


def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """Implements tf.math.reduce_std for ragged tensors.

    Args:
      input_tensor: a RaggedTensor.
      axis: an int, a list of ints or None for all dimensions.
      keepdims: whether to keep the dimensions with size 1.
      name: the name of the scope.
    """
    with ops.name_scope(name, 'RaggedReduceStd', [input_tensor]):
        variance = reduce_variance(input_tensor, axis, keepdims)
        if is_ragged(variance):
            return variance.with_flat_values(gen.Sqrt(variance.flat_values))
        return gen.Sqrt(variance)


def reduce_join(inputs, axis=None, keep_dims=None, separator='', name=None, reduction_indices=None,
                keepdims=None):
    """Implements tf.strings.reduce_join for ragged tensors.

    Args:
      inputs: a RaggedTensor of strings.
      axis: an int, a list of ints or None for all dimensions.
      keep_dims: deprecated name of `keepdims`.
      separator: the text to insert between strings.
      name: the name of the scope.
      reduction_indices: deprecated name of `axis`.
      keepdims: whether to keep the dimensions with size 1.
    """
    x, axis, keepdims = _arguments(inputs, axis, keepdims, reduction_indices, keep_dims)

    def dense(tensor, axis, keepdims):
        return string_ops.reduce_join(tensor, axis=axis, keepdims=keepdims, separator=separator)

    def build(data, segment_ids, count):
        return gen.UnsortedSegmentJoin(data, segment_ids, count, separator=separator)

    with ops.name_scope(name, 'RaggedReduceJoin', [x]):
        return _reduce(dense, build, x, axis, keepdims)
