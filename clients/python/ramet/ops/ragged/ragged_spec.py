"""RaggedTensorSpec, which describes ragged tensors."""

from ramet.api import export
from ramet.framework import dtypes, tensor_shape, type_spec

_class = None


@export('RaggedTensorSpec')
class RaggedTensorSpec(type_spec.TypeSpec):
    """Describes a RaggedTensor by its shape, its dtype, its ragged rank and the dtype of its splits."""

    __slots__ = ('_shape', '_dtype', '_ragged_rank', '_row_splits_dtype')

    @staticmethod
    def set_class(ragged_class):
        """Sets the class of the values. Its module calls this.

        Args:
          ragged_class: RaggedTensor.
        """
        global _class
        _class = ragged_class

    def __init__(self, shape=None, dtype=dtypes.float32, ragged_rank=None, row_splits_dtype=dtypes.int64):
        """Creates a spec.

        Args:
          shape: anything that TensorShape accepts. Ragged dimensions are None.
          dtype: anything that `tf.as_dtype` accepts.
          ragged_rank: the number of ragged dimensions. Defaults to one less than the rank.
          row_splits_dtype: int32 or int64.

        Raises:
          ValueError: if the ragged rank is not known or too large.
          TypeError: if it is not an int.
        """
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        rank = self._shape.ndims
        if ragged_rank is None:
            if rank is None:
                raise ValueError('Must specify ragged_rank or a shape with a known rank.')
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError('Argument `ragged_rank` must be an int. '
                            f'Received {ragged_rank} of type {type(ragged_rank).__name__}.')
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f'Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).')
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value):
        """Returns the spec of a ragged tensor.

        Args:
          value: a RaggedTensor, or a RaggedTensorValue.
        """
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def shape(self):
        """The TensorShape."""
        return self._shape

    @property
    def dtype(self):
        """The DType of the values."""
        return self._dtype

    @property
    def ragged_rank(self):
        """The number of ragged dimensions."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self):
        """The DType of the splits."""
        return self._row_splits_dtype

    @property
    def value_type(self):
        """The class RaggedTensor, or Tensor if no dimension is ragged."""
        return _class if self._ragged_rank > 0 else type_spec.Tensor

    def _serialize(self):
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    @property
    def _component_specs(self):
        known = self._shape.as_list() if self._shape.rank is not None else None
        rank = self._ragged_rank
        if rank == 0:
            return [type_spec.TensorSpec(self._shape, self._dtype)]
        rows = None if known is None or known[0] is None else known[0] + 1
        splits = [type_spec.TensorSpec([rows if i == 0 else None], self._row_splits_dtype)
                  for i in range(rank)]
        inner = None if known is None else [None, *known[rank + 1:]]
        return [*splits, type_spec.TensorSpec(inner, self._dtype)]

    def _to_components(self, value):
        if self._ragged_rank == 0:
            return [value]
        return [*value.nested_row_splits, value.flat_values]

    def _from_components(self, components):
        return _class.from_nested_row_splits(components[-1], list(components[:-1]), validate=False)
