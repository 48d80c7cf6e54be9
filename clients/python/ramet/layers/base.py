"""The base class of layers: variables created at the first call, and a computation with them."""

import re

from ramet.api import export
from ramet.framework import dtypes, nest, ops
from ramet.layers import identifiers, tracking
from ramet.layers import input_spec as input_specs
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import variable_scope as vs
from ramet.ops.variables import variables as tf_variables
from ramet.ops.variables.variable_creation import state_of

_AUTO = tf_variables.VariableSynchronization.AUTO
_ON_READ = tf_variables.VariableSynchronization.ON_READ
_NONE = tf_variables.VariableAggregation.NONE


def _snake_case(name):
    name = re.sub('(.)([A-Z][a-z0-9]+)', r'\1_\2', name)
    name = re.sub('([a-z])([A-Z])', r'\1_\2', name).lower()
    return f'private{name}' if name.startswith('_') else name


def _unique_name(base_name):
    counts = state_of(ops.get_default_graph(), '_layer_names', dict)
    key = (vs.get_variable_scope().name, base_name)
    counts[key] = counts.get(key, 0) + 1
    return f'{base_name}_{counts[key]}'


def _tensor(value):
    return value if isinstance(value, ops.Tensor) else ops.convert_to_tensor(value)


@export('layers.Layer')
class Layer:
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
        self.activity_regularizer = kwargs.pop('activity_regularizer', None)
        if kwargs:
            raise TypeError('Keyword argument not understood:', sorted(kwargs)[0])
        self.trainable = trainable
        self.built = False
        self.input_spec = None
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self._graph = None
        self._trainable, self._non_trainable = [], []
        self._losses, self._updates = [], []
        self._inputs, self._outputs = [], []
        self._call_arguments = ()
        self._set_name(name)
        self._scope = None
        if self._scope_given is not None:
            with vs.variable_scope(self._scope_given, reuse=self._reuse) as captured:
                self._scope = captured
        self._current_scope = None

    def _set_name(self, name):
        if isinstance(name, vs.VariableScope):
            self._base_name = name.name
            self._name = _unique_name(_snake_case(type(self).__name__))
        elif name:
            self._base_name = self._name = name
        else:
            self._base_name = _snake_case(type(self).__name__)
            self._name = _unique_name(self._base_name)

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)

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

    def build(self, input_shape):
        """Creates the variables.

        Args:
          input_shape: the TensorShape of the input, or a list of them.
        """
        self.built = True

    def call(self, inputs, *args, **kwargs):
        """Computes the output from the inputs.

        Args:
          inputs: a Tensor, or a structure of Tensors.
          *args: further arguments of the layer.
          **kwargs: further arguments of the layer.

        Returns:
          A Tensor, or a structure of Tensors.
        """
        return inputs

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
        if synchronization is _ON_READ and trainable:
            raise ValueError('Synchronization value can be set to VariableSynchronization.ON_READ '
                             'only for non-trainable variables. You have specified trainable=True '
                             'and synchronization=VariableSynchronization.ON_READ.')
        if trainable is None:
            trainable = synchronization is not _ON_READ
        known = set(map(id, tracking.all_variables())) if regularizer else ()
        self._set_scope()
        with vs.variable_scope(self._scope, reuse=self.built or self._reuse,
                               auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with ops.name_scope(self._name_scope()):
                variable = vs.get_variable(
                    name, shape=shape,
                    dtype=dtypes.as_dtype(dtype or self._dtype or dtypes.float32),
                    initializer=identifiers.initializer(initializer),
                    trainable=trainable and self.trainable,
                    constraint=constraint, use_resource=use_resource, partitioner=partitioner,
                    synchronization=synchronization, aggregation=aggregation)
                parts = tracking.parts_of(variable) if regularizer else ()
                if not any(id(part) in known for part in parts):
                    self._regularize(name, parts, regularizer)
        self._keep(variable, trainable)
        return variable

    add_variable = add_weight

    def _keep(self, variable, trainable):
        kept = self._trainable if trainable else self._non_trainable
        if not any(v is variable for v in self._trainable + self._non_trainable):
            kept.append(variable)

    def _regularize(self, name, parts, regularizer):
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
        with scope as self._current_scope, ops.name_scope(self._name_scope()):
            inputs = nest.map_structure(_tensor, inputs)
            input_specs.check(self.input_spec, inputs, self._name)
            if not self.built:
                self._build(inputs)
            outputs = self.call(inputs, *args, **kwargs)
            if outputs is None:
                raise ValueError("A layer's `call` method should return a Tensor or a list of "
                                 f'Tensors, not None (layer: {self._name}).')
            self._regularize_activity(outputs)
        self._inputs.append(inputs)
        self._outputs.append(outputs)
        tracking.collect(self._updates, ops.GraphKeys.UPDATE_OPS)
        return outputs

    def apply(self, inputs, *args, **kwargs):
        """Applies the layer, like calling it."""
        return self(inputs, *args, **kwargs)

    def _join_graph(self, inputs):
        graph = next((t.graph for t in nest.flatten(inputs) if isinstance(t, ops.Tensor)),
                     ops.get_default_graph())
        if self._graph is None:
            self._graph = graph
        elif self._graph is not graph:
            raise ValueError('Input graph and Layer graph are not the same: '
                             f'{graph} is not {self._graph}')

    def _build(self, inputs):
        if self._dtype is None:
            first = nest.flatten(inputs)[0]
            self._dtype = first.dtype.base_dtype.name if isinstance(first, ops.Tensor) else None
        self.build(nest.map_structure(lambda tensor: tensor.get_shape(), inputs))
        self.built = True
        input_specs.check(self.input_spec, inputs, self._name)

    def _regularize_activity(self, outputs):
        if self.activity_regularizer is None:
            return
        with ops.name_scope('ActivityRegularizer'):
            for output in nest.flatten(outputs):
                loss = self.activity_regularizer(output)
                size = math_ops.cast(array_ops.shape(output)[0], loss.dtype)
                self.add_loss(loss / size)

    # Properties.

    @property
    def trainable_weights(self):
        """The trainable variables; empty if the layer is not trainable."""
        return list(self._trainable) if self.trainable else []

    @property
    def non_trainable_weights(self):
        """The variables that are not trainable."""
        return list(self._non_trainable if self.trainable
                    else self._trainable + self._non_trainable)

    @property
    def weights(self):
        """All variables, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    @property
    def losses(self):
        """The losses from regularizers and add_loss, a list of Tensors."""
        return list(self._losses)

    @property
    def updates(self):
        """The operations that were passed to add_update."""
        return list(self._updates)

    def add_loss(self, losses, inputs=None):
        """Adds losses to the layer and to the collection of regularization losses.

        Args:
          losses: a Tensor, or a list of them.
          inputs: the inputs that they depend on; ignored.
        """
        losses = nest.flatten(losses)
        self._losses.extend(losses)
        tracking.collect(losses, ops.GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates, inputs=None):
        """Adds operations that must run at each training step to the collection "update_ops".

        Args:
          updates: an Operation or Tensor, or a list of them.
          inputs: the inputs that they depend on; ignored.
        """
        updates = [u if isinstance(u, ops.Operation) else u.op for u in nest.flatten(updates)]
        self._updates.extend(updates)
        tracking.collect(updates, ops.GraphKeys.UPDATE_OPS)

    def get_losses_for(self, inputs):
        """Returns the losses that depend on the inputs.

        Args:
          inputs: a Tensor or a list of them; or None for the losses that depend on no inputs.
        """
        return tracking.reached_from(self._losses, inputs, self._all_inputs())

    def get_updates_for(self, inputs):
        """Returns the updates that depend on the inputs.

        Args:
          inputs: a Tensor or a list of them; or None for the updates that depend on no inputs.
        """
        return tracking.reached_from(self._updates, inputs, self._all_inputs())

    def _all_inputs(self):
        return nest.flatten(self._inputs)

    def count_params(self):
        """Returns the number of values in all variables.

        Raises:
          ValueError: if the layer has not been built.
        """
        if not self.built:
            raise ValueError(f'You tried to call `count_params` on {self._name}, but the layer '
                             "isn't built. You can build it manually via: "
                             f'`{self._name}.build(batch_input_shape)`.')
        return sum(v.get_shape().num_elements() for v in self.weights)

    @property
    def input(self):
        """The input of the only call.

        Raises:
          AttributeError: if there were no calls or several.
        """
        return self._of_only_call(self._inputs, 'input')

    @property
    def output(self):
        """The output of the only call.

        Raises:
          AttributeError: if there were no calls or several.
        """
        return self._of_only_call(self._outputs, 'output')

    input_shape = property(lambda self: _shape_of(self.input))
    output_shape = property(lambda self: _shape_of(self.output))

    def _of_only_call(self, values, what):
        if not values:
            raise AttributeError(f'Layer {self._name} has no inbound nodes.')
        if len(values) > 1:
            raise AttributeError(f'Layer {self._name} has multiple inbound nodes, hence the notion '
                                 f'of "layer {what}" is ill-defined. Use `get_{what}_at(node_index)'
                                 '` instead.')
        return values[0]

    def get_input_at(self, node_index):
        """Returns the input of one call.

        Args:
          node_index: the number of the call, counted from 0.
        """
        return self._inputs[node_index]

    def get_output_at(self, node_index):
        """Returns the output of one call.

        Args:
          node_index: the number of the call, counted from 0.
        """
        return self._outputs[node_index]

    def compute_output_shape(self, input_shape):
        """Returns the TensorShape of the output.

        Args:
          input_shape: the TensorShape of the input.
        """
        raise NotImplementedError(f'{type(self).__name__}.compute_output_shape')


def _shape_of(value):
    return nest.map_structure(lambda tensor: tuple(tensor.get_shape().as_list()), value)
