"""The settings and names of tf.contrib.learn."""

from ramet.api import export
from ramet.core.protobuf import config_pb2
from ramet.estimator import run_config


@export('contrib.learn.ModeKeys')
class ModeKeys:
    """The names of the modes in which a model function is called.

    Attributes:
      TRAIN: training.
      EVAL: evaluation.
      INFER: inference.
    """

    TRAIN = 'train'
    EVAL = 'eval'
    INFER = 'infer'


@export('contrib.learn.NotFittedError')
class NotFittedError(ValueError, AttributeError):
    """A model was used before it was trained."""


@export('contrib.learn.RunConfig')
class RunConfig(run_config.RunConfig):
    """The settings of an Estimator, with the arguments of tf.contrib.learn."""

    def __init__(self, master=None, num_cores=0, log_device_placement=False, gpu_memory_fraction=1, tf_random_seed=None,
                 save_summary_steps=100, save_checkpoints_secs=run_config.USE_DEFAULT, save_checkpoints_steps=None,
                 keep_checkpoint_max=5, keep_checkpoint_every_n_hours=10000, log_step_count_steps=100,
                 evaluation_master='', model_dir=None, session_config=None):
        """Creates the settings.

        Args:
          master: None or '', this process.
          num_cores: int, the number of threads of a session, or 0 for the default.
          log_device_placement: whether to log the devices of operations.
          gpu_memory_fraction: float, the fraction of a GPU's memory to use.
          tf_random_seed: int, the graph's random seed, or None.
          save_summary_steps: int, the steps between two summaries.
          save_checkpoints_secs: the seconds between two checkpoints. Defaults to 600 unless the steps are given.
          save_checkpoints_steps: int, the steps between two checkpoints.
          keep_checkpoint_max: int, the number of latest checkpoints that are kept.
          keep_checkpoint_every_n_hours: the hours after which one more checkpoint is kept.
          log_step_count_steps: int, the steps between two log lines of the loss and the speed.
          evaluation_master: '', this process.
          model_dir: str, the folder of checkpoints and summaries.
          session_config: a ConfigProto, or None for one with the settings above.

        Raises:
          ValueError: if a value is invalid, or names a different process.
        """
        for value, name in ((master, 'master'), (evaluation_master, 'evaluation_master')):
            if value:
                raise ValueError(f'{name}={value!r}: Ramet runs graphs only in this process; leave it out')
        self._tf_config = config_pb2.ConfigProto(
            log_device_placement=log_device_placement, inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=config_pb2.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction))
        if save_checkpoints_steps is not None and save_checkpoints_secs is run_config.USE_DEFAULT:
            save_checkpoints_secs = None
        steps = run_config.USE_DEFAULT if save_checkpoints_steps is None else save_checkpoints_steps
        super().__init__(
            model_dir=model_dir, tf_random_seed=tf_random_seed, save_summary_steps=save_summary_steps,
            save_checkpoints_secs=save_checkpoints_secs, save_checkpoints_steps=steps,
            keep_checkpoint_max=keep_checkpoint_max, keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps, session_config=session_config)

    @property
    def tf_config(self):
        """The ConfigProto of the arguments."""
        return self._tf_config

    @property
    def environment(self):
        """The environment, 'local'."""
        return 'local'
