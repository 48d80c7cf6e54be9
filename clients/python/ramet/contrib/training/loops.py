"""Loops that train and evaluate."""

import time

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.lib import tf_logging as logging
from ramet.ops.initializers import init_ops
from ramet.ops.variables import state_ops, variable_scope
from ramet.summary import summary
from ramet.summary import writer as writer_lib
from ramet.train import (
    checkpoint_management,
    monitored_session,
    run_control_hooks,
    session_run_hook,
    training_util,
)
from ramet.train import scaffold as scaffold_lib


@export('contrib.training.train')
@with_args_of(monitored_session.MonitoredTrainingSession)
def train(train_op, logdir, master='', is_chief=True, scaffold=None, hooks=None,
          chief_only_hooks=None, save_checkpoint_secs=600, save_summaries_steps=100, config=None,
          max_wait_secs=7200, run_metadata=None):
    """Runs a training operation until a hook requests to stop.

    Args:
      train_op: an operation or tensor that runs a step; see create_train_op.
      logdir: the folder of checkpoints and summaries, or None.
      max_wait_secs: the maximum number of seconds to wait for the session.
      run_metadata: a RunMetadata that each step fills, or None.

    Returns:
      The last value of train_op, or None if no step ran.

    Raises:
      ValueError: if there is no logdir although checkpoints or summaries are to be saved.
    """
    if logdir is None and is_chief:
        if save_summaries_steps:
            raise ValueError('logdir cannot be None when save_summaries_steps is not None')
        if save_checkpoint_secs:
            raise ValueError('logdir cannot be None when save_checkpoint_secs is not None')
    loss = None
    with monitored_session.MonitoredTrainingSession(
            master=master, is_chief=is_chief, checkpoint_dir=logdir, scaffold=scaffold,
            hooks=hooks, chief_only_hooks=chief_only_hooks,
            save_checkpoint_secs=save_checkpoint_secs, save_summaries_steps=save_summaries_steps,
            config=config, max_wait_secs=max_wait_secs) as session:
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss


@export('contrib.training.get_or_create_eval_step')
def get_or_create_eval_step():
    """Returns the variable that counts the batches of an evaluation, which is created if there is none.

    Raises:
      ValueError: if there are several such variables.
    """
    steps = ops.get_collection(ops.GraphKeys.EVAL_STEP)
    if len(steps) > 1:
        raise ValueError('Multiple tensors added to tf.GraphKeys.EVAL_STEP')
    if steps:
        return steps[0]
    return variable_scope.get_variable(
        'eval_step', shape=[], dtype=dtypes.int64, initializer=init_ops.Zeros(),
        trainable=False, collections=[ops.GraphKeys.LOCAL_VARIABLES, ops.GraphKeys.EVAL_STEP])


@export('contrib.training.StopAfterNEvalsHook')
class StopAfterNEvalsHook(session_run_hook.SessionRunHook):
    """Ends an evaluation after a number of batches.

    Args:
      num_evals: the number of batches, or None to evaluate until the input ends.
      log_progress: whether to log each batch.
    """

    def __init__(self, num_evals, log_progress=True):
        self._num_evals, self._log_progress = num_evals, log_progress
        self._completed = None

    def _set_evals_completed_tensor(self, updated_eval_step):
        self._completed = updated_eval_step

    def before_run(self, run_context):
        """Fetches the number of batches, like SessionRunHook.before_run."""
        return session_run_hook.SessionRunArgs({'evals_completed': self._completed})

    def after_run(self, run_context, run_values):
        """Stops after the last batch, like SessionRunHook.after_run."""
        completed = run_values.results['evals_completed']
        if self._log_progress:
            if self._num_evals is None:
                logging.info('Evaluation [%d]', completed)
            else:
                logging.info('Evaluation [%d/%d]', completed, self._num_evals)
        if self._num_evals is not None and completed >= self._num_evals:
            run_context.request_stop()


@export('contrib.training.SummaryAtEndHook')
class SummaryAtEndHook(session_run_hook.SessionRunHook):
    """Writes summaries at the end of a session.

    Args:
      log_dir: the folder of the summaries, if there is no writer.
      summary_writer: a tf.summary.FileWriter, or None.
      summary_op: the summaries, a tensor. Defaults to all that are in the collection.
      feed_dict: the feeds of the summaries.

    Raises:
      ValueError: if there is neither a folder nor a writer.
    """

    def __init__(self, log_dir=None, summary_writer=None, summary_op=None, feed_dict=None):
        if not log_dir and summary_writer is None:
            raise ValueError('exactly one of log_dir or summary_writer should be set')
        self._log_dir, self._summary_writer = log_dir, summary_writer
        self._summary_op, self._feed_dict = summary_op, feed_dict

    def begin(self):
        """Collects the summaries, like SessionRunHook.begin."""
        if self._summary_op is None and not ops.get_default_graph().finalized:
            self._summary_op = summary.merge_all()
        self._global_step = training_util.get_or_create_global_step()

    def after_create_session(self, session, coord):
        """Opens the writer, like SessionRunHook.after_create_session."""
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = writer_lib.FileWriterCache.get(self._log_dir)

    def end(self, session):
        """Writes the summaries, like SessionRunHook.end."""
        step = session.run(self._global_step)
        if self._summary_op is not None:
            summary = session.run(self._summary_op, self._feed_dict)
            self._summary_writer.add_summary(summary, step)
        self._summary_writer.flush()


def _with_step(eval_ops, update):
    """Returns eval_ops with the operation that counts the batch."""
    if isinstance(eval_ops, dict):
        return {**eval_ops, 'update_eval_step': update}
    if isinstance(eval_ops, (tuple, list)):
        return [*eval_ops, update]
    return [eval_ops, update]


@export('contrib.training.evaluate_once')
def evaluate_once(checkpoint_path, master='', scaffold=None, eval_ops=None, feed_dict=None,
                  final_ops=None, final_ops_feed_dict=None, hooks=None, config=None):
    """Evaluates a checkpoint.

    Args:
      checkpoint_path: the prefix of the checkpoint.
      master: must be '', which means this process.
      scaffold: a tf.train.Scaffold, or None.
      eval_ops: what to run for each batch until a hook stops or the input ends, or None.
      feed_dict: the feeds of eval_ops.
      final_ops: what to run at the end.
      final_ops_feed_dict: the feeds of final_ops.
      hooks: SessionRunHooks, such as StopAfterNEvalsHook.
      config: a ConfigProto.

    Returns:
      The values of final_ops.
    """
    hooks = list(hooks or [])
    return _evaluate(checkpoint_path, master, scaffold, _counted(eval_ops, hooks), feed_dict,
                     final_ops, final_ops_feed_dict, hooks, config)


def _counted(eval_ops, hooks):
    """Returns eval_ops with an operation that counts the batches, which the hooks see."""
    step = get_or_create_eval_step()
    if eval_ops is None:
        return None
    update = state_ops.assign_add(step, 1, use_locking=True)
    for hook in hooks:
        if hasattr(hook, '_set_evals_completed_tensor'):
            hook._set_evals_completed_tensor(update)
    return _with_step(eval_ops, update)


def _evaluate(checkpoint_path, master, scaffold, eval_ops, feed_dict, final_ops,
              final_ops_feed_dict, hooks, config):
    """Evaluates a checkpoint without adding anything to the graph, which may be finalized."""
    logging.info('Starting evaluation at %s', time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()))
    creator = scaffold_lib.ChiefSessionCreator(
        scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path, master=master,
        config=config)
    final = run_control_hooks.FinalOpsHook(final_ops, final_ops_feed_dict)
    with monitored_session.MonitoredSession(session_creator=creator,
                                            hooks=[*hooks, final]) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    logging.info('Finished evaluation at %s', time.strftime('%Y-%m-%d-%H:%M:%S', time.gmtime()))
    return final.final_ops_values


@export('contrib.training.evaluate_repeatedly')
@with_args_of(evaluate_once, checkpoint_management.checkpoints_iterator)
def evaluate_repeatedly(checkpoint_dir, master='', scaffold=None, eval_ops=None, feed_dict=None,
                        final_ops=None, final_ops_feed_dict=None, eval_interval_secs=60,
                        hooks=None, config=None, max_number_of_evaluations=None, timeout=None,
                        timeout_fn=None):
    """Evaluates each new checkpoint in a folder.

    Args:
      eval_interval_secs: the least number of seconds between two evaluations.
      max_number_of_evaluations: the number of evaluations, or None for no limit.

    Returns:
      The values of final_ops of the last evaluation, or None.

    Raises:
      ValueError: if max_number_of_evaluations is not positive.
    """
    if max_number_of_evaluations is not None and max_number_of_evaluations <= 0:
        raise ValueError('max_number_of_evaluations must be greater than 0, if not None')
    hooks = list(hooks or [])
    eval_ops = _counted(eval_ops, hooks)
    scaffold = scaffold or scaffold_lib.Scaffold()
    values, count = None, 0
    for checkpoint in checkpoint_management.checkpoints_iterator(
            checkpoint_dir, min_interval_secs=eval_interval_secs, timeout=timeout,
            timeout_fn=timeout_fn):
        values = _evaluate(checkpoint, master, scaffold, eval_ops, feed_dict, final_ops,
                           final_ops_feed_dict, hooks, config)
        count += 1
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            return values
    return values


@export('contrib.training.wait_for_new_checkpoint', 'contrib.slim.evaluation.wait_for_new_checkpoint')
def wait_for_new_checkpoint(checkpoint_dir, last_checkpoint=None, seconds_to_sleep=1,
                            timeout=None):
    """Waits until a folder has a checkpoint, or a new one.

    Args:
      checkpoint_dir: the folder.
      last_checkpoint: the prefix of the last checkpoint, or None for any.
      seconds_to_sleep: the number of seconds between two looks.
      timeout: the maximum number of seconds to wait, or None.

    Returns:
      The prefix of the new checkpoint, or None after the timeout.
    """
    logging.info('Waiting for new checkpoint at %s', checkpoint_dir)
    stop = None if timeout is None else time.time() + timeout
    while True:
        path = checkpoint_management.latest_checkpoint(checkpoint_dir)
        if path is not None and path != last_checkpoint:
            logging.info('Found new checkpoint at %s', path)
            return path
        if stop is not None and time.time() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)
