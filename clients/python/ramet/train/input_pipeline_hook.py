"""A hook that saves and restores the positions of input pipelines."""

from ramet.api import export
from ramet.data.iterator import GLOBAL_ITERATORS
from ramet.data.iterator_state import IteratorSaveable
from ramet.framework import ops
from ramet.train import checkpoint_management
from ramet.train.checkpoint_hooks import CheckpointSaverHook
from ramet.train.saver import Saver
from ramet.train.session_run_hook import SessionRunHook


class _InputSaver(Saver):
    """A Saver whose checkpoints have a state file of their own."""

    def __init__(self, saveables, latest_filename):
        super().__init__(saveables)
        self._latest_filename = latest_filename

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix='meta',
             write_meta_graph=True, write_state=True, strip_default_attrs=False, save_debug_info=False):
        return super().save(sess, save_path, global_step, latest_filename or self._latest_filename, meta_graph_suffix,
                            False, write_state, strip_default_attrs, save_debug_info)


@export('data.experimental.CheckpointInputPipelineHook', 'contrib.data.CheckpointInputPipelineHook')
class CheckpointInputPipelineHook(SessionRunHook):
    """Saves the positions of all iterators when the estimator saves checkpoints, and restores them at the first step.

        estimator.train(input_fn, hooks=[tf.data.experimental.CheckpointInputPipelineHook(estimator)])
    """

    def __init__(self, estimator, external_state_policy=None):
        """Creates the hook.

        Args:
          estimator: an Estimator. Its folder gets files whose names begin with "input", besides those of the model.
          external_state_policy: as in make_saveable_from_iterator.
        """
        config = estimator.config
        prefix = 'input'
        if config.num_worker_replicas > 1:
            prefix = f'input_{config.task_type}_{config.task_id}'
        self._policy = external_state_policy or 'fail'
        self._latest_filename = f'checkpoint_{prefix}'
        self._hook = CheckpointSaverHook(
            estimator.model_dir, save_secs=config.save_checkpoints_secs, save_steps=config.save_checkpoints_steps,
            checkpoint_basename=f'{prefix}.ckpt', save_graph_def=False)
        self._first_run = True

    def begin(self):
        saveables = [IteratorSaveable(resource, resource.name, self._policy)
                     for resource in ops.get_collection(GLOBAL_ITERATORS)]
        self._hook._saver = _InputSaver(saveables, self._latest_filename)
        self._hook.begin()

    def after_create_session(self, session, coord):
        # The hook that initializes the iterators may come later, so that this one waits for the first step.
        self._first_run = True

    def before_run(self, run_context):
        if self._first_run:
            self._restore_or_save(run_context.session)
            self._first_run = False
        return self._hook.before_run(run_context)

    def _restore_or_save(self, session):
        latest = checkpoint_management.latest_checkpoint(self._hook._checkpoint_dir, self._latest_filename)
        if latest:
            self._hook._saver.restore(session, latest)
            return
        step = session.run(self._hook._global_step_tensor)
        self._hook._save(session, step)
        self._hook._timer.update_last_triggered_step(step)

    def after_run(self, run_context, run_values):
        self._hook.after_run(run_context, run_values)

    def end(self, session):
        self._hook.end(session)
