"""The base class of both kinds of variables."""

import functools
import inspect

from ramet import _core
from ramet.core.framework import variable_pb2
from ramet.framework import object_identity, ops, tensor_shape, variable_objects
from ramet.framework.uncopyable import Uncopyable
from ramet.ops.array import slicing
from ramet.ops.math import operators  # noqa: F401 - Variable has the operators of Tensor
from ramet.ops.variables import variable_creation, variable_modes
from ramet.ops.variables.save_slice_info import SaveSliceInfo
from ramet.ops.variables.variable_modes import VariableAggregation, VariableSynchronization


class _VariableType(type):
    """Passes Variable(...) through the creators of the graph to one of the two kinds."""

    def __call__(cls, *args, **kwargs):
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        return variable_creation.create(*args, **kwargs)

    def __getattr__(cls, name):
        if cls is not Variable or name.startswith('_'):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return _of_either_kind(name)

    def __dir__(cls):
        return sorted({*super().__dir__(), *vars(variable_objects.kind(False))})

    @property
    def __signature__(cls):
        return inspect.signature(variable_creation.create if cls is Variable else cls.__init__)


def _of_either_kind(name):
    """Returns `tf.Variable.NAME`, which calls the method of the kind of the object."""
    found = getattr(variable_objects.kind(False), name)
    if not callable(found):
        return found

    @functools.wraps(found)
    def call(self, *args, **kwargs):
        return getattr(self, name)(*args, **kwargs)

    return call


class Variable(Uncopyable, metaclass=_VariableType):
    """A tensor that keeps its value between runs. Graphs hold its nodes, and sessions its value.

    When it is used as a tensor, it is its value. It must be initialized before its value is read: run
    `initializer`, or `tf.global_variables_initializer()` for all variables.

    Args:
      initial_value: a Tensor, a value that can be converted to one, or a callable without arguments
        that returns one of these. It determines the shape unless `validate_shape` is False.
      trainable: whether to add it to the collection of trainable variables. Defaults to True.
      collections: a list of graph collection keys. Defaults to [GraphKeys.GLOBAL_VARIABLES].
      validate_shape: False allows values of any shape to be assigned.
      caching_device: the device on which reads are cached. Defaults to the variable's.
      name: the name of the variable's node. Defaults to 'Variable'.
      variable_def: a VariableDef. The variable in the graph that it describes is returned.
      dtype: the DType to convert the initial value to.
      expected_shape: ignored.
      import_scope: a name scope to prefix to the names in `variable_def`.
      constraint: a function that optimizers apply to a new value before they store it.
      use_resource: True for a resource variable, whose reads are snapshots. Defaults to the setting of
        the variable scope, or False.
      synchronization: a VariableSynchronization.
      aggregation: a VariableAggregation.
      shape: the variable's static shape, if it differs from the initial value's.

    Raises:
      ValueError: if neither or both of an initial value and a `variable_def` are given, or if the
        initial value has an unknown shape and `validate_shape` is True.
    """

    _instead = 'it belongs to a graph; use tf.train.Saver to save its value'

    SaveSliceInfo = SaveSliceInfo
    __array_priority__ = 100
    _distribute_strategy = None
    _in_graph_mode = True

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True,
                 caching_device=None, name=None, dtype=None, constraint=None, synchronization=None,
                 aggregation=None, shape=None):
        synchronization, aggregation, trainable = variable_modes.checked_modes(
            synchronization, aggregation, trainable, name)
        self._check(initial_value, constraint)
        variable_creation.make(
            self, initial_value, trainable=trainable,
            collections=variable_creation.checked_collections(collections, trainable),
            validate_shape=validate_shape, caching_device=caching_device, name=name, dtype=dtype,
            synchronization=synchronization, aggregation=aggregation, shape=shape)
        self._constraint = constraint

    def _bind(self, graph, variable_id):
        self._graph = graph
        self._id = variable_id
        self._constraint = None
        graph._variable_objects.setdefault(variable_id, self)
        return self

    def _part(self, which):
        return _core.variable_part(self._graph, self._id, which)

    @property
    def name(self):
        """The name of the variable's tensor, such as 'w:0'."""
        return self.op.name + ':0'

    @property
    def _shared_name(self):
        return self.op.name

    @property
    def op(self):
        """The Operation that holds the variable."""
        return self._part('variable').op

    @property
    def graph(self):
        """The Graph that the variable belongs to."""
        return self._graph

    @property
    def device(self):
        """The device of the variable, or '' if it is not constrained."""
        return self.op.device

    @property
    def initializer(self):
        """The Operation that assigns the initial value."""
        return self._part('initializer')

    @property
    def _initializer_op(self):
        return self.initializer

    @property
    def initial_value(self):
        """The Tensor with its initial value, which does not depend on this variable."""
        return self._part('initial_value')

    @property
    def trainable(self):
        """True if it was created as trainable."""
        return _core.variable_numbers(self._graph, self._id)[0]

    @property
    def synchronization(self):
        return VariableSynchronization(_core.variable_numbers(self._graph, self._id)[1])

    @property
    def aggregation(self):
        return VariableAggregation(_core.variable_numbers(self._graph, self._id)[2])

    @property
    def constraint(self):
        """The function that optimizers apply to a new value, or None."""
        return self._constraint

    def get_shape(self):
        """Returns the static TensorShape."""
        return self.shape

    def eval(self, session=None):
        """Returns the value in `session`, or in the default session, as an array."""
        return self._as_graph_element().eval(session=session)

    def load(self, value, session=None):
        """Assigns an array in a session, without adding a node.

        Args:
          value: a value that can be converted to an array of the variable's dtype and shape.
          session: the Session, or None for the default session.

        Raises:
          ValueError: if there is no session.
        """
        session = session or ops.get_default_session()
        if session is None:
            raise ValueError('Either session argument should be provided or default session should '
                             'be established')
        initializer = self.initializer
        session.run(initializer, {initializer.inputs[1]: value})

    def experimental_ref(self):
        """Returns a hashable reference to this variable; its `deref()` returns the variable."""
        return self.ref()

    def ref(self):
        """Returns a hashable reference to this variable; its `deref()` returns the variable."""
        return object_identity.Reference(self)

    @property
    def _save_slice_info(self):
        parts = _core.variable_slice(self._graph, self._id)
        return SaveSliceInfo(*parts) if parts else None

    def _get_save_slice_info(self):
        return self._save_slice_info

    def _set_save_slice_info(self, info):
        parts = info and (info.full_name, _dims(info.full_shape), _dims(info.var_offset),
                          _dims(info.var_shape))
        _core.set_variable_slice(self._graph, self._id, parts)

    def to_proto(self, export_scope=None):
        """Returns the variable as a VariableDef.

        Args:
          export_scope: a name scope to remove from the names.

        Returns:
          The message, or None if the variable is outside of `export_scope`.
        """
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        message = variable_pb2.VariableDef()
        strip = ops.strip_name_scope
        message.variable_name = strip(self.name, export_scope)
        message.initializer_name = strip(self.initializer.name, export_scope)
        message.snapshot_name = strip(self._snapshot.name, export_scope)
        if self.initial_value is not None:
            message.initial_value_name = strip(self.initial_value.name, export_scope)
        message.is_resource = self._is_resource
        message.trainable, sync, aggregation = _core.variable_numbers(self._graph, self._id)
        message.synchronization, message.aggregation = sync, aggregation
        if self._save_slice_info:
            info = self._save_slice_info.to_proto(export_scope=export_scope)
            if info is not None:
                message.save_slice_info_def.MergeFrom(info)
        return message

    @staticmethod
    def from_proto(variable_def, import_scope=None):
        """Returns the variable of the default graph that a VariableDef describes.

        Args:
          variable_def: a VariableDef.
          import_scope: a name scope to prefix to the names in `variable_def`.

        Raises:
          KeyError: if the graph lacks one of its nodes.
        """
        return variable_creation.from_proto(variable_def, import_scope)

    @property
    def _snapshot(self):
        return self._part('snapshot')

    @property
    def _initial_value(self):
        return self.initial_value

    @property
    def _checkpoint_value(self):
        return self._as_graph_element()

    def __iter__(self):
        """Raises an error: variables of a graph are not iterable."""
        return iter(self.read_value())

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.get_shape()} dtype={self.dtype.name}>"

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __getitem__(self, slice_spec):
        return slicing.slice_helper(self.value(), slice_spec, var=self)


def _dims(values):
    return [int(tensor_shape.dimension_value(v)) for v in values]


def _overload_operators():
    for name in ops.Tensor.OVERLOADABLE_OPERATORS - {'__getitem__', '__eq__', '__ne__'}:
        if hasattr(ops.Tensor, name):
            setattr(Variable, name, _operator(getattr(ops.Tensor, name)))


def _operator(tensor_operator):
    @functools.wraps(tensor_operator)
    def apply(self, *args):
        return tensor_operator(self.value(), *args)

    return apply


_overload_operators()


def _to_tensor(variable, dtype=None, name=None, as_ref=False):
    return variable._dense_var_to_tensor(dtype=dtype, name=name, as_ref=as_ref)


ops.register_tensor_conversion_function(Variable, _to_tensor)
