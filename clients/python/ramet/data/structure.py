"""The structure of a dataset's elements: nested tuples, dicts and attrs objects of components.

Unlike elsewhere, a list is a component: it becomes one tensor.
"""

import collections.abc as abc

from ramet.framework import dtypes, nest, ops, tensor_shape, type_spec
from ramet.framework.sparse_tensor import SparseTensor, SparseTensorValue
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


def _sparse_error(name):
    return TypeError(
        f'{name}: datasets with sparse components are not supported; use the dense tensors of the '
        'SparseTensor (indices, values, dense_shape) as components')


def reject_sparse(value):
    """Raises the error for a component that is sparse.

    Raises:
      TypeError: if value is a SparseTensor or SparseTensorValue.
    """
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        raise _sparse_error(type(value).__name__)


def spec_of(value):
    """Returns the spec of a component: a Tensor or a Dataset.

    Raises:
      TypeError: if it is neither.
    """
    if isinstance(value, Tensor):
        return type_spec.TensorSpec(value.shape, value.dtype.base_dtype)
    if hasattr(value, '_variant_tensor'):
        return value._component_spec
    raise TypeError(f'Unsupported component of a dataset: {value!r} of type {type(value)}')


def tensor_of(value):
    """Returns the tensor that holds a component."""
    return getattr(value, '_variant_tensor', value)


def normalize(element):
    """Returns an element with all components converted to tensors.

    Raises:
      TypeError: if a component is sparse, or cannot be converted.
    """
    made = []
    with ops.name_scope('normalize_element'):
        for i, value in enumerate(flatten(element)):
            reject_sparse(value)
            if not hasattr(value, '_variant_tensor'):
                value = ops.convert_to_tensor(value, name=f'component_{i}')
            made.append(value)
    return pack(element, made)


def flat_types(spec):
    """Returns the dtypes of the components, as a list."""
    return [component.dtype for component in flatten(spec)]


def flat_shapes(spec):
    """Returns the shapes of the components, as a list."""
    return [component.shape for component in flatten(spec)]


def attrs(spec):
    """Returns the attrs output_types and output_shapes of an op with such elements."""
    return {'output_types': flat_types(spec), 'output_shapes': flat_shapes(spec)}


def types(spec):
    """Returns the structure of dtypes; a dataset has its spec instead."""
    return map_structure(lambda s: s if isinstance(s, DatasetSpec) else s.dtype, spec)


def shapes(spec):
    """Returns the structure of shapes; a dataset has its spec instead."""
    return map_structure(lambda s: s if isinstance(s, DatasetSpec) else s.shape, spec)


def classes(spec):
    """Returns the structure of classes; a dataset has its spec instead."""
    return map_structure(lambda s: s if isinstance(s, DatasetSpec) else s.value_type, spec)


def from_legacy(output_types, output_shapes=None, output_classes=None):
    """Returns the structure of specs for structures of dtypes, shapes and classes.

    Raises:
      TypeError: if a component is sparse.
    """
    flat = flatten(output_types)
    flat_sizes = ([None] * len(flat) if output_shapes is None
                  else flatten_up_to(output_types, output_shapes))
    kinds = ([Tensor] * len(flat) if output_classes is None
             else flatten_up_to(output_types, output_classes))
    if any(kind is SparseTensor for kind in kinds):
        raise _sparse_error('output_classes')
    specs = []
    for dtype, shape in zip(flat, flat_sizes, strict=True):
        if isinstance(dtype, type_spec.TypeSpec):
            specs.append(dtype)
        else:
            specs.append(type_spec.TensorSpec(
                tensor_shape.TensorShape(shape), dtypes.as_dtype(dtype)))
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
