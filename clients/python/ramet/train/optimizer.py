"""The base class of the optimizers (tf.train.Optimizer)."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, nest, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.framework.tensor_conversion import convert_to_tensor_or_indexed_slices
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.gradients import gradients
from ramet.ops.variables import state_ops, variable_lists, variables
from ramet.ops.variables.partitioned_variable import PartitionedVariable
from ramet.train import slot_creator
from ramet.train.optimizer_targets import target_of


def _var_key(var):
    name = var.op.name if getattr(var, '_in_graph_mode', True) else var._unique_id
    return (var.op.graph, name)


def _deduplicate_indexed_slices(values, indices):
    unique_indices, positions = array_ops.unique(indices)
    count = array_ops.shape(unique_indices)[0]
    return gen.UnsortedSegmentSum(values, positions, count), unique_indices


@export('train.Optimizer')
class Optimizer:
    """The base class of optimizers: computes gradients, manages slots and applies updates.

    A subclass defines how to update one variable: `_apply_dense` and `_apply_sparse` for reference
    variables, `_resource_apply_dense` and `_resource_apply_sparse` for resource variables. It creates
    its slots in `_create_slots` and its tensors in `_prepare`.

    Args:
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of slots and of the operations that update variables.

    Raises:
      ValueError: if the name is empty.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking, name):
        if not name:
            raise ValueError('Must specify the optimizer name')
        self._use_locking = use_locking
        self._name = name
        self._slots = {}
        self._non_slot_dict = {}

    def get_name(self):
        """Returns the name that was passed to the constructor."""
        return self._name

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=GATE_OP,
                 aggregation_method=None, colocate_gradients_with_ops=False, name=None,
                 grad_loss=None):
        """Adds the operations that minimize `loss`: compute_gradients, then apply_gradients.

        Args:
          loss: a floating-point tensor.
          global_step: a variable that each step increments by 1, or None.
          var_list: the variables to train, or None for the collection of trainable variables.
          gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
          aggregation_method: how gradients are summed; see tf.AggregationMethod.
          colocate_gradients_with_ops: whether to place gradients on the devices of their operations.
          name: the name of the operation.
          grad_loss: a tensor, the gradient of `loss`, or None for ones.

        Returns:
          The operation that runs one step.

        Raises:
          ValueError: if no variable has a gradient.
        """
        grads_and_vars = self.compute_gradients(
            loss, var_list=var_list, gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops, grad_loss=grad_loss)
        if all(g is None for g, _ in grads_and_vars):
            raise ValueError(
                'No gradients provided for any variable, check your graph for ops that do not '
                'support gradients, between variables %s and loss %s.'
                % ([str(v) for _, v in grads_and_vars], loss))
        return self.apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def compute_gradients(self, loss, var_list=None, gate_gradients=GATE_OP,
                          aggregation_method=None, colocate_gradients_with_ops=False,
                          grad_loss=None):
        """Returns the gradients of `loss` with respect to each variable. The arguments are minimize's.

        Args:
          loss: a floating-point tensor.
          var_list: the variables, or None for the collection of trainable variables.
          gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
          aggregation_method: how gradients are summed; see tf.AggregationMethod.
          colocate_gradients_with_ops: whether to place gradients on the devices of their operations.
          grad_loss: a tensor, the gradient of `loss`, or None for ones.

        Returns:
          A list of pairs (gradient, variable). The gradient is a Tensor, IndexedSlices or None.

        Raises:
          ValueError: if there are no variables, gate_gradients is not one of the three values, or the
            optimizer does not support a tensor's dtype.
        """
        if ops.executing_eagerly():
            return self._compute_eagerly(loss, var_list, grad_loss)
        if callable(loss) and not isinstance(loss, (ops.Tensor, variables.Variable)):
            loss = loss()
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueError(
                'gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, '
                'Optimizer.GATE_GRAPH.  Not %s' % gate_gradients)
        self._assert_valid_dtypes([loss])
        if grad_loss is not None:
            self._assert_valid_dtypes([grad_loss])
        var_list = self._variables_to_train(var_list)
        targets = [target_of(v).tensor() for v in var_list]
        grads = gradients.gradients(
            loss, targets, grad_ys=grad_loss, aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            gate_gradients=gate_gradients == Optimizer.GATE_OP)
        if gate_gradients == Optimizer.GATE_GRAPH:
            grads = control_flow_ops.tuple(grads)
        grads_and_vars = list(zip(grads, var_list))
        self._assert_valid_dtypes(
            [v for g, v in grads_and_vars if g is not None and v.dtype != dtypes.resource])
        return grads_and_vars

    @staticmethod
    def _compute_eagerly(loss, var_list, grad_loss):
        from ramet.ops.gradients import gradient_tape  # deferred: start-up time of programs with graphs

        if not callable(loss):
            raise RuntimeError('`loss` passed to Optimizer.compute_gradients should be a function when eager execution '
                               'is enabled.')
        with gradient_tape.GradientTape() as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
        if var_list is None:
            var_list = tape.watched_variables()
        return list(zip(tape.gradient(value, var_list, grad_loss), var_list))

    @staticmethod
    def _variables_to_train(var_list):
        if var_list is None:
            var_list = (variable_lists.trainable_variables()
                        + ops.get_collection('trainable_resource_variables'))
        else:
            var_list = nest.flatten(var_list)
        if not var_list:
            raise ValueError('No variables to optimize.')
        return var_list

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Adds the operations that apply gradients to variables: the second half of minimize.

        Args:
          grads_and_vars: pairs as returned by compute_gradients. Variables without a gradient are not
            changed.
          global_step: a variable that each step increments by 1, or None.
          name: the name of the operation, or None for the optimizer's name.

        Returns:
          The operation that applies all gradients, and increments global_step.

        Raises:
          TypeError: if a gradient is not a tensor, IndexedSlices or None.
          ValueError: if there are no variables, or none of them has a gradient.
        """
        grads_and_vars = tuple(grads_and_vars)
        if not grads_and_vars:
            raise ValueError('No variables provided.')
        converted = [(self._as_gradient(g), v, target_of(v)) for g, v in grads_and_vars]
        var_list = [v for g, v, _ in converted if g is not None]
        if not var_list:
            raise ValueError('No gradients provided for any variable: %s.'
                             % ([str(v) for _, v, _ in converted],))
        with ops.init_scope():
            self._create_slots(var_list)
        with ops.name_scope(name, self._name) as scope:
            self._prepare()
            update_ops = self._update_ops(converted)
            if global_step is None:
                train_op = self._finish(update_ops, scope)
            else:
                with ops.control_dependencies([self._finish(update_ops, 'update')]):
                    train_op = _increment(global_step, scope)
        if ops.executing_eagerly():
            return train_op
        if isinstance(train_op, ops.Tensor):
            train_op = train_op.op
        collection = ops.get_collection_ref(ops.GraphKeys.TRAIN_OP)
        if train_op not in collection:
            collection.append(train_op)
        return train_op

    @staticmethod
    def _as_gradient(grad):
        if grad is None:
            return None
        try:
            grad = convert_to_tensor_or_indexed_slices(grad)
        except TypeError:
            raise TypeError('Gradient must be convertible to a Tensor or IndexedSlices, or None: %s'
                            % grad) from None
        if not isinstance(grad, (ops.Tensor, IndexedSlices)):
            raise TypeError('Gradient must be a Tensor, IndexedSlices, or None: %s' % grad)
        return grad

    def _update_ops(self, converted):
        update_ops = []
        for grad, var, target in converted:
            if grad is None:
                continue
            scope = None if ops.executing_eagerly() else 'update_' + var.op.name
            with ops.name_scope(scope), ops.colocate_with(var.op):
                update_ops.append(target.update_op(self, grad))
        return update_ops

    def get_slot(self, var, name):
        """Returns the slot `name` of a variable, or None if it does not exist.

        Args:
          var: a variable that was passed to minimize or apply_gradients. For a PartitionedVariable, the
            slots of its parts are returned as a PartitionedVariable.
          name: one of get_slot_names().
        """
        named_slots = self._slots.get(name)
        if not named_slots:
            return None
        if isinstance(var, PartitionedVariable):
            return _partitioned_slot(var, named_slots)
        return named_slots.get(_var_key(var))

    def get_slot_names(self):
        """Returns the names of the slots, sorted, such as 'm' and 'v' for Adam."""
        return sorted(self._slots)

    def variables(self):
        """Returns the optimizer's own variables in the current graph, slots included, by name."""
        current = ops.get_default_graph()
        own = [v for v in self._non_slot_variables() if v.op.graph is current]
        for slots in self._slots.values():
            own += [v for v in slots.values() if v.op.graph is current]
        return sorted(own, key=lambda v: v.name)

    def _create_non_slot_variable(self, initial_value, name, colocate_with):
        """Creates a variable that is not tied to a model variable, once per graph."""
        key = (name, colocate_with.op.graph)
        v = self._non_slot_dict.get(key)
        if v is None:
            with ops.colocate_with(colocate_with.op):
                v = variables.Variable(
                    initial_value, name=name, trainable=False,
                    use_resource=getattr(colocate_with, '_is_resource', False))
            self._non_slot_dict[key] = v
        return v

    def _get_non_slot_variable(self, name, graph=None):
        return self._non_slot_dict.get((name, graph))

    def _trackable_children(self):
        """Returns the variables of the current graph that are not slots, by name."""
        graph = ops.get_default_graph()
        return {name: v for (name, _), v in sorted(self._non_slot_dict.items(), key=lambda item: item[0][0])
                if v.graph is graph}

    def _non_slot_variables(self):
        return self._non_slot_dict.values()

    def _assert_valid_dtypes(self, tensors):
        valid = self._valid_dtypes()
        for t in tensors:
            dtype = t.dtype.base_dtype
            if dtype not in valid:
                raise ValueError('Invalid type %r for %s, expected: %s.'
                                 % (dtype, t.name, list(valid)))

    def _valid_dtypes(self):
        """Returns the dtypes of losses, variables and gradients that the optimizer supports."""
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _create_slots(self, var_list):
        """Creates the slots of the variables. The base class creates none."""

    def _prepare(self):
        """Creates the tensors that all updates share. Called before the first update."""

    def _apply_dense(self, grad, var):
        """Adds the operation that updates a reference variable with a tensor."""
        raise NotImplementedError()

    def _resource_apply_dense(self, grad, handle):
        """Adds the operation that updates a resource variable with a tensor."""
        raise NotImplementedError()

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        """Adds the operation that updates rows of a resource variable; indices may occur repeatedly."""
        summed, unique_indices = _deduplicate_indexed_slices(grad, indices)
        return self._resource_apply_sparse(summed, handle, unique_indices)

    def _resource_apply_sparse(self, grad, handle, indices):
        """Adds the operation that updates rows of a resource variable; indices are unique."""
        raise NotImplementedError()

    def _apply_sparse_duplicate_indices(self, grad, var):
        """Adds the operation that applies IndexedSlices; indices may occur repeatedly."""
        summed, unique_indices = _deduplicate_indexed_slices(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(summed, unique_indices, grad.dense_shape), var)

    def _apply_sparse(self, grad, var):
        """Adds the operation that updates rows of a reference variable; indices are unique."""
        raise NotImplementedError()

    def _finish(self, update_ops, name_scope):
        """Adds the operation that runs all updates."""
        return control_flow_ops.group(*update_ops, name=name_scope)

    def _slot_dict(self, slot_name):
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        """Returns the slot of a variable. A missing slot is created with the value `val`."""
        slots = self._slot_dict(slot_name)
        if _var_key(var) not in slots:
            slots[_var_key(var)] = slot_creator.create_slot(var, val, op_name)
        return slots[_var_key(var)]

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name,
                                           op_name):
        """Returns the slot of a variable. A missing slot is created with an initializer."""
        slots = self._slot_dict(slot_name)
        if _var_key(var) not in slots:
            slots[_var_key(var)] = slot_creator.create_slot_with_initializer(
                var, initializer, shape, dtype, op_name)
        return slots[_var_key(var)]

    def _zeros_slot(self, var, slot_name, op_name):
        """Returns the slot of a variable. A missing slot is created with zeros."""
        slots = self._slot_dict(slot_name)
        if _var_key(var) not in slots:
            slots[_var_key(var)] = slot_creator.create_zeros_slot(var, op_name)
        return slots[_var_key(var)]

    def _call_if_callable(self, param):
        return param() if callable(param) and not isinstance(
            param, (ops.Tensor, variables.Variable)) else param


def _increment(global_step, name):
    with ops.colocate_with(global_step.op):
        if getattr(global_step, '_is_resource', False):
            one = ops.convert_to_tensor(1, dtype=global_step.dtype.base_dtype)
            return gen.AssignAddVariableOp(global_step.handle, one, name=name)
        return state_ops.assign_add(global_step, 1, name=name)


def _partitioned_slot(var, named_slots):
    parts = [named_slots[_var_key(part)] for part in var]
    return PartitionedVariable(
        name=var.name, shape=var.get_shape(), dtype=var.dtype, variable_list=parts,
        partitions=var._get_partitions())
