"""Hooks, which a monitored session calls around each run."""

import collections

from ramet.api import export


@export('train.SessionRunArgs')
class SessionRunArgs(
        collections.namedtuple('SessionRunArgs', ['fetches', 'feed_dict', 'options'])):
    """The fetches, feeds and options that a hook adds to a run.

    Args:
      fetches: as for session.run.
      feed_dict: a dict of additional feeds, or None.
      options: a RunOptions message, or None.
    """

    __slots__ = ()

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super().__new__(cls, fetches, feed_dict, options)


SessionRunValues = export('train.SessionRunValues')(
    collections.namedtuple('SessionRunValues', ['results', 'options', 'run_metadata']))


@export('train.SessionRunContext')
class SessionRunContext:
    """One run, as seen by its hooks."""

    def __init__(self, original_args, session):
        """Creates the context.

        Args:
          original_args: the SessionRunArgs of the program's own run.
          session: the Session.
        """
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self):
        """The SessionRunArgs of the program's own run, without those of hooks."""
        return self._original_args

    @property
    def session(self):
        """The Session that runs."""
        return self._session

    @property
    def stop_requested(self):
        """True if a hook requested a stop."""
        return self._stop_requested

    def request_stop(self):
        """Requests that this be the last run."""
        self._stop_requested = True


@export('train.SessionRunHook')
class SessionRunHook:
    """The interface of hooks, for subclassing. The methods of this class do nothing."""

    def begin(self):
        """Called before the session is created. May add nodes to the default graph."""

    def after_create_session(self, session, coord):
        """Called when the session exists and its variables are initialized. The graph is final.

        Args:
          session: the Session.
          coord: a Coordinator, or None.
        """

    def before_run(self, run_context):
        """Called before each run.

        Args:
          run_context: a SessionRunContext.

        Returns:
          SessionRunArgs to add to the run, or None.
        """
        return None

    def after_run(self, run_context, run_values):
        """Called after each successful run.

        Args:
          run_context: a SessionRunContext.
          run_values: SessionRunValues with the results of the fetches of before_run.
        """

    def end(self, session):
        """Called after the last run, unless a run failed.

        Args:
          session: the Session.
        """
