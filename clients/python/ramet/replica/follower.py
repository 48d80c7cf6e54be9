"""Implements ramet.Follower: a session whose variables take the values that a publisher sends."""

from ramet import _core
from ramet.client.session import Session
from ramet.core.protobuf import config_pb2, meta_graph_pb2
from ramet.framework import ops
from ramet.replica import endpoint, sessions, versions


class Follower(endpoint.Endpoint):
    """Follows a publisher. Each run of its session sees one complete version, the newest one.

        follower = ramet.Follower('shm:policy')
        follower.session.run('out:0', feed_dict={'x:0': images})

    The graph and session come from the publisher unless they are given. On one machine the variables
    use the publisher's memory directly, without a copy. When the publisher ends, the last version
    remains in use, and a new publisher at the address is followed. Used as a context manager, it closes
    on exit. Thread-safe.

    Attributes:
      address: str.
    """

    @endpoint.with_texts(forms=_core.address_forms())
    def __init__(self, address, session=None, graph=None, *, wait=None, fallback=None, auto=True,
                 verify='async', on_change='refuse', allow_missing=False, subsets=None, model=None,
                 clear_devices=True, device=None, scope=None, strip_training=False, outputs=None,
                 config=None):
        """Starts to follow a publisher.

        Args:
          address: the publisher's address, optionally with a label: 'shm:policy@stable'. Its forms are
            {forms}.
          session: a Session whose variables follow the published ones of the same names. If None, the
            follower creates its own session.
          graph: the Graph for that new session. If None, the published graph is used.
          wait: float, the seconds to wait for the publisher and its first version. None waits forever.
            0 does not wait, so the follower may have no version at first.
          fallback: str, an address ('file:DIR') to follow if no publisher appears within `wait` (None
            then means 0). A publisher that appears later takes over.
          auto: whether each run uses the newest version. If False, only update() moves to a newer one.
          verify: 'off', 'async' or 'before_use': whether and when the hashes of the values are compared
            with the publisher's.
          on_change: 'refuse' or 'reload': what to do when a new publisher has different variables or a
            different graph. 'reload' creates a new `graph` and `session`.
          allow_missing: whether variables that are not published may keep their own values. If False,
            they are an error.
          subsets: a list of name prefixes: only variables with one of these prefixes follow.
          model: str, the model to follow when several are published together.
          clear_devices: whether to ignore the devices of the published graph.
          device: str, the device for all operations of the published graph.
          scope: str, a name scope for the published graph.
          strip_training: whether to remove Identity operations and everything that only training needs
            from the graph, as ramet.clone does.
          outputs: a list of names of tensors or operations. With `strip_training`, the graph keeps only
            what these need.
          config: a ConfigProto for the session that the follower creates.

        Raises:
          TypeError, ValueError: if an argument has the wrong type or value.
          tf.errors.DeadlineExceededError: if no publisher appears at the address in time.
          tf.errors.UnavailableError: if a process listens at the address but does not greet within 10
            seconds, and `wait` is None.
          tf.errors.FailedPreconditionError: if the published variables do not match the session's (the
            message names the first differences), or if no graph is published and none is given.
          tf.errors.PermissionDeniedError: if the publisher refuses the connection.
          tf.errors.InvalidArgumentError: if the address is invalid.
        """
        given = locals()
        super().__init__(address)
        self._config = config
        self._given = self._given_session(session, graph)
        if fallback is not None and wait is None:
            wait = 0
        options = endpoint.chosen_options(_core.follower_options(), given)
        self._begin(_core.Follower(self.address, self._given and self._given._core, _new_graph,
                                   self._new_session, wait, options))

    def _given_session(self, session, graph):
        if session is not None:
            found = sessions.base_session(session, 'Follower')
            if graph is not None and graph is not found.graph:
                raise ValueError('session belongs to a different graph than graph; pass only one of them')
            return found
        return None if graph is None else self._new_session(graph)

    def _new_session(self, graph):
        return Session(graph=graph, config=self._config)

    @property
    def session(self):
        """The Session that follows; run it like any other session.

        With on_change='reload', a reload replaces it with a new one.
        """
        return self._given or self._open().made_session()

    @property
    def graph(self):
        """The Graph of the session."""
        return self.session.graph

    @property
    def signature_defs(self):
        """The SignatureDefs that were published with the graph, by key, with names as in graph.

        Those whose tensors the graph does not have are left out. Empty if a session or graph was given.
        """
        return {key: meta_graph_pb2.SignatureDef.FromString(serialized)
                for key, serialized in self._open().signature_defs().items()}

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Runs `session.run` of the session that follows, with the same arguments and result."""
        return self.session.run(fetches, feed_dict, options, run_metadata)

    def prepare(self, fetches, feed_list=None):
        """Resolves fetches and feeds once, for many runs.

        Args:
          fetches: as in session.run.
          feed_list: the tensors (or names) that the arguments of the callable feed.

        Returns:
          A Prepared. `call(*values)` runs it and `call.warm_up(*values)` compiles it beforehand.
        """
        return Prepared(self.session, fetches, feed_list)

    def update(self, verify=False):
        """Makes the newest version current. With auto=False, only this call advances the follower.

        Args:
          verify: whether to wait, before the values are used, for the proof that they are the ones
            that were published.

        Returns:
          The VersionInfo of the current version.

        Raises:
          tf.errors.DataLossError: if the values are not the ones that were published.
          tf.errors.OpError: if the newest version cannot be used. The previous version stays current.
        """
        return versions.VersionInfo(*self._open().update(bool(verify)))

    def wait(self, version=None, timeout=None):
        """Waits until a version is current.

        Args:
          version: int, the version to wait for; a later one also counts. None waits for any version
            after the current one.
          timeout: float, in seconds. None waits forever.

        Returns:
          The VersionInfo of the current version.

        Raises:
          tf.errors.DeadlineExceededError: if the version did not arrive in time.
        """
        core = self._open()
        if version is None:
            version = core.current()[0] + 1
        return versions.VersionInfo(*core.wait(version, timeout))

    def pin(self, version):
        """Makes a retained version current and keeps it current until unpin().

        Args:
          version: int, one of `versions`.

        Raises:
          tf.errors.NotFoundError: if the version is not retained. The message names those that are.
        """
        self._open().pin(version)

    def unpin(self):
        """Resumes following after pin()."""
        self._open().unpin()

    @property
    def current(self):
        """The VersionInfo of the current version."""
        return versions.VersionInfo(*self._open().current())

    @property
    def version(self):
        """The number of the current version, or 0 if there is none yet."""
        return self.current.version

    @property
    def step(self):
        """The trainer's step of the current version, or -1 if the trainer did not give one."""
        return self.current.step

    @property
    def lag(self):
        """The number of versions between the current one and the newest."""
        return self.stats()['lag']

    @property
    def versions(self):
        """The retained versions, oldest first. pin() accepts any of them."""
        return self._open().versions()

    def hashes(self, version, timeout=None):
        """Returns the publisher's hashes of a retained version, as (source, content); see VersionInfo.

        Args:
          version: int, one of `versions`.
          timeout: float, in seconds. None waits forever.

        Raises:
          tf.errors.NotFoundError: if the version is not retained.
          tf.errors.UnavailableError: if the publisher has ended.
          tf.errors.DeadlineExceededError: if no answer came in time.
        """
        return self._open().hashes(version, timeout)

    def promote(self, label, version):
        """Asks the publisher to point a label at a version; see Publisher.promote.

        Args:
          label: str, the label.
          version: int, the version's number.

        Raises:
          tf.errors.NotFoundError: if the version is not retained.
          tf.errors.UnavailableError: if the publisher has ended.
          tf.errors.PermissionDeniedError: if this user may follow but not control the publisher.
        """
        self._open().promote(label, version)

    def rollback(self, version):
        """Asks the publisher to publish a retained version again; see Publisher.rollback.

        Args:
          version: int, the version's number.

        Returns:
          int, the number of the new version.

        Raises:
          The errors of promote().
        """
        return self._open().rollback(version)

    @property
    @endpoint.with_texts(stats=_core.follower_stats())
    def stats(self):
        """The follower's statistics as a dict.

        The keys are {stats}.
        """
        return endpoint.Stats(self._open().stats())

    def close(self):
        """Stops following.

        The variables that followed lose their published values. A session that was passed in gets its own
        values back; a session that the follower created is closed.
        """
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
    return ops.Graph()


class Prepared:
    """Fetches and feeds that were resolved once. Call it with the values of the feeds."""

    def __init__(self, session, fetches, feed_list):
        self._call = session.make_callable(fetches, feed_list, accept_options=True)

    def __call__(self, *values):
        """Runs with the values of the feeds. Returns what session.run would return."""
        return self._call(*values)

    def warm_up(self, *values):
        """Runs once, so that the plan is compiled and memory is allocated before the first real run."""
        self._call(*values)

    def with_version(self, *values):
        """Runs and reports which version the run used.

        Returns:
          (the result of session.run, a RunVersion).
        """
        metadata = config_pb2.RunMetadata()
        results = self._call(*values, run_metadata=metadata)
        return results, versions.run_version(metadata)
