"""Hooks: what a monitored session calls around each run."""

import collections

from ramet.api import export


@export('train.SessionRunArgs')
class SessionRunArgs(
        collections.namedtuple('SessionRunArgs', ['fetches', 'feed_dict', 'options'])):
    """What a hook adds to a run.

    Args:
      fetches: as in session.run: what the hook wants to see.
      feed_dict: a dict of more feeds, or None.
      options: a RunOptions message, or None.
    """

    __slots__ = ()

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super().__new__(cls, fetches, feed_dict, options)


SessionRunValues = export('train.SessionRunValues')(
    collections.namedtuple('SessionRunValues', ['results', 'options', 'run_metadata']))


@export('train.SessionRunContext')
class SessionRunContext:
    """One run, as its hooks see it."""

    def __init__(self, original_args, session):
        """Args:
          original_args: the SessionRunArgs that the user ran.
          session: the Session.
        """
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self):
        """The SessionRunArgs that the user ran, without those of hooks."""
        return self._original_args

    @property
    def session(self):
        """The Session that runs."""
        return self._session

    @property
    def stop_requested(self):
        """Whether a hook wants no more runs."""
        return self._stop_requested

    def request_stop(self):
        """Asks for this to be the last run."""
        self._stop_requested = True


@export('train.SessionRunHook')
class SessionRunHook:
    """Does nothing at each of the moments that a hook can take part in; derive from it."""

    def begin(self):
        """Before the session is made: nodes may be added to the default graph."""

    def after_create_session(self, session, coord):
        """When the session is there and its variables have values; the graph is final.

        Args:
          session: the Session.
          coord: a Coordinator, or None.
        """

    def before_run(self, run_context):
        """Before each run.

        Args:
          run_context: a SessionRunContext.

        Returns:
          SessionRunArgs to be added to the run, or None.
        """
        return None

    def after_run(self, run_context, run_values):
        """After each run that succeeded.

        Args:
          run_context: a SessionRunContext.
          run_values: SessionRunValues with the results of what before_run fetched.
        """

    def end(self, session):
        """After the last run, if none failed.

        Args:
          session: the Session.
        """
