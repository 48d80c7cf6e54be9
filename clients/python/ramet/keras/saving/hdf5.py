"""Values of variables in HDF5 files, in the layout of Keras."""

import json

import numpy as np

from ramet.keras.backend import values

_MAX_ATTRIBUTE_BYTES = 64512
KERAS_VERSION = '2.2.4-tf'


def h5py():
    """Returns the package h5py, which is needed only for HDF5 files.

    Raises:
      ImportError: if it is not installed.
    """
    try:
        import h5py as package
    except ImportError:
        raise ImportError('`save_model` and `save_weights` require h5py for HDF5 files: install the package h5py, or '
                          "use save_weights with save_format='tf'") from None
    return package


def legacy_weights(layer):
    """Returns the variables of a layer in the order of files."""
    return layer.trainable_weights + layer.non_trainable_weights


def write_attribute(group, name, items):
    """Stores a list of strings. HDF5 limits an attribute's size, so that a long list becomes several attributes."""
    items = [item.encode('utf-8') for item in items]
    if any(len(item) > _MAX_ATTRIBUTE_BYTES for item in items):
        raise RuntimeError('The following attributes cannot be saved to HDF5 file because they are larger than '
                           f'{_MAX_ATTRIBUTE_BYTES} bytes: {max(items, key=len)[:100]!r}...')
    array, parts = np.asarray(items), 1
    pieces = np.array_split(array, parts)
    while any(piece.nbytes > _MAX_ATTRIBUTE_BYTES for piece in pieces):
        parts += 1
        pieces = np.array_split(array, parts)
    if parts == 1:
        group.attrs[name] = items
        return
    for i, piece in enumerate(pieces):
        group.attrs[f'{name}{i}'] = piece


def read_attribute(group, name):
    """Returns a list of strings; see write_attribute."""
    if name in group.attrs:
        found = list(group.attrs[name])
    else:
        found, i = [], 0
        while f'{name}{i}' in group.attrs:
            found.extend(group.attrs[f'{name}{i}'])
            i += 1
    return [item.decode('utf-8') if isinstance(item, bytes) else str(item) for item in found]


def _write_arrays(group, variables):
    names = [v.name for v in variables]
    write_attribute(group, 'weight_names', names)
    for name, value in zip(names, values.batch_get_value(variables)):
        array = np.asarray(value)
        dataset = group.create_dataset(name, array.shape, dtype=array.dtype)
        dataset[() if not array.shape else slice(None)] = array


def save_weights(group, layers):
    """Stores the variables of layers."""
    write_attribute(group, 'layer_names', [layer.name for layer in layers])
    group.attrs['backend'] = b'tensorflow'
    group.attrs['keras_version'] = KERAS_VERSION.encode()
    for layer in layers:
        _write_arrays(group.create_group(layer.name), legacy_weights(layer))


def _arrays(group):
    return [np.asarray(group[name]) for name in read_attribute(group, 'weight_names')]


def load_weights(group, layers):
    """Sets the variables of layers in order.

    Raises:
      ValueError: if the file does not fit the layers.
    """
    layers = [layer for layer in layers if legacy_weights(layer)]
    names = [n for n in read_attribute(group, 'layer_names') if read_attribute(group[n], 'weight_names')]
    if len(names) != len(layers):
        raise ValueError(f'You are trying to load a weight file containing {len(names)} layers into a model with '
                         f'{len(layers)} layers.')
    pairs = []
    for index, (name, layer) in enumerate(zip(names, layers)):
        pairs.extend(_paired(layer, _arrays(group[name]), f'Layer #{index} (named "{layer.name}" in the current '
                             f'model) was found to correspond to layer {name} in the save file. However the new layer '
                             f'{layer.name} expects'))
    values.batch_set_value(pairs)


def load_weights_by_name(group, layers):
    """Sets the variables of the layers that the file has.

    Raises:
      ValueError: if a layer does not fit.
    """
    by_name = {}
    for layer in layers:
        by_name.setdefault(layer.name, []).append(layer)
    pairs = []
    for name in read_attribute(group, 'layer_names'):
        for layer in by_name.get(name, ()):
            pairs.extend(_paired(layer, _arrays(group[name]), f'Layer (named "{layer.name}") expects'))
    values.batch_set_value(pairs)


def _paired(layer, arrays, told):
    variables = legacy_weights(layer)
    if len(arrays) != len(variables):
        raise ValueError(f'{told} {len(variables)} weights, but the saved weights have {len(arrays)} elements.')
    for variable, array in zip(variables, arrays):
        if tuple(variable.shape.as_list()) != array.shape:
            raise ValueError(f'{told} weight "{variable.name}" with shape {tuple(variable.shape.as_list())}, but the '
                             f'saved weight has shape {array.shape}.')
    return list(zip(variables, arrays))


def save_optimizer(file, optimizer):
    """Stores the variables of an optimizer."""
    if optimizer.weights:
        _write_arrays(file.create_group('optimizer_weights'), optimizer.weights)


def optimizer_weights(file):
    """Returns the arrays of save_optimizer."""
    return _arrays(file['optimizer_weights'])


def json_default(value):
    """Converts the values of configurations that JSON lacks."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, 'as_list'):
        return value.as_list()
    if hasattr(value, 'name'):
        return value.name
    if hasattr(value, '__name__'):
        return value.__name__
    raise TypeError(f'Not JSON Serializable: {value}')


def to_json(config, **kwargs):
    """Returns a configuration as a string."""
    return json.dumps(config, default=json_default, **kwargs)
