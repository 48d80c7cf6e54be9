"""Predictors, which run a model with arrays as inputs and outputs."""

from ramet.api import export
from ramet.client.session import Session
from ramet.estimator.estimator import Estimator
from ramet.estimator.mode_keys import ModeKeys
from ramet.estimator.saved_models import signatures_for
from ramet.framework import ops
from ramet.saved_model import loader
from ramet.train.scaffold import ChiefSessionCreator

_DEFAULT = 'serving_default'


class Predictor:
    """A function from a dict of arrays to a dict of arrays.

    Attributes:
      graph: the Graph.
      session: the Session.
      feed_tensors: a dict from names to the tensors that are fed.
      fetch_tensors: a dict from names to the tensors that are returned.
    """

    def __init__(self, graph, session, feed_tensors, fetch_tensors):
        """Creates the predictor.

        Args:
          graph: a Graph.
          session: a Session for it.
          feed_tensors: a dict from names to tensors.
          fetch_tensors: a dict from names to tensors.
        """
        self._graph, self._session = graph, session
        self._feed_tensors, self._fetch_tensors = feed_tensors, fetch_tensors

    graph = property(lambda self: self._graph)
    session = property(lambda self: self._session)
    feed_tensors = property(lambda self: self._feed_tensors)
    fetch_tensors = property(lambda self: self._fetch_tensors)

    def __call__(self, input_dict):
        """Runs the model.

        Args:
          input_dict: a dict from names to arrays.

        Returns:
          A dict from names to arrays.

        Raises:
          ValueError: if a name is unknown.
        """
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise ValueError('Got unexpected keys in input_dict: {}\nexpected: {}'.format(
                unexpected, sorted(self._feed_tensors)))
        feeds = {self._feed_tensors[name]: value for name, value in input_dict.items()}
        return self._session.run(self._fetch_tensors, feed_dict=feeds)

    def __repr__(self):
        return '{} with feed tensors {} and fetch_tensors {}'.format(
            type(self).__name__, self._feed_tensors, self._fetch_tensors)


def _from_signature(graph, session, signature):
    def tensors(infos):
        return {name: graph.get_tensor_by_name(info.name) for name, info in infos.items()}

    return Predictor(graph, session, tensors(signature.inputs), tensors(signature.outputs))


def _signature(signatures, key):
    key = key or _DEFAULT
    if key not in signatures:
        raise ValueError(f'Got signature_def_key "{key}". Available signatures are {sorted(signatures)}. Original '
                         f"error:\nNo SignatureDef with key '{key}' found in MetaGraphDef.")
    return signatures[key]


@export('contrib.predictor.from_saved_model')
def from_saved_model(export_dir, signature_def_key=None, signature_def=None, input_names=None, output_names=None,
                     tags=None, graph=None, config=None):
    """Returns a predictor for a SavedModel.

    Args:
      export_dir: str, the folder of the model.
      signature_def_key: str, the name of the signature. Defaults to 'serving_default'.
      signature_def: a SignatureDef, or None for that of the key.
      input_names: a dict from names to names of tensors, in place of a signature.
      output_names: a dict from names to names of tensors.
      tags: the tags of the graph, as a list or a text with commas. Defaults to 'serve'.
      graph: a Graph, or None for a new one.
      config: a ConfigProto.

    Raises:
      ValueError: if there is no such signature.
    """
    tags = tags.split(',') if isinstance(tags, str) else list(tags or ['serve'])
    graph = graph or ops.Graph()
    with graph.as_default():
        session = Session(config=config)
        signatures = loader.load(session, tags, export_dir).signature_def
    if input_names is not None:
        named = [{key: graph.get_tensor_by_name(name) for key, name in names.items()}
                 for names in (input_names, output_names)]
        return Predictor(graph, session, *named)
    return _from_signature(graph, session, signature_def or _signature(signatures, signature_def_key))


@export('contrib.predictor.from_estimator')
def from_estimator(estimator, serving_input_receiver_fn, output_key=None, graph=None, config=None):
    """Returns a predictor for the latest checkpoint of an Estimator.

    Args:
      estimator: an Estimator.
      serving_input_receiver_fn: a function that returns a ServingInputReceiver.
      output_key: str, the name of the output. Defaults to 'serving_default'.
      graph: a Graph, or None for a new one.
      config: a ConfigProto.

    Raises:
      TypeError: if estimator is not an Estimator.
      ValueError: if there is no such output, or no checkpoint.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f'Expected estimator to be of type tf.estimator.Estimator, but got type {type(estimator)}.')
    path = estimator.latest_checkpoint()
    if path is None:
        raise ValueError(f"Couldn't find trained model at {estimator.model_dir}.")
    graph = graph or ops.Graph()
    with graph.as_default():
        estimator._create_and_assert_global_step(graph)
        receiver = serving_input_receiver_fn()
        made = estimator._call_model_fn(receiver.features, None, ModeKeys.PREDICT, estimator.config)
        session = ChiefSessionCreator(made.scaffold, config=config, checkpoint_filename_with_path=path).create_session()
        signatures = signatures_for(receiver.receiver_tensors, made.export_outputs)
    return _from_signature(graph, session, _signature(signatures, output_key))
