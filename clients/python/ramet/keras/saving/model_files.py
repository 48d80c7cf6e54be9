"""Saves models."""

import os

from ramet.keras.backend import values
from ramet.keras.saving import hdf5, weight_files
from ramet.keras.utils import generic_utils


def configuration(model):
    """Returns the name and configuration of a model."""
    return {'class_name': type(model).__name__, 'config': model.get_config(), 'keras_version': hdf5.KERAS_VERSION,
            'backend': 'tensorflow'}


def to_json(model, **kwargs):
    """Returns the configuration of a model as a string."""
    return hdf5.to_json(configuration(model), **kwargs)


def save_model(model, filepath, overwrite, include_optimizer, save_format):
    """Saves a model; see Model.save."""
    filepath = os.fspath(filepath)
    if save_format not in (None, 'h5') or (save_format is None and not weight_files.is_hdf5_name(filepath)
                                           and os.path.isdir(filepath)):
        raise NotImplementedError(f'Ramet saves models of tf.keras as HDF5 files: got {filepath!r} with '
                                  f"save_format={save_format!r}; use a name that ends with '.h5', or "
                                  'tf.saved_model.simple_save for a SavedModel')
    if not model._is_graph_network:
        raise NotImplementedError('Saving the model to HDF5 format requires the model to be a Functional model or a '
                                  'Sequential model. It does not work for subclassed models, because such models are '
                                  'defined via the body of a Python method, which isn\'t safely serializable. Consider '
                                  'saving in using `save_weights`.')
    if not weight_files.may_write(filepath, overwrite):
        return
    with hdf5.h5py().File(filepath, 'w') as file:
        file.attrs['keras_version'] = hdf5.KERAS_VERSION.encode()
        file.attrs['backend'] = b'tensorflow'
        config = {'class_name': type(model).__name__, 'config': model.get_config()}
        file.attrs['model_config'] = hdf5.to_json(config).encode('utf8')
        hdf5.save_weights(file.create_group('model_weights'), model.layers)
        if include_optimizer and model.optimizer is not None and not hasattr(model.optimizer, 'optimizer'):
            file.attrs['training_config'] = hdf5.to_json(_training_config(model)).encode('utf8')
            hdf5.save_optimizer(file, model.optimizer)


def _training_config(model):
    arguments = model._compiled.arguments
    own = {name: _serialized(arguments[name]) for name in (
        'loss', 'metrics', 'weighted_metrics', 'sample_weight_mode', 'loss_weights')}
    optimizer = model.optimizer
    return {**own, 'optimizer_config': {'class_name': type(optimizer).__name__, 'config': optimizer.get_config()}}


def _serialized(value):
    if isinstance(value, dict):
        return {key: _serialized(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_serialized(item) for item in value]
    if hasattr(value, 'op'):
        return values.get_value(value).item()
    if hasattr(value, 'get_config') or callable(value):
        return generic_utils.serialize_keras_object(value)
    return value
