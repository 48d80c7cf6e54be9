"""Batch normalization."""

from ramet import api
from ramet.api import export
from ramet.contrib.framework import variables
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import utils
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.layers import normalization
from ramet.ops.array import array_ops
from ramet.ops.control_flow import smart_cond as layer_utils
from ramet.ops.initializers import init_ops
from ramet.ops.nn import nn_norm
from ramet.ops.variables import variable_scope
from ramet.train import moving_averages

_INITIALIZERS = {'beta': init_ops.zeros_initializer(), 'gamma': init_ops.ones_initializer(),
                 'moving_mean': init_ops.zeros_initializer(),
                 'moving_variance': init_ops.ones_initializer()}


@export('contrib.layers.batch_norm')
@add_arg_scope
def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None,
               param_initializers=None, param_regularizers=None,
               updates_collections=ops.GraphKeys.UPDATE_OPS, is_training=True, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True,
               batch_weights=None, fused=None, data_format='NHWC', zero_debias_moving_mean=False,
               scope=None, renorm=False, renorm_clipping=None, renorm_decay=0.99,
               adjustment=None):
    """Normalizes each channel by its mean and variance.

    In training, these are the mean and variance of the batch, otherwise the moving ones.
    Args:
      inputs: a Tensor of rank 2 or more.
      decay: the fraction of the moving mean and variance that an update keeps.
      center, scale: whether to use the variables beta and gamma.
      epsilon: added to the variance.
      activation_fn: a function of the outputs, or None.
      param_initializers: a dict of initializers of 'beta', 'gamma', 'moving_mean' and
        'moving_variance'.
      param_regularizers: a dict of regularizers of 'beta' and 'gamma'.
      updates_collections: the collections for the updates of the moving mean and variance, which the
        training step must depend on. With None, computing the output runs the updates.
      is_training: a bool, or a tensor.
      reuse: whether to reuse the variables of the scope.
      variables_collections: additional collections of the variables: a list, or a dict of lists.
      outputs_collections: collections of the output.
      trainable: whether beta and gamma are trainable.
      batch_weights: a vector with the weights of the examples, or None for equal weights.
      fused: whether to compute everything with one operation if possible. None means True.
      data_format: 'NHWC' or 'NCHW'.
      zero_debias_moving_mean: whether to correct the moving mean for its initial value 0.
      scope: the name of the variable scope. Defaults to 'BatchNorm'.
      renorm, adjustment: must be False and None.
      renorm_clipping, renorm_decay: not used.

    Returns:
      A Tensor like the inputs.

    Raises:
      ValueError: if `data_format` is wrong, `fused` is given with `batch_weights`, or the rank or
        the number of channels is unknown.
      UnavailableError: if `renorm` or `adjustment` is set.
    """
    for name, value in (('renorm', renorm), ('adjustment', adjustment)):
        if value:
            raise api.UnavailableError(f'TensorFlow has batch_norm with `{name}`, but Ramet does not '
                                       'have it')
    if fused and batch_weights is not None:
        raise ValueError('Weighted mean and variance is not currently supported for fused batch '
                         'norm.')
    utils.check_format(data_format, 'NCHW', 'NHWC')
    own = _BatchNorm(decay, center, scale, epsilon, param_initializers or {},
                     param_regularizers or {}, updates_collections, is_training, trainable,
                     variables_collections, batch_weights, data_format, zero_debias_moving_mean)
    inputs = ops.convert_to_tensor(inputs)
    rank = inputs.get_shape().ndims
    fusable = (fused is None or fused) and batch_weights is None and rank in (2, 4)
    in_layer = batch_weights is None and not zero_debias_moving_mean \
        and updates_collections is ops.GraphKeys.UPDATE_OPS
    if in_layer and not (fusable and rank == 2):
        call, getter = own.in_layer, utils.layer_variable_getter()
    else:
        call, getter = own.fused if fusable else own.composed, None
    with variable_scope.variable_scope(scope, 'BatchNorm', [inputs], reuse=reuse,
                                       custom_getter=getter) as sc:
        if call == own.in_layer:
            outputs = own.in_layer(inputs, sc, reuse, fused)
        else:
            outputs = call(inputs)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


class _BatchNorm:
    """The arguments of batch_norm, and its implementations."""

    def __init__(self, decay, center, scale, epsilon, initializers, regularizers,
                 updates_collections, is_training, trainable, variables_collections,
                 batch_weights, data_format, zero_debias):
        self._decay = decay
        self._wanted = {'beta': center, 'gamma': scale}
        self._epsilon = epsilon
        self._initializers = {**_INITIALIZERS, **initializers}
        self._regularizers = regularizers
        self._updates_collections = updates_collections
        self._is_training = is_training
        self._trainable = trainable
        self._variables_collections = variables_collections
        self._batch_weights = batch_weights
        self._data_format = data_format
        self._zero_debias = zero_debias

    def in_layer(self, inputs, sc, reuse, fused):
        """Uses a layer of tf.layers, which adds the updates to the collection "update_ops"."""
        layer = normalization.BatchNormalization(
            axis=1 if self._data_format == 'NCHW' else -1, momentum=self._decay,
            epsilon=self._epsilon, center=self._wanted['beta'], scale=self._wanted['gamma'],
            **{f'{name}_initializer': found for name, found in self._initializers.items()},
            beta_regularizer=self._regularizers.get('beta'),
            gamma_regularizer=self._regularizers.get('gamma'), trainable=self._trainable,
            fused=fused, name=sc.name, _scope=sc, _reuse=reuse)
        outputs = layer.apply(inputs, training=self._is_training)
        for name in ('moving_mean', 'moving_variance', 'beta', 'gamma'):
            if getattr(layer, name) is not None:
                utils.add_variable_to_collections(getattr(layer, name),
                                                  self._variables_collections, name)
        return outputs

    def _parameter(self, name, shape, dtype, fill=None):
        if not self._wanted[name]:
            if fill is None:
                return None
            return constant_op.constant(fill, dtype=dtype, shape=shape)
        return self._variable(name, shape, dtype, self._regularizers.get(name), self._trainable)

    def _moving(self, shape, dtype):
        scope = variable_scope.get_variable_scope()
        with variable_scope.variable_scope(scope) as local:
            local.set_partitioner(None)
            return [self._variable(name, shape, dtype, None, False)
                    for name in ('moving_mean', 'moving_variance')]

    def _variable(self, name, shape, dtype, regularizer, trainable):
        return variables.model_variable(
            name, shape=shape, dtype=dtype, initializer=self._initializers[name],
            regularizer=regularizer, trainable=trainable,
            collections=utils.get_variable_collections(self._variables_collections, name))

    def _channels(self, inputs):
        shape = inputs.get_shape()
        if shape.ndims is None:
            raise ValueError(f'Inputs {inputs.name} has undefined rank')
        if self._data_format == 'NCHW' and shape.ndims > 1:
            channels = tensor_shape.dimension_value(shape[1])
        else:
            channels = tensor_shape.dimension_value(shape[-1])
        if channels is None:
            raise ValueError(f'Inputs {inputs.name} has undefined `C` dimension {shape}.')
        return channels

    def fused(self, inputs):
        """Uses one operation, with separate updates. Inputs with two axes are reshaped to four."""
        original = inputs
        channels = self._channels(inputs)
        if inputs.get_shape().ndims == 2:
            inputs = array_ops.reshape(
                inputs, [-1, channels, 1, 1] if self._data_format == 'NCHW'
                else [-1, 1, 1, channels])
        beta = self._parameter('beta', [channels], dtypes.float32, 0.0)
        gamma = self._parameter('gamma', [channels], dtypes.float32, 1.0)
        moving = self._moving([channels], dtypes.float32)
        common = {'epsilon': self._epsilon, 'data_format': self._data_format}
        outputs, *statistics = layer_utils.smart_cond(
            self._is_training,
            lambda: nn_norm.fused_batch_norm(inputs, gamma, beta, **common),
            lambda: nn_norm.fused_batch_norm(inputs, gamma, beta, mean=moving[0],
                                             variance=moving[1], is_training=False, **common))
        if layer_utils.constant_value(self._is_training) is not False:
            values = [outputs]
            outputs, = self._updated(values, lambda: values, moving, statistics)
        outputs.set_shape(inputs.get_shape())
        if original is not inputs:
            outputs = array_ops.reshape(outputs, array_ops.shape(original))
        return outputs

    def composed(self, inputs):
        """Uses one operation per step, with separate updates."""
        dtype, shape = inputs.dtype.base_dtype, inputs.get_shape()
        channels = self._channels(inputs)
        axis = 1 if self._data_format == 'NCHW' and shape.ndims > 1 else shape.ndims - 1
        beta = self._parameter('beta', [channels], dtype)
        gamma = self._parameter('gamma', [channels], dtype)
        moving = self._moving([channels], dtype)
        form = [1] * shape.ndims
        form[axis] = channels

        def to_form(value):
            if value is None or axis == shape.ndims - 1:
                return value
            return array_ops.reshape(value, form)

        mean, variance = moving
        if layer_utils.constant_value(self._is_training) is not False:
            def moving_values():
                return [ops.convert_to_tensor(variable) for variable in moving]

            statistics = self._moments(inputs, [a for a in range(shape.ndims) if a != axis])
            mean, variance = self._updated(statistics, moving_values, moving, statistics)
        outputs = nn_norm.batch_normalization(inputs, to_form(mean), to_form(variance),
                                              to_form(beta), to_form(gamma), self._epsilon)
        outputs.set_shape(shape)
        return outputs

    def _moments(self, inputs, axes):
        if self._batch_weights is None:
            return nn_norm.moments(inputs, axes)
        weights = ops.convert_to_tensor(self._batch_weights)
        if weights.get_shape().ndims == 1:
            weights = array_ops.reshape(weights, [-1] + [1] * (inputs.get_shape().ndims - 1))
        return nn_norm.weighted_moments(inputs, axes, weights)

    def _updated(self, values, otherwise, moving, statistics):
        """Adds the updates to their collections, or makes the values depend on them.

        Returns:
          The values in training, else otherwise().
        """
        def updates():
            return [moving_averages.assign_moving_average(
                variable, value, self._decay, zero_debias=debias) for variable, value, debias in
                zip(moving, statistics, (self._zero_debias, False), strict=True)]

        def forced():
            with ops.control_dependencies(updates()):
                return [array_ops.identity(value) for value in values]

        if self._updates_collections is None:
            return layer_utils.smart_cond(self._is_training, forced, otherwise)
        for update in layer_utils.smart_cond(self._is_training, updates,
                                             lambda: [ops.convert_to_tensor(v) for v in moving]):
            ops.add_to_collections(self._updates_collections, update)
        return layer_utils.smart_cond(self._is_training, lambda: values, otherwise)
