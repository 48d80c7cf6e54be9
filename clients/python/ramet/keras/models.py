"""tf.keras.models: models, copies of models, and models in files."""

import json
import logging
import os

from ramet.api import export
from ramet.framework import nest
from ramet.keras import losses
from ramet.keras.engine import node as node_lib
from ramet.keras.engine import sequential, training
from ramet.keras.engine.input_layer import Input, InputLayer
from ramet.keras.layers import (
    all_layers,  # noqa: F401 - configurations name any layer
    serialization,
)
from ramet.keras.optimizers import lookup as optimizers
from ramet.keras.saving import hdf5, model_files

Model = export('keras.Model', 'keras.models.Model')(training.Model)
Sequential = sequential.Sequential
serialization.register(Model=Model, Functional=Model, Sequential=Sequential)


@export('keras.models.clone_model')
def clone_model(model, input_tensors=None, clone_function=None):
    """Returns a model with the same layers and new variables.

    Args:
      model: a Model with a graph of layers, or a Sequential.
      input_tensors: tensors to use as inputs, or None for new ones.
      clone_function: a function from a layer to a copy, or None for copies with equal configurations.

    Raises:
      ValueError: if the model is a subclass without a graph of layers.
    """
    clone_function = clone_function or (lambda layer: type(layer).from_config(layer.get_config()))
    if isinstance(model, Sequential) and (input_tensors is None or model.inputs is None):
        inputs = [InputLayer.from_config(layer.get_config()) for layer in model._list if isinstance(layer, InputLayer)]
        return Sequential([*inputs, *(clone_function(layer) for layer in model.layers)], name=model.name)
    if not model._is_graph_network:
        raise ValueError('Expected `model` argument to be a functional `Model` instance, but got a subclass model '
                         'instead.')
    return _cloned(model, input_tensors, clone_function)


def _cloned(model, input_tensors, clone_function):
    graph = model._graph_of_layers
    if input_tensors is None:
        inputs = [Input(batch_shape=t.shape.as_list(), dtype=t.dtype, name=t._keras_history.layer.name)
                  for t in graph.inputs]
    else:
        inputs = [t if node_lib.is_keras_tensor(t) else Input(tensor=t) for t in nest.flatten(input_tensors)]
    known = {id(old): new for old, new in zip(graph.inputs, inputs)}
    copies = {}
    for node in graph.nodes:
        outputs = nest.flatten(node.output_tensors)
        if all(id(t) in known for t in outputs):
            continue
        if node.layer not in copies:
            copies[node.layer] = clone_function(node.layer)
        arguments = nest.map_structure(lambda t: known.get(id(t), t), node.arguments)
        made = copies[node.layer](nest.map_structure(lambda t: known[id(t)], node.input_tensors), **arguments)
        known.update(zip(map(id, outputs), nest.flatten(made)))
    outputs = nest.map_structure(lambda t: known[id(t)], model._nested_outputs)
    return Model(inputs if len(inputs) > 1 else inputs[0], outputs, name=model.name)


@export('keras.models.model_from_config')
def model_from_config(config, custom_objects=None):
    """Creates a model from a configuration.

    Args:
      config: a dict with class_name and config.
      custom_objects: a dict from names to the program's own classes and functions.

    Raises:
      TypeError: if it is a list.
    """
    if isinstance(config, list):
        raise TypeError('`model_from_config` expects a dictionary, not a list. Maybe you meant to use '
                        '`Sequential.from_config(config)`?')
    return serialization.deserialize(config, custom_objects)


@export('keras.models.model_from_json')
def model_from_json(json_string, custom_objects=None):
    """Creates a model from the result of Model.to_json.

    Args:
      json_string: str.
      custom_objects: a dict from names to the program's own classes and functions.
    """
    return model_from_config(json.loads(json_string), custom_objects)


@export('keras.models.save_model')
def save_model(model, filepath, overwrite=True, include_optimizer=True, save_format=None):
    """Saves a model; see Model.save.

    Args:
      model: a Model.
      filepath: the name of an HDF5 file.
      overwrite: whether to replace an existing file without asking.
      include_optimizer: whether to save the optimizer.
      save_format: 'h5', or None for that of the name.
    """
    model_files.save_model(model, filepath, overwrite, include_optimizer, save_format)


@export('keras.models.load_model')
def load_model(filepath, custom_objects=None, compile=True):
    """Loads a model that Model.save stored, also by TensorFlow or Keras 2.

    Args:
      filepath: the name of an HDF5 file.
      custom_objects: a dict from names to the program's own classes and functions.
      compile: whether to compile the model as it was when it was saved.

    Returns:
      A Model.

    Raises:
      ImportError: if the package h5py is not installed.
      OSError: if the file does not exist or is not an HDF5 file.
      ValueError: if the file contains no model.
    """
    if os.path.isdir(filepath):
        raise NotImplementedError(f'{filepath!r} is a folder, but Ramet loads models of tf.keras from HDF5 files; use '
                                  'tf.saved_model.load or ramet.load for a SavedModel')
    with hdf5.h5py().File(filepath, 'r') as file:
        config = file.attrs.get('model_config')
        if config is None:
            raise ValueError('No model found in config file.')
        model = model_from_config(_parsed(config), custom_objects)
        hdf5.load_weights(file['model_weights'], model.layers)
        training_config = file.attrs.get('training_config')
        if compile and training_config is not None:
            _compile(model, _parsed(training_config), custom_objects)
            if 'optimizer_weights' in file:
                _load_optimizer(model, file)
    return model


def _parsed(text):
    return json.loads(text.decode('utf-8') if isinstance(text, bytes) else text)


def _compile(model, config, custom_objects):
    with serialization.generic_utils.CustomObjectScope(custom_objects or {}):
        optimizer = optimizers.deserialize(config['optimizer_config'], custom_objects)
        model.compile(optimizer=optimizer, loss=_plain(config.get('loss')), metrics=_plain(config.get('metrics')),
                      loss_weights=config.get('loss_weights'), sample_weight_mode=config.get('sample_weight_mode'),
                      weighted_metrics=_plain(config.get('weighted_metrics')))


def _plain(value):
    """Converts losses and metrics of configurations to the arguments of compile."""
    if isinstance(value, dict) and 'class_name' not in value:
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        found = losses._NAMES.get(value['class_name'])
        if value['class_name'] == 'MeanMetricWrapper':
            return value['config'].get('fn') or value['config']['name']
        return losses.deserialize(value) if found and 'reduction' in value['config'] else value
    return value


def _load_optimizer(model, file):
    model._compiled.function('train')
    try:
        model.optimizer.set_weights(hdf5.optimizer_weights(file))
    except ValueError as error:
        logging.getLogger('tensorflow').warning('Error in loading the saved optimizer state. As a result, your model '
                                                'is starting with a freshly initialized optimizer. (%s)', error)
