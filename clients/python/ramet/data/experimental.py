"""tf.data.experimental and tf.contrib.data: transformations for Dataset.apply, and functions of datasets."""

from ramet import gen
from ramet.api import export, export_value
from ramet.data import arguments, padding, selection, structure
from ramet.data.arguments import AUTOTUNE, boolean, int64
from ramet.data.dataset import Dataset, dataset_function
from ramet.data.structured_function import StructuredFunction
from ramet.framework import dtypes, ops

export_value('data.AUTOTUNE', AUTOTUNE)
export_value('data.experimental.AUTOTUNE', AUTOTUNE)
export_value('data.INFINITE_CARDINALITY', -1)
export_value('data.experimental.INFINITE_CARDINALITY', -1)
export_value('data.UNKNOWN_CARDINALITY', -2)
export_value('data.experimental.UNKNOWN_CARDINALITY', -2)


@export('data.experimental.map_and_batch', 'contrib.data.map_and_batch')
def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False,
                  num_parallel_calls=None):
    """Returns a transformation that maps elements in parallel and batches the results.

    Args:
      map_func: a function of an element.
      batch_size: how many elements a batch has.
      num_parallel_batches: how many batches to make at a time, instead of num_parallel_calls.
      drop_remainder: True drops the last batch if it is smaller.
      num_parallel_calls: how many calls to make at a time.

    Returns:
      A function from a Dataset to a Dataset.

    Raises:
      ValueError: if both num_parallel_batches and num_parallel_calls are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError('`map_and_batch` allows only one of `num_parallel_batches` and '
                         '`num_parallel_calls` to be set, but both were set.')
    if num_parallel_calls is None:
        num_parallel_calls = batch_size * (num_parallel_batches or 1)

    def apply(dataset):
        f = StructuredFunction(map_func, 'tf.data.experimental.map_and_batch()',
                               dataset.element_spec)
        size = int64(batch_size, 'batch_size')
        calls = int64(num_parallel_calls, 'num_parallel_calls')
        drop = boolean(drop_remainder, 'drop_remainder')
        spec = structure.batched(f.output_spec, padding.static_size(size, drop))
        return dataset._transform(
            gen.MapAndBatchDataset, spec, f=f.name, other_arguments=f.captured_inputs,
            batch_size=size, num_parallel_calls=calls, drop_remainder=drop,
            preserve_cardinality=True)

    return apply


@export('data.experimental.shuffle_and_repeat', 'contrib.data.shuffle_and_repeat')
def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """Returns a transformation that shuffles and repeats a dataset, in a new order each time.

    Args:
      buffer_size: how many elements the iterator holds.
      count: how many times; None or -1 means without an end.
      seed: int or None.

    Returns:
      A function from a Dataset to a Dataset.
    """
    def apply(dataset):
        size = int64(buffer_size, 'buffer_size')
        times = int64(-1 if count is None else count, 'count')
        first, second = arguments.seeds(seed)
        return dataset._transform(gen.ShuffleAndRepeatDataset, buffer_size=size, count=times,
                                  seed=first, seed2=second)

    return apply


@export('data.experimental.parallel_interleave', 'contrib.data.parallel_interleave')
def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False,
                        buffer_output_elements=None, prefetch_input_elements=None):
    """Returns a transformation that reads several datasets at a time on threads, in turn.

    Args:
      map_func: a function from an element to a Dataset.
      cycle_length: how many datasets take turns.
      block_length: how many elements are taken at a time.
      sloppy: bool or None; the order is always kept.
      buffer_output_elements: how many elements are read ahead of each dataset.
      prefetch_input_elements: how many datasets TensorFlow opens ahead.

    Returns:
      A function from a Dataset to a Dataset.

    Raises:
      TypeError: when it is applied, if map_func does not return a Dataset.
    """
    def apply(dataset):
        f = dataset_function(map_func, 'tf.data.experimental.parallel_interleave()',
                             dataset.element_spec)
        return dataset._transform(
            gen.LegacyParallelInterleaveDatasetV2, f.output_spec.element_spec, f=f.name,
            other_arguments=f.captured_inputs, cycle_length=int64(cycle_length, 'cycle_length'),
            block_length=int64(block_length, 'block_length'),
            buffer_output_elements=int64(
                2 * block_length if buffer_output_elements is None else buffer_output_elements,
                'buffer_output_elements'),
            prefetch_input_elements=int64(
                2 * cycle_length if prefetch_input_elements is None else prefetch_input_elements,
                'prefetch_input_elements'),
            deterministic=arguments.deterministic(None if sloppy is None else not sloppy))

    return apply


@export('data.experimental.ignore_errors', 'contrib.data.ignore_errors')
def ignore_errors(log_warning=False):
    """Returns a transformation that leaves out the elements that fail.

    Args:
      log_warning: whether TensorFlow logs each error.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset._transform(gen.IgnoreErrorsDataset, log_warning=log_warning)


@export('data.experimental.unbatch', 'contrib.data.unbatch')
def unbatch():
    """Returns a transformation that splits elements into their rows.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset.unbatch()


@export('data.experimental.enumerate_dataset', 'contrib.data.enumerate_dataset')
def enumerate_dataset(start=0):
    """Returns a transformation that makes pairs (number, element).

    Args:
      start: the first number.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset.enumerate(start)


@export('data.experimental.unique', 'contrib.data.unique')
def unique():
    """Returns a transformation that leaves out repeated elements.

    Returns:
      A function from a Dataset to a Dataset.

    Raises:
      TypeError: when it is applied, if the elements are not int32, int64 or strings.
    """
    def apply(dataset):
        for dtype in structure.flatten(dataset.output_types):
            if dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
                raise TypeError(f'`tf.data.Dataset.unique` does not support type {dtype} -- only '
                                '`tf.int32`, `tf.int64`, and `tf.string` are supported.')
        return dataset._transform(gen.UniqueDataset)

    return apply


@export('data.experimental.scan', 'contrib.data.scan')
def scan(initial_state, scan_func):
    """Returns a transformation that carries a state from element to element.

    Args:
      initial_state: the structure of values of the first state.
      scan_func: a function (state, element) -> (state, output).

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


@export('data.experimental.take_while')
def take_while(predicate):
    """Returns a transformation that ends at the first element for which a function is false.

    Args:
      predicate: a function from an element to a scalar bool Tensor.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset.take_while(predicate)


@export('contrib.data.batch_and_drop_remainder')
def batch_and_drop_remainder(batch_size):
    """Returns a transformation that makes batches of exactly batch_size elements.

    Args:
      batch_size: int.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


@export('contrib.data.padded_batch_and_drop_remainder')
def padded_batch_and_drop_remainder(batch_size, padded_shapes, padding_values=None):
    """Returns a transformation that makes padded batches of exactly batch_size elements.

    Args:
      batch_size: int.
      padded_shapes: the structure of shapes.
      padding_values: the structure of scalars to pad with.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True)


@export('data.experimental.Counter', 'contrib.data.Counter')
def counter(start=0, step=1, dtype=dtypes.int64):
    """Returns a dataset of numbers without an end.

    Args:
      start: the first number.
      step: the distance of numbers.
      dtype: the dtype of the numbers.
    """
    with ops.name_scope('counter'):
        start = ops.convert_to_tensor(start, dtype=dtype, name='start')
        step = ops.convert_to_tensor(step, dtype=dtype, name='step')
        return Dataset.from_tensors(0).repeat(None).scan(
            start, lambda state, _: (gen.AddV2(state, step), state))


@export('data.experimental.RandomDataset', 'contrib.data.RandomDataset')
class RandomDataset(Dataset):
    """A dataset of random int64 numbers, without an end."""

    def __init__(self, seed=None):
        """Creates the dataset.

        Args:
          seed: int or None. For the same seeds, the numbers are those of TensorFlow.
        """
        made = selection.random_numbers(seed)
        super().__init__(made._variant_tensor, made.element_spec)


@export('data.experimental.get_single_element', 'contrib.data.get_single_element')
def get_single_element(dataset):
    """Returns the only element of a dataset.

    Args:
      dataset: a Dataset.

    Returns:
      The structure of Tensors.

    Raises:
      TypeError: if dataset is not a Dataset.
      InvalidArgumentError: when it runs, if the dataset has no element, or several.
    """
    if not isinstance(dataset, Dataset):
        raise TypeError(f'Invalid `dataset`. Expected a `tf.data.Dataset` object but got '
                        f'{type(dataset)}.')
    flat = gen.DatasetToSingleElement(dataset._variant_tensor,
                                      **structure.attrs(dataset.element_spec))
    return structure.from_tensors(dataset.element_spec, flat)


@export('data.experimental.cardinality')
def cardinality(dataset):
    """Returns dataset.cardinality().

    Args:
      dataset: a Dataset.
    """
    return dataset.cardinality()


@export('data.experimental.assert_cardinality')
def assert_cardinality(expected_cardinality):
    """Returns a transformation that fails unless a dataset has this number of elements.

    Args:
      expected_cardinality: int; -1 means without an end.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset._transform(
        gen.AssertCardinalityDataset, cardinality=int64(expected_cardinality, 'cardinality'))


@export('data.experimental.to_variant')
def to_variant(dataset):
    """Returns the scalar variant Tensor that holds a dataset.

    Args:
      dataset: a Dataset.
    """
    return dataset._variant_tensor


@export('data.experimental.from_variant')
def from_variant(variant, structure):
    """Returns the dataset that a tensor holds.

    Args:
      variant: a scalar variant Tensor.
      structure: the structure of TensorSpecs of the elements.
    """
    return Dataset(variant, structure)


@export('data.experimental.prefetch_to_device', 'contrib.data.prefetch_to_device')
def prefetch_to_device(device, buffer_size=None):
    """Returns a transformation that reads elements ahead on a thread. They stay in host memory.

    Args:
      device: ignored.
      buffer_size: how many; None lets the iterator choose.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset.prefetch(buffer_size)


@export('data.experimental.copy_to_device', 'contrib.data.copy_to_device')
def copy_to_device(target_device, source_device='/cpu:0'):
    """Returns a transformation that changes nothing: elements stay in host memory, from which steps copy them.

    Args:
      target_device: ignored.
      source_device: ignored.

    Returns:
      A function from a Dataset to a Dataset.
    """
    return lambda dataset: dataset


@export('contrib.data.assert_element_shape')
def assert_element_shape(expected_shapes):
    """Returns a transformation that sets the shapes of the components and checks them.

    Args:
      expected_shapes: the structure of shapes.

    Returns:
      A function from a Dataset to a Dataset.
    """
    def apply(dataset):
        def check(*element):
            value = element if type(dataset.element_spec) is tuple else element[0]
            flat = structure.flatten(value)
            for tensor, shape in zip(
                    flat, structure.flatten_up_to(dataset.element_spec, expected_shapes),
                    strict=True):
                tensor.set_shape(shape)
            return value

        return dataset.map(check)

    return apply

