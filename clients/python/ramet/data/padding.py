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


def _fits(padded, shape):
    if padded.ndims is None or shape.ndims is None:
        return True
    return padded.ndims == shape.ndims and all(
        mine is None or other is None or mine >= other
        for mine, other in zip(padded.as_list(), shape.as_list(), strict=True))


def shape_tensor(shape, what='The given shape', kind='1-D tensor of `tf.int64` values, but the'):
    """Returns a shape as an int64 vector, with -1 for unknown sizes.

    Args:
      shape: anything that converts to a TensorShape, or an int64 vector.
      what: the name of the shape in messages.
      kind: what it must be, in messages, which go on with the shape or dtype that it has.

    Raises:
      ValueError: if a tensor is not a vector.
      TypeError: if it is not int64.
    """
    try:
        sizes = tensor_shape.as_shape(shape).as_list()
        return ops.convert_to_tensor([-1 if size is None else size for size in sizes], dtype=dtypes.int64)
    except (TypeError, ValueError) as error:
        made = ops.convert_to_tensor(shape, preferred_dtype=dtypes.int64)
        if made.shape.ndims not in (None, 1):
            raise ValueError(f'{what} {shape} must be a {kind} shape was {made.shape}.') from error
        if made.dtype != dtypes.int64:
            raise TypeError(f'{what} {shape} must be a {kind} element type was '
                            f'{made.dtype.name}.') from error
        return made


def _padded_shape_tensor(padded, component):
    """Returns a padded shape as an int64 vector.

    Raises:
      ValueError: if it does not fit the shape of the component.
    """
    made = shape_tensor(padded, 'Padded shape', '`tf.int64` vector tensor, but its')
    shape = tensor_util.constant_value_as_shape(made)
    if not _fits(shape, component):
        raise ValueError(f'The padded shape {shape} is not compatible with the shape {component} of '
                         'the corresponding input component.')
    return made


def shapes(dataset, padded_shapes):
    """Returns the padded shapes of the components as a list of int64 vectors.

    Raises:
      ValueError: if one does not fit its component, or is needed and not given.
      TypeError: if a component is not a Tensor.
    """
    spec = dataset.element_spec
    for component in structure.flatten(spec):
        if isinstance(component, structure.DatasetSpec):
            raise TypeError('`padded_batch` is not supported for datasets of datasets')
        if not isinstance(component, type_spec.TensorSpec):
            raise TypeError('`padded_batch` is only supported for datasets that produce tensor elements but type spec '
                            'of elements in the input dataset is not a subclass of TensorSpec: '
                            f'`{component}`.')
    of_components = structure.flat_shapes(spec)
    if padded_shapes is None:
        for i, shape in enumerate(of_components):
            if shape.ndims is None:
                raise ValueError('You must provide `padded_shapes` argument because component '
                                 f'{i} has unknown rank.')
        wanted = of_components
    else:
        wanted = structure.flatten_up_to(spec, padded_shapes)
    return [_padded_shape_tensor(p, s) for p, s in zip(wanted, of_components, strict=True)]


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
