"""Broadcasts ragged tensors to common rows.

A dimension is uniform if it is not ragged. As in TensorFlow, only a uniform dimension of size 1 is repeated; ragged
dimensions must have equal splits.
"""

import collections

from ramet import gen
from ramet.framework import constant_op, ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_gather, array_join, array_select
from ramet.ops.checks import check_ops
from ramet.ops.math import math_range
from ramet.ops.ragged import row_partition
from ramet.ops.ragged.ragged_tensor import RaggedTensor

# One dimension of a tensor: its partition if it is ragged, else its size, a scalar tensor and an int or None.
_Dim = collections.namedtuple('_Dim', ['partition', 'size', 'static'])
_MISMATCH = 'Unable to broadcast: dimension size mismatch in dimension'


def _dims_of(value, rank, dtype):
    """Returns the dimensions of a tensor that has `rank` dimensions after broadcasting."""
    one = constant_op.constant(1, dtype=dtype)
    dims = [_Dim(None, one, 1)] * (rank - value.shape.rank)
    inner = value
    if is_ragged(value):
        inner, parts = value.flat_values, value._nested_row_partitions
        dims.append(_Dim(None, parts[0].nrows(), parts[0].static_nrows))
        dims.extend(_Dim(part, None, None) if part.uniform_length is None else
                    _Dim(None, part.uniform_length, part.static_uniform_length) for part in parts)
    known = inner.shape.as_list()
    sizes = array_basics.shape(inner, out_type=dtype)
    first = 1 if is_ragged(value) else 0
    return dims + [_Dim(None, sizes[i], known[i]) for i in range(first, len(known))]


def _common(x, y, axis):
    """Returns the dimension that two uniform dimensions are broadcast to, and operations that check them."""
    if x.static == 1 or y.static == 1:
        return (y if x.static == 1 else x), []
    if x.static is not None and x.static == y.static:
        return x, []
    one = constant_op.constant(1, dtype=x.size.dtype)
    size = array_select.where(gen.Equal(x.size, one), y.size, x.size)
    wanted = array_select.where(gen.Equal(y.size, one), size, y.size)
    static = x.static if x.static is not None else y.static
    check = check_ops.assert_equal(size, wanted, message=f'{_MISMATCH} {axis}')
    return _Dim(None, size, static), [check]


def _matches(dim, partition, axis):
    """Returns operations that check that a uniform dimension has size 1 or that of all rows of a partition."""
    if dim.static == 1:
        return []
    lengths = partition.row_lengths()
    if dim.static is None:
        is_one = gen.Equal(dim.size, constant_op.constant(1, dtype=lengths.dtype))
        same = gen.LogicalOr(is_one, gen.Equal(lengths, dim.size))
        return [check_ops.assert_equal(same, constant_op.constant(True), message=f'{_MISMATCH} {axis}')]
    return [check_ops.assert_equal(lengths, dim.size, message=f'{_MISMATCH} {axis}')]


class _Level:
    """The rows of the result in one dimension: `lengths` is a vector, or a scalar if all are equal."""

    def __init__(self, nrows, lengths, partition=None):
        self.nrows = nrows
        self.lengths = lengths
        self.partition = partition or self._made()

    def _made(self):
        if self.lengths.shape.rank == 1:
            return row_partition.from_row_lengths(self.lengths, validate=False)
        return row_partition.from_uniform_length(
            self.lengths, self.nrows * self.lengths, nrows=self.nrows, validate=False)

    def source(self, dim, index):
        """Returns the index from values of the result to the values of a tensor.

        Args:
          dim: the dimension of the tensor.
          index: the index from rows of the result to the rows of the tensor, or None if they are equal.
        """
        dtype = self.partition.dtype
        rows = math_range.range(self.nrows) if index is None else index
        if dim.partition is not None:
            starts = array_gather.gather(dim.partition.row_splits, rows)
        else:
            starts = rows * dim.size
        rowids = self.partition.value_rowids()
        within = math_range.range(self.partition.nvals()) - array_gather.gather(
            self.partition.row_splits, rowids)
        if dim.partition is None:
            one = constant_op.constant(1, dtype=dtype)
            within = within * gen.Minimum(dim.size - one, one) if dim.static != 1 else within * 0
        return array_gather.gather(starts, rowids) + within


class _Broadcast:
    """The dimensions of two tensors, made equal one after another, the outermost first."""

    def __init__(self, x, y, dtype):
        self._rank = max(x.shape.rank, y.shape.rank)
        self._dims = [_dims_of(value, self._rank, dtype) for value in (x, y)]
        self._index = [None, None]
        self._levels = []
        self._checks = []

    @property
    def depth(self):
        """The number of dimensions down to the last ragged one."""
        ragged = [i for dims in self._dims for i, dim in enumerate(dims) if dim.partition is not None]
        return max(ragged) + 1

    def _outermost(self):
        x, y = (dims[0] for dims in self._dims)
        common, checks = _common(x, y, 0)
        self._checks += checks
        for i, dim in enumerate((x, y)):
            if dim is not common and not (dim.static is not None and dim.static == common.static):
                zero = constant_op.constant(0, dtype=common.size.dtype)
                one = constant_op.constant(1, dtype=common.size.dtype)
                step = zero if dim.static == 1 else gen.Minimum(dim.size - one, one)
                self._index[i] = math_range.range(common.size) * step
        return common.size

    def _level(self, axis, nrows):
        dims = [d[axis] for d in self._dims]
        parts = [dim.partition for dim in dims]
        if parts[0] is None and parts[1] is None:
            common, checks = _common(*dims, axis)
            self._checks += checks
            return _Level(nrows, common.size)
        if None not in parts and self._index == [None, None]:
            self._checks += row_partition.same_rows(parts, f'{_MISMATCH} {axis}')
            return _Level(nrows, parts[0].row_lengths(), parts[0].merge_known(parts[1]))
        which = 0 if parts[0] is not None else 1
        other = dims[1 - which]
        if other.partition is None:
            self._checks += _matches(other, parts[which], axis)
        if self._index[which] is None:
            return _Level(nrows, parts[which].row_lengths(), parts[which])
        return _Level(nrows, array_gather.gather(parts[which].row_lengths(), self._index[which]))

    def _descend(self, axis, level):
        for i, dims in enumerate(self._dims):
            same = dims[axis].partition is not None or (
                dims[axis].static is not None and dims[axis].static != 1)
            if self._index[i] is None and same:
                continue
            self._index[i] = level.source(dims[axis], self._index[i])

    def run(self):
        """Returns the partitions of the result and the operations that check the dimensions."""
        nrows = self._outermost()
        for axis in range(1, self.depth):
            level = self._level(axis, nrows)
            self._descend(axis, level)
            self._levels.append(level.partition)
            nrows = level.partition.nvals()
        return self._levels, self._checks

    def values(self, which, value):
        """Returns the values of a tensor below the ragged dimensions, one for each of the result."""
        flat = _flattened(value, self.depth - (self._rank - value.shape.rank))
        index = self._index[which]
        return flat if index is None else array_gather.gather(flat, index)


def _flattened(value, depth):
    """Returns a tensor with its first `depth` dimensions joined to one."""
    if is_ragged(value):
        depth -= value.ragged_rank
        value = value.flat_values
    if depth == 1:
        return value
    if depth <= 0:
        return array_basics.expand_dims(value, 0)
    sizes = array_basics.shape(value)
    return array_basics.reshape(value, array_join.concat([[-1], sizes[depth:]], axis=0))


def _with_rank(values, rank):
    """Adds dimensions of size 1 after the first, so that the values have `rank` dimensions."""
    while values.shape.rank < rank:
        values = array_basics.expand_dims(values, 1)
    return values


def broadcast(x, y):
    """Returns the values of two tensors, in the same order, and a function that makes a ragged tensor of such values.

    Args:
      x: a Tensor or RaggedTensor.
      y: a Tensor or RaggedTensor. At least one is ragged, and the static ranks are known.
    """
    dtype = x.row_splits.dtype if is_ragged(x) else y.row_splits.dtype
    work = _Broadcast(x, y, dtype)
    partitions, checks = work.run()
    with ops.control_dependencies(checks):
        flat = [work.values(i, value) for i, value in enumerate((x, y))]
        if checks:
            flat = [array_basics.identity(values) for values in flat]
    rank = max(values.shape.rank for values in flat)

    def ragged(values):
        for partition in reversed(partitions):
            values = RaggedTensor(values, internal=True, row_partition=partition)
        return values

    return *(_with_rank(values, rank) for values in flat), ragged
