"""Batch normalization."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras.layers import normalization
from ramet.layers import base
from ramet.ops.initializers import init_ops

_ZEROS = init_ops.zeros_initializer()
_ONES = init_ops.ones_initializer()


@export('layers.BatchNormalization')
@with_args_of(normalization.BatchNormalization, base.Layer)
class BatchNormalization(normalization.BatchNormalization, base.Layer):
    """Computes gamma * (inputs - mean) / sqrt(variance + epsilon) + beta, per channel.

    In training, mean and variance are those of the batch. The moving mean and variance are updated by
    operations in the collection "update_ops", which the training step must depend on. In inference,
    the moving mean and variance are used.

    Attributes:
      gamma, beta: the variables, or None; after the first call.
      moving_mean, moving_variance: the variables that are not trained.

    Raises:
      UnavailableError: if `renorm`, `virtual_batch_size` or `adjustment` is set.
      TypeError: if axis is neither an int nor a list.
    """

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=_ZEROS,
                 gamma_initializer=_ONES, moving_mean_initializer=_ZEROS, moving_variance_initializer=_ONES,
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None,
                 renorm=False, renorm_clipping=None, renorm_momentum=0.99, fused=None, trainable=True,
                 virtual_batch_size=None, adjustment=None, name=None, **kwargs):
        super().__init__(
            axis=axis, momentum=momentum, epsilon=epsilon, center=center, scale=scale,
            beta_initializer=beta_initializer, gamma_initializer=gamma_initializer,
            moving_mean_initializer=moving_mean_initializer, moving_variance_initializer=moving_variance_initializer,
            beta_regularizer=beta_regularizer, gamma_regularizer=gamma_regularizer, beta_constraint=beta_constraint,
            gamma_constraint=gamma_constraint, renorm=renorm, renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_momentum, fused=fused, trainable=trainable, virtual_batch_size=virtual_batch_size,
            adjustment=adjustment, name=name, **kwargs)

    def call(self, inputs, training=False):
        """Returns the normalized inputs.

        Args:
          inputs: a Tensor of a floating-point type.
          training: whether to use the mean and variance of the batch: a bool or a tensor.
        """
        return super().call(inputs, training=training)

    def _without_partitioner(self):
        return _WithoutPartitioner(self._scope)


class _WithoutPartitioner:
    """Makes a variable scope ignore its partitioner inside the context."""

    def __init__(self, scope):
        self._scope = scope

    def __enter__(self):
        self._partitioner = self._scope.partitioner
        self._scope.set_partitioner(None)

    def __exit__(self, *unused):
        self._scope.set_partitioner(self._partitioner)


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
