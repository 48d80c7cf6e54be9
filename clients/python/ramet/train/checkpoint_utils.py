"""Reads checkpoints without a graph, and initializes variables from them."""

import os

from ramet import _core, gen
from ramet.api import export
from ramet.framework import display, dtypes, ops
from ramet.lib import paths
from ramet.ops.variables import variable_scope, variables
from ramet.ops.variables.partitioned_variable import PartitionedVariable
from ramet.train import checkpoint_management

_MOST_ROWS = 60


class CheckpointReader:
    """Reads the tensors of one checkpoint (V2 or V1). Not thread-safe.

    Args:
      filename: str, the checkpoint's prefix.

    Raises:
      tf.errors.NotFoundError: if there is no such checkpoint.
      tf.errors.DataLossError: if it is corrupt.
    """

    def __init__(self, filename):
        self._filename = filename
        self._core = _core.CheckpointReader(filename)

    def get_variable_to_shape_map(self):
        """Returns a dict from names to shapes (lists of int)."""
        return {name: shape for name, _, shape in self._core.list()}

    def get_variable_to_dtype_map(self):
        """Returns a dict from names to DTypes."""
        return {name: dtypes.as_dtype(dtype) for name, dtype, _ in self._core.list()}

    def has_tensor(self, name):
        """Returns whether the checkpoint has a tensor with the given name (str)."""
        return self._core.has(paths.to_text(name))

    def get_tensor(self, name):
        """Returns a tensor as a numpy array.

        Args:
          tensor: str, the name of the tensor.

        Raises:
          tf.errors.NotFoundError: if there is no such tensor.
        """
        return self._core.read(paths.to_text(name))

    def debug_string(self):
        """Returns a description of the tensors as bytes, one line per tensor."""
        return self._core.debug_string()

    def _tensors(self):
        return [(name, dtypes.as_dtype(dtype), shape) for name, dtype, shape in self._core.list()]

    def __repr__(self):
        tensors = self._tensors()
        return display.text_table(display.checkpoint_title(self._filename, tensors),
                                  display.CHECKPOINT_HEADER, display.checkpoint_rows(tensors),
                                  most=_MOST_ROWS)

    def _repr_html_(self):
        tensors = self._tensors()
        return display.html_table(display.checkpoint_title(self._filename, tensors),
                                  display.CHECKPOINT_HEADER, display.checkpoint_rows(tensors))


@export('train.NewCheckpointReader')
def NewCheckpointReader(filepattern):  # pylint: disable=invalid-name
    """Returns a CheckpointReader for a checkpoint.

    Args:
      filepattern: str, the checkpoint's prefix.

    Raises:
      tf.errors.NotFoundError: if there is no such checkpoint.
      tf.errors.DataLossError: if it is corrupt.
    """
    return CheckpointReader(paths.to_text(filepattern))


@export('train.load_checkpoint')
def load_checkpoint(ckpt_dir_or_file):
    """Returns a CheckpointReader for a checkpoint, or for the latest one in a folder.

    Args:
      ckpt_dir_or_file: str, a prefix or a folder.

    Raises:
      ValueError: if the folder has no checkpoint.
    """
    return NewCheckpointReader(_checkpoint_filename(ckpt_dir_or_file))


def _checkpoint_filename(ckpt_dir_or_file):
    path = paths.to_text(ckpt_dir_or_file)
    filename = path
    if os.path.isdir(path):
        filename = checkpoint_management.latest_checkpoint(path)
        if filename is None:
            raise ValueError("Couldn't find 'checkpoint' file or checkpoints in given directory %s"
                             % path)
    return filename


@export('train.load_variable')
def load_variable(ckpt_dir_or_file, name):
    """Returns the value of one variable of a checkpoint, as a numpy array.

    Args:
      ckpt_dir_or_file: str, a prefix or a folder.
      name: str.

    Raises:
      tf.errors.NotFoundError: if there is no variable with that name.
    """
    name = name[:-2] if name.endswith(':0') else name
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


@export('train.list_variables')
def list_variables(ckpt_dir_or_file):
    """Returns the variables of a checkpoint as a list of (name, shape as a list), sorted by name.

    Args:
      ckpt_dir_or_file: str, a prefix or a folder.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


@export('train.init_from_checkpoint')
def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Changes the initializers of variables so that they read their values from a checkpoint.

    Args:
      ckpt_dir_or_file: str, a prefix or a folder.
      assignment_map: a dict from names or scopes ("scope/", "/") in the checkpoint to variables,
        lists of the parts of one, their names, or scopes in the graph.

    Raises:
      ValueError: if a name is not in the checkpoint or the graph, or a shape differs.
    """
    path = _checkpoint_filename(ckpt_dir_or_file)
    reader = load_checkpoint(path)
    shapes = reader.get_variable_to_shape_map()
    for name, target in sorted(assignment_map.items(), key=lambda item: item[0]):
        if is_variable(target) or isinstance(target, list) and all(map(is_variable, target)):
            _init_variable(target, path, shapes, name)
        else:
            _init_by_name(target, path, shapes, name)


def is_variable(x):
    """Reports whether an object is a variable, which may be partitioned.

    Args:
      x: any object.
    """
    return isinstance(x, (variables.Variable, PartitionedVariable))


def restored_tensor(ckpt_dir_or_file, name, dtype):
    """Returns a Tensor that reads a whole tensor of a checkpoint.

    Args:
      ckpt_dir_or_file: str, a prefix or a folder.
      name: str, the tensor's name.
      dtype: its DType.

    Raises:
      ValueError: if the checkpoint has no such tensor.
    """
    path = _checkpoint_filename(ckpt_dir_or_file)
    shapes = load_checkpoint(path).get_variable_to_shape_map()
    if name not in shapes:
        raise ValueError(f'Tensor {name} is not found in {path} checkpoint {shapes}')
    restored = gen.RestoreV2(path, [name], [''], [dtype], name='checkpoint_initializer')[0]
    restored.set_shape(shapes[name])
    return restored


def _init_by_name(current, path, shapes, name):
    store = variable_scope.default_store()
    var = store._vars.get(current)
    if var is None:
        var = _collect_partitioned_variable(current, store._vars)
    if var is not None:
        _init_variable(var, path, shapes, name)
        return
    scope = current[:current.rindex('/')] if '/' in current else ''
    if not name.endswith('/'):
        raise ValueError("Assignment map with scope only name %s should map to scope only %s. "
                         "Should be 'scope/': 'other_scope/'." % (scope, name))
    _init_scope(scope, current, path, shapes, name, store._vars)


def _init_scope(scope, current, path, shapes, name, known):
    names = {v.partition('/part_')[0] for v in known
             if not scope or v.startswith(scope + '/')}
    for var_name in sorted(names):
        inside = var_name[len(scope) + (current != '/'):]
        full_name = (inside if name == '/' else name + inside).rstrip('/')
        if full_name not in shapes:
            raise ValueError('Tensor %s (%s in %s) is not found in %s checkpoint'
                             % (full_name, var_name[len(scope) + 1:], name, path))
        var = known.get(var_name)
        if var is None:
            var = _collect_partitioned_variable(var_name, known)
        _init_variable(var, path, shapes, full_name)


def _collect_partitioned_variable(name, known):
    if name + '/part_0' not in known:
        return None
    parts = []
    while name + '/part_%d' % len(parts) in known:
        parts.append(known[name + '/part_%d' % len(parts)])
    return parts


def _init_variable(var, path, shapes, name):
    if name not in shapes:
        raise ValueError('Tensor %s is not found in %s checkpoint %s' % (name, path, shapes))
    if isinstance(var, variables.Variable):
        shape = var.get_shape()
        if not shape.is_compatible_with(shapes[name]):
            raise ValueError("Shape of variable %s (%s) doesn't match with shape of tensor %s (%s) "
                             "from checkpoint reader."
                             % (var.name, str(shape), name, str(shapes[name])))
        _set_initializer(var, path, name, '')
        return
    for part in var:
        _set_initializer(part, path, name, part._save_slice_info.spec)


def _set_initializer(var, path, name, slice_spec):
    device = 'cpu:0' if not var.op.device else None
    with ops.colocate_with(var.op), ops.device(device or var.op.device):
        restored = gen.RestoreV2(path, [name], [slice_spec], [var.dtype.base_dtype],
                                 name='checkpoint_initializer')[0]
    with ops.name_scope(None):
        initializer = _assign_unless_set(var, restored)
    restored.set_shape(var.shape)
    _core.set_variable_initializer(var.graph, var._id, initializer, restored)


def _assign_unless_set(var, value):
    if var.op.type == 'VarHandleOp':
        return gen.AssignVariableOp(var.handle, value)
    return gen.Assign(var._ref(), value).op
