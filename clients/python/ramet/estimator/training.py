"""train_and_evaluate: trains a model, and evaluates and exports its checkpoints."""

import collections
import os

from ramet.api import export
from ramet.estimator import arguments
from ramet.estimator.estimator import Estimator
from ramet.estimator.exporters import Exporter
from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.train.checkpoint_hooks import CheckpointSaverListener
from ramet.train.step_timer import SecondOrStepTimer


def _checked_input_fn(input_fn):
    if not callable(input_fn):
        raise TypeError(f'`input_fn` must be callable, given: {input_fn}')
    return input_fn


def _checked_exporters(exporters):
    if exporters is None:
        return ()
    if isinstance(exporters, Exporter):
        exporters = [exporters]
    names = []
    try:
        exporters = list(exporters)
    except TypeError:
        raise TypeError(f'`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {exporters}.') \
            from None
    for exporter in exporters:
        if not isinstance(exporter, Exporter):
            raise TypeError(f'`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {exporter}.')
        if not exporter.name:
            names = [e.name or '<None>' for e in exporters]
            raise ValueError(f'An Exporter cannot have a name that is `None` or empty. All exporter names: {names}')
        if not isinstance(exporter.name, str):
            raise ValueError(f'An Exporter must have a string name. Given: {type(exporter.name)}')
        if exporter.name in names:
            raise ValueError('`exporters` must have unique names. Such a name cannot be reused: {}. All exporter '
                             'names: {}'.format(exporter.name, [e.name for e in exporters]))
        names.append(exporter.name)
    return tuple(exporters)


class TrainSpec(collections.namedtuple('TrainSpec', ['input_fn', 'max_steps', 'hooks', 'saving_listeners'])):
    """How train_and_evaluate trains."""

    def __new__(cls, input_fn, max_steps=None, hooks=None, saving_listeners=None):
        """Creates the settings.

        Args:
          input_fn: an input function, as for Estimator.train.
          max_steps: int, the global step to train to, or None to train until the inputs end.
          hooks: an iterable of SessionRunHooks.
          saving_listeners: an iterable of CheckpointSaverListeners.

        Raises:
          ValueError: if max_steps is not positive.
          TypeError: if an argument has the wrong type.
        """
        input_fn = _checked_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f'Must specify max_steps > 0, given: {max_steps}')
        return super().__new__(cls, input_fn, max_steps, tuple(arguments.checked_hooks(hooks)),
                               tuple(arguments.checked_listeners(saving_listeners)))


export('estimator.TrainSpec')(TrainSpec)


class EvalSpec(collections.namedtuple('EvalSpec', [
        'input_fn', 'steps', 'name', 'hooks', 'exporters', 'start_delay_secs', 'throttle_secs'])):
    """How train_and_evaluate evaluates and exports."""

    def __new__(cls, input_fn, steps=100, name=None, hooks=None, exporters=None, start_delay_secs=120,
                throttle_secs=600):
        """Creates the settings.

        Args:
          input_fn: an input function, as for Estimator.evaluate.
          steps: int, the number of batches, or None for all.
          name: str, the name of the evaluation, for the folder of its event files.
          hooks: an iterable of SessionRunHooks.
          exporters: an Exporter, or an iterable of these.
          start_delay_secs: ignored; it is for a separate evaluator.
          throttle_secs: int, the least number of seconds between two evaluations.

        Raises:
          ValueError: if a number is invalid, or exporters have the same name.
          TypeError: if an argument has the wrong type.
        """
        input_fn = _checked_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f'Must specify steps > 0, given: {steps}')
        if name is not None and not isinstance(name, str):
            raise TypeError(f'`name` must be string, given: {name}')
        for value, what in ((start_delay_secs, 'start_delay_secs'), (throttle_secs, 'throttle_secs')):
            if value < 0:
                raise ValueError(f'Must specify {what} >= 0, given: {value}')
        return super().__new__(cls, input_fn, steps, name, tuple(arguments.checked_hooks(hooks)),
                               _checked_exporters(exporters), start_delay_secs, throttle_secs)


export('estimator.EvalSpec')(EvalSpec)


class _Evaluator:
    """Evaluates and exports the latest checkpoint, each only once."""

    def __init__(self, estimator, eval_spec, max_steps):
        self._estimator = estimator
        self._spec = eval_spec
        self._max_steps = max_steps
        self._previous = None

    def evaluate(self):
        """Returns (metrics, list of the paths of exported models), or None if there is no new checkpoint."""
        path = self._estimator.latest_checkpoint()
        if not path or path == self._previous:
            return None
        metrics = self._estimator.evaluate(
            input_fn=self._spec.input_fn, steps=self._spec.steps, name=self._spec.name, checkpoint_path=path,
            hooks=self._spec.hooks)
        self._previous = path
        is_final = bool(self._max_steps and metrics[ops.GraphKeys.GLOBAL_STEP] >= self._max_steps)
        return metrics, self._export(path, metrics, is_final)

    def _export(self, path, metrics, is_final):
        base = os.path.join(self._estimator.model_dir, 'export')
        return [exporter.export(self._estimator, os.path.join(base, exporter.name), checkpoint_path=path,
                                eval_result=metrics, is_the_final_export=is_final)
                for exporter in self._spec.exporters]


class _EvaluatingListener(CheckpointSaverListener):
    """Evaluates checkpoints of a training run, except the first one."""

    def __init__(self, evaluator, throttle_secs):
        self._evaluator = evaluator
        self._throttle_secs = throttle_secs
        self.result = None, None

    def begin(self):
        self._timer = SecondOrStepTimer(every_secs=self._throttle_secs)
        self._is_first = True

    def after_save(self, session, global_step_value):
        del session
        if self._is_first:
            self._is_first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            logging.info('Skip the current checkpoint eval due to throttle secs (%s secs).', self._throttle_secs)

    def end(self, session, global_step_value):
        del session
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step):
        self._timer.update_last_triggered_step(step)
        result = self._evaluator.evaluate()
        if result is None:
            raise RuntimeError('There was no new checkpoint after the training.Eval status: no new checkpoint')
        self.result = result


@export('estimator.train_and_evaluate')
def train_and_evaluate(estimator, train_spec, eval_spec):
    """Trains a model, and evaluates and exports checkpoints in between and at the end.

    Args:
      estimator: an Estimator. Its RunConfig says when checkpoints are saved.
      train_spec: a TrainSpec.
      eval_spec: an EvalSpec.

    Returns:
      (the metrics of the last evaluation, the results of the exporters), or (None, None) if the model had been trained
      to max_steps before.

    Raises:
      TypeError: if an argument has the wrong type.
    """
    for value, kind, name in ((estimator, Estimator, 'estimator'), (train_spec, TrainSpec, 'train_spec'),
                              (eval_spec, EvalSpec, 'eval_spec')):
        if not isinstance(value, kind):
            raise TypeError(f'`{name}` must have type `tf.estimator.{kind.__name__}`, given {type(value)}')
    logging.info('Running training and evaluation locally (non-distributed).')
    logging.info('Start train and evaluate loop. The evaluate will happen after every checkpoint. Checkpoint frequency '
                 'is determined based on RunConfig arguments: save_checkpoints_steps %s or save_checkpoints_secs %s.',
                 estimator.config.save_checkpoints_steps, estimator.config.save_checkpoints_secs)
    listener = _EvaluatingListener(
        _Evaluator(estimator, eval_spec, train_spec.max_steps), eval_spec.throttle_secs)
    estimator.train(input_fn=train_spec.input_fn, max_steps=train_spec.max_steps, hooks=list(train_spec.hooks),
                    saving_listeners=[*train_spec.saving_listeners, listener])
    return listener.result
