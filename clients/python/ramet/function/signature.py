"""Arguments of a tf.function: their structure, their types, and the tensors in them."""

import inspect
import weakref

import numpy as np

from ramet.framework import dtypes, nest, ops, ragged_hooks, tensor_shape, type_spec
from ramet.framework.sparse_tensor import is_sparse
from ramet.framework.tensors import Tensor


def is_variable(value):
    """Returns whether a value is a tf.Variable."""
    return hasattr(value, '_dense_var_to_tensor') and not isinstance(value, Tensor)


def _is_composite(value):
    return is_sparse(value) or ragged_hooks.is_ragged(value)


class Identity:
    """Stands for an object that has no value of its own: only the same object is equal."""

    def __init__(self, value):
        self._id = id(value)
        try:
            self._held = weakref.ref(value)
        except TypeError:
            self._held = lambda: value

    def __eq__(self, other):
        return isinstance(other, Identity) and self._id == other._id and self._held() is not None

    def __hash__(self):
        return hash(self._id)


class TensorKey:
    """The dtype and shape of a tensor argument."""

    __slots__ = ('dtype', 'name', 'shape')

    def __init__(self, dtype, shape, name=None):
        self.dtype = dtypes.as_dtype(dtype).base_dtype
        self.shape = None if shape.ndims is None else tuple(shape.as_list())
        self.name = name

    def __eq__(self, other):
        return isinstance(other, TensorKey) and (self.dtype, self.shape) == (other.dtype, other.shape)

    def __hash__(self):
        return hash((self.dtype, self.shape))

    def accepts(self, other):
        """Returns whether a function for this key can take arguments with another one."""
        if not isinstance(other, TensorKey) or self.dtype != other.dtype:
            return False
        if self.shape is None:
            return True
        return other.shape is not None and len(self.shape) == len(other.shape) and all(
            mine is None or mine == theirs for mine, theirs in zip(self.shape, other.shape))

    def covering(self, other):
        """Returns the key that accepts both."""
        if self.shape is None or other.shape is None or len(self.shape) != len(other.shape):
            return TensorKey(self.dtype, tensor_shape.TensorShape(None), self.name)
        sizes = [mine if mine == theirs else None for mine, theirs in zip(self.shape, other.shape)]
        return TensorKey(self.dtype, tensor_shape.TensorShape(sizes), self.name)

    def spec(self):
        """Returns the TensorSpec."""
        return type_spec.TensorSpec(self.shape, self.dtype, self.name)


def canonical(value):
    """Returns an argument with arrays as Tensors; other values stay as they are."""
    if isinstance(value, (np.ndarray, np.generic)):
        return ops.convert_to_tensor(value)
    return value


def leaf_key(value):
    """Returns what must be equal for two values to have the same function."""
    if isinstance(value, Tensor):
        return TensorKey(value.dtype, value.shape)
    if isinstance(value, type_spec.TensorSpec):
        return TensorKey(value.dtype, value.shape, value.name)
    if is_variable(value):
        return Identity(value)
    if isinstance(value, type_spec.TypeSpec) or value is None:
        return value
    try:
        hash(value)
    except TypeError:
        return Identity(value)
    return value if isinstance(value, (bool, int, float, complex, str, bytes)) else Identity(value)


def _structure_key(structure):
    """Returns the nested structure without its leaves, as a value that can be a key."""
    if isinstance(structure, dict):
        return 'dict', tuple((key, _structure_key(structure[key])) for key in sorted(structure))
    if isinstance(structure, (list, tuple)):
        return type(structure), tuple(_structure_key(item) for item in structure)
    if _is_composite(structure):
        return type(structure), getattr(structure, '_type_spec', None) and structure._type_spec.dtype
    return None


class BoundArguments:
    """The arguments of one call.

    Attributes:
      args: the positional arguments, a tuple, with defaults.
      kwargs: the keyword arguments.
      leaves: the parts of both, with the parts of composite tensors.
      keys: the leaf_key of each.
    """

    def __init__(self, args, kwargs):
        self.args = nest.map_structure(canonical, tuple(args))
        self.kwargs = nest.map_structure(canonical, dict(kwargs))
        self.leaves = self._flat((self.args, self.kwargs))
        self.keys = tuple(leaf_key(leaf) for leaf in self.leaves)

    @staticmethod
    def _flat(structure):
        return nest.flatten(structure, expand_composites=True)

    def structure_key(self):
        """Returns the structure as a value that can be a key."""
        return _structure_key((self.args, self.kwargs))

    def packed(self, leaves):
        """Returns (args, kwargs) with other leaves."""
        return nest.pack_sequence_as((self.args, self.kwargs), leaves, expand_composites=True)

    def tensors(self):
        """Returns the Tensors among the leaves."""
        return [leaf for leaf in self.leaves if isinstance(leaf, Tensor)]


class Signature:
    """The parameters of a Python function, and the TensorSpecs that it was declared with."""

    def __init__(self, function, input_signature):
        """Reads the parameters.

        Args:
          function: a callable.
          input_signature: a list or tuple of nested TensorSpecs, or None.

        Raises:
          TypeError: if input_signature is something else, or lacks a parameter without a default.
        """
        self._parameters = inspect.signature(function)
        self.declared = None
        if input_signature is not None:
            if not isinstance(input_signature, (list, tuple)):
                raise TypeError('input_signature must be either a tuple or a list, got '
                                f'{type(input_signature)}.')
            self.declared = tuple(input_signature)
            self._check_declared()

    def _positional(self):
        kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        return [p for p in self._parameters.parameters.values() if p.kind in kinds]

    def _check_declared(self):
        positional = self._positional()
        if len(self.declared) > len(positional) and not any(
                p.kind is p.VAR_POSITIONAL for p in self._parameters.parameters.values()):
            raise TypeError(f'input_signature contains {len(self.declared)} items, but the function has '
                            f'{len(positional)} parameters.')
        for parameter in positional[len(self.declared):]:
            if parameter.default is parameter.empty:
                raise TypeError(f'input_signature missing type constraint for {parameter.name}')

    def _text(self):
        parts = []
        for i, (name, parameter) in enumerate(self._parameters.parameters.items()):
            known = f': {self.declared[i]!r}' if self.declared and i < len(self.declared) else ''
            parts.append(f'{name}{known}' if parameter.default is parameter.empty else f'{name}{known}='
                         f'{parameter.default}')
        return f'({", ".join(parts)})'

    def _refuse(self, reason, args, kwargs):
        raise TypeError(f'Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and kwargs: '
                        f'{kwargs} for signature: {self._text()}.')

    def bind(self, args, kwargs):
        """Returns the BoundArguments of a call.

        Raises:
          TypeError: if they do not fit the parameters or the declared TensorSpecs.
        """
        try:
            bound = self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            self._refuse(error, args, kwargs)
        bound.apply_defaults()
        given = bound.args
        if self.declared is not None:
            made = list(given)
            for i, spec in enumerate(self.declared[:len(made)]):
                made[i] = self._cast(made[i], spec, args, kwargs)
            given = tuple(made)
        return BoundArguments(given, bound.kwargs)

    def _cast(self, value, spec, args, kwargs):
        if not isinstance(spec, type_spec.TypeSpec):
            nest.assert_same_structure(spec, value)
            return nest.pack_sequence_as(spec, [self._cast(v, s, args, kwargs) for v, s in zip(
                nest.flatten(value), nest.flatten(spec), strict=True)])
        if not isinstance(spec, type_spec.TensorSpec) or isinstance(value, type_spec.TypeSpec):
            return value
        if not isinstance(value, Tensor) and not is_variable(value):
            try:
                value = ops.convert_to_tensor(value, dtype=spec.dtype)
            except (TypeError, ValueError) as error:
                self._refuse(f'Can not cast {value!r} to {spec!r}: {error}', args, kwargs)
        value = ops.convert_to_tensor(value)
        if not spec.is_compatible_with(value):
            found = type_spec.TensorSpec(value.shape, value.dtype.base_dtype)
            self._refuse(f'Can not cast {found!r} to {spec!r}', args, kwargs)
        return value

    def declared_arguments(self):
        """Returns the BoundArguments of the declared TensorSpecs, for a call without arguments."""
        return BoundArguments(self.declared, {p.name: p.default for p in self._parameters.parameters.values()
                                              if p.kind is p.KEYWORD_ONLY and p.default is not p.empty})

    def traced_keys(self, bound):
        """Returns the keys of the leaves to build a function for: those of the declared TensorSpecs come first."""
        if self.declared is None:
            return bound.keys
        declared = [leaf_key(spec) for spec in nest.flatten(self.declared, expand_composites=True)]
        known = list(bound.keys)
        for i, key in enumerate(declared[:len(known)]):
            if isinstance(key, TensorKey) and isinstance(known[i], TensorKey):
                known[i] = key
        return tuple(known)

    def names(self, bound):
        """Returns the name of each leaf's parameter."""
        parameters = list(self._parameters.parameters.values())
        found = []
        for i, value in enumerate(bound.args):
            rest = i >= len(parameters) or parameters[i].kind is inspect.Parameter.VAR_POSITIONAL
            name = 'args' if rest else parameters[i].name
            found += [name] * len(nest.flatten(value, expand_composites=True))
        for key in sorted(bound.kwargs):
            found += [key] * len(nest.flatten(bound.kwargs[key], expand_composites=True))
        return found
