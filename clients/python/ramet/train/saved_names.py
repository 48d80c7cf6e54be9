"""Checks a Saver's var_list and converts it to names in the checkpoint and stored objects."""

from ramet.framework import nest, ops
from ramet.framework.saveable_object import SaveableObject
from ramet.ops.variables import variables
from ramet.ops.variables.partitioned_variable import PartitionedVariable

_VARIABLE_OPS = ('Variable', 'VariableV2', 'AutoReloadVariable', 'VarHandleOp', 'ReadVariableOp')


class StoredAs:
    """A variable, or a list of parts, with a different dtype in checkpoints. Values are cast.

    Args:
      variable: the variable, or a list of parts.
      dtype: the DType in the checkpoint.
    """

    def __init__(self, variable, dtype):
        self.variable = variable
        self.dtype = dtype

    def __repr__(self):
        return f'StoredAs({self.variable!r}, {self.dtype!r})'


def of_list(var_list):
    """Returns a dict from names to variables, lists of parts and SaveableObjects, for a list of these.

    Raises:
      TypeError: if it is not a list, or an element is not a variable.
      ValueError: if two of them have the same name.
    """
    if not isinstance(var_list, (list, tuple, set)):
        raise TypeError('Variables to save should be passed in a dict or a list. Got %s'
                        % (var_list,))
    named = {}
    for var in sorted(nest.flatten(list(var_list)), key=lambda v: v.name):
        _add(named, var)
    return named


def _add(named, var):
    if isinstance(var, SaveableObject):
        named[var.name] = var
        return
    if isinstance(var, PartitionedVariable):
        _add_new(named, var.name, var)
    elif isinstance(var, variables.Variable) and var._save_slice_info:
        name = var._save_slice_info.full_name
        parts = named.setdefault(name, [])
        if not isinstance(parts, list):
            raise ValueError('Mixing slices and non-slices with the same name: %s' % name)
        parts.append(var)
    else:
        if not _is_variable(var):
            raise TypeError('Variable to save is not a Variable: %s' % var)
        _add_new(named, var.op.name, var)


def _add_new(named, name, var):
    if name in named:
        raise ValueError('At least two variables have the same name: %s' % name)
    named[name] = var


def _is_variable(var):
    return isinstance(var, (variables.Variable, ops.Tensor)) and (
        isinstance(var, variables.Variable) or var.op.type in _VARIABLE_OPS)


def checked(names_to_saveables):
    """Converts a dict of names to the arguments of the library's Saver.

    Args:
      names_to_saveables: a dict as returned by of_list.

    Returns:
      A list of (name, whether it is a list of parts, tensors of variables, the dtype in the
      checkpoint if it is different) and one of SaveableObjects, both sorted by name.

    Raises:
      TypeError, ValueError: if a name is not a string, a value is not a variable, or one of them
        occurs twice.
    """
    saved, objects, seen = [], [], set()
    for name in names_to_saveables:
        if not isinstance(name, str):
            raise TypeError('names_to_saveables must be a dict mapping string names to trackable '
                            'operations. Name is not a string: %s' % name)
    for name, value in sorted(names_to_saveables.items()):
        if isinstance(value, SaveableObject):
            objects.append(value)
            _see(seen, value.op, value.name)
            continue
        stored_as = None
        if isinstance(value, StoredAs):
            value, stored_as = value.variable, value.dtype
        is_partitioned = isinstance(value, (list, tuple, PartitionedVariable))
        parts = _checked_parts(list(value)) if is_partitioned else [value]
        tensors = [_tensor_of(part) for part in parts]
        for tensor in tensors:
            _see(seen, tensor.op, name)
        saved.append((name, is_partitioned, tensors, stored_as))
    return saved, objects


def _see(seen, op, name):
    key = id(op) if not isinstance(op, (variables.Variable, ops.Tensor)) else op.op
    if key in seen:
        raise ValueError('The same saveable will be restored with two names: %s' % name)
    seen.add(key)


def _checked_parts(parts):
    full_name = None
    for part in parts:
        if not isinstance(part, variables.Variable):
            raise ValueError('Slices must all be Variables: %s' % part)
        info = part._save_slice_info
        if not info:
            raise ValueError('Slices must all be slices: %s' % part)
        if full_name is not None and full_name != info.full_name:
            raise ValueError('Slices must all be from the same tensor: %s != %s'
                             % (full_name, info.full_name))
        full_name = info.full_name
    return parts


def _tensor_of(var):
    if not _is_variable(var):
        raise TypeError('names_to_saveables must be a dict mapping string names to '
                        'Tensors/Variables. Not a variable: %s' % var)
    if not isinstance(var, variables.Variable):
        return var.op.inputs[0] if var.op.type == 'ReadVariableOp' else var
    return var.handle if var.op.type == 'VarHandleOp' else var._ref()
