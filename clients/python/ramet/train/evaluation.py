"""Evaluates one checkpoint: runs update operations until a hook or the inputs stop them."""

import time

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.lib import tf_logging as logging
from ramet.ops.initializers import init_ops
from ramet.ops.variables import state_ops, variable_scope
from ramet.train.monitored_session import MonitoredSession
from ramet.train.run_control_hooks import FinalOpsHook
from ramet.train.scaffold import ChiefSessionCreator
from ramet.train.session_run_hook import SessionRunArgs, SessionRunHook

_TIME = '%Y-%m-%dT%H:%M:%SZ'


@export('contrib.training.get_or_create_eval_step')
def get_or_create_eval_step():
    """Returns the local variable 'eval_step' of the default graph, and creates it if there is none.

    Raises:
      ValueError: if the graph has several.
    """
    found = ops.get_default_graph().get_collection(ops.GraphKeys.EVAL_STEP)
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError('Multiple tensors added to tf.GraphKeys.EVAL_STEP')
    return variable_scope.get_variable(
        'eval_step', shape=[], dtype=dtypes.int64, initializer=init_ops.Zeros(), trainable=False,
        collections=[ops.GraphKeys.LOCAL_VARIABLES, ops.GraphKeys.EVAL_STEP])


@export('contrib.training.StopAfterNEvalsHook')
class StopAfterNEvalsHook(SessionRunHook):
    """Stops after a number of evaluation steps, and logs about ten times in between."""

    def __init__(self, num_evals, log_progress=True):
        """Creates the hook.

        Args:
          num_evals: int, the number of steps; None runs to the end of the inputs.
          log_progress: whether to log.
        """
        self._num_evals = num_evals
        self._evals_completed = None
        self._log_progress = log_progress
        self._log_frequency = 1 if num_evals is None or num_evals < 20 else num_evals // 10

    def _set_evals_completed_tensor(self, updated_eval_step):
        self._evals_completed = updated_eval_step

    def before_run(self, run_context):
        return SessionRunArgs({'evals_completed': self._evals_completed})

    def after_run(self, run_context, run_values):
        done = run_values.results['evals_completed']
        if self._log_progress and (self._num_evals is None or done % self._log_frequency == 0
                                   or done == self._num_evals):
            total = '' if self._num_evals is None else f'/{self._num_evals}'
            logging.info('Evaluation [%d%s]', done, total)
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


def _with_step(eval_ops, update):
    if isinstance(eval_ops, dict):
        return {**eval_ops, 'update_eval_step': update}
    if isinstance(eval_ops, (tuple, list)):
        return [*eval_ops, update]
    return [eval_ops, update]


def _operations(eval_ops):
    values = eval_ops.values() if isinstance(eval_ops, dict) else eval_ops
    return [getattr(value, 'op', value) for value in values]


def counted(eval_ops, hooks):
    """Returns eval_ops with an operation that counts steps. Hooks that stop after N steps get the count.

    None stays None.
    """
    if eval_ops is None:
        return None
    step = get_or_create_eval_step()
    eval_ops = _with_step(eval_ops, state_ops.assign_add(step, 1, use_locking=True))
    with ops.control_dependencies(_operations(eval_ops)):
        count = step.read_value()
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(count)
    return eval_ops


@export('contrib.training.evaluate_once')
def evaluate_once(checkpoint_path, master='', scaffold=None, eval_ops=None, feed_dict=None,
                  final_ops=None, final_ops_feed_dict=None, hooks=None, config=None):
    """Evaluates one checkpoint.

    Args:
      checkpoint_path: str, the checkpoint to restore, or None to initialize variables.
      master: must be '', which means this process.
      scaffold: a Scaffold, or None.
      eval_ops: fetches of each step: a tensor, an operation, or a list or dict of these. None runs no steps.
      feed_dict: the feeds of each step.
      final_ops: fetches that are evaluated at the end.
      final_ops_feed_dict: their feeds.
      hooks: a list of SessionRunHooks. One of them, or the end of the inputs, stops the evaluation.
      config: a ConfigProto.

    Returns:
      The values of final_ops, or None.
    """
    hooks = list(hooks or [])
    return evaluate_counted(checkpoint_path, master, scaffold, counted(eval_ops, hooks), feed_dict, final_ops,
                            final_ops_feed_dict, hooks, config)


def evaluate_counted(checkpoint_path, master, scaffold, eval_ops, feed_dict, final_ops, final_ops_feed_dict, hooks,
                     config):
    """Evaluates one checkpoint like evaluate_once, with eval_ops that `counted` returned.

    It adds nothing to the graph but what the session and the hooks need.
    """
    started = time.time()
    logging.info('Starting evaluation at %s', time.strftime(_TIME, time.localtime()))
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    creator = ChiefSessionCreator(scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path,
                                  master=master, config=config)
    with MonitoredSession(creator, [*hooks, final]) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
    logging.info('Inference Time : %.5fs', time.time() - started)
    logging.info('Finished evaluation at %s', time.strftime(_TIME, time.localtime()))
    return final.final_ops_values
