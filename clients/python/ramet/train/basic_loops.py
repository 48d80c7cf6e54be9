"""tf.train.basic_train_loop, which calls a function until a Supervisor stops."""

from ramet.api import export
from ramet.framework import errors


@export('train.basic_train_loop')
def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=''):
    """Calls a function with a prepared session until the supervisor should stop.

    If a call raises tf.errors.AbortedError, a new session is prepared.

    Args:
      supervisor: a Supervisor.
      train_step_fn: a function of the session, *args and **kwargs.
      args: its arguments.
      kwargs: its keyword arguments.
      master: str, the target of the session.
    """
    args, kwargs = args or [], kwargs or {}
    should_retry = True
    while should_retry:
        try:
            should_retry = False
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *args, **kwargs)
        except errors.AbortedError:
            should_retry = True
