"""Callbacks that record and print the progress."""

import numpy as np

from ramet.api import export
from ramet.keras.callbacks.callback import Callback
from ramet.keras.utils.progress_bar import Progbar


@export('keras.callbacks.History')
class History(Callback):
    """Records the losses and metrics of epochs. Each call of fit returns one.

    Attributes:
      epoch: the numbers of the epochs.
      history: a dict from the names of losses and metrics to lists of values.
    """

    def __init__(self):
        super().__init__()
        self.epoch, self.history = [], {}

    def on_train_begin(self, logs=None):
        self.epoch, self.history = [], {}

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        self.model.history = self


@export('keras.callbacks.BaseLogger')
class BaseLogger(Callback):
    """Averages values over the batches of an epoch.

    Args:
      stateful_metrics: the names of values that are not averaged.
    """

    def __init__(self, stateful_metrics=None):
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen, self.totals = 0, {}

    def on_epoch_begin(self, epoch, logs=None):
        self.seen, self.totals = 0, {}

    def on_batch_end(self, batch, logs=None):
        size = (logs or {}).get('size', 0)
        self.seen += size
        for name, value in (logs or {}).items():
            if name in self.stateful_metrics:
                self.totals[name] = value
            else:
                self.totals[name] = self.totals.get(name, 0) + value * size

    def on_epoch_end(self, epoch, logs=None):
        for name in self.params['metrics'] if logs is not None else ():
            if name in self.totals:
                logs[name] = self.totals[name] if name in self.stateful_metrics else self.totals[name] / self.seen


@export('keras.callbacks.ProgbarLogger')
class ProgbarLogger(Callback):
    """Prints a progress bar for each epoch.

    Args:
      count_mode: 'samples' or 'steps'.
      stateful_metrics: the names of values that are not averaged over steps.

    Raises:
      ValueError: if count_mode is invalid.
    """

    def __init__(self, count_mode='samples', stateful_metrics=None):
        super().__init__()
        if count_mode not in ('samples', 'steps'):
            raise ValueError(f'Unknown `count_mode`: {count_mode}')
        self.use_steps = count_mode == 'steps'
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen, self.progbar, self.target, self.verbose, self.epochs = 0, None, None, 0, 1
        self.log_values = []

    def on_train_begin(self, logs=None):
        self.verbose, self.epochs = self.params['verbose'], self.params['epochs']

    def on_epoch_begin(self, epoch, logs=None):
        if self.verbose and self.epochs > 1:
            print(f'Epoch {epoch + 1}/{self.epochs}')
        self.begin()

    def begin(self):
        """Starts a bar."""
        self.verbose = self.params['verbose']
        self.seen = 0
        self.target = self.params['steps' if self.use_steps else 'samples']
        self.progbar = Progbar(self.target, verbose=self.verbose, stateful_metrics=self.stateful_metrics,
                               unit_name='step' if self.use_steps else 'sample') if self.verbose else None

    def on_batch_end(self, batch, logs=None):
        logs = logs or {}
        self.seen += logs.get('num_steps', 1) if self.use_steps else logs.get('size', 0)
        self.log_values = [(name, logs[name]) for name in self.params['metrics'] if name in logs]
        # The end of the epoch shows the last batch, with the results of the validation.
        if self.progbar is not None and (self.target is None or self.seen < self.target):
            self.progbar.update(self.seen, self.log_values)

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        shown = [(name, logs[name]) for name in self.params['metrics'] if name in logs]
        if self.progbar is not None:
            if self.target is None:
                self.progbar.target = self.seen
            self.progbar.stateful_metrics.update(name for name, _ in shown)
            self.progbar.update(self.seen, shown)


@export('keras.callbacks.TerminateOnNaN')
class TerminateOnNaN(Callback):
    """Stops the training when a loss is not a finite number."""

    def on_batch_end(self, batch, logs=None):
        loss = (logs or {}).get('loss')
        if loss is not None and not np.isfinite(loss):
            print(f'Batch {batch}: Invalid loss, terminating training')
            self.model.stop_training = True


@export('keras.callbacks.LambdaCallback')
class LambdaCallback(Callback):
    """Calls functions.

    Args:
      on_epoch_begin, on_epoch_end: functions (epoch, logs), or None.
      on_batch_begin, on_batch_end: functions (batch, logs), or None.
      on_train_begin, on_train_end: functions (logs), or None.
      **kwargs: further attributes, such as on_test_begin.
    """

    def __init__(self, on_epoch_begin=None, on_epoch_end=None, on_batch_begin=None, on_batch_end=None,
                 on_train_begin=None, on_train_end=None, **kwargs):
        super().__init__()
        self.__dict__.update(kwargs)
        given = {'on_epoch_begin': on_epoch_begin, 'on_epoch_end': on_epoch_end, 'on_batch_begin': on_batch_begin,
                 'on_batch_end': on_batch_end, 'on_train_begin': on_train_begin, 'on_train_end': on_train_end}
        self.__dict__.update({name: function for name, function in given.items() if function is not None})
