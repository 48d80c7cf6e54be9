"""Saves and loads the variables of models."""

import os

from ramet.keras.backend import values
from ramet.keras.saving import hdf5, object_graph
from ramet.train import checkpoint_management, checkpoint_utils
from ramet.train.tracking.object_graph import PROTO_KEY

_HDF5_ENDS = ('.h5', '.keras', '.hdf5')


def is_hdf5_name(path):
    """Returns whether a file name is that of an HDF5 file."""
    return os.fspath(path).endswith(_HDF5_ENDS)


def may_write(path, overwrite):
    """Returns whether a file may be written; asks if it exists and `overwrite` is False."""
    if overwrite or not os.path.exists(path):
        return True
    answer = input(f'[WARNING] {path} already exists - overwrite? [y/n]').strip().lower()
    while answer not in ('y', 'n'):
        answer = input('Enter "y" (overwrite) or "n" (cancel).').strip().lower()
    return answer == 'y'


def save(model, filepath, overwrite, save_format):
    """Saves the variables of a model; see Model.save_weights."""
    filepath = os.fspath(filepath)
    if save_format is None:
        save_format = 'h5' if is_hdf5_name(filepath) else 'tf'
    formats = {'tensorflow': 'tf', 'tf': 'tf', 'keras': 'h5', 'h5': 'h5', 'hdf5': 'h5'}
    if save_format.lower().strip() not in formats:
        raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
    if formats[save_format.lower().strip()] == 'tf':
        if is_hdf5_name(filepath):
            raise ValueError(f'save_weights got save_format="tf"/"tensorflow", but the filepath ("{filepath}") looks '
                             'like an HDF5 file. Omit the ".h5"/".keras" when saving in TensorFlow format.')
        if may_write(f'{filepath}.index', overwrite):
            object_graph.save(model, filepath)
    elif may_write(filepath, overwrite):
        with hdf5.h5py().File(filepath, 'w') as file:
            hdf5.save_weights(file, model.layers)


def load(model, filepath, by_name):
    """Loads the variables of a model; see Model.load_weights."""
    filepath = os.fspath(filepath)
    if is_hdf5_name(filepath) or not checkpoint_management.checkpoint_exists(filepath):
        return _load_hdf5(model, filepath, by_name)
    if by_name:
        raise NotImplementedError('Weights may only be loaded based on topology into Models when loading TensorFlow-'
                                  'formatted weights (got by_name=True to load_weights).')
    reader = checkpoint_utils.load_checkpoint(filepath)
    if reader.has_tensor(PROTO_KEY):
        return object_graph.load(model, reader)
    found = [v for v in model.weights if reader.has_tensor(v.op.name)]
    values.batch_set_value([(v, reader.get_tensor(v.op.name)) for v in found])
    known = {v.op.name for v in found}
    return object_graph.LoadStatus([v.name for v in model.weights if v.op.name not in known], [])


def _load_hdf5(model, filepath, by_name):
    if not model.built:
        raise ValueError('Unable to load weights saved in HDF5 format into a subclassed Model which has not created '
                         'its variables yet. Call the Model first, then load the weights.')
    with hdf5.h5py().File(filepath, 'r') as file:
        group = file['model_weights'] if 'layer_names' not in file.attrs and 'model_weights' in file else file
        (hdf5.load_weights_by_name if by_name else hdf5.load_weights)(group, model.layers)
    return None
