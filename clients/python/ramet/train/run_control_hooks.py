"""Hooks that decide when a session stops or waits, and what it feeds and fetches."""

import time

from ramet.api import export
from ramet.lib import tf_logging as logging
from ramet.train.session_run_hook import SessionRunArgs, SessionRunHook
from ramet.train.step_timer import global_step_for


@export('train.StopAtStepHook')
class StopAtStepHook(SessionRunHook):
    """Requests a stop at a given step."""

    def __init__(self, num_steps=None, last_step=None):
        """Creates the hook. Exactly one of the arguments must be given.

        Args:
          num_steps: int, the number of steps to run.
          last_step: int, the step to stop after.

        Raises:
          ValueError: if neither or both are given.
        """
        if num_steps is None and last_step is None:
            raise ValueError('One of num_steps or last_step must be specified.')
        if num_steps is not None and last_step is not None:
            raise ValueError('Only one of num_steps or last_step can be specified.')
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self):
        self._global_step_tensor = global_step_for(self)

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        if run_values.results + 1 >= self._last_step:
            if run_context.session.run(self._global_step_tensor) >= self._last_step:
                run_context.request_stop()


@export('train.FinalOpsHook')
class FinalOpsHook(SessionRunHook):
    """Runs fetches once, at the end."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        """Creates the hook.

        Args:
          final_ops: the fetches, as for session.run.
          final_ops_feed_dict: feeds for them.
        """
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values = None

    @property
    def final_ops_values(self):
        """The values of the fetches, or None before the end."""
        return self._final_ops_values

    def end(self, session):
        if self._final_ops is not None:
            self._final_ops_values = session.run(self._final_ops,
                                                 feed_dict=self._final_ops_feed_dict)


@export('train.FeedFnHook')
class FeedFnHook(SessionRunHook):
    """Feeds the result of a function to each run."""

    def __init__(self, feed_fn):
        """Creates the hook.

        Args:
          feed_fn: a function without arguments that returns a dict of feeds.
        """
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


@export('train.GlobalStepWaiterHook')
class GlobalStepWaiterHook(SessionRunHook):
    """Delays runs until the global step, which another trainer increments, reaches a value."""

    def __init__(self, wait_until_step):
        """Creates the hook.

        Args:
          wait_until_step: int, the step to wait for.
        """
        self._wait_until_step = wait_until_step

    def begin(self):
        self._worker_is_started = False
        self._global_step_tensor = global_step_for(self)

    def before_run(self, run_context):
        if self._worker_is_started:
            return None
        if self._wait_until_step > 0:
            logging.info('Waiting for global step %d before starting training.',
                         self._wait_until_step)
        while run_context.session.run(self._global_step_tensor) < self._wait_until_step:
            time.sleep(0.5)
        self._worker_is_started = True
        return None
