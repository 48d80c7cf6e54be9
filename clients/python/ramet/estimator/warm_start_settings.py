"""WarmStartSettings: where an estimator gets the first values of its variables."""

import collections

from ramet.api import export
from ramet.framework import errors
from ramet.lib import io_gfile
from ramet.lib import tf_logging as logging
from ramet.train import checkpoint_management


class WarmStartSettings(collections.namedtuple('WarmStartSettings', [
        'ckpt_to_initialize_from', 'vars_to_warm_start', 'var_name_to_vocab_info', 'var_name_to_prev_var_name'])):
    """Says which variables an estimator initializes from a checkpoint when it begins to train."""

    def __new__(cls, ckpt_to_initialize_from, vars_to_warm_start='.*', var_name_to_vocab_info=None,
                var_name_to_prev_var_name=None):
        """Creates the settings.

        Args:
          ckpt_to_initialize_from: str, a checkpoint's prefix, or a folder with checkpoints.
          vars_to_warm_start: as for tf.train.warm_start.
          var_name_to_vocab_info: a dict from names of variables to VocabInfos.
          var_name_to_prev_var_name: a dict from names of variables to their names in the checkpoint.

        Raises:
          ValueError: if there is no checkpoint name.
        """
        if not ckpt_to_initialize_from:
            raise ValueError('`ckpt_to_initialize_from` MUST be set in WarmStartSettings')
        return super().__new__(cls, ckpt_to_initialize_from, vars_to_warm_start, var_name_to_vocab_info or {},
                               var_name_to_prev_var_name or {})


export('estimator.WarmStartSettings')(WarmStartSettings)


def settings_for(warm_start_from):
    """Returns the WarmStartSettings for the argument warm_start_from of an estimator, or None.

    Args:
      warm_start_from: None, WarmStartSettings, or str: a checkpoint, or a folder with checkpoints or a SavedModel.

    Raises:
      ValueError: if it has a different type.
    """
    if warm_start_from is None:
        return None
    if isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if not isinstance(warm_start_from, (str, bytes)):
        raise ValueError('warm_start_from must be a string or a WarmStartSettings, instead got '
                         f'{type(warm_start_from)}')
    if _is_saved_model(warm_start_from):
        logging.info('Warm-starting from a SavedModel')
        return WarmStartSettings(io_gfile.join(warm_start_from, 'variables', 'variables'))
    return WarmStartSettings(warm_start_from)


def _is_saved_model(folder):
    return any(io_gfile.exists(io_gfile.join(folder, name)) for name in ('saved_model.pb', 'saved_model.pbtxt'))


def checkpoint_of(settings):
    """Returns the path of the checkpoint that settings name.

    Args:
      settings: WarmStartSettings.

    Raises:
      NotFoundError: if the folder has no checkpoint.
    """
    path = settings.ckpt_to_initialize_from
    if not io_gfile.isdir(path):
        return path
    found = checkpoint_management.latest_checkpoint(path)
    if found is None:
        raise errors.NotFoundError(None, None, f'No checkpoint found in {path}')
    return found
