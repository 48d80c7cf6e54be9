"""One training run of an estimator, with the hooks that observe and save it."""

from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.summary import summary
from ramet.train import saver, training_util
from ramet.train.checkpoint_hooks import CheckpointSaverHook
from ramet.train.monitored_session import MonitoredTrainingSession
from ramet.train.monitoring_hooks import LoggingTensorHook, NanTensorHook


def run(config, graph, made, hooks, saving_listeners):
    """Trains a model until a hook or the inputs stop it, and returns the last loss, or None.

    Args:
      config: a RunConfig with a folder.
      graph: the graph of the model, the default graph.
      made: the EstimatorSpec.
      hooks: a list of SessionRunHooks.
      saving_listeners: a list of CheckpointSaverListeners.

    Raises:
      ValueError: if there are listeners, and nothing saves checkpoints.
    """
    if not any(item.op.name == 'loss' for item in ops.get_collection(ops.GraphKeys.SUMMARIES)):
        summary.scalar('loss', made.loss)
    ops.add_to_collection(ops.GraphKeys.LOSSES, made.loss)
    hooks = [*hooks, *_observing_hooks(config, graph, made), *made.training_hooks]
    _add_saver(config, made)
    chief_hooks = _saving_hooks(config, made, hooks, saving_listeners)
    loss, any_step_done = None, False
    with MonitoredTrainingSession(
            master=config.master, is_chief=config.is_chief, checkpoint_dir=config.model_dir, scaffold=made.scaffold,
            hooks=hooks, chief_only_hooks=(*chief_hooks, *made.training_chief_hooks), save_checkpoint_secs=0,
            save_summaries_steps=config.save_summary_steps, config=config.session_config,
            log_step_count_steps=config.log_step_count_steps) as session:
        while not session.should_stop():
            _, loss = session.run([made.train_op, made.loss])
            any_step_done = True
    if not any_step_done:
        logging.warning('Training with estimator made no steps. Perhaps input is empty or misspecified.')
    return loss


def _observing_hooks(config, graph, made):
    hooks = [NanTensorHook(made.loss)]
    if config.log_step_count_steps is not None:
        hooks.append(LoggingTensorHook({'loss': made.loss, 'step': training_util.get_global_step(graph)},
                                       every_n_iter=config.log_step_count_steps))
    return hooks


def _add_saver(config, made):
    if not (made.scaffold.saver or ops.get_collection(ops.GraphKeys.SAVERS)):
        ops.add_to_collection(ops.GraphKeys.SAVERS, saver.Saver(
            sharded=True, max_to_keep=config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours, defer_build=True,
            save_relative_paths=True))


def _saving_hooks(config, made, hooks, saving_listeners):
    """Returns the list of the hook that saves checkpoints, or [] if the program has its own. Adds the listeners."""
    found = [hook for hook in (*hooks, *made.training_chief_hooks) if isinstance(hook, CheckpointSaverHook)]
    created = []
    if not found and (config.save_checkpoints_secs or config.save_checkpoints_steps):
        created = found = [CheckpointSaverHook(
            config.model_dir, save_secs=config.save_checkpoints_secs, save_steps=config.save_checkpoints_steps,
            scaffold=made.scaffold)]
    if saving_listeners:
        if not found:
            raise ValueError('There should be a CheckpointSaverHook to use saving_listeners. Please set one of the '
                             'RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs.')
        found[0]._listeners.extend(saving_listeners)
    return created
