"""Conversions between tensors and the values that enter and leave branches and loops."""

import contextlib

from ramet import gen
from ramet.framework import (
    indexed_slices,
    nest,
    ops,
    ragged_hooks,
    sparse_tensor,
    tensor_shape,
    type_spec,
)
from ramet.ops.control_flow import tensor_array_ops


def flow_of(value):
    """Returns the tensor that represents a TensorArray; other values are returned unchanged."""
    return value.flow if isinstance(value, tensor_array_ops.TensorArray) else value


def with_flows(originals, tensors):
    """Returns the tensors, converted to TensorArrays where the original values were TensorArrays."""
    return [
        tensor_array_ops.build_ta_with_new_flow(original, tensor)
        if isinstance(original, tensor_array_ops.TensorArray) else tensor
        for original, tensor in zip(originals, tensors, strict=True)
    ]


def _is_composite(value):
    kinds = sparse_tensor.SparseTensor, indexed_slices.IndexedSlices
    return isinstance(value, kinds) or ragged_hooks.is_ragged(value)


def identity(value):
    """Returns a copy of a value of any kind that branches and loops accept."""
    if isinstance(value, tensor_array_ops.TensorArray):
        return value.identity()
    if isinstance(value, ops.Operation):
        return value
    if _is_composite(value):
        return nest.map_structure(identity, value, expand_composites=True)
    tensor = ops.convert_to_tensor(value)
    return gen.RefIdentity(tensor) if tensor.dtype._is_ref_dtype else gen.Identity(tensor)


@contextlib.contextmanager
def summaries_inside(graph):
    """Moves the summaries that are added inside the context from the collection to the yielded list."""
    key = ops.GraphKeys._SUMMARY_COLLECTION
    before = graph.get_collection(key)
    added = []
    yield added
    after = graph.get_collection(key)
    if len(after) > len(before):
        added.extend(after[len(before):])
        graph.get_collection_ref(key)[:] = before


def after_summaries(summaries, result):
    """Makes the result of a branch or body wait for its summaries."""
    if not summaries:
        return result
    with ops.control_dependencies(summaries):
        if result is None:
            return gen.NoOp()
        if isinstance(result, ops.Operation):
            return result
        return nest.map_structure(identity, result)


def convert(value):
    """Converts the initial value of a loop variable to a tensor, or keeps one that consists of several."""
    value = flow_of(value)
    if _is_composite(value):
        return value
    return ops.convert_to_tensor(value)


def invariant_of(value, shape=None):
    """Returns the shapes that a loop variable keeps, based on an optional shape of the caller.

    Args:
      value: a tensor, SparseTensor or IndexedSlices.
      shape: a TensorShape, a TypeSpec or None.

    Raises:
      TypeError: if shape is something else.
      ValueError: if shape is a TypeSpec for a different kind of values.
    """
    if isinstance(shape, type_spec.TypeSpec):
        if not shape.is_compatible_with(value):
            raise ValueError(f'TypeSpec {shape} is not compatible with {value}')
        return _shapes_of_spec(shape)
    if shape is not None and not isinstance(shape, tensor_shape.TensorShape):
        raise TypeError("'shape' must be one of TypeSpec, TensorShape or None. "
                        f'Received: {type(shape)}')
    if isinstance(value, indexed_slices.IndexedSlices):
        return _slices_shapes(value, shape)
    if isinstance(value, sparse_tensor.SparseTensor):
        return _sparse_shapes(value, shape)
    if ragged_hooks.is_ragged(value):
        return _shapes_of_spec(value._type_spec)
    return [value.shape if shape is None else shape]


def _shapes_of_spec(spec):
    parts = nest.flatten(spec._component_specs)
    return [part.shape for part in parts if part is not None]


def _slices_shapes(value, shape):
    if shape is None:
        shape = value.values.shape
    shapes = [shape, tensor_shape.TensorShape([shape[0]])]
    if value.dense_shape is not None:
        shapes.append(tensor_shape.TensorShape([shape.ndims]))
    return shapes


def _sparse_shapes(value, shape):
    if shape is None:
        rank = value.dense_shape.shape[0]
    else:
        if shape.ndims != 1:
            raise ValueError('Expected a shape with 1 dimension. Obtained: '
                             f'{_old_style(shape)} which has {shape.ndims} dimensions.')
        rank = shape[0]
    unknown = tensor_shape.TensorShape([None, rank])
    return [unknown, tensor_shape.TensorShape([None]), tensor_shape.TensorShape([rank])]


def _old_style(shape):
    dims = ['?' if d is None else str(d) for d in shape.as_list()]
    return '(' + ', '.join(dims) + (',)' if len(dims) == 1 else ')')
