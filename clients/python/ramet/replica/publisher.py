"""Implements ramet.Publisher, which makes the values of a session's variables available."""

import numbers

from ramet import _core
from ramet.framework import errors
from ramet.replica import endpoint, sessions


class Publisher(endpoint.Endpoint):
    """Publishes a session's variables under an address, for any number of followers.

    One line in a training script is enough:

        publisher = ramet.Publisher(session, 'shm:policy', every_steps=1)

    A version is the state between two runs of the session, even if several threads run it. On one
    machine, publishing copies nothing: the buffers are shared and never written again. Used as a context
    manager, it closes on exit. Thread-safe.

    Attributes:
      address: str.
      session: the Session whose variables are published, or a dict of them for several models.
    """

    @endpoint.with_texts(forms=_core.address_forms())
    def __init__(self, session, address, variables=None, every_steps=None, every_seconds=None,
                 graph=True, rename=None, convert=None, retained=1, max_bytes=None,
                 at_limit='skip', mode=0o600, group=None, takeover=False, signatures=None):
        """Starts to publish. The first version appears with the first publish().

        Args:
          session: a Session, InteractiveSession or MonitoredSession; or, for several models, a dict
            from names to sessions. Each version then holds all models at one moment.
          address: where to publish. Its forms are
            {forms}.
          variables: a list of tf.Variables or names. None publishes the global variables except those
            that only optimizers use. 'all' includes these too, so that another trainer can take over.
            For several models, a dict from their names to lists.
          every_steps: int. Publishes after every `every_steps` runs that wrote variables.
          every_seconds: float. Publishes at the end of the first such run after this many seconds. If this
            and `every_steps` are None, only publish() publishes.
          graph: whether to publish the graph too, so that followers need nothing else.
          rename: a dict from name prefixes to their published replacements: {'train/': 'serve/'}. The
            first prefix that matches applies.
          convert: 'bfloat16', 'half' or 'int8', the dtype in which floating-point values are sent; or a
            dict from name prefixes to one of these or to 'none'. Followers convert the values back to the
            variables' own dtypes.
          retained: int, how many of the newest versions can be followed or pinned.
          max_bytes: int, the memory limit for values. None allows what eight versions need.
          at_limit: 'skip' or 'wait': what to do when followers hold so many versions that the limit is
            reached.
          mode: int, the permission bits that control access to the address, as for a file.
          group: the name or number of the group that the group bits of `mode` apply to.
          takeover: whether to ask a publisher that already uses the address to end, instead of failing.
          signatures: a dict from keys such as 'serving_default' to SignatureDefs, as
            tf.saved_model.predict_signature_def makes them, that are published with the graph.
            `ramet serve` offers them to its clients. For several models, a dict from their names to such
            dicts.

        Raises:
          TypeError, ValueError: if an argument has the wrong type or value.
          tf.errors.AlreadyExistsError: if another publisher uses the address.
          tf.errors.InvalidArgumentError: if the address or the value of an option is invalid, or if a
            signature names a tensor that the graph does not have.
          tf.errors.UnimplementedError: if variables cannot be published, such as strings. The message
            names them.
          tf.errors.FailedPreconditionError: if a variable has neither a shape nor a value.
        """
        given = dict(locals())
        super().__init__(address)
        self._at_limit = at_limit
        given.update(all_variables=variables == 'all',
                     group=None if group is None else _group_number(group),
                     rename=None if rename is None else list(dict(rename).items()),
                     convert=None if convert is None else _conversions(convert))
        options = endpoint.chosen_options(_core.publisher_options(), given)
        models = session if isinstance(session, dict) else {'': session}
        self.session = {name: sessions.base_session(s, 'Publisher') for name, s in models.items()}
        chosen = _chosen(variables, self.session)
        signature_defs = _serialized(signatures, self.session)
        core = _core.Publisher(
            self.address,
            [(name, s._core, chosen[name], signature_defs[name]) for name, s in self.session.items()],
            options)
        if not isinstance(session, dict):
            self.session = self.session['']
        self._begin(core)

    def publish(self, step=None, metrics=None):
        """Publishes the current values.

        Args:
          step: int, the trainer's step. None takes the value of the graph's global step, if it has one.
          metrics: a dict from names to numbers that is published with the version.

        Returns:
          The version's number, starting at 1; or None if at_limit is 'skip' and followers hold so many
          versions that the memory is full, or the previous version is still being copied from a GPU.

        Raises:
          RuntimeError: if the publisher is closed.
          tf.errors.FailedPreconditionError: if called from within a run of the session, if a variable
            is uninitialized, or if the shape of a variable has changed.
          tf.errors.InvalidArgumentError: if the metrics take more than 1984 bytes as JSON.
          tf.errors.OpError: of the code in question, if an earlier version could not be copied from a
            GPU. Nothing is published; the next call publishes again.
        """
        numbers_of = {str(name): _number(name, value) for name, value in (metrics or {}).items()}
        try:
            return self._open().publish(-1 if step is None else int(step), numbers_of)
        except errors.ResourceExhaustedError:
            if self._at_limit != 'skip':
                raise
            return None

    def promote(self, label, version):
        """Points a label at a version. Followers of 'ADDRESS@label' move to that version.

        Args:
          label: str, the label.
          version: int, the version's number.

        Raises:
          tf.errors.NotFoundError: if the version is not retained.
        """
        self._open().promote(label, version)

    def rollback(self, version):
        """Publishes the values of a retained version again, as the newest version.

        The session's variables keep their values.

        Args:
          version: int, the version's number.

        Returns:
          int, the number of the new version.

        Raises:
          tf.errors.NotFoundError: if the version is not retained.
        """
        return self._open().rollback(version)

    @property
    @endpoint.with_texts(stats=_core.publisher_stats())
    def stats(self):
        """The publisher's statistics as a dict.

        The keys are {stats}.
        """
        return endpoint.Stats(self._open().stats())

    def close(self):
        """Stops publishing. Followers keep the last version."""
        core = self._end()
        if core is not None:
            core.close()

    def _said(self):
        stats = self.stats
        version = f'version {stats["version"]}' if stats['version'] else 'no version yet'
        return f'{version}, {stats["readers"]} readers'


def _conversions(convert):
    return [('', convert)] if isinstance(convert, str) else list(dict(convert).items())


def _chosen(variables, models):
    """Returns the names of each model's variables; an empty list selects the default variables."""
    if variables is None or variables == 'all':
        return dict.fromkeys(models, [])
    if isinstance(variables, str):
        raise ValueError(f"variables must be a list, None or 'all', not {variables!r}")
    lists = variables if isinstance(variables, dict) else {'': variables}
    if set(lists) - set(models):
        raise ValueError(f'variables names the models {sorted(lists)}, but session has {sorted(models)}')
    names = {model: [_name_of(v, models[model].graph) for v in chosen]
             for model, chosen in lists.items()}
    if not all(names.values()):
        raise ValueError('variables is empty; use None for the variables that inference needs')
    return {**dict.fromkeys(models, []), **names}


def _serialized(signatures, models):
    """Returns each model's signatures as serialized SignatureDefs by key."""
    given = signatures or {}
    if '' in models:
        given = {'': given}
    elif set(given) - set(models):
        raise ValueError(f'signatures names the models {sorted(given)}, but session has {sorted(models)}')
    return {model: {key: _signature_bytes(key, s) for key, s in given.get(model, {}).items()}
            for model in models}


def _signature_bytes(key, signature):
    if not hasattr(signature, 'SerializeToString'):
        raise TypeError(f'signature {key!r} must be a SignatureDef, not {signature!r}')
    return signature.SerializeToString()


def _name_of(variable, graph):
    if isinstance(variable, str):
        return variable.removesuffix(':0')
    op = getattr(variable, 'op', None)
    if op is None:
        raise TypeError(f'a Variable or its name is expected, not {variable!r}')
    if variable.graph is not graph:
        raise ValueError(f'{variable.name} belongs to a different graph than the session')
    return op.name


def _number(name, value):
    if isinstance(value, numbers.Real) or getattr(value, 'size', None) == 1:
        return float(value)
    raise TypeError(f'the metric {name!r} must be a number, not {value!r}')


def _group_number(group):
    if isinstance(group, str):
        import grp
        return grp.getgrnam(group).gr_gid
    return int(group)
