"""tf.contrib.slim.evaluation: the evaluation loop of slim."""

from ramet.api import export
from ramet.contrib.training import loops
from ramet.docstrings import with_args_of
from ramet.summary import summary
from ramet.train import evaluation
from ramet.train import saver as saver_lib
from ramet.train import scaffold as scaffold_lib

_USE_DEFAULT = 0


def _scaffold(variables_to_restore, initial_op, feed_dict):
    saver = None
    if variables_to_restore is not None:
        saver = saver_lib.Saver(variables_to_restore)
    return scaffold_lib.Scaffold(init_op=initial_op, init_feed_dict=feed_dict, saver=saver)


def _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks):
    made = [evaluation.StopAfterNEvalsHook(num_evals), *(hooks or [])]
    if isinstance(summary_op, int) and summary_op == _USE_DEFAULT:
        summary_op = summary.merge_all()
    if summary_op is not None:
        made.append(loops.SummaryAtEndHook(log_dir=logdir, summary_op=summary_op,
                                           feed_dict=summary_op_feed_dict))
    return made


@export('contrib.slim.evaluation.evaluate_once')
def evaluate_once(master, checkpoint_path, logdir, num_evals=1, initial_op=None,
                  initial_op_feed_dict=None, eval_op=None, eval_op_feed_dict=None, final_op=None,
                  final_op_feed_dict=None, summary_op=_USE_DEFAULT, summary_op_feed_dict=None,
                  variables_to_restore=None, session_config=None, hooks=None):
    """Evaluates a checkpoint.

    Args:
      master: must be '', which means this process.
      checkpoint_path: the prefix of the checkpoint.
      logdir: the folder of the summaries.
      num_evals: the number of batches.
      initial_op: the operation that initializes the model before the checkpoint is restored, or None.
      initial_op_feed_dict: the feeds of initial_op.
      eval_op: what to run for each batch.
      eval_op_feed_dict: the feeds of eval_op.
      final_op: what to run at the end.
      final_op_feed_dict: the feeds of final_op.
      summary_op: the summaries, a tensor, or None. Defaults to all that are in the collection.
      summary_op_feed_dict: the feeds of summary_op.
      variables_to_restore: the variables to restore, or None for all.
      session_config: a ConfigProto.
      hooks: further SessionRunHooks.

    Returns:
      The value of final_op, or None.
    """
    return evaluation.evaluate_once(
        checkpoint_path, master=master,
        scaffold=_scaffold(variables_to_restore, initial_op, initial_op_feed_dict),
        eval_ops=eval_op, feed_dict=eval_op_feed_dict, final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config)


@export('contrib.slim.evaluation.evaluation_loop')
@with_args_of(evaluate_once, loops.evaluate_repeatedly)
def evaluation_loop(master, checkpoint_dir, logdir, num_evals=1, initial_op=None,
                    initial_op_feed_dict=None, init_fn=None, eval_op=None, eval_op_feed_dict=None,
                    final_op=None, final_op_feed_dict=None, summary_op=_USE_DEFAULT,
                    summary_op_feed_dict=None, variables_to_restore=None, eval_interval_secs=60,
                    max_number_of_evaluations=None, session_config=None, timeout=None,
                    timeout_fn=None, hooks=None):
    """Evaluates each new checkpoint in a folder.

    Args:
      init_fn: a function (scaffold, session) that is called after the model is initialized, or None.

    Returns:
      The value of final_op of the last evaluation, or None.
    """
    scaffold = _scaffold(variables_to_restore, initial_op, initial_op_feed_dict)
    if init_fn is not None:
        scaffold = scaffold_lib.Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict,
                                     init_fn=init_fn, saver=scaffold.saver)
    return loops.evaluate_repeatedly(
        checkpoint_dir, master=master, scaffold=scaffold, eval_ops=eval_op,
        feed_dict=eval_op_feed_dict, final_ops=final_op, final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=_hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        config=session_config, max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout, timeout_fn=timeout_fn)
