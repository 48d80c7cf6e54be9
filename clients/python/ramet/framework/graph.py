"""Graph: the nodes are in C++; here are its scopes and what Python programs ask of it."""

import contextlib
import re

from ramet import _core
from ramet.api import export
from ramet.framework import collections_lib, device as device_lib, stacks
from ramet.framework.tensors import Operation, Tensor, graph_element

GRAPH_DEF_VERSION = 2474
_ROOT_SCOPE = re.compile(r'^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$')
_INNER_SCOPE = re.compile(r'^[A-Za-z0-9_.\\/>-]*$')


class _Version:
    """The version numbers of a GraphDef, which can be set."""

    def __init__(self, graph):
        self._graph = graph

    @property
    def producer(self):
        return self._graph._producer

    @producer.setter
    def producer(self, value):
        self._graph._producer = value

    @property
    def min_consumer(self):
        return self._graph._min_consumer

    @min_consumer.setter
    def min_consumer(self, value):
        self._graph._min_consumer = value


@export('Graph')
class Graph(_core.Graph, collections_lib.Collections):
    """A growing set of operations, with the collections and scopes that belong to it.

    The nodes are held by the C++ library; Operation and Tensor are handles of them. One thread at
    a time may add to a graph; sessions may run it meanwhile.
    """

    building_function = False

    def __init__(self):
        from ramet.framework import ops  # noqa: F401 - which hands its classes to the core

        super().__init__()
        self._seed = None
        self._variable_objects = {}
        self._variable_creator_stack = []
        self._devices = []
        self._gradient_overrides = {}
        self._attr_scopes = {}
        self._control_flow_context = None
        self._unfeedable, self._unfetchable = set(), set()
        self._py_funcs_used_in_graph = []
        self._exporters = {}
        self._collection_refs = {}

    # What is in it.

    @property
    def version(self):
        """A number that grows with the nodes."""
        return self._num_operations()

    @property
    def graph_def_versions(self):
        """The versions of its GraphDef as a VersionDef message."""
        from ramet.core.framework import versions_pb2

        return versions_pb2.VersionDef(producer=self._producer, min_consumer=self._min_consumer)

    @property
    def versions(self):
        return _Version(self)

    def as_graph_def(self, from_version=None, add_shapes=False):
        """The graph as a GraphDef message.

        Args:
            from_version: only nodes that were added after the graph had this version.
            add_shapes: adds the attr _output_shapes with the known shapes of outputs.
        """
        from ramet.core.framework import graph_pb2

        message = graph_pb2.GraphDef.FromString(self._graph_def(add_shapes, False))
        if from_version:
            del message.node[:from_version]
        return message

    def get_operation_by_name(self, name):
        """The operation of that name.

        Raises:
            TypeError: if name is no text.
            KeyError: if there is none.
            ValueError: if the name is that of a tensor.
        """
        if not isinstance(name, str):
            raise TypeError(
                f'Operation names are strings (or similar), not {type(name).__name__}.'
            )
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    _get_operation_by_name = get_operation_by_name

    def get_tensor_by_name(self, name):
        """The tensor of that name, "op:0".

        Raises:
            TypeError: if name is no text.
            KeyError: if there is none.
            ValueError: if the name is not that of a tensor.
        """
        if not isinstance(name, str):
            raise TypeError(f'Tensor names are strings (or similar), not {type(name).__name__}.')
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The Tensor or Operation that an object or a name stands for.

        Raises:
            TypeError: if the object stands for none, or not for one of the allowed kind.
            ValueError: if it is of another graph, or the name is malformed.
            KeyError: if there is nothing of that name.
        """
        found = graph_element(obj)
        if found is None:
            return self._by_name(obj, allow_tensor, allow_operation)
        if isinstance(found, Tensor) and not allow_tensor or (
            isinstance(found, Operation) and not allow_operation
        ):
            raise TypeError(
                f'Can not convert a {type(found).__name__} into a '
                f'{self._kinds(allow_tensor, allow_operation)}.'
            )
        if found.graph is not self:
            kind = 'Tensor' if isinstance(found, Tensor) else 'Operation'
            raise ValueError(f'{kind} {obj} is not an element of this graph.')
        return found

    @staticmethod
    def _kinds(allow_tensor, allow_operation):
        if allow_tensor and allow_operation:
            return 'Tensor or Operation'
        return 'Tensor' if allow_tensor else 'Operation'

    def _by_name(self, name, allow_tensor, allow_operation):
        kinds = self._kinds(allow_tensor, allow_operation)
        if isinstance(name, bytes):
            name = name.decode()
        if not isinstance(name, str):
            raise TypeError(f'Can not convert a {type(name).__name__} into a {kinds}.')
        if ':' in name:
            if not allow_tensor:
                raise ValueError(f'Name {name!r} appears to refer to a Tensor, not a {kinds}.')
            return self._find(name, True)
        if not allow_operation:
            if self._has_operation(name):
                raise ValueError(
                    f'The name {name!r} refers to an Operation, not a {kinds}. Tensor names must '
                    'be of the form "<op_name>:<output_index>".'
                )
            raise ValueError(
                f'The name {name!r} looks like an (invalid) Operation name, not a {kinds}. Tensor '
                'names must be of the form "<op_name>:<output_index>".'
            )
        return self._find(name, False)

    # Adding to it.

    def create_op(
        self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None, op_def=None,
        compute_shapes=True, compute_device=True,
    ):
        """Adds a node of any op with these tensors as inputs.

        Args:
            op_type: the op, "MatMul".
            inputs: a list of tensors of this graph.
            dtypes: not needed: the definition of the op and attrs say them.
            input_types: not needed.
            name: name; made unique unless it ends with a slash.
            attrs: a dict of attr values, AttrValue messages among them.
            op_def: not needed.
            compute_shapes: ignored; shapes are always inferred.
            compute_device: ignored; the device scopes always hold.

        Returns:
            The Operation.

        Raises:
            TypeError: if an input is no tensor.
            ValueError: if the node is malformed.
        """
        from ramet.framework import attr_value

        for i, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f'Input #{i} is not a tensor: {tensor}')
            if tensor.graph is not self:
                raise ValueError(f'{tensor} must be from the same graph as {self}.')
        plain = {k: attr_value.to_python(v) for k, v in (attrs or {}).items()}
        return _core.create_op(self, op_type, list(inputs), plain, name or op_type)

    def unique_name(self, name, mark_as_used=True):
        """A name under the current scope that nobody has yet: "a", "a_1", ..."""
        return self._unique_name(name, mark_as_used)

    @property
    def seed(self):
        """The graph-level seed, None if there is none."""
        return self._seed

    @seed.setter
    def seed(self, seed):
        self._seed = seed
        if seed is not None:
            self._set_seed(seed % (2**31 - 1))

    def _seeds_for_op(self, op_seed):
        return self._seeds(op_seed)

    def finalize(self):
        """Forbids further nodes: adding one raises RuntimeError."""
        self._finalize()

    @property
    def finalized(self):
        return self._finalized

    def _check_not_finalized(self):
        if self.finalized:
            raise RuntimeError('Graph is finalized and cannot be modified.')

    # Scopes.

    def as_default(self):
        """A context in which this graph is the default one of the thread."""
        return stacks.graphs.open(self)

    @contextlib.contextmanager
    def name_scope(self, name):
        """Opens a name scope; gives its full name with a slash at the end.

        Args:
            name: "x" is made unique, "x/" is entered again, None and "" are the root.

        Raises:
            ValueError: if the name is not a legal scope name.
        """
        before, scope = self._enter_name(name)
        try:
            yield scope
        finally:
            _core.set_name_stack(self, before)

    def _enter_name(self, name):
        if name:
            if not isinstance(name, str):
                raise TypeError(f'name for name_scope must be a string, not {name!r}')
            inner = bool(_core.name_stack(self))
            pattern, kind = (_INNER_SCOPE, 'scope') if inner else (_ROOT_SCOPE, 'root scope')
            if not pattern.match(name):
                raise ValueError(
                    f"'{name}' is not a valid {kind} name. A {kind} name has to match the "
                    f'following pattern: {pattern.pattern}'
                )
        return _core.push_name(self, name or '', True)

    def get_name_scope(self):
        """The current name scope without a slash at the end."""
        return _core.name_stack(self)

    @property
    def _name_stack(self):
        return _core.name_stack(self)

    @contextlib.contextmanager
    def device(self, device_name_or_function):
        """Nodes made inside are to be placed on a device.

        Args:
            device_name_or_function: a device as text or DeviceSpec; a function from an Operation to
                one; None to leave the outer device scopes.

        Raises:
            ValueError: if the text is no device.
        """
        entry = device_name_or_function
        if entry is not None and not isinstance(entry, str) and not callable(entry):
            entry = entry.to_string()
        if isinstance(entry, str):
            device_lib.check_valid(entry)
        opened = (entry,)
        self._devices.append(opened)
        self._put_devices()
        try:
            yield
        finally:
            if not self._devices or self._devices[-1] is not opened:
                raise RuntimeError('Exiting device scope without proper scope nesting')
            self._devices.pop()
            self._put_devices()

    def _put_devices(self):
        devices = [entry for entry, in self._devices]
        functions = any(callable(d) for d in devices)
        _core.set_devices(self, [] if functions else devices)
        self._device_functions = functions
        self._update_hooks()

    _device_functions = False

    def _update_hooks(self):
        self._hooked = bool(
            self._device_functions or self._gradient_overrides or self._attr_scopes
            or self._control_flow_context
        )

    def _apply_device_functions(self, op):
        beside = self._beside(op)
        if beside is not None:
            self._set_device(op, beside.device)
            return
        for (entry,) in reversed(self._devices):
            if entry is None:
                break
            if callable(entry):
                device = entry(op)
                device = device if isinstance(device, str) else device.to_string() if device else ''
            else:
                device = device_lib.merge_names(entry, op.device)
            self._set_device(op, device)

    def _beside(self, op):
        """The operation whose device a node shares by its colocation group, or None."""
        for group in op.colocation_groups():
            name = group[len(b'loc:@') :].decode()
            if name != op.name and self._has_operation(name):
                return self.get_operation_by_name(name)
        return None

    def _op_created(self, op):
        """What scopes of this class do to a new node (the core calls it while _hooked)."""
        if self._device_functions:
            self._apply_device_functions(op)
        override = self._gradient_overrides.get(op.type)
        if override is not None:
            self._set_attr(op, '_gradient_op_type', override)
        for name, value in self._attr_scopes.items():
            if value is not None and name not in op._attr_names():
                op._set_attr(name, value(op.node_def) if callable(value) else value)
        if self._control_flow_context is not None:
            op._set_control_flow_context(self._control_flow_context)
            self._control_flow_context.AddOp(op)

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs):
        """Nodes made inside run after these.

        Args:
            control_inputs: Operations, Tensors, or what stands for one; None to leave the outer
                scopes of this kind.

        Raises:
            TypeError: if one of them stands for nothing in a graph.
            ValueError: if one of them is of another graph.
        """
        controls = None
        if control_inputs is not None:
            controls = [self._control_of(c) for c in control_inputs]
        _core.push_controls(self, controls)
        context = self._control_flow_context
        if controls is None:
            self._control_flow_context = None
            self._update_hooks()
        try:
            yield
        finally:
            _core.pop_controls(self)
            self._control_flow_context = context
            self._update_hooks()

    def _control_of(self, obj):
        if hasattr(obj, '_handle') or hasattr(obj, 'values') and hasattr(obj, 'indices'):
            obj = obj.op
        element = self.as_graph_element(obj)
        return element.op if isinstance(element, Tensor) else element

    @contextlib.contextmanager
    def colocate_with(self, op, ignore_existing=False):
        """Nodes made inside are to be on the device of op.

        Args:
            op: an Operation, Tensor or what stands for one; None with ignore_existing.
            ignore_existing: leaves the outer scopes of this kind.

        Raises:
            ValueError: if op is None and ignore_existing is not set.
        """
        if op is None and not ignore_existing:
            raise ValueError(
                'Trying to reset colocation (op is None) but ignore_existing is not True'
            )
        before = _core.colocations(self)
        if ignore_existing:
            _core.set_colocations(self, [])
        if op is not None:
            element = op.op if hasattr(op, 'indices') else graph_element(op)
            _core.push_colocation(self, self.as_graph_element(element if element is not None else op))
        try:
            yield
        finally:
            _core.set_colocations(self, before)

    @contextlib.contextmanager
    def _colocate_with_for_gradient(self, op, gradient_uid, ignore_existing=False):
        with self.colocate_with(op, ignore_existing):
            yield

    @contextlib.contextmanager
    def container(self, container_name):
        """Variables, queues and tables made inside live in this resource container."""
        before = self._container
        self._container = container_name
        try:
            yield container_name
        finally:
            self._container = before

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map):
        """Nodes made inside get the gradient that is registered under another name.

        Args:
            op_type_map: {op type: name given to tf.RegisterGradient}.

        Raises:
            TypeError: if it is no dict from text to text.
        """
        if not isinstance(op_type_map, dict):
            raise TypeError('op_type_map must be a dictionary mapping strings to strings')
        for key, value in op_type_map.items():
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError('op_type_map must be a dictionary mapping strings to strings')
        before = self._gradient_overrides
        self._gradient_overrides = {**before, **op_type_map}
        self._update_hooks()
        try:
            yield
        finally:
            self._gradient_overrides = before
            self._update_hooks()

    @contextlib.contextmanager
    def _attr_scope(self, attr_map):
        if not isinstance(attr_map, dict):
            raise TypeError('attr_map must be a dictionary mapping strings to AttrValue protocol '
                            'buffers')
        before = self._attr_scopes
        self._attr_scopes = {**before, **attr_map}
        self._update_hooks()
        try:
            yield
        finally:
            self._attr_scopes = before
            self._update_hooks()

    def _get_control_flow_context(self):
        return self._control_flow_context

    def _set_control_flow_context(self, context):
        self._control_flow_context = context
        self._update_hooks()

    # Feeding and fetching.

    def prevent_feeding(self, tensor):
        """Feeding this tensor raises ValueError from now on."""
        self._unfeedable.add(tensor)

    def is_feedable(self, tensor):
        return tensor not in self._unfeedable

    def prevent_fetching(self, op):
        """Fetching this operation raises ValueError from now on."""
        self._unfetchable.add(op)

    def is_fetchable(self, tensor_or_op):
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return op not in self._unfetchable

    def __repr__(self):
        from ramet import display

        operations = display.count(self._num_operations(), 'operation')
        variables = display.count(len(self.get_collection('variables')), 'variable')
        return f'<tf.Graph: {operations}, {variables}>'

    def _repr_svg_(self):
        from ramet import display

        return display.graph_svg(self)

    def _repr_html_(self):
        from ramet import display

        return display.graph_html(self)
