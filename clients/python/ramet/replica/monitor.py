"""ramet.ReplicaMonitor: looks at a publisher from elsewhere, and gives it orders."""

from ramet import _core
from ramet.replica.endpoint import address_text


class ReplicaMonitor:
    """What `ramet sync` asks, for programs. Thread-safe.

    Attributes:
      address: str.
    """

    def __init__(self, address, wait=0):
        """Connects to a publisher.

        Args:
          address: as the publisher's.
          wait: float, the seconds to wait for it; None: for ever.

        Raises:
          tf.errors.DeadlineExceededError: if nobody publishes there in time.
          tf.errors.PermissionDeniedError: if the publisher refuses.
          tf.errors.InvalidArgumentError: for the address.
        """
        self.address = address_text(address)
        self._core = _core.ReplicaMonitor(self.address, wait)

    def stats(self):
        """A dict: those of Publisher.stats, and connected, newest, versions (that can be taken).

        Raises:
          tf.errors.UnavailableError: if the publisher has gone.
        """
        return self._core.look()

    @property
    def signature(self):
        """What each version has: a list of (name, DType, shape as a list)."""
        return self._core.signature()

    def promote(self, label, version):
        """As Publisher.promote.

        Raises:
          tf.errors.NotFoundError: if the version is not kept (any more).
          tf.errors.UnavailableError: if the publisher has gone.
        """
        self._core.promote(label, version)

    def rollback(self, version):
        """Publishes the values of a version that is kept again, as a new version; its number.

        Raises:
          tf.errors.NotFoundError: if the version is not kept (any more).
          tf.errors.UnavailableError: if the publisher has gone.
        """
        return self._core.rollback(version)
