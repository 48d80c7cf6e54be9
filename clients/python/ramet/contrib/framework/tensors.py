"""Functions of tensors, their shapes and the placeholders of graphs."""

from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops, check_types
from ramet.ops.control_flow import dependencies
from ramet.ops.math import math_ops


@export('contrib.framework.reduce_sum_n')
def reduce_sum_n(tensors, name=None):
    """Returns the sum of all elements of all tensors.

    Args:
      tensors: a list of tensors of the same type.
      name: the name of the scope.

    Raises:
      ValueError: if there are no tensors.
    """
    if not tensors:
        raise ValueError('No tensors provided.')
    with ops.name_scope(name, 'reduce_sum_n', tensors) as name:
        sums = [math_ops.reduce_sum(t, name='%s/sum' % t.op.name) for t in tensors]
        return sums[0] if len(sums) == 1 else math_ops.add_n(sums, name=name)


@export('contrib.framework.assert_scalar_int')
def assert_scalar_int(tensor, name=None):
    """Checks that a tensor is an int32 or int64 scalar, and returns it.

    Args:
      tensor: a tensor.
      name: the name of the scope.

    Raises:
      ValueError: if it is not.
    """
    with ops.name_scope(name, 'assert_scalar_int', [tensor]):
        tensor = ops.convert_to_tensor(tensor)
        if tensor.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f'Expected int32 or int64 for {tensor.name}, got: {tensor.dtype}.')
        return check_types.assert_scalar(tensor)


@export('contrib.framework.with_shape')
def with_shape(expected_shape, tensor):
    """Returns a tensor with a shape, which is checked now or, as far as it is unknown, in runs.

    Args:
      expected_shape: a list of sizes, a TensorShape, or an integer vector.
      tensor: a tensor.

    Raises:
      ValueError: if the shape is known to be different.
    """
    tensor = ops.convert_to_tensor(tensor)
    if isinstance(expected_shape, ops.Tensor):
        known = tensor_util.constant_value(expected_shape)
        if known is None:
            check = check_ops.assert_equal(array_ops.shape(tensor, out_type=expected_shape.dtype),
                                    expected_shape, message='Wrong shape for %s' % tensor.name)
            return dependencies.with_dependencies([check], tensor)
        expected_shape = known.tolist()
    expected = tensor_shape.TensorShape(expected_shape)
    if not expected.is_compatible_with(tensor.get_shape()):
        raise ValueError(f'Invalid shape for tensor {tensor.name}, expected {expected}, got '
                         f'{tensor.get_shape()}.')
    if not tensor.get_shape().is_fully_defined() and expected.is_fully_defined():
        check = check_ops.assert_equal(array_ops.shape(tensor), constant_op.constant(expected.as_list()),
                                message='Wrong shape for %s' % tensor.name)
        tensor = dependencies.with_dependencies([check], tensor)
        tensor.set_shape(expected)
    return tensor


@export('contrib.framework.with_same_shape')
def with_same_shape(expected_tensor, tensor):
    """Returns a tensor with the shape of another one; see with_shape.

    Args:
      expected_tensor: a tensor.
      tensor: a tensor.

    Raises:
      ValueError: if the shape is known to be different.
    """
    with ops.name_scope('%s/' % tensor.op.name, values=[expected_tensor, tensor]):
        static = expected_tensor.get_shape()
        return with_shape(static if static.is_fully_defined() else array_ops.shape(expected_tensor),
                          tensor)


@export('contrib.framework.get_placeholders')
def get_placeholders(graph):
    """Returns the placeholders of a graph.

    Args:
      graph: a Graph.
    """
    return [op.outputs[0] for op in graph.get_operations() if op.type == 'Placeholder']
