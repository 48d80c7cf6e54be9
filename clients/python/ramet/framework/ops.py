"""The core of graph construction: graphs, tensors, scopes, conversion and collections."""

# ruff: noqa: F401 - other modules use the names imported here

import collections

from ramet import _core
from ramet.framework import (
    constant_op,
    dtypes,
    errors,
    gradient_registration,
    tensor_conversion,
    tensor_shape,
    variable_objects,
)
from ramet.framework.collections_lib import (
    add_to_collection,
    add_to_collections,
    get_all_collection_keys,
    get_collection,
    get_collection_ref,
    proto_functions,
    register_proto_function,
)
from ramet.framework.conversion import (
    convert_n_to_tensor,
    convert_object,
    convert_to_tensor,
    is_dense_tensor_like,
    register_tensor_conversion_function,
)
from ramet.framework.gradient_registration import (
    NoGradient,
    NotDifferentiable,
    RegisterGradient,
)
from ramet.framework.graph import Graph
from ramet.framework.graph_keys import GraphKeys
from ramet.framework.scopes import (
    colocate_with,
    container,
    control_dependencies,
    device,
    executing_eagerly,
    executing_eagerly_outside_functions,
    get_name_scope,
    graph_from_inputs,
    init_scope,
    name_from_scope_name,
    name_scope,
    op_scope,
    prepend_name_scope,
    strip_name_scope,
)
from ramet.framework.stacks import (
    default_session,
    get_default_graph,
    get_default_session,
    reset_default_graph,
)
from ramet.framework.tensors import Operation, Tensor, graph_element

_get_graph_from_inputs = graph_from_inputs

__all__ = [name for name in dir() if not name.startswith('_')]


def convert_n_to_tensor_or_indexed_slices(values, dtype=None, name=None):
    """Converts values to Tensors or IndexedSlices. None stays None."""
    return tensor_conversion.convert_n_to_tensor_or_indexed_slices(values, dtype, name)


def _named_outputs(op_type, names):
    return collections.namedtuple(op_type, names, rename=True)


def _shape_as_list(value):
    shape = tensor_shape.as_shape(value)
    if shape.ndims is None:
        return None
    return [-1 if d is None else d for d in shape.as_list()]


def _make_shape(sizes):
    return tensor_shape.unknown_shape() if sizes is None else tensor_shape.TensorShape.from_sizes(sizes)


def _tensor_proto(value):
    serialize = getattr(value, 'SerializeToString', None)
    return serialize() if serialize is not None else None


_core.set_hooks(
    dict(
        operation_class=Operation,
        tensor_class=Tensor,
        dtypes=list(dtypes.BY_ENUM),
        as_dtype=dtypes.as_dtype,
        make_shape=_make_shape,
        shape_as_list=_shape_as_list,
        convert=convert_object,
        default_graph=get_default_graph,
        graph_element=graph_element,
        status_error=errors.from_status,
        named_outputs=_named_outputs,
        op_created=lambda graph, op: graph._op_created(op),
        variable_object=variable_objects.object_of,
        tensor_proto=_tensor_proto,
    )
)
