"""Assigns the values of a checkpoint, or other values, to variables."""

from ramet.api import export
from ramet.contrib.framework import variables
from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.train import checkpoint_utils
from ramet.train import saver as tf_saver


def _by_checkpoint_name(var_list):
    if isinstance(var_list, dict):
        return {name: found if isinstance(found, list) else [found]
                for name, found in var_list.items()}
    grouped = {}
    for var in var_list:
        info = var._save_slice_info
        grouped.setdefault(info.full_name if info else var.op.name, []).append(var)
    return grouped


def _part_of(value, var, name):
    info = var._save_slice_info
    if info is None:
        if list(value.shape) != var.get_shape().as_list():
            raise ValueError(f'Total size of new array must be unchanged for {name} lh_shape: '
                             f'[{value.shape}], rh_shape: [{var.get_shape()}]')
        return value
    return value[tuple(slice(begin, begin + size) for begin, size in
                       zip(info.var_offset, info.var_shape, strict=True))]


@export('contrib.framework.assign_from_checkpoint')
def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """Returns an operation, and its feeds, that assign the values of a checkpoint to variables.

    Args:
      model_path: the prefix of the checkpoint.
      var_list: a list of variables, or a dict from names in the checkpoint to variables or lists
        of the parts of one.
      ignore_missing_vars: whether to skip variables that the checkpoint does not contain.

    Returns:
      (operation, feed_dict), for session.run.

    Raises:
      ValueError: if the checkpoint does not contain a variable, or a shape differs.
    """
    reader = checkpoint_utils.NewCheckpointReader(model_path)
    assigns, feeds = [], {}
    for name, parts in _by_checkpoint_name(var_list).items():
        if not reader.has_tensor(name):
            message = f'Checkpoint is missing variable [{name}]'
            if not ignore_missing_vars:
                raise ValueError(message)
            logging.warning(message)
            continue
        value = reader.get_tensor(name)
        for var in parts:
            part = _part_of(value, var, name)
            placeholder = _assigned(var, assigns, f'placeholder/{var.op.name}')
            feeds[placeholder] = part
    return control_flow_ops.group(*assigns), feeds


def _assigned(var, assigns, placeholder_name):
    placeholder = array_ops.placeholder(dtype=var.dtype.base_dtype, shape=var.get_shape(),
                                        name=placeholder_name)
    assigns.append(var.assign(placeholder))
    return placeholder


@export('contrib.framework.assign_from_checkpoint_fn')
def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False,
                              reshape_variables=False):
    """Returns a function that assigns the values of a checkpoint to variables in a session.

    Args:
      model_path: the prefix of the checkpoint.
      var_list: a list of variables, or a dict from names in the checkpoint to variables.
      ignore_missing_vars: whether to skip variables that the checkpoint does not contain.
      reshape_variables: whether shapes may differ if the number of values is the same.

    Returns:
      A function of a Session; or None, with a warning, if the checkpoint has none of the variables.

    Raises:
      ValueError: if `var_list` is empty.
    """
    if not var_list:
        raise ValueError('var_list cannot be empty')
    if ignore_missing_vars:
        var_list = _present(model_path, var_list)
    if not var_list:
        logging.warning('No Variables to restore')
        return None
    saver = tf_saver.Saver(var_list, reshape=reshape_variables)

    def callback(session):
        saver.restore(session, model_path)

    return callback


def _present(model_path, var_list):
    reader = checkpoint_utils.NewCheckpointReader(model_path)
    named = var_list if isinstance(var_list, dict) else {v.op.name: v for v in var_list}
    found = {}
    for name, var in named.items():
        if reader.has_tensor(name):
            found[name] = var
        else:
            logging.warning('Variable %s missing in checkpoint %s', name, model_path)
    return found


@export('contrib.framework.assign_from_values')
def assign_from_values(var_names_to_values):
    """Returns an operation, and its feeds, that assign values to variables.

    Args:
      var_names_to_values: a dict from the full names of variables to numpy arrays.

    Returns:
      (operation, feed_dict), for session.run.

    Raises:
      ValueError: if there is no variable with one of the names.
    """
    assigns, feeds = [], {}
    for name, value in var_names_to_values.items():
        var = variables.get_unique_variable(name)
        feeds[_assigned(var, assigns, ops.get_default_graph().unique_name('placeholder'))] = \
            value.reshape(var.get_shape())
    return control_flow_ops.group(*assigns), feeds


@export('contrib.framework.assign_from_values_fn')
def assign_from_values_fn(var_names_to_values):
    """Returns a function that assigns values to variables in a session; see assign_from_values.

    Args:
      var_names_to_values: a dict from the full names of variables to numpy arrays.
    """
    operation, feeds = assign_from_values(var_names_to_values)

    def callback(session):
        return session.run(operation, feeds)

    return callback
