"""Creates Variables: checks arguments, calls creators, and adds nodes to the graph."""

from ramet import _core
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_shape, variable_objects
from ramet.ops.variables.save_slice_info import SaveSliceInfo
from ramet.ops.variables.variable_modes import VariableAggregation, VariableSynchronization, checked_modes

_defaults = {'use_resource': False}
_setting_of_scope = None


def set_setting_of_scope(setting):
    """Sets the function that tells the setting of the variable scope. The module of the scopes calls this.

    Args:
      setting: a function without arguments that returns True for resource variables, False for reference
        variables, and None if the scope has no setting.
    """
    global _setting_of_scope
    _setting_of_scope = setting


@export('enable_resource_variables')
def enable_resource_variables():
    """Makes new variables resource variables by default."""
    _defaults['use_resource'] = True


@export('disable_resource_variables')
def disable_resource_variables():
    """Makes new variables reference variables by default, which is the initial setting."""
    _defaults['use_resource'] = False


@export('resource_variables_enabled')
def resource_variables_enabled():
    """Returns whether new variables are resource variables by default."""
    return _defaults['use_resource']


def state_of(graph, attribute, make):
    """Returns the value that a graph object keeps under `attribute`, created by `make()` if missing."""
    found = getattr(graph, attribute, None)
    if found is None:
        found = make()
        setattr(graph, attribute, found)
    return found


@export('variable_creator_scope')
class variable_creator_scope:
    """A scope in which `variable_creator` creates the variables of the default graph.

    Args:
      variable_creator: a function `(next_creator, **kwargs)` that returns a variable. It is called
        with all arguments of tf.Variable and may change them before it calls `next_creator`.

    Raises:
      RuntimeError: if the scope is closed while an inner one is still open.
    """

    def __init__(self, variable_creator):
        self._creator = variable_creator

    def __enter__(self):
        self._stack = ops.get_default_graph()._variable_creator_stack
        self._depth = len(self._stack)
        self._stack.append(self._creator)

    def __exit__(self, *unused):
        if len(self._stack) != self._depth + 1:
            raise RuntimeError('Exiting variable_creator_scope without proper nesting.')
        self._stack.pop()


def create(initial_value=None, trainable=None, collections=None, validate_shape=True,
           caching_device=None, name=None, variable_def=None, dtype=None, expected_shape=None,
           import_scope=None, constraint=None, use_resource=None, synchronization=None,
           aggregation=None, shape=None):
    """Implements tf.Variable(...)."""
    getter = _default_creator
    for creator in ops.get_default_graph()._variable_creator_stack:
        getter = _chained(creator, getter)
    if synchronization is None:
        synchronization = VariableSynchronization.AUTO
    if aggregation is None:
        aggregation = VariableAggregation.NONE
    return getter(initial_value=initial_value, trainable=trainable, collections=collections,
                  validate_shape=validate_shape, caching_device=caching_device, name=name,
                  variable_def=variable_def, dtype=dtype, expected_shape=expected_shape,
                  import_scope=import_scope, constraint=constraint, use_resource=use_resource,
                  synchronization=synchronization, aggregation=aggregation, shape=shape)


def _chained(creator, next_creator):
    def call(**kwargs):
        return creator(next_creator, **kwargs)

    return call


def _default_creator(use_resource=None, initial_value=None, variable_def=None, import_scope=None,
                     expected_shape=None, **kwargs):
    if variable_def is not None:
        if initial_value is not None:
            raise ValueError('variable_def and initial_value are mutually exclusive.')
        if ops.executing_eagerly():
            raise ValueError('Creating a `tf.Variable` with a `variable_def` arg is not supported when eager '
                             f'execution is enabled. Got: variable_def={variable_def}')
        return from_proto(variable_def, import_scope)
    if ops.executing_eagerly_outside_functions():
        return variable_objects.kind(None)(initial_value, **kwargs)
    if use_resource is None and _setting_of_scope is not None:
        use_resource = _setting_of_scope()
    if use_resource is None:
        use_resource = _defaults['use_resource']
    return variable_objects.kind(use_resource)(initial_value, **kwargs)


def checked_collections(collections, trainable):
    """Returns the keys of the collections that a new variable is added to.

    Raises:
      ValueError: if `collections` is not a list, tuple or set.
    """
    if collections is None:
        collections = [ops.GraphKeys.GLOBAL_VARIABLES]
    if not isinstance(collections, (list, tuple, set)):
        raise ValueError('collections argument to Variable constructor must be a list, tuple, or '
                         f'set. Got {collections} of type {type(collections)}')
    if trainable and ops.GraphKeys.TRAINABLE_VARIABLES not in collections:
        collections = list(collections) + [ops.GraphKeys.TRAINABLE_VARIABLES]
    return list(collections)


def make(variable, initial_value, *, trainable, collections, validate_shape, caching_device, name,
         dtype, synchronization, aggregation, shape):
    """Adds the nodes of a variable with checked arguments, and binds the object to them."""
    given = [] if callable(initial_value) else [initial_value]
    dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
    with ops.init_scope(), ops.name_scope(name, 'Variable', given) as scope:
        full_name = ops.name_from_scope_name(scope)
        graph = ops.get_default_graph()
        value, group = variable._made_value(graph, initial_value, full_name, dtype, shape,
                                            validate_shape)
        if given and value.op._get_control_flow_context() is not None:
            raise ValueError(_inside_branch(scope, value, variable._is_resource))
        declared = None if shape is None else tensor_shape.as_shape(shape)
        with _core.variable_group(graph, group):
            variable_id = _core.make_variable(
                graph, full_name, value, variable._is_resource, bool(trainable),
                [c for c in collections if isinstance(c, str)], declared, bool(validate_shape),
                _device_name(caching_device), graph._container, synchronization.value,
                aggregation.value)
    variable._bind(graph, variable_id)
    if callable(caching_device):
        _ask_device(caching_device, variable._snapshot.op)
    for key in collections:
        if not isinstance(key, str):
            graph.add_to_collection(key, variable)


def _inside_branch(name, value, is_resource):
    if not is_resource:
        return (f'Initializer for variable {name} is from inside a control-flow construct, such as '
                'a loop or conditional. When creating a variable inside a loop or conditional, use '
                'a lambda as the initializer.')
    return (f'The `initial_value` passed to `tf.Variable` {name} is from inside a control-flow  '
            'construct, such as a loop or conditional. When creating a `tf.Variable` inside a loop '
            f'or conditional, use a lambda as the `initial_value`. Got: initial_value=({value})')


def _device_name(caching_device):
    """Returns the name of a device, or '' for a device function, which is called for the node later."""
    if callable(caching_device):
        return ''
    if caching_device is None or isinstance(caching_device, str):
        return caching_device
    return caching_device.to_string()


def _ask_device(caching_device, read):
    device = caching_device(read)
    if device:
        read._set_device(device)


def called_in_scope(graph, function, full_name, dtype):
    """Returns the result of a callable initial value, created in the variable's scope and group."""
    group = 'loc:@' + full_name
    with _core.variable_group(graph, group), ops.name_scope('Initializer'), ops.device(None):
        value = ops.convert_to_tensor(function(), name='initial_value', dtype=dtype)
    return value, group


def from_proto(variable_def, import_scope=None):
    """Returns the variable of the default graph that a VariableDef names."""
    graph = ops.get_default_graph()

    def find(name):
        if not name:
            return None
        return graph.as_graph_element(ops.prepend_name_scope(name, import_scope=import_scope))

    parts = [find(variable_def.variable_name), find(variable_def.initializer_name),
             find(variable_def.snapshot_name), find(variable_def.initial_value_name)]
    info = None
    if variable_def.HasField('save_slice_info_def'):
        info = SaveSliceInfo(save_slice_info_def=variable_def.save_slice_info_def, import_scope=import_scope)
    sync, aggregation, trainable = checked_modes(
        variable_def.synchronization, variable_def.aggregation, variable_def.trainable,
        variable_def.variable_name)
    known = _core.find_variable(graph, parts[0])
    if known is None:
        known = _core.add_variable(graph, *parts, variable_def.is_resource, trainable, sync.value,
                                   aggregation.value)
    variable = variable_objects.object_of(graph, known)
    if info is not None:
        variable._set_save_slice_info(info)
    return variable
