"""What values are made of, without the values: TypeSpec and TensorSpec."""

from ramet.api import export
from ramet.framework import dtypes, tensor_proto, tensor_shape


def _fits(mine, other):
    """Whether two parts of the descriptions of specs can describe the same value."""
    if isinstance(mine, (tensor_shape.TensorShape, dtypes.DType)):
        return type(mine) is type(other) and mine.is_compatible_with(other)
    return mine == other


def _widest(mine, other):
    """The narrowest part that describes what both do.

    Raises:
        ValueError: if there is none.
    """
    if isinstance(mine, tensor_shape.TensorShape) and isinstance(other, tensor_shape.TensorShape):
        return mine.most_specific_compatible_shape(other)
    if mine != other:
        raise ValueError
    return mine


@export('TypeSpec', 'data.experimental.Structure')
class TypeSpec:
    """Describes values of one kind: their class, their dtypes, their shapes.

    Specs are equal where they say the same, can be hashed and pickled.
    """

    __slots__ = ('__weakref__',)

    @property
    def value_type(self):
        """The class of the values."""
        raise NotImplementedError(f'{type(self).__name__}.value_type')

    def _serialize(self):
        """The arguments of the constructor that makes an equal spec."""
        raise NotImplementedError(f'{type(self).__name__}._serialize')

    @classmethod
    def _make(cls, arguments):
        return cls(*arguments)

    def is_compatible_with(self, spec_or_value):
        """Whether a value, or some value of another spec, can be of this kind."""
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            try:
                other = type_spec_from_value(other)
            except TypeError:
                return False
        return type(self) is type(other) and all(map(_fits, self._serialize(), other._serialize()))

    def is_subtype_of(self, other):
        """Whether every value of this kind is of the kind other."""
        return self.most_specific_common_supertype([other]) == other

    def most_specific_common_supertype(self, others):
        """The narrowest spec that describes the values of this spec and of all others, or None."""
        parts = self._serialize()
        for other in others:
            if type(other) is not type(self):
                return None
            try:
                parts = tuple(map(_widest, parts, other._serialize()))
            except ValueError:
                return None
        return self._make(parts)

    def most_specific_compatible_type(self, other):
        """The narrowest spec that describes the values of both.

        Raises:
            ValueError: if there is none.
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f'No TypeSpec is compatible with both {self} and {other}')
        return found

    def __eq__(self, other):
        return type(self) is type(other) and self._serialize() == other._serialize()

    def __hash__(self):
        return hash((type(self), self._serialize()))

    def __reduce__(self):
        return type(self), self._serialize()

    def __repr__(self):
        return f'{type(self).__name__}({", ".join(map(repr, self._serialize()))})'


@export('TensorSpec', 'data.experimental.TensorStructure')
class TensorSpec(TypeSpec):
    """Describes a Tensor by its shape, its dtype and a name."""

    __slots__ = ('_shape', '_dtype', '_name')

    def __init__(self, shape, dtype=dtypes.float32, name=None):
        """Makes a spec.

        Args:
            shape: anything that TensorShape accepts.
            dtype: anything that `tf.as_dtype` accepts.
            name: str or None.

        Raises:
            TypeError: if shape or dtype is none.
            ValueError: if a size is negative.
        """
        self._shape = tensor_shape.TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec, name=None):
        """The spec of another one under a name; without a name, that of the other."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """The spec of a tensor.

        Args:
            tensor: a Tensor.
            name: str; None for that of its op.

        Raises:
            ValueError: if tensor is no Tensor.
        """
        from ramet.framework import ops

        if not isinstance(tensor, ops.Tensor):
            raise ValueError(f'`tensor` should be a tf.Tensor, but got type {type(tensor)}.')
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @property
    def shape(self):
        """The TensorShape."""
        return self._shape

    @property
    def dtype(self):
        """The DType."""
        return self._dtype

    @property
    def name(self):
        """The name, None where not given."""
        return self._name

    @property
    def value_type(self):
        """The class Tensor."""
        from ramet.framework import ops

        return ops.Tensor

    def _serialize(self):
        return self._shape, self._dtype, self._name

    def is_compatible_with(self, spec_or_value):
        """Whether a Tensor, or some Tensor of another spec, has this dtype and fits this shape."""
        from ramet.framework import ops

        if not isinstance(spec_or_value, (TensorSpec, ops.Tensor)):
            return False
        return self._dtype.is_compatible_with(
            spec_or_value.dtype
        ) and self._shape.is_compatible_with(spec_or_value.shape)

    def is_subtype_of(self, other):
        """Whether every Tensor of this spec is one of other; names do not count."""
        return (
            type(other) is TensorSpec
            and self._dtype == other._dtype
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_common_supertype(self, others):
        """The narrowest spec that describes the tensors of this spec and of all others, or None."""
        if any(type(other) is not TensorSpec or other._dtype != self._dtype for other in others):
            return None
        shape = self._shape.most_specific_common_supertype([other._shape for other in others])
        same_name = all(other._name == self._name for other in others)
        return TensorSpec(shape, self._dtype, self._name if same_name else None)

    @property
    def _component_specs(self):
        return self

    def _to_components(self, value):
        return value

    def _from_components(self, components):
        return components

    def __repr__(self):
        return f'TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})'


@export('type_spec_from_value')
def type_spec_from_value(value):
    """The spec of a value.

    Args:
        value: a Tensor, SparseTensor, IndexedSlices, array, or what makes an array.

    Returns:
        A TypeSpec.

    Raises:
        TypeError: if value is nothing that becomes a tensor.
    """
    from ramet.framework import ops

    if isinstance(value, ops.Tensor):
        return TensorSpec(value.shape, value.dtype)
    spec = getattr(value, '_type_spec', None)
    if spec is not None:
        return spec
    try:
        proto = tensor_proto.make_tensor_proto(value)
    except (TypeError, ValueError):
        raise TypeError(
            f'Could not build a TypeSpec for {value!r} of unsupported type {type(value)}.'
        ) from None
    return TensorSpec(proto.tensor_shape, proto.dtype)
