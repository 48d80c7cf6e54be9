"""The structure of a dataset's elements: nested tuples, dicts and attrs objects of components.

Unlike elsewhere, a list is a component: it becomes one tensor.
"""

import collections.abc as abc

from ramet.api import export
from ramet.data import forms
from ramet.framework import dtypes, nest, ops, tensor_shape, type_spec
from ramet.framework.sparse_tensor import SparseTensor, SparseTensorSpec, SparseTensorValue, is_sparse
from ramet.framework.tensors import Tensor


def is_nested(value):
    """Returns whether a value is a structure and not a component."""
    return isinstance(value, (tuple, abc.Mapping)) and not isinstance(
        value, SparseTensorValue) or nest.is_attrs(value)


def _values(structure):
    if isinstance(structure, abc.Mapping):
        return [structure[key] for key in sorted(structure)]
    if isinstance(structure, tuple):
        return list(structure)
    return [getattr(structure, field.name) for field in type(structure).__attrs_attrs__]


def flatten(structure):
    """Returns the components of a structure as a list; those of a dict in the order of its sorted keys."""
    if not is_nested(structure):
        return [structure]
    return [atom for value in _values(structure) for atom in flatten(value)]


def _like(structure, values):
    if isinstance(structure, abc.Mapping):
        made = dict(zip(sorted(structure), values, strict=True))
        pairs = [(key, made[key]) for key in structure]
        return type(structure)(pairs)
    if isinstance(structure, tuple):
        named = nest.is_namedtuple(structure)
        return type(structure)(*values) if named else tuple(values)
    return type(structure)(*values)


def _pack(structure, atoms):
    if not is_nested(structure):
        return next(atoms)
    return _like(structure, [_pack(value, atoms) for value in _values(structure)])


def pack(structure, flat):
    """Returns the components in the list `flat` in the shape of `structure`."""
    return _pack(structure, iter(flat))


def map_structure(func, structure):
    """Returns the structure of func(component) for each component."""
    return pack(structure, [func(atom) for atom in flatten(structure)])


def flatten_up_to(shallow, value):
    """Returns the parts of `value` that are in the places of the components of `shallow`.

    Raises:
      TypeError: if a part of `value` has another kind than that of `shallow`.
      ValueError: if it has another number of parts, or other keys.
    """
    if not is_nested(shallow):
        return [value]
    if isinstance(shallow, abc.Mapping):
        if not isinstance(value, abc.Mapping):
            raise TypeError(
                "If shallow structure is a sequence, input must also be a sequence. Input has "
                f"type: '{type(value).__name__}'.")
        if set(shallow) != set(value):
            raise ValueError("The two structures don't have the same sequence of keys. Input keys: "
                             f'{sorted(value)}, shallow keys: {sorted(shallow)}')
    elif not is_nested(value) and not isinstance(value, list):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has type: "
            f"'{type(value).__name__}'.")
    parts = list(value) if isinstance(value, list) else _values(value)
    mine = _values(shallow)
    if len(parts) != len(mine):
        raise ValueError("The two structures don't have the same sequence length. Input structure "
                         f'has length {len(parts)}, while shallow structure has length '
                         f'{len(mine)}.')
    return [atom for a, b in zip(mine, parts) for atom in flatten_up_to(a, b)]


@export('data.DatasetSpec', 'data.experimental.DatasetStructure')
class DatasetSpec(type_spec.TypeSpec):
    """Describes a dataset that is a component of the elements of another dataset."""

    __slots__ = ('_element_spec', '_shape')

    def __init__(self, element_spec, dataset_shape=()):
        """Creates a spec.

        Args:
          element_spec: the structure of specs of the dataset's elements.
          dataset_shape: the shape of the tensor of datasets.
        """
        self._element_spec = element_spec
        self._shape = tensor_shape.TensorShape(dataset_shape)

    @property
    def element_spec(self):
        """The structure of specs of the dataset's elements."""
        return self._element_spec

    @property
    def dtype(self):
        """The dtype of the tensor that holds the dataset."""
        return dtypes.variant

    @property
    def shape(self):
        """The shape of the tensor of datasets."""
        return self._shape

    def _serialize(self):
        return self._element_spec, self._shape


def _holds_itself(value):
    """Returns whether a value, such as a Dataset, is held in a tensor that it has."""
    return hasattr(value, '_variant_tensor')


def spec_of(value):
    """Returns the spec of a component: a Tensor, a SparseTensor, a Dataset or an Optional.

    Raises:
      TypeError: if it is something else.
    """
    if isinstance(value, Tensor):
        return type_spec.TensorSpec(value.shape, value.dtype.base_dtype)
    spec = getattr(value, '_component_spec', None) or getattr(value, '_type_spec', None)
    if spec is None:
        raise TypeError(f'Unsupported component of a dataset: {value!r} of type {type(value)}')
    forms.form_of(spec)
    return spec


def as_component(value, name=None):
    """Returns a value as a component: sparse values as a SparseTensor, others as a Tensor.

    Raises:
      TypeError: if it cannot be converted.
    """
    if is_sparse(value):
        return SparseTensor.from_value(value)
    return value if _holds_itself(value) else ops.convert_to_tensor(value, name=name)


def normalize(element):
    """Returns an element whose components are tensors. SparseTensors, Datasets and Optionals stay as they are.

    Raises:
      TypeError: if a component cannot be converted.
    """
    with ops.name_scope('normalize_element'):
        made = [as_component(value, f'component_{i}') for i, value in enumerate(flatten(element))]
    return pack(element, made)


def to_tensors(spec, element):
    """Returns the tensors that hold the components of an element, as a list."""
    return [forms.form_of(s).to_tensor(s, value)
            for s, value in zip(flatten(spec), flatten(element), strict=True)]


def to_rows(spec, element):
    """Returns tensors whose slices hold the slices of the components along their first dimensions.

    Raises:
      ValueError: if a component is a scalar.
    """
    return [forms.form_of(s).to_rows(s, value)
            for s, value in zip(flatten(spec), flatten(element), strict=True)]


def from_tensors(spec, tensors):
    """Returns the element whose components the tensors hold."""
    return pack(spec, [forms.form_of(s).from_tensor(s, tensor)
                       for s, tensor in zip(flatten(spec), tensors, strict=True)])


def flat_specs(spec):
    """Returns the TensorSpecs of the tensors that hold the components, as a list."""
    return [forms.form_of(component).flat_spec(component) for component in flatten(spec)]


def flat_types(spec):
    """Returns the dtypes of the tensors that hold the components, as a list."""
    return [component.dtype for component in flat_specs(spec)]


def flat_shapes(spec):
    """Returns the shapes of the tensors that hold the components, as a list."""
    return [component.shape for component in flat_specs(spec)]


def attrs(spec):
    """Returns the attrs output_types and output_shapes of an op with such elements."""
    return {'output_types': flat_types(spec), 'output_shapes': flat_shapes(spec)}


def is_dense(spec):
    """Returns whether all components are Tensors."""
    return all(isinstance(component, type_spec.TensorSpec) for component in flatten(spec))


def batched(spec, rows):
    """Returns the structure of specs of batches of `rows` elements, None for any number."""
    return map_structure(lambda s: forms.form_of(s).batched(s, rows), spec)


def row(spec):
    """Returns the structure of specs of the slices of elements along their first dimension.

    Raises:
      ValueError: if a component is a scalar.
    """
    return map_structure(lambda s: forms.form_of(s).row(s), spec)


def _legacy(spec, name):
    return map_structure(lambda s: s if forms.form_of(s).is_opaque else getattr(s, name), spec)


def types(spec):
    """Returns the structure of dtypes; a dataset has its spec instead."""
    return _legacy(spec, 'dtype')


def shapes(spec):
    """Returns the structure of shapes; a dataset has its spec instead."""
    return _legacy(spec, 'shape')


def classes(spec):
    """Returns the structure of classes; a dataset has its spec instead."""
    return _legacy(spec, 'value_type')


def _from_legacy(dtype, shape, kind):
    for spec in (kind, dtype):
        if isinstance(spec, type_spec.TypeSpec):
            return spec
    if issubclass(kind, SparseTensor):
        return SparseTensorSpec(shape, dtype)
    if issubclass(kind, Tensor):
        return type_spec.TensorSpec(tensor_shape.TensorShape(shape), dtypes.as_dtype(dtype))
    raise TypeError(f'Could not build a structure for output class {kind.__name__}. Make sure any component class in '
                    '`output_classes` inherits from one of the following classes: `tf.TypeSpec`, '
                    '`tf.sparse.SparseTensor`, `tf.Tensor`, `tf.TensorArray`.')


def from_legacy(output_types, output_shapes=None, output_classes=None):
    """Returns the structure of specs for structures of dtypes, shapes and classes.

    Raises:
      TypeError: if a class is not that of a component.
    """
    flat = flatten(output_types)
    flat_sizes = ([None] * len(flat) if output_shapes is None
                  else flatten_up_to(output_types, output_shapes))
    kinds = ([Tensor] * len(flat) if output_classes is None
             else flatten_up_to(output_types, output_classes))
    specs = [_from_legacy(*parts) for parts in zip(flat, flat_sizes, kinds, strict=True)]
    return pack(output_types, specs)


def most_specific_common(first, second):
    """Returns the structure of specs that covers both.

    Raises:
      TypeError: if the structures or the dtypes differ.
    """
    mine, other = flatten(first), flatten_up_to(first, second)
    merged = [a.most_specific_common_supertype([b]) for a, b in zip(mine, other, strict=True)]
    if any(spec is None for spec in merged):
        raise TypeError(f'Incompatible types of datasets: {first} and {second}.')
    return pack(first, merged)
