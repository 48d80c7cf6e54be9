"""RowPartition: how values are divided into rows."""

from ramet import gen
from ramet.framework import constant_op, dtypes, ops, tensor_shape, tensor_util
from ramet.ops.array import array_basics, array_join
from ramet.ops.checks import check_ops, check_rank
from ramet.ops.control_flow import assertions, dependencies
from ramet.ops.math import math_cast, math_range
from ramet.ops.ragged import ragged_segments


class RowPartition:
    """Divides values into rows. Row i has the values from row_splits[i] up to row_splits[i + 1].

    Quantities that follow from the splits are remembered once they are computed.
    """

    __slots__ = ('row_splits', '_row_lengths', '_value_rowids', '_nrows', 'uniform_length')

    def __init__(self, row_splits, row_lengths=None, value_rowids=None, nrows=None, uniform_length=None):
        """Creates a partition from parts that agree.

        Args:
          row_splits: an integer vector.
          row_lengths: an integer vector, or None to compute it if it is needed.
          value_rowids: an integer vector with the row of each value, or None.
          nrows: an integer scalar, the number of rows, or None.
          uniform_length: an integer scalar, the length of all rows, or None.
        """
        self.row_splits = row_splits
        self._row_lengths = row_lengths
        self._value_rowids = value_rowids
        self._nrows = nrows
        self.uniform_length = uniform_length

    @property
    def dtype(self):
        """The DType of the splits."""
        return self.row_splits.dtype

    @property
    def static_nrows(self):
        """The number of rows as an int, or None if it is not known."""
        size = self.row_splits.shape.with_rank(1)[0].value
        if size is not None:
            return size - 1
        known = None if self._nrows is None else tensor_util.constant_value(self._nrows)
        return None if known is None else int(known)

    @property
    def static_uniform_length(self):
        """The length of all rows as an int, or None if it is not known."""
        if self.uniform_length is None:
            return None
        known = tensor_util.constant_value(self.uniform_length)
        return None if known is None else int(known)

    def nrows(self, out_type=None):
        """Returns the number of rows, a scalar.

        Args:
          out_type: the dtype. Defaults to that of the splits.
        """
        out_type = dtypes.as_dtype(out_type or self.dtype)
        known = self.static_nrows
        if self._nrows is not None:
            return math_cast.cast(self._nrows, out_type)
        if known is not None:
            return constant_op.constant(known, dtype=out_type)
        return array_basics.shape(self.row_splits, out_type=out_type)[0] - 1

    def nvals(self):
        """Returns the number of values, a scalar."""
        if self._value_rowids is not None:
            return array_basics.shape(self._value_rowids, out_type=self.dtype)[0]
        return self.row_splits[-1]

    def row_lengths(self):
        """Returns the length of each row, a vector."""
        if self._row_lengths is not None:
            return self._row_lengths
        splits = self.row_splits
        return splits[1:] - splits[:-1]

    def value_rowids(self):
        """Returns the row of each value, a vector."""
        if self._value_rowids is not None:
            return self._value_rowids
        return ragged_segments.row_splits_to_segment_ids(self.row_splits)

    def with_dtype(self, dtype):
        """Returns the partition with splits of another dtype.

        Args:
          dtype: int32 or int64.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError('Argument `row_splits` dtype must be int32 or int64. '
                             f'Received {dtype.name}.')
        if dtype == self.dtype:
            return self
        parts = (self.row_splits, self._row_lengths, self._value_rowids, self._nrows,
                 self.uniform_length)
        return RowPartition(*(None if part is None else math_cast.cast(part, dtype) for part in parts))

    def merge_known(self, other):
        """Returns this partition with the parts that only `other`, an equal partition, has computed.

        Args:
          other: a RowPartition.
        """
        return RowPartition(
            self.row_splits,
            other._row_lengths if self._row_lengths is None else self._row_lengths,
            other._value_rowids if self._value_rowids is None else self._value_rowids,
            other._nrows if self._nrows is None else self._nrows,
            other.uniform_length if self.uniform_length is None else self.uniform_length)


def _converted(value, name, dtype):
    """Converts a part of a partition. A dtype applies only if the value has none of its own."""
    if isinstance(value, ops.Tensor):
        tensor = value
    elif dtype is not None:
        tensor = ops.convert_to_tensor(value, dtype=dtype, name=name)
    else:
        tensor = ops.convert_to_tensor(value, preferred_dtype=dtypes.int64, name=name)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f'{name} must have dtype int32 or int64')
    return tensor


def _message(function, form='RowPartition'):
    return f'Arguments to {function} do not form a valid {form}'


def _zero_first(tensor):
    zero = constant_op.constant([0], dtype=tensor.dtype)
    return array_join.concat([zero, tensor], axis=0)


def _ascending(tensor, message):
    return check_ops.assert_non_negative(tensor[1:] - tensor[:-1], message=message)


def from_row_splits(row_splits, validate=True, dtype=None):
    """Creates a partition from splits.

    Args:
      row_splits: an integer vector that starts with 0 and does not descend.
      validate: whether to add operations that check it.
      dtype: the dtype for values that are not tensors.

    Raises:
      ValueError: if the dtype, the rank or the size is wrong.
    """
    with ops.name_scope(None, 'RowPartitionFromRowSplits', [row_splits]):
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError('row_splits tensor may not be empty.')
        row_splits = _converted(row_splits, 'row_splits', dtype)
        row_splits.shape.assert_has_rank(1)
        if row_splits.shape[0].value == 0:
            raise ValueError('row_splits tensor may not be empty.')
        if validate:
            message = _message('from_row_splits', 'RaggedTensor:')
            zero = constant_op.constant(0, dtype=row_splits.dtype)
            row_splits = dependencies.with_dependencies([
                check_rank.assert_rank(row_splits, 1, message=message + 'rank'),
                check_ops.assert_equal(row_splits[0], zero, message=message + 'zero'),
                _ascending(row_splits, message + 'monotonic')], row_splits)
        return RowPartition(row_splits)


def from_row_lengths(row_lengths, validate=True, dtype=None):
    """Creates a partition from the lengths of rows.

    Args:
      row_lengths: a vector of integers that are not negative.
      validate: whether to add operations that check it.
      dtype: the dtype for values that are not tensors.
    """
    with ops.name_scope(None, 'RowPartitionFromRowLengths', [row_lengths]):
        row_lengths = _converted(row_lengths, 'row_lengths', dtype)
        row_lengths.shape.assert_has_rank(1)
        if validate:
            message = _message('from_row_lengths')
            row_lengths = dependencies.with_dependencies([
                check_rank.assert_rank(row_lengths, 1, message=message),
                check_ops.assert_non_negative(row_lengths, message=message)], row_lengths)
        splits = _zero_first(gen.Cumsum(row_lengths, 0))
        return RowPartition(splits, row_lengths=row_lengths)


def from_row_starts(row_starts, nvals, validate=True, dtype=None):
    """Creates a partition from the starts of rows.

    Args:
      row_starts: an integer vector that starts with 0, if it is not empty, and does not descend.
      nvals: an integer scalar, the number of values.
      validate: whether to add operations that check them.
      dtype: the dtype for values that are not tensors.
    """
    with ops.name_scope(None, 'RowPartitionFromRowStarts', [row_starts]):
        row_starts = _converted(row_starts, 'row_starts', dtype)
        row_starts.shape.assert_has_rank(1)
        nvals = math_cast.cast(nvals, row_starts.dtype)
        if validate:
            message = _message('from_row_starts', 'RaggedTensor')
            row_starts = dependencies.with_dependencies([
                check_rank.assert_rank(row_starts, 1, message=message),
                check_ops.assert_equal(row_starts[:1], constant_op.constant(0, row_starts.dtype),
                                       message=message),
                _ascending(row_starts, message),
                check_ops.assert_less_equal(row_starts[-1:], nvals, message=message)], row_starts)
        return RowPartition(array_join.concat([row_starts, array_basics.reshape(nvals, [1])], axis=0))


def from_row_limits(row_limits, validate=True, dtype=None):
    """Creates a partition from the limits of rows.

    Args:
      row_limits: a vector of integers that are not negative and do not descend.
      validate: whether to add operations that check it.
      dtype: the dtype for values that are not tensors.
    """
    with ops.name_scope(None, 'RowPartitionFromRowLimits', [row_limits]):
        row_limits = _converted(row_limits, 'row_limits', dtype)
        row_limits.shape.assert_has_rank(1)
        if validate:
            message = _message('from_row_limits', 'RaggedTensor')
            row_limits = dependencies.with_dependencies([
                check_rank.assert_rank(row_limits, 1, message=message),
                check_ops.assert_non_negative(row_limits[:1], message=message),
                _ascending(row_limits, message)], row_limits)
        return RowPartition(_zero_first(row_limits))


def _checked_rowids(value_rowids, nrows):
    message = _message('from_value_rowids')
    return dependencies.with_dependencies([
        check_rank.assert_rank(value_rowids, 1, message=message),
        check_rank.assert_rank(nrows, 0, message=message),
        check_ops.assert_non_negative(value_rowids[:1], message=message),
        _ascending(value_rowids, message),
        check_ops.assert_less(value_rowids[-1:], nrows, message=message)], value_rowids)


def _given_nrows(nrows, value_rowids):
    """Returns the number of rows that a program gives, converted and compared with what is known."""
    try:
        nrows = ops.convert_to_tensor(nrows, dtype=value_rowids.dtype, name='nrows')
    except ValueError as error:
        raise ValueError(f'nrows: {error}') from None
    known, ids = tensor_util.constant_value(nrows), tensor_util.constant_value(value_rowids)
    if known is not None and known.ndim == 0 and known < 0:
        raise ValueError(f'Expected nrows >= 0; got {known}')
    if known is not None and known.ndim == 0 and ids is not None and ids.size and known <= ids[-1]:
        raise ValueError(f'Expected nrows >= value_rowids[-1] + 1; got nrows={known}, '
                         f'value_rowids[-1]={ids[-1]}')
    nrows.shape.assert_has_rank(0)
    return nrows


def from_value_rowids(value_rowids, nrows=None, validate=True, dtype=None):
    """Creates a partition from the row of each value.

    Args:
      value_rowids: a vector of integers that are not negative and do not descend.
      nrows: an integer scalar, the number of rows. Defaults to one more than the last row.
      validate: whether to add operations that check them.
      dtype: the dtype for values that are not tensors.

    Raises:
      ValueError: if nrows is negative or too small, or a rank is wrong.
    """
    with ops.name_scope(None, 'RowPartitionFromValueRowIds', [value_rowids, nrows]):
        value_rowids = _converted(value_rowids, 'value_rowids', dtype)
        value_rowids.shape.assert_has_rank(1)
        if nrows is None:
            nrows = _rows_of(value_rowids)
        else:
            nrows = _given_nrows(nrows, value_rowids)
        if validate:
            value_rowids = _checked_rowids(value_rowids, nrows)
        counts = gen.Bincount(math_cast.cast(value_rowids, dtypes.int32),
                              math_cast.cast(nrows, dtypes.int32),
                              constant_op.constant([], dtypes.int32))
        row_lengths = math_cast.cast(counts, value_rowids.dtype)
        splits = _zero_first(gen.Cumsum(row_lengths, 0))
        known = tensor_util.constant_value(nrows)
        if known is not None:
            row_lengths.set_shape([known])
            splits.set_shape([known + 1])
        return RowPartition(splits, row_lengths, value_rowids, nrows)


def _rows_of(value_rowids):
    """Returns one more than the last row, or 0."""
    known = tensor_util.constant_value(value_rowids)
    if known is not None:
        return constant_op.constant(int(known[-1]) + 1 if known.size else 0, value_rowids.dtype)
    zero = constant_op.constant([-1], dtype=value_rowids.dtype)
    return array_join.concat([zero, value_rowids], axis=0)[-1] + 1


def from_uniform_length(length, nvals, nrows=None, validate=True, dtype=None):
    """Creates a partition into rows of one length.

    Args:
      length: an integer scalar.
      nvals: an integer scalar, the number of values.
      nrows: an integer scalar, the number of rows. It is needed if the length may be 0.
      validate: whether to add operations that check them.
      dtype: the dtype for values that are not tensors.

    Raises:
      ValueError: if a scalar is negative.
    """
    with ops.name_scope(None, 'RowPartitionFromUniformRowLength', [length, nrows]):
        length = _converted(length, 'uniform_row_length', dtype)
        length.shape.assert_has_rank(0)
        known = tensor_util.constant_value(length)
        if known is not None and known < 0:
            raise ValueError(f'uniform_row_length must be >= 0; got {known}')
        nvals = math_cast.cast(nvals, length.dtype)
        nrows = _uniform_rows(length, nvals, nrows, known)
        if validate:
            checks = _uniform_checks(length, nvals, nrows, known)
            splits = math_range.range(nrows + 1) * dependencies.with_dependencies(checks, length)
        else:
            splits = math_range.range(nrows + 1) * length
        static_rows = tensor_util.constant_value(nrows)
        if static_rows is not None:
            splits.set_shape([int(static_rows) + 1])
        return RowPartition(splits, nrows=nrows, uniform_length=length)


def _uniform_rows(length, nvals, nrows, known):
    if nrows is not None:
        nrows = ops.convert_to_tensor(nrows, dtype=length.dtype, name='nrows')
        nrows.shape.assert_has_rank(0)
        given = tensor_util.constant_value(nrows)
        if given is not None and given < 0:
            raise ValueError(f'nrows must be >= 0; got {given}')
        return nrows
    if known == 0:
        return constant_op.constant(0, dtype=length.dtype)
    values = tensor_util.constant_value(nvals)
    if known is not None and values is not None:
        return constant_op.constant(int(values) // int(known), dtype=length.dtype)
    one = constant_op.constant(1, dtype=length.dtype)
    return gen.FloorDiv(nvals, gen.Maximum(length, one))


def _uniform_checks(length, nvals, nrows, known):
    checks = [assertions.Assert(
        gen.Equal(nrows * length, nvals),
        ['uniform_row_length', length, 'times nrows', nrows, 'must equal nvals', nvals])]
    if known is None:
        checks.append(assertions.Assert(
            gen.GreaterEqual(length, constant_op.constant(0, dtype=length.dtype)),
            ['uniform_row_length must be >= 0', length]))
    return checks


def same_rows(partitions, message='Inputs must have identical ragged splits'):
    """Returns operations that check that partitions are equal. Identical splits need none.

    Args:
      partitions: RowPartitions.
      message: the beginning of the error.
    """
    first = partitions[0].row_splits
    return [check_ops.assert_equal(first, other.row_splits, message=message)
            for other in partitions[1:] if other.row_splits is not first]


def static_shape(partition, inner):
    """Returns the TensorShape of rows whose values have the TensorShape `inner`.

    Args:
      partition: a RowPartition.
      inner: the TensorShape of the values.
    """
    outer = tensor_shape.TensorShape([partition.static_nrows, partition.static_uniform_length])
    return outer.concatenate(inner[1:])
