"""Weight decay that does not depend on the gradient (arXiv 1711.05101)."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import state_ops
from ramet.train import adam, momentum, optimizer as optimizer_lib


@export('contrib.opt.DecoupledWeightDecayExtension')
class DecoupledWeightDecayExtension:
    """Makes an optimizer decay variables before it updates them. It must be the first base class.

    Args:
      weight_decay: the part of a variable that a step removes: a number or a scalar tensor.
      **kwargs: the arguments of the optimizer.
    """

    def __init__(self, weight_decay, **kwargs):
        self._decay_var_list = None
        self._weight_decay = weight_decay
        super().__init__(**kwargs)

    def minimize(self, loss, global_step=None, var_list=None,
                 gate_gradients=optimizer_lib.Optimizer.GATE_OP, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None,
                 decay_var_list=None):
        """Like Optimizer.minimize, with a list of the variables to decay.

        Args:
          loss: a floating-point tensor.
          global_step: a variable that each step increments by 1, or None.
          var_list: the variables to train, or None for all.
          gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
          aggregation_method: how gradients are summed; see tf.AggregationMethod.
          colocate_gradients_with_ops: whether to place gradients on the devices of their operations.
          name: the name of the operation.
          grad_loss: a tensor, the gradient of `loss`, or None for ones.
          decay_var_list: the variables to decay, or None for all that are updated.
        """
        self._set_decayed(decay_var_list)
        return super().minimize(
            loss, global_step=global_step, var_list=var_list, gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, name=name,
            grad_loss=grad_loss)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None, decay_var_list=None):
        """Like Optimizer.apply_gradients, with a list of the variables to decay.

        Args:
          grads_and_vars: pairs of a gradient and a variable.
          global_step: a variable that each step increments by 1, or None.
          name: the name of the operation.
          decay_var_list: the variables to decay, or None for all that are updated.
        """
        if decay_var_list is not None:
            self._set_decayed(decay_var_list)
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _set_decayed(self, variables):
        self._decay_var_list = None if not variables else {id(v) for v in variables}

    def _prepare(self):
        self._weight_decay_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._weight_decay), name='weight_decay')
        super()._prepare()

    def _decays(self, var):
        return self._decay_var_list is None or id(var) in self._decay_var_list

    def _factor(self, var):
        return math_ops.cast(self._weight_decay_tensor, var.dtype.base_dtype)

    def _decay_all(self, var):
        if not self._decays(var):
            return []
        return [state_ops.assign_sub(var, self._factor(var) * var, use_locking=self._use_locking)]

    def _decay_rows(self, var, indices):
        if not self._decays(var):
            return []
        rows = array_ops.gather(var, indices)
        return [state_ops.scatter_sub(var, indices, self._factor(var) * rows)]

    def _apply_dense(self, grad, var):
        with ops.control_dependencies(self._decay_all(var)):
            return super()._apply_dense(grad, var)

    def _resource_apply_dense(self, grad, var):
        with ops.control_dependencies(self._decay_all(var)):
            return super()._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad, var):
        with ops.control_dependencies(self._decay_rows(var, grad.indices)):
            return super()._apply_sparse(grad, var)

    def _resource_apply_sparse(self, grad, var, indices):
        with ops.control_dependencies(self._decay_rows(var, indices)):
            return super()._resource_apply_sparse(grad, var, indices)


@export('contrib.opt.extend_with_decoupled_weight_decay')
def extend_with_decoupled_weight_decay(base_optimizer):
    """Returns an optimizer class with weight decay; the first argument of its constructor is the decay.

    Args:
      base_optimizer: a class of optimizers.
    """

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        """An optimizer with weight decay; see DecoupledWeightDecayExtension."""

        def __init__(self, weight_decay, *args, **kwargs):
            self._decay_var_list = None
            self._weight_decay = weight_decay
            base_optimizer.__init__(self, *args, **kwargs)

    return OptimizerWithDecoupledWeightDecay


@export('contrib.opt.MomentumWOptimizer')
@with_args_of(momentum.MomentumOptimizer, DecoupledWeightDecayExtension)
class MomentumWOptimizer(DecoupledWeightDecayExtension, momentum.MomentumOptimizer):
    """Momentum with weight decay."""

    def __init__(self, weight_decay, learning_rate, momentum, use_locking=False, name='MomentumW',
                 use_nesterov=False):
        super().__init__(weight_decay, learning_rate=learning_rate, momentum=momentum,
                         use_locking=use_locking, name=name, use_nesterov=use_nesterov)


@export('contrib.opt.AdamWOptimizer')
@with_args_of(adam.AdamOptimizer, DecoupledWeightDecayExtension)
class AdamWOptimizer(DecoupledWeightDecayExtension, adam.AdamOptimizer):
    """Adam with weight decay."""

    def __init__(self, weight_decay, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='AdamW'):
        super().__init__(weight_decay, learning_rate=learning_rate, beta1=beta1, beta2=beta2,
                         epsilon=epsilon, use_locking=use_locking, name=name)
