"""Hooks that stop training when a metric in the event files of evaluations meets a condition."""

import collections
import os

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.estimator.estimator import Estimator
from ramet.estimator.event_values import metric_values
from ramet.framework import dtypes, ops
from ramet.lib import io_gfile
from ramet.lib import tf_logging as logging
from ramet.ops.initializers import init_ops
from ramet.ops.variables import state_ops, variable_scope
from ramet.train import checkpoint_management, checkpoint_utils
from ramet.train.session_run_hook import SessionRunArgs, SessionRunHook
from ramet.train.step_timer import SecondOrStepTimer
from ramet.train.training_util import get_global_step


@export('estimator.experimental.make_early_stopping_hook', 'contrib.estimator.make_early_stopping_hook')
def make_early_stopping_hook(estimator, should_stop_fn, run_every_secs=60, run_every_steps=None):
    """Returns a hook that stops training when a function says so.

    Args:
      estimator: an Estimator.
      should_stop_fn: a function without arguments that returns a bool.
      run_every_secs: the seconds between two calls of the function, or None.
      run_every_steps: int, the steps between two calls, or None.

    Raises:
      TypeError: if estimator is not an Estimator.
      ValueError: if neither or both periods are given.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f'`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}')
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError('Only one of `run_every_secs` and `run_every_steps` must be set.')
    return _StopOnPredicateHook(should_stop_fn, run_every_secs, run_every_steps)


@export('estimator.experimental.make_stop_at_checkpoint_step_hook')
def make_stop_at_checkpoint_step_hook(estimator, last_step, wait_after_file_check_secs=30):
    """Returns a hook that stops training when there is a checkpoint of a global step.

    Args:
      estimator: an Estimator.
      last_step: int, the global step.
      wait_after_file_check_secs: the seconds between two checks.
    """

    def is_saved():
        latest = checkpoint_management.latest_checkpoint(estimator.model_dir)
        if not latest:
            return False
        reader = checkpoint_utils.load_checkpoint(latest)
        return int(reader.get_tensor(ops.GraphKeys.GLOBAL_STEP)) >= last_step

    return make_early_stopping_hook(estimator, is_saved, run_every_secs=wait_after_file_check_secs)


def _compared(estimator, metric_name, is_met, period):
    """Returns a hook that stops when is_met([(step, value of the metric)], eval results) is true."""
    eval_dir, min_steps, every = period
    eval_dir = eval_dir or estimator.eval_dir()

    def should_stop():
        for step, value in _history(eval_dir, metric_name):
            if step >= min_steps and is_met(value):
                logging.info('Stopping: %s = %s at step %d', metric_name, value, step)
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, **every)


def _history(eval_dir, metric_name):
    """Returns [(step, value)] of a metric, sorted by step."""
    return [(step, values[metric_name]) for step, values in read_eval_metrics(eval_dir).items()
            if metric_name in values]


@export('estimator.experimental.stop_if_higher_hook', 'contrib.estimator.stop_if_higher_hook')
def stop_if_higher_hook(estimator, metric_name, threshold, eval_dir=None, min_steps=0, run_every_secs=60,
                        run_every_steps=None):
    """Returns a hook that stops training when a metric is at least a threshold.

    Args:
      estimator: an Estimator.
      metric_name: str, such as 'accuracy'.
      threshold: a number.
      eval_dir: str, the folder of the event files, or None for estimator.eval_dir().
      min_steps: int, the global step before which evaluations do not count.
      run_every_secs: the seconds between two checks, or None.
      run_every_steps: int, the steps between two checks, or None.
    """
    return _compared(estimator, metric_name, lambda value: value >= threshold, (
        eval_dir, min_steps, {'run_every_secs': run_every_secs, 'run_every_steps': run_every_steps}))


@export('estimator.experimental.stop_if_lower_hook', 'contrib.estimator.stop_if_lower_hook')
@with_args_of(stop_if_higher_hook)
def stop_if_lower_hook(estimator, metric_name, threshold, eval_dir=None, min_steps=0, run_every_secs=60,
                       run_every_steps=None):
    """Returns a hook that stops training when a metric is at most a threshold."""
    return _compared(estimator, metric_name, lambda value: value <= threshold, (
        eval_dir, min_steps, {'run_every_secs': run_every_secs, 'run_every_steps': run_every_steps}))


@export('estimator.experimental.stop_if_no_decrease_hook', 'contrib.estimator.stop_if_no_decrease_hook')
def stop_if_no_decrease_hook(estimator, metric_name, max_steps_without_decrease, eval_dir=None, min_steps=0,
                             run_every_secs=60, run_every_steps=None):
    """Returns a hook that stops training when a metric has not decreased for a number of steps.

    Args:
      estimator: an Estimator.
      metric_name: str, such as 'loss'.
      max_steps_without_decrease: int, the number of steps.
      eval_dir: str, the folder of the event files, or None for estimator.eval_dir().
      min_steps: int, the global step before which training does not stop.
      run_every_secs: the seconds between two checks, or None.
      run_every_steps: int, the steps between two checks, or None.
    """
    return _not_improving(estimator, metric_name, max_steps_without_decrease, lambda new, best: new < best, (
        eval_dir, min_steps, {'run_every_secs': run_every_secs, 'run_every_steps': run_every_steps}))


@export('estimator.experimental.stop_if_no_increase_hook', 'contrib.estimator.stop_if_no_increase_hook')
def stop_if_no_increase_hook(estimator, metric_name, max_steps_without_increase, eval_dir=None, min_steps=0,
                             run_every_secs=60, run_every_steps=None):
    """Returns a hook that stops training when a metric has not increased for a number of steps.

    Args:
      estimator: an Estimator.
      metric_name: str, such as 'accuracy'.
      max_steps_without_increase: int, the number of steps.
      eval_dir: str, the folder of the event files, or None for estimator.eval_dir().
      min_steps: int, the global step before which training does not stop.
      run_every_secs: the seconds between two checks, or None.
      run_every_steps: int, the steps between two checks, or None.
    """
    return _not_improving(estimator, metric_name, max_steps_without_increase, lambda new, best: new > best, (
        eval_dir, min_steps, {'run_every_secs': run_every_secs, 'run_every_steps': run_every_steps}))


def _not_improving(estimator, metric_name, max_steps, is_better, period):
    eval_dir, min_steps, every = period
    eval_dir = eval_dir or estimator.eval_dir()

    def should_stop():
        best = best_step = None
        for step, value in _history(eval_dir, metric_name):
            if step < min_steps:
                continue
            if best is None or is_better(value, best):
                best, best_step = value, step
            if step - best_step >= max_steps:
                logging.info('No improvement in metric "%s" for %d steps, which is greater than or equal to max steps '
                             '(%d) configured for early stopping.', metric_name, step - best_step, max_steps)
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, **every)


@export('contrib.estimator.read_eval_metrics')
def read_eval_metrics(eval_dir):
    """Reads the metrics in the event files of evaluations.

    Args:
      eval_dir: str, the folder.

    Returns:
      An OrderedDict from global steps to dicts from names to values.
    """
    found = {}
    for path in io_gfile.glob(os.path.join(eval_dir, '*.tfevents.*')):
        for step, values in metric_values(path):
            found[step] = values
    return collections.OrderedDict(sorted(found.items()))


class _StopOnPredicateHook(SessionRunHook):
    """Stops when a function returns true, and tells other sessions in a local variable."""

    def __init__(self, should_stop_fn, run_every_secs, run_every_steps):
        if not callable(should_stop_fn):
            raise TypeError('`should_stop_fn` must be callable.')
        self._should_stop_fn = should_stop_fn
        self._timer = SecondOrStepTimer(every_secs=run_every_secs, every_steps=run_every_steps)

    def begin(self):
        self._global_step_tensor = get_global_step()
        self._stop_var = _stop_variable()
        self._stop_op = state_ops.assign(self._stop_var, True)

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        step = run_values.results
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._should_stop_fn():
            logging.info('Requesting early stopping at global step %d', step)
            run_context.session.run(self._stop_op)
            run_context.request_stop()


def _stop_variable():
    with variable_scope.variable_scope('signal_early_stopping', reuse=variable_scope.AUTO_REUSE):
        return variable_scope.get_variable(
            'STOP', shape=[], dtype=dtypes.bool, initializer=init_ops.Constant(False), trainable=False,
            collections=[ops.GraphKeys.GLOBAL_VARIABLES])

