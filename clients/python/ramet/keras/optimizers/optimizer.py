"""The base class of optimizers."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.keras import initializers
from ramet.keras.backend import state, values
from ramet.keras.engine.children import Children
from ramet.keras.optimizers import schedules
from ramet.ops.array import array_ops
from ramet.ops.control_flow import dependencies
from ramet.ops.gradients import gradients as gradients_lib
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.variables import variables as tf_variables

_KEYWORDS = ('clipnorm', 'clipvalue', 'lr', 'decay', 'learning_rate')
# Arguments that later versions of Keras 2 write.
_NEWER = ('is_legacy_optimizer', 'jit_compile')


@export('keras.optimizers.Optimizer')
class Optimizer(Children):
    """The base class of optimizers.

    A subclass sets its hyperparameters with _set_hyper, creates slots in _create_slots, and adds the operations of a
    step in _resource_apply_dense and _resource_apply_sparse.

    Args:
      name: the name of the optimizer.
      **kwargs: `clipnorm` and `clipvalue` limit gradients, `decay` is the learning rate's time-based decay, and `lr`
        is an old name of learning_rate.

    Raises:
      TypeError: if a keyword argument is unknown.
      ValueError: if an argument is negative.
    """

    def __init__(self, name, **kwargs):
        for key, value in kwargs.items():
            if key not in _KEYWORDS:
                raise TypeError(f'Unexpected keyword argument passed to optimizer: {key}')
            if value is not None and not callable(value) and not hasattr(value, 'op') and value < 0:
                raise ValueError(f'Expected {key} >= 0, received: {value}')
        self._name = name
        self._hyper = {}
        self._slots = {}
        self._own_weights = []
        self._iterations = None
        self._hypers_created = False
        self._initial_decay = kwargs.pop('decay', None) or 0.
        for key in ('clipnorm', 'clipvalue'):
            if kwargs.get(key) is not None:
                setattr(self, key, kwargs[key])

    # Hyperparameters, which are attributes of the optimizer and variables of the graph.

    def _set_hyper(self, name, value):
        old = self._hyper.get(name)
        if isinstance(old, tf_variables.Variable) and not callable(value) and not hasattr(value, 'op'):
            values.set_value(old, value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name, dtype=None):
        if not self._hypers_created:
            self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, schedules.LearningRateSchedule):
            return value
        value = value() if callable(value) and not hasattr(value, 'op') else value
        return math_ops.cast(value, dtype) if dtype is not None else value

    def __getattr__(self, name):
        name = 'learning_rate' if name == 'lr' else name
        hypers = self.__dict__.get('_hyper', {})
        if name in hypers:
            return self._get_hyper(name)
        raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')

    def __setattr__(self, name, value):
        name = 'learning_rate' if name == 'lr' else name
        if name in self.__dict__.get('_hyper', {}):
            self._set_hyper(name, value)
        else:
            super().__setattr__(name, value)

    def _create_hypers(self):
        if self._hypers_created:
            return
        self._hypers_created = True
        for name, value in sorted(self._hyper.items()):
            if not hasattr(value, 'op') and not callable(value):
                self._hyper[name] = self._hyper_variable(name, value)

    def _hyper_variable(self, name, value):
        with ops.init_scope():
            made = tf_variables.Variable(float(value), name=name, dtype=dtypes.float32, trainable=False,
                                         use_resource=True)
        state.track_variable(made)
        return made

    def _decayed_lr(self, dtype):
        rate = self._get_hyper('learning_rate')
        if isinstance(rate, schedules.LearningRateSchedule):
            rate = math_ops.cast(rate(math_ops.cast(self.iterations, dtype)), dtype)
        else:
            rate = math_ops.cast(rate, dtype)
        if self._initial_decay > 0.:
            step = math_ops.cast(self.iterations, dtype)
            rate = rate / (1. + math_ops.cast(self._get_hyper('decay'), dtype) * step)
        return rate

    def _serialized_hyper(self, name):
        value = self._hyper[name]
        if isinstance(value, schedules.LearningRateSchedule):
            return schedules.serialize(value)
        if hasattr(value, 'op'):
            return values.get_value(value).item()
        return value() if callable(value) else value

    # Variables.

    @property
    def iterations(self):
        """The variable that counts the steps."""
        if self._iterations is None:
            self._iterations = self.add_weight('iter', shape=[], dtype=dtypes.int64, trainable=False)
            self._own_weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable):
        if self._iterations is not None:
            raise RuntimeError('Cannot set `iterations` to a new Variable after the Optimizer weights have been '
                               'created')
        self._iterations = variable
        self._own_weights.append(variable)

    def add_weight(self, name, shape, dtype=None, initializer='zeros', trainable=None):
        """Creates a variable of the optimizer.

        Args:
          name: its name.
          shape: its shape.
          dtype: its DType, or None for float32.
          initializer: an initializer, or the name of one.
          trainable: ignored: variables of optimizers are not trained.

        Returns:
          A Variable.
        """
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        initializer = initializers.get(initializer)
        made = tf_variables.Variable(lambda: initializer(shape, dtype=dtype), name=name, dtype=dtype, trainable=False,
                                     use_resource=True)
        state.track_variable(made)
        return made

    def _trackable_children(self):
        hypers = {name: v for name, v in self._hyper.items() if isinstance(v, tf_variables.Variable)}
        return {**({} if self._iterations is None else {'iter': self._iterations}), **hypers}

    def add_slot(self, var, slot_name, initializer='zeros'):
        """Creates a variable with the shape of another one, or returns the existing one.

        Args:
          var: a trainable Variable.
          slot_name: the name of the slot.
          initializer: an initializer, or the name of one.
        """
        slots = self._slots.setdefault(var.op.name, {})
        if slot_name not in slots:
            slots[slot_name] = self.add_weight(f'{var.op.name}/{slot_name}', var.shape.as_list(),
                                               var.dtype.base_dtype, initializer)
            self._own_weights.append(slots[slot_name])
        return slots[slot_name]

    def get_slot(self, var, slot_name):
        """Returns the slot of a variable.

        Args:
          var: a trainable Variable.
          slot_name: the name of the slot.
        """
        return self._slots[var.op.name][slot_name]

    def get_slot_names(self):
        """Returns the names of the slots."""
        return sorted({name for slots in self._slots.values() for name in slots})

    @property
    def weights(self):
        """The variables: the number of steps and the slots."""
        return list(self._own_weights)

    def variables(self):
        """Returns the variables: the number of steps and the slots."""
        return self.weights

    def get_weights(self):
        """Returns the values of the variables, a list of numpy arrays."""
        return values.batch_get_value(self.weights)

    def set_weights(self, weights):
        """Sets the values of the variables.

        Args:
          weights: a list of numpy arrays, in the order of `weights`.

        Raises:
          ValueError: if the number or a shape is wrong.
        """
        values.set_weights(self.weights, weights, 'optimizer', self._name)

    # Steps.

    def get_gradients(self, loss, params):
        """Returns the gradients of a loss, limited by clipnorm and clipvalue.

        Args:
          loss: a Tensor.
          params: a list of Variables.

        Raises:
          ValueError: if the loss does not depend on a variable.
        """
        grads = gradients_lib.gradients(loss, params)
        for grad, param in zip(grads, params):
            if grad is None:
                raise ValueError(f'Variable {param} has `None` for gradient. Please make sure that all of your ops '
                                 'have a gradient defined (i.e. are differentiable). Common ops without gradient: '
                                 'K.argmax, K.round, K.eval.')
        return [self._clipped(grad) for grad in grads]

    def _clipped(self, grad):
        if grad is None:
            return None
        if hasattr(self, 'clipnorm'):
            grad = _mapped(grad, lambda t: clip_ops.clip_by_norm(t, self.clipnorm))
        if hasattr(self, 'clipvalue'):
            grad = _mapped(grad, lambda t: clip_ops.clip_by_value(t, -self.clipvalue, self.clipvalue))
        return grad

    def get_updates(self, loss, params):
        """Returns a list with the operation that applies a step.

        Args:
          loss: a Tensor.
          params: a list of Variables.
        """
        return [self.apply_gradients(list(zip(self.get_gradients(loss, params), params)))]

    def minimize(self, loss, var_list, grad_loss=None, name=None):
        """Returns the operation that applies a step.

        Args:
          loss: a Tensor, or a function without arguments that returns one.
          var_list: a list of Variables, or a function without arguments that returns one.
          grad_loss: the gradient of the loss, or None for ones.
          name: the name of the operation.
        """
        loss = loss() if callable(loss) and not hasattr(loss, 'op') else loss
        var_list = var_list() if callable(var_list) else list(var_list)
        grads = gradients_lib.gradients(loss, var_list, grad_loss)
        pairs = [(self._clipped(grad), var) for grad, var in zip(grads, var_list)]
        if all(grad is None for grad, _ in pairs):
            raise ValueError(f'No gradients provided for any variable, check your graph for ops that do not support '
                             f'gradients, between variables {[str(v) for v in var_list]} and loss {loss}.')
        return self.apply_gradients(pairs, name=name)

    def apply_gradients(self, grads_and_vars, name=None):
        """Returns the operation that applies a step.

        Args:
          grads_and_vars: a list of pairs (gradient, Variable). Pairs without a gradient are ignored.
          name: the name of the operation.

        Raises:
          ValueError: if no variable has a gradient.
        """
        pairs = [(grad, var) for grad, var in grads_and_vars if grad is not None]
        if not pairs:
            raise ValueError(f'No gradients provided for any variable: {[v.name for _, v in grads_and_vars]}.')
        with ops.name_scope(self._name):
            with ops.init_scope():
                step = self.iterations
                self._create_hypers()
                self._create_slots([var for _, var in pairs])
            self._prepare(pairs[0][1].dtype.base_dtype)
            updates = [self._update(grad, var) for grad, var in pairs]
            with ops.control_dependencies(updates):
                counted = step.assign_add(1, read_value=False)
        return dependencies.group(counted if isinstance(counted, ops.Operation) else counted.op, name=name)

    def _update(self, grad, var):
        if isinstance(grad, IndexedSlices):
            if var.constraint is not None:
                raise RuntimeError('Cannot use a constraint function on a sparse variable.')
            summed, indices = _summed(grad)
            return _op_of(self._resource_apply_sparse(summed, var, indices))
        update = _op_of(self._resource_apply_dense(grad, var))
        if var.constraint is None:
            return update
        with ops.control_dependencies([update]):
            return _op_of(var.assign(var.constraint(var.read_value())))

    def _prepare(self, dtype):
        """Creates the tensors that the updates share."""
        self._rate = self._decayed_lr(dtype)

    def _create_slots(self, var_list):
        """Creates the slots of the variables. The base class creates none."""

    def _resource_apply_dense(self, grad, var):
        """Adds the operation that updates a variable with a tensor."""
        raise NotImplementedError()

    def _resource_apply_sparse(self, grad, var, indices):
        """Adds the operation that updates rows of a variable; indices are unique."""
        raise NotImplementedError()

    # Configuration.

    def get_config(self):
        """Returns the arguments of the constructor as a dict that can be serialized as JSON."""
        config = {'name': self._name}
        for key in ('clipnorm', 'clipvalue'):
            if hasattr(self, key):
                config[key] = getattr(self, key)
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """Creates an optimizer from the result of get_config.

        Args:
          config: a dict of arguments.
          custom_objects: a dict from names to the program's own classes.
        """
        config = {key: value for key, value in config.items() if key not in _NEWER}
        if 'lr' in config:
            config['learning_rate'] = config.pop('lr')
        if isinstance(config.get('learning_rate'), dict):
            config['learning_rate'] = schedules.deserialize(config['learning_rate'], custom_objects)
        return cls(**config)


def _op_of(update):
    return update if isinstance(update, ops.Operation) else update.op


def _mapped(grad, function):
    """Applies a function to a gradient, or to the rows of a sparse one."""
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(function(grad.values), grad.indices, grad.dense_shape)
    return function(grad)


def _summed(grad):
    """Returns the rows of a sparse gradient, each once, and their indices."""
    indices, positions = array_ops.unique(grad.indices)
    return gen.UnsortedSegmentSum(grad.values, positions, array_ops.shape(indices)[0]), indices
