"""Variables, placeholders, their values, and functions that run a part of a graph."""

import numpy as np

from ramet.api import export
from ramet.framework import constant_op, nest, ops, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor
from ramet.keras.backend import config, state
from ramet.ops.array import array_fill, array_placeholders
from ramet.ops.control_flow import dependencies
from ramet.ops.initializers import init_ops
from ramet.ops.sparse import sparse_ops
from ramet.ops.variables import state_ops, variables


@export('keras.backend.variable')
def variable(value, dtype=None, name=None, constraint=None):
    """Creates a variable that sessions of tf.keras initialize.

    Args:
      value: a numpy array, number or Tensor; the initial value.
      dtype: its type; None means the default floating-point type.
      name: its name.
      constraint: a function that optimizers apply to a new value before they store it.

    Returns:
      A Variable.
    """
    made = variables.Variable(value, dtype=config.default_dtype(dtype), name=name, constraint=constraint,
                              use_resource=True)
    if isinstance(value, np.ndarray):
        made._keras_shape = value.shape
    state.track_variable(made)
    return made


@export('keras.backend.constant')
def constant(value, dtype=None, shape=None, name=None):
    """Creates a constant.

    Args:
      value: a value or list.
      dtype: its type; None means the default floating-point type.
      shape: its shape, or None for that of the value.
      name: its name.

    Returns:
      A Tensor.
    """
    return constant_op.constant(value, dtype=config.default_dtype(dtype), shape=shape, name=name or 'Const')


@export('keras.backend.placeholder')
def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
    """Creates a placeholder.

    Args:
      shape: its shape, which may contain None.
      ndim: its rank, if `shape` is None.
      dtype: its type; None means the default floating-point type.
      sparse: whether to create a SparseTensor.
      name: its name.

    Returns:
      A Tensor or SparseTensor.
    """
    dtype = config.default_dtype(dtype)
    if shape is None and ndim:
        shape = (None,) * ndim
    if sparse:
        return array_placeholders.sparse_placeholder(dtype, shape=shape, name=name)
    return array_placeholders.placeholder(dtype, shape=shape, name=name)


@export('keras.backend.zeros')
def zeros(shape, dtype=None, name=None):
    """Creates a variable of zeros.

    Args:
      shape: its shape.
      dtype: its type; None means the default floating-point type.
      name: its name.

    Returns:
      A Variable, or a Tensor if the shape is not known.
    """
    return _filled(array_fill.zeros, shape, dtype, name)


@export('keras.backend.ones')
def ones(shape, dtype=None, name=None):
    """Creates a variable of ones; see zeros.

    Args:
      shape: its shape.
      dtype: its type; None means the default floating-point type.
      name: its name.

    Returns:
      A Variable, or a Tensor if the shape is not known.
    """
    return _filled(array_fill.ones, shape, dtype, name)


def _filled(op, shape, dtype, name):
    value = op(shape, dtype=config.default_dtype(dtype), name=name)
    return variable(value, dtype=dtype, name=name) if value.shape.is_fully_defined() else value


@export('keras.backend.eye')
def eye(size, dtype=None, name=None):
    """Creates a variable with an identity matrix.

    Args:
      size: the number of rows.
      dtype: its type; None means the default floating-point type.
      name: its name.

    Returns:
      A Variable.
    """
    return variable(np.eye(size), dtype, name)


@export('keras.backend.random_uniform_variable')
def random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None):
    """Creates a variable with random values from a uniform distribution.

    Args:
      shape: its shape.
      low: the lower bound.
      high: the upper bound.
      dtype: its type; None means the default floating-point type.
      name: its name.
      seed: an integer.

    Returns:
      A Variable.
    """
    return _drawn(init_ops.KerasRandomUniform(low, high, seed=_seed(seed)), shape, dtype, name)


@export('keras.backend.random_normal_variable')
def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    """Creates a variable with random values from a normal distribution.

    Args:
      shape: its shape.
      mean: the mean.
      scale: the standard deviation.
      dtype: its type; None means the default floating-point type.
      name: its name.
      seed: an integer.

    Returns:
      A Variable.
    """
    return _drawn(init_ops.KerasRandomNormal(mean, scale, seed=_seed(seed)), shape, dtype, name)


def _seed(seed):
    return np.random.randint(int(1e9)) if seed is None else seed


def _drawn(initializer, shape, dtype, name):
    dtype = config.default_dtype(dtype)
    return variable(initializer(shape, dtype=dtype), dtype=dtype, name=name)


# Facts about tensors.


@export('keras.backend.int_shape')
def int_shape(x):
    """Returns the static shape as a tuple of ints and None, or None if the rank is not known.

    Args:
      x: a Tensor or Variable.
    """
    shape = tensor_shape.as_shape(x.shape)
    return None if shape.ndims is None else tuple(shape.as_list())


@export('keras.backend.ndim')
def ndim(x):
    """Returns the rank, or None if it is not known.

    Args:
      x: a Tensor or Variable.
    """
    return tensor_shape.as_shape(x.shape).ndims


@export('keras.backend.dtype')
def dtype(x):
    """Returns the name of the type, such as 'float32'.

    Args:
      x: a Tensor or Variable.
    """
    return x.dtype.base_dtype.name


@export('keras.backend.is_sparse')
def is_sparse(tensor):
    """Returns whether a tensor is a SparseTensor.

    Args:
      tensor: any object.
    """
    return isinstance(tensor, SparseTensor)


@export('keras.backend.to_dense')
def to_dense(tensor):
    """Returns a dense Tensor for a SparseTensor; other tensors are returned unchanged.

    Args:
      tensor: a Tensor or SparseTensor.
    """
    return sparse_ops.sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


@export('keras.backend.count_params')
def count_params(x):
    """Returns the number of elements of a variable or tensor whose shape is known.

    Args:
      x: a Tensor or Variable.
    """
    return int(np.prod(x.shape.as_list()))


# Values.


@export('keras.backend.eval')
def eval(x):
    """Returns the value of a tensor or variable in the session of models.

    Args:
      x: a Tensor, SparseTensor or Variable.
    """
    return get_value(to_dense(x))


@export('keras.backend.get_value')
def get_value(x):
    """Returns the value of a variable in the session of models.

    Args:
      x: a Variable or Tensor; other objects are returned unchanged.

    Returns:
      A numpy array or scalar.
    """
    if ops.executing_eagerly():
        return x.numpy() if hasattr(x, 'numpy') else x
    return x if not hasattr(x, 'op') else state.get_session().run(x)


@export('keras.backend.batch_get_value')
def batch_get_value(tensors):
    """Returns the values of several variables in the session of models.

    Args:
      tensors: a list of Variables.

    Returns:
      A list of numpy arrays.
    """
    if ops.executing_eagerly():
        return [tensor.numpy() for tensor in tensors]
    return state.get_session().run(list(tensors)) if tensors else []


@export('keras.backend.set_value')
def set_value(x, value):
    """Sets the value of a variable in the session of models.

    Args:
      x: a Variable.
      value: a numpy array of its shape.
    """
    batch_set_value([(x, value)])


@export('keras.backend.batch_set_value')
def batch_set_value(tuples):
    """Sets the values of several variables in the session of models.

    Args:
      tuples: a list of pairs of a Variable and a numpy array.
    """
    if ops.executing_eagerly():
        for target, value in tuples:
            target.assign(np.asarray(value, dtype=target.dtype.base_dtype.as_numpy_dtype))
        return
    if not tuples:
        return
    operations, feeds = [], {}
    for target, value in tuples:
        operation, fed = _assignment(target)
        operations.append(operation)
        feeds[fed] = np.asarray(value, dtype=target.dtype.base_dtype.as_numpy_dtype)
    state.get_session().run(operations, feeds)


def set_weights(own, weights, kind, name):
    """Sets the values of all variables of a layer or optimizer.

    Args:
      own: the list of Variables.
      weights: a list of numpy arrays, in the same order.
      kind: 'layer' or 'optimizer', for errors.
      name: the name of the layer or optimizer, for errors.

    Raises:
      ValueError: if the number or a shape is wrong.
    """
    if len(own) != len(weights):
        raise ValueError(f'You called `set_weights(weights)` on {kind} {name} with a  weight list of length '
                         f'{len(weights)}, but the {kind} was expecting {len(own)} weights. Provided weights: '
                         f'{str(weights)[:50]}...')
    pairs = list(zip(own, weights))
    for variable, value in pairs:
        if tuple(variable.shape.as_list()) != np.shape(value):
            raise ValueError(f'{kind.capitalize()} weight shape {tuple(variable.shape.as_list())} not compatible with '
                             f'provided weight shape {np.shape(value)}')
    batch_set_value(pairs)


def _assignment(target):
    """Returns an operation that assigns to a variable, and the placeholder of the value; the same at each call."""
    if not hasattr(target, '_keras_assignment'):
        with target.graph.as_default(), ops.name_scope(''), ops.device(None), ops.control_dependencies(None):
            fed = array_placeholders.placeholder(target.dtype.base_dtype, shape=(None,) * target.shape.ndims)
            target._keras_assignment = target.assign(fed).op, fed
    return target._keras_assignment


@export('keras.backend.update')
def update(x, new_x):
    """Returns an operation that assigns a value to a variable.

    Args:
      x: a Variable.
      new_x: a Tensor.
    """
    return state_ops.assign(x, new_x)


@export('keras.backend.update_add')
def update_add(x, increment):
    """Returns an operation that adds to a variable.

    Args:
      x: a Variable.
      increment: a Tensor.
    """
    return state_ops.assign_add(x, increment)


@export('keras.backend.update_sub')
def update_sub(x, decrement):
    """Returns an operation that subtracts from a variable.

    Args:
      x: a Variable.
      decrement: a Tensor.
    """
    return state_ops.assign_sub(x, decrement)


# Functions.


class Function:
    """A callable that feeds inputs, runs updates and returns outputs, in the session of models.

    Args:
      inputs: a list of placeholders.
      outputs: a structure of tensors to compute.
      updates: a list of operations, or of pairs (variable, new value). They run with each call.
      name: the name of the scope of the updates.
      **session_kwargs: `fetches` (more to run), `feed_dict` (more to feed), `options` and `run_metadata`.
    """

    def __init__(self, inputs, outputs, updates=None, name=None, **session_kwargs):
        self.inputs = nest.flatten(inputs)
        self.outputs = nest.flatten(outputs)
        self._structure = outputs
        self.name = name
        self.fetches = list(session_kwargs.pop('fetches', None) or [])
        self.feed_dict = session_kwargs.pop('feed_dict', None) or {}
        self._run_options = {key: session_kwargs.pop(key, None) for key in ('options', 'run_metadata')}
        if session_kwargs:
            raise ValueError(f'Some keys in session_kwargs are not supported at this time: {tuple(session_kwargs)}')
        with ops.control_dependencies(self.outputs[:1]):
            self.updates_op = dependencies.group(*[_update_op(u) for u in updates or ()])
        self._fetched = [*self.outputs, self.updates_op, *self.fetches]
        self._session = self._call = None

    def __call__(self, inputs):
        session = state.get_session()
        values = [_fed(tensor, value) for tensor, value in zip(self.inputs, nest.flatten(inputs), strict=True)]
        if any(self._run_options.values()):
            feeds = {**dict(zip(self.inputs, values)), **self.feed_dict}
            fetched = session.run(self._fetched, feeds, **self._run_options)
        else:
            fetched = self._prepared(session)(*values, *self.feed_dict.values())
        return nest.pack_sequence_as(self._structure, fetched[:len(self.outputs)])

    def _prepared(self, session):
        if self._session is not session:
            self._call = session.make_callable(self._fetched, [*self.inputs, *self.feed_dict])
            self._session = session
        return self._call


def _update_op(update):
    if isinstance(update, tuple):
        return state_ops.assign(*update).op
    return update if isinstance(update, ops.Operation) else update.op


def _fed(tensor, value):
    return value if value is None or is_sparse(tensor) else np.asarray(value, tensor.dtype.as_numpy_dtype)


@export('keras.backend.function')
def function(inputs, outputs, updates=None, name=None, **kwargs):
    """Returns a callable that feeds inputs, runs updates and returns outputs, in the session of models.

    Args:
      inputs: a list of placeholders.
      outputs: a structure of tensors to compute.
      updates: a list of operations, or of pairs (variable, new value). They run with each call.
      name: the name of the callable.
      **kwargs: `fetches`, `feed_dict`, `options` and `run_metadata` of the run.

    Raises:
      ValueError: if a keyword argument is unknown.
    """
    return Function(inputs, outputs, updates=updates, name=name, **kwargs)
