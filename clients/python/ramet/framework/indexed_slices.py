"""Rows of a larger tensor together with their indices, such as the gradient of a gather."""

import collections
import math
import warnings

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import conversion, dtypes, tensor_shape, tensor_util, type_spec

_MANY_ELEMENTS = 100_000_000

IndexedSlicesValue = collections.namedtuple(
    'IndexedSlicesValue', ['values', 'indices', 'dense_shape']
)


@export('IndexedSlices')
class IndexedSlices:
    """Some rows of a tensor: row i of values belongs at indices[i]. Rows with equal indices are summed.

    Attributes:
      values: a Tensor [n, ...] of any dtype, the rows.
      indices: a Tensor [n] of int32 or int64, the positions of the rows.
      dense_shape: a Tensor of rank 1, the shape of the dense tensor, or None.
    """

    __slots__ = ('values', 'indices', 'dense_shape', '__weakref__')

    def __init__(self, values, indices, dense_shape=None):
        """Creates the slices from their parts. Nothing is added to the graph.

        Args:
          values: a Tensor [n, ...] of any dtype, the rows.
          indices: a Tensor [n] of int32 or int64, the positions of the rows.
          dense_shape: a Tensor of rank 1, the shape of the dense tensor, or None.
        """
        self.values = values
        self.indices = indices
        self.dense_shape = dense_shape

    @property
    def shape(self):
        """The TensorShape of the dense tensor, as far as dense_shape is known."""
        if self.dense_shape is None:
            return tensor_shape.TensorShape(None)
        return tensor_util.constant_value_as_shape(self.dense_shape)

    @property
    def name(self):
        """The name of values."""
        return self.values.name

    @property
    def device(self):
        """The device of values, or '' if none is set."""
        return self.values.device

    @property
    def op(self):
        """The Operation that computes values."""
        return self.values.op

    @property
    def dtype(self):
        """The DType of values."""
        return self.values.dtype

    @property
    def graph(self):
        """The Graph of the tensors."""
        return self.values.graph

    @property
    def _type_spec(self):
        shape = tensor_shape.TensorShape([None]).concatenate(self.values.shape[1:])
        if self.dense_shape is not None:
            shape = shape.merge_with(self.shape)
        return IndexedSlicesSpec(
            shape,
            self.dtype,
            self.indices.dtype,
            None if self.dense_shape is None else self.dense_shape.dtype,
            self.indices.shape.with_rank(1),
        )

    def consumers(self):
        """Returns the operations that use one of the tensors."""
        parts = self._type_spec._to_components(self)
        return list(dict.fromkeys(op for part in parts for op in part.consumers()))

    def __neg__(self):
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __repr__(self):
        shape = '' if self.dense_shape is None else f', dense_shape={self.dense_shape}'
        return f'IndexedSlices(indices={self.indices}, values={self.values}{shape})'


@export('IndexedSlicesSpec')
class IndexedSlicesSpec(type_spec.TypeSpec):
    """Describes IndexedSlices."""

    __slots__ = (
        '_shape',
        '_values_dtype',
        '_indices_dtype',
        '_dense_shape_dtype',
        '_indices_shape',
    )

    def __init__(
        self,
        shape=None,
        dtype=dtypes.float32,
        indices_dtype=dtypes.int64,
        dense_shape_dtype=None,
        indices_shape=None,
    ):
        """Creates a spec.

        Args:
          shape: the shape of the dense tensor, anything that TensorShape accepts.
          dtype: the dtype of values.
          indices_dtype: the dtype of indices.
          dense_shape_dtype: the dtype of dense_shape, or None if there is no dense_shape.
          indices_shape: the shape of indices.
        """
        self._shape = tensor_shape.as_shape(shape)
        self._values_dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = dense_shape_dtype and dtypes.as_dtype(dense_shape_dtype)
        self._indices_shape = tensor_shape.as_shape(indices_shape).with_rank(1)

    @property
    def value_type(self):
        """The class IndexedSlices."""
        return IndexedSlices

    def _serialize(self):
        return (
            self._shape,
            self._values_dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

    @property
    def _component_specs(self):
        values_shape = self._indices_shape.concatenate(self._shape[1:])
        specs = (
            type_spec.TensorSpec(values_shape, self._values_dtype),
            type_spec.TensorSpec(self._indices_shape, self._indices_dtype),
        )
        if self._dense_shape_dtype is None:
            return specs
        return (*specs, type_spec.TensorSpec([self._shape.rank], self._dense_shape_dtype))

    def _to_components(self, value):
        parts = value.values, value.indices, value.dense_shape
        return parts[:2] if value.dense_shape is None else parts

    def _from_components(self, components):
        if all(isinstance(part, np.ndarray) for part in components):
            return IndexedSlicesValue(*components, *[None] * (3 - len(components)))
        return IndexedSlices(*components)


def _warn_if_large(value):
    sizes = tensor_util.constant_value(value.dense_shape)
    if sizes is None:
        what = 'of unknown shape'
    else:
        count = math.prod(int(size) for size in sizes)
        if count < _MANY_ELEMENTS:
            return
        what = f'with {count} elements'
    warnings.warn(
        f'Converting sparse {value} to a dense Tensor {what}. This may consume a large amount of '
        'memory.',
        stacklevel=2,
    )


def _to_tensor(value, dtype=None, name=None, as_ref=False):
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f'Incompatible tensor conversion requested to `dtype` {dtypes.as_dtype(dtype).name} '
            f'for IndexedSlices ({value}) with dtype {value.dtype.name}'
        )
    if value.dense_shape is None:
        raise ValueError(
            'Tensor conversion requested for IndexedSlices for argument `value` without '
            f'dense_shape: {value}'
        )
    _warn_if_large(value)
    return gen.UnsortedSegmentSum(value.values, value.indices, value.dense_shape[0], name=name)


conversion.register_tensor_conversion_function(IndexedSlices, _to_tensor)
