"""tf.train.export_meta_graph."""

from ramet.api import export
from ramet.framework import graph_only, meta_graph


@export('train.export_meta_graph')
@graph_only.needs_graph('Exporting/importing meta graphs is not supported when eager execution is enabled. No graph '
                        'exists when eager execution is enabled.')
def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None,
                      collection_list=None, as_text=False, graph=None, export_scope=None,
                      clear_devices=False, clear_extraneous_savers=False,
                      strip_default_attrs=False, save_debug_info=False, **kwargs):
    """Returns a graph as a MetaGraphDef: nodes with their shapes, collections and op definitions.

    Args:
      filename: str, the file to write, or None to write no file.
      meta_info_def: a MetaInfoDef whose tags and other contents are included.
      graph_def: a GraphDef to use instead of the graph's own.
      saver_def: a SaverDef to include.
      collection_list: a list of the keys of the collections to include, or None for all.
      as_text: whether to write the file in text format.
      graph: a Graph, or None for the default graph.
      export_scope: str, a name scope: only its nodes are exported, with the scope removed from their
        names.
      clear_devices: whether to leave out the devices of nodes.
      clear_extraneous_savers: whether to leave out the nodes of other savers.
      strip_default_attrs: whether to leave out attrs that have their default values.
      save_debug_info: ignored, because graphs hold no stack traces.
      **kwargs: not supported.

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
