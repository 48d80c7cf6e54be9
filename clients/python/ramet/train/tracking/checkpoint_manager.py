"""tf.train.CheckpointManager, which numbers the checkpoints of a tf.train.Checkpoint and removes old ones."""

import collections
import os
import time

from ramet.api import export
from ramet.framework import ops
from ramet.lib import paths, tf_logging
from ramet.train import checkpoint_management, training_util
from ramet.train.tracking.load_status import session_or_default


@export('train.CheckpointManager')
class CheckpointManager:
    """Saves numbered checkpoints in a folder, keeps the latest ones and removes the others.

    Args:
      checkpoint: a tf.train.Checkpoint.
      directory: str, the folder.
      max_to_keep: how many checkpoints to keep; None keeps all.
      keep_checkpoint_every_n_hours: in each period of this length, one checkpoint is kept permanently; or None.
      checkpoint_name: str, the name of the files without folder and number.
      step_counter: a variable that counts steps; needed for checkpoint_interval.
      checkpoint_interval: int, the minimum number of steps between two checkpoints, or None.
      init_fn: a function that initializes if no checkpoint exists, for restore_or_initialize.

    Raises:
      ValueError: if max_to_keep is not positive, or checkpoint_interval lacks step_counter.
    """

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None,
                 checkpoint_name='ckpt', step_counter=None, checkpoint_interval=None, init_fn=None):
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f'Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.')
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError('`step_counter` should be passed if `checkpoint_interval` is not None.')
        self._checkpoint = checkpoint
        self._assign = None
        self._max_to_keep = max_to_keep
        self._keep_every_n_hours = keep_checkpoint_every_n_hours
        self._directory = paths.to_text(os.fspath(directory))
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._init_fn = init_fn
        self._steps = (step_counter, checkpoint_interval)
        self._last_step = None
        self._recover()

    def _recover(self):
        """Reads the state file of an earlier process."""
        state = checkpoint_management.get_checkpoint_state(self._directory)
        now = time.time()
        self._maybe_delete = collections.OrderedDict()
        self._latest_checkpoint = None
        self._last_preserved = now - 1.
        if state is None:
            return
        self._latest_checkpoint = state.model_checkpoint_path
        self._last_preserved = state.last_preserved_timestamp
        if now < self._last_preserved:
            tf_logging.warning('time.time() returned a value %f seconds behind the last preserved checkpoint '
                               'timestamp.', self._last_preserved - now)
            self._last_preserved = now
        known = list(state.all_model_checkpoint_paths)
        times = list(state.all_model_checkpoint_timestamps) or [self._last_preserved] * len(known)
        for path, at in zip(known, times):
            if min(at, now) > self._last_preserved:
                self._maybe_delete[path] = min(at, now)

    @property
    def directory(self):
        """The folder of the checkpoints."""
        return self._directory

    @property
    def checkpoint(self):
        """The tf.train.Checkpoint."""
        return self._checkpoint

    @property
    def checkpoint_interval(self):
        """The minimum number of steps between two checkpoints, or None."""
        return self._steps[1]

    @property
    def latest_checkpoint(self):
        """The prefix of the latest checkpoint, or None."""
        return self._latest_checkpoint

    @property
    def checkpoints(self):
        """The prefixes of the checkpoints that may be removed later, the oldest first."""
        return list(self._maybe_delete)

    def save(self, checkpoint_number=None, check_interval=True, session=None):
        """Saves a checkpoint, and removes those that are too many.

        Args:
          checkpoint_number: an int, or a variable or tensor with one, to use in place of the save counter.
          check_interval: whether to save only if checkpoint_interval steps have passed.
          session: the Session whose values are saved, or None for the default one.

        Returns:
          str, the prefix, or None if it is too early.

        Raises:
          ValueError: if `session` is None and no default session exists.
        """
        session = session_or_default(session)
        if self._is_too_early(session, check_interval):
            return None
        self._count(session)
        if checkpoint_number is None:
            checkpoint_number = self._checkpoint.save_counter
        if not isinstance(checkpoint_number, int):
            checkpoint_number = training_util.global_step(session, checkpoint_number)
        path = self._checkpoint.write(f'{self._prefix}-{checkpoint_number}', session)
        self._maybe_delete.pop(path, None)
        self._maybe_delete[path] = time.time()
        self._latest_checkpoint = path
        self._record()
        self._sweep()
        self._record()
        return path

    def _is_too_early(self, session, check_interval):
        counter, interval = self._steps
        if interval is None:
            return False
        step = training_util.global_step(session, counter)
        if self._last_step is not None:
            passed = step - self._last_step
            if passed <= 0 or (check_interval and passed < interval):
                return True
        self._last_step = step
        return False

    def _count(self, session):
        if ops.executing_eagerly():
            self._checkpoint.save_counter.assign_add(1)
            return
        if self._checkpoint._save_counter is None:
            session.run(self._checkpoint.save_counter.initializer)
        if self._assign is None:
            self._assign = self._checkpoint.save_counter.assign_add(1, read_value=False)
        session.run(self._assign)

    def _record(self):
        known, times = zip(*self._maybe_delete.items())
        checkpoint_management.record_checkpoints(
            self._directory, self._latest_checkpoint, list(known), list(times), self._last_preserved)

    def _sweep(self):
        """Removes the oldest checkpoints beyond max_to_keep, apart from those that are kept permanently."""
        if not self._max_to_keep:
            return
        while len(self._maybe_delete) > self._max_to_keep:
            path, at = self._maybe_delete.popitem(last=False)
            if self._keep_every_n_hours and at - self._keep_every_n_hours * 3600. >= self._last_preserved:
                self._last_preserved = at
                continue
            checkpoint_management.remove_checkpoint(path)

    def restore_or_initialize(self):
        """Restores the latest checkpoint, or calls init_fn if none exists.

        Returns:
          The prefix of the checkpoint, or None.
        """
        if self._latest_checkpoint is not None:
            self._checkpoint.restore(self._latest_checkpoint).initialize_or_restore()
            return self._latest_checkpoint
        if self._init_fn is not None:
            self._init_fn()
        return None
