"""Tensor and Operation: handles for the nodes of a C++ graph."""

from ramet import _core
from ramet.api import export
from ramet.core.framework import node_def_pb2, op_def_pb2
from ramet.framework import attr_value, errors, object_identity, stacks, tensor_shape

OVERLOADABLE_OPERATORS = frozenset(
    f'__{name}__'
    for name in (
        'add radd sub rsub mul rmul div rdiv truediv rtruediv floordiv rfloordiv mod rmod pow '
        'rpow matmul rmatmul lt le gt ge ne eq and rand or ror xor rxor getitem invert neg abs'
    ).split()
)


@export('Tensor')
class Tensor(_core.Tensor):
    """One output of an Operation. It has no value until a session runs it.

    A graph has exactly one object per output, so tensors can be compared with `is` and used as keys of
    a feed dict. All information about a tensor is stored in the graph.
    """

    OVERLOADABLE_OPERATORS = OVERLOADABLE_OPERATORS
    _is_eager = False  # whether it is a value instead of an element of a graph
    __array_priority__ = 100
    __hash__ = object.__hash__

    def get_shape(self):
        """Returns `shape`."""
        return self.shape

    @property
    def ndim(self):
        """The number of dimensions, or None if it is unknown."""
        return self.shape.ndims

    def set_shape(self, shape):
        """Merges a shape into the known static shape of this tensor.

        Args:
          shape: a TensorShape or an object that can be converted; -1 and None are unknown dimensions.

        Raises:
          ValueError: if the shape contradicts the known one.
        """
        known, given = self.shape, tensor_shape.as_shape(shape)
        if not known.is_compatible_with(given):
            raise ValueError(_mismatch(known, given))
        self._set_shape(given)

    @property
    def _shape(self):
        return self.shape

    def _shape_as_list(self):
        dims = self._dims()
        return None if dims is None else [None if d < 0 else d for d in dims]

    def _shape_tuple(self):
        dims = self._shape_as_list()
        return None if dims is None else tuple(dims)

    def eval(self, feed_dict=None, session=None):
        """Runs the tensor in a session and returns its value as a numpy array.

        Args:
          feed_dict: {tensor: value}, as in Session.run.
          session: the Session, or None for the default session.

        Raises:
          ValueError: if there is no default session, or it runs a different graph.
          tf.errors.OpError: if running fails.
        """
        return stacks.run_default(self, feed_dict, session, 'evaluate tensor', '`eval()`')

    def _as_tf_output(self):
        return self

    def _as_node_def_input(self):
        return self.op.name if self.value_index == 0 else self.name

    def _as_graph_element(self):
        return self

    def ref(self):
        """Returns a hashable reference to the tensor. In Ramet, tensors are hashable themselves."""
        return object_identity.Reference(self)

    experimental_ref = ref

    def __iter__(self):
        raise TypeError(
            'Tensor objects are only iterable when eager execution is enabled. To iterate over '
            'this tensor use tf.map_fn.'
        )

    def __len__(self):
        raise TypeError(
            f'len is not well defined for a symbolic Tensor ({self.name}). Please call '
            '`x.shape` rather than `len(x)` for shape information.'
        )

    def __bool__(self):
        raise TypeError(
            'Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not '
            'None:` instead of `if t:` to test if a tensor is defined, and use TensorFlow ops such '
            'as tf.cond to execute subgraphs conditioned on the value of a tensor.'
        )

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError(
            f'Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. Run it in a '
            'session: session.run(tensor).'
        )

    def __copy__(self):
        return self

    def __reduce__(self):
        raise TypeError("cannot pickle 'Tensor' object")

    def __str__(self):
        shape, device = '', ''
        if self._dims() is not None:
            shape = f', shape={self.shape}'
        if self.device:
            device = f', device={self.device}'
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    @classmethod
    def _override_operator(cls, operator, func):
        setattr(cls, operator, func)


@export('Operation')
class Operation(_core.Operation):
    """One node of a graph. There is exactly one object per node; the graph holds its data."""

    _original_op = None
    _control_flow_context = None
    __hash__ = object.__hash__

    @property
    def node_def(self):
        """A copy of the node as a NodeDef message."""
        return node_def_pb2.NodeDef.FromString(self._node_def())

    @property
    def op_def(self):
        """A copy of its op's definition as an OpDef message."""
        return op_def_pb2.OpDef.FromString(self._op_def())

    @property
    def traceback(self):
        """The call stack that created this node: (file, line, function, source), outermost first."""
        import linecache

        return [
            (file, line, function, linecache.getline(file, line).strip())
            for file, line, function in self._trace()
        ]

    def colocation_groups(self):
        """Returns the names of its colocation groups as bytes, such as [b'loc:@v']."""
        own = [('loc:@' + self.name).encode()]
        if '_class' not in self._attr_names():
            return own
        groups = [g for g in self.get_attr('_class') if g.startswith(b'loc:@')]
        return groups or own

    def values(self):
        """Returns the outputs as a tuple."""
        return tuple(self.outputs)

    def run(self, feed_dict=None, session=None):
        """Runs the operation in a session.

        Args:
          feed_dict: {tensor: value}, as in Session.run.
          session: the Session, or None for the default session.

        Raises:
          ValueError: if there is no default session, or it runs a different graph.
          tf.errors.OpError: if running fails.
        """
        stacks.run_default(self, feed_dict, session, 'execute operation', '`run()`')

    @property
    def _inputs(self):
        return self.inputs

    @property
    def _outputs(self):
        return self.outputs

    @property
    def _control_inputs(self):
        return self.control_inputs

    @property
    def _control_outputs(self):
        return [op for op in self.graph.get_operations() if self in op.control_inputs]

    @property
    def control_outputs(self):
        """The operations that have this one as a control input."""
        return self._control_outputs

    @property
    def _id_value(self):
        return self._id

    def _set_attr(self, name, value):
        """Sets an attr from an AttrValue message or a plain value."""
        self.graph._set_attr(self, name, attr_value.to_python(value))

    def _set_device(self, device):
        self.graph._set_device(self, device if isinstance(device, str) else device.to_string())

    def _set_device_from_string(self, device):
        self.graph._set_device(self, device)

    def _update_input(self, index, tensor):
        """Replaces input `index` by a tensor.

        Raises:
          ValueError: if the tensor belongs to a different graph.
          tf.errors.OutOfRangeError: if there is no such input.
          tf.errors.InvalidArgumentError: if the shapes are incompatible.
        """
        inputs = self.inputs
        if tensor.graph is not self.graph:
            raise ValueError(f'{tensor} must be from the same graph as {self!r}.')
        if not 0 <= index < len(inputs):
            raise errors.OutOfRangeError(
                None, None,
                f'Cannot update edge. Input index [{index}] is greater than the number of total '
                f'inputs [{len(inputs)}].',
            )
        if not tensor.shape.is_compatible_with(inputs[index].shape):
            sizes = [str(s.shape.as_list()).replace(' ', '') for s in (tensor, inputs[index])]
            raise errors.InvalidArgumentError(
                None, None,
                f'Cannot update edge, incompatible shapes: {sizes[0]} and {sizes[1]}.',
            )
        self.graph._update_input(self, index, tensor)

    def _add_control_input(self, op):
        self.graph._add_control_input(self, op)

    def _add_control_inputs(self, ops):
        for op in ops:
            self.graph._add_control_input(self, op)

    def _get_control_flow_context(self):
        return self._control_flow_context or _core.context_of(self)

    def _set_control_flow_context(self, context):
        own = context is None or isinstance(context, _core.ControlFlowContext)
        if own:
            _core.set_context_of(self, context)
        self._control_flow_context = None if own else context

    def __copy__(self):
        return self

    def __str__(self):
        return str(self.node_def)

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"


def _mismatch(known, given):
    """Returns how two incompatible shapes differ, in the wording of shape inference."""
    if known.ndims != given.ndims:
        return f'Shapes must be equal rank, but are {known.ndims} and {given.ndims}'
    pairs = list(zip(known.as_list(), given.as_list(), strict=True))
    dim = next(i for i, (a, b) in enumerate(pairs) if None not in (a, b) and a != b)
    texts = [','.join('?' if d is None else str(d) for d in side) for side in zip(*pairs)]
    return (
        f'Dimension {dim} in both shapes must be equal, but are {pairs[dim][0]} and '
        f'{pairs[dim][1]}. Shapes are [{texts[0]}] and [{texts[1]}].'
    )


def graph_element(obj):
    """Returns the Tensor or Operation that an object stands for, or None."""
    if isinstance(obj, (Tensor, Operation)):
        return obj
    convert = getattr(obj, '_as_graph_element', None)
    return convert() if convert is not None else None
