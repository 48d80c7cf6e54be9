"""Selects elements: where, boolean_mask, one_hot, sequence_mask, unique, searchsorted."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, tensor_shape, tensor_util
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.array import array_basics, array_fill, array_join
from ramet.ops.array.array_gather import gather

Tensor = ops.Tensor


def _where(select, condition, x, y, name):
    if x is None and y is None:
        with ops.name_scope(name, 'Where', [condition]) as scope:
            condition = ops.convert_to_tensor(condition, preferred_dtype=dtypes.bool,
                                              name='condition')
            return gen.Where(condition, name=scope)
    if x is None or y is None:
        raise ValueError('x and y must both be non-None or both be None.')
    return select(condition, x, y, name=name)


@export('where')
def where(condition, x=None, y=None, name=None):
    """Returns the positions where `condition` is True, or elements of `x` and `y`.

    Args:
      condition: a bool tensor.
      x: a tensor of the shape of `condition`, or with more dimensions if that is a vector.
      y: a tensor like `x`.
      name: the name of the node.

    Returns:
      Without `x` and `y`, an int64 matrix with one row of indices per position. Otherwise a tensor
      like `x`, with elements of `x` where `condition` is True and of `y` elsewhere.

    Raises:
      ValueError: if only one of `x` and `y` is given.
    """
    return _where(gen.Select, condition, x, y, name)


@export('where_v2')
def where_v2(condition, x=None, y=None, name=None):
    """Returns the positions where `condition` is True, or elements of `x` and `y` with broadcasting.

    Args:
      condition: a bool tensor.
      x: a tensor.
      y: a tensor with the dtype of `x`. The three shapes must broadcast.
      name: the name of the node.

    Returns:
      Without `x` and `y`, an int64 matrix with one row of indices per position. Otherwise a tensor.

    Raises:
      ValueError: if only one of `x` and `y` is given.
    """
    return _where(gen.SelectV2, condition, x, y, name)


@export('boolean_mask')
def boolean_mask(tensor, mask, name='boolean_mask', axis=None):
    """Selects the elements where a mask is True.

    Args:
      tensor: a tensor.
      mask: a bool tensor of known rank at least 1; its shape matches that of `tensor` from `axis` on.
      name: the name of the scope.
      axis: an int, the first dimension to mask. Defaults to 0.

    Returns:
      A tensor in which the masked dimensions are replaced by one.

    Raises:
      ValueError: if `mask` is a scalar, its rank is not known, or the shapes do not match.
    """
    with ops.name_scope(name, values=[tensor, mask]):
        tensor = ops.convert_to_tensor(tensor, name='tensor')
        mask = ops.convert_to_tensor(mask, name='mask')
        masked = mask.shape.rank
        if masked == 0:
            raise ValueError('mask cannot be scalar.')
        if masked is None:
            raise ValueError('Number of mask dimensions must be specified, even if some dimensions '
                             'are None.  E.g. shape=[None] is ok, but shape=None is not.')
        axis = _mask_axis(axis)
        tensor.shape[axis:axis + masked].assert_is_compatible_with(mask.shape)
        flat = _flattened(tensor, axis, masked)
        mask = array_basics.reshape(mask, [-1])
        indices = array_basics.squeeze(where(mask), axis=[1])
        return gather(flat, indices, axis=axis)


def _mask_axis(axis):
    if axis is None:
        return 0
    known = tensor_util.constant_value(axis) if isinstance(axis, Tensor) else axis
    return axis if known is None else known


def _flattened(tensor, axis, masked):
    """Returns `tensor` with the dimensions axis .. axis + masked flattened into one."""
    size = gen.Prod(array_basics.shape(tensor)[axis:axis + masked], [0])
    whole = array_join.concat([array_basics.shape(tensor)[:axis], [size],
                               array_basics.shape(tensor)[axis + masked:]], 0)
    flat = array_basics.reshape(tensor, whole)
    static = tensor.shape
    flat.set_shape(tensor_shape.TensorShape(static[:axis]).concatenate(
        [static[axis:axis + masked].num_elements()]).concatenate(static[axis + masked:]))
    return flat


@export('one_hot')
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """Returns one-hot vectors.

    Args:
      indices: an integer tensor, the positions of the set elements. If an index is out of range, no
        element is set.
      depth: an int32 scalar, the length of the vectors.
      on_value: a scalar. Defaults to 1.
      off_value: a scalar. Defaults to 0.
      axis: the position of the new dimension. Defaults to the last.
      dtype: the dtype of the result. Defaults to that of the values, or float32.
      name: the name of the node.

    Returns:
      A tensor with one more dimension than `indices`.

    Raises:
      TypeError: if the dtypes of the values differ from each other or from `dtype`.
    """
    with ops.name_scope(name, 'one_hot', [indices, depth, on_value, off_value, axis, dtype]) as s:
        on_dtype, on_value = _typed('on_value', on_value, dtype)
        off_dtype, off_value = _typed('off_value', off_value, dtype)
        if on_dtype is None and off_dtype is None:
            dtype = dtypes.float32 if dtype is None else dtype
        elif dtype is None:
            dtype = off_dtype if on_dtype is None else on_dtype
        if on_value is None:
            on_value = ops.convert_to_tensor(1, dtype, name='on_value')
            on_dtype = dtype
        if off_value is None:
            off_value = ops.convert_to_tensor(0, dtype, name='off_value')
            off_dtype = dtype
        if dtypes.as_dtype(on_dtype) != dtypes.as_dtype(off_dtype):
            raise TypeError(f'dtype {on_dtype} of on_value does not match dtype {off_dtype} of '
                            'off_value')
        return gen.OneHot(indices, depth, on_value, off_value, -1 if axis is None else axis,
                          name=s)


def _typed(label, value, dtype):
    """Returns the dtype of a given value, and the value as a tensor."""
    if value is None:
        return None, None
    value = ops.convert_to_tensor(value, dtype_hint=dtype)
    found = value.dtype.base_dtype
    if dtype is not None and found != dtypes.as_dtype(dtype):
        raise TypeError(f'dtype {found} of {label} does not match dtype parameter {dtype}')
    return found, value


@export('sequence_mask')
def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None):
    """Returns a mask with the first `lengths[i]` elements of row i set.

    Args:
      lengths: an integer tensor.
      maxlen: a scalar, the length of the rows. Defaults to the largest of `lengths`.
      dtype: the dtype of the mask.
      name: the name of the scope.

    Returns:
      A tensor with one more dimension than `lengths`.

    Raises:
      ValueError: if `maxlen` is not a scalar.
    """
    with ops.name_scope(name, 'SequenceMask', [lengths, maxlen]):
        lengths = ops.convert_to_tensor(lengths)
        maxlen = _longest(lengths) if maxlen is None else ops.convert_to_tensor(maxlen)
        if maxlen.shape.rank is not None and maxlen.shape.rank != 0:
            raise ValueError('Argument `maxlen` must be scalar for sequence_mask, received '
                             f"`maxlen` = {maxlen} with shape '{maxlen.shape}' instead")
        row = gen.Range(constant_op.constant(0, maxlen.dtype), maxlen,
                        constant_op.constant(1, maxlen.dtype))
        column = gen.Cast(array_basics.expand_dims(lengths, -1), maxlen.dtype)
        mask = row < column
        if dtype is None or dtypes.as_dtype(dtype) == dtypes.bool:
            return mask
        return gen.Cast(mask, dtypes.as_dtype(dtype))


def _longest(lengths):
    rank = lengths.shape.rank
    if rank is None:
        dims = gen.Range(0, array_basics.rank(lengths), 1)
    else:
        dims = constant_op.constant(list(range(rank)), dtypes.int32)
    most = gen.Max(lengths, dims)
    return gen.Maximum(constant_op.constant(0, most.dtype), most)


@export('unique')
def unique(x, out_idx=dtypes.int32, name=None):
    """Returns the distinct elements in order of first appearance.

    Args:
      x: a 1-D tensor.
      out_idx: int32 or int64, the dtype of the indices.
      name: the name of the node.

    Returns:
      A tuple (y, idx): the elements, and for each element of `x` its position in y.
    """
    return gen.Unique(x, out_idx, name=name)


@export('unique_with_counts')
def unique_with_counts(x, out_idx=dtypes.int32, name=None):
    """Returns the distinct elements and their counts.

    Args:
      x: a 1-D tensor.
      out_idx: int32 or int64, the dtype of the indices and counts.
      name: the name of the node.

    Returns:
      A tuple (y, idx, count).
    """
    return gen.UniqueWithCounts(x, out_idx, name=name)


@export('setdiff1d')
def setdiff1d(x, y, index_dtype=dtypes.int32, name=None):
    """Returns the elements of `x` that are not in `y`.

    Args:
      x: a 1-D tensor.
      y: a 1-D tensor of the same dtype.
      index_dtype: int32 or int64, the dtype of the indices.
      name: the name of the node.

    Returns:
      A tuple (out, idx): the elements, and their positions in `x`.
    """
    return gen.ListDiff(x, y, index_dtype, name=name)


@export('searchsorted')
def searchsorted(sorted_sequence, values, side='left', out_type=dtypes.int32, name=None):
    """Returns the positions at which values can be inserted into sorted rows.

    Args:
      sorted_sequence: a tensor, sorted along its last dimension.
      values: a tensor with the same dtype and leading dimensions.
      side: 'left' (before equal elements) or 'right' (after them).
      out_type: int32 or int64.
      name: the name of the node.

    Returns:
      A tensor of the shape of `values`.

    Raises:
      ValueError: if `side` is something else.
    """
    sorted_sequence = ops.convert_to_tensor(sorted_sequence, name='sorted_sequence')
    values = ops.convert_to_tensor(values, name='values')
    width = array_fill.shape_in_scope(sorted_sequence)[-1]
    count = array_fill.shape_in_scope(values)[-1]
    rows = array_basics.reshape(sorted_sequence, [-1, width])
    wanted = array_basics.reshape(values, [-1, count])
    if side not in ('left', 'right'):
        raise ValueError("Argument `side` must be either 'right' or 'left'. Received: "
                         f"`side` = '{side}'.")
    search = gen.UpperBound if side == 'right' else gen.LowerBound
    found = search(rows, wanted, out_type=out_type, name=name)
    return array_basics.reshape(found, array_fill.shape_in_scope(values))


@export('sparse_mask', 'sparse.mask')
def sparse_mask(a, mask_indices, name=None):
    """Removes the slices of an IndexedSlices whose index is in a list.

    Args:
      a: an IndexedSlices.
      mask_indices: a 1-D tensor of indices to remove.
      name: the name of the node.

    Returns:
      An IndexedSlices.
    """
    with ops.name_scope(name, 'sparse_mask', [a, mask_indices]) as scope:
        kept, places = setdiff1d(a.indices, mask_indices)
        return IndexedSlices(gather(a.values, places, name=scope), kept, a.dense_shape)


@export('edit_distance')
def edit_distance(hypothesis, truth, normalize=True, name='edit_distance'):
    """Returns the Levenshtein distances between sequences.

    Args:
      hypothesis: a SparseTensor of sequences along its last dimension.
      truth: a SparseTensor of the same dtype and rank.
      normalize: whether to divide by the length of the truth.
      name: the name of the node.

    Returns:
      A float32 tensor with one dimension fewer.

    Raises:
      TypeError: if one of the two is not a SparseTensor.
    """
    if not array_basics.is_sparse(hypothesis):
        raise TypeError('Hypothesis must be a SparseTensor.')
    if not array_basics.is_sparse(truth):
        raise TypeError('Truth must be a SparseTensor.')
    return gen.EditDistance(hypothesis.indices, hypothesis.values, hypothesis.dense_shape,
                            truth.indices, truth.values, truth.dense_shape, normalize=normalize,
                            name=name)


@export('tensor_scatter_nd_update', 'tensor_scatter_update')
def tensor_scatter_nd_update(tensor, indices, updates, name=None):
    """Returns a copy of `tensor` with elements or slices replaced.

    Args:
      tensor: a tensor.
      indices: an int32 or int64 tensor; its last dimension indexes the first ones of `tensor`.
      updates: the new elements.
      name: the name of the node.

    Returns:
      A tensor like `tensor`.
    """
    return gen.TensorScatterUpdate(tensor, indices, updates, name=name)
