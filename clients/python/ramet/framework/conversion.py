"""Converts Python values to tensors. Types that C++ does not handle go through a registry."""

from ramet import _core
from ramet.api import export
from ramet.framework import dtypes, stacks
from ramet.framework.tensors import Operation, Tensor

_registry = {}
_sorted = []
_by_type = {}
_make_constant = None


def set_constant_function(make_constant):
    """Sets the function that creates a Const from a value. The module of the function calls this.

    Args:
      make_constant: make_constant(value, dtype, name=None) -> Tensor.
    """
    global _make_constant
    _make_constant = make_constant


@export('register_tensor_conversion_function')
def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    """Registers a function that converts objects of a type to tensors.

    Args:
      base_type: a type, or a tuple of types.
      conversion_func: conversion_func(value, dtype=None, name=None, as_ref=False) -> Tensor, or
        NotImplemented to try the next function.
      priority: functions with lower priorities are tried first.

    Raises:
      TypeError: if base_type is not a type, or conversion_func is not callable.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(t, type) for t in types):
        raise TypeError(
            'Argument `base_type` must be a type or a tuple of types. '
            f'Obtained: {base_type}'
        )
    if not callable(conversion_func):
        raise TypeError(f'Argument `conversion_func` must be callable. Received {conversion_func}.')
    _registry.setdefault(priority, []).append((types, conversion_func))
    _sorted[:] = [entry for p in sorted(_registry) for entry in _registry[p]]
    _by_type.clear()


def _functions_for(cls):
    found = _by_type.get(cls)
    if found is None:
        found = [func for types, func in _sorted if issubclass(cls, types)]
        _by_type[cls] = found
    return found


def _checked(result, value, dtype, name):
    if not isinstance(result, Tensor):
        raise RuntimeError(
            f'Conversion function for type {type(value)} returned non-Tensor: {result}'
        )
    if dtype is not None and not dtype.is_compatible_with(result.dtype):
        raise RuntimeError(
            f'Conversion function for type {type(value)} returned incompatible dtype: requested '
            f'= {dtype.base_dtype.name}, actual = {result.dtype.name}'
        )
    return result


def convert_object(value, dtype=None, name=None, as_ref=False, preferred_dtype=None):
    """Converts a value with a registered function, or else with numpy. The core calls this.

    Raises:
      TypeError: if neither can convert the value.
      ValueError: if value is None, or a list that is not rectangular.
    """
    to_tensor = getattr(value, '_dense_var_to_tensor', None)
    if to_tensor is not None:
        return to_tensor(dtype=dtype, name=name, as_ref=as_ref)
    for func in _functions_for(type(value)):
        result = NotImplemented
        if dtype is None and preferred_dtype is not None:
            try:
                result = func(value, dtype=preferred_dtype, name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                result = NotImplemented
        if result is NotImplemented:
            result = func(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is not NotImplemented:
            return _checked(result, value, dtype, name)
    if value is None:
        raise ValueError('None values not supported.')
    if isinstance(value, Operation):
        raise TypeError(f"can't convert Operation '{value.name}' to Tensor")
    return _constant(value, dtype, name or 'Const', preferred_dtype)


def _constant(value, dtype, name, preferred_dtype):
    """Creates a Const from a value that the core does not accept, such as a list of Dimensions."""
    if dtype is None and preferred_dtype is not None:
        try:
            return _make_constant(value, preferred_dtype, name=name)
        except (TypeError, ValueError):
            pass
    return _make_constant(value, dtype, name=name)


@export('convert_to_tensor')
def convert_to_tensor(
    value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None, as_ref=False
):
    """Converts a value to a Tensor. A tensor is returned unchanged; other values become a Const.

    Args:
      value: a Tensor, Variable, number, string, array, nested list of these, or an object of a
        type that has a conversion function.
      dtype: the dtype that the tensor must have, or None for any.
      name: the name of the node, if one is created.
      preferred_dtype: the dtype to use if dtype is None and the value can be converted to it.
      dtype_hint: same as preferred_dtype.
      as_ref: whether the result for a variable may be its reference.

    Returns:
      The Tensor.

    Raises:
      TypeError: if the value cannot be converted to a tensor, or not to the dtype.
      ValueError: if it is a tensor with a different dtype, or a list that is not rectangular.
      RuntimeError: if a conversion function returns anything but a suitable tensor.
    """
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    elif type(value) is Tensor:
        return value
    if preferred_dtype is None:
        preferred_dtype = dtype_hint
    if preferred_dtype is not None:
        preferred_dtype = dtypes.as_dtype(preferred_dtype)
    graph = stacks.get_default_graph()
    return _core.convert_to_tensor(graph, value, dtype, name or '', as_ref, preferred_dtype)


def convert_n_to_tensor(values, dtype=None, name=None, preferred_dtype=None, as_ref=False):
    """Converts each value with `convert_to_tensor`. Constants are named name_0, name_1, ...

    Raises:
      TypeError: if values is not a sequence.
    """
    import collections.abc

    if not isinstance(values, collections.abc.Sequence):
        raise TypeError('values must be a sequence.')
    return [
        convert_to_tensor(value, dtype, name and f'{name}_{i}', preferred_dtype, as_ref=as_ref)
        for i, value in enumerate(values)
    ]


def is_dense_tensor_like(value):
    """Returns whether an object is a Tensor or stands for one (a Variable)."""
    return isinstance(value, Tensor) or hasattr(value, '_dense_var_to_tensor')
