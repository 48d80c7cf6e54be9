"""Estimator with the methods of tf.contrib.learn, for arrays and input functions."""

import collections

import numpy as np

from ramet.api import export
from ramet.contrib.learn.run_config import NotFittedError
from ramet.estimator import estimator as estimator_lib
from ramet.estimator.export.export_output import PredictOutput
from ramet.estimator.inputs.numpy_io import numpy_input_fn
from ramet.estimator.spec import EstimatorSpec

_FIELDS = ('mode', 'predictions', 'loss', 'train_op', 'eval_metric_ops', 'output_alternatives', 'training_chief_hooks',
           'training_hooks', 'scaffold')


class ModelFnOps(collections.namedtuple('ModelFnOps', _FIELDS)):
    """The result of a model function of tf.contrib.learn."""

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, output_alternatives=None,
                training_chief_hooks=None, training_hooks=None, scaffold=None):
        """Creates the result of a model function.

        Args:
          mode: one of ModeKeys.
          predictions: a Tensor, or a dict of Tensors.
          loss: a Tensor with one element.
          train_op: the operation of one training step.
          eval_metric_ops: a dict from names to pairs (value, update operation).
          output_alternatives: a dict from names to pairs (kind of problem, dict of Tensors), for exporting.
          training_chief_hooks: SessionRunHooks that run in training, on the chief only.
          training_hooks: SessionRunHooks that run in training.
          scaffold: a Scaffold.
        """
        return super().__new__(cls, mode, predictions, loss, train_op, eval_metric_ops or {}, output_alternatives,
                               tuple(training_chief_hooks or ()), tuple(training_hooks or ()), scaffold)

    def estimator_spec(self, default_serving_output_alternative_key=None):
        """Returns the EstimatorSpec with the same contents.

        Args:
          default_serving_output_alternative_key: the name of the default output in serving, or None.
        """
        outputs = None
        if self.output_alternatives:
            outputs = {name: PredictOutput(tensors) for name, (_, tensors) in self.output_alternatives.items()}
            if default_serving_output_alternative_key is not None:
                outputs['serving_default'] = outputs[default_serving_output_alternative_key]
        return EstimatorSpec(
            self.mode, predictions=self.predictions, loss=self.loss, train_op=self.train_op,
            eval_metric_ops=self.eval_metric_ops, export_outputs=outputs,
            training_chief_hooks=self.training_chief_hooks, training_hooks=self.training_hooks, scaffold=self.scaffold)


export('contrib.learn.ModelFnOps')(ModelFnOps)


def _input_fn_for(x, y, input_fn, batch_size, shuffle, num_epochs):
    if input_fn is not None:
        if x is not None or y is not None:
            raise ValueError('Can not provide both input_fn and x or y.')
        return input_fn
    if x is None:
        raise ValueError('Either x or input_fn must be provided.')
    arrays = {key: np.asarray(value) for key, value in x.items()} if isinstance(x, dict) else np.asarray(x)
    rows = len(next(iter(arrays.values()))) if isinstance(arrays, dict) else len(arrays)
    return numpy_input_fn(arrays, y, batch_size=batch_size or rows, num_epochs=num_epochs, shuffle=shuffle)


@export('contrib.learn.Estimator')
class Estimator(estimator_lib.Estimator):
    """A model that is built by a function, with the methods fit, evaluate and predict.

    The function returns ModelFnOps, an EstimatorSpec, or a tuple (predictions, loss, train_op).
    """

    def __init__(self, model_fn=None, model_dir=None, config=None, params=None, feature_engineering_fn=None):
        """Creates the estimator.

        Args:
          model_fn: a function of features, labels, and if it has them mode, params and config.
          model_dir: str, the folder of checkpoints and event files.
          config: a RunConfig, or None.
          params: an object for the model function, or None.
          feature_engineering_fn: a function from (features, labels) to those for the model function, or None.
        """
        self._feature_engineering_fn = feature_engineering_fn
        super().__init__(model_fn, model_dir, config, params)

    def _call_model_fn(self, features, labels, mode, config):
        if self._feature_engineering_fn is not None:
            features, labels = self._feature_engineering_fn(features, labels)
        return super()._call_model_fn(features, labels, mode, config)

    def _as_estimator_spec(self, made, mode):
        if isinstance(made, ModelFnOps):
            return made.estimator_spec()
        if isinstance(made, tuple) and not isinstance(made, EstimatorSpec) and len(made) == 3:
            return EstimatorSpec(mode, predictions=made[0], loss=made[1], train_op=made[2])
        return made

    def fit(self, x=None, y=None, input_fn=None, steps=None, batch_size=None, monitors=None, max_steps=None):
        """Trains the model.

        Args:
          x: an array or a dict of arrays, or None.
          y: an array, or None.
          input_fn: an input function, in place of x and y.
          steps: int, the number of steps. With None, the inputs or max_steps end the training.
          batch_size: int, the rows of a batch of x. Defaults to all.
          monitors: a list of SessionRunHooks.
          max_steps: int, the global step to train to.

        Returns:
          The estimator.

        Raises:
          ValueError: if both input_fn and x are given, or none.
        """
        endless = steps is not None or max_steps is not None
        input_fn = _input_fn_for(x, y, input_fn, batch_size, True, None if endless else 1)
        return self.train(input_fn, hooks=monitors, steps=steps, max_steps=max_steps)

    def partial_fit(self, x=None, y=None, input_fn=None, steps=1, batch_size=None, monitors=None):
        """Trains the model for some more steps.

        Args:
          x: as for fit.
          y: as for fit.
          input_fn: as for fit.
          steps: int, the number of steps.
          batch_size: as for fit.
          monitors: as for fit.

        Returns:
          The estimator.
        """
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def evaluate(self, x=None, y=None, input_fn=None, feed_fn=None, batch_size=None, steps=None, metrics=None,
                 name=None, checkpoint_path=None, hooks=None, log_progress=True):
        """Evaluates a checkpoint.

        Args:
          x: as for fit.
          y: as for fit.
          input_fn: as for fit.
          feed_fn: must be None.
          batch_size: as for fit.
          steps: int, the number of batches, or None for all.
          metrics: must be None; the model function returns the metrics.
          name: str, the name of the evaluation.
          checkpoint_path: str, the checkpoint, or None for the latest one.
          hooks: a list of SessionRunHooks.
          log_progress: ignored.

        Returns:
          A dict from names to values of metrics.

        Raises:
          ValueError: if an argument is invalid.
        """
        if feed_fn is not None or metrics:
            raise ValueError('evaluate: feed_fn and metrics are not supported; return metrics from the model function')
        if callable(x):  # called like tf.estimator.Estimator.evaluate(input_fn)
            x, input_fn = None, x
        input_fn = _input_fn_for(x, y, input_fn, batch_size, False, 1)
        return super().evaluate(input_fn, steps=steps, hooks=hooks, checkpoint_path=checkpoint_path, name=name)

    def predict(self, x=None, input_fn=None, batch_size=None, outputs=None, as_iterable=True,
                iterate_batches=False):
        """Returns predictions.

        Args:
          x: as for fit.
          input_fn: as for fit.
          batch_size: as for fit.
          outputs: a list of the names of predictions to return, or None for all.
          as_iterable: whether to return an iterator over examples, instead of arrays of all.
          iterate_batches: whether the iterator returns batches.

        Raises:
          NotFittedError: if there is no checkpoint.
        """
        if self.latest_checkpoint() is None:
            raise NotFittedError(f"Couldn't find trained model at {self.model_dir}.")
        input_fn = _input_fn_for(x, None, input_fn, batch_size, False, 1)
        found = super().predict(input_fn, predict_keys=outputs, yield_single_examples=not iterate_batches)
        if as_iterable:
            return found
        values = list(found)
        if values and isinstance(values[0], dict):
            return {key: np.stack([value[key] for value in values]) for key in values[0]}
        return np.stack(values)


@export('contrib.learn.SKCompat')
class SKCompat:
    """The methods fit, score and predict of scikit-learn, for an Estimator and arrays."""

    def __init__(self, estimator):
        """Creates the wrapper.

        Args:
          estimator: an Estimator of tf.contrib.learn.
        """
        self._estimator = estimator

    def fit(self, x, y, batch_size=128, steps=None, max_steps=None, monitors=None):
        """Trains the model.

        Args:
          x: an array, or a dict of arrays.
          y: an array.
          batch_size: int, the rows of a batch.
          steps: int, the number of steps.
          max_steps: int, the global step to train to.
          monitors: a list of SessionRunHooks.

        Returns:
          This object.
        """
        self._estimator.fit(x, y, batch_size=batch_size, steps=steps, max_steps=max_steps, monitors=monitors)
        return self

    def score(self, x, y, batch_size=128, steps=None, metrics=None, name=None):
        """Returns a dict of the metrics of an evaluation.

        Args:
          x: an array, or a dict of arrays.
          y: an array.
          batch_size: int, the rows of a batch.
          steps: int, the number of batches, or None for all.
          metrics: must be None.
          name: str, the name of the evaluation.
        """
        return self._estimator.evaluate(x, y, batch_size=batch_size, steps=steps, metrics=metrics, name=name)

    def predict(self, x, batch_size=128, outputs=None):
        """Returns an array of predictions, or a dict of arrays.

        Args:
          x: an array, or a dict of arrays.
          batch_size: int, the rows of a batch.
          outputs: a list of the names of predictions to return, or None for all.
        """
        return self._estimator.predict(x, batch_size=batch_size, outputs=outputs, as_iterable=False)
