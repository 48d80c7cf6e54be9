"""tf.data.Dataset: sequences of elements, and their transformations."""

from ramet import gen
from ramet.api import export
from ramet.autograph import overrides
from ramet.data import (
    arguments, forms, generator, graph_capture, iterator, padding, states, structure,
    structured_function)
from ramet.data.arguments import AUTOTUNE, boolean, int64, string
from ramet.data.structure import DatasetSpec
from ramet.data.structured_function import StructuredFunction
from ramet.framework import dtypes, ops, tensor_shape, type_spec
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.functions import function


def dataset_function(func, transformation, input_spec):
    """Returns the StructuredFunction of a function that must return a Dataset.

    Raises:
      TypeError: if it returns something else.
    """
    made = StructuredFunction(func, transformation, input_spec)
    if not isinstance(made.output_spec, DatasetSpec):
        kind = structure.map_structure(lambda spec: spec.value_type, made.output_spec)
        raise TypeError('The `map_func` argument must return a `Dataset` object. Got '
                        f'{kind!r}.')
    return made


@export('data.Dataset')
class Dataset:
    """A sequence of elements, each a nested structure of tensors. It can have no end.

    A Dataset describes how to make the elements. The methods return new datasets; an Iterator makes the elements when
    a session runs.
    """

    def __init__(self, variant_tensor=None, element_spec=None, options=None):
        """Creates a dataset from a tensor that holds one.

        Args:
          variant_tensor: a scalar variant Tensor. A subclass may define _as_variant_tensor() instead.
          element_spec: the structure of specs of the elements.
          options: the Options of the dataset, or None for the default ones.
        """
        self._options = options
        self._variant = self._as_variant_tensor() if variant_tensor is None else variant_tensor
        self._spec = element_spec

    @property
    def _variant_tensor(self):
        return self._variant

    @property
    def _component_spec(self):
        return DatasetSpec(self.element_spec)

    @property
    def element_spec(self):
        """The structure of TensorSpecs of the elements."""
        if self._spec is None:
            self._spec = structure.from_legacy(
                self.output_types, self.output_shapes, self.output_classes)
        return self._spec

    @property
    def output_types(self):
        """The structure of dtypes of the elements."""
        return structure.types(self.element_spec)

    @property
    def output_shapes(self):
        """The structure of TensorShapes of the elements."""
        return structure.shapes(self.element_spec)

    @property
    def output_classes(self):
        """The structure of classes of the elements: tf.Tensor, or a DatasetSpec."""
        return structure.classes(self.element_spec)

    def __repr__(self):
        return f'<{type(self).__name__} element_spec={self.element_spec}>'

    def __bool__(self):
        return True

    def __iter__(self):
        if ops.executing_eagerly():
            return iterator.EagerIterator(self)
        raise RuntimeError(
            '`tf.data.Dataset` only supports Python-style iteration in eager mode or within '
            'tf.function.')

    def _transform(self, op, spec=None, **inputs):
        """Returns the dataset that an op makes of this one."""
        spec = self.element_spec if spec is None else spec
        made = op(input_dataset=self._variant_tensor, **inputs, **structure.attrs(spec))
        return Dataset(made, spec, self._options)

    # Iterators

    def make_one_shot_iterator(self):
        """Returns an iterator that passes over the dataset once and needs no initialization.

        Returns:
          An Iterator.

        Raises:
          ValueError: if the dataset depends on variables, tables or placeholders.
        """

        if ops.executing_eagerly():
            return iterator.EagerIterator(self)

        @function.Defun()
        def _make_dataset():
            return graph_capture.copy_into_default_graph(self._variant_tensor)

        _make_dataset.add_to_graph(ops.get_default_graph())
        with ops.colocate_with(self._variant_tensor):
            resource = gen.OneShotIterator(
                dataset_factory=_make_dataset.name, **structure.attrs(self.element_spec))
            return iterator.Iterator.of(resource, None, self.element_spec)

    def make_initializable_iterator(self, shared_name=None):
        """Returns an iterator that its `initializer` puts at the start of the dataset.

        Args:
          shared_name: the name of the session's iterator, or None for one of its own.

        Returns:
          An Iterator.
        """
        if ops.executing_eagerly():
            raise RuntimeError('`make_initializable_iterator()` is not supported in eager mode. Use Python-style '
                               'iteration instead.')
        with ops.colocate_with(self._variant_tensor):
            resource = gen.IteratorV2(container='', shared_name=shared_name or '',
                                      **structure.attrs(self.element_spec))
            initializer = gen.MakeIterator(self._variant_tensor, resource)
            return iterator.Iterator.of(resource, initializer, self.element_spec)

    # Sources

    @staticmethod
    def from_tensors(tensors, name=None):
        """Returns a dataset with one element.

        Args:
          tensors: the element, a structure of values that convert to tensors.
          name: ignored.

        """
        element = structure.normalize(tensors)
        spec = structure.map_structure(structure.spec_of, element)
        variant = gen.TensorDataset(
            components=structure.to_tensors(spec, element),
            output_shapes=structure.flat_shapes(spec))
        return Dataset(variant, spec)

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        """Returns a dataset of the slices of tensors along their first dimension.

        Args:
          tensors: a structure of values that convert to tensors, with equal first dimensions.
          name: ignored.

        Raises:
          ValueError: if a tensor is a scalar, or the first dimensions differ.
        """
        return slices(tensors, is_files=False)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor):
        """Returns a dataset of the rows of a SparseTensor, as tuples (indices, values, dense_shape).

        Args:
          sparse_tensor: a SparseTensor whose elements are ordered by rows.

        Raises:
          TypeError: if it is something else.
        """
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError('Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. Got '
                            f'{type(sparse_tensor)}.')
        indices, shape = sparse_tensor.indices, sparse_tensor.dense_shape
        rank = (indices.shape.dims[1] - 1).merge_with(shape.shape.dims[0] - 1)
        spec = (type_spec.TensorSpec([None, rank], dtypes.int64),
                type_spec.TensorSpec([None], sparse_tensor.dtype), type_spec.TensorSpec([rank], dtypes.int64))
        return Dataset(gen.SparseTensorSliceDataset(indices, sparse_tensor.values, shape), spec)

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None,
                       output_signature=None, name=None):
        """Returns a dataset of what a Python generator yields.

        Each pass calls `generator` once. The graph calls the Python of this process, so it cannot run in another
        process.

        Args:
          generator: a function that returns an iterable, such as a generator function.
          output_types: the structure of dtypes of the elements.
          output_shapes: the structure of shapes, or None for any.
          args: a tuple of tensors whose values are passed to `generator` as arrays, or None.
          output_signature: the structure of TensorSpecs of the elements, instead of both above.
          name: ignored.

        Raises:
          TypeError: if generator is not callable, or the elements are not described, or twice.
        """
        return _from_generator(generator, output_types, output_shapes, args, output_signature)

    @staticmethod
    def range(*args, **kwargs):
        """Returns a dataset of numbers: range(stop), range(start, stop) or range(start, stop, step).

        Args:
          *args: int or int64 Tensors.
          **kwargs: output_type: the dtype of the numbers, int64 by default; name: ignored.

        Raises:
          ValueError: without arguments, or with more than three.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f'Invalid `args`. The length of `args` should be between 1 and 3 but was '
                             f'{len(args)}.')
        start, stop = (0, args[0]) if len(args) == 1 else args[:2]
        spec = type_spec.TensorSpec([], kwargs.get('output_type', dtypes.int64))
        variant = gen.RangeDataset(
            start=int64(start, 'start'), stop=int64(stop, 'stop'),
            step=int64(args[2] if len(args) == 3 else 1, 'step'), **structure.attrs(spec))
        return Dataset(variant, spec)

    @staticmethod
    def zip(*args, datasets=None, name=None):
        """Returns a dataset whose elements are structures of the elements of other datasets.

        Args:
          *args: Datasets, or one structure of Datasets.
          datasets: the structure of Datasets, instead of `args`.
          name: ignored.

        Raises:
          TypeError: if an argument is not a Dataset, but a list, for example.
        """
        if datasets is None:
            datasets = args[0] if len(args) == 1 else args
        flat = structure.flatten(datasets)
        for dataset in flat:
            if isinstance(dataset, list):
                raise TypeError(
                    'Invalid input to `zip`. Inputs are expected to be (nested) structures of '
                    '`tf.data.Dataset` objects. Python `list` is not supported and you should use '
                    '`tuple` instead.')
            if not isinstance(dataset, Dataset):
                raise TypeError(
                    'Invalid input to `zip`. Inputs are expected to be (nested) structures of '
                    f'`tf.data.Dataset` objects but encountered object of type {type(dataset)}.')
        spec = structure.pack(datasets, [dataset.element_spec for dataset in flat])
        variant = gen.ZipDataset(
            input_datasets=[dataset._variant_tensor for dataset in flat], **structure.attrs(spec))
        return Dataset(variant, spec, _merged_options(flat))

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        """Returns a dataset of the paths that match shell patterns.

        Args:
          file_pattern: a string, a list of strings or a string Tensor.
          shuffle: False for the sorted order; by default each pass has a random order.
          seed: int, the seed of the order, or None.
          name: the name scope of the operations.

        Raises:
          InvalidArgumentError: when it runs, if no file matches.
        """
        with ops.name_scope('list_files'):
            paths = _matching_files(file_pattern)
            dataset = slices(paths, is_files=True)
            if shuffle is False:
                return dataset
            count = gen.Maximum(gen.StridedSlice(
                gen.Shape(paths, out_type=dtypes.int64), [0], [1], [1], shrink_axis_mask=1),
                int64(1, None))
            return dataset.shuffle(count, seed=seed)

    # Transformations

    def concatenate(self, dataset, name=None):
        """Returns a dataset of the elements of this one, then those of another.

        Args:
          dataset: a Dataset with the same structure and dtypes.
          name: ignored.

        Raises:
          TypeError: if they differ.
        """
        try:
            spec = structure.most_specific_common(self.element_spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(f'Incompatible dataset elements:\n  {self.element_spec} vs.   '
                            f'{dataset.element_spec}') from error
        made = gen.ConcatenateDataset(self._variant_tensor, dataset._variant_tensor, **structure.attrs(spec))
        return Dataset(made, spec, _merged_options([self, dataset]))

    def prefetch(self, buffer_size, name=None):
        """Returns a dataset of the same elements, some of which are read ahead on a thread.

        Args:
          buffer_size: how many; AUTOTUNE lets the iterator choose.
          name: ignored.
        """
        buffer_size = AUTOTUNE if buffer_size is None else buffer_size
        with ops.colocate_with(self._variant_tensor):
            return self._transform(
                gen.PrefetchDataset, buffer_size=int64(buffer_size, 'buffer_size'),
                legacy_autotune=isinstance(buffer_size, int) and buffer_size == AUTOTUNE)

    def repeat(self, count=None, name=None):
        """Returns a dataset of the elements, several times over.

        Args:
          count: how many times; None or -1 means without an end.
          name: ignored.
        """
        return self._transform(gen.RepeatDataset, count=int64(-1 if count is None else count, 'count'))

    def enumerate(self, start=0, name=None):
        """Returns a dataset of the pairs (number, element).

        Args:
          start: the first number, an int64.
          name: ignored.
        """
        numbers = Dataset.range(start, dtypes.int64.max)._transform(
            gen.RewriteDataset, rewrite_name='replicate_on_split')
        return Dataset.zip((numbers, self))

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        """Returns a dataset of the elements in random order, each drawn from the next buffer_size ones.

        Args:
          buffer_size: how many elements the iterator holds.
          seed: int or None. For the same seeds, the order is that of TensorFlow.
          reshuffle_each_iteration: False for the same order in each pass.
          name: ignored.
        """
        size = int64(buffer_size, 'buffer_size')
        seed, seed2 = arguments.seeds(seed)
        reshuffle = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        return self._transform(gen.ShuffleDataset, buffer_size=size, seed=seed, seed2=seed2,
                               reshuffle_each_iteration=reshuffle)

    def cache(self, filename='', name=None):
        """Returns a dataset that keeps its elements after the first complete pass.

        Args:
          filename: the prefix of files that keep the elements, or "" to keep them in memory.
          name: ignored.
        """
        return self._transform(gen.CacheDataset, filename=string(filename, 'filename'))

    def take(self, count, name=None):
        """Returns a dataset of the first elements.

        Args:
          count: how many; -1 means all.
          name: ignored.
        """
        return self._transform(gen.TakeDataset, count=int64(count, 'count'))

    def skip(self, count, name=None):
        """Returns a dataset without the first elements.

        Args:
          count: how many; -1 means all.
          name: ignored.
        """
        return self._transform(gen.SkipDataset, count=int64(count, 'count'))

    def shard(self, num_shards, index, name=None):
        """Returns a dataset of every num_shards-th element, from element `index` on.

        Args:
          num_shards: int.
          index: int, less than num_shards.
          name: ignored.
        """
        return self._transform(gen.ShardDataset, num_shards=int64(num_shards, 'num_shards'),
                               index=int64(index, 'index'))

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None,
              name=None):
        """Returns a dataset of batches: elements stacked along a new first dimension.

        Args:
          batch_size: how many elements a batch has.
          drop_remainder: True drops the last batch if it is smaller.
          num_parallel_calls: how many batches to make at a time; None makes one.
          deterministic: bool or None; the order is always kept.
          name: ignored.
        """
        size = int64(batch_size, 'batch_size')
        drop = boolean(drop_remainder, 'drop_remainder')
        spec = structure.batched(self.element_spec, padding.static_size(size, drop))
        if num_parallel_calls is None:
            return self._transform(gen.BatchDatasetV2, spec, batch_size=size, drop_remainder=drop)
        return self._transform(
            gen.ParallelBatchDataset, spec, batch_size=size, drop_remainder=drop,
            num_parallel_calls=int64(num_parallel_calls, 'num_parallel_calls'),
            deterministic=arguments.deterministic(deterministic))

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None,
                     drop_remainder=False, name=None):
        """Returns a dataset of batches of elements that are padded to a common shape.

        Args:
          batch_size: how many elements a batch has.
          padded_shapes: the structure of shapes; an unknown size becomes the largest in the batch.
            None pads to the shapes of the dataset.
          padding_values: the structure of scalars to pad with, or one for all; None means 0 or "".
          drop_remainder: True drops the last batch if it is smaller.
          name: ignored.

        Raises:
          ValueError: if a shape does not fit its component.
          TypeError: if a value has another dtype than its component.
        """
        size = int64(batch_size, 'batch_size')
        shapes = padding.shapes(self, padded_shapes)
        values = padding.values(self, padding_values)
        drop = boolean(drop_remainder, 'drop_remainder')
        spec = padding.batched_spec(self, shapes, padding.static_size(size, drop))
        variant = gen.PaddedBatchDatasetV2(
            input_dataset=self._variant_tensor, batch_size=size, padded_shapes=shapes,
            padding_values=values, drop_remainder=drop, output_shapes=structure.flat_shapes(spec))
        return Dataset(variant, spec, self._options)

    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        """Returns a dataset of the results of a function for each element.

        Args:
          map_func: a function of an element, or of its parts if it is a tuple.
          num_parallel_calls: how many calls to make at a time, on threads; AUTOTUNE makes one per
            processor. None makes one call at a time.
          deterministic: bool or None; the order is always kept.
          name: ignored.
        """
        f = StructuredFunction(map_func, 'Dataset.map()', self.element_spec)
        if num_parallel_calls is None:
            return self._transform(gen.MapDataset, f.output_spec, f=f.name,
                                   other_arguments=f.captured_inputs)
        return self._transform(
            gen.ParallelMapDatasetV2, f.output_spec, f=f.name, other_arguments=f.captured_inputs,
            num_parallel_calls=int64(num_parallel_calls, 'num_parallel_calls'),
            deterministic=arguments.deterministic(deterministic))

    def map_with_legacy_function(self, map_func, num_parallel_calls=None, deterministic=None):
        """Returns the same dataset as map().

        Args:
          map_func: a function of an element.
          num_parallel_calls: how many calls to make at a time.
          deterministic: bool or None.
        """
        return self.map(map_func, num_parallel_calls, deterministic)

    def flat_map(self, map_func, name=None):
        """Returns a dataset of the elements of the datasets that a function returns, one after another.

        Args:
          map_func: a function from an element to a Dataset.
          name: ignored.

        Raises:
          TypeError: if it does not return a Dataset.
        """
        f = dataset_function(map_func, 'Dataset.flat_map()', self.element_spec)
        return self._transform(gen.FlatMapDataset, f.output_spec.element_spec, f=f.name,
                               other_arguments=f.captured_inputs)

    def interleave(self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None,
                   deterministic=None, name=None):
        """Returns a dataset of blocks of elements, in turn from several datasets that a function returns.

        Args:
          map_func: a function from an element to a Dataset.
          cycle_length: how many datasets take turns; None means one per processor.
          block_length: how many elements are taken at a time; None means 1.
          num_parallel_calls: how many datasets are read ahead on threads; None means none.
          deterministic: bool or None; the order is always kept.
          name: ignored.

        Raises:
          TypeError: if the function does not return a Dataset.
        """
        f = dataset_function(map_func, 'Dataset.interleave()', self.element_spec)
        inputs = {
            'cycle_length': int64(AUTOTUNE if cycle_length is None else cycle_length,
                                  'cycle_length'),
            'block_length': int64(1 if block_length is None else block_length, 'block_length')}
        spec = f.output_spec.element_spec
        if num_parallel_calls is None:
            return self._transform(gen.InterleaveDataset, spec, f=f.name,
                                   other_arguments=f.captured_inputs, **inputs)
        return self._transform(
            gen.ParallelInterleaveDatasetV4, spec, f=f.name, other_arguments=f.captured_inputs,
            **inputs, buffer_output_elements=int64(AUTOTUNE, 'buffer_output_elements'),
            prefetch_input_elements=int64(AUTOTUNE, 'prefetch_input_elements'),
            num_parallel_calls=int64(num_parallel_calls, 'num_parallel_calls'),
            deterministic=arguments.deterministic(deterministic))

    def filter(self, predicate, name=None):
        """Returns a dataset of the elements for which a function is true.

        Args:
          predicate: a function from an element to a scalar bool Tensor.
          name: ignored.

        Raises:
          ValueError: if it returns something else.
        """
        f = StructuredFunction(predicate, 'Dataset.filter()', self.element_spec)
        wanted = type_spec.TensorSpec([], dtypes.bool)
        if structure.is_nested(f.output_spec) or not wanted.is_compatible_with(f.output_spec):
            raise ValueError('Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, '
                             f'but its return type is {f.output_spec}.')
        return self._transform(gen.FilterDataset, predicate=f.name,
                               other_arguments=f.captured_inputs)

    def filter_with_legacy_function(self, predicate):
        """Returns the same dataset as filter().

        Args:
          predicate: a function from an element to a scalar bool Tensor.
        """
        return self.filter(predicate)

    def apply(self, transformation_func):
        """Returns the dataset that a function makes of this one.

        Args:
          transformation_func: a function from a Dataset to a Dataset.

        Raises:
          TypeError: if it returns something else.
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError('`transformation_func` must return a `tf.data.Dataset` object. Got '
                            f'{type(dataset)}.')
        return dataset

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Returns a dataset of windows: each component becomes a Dataset of neighboring elements.

        Args:
          size: how many elements a window has.
          shift: how far windows are apart; None means size.
          stride: how far the elements of a window are apart.
          drop_remainder: True drops the last windows if they are smaller.
          name: ignored.
        """
        spec = structure.map_structure(DatasetSpec, self.element_spec)
        return self._transform(
            gen.WindowDataset, spec, size=int64(size, 'size'),
            shift=int64(size if shift is None else shift, 'shift'),
            stride=int64(stride, 'stride'), drop_remainder=boolean(drop_remainder, 'drop_remainder'))

    def reduce(self, initial_state, reduce_func, name=None):
        """Returns the last state of a function that gets each element in turn.

        Args:
          initial_state: the structure of values of the first state.
          reduce_func: a function (state, element) -> state.
          name: ignored.

        Returns:
          The structure of Tensors of the last state.

        Raises:
          TypeError: if the function changes the structure or the dtypes of the state.
        """
        state = structure.normalize(initial_state)
        spec = structure.map_structure(structure.spec_of, state)
        f, spec = states.stateful_function(reduce_func, 'reduce()', spec, self.element_spec)
        flat = gen.ReduceDataset(
            input_dataset=self._variant_tensor, f=f.name, other_arguments=f.captured_inputs,
            initial_state=structure.to_tensors(spec, state), **structure.attrs(spec))
        return structure.from_tensors(spec, flat)

    def unbatch(self, name=None):
        """Returns a dataset of the rows of each element.

        Args:
          name: ignored.
        """
        dataset = _with_sliced_components(self)
        spec = structure.row(self.element_spec)
        sizes = tensor_shape.Dimension(None)
        for shape in structure.flat_shapes(self.element_spec):
            size = shape[0] if shape.ndims else tensor_shape.Dimension(None)
            if not sizes.is_compatible_with(size):
                raise ValueError('`unbatch()` is only supported for datasets of elements whose components have a '
                                 f'matching leading dimension. Encountered both {sizes} and {size}.')
            sizes = sizes.merge_with(size)
        return dataset._transform(gen.UnbatchDataset, spec)

    def with_options(self, options, name=None):
        """Returns a dataset of the same elements. Ramet checks the options but does not use them.

        Args:
          options: tf.data.Options.
          name: ignored.
        """
        return Dataset(self._variant_tensor, self.element_spec, self.options().merge(options))

    def options(self):
        """Returns the options of the dataset and of those that it was made of."""
        from ramet.data.options import Options  # deferred: few programs ask for it
        return Options().merge(self._options or Options())

    def cardinality(self):
        """Returns the number of elements as an int64 Tensor: -1 without an end, -2 if it is unknown."""
        return gen.DatasetCardinality(self._variant_tensor)

    def scan(self, initial_state, scan_func, name=None):
        """Returns a dataset of the outputs of a function that carries a state from element to element.

        Args:
          initial_state: the structure of values of the first state.
          scan_func: a function (state, element) -> (state, output).
          name: ignored.

        Raises:
          TypeError: if the function changes the structure or the dtypes of the state.
        """
        state = structure.normalize(initial_state)
        spec = structure.map_structure(structure.spec_of, state)
        f, state_spec, output_spec = states.scanning_function(scan_func, spec, self.element_spec)
        return self._transform(gen.ScanDataset, output_spec, f=f.name,
                               initial_state=structure.to_tensors(state_spec, state),
                               other_arguments=f.captured_inputs, preserve_cardinality=True)

    def take_while(self, predicate, name=None):
        """Returns a dataset of the elements before the first for which a function is false.

        Args:
          predicate: a function from an element to a scalar bool Tensor.
          name: ignored.

        Raises:
          ValueError: if it returns something else.
        """
        f = StructuredFunction(predicate, 'Dataset.take_while()', self.element_spec)
        if structure.is_nested(f.output_spec) or f.output_spec.dtype != dtypes.bool:
            raise ValueError('Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor '
                             f'but its return type is{f.output_spec}.')
        return self._transform(gen.TakeWhileDataset, predicate=f.name,
                               other_arguments=f.captured_inputs)


def _merged_options(datasets):
    """Returns the options of several datasets, of which later ones count more, or None if none has any."""
    merged = None
    for dataset in datasets:
        if dataset._options is not None:
            merged = dataset._options if merged is None else merged.merge(dataset._options)
    return merged


class DatasetForm(forms.TensorForm):
    """The form of Datasets that are components: the variants that hold them."""

    is_opaque = True

    def flat_spec(self, spec):
        return type_spec.TensorSpec(spec.shape, dtypes.variant)

    def to_tensor(self, spec, value):
        return value._variant_tensor

    def to_rows(self, spec, value):
        self.row(spec)
        return value._variant_tensor

    def from_tensor(self, spec, tensor):
        return Dataset(tensor, spec.element_spec)

    def batched(self, spec, rows):
        return DatasetSpec(spec.element_spec, tensor_shape.TensorShape([rows]).concatenate(spec.shape))

    def row(self, spec):
        if spec.shape.ndims == 0:
            raise ValueError('Slicing dataset elements is not supported for rank 0.')
        return DatasetSpec(spec.element_spec, spec.shape[1:])


forms.register(DatasetSpec, DatasetForm())


def _with_sliced_components(dataset):
    """Returns a dataset of the same elements whose components are held in tensors that can be sliced."""
    spec = dataset.element_spec
    if structure.is_dense(spec):
        return dataset

    def normalize(*element):
        return structure.to_rows(spec, element if structured_function.unpacks(spec) else element[0])

    return Dataset(dataset.map(normalize)._variant_tensor, spec)


def slices(tensors, is_files):
    """Returns a dataset of the slices of a structure of tensors, which may be names of files."""
    element = structure.normalize(tensors)
    spec = structure.map_structure(structure.spec_of, element)
    if not structure.flatten(spec):
        raise ValueError('Invalid `tensors`. `tensors` should not be empty.')
    components = structure.to_rows(spec, element)
    row_spec = structure.row(spec)
    sizes = components[0].shape.dims and components[0].shape.dims[0] or tensor_shape.Dimension(None)
    for component in components[1:]:
        if component.shape.ndims:
            sizes.assert_is_compatible_with(component.shape.dims[0])
    variant = gen.TensorSliceDataset(components=components, is_files=is_files,
                                     output_shapes=structure.flat_shapes(row_spec))
    return Dataset(variant, row_spec)


def _from_generator(func, output_types, output_shapes, args, output_signature):
    if not callable(func):
        raise TypeError('`generator` must be a Python callable.')
    spec = generator.signature(output_types, output_shapes, output_signature)
    args = tuple(ops.convert_to_tensor(arg, name='args') for arg in args or ())
    state = generator.GeneratorState(func)
    start, advance, finish = generator.functions(state, spec, args)

    def one_pass(dummy):
        dummy_spec = structure.spec_of(dummy)
        init = StructuredFunction(start, 'Dataset.from_generator()', dummy_spec)
        step = StructuredFunction(advance, 'Dataset.from_generator()', init.output_spec)
        final = StructuredFunction(finish, 'Dataset.from_generator()', init.output_spec)
        variant = gen.GeneratorDataset(
            init_func_other_args=[dummy, *init.captured_inputs],
            next_func_other_args=step.captured_inputs,
            finalize_func_other_args=final.captured_inputs, init_func=init.name,
            next_func=step.name, finalize_func=final.name, **structure.attrs(spec))
        return Dataset(variant, spec)

    return Dataset.from_tensors(0).flat_map(one_pass)


def _matching_files(pattern):
    pattern = string(pattern, 'file_pattern')
    paths = gen.MatchingFiles(pattern)
    count = gen.StridedSlice(gen.Shape(paths), [0], [1], [1], shrink_axis_mask=1)
    found = gen.Greater(count, 0, name='match_not_empty')
    names = gen.ReduceJoin(pattern, list(range(pattern.shape.ndims or 0)), separator=', ')
    message = gen.Add('No files matched pattern: ', names, name='message')
    with ops.name_scope('assert_not_empty'):
        check = gen.Assert(found, [message], summarize=1)
    with ops.control_dependencies([check]):
        return gen.Identity(paths)


@export('data.make_one_shot_iterator')
def make_one_shot_iterator(dataset):
    """Returns dataset.make_one_shot_iterator().

    Args:
      dataset: a Dataset.
    """
    return dataset.make_one_shot_iterator()


@export('data.make_initializable_iterator')
def make_initializable_iterator(dataset, shared_name=None):
    """Returns dataset.make_initializable_iterator().

    Args:
      dataset: a Dataset.
      shared_name: the name of the session's iterator, or None for one of its own.
    """
    return dataset.make_initializable_iterator(shared_name)


@export('data.get_output_types')
def get_output_types(dataset_or_iterator):
    """Returns the structure of dtypes of the elements.

    Args:
      dataset_or_iterator: a Dataset or an Iterator.
    """
    return structure.types(dataset_or_iterator.element_spec)


@export('data.get_output_shapes')
def get_output_shapes(dataset_or_iterator):
    """Returns the structure of TensorShapes of the elements.

    Args:
      dataset_or_iterator: a Dataset or an Iterator.
    """
    return structure.shapes(dataset_or_iterator.element_spec)


@export('data.get_output_classes')
def get_output_classes(dataset_or_iterator):
    """Returns the structure of classes of the elements.

    Args:
      dataset_or_iterator: a Dataset or an Iterator.
    """
    return structure.classes(dataset_or_iterator.element_spec)


@export('data.experimental.get_structure')
def get_structure(dataset_or_iterator):
    """Returns the structure of TensorSpecs of the elements.

    Args:
      dataset_or_iterator: a Dataset or an Iterator.
    """
    return dataset_or_iterator.element_spec


def _loop_function(name):
    """Returns a function of data.loops, which is imported when a converted function uses it."""

    def function(*args, **kwargs):
        from ramet.data import loops  # deferred: only converted functions need it
        return getattr(loops, name)(*args, **kwargs)

    return function


overrides.register(Dataset, for_=_loop_function('for_stmt'), **{
    name: _loop_function(f'{name}_of') for name in (
        'abs', 'len', 'enumerate', 'zip', 'map', 'filter', 'any', 'all')})
