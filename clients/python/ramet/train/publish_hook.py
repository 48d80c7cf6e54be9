"""PublishHook, which publishes the variables of a monitored session."""

from ramet.replica import publisher
from ramet.train.session_run_hook import SessionRunArgs, SessionRunHook


class PublishHook(SessionRunHook):
    """Publishes a session's variables while it trains, like ramet.Publisher.

        hook = ramet.PublishHook('shm:policy', every_steps=10)
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session: ...

    The first version has the restored or initialized values, the last one the values at the end of the
    session.

    Attributes:
      address: str.
      publisher: the Publisher while there is a session, else None.
    """

    def __init__(self, address, every_steps=None, every_seconds=None, metrics=None, **options):
        """Creates the hook. Publishing starts with the session.

        Args:
          address: the address, as for ramet.Publisher.
          every_steps: int. Publishes after every `every_steps` runs that wrote variables. If this and
            `every_seconds` are None, publishes after each such run.
          every_seconds: float. Publishes at the end of the first such run after this many seconds.
          metrics: a dict from names to scalar tensors. Every run fetches their values, which are
            published with the versions. The hook then publishes after a run instead of at its end.
          **options: further arguments of ramet.Publisher.
        """
        self.address = address
        self.publisher = None
        if every_steps is None and every_seconds is None:
            every_steps = 1
        self._schedule = _Schedule(every_steps, every_seconds)
        self._metrics = dict(metrics or {})
        self._seen = {}
        self._options = options

    def after_create_session(self, session, coord):
        """Starts to publish; see SessionRunHook."""
        if self.publisher is not None:
            self.publisher.close()
        schedule = {} if self._metrics else self._schedule.options
        self.publisher = publisher.Publisher(session, self.address, **schedule, **self._options)
        self.publisher.publish()

    def before_run(self, run_context):
        """Fetches the metrics; see SessionRunHook."""
        return SessionRunArgs(self._metrics) if self._metrics else None

    def after_run(self, run_context, run_values):
        """Publishes with the metrics if it is due; see SessionRunHook."""
        if self._metrics:
            self._seen = run_values.results
            if self._schedule.is_due():
                self.publisher.publish(metrics=self._seen)

    def end(self, session):
        """Publishes the last version and closes the publisher; see SessionRunHook."""
        if self.publisher is not None:
            self.publisher.publish(metrics=self._seen)
            self.publisher.close()
            self.publisher = None


class _Schedule:
    """Decides when to publish."""

    def __init__(self, every_steps, every_seconds):
        import time
        self.options = {'every_steps': every_steps, 'every_seconds': every_seconds}
        self._clock = time.monotonic
        self._runs = 0
        self._last = self._clock()

    def is_due(self):
        self._runs += 1
        steps, seconds = self.options['every_steps'], self.options['every_seconds']
        by_steps = steps is not None and self._runs >= steps
        if not by_steps and (seconds is None or self._clock() - self._last < seconds):
            return False
        self._runs, self._last = 0, self._clock()
        return True
