"""Slots: variables of an optimizer that belong to a variable of the model."""

import contextlib

from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.variables import variable_scope, variables


def _create_slot_var(primary, val, validate_shape, shape, dtype):
    scope = variable_scope.get_variable_scope()
    partitioner = scope.partitioner
    scope.set_partitioner(None)
    slot = variable_scope.get_variable(
        '', initializer=val, trainable=False, shape=shape, dtype=dtype,
        validate_shape=validate_shape,
        use_resource=getattr(primary, '_is_resource', False))
    scope.set_partitioner(partitioner)
    info = primary._save_slice_info if isinstance(primary, variables.Variable) else None
    if info:
        slot._set_save_slice_info(_slice_of_slot(primary, slot, info))
    return slot


def _slice_of_slot(primary, slot, info):
    rank = slot.get_shape().ndims
    name = slot.name[len(primary.op.name + '/'):-2]
    return variables.Variable.SaveSliceInfo(
        info.full_name + '/' + name, info.full_shape[:rank], info.var_offset[:rank],
        info.var_shape[:rank])


def _name_of(primary):
    return primary._shared_name if ops.executing_eagerly() else primary.op.name


@contextlib.contextmanager
def _slot_scope(primary, name, colocate_with_primary):
    with variable_scope.variable_scope(None, _name_of(primary) + '/' + name):
        if colocate_with_primary:
            with ops.colocate_with(primary.op):
                yield
        else:
            yield


def create_slot(primary, val, name, colocate_with_primary=True):
    """Creates the slot 'PRIMARY/NAME' with the value of a tensor.

    Args:
      primary: a variable or tensor.
      val: a tensor, the initial value.
      name: the name of the slot.
      colocate_with_primary: whether to place it on the device of `primary`.

    Returns:
      A variable, which is not trainable.
    """
    validate_shape = val.get_shape().is_fully_defined()
    with _slot_scope(primary, name, colocate_with_primary):
        return _create_slot_var(primary, val, validate_shape, None, None)


def create_slot_with_initializer(primary, initializer, shape, dtype, name,
                                 colocate_with_primary=True):
    """Creates the slot 'PRIMARY/NAME' with an initializer, a shape (TensorShape) and a dtype."""
    with _slot_scope(primary, name, colocate_with_primary):
        return _create_slot_var(primary, initializer, shape.is_fully_defined(), shape, dtype)


def create_zeros_slot(primary, name, dtype=None, colocate_with_primary=True):
    """Creates the slot 'PRIMARY/NAME' filled with zeros, with the shape of `primary`.

    Args:
      primary: a variable or tensor; its shape may be unknown.
      name: the name of the slot.
      dtype: the dtype of the slot, or None for that of `primary`.
      colocate_with_primary: whether to place it on the device of `primary`.

    Returns:
      A variable, which is not trainable.
    """
    dtype = primary.dtype.base_dtype if dtype is None else dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(primary, init_ops.Zeros(), shape, dtype,
                                            name, colocate_with_primary)
    is_variable = isinstance(primary, variables.Variable)
    value = primary.initialized_value() if is_variable else primary
    zeros = array_ops.zeros(array_ops.shape(value), dtype=dtype)
    return create_slot(primary, zeros, name, colocate_with_primary)
