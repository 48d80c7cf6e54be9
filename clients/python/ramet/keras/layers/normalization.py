"""Normalization of batches and of samples."""

import contextlib

from ramet import api
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.keras.backend import state
from ramet.keras.engine.base_layer import Layer
from ramet.keras.engine.input_spec import InputSpec
from ramet.keras.layers import configs
from ramet.ops.array import array_ops
from ramet.ops.control_flow import smart_cond as layer_utils
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_norm
from ramet.ops.variables import state_ops
from ramet.ops.variables import variables as tf_variables

_ABSENT = ('renorm', 'virtual_batch_size', 'adjustment')


def _refuse_absent(arguments):
    for name in _ABSENT:
        if arguments[name]:
            raise api.UnavailableError(f'TensorFlow has batch normalization with `{name}`, but Ramet '
                                       'does not have it')


@export('keras.layers.BatchNormalization')
@with_args_of(Layer)
class BatchNormalization(Layer):
    """Computes gamma * (inputs - mean) / sqrt(variance + epsilon) + beta, per channel.

    In training, mean and variance are those of the batch. The moving mean and variance are updated by
    operations in the collection "update_ops", which the training step must depend on. In inference,
    the moving mean and variance are used.

    Args:
      axis: the axis of the channels, an int or a list of ints.
      momentum: the fraction of the moving mean and variance that an update keeps.
      epsilon: added to the variance.
      center, scale: whether to use beta and gamma.
      beta_initializer, gamma_initializer: initializers of the variables.
      moving_mean_initializer, moving_variance_initializer: initializers of the variables.
      beta_regularizer, gamma_regularizer: functions from a variable to a loss.
      beta_constraint, gamma_constraint: functions that optimizers apply to new values.
      renorm, virtual_batch_size, adjustment: must be unset, because Ramet does not have these variants.
      renorm_clipping, renorm_momentum: settings of `renorm`.
      fused: whether to compute everything with one operation if possible (four axes). None means True.
      trainable: whether beta and gamma are trainable.
      name: the name of the layer.

    Attributes:
      gamma, beta: the variables, or None; after the first call.
      moving_mean, moving_variance: the variables that are not trained.

    Raises:
      UnavailableError: if `renorm`, `virtual_batch_size` or `adjustment` is set.
      TypeError: if axis is neither an int nor a list.
    """

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
                 beta_initializer='zeros', gamma_initializer='ones',
                 moving_mean_initializer='zeros', moving_variance_initializer='ones',
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99,
                 fused=None, trainable=True, virtual_batch_size=None, adjustment=None, name=None,
                 **kwargs):
        _refuse_absent(locals())
        super().__init__(name=name, trainable=trainable, **kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(f'axis must be int or list, type given: {type(axis)}')
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        configs.keep(self, beta_initializer=beta_initializer, gamma_initializer=gamma_initializer,
                     moving_mean_initializer=moving_mean_initializer,
                     moving_variance_initializer=moving_variance_initializer, beta_regularizer=beta_regularizer,
                     gamma_regularizer=gamma_regularizer, beta_constraint=beta_constraint,
                     gamma_constraint=gamma_constraint)
        self.supports_masking = True
        self.fused = True if fused is None else fused

    def build(self, input_shape):
        shape = tensor_shape.as_shape(input_shape)
        if shape.ndims is None:
            raise ValueError('Input has undefined rank:', shape)
        self._check_axes(shape.ndims)
        sizes = {axis: tensor_shape.dimension_value(shape[axis]) for axis in self.axis}
        if None in sizes.values():
            raise ValueError('Input has undefined `axis` dimension. Input shape: ', shape)
        self.input_spec = InputSpec(ndim=shape.ndims, axes=sizes)
        self.fused = bool(self.fused) and shape.ndims == 4 and self.axis in ([1], [3])
        if len(self.axis) == 1:
            param_shape = (sizes[self.axis[0]],)
        else:
            param_shape = [sizes.get(axis, 1) for axis in range(shape.ndims)]
        self._add_parameters(param_shape)
        with self._without_partitioner():
            self._add_moving(param_shape)
        self.built = True

    def _without_partitioner(self):
        """Returns a context in which variables have one part."""
        return contextlib.nullcontext()

    def _check_axes(self, rank):
        axes = [self.axis] if isinstance(self.axis, int) else self.axis
        self.axis = [axis + rank if axis < 0 else axis for axis in axes]
        for axis in self.axis:
            if not 0 <= axis < rank:
                raise ValueError(f'Invalid axis: {axis}')
        if len(set(self.axis)) < len(self.axis):
            raise ValueError(f'Duplicate axis: {self.axis}')

    def _param_dtype(self):
        if self.dtype is None or self.dtype in ('float16', 'bfloat16'):
            return dtypes.float32
        return dtypes.as_dtype(self.dtype)

    def _add_parameters(self, shape):
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self.add_weight(
                'gamma', shape=shape, dtype=self._param_dtype(),
                initializer=self.gamma_initializer, regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint, trainable=True)
        elif self.fused:
            self._gamma_const = constant_op.constant(1.0, dtype=self._param_dtype(), shape=shape)
        if self.center:
            self.beta = self.add_weight(
                'beta', shape=shape, dtype=self._param_dtype(), initializer=self.beta_initializer,
                regularizer=self.beta_regularizer, constraint=self.beta_constraint, trainable=True)
        elif self.fused:
            self._beta_const = constant_op.constant(0.0, dtype=self._param_dtype(), shape=shape)

    def _add_moving(self, shape):
        for name, initializer in (('moving_mean', self.moving_mean_initializer),
                                  ('moving_variance', self.moving_variance_initializer)):
            setattr(self, name, self.add_weight(
                name, shape=shape, dtype=self._param_dtype(), initializer=initializer,
                synchronization=tf_variables.VariableSynchronization.ON_READ, trainable=False,
                aggregation=tf_variables.VariableAggregation.MEAN))

    def call(self, inputs, training=None):
        """Returns the normalized inputs.

        Args:
          inputs: a Tensor of a floating-point type.
          training: whether to use the mean and variance of the batch: a bool or a tensor. None means the learning
            phase.
        """
        training = state.learning_phase() if training is None else training
        return (self._fused if self.fused else self._composed)(inputs, training)

    def _fused(self, inputs, training):
        gamma = self.gamma if self.scale else self._gamma_const
        beta = self.beta if self.center else self._beta_const
        common = {'epsilon': self.epsilon, 'data_format': 'NCHW' if self.axis == [1] else 'NHWC'}
        outputs, mean, variance = layer_utils.smart_cond(
            training,
            lambda: nn_norm.fused_batch_norm(inputs, gamma, beta, **common),
            lambda: nn_norm.fused_batch_norm(
                inputs, gamma, beta, mean=self.moving_mean, variance=self.moving_variance,
                is_training=False, **common))
        known = layer_utils.constant_value(training)
        if known is not False:
            if known:
                momentum = ops.convert_to_tensor(self.momentum)
            else:
                momentum = layer_utils.smart_cond(training, lambda: self.momentum, lambda: 1.0)
            self.add_update(_move(self.moving_mean, mean, momentum), inputs=True)
            self.add_update(_move(self.moving_variance, variance, momentum), inputs=True)
        return outputs

    def _composed(self, inputs, training):
        mean, variance = self.moving_mean, self.moving_variance
        if layer_utils.constant_value(training) is not False:
            axes = [axis for axis in range(inputs.get_shape().ndims) if axis not in self.axis]
            mean, variance = self._statistics(inputs, axes, training)
        outputs = nn_norm.batch_normalization(
            inputs, self._broadcast(math_ops.cast(mean, inputs.dtype), inputs),
            self._broadcast(math_ops.cast(variance, inputs.dtype), inputs),
            self._broadcast(self.beta, inputs, cast=True),
            self._broadcast(self.gamma, inputs, cast=True), self.epsilon)
        outputs.set_shape(inputs.get_shape())
        return outputs

    def _statistics(self, inputs, axes, training):
        mean, variance = nn_norm.moments(inputs, axes, keepdims=len(self.axis) > 1)
        mean = layer_utils.smart_cond(training, lambda: mean,
                                      lambda: ops.convert_to_tensor(self.moving_mean))
        variance = layer_utils.smart_cond(training, lambda: variance,
                                          lambda: ops.convert_to_tensor(self.moving_variance))
        for variable, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
            self.add_update(layer_utils.smart_cond(
                training, lambda v=variable, new=value: _move(v, new, self.momentum),
                lambda v=variable: ops.convert_to_tensor(v)), inputs=True)
        return mean, variance

    def _broadcast(self, value, inputs, cast=False):
        """Reshapes a parameter to broadcast with the inputs if the channels are not the last axis."""
        if value is None:
            return None
        shape = inputs.get_shape()
        if len(self.axis) == 1 and self.axis != [shape.ndims - 1]:
            form = [1] * shape.ndims
            form[self.axis[0]] = tensor_shape.dimension_value(shape[self.axis[0]])
            value = array_ops.reshape(value, form)
        return math_ops.cast(value, inputs.dtype) if cast else value

    def compute_output_shape(self, input_shape):
        return tensor_shape.as_shape(input_shape)

    def get_config(self):
        return {**super().get_config(), **configs.serialized(
            self, 'axis momentum epsilon center scale beta_initializer gamma_initializer moving_mean_initializer '
            'moving_variance_initializer beta_regularizer gamma_regularizer beta_constraint gamma_constraint')}


def _move(variable, value, momentum):
    """Assigns momentum * variable + (1 - momentum) * value to a variable."""
    with ops.name_scope('AssignMovingAvg') as scope, ops.colocate_with(variable.op):
        decay = ops.convert_to_tensor(1.0 - momentum, name='decay')
        if decay.dtype != variable.dtype.base_dtype:
            decay = math_ops.cast(decay, variable.dtype.base_dtype)
        delta = (variable - math_ops.cast(value, variable.dtype.base_dtype)) * decay
        return state_ops.assign_sub(variable, delta, name=scope)


@export('keras.layers.LayerNormalization')
@with_args_of(BatchNormalization, Layer)
class LayerNormalization(Layer):
    """Computes gamma * (inputs - mean) / sqrt(variance + epsilon) + beta, with the mean and variance of each sample.

    Args:
      axis: the axis of the mean and variance, an int or a list of ints.
    """

    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer='zeros',
                 gamma_initializer='ones', beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(name=name, trainable=trainable, **kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise ValueError("Expected an int or a list/tuple of ints for the argument 'axis', but received instead: "
                             f'{axis}')
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        configs.keep(self, beta_initializer=beta_initializer, gamma_initializer=gamma_initializer,
                     beta_regularizer=beta_regularizer, gamma_regularizer=gamma_regularizer,
                     beta_constraint=beta_constraint, gamma_constraint=gamma_constraint)
        self.supports_masking = True

    def build(self, input_shape):
        shape = tensor_shape.as_shape(input_shape)
        rank = shape.ndims
        if rank is None:
            raise ValueError('Input shape %s has undefined rank.' % input_shape)
        axes = [self.axis] if isinstance(self.axis, int) else self.axis
        self.axis = [axis + rank if axis < 0 else axis for axis in axes]
        for axis in self.axis:
            if not 0 <= axis < rank:
                raise ValueError('Invalid axis: %d' % axis)
        if len(set(self.axis)) < len(self.axis):
            raise ValueError(f'Duplicate axis: {tuple(self.axis)}')
        sizes = [tensor_shape.dimension_value(shape[axis]) for axis in self.axis]
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self.add_weight('gamma', shape=sizes, initializer=self.gamma_initializer,
                                         regularizer=self.gamma_regularizer, constraint=self.gamma_constraint)
        if self.center:
            self.beta = self.add_weight('beta', shape=sizes, initializer=self.beta_initializer,
                                        regularizer=self.beta_regularizer, constraint=self.beta_constraint)
        self.built = True

    def call(self, inputs):
        rank = inputs.get_shape().ndims
        mean, variance = nn_norm.moments(inputs, self.axis, keepdims=True)
        form = [1] * rank
        for axis in self.axis:
            form[axis] = tensor_shape.dimension_value(inputs.get_shape()[axis])

        def spread(value):
            return value if value is None or self.axis == [rank - 1] else array_ops.reshape(value, form)

        outputs = nn_norm.batch_normalization(inputs, mean, variance, spread(self.beta), spread(self.gamma),
                                              self.epsilon)
        outputs.set_shape(inputs.get_shape())
        return outputs

    def compute_output_shape(self, input_shape):
        return tensor_shape.as_shape(input_shape)

    def get_config(self):
        return {**super().get_config(), **configs.serialized(
            self, 'axis epsilon center scale beta_initializer gamma_initializer beta_regularizer gamma_regularizer '
            'beta_constraint gamma_constraint')}
