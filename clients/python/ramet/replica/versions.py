"""What is known of published versions, and of the one that a run saw."""

import collections
import re


class VersionInfo(collections.namedtuple('VersionInfo', [
        'version', 'step', 'epoch', 'time', 'metrics', 'rollback_to', 'proof', 'hashes'])):
    """One published version.

    Attributes:
      version: int, counted from 1 within an epoch; 0: there is none yet.
      step: int, the trainer's; -1 if it did not say.
      epoch: int, another one for each start of a publisher.
      time: float, when it was published, in seconds since 1970 by the publisher's clock.
      metrics: a dict from str to float, the publisher's own.
      rollback_to: int, the version whose values these are again; 0 if they are its own.
      proof: str, whether the values are known to be what was published: 'proven', 'pending', or
        'not_asked'.
      hashes: (source, content) if that is proven, else None: 32 hexadecimal digits each, of the
        trainer's names and values, and of what was sent.
    """

    __slots__ = ()

    def __str__(self):
        if not self.version:
            return 'no version yet'
        step = f', step {self.step}' if self.step >= 0 else ''
        return f'version {self.version}{step}'


RunVersion = collections.namedtuple('RunVersion', ['version', 'step', 'epoch', 'proof'])
RunVersion.__doc__ = """The published version that a run saw from its beginning to its end.

Attributes:
  version: int.
  step: int, the trainer's; -1 if it did not say.
  epoch: int, another one for each start of a publisher.
  proof: str, whether the values are known to be what was published: 'proven', 'pending', or
    'not_asked'.
"""

_TEXT = 'epoch %d, step %d, %s'
_PATTERN = re.compile(r'epoch (\d+), step (-?\d+), (.+)')


def write(run_metadata, control):
    """Says which version a run of the core saw, in the fields of a RunMetadata message that name a
    model."""
    epoch, version, step, proof = control.version()
    run_metadata.session_metadata.version = version
    run_metadata.session_metadata.name = _TEXT % (epoch, step, proof)


def run_version(run_metadata):
    """The published version that a run saw.

    Args:
      run_metadata: the RunMetadata message that was given to `session.run`. Its
        session_metadata.version is the version's number.

    Returns:
      A RunVersion; None if the session does not follow a publisher.
    """
    told = run_metadata.session_metadata
    parts = _PATTERN.fullmatch(told.name)
    if not parts:
        return None
    return RunVersion(told.version, int(parts[2]), int(parts[1]), parts[3])
