"""Reduces a GraphDef to the part between given inputs and outputs."""

import copy

from ramet.core.framework import attr_value_pb2, graph_pb2, node_def_pb2
from ramet.framework import graph_util
from ramet.tools.freeze_graph import _parsed_file


def strip_unused(input_graph_def, input_node_names, output_node_names, placeholder_type_enum):
    """Returns the part of a graph that computes the outputs from the inputs.

    Args:
      input_graph_def: a GraphDef.
      input_node_names: a list of str, the nodes to replace by placeholders.
      output_node_names: a list of str.
      placeholder_type_enum: the dtype (DataType number) of placeholders, or a list of these.

    Returns:
      A GraphDef.

    Raises:
      KeyError: if an input is not in the graph.
      AssertionError: if an output is not in the graph.
    """
    missing = set(input_node_names) - {node.name for node in input_graph_def.node}
    if missing:
        raise KeyError('The following input nodes were not found: %s' % missing)
    cut = graph_pb2.GraphDef()
    for node in input_graph_def.node:
        if node.name in input_node_names:
            cut.node.append(_placeholder(node, input_node_names, placeholder_type_enum))
        else:
            cut.node.add().MergeFromString(node.SerializeToString())
    part = graph_util.extract_sub_graph(cut, output_node_names)
    part.library.MergeFromString(input_graph_def.library.SerializeToString())
    part.versions.MergeFromString(input_graph_def.versions.SerializeToString())
    return part


def _placeholder(node, names, types):
    placeholder = node_def_pb2.NodeDef(op='Placeholder', name=node.name)
    dtype = types[list(names).index(node.name)] if isinstance(types, (list, tuple)) else types
    placeholder.attr['dtype'].CopyFrom(attr_value_pb2.AttrValue(type=dtype))
    for attr in ('_output_shapes', 'shape'):
        if attr in node.attr:
            placeholder.attr[attr].MergeFromString(node.attr[attr].SerializeToString())
    return placeholder


def strip_unused_from_files(input_graph, input_binary, output_graph, output_binary,
                            input_node_names, output_node_names, placeholder_type_enum):
    """Like strip_unused, but reads and writes files. Names are given as comma-separated str."""
    from google.protobuf import text_format

    graph_def = _parsed_file(input_graph, graph_pb2.GraphDef(), input_binary)
    part = strip_unused(graph_def, input_node_names.split(','), output_node_names.split(','),
                        copy.copy(placeholder_type_enum))
    with open(output_graph, 'wb') as f:
        f.write(part.SerializeToString() if output_binary
                else text_format.MessageToString(part).encode())
