"""InMemoryEvaluatorHook, which evaluates a model during training with its current variables."""

from ramet.api import export
from ramet.estimator import event_files
from ramet.estimator.estimator import Estimator
from ramet.framework import ops
from ramet.ops.variables import variable_lists
from ramet.train import training_util
from ramet.train.session_run_hook import SessionRunHook
from ramet.train.step_timer import SecondOrStepTimer


@export('estimator.experimental.InMemoryEvaluatorHook', 'contrib.estimator.InMemoryEvaluatorHook')
class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates a model at the beginning, every so many steps, and at the end, without checkpoints."""

    def __init__(self, estimator, input_fn, steps=None, hooks=None, name=None, every_n_iter=100):
        """Creates the hook.

        Args:
          estimator: the Estimator that is trained.
          input_fn: an input function for evaluation.
          steps: int, the number of batches, or None for all.
          hooks: a list of SessionRunHooks for evaluation.
          name: str, the name of the evaluation.
          every_n_iter: int, the steps between two evaluations.

        Raises:
          ValueError: if every_n_iter is not positive.
          TypeError: if estimator is not an Estimator.
        """
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f'invalid every_n_iter={every_n_iter}.')
        if not isinstance(estimator, Estimator):
            raise TypeError(f'`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}')
        self._estimator = estimator
        self._evaluation = {'input_fn': input_fn, 'steps': steps, 'hooks': hooks}
        self._output_dir = estimator.eval_dir(name)
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)

    def begin(self):
        if training_util.get_global_step() is None:
            raise RuntimeError('Global step should be created to use InMemoryEvaluatorHook.')
        self._variables = {v.op.name: v for v in variable_lists.global_variables()}
        self._iterations = 0

    def after_create_session(self, session, coord):
        del coord
        self._evaluate(session)

    def after_run(self, run_context, run_values):
        del run_values
        self._iterations += 1
        if self._timer.should_trigger_for_step(self._iterations):
            self._evaluate(run_context.session)

    def end(self, session):
        self._evaluate(session)

    def _evaluate(self, session):
        self._timer.update_last_triggered_step(self._iterations)
        results = self._estimator._evaluate_with_values(session.run(self._variables), **self._evaluation)
        event_files.write_metrics(self._output_dir, results, results[ops.GraphKeys.GLOBAL_STEP])
