"""Models: graphs of layers that can be trained."""

import itertools

import numpy as np

from ramet.data import dataset as dataset_lib
from ramet.data import iterator as iterator_lib
from ramet.framework import nest, ops
from ramet.keras.backend import state, values
from ramet.keras.engine import training_data as data
from ramet.keras.engine import training_functions, training_loops
from ramet.keras.engine.network import Network
from ramet.keras.optimizers import lookup as optimizers
from ramet.keras.utils import data_utils, generic_utils

# Keras shuffles the arrays of a validation too, which decides the order of later epochs with the same random numbers.
_SHUFFLE_VALIDATION = True


class Model(Network):
    """A graph of layers, which can be trained, evaluated and used for predictions.

    `Model(inputs, outputs)` finds the layers between tensors of tf.keras.Input and the outputs. A subclass has its
    layers as attributes and overrides `call(inputs, training=None)`.

    Args:
      *args: the inputs and outputs; see Network.
      **kwargs: `inputs`, `outputs`, `name` and `trainable`.

    Attributes:
      inputs, outputs: lists of Tensors; None in a subclass that has not been called.
      optimizer: the optimizer, after compile().
      history: the History of the last training.
      stop_training: whether the training ends after the current batch. Callbacks set it.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._compiled = None
        self._predict = None
        self.optimizer = None
        self.history = None
        self.stop_training = False

    # Compiling.

    def compile(self, optimizer='rmsprop', loss=None, metrics=None, loss_weights=None, sample_weight_mode=None,
                weighted_metrics=None, target_tensors=None, distribute=None, **kwargs):
        """Sets how the model is trained.

        Args:
          optimizer: an Optimizer, the name of one, or a tf.train.Optimizer.
          loss: a function (y_true, y_pred), a Loss, or the name of one; a list or dict of these for several outputs.
          metrics: a list of functions, Metrics and names; a dict or list of such lists for several outputs.
          loss_weights: a list of factors, or a dict from the names of outputs to factors.
          sample_weight_mode: 'temporal' if samples have a weight for each time step; or a list or dict.
          weighted_metrics: like metrics, but with the weights of samples.
          target_tensors: Tensors with the true values instead of placeholders.
          distribute: ignored.
          **kwargs: arguments of the functions that run batches, such as `options` and `run_metadata`.

        Raises:
          ValueError: if an argument is invalid.
        """
        kwargs.pop('run_eagerly', None)
        self.optimizer = optimizers.get(optimizer)
        arguments = {'loss': loss, 'metrics': metrics, 'loss_weights': loss_weights,
                     'sample_weight_mode': sample_weight_mode, 'weighted_metrics': weighted_metrics,
                     'target_tensors': target_tensors, 'function_kwargs': kwargs}
        self._compiled = training_functions.CompiledModel(self, self.optimizer, arguments)
        if self.outputs is not None:
            self._compiled.build()

    def _check_compiled(self):
        if self._compiled is None:
            raise RuntimeError('You must compile your model before training/testing. Use '
                               '`model.compile(optimizer, loss)`.')

    @property
    def metrics_names(self):
        """The names of the values that train_on_batch and evaluate return."""
        return self._compiled.metrics_names if self._compiled is not None else []

    @property
    def metrics(self):
        """The metrics of compile() and of layers."""
        if self._compiled is not None and self._compiled.outputs is not None:
            return [metric for _, metric in self._compiled.metrics]
        return super().metrics

    @property
    def loss(self):
        """The argument `loss` of compile."""
        return self._compiled.arguments['loss'] if self._compiled is not None else None

    @property
    def total_loss(self):
        """The sum of all losses, a scalar Tensor."""
        return self._compiled.total_loss if self._compiled is not None else None

    @property
    def targets(self):
        """The placeholders of the true values."""
        return [o.target for o in self._compiled.outputs if o.target is not None]

    @property
    def sample_weights(self):
        """The placeholders of the weights of samples; None for outputs without."""
        return [o.weights for o in self._compiled.outputs]

    def reset_metrics(self):
        """Sets the metrics to their initial state."""
        if self._compiled is not None:
            self._compiled.reset_metrics()

    # Data.

    def _feed_inputs(self):
        return [t for t in self.inputs if self._is_fed(t)]

    @staticmethod
    def _is_fed(tensor):
        return tensor.op.type in ('Placeholder', 'PlaceholderWithDefault') if hasattr(tensor, 'op') else True

    def _feed_names(self):
        return [name for name, t in zip(self.input_names, self.inputs) if self._is_fed(t)]

    def _set_inputs(self, x):
        """Builds a model whose inputs were not known from the first data."""
        if self.inputs is None:
            arrays = list(x.values()) if isinstance(x, dict) else generic_utils.to_list(x)
            placeholders = []
            for array in arrays:
                array = array if hasattr(array, 'dtype') else np.asarray(array)
                shape = tuple(array.shape)[1:] if array.ndim > 1 else (1,)
                dtype = 'int32' if np.issubdtype(array.dtype, np.integer) else None
                placeholders.append(values.placeholder(shape=(None, *shape), dtype=dtype))
            structure = dict(zip(x, placeholders)) if isinstance(x, dict) else \
                generic_utils.unpack_singleton(placeholders)
            self._set_symbolic(structure, list(x) if isinstance(x, dict) else None)
        if self._compiled is not None:
            self._compiled.build()

    def _set_symbolic(self, inputs, names=None):
        """Calls the model on placeholders, which become its inputs."""
        kwargs = {'training': state.learning_phase()} if 'training' in self._call_parameters else {}
        outputs = self(inputs, **kwargs)
        if self.inputs is not None:  # A Sequential has made its own.
            return
        self.inputs, self.outputs = nest.flatten(inputs), nest.flatten(outputs)
        self.input_names = names or [f'input_{i + 1}' for i in range(len(self.inputs))]
        self.output_names = [f'output_{i + 1}' for i in range(len(self.outputs))]
        self.built = True

    def _arrays(self, x, y=None, sample_weight=None, class_weight=None):
        """Returns the arrays that the functions of batches take."""
        self._set_inputs(x)
        compiled = self._compiled
        shapes = [values.int_shape(t) for t in self._feed_inputs()]
        inputs = data.as_arrays(x, self._feed_names(), shapes, 'input')
        fed = [o for o in compiled.outputs if o.feeds_target]
        targets = data.as_arrays(y, [o.name for o in fed], [o.target_shape for o in fed], 'target')
        if any(t is None for t in targets):
            raise ValueError('The model needs true values: pass `y`')
        names = [o.name for o in compiled.outputs]
        by_name = dict(zip((o.name for o in fed), targets))
        given = data.by_output(sample_weight, names, 'sample_weight')
        classes = data.by_output(class_weight, names, 'class_weight')
        weights = [data.sample_weights(by_name.get(o.name), weight, own, o.mode)
                   for o, weight, own in zip(compiled.outputs, given, classes)]
        data.check_lengths(inputs, targets, weights)
        compiled.use_weights([w is not None for w in weights])
        count = next((a.shape[0] for a in [*inputs, *targets] if a is not None), 1)
        given = [w if w is not None else _ones(o, count, by_name.get(o.name))
                 for o, w in zip(compiled.outputs, weights) if o.weights is not None]
        return [*inputs, *targets, *given]

    def _converter(self, class_weight=None):
        """Returns a function from a batch of a generator, (x, y) or (x, y, weights), to arrays."""

        def convert(batch):
            if not isinstance(batch, (tuple, list)) or len(batch) not in (1, 2, 3):
                if self.targets:
                    raise ValueError('Output of generator should be a tuple `(x, y, sample_weight)` or `(x, y)`. '
                                     f'Found: {batch}')
                batch = (batch,)
            x, y, weight = (*batch, None, None)[:3]
            return self._arrays(x, y, weight, class_weight)

        return convert

    def _batches(self, x, y, sample_weight, class_weight, batch_size, steps, shuffle=False, workers=0, queue=10):
        """Returns the batches of any kind of data."""
        self._check_compiled()
        if isinstance(x, (dataset_lib.Dataset, iterator_lib.Iterator)):
            return self._dataset_batches(x, y, sample_weight, steps, self._converter(class_weight))
        if _is_generator(x):
            if y is not None:
                raise ValueError('`y` argument is not supported when data is a generator or Sequence instance. '
                                 'Instead pass targets as the second element of the generator.')
            if self.inputs is None or self._compiled.outputs is None:
                x = _peeked(x, lambda batch: self._set_inputs(batch[0]))
            self._compiled.build()
            return training_loops.GeneratorBatches(x, self._converter(class_weight), steps, shuffle, workers, queue)
        if any(isinstance(v, ops.Tensor) for v in nest.flatten([x, y])):
            return self._tensor_batches(x, y, sample_weight, class_weight, steps)
        arrays = self._arrays(x, y, sample_weight, class_weight)
        if not arrays:  # All inputs and targets are tensors of the graph.
            return self._batches_of_nothing(steps)
        if steps is not None and batch_size is None:
            batch_size = -(-arrays[0].shape[0] // steps)
        return training_loops.ArrayBatches(arrays, batch_size or 32, shuffle)

    @staticmethod
    def _batches_of_nothing(steps):
        if steps is None:
            raise ValueError('If your data is in the form of symbolic tensors, you should specify the '
                             '`steps_per_epoch` or `steps` argument')
        return training_loops.GeneratorBatches(itertools.repeat(()), lambda batch: [], steps, workers=0)

    def _tensor_batches(self, x, y, sample_weight, class_weight, steps):
        if steps is None:
            raise ValueError('When using data tensors as input to a model, you should specify the `steps_per_epoch` '
                             'or `steps` argument.')
        self._set_inputs(x)
        convert = self._converter(class_weight)
        structure = [x, y, sample_weight] if sample_weight is not None else [x, y]
        present = [part for part in structure if part is not None]
        return training_loops.TensorBatches(present, convert, steps)

    def _dataset_batches(self, x, y, sample_weight, steps, convert):
        if y is not None or sample_weight is not None:
            raise ValueError('`y` and `sample_weight` arguments are not supported when input `x` is a dataset or a '
                             'dataset iterator: the elements are (x, y) or (x, y, sample_weight)')
        restart = None
        if isinstance(x, dataset_lib.Dataset):
            iterator = dataset_lib.make_initializable_iterator(x)
            restart = _initializer_run(iterator)
            x = iterator
        elif steps is None:
            raise ValueError('When using iterators as input to a model, you should specify the `steps_per_epoch` '
                             'argument.')
        if not hasattr(x, '_keras_next'):
            x._keras_next = x.get_next()
        element = x._keras_next
        self._set_inputs(nest.map_structure(_Described, element[0] if isinstance(element, tuple) else element))
        return training_loops.TensorBatches(element, convert, steps, restart)

    # Training.

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None, validation_split=0.,
            validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0,
            steps_per_epoch=None, validation_steps=None, validation_freq=1, max_queue_size=10, workers=1,
            use_multiprocessing=False, **kwargs):
        """Trains the model.

        Args:
          x: the inputs: an array, a list or dict of arrays, a tf.data.Dataset, a generator or a Sequence.
          y: the true values like x; absent if x yields (inputs, true values).
          batch_size: the number of samples per step. None means 32.
          epochs: the number of the last epoch.
          verbose: 0 for nothing, 1 for progress bars, 2 for a line per epoch.
          callbacks: a list of Callbacks.
          validation_split: the fraction of the arrays, at their end, that is used for validation.
          validation_data: (x, y), (x, y, weights), or like x, to evaluate after each epoch.
          shuffle: whether to shuffle the samples before each epoch; 'batch' shuffles batches.
          class_weight: a dict from classes to weights of their samples.
          sample_weight: an array with the weights of samples.
          initial_epoch: the number of the first epoch.
          steps_per_epoch: the number of batches in an epoch, or None for all.
          validation_steps: the number of batches of the validation, or None for all.
          validation_freq: after how many epochs to evaluate, or a list of the epochs.
          max_queue_size: how many batches of a generator may be ready.
          workers: the number of threads that prepare batches of a Sequence.
          use_multiprocessing: ignored: threads prepare batches.
          **kwargs: `nb_epoch`, an old name of epochs.

        Returns:
          A History.

        Raises:
          RuntimeError: if the model has not been compiled.
          ValueError: if the data does not fit the model.
        """
        epochs = kwargs.pop('nb_epoch', epochs)
        if kwargs:
            raise TypeError(f'Unrecognized keyword arguments: {kwargs}')
        validation = None
        if validation_split and validation_data is None:
            arrays = self._checked_split(x, y, sample_weight, class_weight)
            first, second = data.split(arrays, validation_split)
            batches = training_loops.ArrayBatches(first, batch_size or 32, shuffle)
            validation = training_loops.ArrayBatches(second, batch_size or 32, _SHUFFLE_VALIDATION)
        else:
            batches = self._batches(x, y, sample_weight, class_weight, batch_size, steps_per_epoch, shuffle, workers,
                                    max_queue_size)
            if validation_data is not None:
                validation = self._validation_batches(validation_data, batch_size, validation_steps)
        # Weights may have been added for the validation.
        batches = self._with_weights(batches)
        if verbose:
            training_loops.print_sizes(batches, validation)
        try:
            return training_loops.fit(self, batches, epochs, verbose, callbacks or [], validation, initial_epoch,
                                      validation_freq)
        finally:
            batches.close()

    def _with_weights(self, batches):
        if isinstance(batches, training_loops.ArrayBatches):
            wanted = sum(o.weights is not None for o in self._compiled.outputs)
            have = len(batches._arrays) - len(self._feed_inputs()) - sum(o.feeds_target for o in self._compiled.outputs)
            for _ in range(wanted - have):
                batches._arrays.append(np.ones(batches.samples, np.float32))
        return batches

    def _checked_split(self, x, y, sample_weight, class_weight):
        self._check_compiled()
        if isinstance(x, dataset_lib.Dataset) or _is_generator(x):
            raise ValueError('`validation_split` is only supported for arrays')
        return self._arrays(x, y, sample_weight, class_weight)

    def _validation_batches(self, given, batch_size, steps):
        if isinstance(given, (dataset_lib.Dataset, iterator_lib.Iterator)) or _is_generator(given):
            return self._batches(given, None, None, None, batch_size, steps)
        if not isinstance(given, (list, tuple)) or len(given) not in (2, 3):
            raise ValueError('When passing a `validation_data` argument, it must contain either 2 items (x_val, '
                             'y_val), or 3 items (x_val, y_val, val_sample_weights), or alternatively it could be a '
                             f'dataset or a dataset or a dataset iterator. However we received '
                             f'`validation_data={given}`')
        return self._batches(given[0], given[1], given[2] if len(given) == 3 else None, None, batch_size, steps,
                             _SHUFFLE_VALIDATION)

    def evaluate(self, x=None, y=None, batch_size=None, verbose=1, sample_weight=None, steps=None, callbacks=None,
                 max_queue_size=10, workers=1, use_multiprocessing=False):
        """Returns the loss and the metrics of the model on data.

        Args:
          x, y: see fit.
          batch_size: the number of samples per step. None means 32.
          verbose: whether to print a progress bar.
          sample_weight: an array with the weights of samples.
          steps: the number of batches, or None for all.
          callbacks: a list of Callbacks.
          max_queue_size, workers, use_multiprocessing: see fit.

        Returns:
          The loss, or a list of the loss and the metrics; see metrics_names.

        Raises:
          RuntimeError: if the model has not been compiled.
          ValueError: if the data does not fit the model.
        """
        batches = self._batches(x, y, sample_weight, None, batch_size, steps, False, workers, max_queue_size)
        run = training_loops.CallbackList(callbacks or [], self, {'verbose': verbose, 'steps': batches.steps,
                                                                  'samples': batches.samples})
        try:
            return generic_utils.unpack_singleton(training_loops.evaluate(self, batches, run, verbose))
        finally:
            batches.close()

    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None, max_queue_size=10, workers=1,
                use_multiprocessing=False):
        """Returns the outputs of the model for inputs.

        Args:
          x: see fit.
          batch_size: the number of samples per step. None means 32.
          verbose: whether to print a progress bar.
          steps: the number of batches, or None for all.
          callbacks: a list of Callbacks.
          max_queue_size, workers, use_multiprocessing: see fit.

        Returns:
          An array, or a list of arrays for several outputs.

        Raises:
          ValueError: if the data does not fit the model.
        """
        batches = self._input_batches(x, batch_size, steps, workers, max_queue_size)
        try:
            found = training_loops.predict(self._predict_function(), batches, self, verbose, callbacks or [])
        finally:
            batches.close()
        return generic_utils.unpack_singleton(found)

    def _predict_function(self):
        if self._predict is None or self._predict[0] is not self.outputs[0]:
            self._predict = self.outputs[0], training_functions.predict_function(self)
        return self._predict[1]

    def _input_arrays(self, x):
        self._set_inputs(x)
        return data.as_arrays(x, self._feed_names(), [values.int_shape(t) for t in self._feed_inputs()], 'input')

    def _input_batches(self, x, batch_size, steps, workers, queue):
        def first(batch):
            return self._input_arrays(batch[0] if isinstance(batch, tuple) else batch)

        if isinstance(x, (dataset_lib.Dataset, iterator_lib.Iterator)):
            return self._dataset_batches(x, None, None, steps, first)
        if _is_generator(x):
            if self.inputs is None:
                x = _peeked(x, lambda batch: self._set_inputs(batch[0] if isinstance(batch, tuple) else batch))
            return training_loops.GeneratorBatches(x, first, steps, False, workers, queue)
        if any(isinstance(v, ops.Tensor) for v in nest.flatten(x)):
            self._set_inputs(x)
            return training_loops.TensorBatches(x, self._input_arrays, steps)
        arrays = self._input_arrays(x)
        if not arrays:
            return self._batches_of_nothing(steps)
        data.check_lengths(arrays, [], [])
        return training_loops.ArrayBatches(arrays, batch_size or 32)

    # Single batches.

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, reset_metrics=True):
        """Trains the model with one batch.

        Args:
          x, y: the inputs and the true values; see fit.
          sample_weight: an array with the weights of samples.
          class_weight: a dict from classes to weights of their samples.
          reset_metrics: whether the metrics are those of this batch only.

        Returns:
          The loss, or a list of the loss and the metrics; see metrics_names.

        Raises:
          RuntimeError: if the model has not been compiled.
          ValueError: if the data does not fit the model.
        """
        return self._on_batch('train', x, y, sample_weight, class_weight, reset_metrics)

    def test_on_batch(self, x, y=None, sample_weight=None, reset_metrics=True):
        """Returns the loss and the metrics of one batch.

        Args:
          x, y: the inputs and the true values; see fit.
          sample_weight: an array with the weights of samples.
          reset_metrics: whether the metrics are those of this batch only.

        Returns:
          The loss, or a list of the loss and the metrics; see metrics_names.

        Raises:
          RuntimeError: if the model has not been compiled.
          ValueError: if the data does not fit the model.
        """
        return self._on_batch('test', x, y, sample_weight, None, reset_metrics)

    def _on_batch(self, mode, x, y, sample_weight, class_weight, reset_metrics):
        self._check_compiled()
        arrays = self._arrays(x, y, sample_weight, class_weight)
        function = self._compiled.function(mode)
        results = function(training_loops._fed(function, arrays, mode == 'train'))
        if reset_metrics:
            self.reset_metrics()
        return generic_utils.unpack_singleton(results)

    def predict_on_batch(self, x):
        """Returns the outputs of the model for one batch.

        Args:
          x: the inputs; see fit.

        Returns:
          An array, or a list of arrays for several outputs.

        Raises:
          ValueError: if the data does not fit the model.
        """
        arrays = self._input_arrays(x)
        function = self._predict_function()
        return generic_utils.unpack_singleton(function(training_loops._fed(function, arrays, False)))

    # Generators.

    def fit_generator(self, generator, steps_per_epoch=None, epochs=1, verbose=1, callbacks=None, validation_data=None,
                      validation_steps=None, validation_freq=1, class_weight=None, max_queue_size=10, workers=1,
                      use_multiprocessing=False, shuffle=True, initial_epoch=0):
        """Trains the model with the batches of a generator or a Sequence; see fit.

        Args:
          generator: a generator of (x, y) or (x, y, weights), or a Sequence.
          steps_per_epoch, epochs, verbose, callbacks: see fit.
          validation_data, validation_steps, validation_freq, class_weight: see fit.
          max_queue_size, workers, use_multiprocessing, initial_epoch: see fit.
          shuffle: whether to take the batches of a Sequence in random order.

        Returns:
          A History.
        """
        return self.fit(generator, steps_per_epoch=steps_per_epoch, epochs=epochs, verbose=verbose,
                        callbacks=callbacks, validation_data=validation_data, validation_steps=validation_steps,
                        validation_freq=validation_freq, class_weight=class_weight, max_queue_size=max_queue_size,
                        workers=workers, shuffle=shuffle, initial_epoch=initial_epoch)

    def evaluate_generator(self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1,
                           use_multiprocessing=False, verbose=0):
        """Returns the loss and the metrics on the batches of a generator or a Sequence; see evaluate.

        Args:
          generator: a generator of (x, y) or (x, y, weights), or a Sequence.
          steps, callbacks, max_queue_size, workers, use_multiprocessing, verbose: see evaluate.
        """
        return self.evaluate(generator, steps=steps, callbacks=callbacks, max_queue_size=max_queue_size,
                             workers=workers, verbose=verbose)

    def predict_generator(self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1,
                          use_multiprocessing=False, verbose=0):
        """Returns the outputs for the batches of a generator or a Sequence; see predict.

        Args:
          generator: a generator of inputs, or of tuples that begin with them, or a Sequence.
          steps, callbacks, max_queue_size, workers, use_multiprocessing, verbose: see predict.
        """
        return self.predict(generator, steps=steps, callbacks=callbacks, max_queue_size=max_queue_size,
                            workers=workers, verbose=verbose)


class _Described:
    """The shape and type of a tensor, in the words of an array."""

    def __init__(self, tensor):
        self.shape = tuple(tensor.shape.as_list())
        self.ndim = len(self.shape)
        self.dtype = np.dtype(tensor.dtype.as_numpy_dtype)


def _initializer_run(iterator):
    return lambda: state.get_session().run(iterator.initializer)


def _ones(output, count, target):
    if output.mode == 'temporal':
        return np.ones(target.shape[:2], np.float32)
    return np.ones(count, np.float32)


def _is_generator(x):
    return isinstance(x, data_utils.Sequence) or (hasattr(x, '__next__') and not isinstance(x, ops.Tensor)) or (
        hasattr(x, '__getitem__') and hasattr(x, '__len__') and hasattr(x, 'on_epoch_end'))


def _peeked(source, look):
    """Calls a function with the first batch; returns a source that still begins with it."""
    if hasattr(source, '__getitem__'):
        look(source[0])
        return source
    first = next(source)
    look(first)

    def chained():
        yield first
        yield from source

    return chained()
