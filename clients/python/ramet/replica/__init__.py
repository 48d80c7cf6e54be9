"""Live copies: publishers of a session's variables, and followers that keep up with them."""

from ramet.replica.follower import Follower
from ramet.replica.monitor import ReplicaMonitor
from ramet.replica.publisher import Publisher
from ramet.replica.versions import RunVersion, VersionInfo, run_version

__all__ = [
    'Follower', 'Publisher', 'ReplicaMonitor', 'RunVersion', 'VersionInfo', 'run_version',
]
