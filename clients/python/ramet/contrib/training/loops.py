"""Loops that train and evaluate."""

import time

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.summary import summary
from ramet.summary import writer as writer_lib
from ramet.train import (
    checkpoint_management,
    evaluation,
    monitored_session,
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


@export('contrib.training.evaluate_repeatedly')
@with_args_of(evaluation.evaluate_once, checkpoint_management.checkpoints_iterator)
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
    eval_ops = evaluation.counted(eval_ops, hooks)
    scaffold = scaffold or scaffold_lib.Scaffold()
    values, count = None, 0
    for checkpoint in checkpoint_management.checkpoints_iterator(
            checkpoint_dir, min_interval_secs=eval_interval_secs, timeout=timeout,
            timeout_fn=timeout_fn):
        values = evaluation.evaluate_counted(
            checkpoint, master, scaffold, eval_ops, feed_dict, final_ops, final_ops_feed_dict, hooks, config)
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
