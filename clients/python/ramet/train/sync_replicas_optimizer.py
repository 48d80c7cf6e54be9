"""tf.train.SyncReplicasOptimizer, which averages the gradients of several replicas before it applies them."""

from ramet.api import export
from ramet.framework import ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.lib import tf_logging
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.queues.accumulators import ConditionalAccumulator, SparseConditionalAccumulator
from ramet.ops.queues.queues import FIFOQueue
from ramet.ops.variables import state_ops, variable_lists, variables
from ramet.train import optimizer, queue_runner, session_manager, session_run_hook


@export('train.SyncReplicasOptimizer')
class SyncReplicasOptimizer(optimizer.Optimizer):
    """Applies the mean of the gradients of several replicas in each step.

    Gradients go to accumulators. When one has enough, a queue runner of the chief applies the mean and lets the
    replicas take the next step. Gradients of an earlier step are dropped.

    Args:
      opt: the Optimizer that applies the means.
      replicas_to_aggregate: int, the number of gradients in a mean.
      total_num_replicas: int, the number of replicas, or None for replicas_to_aggregate.
      variable_averages: an ExponentialMovingAverage, or None.
      variables_to_average: the variables for it.
      use_locking: ignored.
      name: str, the scope of its operations.
    """

    def __init__(self, opt, replicas_to_aggregate, total_num_replicas=None, variable_averages=None,
                 variables_to_average=None, use_locking=False, name='sync_replicas'):
        if total_num_replicas is None:
            total_num_replicas = replicas_to_aggregate
        super().__init__(use_locking, name)
        tf_logging.info('SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s',
                        replicas_to_aggregate, total_num_replicas)
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total_num_replicas
        self._averages = (variable_averages, variables_to_average)
        self._global_step = None
        self._sync_token_queue = None
        self._chief_queue_runner = None
        self._gradients_applied = False
        self._accumulator_list = []

    def compute_gradients(self, *args, **kwargs):
        """Calls compute_gradients of the inner optimizer.

        Args:
          *args: its arguments.
          **kwargs: its named arguments.
        """
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Returns the operation of one step of a replica: it adds its gradients and waits for the mean.

        Args:
          grads_and_vars: a list of (gradient, variable).
          global_step: the variable that counts steps.
          name: ignored.

        Raises:
          ValueError: without variables or without global_step, or if a gradient has an unknown type.
        """
        if not grads_and_vars:
            raise ValueError('Must supply at least one variable')
        if global_step is None:
            raise ValueError('Global step is required to check staleness')
        self._global_step = global_step
        self._local_step = variables.Variable(
            0, trainable=False, collections=[ops.GraphKeys.LOCAL_VARIABLES], dtype=global_step.dtype.base_dtype,
            name='sync_rep_local_step')
        self.local_step_init_op = state_ops.assign(self._local_step, global_step)
        self.ready_for_local_init_op = variable_lists.report_uninitialized_variables(
            variable_lists.global_variables())
        with ops.name_scope(None, self._name):
            added, means = self._accumulate(grads_and_vars)
            with ops.device(global_step.device), ops.name_scope(''):
                update = self._opt.apply_gradients(
                    list(zip(means, [var for _, var in grads_and_vars])), global_step)
            train_op = self._synchronize(added, update)
            self._add_chief_init_op()
        self._gradients_applied = True
        return train_op

    def _accumulate(self, grads_and_vars):
        """Returns the operations that add gradients to accumulators, and the means, or None without a gradient."""
        added, means = [], []
        for grad, var in grads_and_vars:
            with ops.device(var.device):
                if grad is None:
                    means.append(None)
                    continue
                accumulator, add, mean = self._accumulator(grad, var)
                added.append(add)
                means.append(mean)
                self._accumulator_list.append((accumulator, var.device))
        return added, means

    def _accumulator(self, grad, var):
        shared_name = f'{var.name}/grad_accum'
        count, step = self._replicas_to_aggregate, self._local_step
        if isinstance(grad, ops.Tensor):
            dense = ConditionalAccumulator(grad.dtype, shape=var.get_shape(), shared_name=shared_name)
            return dense, dense.apply_grad(grad, local_step=step), dense.take_grad(count)
        if not isinstance(grad, IndexedSlices):
            raise ValueError('Unknown grad type!')
        sparse = SparseConditionalAccumulator(grad.dtype, shape=(), shared_name=shared_name)
        return (sparse, sparse.apply_indexed_slices_grad(grad, local_step=step),
                sparse.take_indexed_slices_grad(count))

    def _synchronize(self, added, update):
        """Makes the queue of tokens, with which the chief lets replicas go on; returns the step of a replica."""
        step = self._global_step
        with ops.device(step.device), ops.name_scope(''):
            queue = FIFOQueue(-1, step.dtype.base_dtype, shapes=(), name='sync_token_q', shared_name='sync_token_q')
            self._sync_token_queue = queue
            with ops.control_dependencies(added):
                token = queue.dequeue()
            train_op = state_ops.assign(self._local_step, token)
            with ops.control_dependencies([update]):
                count = max(self._total_num_replicas, self._replicas_to_aggregate)
                sync = queue.enqueue_many((array_ops.fill([count], step),))
            averages, averaged = self._averages
            if averages is not None:
                with ops.control_dependencies([sync]), ops.name_scope(''):
                    sync = averages.apply(averaged)
            self._chief_queue_runner = queue_runner.QueueRunner(queue, [sync])
        return train_op

    def _add_chief_init_op(self):
        init_ops = [self.local_step_init_op]
        for accumulator, device in self._accumulator_list:
            with ops.device(device):
                init_ops.append(accumulator.set_global_step(self._global_step, name='SetGlobalStep'))
        self.chief_init_op = control_flow_ops.group(*init_ops)

    def get_chief_queue_runner(self):
        """Returns the QueueRunner that the chief must start.

        Raises:
          ValueError: before apply_gradients.
        """
        if not self._gradients_applied:
            raise ValueError('Should be called after apply_gradients().')
        return self._chief_queue_runner

    def get_slot(self, *args, **kwargs):
        """Calls get_slot of the inner optimizer.

        Args:
          *args: its arguments.
          **kwargs: its named arguments.
        """
        return self._opt.get_slot(*args, **kwargs)

    def variables(self):
        """Returns the variables of the inner optimizer."""
        return self._opt.variables()

    def get_slot_names(self, *args, **kwargs):
        """Calls get_slot_names of the inner optimizer.

        Args:
          *args: its arguments.
          **kwargs: its named arguments.
        """
        return self._opt.get_slot_names(*args, **kwargs)

    def get_init_tokens_op(self, num_tokens=-1):
        """Returns the operation that adds the first tokens, which the chief must run before the first step.

        Args:
          num_tokens: int, the number of tokens, or -1 for replicas_to_aggregate.

        Raises:
          ValueError: if apply_gradients has not been called, or if num_tokens is too small.
        """
        if not self._gradients_applied:
            raise ValueError('get_init_tokens_op() should be called after apply_gradients().')
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(f'Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)')
        if num_tokens <= 0:
            return control_flow_ops.no_op(name='no_init_tokens')
        with ops.device(self._global_step.device), ops.name_scope(''):
            tokens = array_ops.fill([num_tokens], self._global_step)
            return self._sync_token_queue.enqueue_many((tokens,))

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """Returns a hook for monitored sessions that initializes and starts the synchronization.

        Args:
          is_chief: whether this process is the chief.
          num_tokens: as for get_init_tokens_op.
        """
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(session_run_hook.SessionRunHook):
    """Initializes the local step, and for the chief the accumulators and the queue."""

    def __init__(self, sync_optimizer, is_chief, num_tokens):
        self._sync_optimizer = sync_optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens
        self._q_runner = None
        self._init_tokens_op = None

    def begin(self):
        sync = self._sync_optimizer
        if not sync._gradients_applied:
            raise ValueError('SyncReplicasOptimizer.apply_gradient should be called before using the hook.')
        self._ready_for_local_init_op = sync.ready_for_local_init_op
        self._local_init_op = sync.chief_init_op if self._is_chief else sync.local_step_init_op
        if self._is_chief:
            self._q_runner = sync.get_chief_queue_runner()
            self._init_tokens_op = sync.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session, coord):
        message = session_manager.uninitialized_message(
            session, self._ready_for_local_init_op, 'Model is not ready for SyncReplicasOptimizer local init.')
        if message is not None:
            raise RuntimeError('Init operations did not make model ready for SyncReplicasOptimizer local_init. Init '
                               f'op: {self._local_init_op.name}, error: {message}')
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._q_runner is not None:
            self._q_runner.create_threads(session, coord=coord, daemon=True, start=True)
