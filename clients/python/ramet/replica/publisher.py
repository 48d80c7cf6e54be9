"""ramet.Publisher: makes the values of a session's variables available to followers."""

import numbers

from ramet import _core
from ramet.framework import errors
from ramet.replica import endpoint, sessions


class Publisher(endpoint.Endpoint):
    """Publishes a session's variables under an address, for any number of followers.

    One line in a training script is enough:

        publisher = ramet.Publisher(session, 'shm:policy', every_steps=1)

    A version is the state between two runs of the session, also when several threads run it. On one
    machine nothing is copied when it is published: the buffers are shared, and never written again.
    As a context manager it is closed at the end. Thread-safe.

    Attributes:
      address: str.
      session: the Session whose variables are published; of several models, a dict.
    """

    def __init__(self, session, address, variables=None, every_steps=None, every_seconds=None,
                 graph=True, rename=None, convert=None, retained=1, max_bytes=None,
                 at_limit='skip', mode=0o600, group=None, takeover=False):
        """Begins to publish; the first version comes with the first publish().

        Args:
          session: a Session, InteractiveSession or MonitoredSession; or a dict from names to
            these: several models, each version of which is one moment of all.
          address: 'shm:NAME' for this machine, 'shm:/PATH' of a socket file, 'file:DIR' or
            'redis://HOST/NAME' where these are there.
          variables: a list of tf.Variables or names; None: the global variables without what only
            optimizers use; 'all': with these, for a trainer that another one takes over from. For
            several models, a dict from their names to lists.
          every_steps: int: publishes after so many runs that wrote variables.
          every_seconds: float: publishes after a run that wrote variables when so much time has
            gone by. With neither, publish() does it.
          graph: whether the graph is published too, so that followers need nothing else.
          rename: a dict from beginnings of names to what stands there when published:
            {'train/': 'serve/'}; the first one that fits counts.
          convert: 'bfloat16', 'half' or 'int8': what floating values are sent as; or a dict from
            beginnings of names to these or 'none'. Followers have the variables' own dtypes again.
          retained: int, how many of the newest versions can be followed or pinned.
          max_bytes: int, the most memory for values; None: what eight versions need.
          at_limit: 'skip' or 'wait': what publishing does when followers hold so much.
          mode: int, who may follow, as the mode of a file.
          group: a group's name or number, whom the mode's group bits are for.
          takeover: whether a publisher that is at the address is asked to end, instead of giving
            up.

        Raises:
          TypeError, ValueError: if an argument is of another kind.
          tf.errors.AlreadyExistsError: if somebody publishes there already.
          tf.errors.InvalidArgumentError: for the address and for values of options.
          tf.errors.UnimplementedError: naming variables that cannot be published, such as text.
          tf.errors.FailedPreconditionError: for a variable without shape and value.
        """
        super().__init__(address)
        self._at_limit = at_limit
        options = {'graph': bool(graph), 'retained': retained, 'at_limit': at_limit, 'mode': mode,
                   'takeover': bool(takeover), 'all_variables': variables == 'all'}
        _add(options, every_steps=every_steps, every_seconds=every_seconds, max_bytes=max_bytes,
             group=None if group is None else _group_number(group),
             rename=None if rename is None else list(dict(rename).items()),
             convert=None if convert is None else _conversions(convert))
        models = session if isinstance(session, dict) else {'': session}
        self.session = {name: sessions.base_session(s, 'Publisher') for name, s in models.items()}
        chosen = _chosen(variables, self.session)
        core = _core.Publisher(
            self.address, [(name, s._core, chosen[name]) for name, s in self.session.items()],
            options)
        if not isinstance(session, dict):
            self.session = self.session['']
        self._begin(core)

    def publish(self, step=None, metrics=None):
        """Publishes the current values.

        Args:
          step: int, the trainer's step; None: the value of the graph's global step, if it has one.
          metrics: a dict from names to numbers that goes with the version.

        Returns:
          The version's number, from 1; None if followers hold so much that there was no room and
          at_limit is 'skip'.

        Raises:
          RuntimeError: if the publisher is closed.
          tf.errors.FailedPreconditionError: from within a run of the session; for uninitialised
            variables and one whose shape has changed.
          tf.errors.InvalidArgumentError: if the metrics are too many (2 KiB of text).
        """
        numbers_of = {str(name): _number(name, value) for name, value in (metrics or {}).items()}
        try:
            return self._open().publish(-1 if step is None else int(step), numbers_of)
        except errors.ResourceExhaustedError:
            if self._at_limit != 'skip':
                raise
            return None

    def promote(self, label, version):
        """Makes a label name a version: followers of 'ADDRESS@label' go there.

        Raises:
          tf.errors.NotFoundError: if the version is not kept (any more).
        """
        self._open().promote(label, version)

    def rollback(self, version):
        """Makes a version that is kept the newest one again.

        Returns:
          Its new number. The session's variables stay as they are.

        Raises:
          tf.errors.NotFoundError: if the version is not kept (any more).
        """
        return self._open().rollback(version)

    @property
    def stats(self):
        """A dict: epoch, version, step, time, published, skipped, bytes_copied, bytes_in_use,
        readers, oldest_in_use, labels."""
        return self._open().stats()

    def close(self):
        """Ends publishing. Followers keep the last version."""
        core = self._end()
        if core is not None:
            core.close()

    def _said(self):
        stats = self.stats
        version = f'version {stats["version"]}' if stats['version'] else 'no version yet'
        return f'{version}, {stats["readers"]} readers'


def _add(options, **given):
    options.update((name, value) for name, value in given.items() if value is not None)


def _conversions(convert):
    return [('', convert)] if isinstance(convert, str) else list(dict(convert).items())


def _chosen(variables, models):
    """By model: the names of its variables; none: those that are published as a rule."""
    if variables is None or variables == 'all':
        return dict.fromkeys(models, [])
    if isinstance(variables, str):
        raise ValueError(f"variables is a list, None or 'all', not {variables!r}")
    lists = variables if isinstance(variables, dict) else {'': variables}
    if set(lists) - set(models):
        raise ValueError(f'variables names {sorted(lists)}, the models are {sorted(models)}')
    names = {model: [_name_of(v, models[model].graph) for v in chosen]
             for model, chosen in lists.items()}
    if not all(names.values()):
        raise ValueError('variables is empty; None stands for those that inference needs')
    return {**dict.fromkeys(models, []), **names}


def _name_of(variable, graph):
    if isinstance(variable, str):
        return variable.removesuffix(':0')
    op = getattr(variable, 'op', None)
    if op is None:
        raise TypeError(f'a Variable or its name is expected, not {variable!r}')
    if variable.graph is not graph:
        raise ValueError(f'{variable.name} is of another graph than the session')
    return op.name


def _number(name, value):
    if isinstance(value, numbers.Real) or getattr(value, 'size', None) == 1:
        return float(value)
    raise TypeError(f'the metric {name!r} is a number, not {value!r}')


def _group_number(group):
    if isinstance(group, str):
        import grp
        return grp.getgrnam(group).gr_gid
    return int(group)
