"""RunConfig, the settings of an estimator: where and how often it saves, and the environment it runs in."""

import copy
import json
import os

from ramet.api import export
from ramet.core.protobuf import config_pb2, rewriter_config_pb2
from ramet.estimator import functions
from ramet.lib import tf_logging as logging

USE_DEFAULT = object()
_DEFAULT_SAVE_SECS = 600
_REPLACEABLE = (
    'model_dir', 'tf_random_seed', 'save_summary_steps', 'save_checkpoints_steps', 'save_checkpoints_secs',
    'session_config', 'keep_checkpoint_max', 'keep_checkpoint_every_n_hours', 'log_step_count_steps',
    'train_distribute', 'device_fn', 'protocol', 'eval_distribute', 'experimental_distribute',
    'experimental_max_worker_delay_secs', 'session_creation_timeout_secs')
_SAVE_CHECKPOINTS = '`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.'


def default_session_config():
    """Returns the ConfigProto of sessions for which the user gives none."""
    rewrite = rewriter_config_pb2.RewriterConfig(
        meta_optimizer_iterations=rewriter_config_pb2.RewriterConfig.ONE)
    return config_pb2.ConfigProto(
        allow_soft_placement=True, graph_options=config_pb2.GraphOptions(rewrite_options=rewrite))


@export('estimator.TaskType', 'contrib.learn.TaskType')
class TaskType:
    """The kinds of tasks in a cluster.

    Attributes:
      MASTER: the task that trains and evaluates.
      PS: a task that holds variables.
      WORKER: a task that trains.
      CHIEF: the worker that saves.
      EVALUATOR: a task that evaluates.
    """

    MASTER = 'master'
    PS = 'ps'
    WORKER = 'worker'
    CHIEF = 'chief'
    EVALUATOR = 'evaluator'


def _check(settings):
    """Raises a ValueError for a setting of the wrong kind."""

    def check(name, test, message):
        if settings.get(name) is not None and not test(settings[name]):
            raise ValueError(message.format(settings[name]))

    if settings['model_dir'] == '':
        raise ValueError('model_dir should be non-empty')
    check('save_summary_steps', lambda v: v >= 0, 'save_summary_steps should be >= 0')
    check('save_checkpoints_steps', lambda v: v >= 0, 'save_checkpoints_steps should be >= 0')
    check('save_checkpoints_secs', lambda v: v >= 0, 'save_checkpoints_secs should be >= 0')
    check('session_config', lambda v: isinstance(v, config_pb2.ConfigProto),
          'session_config must be instance of ConfigProto')
    check('keep_checkpoint_max', lambda v: v >= 0, 'keep_checkpoint_max should be >= 0')
    check('keep_checkpoint_every_n_hours', lambda v: v > 0, 'keep_checkpoint_every_n_hours should be > 0')
    check('log_step_count_steps', lambda v: v > 0, 'log_step_count_steps should be > 0')
    check('tf_random_seed', lambda v: isinstance(v, int), 'tf_random_seed must be integer.')
    check('device_fn', lambda v: callable(v) and set(functions.argument_names(v)) == {'op'},
          'device_fn must be callable with exactly one argument "op".')
    check('protocol', lambda v: v in ('grpc', 'grpc+verbs'),
          'protocol should be grpc or grpc+verbs')


@export('estimator.RunConfig')
class RunConfig:
    """The settings of an Estimator. Immutable; `replace` returns a changed copy.

    The environment variable TF_CONFIG, a JSON object, may give the model_dir and the cluster. Ramet runs a cluster of
    one task, in this process.
    """

    def __init__(self, model_dir=None, tf_random_seed=None, save_summary_steps=100,
                 save_checkpoints_steps=USE_DEFAULT, save_checkpoints_secs=USE_DEFAULT, session_config=None,
                 keep_checkpoint_max=5, keep_checkpoint_every_n_hours=10000, log_step_count_steps=100,
                 train_distribute=None, device_fn=None, protocol=None, eval_distribute=None,
                 experimental_distribute=None, experimental_max_worker_delay_secs=None,
                 session_creation_timeout_secs=7200):
        """Creates the settings.

        Args:
          model_dir: str, the folder of checkpoints and summaries. Defaults to that in TF_CONFIG.
          tf_random_seed: int, the graph's random seed, or None.
          save_summary_steps: int, the steps between two summaries.
          save_checkpoints_steps: int, the steps between two checkpoints. None or 0 disables them.
          save_checkpoints_secs: the seconds between two checkpoints. Defaults to 600 unless the steps are given.
          session_config: a ConfigProto, or None for the default one.
          keep_checkpoint_max: int, the number of latest checkpoints that are kept; 0 and None keep all.
          keep_checkpoint_every_n_hours: the hours after which one more checkpoint is kept.
          log_step_count_steps: int, the steps between two log lines of the loss and the speed, or None.
          train_distribute: must be None; Ramet has no distribution strategies.
          device_fn: a function from an operation to its device, or None.
          protocol: None, 'grpc' or 'grpc+verbs'; ignored.
          eval_distribute: must be None.
          experimental_distribute: must be None.
          experimental_max_worker_delay_secs: ignored.
          session_creation_timeout_secs: ignored; it is for workers.

        Raises:
          ValueError: if a value is invalid, both periods of checkpoints are given, or TF_CONFIG is malformed or
            describes several tasks.
        """
        if save_checkpoints_steps is USE_DEFAULT and save_checkpoints_secs is USE_DEFAULT:
            save_checkpoints_steps, save_checkpoints_secs = None, _DEFAULT_SAVE_SECS
        elif save_checkpoints_secs is USE_DEFAULT:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is USE_DEFAULT:
            save_checkpoints_steps = None
        elif save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError(_SAVE_CHECKPOINTS)
        values = locals()
        self._environment = _Environment(json.loads(os.environ.get('TF_CONFIG') or '{}'))
        self._settings = {name: values[name] for name in _REPLACEABLE}
        self._settings['model_dir'] = self._environment.checked_model_dir(model_dir)
        if any((train_distribute, eval_distribute, experimental_distribute)):
            raise ValueError('train_distribute, eval_distribute: Ramet has no distribution strategies; leave them out')
        _check(self._settings)

    def __getattr__(self, name):
        settings = self.__dict__.get('_settings')
        if settings is not None:
            if name in settings:
                return settings[name]
            if name.startswith('_') and name[1:] in settings:
                return settings[name[1:]]
        raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')

    @property
    def cluster_spec(self):
        """The cluster of TF_CONFIG, a dict from the names of jobs to lists of addresses."""
        return self._environment.cluster

    @property
    def master(self):
        """The address of the session, '' for this process."""
        return ''

    @property
    def evaluation_master(self):
        """The address of the session for evaluation, '' for this process."""
        return ''

    @property
    def is_chief(self):
        """True if this task saves checkpoints."""
        return self._environment.task_type != TaskType.EVALUATOR

    @property
    def task_type(self):
        """The kind of this task, one of TaskType."""
        return self._environment.task_type

    @property
    def task_id(self):
        """The number of this task in its job."""
        return self._environment.task_id

    @property
    def global_id_in_cluster(self):
        """The number of this task in the cluster."""
        return 0 if self.is_chief else None

    @property
    def num_ps_replicas(self):
        """The number of tasks that hold variables, 0."""
        return 0

    @property
    def num_worker_replicas(self):
        """The number of tasks that train: 1, or 0 for an evaluator."""
        return 1 if self.is_chief else 0

    @property
    def service(self):
        """The entry 'service' of TF_CONFIG, or None."""
        return self._environment.service

    def replace(self, **kwargs):
        """Returns a copy with other settings.

        Args:
          **kwargs: settings, as for the constructor.

        Raises:
          ValueError: if a name or value is invalid, or both periods of checkpoints are given.
        """
        for name in kwargs:
            if name not in _REPLACEABLE:
                raise ValueError('Replacing {} is not supported. Allowed properties are {}.'.format(
                    name, list(_REPLACEABLE)))
        periods = ('save_checkpoints_steps', 'save_checkpoints_secs')
        if all(kwargs.get(name) is not None for name in periods):
            raise ValueError(_SAVE_CHECKPOINTS)
        changed = copy.copy(self)
        changed._settings = {**self._settings, **kwargs}
        for name, other in (periods, periods[::-1]):
            if name in kwargs:
                changed._settings[other] = kwargs.get(other)
        _check(changed._settings)
        return changed

    def __repr__(self):
        return f'{type(self).__name__}({self._settings})'


class _Environment:
    """The contents of TF_CONFIG."""

    def __init__(self, config):
        if not isinstance(config, dict):
            raise ValueError(f'TF_CONFIG must be a JSON object, but is: {config}')
        if config:
            logging.info('TF_CONFIG environment variable: %s', config)
        task = config.get('task') or {}
        self.cluster = config.get('cluster') or {}
        self.service = config.get('service')
        self.task_type = task.get('type', TaskType.WORKER if not self.cluster else None)
        self.task_id = int(task.get('index', 0))
        self._model_dir = config.get('model_dir')
        if self.cluster and self.task_type is None:
            raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
        if self.task_id < 0:
            raise ValueError('Task index must be non-negative number.')
        if sum(map(len, self.cluster.values())) > 1:
            raise ValueError(f'TF_CONFIG describes a cluster of several tasks: {self.cluster}; Ramet runs graphs only '
                             'in this process. Unset TF_CONFIG, or leave one task in "cluster"')

    def checked_model_dir(self, model_dir):
        """Returns the folder that the constructor or TF_CONFIG names."""
        if self._model_dir == '':
            raise ValueError('model_dir in TF_CONFIG should be non-empty.')
        if model_dir and self._model_dir and model_dir != self._model_dir:
            raise ValueError('`model_dir` provided in RunConfig construct, if set, must have the same value as the '
                             f'model_dir in TF_CONFIG. model_dir: {model_dir}\nTF_CONFIG["model_dir"]: '
                             f'{self._model_dir}.\n')
        return model_dir if model_dir is not None else self._model_dir
