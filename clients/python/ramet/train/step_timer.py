"""The timer of hooks that act periodically, and the global step that they read."""

import time

from ramet.api import export
from ramet.train import training_util


def global_step_for(hook):
    """Returns the tensor of the global step.

    Args:
      hook: the hook that needs it, for the error message.

    Raises:
      RuntimeError: if the graph has no global step.
    """
    variable = training_util.get_global_step()
    if variable is None:
        raise RuntimeError(f'Global step should be created to use {type(hook).__name__}.')
    return variable.value() if hasattr(variable, 'value') else variable


@export('train.SecondOrStepTimer')
class SecondOrStepTimer:
    """Decides when to trigger an action, based on seconds or steps."""

    def __init__(self, every_secs=None, every_steps=None):
        """Creates the timer. Exactly one of the arguments must be given.

        Args:
          every_secs: float, the seconds between two triggers.
          every_steps: int, the steps between two triggers.

        Raises:
          ValueError: if neither or both are given.
        """
        self.reset()
        if every_secs is None and every_steps is None:
            raise ValueError('Either every_secs or every_steps should be provided.')
        if every_secs is not None and every_steps is not None:
            raise ValueError('Can not provide both every_secs and every_steps.')
        self._every_secs = every_secs
        self._every_steps = every_steps

    def reset(self):
        """Forgets the last trigger."""
        self._last_triggered_step = None
        self._last_triggered_time = None

    def should_trigger_for_step(self, step):
        """Returns whether to trigger at this step.

        Args:
          step: int, the current step.
        """
        if self._last_triggered_step is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_triggered_time + self._every_secs
        return step >= self._last_triggered_step + self._every_steps

    def update_last_triggered_step(self, step):
        """Records a trigger at a step.

        Args:
          step: int, the current step.

        Returns:
          (seconds, steps) since the previous trigger, or (None, None) for the first one.
        """
        now = time.time()
        elapsed = (None, None)
        if self._last_triggered_step is not None:
            elapsed = (now - self._last_triggered_time, step - self._last_triggered_step)
        self._last_triggered_time = now
        self._last_triggered_step = step
        return elapsed

    def last_triggered_step(self):
        """Returns the step of the last trigger, or None."""
        return self._last_triggered_step
