"""numpy_input_fn and pandas_input_fn: batches of arrays in memory, through a queue."""

import collections

import numpy as np

from ramet.api import export
from ramet.estimator.inputs.feeding import enqueue_data

_TARGET_KEY = '__target_key__'


def _free_key(features):
    key = _TARGET_KEY
    while key in features:
        key += '_n'
    return key


def _checked_y(x, y):
    if isinstance(y, dict) and not y:
        raise ValueError('y cannot be empty dict, use None instead.')
    if isinstance(y, dict):
        shared = set(x if isinstance(x, dict) else ()) & set(y)
        if shared:
            raise ValueError(f'{len(shared)} duplicate keys are found in both x and y: {shared}')


def _joined(x, y):
    """Returns (an OrderedDict of the arrays of x and y, the key of a single y or None)."""
    ordered = collections.OrderedDict(sorted(x.items(), key=lambda item: item[0])) if isinstance(x, dict) else (
        collections.OrderedDict({'__direct_np_input__': x}))
    key = None
    if isinstance(y, dict):
        ordered.update(sorted(y.items(), key=lambda item: item[0]))
    elif y is not None:
        key = _free_key(ordered)
        ordered[key] = y
    sizes = {name: array.shape[0] for name, array in ordered.items()}
    if len(set(sizes.values())) != 1:
        raise ValueError('Length of tensors in x and y is mismatched. All elements in x and y must have the same '
                         f'length. Shapes in x and y: {({name: a.shape for name, a in ordered.items()})}')
    return ordered, key


def _check(x, shuffle):
    if not isinstance(shuffle, bool):
        raise ValueError("'shuffle' must be provided and explicitly set as boolean "
                         f'(it is recommended to set it as True for training); got {shuffle}')
    if isinstance(x, dict) and not x:
        raise ValueError('x cannot be an empty dict')
    if not isinstance(x, (dict, np.ndarray)):
        raise TypeError(f'x must be a dict or array; got {type(x).__name__}')


@export('estimator.inputs.numpy_input_fn', 'contrib.learn.io.numpy_input_fn')
def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1):
    """Returns an input function for arrays.

    Args:
      x: a dict from names to arrays, or an array.
      y: an array, a dict from names to arrays, or None.
      batch_size: int, the number of rows of a batch.
      num_epochs: int, how often the arrays are read, or None for no end.
      shuffle: bool, whether to shuffle the rows. It must be given.
      queue_capacity: int, the number of rows that the queue holds.
      num_threads: int, the number of threads that fill the queue. With one, the order of the rows is deterministic.

    Returns:
      A function without arguments that returns (features, labels), or features if y is None.

    Raises:
      ValueError: if shuffle is not a bool, or the arrays have different lengths (when the function is called).
      TypeError: if x is neither a dict nor an array.
    """
    _check(x, shuffle)

    def input_fn():
        given = {name: np.asarray(v) for name, v in x.items()} if isinstance(x, dict) else x
        _checked_y(given, y)
        ordered, key = _joined(given, y)
        queue = enqueue_data(ordered, queue_capacity, shuffle=shuffle, num_threads=num_threads,
                             enqueue_size=batch_size, num_epochs=num_epochs)
        batch = queue.dequeue_many(batch_size) if num_epochs is None else queue.dequeue_up_to(batch_size)
        batch = batch[1:] if isinstance(batch, (list, tuple)) else batch
        values = dict(zip(ordered, batch))
        features = {name: values[name] for name in given} if isinstance(given, dict) else values['__direct_np_input__']
        if y is None:
            return features
        return features, {name: values[name] for name in y} if key is None else values[key]

    return input_fn


@export('estimator.inputs.pandas_input_fn', 'contrib.learn.io.pandas_input_fn')
def pandas_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1,
                    target_column='target'):
    """Returns an input function for a DataFrame of pandas.

    Args:
      x: a DataFrame.
      y: a Series or DataFrame with the same index, or None.
      batch_size: int, the number of rows of a batch.
      num_epochs: int, how often the rows are read, or None for no end.
      shuffle: bool, whether to shuffle the rows. It must be given.
      queue_capacity: int, the number of rows that the queue holds.
      num_threads: int, the number of threads that fill the queue.
      target_column: str, the name of y among the columns of x.

    Returns:
      A function without arguments that returns (features, labels), or features if y is None.

    Raises:
      ValueError: if shuffle is not a bool, a column of x has the name target_column, or the indices differ.
      TypeError: if x is not a DataFrame.
    """
    if not (hasattr(x, 'columns') and hasattr(x, 'index')):
        raise TypeError(f'x must be a pandas DataFrame; got {type(x).__name__}')
    if not isinstance(shuffle, bool):
        raise ValueError("'shuffle' must be provided and explicitly set as boolean "
                         f'(it is recommended to set it as True for training); got {shuffle}')
    names = list(x.columns)
    if y is not None:
        if target_column in names:
            raise ValueError(f'Cannot use name {target_column} for target column: DataFrame already has a column with '
                             f'that name: {names}')
        if not np.array_equal(x.index, y.index):
            raise ValueError('Index for x and y are mismatched.')
    labels = _label_arrays(y)
    features = {name: np.asarray(x[name]) for name in names}
    return numpy_input_fn(features, labels, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def _label_arrays(y):
    if y is None:
        return None
    if hasattr(y, 'columns'):
        return {name: np.asarray(y[name]) for name in y.columns}
    return np.asarray(y)
