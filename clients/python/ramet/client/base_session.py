"""The base class of sessions: running a graph."""

from ramet import _core
from ramet.client import fetches as fetches_lib
from ramet.client import partial_runs
from ramet.client import run_metadata as run_metadata_lib
from ramet.client import session_handles
from ramet.framework import errors, nest, stacks
from ramet.framework.graph import Graph
from ramet.framework.tensors import Operation
from ramet.framework.uncopyable import Uncopyable


def core_options(config):
    """Returns the core's options for a ConfigProto.

    Args:
      config: a ConfigProto (Ramet's or TensorFlow's), or None for no options.

    Returns:
      A dict from the names of options to their values.
    """
    if config is None:
        return {}
    options = {name: getattr(config, name) for name in _core.session_options() if hasattr(config, name)}
    options['device_count'] = dict(config.device_count)
    options['operation_timeout_in_ms'] = max(config.operation_timeout_in_ms, 0)
    for name in ('per_process_gpu_memory_fraction', 'allow_growth', 'visible_device_list'):
        options[name] = getattr(config.gpu_options, name)
    options['disabled_passes'] = disabled_passes(config.graph_options)
    options['deterministic'] = getattr(config.experimental, 'enable_op_determinism', False)
    return options


# The passes that do the work of a field of TensorFlow's RewriterConfig.
_PASSES_OF_TOGGLES = {
    'constant_folding': ('constant_folding',),
    'arithmetic_optimization': ('arithmetic',),
    'common_subgraph_elimination': ('common_subexpressions',),
    'remapping': ('batch_norm_folding', 'epilogues', 'packed_weights', 'elementwise', 'device_fusion'),
}
_OFF = 2  # RewriterConfig.OFF


def disabled_passes(options):
    """Returns the passes that a GraphOptions turns off.

    Args:
      options: a GraphOptions (Ramet's or TensorFlow's).

    Returns:
      A list of names. ['all'] if the meta optimizer is disabled.
    """
    rewrite = options.rewrite_options
    if rewrite.disable_meta_optimizer:
        return ['all']
    disabled = []
    for field, names in _PASSES_OF_TOGGLES.items():
        if getattr(rewrite, field, None) == _OFF:
            disabled.extend(names)
    optimizer = options.optimizer_options
    if optimizer.opt_level < 0:
        if not optimizer.do_constant_folding:
            disabled.append('constant_folding')
        if not optimizer.do_common_subexpression_elimination:
            disabled.append('common_subexpressions')
    return disabled


_connect = None


def register_targets(connect):
    """Sets the function that connects sessions to servers. The module of servers calls this.

    Args:
      connect: a function from a target, a graph and a ConfigProto to a core session, or to None if no server
        has the target.
    """
    global _connect
    _connect = connect


class BaseSession(Uncopyable):
    """The base class of Session and InteractiveSession."""

    _instead = 'its values are in this process; use tf.train.Saver to save them'

    def __init__(self, target='', graph=None, config=None):
        """Creates a session.

        Args:
          target: '' for a session with its own values, or the target of a tf.train.Server of this process. Servers of other
            processes are not supported.
          graph: the Graph, or None for the default one.
          config: a ConfigProto. The fields device_count, intra_op_parallelism_threads,
            inter_op_parallelism_threads, allow_soft_placement, log_device_placement, operation_timeout_in_ms,
            experimental.enable_op_determinism, per_process_gpu_memory_fraction, allow_growth and
            visible_device_list of gpu_options, and these fields of graph_options are used:
            optimizer_options.opt_level, do_constant_folding and do_common_subexpression_elimination, and
            rewrite_options.constant_folding, arithmetic_optimization, common_subgraph_elimination, remapping and
            disable_meta_optimizer. All other fields are ignored.

        Raises:
          TypeError: if an argument has the wrong type.
          tf.errors.NotFoundError: if no server of this process has the target.
        """
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        if isinstance(target, str):
            target = target.encode()
        if not isinstance(target, bytes):
            raise TypeError(
                f'Argument `target` must be a string, but got "{type(target).__name__}"'
            )
        if config is not None and not hasattr(config, 'device_count'):
            raise TypeError(
                f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"'
            )
        self._graph = graph if graph is not None else stacks.get_default_graph()
        self._target = target
        self._config = config
        self._closed = False
        self._partial_runs = {}
        self._dead_handles = []
        self._core, self._owns_core = self._new_core(target.decode(), config)

    def _new_core(self, target, config):
        """Returns the core's session, and whether it belongs to this session alone."""
        if not target or target.startswith('local'):
            return _core.Session(self._graph, core_options(config)), True
        core = _connect and _connect(target, self._graph, config)
        if core is None:
            raise errors.NotFoundError(
                None, None,
                f'No session factory registered for the target {target!r}: Ramet runs graphs only in this process '
                "(target='', or the target of a tf.train.Server of this process)")
        return core, False

    @property
    def graph(self):
        """The Graph that this session runs."""
        return self._graph

    @property
    def graph_def(self):
        """The graph as a GraphDef message."""
        return self._graph.as_graph_def(add_shapes=False)

    @property
    def sess_str(self):
        return self._target

    def list_devices(self):
        """Returns the devices, each with a name, device_type and memory_limit_bytes."""
        return [_DeviceAttributes(name) for name in self._core.list_devices()]

    def close(self):
        """Closes the session and discards the values of its variables, unless they belong to a server."""
        self._closed = True
        self._partial_runs.clear()
        if self._owns_core:
            self._core.close()

    def __repr__(self):
        state = 'closed' if self._closed else 'open'
        return f'<tf.{type(self).__name__}: {state}, runs {self._graph!r}>'

    def as_default(self):
        """Returns a context manager that makes this the default session.

        Leaving the context does not close the session.
        """
        return stacks.default_session(self)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Runs the operations that the fetches need and returns the values of the fetches.

        Args:
          fetches: a Tensor, Operation, name, Variable, SparseTensor, IndexedSlices, or an arbitrarily nested
            list, tuple, namedtuple or dict of these.
          feed_dict: {tensor: value} for placeholders or any other tensors. A key may also be a nested structure
            of tensors (a tuple, an LSTMStateTuple); its value must have the same number of parts.
          options: a RunOptions message. When timeout_in_ms has passed, the run stops before the next operation,
            and operations that wait stop waiting; 0 means the timeout in the session's ConfigProto.
            trace_level (any value but NO_TRACE) and output_partition_graphs fill run_metadata.
          run_metadata: a RunMetadata message, which is overwritten if the run succeeds.

        Returns:
          Values in the structure of fetches: numpy arrays and scalars, bytes for strings, None for operations.
          The caller owns the arrays; nothing else refers to them.

        Raises:
          RuntimeError: if the session is closed.
          TypeError, ValueError: if a fetch or feed has an unsupported type or belongs to a different graph, or
            if a value does not fit its tensor.
          tf.errors.DeadlineExceededError: if the run exceeded its timeout.
          tf.errors.CancelledError: if the session was closed during the run.
          tf.errors.OpError: if an operation fails; the class depends on the error code.
        """
        if options is not None or run_metadata is not None:
            return self._run_structure(fetches, feed_dict, options, run_metadata)
        plain = fetches is not None and not self._closed and not session_handles.used_in(self._graph)
        if plain:
            try:
                result = self._core.run(fetches, feed_dict)
            except errors.OpError as error:
                raise error.with_traceback(None) from _core.host_function_error(error.message)
            if result is not NotImplemented:
                return result
        return self._run_structure(fetches, feed_dict)

    def _run_structure(self, fetches, feed_dict, options=None, run_metadata=None):
        self._check_open()
        feeds = self._feeds(feed_dict) if feed_dict else None
        elements = fetches_lib.Elements(self._graph)
        build = fetches_lib.mapper(fetches, elements)
        control = self._control(options, run_metadata)
        try:
            values = self._core.run(elements.items, feeds, control) if elements.items else []
        except errors.OpError as error:
            raise error.with_traceback(None) from _core.host_function_error(error.message)
        if run_metadata is not None:
            run_metadata_lib.fill(run_metadata, control)
        if session_handles.used_in(self._graph):
            values = session_handles.wrap(self, elements.items, values)
            self._delete_dead_handles()
        return build(values)

    def _delete_dead_handles(self):
        """Deletes the values whose TensorHandles are gone."""
        dead, self._dead_handles = self._dead_handles, []
        for handle in dead:
            session_handles.delete(self, handle)

    def _control(self, options, run_metadata):
        if options is None and run_metadata is None:
            return None
        pools = len(self._config.session_inter_op_thread_pool) if self._config else 0
        return run_metadata_lib.control(options, run_metadata, pools)

    def partial_run_setup(self, fetches, feeds=None):
        """Sets up a run in several parts. Operations that ran for one part do not run again.

        Args:
          fetches: as in run(), everything that the parts fetch together. Operations among the fetches run
            automatically, in the first part that feeds the last of their inputs.
          feeds: a list of the tensors (or names) that the parts feed together.

        Returns:
          A handle for partial_run().

        Raises:
          RuntimeError: if the session is closed or its graph is empty.
          TypeError, ValueError: as run().
          tf.errors.InvalidArgumentError: if there is nothing to fetch, or if a feed occurs twice or is also
            fetched.
        """
        self._check_open()
        tensors = []
        for key in partial_runs.flat_feeds(feeds):
            tensors.append(self._feed_tensor(key, 'feed_list'))
        elements = fetches_lib.Elements(self._graph)
        fetches_lib.mapper(fetches, elements)
        run = _core.partial_run_setup(self._core, self._graph, tensors, elements.items)
        handle = partial_runs.handle(tensors, elements.items)
        self._partial_runs[handle] = run
        return handle

    def partial_run(self, handle, fetches, feed_dict=None):
        """Continues a run in several parts.

        Args:
          handle: the handle that partial_run_setup() returned.
          fetches: some of the tensors given to partial_run_setup(), in any structure. Each may be fetched once.
          feed_dict: {tensor: value} for some of the feeds given to partial_run_setup(). Each may be fed once.

        Returns:
          Values in the structure of fetches.

        Raises:
          RuntimeError: if the session is closed, or an operation is among the fetches.
          TypeError, ValueError: as run().
          tf.errors.InvalidArgumentError: if a fetch or feed was not set up or was already used; if a fetch
            needs a tensor that is not fed yet; or if the handle is unknown or its run has ended, because
            everything was fetched or an operation failed.
          tf.errors.OpError: if an operation fails; the class depends on the error code.
        """
        if handle is None:
            return self.run(fetches, feed_dict)
        self._check_open()
        feeds = self._feeds(feed_dict) if feed_dict else {}
        elements = fetches_lib.Elements(self._graph)
        build = fetches_lib.mapper(fetches, elements)
        targets = [e for e in elements.items if isinstance(e, Operation)]
        if targets:
            raise RuntimeError(
                f'partial_run() requires empty `target_list`. Received: target_list={targets} '
                '(non-empty)'
            )
        handle = partial_runs.checked_handle(handle)
        run = self._partial_runs.get(handle)
        if run is None:
            raise errors.InvalidArgumentError(
                None, None, "Must run 'setup' before performing partial runs!"
            )
        try:
            values = run.run(feeds, elements.items)
        except errors.OpError as error:
            raise error.with_traceback(None) from _core.host_function_error(error.message)
        finally:
            if run.ended:
                self._partial_runs.pop(handle, None)
        return build(values)

    def _check_open(self):
        if self._closed:
            raise RuntimeError('Attempted to use a closed Session.')
        if self._graph.version == 0:
            raise RuntimeError(
                'The Session graph is empty. Add operations to the graph before calling run().'
            )

    def _feeds(self, feed_dict):
        feeds = {}
        for key, value in fetches_lib.flat_items(feed_dict):
            for element, part in fetches_lib.expand_feed(key, value):
                tensor = self._feed_tensor(element)
                feeds[tensor] = session_handles.as_feed(tensor, part)
        return feeds

    def _feed_tensor(self, element, where='feed_dict'):
        try:
            tensor = self._graph.as_graph_element(element, allow_operation=False)
        except Exception as error:
            raise TypeError(
                f'Cannot interpret {where} key as Tensor: {error.args[0] if error.args else error}'
            ) from None
        if not self._graph.is_feedable(tensor):
            raise ValueError(f'Tensor {tensor.name} may not be fed.')
        return tensor

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """Returns a function that runs fixed fetches with fixed feeds.

        Args:
          fetches: as in run().
          feed_list: the tensors (or names, or structures of these) that the arguments of the
            callable feed.
          accept_options: whether the callable accepts options= and run_metadata=, as in run().

        Returns:
          A function that takes the values for feed_list and returns what run() would.

        Raises:
          TypeError: if feed_list is not a list or tuple.
          TypeError, ValueError: as run().
        """
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(
                f'Argument `feed_list` = {feed_list} must be a list or tuple. Received '
                f'type={type(feed_list).__name__}'
            )
        if self._closed:
            raise RuntimeError('Attempted to use a closed Session.')
        structures = [f for f in feed_list or () if nest.is_nested(f)]
        feeds = [self._feed_tensor(f) for f in nest.flatten(list(feed_list or ()))]
        elements = fetches_lib.Elements(self._graph)
        build = fetches_lib.mapper(fetches, elements)
        prepared = self._core.prepare(feeds, elements.items)
        if isinstance(fetches, Operation):
            build = _nothing

        def flat(values):
            if not structures or len(values) != len(feed_list):
                return values
            pairs = zip(feed_list, values)
            return [part for f, v in pairs for _, part in fetches_lib.flat_feed(f, v)]

        def call(*values):
            return build(prepared.run(None, *flat(values)))

        def call_with_options(*values, options=None, run_metadata=None):
            control = self._control(options, run_metadata)
            results = build(prepared.run(control, *flat(values)))
            if run_metadata is not None:
                run_metadata_lib.fill(run_metadata, control)
            return results

        return call_with_options if accept_options else call

    def uninitialized_variables(self):
        """Returns the names of the graph's global variables without a value in this session."""
        return self._core.uninitialized_variables()

    def initialize_missing(self):
        """Initializes the global variables that have no value yet and returns how many there were."""
        return self._core.initialize_missing()


def _nothing(values):
    return None


class _DeviceAttributes:
    """The name, type and memory limit of one device."""

    def __init__(self, name):
        self.name = name
        self.device_type = name.rsplit('/', 1)[-1].split(':')[1]
        self.memory_limit_bytes = 0
        self.incarnation = 0

    def __repr__(self):
        return f'_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes})'
