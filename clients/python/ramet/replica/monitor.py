"""Implements ramet.ReplicaMonitor, which inspects and controls a publisher from any process."""

from ramet import _core
from ramet.replica.endpoint import address_text


class ReplicaMonitor:
    """Inspects and controls a publisher, like the command `ramet sync`. Thread-safe.

    Attributes:
      address: str.
    """

    def __init__(self, address, wait=0):
        """Connects to a publisher.

        Args:
          address: the publisher's address.
          wait: float, the seconds to wait for the publisher. None waits forever.

        Raises:
          tf.errors.NotFoundError: if there is no publisher, and `wait` is 0.
          tf.errors.DeadlineExceededError: if no publisher appears at the address in time.
          tf.errors.PermissionDeniedError: if the publisher refuses the connection.
          tf.errors.InvalidArgumentError: if the address is invalid.
        """
        self.address = address_text(address)
        self._core = _core.ReplicaMonitor(self.address, wait)

    def stats(self):
        """Returns the statistics of Publisher.stats, plus connected, newest and versions, as a dict.

        `versions` lists the versions that are retained.

        Raises:
          tf.errors.UnavailableError: if the publisher has ended.
        """
        return self._core.look()

    @property
    def signature(self):
        """The signature of each version: a list of (name, DType, shape as a list)."""
        return self._core.signature()

    def promote(self, label, version):
        """Asks the publisher to point a label at a version; see Publisher.promote.

        Args:
          label: str, the label.
          version: int, the version's number.

        Raises:
          tf.errors.NotFoundError: if the version is not retained.
          tf.errors.UnavailableError: if the publisher has ended.
        """
        self._core.promote(label, version)

    def rollback(self, version):
        """Asks the publisher to publish the values of a retained version again, as a new version.

        Args:
          version: int, the version's number.

        Returns:
          int, the number of the new version.

        Raises:
          tf.errors.NotFoundError: if the version is not retained.
          tf.errors.UnavailableError: if the publisher has ended.
        """
        return self._core.rollback(version)
