"""tf.train.import_meta_graph and export_meta_graph."""

from ramet.api import export
from ramet.framework import meta_graph


@export('train.import_meta_graph')
def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Adds the graph of a .meta file to the default graph, with its collections and variables.

    Args:
      meta_graph_or_file: a MetaGraphDef, or the path of a file (binary or text form).
      clear_devices: whether the devices of nodes are dropped.
      import_scope: str, a name scope in front of all names.
      **kwargs: input_map, a dict from names in the file to tensors that stand in for them;
        return_elements is not among them.

    Returns:
      A Saver on the nodes that the file describes, or on the variables; None if there are none.

    Raises:
      OSError: if the file is not there, or is no MetaGraphDef.
      ValueError: if the graph cannot be imported, see tf.import_graph_def.
    """
    return _import_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def _import_meta_graph_with_return_elements(meta_graph_or_file, clear_devices=False,
                                            import_scope=None, return_elements=None, **kwargs):
    from ramet.train import saver
    imported = meta_graph.import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices=clear_devices, import_scope=import_scope,
        return_elements=return_elements, **kwargs)
    if imported.saver_def is not None:
        restorer = saver.Saver(saver_def=imported.saver_def)
        restorer._name = imported.prefix or None
        return restorer, imported.return_elements
    if saver._all_saveable_objects(imported.prefix or None):
        return saver.Saver(), imported.return_elements
    return None, imported.return_elements


@export('train.export_meta_graph')
def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None,
                      collection_list=None, as_text=False, graph=None, export_scope=None,
                      clear_devices=False, clear_extraneous_savers=False,
                      strip_default_attrs=False, save_debug_info=False, **kwargs):
    """A graph as a MetaGraphDef: nodes with their shapes, collections, op definitions.

    Args:
      filename: str, where it is written; None: nowhere.
      meta_info_def: a MetaInfoDef, whose tags and other content are taken over.
      graph_def: a GraphDef, in the place of the graph's own.
      saver_def: a SaverDef to be in it.
      collection_list: a list of the keys of collections to be in it; None: all.
      as_text: whether the file has text form.
      graph: a Graph; None: the default one.
      export_scope: str: only nodes in that name scope, without it in their names.
      clear_devices: whether the devices of nodes are left out.
      clear_extraneous_savers: whether the nodes of other savers are left out.
      strip_default_attrs: whether attrs of default value are left out.
      save_debug_info: no effect: graphs hold no stack traces.
      **kwargs: none are known.

    Returns:
      A MetaGraphDef.

    Raises:
      ValueError: if graph and graph_def are given with export_scope.
    """
    if kwargs:
        raise TypeError('create_meta_graph_def() got an unexpected keyword argument %r'
                        % next(iter(kwargs)))
    return meta_graph.export_scoped_meta_graph(
        filename=filename, meta_info_def=meta_info_def, graph_def=graph_def, saver_def=saver_def,
        collection_list=collection_list, as_text=as_text, graph=graph, export_scope=export_scope,
        clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs)[0]
