"""Experiment and learn_runner: a model with its data, and what to do with them."""

from ramet.api import export
from ramet.estimator import functions
from ramet.estimator.training import EvalSpec, TrainSpec, train_and_evaluate


@export('contrib.learn.Experiment')
class Experiment:
    """An Estimator with the inputs for training and evaluation.

    Attributes:
      estimator: the Estimator.
      train_steps: the global step to train to.
      eval_steps: the number of batches of an evaluation.
    """

    def __init__(self, estimator, train_input_fn, eval_input_fn, eval_metrics=None, train_steps=None, eval_steps=100,
                 train_monitors=None, eval_hooks=None, eval_delay_secs=120, continuous_eval_throttle_secs=60,
                 min_eval_frequency=None, export_strategies=None, saving_listeners=None):
        """Creates the experiment.

        Args:
          estimator: an Estimator.
          train_input_fn: an input function for training.
          eval_input_fn: an input function for evaluation.
          eval_metrics: must be None; the model function returns the metrics.
          train_steps: int, the global step to train to, or None for all inputs.
          eval_steps: int, the number of batches of an evaluation, or None for all.
          train_monitors: a list of SessionRunHooks for training.
          eval_hooks: a list of SessionRunHooks for evaluation.
          eval_delay_secs: ignored; it is for a separate evaluator.
          continuous_eval_throttle_secs: the least number of seconds between two evaluations.
          min_eval_frequency: ignored; each checkpoint may be evaluated.
          export_strategies: a list of tf.estimator.Exporters, or None.
          saving_listeners: a list of CheckpointSaverListeners.

        Raises:
          ValueError: if eval_metrics are given.
        """
        if eval_metrics is not None:
            raise ValueError('eval_metrics: return metrics from the model function instead')
        self._estimator = estimator
        self._train_steps, self._eval_steps = train_steps, eval_steps
        self._train_spec = TrainSpec(train_input_fn, train_steps, train_monitors, saving_listeners)
        self._eval_spec = EvalSpec(eval_input_fn, eval_steps, None, eval_hooks, export_strategies, eval_delay_secs,
                                   continuous_eval_throttle_secs)

    estimator = property(lambda self: self._estimator)
    train_steps = property(lambda self: self._train_steps)
    eval_steps = property(lambda self: self._eval_steps)

    def train(self, delay_secs=None):
        """Trains the model.

        Args:
          delay_secs: ignored; it is for workers.
        """
        del delay_secs
        spec = self._train_spec
        return self._estimator.train(spec.input_fn, hooks=list(spec.hooks), max_steps=spec.max_steps,
                                     saving_listeners=list(spec.saving_listeners))

    def evaluate(self, delay_secs=None, name=None):
        """Evaluates the model, and returns a dict of metrics.

        Args:
          delay_secs: ignored; it is for workers.
          name: str, the name of the evaluation.
        """
        del delay_secs
        spec = self._eval_spec
        return self._estimator.evaluate(input_fn=spec.input_fn, steps=spec.steps, hooks=list(spec.hooks), name=name)

    def train_and_evaluate(self):
        """Trains the model, evaluates checkpoints, and returns (metrics of the last evaluation, exported models)."""
        return train_and_evaluate(self._estimator, self._train_spec, self._eval_spec)

    def local_run(self):
        """Does what train_and_evaluate does."""
        return self.train_and_evaluate()

    def test(self):
        """Trains and evaluates for one step each, and returns (metrics, [])."""
        spec = self._train_spec
        self._estimator.train(spec.input_fn, steps=1, hooks=list(spec.hooks))
        return self._estimator.evaluate(input_fn=self._eval_spec.input_fn, steps=1), []


@export('contrib.learn.learn_runner.run')
def run(experiment_fn, output_dir=None, schedule=None, run_config=None, hparams=None):
    """Makes an experiment and runs it.

    Args:
      experiment_fn: a function of (run_config, hparams), or of output_dir, that returns an Experiment.
      output_dir: str, the folder of the model, for a function of output_dir.
      schedule: str, the method of the experiment to call. Defaults to 'train_and_evaluate'.
      run_config: a RunConfig with a folder, for a function of run_config.
      hparams: the hyperparameters.

    Returns:
      The result of the method.

    Raises:
      ValueError: if the folder is missing or given twice, or there is no such method.
      TypeError: if experiment_fn cannot be called, or returns a different object.
    """
    if (output_dir is None) == (run_config is None):
        raise ValueError('Must set value for `output_dir` or `run_config`, and not both.')
    if not callable(experiment_fn):
        raise TypeError('Experiment builder "%s" is not callable.' % experiment_fn)
    if run_config is not None:
        if not run_config.model_dir:
            raise ValueError('Must specify a model directory `model_dir` in `run_config`.')
        experiment = functions.call_with_known(experiment_fn, run_config, hparams=hparams)
    else:
        experiment = experiment_fn(output_dir)
    if not isinstance(experiment, Experiment):
        raise TypeError('Experiment builder did not return an Experiment instance, got %s instead.' % type(experiment))
    schedule = schedule or 'train_and_evaluate'
    if not callable(getattr(experiment, schedule, None)):
        raise ValueError(f'Schedule references non-existent task {schedule}')
    return getattr(experiment, schedule)()
