"""Callbacks that change or stop a training."""

import logging

import numpy as np

from ramet.api import export
from ramet.keras.backend import values
from ramet.keras.callbacks.callback import Callback


def _comparison(mode, monitor):
    """Returns a function that compares a value with the best one, and the worst value."""
    if mode not in ('auto', 'min', 'max'):
        logging.getLogger('tensorflow').warning('Mode %s is unknown, fallback to auto mode.', mode)
        mode = 'auto'
    larger = mode == 'max' or (mode == 'auto' and ('acc' in monitor or monitor.startswith('fmeasure')))
    return (np.greater, -np.inf) if larger else (np.less, np.inf)


def _missing(callback, monitor, logs):
    logging.getLogger('tensorflow').warning('%s conditioned on metric `%s` which is not available. Available metrics '
                                            'are: %s', callback, monitor, ','.join(logs))


@export('keras.callbacks.EarlyStopping')
class EarlyStopping(Callback):
    """Stops the training when a value has stopped improving.

    Args:
      monitor: the name of the value.
      min_delta: the smallest change that counts as an improvement.
      patience: how many epochs without improvement to wait.
      verbose: whether to print a message.
      mode: 'min', 'max' or 'auto', which chooses by the name.
      baseline: a value to be better than, or None.
      restore_best_weights: whether to go back to the variables of the best epoch at the end.
    """

    def __init__(self, monitor='val_loss', min_delta=0, patience=0, verbose=0, mode='auto', baseline=None,
                 restore_best_weights=False):
        super().__init__()
        self.monitor = monitor
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.restore_best_weights = restore_best_weights
        if mode not in ('auto', 'min', 'max'):
            logging.getLogger('tensorflow').warning('EarlyStopping mode %s is unknown, fallback to auto mode.', mode)
            mode = 'auto'
        larger = mode == 'max' or (mode == 'auto' and 'acc' in monitor)
        self.monitor_op = np.greater if larger else np.less
        self.min_delta = abs(min_delta) if larger else -abs(min_delta)
        self.wait = self.stopped_epoch = 0
        self.best = self.best_weights = None

    def on_train_begin(self, logs=None):
        self.wait = self.stopped_epoch = 0
        worst = np.inf if self.monitor_op is np.less else -np.inf
        self.best = worst if self.baseline is None else self.baseline

    def on_epoch_end(self, epoch, logs=None):
        current = self.get_monitor_value(logs)
        if current is None:
            return
        if self.monitor_op(current - self.min_delta, self.best):
            self.best, self.wait = current, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = epoch
            self.model.stop_training = True
            if self.restore_best_weights and self.best_weights is not None:
                if self.verbose > 0:
                    print('Restoring model weights from the end of the best epoch.')
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose > 0:
            print(f'Epoch {self.stopped_epoch + 1:05d}: early stopping')

    def get_monitor_value(self, logs):
        """Returns the value to compare, or None.

        Args:
          logs: a dict with the loss and metrics of the epoch.
        """
        logs = logs or {}
        if self.monitor not in logs:
            _missing('Early stopping', self.monitor, logs)
        return logs.get(self.monitor)


@export('keras.callbacks.ModelCheckpoint')
class ModelCheckpoint(Callback):
    """Saves the model after epochs.

    Args:
      filepath: the name of the file, which may contain {epoch} and the names of values, such as {val_loss:.2f}.
      monitor: the name of the value that `save_best_only` compares.
      verbose: whether to print a message.
      save_best_only: whether to save only if the value is the best so far.
      save_weights_only: whether to save only the values of variables.
      mode: 'min', 'max' or 'auto', which chooses by the name.
      save_freq: 'epoch', or a number of samples.
      **kwargs: `period`, the number of epochs between two files.

    Raises:
      ValueError: if save_freq is invalid.
    """

    def __init__(self, filepath, monitor='val_loss', verbose=0, save_best_only=False, save_weights_only=False,
                 mode='auto', save_freq='epoch', **kwargs):
        super().__init__()
        self.monitor = monitor
        self.verbose = verbose
        self.filepath = filepath
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq = save_freq
        self.period = kwargs.pop('period', 1)
        kwargs.pop('load_weights_on_restart', None)
        if kwargs:
            raise TypeError(f'Unexpected keyword arguments of ModelCheckpoint: {sorted(kwargs)}')
        if save_freq != 'epoch' and not isinstance(save_freq, int):
            raise ValueError(f'Unrecognized save_freq: {save_freq}')
        self.monitor_op, self.best = _comparison(mode, monitor)
        self._epochs = self._samples = self._epoch = 0

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch = epoch

    def on_batch_end(self, batch, logs=None):
        if isinstance(self.save_freq, int):
            self._samples += (logs or {}).get('size', 1)
            if self._samples >= self.save_freq:
                self._save(self._epoch, logs or {})
                self._samples = 0

    def on_epoch_end(self, epoch, logs=None):
        self._epochs += 1
        if self.save_freq == 'epoch' and self._epochs >= self.period:
            self._epochs = 0
            self._save(epoch, logs or {})

    def _save(self, epoch, logs):
        path = self.filepath.format(epoch=epoch + 1, **logs)
        if self.save_best_only:
            current = logs.get(self.monitor)
            if current is None:
                logging.getLogger('tensorflow').warning('Can save best model only with %s available, skipping.',
                                                        self.monitor)
                return
            if not self.monitor_op(current, self.best):
                if self.verbose > 0:
                    print(f'\nEpoch {epoch + 1:05d}: {self.monitor} did not improve from {self.best:0.5f}')
                return
            if self.verbose > 0:
                print(f'\nEpoch {epoch + 1:05d}: {self.monitor} improved from {self.best:0.5f} to {current:0.5f}, '
                      f'saving model to {path}')
            self.best = current
        elif self.verbose > 0:
            print(f'\nEpoch {epoch + 1:05d}: saving model to {path}')
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)


@export('keras.callbacks.LearningRateScheduler')
class LearningRateScheduler(Callback):
    """Sets the learning rate at the start of each epoch.

    Args:
      schedule: a function (epoch, learning rate) or (epoch) that returns a learning rate.
      verbose: whether to print a message.
    """

    def __init__(self, schedule, verbose=0):
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch, logs=None):
        if not hasattr(self.model.optimizer, 'lr'):
            raise ValueError('Optimizer must have a "lr" attribute.')
        try:
            rate = self.schedule(epoch, float(values.get_value(self.model.optimizer.lr)))
        except TypeError:
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise ValueError('The output of the "schedule" function should be float.')
        values.set_value(self.model.optimizer.lr, rate)
        if self.verbose > 0:
            print(f'\nEpoch {epoch + 1:05d}: LearningRateScheduler reducing learning rate to {rate}.')

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            logs['lr'] = values.get_value(self.model.optimizer.lr)


@export('keras.callbacks.ReduceLROnPlateau')
class ReduceLROnPlateau(Callback):
    """Reduces the learning rate when a value has stopped improving.

    Args:
      monitor: the name of the value.
      factor: the factor of the learning rate, below 1.
      patience: how many epochs without improvement to wait.
      verbose: whether to print a message.
      mode: 'min', 'max' or 'auto', which chooses by the name.
      min_delta: the smallest change that counts as an improvement.
      cooldown: how many epochs to wait after a reduction.
      min_lr: the smallest learning rate.
      **kwargs: `epsilon`, an old name of min_delta.

    Raises:
      ValueError: if factor is not below 1.
    """

    def __init__(self, monitor='val_loss', factor=0.1, patience=10, verbose=0, mode='auto', min_delta=1e-4,
                 cooldown=0, min_lr=0, **kwargs):
        super().__init__()
        if factor >= 1.0:
            raise ValueError('ReduceLROnPlateau does not support a factor >= 1.0.')
        self.monitor = monitor
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.mode = mode
        self.min_delta = kwargs.get('epsilon', min_delta)
        self.cooldown = cooldown
        self.min_lr = min_lr
        self._reset()

    def _reset(self):
        larger = self.mode == 'max' or (self.mode == 'auto' and 'acc' in self.monitor)
        self.best = -np.inf if larger else np.inf
        delta = self.min_delta
        self.monitor_op = (lambda a, b: a > b + delta) if larger else (lambda a, b: a < b - delta)
        self.cooldown_counter = self.wait = 0

    def on_train_begin(self, logs=None):
        self._reset()

    def on_epoch_end(self, epoch, logs=None):
        logs = logs if logs is not None else {}
        logs['lr'] = values.get_value(self.model.optimizer.lr)
        current = logs.get(self.monitor)
        if current is None:
            _missing('Reduce LR on plateau', self.monitor, logs)
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.monitor_op(current, self.best):
            self.best, self.wait = current, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(epoch)

    def _reduce(self, epoch):
        old = float(values.get_value(self.model.optimizer.lr))
        if old <= self.min_lr:
            return
        new = max(old * self.factor, self.min_lr)
        values.set_value(self.model.optimizer.lr, new)
        if self.verbose > 0:
            print(f'\nEpoch {epoch + 1:05d}: ReduceLROnPlateau reducing learning rate to {new}.')
        self.cooldown_counter, self.wait = self.cooldown, 0

    def in_cooldown(self):
        """Returns whether a reduction was made recently."""
        return self.cooldown_counter > 0
