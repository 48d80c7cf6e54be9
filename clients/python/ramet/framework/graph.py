"""Graph: the nodes are in C++; here is what Python programs ask of it."""

from ramet import _core
from ramet.api import export
from ramet.framework import collections_lib, graph_scopes
from ramet.framework.tensors import Operation, Tensor, graph_element


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
class Graph(_core.Graph, collections_lib.Collections, graph_scopes.Scopes):
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
        self._py_funcs_used_in_graph = []
        self._exporters = {}
        self._collection_refs = {}
        self._cloned_gradients = {}
        self._stand_in = None

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
            if tensor.graph is not self and not self.building_function:
                raise ValueError(f'{tensor} must be from the same graph as {self}.')
        plain = {k: attr_value.to_python(v) for k, v in (attrs or {}).items()}
        return _core.create_op(self, op_type, list(inputs), plain, name or op_type)

    def _inside(self, tensor):
        """What stands for a tensor as the input of a new node, while _stand_in says so."""
        return tensor if self._stand_in is None else self._stand_in(tensor)

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

    # Feeding and fetching.

    def prevent_feeding(self, tensor):
        """Feeding this tensor raises ValueError from now on."""
        _core.prevent_feeding(self, tensor)

    def is_feedable(self, tensor):
        return _core.is_feedable(self, tensor)

    def prevent_fetching(self, op):
        """Fetching this operation raises ValueError from now on."""
        _core.prevent_fetching(self, op)

    def is_fetchable(self, tensor_or_op):
        return _core.is_fetchable(self, tensor_or_op)

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
