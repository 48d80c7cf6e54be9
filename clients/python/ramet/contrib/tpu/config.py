"""RunConfig and TPUConfig, the settings of a TPUEstimator."""

import collections
import json
import os

from ramet.api import export
from ramet.estimator import run_config
from ramet.lib import tf_logging as logging


@export('contrib.tpu.InputPipelineConfig', 'estimator.tpu.InputPipelineConfig')
class InputPipelineConfig:
    """The ways in which a TPU gets its inputs.

    Attributes:
      PER_SHARD_V1: one input function per core.
      PER_HOST_V1: one per host.
      PER_HOST_V2: one per host, whose batches are for one core.
      BROADCAST: one for all hosts.
      SLICED: one for all hosts, whose batches are split.
    """

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


class TPUConfig(collections.namedtuple('TPUConfig', [
        'iterations_per_loop', 'num_shards', 'num_cores_per_replica', 'per_host_input_for_training', 'tpu_job_name',
        'initial_infeed_sleep_secs', 'input_partition_dims', 'eval_training_input_configuration',
        'experimental_host_call_every_n_steps'])):
    """The settings of a TPU. Without one, they are checked and have no effect."""

    def __new__(cls, iterations_per_loop=2, num_shards=None, num_cores_per_replica=None,
                per_host_input_for_training=True, tpu_job_name=None, initial_infeed_sleep_secs=None,
                input_partition_dims=None, eval_training_input_configuration=InputPipelineConfig.PER_HOST_V1,
                experimental_host_call_every_n_steps=1):
        """Creates the settings.

        Args:
          iterations_per_loop: int, the number of steps that a TPU runs at a time.
          num_shards: int, the number of replicas, or None.
          num_cores_per_replica: int, the number of cores of a replica, or None.
          per_host_input_for_training: bool, or one of InputPipelineConfig.
          tpu_job_name: str, the name of the TPU's job, or None.
          initial_infeed_sleep_secs: int, the seconds before the first inputs, or None.
          input_partition_dims: a list of how inputs are split over cores, or None.
          eval_training_input_configuration: one of InputPipelineConfig.
          experimental_host_call_every_n_steps: int, the steps between two host calls.

        Raises:
          ValueError: if a value is invalid.
        """
        if iterations_per_loop is not None and iterations_per_loop < 1:
            raise ValueError('TPUConfig iterations_per_loop must be positive')
        for value, name in ((num_shards, 'num_shards'), (initial_infeed_sleep_secs, 'initial_infeed_sleep_secs')):
            if value is not None and value < 1:
                raise ValueError(f'TPUConfig {name} must be positive')
        if num_cores_per_replica not in (None, 1, 2, 4, 8, 16, 32, 64, 128):
            raise ValueError('TPUConfig num_cores_per_replica must be one of [1, 2, 4, 8, 16, 32, 64, 128], or None')
        if input_partition_dims is not None and num_cores_per_replica is None:
            raise ValueError('input_partition_dims requires setting num_cores_per_replica.')
        if isinstance(per_host_input_for_training, bool):
            per_host_input_for_training = (
                InputPipelineConfig.PER_HOST_V1 if per_host_input_for_training else InputPipelineConfig.PER_SHARD_V1)
        return super().__new__(
            cls, iterations_per_loop, num_shards, num_cores_per_replica, per_host_input_for_training, tpu_job_name,
            initial_infeed_sleep_secs, input_partition_dims, eval_training_input_configuration,
            experimental_host_call_every_n_steps)


export('contrib.tpu.TPUConfig', 'estimator.tpu.TPUConfig')(TPUConfig)


@export('contrib.tpu.RunConfig', 'estimator.tpu.RunConfig')
class RunConfig(run_config.RunConfig):
    """The settings of a TPUEstimator."""

    def __init__(self, tpu_config=None, evaluation_master=None, master=None, cluster=None, **kwargs):
        """Creates the settings.

        Args:
          tpu_config: a TPUConfig, or None for the default one.
          evaluation_master: None or ''; Ramet runs graphs in this process.
          master: None or ''.
          cluster: None; a cluster belongs to TPUs.
          **kwargs: as for tf.estimator.RunConfig.

        Raises:
          ValueError: if an argument is invalid, or names a different process.
        """
        super().__init__(**kwargs)
        self._tpu_config = tpu_config or TPUConfig()
        self._cluster = cluster
        for value, name in ((master, 'master'), (evaluation_master, 'evaluation_master'), (cluster, 'cluster')):
            if value:
                raise ValueError(f'{name}={value!r}: Ramet runs graphs only in this process; leave it out')
        if os.environ.get('TF_CONFIG') and 'session_master' in json.loads(os.environ['TF_CONFIG']):
            logging.warning('TF_CONFIG has session_master, which is ignored')

    @property
    def tpu_config(self):
        """The TPUConfig."""
        return self._tpu_config

    @property
    def cluster(self):
        """The cluster, None."""
        return self._cluster

    def replace(self, **kwargs):
        """Returns a copy with other settings.

        Args:
          **kwargs: settings, as for the constructor.

        Raises:
          ValueError: if a name or value is invalid.
        """
        if 'tpu_config' not in kwargs:
            return super().replace(**kwargs)
        tpu_config = kwargs.pop('tpu_config')
        changed = super().replace(**kwargs)
        changed._tpu_config = tpu_config
        return changed
