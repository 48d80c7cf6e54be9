"""TensorInfo, which describes tensors in SavedModels."""

from ramet.api import export
from ramet.core import convert
from ramet.core.protobuf import meta_graph_pb2
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor


@export('saved_model.build_tensor_info', 'saved_model.utils.build_tensor_info')
def build_tensor_info(tensor):
    """Returns the TensorInfo of a tensor: its name, dtype and shape.

    Args:
      tensor: a tensor, variable or SparseTensor.
    """
    info = meta_graph_pb2.TensorInfo(dtype=dtypes.as_dtype(tensor.dtype).as_datatype_enum,
                                     tensor_shape=_shape_proto(tensor.get_shape()))
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def _shape_proto(shape):
    return convert.to_ramet(shape.as_proto())


@export('saved_model.get_tensor_from_tensor_info',
        'saved_model.utils.get_tensor_from_tensor_info')
def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """Returns the Tensor or SparseTensor of a graph that a TensorInfo describes.

    Args:
      tensor_info: a TensorInfo.
      graph: a Graph, or None for the default graph.
      import_scope: str, a name scope to prefix to its names.

    Raises:
      KeyError: if the graph has no such tensor.
      ValueError: if the TensorInfo has no name, or is malformed.
    """
    graph = graph or ops.get_default_graph()

    def get(name):
        return graph.get_tensor_by_name(import_scope + '/' + name if import_scope else name)

    encoding = tensor_info.WhichOneof('encoding')
    if encoding == 'name':
        return get(tensor_info.name)
    if encoding == 'coo_sparse':
        sparse = tensor_info.coo_sparse
        return SparseTensor(get(sparse.indices_tensor_name), get(sparse.values_tensor_name),
                            get(sparse.dense_shape_tensor_name))
    raise ValueError('Invalid TensorInfo.encoding: %s. Expected `coo_sparse`, `composite_tensor`, '
                     'or `name` for a dense tensor.' % encoding)
