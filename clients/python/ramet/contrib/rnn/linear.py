"""Linear maps with the variables "kernel" and "bias" of the current variable scope."""

from ramet.framework import nest, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.variables import variable_scope


class Linear:
    """The map [x, y, ...] -> concat(x, y, ...) * kernel + bias.

    Args:
      args: a tensor [batch, size], or a list of such tensors, which set the size of the kernel.
      output_size: the number of columns of the result.
      build_bias: whether to add a bias.
      bias_initializer: the initializer of the bias, or None for zeros.
      kernel_initializer: the initializer of the kernel, or None for that of the scope.

    Raises:
      ValueError: if there are no tensors, or one is not a matrix with a known number of columns.
    """

    def __init__(self, args, output_size, build_bias, bias_initializer=None,
                 kernel_initializer=None):
        args = _as_list(args)
        rows, dtype = sum(map(_columns, args)), args[0].dtype.base_dtype
        self._bias = None
        with variable_scope.variable_scope(variable_scope.get_variable_scope()) as outer:
            self._kernel = variable_scope.get_variable('kernel', [rows, output_size], dtype=dtype,
                                           initializer=kernel_initializer)
            if build_bias:
                with variable_scope.variable_scope(outer) as inner:
                    inner.set_partitioner(None)
                    self._bias = variable_scope.get_variable(
                        'bias', [output_size], dtype=dtype,
                        initializer=bias_initializer or init_ops.Zeros())

    def __call__(self, args):
        args = _as_list(args)
        joined = args[0] if len(args) == 1 else array_ops.concat(args, 1)
        product = math_ops.matmul(joined, self._kernel)
        return product if self._bias is None else nn_activation.bias_add(product, self._bias)


def linear(args, output_size, bias, bias_initializer=None, kernel_initializer=None):
    """Creates a Linear map, or gets the variables of an existing one, and applies it; see Linear."""
    return Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)


def _as_list(args):
    if args is None or (nest.is_nested(args) and not args):
        raise ValueError('`args` must be specified')
    return list(args) if nest.is_nested(args) else [args]


def _columns(tensor):
    shape = tensor.get_shape()
    if shape.ndims != 2:
        raise ValueError(f'linear is expecting 2D arguments: {shape}')
    size = tensor_shape.dimension_value(shape[1])
    if size is None:
        raise ValueError('linear expects shape[1] to be provided for shape '
                         f'{shape}, but saw {shape[1]}')
    return size
