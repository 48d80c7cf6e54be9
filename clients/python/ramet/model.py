"""Implements ramet.load, which opens a saved model as one callable object."""

import glob
import os
import re

from ramet.client import session
from ramet.framework import display, importer, ops
from ramet.saved_model import loader, utils
from ramet.train import checkpoint_management, meta_graph_import

_COLUMNS = ('', 'name', 'dtype', 'shape')
_MOST_ROWS = 60
_INPUT_TYPES = ('Placeholder', 'PlaceholderWithDefault')
_TRAINING = re.compile(r'(^|/)(gradients|save|train|init)(_\d+)?(/|$)')


class Model:
    """A graph together with a session that holds its variables.

    To run the model, call it with the fetches ("out:0", or a list or dict of names) and with the
    inputs as keyword arguments:

        m = ramet.load('cnn-1000')
        y = m('out:0', images=x)

    Attributes:
      graph: the tf.Graph.
      session: the tf.Session.
      inputs: a dict from names to the tensors that can be fed.
      outputs: a dict from names to the tensors that no operation in the graph reads.
      path: the path that the model was loaded from.
    """

    def __init__(self, path, graph, session, inputs, outputs):
        self.path = path
        self.graph = graph
        self.session = session
        self.inputs = inputs
        self.outputs = outputs

    def __call__(self, fetches=None, feed_dict=None, **feeds):
        """Runs the model.

        Args:
          fetches: a name ("out:0", "out", or a key of `outputs`), a tensor, or a list or dict of these.
            If None, all outputs are fetched, as a dict.
          feed_dict: a dict from names or tensors to values.
          **feeds: values by the names of inputs. The last component of a name ("images" for
            "model/images") is enough if it identifies one input.

        Returns:
          The value of session.run for the fetches.

        Raises:
          KeyError: if the model has no such tensor. The message lists the names that it has.
        """
        fed = {self._input(name): value for name, value in {**(feed_dict or {}), **feeds}.items()}
        wanted = self.outputs if fetches is None else self._fetches(fetches)
        return self.session.run(wanted, fed)

    def _fetches(self, fetches):
        if isinstance(fetches, dict):
            return {key: self._fetches(value) for key, value in fetches.items()}
        if isinstance(fetches, (list, tuple)):
            return type(fetches)(self._fetches(f) for f in fetches)
        return self._named(fetches, self.outputs) if isinstance(fetches, str) else fetches

    def _input(self, name):
        if not isinstance(name, str):
            return name
        return self._named(name, self.inputs)

    def _named(self, name, known):
        if name in known:
            return known[name]
        try:
            return self.graph.get_tensor_by_name(name if ':' in name else name + ':0')
        except (KeyError, ValueError):
            pass
        ends = [t for key, t in known.items() if key.rsplit('/', 1)[-1] == name]
        if len(ends) == 1:
            return ends[0]
        raise KeyError('the model %s has no tensor %r; it has %s'
                       % (self.path, name, ', '.join(known) or 'none of this kind'))

    def close(self):
        """Closes the session and frees its variables."""
        self.session.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()

    def _rows(self):
        rows = [(kind, key, t.dtype.name, str(t.shape))
                for kind, tensors in (('input', self.inputs), ('output', self.outputs))
                for key, t in tensors.items()]
        return rows + [('variable', v.op.name, v.dtype.base_dtype.name, str(v.shape))
                       for v in self.graph.get_collection('variables')]

    def _title(self):
        return 'ramet.Model %s: %s' % (self.path, repr(self.graph)[len('<tf.Graph: '):-1])

    def __repr__(self):
        return display.text_table(self._title(), (), self._rows(), most=_MOST_ROWS)

    def _repr_html_(self):
        return display.html_table(self._title(), _COLUMNS, self._rows())


def load(path, tags=('serve',)):
    """Loads a model into a new graph and session.

    Args:
      path: str, one of: the prefix of a checkpoint ("cnn-1000") or its .meta file, a folder that
        contains a SavedModel or checkpoints (the latest one is loaded), or the .pb file of a frozen
        graph.
      tags: the tags of the meta graph to load from a SavedModel.

    Returns:
      A Model.

    Raises:
      FileNotFoundError: if there is no model at `path`. The message says which files were tried.
    """
    path = os.fspath(path)
    if not path:
        raise FileNotFoundError('the path is empty')
    if os.path.isdir(path):
        return _load_folder(path, tags)
    if path.endswith(('.pb', '.pbtxt')) and os.path.isfile(path):
        return _load_graph_def(path)
    return _load_checkpoint(path[:-len('.meta')] if path.endswith('.meta') else path)


def _new_session():
    graph = ops.Graph()
    return graph, session.Session(graph=graph)


def _load_folder(path, tags):
    if loader.maybe_saved_model_directory(path):
        return _load_saved_model(path, tags)
    latest = checkpoint_management.latest_checkpoint(path)
    if latest is None:
        raise FileNotFoundError('%s contains neither saved_model.pb nor a `checkpoint` file that '
                                'names an existing checkpoint' % path)
    return _load_checkpoint(latest)


def _load_saved_model(path, tags):
    graph, session = _new_session()
    with graph.as_default():
        meta_graph = loader.load(session, tags, path)
        signature = _main_signature(meta_graph.signature_def)
        if signature is None:
            return Model(path, graph, session, *_ends(graph))
        inputs, outputs = (
            {key: utils.get_tensor_from_tensor_info(info, graph) for key, info in
             sorted(infos.items())} for infos in (signature.inputs, signature.outputs))
    return Model(path, graph, session, inputs, outputs)


def _main_signature(signatures):
    if 'serving_default' in signatures:
        return signatures['serving_default']
    named = [key for key in sorted(signatures) if not key.startswith('__saved_model')]
    return signatures[named[0]] if named else None


def _load_graph_def(path):
    graph, session = _new_session()
    with open(path, 'rb') as f:
        data = f.read()
    with graph.as_default():
        importer.import_graph_def(data, name='')
    return Model(path, graph, session, *_ends(graph))


def _load_checkpoint(prefix):
    meta = _meta_file(prefix)
    graph, session = _new_session()
    with graph.as_default():
        restorer = meta_graph_import.import_meta_graph(meta)
        if restorer is not None and checkpoint_management.checkpoint_exists(prefix):
            restorer.restore(session, prefix)
        elif restorer is not None:
            raise FileNotFoundError('%s describes a graph with variables, but there is no '
                                    'checkpoint %s.index' % (meta, prefix))
    return Model(prefix, graph, session, *_ends(graph))


def _meta_file(prefix):
    if os.path.isfile(prefix + '.meta'):
        return prefix + '.meta'
    base = re.sub(r'-\d+$', '', prefix)
    for file in sorted(glob.glob(glob.escape(base) + '*.meta'), key=os.path.getmtime, reverse=True):
        if re.fullmatch(re.escape(base) + r'(-\d+)?\.meta', file):
            return file
    near = sorted(os.path.basename(f)[:-len('.meta')]
                  for f in glob.glob(os.path.join(os.path.dirname(prefix) or '.', '*.meta')))
    there = ' (this file is not a .meta, .pb or .pbtxt file)' if os.path.isfile(prefix) else ''
    raise FileNotFoundError('no model %s%s: looked for a folder, %s.meta and a .pb file; models '
                            'nearby: %s' % (prefix, there, prefix, ', '.join(near[-5:]) or 'none'))


def _ends(graph):
    """Returns the tensors to feed, and the computed tensors that only training reads, as dicts."""
    operations = graph.get_operations()
    inputs = {op.name: op.outputs[0] for op in operations
              if op.type in _INPUT_TYPES and not _TRAINING.search(op.name)}
    reached = {op.name for op in operations if op.name in inputs}
    read = set()
    ends = []
    for op in operations:
        if _TRAINING.search(op.name) or op.name in inputs:
            continue
        sources = [t.op.name for t in op.inputs]
        if any(name in reached for name in sources):
            reached.add(op.name)
            read.update(sources)
            ends.append(op)
    outputs = {op.name: op.outputs[0] for op in ends if op.outputs and op.name not in read}
    return inputs, outputs
