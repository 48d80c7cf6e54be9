"""The scopes of a graph, such as name scopes, devices, control inputs and colocation."""

import contextlib
import re
import threading

from ramet import _core
from ramet.framework import device as device_lib
from ramet.framework import ragged_hooks, stacks
from ramet.framework.tensors import Tensor, graph_element

_ROOT_SCOPE = re.compile(r'^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$')
_INNER_SCOPE = re.compile(r'^[A-Za-z0-9_.\\/>-]*$')


class Scopes:
    """The methods of Graph that affect the nodes created inside their `with` blocks."""

    def as_default(self):
        """Returns a context manager in which this graph is the default graph of the thread."""
        return stacks.graphs.open(self)

    @contextlib.contextmanager
    def name_scope(self, name):
        """Opens a name scope and yields its full name with a trailing slash.

        Args:
          name: "x" is made unique, "x/" enters an existing scope again, None and "" mean the root.

        Raises:
          ValueError: if the name is not a valid scope name.
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
        """Returns the current name scope without the trailing slash."""
        return _core.name_stack(self)

    @property
    def _name_stack(self):
        return _core.name_stack(self)

    @contextlib.contextmanager
    def device(self, device_name_or_function):
        """Places the nodes created inside the context on a device.

        Args:
          device_name_or_function: a device as a string or DeviceSpec; a function from an Operation to a
            device; or None to ignore the outer device scopes.

        Raises:
          ValueError: if the string is not a device name.
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

    @contextlib.contextmanager
    def _devices_of(self, other):
        """Opens the device scopes of another graph instead of those of this one, if it has any."""
        own = list(self._devices)
        if other._devices:
            self._devices[:] = other._devices
            self._put_devices()
        try:
            yield
        finally:
            self._devices[:] = own
            self._put_devices()

    def switch_to_thread_local(self):
        """Gives each thread device scopes of its own, which begin with those open now."""
        if self._thread_devices is None:
            self._thread_devices = threading.local()

    @property
    def _devices(self):
        """The device scopes that are open, innermost last."""
        if self._thread_devices is None:
            return self._shared_devices
        return self._thread_devices.__dict__.setdefault('open', list(self._shared_devices))

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
        """Returns the operation that a node is colocated with, or None."""
        for group in op.colocation_groups():
            name = group[len(b'loc:@') :].decode()
            if name != op.name and self._has_operation(name):
                return self.get_operation_by_name(name)
        return None

    def _op_created(self, op):
        """Applies these scopes to a new node. The core calls it while `_hooked` is True."""
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
        """Makes the nodes that are created inside the context run after the given ones.

        Args:
          control_inputs: a list of Operations, Tensors, or objects that stand for one; or None to
            ignore the outer scopes of this kind.

        Raises:
          TypeError: if an element is not part of a graph.
          ValueError: if an element belongs to a different graph.
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
        elif ragged_hooks.is_ragged(obj):
            obj = obj.flat_values
        element = self.as_graph_element(obj)
        return element.op if isinstance(element, Tensor) else element

    @contextlib.contextmanager
    def colocate_with(self, op, ignore_existing=False):
        """Places the nodes created inside the context on the device of `op`.

        Args:
          op: an Operation, Tensor or an object that stands for one; or None with ignore_existing.
          ignore_existing: whether to ignore the outer scopes of this kind.

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
            element = self.as_graph_element(op if element is None else element)
            _core.push_colocation(self, element)
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
        """Sets the resource container of variables, queues and tables created inside the context.

        Args:
          container_name: str, the name of the container.
        """
        before = self._container
        self._container = container_name
        try:
            yield container_name
        finally:
            self._container = before

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map):
        """Replaces the gradient functions of the nodes created inside the context.

        Args:
          op_type_map: {op type: name given to tf.RegisterGradient}.

        Raises:
          TypeError: if it is not a dict from strings to strings.
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
        return self._control_flow_context or _core.current_context(self)

    def _set_control_flow_context(self, context):
        own = context is None or isinstance(context, _core.ControlFlowContext)
        if own:
            _core.set_current_context(self, context)
        self._control_flow_context = None if own else context
        self._update_hooks()
