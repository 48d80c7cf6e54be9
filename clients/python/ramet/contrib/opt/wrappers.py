"""Wrappers of optimizers."""

from ramet.api import export
from ramet.framework import indexed_slices, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.math import clip_ops
from ramet.ops.variables import state_ops, variable_lists
from ramet.train import moving_averages, optimizer as optimizer_lib, saver as saver_lib


class _Wrapper(optimizer_lib.Optimizer):
    """An optimizer that passes calls on to another one."""

    def compute_gradients(self, *args, **kwargs):
        """Returns the gradients of the wrapped optimizer, like Optimizer.compute_gradients."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def get_slot(self, *args, **kwargs):
        """Returns a slot of the wrapped optimizer, like Optimizer.get_slot."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        """Returns the slots of the wrapped optimizer, like Optimizer.get_slot_names."""
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self):
        """Returns the variables of the wrapped optimizer, like Optimizer.variables."""
        return self._optimizer.variables()


@export('contrib.opt.MovingAverageOptimizer')
class MovingAverageOptimizer(_Wrapper):
    """Maintains moving averages of the variables, which a saver can save instead of the variables.

    Args:
      opt: an optimizer.
      average_decay: the decay of the averages.
      num_updates: the number of updates so far, which reduces the decay at first, or None.
      sequential_update: whether to update the averages after the variables.
    """

    def __init__(self, opt, average_decay=0.9999, num_updates=None, sequential_update=True):
        super().__init__(opt._use_locking, opt._name)
        self._optimizer = opt
        self._ema = moving_averages.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._sequential_update = sequential_update
        self._swapped = None

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Applies gradients and updates the averages, like Optimizer.apply_gradients."""
        grads_and_vars = list(grads_and_vars)
        train_op = self._optimizer.apply_gradients(grads_and_vars, global_step=global_step,
                                                   name=name)
        variables = [var for grad, var in grads_and_vars if grad is not None]
        self._swapped = {}
        with ops.control_dependencies([train_op] if self._sequential_update else []):
            averages = self._ema.apply(variables)
        for v in variables:
            average = self._ema.average(v)
            self._swapped[v.op.name] = average
            self._swapped[average.op.name] = v
        return control_flow_ops.group(train_op, averages, name='train_with_avg')

    def swapping_saver(self, var_list=None, name='swapping_saver', **kwargs):
        """Returns a Saver that saves averages under the names of their variables, and vice versa.

        Args:
          var_list: the variables to save, or None for all.
          name: the name of the saver's operations.
          **kwargs: further arguments of tf.train.Saver.

        Raises:
          RuntimeError: if apply_gradients or minimize has not been called before.
        """
        if self._swapped is None:
            raise RuntimeError('Must call apply_gradients or minimize before creating the '
                               'swapping_saver')
        if var_list is None:
            var_list = variable_lists.global_variables()
        if not isinstance(var_list, dict):
            var_list = {v.op.name: v for v in var_list}
        return saver_lib.Saver({key: self._swapped.get(key, v) for key, v in var_list.items()},
                              name=name, **kwargs)


@export('contrib.opt.VariableClippingOptimizer')
class VariableClippingOptimizer(_Wrapper):
    """Clips the norms of variables after each update.

    Args:
      opt: an optimizer.
      vars_to_clip_dims: a dict from variables to the axes along which norms are computed.
      max_norm: the largest norm.
      use_locking: whether the assignments lock the variables.
      colocate_clip_ops_with_vars: whether to place the operations on the variables' devices.
      name: the name of the operations.
    """

    def __init__(self, opt, vars_to_clip_dims, max_norm, use_locking=False,
                 colocate_clip_ops_with_vars=False, name='VariableClipping'):
        super().__init__(use_locking, name)
        self._optimizer, self._max_norm = opt, max_norm
        self._dims = {id(var): dims for var, dims in vars_to_clip_dims.items()}
        self._colocate = colocate_clip_ops_with_vars

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Applies gradients and clips the variables, like Optimizer.apply_gradients."""
        grads_and_vars = list(grads_and_vars)
        with ops.name_scope(name, self._name) as name:
            update = self._optimizer.apply_gradients(grads_and_vars, global_step=global_step)
            clips = []
            with ops.control_dependencies([update]):
                for grad, var in grads_and_vars:
                    if grad is not None and id(var) in self._dims:
                        with ops.name_scope('clip_' + var.op.name):
                            clips.append(self._clip(grad, var))
            return control_flow_ops.group(update, *clips, name=name)

    def _clip(self, grad, var):
        dims = self._dims[id(var)]
        with ops.colocate_with(var.op) if self._colocate else ops.name_scope(None):
            if isinstance(grad, indexed_slices.IndexedSlices) and 0 not in dims:
                indices, _ = array_ops.unique(grad.indices)
                rows = array_ops.gather(var, indices)
                return state_ops.scatter_update(var, indices, clip_ops.clip_by_norm(rows, self._max_norm, dims),
                                         use_locking=self._use_locking)
            return var.assign(clip_ops.clip_by_norm(var.read_value(), self._max_norm, dims),
                              use_locking=self._use_locking)


@export('contrib.opt.clip_gradients_by_global_norm')
def clip_gradients_by_global_norm(gradients_variables, clip_norm=20.):
    """Clips the norm of all gradients together.

    Args:
      gradients_variables: a list of pairs (gradient, variable).
      clip_norm: the largest norm.

    Returns:
      A list of pairs (gradient, variable).
    """
    gradients, variables = zip(*gradients_variables, strict=True)
    clipped, _ = clip_ops.clip_by_global_norm(gradients, clip_norm)
    return list(zip(clipped, variables, strict=True))
