"""The loops over epochs and batches: training, evaluation and prediction."""

import contextlib

import numpy as np

from ramet.framework import errors
from ramet.keras.backend import state
from ramet.keras.callbacks.callback import CallbackList
from ramet.keras.callbacks.progress import History, ProgbarLogger
from ramet.keras.utils import data_utils


class ArrayBatches:
    """The batches of arrays.

    Attributes:
      steps: the number of batches in an epoch, or None if it is unknown.
      samples: the number of samples, or None if it is unknown.
      in_steps: whether progress counts steps instead of samples.
    """

    in_steps = False

    def __init__(self, arrays, batch_size, shuffle=False):
        self._arrays = arrays
        self._batch_size = batch_size
        self._shuffle = shuffle
        self.samples = next(a.shape[0] for a in arrays if a is not None)
        self.steps = -(-self.samples // batch_size)

    def epoch(self):
        """Yields (arrays, number of samples) for each batch."""
        order = np.arange(self.samples)
        if self._shuffle == 'batch':
            order = _batch_shuffled(order, self._batch_size)
        elif self._shuffle:
            np.random.shuffle(order)
        for begin in range(0, self.samples, self._batch_size):
            part = order[begin:begin + self._batch_size]
            if not self._shuffle:
                part = slice(begin, begin + len(part))
            size = len(order[begin:begin + self._batch_size])
            yield [a if a is None else a[part] for a in self._arrays], size

    def close(self):
        """Does nothing: arrays are not read ahead."""


def _batch_shuffled(order, batch_size):
    """Shuffles whole batches; the rest that fills no batch stays at the end."""
    count = len(order) // batch_size
    rest = order[count * batch_size:]
    whole = order[:count * batch_size].reshape((count, batch_size))
    np.random.shuffle(whole)
    return np.append(whole.flatten(), rest)


class GeneratorBatches:
    """The batches of a generator or a Sequence.

    Args:
      source: the generator or Sequence.
      convert: a function from a batch to arrays.
      steps: the number of batches in an epoch, or None for that of the Sequence.
      shuffle, workers, max_queue_size: see data_utils.batches_of.
    """

    in_steps = True
    samples = None

    def __init__(self, source, convert, steps, shuffle=False, workers=1, max_queue_size=10):
        if steps is None and not hasattr(source, '__len__'):
            raise ValueError('When passing a generator, the number of steps has to be specified: `steps_per_epoch`, '
                             '`validation_steps` or `steps`')
        self._convert = convert
        self.steps = len(source) if steps is None else steps
        self._batches = data_utils.batches_of(source, shuffle, workers, max_queue_size)

    def epoch(self):
        """Yields (arrays, number of samples) for each batch."""
        for _ in range(self.steps):
            batch = next(self._batches, None)
            if batch is None:
                return
            arrays = self._convert(batch)
            yield arrays, _size_of(arrays)

    def close(self):
        """Ends the threads that prepare batches."""
        self._batches.close()


class TensorBatches:
    """Batches that running tensors of the graph returns, such as the next elements of an iterator.

    Args:
      tensors: a structure of Tensors.
      convert: a function from the values of the tensors to arrays.
      steps: the number of batches in an epoch, or None for all until the end of the data.
      restart: a function that starts the data again for a new epoch, or None.
    """

    in_steps = True
    samples = None

    def __init__(self, tensors, convert, steps, restart=None):
        self._tensors = tensors
        self._convert = convert
        self.steps = steps
        self._restart = restart
        self._begun = False

    def epoch(self):
        """Yields (arrays, number of samples) for each batch."""
        if self._restart is not None and (self.steps is None or not self._begun):
            self._restart()
        self._begun = True
        run = state.get_session().make_callable(self._tensors)
        done = 0
        while self.steps is None or done < self.steps:
            try:
                values = run()
            except errors.OutOfRangeError:
                if self.steps is None:
                    self.steps = done
                return
            arrays = self._convert(values)
            yield arrays, _size_of(arrays)
            done += 1

    def close(self):
        """Does nothing: sessions own iterators."""


def _size_of(arrays):
    return next((a.shape[0] for a in arrays if a is not None and a.ndim), 1)


def _fed(function, arrays, phase):
    """Adds the value of the learning phase if the function takes it."""
    return [*arrays, phase] if len(function.inputs) > len(arrays) else arrays


class _Results:
    """Combines the results of batches: the mean of the loss, and the last values of metrics, which accumulate."""

    def __init__(self, by_samples):
        self._by_samples = by_samples
        self._total, self._count, self._rest = 0., 0, []

    def add(self, results, size):
        factor = size if self._by_samples else 1
        self._total += results[0] * factor
        self._count += factor
        self._rest = results[1:]

    def values(self):
        return [self._total / self._count if self._count else self._total, *map(float, self._rest)]


def fit(model, batches, epochs, verbose, callbacks, validation, initial_epoch=0, validation_freq=1):
    """Trains a model; returns a History.

    Args:
      model: a compiled Model.
      batches: ArrayBatches, GeneratorBatches or TensorBatches.
      epochs: the number of the last epoch.
      verbose: 0, 1 or 2; see Progbar.
      callbacks: a list of Callbacks.
      validation: batches for the evaluation after each epoch, or None.
      initial_epoch: the number of the first epoch.
      validation_freq: after how many epochs to evaluate, or a list of the epochs.
    """
    function = model._compiled.function('train')
    names = model.metrics_names
    history = History()
    bar = ProgbarLogger('steps' if batches.in_steps else 'samples', stateful_metrics=names[1:])
    shown = [*names, *(f'val_{name}' for name in names)] if validation is not None else list(names)
    params = {'batch_size': getattr(batches, '_batch_size', None), 'epochs': epochs, 'steps': batches.steps,
              'samples': batches.samples, 'verbose': verbose, 'do_validation': validation is not None,
              'metrics': shown}
    run = CallbackList([*callbacks, history, bar], model, params)
    model.stop_training = False
    model.history = history
    run.call('train_begin', {})
    for epoch in range(initial_epoch, epochs):
        model._compiled.reset_metrics()
        logs = {}
        run.call('epoch_begin', epoch, logs)
        results = _Results(not batches.in_steps)
        _train_epoch(model, function, batches, run, names, results)
        logs.update(zip(names, results.values()))
        if validation is not None and _due(validation_freq, epoch) and not model.stop_training:
            logs.update((f'val_{name}', value) for name, value in zip(names, evaluate(model, validation, run)))
        run.call('epoch_end', epoch, logs)
        if model.stop_training:
            break
    run.call('train_end', {})
    return history


def _train_epoch(model, function, batches, run, names, results):
    with contextlib.closing(batches.epoch()) as epoch:
        for index, (arrays, size) in enumerate(epoch):
            logs = {'batch': index, 'size': size}
            run.call('train_batch_begin', index, logs)
            values = function(_fed(function, arrays, True))
            results.add(values, size)
            logs.update(zip(names, values))
            run.call('train_batch_end', index, logs)
            if model.stop_training:
                return


def _due(validation_freq, epoch):
    if isinstance(validation_freq, int):
        if validation_freq < 1:
            raise ValueError('`validation_freq` can not be less than 1.')
        return (epoch + 1) % validation_freq == 0
    return epoch + 1 in validation_freq


def evaluate(model, batches, run=None, verbose=0, by_samples=True):
    """Returns the loss and metrics of a model, a list.

    Args:
      model: a compiled Model.
      batches: see fit.
      run: the CallbackList.
      verbose: whether to print a progress bar.
      by_samples: whether each sample instead of each batch has the same weight in the loss.
    """
    function = model._compiled.function('test')
    names = model.metrics_names
    model._compiled.reset_metrics()
    results = _Results(by_samples)
    bar = _bar(batches, verbose, names)
    if run is not None:
        run.call('test_begin', {})
    for index, (arrays, size) in enumerate(batches.epoch()):
        logs = {'batch': index, 'size': size}
        if run is not None:
            run.call('test_batch_begin', index, logs)
        values = function(_fed(function, arrays, False))
        results.add(values, size)
        logs.update(zip(names, values))
        if run is not None:
            run.call('test_batch_end', index, logs)
        bar.on_batch_end(index, logs)
    bar.on_epoch_end(0, dict(zip(names, results.values())))
    if run is not None:
        run.call('test_end', {})
    return results.values()


def _bar(batches, verbose, names=()):
    bar = ProgbarLogger('steps' if batches.in_steps else 'samples', stateful_metrics=names[1:])
    bar.set_params({'verbose': 1 if verbose == 1 else 0, 'steps': batches.steps, 'samples': batches.samples,
                    'metrics': list(names), 'epochs': 1})
    bar.begin()
    return bar


def predict(function, batches, model, verbose=0, callbacks=()):
    """Returns a list with an array per output.

    Args:
      function: see training_functions.predict_function.
      batches: see fit.
      model: the model.
      verbose: whether to print a progress bar.
      callbacks: a list of Callbacks.
    """
    run = CallbackList(callbacks, model, {'verbose': verbose, 'steps': batches.steps, 'samples': batches.samples,
                                          'metrics': []})
    bar = _bar(batches, verbose)
    run.call('predict_begin', {})
    parts = []
    for index, (arrays, size) in enumerate(batches.epoch()):
        logs = {'batch': index, 'size': size}
        run.call('predict_batch_begin', index, logs)
        parts.append(function(_fed(function, arrays, False)))
        run.call('predict_batch_end', index, logs)
        bar.on_batch_end(index, logs)
    bar.on_epoch_end(0, {})
    run.call('predict_end', {})
    return [np.concatenate(outputs, axis=0) for outputs in zip(*parts)]


def print_sizes(batches, validation):
    """Prints the numbers of samples or steps, as fit does before the first epoch."""
    unit = 'steps' if batches.in_steps else 'samples'
    count = batches.steps if batches.in_steps else batches.samples
    if count is None:
        return
    text = f'Train {"for" if batches.in_steps else "on"} {count} {unit}'
    if validation is not None:
        other = validation.steps if validation.in_steps else validation.samples
        if other is not None:
            text += f', validate {"for" if validation.in_steps else "on"} {other} ' \
                    f'{"steps" if validation.in_steps else "samples"}'
    print(text)
