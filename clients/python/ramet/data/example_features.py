"""Datasets of features of serialized tf.train.Example messages."""

from ramet import gen
from ramet.api import export
from ramet.data import arguments, reading, structure
from ramet.data.arguments import AUTOTUNE, int64
from ramet.data.dataset import Dataset
from ramet.data.readers import TFRecordDataset
from ramet.framework import dtypes, type_spec
from ramet.framework.sparse_tensor import SparseTensorSpec
from ramet.ops.parsing import parse_params
from ramet.ops.parsing.features import SparseFeature
from ramet.ops.queues.readers import ReaderBase

_BATCHES = type_spec.TensorSpec([None], dtypes.string)


def _check_input(dataset):
    spec = dataset.element_spec
    if structure.is_nested(spec) or not _BATCHES.is_compatible_with(spec):
        raise TypeError(f'Input dataset should be a dataset of vectors of strings. Instead it is `{spec}`.')


def _parsed(dataset, features, num_parallel_calls, deterministic):
    """Returns a dataset of dicts from the keys of a parse op to its outputs."""
    _check_input(dataset)
    params = parse_params.example_params(features)
    rows = dataset.element_spec.shape
    spec = {key: SparseTensorSpec(rows.concatenate([None]), dtype)
            for key, dtype in zip(params.sparse_keys, params.sparse_types, strict=True)}
    spec.update({key: type_spec.TensorSpec(rows.concatenate(shape), dtype) for key, dtype, shape in zip(
        params.dense_keys, params.dense_types, params.dense_shapes, strict=True)})
    variant = gen.ParseExampleDatasetV2(
        input_dataset=dataset._variant_tensor, num_parallel_calls=int64(num_parallel_calls, None),
        dense_defaults=params.default_tensors(), sparse_keys=params.sparse_keys, dense_keys=params.dense_keys,
        sparse_types=params.sparse_types, dense_shapes=params.dense_shapes,
        deterministic=arguments.deterministic(deterministic), **structure.attrs(spec))
    return Dataset(variant, spec)


@export('data.experimental.parse_example_dataset', 'contrib.data.parse_example_dataset')
def parse_example_dataset(features, num_parallel_calls=1, deterministic=None):
    """Returns a transformation that parses batches of serialized tf.train.Example messages.

    Args:
      features: a dict of FixedLenFeature, FixedLenSequenceFeature, VarLenFeature and SparseFeature by key.
      num_parallel_calls: how many batches to parse at a time.
      deterministic: bool or None; the order is always kept.

    Returns:
      A function from a Dataset of vectors of strings to a Dataset of dicts of Tensors and SparseTensors by key.

    Raises:
      ValueError: if features is None, or, when it is applied, if a feature is invalid.
      TypeError: when it is applied, if the elements are not vectors of strings.
    """
    if features is None:
        raise ValueError('Argument `features` is required, but not specified.')

    def apply(dataset):
        parsed = _parsed(dataset, features, num_parallel_calls, deterministic)
        if any(isinstance(feature, SparseFeature) for feature in features.values()):
            return reading.mapped(parsed, lambda tensors: parse_params.construct_sparse_features(features, tensors),
                                  num_parallel_calls)
        return parsed

    return apply


@export('data.experimental.make_batched_features_dataset', 'contrib.data.make_batched_features_dataset')
def make_batched_features_dataset(file_pattern, batch_size, features, reader=None, label_key=None, reader_args=None,
                                  num_epochs=None, shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None,
                                  prefetch_buffer_size=None, reader_num_threads=None, parser_num_threads=None,
                                  sloppy_ordering=False, drop_final_batch=False):
    """Returns a dataset of batches of the features of tf.train.Example messages in files, as dicts by key.

    Args:
      file_pattern: a shell pattern, or a list of them.
      batch_size: how many examples a batch has.
      features: a dict of FixedLenFeature, FixedLenSequenceFeature, VarLenFeature and SparseFeature by key.
      reader: a function from a name of a file and `reader_args` to a Dataset; TFRecordDataset by default.
      label_key: the key of the feature to return apart: elements are then pairs (dict, label). None means none.
      reader_args: more arguments of the reader.
      num_epochs: how many times to read the files; None means without an end.
      shuffle: whether to shuffle the files and the examples.
      shuffle_buffer_size: how many examples the iterator holds to shuffle them.
      shuffle_seed: int or None.
      prefetch_buffer_size: how many batches to read ahead; None lets the iterator choose.
      reader_num_threads: how many files to read at a time; None means 1.
      parser_num_threads: how many batches to parse at a time; None means 2.
      sloppy_ordering: bool; the order is always kept.
      drop_final_batch: True drops the last batch if it is smaller.

    Returns:
      A Dataset.

    Raises:
      TypeError: if reader is a class of tf.ReaderBase.
      ValueError: if label_key is not a key of features, or a feature is invalid.
    """
    reader = TFRecordDataset if reader is None else reader
    dataset = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    if isinstance(reader, type) and issubclass(reader, ReaderBase):
        raise TypeError('The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are not '
                        'supported. For example, pass `tf.data.TFRecordDataset` instead of `tf.TFRecordReader`.')
    reader_args = reader_args or []
    dataset = reading.interleaved(dataset, lambda filename: reader(filename, *reader_args),
                                  1 if reader_num_threads is None else reader_num_threads, sloppy_ordering)
    if dataset.output_types == (dtypes.string, dtypes.string):
        dataset = reading.renamed(dataset, lambda _, value: value)
    dataset = reading.shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(
        features, num_parallel_calls=2 if parser_num_threads is None else parser_num_threads))
    if label_key:
        if label_key not in features:
            raise ValueError(f'The `label_key` provided ({label_key}) must be one of the `features` keys: '
                             f'{features.keys()}.')
        dataset = dataset.map(lambda tensors: (tensors, tensors.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


@export('contrib.data.read_batch_features')
def read_batch_features(file_pattern, batch_size, features, reader=TFRecordDataset, reader_args=None,
                        randomize_input=True, num_epochs=None, capacity=10000):
    """Returns the next batch of make_batched_features_dataset, a dict of Tensors and SparseTensors by key.

    Args:
      file_pattern: a shell pattern, or a list of them.
      batch_size: how many examples a batch has.
      features: a dict of descriptions of features by key.
      reader: a function from a name of a file and `reader_args` to a Dataset.
      reader_args: more arguments of the reader.
      randomize_input: whether to shuffle the files and the examples.
      num_epochs: how many times to read the files; None means without an end.
      capacity: how many examples the iterator holds to shuffle them.
    """
    dataset = make_batched_features_dataset(
        file_pattern, batch_size, features, reader=reader, reader_args=reader_args, shuffle=randomize_input,
        num_epochs=num_epochs, shuffle_buffer_size=capacity)
    return dataset.make_one_shot_iterator().get_next()
