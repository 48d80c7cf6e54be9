"""The batches of batch() and padded_batch(): shapes, and what they are padded with."""

import numpy as np

from ramet.data import structure
from ramet.framework import dtypes, ops, tensor_shape, tensor_util, type_spec


def static_size(size, drop_remainder):
    """Returns the size of every batch, or None if it can differ.

    Args:
      size: a scalar int64 Tensor.
      drop_remainder: a scalar bool Tensor.
    """
    if not tensor_util.constant_value(drop_remainder):
        return None
    value = tensor_util.constant_value(size)
    return None if value is None else int(value)


def batched_by(size, drop_remainder):
    """Returns a function from the spec of a component to that of its batches."""
    rows = static_size(size, drop_remainder)

    def batched(spec):
        if isinstance(spec, structure.DatasetSpec):
            return structure.DatasetSpec(
                spec.element_spec, tensor_shape.TensorShape([rows]).concatenate(spec.shape))
        return type_spec.TensorSpec(tensor_shape.TensorShape([rows]).concatenate(spec.shape),
                                    spec.dtype)

    return batched


def _fits(padded, shape):
    if padded.ndims is None or shape.ndims is None:
        return True
    return padded.ndims == shape.ndims and all(
        mine is None or other is None or mine >= other
        for mine, other in zip(padded.as_list(), shape.as_list(), strict=True))


def _shape_tensor(padded, component):
    """Returns a padded shape as an int64 vector."""
    try:
        shape = tensor_shape.as_shape(padded)
        made = ops.convert_to_tensor([-1 if d is None else d for d in shape.as_list()],
                                     dtype=dtypes.int64)
    except (TypeError, ValueError) as error:
        made = ops.convert_to_tensor(padded, preferred_dtype=dtypes.int64)
        if made.shape.ndims not in (None, 1):
            raise ValueError(f'Padded shape {padded} must be a `tf.int64` vector tensor, but its '
                             f'shape was {made.shape}.') from error
        if made.dtype != dtypes.int64:
            raise TypeError(f'Padded shape {padded} must be a `tf.int64` vector tensor, but its '
                            f'element type was {made.dtype.name}.') from error
        shape = tensor_util.constant_value_as_shape(made)
    if not _fits(shape, component):
        raise ValueError(f'The padded shape {shape} is not compatible with the shape {component} of '
                         'the corresponding input component.')
    return made


def shapes(dataset, padded_shapes):
    """Returns the padded shapes of the components as a list of int64 vectors.

    Raises:
      ValueError: if one does not fit its component, or is needed and not given.
      TypeError: if the dataset has datasets as components.
    """
    spec = dataset.element_spec
    if any(isinstance(s, structure.DatasetSpec) for s in structure.flatten(spec)):
        raise TypeError('`padded_batch` is not supported for datasets of datasets')
    of_components = structure.flat_shapes(spec)
    if padded_shapes is None:
        for i, shape in enumerate(of_components):
            if shape.ndims is None:
                raise ValueError('You must provide `padded_shapes` argument because component '
                                 f'{i} has unknown rank.')
        wanted = of_components
    else:
        wanted = structure.flatten_up_to(spec, padded_shapes)
    return [_shape_tensor(p, s) for p, s in zip(wanted, of_components, strict=True)]


def _default_value(dtype):
    if dtype == dtypes.string:
        return ''
    if dtype == dtypes.variant:
        raise TypeError("Unable to create default padding value for a component of type 'variant'.")
    return np.zeros([], dtype.as_numpy_dtype)


def values(dataset, padding_values):
    """Returns the padding values of the components as a list of scalar Tensors.

    Raises:
      ValueError: if one is not a scalar.
      TypeError: if one has another dtype than its component.
    """
    spec = dataset.element_spec
    types = structure.flat_types(spec)
    if padding_values is None or not structure.is_nested(padding_values):
        given = [padding_values] * len(types)
    else:
        given = structure.flatten_up_to(spec, padding_values)
    made = []
    for value, dtype in zip(given, types, strict=True):
        value = ops.convert_to_tensor(_default_value(dtype) if value is None else value,
                                      name='padding_value')
        if not value.shape.is_compatible_with(tensor_shape.TensorShape([])):
            raise ValueError('Invalid `padding_values`. `padding_values` values should be scalars, '
                             f'but got {value.shape}.')
        if value.dtype != dtype:
            raise TypeError('Invalid `padding_values`. `padding_values` values type '
                            f'{value.dtype} does not match type {dtype} of the corresponding input '
                            'component.')
        made.append(value)
    return made


def batched_spec(dataset, padded_shapes, rows):
    """Returns the structure of specs of batches of `rows` elements (None: any) with these padded shapes."""
    first = tensor_shape.TensorShape([rows])
    specs = [type_spec.TensorSpec(first.concatenate(tensor_util.constant_value_as_shape(s)), dtype)
             for s, dtype in zip(padded_shapes, structure.flat_types(dataset.element_spec),
                                 strict=True)]
    return structure.pack(dataset.element_spec, specs)
