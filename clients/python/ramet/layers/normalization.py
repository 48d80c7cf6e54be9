"""Batch normalization."""

from ramet import api
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.layers import base
from ramet.layers import utils as layer_utils
from ramet.layers.input_spec import InputSpec
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_norm
from ramet.ops.variables import state_ops
from ramet.ops.variables import variables as tf_variables

_ZEROS = init_ops.zeros_initializer()
_ONES = init_ops.ones_initializer()
_ABSENT = ('renorm', 'virtual_batch_size', 'adjustment')


def _refuse_absent(arguments):
    for name in _ABSENT:
        if arguments[name]:
            raise api.UnavailableError(f'TensorFlow has batch normalization with `{name}`, but Ramet '
                                       'does not have it')


@export('layers.BatchNormalization')
@with_args_of(base.Layer)
class BatchNormalization(base.Layer):
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
      renorm, renorm_clipping, renorm_momentum, virtual_batch_size, adjustment: not supported.
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
                 beta_initializer=_ZEROS, gamma_initializer=_ONES,
                 moving_mean_initializer=_ZEROS, moving_variance_initializer=_ONES,
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                 gamma_constraint=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99,
                 fused=None, trainable=True, virtual_batch_size=None, adjustment=None, name=None,
                 **kwargs):
        _refuse_absent(locals())
        super().__init__(name=name, trainable=trainable, **kwargs)
        if not isinstance(axis, (int, list)):
            raise TypeError(f'axis must be int or list, type given: {type(axis)}')
        self.axis = list(axis) if isinstance(axis, list) else axis
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
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
        with _without_partitioner(self._scope):
            self._add_moving(param_shape)
        self.built = True

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

    def call(self, inputs, training=False):
        """Returns the normalized inputs.

        Args:
          inputs: a Tensor of a floating-point type.
          training: whether to use the mean and variance of the batch: a bool or a tensor.
        """
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
            self.add_update(_move(self.moving_mean, mean, momentum))
            self.add_update(_move(self.moving_variance, variance, momentum))
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
                lambda v=variable: ops.convert_to_tensor(v)))
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


class _without_partitioner:
    """Makes a variable scope ignore its partitioner inside the context."""

    def __init__(self, scope):
        self._scope = scope

    def __enter__(self):
        self._partitioner = self._scope.partitioner
        self._scope.set_partitioner(None)

    def __exit__(self, *unused):
        self._scope.set_partitioner(self._partitioner)


def _move(variable, value, momentum):
    """Assigns momentum * variable + (1 - momentum) * value to a variable."""
    with ops.name_scope('AssignMovingAvg') as scope, ops.colocate_with(variable.op):
        decay = ops.convert_to_tensor(1.0 - momentum, name='decay')
        if decay.dtype != variable.dtype.base_dtype:
            decay = math_ops.cast(decay, variable.dtype.base_dtype)
        delta = (variable - math_ops.cast(value, variable.dtype.base_dtype)) * decay
        return state_ops.assign_sub(variable, delta, name=scope)


@export('layers.batch_normalization')
@with_args_of(BatchNormalization)
def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True,
                        beta_initializer=_ZEROS, gamma_initializer=_ONES,
                        moving_mean_initializer=_ZEROS, moving_variance_initializer=_ONES,
                        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
                        gamma_constraint=None, training=False, trainable=True, name=None,
                        reuse=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99,
                        fused=None, virtual_batch_size=None, adjustment=None):
    """Applies a new BatchNormalization layer.

    Args:
      inputs: a Tensor of a floating-point type.
      training: whether to use the mean and variance of the batch: a bool or a tensor.
      reuse: whether to reuse the variables of the layer `name`.

    Returns:
      A Tensor like the inputs.
    """
    layer = BatchNormalization(
        axis=axis, momentum=momentum, epsilon=epsilon, center=center, scale=scale,
        beta_initializer=beta_initializer, gamma_initializer=gamma_initializer,
        moving_mean_initializer=moving_mean_initializer,
        moving_variance_initializer=moving_variance_initializer,
        beta_regularizer=beta_regularizer, gamma_regularizer=gamma_regularizer,
        beta_constraint=beta_constraint, gamma_constraint=gamma_constraint, renorm=renorm,
        renorm_clipping=renorm_clipping, renorm_momentum=renorm_momentum, fused=fused,
        trainable=trainable, virtual_batch_size=virtual_batch_size, adjustment=adjustment,
        name=name, _reuse=reuse, _scope=name)
    return layer.apply(inputs, training=training)
