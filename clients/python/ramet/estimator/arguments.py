"""The arguments of estimators and their checks."""

import os
import tempfile

from ramet.estimator import functions, run_config
from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.train import checkpoint_management, checkpoint_utils
from ramet.train.checkpoint_hooks import CheckpointSaverListener
from ramet.train.session_run_hook import SessionRunHook


def with_model_dir(config, model_dir):
    """Returns the RunConfig of an estimator, with a folder and a session config.

    Args:
      config: a RunConfig, or None for the default one.
      model_dir: str, the folder, or None for that of config or a new temporary one.

    Raises:
      ValueError: if config has a different type, or names a different folder.
    """
    if config is None:
        config = run_config.RunConfig()
        logging.info('Using default config.')
    if not isinstance(config, run_config.RunConfig):
        raise ValueError(f'config must be an instance of `RunConfig`, but provided {config}.')
    if config.session_config is None:
        config = config.replace(session_config=run_config.default_session_config())
    if model_dir is not None:
        model_dir = os.fspath(model_dir)
        if config.model_dir is not None and config.model_dir != model_dir:
            raise ValueError('`model_dir` are set both in constructor and `RunConfig`, but with different values. In '
                             f"constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' ")
    if model_dir:
        return config.replace(model_dir=model_dir)
    if config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        logging.warning('Using temporary folder as model directory: %s', model_dir)
        return config.replace(model_dir=model_dir)
    return config


def check_model_fn(model_fn, params):
    """Raises a ValueError if a model function has arguments that nobody provides, or lacks one.

    Args:
      model_fn: a callable.
      params: the parameters for it, or None.
    """
    names = set(functions.argument_names(model_fn))
    if 'features' not in names:
        raise ValueError(f'model_fn ({model_fn}) must include features argument.')
    if params is not None and 'params' not in names:
        raise ValueError(f'model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to '
                         'Estimator.')
    if params is None and 'params' in names:
        logging.warning("Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.",
                        model_fn)
    unknown = names - {'features', 'labels', 'mode', 'params', 'config', 'self'}
    if unknown:
        raise ValueError(f'model_fn ({model_fn}) has following not expected args: {sorted(unknown)}')


def check_steps(steps, max_steps):
    """Raises a ValueError if numbers of steps are invalid.

    Args:
      steps: int, the number of steps to train, or None.
      max_steps: int, the global step to train to, or None.
    """
    if steps is not None and max_steps is not None:
        raise ValueError('Can not provide both steps and max_steps.')
    if steps is not None and steps <= 0:
        raise ValueError(f'Must specify steps > 0, given: {steps}')
    if max_steps is not None and max_steps <= 0:
        raise ValueError(f'Must specify max_steps > 0, given: {max_steps}')


def checked_hooks(hooks):
    """Returns hooks as a list.

    Args:
      hooks: an iterable of SessionRunHooks, or None.

    Raises:
      TypeError: if one has a different type.
    """
    hooks = list(hooks or [])
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f'Hooks must be a SessionRunHook, given: {hook}')
    return hooks


def checked_listeners(listeners):
    """Returns listeners as a list.

    Args:
      listeners: an iterable of CheckpointSaverListeners, or None.

    Raises:
      TypeError: if one has a different type.
    """
    listeners = list(listeners or [])
    for listener in listeners:
        if not isinstance(listener, CheckpointSaverListener):
            raise TypeError('saving_listeners must be a list of CheckpointSaverListener, given: {}'.format(listener))
    return listeners


def step_of_checkpoint(folder):
    """Returns the global step of the latest checkpoint in a folder, 0 without one.

    Args:
      folder: str.
    """
    latest = checkpoint_management.latest_checkpoint(folder)
    if not latest:
        return 0
    reader = checkpoint_utils.load_checkpoint(latest)
    return int(reader.get_tensor(ops.GraphKeys.GLOBAL_STEP)) if reader.has_tensor(ops.GraphKeys.GLOBAL_STEP) else 0
