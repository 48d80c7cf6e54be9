"""Freezes a graph: replaces its variables by constants with their values."""

import os

from ramet.client import session
from ramet.core.framework import graph_pb2
from ramet.core.protobuf import saver_pb2
from ramet.framework import graph_util, importer, meta_graph, ops
from ramet.saved_model import loader
from ramet.train import checkpoint_management, checkpoint_utils, meta_graph_import
from ramet.train import saver as saver_lib


def _names(text):
    return [name.strip() for name in text.split(',') if name.strip()] if text else None


def _parsed_file(path, message, binary):
    from google.protobuf import text_format
    if not os.path.exists(path):
        raise OSError("Input file '%s' does not exist!" % path)
    with open(path, 'rb') as f:
        data = f.read()
    if binary:
        message.ParseFromString(data)
    else:
        text_format.Merge(data.decode(), message)
    return message


def freeze_graph_with_def_protos(input_graph_def, input_saver_def, input_checkpoint,
                                 output_node_names, restore_op_name, filename_tensor_name,
                                 output_graph, clear_devices, initializer_nodes,
                                 variable_names_whitelist='', variable_names_blacklist='',
                                 input_meta_graph_def=None, input_saved_model_dir=None,
                                 saved_model_tags=None, checkpoint_version=2):
    """Replaces the variables of a graph by constants; see freeze_graph.

    Args:
      input_graph_def: a GraphDef, or None if input_meta_graph_def or input_saved_model_dir is given.
      input_saver_def: a SaverDef of its saver, or None.
      input_checkpoint: str, the checkpoint's prefix.
      output_node_names: str, comma-separated names of nodes.
      restore_op_name: ignored.
      filename_tensor_name: ignored.
      output_graph: str, the file to write, or '' for none.
      clear_devices: whether to remove the devices of nodes.
      initializer_nodes: str, comma-separated names of operations to run first.
      variable_names_whitelist: str, the comma-separated variables to convert, or '' for all.
      variable_names_blacklist: str, comma-separated variables not to convert.
      input_meta_graph_def: a MetaGraphDef, or None.
      input_saved_model_dir: str, the folder of a SavedModel, or None.
      saved_model_tags: a list of str.
      checkpoint_version: ignored: the version is detected from the files.

    Returns:
      A GraphDef.

    Raises:
      ValueError: if the checkpoint does not exist.
    """
    if not input_saved_model_dir and not checkpoint_management.checkpoint_exists(input_checkpoint):
        raise ValueError("Input checkpoint '%s' doesn't exist!" % input_checkpoint)
    if not output_node_names:
        raise ValueError('You need to supply the name of a node to --output_node_names.')
    graph = ops.Graph()
    with graph.as_default(), session.Session(graph=graph) as sess:
        _restore(sess, input_graph_def, input_saver_def, input_checkpoint, input_meta_graph_def,
                 input_saved_model_dir, saved_model_tags, clear_devices)
        for name in _names(initializer_nodes) or ():
            sess.run(graph.get_operation_by_name(name))
        frozen = graph_util.convert_variables_to_constants(
            sess, input_graph_def or graph.as_graph_def(), _names(output_node_names),
            _names(variable_names_whitelist), _names(variable_names_blacklist))
    if output_graph:
        with open(output_graph, 'wb') as f:
            f.write(frozen.SerializeToString())
    return frozen


def _restore(sess, graph_def, saver_def, checkpoint, meta_graph_def, saved_model_dir, tags,
             clear_devices):
    if saved_model_dir:
        loader.load(sess, tags, saved_model_dir, clear_devices=clear_devices)
        return
    if meta_graph_def is not None:
        meta_graph_import.import_meta_graph(meta_graph_def, clear_devices=clear_devices).restore(
            sess, checkpoint)
        return
    if clear_devices:
        for node in graph_def.node:
            node.device = ''
    importer.import_graph_def(graph_def, name='')
    if saver_def is not None:
        saver_lib.Saver(saver_def=saver_def).restore(sess, checkpoint)
    else:
        saver_lib.Saver(_variables_in_checkpoint(sess.graph, checkpoint)).restore(sess, checkpoint)


def _variables_in_checkpoint(graph, checkpoint):
    found = {}
    for key in checkpoint_utils.NewCheckpointReader(checkpoint).get_variable_to_shape_map():
        try:
            op = graph.get_operation_by_name(key)
        except KeyError:
            continue
        if op.type in ('Variable', 'VariableV2'):
            found[key] = op.outputs[0]
    return found


def freeze_graph(input_graph, input_saver, input_binary, input_checkpoint, output_node_names,
                 restore_op_name, filename_tensor_name, output_graph, clear_devices,
                 initializer_nodes, variable_names_whitelist='', variable_names_blacklist='',
                 input_meta_graph=None, input_saved_model_dir=None, saved_model_tags='serve',
                 checkpoint_version=2):
    """Writes a graph file in which variables are constants with the values of a checkpoint.

    Args:
      input_graph: str, a GraphDef file, or ''.
      input_saver: str, a SaverDef file, or ''.
      input_binary: whether the files are in binary format.
      input_checkpoint: str, the checkpoint's prefix.
      output_node_names: as for freeze_graph_with_def_protos; so are the arguments not listed here.
      input_meta_graph: str, a .meta file, or None.
      input_saved_model_dir: str, the folder of a SavedModel, or None.
      saved_model_tags: str, comma-separated tags.
      checkpoint_version: ignored: the version is detected from the files.

    Returns:
      A GraphDef.

    Raises:
      OSError: if a file does not exist.
      ValueError: if the checkpoint does not exist.
    """
    graph_def = saver_def = meta_graph_def = None
    if input_meta_graph:
        meta_graph_def = meta_graph.read_meta_graph_file(input_meta_graph)
    elif input_graph:
        graph_def = _parsed_file(input_graph, graph_pb2.GraphDef(), input_binary)
    if input_saver:
        saver_def = _parsed_file(input_saver, saver_pb2.SaverDef(), input_binary)
    return freeze_graph_with_def_protos(
        graph_def, saver_def, input_checkpoint, output_node_names, restore_op_name,
        filename_tensor_name, output_graph, clear_devices, initializer_nodes,
        variable_names_whitelist, variable_names_blacklist, meta_graph_def, input_saved_model_dir,
        _names(saved_model_tags), checkpoint_version)
