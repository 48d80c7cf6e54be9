"""RaggedFactories: the functions that make ragged tensors of values and their division into rows."""

from ramet.framework import dtypes, ops, ragged_hooks
from ramet.framework.sparse_tensor import SparseTensor, is_sparse
from ramet.ops.array import array_basics
from ramet.ops.checks import check_ops
from ramet.ops.control_flow import dependencies
from ramet.ops.ragged import ragged_conversion, row_partition

_HINT = 'Use `with_row_splits_dtype()` to make them compatible.'


def rows_of(values, dtype):
    """Returns the number of rows of a tensor or ragged tensor, a scalar.

    Args:
      values: a Tensor or RaggedTensor.
      dtype: the dtype of the result.
    """
    if ragged_hooks.is_ragged(values):
        return values.nrows(out_type=dtype)
    return array_basics.shape(values, out_type=dtype)[0]


def _require_list(values, name):
    if not isinstance(values, (list, tuple)):
        raise TypeError(f'Argument `{name}` must be a list of Tensors. Received {values}.')


def _nested(make, flat_values, partitions, validate):
    """Returns flat_values partitioned by `make` with the arguments in `partitions`, the outermost first."""
    result = flat_values
    for arguments in reversed(list(partitions)):
        result = make(result, *arguments, validate=validate)
    return result


class RaggedFactories:
    """The class methods of RaggedTensor that make one."""

    __slots__ = ()

    @classmethod
    def _values_of(cls, values):
        """Converts values to a Tensor or RaggedTensor."""
        if isinstance(values, cls):
            return values
        if ragged_hooks.is_ragged(values):
            return cls.from_value(values)
        return ops.convert_to_tensor(values, name='values')

    @classmethod
    def _splits_dtype(cls, values):
        return values.row_splits.dtype if isinstance(values, cls) else None

    @classmethod
    def _from_row_partition(cls, values, partition, validate=True):
        """Makes a ragged tensor of converted values and a partition.

        Raises:
          ValueError: if the splits of values and partition have different dtypes, or the values have
            no rows.
        """
        values.shape.with_rank_at_least(1)
        if isinstance(values, cls) and values.row_splits.dtype != partition.dtype:
            raise ValueError(f'dtype mismatch: {partition.dtype.name} vs '
                             f'{values.row_splits.dtype.name}. {_HINT}')
        if validate:
            nrows = rows_of(values, partition.dtype)
            check = check_ops.assert_equal(
                partition.nvals(), nrows,
                message='Arguments to _from_row_partition do not form a valid RaggedTensor')
            partition.row_splits = dependencies.with_dependencies([check], partition.row_splits)
        return cls(values, internal=True, row_partition=partition)

    @classmethod
    def from_value(cls, value):
        """Returns a ragged tensor of constants. A RaggedTensor is returned unchanged.

        Args:
          value: a RaggedTensorValue or RaggedTensor.
        """
        if isinstance(value, cls):
            return value
        inner = value.values
        inner = cls.from_value(inner) if ragged_hooks.is_ragged(inner) else ops.convert_to_tensor(
            inner, name='flat_values')
        splits = ops.convert_to_tensor(value.row_splits, name='row_splits')
        return cls.from_row_splits(inner, splits, validate=False)

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Makes a ragged tensor whose row i has the values from row_splits[i] up to row_splits[i + 1].

        Args:
          values: a Tensor or RaggedTensor with the values of all rows.
          row_splits: an int32 or int64 vector, which starts with 0, does not descend, and ends with the
            number of values.
          name: the name of the scope.
          validate: whether to add operations that check the splits.

        Raises:
          ValueError: if the splits have a wrong dtype or rank, or are empty.
        """
        with ops.name_scope(name, 'RaggedFromRowSplits', [values, row_splits]):
            values = cls._values_of(values)
            part = row_partition.from_row_splits(row_splits, validate, cls._splits_dtype(values))
            return cls._from_row_partition(values, part, validate)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Makes a ragged tensor with rows of the given lengths.

        Args:
          values: a Tensor or RaggedTensor with the values of all rows.
          row_lengths: an int32 or int64 vector, whose sum is the number of values.
          name: the name of the scope.
          validate: whether to add operations that check the lengths.
        """
        with ops.name_scope(name, 'RaggedFromRowLengths', [values, row_lengths]):
            values = cls._values_of(values)
            part = row_partition.from_row_lengths(row_lengths, validate, cls._splits_dtype(values))
            return cls._from_row_partition(values, part, validate)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Makes a ragged tensor whose rows start at the given values.

        Args:
          values: a Tensor or RaggedTensor with the values of all rows.
          row_starts: an int32 or int64 vector, which starts with 0 and does not descend.
          name: the name of the scope.
          validate: whether to add operations that check the starts.
        """
        with ops.name_scope(name, 'RaggedFromRowStarts', [values, row_starts]):
            values = cls._values_of(values)
            dtype = cls._splits_dtype(values) or dtypes.int64
            part = row_partition.from_row_starts(row_starts, rows_of(values, dtype), validate,
                                                 cls._splits_dtype(values))
            return cls._from_row_partition(values, part, validate)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Makes a ragged tensor whose rows end before the given values.

        Args:
          values: a Tensor or RaggedTensor with the values of all rows.
          row_limits: an int32 or int64 vector, which does not descend and ends with the number of
            values.
          name: the name of the scope.
          validate: whether to add operations that check the limits.
        """
        with ops.name_scope(name, 'RaggedFromRowLimits', [values, row_limits]):
            values = cls._values_of(values)
            part = row_partition.from_row_limits(row_limits, validate, cls._splits_dtype(values))
            return cls._from_row_partition(values, part, validate)

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """Makes a ragged tensor in which value i is in row value_rowids[i].

        Args:
          values: a Tensor or RaggedTensor with the values of all rows.
          value_rowids: an int32 or int64 vector, which does not descend.
          nrows: an integer scalar, the number of rows. Defaults to one more than the last row.
          name: the name of the scope.
          validate: whether to add operations that check the rows.

        Raises:
          ValueError: if nrows is known to be negative or too small.
        """
        with ops.name_scope(name, 'RaggedFromValueRowIds', [values, value_rowids, nrows]):
            values = cls._values_of(values)
            part = row_partition.from_value_rowids(value_rowids, nrows, validate,
                                                   cls._splits_dtype(values))
            values.shape[:1].assert_is_compatible_with(part.value_rowids().shape)
            return cls._from_row_partition(values, part, validate)

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
        """Makes a ragged tensor whose rows have one length.

        Args:
          values: a Tensor or RaggedTensor with the values of all rows.
          uniform_row_length: an int32 or int64 scalar.
          nrows: an integer scalar, the number of rows. It is needed if the length may be 0.
          validate: whether to add operations that check the arguments.
          name: the name of the scope.

        Raises:
          ValueError: if a scalar is known to be negative.
        """
        with ops.name_scope(name, 'RaggedFromUniformRowLength', [values, uniform_row_length, nrows]):
            values = cls._values_of(values)
            dtype = cls._splits_dtype(values)
            part = row_partition.from_uniform_length(
                uniform_row_length, rows_of(values, dtype or dtypes.int64), nrows, validate, dtype)
            return cls._from_row_partition(values, part, False)

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None,
                                 validate=True):
        """Makes a ragged tensor with a ragged dimension for each of a list of rows of values.

        Args:
          flat_values: a Tensor with all values.
          nested_value_rowids: a list of vectors, the outermost first. See `from_value_rowids`.
          nested_nrows: a list of integer scalars, the numbers of rows, or None.
          name: the name of the scope.
          validate: whether to add operations that check the rows.

        Raises:
          TypeError: if an argument is a Tensor instead of a list.
          ValueError: if the lists have different lengths.
        """
        _require_list(nested_value_rowids, 'nested_value_rowids')
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        else:
            _require_list(nested_nrows, 'nested_nrows')
            if len(nested_nrows) != len(nested_value_rowids):
                raise ValueError(
                    'Argument `nested_nrows` must have the same length as argument '
                    f'`nested_value_rowids`. len(nested_nrows) = {len(nested_nrows)} vs. '
                    f'len(nested_values_rowids) = {len(nested_value_rowids)}.')
        with ops.name_scope(name, 'RaggedFromNestedValueRowIds',
                            [flat_values, *nested_value_rowids, *nested_nrows]):
            return _nested(cls.from_value_rowids, flat_values, zip(nested_value_rowids, nested_nrows), validate)

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        """Makes a ragged tensor with a ragged dimension for each of a list of splits.

        Args:
          flat_values: a Tensor with all values.
          nested_row_splits: a list of vectors, the outermost first. See `from_row_splits`.
          name: the name of the scope.
          validate: whether to add operations that check the splits.

        Raises:
          TypeError: if nested_row_splits is a Tensor instead of a list.
        """
        _require_list(nested_row_splits, 'nested_row_splits')
        with ops.name_scope(name, 'RaggedFromNestedRowSplits', [flat_values, *nested_row_splits]):
            return _nested(cls.from_row_splits, flat_values, zip(nested_row_splits), validate)

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        """Makes a ragged tensor with a ragged dimension for each of a list of lengths of rows.

        Args:
          flat_values: a Tensor with all values.
          nested_row_lengths: a list of vectors, the outermost first. See `from_row_lengths`.
          name: the name of the scope.
          validate: whether to add operations that check the lengths.

        Raises:
          TypeError: if nested_row_lengths is a Tensor instead of a list.
        """
        _require_list(nested_row_lengths, 'nested_row_lengths')
        with ops.name_scope(name, 'RaggedFromNestedRowlengths', [flat_values, *nested_row_lengths]):
            return _nested(cls.from_row_lengths, flat_values, zip(nested_row_lengths), validate)

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None,
                    row_splits_dtype=dtypes.int64):
        """Makes a ragged tensor of a dense one, whose rows may be cut off.

        Args:
          tensor: a Tensor with more than ragged_rank dimensions.
          lengths: an integer vector, the length of each row, or a list of these, one for each ragged
            dimension. Defaults to the whole rows.
          padding: a value. The values at the end of a row that are equal to it are left out.
          ragged_rank: the number of ragged dimensions.
          name: the name of the scope.
          row_splits_dtype: int32 or int64.

        Raises:
          ValueError: if both `lengths` and `padding` are given, or the rank is too small.
          TypeError: if ragged_rank is not an int.
        """
        if lengths is not None and padding is not None:
            raise ValueError('Specify argument `lengths` or `padding`, but not both.')
        if not isinstance(ragged_rank, int):
            raise TypeError(f'Argument `ragged_rank` must be an int. Received {ragged_rank}.')
        if ragged_rank <= 0:
            raise ValueError(f'Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.')
        with ops.name_scope(name, 'RaggedFromTensor', [tensor, lengths, padding]):
            tensor = ops.convert_to_tensor(tensor, name='tensor')
            return ragged_conversion.rows_of_tensor(
                cls, tensor, lengths, padding, ragged_rank, dtypes.as_dtype(row_splits_dtype))

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=dtypes.int64):
        """Makes a ragged tensor of a sparse one whose rows have their values at the beginning.

        Args:
          st_input: a SparseTensor of rank 2.
          name: the name of the scope.
          row_splits_dtype: int32 or int64.

        Raises:
          TypeError: if st_input is not a SparseTensor.
          ValueError: if its rank is not known to be 2.
        """
        if not is_sparse(st_input):
            raise TypeError('Argument `st_input` must be of type SparseTensor, but is of type '
                            f'{type(st_input).__name__}.')
        with ops.name_scope(name, 'RaggedFromSparse', [st_input]):
            sparse = SparseTensor.from_value(st_input)
            return ragged_conversion.rows_of_sparse(cls, sparse, dtypes.as_dtype(row_splits_dtype))
