"""SparseTensor: a tensor stored as a list of elements and their indices."""

import collections

import numpy as np

from ramet import gen
from ramet.api import export, export_value
from ramet.framework import (
    conversion,
    dtypes,
    scopes,
    stacks,
    tensor_shape,
    tensor_util,
    type_spec,
)

SparseTensorValue = collections.namedtuple(
    'SparseTensorValue', ['indices', 'values', 'dense_shape']
)
export_value('SparseTensorValue', SparseTensorValue)

# The dtypes that integers are converted to for division.
_TRUE_DIVISION = {
    dtypes.uint8: dtypes.float32,
    dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.int64: dtypes.float64,
}


@export('SparseTensor', 'sparse.SparseTensor')
class SparseTensor:
    """A tensor that stores only some of its elements; the others are zero or empty.

    Attributes:
      indices: a Tensor [n, rank] of int64, the positions of the elements.
      values: a Tensor [n] of any dtype, the elements.
      dense_shape: a Tensor [rank] of int64, the shape of the dense tensor.
    """

    __slots__ = ('_indices', '_values', '_dense_shape', '_static_shape', '__weakref__')

    @classmethod
    def from_value(cls, sparse_tensor_value):
        """Converts a SparseTensorValue to a SparseTensor. A SparseTensor is returned unchanged.

        Args:
          sparse_tensor_value: a SparseTensor or SparseTensorValue.

        Raises:
          TypeError: if it is neither.
        """
        if isinstance(sparse_tensor_value, SparseTensor):
            return sparse_tensor_value
        if not is_sparse(sparse_tensor_value):
            raise TypeError(
                f'Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor '
                'nor SparseTensorValue.'
            )
        return cls(*sparse_tensor_value)

    def __init__(self, indices, values, dense_shape):
        """Creates a sparse tensor.

        Args:
          indices: [n, rank] of int64. Most functions require them in row-major order.
          values: [n] of any dtype.
          dense_shape: [rank] of int64.

        Raises:
          TypeError: if indices or dense_shape are not of int64.
          ValueError: if the ranks or sizes are inconsistent.
        """
        with scopes.name_scope(None, 'SparseTensor', [indices, values, dense_shape]):
            self._indices = conversion.convert_to_tensor(
                indices, dtype=dtypes.int64, name='indices'
            )
            self._values = conversion.convert_to_tensor(values, name='values')
            self._dense_shape = conversion.convert_to_tensor(
                dense_shape, dtype=dtypes.int64, name='dense_shape'
            )
        places = self._indices.shape.with_rank(2)
        count = self._values.shape.with_rank(1)
        rank = self._dense_shape.shape.with_rank(1)
        places[0].assert_is_compatible_with(count[0])
        places[1].assert_is_compatible_with(rank[0])
        self._static_shape = tensor_util.constant_value_as_shape(self._dense_shape)

    @property
    def indices(self):
        """The Tensor [n, rank] of int64 with the positions of the elements."""
        return self._indices

    @property
    def values(self):
        """The Tensor [n] with the elements."""
        return self._values

    @property
    def dense_shape(self):
        """The Tensor [rank] of int64 with the shape of the dense tensor."""
        return self._dense_shape

    @property
    def shape(self):
        """The TensorShape of the dense tensor, as far as it is known."""
        return self._static_shape

    def get_shape(self):
        """Returns the TensorShape of the dense tensor, as far as it is known."""
        return self._static_shape

    def set_shape(self, shape):
        """Merges a shape into the known static shape.

        Args:
          shape: a TensorShape or a value that can be converted to one.

        Raises:
          ValueError: if it contradicts the known shape.
        """
        self._static_shape = self._static_shape.merge_with(tensor_shape.as_shape(shape))

    @property
    def dtype(self):
        """The DType of values."""
        return self._values.dtype

    @property
    def op(self):
        """The Operation that computes values."""
        return self._values.op

    @property
    def graph(self):
        """The Graph of the tensors."""
        return self._indices.graph

    @property
    def _type_spec(self):
        return SparseTensorSpec(self.shape, self.dtype)

    def consumers(self):
        """Returns the operations that use one of the tensors."""
        parts = self._indices, self._values, self._dense_shape
        return list(dict.fromkeys(op for part in parts for op in part.consumers()))

    def with_values(self, new_values):
        """Returns a SparseTensor with different values at the same positions.

        Args:
          new_values: a Tensor [n] of any dtype, one value per position.
        """
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def eval(self, feed_dict=None, session=None):
        """Runs this tensor in a session and returns its value.

        Args:
          feed_dict: {tensor: value}, as for Session.run.
          session: a Session, or None for the default session.

        Returns:
          A SparseTensorValue of arrays.

        Raises:
          ValueError: if there is no session.
        """
        session = session or stacks.get_default_session()
        if session is None:
            raise ValueError(
                'Cannot evaluate tensor using `eval()`: No default session is registered. Use '
                '`with sess.as_default()` or pass an explicit session to `eval(session=sess)`'
            )
        parts = [self._indices, self._values, self._dense_shape]
        return SparseTensorValue(*session.run(parts, feed_dict))

    def _with_dense(self, op_type, name, other):
        with scopes.name_scope(
            None, name, [self.indices, self.values, self.dense_shape, other]
        ) as s:
            other = conversion.convert_to_tensor(other, dtype=self.dtype.base_dtype, name='y')
            values = self.values
            target = _TRUE_DIVISION.get(self.dtype.base_dtype) if name == 'truediv' else None
            if target is not None:
                values, other = gen.Cast(values, target), gen.Cast(other, target)
            combine = getattr(gen, op_type)
            result = combine(self.indices, values, self.dense_shape, other, name=s)
        return SparseTensor(self.indices, result, self.dense_shape)

    def __mul__(self, other):
        return self._with_dense('SparseDenseCwiseMul', 'mul', other)

    def __truediv__(self, other):
        return self._with_dense('SparseDenseCwiseDiv', 'truediv', other)

    def __div__(self, other):
        return self._with_dense('SparseDenseCwiseDiv', 'div', other)

    def __repr__(self):
        return (
            f'SparseTensor(indices={self._indices}, values={self._values}, '
            f'dense_shape={self._dense_shape})'
        )


@export('SparseTensorSpec')
class SparseTensorSpec(type_spec.TypeSpec):
    """Describes a SparseTensor by its dtype and the shape of the dense tensor."""

    __slots__ = ('_shape', '_dtype')

    def __init__(self, shape=None, dtype=dtypes.float32):
        """Creates a spec.

        Args:
          shape: the shape of the dense tensor, anything that TensorShape accepts.
          dtype: anything that `tf.as_dtype` accepts.
        """
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @classmethod
    def from_value(cls, value):
        """Returns the spec of a SparseTensor or SparseTensorValue.

        Args:
          value: a SparseTensor or SparseTensorValue.

        Raises:
          TypeError: if value is neither.
        """
        if isinstance(value, SparseTensor):
            return cls(value.shape, value.dtype)
        if is_sparse(value):
            return cls(list(value.dense_shape), type_spec.type_spec_from_value(value.values).dtype)
        raise TypeError(
            f'Expected SparseTensor or SparseTensorValue. Received: {value} of type '
            f'{type(value).__name__}.'
        )

    @property
    def shape(self):
        """The TensorShape of the dense tensor."""
        return self._shape

    @property
    def dtype(self):
        """The DType of the elements."""
        return self._dtype

    @property
    def value_type(self):
        """The class SparseTensor."""
        return SparseTensor

    def _serialize(self):
        return self._shape, self._dtype

    @property
    def _component_specs(self):
        rank = self._shape.rank
        return [
            type_spec.TensorSpec([None, rank], dtypes.int64),
            type_spec.TensorSpec([None], self._dtype),
            type_spec.TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value):
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components):
        if all(isinstance(part, np.ndarray) for part in components):
            return SparseTensorValue(*components)
        made = SparseTensor(*components)
        made._static_shape = made._static_shape.merge_with(self._shape)
        return made


def is_sparse(x):
    """Returns whether x is a SparseTensor or a SparseTensorValue."""
    return isinstance(x, (SparseTensor, SparseTensorValue)) or (
        type(x).__name__ == 'SparseTensorValue'
        and getattr(x, '_fields', None) == SparseTensorValue._fields
    )


@export('convert_to_tensor_or_sparse_tensor')
def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """Converts a value to a SparseTensor if it is sparse, else to a Tensor.

    Args:
      value: SparseTensor, SparseTensorValue, or anything that `tf.convert_to_tensor` accepts.
      dtype: the dtype that the result must have, or None for any.
      name: str, the name of the Const, if one is created.

    Raises:
      RuntimeError: if value is sparse and has a different dtype.
      TypeError: if value cannot be converted to a Tensor of the dtype.
    """
    if not is_sparse(value):
        return conversion.convert_to_tensor(value, dtype=dtype, name=name)
    sparse = SparseTensor.from_value(value)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(sparse.dtype):
        raise RuntimeError(
            f'Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name},  Actual: '
            f'{sparse.dtype.name}'
        )
    return sparse
