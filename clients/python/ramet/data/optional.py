"""tf.data.experimental.Optional: values that may be missing."""

from ramet import gen
from ramet.api import export
from ramet.data import forms, structure
from ramet.framework import dtypes, ops, type_spec


@export('data.experimental.Optional', 'experimental.Optional', 'contrib.data.Optional')
class Optional:
    """A value that may be missing, such as the next element of an iterator that may have ended."""

    def has_value(self, name=None):
        """Returns a scalar bool Tensor: whether there is a value.

        Args:
          name: the name of the operation.
        """
        raise NotImplementedError('Optional.has_value()')

    def get_value(self, name=None):
        """Returns the value.

        Args:
          name: the name of the operation.

        Returns:
          The structure of Tensors.

        Raises:
          InvalidArgumentError: when it runs, if the Optional is empty.
        """
        raise NotImplementedError('Optional.get_value()')

    @property
    def element_spec(self):
        """The structure of specs of the value."""
        raise NotImplementedError('Optional.element_spec')

    @property
    def value_structure(self):
        """The structure of specs of the value."""
        return self.element_spec

    @staticmethod
    def empty(element_spec):
        """Returns an Optional without a value.

        Args:
          element_spec: the structure of specs that a value would have.
        """
        return OptionalValue(gen.OptionalNone(), element_spec)

    @staticmethod
    def none_from_structure(value_structure):
        """Returns an Optional without a value.

        Args:
          value_structure: the structure of specs that a value would have.
        """
        return Optional.empty(value_structure)

    @staticmethod
    def from_value(value):
        """Returns an Optional with a value.

        Args:
          value: a structure of values that convert to tensors.
        """
        with ops.name_scope('optional') as scope:
            with ops.name_scope('value'):
                value = structure.map_structure(structure.as_component, value)
                spec = structure.map_structure(structure.spec_of, value)
                tensors = structure.to_tensors(spec, value)
            return OptionalValue(gen.OptionalFromValue(tensors, name=scope), spec)


class OptionalValue(Optional):
    """An Optional that a tensor holds."""

    def __init__(self, variant_tensor, element_spec):
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec

    def has_value(self, name=None):
        with ops.colocate_with(self._variant_tensor):
            return gen.OptionalHasValue(self._variant_tensor, name=name)

    def get_value(self, name=None):
        with ops.name_scope(name, 'OptionalGetValue', [self._variant_tensor]) as scope:
            with ops.colocate_with(self._variant_tensor):
                flat = gen.OptionalGetValue(self._variant_tensor, name=scope, **structure.attrs(self._element_spec))
            return structure.from_tensors(self._element_spec, flat)

    @property
    def element_spec(self):
        return self._element_spec

    @property
    def _type_spec(self):
        return OptionalSpec(self._element_spec)


@export('OptionalSpec', 'data.experimental.OptionalStructure')
class OptionalSpec(type_spec.TypeSpec):
    """Describes an Optional by the specs of its value."""

    __slots__ = ('_element_spec',)

    def __init__(self, element_spec):
        """Creates a spec.

        Args:
          element_spec: the structure of specs of the value.
        """
        self._element_spec = element_spec

    @classmethod
    def from_value(cls, value):
        """Returns the spec of an Optional.

        Args:
          value: an Optional.
        """
        return cls(value.element_spec)

    @property
    def value_type(self):
        """The class of Optionals."""
        return OptionalValue

    def _serialize(self):
        return (self._element_spec,)

    @property
    def _component_specs(self):
        return [type_spec.TensorSpec([], dtypes.variant)]

    def _to_components(self, value):
        return [value._variant_tensor]

    def _from_components(self, components):
        return OptionalValue(components[0], self._element_spec)


class OptionalForm(forms.TensorForm):
    """The form of Optionals that are components: the variants that hold them."""

    is_opaque = True

    def flat_spec(self, spec):
        return type_spec.TensorSpec([], dtypes.variant)

    def to_tensor(self, spec, value):
        return value._variant_tensor

    def from_tensor(self, spec, tensor):
        return spec._from_components([tensor])

    def batched(self, spec, rows):
        raise TypeError(f'{spec}: Optionals cannot be batched')

    def row(self, spec):
        raise TypeError(f'{spec}: Optionals have no slices')


forms.register(OptionalSpec, OptionalForm())
