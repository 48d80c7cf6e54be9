"""The base class of callbacks, and the list of callbacks of a training."""

from ramet.api import export


@export('keras.callbacks.Callback')
class Callback:
    """The base class of callbacks: objects that training informs of its progress.

    Attributes:
      params: a dict with verbose, epochs, steps, batch_size, samples, metrics and do_validation.
      model: the model.
    """

    def __init__(self):
        self.validation_data = None
        self.model = None
        self.params = None

    def set_params(self, params):
        """Sets `params`.

        Args:
          params: a dict.
        """
        self.params = params

    def set_model(self, model):
        """Sets `model`.

        Args:
          model: a Model.
        """
        self.model = model

    def on_epoch_begin(self, epoch, logs=None):
        """Called before each epoch.

        Args:
          epoch: the number of the epoch, counted from 0.
          logs: a dict.
        """

    def on_epoch_end(self, epoch, logs=None):
        """Called after each epoch.

        Args:
          epoch: the number of the epoch, counted from 0.
          logs: a dict with the loss and metrics of the epoch; those of the validation begin with val_.
        """

    def on_batch_begin(self, batch, logs=None):
        """Called before each batch of a training.

        Args:
          batch: the number of the batch, counted from 0.
          logs: a dict with batch and size.
        """

    def on_batch_end(self, batch, logs=None):
        """Called after each batch of a training.

        Args:
          batch: the number of the batch, counted from 0.
          logs: a dict with batch, size, the loss and the metrics.
        """

    def on_train_batch_begin(self, batch, logs=None):
        """Called before each batch of a training; see on_batch_begin."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch, logs=None):
        """Called after each batch of a training; see on_batch_end."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch, logs=None):
        """Called before each batch of an evaluation; see on_batch_begin."""

    def on_test_batch_end(self, batch, logs=None):
        """Called after each batch of an evaluation; see on_batch_end."""

    def on_predict_batch_begin(self, batch, logs=None):
        """Called before each batch of a prediction; see on_batch_begin."""

    def on_predict_batch_end(self, batch, logs=None):
        """Called after each batch of a prediction; see on_batch_end."""

    def on_train_begin(self, logs=None):
        """Called before a training.

        Args:
          logs: a dict.
        """

    def on_train_end(self, logs=None):
        """Called after a training.

        Args:
          logs: a dict.
        """

    def on_test_begin(self, logs=None):
        """Called before an evaluation; see on_train_begin."""

    def on_test_end(self, logs=None):
        """Called after an evaluation; see on_train_end."""

    def on_predict_begin(self, logs=None):
        """Called before a prediction; see on_train_begin."""

    def on_predict_end(self, logs=None):
        """Called after a prediction; see on_train_end."""


class CallbackList:
    """The callbacks of a training, evaluation or prediction.

    Args:
      callbacks: a list of Callbacks.
      model: the model.
      params: see Callback.
    """

    def __init__(self, callbacks, model, params):
        self.callbacks = list(callbacks)
        for callback in self.callbacks:
            callback.set_params(params)
            callback.set_model(model)

    def call(self, event, *args):
        """Calls on_EVENT of all callbacks.

        Args:
          event: the end of a method's name, such as 'epoch_end'.
          *args: its arguments.
        """
        for callback in self.callbacks:
            getattr(callback, f'on_{event}')(*args)
