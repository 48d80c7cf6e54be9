"""Steps that the datasets of whole sets of files share: make_csv_dataset and make_batched_features_dataset."""

from ramet import gen
from ramet.data import arguments
from ramet.data.arguments import AUTOTUNE, int64
from ramet.data.dataset import dataset_function
from ramet.data.structured_function import StructuredFunction


def interleaved(dataset, make_dataset, count, sloppy):
    """Returns a dataset of the elements of the datasets of files, from `count` files in turn.

    Args:
      dataset: a Dataset of names of files.
      make_dataset: a function from a name to a Dataset.
      count: how many files to read at a time, or AUTOTUNE.
      sloppy: whether the order may change; it is always kept.
    """
    if count == AUTOTUNE:
        return dataset.interleave(make_dataset, num_parallel_calls=count)
    f = dataset_function(make_dataset, 'tf.data.experimental.parallel_interleave()', dataset.element_spec)
    return dataset._transform(
        gen.LegacyParallelInterleaveDatasetV2, f.output_spec.element_spec, f=f.name,
        other_arguments=f.captured_inputs, cycle_length=int64(count, 'cycle_length'),
        block_length=int64(1, 'block_length'), buffer_output_elements=int64(2, 'buffer_output_elements'),
        prefetch_input_elements=int64(2 * count, 'prefetch_input_elements'),
        deterministic=arguments.deterministic(None if sloppy is None else not sloppy))


def shuffled_and_repeated(dataset, num_epochs, shuffle, buffer_size, seed):
    """Returns a dataset of shuffled elements, several times over; None means without an end."""
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


def renamed(dataset, func):
    """Returns dataset.map(func) for a function that only arranges components, so that the cardinality is known."""
    f = StructuredFunction(func, 'Dataset.map()', dataset.element_spec)
    return dataset._transform(gen.MapDataset, f.output_spec, f=f.name, other_arguments=f.captured_inputs,
                              use_inter_op_parallelism=False, preserve_cardinality=True)


def mapped(dataset, func, num_parallel_calls):
    """Returns dataset.map(func, num_parallel_calls) for a function that never ends the dataset."""
    f = StructuredFunction(func, 'Dataset.map()', dataset.element_spec)
    return dataset._transform(
        gen.ParallelMapDatasetV2, f.output_spec, f=f.name, other_arguments=f.captured_inputs,
        num_parallel_calls=int64(num_parallel_calls, 'num_parallel_calls'), preserve_cardinality=True)
