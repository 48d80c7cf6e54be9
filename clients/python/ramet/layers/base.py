"""The base class of the layers of tf.layers, whose variables belong to variable scopes."""

from ramet.api import export
from ramet.framework import dtypes, nest, ops
from ramet.keras import initializers
from ramet.keras.engine import base_layer, tracking
from ramet.keras.engine.base_layer import checked_trainable
from ramet.keras.utils.generic_utils import to_snake_case
from ramet.layers import copying
from ramet.ops.variables import variable_scope as vs
from ramet.ops.variables import variables as tf_variables
from ramet.ops.variables.variable_creation import state_of

_AUTO = tf_variables.VariableSynchronization.AUTO
_NONE = tf_variables.VariableAggregation.NONE


def _unique_name(base_name):
    counts = state_of(ops.get_default_graph(), '_layer_names', dict)
    key = (vs.get_variable_scope().name, base_name)
    counts[key] = counts.get(key, 0) + 1
    return f'{base_name}_{counts[key]}'


@export('layers.Layer')
class Layer(base_layer.Layer):
    """A computation with variables of its own, which are created at the first call.

    A subclass overrides `build(input_shape)`, which creates the variables with add_weight and ends with
    super().build(input_shape), and `call(inputs, ...)`.

    Args:
      trainable: whether its variables are trainable.
      name: the name of its variable scope and of the scope of its operations. Defaults to the name of
        the class in lower case, made unique.
      dtype: the DType of the variables. Defaults to that of the inputs.
      **kwargs: `activity_regularizer`, a function from the output to a loss.

    Attributes:
      name, scope_name: the layer's name, and the name of its variable scope.
      dtype: the name of the variables' type, or None before it is known.
      trainable: whether its variables are trainable.
      built: whether its variables have been created.
      input_spec: an InputSpec, or a list of them, that the inputs must match, or None for any inputs.
    """

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        self._scope_given = kwargs.pop('_scope', None)
        self._reuse = kwargs.pop('_reuse', None)
        activity_regularizer = kwargs.pop('activity_regularizer', None)
        if 'input_shape' in kwargs or 'batch_input_shape' in kwargs:
            self._set_input_shape({key: kwargs.pop(key) for key in ('input_shape', 'batch_input_shape', 'batch_size')
                                   if key in kwargs})
        if kwargs:
            raise TypeError('Keyword argument not understood:', sorted(kwargs)[0])
        self._init_state(trainable, dtype, activity_regularizer)
        self._graph = None
        self._set_name(name)
        self._scope = None
        if self._scope_given is not None:
            with vs.variable_scope(self._scope_given, reuse=self._reuse) as captured:
                self._scope = captured
        self._current_scope = None

    def _set_name(self, name):
        if isinstance(name, vs.VariableScope):
            self._base_name = name.name
            self._name = _unique_name(to_snake_case(type(self).__name__))
        elif name:
            self._base_name = self._name = name
        else:
            self._base_name = to_snake_case(type(self).__name__)
            self._name = _unique_name(self._base_name)

    def __deepcopy__(self, memo):
        return copying.deep_copy(self, memo)

    @property
    def scope_name(self):
        """The name of the variable scope.

        Raises:
          ValueError: if the layer has neither been called nor been given a scope.
        """
        if not self._scope:
            raise ValueError(f'No name available for layer scope because the layer "{self._name}" '
                             'has not been used yet. The scope name  is determined the first time '
                             'the layer instance is called. You must therefore call the layer '
                             'before querying `scope_name`.')
        return self._scope.name

    @property
    def graph(self):
        """The graph in which the layer was first called, or None before the first call."""
        return self._graph

    # Creating variables and calling.

    def add_weight(self, name, shape, dtype=None, initializer=None, regularizer=None,
                   trainable=None, constraint=None, use_resource=None, synchronization=_AUTO,
                   aggregation=_NONE, partitioner=None, **unused):
        """Creates a variable of the layer, or gets the existing one if the layer's scope is reused.

        Args:
          name: its name below the layer's scope.
          shape: its shape.
          dtype: its DType. Defaults to the layer's, or float32.
          initializer: an initializer, or the name of one. Defaults to that of the variable scope.
          regularizer: a function from the variable to a loss, or to None.
          trainable: whether it is trainable, if the layer is. Defaults to True.
          constraint: a function that optimizers apply to a new value before they store it.
          use_resource: whether it is a resource variable.
          synchronization, aggregation: see tf.get_variable.
          partitioner: a function (shape, dtype) -> list of the number of parts in each dimension.

        Returns:
          The variable.

        Raises:
          ValueError: if it is trainable and `synchronization` is ON_READ, or as tf.get_variable.
        """
        trainable = checked_trainable(trainable, synchronization)
        known = set(map(id, tracking.all_variables())) if regularizer else ()
        self._set_scope()
        with vs.variable_scope(self._scope, reuse=self.built or self._reuse,
                               auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with ops.name_scope(self._name_scope()):
                variable = vs.get_variable(
                    name, shape=shape,
                    dtype=dtypes.as_dtype(dtype or self._dtype or dtypes.float32),
                    initializer=initializers.get(initializer),
                    trainable=trainable and self.trainable,
                    constraint=constraint, use_resource=use_resource, partitioner=partitioner,
                    synchronization=synchronization, aggregation=aggregation)
                parts = tracking.parts_of(variable) if regularizer else ()
                if not any(id(part) in known for part in parts):
                    self._regularize(name, parts, regularizer)
        self._keep(variable, trainable, name)
        return variable

    add_variable = add_weight

    def _regularize(self, name, parts, regularizer):
        if ops.executing_eagerly():
            self._regularizers += [(regularizer, part) for part in parts]
            return
        for part in parts:
            with ops.name_scope(name + '/Regularizer'):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    def _name_scope(self):
        return self._current_scope.original_name_scope

    def _set_scope(self, scope=None):
        if self._scope is not None:
            return
        if self._reuse:
            opened = vs.variable_scope(scope if scope is not None else self._base_name)
        else:
            opened = vs.variable_scope(scope, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    def __call__(self, inputs, *args, **kwargs):
        """Applies the layer.

        Args:
          inputs: a Tensor, or a structure of them.
          *args, **kwargs: further arguments of `call`; and `scope`, a VariableScope that replaces the
            layer's own at the first call.

        Returns:
          The result of `call`.
        """
        self._set_scope(kwargs.pop('scope', None))
        self._join_graph(inputs)
        scope = vs.variable_scope(self._scope, reuse=True if self.built else self._reuse,
                                  auxiliary_name_scope=False)
        with scope as self._current_scope:
            outputs = super().__call__(inputs, *args, **kwargs)
        tracking.collect(self.updates, ops.GraphKeys.UPDATE_OPS)
        return outputs

    def apply(self, inputs, *args, **kwargs):
        """Applies the layer, like calling it."""
        return self(inputs, *args, **kwargs)

    def _join_graph(self, inputs):
        if ops.executing_eagerly():
            return
        graph = next((t.graph for t in nest.flatten(inputs) if isinstance(t, ops.Tensor)),
                     ops.get_default_graph())
        if self._graph is None:
            self._graph = graph
        elif self._graph is not graph:
            raise ValueError('Input graph and Layer graph are not the same: '
                             f'{graph} is not {self._graph}')

    def add_loss(self, losses, inputs=None):
        """Adds losses to the layer and to the collection of regularization losses.

        Args:
          losses: a Tensor, or a list of them.
          inputs: the inputs that they depend on; ignored.
        """
        before = len(self._losses)
        super().add_loss(losses, inputs)
        tracking.collect([loss for loss, _ in self._losses[before:]], ops.GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates, inputs=None):
        """Adds operations that must run at each training step to the collection "update_ops".

        Args:
          updates: an Operation or Tensor, or a list of them.
          inputs: the inputs that they depend on; ignored.
        """
        before = len(self._updates)
        super().add_update(updates, inputs)
        tracking.collect([update for update, _ in self._updates[before:]], ops.GraphKeys.UPDATE_OPS)
