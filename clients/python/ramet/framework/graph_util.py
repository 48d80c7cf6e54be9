"""tf.graph_util: prepares GraphDefs for inference."""

from ramet import _core
from ramet.api import export
from ramet.core import convert
from ramet.core.framework import graph_pb2
from ramet.framework import dtypes, errors, stacks


def _graph_def(data):
    return graph_pb2.GraphDef.FromString(data)


def _bytes_of(graph_def):
    if convert.full_name(graph_def) != 'tensorflow.GraphDef':
        raise TypeError('graph_def must be a graph_pb2.GraphDef proto, but got type %s.'
                        % type(graph_def))
    return graph_def.SerializeToString()


def _names(dest_nodes):
    if isinstance(dest_nodes, (str, bytes)):
        raise TypeError('dest_nodes must be an iterable of strings, but got type %s.'
                        % type(dest_nodes))
    return [n.decode() if isinstance(n, bytes) else n for n in dest_nodes]


@export('graph_util.extract_sub_graph')
def extract_sub_graph(graph_def, dest_nodes):
    """Returns the subgraph of the given nodes and everything that they need.

    Args:
      graph_def: a GraphDef.
      dest_nodes: a list of str, the names of nodes.

    Returns:
      A GraphDef.

    Raises:
      TypeError: if an argument has the wrong type.
      AssertionError: if a name is not in the graph.
    """
    data = _bytes_of(graph_def)
    try:
        return _graph_def(_core.extract_sub_graph(data, _names(dest_nodes)))
    except errors.NotFoundError as e:
        raise AssertionError(e.message) from None


@export('graph_util.remove_training_nodes')
def remove_training_nodes(input_graph, protected_nodes=None):
    """Returns a GraphDef without nodes that only training needs, such as CheckNumerics and Identity.

    Args:
      input_graph: a GraphDef.
      protected_nodes: a list of str, the names of nodes to keep.

    Returns:
      A GraphDef that contains only nodes.
    """
    if not hasattr(input_graph, 'node'):
        raise AttributeError('%r object has no attribute %r' % (type(input_graph).__name__, 'node'))
    return _graph_def(
        _core.remove_training_nodes(_bytes_of(input_graph), list(protected_nodes or ())))


@export('graph_util.convert_variables_to_constants')
def convert_variables_to_constants(sess, input_graph_def, output_node_names,
                                   variable_names_whitelist=None,
                                   variable_names_blacklist=None):
    """Returns the subgraph that some nodes need, with variables replaced by constants.

    Args:
      sess: the session that holds the variables.
      input_graph_def: a GraphDef whose variables have the same names as in the session's graph.
      output_node_names: a list of str, the names of nodes.
      variable_names_whitelist: the names of the variables to convert, or None for all.
      variable_names_blacklist: the names of variables not to convert, or None for none.

    Returns:
      A GraphDef.

    Raises:
      TypeError: if an argument has the wrong type.
      AssertionError: if a name is not in the graph.
      tf.errors.FailedPreconditionError: if a variable is uninitialized.
    """
    data = _bytes_of(input_graph_def)
    allow = None if variable_names_whitelist is None else list(variable_names_whitelist)
    try:
        return _graph_def(_core.convert_variables_to_constants(
            stacks.core_session(sess), data, _names(output_node_names), allow,
            list(variable_names_blacklist or ())))
    except errors.NotFoundError as e:
        if e.message.endswith(' is not in graph'):
            raise AssertionError(e.message) from None
        raise


@export('graph_util.must_run_on_cpu')
def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """Returns whether an operation must run on a CPU, such as string constants and int32 moves.

    Args:
      node: an Operation or a NodeDef.
      pin_variables_on_cpu: whether variables must too.
    """
    node_def = node.node_def if hasattr(node, 'node_def') else node
    if pin_variables_on_cpu and node_def.op in ('Variable', 'VariableV2', 'VarHandleOp'):
        return True
    if node_def.op == 'Const':
        return node_def.attr['dtype'].type in (dtypes.string.as_datatype_enum,
                                               dtypes.int32.as_datatype_enum)
    attr = {'DynamicStitch': 'T', 'ParallelDynamicStitch': 'T', 'Cast': 'SrcT'}.get(node_def.op)
    return attr is not None and node_def.attr[attr].type == dtypes.int32.as_datatype_enum


@export('graph_util.tensor_shape_from_node_def_name')
def tensor_shape_from_node_def_name(graph, input_name):
    """Returns the static shape of a tensor of a graph.

    Args:
      graph: the Graph.
      input_name: the tensor's name as in a NodeDef, where 'n' means 'n:0'.
    """
    name = input_name if ':' in input_name else input_name + ':0'
    return graph.get_tensor_by_name(name).get_shape()
