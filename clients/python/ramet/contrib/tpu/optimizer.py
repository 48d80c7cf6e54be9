"""CrossShardOptimizer, which adds up the gradients of a TPU's cores."""

from ramet.api import export
from ramet.lib import tf_logging as logging
from ramet.train import optimizer


@export('contrib.tpu.CrossShardOptimizer', 'tpu.CrossShardOptimizer')
class CrossShardOptimizer(optimizer.Optimizer):
    """Wraps an optimizer of one core. With one core, it does what that optimizer does."""

    def __init__(self, opt, reduction='weighted_mean', name='CrossShardOptimizer', group_assignment=None):
        """Creates the optimizer.

        Args:
          opt: an Optimizer.
          reduction: 'weighted_sum' or 'weighted_mean', how the gradients of several cores are combined.
          name: the name of the scope.
          group_assignment: a list of groups of cores; None stands for all.

        Raises:
          ValueError: if reduction is invalid.
          TypeError: if opt is not an Optimizer.
        """
        if reduction not in ('weighted_sum', 'weighted_mean'):
            raise ValueError(f'Unsupported reduction: {reduction}.')
        if not isinstance(opt, optimizer.Optimizer):
            raise TypeError('CrossShardOptimizer only works with tf.training.Optimizer and not Optimizer_v2. If you '
                            'are using TPUStrategy, OptimizerV2 will sum gradients across replicas. If you are using '
                            'TPUEstimator, you may instead sum your gradients with: grads = [tf.compat.v1.tpu.'
                            'cross_replica_sum(g) for g in grads]')
        super().__init__(False, name)
        self._opt = opt
        self._group_assignment = group_assignment

    def compute_gradients(self, loss, var_list=None, **kwargs):
        """Returns the gradients of the wrapped optimizer.

        Args:
          loss: a Tensor.
          var_list: a list of variables, or None for all trainable ones.
          **kwargs: as for Optimizer.compute_gradients.
        """
        logging.warning('CrossShardOptimizer should be used within a tpu_shard_context, but got unset '
                        'number_of_shards. Assuming 1.')
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Applies gradients with the wrapped optimizer.

        Args:
          grads_and_vars: a list of pairs (gradient, variable).
          global_step: a variable to increment, or None.
          name: the name of the operation.

        Returns:
          The Operation.
        """
        return self._opt.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, var, name):
        """Returns a slot of the wrapped optimizer.

        Args:
          var: a variable.
          name: the name of the slot.
        """
        return self._opt.get_slot(var, name)

    def get_slot_names(self):
        """Returns the names of the slots of the wrapped optimizer."""
        return self._opt.get_slot_names()

    def variables(self):
        """Returns the variables of the wrapped optimizer."""
        return self._opt.variables()
