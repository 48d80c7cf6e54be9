"""Loads SavedModels."""

import os

from ramet import _core
from ramet.api import export
from ramet.core.protobuf import saved_model_pb2
from ramet.framework import meta_graph as meta_graph_lib
from ramet.framework import ops, stacks


def _text(path):
    return path.decode() if isinstance(path, bytes) else os.fspath(path)


@export('saved_model.maybe_saved_model_directory', 'saved_model.contains_saved_model',
        'saved_model.loader.maybe_saved_model_directory')
def maybe_saved_model_directory(export_dir):
    """Returns whether a folder contains a saved_model.pb or saved_model.pbtxt.

    Args:
      export_dir: str, the folder.
    """
    return _core.maybe_saved_model_directory(_text(export_dir))


def parse_saved_model(export_dir):
    """Returns the SavedModel message of a folder.

    Raises:
      OSError: if it does not exist or cannot be read.
    """
    export_dir = _text(export_dir)
    for name in ('saved_model.pb', 'saved_model.pbtxt'):
        path = os.path.join(export_dir, name)
        if os.path.exists(path):
            return meta_graph_lib.message_of_file(path, saved_model_pb2.SavedModel)
    raise OSError('SavedModel file does not exist at: %s/{saved_model.pbtxt|saved_model.pb}'
                  % export_dir)


def _meta_graph_of(saved_model, tags):
    available = []
    for meta_graph in saved_model.meta_graphs:
        found = set(meta_graph.meta_info_def.tags)
        if found == tags:
            return meta_graph
        available.append(found)
    raise RuntimeError(
        'MetaGraphDef associated with tags %s could not be found in SavedModel, with available '
        "tags '%s'. To inspect available tag-sets in the SavedModel, please use the SavedModel "
        'CLI: `saved_model_cli`.' % (str(sorted(tags))[1:-1], available))


@export('saved_model.load', 'saved_model.loader.load')
def load(sess, tags, export_dir, import_scope=None, **saver_kwargs):
    """Adds a meta graph of a SavedModel to a session's graph and restores its variables.

    Args:
      sess: a Session.
      tags: a set or list of str, the tags of the meta graph.
      export_dir: str, the folder.
      import_scope: str, a name scope for all nodes.
      **saver_kwargs: clear_devices and input_map, as for tf.train.import_meta_graph.

    Returns:
      The MetaGraphDef as it is in the file.

    Raises:
      OSError: if the SavedModel does not exist or cannot be read.
      RuntimeError: if none of its meta graphs has these tags.
    """
    tags = {tags} if isinstance(tags, str) else set(tags)
    meta_graph = _meta_graph_of(parse_saved_model(export_dir), tags)
    clear_devices = saver_kwargs.pop('clear_devices', False)
    input_map = {name: ops.convert_to_tensor(value)
                 for name, value in (saver_kwargs.pop('input_map', None) or {}).items()}
    if saver_kwargs:
        raise TypeError('load() got an unexpected keyword argument %r' % next(iter(saver_kwargs)))
    _core.load_saved_model(stacks.core_session(sess), _text(export_dir), sorted(tags),
                           import_scope or '', clear_devices, input_map)
    return meta_graph
