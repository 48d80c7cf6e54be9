"""The base class of layers: variables that are created at the first call, and a computation with them."""

import collections
import inspect

from ramet.api import export
from ramet.framework import dtypes, nest, ops, tensor_shape, trackable
from ramet.framework.sparse_tensor import SparseTensor
from ramet.keras import constraints, initializers, regularizers
from ramet.keras.backend import config, state, values
from ramet.keras.engine import call_context, input_spec, node, op_layer, tracking
from ramet.keras.engine.children import Children, owned
from ramet.keras.utils import generic_utils
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import variables as tf_variables

_AUTO = tf_variables.VariableSynchronization.AUTO
_ON_READ = tf_variables.VariableSynchronization.ON_READ
_NONE = tf_variables.VariableAggregation.NONE
NamedValue = collections.namedtuple('NamedValue', ['value', 'name'])
NamedValue.__doc__ = """A tensor whose mean over all batches is a metric."""
_KEYWORDS = ('input_shape', 'batch_input_shape', 'batch_size', 'weights', 'activity_regularizer', 'input_dim',
             'input_length', 'autocast')


def _tensor(value):
    if isinstance(value, (ops.Tensor, SparseTensor)):
        return value
    return ops.convert_to_tensor(value)


@export('keras.layers.Layer')
class Layer(Children):
    """A computation with variables of its own, which are created at the first call.

    A subclass overrides `build(input_shape)`, which creates the variables with add_weight, and `call(inputs, ...)`.

    Args:
      trainable: whether its variables are trainable.
      name: its name. Defaults to the name of the class in snake case, made unique.
      dtype: the DType of the variables. Defaults to that of the inputs.
      dynamic: must be False.
      **kwargs: `input_shape`, `batch_input_shape`, `batch_size` and `input_dim` describe the input of a first layer;
        `weights` is a list of arrays, the initial values; `activity_regularizer` is a function from the output to a
        loss.

    Raises:
      TypeError: if a keyword argument is unknown.

    Attributes:
      name: the layer's name.
      dtype: the name of the variables' type, or None before it is known.
      trainable: whether its variables are trainable.
      stateful: whether it keeps a state from batch to batch.
      built: whether its variables have been created.
      supports_masking: whether it passes the mask of its input on.
      input_spec: an InputSpec, or a list of them, that the inputs must match, or None for any inputs.
    """

    _untracked = ('_initial_weights', '_trainable', '_non_trainable', '_losses', '_updates', '_metrics',
                  '_inbound_nodes', '_outbound_nodes')

    def __init__(self, trainable=True, name=None, dtype=None, dynamic=False, **kwargs):
        for key in kwargs:
            if key not in _KEYWORDS:
                raise TypeError('Keyword argument not understood:', key)
        if dynamic and not ops.executing_eagerly():
            raise ValueError(f'Layer {type(self).__name__} is dynamic, which needs eager execution; graphs run '
                             'layers that are not')
        self._init_state(trainable, dtype, kwargs.get('activity_regularizer'))
        self._initial_weights = kwargs.get('weights')
        self._set_input_shape(kwargs)
        self._name = name or state.unique_name(generic_utils.to_snake_case(type(self).__name__))

    def _init_state(self, trainable, dtype, activity_regularizer):
        self._trainable_flag = trainable
        self.built = False
        self.stateful = False
        self.supports_masking = False
        self.input_spec = None
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self._trainable, self._non_trainable = [], []
        self._losses, self._updates, self._metrics = [], [], []
        self._regularizers = []  # pairs of a function and a variable; while operations run eagerly
        self._inbound_nodes, self._outbound_nodes = [], []
        self._initial_weights = None
        self._call_parameters = _parameters_of(self.call)

    def _set_input_shape(self, kwargs):
        if 'input_dim' in kwargs and 'input_shape' not in kwargs:
            kwargs['input_shape'] = (kwargs['input_dim'],)
        if 'batch_input_shape' in kwargs:
            self._batch_input_shape = tuple(kwargs['batch_input_shape'])
        elif 'input_shape' in kwargs:
            self._batch_input_shape = (kwargs.get('batch_size'), *kwargs['input_shape'])

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if isinstance(value, tf_variables.Variable):
            state.track_variable(value)

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    dynamic = property(lambda self: False)
    inbound_nodes = property(lambda self: self._inbound_nodes)
    outbound_nodes = property(lambda self: self._outbound_nodes)

    @property
    def trainable(self):
        """True if the variables are trainable. Setting it also sets that of all layers inside."""
        return self._trainable_flag

    @trainable.setter
    def trainable(self, value):
        self._trainable_flag = value
        for layer in self._own_layers():
            layer.trainable = value

    # Creating variables and calling.

    def build(self, input_shape):
        """Creates the variables.

        Args:
          input_shape: the TensorShape of the input, or a list of them.
        """
        self.built = True

    def call(self, inputs, **kwargs):
        """Computes the output from the inputs.

        Args:
          inputs: a Tensor, or a structure of Tensors.
          **kwargs: further arguments of the layer; `training` and `mask` are passed if the layer has them.

        Returns:
          A Tensor, or a structure of Tensors.
        """
        return inputs

    def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                   constraint=None, partitioner=None, use_resource=None, synchronization=_AUTO, aggregation=_NONE,
                   **kwargs):
        """Creates a variable of the layer.

        Args:
          name: its name below the layer's scope.
          shape: its shape.
          dtype: its DType. Defaults to the layer's, or to the default floating-point type.
          initializer: an initializer, or the name of one. Defaults to 'glorot_uniform', or zeros for other types.
          regularizer: a function from the variable to a loss, or the name of one, or None.
          trainable: whether it is trainable, if the layer is. Defaults to True.
          constraint: a function that optimizers apply to a new value before they store it.
          partitioner: ignored.
          use_resource: whether it is a resource variable. Defaults to True.
          synchronization, aggregation: see tf.get_variable.
          **kwargs: ignored; for compatibility.

        Returns:
          The variable.

        Raises:
          ValueError: if it is trainable and `synchronization` is ON_READ.
        """
        trainable = checked_trainable(trainable, synchronization)
        dtype = dtypes.as_dtype(dtype or self.dtype or config.floatx())
        initializer = initializers.get(initializer)
        if initializer is None:
            initializer = initializers.get('glorot_uniform' if dtype.is_floating else 'zeros')
        sizes = tuple(tensor_shape.as_shape(() if shape is None else shape).as_list())
        variable = tf_variables.Variable(
            lambda: initializer(sizes, dtype=dtype), name=name or 'Variable', trainable=trainable, dtype=dtype,
            constraint=constraints.get(constraint), use_resource=True if use_resource is None else use_resource,
            synchronization=synchronization, aggregation=aggregation)
        regularizer = regularizers.get(regularizer)
        if regularizer is not None:
            self._regularize_variable(variable, name, regularizer)
        self._keep(variable, trainable, name)
        return variable

    def _regularize_variable(self, variable, name, regularizer):
        if ops.executing_eagerly():
            self._regularizers.append((regularizer, variable))
            return
        with ops.name_scope(f'{name}/Regularizer'):
            loss = regularizer(variable)
        if loss is not None:
            self.add_loss(loss)

    def add_variable(self, *args, **kwargs):
        """Creates a variable of the layer, as add_weight."""
        return self.add_weight(*args, **kwargs)

    def _keep(self, variable, trainable, name=None):
        if name is not None:
            self._children[name] = variable
        for part in tracking.parts_of(variable):
            state.track_variable(part)
        kept = self._trainable if trainable else self._non_trainable
        if not any(v is variable for v in self._trainable + self._non_trainable):
            kept.append(variable)

    def _name_scope(self):
        return self.name

    def __call__(self, inputs, *args, **kwargs):
        """Applies the layer.

        Args:
          inputs: a Tensor, or a structure of them.
          *args, **kwargs: further arguments of `call`.

        Returns:
          The result of `call`.
        """
        eager = ops.executing_eagerly()
        if eager and any(isinstance(t, ops.Tensor) and not t._is_eager for t in nest.flatten(inputs)):
            with state.symbolic_graph():
                return self(inputs, *args, **kwargs)
        inputs = nest.map_structure(_tensor, inputs)
        flat = nest.flatten(inputs)
        if eager:
            self._losses.clear()
        else:
            op_layer.connect_operations(flat)
        masks = _masks_of(inputs)
        given = self._given_arguments(args, kwargs)
        call_kwargs = self._call_arguments(given, kwargs, masks)
        with call_context.entered({**given, **call_kwargs}.get('training')):
            with ops.name_scope(self._name_scope()):
                if not self.built:
                    self._build(inputs)
                else:
                    input_spec.check(self.input_spec, inputs, self._name)
                outputs = self.call(inputs, *args, **call_kwargs)
                if outputs is None:
                    raise ValueError("A layer's `call` method should return a Tensor or a list of Tensors, not None "
                                     f'(layer: {self.name}).')
                outputs = _without_inputs(outputs, flat)
                self._regularize_activity(outputs)
                self._set_masks(inputs, outputs, given.get('mask', masks))
        if not eager:
            node.connect(self, inputs, outputs, _node_arguments(given))
        return outputs

    def _given_arguments(self, args, kwargs):
        """Returns the arguments of a call besides the inputs, by name."""
        names = [p for p in self._call_parameters if p != 'self'][1:]
        return {**dict(zip(names, args)), **kwargs}

    def _call_arguments(self, given, kwargs, masks):
        result = dict(kwargs)
        if 'mask' in self._call_parameters and 'mask' not in given and any(m is not None for m in nest.flatten(masks)):
            result['mask'] = masks
        if 'training' in self._call_parameters and given.get('training') is None:
            training = call_context.training()
            if training is None and state.symbolic_learning_phase() is None:
                training = state.graph_state('learning_phase', dict).get('value')
            if training is not None and 'training' not in given:
                result['training'] = training
        return result

    def _build(self, inputs):
        flat = nest.flatten(inputs)
        input_spec.check(self.input_spec, inputs, self._name)
        if self._dtype is None and flat:
            self._dtype = flat[0].dtype.base_dtype.name
        shapes = nest.map_structure(lambda tensor: tensor.get_shape(), inputs)
        self.build(shapes)
        self.built = True
        if trackable.restorations:
            trackable.note_new_variables()
        input_spec.check(self.input_spec, inputs, self._name)
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _regularize_activity(self, outputs):
        if self.activity_regularizer is None:
            return
        with ops.name_scope('ActivityRegularizer'):
            for output in nest.flatten(outputs):
                loss = self.activity_regularizer(output)
                self.add_loss(loss / math_ops.cast(array_ops.shape(output)[0], loss.dtype), inputs=True)

    # Masks.

    def compute_mask(self, inputs, mask=None):
        """Returns the mask of the output.

        Args:
          inputs: a Tensor, or a structure of them.
          mask: the mask of the inputs, or None.

        Raises:
          TypeError: if the inputs have a mask and the layer does not support masking.
        """
        if self.supports_masking:
            return mask
        if any(m is not None for m in nest.flatten(mask)):
            raise TypeError(f'Layer {self.name} does not support masking, but was passed an input_mask: {mask}')
        return None

    def _set_masks(self, inputs, outputs, masks):
        flat = nest.flatten(outputs)
        if all(hasattr(tensor, '_keras_mask') for tensor in flat):
            return
        overridden = type(self).compute_mask is not Layer.compute_mask
        made = self.compute_mask(inputs, masks) if overridden or self.supports_masking else None
        made = [None] * len(flat) if made is None else nest.flatten(made)
        for tensor, mask in zip(flat, made):
            if isinstance(tensor, ops.Tensor):
                tensor._keras_mask = mask

    # Variables.

    def _own_layers(self):
        """Returns the layers that the layer has in its attributes."""
        return [item for item in owned(self) if isinstance(item, Layer)]

    def _own_variables(self, trainable):
        known = list(self._trainable if trainable else self._non_trainable)
        seen = set(map(id, self._trainable + self._non_trainable))
        for item in owned(self):
            if isinstance(item, tf_variables.Variable) and id(item) not in seen:
                seen.add(id(item))
                if bool(item.trainable) == trainable:
                    known.append(item)
        return known

    @property
    def trainable_weights(self):
        """The trainable variables; empty if the layer is not trainable."""
        if not self.trainable:
            return []
        return unique([*self._own_variables(True), *_each(self._own_layers(), 'trainable_weights')])

    @property
    def non_trainable_weights(self):
        """The variables that are not trainable."""
        layers = self._own_layers()
        if self.trainable:
            return unique([*self._own_variables(False), *_each(layers, 'non_trainable_weights')])
        return unique([*self._own_variables(True), *self._own_variables(False), *_each(layers, 'weights')])

    @property
    def weights(self):
        """All variables, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    variables = property(lambda self: self.weights)
    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)

    def get_weights(self):
        """Returns the values of all variables, a list of numpy arrays."""
        return values.batch_get_value(self.weights)

    def set_weights(self, weights):
        """Sets the values of all variables.

        Args:
          weights: a list of numpy arrays, in the order of `weights`.

        Raises:
          ValueError: if the number or a shape is wrong.
        """
        values.set_weights(self.weights, weights, 'layer', f'"{self.name}"')

    def count_params(self):
        """Returns the number of values in all variables.

        Raises:
          ValueError: if the layer has not been built.
        """
        if not self.built:
            raise ValueError(f"You tried to call `count_params` on {self.name}, but the layer isn't built. You can "
                             f'build it manually via: `{self.name}.build(batch_input_shape)`.')
        return sum(v.get_shape().num_elements() for v in self.weights)

    # Losses, updates and metrics.

    @property
    def losses(self):
        """The losses from regularizers and add_loss, a list of Tensors."""
        return [loss for loss, _ in self._all_losses()]

    def _all_losses(self):
        """Returns pairs: a loss, and whether it depends on inputs. Models leave out those of unrelated inputs."""
        current = [(regularizer(variable), False) for regularizer, variable in self._regularizers]
        return [*self._losses, *current, *(pair for layer in self._own_layers() for pair in layer._all_losses())]

    @property
    def updates(self):
        """The operations that were passed to add_update; none if the layer is neither trainable nor stateful."""
        return [update for update, _ in self._all_updates()]

    def _all_updates(self):
        """Returns pairs: an operation, and whether it depends on inputs; see _all_losses."""
        if not self.trainable and not self.stateful:
            return []
        return [*self._updates, *(pair for layer in self._own_layers() for pair in layer._all_updates())]

    @property
    def metrics(self):
        """The metrics that were added with add_metric: Metrics, or NamedValues before a model is compiled."""
        return [*self._metrics, *_each(self._own_layers(), 'metrics')]

    def add_loss(self, losses, inputs=None):
        """Adds losses to the layer.

        Args:
          losses: a Tensor, a function without arguments that returns one, or a list of these.
          inputs: the inputs that they depend on. A model without these inputs ignores the losses. None if they
            depend on no inputs.
        """
        for loss in nest.flatten(losses):
            loss = loss() if callable(loss) and not hasattr(loss, 'op') else loss
            if loss is not None:
                dtype = None if isinstance(loss, ops.Tensor) or hasattr(loss, 'op') else config.floatx()
                self._losses.append((ops.convert_to_tensor(loss, dtype=dtype), inputs is not None))

    def add_update(self, updates, inputs=None):
        """Adds operations that run at each training step.

        Args:
          updates: an Operation or Tensor, a function without arguments that returns one, or a list of these.
          inputs: the inputs that they depend on. A model without these inputs ignores the operations. None if they
            depend on no inputs.
        """
        for update in generic_utils.to_list(updates):
            update = update() if callable(update) and not hasattr(update, 'op') else update
            if ops.executing_eagerly():
                continue
            if isinstance(update, tuple):
                update = update[0].assign(update[1])
            if update is not None:
                update = update if isinstance(update, ops.Operation) else update.op
                self._updates.append((update, inputs is not None))

    def add_metric(self, value, aggregation=None, name=None):
        """Adds a metric to the layer, which fit() and evaluate() report.

        Args:
          value: a Tensor.
          aggregation: 'mean' for the mean over all batches, or None for a value that a Metric returned.
          name: the metric's name.

        Raises:
          ValueError: if an argument is invalid.
        """
        if aggregation not in (None, 'mean'):
            raise ValueError('We currently support only `mean` sample-wise metric aggregation. '
                             f'You provided aggregation=`{aggregation}`')
        metric = getattr(value, '_metric_obj', None)
        if metric is None and (name is None or aggregation is None):
            raise ValueError('Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), '
                             "name='mean_activation', aggregation='mean')`")
        self._metrics.append(NamedValue(value, name) if metric is None else metric)

    def get_losses_for(self, inputs):
        """Returns the losses that depend on the inputs.

        Args:
          inputs: a Tensor or a list of them; or None for the losses that depend on no inputs.
        """
        return tracking.reached_from(self.losses, inputs, self._all_inputs())

    def get_updates_for(self, inputs):
        """Returns the updates that depend on the inputs.

        Args:
          inputs: a Tensor or a list of them; or None for the updates that depend on no inputs.
        """
        return tracking.reached_from(self.updates, inputs, self._all_inputs())

    def _all_inputs(self):
        return nest.flatten([n.input_tensors for n in self._inbound_nodes])

    # Calls.

    def _node_value(self, index, attribute, what):
        if not self._inbound_nodes:
            raise RuntimeError(f'The layer has never been called and thus has no defined {what}.')
        if not -len(self._inbound_nodes) <= index < len(self._inbound_nodes):
            raise ValueError(f'Asked to get {what} at node {index}, but the layer has only '
                             f'{len(self._inbound_nodes)} inbound nodes.')
        return generic_utils.unpack_singleton(getattr(self._inbound_nodes[index], attribute))

    def _of_only_call(self, attribute, what):
        if not self._inbound_nodes:
            raise AttributeError(f'Layer {self.name} has no inbound nodes.' if what == 'output' else
                                 f'Layer {self.name} is not connected, no input to return.')
        if len(self._inbound_nodes) > 1:
            raise AttributeError(f'Layer {self.name} has multiple inbound nodes, hence the notion of "layer {what}" '
                                 f'is ill-defined. Use `get_{what}_at(node_index)` instead.')
        return self._node_value(0, attribute, what)

    @property
    def input(self):
        """The input of the only call.

        Raises:
          AttributeError: unless the layer has been called exactly once.
        """
        return self._of_only_call('input_tensors', 'input')

    @property
    def output(self):
        """The output of the only call.

        Raises:
          AttributeError: unless the layer has been called exactly once.
        """
        return self._of_only_call('output_tensors', 'output')

    def _common_shape(self, attribute, what):
        """Returns the shape of the inputs or outputs if it is the same in all calls."""
        shapes = [shape_of(generic_utils.unpack_singleton(getattr(n, attribute))) for n in self._inbound_nodes]
        if shapes and all(shape == shapes[0] for shape in shapes):
            return shapes[0]
        return shape_of(self._of_only_call(attribute, what))

    input_shape = property(lambda self: self._common_shape('input_tensors', 'input'))
    output_shape = property(lambda self: self._common_shape('output_tensors', 'output'))
    input_mask = property(lambda self: _masks_of(self.input))
    output_mask = property(lambda self: _masks_of(self.output))

    def get_input_at(self, node_index):
        """Returns the input of one call.

        Args:
          node_index: the number of the call, counted from 0.
        """
        return self._node_value(node_index, 'input_tensors', 'input')

    def get_output_at(self, node_index):
        """Returns the output of one call.

        Args:
          node_index: the number of the call, counted from 0.
        """
        return self._node_value(node_index, 'output_tensors', 'output')

    def get_input_shape_at(self, node_index):
        """Returns the shape of the input of one call.

        Args:
          node_index: the number of the call, counted from 0.
        """
        return shape_of(self.get_input_at(node_index))

    def get_output_shape_at(self, node_index):
        """Returns the shape of the output of one call.

        Args:
          node_index: the number of the call, counted from 0.
        """
        return shape_of(self.get_output_at(node_index))

    def get_input_mask_at(self, node_index):
        """Returns the mask of the input of one call.

        Args:
          node_index: the number of the call, counted from 0.
        """
        return _masks_of(self.get_input_at(node_index))

    def get_output_mask_at(self, node_index):
        """Returns the mask of the output of one call.

        Args:
          node_index: the number of the call, counted from 0.
        """
        return _masks_of(self.get_output_at(node_index))

    def compute_output_shape(self, input_shape):
        """Returns the TensorShape of the output.

        Args:
          input_shape: the TensorShape of the input.
        """
        raise NotImplementedError(f'{type(self).__name__}.compute_output_shape')

    # Configuration.

    def get_config(self):
        """Returns the arguments of the constructor as a dict that can be serialized as JSON."""
        if type(self).get_config is Layer.get_config and len(inspect.signature(type(self).__init__).parameters) > 2 \
                and type(self).__init__ is not Layer.__init__ and _has_own_arguments(type(self)):
            raise NotImplementedError(f'Layers with arguments in `__init__` must override `get_config`: layer '
                                      f'{type(self).__name__}')
        result = {'name': self.name, 'trainable': self.trainable}
        if hasattr(self, '_batch_input_shape'):
            result['batch_input_shape'] = self._batch_input_shape
        result['dtype'] = self.dtype
        return result

    @classmethod
    def from_config(cls, config):
        """Creates a layer from the result of get_config.

        Args:
          config: a dict of arguments.
        """
        return cls(**config)


def _has_own_arguments(cls):
    known = {'self', 'args', 'kwargs', 'name', 'trainable', 'dtype', 'dynamic'}
    return any(name not in known for name in inspect.signature(cls.__init__).parameters)


def checked_trainable(trainable, synchronization):
    """Returns whether a variable is trainable; True for None, unless it is only read in summary."""
    if synchronization is _ON_READ and trainable:
        raise ValueError('Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable '
                         'variables. You have specified trainable=True and '
                         'synchronization=VariableSynchronization.ON_READ.')
    return synchronization is not _ON_READ if trainable is None else trainable


def _parameters_of(call):
    try:
        return tuple(inspect.signature(call).parameters)
    except (TypeError, ValueError):
        return ('inputs',)


def _masks_of(tensors):
    return nest.map_structure(lambda tensor: getattr(tensor, '_keras_mask', None), tensors)


def _without_inputs(outputs, inputs):
    """Replaces outputs that are inputs by copies, so that each tensor has one origin."""
    known = {id(tensor) for tensor in inputs}
    return nest.map_structure(
        lambda tensor: array_ops.identity(tensor) if id(tensor) in known and isinstance(tensor, ops.Tensor)
        else tensor, outputs)


def _node_arguments(given):
    return {key: value for key, value in given.items() if value is not None or key == 'training'}


def shape_of(tensors):
    """Returns the static shapes of a structure of tensors as tuples."""
    return nest.map_structure(lambda tensor: tuple(tensor.get_shape().as_list()), tensors)


def unique(objects):
    """Returns the objects of a list in order, each once."""
    seen, result = set(), []
    for item in objects:
        if id(item) not in seen:
            seen.add(id(item))
            result.append(item)
    return result


def _each(layers, attribute):
    return [item for layer in layers for item in getattr(layer, attribute)]
