"""The operators of RaggedTensor. Importing this module installs them."""

from ramet.framework import ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.math import operators  # noqa: F401 - the operators of dense tensors must be there
from ramet.ops.ragged import ragged_elementwise, ragged_getitem
from ramet.ops.ragged.ragged_tensor import RaggedTensor

_BINARY = ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'and', 'or', 'xor', 'div')
_COMPARISONS = ('lt', 'le', 'gt', 'ge')
_UNARY = ('neg', 'abs', 'invert')
_dense = {name: getattr(ops.Tensor, name) for name in dir(ops.Tensor)
          if name in ops.Tensor.OVERLOADABLE_OPERATORS}


def _unary(name):
    function = _dense[name]
    return lambda x: ragged_elementwise.unary(function, x)


def _binary(name):
    function = _dense[name]
    return lambda x, y: ragged_elementwise.binary(function, x, y)


def _reflected(name):
    function = _dense[name]
    return lambda y, x: ragged_elementwise.binary(function, x, y)


def _giving_way(function):
    """Returns an operator of dense tensors that leaves ragged operands to their class."""
    return lambda x, y: NotImplemented if is_ragged(y) else function(x, y)


def _install():
    for name in _UNARY:
        setattr(RaggedTensor, f'__{name}__', _unary(f'__{name}__'))
    for name in _BINARY:
        setattr(RaggedTensor, f'__{name}__', _binary(f'__{name}__'))
        setattr(RaggedTensor, f'__r{name}__', _reflected(f'__{name}__'))
        setattr(ops.Tensor, f'__{name}__', _giving_way(_dense[f'__{name}__']))
    for name in _COMPARISONS:
        setattr(RaggedTensor, f'__{name}__', _binary(f'__{name}__'))
        setattr(ops.Tensor, f'__{name}__', _giving_way(_dense[f'__{name}__']))
    RaggedTensor.__getitem__ = ragged_getitem.getitem


_install()
