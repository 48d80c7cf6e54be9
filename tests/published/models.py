"""Published models: how each is loaded into a session, and inputs for it.

A model is a function that takes the package tf, a session and the folder of its package, and returns (outputs, feeds):
a list of names of tensors, and a dict from names of placeholders to values.
"""

import os

import numpy as np

MODELS, KERAS_MODELS = {}, {}


def model(package):
    """Registers a model of a package."""

    def register(load):
        MODELS[load.__name__] = package, load
        return load

    return register


def keras_model(package, path, shape, **options):
    """Registers a Keras model in a file of a package, with the shape of its input."""
    KERAS_MODELS[f'{package}_{os.path.splitext(os.path.basename(path))[0].lower()}'] = package, path, shape, options


def _random(shape, seed=7):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def _saved_model(tf, session, path, signature, feeds):
    """Loads a SavedModel; returns the outputs of a signature, and the feeds for its inputs."""
    loaded = tf.saved_model.load(session, ['serve'], path)
    chosen = loaded.signature_def[signature]
    outputs = [chosen.outputs[key].name for key in sorted(chosen.outputs)]
    return outputs, {chosen.inputs[key].name: value for key, value in feeds.items()}


@model('basic_pitch')
def basic_pitch(tf, session, folder):
    """Notes of music: a SavedModel of TensorFlow 2."""
    path = os.path.join(folder, 'basic_pitch', 'saved_models', 'icassp_2022', 'nmp')
    return _saved_model(tf, session, path, 'serving_default', {'input_2': _random([1, 43844, 1])})


@model('guesslang')
def guesslang(tf, session, folder):
    """The programming language of a text: an exported estimator."""
    path = os.path.join(folder, 'guesslang', 'data', 'model')
    texts = [b'def f(x):\n    return x + 1\n', b'#include <stdio.h>\nint main() { return 0; }\n']
    return _saved_model(tf, session, path, 'serving_default', {'inputs': np.array(texts, dtype=object)})


def _without_shapes(tf, path):
    """Returns a MetaGraphDef without the shapes of outputs: those of old gradients are refused by TensorFlow 2."""
    meta_graph = tf.MetaGraphDef()
    with open(path, 'rb') as file:
        meta_graph.ParseFromString(file.read())
    for node in meta_graph.graph_def.node:
        node.attr.pop('_output_shapes', None)
    return meta_graph


def _musicnn(tf, session, folder, name, frames):
    """Tags of music: a checkpoint with its meta graph, training operations included."""
    path = os.path.join(folder, 'musicnn', name)
    saver = tf.train.import_meta_graph(_without_shapes(tf, os.path.join(path, '.meta')), clear_devices=True)
    saver.restore(session, path + os.sep)
    placeholders = [op for op in session.graph.get_operations() if op.type == 'Placeholder']
    outputs = [op.name for op in session.graph.get_operations()
               if op.type == 'Sigmoid' and not op.name.startswith('gradients')]
    feeds = {}
    for op in placeholders:
        shape = op.outputs[0].shape.as_list() if op.outputs[0].shape.ndims is not None else []
        if op.outputs[0].dtype.base_dtype == tf.bool:
            feeds[op.outputs[0].name] = False
        elif len(shape) == 3:
            feeds[op.outputs[0].name] = _random([2, frames, 96])
    return [f'{outputs[-1]}:0'], feeds


@model('musicnn')
def musicnn_mtt(tf, session, folder):
    return _musicnn(tf, session, folder, 'MTT_musicnn', 187)


@model('musicnn')
def musicnn_vgg(tf, session, folder):
    return _musicnn(tf, session, folder, 'MSD_vgg', 187)


keras_model('fer', 'fer/data/emotion_model.hdf5', [2, 64, 64, 1])
