"""group, tuple and with_dependencies: the order of execution without branches."""

from ramet import gen
from ramet.api import export
from ramet.framework import nest, ops, ragged_hooks
from ramet.framework.indexed_slices import IndexedSlices
from ramet.framework.sparse_tensor import SparseTensor

Tensor, Operation = ops.Tensor, ops.Operation


def _flat_tensors(value):
    """Returns the tensors and operations that a value consists of."""
    if isinstance(value, SparseTensor):
        return [value.values, value.indices, value.dense_shape]
    if isinstance(value, IndexedSlices):
        parts = [value.values, value.indices]
        return parts if value.dense_shape is None else parts + [value.dense_shape]
    if ragged_hooks.is_ragged(value):
        return nest.flatten(value, expand_composites=True)
    return [value]


@export('group')
def group(*inputs, **kwargs):
    """Returns an operation that finishes when all of its inputs have finished.

    Args:
      *inputs: tensors and operations, also in nested structures.
      **kwargs: `name`, the name of the node.

    Returns:
      An Operation.

    Raises:
      TypeError: if an input is something else.
      ValueError: if there are other keywords.
    """
    if ops.executing_eagerly():
        return None
    name = kwargs.pop('name', None)
    if kwargs:
        raise ValueError('Unknown keyword arguments: ' + ', '.join(kwargs.keys()))
    with ops.name_scope(name, 'group_deps', inputs) as scope:
        if not inputs:
            return gen.NoOp(name=scope)
        by_device = {}
        for item in inputs:
            for leaf in nest.flatten(item):
                for part in _flat_tensors(leaf):
                    if not hasattr(part, 'device'):
                        raise TypeError("'inputs' should be zero or more (nested) Tensors. "
                                        f"Received '{part}' with type '{type(part)}'.")
                    by_device.setdefault(part.device, []).append(part)
        if len(by_device) == 1:
            (device, parts), = by_device.items()
            return _no_op_after(device, parts, scope)
        groups = [_no_op_after(device, by_device[device], None)
                  for device in sorted(by_device, key=_device_key)]
        with ops.control_dependencies(groups):
            return gen.NoOp(name=scope)


def _device_key(device):
    return (device is None, device or '')


def _no_op_after(device, parts, name):
    with ops.control_dependencies(parts):
        if device:
            with ops.device(device):
                return gen.NoOp(name=name)
        return gen.NoOp(name=name)


def with_dependencies(dependencies, output_tensor, name=None):
    """Returns a tensor (or IndexedSlices) that is available only after other operations.

    Args:
      dependencies: a list of tensors and operations.
      output_tensor: a tensor or IndexedSlices.
      name: the name of the scope.

    Returns:
      A value of the same kind as `output_tensor`.
    """
    if ops.executing_eagerly():
        return output_tensor
    with ops.name_scope(name, 'control_dependency', list(dependencies) + [output_tensor]) as scope:
        with ops.colocate_with(output_tensor):
            with ops.control_dependencies(dependencies):
                if isinstance(output_tensor, IndexedSlices):
                    return IndexedSlices(gen.Identity(output_tensor.values, name=scope),
                                         output_tensor.indices, output_tensor.dense_shape)
                return gen.Identity(ops.convert_to_tensor(output_tensor), name=scope)


@export('tuple')
def tuple(tensors, name=None, control_inputs=None):
    """Returns tensors that are available only after all of them are computed.

    Args:
      tensors: a list of tensors, IndexedSlices, operations and Nones.
      name: the name of the scope.
      control_inputs: additional tensors and operations to wait for.

    Returns:
      A list like `tensors`.

    Raises:
      TypeError: if `control_inputs` contains something else.
      ValueError: if there is no tensor.
    """
    if ops.executing_eagerly():
        return tensors
    with ops.name_scope(name, 'tuple', tensors):
        tensors = [t if t is None or isinstance(t, (Operation, IndexedSlices))
                   or ops.is_dense_tensor_like(t) else ops.convert_to_tensor(t) for t in tensors]
        waits = [t if isinstance(t, Operation) else t.op for t in tensors if t is not None]
        for item in control_inputs or ():
            if isinstance(item, Tensor):
                item = item.op
            elif not isinstance(item, Operation):
                raise TypeError("'control_inputs' must only contain Operation or Tensor. "
                                f'Received: {type(item)}')
            waits.append(item)
        waits = sorted(dict.fromkeys(waits), key=lambda op: op._id)
        if not waits:
            raise ValueError(f"'tensors' must have at least one Tensor. Received: {tensors}.")
        gate = group(*waits)
        return [_behind(gate, t) for t in tensors]


def _behind(gate, tensor):
    if tensor is None:
        return None
    if isinstance(tensor, Operation):
        with ops.control_dependencies([gate]):
            return group(tensor)
    return with_dependencies([gate], tensor)


