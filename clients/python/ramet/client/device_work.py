"""Counts of the work that a GPU was given."""

import collections

from ramet import _core
from ramet.framework import device, errors


class DeviceWork(collections.namedtuple('DeviceWork', [
        'launches', 'graph_launches', 'launches_in_graphs', 'fused_launches', 'merged_launches', 'copies_to_device',
        'bytes_to_device', 'copies_to_host', 'bytes_to_host'])):
    """The work that a device was given. The difference of two counts is the work in between.

    Attributes:
      launches: int, the kernels and graphs that were started.
      graph_launches: int, those of them that are graphs.
      launches_in_graphs: int, the kernels that graphs started.
      fused_launches: int, the kernels that did the work of several element-wise operations.
      merged_launches: int, the kernels that updated several variables.
      copies_to_device: int.
      bytes_to_device: int.
      copies_to_host: int.
      bytes_to_host: int.
    """

    __slots__ = ()

    def __sub__(self, before):
        return DeviceWork(*(now - then for now, then in zip(self, before)))


def work_of_device(name='/device:GPU:0'):
    """Returns the work that a GPU was given since the process started, by all sessions together.

        before = ramet.work_of_device()
        session.run(train)
        print((ramet.work_of_device() - before).launches)

    Args:
      name: str, the device.

    Returns:
      A DeviceWork.

    Raises:
      ValueError: if the name is not that of a device.
      tf.errors.NotFoundError: if no session has found such a device yet, or if its work is not counted, as on a CPU.
    """
    spec = device.DeviceSpec.from_string(name)
    counts = _core.work_of_device(spec.device_type or '', spec.device_index or 0)
    if counts is None:
        raise errors.NotFoundError(None, None, f'{name} counts no work: it is not a GPU, or no session has found it. '
                                   'RAMET_GPU chooses the driver (see docs/gpu.md)')
    return DeviceWork(*counts)
