"""tf.train.import_meta_graph."""

from ramet.api import export
from ramet.framework import meta_graph
from ramet.train import saver


@export('train.import_meta_graph')
def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Adds the graph of a .meta file to the default graph, with its collections and variables.

    Args:
      meta_graph_or_file: a MetaGraphDef, or the path of a file in binary or text format.
      clear_devices: whether to remove the devices of the nodes.
      import_scope: str, a name scope for all nodes.
      **kwargs: input_map, a dict from names in the file to tensors that replace them.
        return_elements is not supported.

    Returns:
      A Saver for the nodes that the file describes, or for the variables, or None if there are none.

    Raises:
      OSError: if the file does not exist, or is not a MetaGraphDef.
      ValueError: if the graph cannot be imported; see tf.import_graph_def.
    """
    return _import_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def _import_meta_graph_with_return_elements(meta_graph_or_file, clear_devices=False,
                                            import_scope=None, return_elements=None, **kwargs):
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
