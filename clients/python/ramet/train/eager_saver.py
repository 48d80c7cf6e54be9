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
        self._kept = [(path, at) for path, at in self._kept if path != prefix] + [(prefix, time.time())]
        if write_state:
            self._sweep()
            checkpoint_management.update_checkpoint_state(
                os.path.dirname(prefix), prefix, [path for path, _ in self._kept],
                paths.to_text(latest_filename or 'checkpoint'))
        return prefix

    def _sweep(self):
        while self._saver._max_to_keep and len(self._kept) > self._saver._max_to_keep:
            checkpoint_management.remove_checkpoint(self._kept.pop(0)[0])

    def restore(self, prefix):
        """Restores the variables from a checkpoint."""
        if not checkpoint_management.checkpoint_exists(prefix):
            raise ValueError('The passed save_path is not a valid checkpoint: ' + prefix)
        eager_files.restore(prefix, [(variable, name) for name, variable in self._variables().items()])
