"""Spellings of tf.contrib.data that have no other name, and older forms of transformations."""

import numpy as np

from ramet.api import export
from ramet.data.dataset import Dataset
from ramet.data.experimental import get_single_element, map_and_batch, parallel_interleave
from ramet.data.grouping import group_by_reducer
from ramet.data.structured_function import unpacks
from ramet.docstrings import with_args_of
from ramet.framework.sparse_tensor import SparseTensorSpec
from ramet.framework.type_spec import TensorSpec


@export('data.experimental.map_and_batch_with_legacy_function')
@with_args_of(map_and_batch)
def map_and_batch_with_legacy_function(map_func, batch_size, num_parallel_batches=None, drop_remainder=False,
                                       num_parallel_calls=None):
    """Returns the same transformation as map_and_batch."""
    return map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)


@export('contrib.data.sloppy_interleave')
def sloppy_interleave(map_func, cycle_length, block_length=1):
    """Returns a transformation that reads several datasets at a time on threads, in turn.

    Args:
      map_func: a function from an element to a Dataset.
      cycle_length: how many datasets take turns.
      block_length: how many elements are taken at a time.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


@export('contrib.data.sliding_window_batch')
def sliding_window_batch(window_size, stride=None, window_shift=None, window_stride=1):
    """Returns a transformation that makes batches of the elements in a window that moves over the dataset.

    Args:
      window_size: how many elements a window has. Smaller windows at the end are left out.
      stride: how far windows are apart, an older name of window_shift.
      window_shift: how far windows are apart; None means 1.
      window_stride: how far the elements of a window are apart.

    Returns:
      A function from a Dataset to a Dataset.

    Raises:
      ValueError: if both stride and window_shift are given.
    """
    if stride and window_shift:
        raise ValueError('Cannot specify both `stride` and `window_shift`')

    def apply(dataset):
        def batch(*window):
            datasets = window if unpacks(dataset.element_spec) else window[0]
            return Dataset.zip(datasets).batch(window_size, drop_remainder=True)

        windows = dataset.window(window_size, stride or window_shift or 1, window_stride, drop_remainder=True)
        return windows.flat_map(batch)

    return apply


@export('contrib.data.reduce_dataset')
def reduce_dataset(dataset, reducer):
    """Returns the result of a Reducer for all elements of a dataset.

    Args:
      dataset: a Dataset.
      reducer: a Reducer. Without elements, the result is that of its first state for key 0.

    Returns:
      The structure of Tensors.

    Raises:
      TypeError: if dataset is not a Dataset.
    """
    if not isinstance(dataset, Dataset):
        raise TypeError('`dataset` must be a `tf.data.Dataset` object.')
    without_elements = Dataset.from_tensors(reducer.finalize_func(reducer.init_func(np.int64(0))))
    reduced = dataset.apply(group_by_reducer(lambda *_: np.int64(0), reducer))
    return get_single_element(reduced.concatenate(without_elements).take(1))


@export('data.experimental.TensorStructure')
def tensor_structure(dtype, shape):
    """Returns the spec of Tensors.

    Args:
      dtype: their DType.
      shape: their shape.
    """
    return TensorSpec(shape, dtype)


@export('data.experimental.SparseTensorStructure')
def sparse_tensor_structure(dtype, shape):
    """Returns the spec of SparseTensors.

    Args:
      dtype: the DType of their values.
      shape: their dense shape.
    """
    return SparseTensorSpec(shape, dtype)
