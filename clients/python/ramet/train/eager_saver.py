"""The part of tf.train.Saver that saves variables of eager execution."""

import os
import time

from ramet.lib import paths
from ramet.train import checkpoint_management, saved_names
from ramet.train.tracking import eager_files


class EagerSaver:
    """Saves the variables of a Saver, and restores them."""

    def __init__(self, saver):
        self._saver = saver
        self._kept = []  # (path, time), oldest first
        self._next_permanent = time.time() + self._period()

    def _period(self):
        return self._saver._keep_checkpoint_every_n_hours * 3600.

    def last_checkpoints(self):
        """Returns the prefixes of the checkpoints that may be removed later, the oldest first."""
        return [path for path, _ in self._kept]

    def set_last_checkpoints(self, pairs):
        """Replaces the checkpoints that may be removed later.

        Args:
          pairs: a list of (prefix, seconds since 1970), the oldest first.
        """
        self._kept = list(pairs)

    def _variables(self):
        """Returns {name: variable}, sorted by name."""
        var_list = self._saver._var_list
        named = var_list if isinstance(var_list, dict) else saved_names.of_list(var_list)
        return dict(sorted(named.items()))

    def save(self, prefix, global_step, latest_filename, write_state):
        """Writes a checkpoint and removes old ones; returns its prefix."""
        if global_step is not None:
            step = int(global_step)
            prefix += f'-{step:08d}' if self._saver._pad_step_number else f'-{step}'
        named = self._variables()
        eager_files.write(prefix, list(named), [variable.value() for variable in named.values()])
        if write_state:
            self._record(prefix)
            checkpoint_management.update_checkpoint_state(
                os.path.dirname(prefix), prefix, self.last_checkpoints(),
                paths.to_text(latest_filename or 'checkpoint'))
        return prefix

    def _record(self, prefix):
        """Adds a checkpoint to those that may be removed later, and removes the oldest beyond max_to_keep."""
        if not self._saver._max_to_keep:
            return
        self._kept = [(path, at) for path, at in self._kept if path != prefix] + [(prefix, time.time())]
        while len(self._kept) > self._saver._max_to_keep:
            path, at = self._kept.pop(0)
            if at > self._next_permanent:
                self._next_permanent += self._period()
            else:
                checkpoint_management.remove_checkpoint(path)

    def restore(self, prefix):
        """Restores the variables from a checkpoint."""
        if not checkpoint_management.checkpoint_exists(prefix):
            raise ValueError('The passed save_path is not a valid checkpoint: ' + prefix)
        eager_files.restore(prefix, [(variable, name) for name, variable in self._variables().items()])
