"""Lists, finds and removes checkpoints, and maintains the `checkpoint` state file."""

import os
import time

from ramet import _core
from ramet.api import export
from ramet.core.protobuf import checkpoint_state_pb2
from ramet.lib import tf_logging as logging
from ramet.lib.paths import to_text

_without_checkpoint = None


def last_folder_without_checkpoint():
    """Returns the folder of the last call of latest_checkpoint if it found nothing, else None."""
    return _without_checkpoint


@export('train.generate_checkpoint_state_proto')
def generate_checkpoint_state_proto(save_dir, model_checkpoint_path,
                                    all_model_checkpoint_paths=None,
                                    all_model_checkpoint_timestamps=None,
                                    last_preserved_timestamp=None):
    """Returns the CheckpointState message for the state file in `save_dir`.

    Args:
      save_dir: str, the folder. If it is relative, the paths become relative to it.
      model_checkpoint_path: str, the latest checkpoint.
      all_model_checkpoint_paths: a list of str, oldest first. The latest checkpoint is appended unless
        it is the last one already.
      all_model_checkpoint_timestamps: a list of seconds since 1970, one per path.
      last_preserved_timestamp: seconds since 1970.

    Returns:
      A CheckpointState message.

    Raises:
      ValueError: if the number of times differs from the number of paths.
    """
    paths, times = _all_paths(model_checkpoint_path, all_model_checkpoint_paths,
                              all_model_checkpoint_timestamps)
    latest, paths = _core.make_checkpoint_state(to_text(save_dir), to_text(model_checkpoint_path),
                                                [to_text(p) for p in paths])
    return checkpoint_state_pb2.CheckpointState(
        model_checkpoint_path=latest, all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times, last_preserved_timestamp=last_preserved_timestamp)


def _all_paths(latest, paths, times):
    paths = [] if paths is None else paths
    if not paths or paths[-1] != latest:
        paths.append(latest)
    if times and len(times) != len(paths):
        raise ValueError('Checkpoint timestamps, if provided, must match checkpoint paths (got '
                         'paths %s and timestamps %s)' % (paths, times))
    return paths, times


@export('train.update_checkpoint_state')
def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None,
                            latest_filename=None, all_model_checkpoint_timestamps=None,
                            last_preserved_timestamp=None):
    """Writes the state file of a folder atomically.

    Args:
      save_dir: str, the folder.
      model_checkpoint_path: str, the latest checkpoint.
      all_model_checkpoint_paths: a list of str, oldest first.
      latest_filename: str, the name of the state file, or None for 'checkpoint'.
      all_model_checkpoint_timestamps: a list of seconds since 1970, one per path.
      last_preserved_timestamp: seconds since 1970.

    Raises:
      RuntimeError: if the state file would overwrite the checkpoint itself.
      ValueError: if the number of times differs from the number of paths.
    """
    latest_filename = to_text(latest_filename or 'checkpoint')
    save_dir, latest = to_text(save_dir), to_text(model_checkpoint_path)
    if latest == os.path.join(save_dir, latest_filename):
        raise RuntimeError("Save path '%s' conflicts with path used for checkpoint state.  Please "
                           "use a different save path." % latest)
    paths, times = _all_paths(latest, all_model_checkpoint_paths, all_model_checkpoint_timestamps)
    _core.write_checkpoint_state(save_dir, latest, [to_text(p) for p in paths], list(times or []),
                                 last_preserved_timestamp, latest_filename)


def record_checkpoints(save_dir, latest, known, times=None, last_preserved_timestamp=None):
    """Writes the state file of a folder with paths relative to it, so that the folder can be moved."""
    def relative(path):
        return os.path.relpath(path, save_dir) if os.path.isabs(path) else path

    update_checkpoint_state(save_dir, relative(latest), [relative(path) for path in known],
                            all_model_checkpoint_timestamps=times,
                            last_preserved_timestamp=last_preserved_timestamp)


@export('train.get_checkpoint_state')
def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """Reads the state file of a folder.

    Args:
      checkpoint_dir: str, the folder.
      latest_filename: str, the name of the state file, or None for 'checkpoint'.

    Returns:
      A CheckpointState message with paths that start with the folder, or None if there is no state
      file or it cannot be read. The latter logs a warning.

    Raises:
      ValueError: if the file names no checkpoint.
    """
    state = _core.get_checkpoint_state(to_text(checkpoint_dir), to_text(latest_filename or 'checkpoint'))
    if state is None:
        return None
    latest, paths, times, preserved = state
    return checkpoint_state_pb2.CheckpointState(
        model_checkpoint_path=latest, all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times, last_preserved_timestamp=preserved)


@export('train.latest_checkpoint')
def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """Returns the prefix of the latest checkpoint in a folder, for Saver.restore.

    Args:
      checkpoint_dir: str, the folder.
      latest_filename: str, the name of the state file, or None for 'checkpoint'.

    Returns:
      str, or None if there is no state file, or the checkpoint that it names does not exist.
    """
    global _without_checkpoint
    _without_checkpoint = None
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not state.model_checkpoint_path:
        _without_checkpoint = to_text(checkpoint_dir)
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    logging.error("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


@export('train.checkpoint_exists')
def checkpoint_exists(checkpoint_prefix):
    """Returns whether there is a checkpoint (V2 or V1) with a prefix.

    Args:
      checkpoint_prefix: str.
    """
    return _core.checkpoint_exists(to_text(checkpoint_prefix))


@export('train.get_checkpoint_mtimes')
def get_checkpoint_mtimes(checkpoint_prefixes):
    """Returns when checkpoints were written, in seconds since 1970.

    Args:
      checkpoint_prefixes: a list of str. Checkpoints that do not exist are left out of the result.
    """
    return _core.get_checkpoint_mtimes([to_text(p) for p in checkpoint_prefixes])


@export('train.remove_checkpoint')
def remove_checkpoint(checkpoint_prefix, checkpoint_format_version=2, meta_graph_suffix='meta'):
    """Removes the files of a checkpoint. Files that do not exist are ignored.

    Args:
      checkpoint_prefix: str.
      checkpoint_format_version: SaverDef.V2 or SaverDef.V1.
      meta_graph_suffix: str, the suffix of its .meta file.
    """
    _core.remove_checkpoint(to_text(checkpoint_prefix), to_text(meta_graph_suffix),
                            int(checkpoint_format_version))


@export('train.checkpoints_iterator')
def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Yields the latest checkpoint of a folder, and then each new one as it appears.

    Args:
      checkpoint_dir: str, the folder.
      min_interval_secs: the minimum number of seconds between two of them.
      timeout: seconds to wait for a new one, or None to wait forever.
      timeout_fn: a function that is called after a timeout. The iteration ends if it returns true.
        Without it, a timeout ends the iteration.

    Yields:
      str, a checkpoint's prefix.
    """
    last = None
    while True:
        new = _wait_for_new_checkpoint(checkpoint_dir, last, timeout=timeout)
        if new is None:
            if not timeout_fn or timeout_fn():
                return
            continue
        start = time.time()
        last = new
        yield new
        wait = start + min_interval_secs - time.time()
        if wait > 0:
            time.sleep(wait)


def _wait_for_new_checkpoint(checkpoint_dir, last, seconds_to_sleep=1, timeout=None):
    stop = None if timeout is None else time.time() + timeout
    while True:
        latest = latest_checkpoint(checkpoint_dir)
        if latest is not None and latest != last:
            return latest
        if stop is not None and time.time() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)
