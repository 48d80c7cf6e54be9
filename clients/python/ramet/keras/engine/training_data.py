"""Turns the arrays that a program passes to a model into one array per input, output and weight."""

import numpy as np


def as_arrays(data, names, shapes=None, what='input', expand=True):
    """Returns a list with one array per name.

    Args:
      data: an array, a list of arrays, a dict from names to arrays, or None.
      names: the names of the inputs or outputs.
      shapes: the expected shape of each with the batch, or None for any.
      what: a word for the data in errors.
      expand: whether an array of rank 1 gets a second axis.

    Raises:
      ValueError: if the number of arrays or a shape is wrong.
    """
    if not names:
        if data is not None and not (hasattr(data, '__len__') and not len(data)):
            raise ValueError(f'Error when checking model {what}: expected no data, but got: {data}')
        return []
    if data is None:
        return [None] * len(names)
    values = [_array(value) for value in _listed(data, names, what)]
    if len(values) != len(names):
        raise ValueError(_count_message(values, names, what))
    if expand:
        values = [np.expand_dims(v, -1) if v is not None and v.ndim == 1 and not _is_vector(shapes, i) else v
                  for i, v in enumerate(values)]
    for name, value, shape in zip(names, values, shapes or [None] * len(names)):
        if value is not None and shape is not None:
            _check_shape(value.shape, shape, name, what)
    return values


def _is_vector(shapes, index):
    return shapes is not None and shapes[index] is not None and len(shapes[index]) == 1


def _listed(data, names, what):
    if isinstance(data, dict):
        try:
            return [data[name] for name in names]
        except KeyError as error:
            raise ValueError(f'No data provided for "{error.args[0]}". Need data for each key in: {names}') from None
    if not isinstance(data, (list, tuple)):
        return [data]
    if not data:
        return []
    if len(names) == 1 and isinstance(data[0], (int, float)):
        return [data]
    if isinstance(data[0], (list, tuple)):
        return [np.asarray(d) for d in data] if len(names) > 1 or len(data) == 1 else [np.asarray(data)]
    return list(data)


def _array(value):
    if value is None:
        return None
    if hasattr(value, 'values') and not callable(value.values):  # a DataFrame or Series of pandas
        return np.asarray(value.values)
    return np.asarray(value)


def _count_message(values, names, what):
    if values and hasattr(values[0], 'shape') and len(names) > 1 or len(values) > 1:
        return (f'Error when checking model {what}: the list of Numpy arrays that you are passing to your model is not '
                f'the size the model expected. Expected to see {len(names)} array(s), but instead got the following '
                f'list of {len(values)} arrays: {str(values)[:200]}...')
    return (f'Error when checking model {what}: you are passing a list as input to your model, but the model expects '
            f'a list of {len(names)} Numpy arrays instead. The list you passed was: {str(values)[:200]}')


def _check_shape(found, expected, name, what):
    if len(found) != len(expected):
        raise ValueError(f'Error when checking {what}: expected {name} to have {len(expected)} dimensions, but got '
                         f'array with shape {tuple(found)}')
    for size, wanted in zip(found[1:], expected[1:]):
        if wanted is not None and size != wanted:
            raise ValueError(f'Error when checking {what}: expected {name} to have shape {tuple(expected[1:])} but got '
                             f'array with shape {tuple(found[1:])}')


def check_lengths(inputs, targets, weights):
    """Checks that all arrays have the same number of samples.

    Raises:
      ValueError: if they do not.
    """
    sets = [sorted({v.shape[0] for v in values if v is not None}) for values in (inputs, targets, weights)]
    for found, what in zip(sets, ('input arrays (x)', 'target arrays (y)', 'sample_weight arrays')):
        if len(found) > 1:
            raise ValueError(f'All {what} should have the same number of samples. Got array shapes: {found}')
    if sets[0] and sets[1] and sets[0][0] != sets[1][0]:
        raise ValueError('Input arrays should have the same number of samples as target arrays. Found '
                         f'{sets[0][0]} input samples and {sets[1][0]} target samples.')
    if sets[1] and sets[2] and sets[1][0] != sets[2][0]:
        raise ValueError('Sample_weight arrays should have the same number of samples as target arrays. Got '
                         f'{sets[2][0]} input samples and {sets[1][0]} target samples.')


def by_output(values, names, what):
    """Returns a list with one value per output for a value, list or dict of class weights or sample weights.

    Raises:
      ValueError: if the number is wrong.
      TypeError: if it is something else.
    """
    if values is None or (isinstance(values, (list, dict)) and not len(values)):
        return [None] * len(names)
    if len(names) == 1:
        if isinstance(values, (list, tuple)) and len(values) == 1:
            return list(values)
        return [values[names[0]]] if isinstance(values, dict) and names[0] in values else [values]
    if isinstance(values, (list, tuple)):
        if len(values) != len(names):
            raise ValueError(f'Provided `{what}` was a list of {len(values)} elements, but the model has {len(names)} '
                             f'outputs. You should provide one `{what}`array per model output.')
        return list(values)
    if isinstance(values, dict):
        return [values.get(name) for name in names]
    raise TypeError(f'The model has multiple outputs, so `{what}` should be either a list or a dict. Provided '
                    f'`{what}` type not understood: {values}')


def sample_weights(y, weight, class_weight, mode):
    """Returns the weights of samples, or None.

    Args:
      y: the true values.
      weight: the weights of samples, or None.
      class_weight: a dict from classes to weights, or None.
      mode: 'temporal' if each time step has a weight, or None.

    Raises:
      ValueError: if an argument does not fit the true values.
    """
    if weight is not None:
        weight = np.asarray(weight)
        if mode != 'temporal' and weight.ndim != 1:
            raise ValueError(f'Found a sample_weight with shape {weight.shape}. In order to use timestep-wise sample '
                             'weights, you should specify sample_weight_mode="temporal" in compile(). If you just mean '
                             'to use sample-wise weights, make sure your sample_weight array is 1D.')
        if mode == 'temporal' and weight.ndim != 2:
            raise ValueError(f'Found a sample_weight array with shape {weight.shape}. In order to use timestep-wise '
                             'sample weighting, you should pass a 2D sample_weight array.')
    if not isinstance(class_weight, dict):
        return weight
    if y.ndim > 2:
        raise ValueError('`class_weight` not supported for 3+ dimensional targets.')
    found = _class_weights(y, class_weight)
    return found if weight is None else found * weight


def _class_weights(y, class_weight):
    classes = y
    if y.ndim == 2:
        classes = np.argmax(y, axis=1) if y.shape[1] > 1 else np.reshape(y, y.shape[0])
    known = [class_weight[c] for c in classes if c in class_weight]
    if len(known) != len(classes):
        missing = set(classes.tolist()) - set(class_weight)
        raise ValueError('`class_weight` must contain all classes in the data. The classes '
                         f'{missing} exist in the data but not in `class_weight`.')
    return np.asarray(known)


def split(arrays, fraction):
    """Splits each array: the last part is for validation.

    Raises:
      ValueError: if the fraction is out of range, or a part would be empty.
    """
    if not 0. < fraction < 1.:
        raise ValueError('`validation_split` must be a float between 0 and 1 (exclusive). Received: '
                         f'{fraction}')
    count = next(a.shape[0] for a in arrays if a is not None)
    at = int(count * (1. - fraction))
    if at == 0 or at == count:
        raise ValueError(f'Training data contains {count} samples, which is not sufficient to split it into a '
                         f'validation and training set as specified by `validation_split={fraction}`. Either provide '
                         'more data, or a different value for the `validation_split` argument.')
    return [None if a is None else a[:at] for a in arrays], [None if a is None else a[at:] for a in arrays]
