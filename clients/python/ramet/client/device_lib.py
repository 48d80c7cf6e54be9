"""The devices of this machine, as tensorflow.python.client.device_lib lists them."""

from ramet.client.session import Session
from ramet.core.framework import device_attributes_pb2
from ramet.framework.graph import Graph

# The limit that TensorFlow reports for its CPU device, which has none.
_CPU_MEMORY_LIMIT = 256 << 20


def list_local_devices(session_config=None):
    """Returns the devices that graphs can run on, a list of DeviceAttributes messages.

    Args:
      session_config: a ConfigProto whose device_count sets the number of devices, or None.

    Returns:
      Messages with `name`, such as '/device:GPU:0', and `device_type`. The memory of a GPU is not set.

    Raises:
      tf.errors.OpError: if the GPU that RAMET_GPU asks for cannot be used.
    """
    with Session(graph=Graph(), config=session_config) as session:
        names = [device.name for device in session.list_devices()]
    return [_attributes(name[name.index('/device:'):]) for name in names]


def _attributes(name):
    device_type = name.split(':')[1]
    return device_attributes_pb2.DeviceAttributes(
        name=name, device_type=device_type, memory_limit=_CPU_MEMORY_LIMIT if device_type == 'CPU' else 0, locality={},
        incarnation=hash(name) & 0x7FFFFFFFFFFFFFFF or 1, xla_global_id=-1)
