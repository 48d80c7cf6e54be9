"""TPUClusterResolver, which programs for TPUs import."""

from ramet.api import export
from ramet.framework import errors


@export('contrib.cluster_resolver.TPUClusterResolver', 'distribute.cluster_resolver.TPUClusterResolver')
class TPUClusterResolver:
    """Finds the address of a TPU. Ramet has no TPUs, so that it cannot be created."""

    def __init__(self, tpu=None, zone=None, project=None, job_name='worker', coordinator_name=None,
                 coordinator_address=None, credentials='default', service=None, discovery_url=None):
        """Raises an error.

        Args:
          tpu: the name of a TPU.
          zone: its zone.
          project: its project.
          job_name: the name of the job in the cluster.
          coordinator_name: the name of the job that coordinates.
          coordinator_address: the address of the coordinator.
          credentials: the credentials for the service.
          service: the service.
          discovery_url: the address of the service.

        Raises:
          tf.errors.UnimplementedError: always.
        """
        raise errors.UnimplementedError(
            None, None, f'TPUClusterResolver(tpu={tpu!r}): Ramet does not run graphs on TPUs; use it on the CPU or a '
            'GPU, for example with --use_tpu=false')
