"""ramet.clone and the Clone that it returns."""

from ramet import _core
from ramet.cloning import arguments, mappings, objects, records
from ramet.framework import errors, ops
from ramet.framework.uncopyable import Uncopyable
from ramet.train import saved_names


class CloneError(errors.InvalidArgumentError, ValueError):
    """An argument of `ramet.clone` cannot be; the message names it, and the node or tensor."""


class _NoSuchElementError(errors.NotFoundError, KeyError):
    """An argument of `ramet.clone` names what is not in the source."""


def _raise(error):
    kinds = {errors.INVALID_ARGUMENT: CloneError, errors.NOT_FOUND: _NoSuchElementError}
    kind = kinds.get(error.error_code)
    if kind is None:
        raise error
    raise kind(None, None, error.message) from None


def clone(source=None, *, inputs=None, outputs=None, ops=None, scope=None, into=None,
          dst_scope='copy', input_map=None, device=None, variables='own', initial='initializer',
          slots=False, collections=True, dtype=None, strip_training=False, session=None,
          resources='own'):
    """Copies a graph, or a part of one, with variables of its own.

        target = ramet.clone(inputs=x, outputs=q, dst_scope='target', initial='current')
        session.run(target.init_op)
        q_target = target.transformed(q)
        follow = target.polyak_op(0.005)

    The copies of variables are in the collections of the originals, have initializers, are found
    by `tf.get_variable` under the new scope, and are trained and saved as any others. Loops,
    branches, functions, colocations and named resources follow. Open scopes say where the clone
    goes (its name scope is under the current one) and change nothing else about it. On an error
    nothing is added.

    Tensors, Operations, Variables and names ("out:0", "train/step") will do for elements, in lists,
    dicts or alone.

    Args:
      source: the tf.Graph; None: that of the elements that are given, else the default graph.
      inputs: elements that the clone does not compute: copies of placeholders, and placeholders of
        the same dtype and shape for other tensors.
      outputs: elements; all that they need is cloned, up to the inputs, with what initializes the
        state among it. None, with neither ops nor scope: the whole graph.
      ops: just these operations, a list, SubGraphView or the like; inputs from outside stay as they
        are in the same graph.
      scope: just the operations of this name scope; its name gives way to dst_scope.
      into: the tf.Graph that gets the clone; None: the source.
      dst_scope: the name scope of the clone, made unique; "x/" is taken as it is, from the root.
      input_map: a dict from elements of the source to tensors that the clone reads in their place;
        None, or a TensorShape, in the place of a tensor asks for a placeholder.
      device: a device for all operations ("/gpu:0" or a DeviceSpec); a dict from devices of the
        originals to those of the copies; or a function from the original Operation to a device,
        None where it stays.
      variables: 'own': the clone has variables of its own; 'shared': it uses the originals; a
        function from a variable to one of these; or a dict from variables or their names, where the
        others are the clone's own.
      initial: the first values of the clone's variables and tables: 'initializer': as the originals
        are initialized; 'current': what the originals have when init_op runs, and none where they
        have none; or a checkpoint's prefix, which has the variables under the names of the
        originals.
      slots: with outputs, ops or scope: whether the variables that optimizers keep for a variable
        are cloned with it.
      collections: True: the clone joins each collection that its originals are in; False: none; or
        the names of those that it joins.
      dtype: floating dtypes that become others: what float32 becomes (tf.bfloat16, tf.float16,
        tf.float64); a dict; or a function from the original Operation to one of these, None where
        it stays. Placeholders, replacements and outputs keep their dtypes, with casts between.
      strip_training: leaves out what only training needs: optimizers, their slots, gradients,
        savers, nodes that pass their input on. A batch norm that trains becomes one of inference
        where it is certain which its averages are.
      session: with initial='current' into another graph: the session of the source that has the
        values; the memory of variables is shared.
      resources: tables, queues and whatever else has a shared_name: as `variables`, by Operation.

    Returns:
      A Clone.

    Raises:
      CloneError (an InvalidArgumentError and a ValueError): if outputs come with ops or scope; an
        input lies inside of a loop that is cloned, or is a reference; a replacement is of another
        graph, dtype or shape; something is needed that cannot be had in the other graph (a tensor
        from outside, a shared variable, current values without `session`).
      tf.errors.NotFoundError (and KeyError): if there is nothing of a name.
      TypeError, ValueError: if an argument has none of the forms above.
      RuntimeError: if the graph is finalized.
    """
    given = dict(
        inputs=inputs, outputs=outputs, ops=ops, scope=scope, dst_scope=dst_scope,
        input_map=input_map, device=device, variables=variables, resources=resources,
        initial=initial, slots=slots, collections=collections, dtype=dtype,
        strip_training=strip_training, session=session)
    source, target, options = arguments.checked(source, into, given)
    target._check_not_finalized()
    try:
        made = _core.clone(source, options)
    except errors.OpError as error:
        _raise(error)
    finished = Clone(source, target, made)
    records.complete(finished, options['collections'])
    return finished


def _core_of(session, argument):
    core = getattr(session, '_core', None)
    if core is None:
        raise TypeError(f'{argument}: a Session is expected, not {session!r}')
    return core


class Clone(Uncopyable):
    """A part of a graph that was copied, and what belongs to what.

    Attributes:
      source: the tf.Graph of the originals.
      graph: the tf.Graph of the copies.
      scope: the name scope of the copies, "copy".
    """

    def __init__(self, source, graph, core):
        self.source = source
        self.graph = graph
        self._core = core
        self.scope = core.scope()
        self._variables = None

    def transformed(self, x):
        """What stands in the clone for a part of the source.

        Args:
          x: a Tensor, Operation or Variable of the source, a name ("out:0" is a tensor, "step" an
            operation), or what consists of tensors: a list, tuple or dict, a SparseTensor, a
            PartitionedVariable, a table, an object of the program.

        Returns:
          The copy; for an input that was replaced its replacement, for what is shared x itself;
          None if it is not part of the clone.

        Raises:
          KeyError: if the source has nothing of that name.
          TypeError: if x stands for nothing in a graph.
        """
        return objects.transformed(self, x)

    @property
    def variables(self):
        """A dict from the original Variables to the clone's own, in the order of the originals.

        Of a graph that says nothing of its variables (a bare GraphDef) the originals are tensors.
        """
        if self._variables is None:
            self._variables = dict(self._core.variables())
        return self._variables

    @property
    def ops(self):
        """A mapping from the original Operations to their copies, in the order of the originals."""
        return mappings.Copies(self, ops.Operation, self._core.originals)

    @property
    def tensors(self):
        """A mapping from the original Tensors to what the clone has in their place."""
        return mappings.Copies(self, ops.Tensor, self._core.original_tensors)

    @property
    def init_op(self):
        """The Operation that gives the clone's variables and tables their first values, no more."""
        return self._core.init_op()

    @property
    def update_op(self):
        """An Operation that assigns the originals' current values to the clone's variables.

        It is added to the graph when it is first asked for.

        Raises:
          CloneError: if the clone is in another graph; see update.
        """
        return self._made(self._core.update_op)

    def polyak_op(self, tau):
        """Adds an Operation: copy <- tau * original + (1 - tau) * copy, for each variable.

        Variables that are not of a floating dtype are assigned.

        Args:
          tau: a float from 0 to 1.

        Raises:
          CloneError: if tau is something else, or the clone is in another graph.
        """
        return self._made(self._core.polyak_op, tau)

    def update(self, session, into=None):
        """Assigns the originals' current values to the clone's variables, in any graphs, at once.

        Their memory is shared. What runs in `into` is added to the clone's graph the first time.

        Args:
          session: the tf.Session of the source that has the values.
          into: a tf.Session of the clone's graph; None: `session`.

        Raises:
          CloneError: if a session is of another graph.
          tf.errors.FailedPreconditionError: if a variable of the source has no value.
        """
        self._made(self._core.update, _core_of(session, 'session'),
                   _core_of(session if into is None else into, 'into'), None)

    def polyak(self, tau, session, into=None):
        """Moves the clone's variables towards the originals, in any graphs, at once.

        Args:
          tau: a float from 0 to 1, see polyak_op.
          session: as for update.
          into: as for update.

        Raises:
          As update, and CloneError if tau is something else.
        """
        self._made(self._core.update, _core_of(session, 'session'),
                   _core_of(session if into is None else into, 'into'), float(tau))

    def _made(self, make, *args):
        self.graph._check_not_finalized()
        try:
            return make(*args)
        except errors.OpError as error:
            _raise(error)

    @property
    def saver_map(self):
        """A dict for tf.train.Saver that loads checkpoints of the originals into the clone.

        From the names in these checkpoints to the clone's variables, lists for partitioned ones.
        Those of another dtype than the original come with that dtype; a Saver casts.
        """
        found = {}
        for name, copies, is_partitioned, stored_as in self._core.saver_map():
            found[name] = copies if is_partitioned else copies[0]
            if stored_as is not None:
                found[name] = saved_names.StoredAs(found[name], stored_as)
        return found

    def __repr__(self):
        from ramet import display

        where = repr(self.scope) if self.scope else 'at the root'
        operations = display.count(self._core.size(), 'operation')
        variables = display.count(len(self.variables), 'variable')
        return f'<ramet.Clone {where}: {operations}, {variables}>'
