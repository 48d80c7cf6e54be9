"""The devices of this process (tensorflow.python.client.device_lib)."""

from ramet.client.session import Session
from ramet.core.framework import device_attributes_pb2
from ramet.framework.graph import Graph


def list_local_devices(session_config=None):
    """Returns the devices that a session has.

    Args:
      session_config: a ConfigProto, or None for the default one.

    Returns:
      A list of DeviceAttributes with `name`, such as '/device:GPU:0', and `device_type`.

    Raises:
      tf.errors.OpError: if the GPU that RAMET_GPU asks for cannot be used.
    """
    with Session(graph=Graph(), config=session_config) as session:
        return [
            device_attributes_pb2.DeviceAttributes(
                name='/' + device.name.rsplit('/', 1)[-1], device_type=device.device_type)
            for device in session.list_devices()
        ]
