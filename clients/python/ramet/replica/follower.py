"""ramet.Follower: a session whose variables are kept at the values that somebody publishes."""

from ramet import _core
from ramet.replica import endpoint, sessions, versions


class Follower(endpoint.Endpoint):
    """Follows a publisher: each run of its session sees one whole version, the newest.

        follower = ramet.Follower('shm:policy')
        follower.session.run('out:0', feed_dict={'x:0': images})

    Graph and session come from the publisher if none are given. On one machine the variables show
    the publisher's memory: nothing is copied. When the publisher ends the last version stays, and a
    new one at the address is followed. As a context manager it is closed at the end. Thread-safe.

    Attributes:
      address: str.
    """

    def __init__(self, address, session=None, graph=None, *, wait=None, fallback=None, auto=True,
                 verify='async', on_change='refuse', allow_missing=False, subsets=None, model=None,
                 clear_devices=True, device=None, scope=None, strip_training=False, outputs=None,
                 config=None):
        """Begins to follow.

        Args:
          address: a publisher's, or with a label: 'shm:policy@stable'.
          session: a Session whose variables follow, by their names; None: one of its own.
          graph: a Graph to make that session for; None: the published one.
          wait: float, the seconds to wait for the publisher and its first version; None: for ever;
            0: nobody is waited for, and there may be no version yet.
          fallback: str, an address ('file:DIR') that is followed when nobody publishes within
            `wait` (None counts as 0 then), until somebody does.
          auto: whether each run uses the newest version; else that of the last update().
          verify: 'off', 'async' or 'before_use': whether hashes of the values are compared with the
            publisher's, and when.
          on_change: 'refuse' or 'reload': what is done when a new publisher's variables or graph
            are others. 'reload' makes `graph` and `session` anew.
          allow_missing: whether variables that are not published keep values of their own; else
            they are an error.
          subsets: a list of beginnings of names: only such variables follow.
          model: str, which one of several that are published together.
          clear_devices: whether the devices of the published graph are left out.
          device: str, where all operations of the published graph go.
          scope: str, a name scope that the published graph is put under.
          strip_training: whether what only training needs is left out of it, and Identity
            operations, as ramet.clone does it.
          outputs: a list of names of tensors or operations that are to stay then; there is just
            what these need.
          config: a ConfigProto for a session of its own.

        Raises:
          TypeError, ValueError: if an argument is of another kind.
          tf.errors.DeadlineExceededError: if nobody publishes there in time.
          tf.errors.UnavailableError: if a process listens there but does not greet within 10
            seconds, and `wait` is None.
          tf.errors.FailedPreconditionError: if what is published does not fit the session's
            variables, naming the first differences; if no graph is published and none is given.
          tf.errors.PermissionDeniedError: if the publisher refuses.
          tf.errors.InvalidArgumentError: for the address.
        """
        super().__init__(address)
        self._config = config
        self._given = self._given_session(session, graph)
        if fallback is not None and wait is None:
            wait = 0
        options = {'automatic': bool(auto), 'allow_missing': bool(allow_missing),
                   'clear_devices': bool(clear_devices), 'strip_training': bool(strip_training),
                   'verify': verify, 'on_change': on_change}
        options.update((name, value) for name, value in (
            ('fallback', fallback), ('model', model), ('device', device), ('scope', scope))
            if value is not None)
        options.update((name, list(value)) for name, value in (
            ('subsets', subsets), ('outputs', outputs)) if value is not None)
        self._begin(_core.Follower(self.address, self._given and self._given._core, _new_graph,
                                   self._new_session, wait, options))

    def _given_session(self, session, graph):
        if session is not None:
            found = sessions.base_session(session, 'Follower')
            if graph is not None and graph is not found.graph:
                raise ValueError('session is of another graph than graph; give one of them')
            return found
        return None if graph is None else self._new_session(graph)

    def _new_session(self, graph):
        from ramet.client.session import Session
        return Session(graph=graph, config=self._config)

    @property
    def session(self):
        """The Session that follows; run it as any other. With on_change='reload' it may be another
        one later."""
        return self._given or self._open().made_session()

    @property
    def graph(self):
        """The Graph of the session."""
        return self.session.graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """session.run of the session that follows; see there."""
        return self.session.run(fetches, feed_dict, options, run_metadata)

    def prepare(self, fetches, feed_list=None):
        """Resolves fetches and feeds once, for many runs.

        Args:
          fetches: as in session.run.
          feed_list: the tensors (or names) that the arguments of the callable are for.

        Returns:
          A Prepared: `call(*values)` runs, `call.warm_up(*values)` compiles beforehand.
        """
        return Prepared(self.session, fetches, feed_list)

    def update(self, verify=False):
        """Makes the newest version current; with auto=False this is what moves the follower on.

        Args:
          verify: whether it waits for the proof that the values are those that were published,
            before they are used.

        Returns:
          The VersionInfo of the current version.

        Raises:
          tf.errors.DataLossError: if the values are not those that were published.
          tf.errors.OpError: why the newest one cannot be used. The one before stays.
        """
        return versions.VersionInfo(*self._open().update(bool(verify)))

    def wait(self, version=None, timeout=None):
        """Waits until a version is current.

        Args:
          version: int: it or a later one; None: one later than the current one.
          timeout: float, in seconds; None: for ever.

        Returns:
          The VersionInfo of the current version.

        Raises:
          tf.errors.DeadlineExceededError: if it did not come in time.
        """
        core = self._open()
        if version is None:
            version = core.current()[0] + 1
        return versions.VersionInfo(*core.wait(version, timeout))

    def pin(self, version):
        """Makes a version that is still kept current and stays with it until unpin().

        Raises:
          tf.errors.NotFoundError: if it is not kept (any more), naming those that are.
        """
        self._open().pin(version)

    def unpin(self):
        """Ends pin()."""
        self._open().unpin()

    @property
    def current(self):
        """The VersionInfo of the current version."""
        return versions.VersionInfo(*self._open().current())

    @property
    def version(self):
        """The current version's number; 0: none yet."""
        return self.current.version

    @property
    def step(self):
        """The trainer's step of the current version; -1 if it did not say."""
        return self.current.step

    @property
    def lag(self):
        """How many versions the current one is behind the newest."""
        return self.stats()['lag']

    @property
    def versions(self):
        """The versions that are kept, oldest first: those that pin() can take."""
        return self._open().versions()

    def hashes(self, version, timeout=None):
        """What the publisher says of a version that is kept: (source, content), see VersionInfo.

        Raises:
          tf.errors.NotFoundError: if it is not kept (any more).
          tf.errors.UnavailableError: if nobody can say.
          tf.errors.DeadlineExceededError: if there was no answer in time.
        """
        return self._open().hashes(version, timeout)

    def promote(self, label, version):
        """As Publisher.promote, from here.

        Raises:
          tf.errors.NotFoundError: if the version is not kept (any more).
          tf.errors.UnavailableError: if the publisher has gone.
          tf.errors.PermissionDeniedError: if this user may only follow.
        """
        self._open().promote(label, version)

    def rollback(self, version):
        """As Publisher.rollback, from here.

        Raises:
          as promote.
        """
        return self._open().rollback(version)

    def stats(self):
        """A dict: version, epoch, step, newest, lag, lag_seconds, age_seconds, swaps, reloads,
        proven, refused, last_refusal, bytes, connected, on_fallback, missing, extra."""
        return self._open().stats()

    def close(self):
        """Ends following. The session's variables have no values after that, a session that was
        given has its own again."""
        core = self._end()
        if core is None:
            return
        made = None if self._given else core.made_session()
        core.close()
        if made is not None:
            made.close()

    def _said(self):
        return str(self.current)


def _new_graph():
    from ramet.framework import ops
    return ops.Graph()


class Prepared:
    """What fetches need, resolved once: call it with the values of the feeds."""

    def __init__(self, session, fetches, feed_list):
        self._call = session.make_callable(fetches, feed_list, accept_options=True)

    def __call__(self, *values):
        """What session.run would return."""
        return self._call(*values)

    def warm_up(self, *values):
        """Runs once for what a first run prepares: plans, memory, packed weights."""
        self._call(*values)

    def with_version(self, *values):
        """Runs and says what it saw.

        Returns:
          (what session.run would return, a RunVersion).
        """
        from ramet.core.protobuf import config_pb2
        metadata = config_pb2.RunMetadata()
        results = self._call(*values, run_metadata=metadata)
        return results, versions.run_version(metadata)
