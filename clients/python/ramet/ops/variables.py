"""Variables: what both kinds share, how one is made, and their slices."""

import enum
import functools

from ramet import _core
from ramet.api import export
from ramet.framework import ops, tensor_shape
from ramet.framework.uncopyable import Uncopyable
from ramet.ops import variable_creation


@export('VariableSynchronization')
class VariableSynchronization(enum.Enum):
    """When the copies of a variable on several devices are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@export('VariableAggregation')
class VariableAggregation(enum.Enum):
    """How updates of a variable from several devices are made one."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class SaveSliceInfo:
    """Which part of a partitioned variable a variable is, for savers.

    Args:
      full_name: name of the whole variable.
      full_shape: list of its dimensions.
      var_offset: list, where the part begins in each dimension.
      var_shape: list of the part's dimensions.
      save_slice_info_def: a SaveSliceInfoDef to read all of these from.
      import_scope: name scope to put before the name that the message has.
    """

    def __init__(self, full_name=None, full_shape=None, var_offset=None, var_shape=None,
                 save_slice_info_def=None, import_scope=None):
        if save_slice_info_def:
            message = save_slice_info_def
            full_name = ops.prepend_name_scope(message.full_name, import_scope=import_scope)
            full_shape, var_offset = list(message.full_shape), list(message.var_offset)
            var_shape = list(message.var_shape)
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self):
        """The slice as savers write it: '4 3 0,2:0,3'."""
        full = ' '.join(str(d) for d in self.full_shape)
        parts = ':'.join(f'{o},{s}' for o, s in zip(self.var_offset, self.var_shape, strict=True))
        return f'{full} {parts}'

    def to_proto(self, export_scope=None):
        """This as a SaveSliceInfoDef, or None if it lies outside of `export_scope`."""
        if export_scope is not None and not self.full_name.startswith(export_scope):
            return None
        from ramet.core.framework import variable_pb2
        message = variable_pb2.SaveSliceInfoDef()
        message.full_name = ops.strip_name_scope(self.full_name, export_scope)
        message.full_shape.extend(self.full_shape)
        message.var_offset.extend(self.var_offset)
        message.var_shape.extend(self.var_shape)
        return message


class _VariableType(type):
    """Sends Variable(...) through the creators of the graph to one of its two kinds."""

    def __call__(cls, *args, **kwargs):
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        return variable_creation.create(*args, **kwargs)

    def __getattr__(cls, name):
        if cls is not Variable or name.startswith('_'):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return _of_either_kind(name)

    def __dir__(cls):
        return sorted({*super().__dir__(), *vars(variable_creation.kind(False))})

    @property
    def __signature__(cls):
        import inspect
        return inspect.signature(variable_creation.create if cls is Variable else cls.__init__)


def _of_either_kind(name):
    """`tf.Variable.assign` and the like: the method of the kind that the object is of."""
    found = getattr(variable_creation.kind(False), name)
    if not callable(found):
        return found

    @functools.wraps(found)
    def call(self, *args, **kwargs):
        return getattr(self, name)(*args, **kwargs)

    return call


@export('Variable')
class Variable(Uncopyable, metaclass=_VariableType):
    """A tensor that keeps its value between runs; sessions hold the values, graphs the nodes.

    Used where a tensor is wanted it is its value. It must be initialized before its value is read:
    run `initializer`, or `tf.global_variables_initializer()` for all.

    Args:
      initial_value: a Tensor or what converts to one, or a callable without arguments that returns
        such; its shape is the variable's unless `validate_shape` is False.
      trainable: whether it is put into the collection of trainable variables; default True.
      collections: list of graph collection keys; default [GraphKeys.GLOBAL_VARIABLES].
      validate_shape: False lets values of any shape be assigned.
      caching_device: device where reads are kept; default: the variable's.
      name: name of the variable's node; default 'Variable'.
      variable_def: a VariableDef; the variable that it names in the graph is returned.
      dtype: converts the initial value to that DType.
      expected_shape: ignored.
      import_scope: name scope to put before the names of `variable_def`.
      constraint: function from a value to the value that an optimizer stores in its place.
      use_resource: True for a resource variable, whose reads are snapshots; default: as the
        variable scope says, else False.
      synchronization: a VariableSynchronization.
      aggregation: a VariableAggregation.
      shape: the variable's static shape, where it is not the initial value's.

    Raises:
      ValueError: if there is neither an initial value nor a `variable_def`, or both; if the initial
        value has no known shape and `validate_shape` is True.
    """

    _instead = 'it belongs to a graph; tf.train.Saver keeps its value'

    SaveSliceInfo = SaveSliceInfo
    __array_priority__ = 100
    _distribute_strategy = None
    _in_graph_mode = True

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True,
                 caching_device=None, name=None, dtype=None, constraint=None, synchronization=None,
                 aggregation=None, shape=None):
        synchronization, aggregation, trainable = variable_creation.checked_modes(
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
        """Name of the variable's tensor: 'w:0'."""
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
        """The Graph that it belongs to."""
        return self._graph

    @property
    def device(self):
        """The device of the variable, '' when it is not constrained."""
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
        """The Tensor that it is initialized with. It does not depend on this variable."""
        return self._part('initial_value')

    @property
    def trainable(self):
        """Whether it was made to be trained."""
        return _core.variable_numbers(self._graph, self._id)[0]

    @property
    def synchronization(self):
        return VariableSynchronization(_core.variable_numbers(self._graph, self._id)[1])

    @property
    def aggregation(self):
        return VariableAggregation(_core.variable_numbers(self._graph, self._id)[2])

    @property
    def constraint(self):
        """The function that is applied to its value after an optimizer's update, or None."""
        return self._constraint

    def get_shape(self):
        """Its static TensorShape."""
        return self.shape

    def eval(self, session=None):
        """Its value in `session`, or in the default session, as an array."""
        return self._as_graph_element().eval(session=session)

    def load(self, value, session=None):
        """Assigns an array in a session, without a new node.

        Args:
          value: what converts to an array of the variable's dtype and shape.
          session: the Session; default: the default one.

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
        """A hashable reference to this variable; `deref()` gives it back."""
        return self.ref()

    def ref(self):
        """A hashable reference to this variable; `deref()` gives it back."""
        from ramet.framework import object_identity
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
        """The variable as a VariableDef.

        Args:
          export_scope: name scope that is taken away from the names.

        Returns:
          The message, or None if the variable lies outside of `export_scope`.
        """
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        from ramet.core.framework import variable_pb2
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
        """The variable of the default graph that a VariableDef names.

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

    def __iter__(self):
        """Variables of a graph cannot be iterated over."""
        return iter(self.read_value())

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.get_shape()} dtype={self.dtype.name}>"

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __getitem__(self, slice_spec):
        from ramet.ops import slicing
        return slicing.slice_helper(self.value(), slice_spec, var=self)


def _dims(values):
    return [int(tensor_shape.dimension_value(v)) for v in values]


def object_of(graph, variable_id):
    """The Variable of a graph's record: the one there is, or a new one."""
    found = graph._variable_objects.get(variable_id)
    if found is not None:
        return found
    kind = variable_creation.kind(_core.variable_is_resource(graph, variable_id))
    return kind.__new__(kind)._bind(graph, variable_id)


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
