"""RaggedTensor: a tensor whose rows have different lengths."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.client import fetches
from ramet.framework import conversion, dtypes, ops, ragged_hooks
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_fill, array_gather, array_join
from ramet.ops.math import math_cast, math_reduce
from ramet.ops.ragged import ragged_conversion, ragged_merge, row_partition
from ramet.ops.ragged.ragged_axis import positive_axis
from ramet.ops.ragged.ragged_factories import RaggedFactories
from ramet.ops.ragged.ragged_spec import RaggedTensorSpec
from ramet.ops.ragged.ragged_value import RaggedTensorValue

_PRIVATE = ('RaggedTensor constructor is private; please use one of the factory methods instead '
            '(e.g., RaggedTensor.from_row_lengths())')

_CONVERT = 'use RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes.'


class RaggedRows:
    """The properties and methods of RaggedTensor that describe its rows."""

    __slots__ = ()

    @property
    def ragged_rank(self):
        """The number of ragged dimensions."""
        return len(self.nested_row_splits)

    @property
    def row_splits(self):
        """The Tensor [nrows + 1] of splits: row i has the values from row_splits[i] up to row_splits[i + 1]."""
        return self._partition.row_splits

    @property
    def uniform_row_length(self):
        """The length of all rows, a scalar, or None if rows may have different lengths."""
        return self._partition.uniform_length

    @property
    def nested_row_splits(self):
        """The splits of all ragged dimensions, the outermost first, as a tuple of Tensors."""
        return tuple(part.row_splits for part in self._nested_row_partitions)

    @property
    def _nested_row_partitions(self):
        inner = self._values
        return (self._partition,) + (inner._nested_row_partitions if is_ragged(inner) else ())

    def value_rowids(self, name=None):
        """Returns the number of the row that each value is in, an integer vector.

        Args:
          name: the name of the scope.
        """
        with ops.name_scope(name, 'RaggedValueRowIds', [self]):
            return self._partition.value_rowids()

    def nested_value_rowids(self, name=None):
        """Returns value_rowids for all ragged dimensions, the outermost first, as a tuple.

        Args:
          name: the name of the scope.
        """
        with ops.name_scope(name, 'RaggedNestedValueRowIds', [self]):
            return tuple(part.value_rowids() for part in self._nested_row_partitions)

    def nrows(self, out_type=None, name=None):
        """Returns the number of rows, a scalar.

        Args:
          out_type: int32 or int64. Defaults to the dtype of the splits.
          name: the name of the scope.
        """
        with ops.name_scope(name, 'RaggedNRows', [self]):
            return self._partition.nrows(out_type)

    def row_starts(self, name=None):
        """Returns the position of the first value of each row, an integer vector.

        Args:
          name: the name of the scope.
        """
        with ops.name_scope(name, 'RaggedRowStarts', [self]):
            return self.row_splits[:-1]

    def row_limits(self, name=None):
        """Returns the position after the last value of each row, an integer vector.

        Args:
          name: the name of the scope.
        """
        with ops.name_scope(name, 'RaggedRowLimits', [self]):
            return self.row_splits[1:]

    def row_lengths(self, axis=1, name=None):
        """Returns the lengths of the rows of a dimension.

        Args:
          axis: the dimension.
          name: the name of the scope.

        Returns:
          An integer tensor, ragged if axis > 1, with the shape of the dimensions before `axis`.

        Raises:
          ValueError: if axis is out of range.
        """
        if axis == 0:
            return self._partition.nrows()
        if axis == 1:
            return self._partition.row_lengths()
        with ops.name_scope(name, 'RaggedRowLengths', [self]):
            axis = positive_axis(axis, self.shape.rank, ndims_name='rank(self)')
            if axis <= 1:
                return self.row_lengths(axis)
            if is_ragged(self._values):
                return self.with_values(self._values.row_lengths(axis - 1))
            sizes = array_basics.shape(self._values, out_type=self.row_splits.dtype)
            lengths = array_fill.ones(sizes[:axis - 1], self.row_splits.dtype) * sizes[axis - 1]
            return self.with_values(lengths)

    def nested_row_lengths(self, name=None):
        """Returns the lengths of the rows of all ragged dimensions, the outermost first, as a tuple.

        Args:
          name: the name of the scope.
        """
        with ops.name_scope(name, 'RaggedNestedRowLengths', [self]):
            return tuple(part.row_lengths() for part in self._nested_row_partitions)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """Returns the smallest shape of a dense tensor that all rows fit in.

        Args:
          axis: an integer or an integer tensor: the dimensions to return. Defaults to all.
          name: the name of the scope.
          out_type: int32 or int64. Defaults to the dtype of the splits.

        Returns:
          An integer tensor: a vector if `axis` is not given, else with the shape of `axis`.
        """
        dtype = self.row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        with ops.name_scope(name, 'RaggedBoundingBox', [self, axis]):
            if isinstance(axis, int) and axis == 0:
                return self.nrows(dtype)
            if isinstance(axis, int) and axis == 1:
                return math_cast.cast(_longest(self._partition), dtype)
            inner = array_basics.shape(self.flat_values, out_type=dtype)[1:]
            outer = [self.nrows(dtype)] + [
                math_cast.cast(_longest(part), dtype) for part in self._nested_row_partitions]
            box = array_join.concat([array_join.stack(outer), inner], axis=0)
            return box if axis is None else array_gather.gather(box, axis)


def _longest(partition):
    zero = ops.convert_to_tensor(0, dtype=partition.dtype)
    return gen.Maximum(math_reduce.reduce_max(partition.row_lengths()), zero)


@export('RaggedTensor')
class RaggedTensor(RaggedFactories, RaggedRows):
    """A tensor with one or more dimensions whose rows have different lengths.

    Its values are a Tensor, or a RaggedTensor with the inner rows, and its row splits tell which of them each row has.
    The class methods from_row_splits, from_row_lengths and so on make one, and so does tf.ragged.constant.
    """

    __slots__ = ('_values', '_partition', '_static_shape', '__weakref__')
    __array_priority__ = 100
    __hash__ = object.__hash__

    def __init__(self, values, internal=False, row_partition=None):
        """Creates a ragged tensor. Programs call one of the class methods instead.

        Args:
          values: a Tensor or RaggedTensor.
          internal: True.
          row_partition: a RowPartition.

        Raises:
          ValueError: if internal is not True.
        """
        if internal is not True:
            raise ValueError(_PRIVATE)
        ragged_hooks.load_operators()
        self._values = values
        self._partition = row_partition
        self._static_shape = None

    @property
    def dtype(self):
        """The DType of the values."""
        return self._values.dtype

    @property
    def shape(self):
        """The TensorShape as far as it is known. Ragged dimensions are None."""
        if self._static_shape is None:
            self._static_shape = row_partition.static_shape(self._partition, self._values.shape)
        return self._static_shape

    def get_shape(self):
        """Returns `shape`."""
        return self.shape

    @property
    def values(self):
        """The Tensor or RaggedTensor with the values of all rows."""
        return self._values

    @property
    def flat_values(self):
        """The innermost values, a Tensor."""
        return self._values.flat_values if is_ragged(self._values) else self._values

    @property
    def graph(self):
        """The Graph of the tensors."""
        return self.flat_values.graph

    @property
    def _type_spec(self):
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self.row_splits.dtype)

    def with_values(self, new_values):
        """Returns a ragged tensor with the same rows and different values.

        Args:
          new_values: a Tensor or RaggedTensor with as many rows as `values`.

        Raises:
          ValueError: if the numbers of rows are known to differ.
        """
        new_values = self._values_of(new_values)
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if is_ragged(new_values) and new_values.row_splits.dtype != self.row_splits.dtype:
            raise ValueError(f'self and values have mismatched row_splits dtypes; {_CONVERT}')
        return RaggedTensor(new_values, internal=True, row_partition=self._partition)

    def with_flat_values(self, new_values):
        """Returns a ragged tensor with the same rows and different innermost values.

        Args:
          new_values: a Tensor or RaggedTensor with as many rows as `flat_values`.
        """
        if is_ragged(self._values):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype):
        """Returns the ragged tensor with splits of another dtype.

        Args:
          dtype: int32 or int64.

        Raises:
          ValueError: if dtype is something else.
        """
        dtype = dtypes.as_dtype(dtype)
        partition = self._partition.with_dtype(dtype)
        if partition is self._partition:
            return self
        inner = self._values
        inner = inner.with_row_splits_dtype(dtype) if is_ragged(inner) else inner
        return RaggedTensor(inner, internal=True, row_partition=partition)

    def merge_dims(self, outer_axis, inner_axis):
        """Returns the tensor with the dimensions from outer_axis to inner_axis joined to one.

        Args:
          outer_axis: an int, the first dimension.
          inner_axis: an int, the last dimension.

        Returns:
          A RaggedTensor, or a Tensor if no dimension is ragged anymore.

        Raises:
          ValueError: if outer_axis is greater than inner_axis, or one is out of range.
        """
        rank = self.shape.rank
        outer = positive_axis(outer_axis, rank, 'outer_axis', 'rank(self)')
        inner = positive_axis(inner_axis, rank, 'inner_axis', 'rank(self)')
        if outer > inner:
            raise ValueError(f'Expected outer_axis ({outer_axis}) to be less than or equal to '
                             f'inner_axis ({inner_axis}).')
        return ragged_merge.merge_dims(self, outer, inner)

    def to_tensor(self, default_value=None, name=None, shape=None):
        """Returns a dense tensor with padded rows.

        Args:
          default_value: the value of the padding, which is broadcast. Defaults to zero.
          name: the name of the scope.
          shape: the shape of the result; None and -1 are any size. Longer rows are cut off.

        Raises:
          ValueError: if shapes are known to be incompatible.
        """
        with ops.name_scope(name, 'RaggedToTensor', [self, default_value, shape]):
            return ragged_conversion.to_tensor(self, default_value, shape)

    def to_sparse(self, name=None):
        """Returns a SparseTensor with the same values.

        Args:
          name: the name of the scope.
        """
        return ragged_conversion.to_sparse(self, name)

    def to_list(self):
        """Returns the values as nested lists.

        Raises:
          ValueError: if it belongs to a graph: run the tensor in a session instead.
        """
        if not self.flat_values._is_eager:
            raise ValueError('to_list can only be used in eager mode.')
        return self._eager_value().to_list()

    def _eager_value(self):
        return RaggedTensorValue(
            self.values._eager_value() if isinstance(self.values, RaggedTensor) else self.values.numpy(),
            self.row_splits.numpy())

    def numpy(self):
        """Returns the rows as a numpy array, of objects if their lengths differ.

        Raises:
          ValueError: if it belongs to a graph: run the tensor in a session instead.
        """
        if not self.flat_values._is_eager:
            raise ValueError('RaggedTensor.numpy() is only supported in eager mode.')
        values = self.values.numpy()
        splits = self.row_splits.numpy()
        rows = [values[begin:end] for begin, end in zip(splits[:-1], splits[1:])]
        if len({row.shape for row in rows}) <= 1:
            return np.array(rows)
        made = np.empty(len(rows), dtype=object)
        made[:] = rows
        return made

    def consumers(self):
        """Returns the operations that use the values or splits."""
        parts = self.flat_values, *self.nested_row_splits
        return list(dict.fromkeys(op for part in parts for op in part.consumers()))

    def __bool__(self):
        raise TypeError('RaggedTensor may not be used as a boolean.')

    def __repr__(self):
        return f'tf.RaggedTensor(values={self._values}, row_splits={self.row_splits})'

    __str__ = __repr__


def _refuse(value, dtype=None, name=None, as_ref=False):
    raise TypeError(f'Failed to convert elements of {value} to Tensor. Consider casting elements to a '
                    'supported type. See https://www.tensorflow.org/api_docs/python/tf/dtypes for '
                    'supported TF dtypes.')


def parts_of(ragged):
    """Returns the tensors that a ragged tensor consists of: the splits of all dimensions and the values.

    Args:
      ragged: a RaggedTensor.
    """
    return [*ragged.nested_row_splits, ragged.flat_values]


def _value_of(parts):
    value = parts[-1]
    for splits in reversed(parts[:-1]):
        value = RaggedTensorValue(value, splits)
    return value


def _fed_parts(ragged, value):
    return list(zip(parts_of(ragged), [*value.nested_row_splits, value.flat_values], strict=True))


ragged_hooks.set_classes(RaggedTensor, RaggedTensorValue)
RaggedTensorSpec.set_class(RaggedTensor)
conversion.register_tensor_conversion_function((RaggedTensor, RaggedTensorValue), _refuse)
fetches.register_session_run_conversion_functions(
    RaggedTensor, lambda ragged: (parts_of(ragged), _value_of), _fed_parts, parts_of)


def convert(value, name=None, preferred_dtype=None):
    """Converts a value to a RaggedTensor if it is ragged, else to a Tensor.

    Args:
      value: a RaggedTensor, a RaggedTensorValue, or anything that `tf.convert_to_tensor` accepts.
      name: the name of the Const, if one is created.
      preferred_dtype: the dtype to use if the value can be converted to it.
    """
    if isinstance(value, RaggedTensorValue):
        return RaggedTensor.from_value(value)
    if isinstance(value, RaggedTensor):
        return value
    return ops.convert_to_tensor(value, name=name, preferred_dtype=preferred_dtype)


def match_row_splits_dtypes(*tensors):
    """Returns the tensors, after a check that the splits of the ragged ones have one dtype.

    Args:
      *tensors: Tensors and RaggedTensors.

    Raises:
      ValueError: if they have different dtypes.
    """
    if len({t.row_splits.dtype for t in tensors if is_ragged(t)}) > 1:
        raise ValueError(f'Input RaggedTensors have mismatched row_splits dtypes; {_CONVERT}')
    return list(tensors)
