"""Transformations that group elements by keys."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.data import structure
from ramet.data.states import stateful_function
from ramet.data.structure import DatasetSpec
from ramet.data.structured_function import StructuredFunction
from ramet.framework import constant_op, dtypes, ops, tensor_shape, type_spec

_KEY = type_spec.TensorSpec([], dtypes.int64)


def _key_function(func, transformation, spec, name):
    """Returns the StructuredFunction of a function that must return a scalar int64."""
    f = StructuredFunction(func, transformation, spec,
                           lambda value: ops.convert_to_tensor(value, dtype=dtypes.int64))
    if structure.is_nested(f.output_spec) or not _KEY.is_compatible_with(f.output_spec):
        raise ValueError(f'Invalid `{name}`. `{name}` must return a single `tf.int64` scalar tensor '
                         f'but its return type is {f.output_spec}.')
    return f


@export('data.experimental.group_by_window', 'contrib.data.group_by_window')
def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    """Returns a transformation that collects elements by key and makes a dataset of each full window.

    Args:
      key_func: a function from an element to a scalar int64 key.
      reduce_func: a function (key, Dataset of elements) -> Dataset.
      window_size: how many elements a window has.
      window_size_func: a function from a key to the size, instead of window_size.

    Returns:
      A function from a Dataset to a Dataset.

    Raises:
      ValueError: if neither or both of window_size and window_size_func are given, or a function
        does not return a scalar int64.
      TypeError: when it is applied, if reduce_func does not return a Dataset.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError('Must pass either window_size or window_size_func, but not both.')
    if window_size_func is None:
        def window_size_func(unused_key):
            return ops.convert_to_tensor(window_size, dtype=dtypes.int64)

    def apply(dataset):
        what = 'Dataset.group_by_window()'
        key = _key_function(key_func, what, dataset.element_spec, 'key_func')
        reduce = StructuredFunction(reduce_func, what, (_KEY, DatasetSpec(dataset.element_spec)))
        if not isinstance(reduce.output_spec, DatasetSpec):
            raise TypeError('Invalid `reduce_func`. `reduce_func` must return a single '
                            '`tf.data.Dataset` object but its return type is '
                            f'{reduce.output_spec}.')
        size = _key_function(window_size_func, what, _KEY, 'window_size_func')
        return dataset._transform(
            gen.GroupByWindowDataset, reduce.output_spec.element_spec,
            key_func_other_arguments=key.captured_inputs,
            reduce_func_other_arguments=reduce.captured_inputs,
            window_size_func_other_arguments=size.captured_inputs, key_func=key.name,
            reduce_func=reduce.name, window_size_func=size.name)

    return apply


@export('data.experimental.Reducer', 'contrib.data.Reducer')
class Reducer:
    """How group_by_reducer reduces the elements of a key."""

    def __init__(self, init_func, reduce_func, finalize_func):
        """Creates a reducer.

        Args:
          init_func: a function from a key to the first state.
          reduce_func: a function (state, element) -> state.
          finalize_func: a function from the last state to the result.
        """
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


@export('data.experimental.group_by_reducer', 'contrib.data.group_by_reducer')
def group_by_reducer(key_func, reducer):
    """Returns a transformation that makes one element of all elements with the same key.

    Args:
      key_func: a function from an element to a scalar int64 key.
      reducer: a Reducer.

    Returns:
      A function from a Dataset to a Dataset.

    Raises:
      ValueError: when it is applied, if key_func does not return a scalar int64.
      TypeError: when it is applied, if reduce_func changes the structure or the dtypes of the state.
    """
    def apply(dataset):
        what = 'tf.data.experimental.group_by_reducer()'
        key = _key_function(key_func, what, dataset.element_spec, 'key_func')
        init = StructuredFunction(reducer.init_func, what, _KEY)
        reduce, state_spec = stateful_function(
            reducer.reduce_func, what, init.output_spec, dataset.element_spec)
        finalize = StructuredFunction(reducer.finalize_func, what, state_spec)
        return dataset._transform(
            gen.ExperimentalGroupByReducerDataset, finalize.output_spec,
            key_func_other_arguments=key.captured_inputs,
            init_func_other_arguments=init.captured_inputs,
            reduce_func_other_arguments=reduce.captured_inputs,
            finalize_func_other_arguments=finalize.captured_inputs, key_func=key.name,
            init_func=init.name, reduce_func=reduce.name, finalize_func=finalize.name)

    return apply


def _padded_shapes(shapes, filler):
    def padded(shape):
        return [filler if size is None else size
                for size in tensor_shape.TensorShape(shape).as_list()]

    return structure.map_structure(padded, shapes)


@export('data.experimental.bucket_by_sequence_length', 'contrib.data.bucket_by_sequence_length')
def bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes,
                              padded_shapes=None, padding_values=None,
                              pad_to_bucket_boundary=False, no_padding=False,
                              drop_remainder=False):
    """Returns a transformation that makes padded batches of elements with similar lengths.

    Args:
      element_length_func: a function from an element to its length, a scalar int32.
      bucket_boundaries: the lengths that divide the buckets, as a list of int.
      bucket_batch_sizes: the size of batches of each bucket, one more than boundaries.
      padded_shapes: the structure of shapes to pad to, or None for those of the dataset.
      padding_values: the structure of scalars to pad with.
      pad_to_bucket_boundary: True pads to the upper boundary of the bucket, not the longest element.
      no_padding: True makes batches without padding.
      drop_remainder: True drops the last batches if they are smaller.

    Returns:
      A function from a Dataset to a Dataset.

    Raises:
      ValueError: if the number of batch sizes is not that of the boundaries plus one.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError('`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but '
                         f'`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and '
                         f'`len(bucket_boundaries)={len(bucket_boundaries)}`.')
    sizes = constant_op.constant(bucket_batch_sizes, dtype=dtypes.int64)

    def bucket_of(*element):
        length = element_length_func(*element)
        limits = np.iinfo(np.int32)
        least = [limits.min, *bucket_boundaries]
        most = [*bucket_boundaries, limits.max]
        inside = gen.LogicalAnd(gen.LessEqual(least, length), gen.Less(length, most))
        return gen.Min(gen.Where(inside), [0, 1])

    def batches(bucket, window):
        size = gen.GatherV2(sizes, bucket, 0)
        if no_padding:
            return window.batch(size, drop_remainder=drop_remainder)
        filler = None
        if pad_to_bucket_boundary:
            with ops.control_dependencies([gen.Assert(
                    gen.Less(bucket, np.int64(len(bucket_batch_sizes) - 1)),
                    ['When pad_to_bucket_boundary=True, elements must have length < '
                     'max(bucket_boundaries).'])]):
                boundaries = constant_op.constant(bucket_boundaries, dtype=dtypes.int64)
                filler = gen.Sub(gen.GatherV2(boundaries, bucket, 0), np.int64(1))
        shapes = _padded_shapes(padded_shapes or window.output_shapes, filler)
        return window.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

    return group_by_window(bucket_of, batches,
                           window_size_func=lambda bucket: gen.GatherV2(sizes, bucket, 0))
