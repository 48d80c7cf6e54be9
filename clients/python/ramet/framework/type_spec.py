"""TypeSpec and TensorSpec, which describe the types of values."""

from ramet.api import export
from ramet.framework import dtypes, tensor_proto, tensor_shape
from ramet.framework.tensors import Tensor


def _fits(mine, other):
    """Returns whether two arguments of specs can describe the same value."""
    if isinstance(mine, (tensor_shape.TensorShape, dtypes.DType)):
        return type(mine) is type(other) and mine.is_compatible_with(other)
    return mine == other


def _widest(mine, other):
    """Returns the narrowest argument that covers both.

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
    """Describes values of one kind: their class, dtypes and shapes.

    Specs with equal contents are equal. They can be hashed and pickled.
    """

    __slots__ = ('__weakref__',)

    @property
    def value_type(self):
        """The class of the values."""
        raise NotImplementedError(f'{type(self).__name__}.value_type')

    def _serialize(self):
        """Returns the arguments that create an equal spec when passed to the constructor."""
        raise NotImplementedError(f'{type(self).__name__}._serialize')

    @classmethod
    def _make(cls, arguments):
        return cls(*arguments)

    def is_compatible_with(self, spec_or_value):
        """Returns whether a value, or some value of another spec, matches this spec.

        Args:
          spec_or_value: a TypeSpec or a value.
        """
        other = spec_or_value
        if not isinstance(other, TypeSpec):
            try:
                other = type_spec_from_value(other)
            except TypeError:
                return False
        return type(self) is type(other) and all(map(_fits, self._serialize(), other._serialize()))

    def is_subtype_of(self, other):
        """Returns whether every value that matches this spec also matches `other`.

        Args:
          other: a TypeSpec.
        """
        return self.most_specific_common_supertype([other]) == other

    def most_specific_common_supertype(self, others):
        """Returns the narrowest spec that covers this spec and all of `others`, or None.

        Args:
          others: a sequence of TypeSpecs.
        """
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
        """Returns the narrowest spec that covers both.

        Args:
          other: a TypeSpec.

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
        return f'{type(self).__name__}{self._serialize()!r}'


@export('TensorSpec')
class TensorSpec(TypeSpec):
    """Describes a Tensor by its shape, its dtype and a name."""

    __slots__ = ('_shape', '_dtype', '_name')

    def __init__(self, shape, dtype=dtypes.float32, name=None):
        """Creates a spec.

        Args:
          shape: anything that TensorShape accepts.
          dtype: anything that `tf.as_dtype` accepts.
          name: str or None.

        Raises:
          TypeError: if shape or dtype is invalid.
          ValueError: if a size is negative.
        """
        self._shape = tensor_shape.TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec, name=None):
        """Returns a copy of a spec with a different name. Without a name, it keeps its own.

        Args:
          spec: a TensorSpec.
          name: str, or None for the name of `spec`.
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """Returns the spec of a tensor.

        Args:
          tensor: a Tensor.
          name: str, or None for that of its op.

        Raises:
          ValueError: if tensor is not a Tensor.
        """
        if not isinstance(tensor, Tensor):
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
        """The name, or None if there is none."""
        return self._name

    @property
    def value_type(self):
        """The class Tensor."""
        return Tensor

    def _serialize(self):
        return self._shape, self._dtype, self._name

    def is_compatible_with(self, spec_or_value):
        """Returns whether a Tensor, or some Tensor of another spec, has this dtype and a compatible shape.

        Args:
          spec_or_value: a TensorSpec or a Tensor.
        """
        if not isinstance(spec_or_value, (TensorSpec, Tensor)):
            return False
        return self._dtype.is_compatible_with(
            spec_or_value.dtype
        ) and self._shape.is_compatible_with(spec_or_value.shape)

    def is_subtype_of(self, other):
        """Returns whether every Tensor that matches this spec also matches `other`, ignoring names.

        Args:
          other: a TensorSpec.
        """
        return (
            type(other) is TensorSpec
            and self._dtype == other._dtype
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_common_supertype(self, others):
        """Returns the narrowest spec that covers this spec and all of `others`, or None.

        Args:
          others: a sequence of TensorSpecs.
        """
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
    """Returns the spec of a value.

    Args:
      value: a Tensor, SparseTensor, IndexedSlices, array, or a value that converts to an array.

    Returns:
      A TypeSpec.

    Raises:
      TypeError: if value cannot be converted to a tensor.
    """
    if isinstance(value, Tensor):
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
