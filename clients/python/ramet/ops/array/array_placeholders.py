"""Tensors that can be fed."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, graph_only, ops, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor

Tensor = ops.Tensor


@export('placeholder')
@graph_only.needs_graph('tf.placeholder() is not compatible with eager execution.')
def placeholder(dtype, shape=None, name=None):
    """Creates a tensor whose value must be fed in each run.

    Args:
      dtype: the dtype of the elements.
      shape: the static shape of the values that may be fed, or None for any.
      name: the name of the node.

    Returns:
      A tensor that cannot be evaluated without a feed.
    """
    return gen.Placeholder(dtype, shape=shape, name=name)


@export('placeholder_with_default')
def placeholder_with_default(input, shape, name=None):
    """Creates a tensor that can be fed, and otherwise has the value of `input`.

    Args:
      input: a tensor, the default value.
      shape: the static shape of the values that may be fed.
      name: the name of the node.

    Returns:
      A tensor of the dtype of `input`.
    """
    return gen.PlaceholderWithDefault(input, shape, name=name)


@export('sparse_placeholder', 'sparse.placeholder')
@graph_only.needs_graph('`sparse_placeholder` is not compatible with eager execution.')
def sparse_placeholder(dtype, shape=None, name=None):
    """Creates a SparseTensor whose value must be fed in each run.

    Args:
      dtype: the dtype of the values.
      shape: the dense shape, a list or a tensor, or None for any.
      name: the prefix of the names of its placeholders.

    Returns:
      A SparseTensor of placeholders.
    """
    known_rank, dense_shape = _sparse_shape(shape, name)
    values = placeholder(dtype, shape=[None], name=name and name + '/values')
    indices = placeholder(dtypes.int64, shape=[None, known_rank], name=name and name + '/indices')
    made = SparseTensor(values=values, indices=indices, dense_shape=dense_shape)
    if shape is not None and not isinstance(shape, Tensor):
        made._static_shape = tensor_shape.TensorShape(shape)
    return made


def _sparse_shape(shape, name):
    label = name and name + '/shape'
    if shape is None:
        return None, placeholder(dtypes.int64, shape=[None], name=label)
    if isinstance(shape, Tensor):
        return shape.shape[0], shape
    dims = [-1 if dim is None else dim for dim in tensor_shape.TensorShape(shape).as_list()]
    default = constant_op.constant(dims, dtypes.int64, name=label + '_default' if name else 'Const')
    return len(dims), placeholder_with_default(default, shape=[len(dims)], name=label)
