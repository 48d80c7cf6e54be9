"""Meta graphs: a graph with its collections and saver, as a message or a .meta file."""

import collections
import os

from ramet import _core
from ramet.core import convert
from ramet.core.protobuf import meta_graph_pb2, saver_pb2
from ramet.framework import errors, graph_io, ops

UNBOUND_INPUTS = 'unbound_inputs'

Imported = collections.namedtuple('Imported', ['prefix', 'saver_def', 'return_elements',
                                               'variables'])


def read_meta_graph_file(filename):
    """Returns the MetaGraphDef in a file in binary or text format.

    Raises:
      OSError: if there is no such file, or it does not contain a MetaGraphDef.
    """
    return message_of_file(_checked_path(filename), _meta_graph_class())


def _meta_graph_class():
    return meta_graph_pb2.MetaGraphDef


def message_of_file(filename, message_class):
    """Returns the message in a file in binary or text format.

    Raises:
      OSError: if the file does not contain such a message.
    """
    from google.protobuf import message, text_format
    with open(filename, 'rb') as f:
        data = f.read()
    try:
        return message_class.FromString(data)
    except message.DecodeError:
        pass
    try:
        return text_format.Parse(data.decode(errors='replace'), message_class())
    except text_format.ParseError as e:
        raise OSError('Cannot parse file %s: %s.' % (filename, e)) from None


def _checked_path(filename):
    filename = filename.decode() if isinstance(filename, bytes) else os.fspath(filename)
    if not os.path.exists(filename):
        raise OSError('File does not exist. Received: %s.' % filename)
    return filename


def _bytes_of(meta_graph_or_file):
    if convert.full_name(meta_graph_or_file) == 'tensorflow.MetaGraphDef':
        return meta_graph_or_file.SerializeToString()
    with open(_checked_path(meta_graph_or_file), 'rb') as f:
        return f.read()


def import_scoped_meta_graph(meta_graph_or_file, **kwargs):
    """Adds a meta graph to a graph and returns a dict of its variables by name.

    The arguments are those of import_scoped_meta_graph_with_return_elements.
    """
    return import_scoped_meta_graph_with_return_elements(meta_graph_or_file, **kwargs).variables


def import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices=False, graph=None, import_scope=None, input_map=None,
        unbound_inputs_col_name=UNBOUND_INPUTS, restore_collections_predicate=None,
        return_elements=None):
    """Adds a meta graph to a graph.

    Args:
      meta_graph_or_file: a MetaGraphDef, or the path of a file.
      clear_devices: whether to remove the devices of the nodes.
      graph: a Graph, or None for the default graph.
      import_scope: str, a name scope for all nodes.
      input_map: a dict from names in the file to tensors that replace them.
      unbound_inputs_col_name: the collection in the file with the names that input_map must have.
      restore_collections_predicate: a function of a collection's key that returns whether to restore
        the collection.
      return_elements: a list of names of operations and tensors.

    Returns:
      An Imported: prefix (str), saver_def (or None), return_elements (a list), variables (a dict).

    Raises:
      OSError: if the file does not exist, or is not a MetaGraphDef.
      ValueError: if the graph cannot be imported.
    """
    data = _bytes_of(meta_graph_or_file)
    graph = graph or ops.get_default_graph()
    if restore_collections_predicate is not None:
        data = _without_collections(data, restore_collections_predicate, unbound_inputs_col_name)
    try:
        prefix, saver_def, elements, variables = _core.import_meta_graph(
            graph, data, _text('import_scope', import_scope), bool(clear_devices), _tensors(input_map),
            return_elements or [])
    except errors.DataLossError as e:
        raise OSError('Cannot parse file %s: %s.' % (meta_graph_or_file, e.message)) from None
    if saver_def is not None:
        saver_def = saver_pb2.SaverDef.FromString(saver_def)
    by_name = {ops.strip_name_scope(v.name, prefix): v for v in variables}
    return Imported(prefix, saver_def, elements, by_name)


def _text(name, scope):
    if scope is not None and not isinstance(scope, str):
        raise TypeError(f'{name} must be a str, found {type(scope).__name__}')
    (scope or '').encode()  # names are UTF-8, so a lone surrogate has no form
    return scope or ''


def _tensors(input_map):
    return {name: ops.convert_to_tensor(value) for name, value in (input_map or {}).items()}


def _without_collections(data, wanted, unbound_inputs):
    message = _meta_graph_class().FromString(data)
    for key in list(message.collection_def):
        if key != unbound_inputs and not wanted(key):
            del message.collection_def[key]
    return message.SerializeToString()


def export_scoped_meta_graph(filename=None, graph_def=None, graph=None, export_scope=None,
                             as_text=False, unbound_inputs_col_name=UNBOUND_INPUTS,
                             clear_devices=False, saver_def=None, clear_extraneous_savers=False,
                             strip_default_attrs=False, save_debug_info=False,
                             meta_info_def=None, collection_list=None):
    """Returns a graph as a MetaGraphDef; see tf.train.export_meta_graph.

    Returns:
      The MetaGraphDef, and a dict of its variables by their names in it.
    """
    graph = graph or ops.get_default_graph()
    if not isinstance(graph, ops.Graph):
        raise TypeError('graph must be of type Graph. Received type: %s.' % type(graph))
    if graph_def is not None and convert.full_name(graph_def) != 'tensorflow.GraphDef':
        raise TypeError('graph_def must be of type GraphDef. Received type: %s.' % type(graph_def))
    data = _core.export_meta_graph(
        graph, _text('export_scope', export_scope), bool(clear_devices), bool(strip_default_attrs),
        bool(clear_extraneous_savers),
        None if saver_def is None else saver_def.SerializeToString(),
        None if collection_list is None else list(collection_list))
    message = _meta_graph_class().FromString(data)
    if graph_def is not None:
        _replace_graph_def(message, convert.to_ramet(graph_def), clear_devices)
        if strip_default_attrs:
            _strip_default_attrs(message)
    if meta_info_def is not None:
        _merge_meta_info(message, convert.to_ramet(meta_info_def))
    if filename:
        graph_io.write_graph(message, os.path.dirname(filename), os.path.basename(filename),
                             as_text=as_text)
    return message, _variables_in(graph, export_scope)


def _replace_graph_def(message, graph_def, clear_devices):
    message.graph_def.CopyFrom(graph_def)
    used = {node.op for node in graph_def.node}
    used.update(node.op for function in graph_def.library.function for node in function.node_def)
    used.difference_update(function.signature.name for function in graph_def.library.function)
    listed = message.meta_info_def.stripped_op_list
    kept = [op for op in listed.op if op.name in used]
    missing = used - {op.name for op in kept}
    del listed.op[:]
    listed.op.extend(kept)
    for data in _core.op_defs(sorted(missing)):
        listed.op.add().MergeFromString(data)
    listed.op.sort(key=lambda op: op.name)
    if clear_devices:
        for node in message.graph_def.node:
            node.device = ''


def _strip_default_attrs(message):
    defaults = {op.name: {attr.name: attr.default_value.SerializeToString(deterministic=True)
                          for attr in op.attr if attr.HasField('default_value')}
                for op in message.meta_info_def.stripped_op_list.op}
    for node in message.graph_def.node:
        for name, default in defaults.get(node.op, {}).items():
            if name in node.attr and (
                    node.attr[name].SerializeToString(deterministic=True) == default):
                del node.attr[name]


def _merge_meta_info(message, meta_info_def):
    info = message.meta_info_def
    if meta_info_def.HasField('stripped_op_list'):
        info.ClearField('stripped_op_list')
    info.MergeFrom(meta_info_def)


def _variables_in(graph, export_scope):
    found = {}
    for v in graph.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope=export_scope):
        found[ops.strip_name_scope(v.name, export_scope)] = v
    return found


def copy_scoped_meta_graph(from_scope, to_scope, from_graph=None, to_graph=None):
    """Copies the nodes of one name scope to another, in the same or a different graph.

    Args:
      from_scope: str, the scope to copy.
      to_scope: str, the scope of the copies.
      from_graph: a Graph, or None for the default graph.
      to_graph: a Graph, or None for the default graph.

    Returns:
      A dict of the copied variables by their names in from_scope.

    Raises:
      ValueError: if both scopes and both graphs are the same.
    """
    from_graph = from_graph or ops.get_default_graph()
    to_graph = to_graph or ops.get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError("'from_scope' and 'to_scope' need to be different when performing copy in "
                         "the same graph.")
    message, _ = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    return import_scoped_meta_graph(message, graph=to_graph, import_scope=to_scope)
