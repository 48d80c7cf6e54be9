"""Creates variables that belong to a model, and finds them again."""

import functools
import re

from ramet.api import export
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.ops.variables import variable_lists, variable_scope
from ramet.ops.variables import variables as tf_variables
from ramet.train import training_util

_AUTO = tf_variables.VariableSynchronization.AUTO
_NONE = tf_variables.VariableAggregation.NONE


@export('contrib.framework.variable')
@add_arg_scope
@with_args_of(variable_scope.get_variable)
def variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True,
             collections=None, caching_device=None, device=None, partitioner=None,
             custom_getter=None, use_resource=None, synchronization=_AUTO, aggregation=_NONE):
    """Creates the variable with a name, or gets the existing one; like tf.get_variable, with a device.

    Args:
      device: a device, or a function from an operation to one.
      custom_getter: a function that is called instead of tf.get_variable.

    Returns:
      The variable.
    """
    collections = [ops.GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    getter = variable_scope.get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=variable_scope.get_variable_scope().reuse)
    with ops.device(device or ''):
        return getter(name, shape=shape, dtype=dtype, initializer=initializer,
                      regularizer=regularizer, trainable=trainable,
                      collections=list(dict.fromkeys(collections)),
                      caching_device=caching_device, partitioner=partitioner,
                      use_resource=use_resource, synchronization=synchronization,
                      aggregation=aggregation)


@export('contrib.framework.model_variable')
@add_arg_scope
@with_args_of(variable)
def model_variable(name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None,
                   trainable=True, collections=None, caching_device=None, device=None,
                   partitioner=None, custom_getter=None, use_resource=None,
                   synchronization=_AUTO, aggregation=_NONE):
    """Like `variable`, and also adds the variable to the collection of model variables.

    Returns:
      The variable.
    """
    collections = [*(collections or []), ops.GraphKeys.GLOBAL_VARIABLES,
                   ops.GraphKeys.MODEL_VARIABLES]
    return variable(name, shape=shape, dtype=dtype, initializer=initializer,
                    regularizer=regularizer, trainable=trainable, collections=collections,
                    caching_device=caching_device, device=device, partitioner=partitioner,
                    custom_getter=custom_getter, use_resource=use_resource,
                    synchronization=synchronization, aggregation=aggregation)


@export('contrib.framework.local_variable')
@with_args_of(tf_variables.Variable)
def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """Creates a variable in the collection of local variables, which is not trainable.

    Returns:
      The variable.
    """
    return tf_variables.Variable(
        initial_value, trainable=False, collections=[ops.GraphKeys.LOCAL_VARIABLES],
        validate_shape=validate_shape, use_resource=use_resource, name=name)


@export('contrib.framework.global_variable')
@with_args_of(tf_variables.Variable)
def global_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """Creates a variable in the collection of global variables, which is not trainable.

    Returns:
      The variable.
    """
    return tf_variables.Variable(
        initial_value, trainable=False, collections=[ops.GraphKeys.GLOBAL_VARIABLES],
        validate_shape=validate_shape, use_resource=use_resource, name=name)


@export('contrib.framework.add_model_variable')
def add_model_variable(var):
    """Adds a variable to the collection of model variables, unless it already contains the variable.

    Args:
      var: a variable.
    """
    if not any(v is var for v in ops.get_collection(ops.GraphKeys.MODEL_VARIABLES)):
        ops.add_to_collection(ops.GraphKeys.MODEL_VARIABLES, var)


@export('contrib.framework.get_variables')
def get_variables(scope=None, suffix=None, collection=ops.GraphKeys.GLOBAL_VARIABLES):
    """Returns the variables of a collection with a given scope and name suffix.

    Args:
      scope: the prefix of their names, or a VariableScope, or None for any.
      suffix: the suffix of their names, or None for any.
      collection: the key of the collection.

    Returns:
      A list of variables.
    """
    if isinstance(scope, variable_scope.VariableScope):
        scope = scope.name
    if suffix is not None:
        if ':' not in suffix:
            suffix += ':'
        scope = (scope or '') + '.*' + suffix
    return ops.get_collection(collection, scope)


@export('contrib.framework.get_model_variables')
@with_args_of(get_variables)
def get_model_variables(scope=None, suffix=None):
    """Returns the model variables.

    Returns:
      A list of variables.
    """
    return get_variables(scope, suffix, ops.GraphKeys.MODEL_VARIABLES)


@export('contrib.framework.get_local_variables')
@with_args_of(get_variables)
def get_local_variables(scope=None, suffix=None):
    """Returns the local variables.

    Returns:
      A list of variables.
    """
    return get_variables(scope, suffix, ops.GraphKeys.LOCAL_VARIABLES)


@export('contrib.framework.get_trainable_variables')
@with_args_of(get_variables)
def get_trainable_variables(scope=None, suffix=None):
    """Returns the trainable variables.

    Returns:
      A list of variables.
    """
    return get_variables(scope, suffix, ops.GraphKeys.TRAINABLE_VARIABLES)


@export('contrib.framework.get_variables_by_suffix')
@with_args_of(get_variables)
def get_variables_by_suffix(suffix, scope=None):
    """Returns the global variables whose names end with `suffix`.

    Returns:
      A list of variables.
    """
    return get_variables(scope=scope, suffix=suffix)


@export('contrib.framework.get_variables_by_name')
def get_variables_by_name(given_name, scope=None):
    """Returns the global variables whose last name component is `given_name`.

    Args:
      given_name: the name, without scopes.
      scope: the prefix of their full names, or None for any.
    """
    return get_variables(scope=scope, suffix=f'/{given_name}:|^{given_name}:')


@export('contrib.framework.get_unique_variable')
def get_unique_variable(var_op_name):
    """Returns the variable with a full name.

    Args:
      var_op_name: the full name, without ':0'.

    Raises:
      ValueError: if there is no such variable.
    """
    candidates = get_variables(scope=var_op_name)
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    raise ValueError(f'Variable {var_op_name} does not uniquely identify a variable')


@export('contrib.framework.get_variable_full_name')
def get_variable_full_name(var):
    """Returns the name of a variable in checkpoints. For a part, this is the name of the whole.

    Args:
      var: a variable, or a part of a partitioned variable.
    """
    info = var._save_slice_info
    return info.full_name if info else var.op.name


@export('contrib.framework.filter_variables')
def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    """Returns those of the variables whose names match.

    Args:
      var_list: a list of variables.
      include_patterns: regular expressions, one of which must match, or None for all variables.
      exclude_patterns: regular expressions, none of which may match.
      reg_search: whether they may match anywhere in the name (without ':0') instead of at its start.
    """
    matches = re.search if reg_search else re.match

    def any_matches(patterns, var):
        return any(matches(pattern, var.op.name) for pattern in patterns)

    found = [v for v in var_list if include_patterns is None or any_matches(include_patterns, v)]
    return [v for v in found if not any_matches(exclude_patterns or (), v)]


@export('contrib.framework.get_variables_to_restore')
def get_variables_to_restore(include=None, exclude=None):
    """Returns the global variables to restore from a checkpoint.

    Args:
      include: a list of the scopes (name prefixes) to include, or None for all.
      exclude: a list of the scopes to leave out.

    Returns:
      A list of variables.

    Raises:
      TypeError: if include or exclude is neither None nor a list or tuple.
    """
    for what, scopes in (('include', include), ('exclude', exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError(f'{what} is provided but is not a list or a tuple.')
    if include is None:
        found = variable_lists.global_variables()
    else:
        found = [v for scope in include for v in get_variables(scope)]
    left_out = {id(v) for scope in exclude or () for v in get_variables(scope)}
    return [v for v in found if id(v) not in left_out]


@export('contrib.framework.get_global_step')
def get_global_step(graph=None):
    """Calls tf.train.get_global_step.

    Args:
      graph: a Graph, or None for the default graph.
    """
    return training_util.get_global_step(graph)


@export('contrib.framework.create_global_step')
def create_global_step(graph=None):
    """Calls tf.train.create_global_step.

    Args:
      graph: a Graph, or None for the default graph.
    """
    return training_util.create_global_step(graph)


@export('contrib.framework.get_or_create_global_step')
def get_or_create_global_step(graph=None):
    """Calls tf.train.get_or_create_global_step.

    Args:
      graph: a Graph, or None for the default graph.
    """
    return training_util.get_or_create_global_step(graph)


@export('contrib.framework.assert_global_step')
def assert_global_step(global_step_tensor):
    """Calls tf.train.assert_global_step.

    Args:
      global_step_tensor: a tensor or variable.
    """
    training_util.assert_global_step(global_step_tensor)
