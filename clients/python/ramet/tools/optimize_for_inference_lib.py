"""Optimizes a frozen graph: removes what is not needed and folds batch norms into convolutions."""

import math

import numpy as np

from ramet.core import convert
from ramet.core.framework import graph_pb2, node_def_pb2
from ramet.framework import graph_util, tensor_util
from ramet.tools import strip_unused_lib

_BATCH_NORMS = {
    'BatchNormWithGlobalNormalization': ('t', 'm', 'v', 'beta', 'gamma', 'variance_epsilon'),
    'FusedBatchNorm': ('x', 'scale', 'offset', 'mean', 'variance', 'epsilon'),
    'FusedBatchNormV2': ('x', 'scale', 'offset', 'mean', 'variance', 'epsilon'),
    'FusedBatchNormV3': ('x', 'scale', 'offset', 'mean', 'variance', 'epsilon'),
}
_CONVOLUTIONS = ('Conv2D', 'DepthwiseConv2dNative')


def optimize_for_inference(input_graph_def, input_node_names, output_node_names,
                           placeholder_type_enum, toco_compatible=False):
    """Returns the inference part of a frozen graph, between the inputs and outputs.

    Batch normalization with constants after a convolution is folded into the convolution's weights.

    Args:
      input_graph_def: a GraphDef whose variables are constants.
      input_node_names: a list of str, the nodes to replace by placeholders.
      output_node_names: a list of str.
      placeholder_type_enum: the dtype (DataType number) of placeholders, or a list of these.
      toco_compatible: ignored.

    Returns:
      A GraphDef.

    Raises:
      ValueError: if two nodes have the same name.
    """
    ensure_graph_is_valid(input_graph_def)
    graph_def = strip_unused_lib.strip_unused(input_graph_def, input_node_names,
                                              output_node_names, placeholder_type_enum)
    graph_def = graph_util.remove_training_nodes(graph_def, output_node_names)
    graph_def = fold_batch_norms(graph_def)
    ensure_graph_is_valid(graph_def)
    return graph_def


def ensure_graph_is_valid(graph_def):
    """Raises ValueError if two nodes have the same name, or if an input names no node."""
    nodes = node_map_of(graph_def)
    for node in graph_def.node:
        for name in node.input:
            if node_name_from_input(name) not in nodes:
                raise ValueError('Input for %s not found: %s' % (node.name, name))


def node_map_of(graph_def):
    """Returns the nodes by name. Raises ValueError if two have the same name."""
    nodes = {}
    for node in graph_def.node:
        if node.name in nodes:
            raise ValueError('Duplicate node names detected for %s' % node.name)
        nodes[node.name] = node
    return nodes


def node_name_from_input(node_name):
    """Returns 'n' for the inputs 'n', 'n:1' and '^n'."""
    return node_name.lstrip('^').partition(':')[0]


def node_from_map(node_map, name):
    """Returns the node that an input names. Raises ValueError if it does not exist."""
    stripped = node_name_from_input(name)
    if stripped not in node_map:
        raise ValueError("No node named '%s' found in map." % name)
    return node_map[stripped]


def values_from_const(node_def):
    """Returns the array of a Const. Raises ValueError for any other node."""
    if node_def.op != 'Const':
        raise ValueError('Can not extract constant value from a node that is not Const. Got:\n%s'
                         % node_def)
    return tensor_util.MakeNdarray(node_def.attr['value'].tensor)


class _Norm:
    """Batch normalization with constants as y = x * scale + offset, per channel."""

    def __init__(self, node, node_map):
        names = _BATCH_NORMS[node.op]
        values = dict(zip(names, node.input, strict=False))
        self.x = node_from_map(node_map, values[names[0]])

        def constant(name):
            return values_from_const(node_from_map(node_map, values[name]))

        if node.op == 'BatchNormWithGlobalNormalization':
            mean, variance, beta = constant('m'), constant('v'), constant('beta')
            epsilon = node.attr['variance_epsilon'].f
            gamma = constant('gamma') if node.attr['scale_after_normalization'].b else 1.0
        else:
            mean, variance = constant('mean'), constant('variance')
            beta, gamma, epsilon = constant('offset'), constant('scale'), node.attr['epsilon'].f
        self.scale = gamma / np.vectorize(math.sqrt)(variance + epsilon)
        self.offset = beta - mean * self.scale


def fold_batch_norms(input_graph_def):
    """Folds batch normalization with constants into the weights of the preceding convolutions.

    Args:
      input_graph_def: a GraphDef.

    Returns:
      A GraphDef in which each folded batch normalization is a BiasAdd with the same name.
    """
    graph_def = graph_pb2.GraphDef.FromString(input_graph_def.SerializeToString())
    nodes = node_map_of(graph_def)
    folded = [node for node in graph_def.node if _can_fold(node, nodes, graph_def)]
    new_nodes = {}
    dropped = set()
    for node in folded:
        norm = _Norm(node, nodes)
        weights = node_from_map(nodes, norm.x.input[1])
        new_nodes[node.name] = _folded(node, norm, weights)
        dropped.update([node.name, norm.x.name, weights.name])
    result = graph_pb2.GraphDef(versions=graph_def.versions, library=graph_def.library)
    for node in graph_def.node:
        if node.name in new_nodes:
            result.node.extend(new_nodes[node.name])
        elif node.name not in dropped:
            result.node.add().CopyFrom(node)
    return result


def _can_fold(node, nodes, graph_def):
    if node.op not in _BATCH_NORMS or node.attr['is_training'].b:
        return False
    if any(node_from_map(nodes, name).op != 'Const' for name in node.input[1:5]):
        return False
    conv = node_from_map(nodes, node.input[0])
    if conv.op not in _CONVOLUTIONS or node_from_map(nodes, conv.input[1]).op != 'Const':
        return False
    if conv.attr['data_format'].s not in (b'', b'NHWC'):
        return False
    readers = [n.name for n in graph_def.node for name in n.input
               if node_name_from_input(name) in (conv.name, node_name_from_input(conv.input[1]))]
    return sorted(readers) == sorted([node.name, conv.name])


def _folded(node, norm, weights):
    conv = node_def_pb2.NodeDef()
    conv.CopyFrom(norm.x)
    scale = norm.scale
    kernel = values_from_const(weights)
    if conv.op == 'DepthwiseConv2dNative':
        scale = scale.reshape(kernel.shape[2:])
    bias = node_def_pb2.NodeDef(op='BiasAdd', name=node.name,
                                input=[conv.name, conv.name + '_bn_offset'])
    bias.attr['T'].CopyFrom(conv.attr['T'])
    bias.attr['data_format'].s = b'NHWC'
    return [_constant(weights.name, kernel * scale, kernel.dtype),
            _constant(conv.name + '_bn_offset', norm.offset, kernel.dtype), conv, bias]


def _constant(name, value, dtype):
    node = node_def_pb2.NodeDef(op='Const', name=name)
    proto = convert.to_ramet(tensor_util.make_tensor_proto(np.asarray(value, dtype)))
    node.attr['dtype'].type = proto.dtype
    node.attr['value'].tensor.CopyFrom(proto)
    return node
