"""The Python side of a graph; its nodes are stored in C++."""

import operator

from ramet import _core
from ramet.api import export
from ramet.core.framework import graph_pb2, versions_pb2
from ramet.framework import attr_value, collections_lib, display, graph_scopes, random_seed, stacks
from ramet.framework.tensors import Operation, Tensor, graph_element


class _Version:
    """The version numbers of a GraphDef; both can be assigned."""

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

    The C++ library holds the nodes; an Operation or Tensor is a handle for one. Only one thread at a
    time may add to a graph, but sessions may run it at the same time.
    """

    _building_function = False
    _eager = False  # whether operations run when they are called; see framework/eager.py

    def __init__(self):
        super().__init__()
        self._seed = None
        self._variable_objects = {}
        self._variable_creator_stack = []
        self._shared_devices = []
        self._thread_devices = None
        self._gradient_overrides = {}
        self._attr_scopes = {}
        self._control_flow_context = None
        self._py_funcs_used_in_graph = []
        self._exporters = {}
        self._collection_refs = {}
        self._cloned_gradients = {}
        self._stand_in = None

    # Contents.

    @property
    def version(self):
        """A number that grows with every node that is added."""
        return self._num_operations()

    @property
    def building_function(self):
        """True if its nodes are the body of a function."""
        return self._building_function

    @property
    def graph_def_versions(self):
        """The versions of its GraphDef as a VersionDef message."""
        return versions_pb2.VersionDef(producer=self._producer, min_consumer=self._min_consumer)

    @property
    def versions(self):
        return _Version(self)

    def as_graph_def(self, from_version=None, add_shapes=False):
        """Returns the graph as a GraphDef message.

        Args:
          from_version: leaves out the nodes that the graph already had at this version.
          add_shapes: whether to add the attr _output_shapes with the known shapes of outputs.
        """
        message = graph_pb2.GraphDef.FromString(self._graph_def(add_shapes, False))
        if from_version is not None:
            del message.node[:max(operator.index(from_version), 0)]
        return message

    def get_operation_by_name(self, name):
        """Returns the operation with the given name.

        Args:
          name: str, the name.

        Raises:
          TypeError: if name is not a string.
          KeyError: if there is no such operation.
          ValueError: if the name is that of a tensor.
        """
        if not isinstance(name, str):
            raise TypeError(
                f'Operation names are strings (or similar), not {type(name).__name__}.'
            )
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    _get_operation_by_name = get_operation_by_name

    def get_tensor_by_name(self, name):
        """Returns the tensor with the given name.

        Args:
          name: str, the name, such as "op:0".

        Raises:
          TypeError: if name is not a string.
          KeyError: if there is no such tensor.
          ValueError: if the name is not that of a tensor.
        """
        if not isinstance(name, str):
            raise TypeError(f'Tensor names are strings (or similar), not {type(name).__name__}.')
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """Returns the Tensor or Operation for an object or a name.

        Args:
          obj: a Tensor, an Operation, an object that stands for one such as a Variable, or a name.
          allow_tensor: whether the result may be a Tensor.
          allow_operation: whether the result may be an Operation.

        Raises:
          TypeError: if the object is not of an allowed kind.
          ValueError: if it belongs to a different graph, or the name is malformed.
          KeyError: if nothing in the graph has the name.
        """
        found = graph_element(obj)
        if found is None or isinstance(found, str):
            return self._by_name(found or obj, allow_tensor, allow_operation)
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

    # Adding nodes.

    def create_op(
        self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None, op_def=None,
        compute_shapes=True, compute_device=True,
    ):
        """Adds a node of any op to the graph.

        Args:
          op_type: the op, such as "MatMul".
          inputs: a list of tensors of this graph.
          dtypes: ignored; the definition of the op and `attrs` determine them.
          input_types: ignored.
          name: the name of the node; made unique unless it ends with a slash.
          attrs: a dict of attr values, which may be AttrValue messages.
          op_def: ignored.
          compute_shapes: ignored; shapes are always inferred.
          compute_device: ignored; the device scopes always apply.

        Returns:
          The Operation.

        Raises:
          TypeError: if an input is not a tensor.
          ValueError: if the node is malformed.
        """
        for i, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f'Input #{i} is not a tensor: {tensor}')
            if tensor.graph is not self and not self.building_function:
                raise ValueError(f'{tensor} must be from the same graph as {self}.')
        plain = {k: attr_value.to_python(v) for k, v in (attrs or {}).items()}
        return _core.create_op(self, op_type, list(inputs), plain, name or op_type)

    def _inside(self, tensor):
        """Returns the replacement of a tensor as an input of a new node, as `_stand_in` defines it."""
        return tensor if self._stand_in is None else self._stand_in(tensor)

    def unique_name(self, name, mark_as_used=True):
        """Returns an unused name under the current scope: "a", "a_1", ...

        Args:
          name: the name to make unique.
          mark_as_used: whether to reserve the returned name.
        """
        return self._unique_name(name, mark_as_used)

    @property
    def seed(self):
        """The graph-level seed, or None if it is not set."""
        return self._seed

    @seed.setter
    def seed(self, seed):
        self._seed = seed
        self._apply_seed(seed)

    def _apply_seed(self, seed):
        if seed is not None:
            self._set_seed(seed % random_seed.LIMIT)

    def _seeds_for_op(self, op_seed):
        return self._seeds(op_seed)

    def finalize(self):
        """Makes the graph read-only: adding a node raises RuntimeError."""
        self._finalize()

    @property
    def finalized(self):
        return self._finalized

    def _check_not_finalized(self):
        if self.finalized:
            raise RuntimeError('Graph is finalized and cannot be modified.')

    # Feeding and fetching.

    def prevent_feeding(self, tensor):
        """Marks a tensor as not feedable: feeding it raises ValueError.

        Args:
          tensor: a Tensor of this graph.
        """
        _core.prevent_feeding(self, tensor)

    def is_feedable(self, tensor):
        """Returns whether a run may feed a tensor.

        Args:
          tensor: a Tensor of this graph.
        """
        return _core.is_feedable(self, tensor)

    def prevent_fetching(self, op):
        """Marks an operation as not fetchable: fetching it raises ValueError.

        Args:
          op: an Operation of this graph.
        """
        _core.prevent_fetching(self, op)

    def is_fetchable(self, tensor_or_op):
        """Returns whether a run may fetch a tensor or operation.

        Args:
          tensor_or_op: a Tensor or Operation of this graph.
        """
        return _core.is_fetchable(self, tensor_or_op)

    def __repr__(self):
        operations = display.count(self._num_operations(), 'operation')
        variables = display.count(len(self.get_collection('variables')), 'variable')
        return f'<tf.Graph: {operations}, {variables}>'

    def _repr_svg_(self):
        return display.graph_svg(self)

    def _repr_html_(self):
        return display.graph_html(self)


stacks.set_graph_class(Graph)
