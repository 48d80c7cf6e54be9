"""Information about published versions, and about the version that a run used."""

import collections
import re

from ramet.client import run_metadata as run_metadata_lib


class VersionInfo(collections.namedtuple('VersionInfo', [
        'version', 'step', 'epoch', 'time', 'metrics', 'rollback_to', 'proof', 'hashes'])):
    """One published version.

    Attributes:
      version: int, counted from 1 within an epoch, or 0 if there is no version yet.
      step: int, the trainer's step, or -1 if the trainer did not give one.
      epoch: int, different for each start of a publisher.
      time: float, when it was published, in seconds since 1970 by the publisher's clock.
      metrics: a dict from str to float, the publisher's own.
      rollback_to: int, the earlier version that has the same values after a rollback; else 0.
      proof: str, whether the values are known to be the ones that were published: 'proven',
        'pending' or 'not_asked'.
      hashes: (source, content) if proof is 'proven', else None. Each is 32 hexadecimal digits:
        source is the hash of the trainer's names and values, content that of what was sent.
    """

    __slots__ = ()

    def __str__(self):
        if not self.version:
            return 'no version yet'
        step = f', step {self.step}' if self.step >= 0 else ''
        return f'version {self.version}{step}'


RunVersion = collections.namedtuple('RunVersion', ['version', 'step', 'epoch', 'proof'])
RunVersion.__doc__ = """The published version that a run used from its beginning to its end.

Attributes:
  version: int.
  step: int, the trainer's step, or -1 if the trainer did not give one.
  epoch: int, different for each start of a publisher.
  proof: str, whether the values are known to be the ones that were published: 'proven',
    'pending' or 'not_asked'.
"""

_TEXT = 'epoch %d, step %d, %s'
_PATTERN = re.compile(r'epoch (\d+), step (-?\d+), (.+)')


def write(run_metadata, control):
    """Writes the version that a run of the core used into a RunMetadata message."""
    epoch, version, step, proof = control.version()
    run_metadata.session_metadata.version = version
    run_metadata.session_metadata.name = _TEXT % (epoch, step, proof)


def run_version(run_metadata):
    """Returns the published version that a run used.

    Args:
      run_metadata: the RunMetadata message that was passed to `session.run`. The number of the
        version is in its session_metadata.version.

    Returns:
      A RunVersion, or None if the session does not follow a publisher.
    """
    told = run_metadata.session_metadata
    parts = _PATTERN.fullmatch(told.name)
    if not parts:
        return None
    return RunVersion(told.version, int(parts[2]), int(parts[1]), parts[3])


run_metadata_lib.set_version_writer(write)
