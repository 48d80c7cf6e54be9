"""Implements ramet.clone and the Clone that it returns."""

from ramet import _core
from ramet.cloning import arguments, mappings, objects, records
from ramet.framework import display, errors, ops
from ramet.framework.uncopyable import Uncopyable
from ramet.train import saved_names


class CloneError(errors.InvalidArgumentError, ValueError):
    """An invalid argument of `ramet.clone`. The message names it, and the node or tensor."""


class NoSuchElementError(errors.NotFoundError, KeyError):
    """An argument of `ramet.clone` names an element that the source does not have."""


def _raise(error):
    kinds = {errors.INVALID_ARGUMENT: CloneError, errors.NOT_FOUND: NoSuchElementError}
    kind = kinds.get(error.error_code)
    if kind is None:
        raise error
    raise kind(None, None, error.message) from None


def clone(source=None, *, inputs=None, outputs=None, ops=None, scope=None, into=None,
          dst_scope='copy', input_map=None, device=None, variables='own', initial='initializer',
          slots=False, collections=True, dtype=None, strip_training=False, session=None,
          resources='own'):
    """Copies a graph, or a part of one, with its own variables.

        target = ramet.clone(inputs=x, outputs=q, dst_scope='target', initial='current')
        session.run(target.init_op)
        q_target = target.transformed(q)
        update = target.polyak_op(0.005)

    The copies of variables join the collections of the originals, have initializers, can be found with
    `tf.get_variable` under the new scope, and are trained and saved like any other variables. Loops,
    branches, functions, colocation constraints and named resources are cloned too. The current name
    scope determines where the clone goes; other open scopes do not affect it. If an error is raised,
    nothing has been added to the graph.

    An "element" below is a Tensor, Operation, Variable or name ("out:0", "train/step"). Arguments that
    take elements accept a single one, a list or a dict.

    Args:
      source: the tf.Graph to clone. None means the graph of the given elements, or else the default
        graph.
      inputs: elements that the clone does not compute. It has copies of the placeholders among
        them, and new placeholders of the same dtype and shape for the other tensors.
      outputs: elements to clone with everything that they need, up to the inputs, and with the
        initializers of any state among it. If `outputs`, `ops` and `scope` are all None, the whole
        graph is cloned.
      ops: the exact operations to clone: a list, a SubGraphView or similar. In the same graph, inputs
        from outside are used as they are.
      scope: a name scope: only its operations are cloned, and dst_scope replaces its name.
      into: the tf.Graph that receives the clone. None means the source.
      dst_scope: the name scope of the clone, made unique. "x/" is used as it is, from the root.
      input_map: a dict from elements of the source to the tensors that the clone reads instead. A
        value of None, or a TensorShape, creates a placeholder.
      device: a device for all operations ("/gpu:0" or a DeviceSpec); a dict from devices of the
        originals to devices of the copies; or a function from the original Operation to a device, or
        None to keep it.
      variables: 'own' creates new variables for the clone and 'shared' uses the originals. Also a
        function from a variable to one of these, or a dict from variables or their names to one of
        these; variables that are not in the dict are the clone's own.
      initial: the initial values of the clone's variables and tables. 'initializer' uses the
        initializers of the originals. 'current' copies the values of the originals when init_op
        runs; the copy of an original without a value gets none. Otherwise the prefix of a checkpoint
        that exists and has the variables under the names of the originals.
      slots: with `outputs`, `ops` or `scope`: whether to clone a variable's optimizer slots with it.
      collections: True adds the copies to every collection that their originals are in, and False to
        none. A list of names restricts it to those collections.
      dtype: converts floating-point dtypes: the dtype that replaces float32 (tf.bfloat16,
        tf.float16, tf.float64), a dict of replacements, or a function from the original Operation to
        one of these, or None to keep it. Placeholders, replaced inputs and outputs keep their dtypes,
        with casts in between.
      strip_training: removes what only training needs: optimizers and their slots, gradients,
        savers, and nodes that only pass on their input. A batch normalization in training mode is
        converted to inference mode if its moving averages can be identified with certainty.
      session: with initial='current' into a different graph: the session of the source that holds
        the values. Variables share their memory.
      resources: like `variables`, for tables, queues and everything else that has a shared_name. A
        function receives the Operation.

    Returns:
      A Clone.

    Raises:
      CloneError: (an InvalidArgumentError and a ValueError) if `outputs` is combined with `ops` or
        `scope`; if an input lies inside a loop that is cloned, or is a reference; if a replacement
        has the wrong graph, dtype or shape; if there is no checkpoint `initial`; or if the clone needs
        something that is not available in the target graph (a tensor from outside, a shared variable,
        current values without `session`).
      NoSuchElementError: (a NotFoundError and a KeyError) if the source has no element of a given
        name.
      TypeError, ValueError: if an argument has an unsupported type or value.
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
        raise TypeError(f'clone: {argument}: a Session is expected, not {session!r}')
    return core


class Clone(Uncopyable):
    """The copy of a graph or of a part of one, with the mapping from originals to copies.

    Attributes:
      source: the tf.Graph of the originals.
      graph: the tf.Graph of the copies.
      scope: the name scope of the copies, such as "copy".
    """

    def __init__(self, source, graph, core):
        self.source = source
        self.graph = graph
        self._core = core
        self.scope = core.scope()
        self._variables = None

    def transformed(self, x):
        """Returns the clone's counterpart of an element of the source.

        Args:
          x: a Tensor, Operation or Variable of the source, a name ("out:0" is a tensor, "step" an
            operation), or an object that consists of tensors: a list, tuple or dict, a SparseTensor, a
            PartitionedVariable, a table, an object of the program.

        Returns:
          The copy. For a replaced input this is its replacement, for a shared element x itself. None if
          x is not part of the clone.

        Raises:
          KeyError: if the source has no element of that name.
          TypeError: if x does not refer to any part of a graph.
        """
        return objects.transformed(self, x)

    @property
    def variables(self):
        """A dict from the original Variables to the clone's own, in the order of the originals.

        If the graph has no variable objects (a bare GraphDef), the originals are tensors.
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
        """A mapping from the original Tensors to their counterparts in the clone."""
        return mappings.Copies(self, ops.Tensor, self._core.original_tensors)

    @property
    def init_op(self):
        """The Operation that initializes the clone's variables and tables, and nothing else."""
        return self._core.init_op()

    @property
    def update_op(self):
        """An Operation that assigns the originals' current values to the clone's variables.

        It is added to the graph at the first access.

        Raises:
          CloneError: if the clone is in a different graph than the source; use update() there.
        """
        return self._made(self._core.update_op)

    def polyak_op(self, tau):
        """Adds an Operation that computes tau * original + (1 - tau) * copy for each variable.

        It assigns the result to the copy. Variables without a floating-point dtype are copied.

        Args:
          tau: a float from 0 to 1.

        Returns:
          The Operation.

        Raises:
          CloneError: if tau is out of range, or if the clone is in a different graph than the source.
        """
        return self._made(self._core.polyak_op, float(tau))

    def update(self, session, into=None):
        """Assigns the originals' current values to the clone's variables, all at the same time.

        The two graphs may differ. The values share memory. The first call with `into` adds nodes to the
        clone's graph.

        Args:
          session: the tf.Session of the source that holds the values.
          into: a tf.Session of the clone's graph. None means `session`.

        Raises:
          CloneError: if a session runs the wrong graph.
          tf.errors.FailedPreconditionError: if a variable of the source has no value.
        """
        self._made(self._core.update, _core_of(session, 'session'),
                   _core_of(session if into is None else into, 'into'), None)

    def polyak(self, tau, session, into=None):
        """Moves the clone's variables toward the originals, all at the same time.

        The two graphs may differ.

        Args:
          tau: a float from 0 to 1, see polyak_op.
          session: as for update().
          into: as for update().

        Raises:
          CloneError: if tau is out of range, or a session runs the wrong graph.
          tf.errors.FailedPreconditionError: if a variable of the source has no value.
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

        It maps the names in these checkpoints to the clone's variables, or to lists of them for
        partitioned variables. If a copy has a different dtype, the Saver casts.
        """
        found = {}
        for name, copies, is_partitioned, stored_as in self._core.saver_map():
            found[name] = copies if is_partitioned else copies[0]
            if stored_as is not None:
                found[name] = saved_names.StoredAs(found[name], stored_as)
        return found

    def __repr__(self):
        where = repr(self.scope) if self.scope else 'at the root'
        operations = display.count(self._core.size(), 'operation')
        variables = display.count(len(self.variables), 'variable')
        return f'<ramet.Clone {where}: {operations}, {variables}>'
