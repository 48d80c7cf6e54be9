"""Moving averages of variables and tensors."""

from ramet import _core, gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import state_ops, variable_lists, variable_scope, variables
from ramet.train import slot_creator


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """Updates a moving average: variable = decay * variable + (1 - decay) * value.

    Args:
      variable: a variable.
      value: a tensor with the variable's shape.
      decay: a scalar number or tensor.
      zero_debias: whether to correct the bias of the initial value 0 (arXiv 1412.6980). The sum and
        the number of updates are kept in variables 'VARIABLE/biased' and 'VARIABLE/local_step'.
      name: the name of the operation. Defaults to 'AssignMovingAvg'.

    Returns:
      The updated variable: a tensor, or for a resource variable the result of assign_sub.
    """
    with ops.name_scope(name, 'AssignMovingAvg', [variable, value, decay]) as scope:
        decay = ops.convert_to_tensor(1.0 - decay, name='decay')
        if decay.dtype != variable.dtype.base_dtype:
            decay = math_ops.cast(decay, variable.dtype.base_dtype)
        if zero_debias:
            value = _zero_debiased(variable, value, decay)
            return state_ops.assign(variable, value, name=scope)
        return state_ops.assign_sub(variable, (variable - value) * decay, name=scope)


def _zero_debiased(variable, value, decay):
    with variable_scope.variable_scope(variable.op.name, values=[variable, value, decay]):
        with ops.colocate_with(variable.op), ops.init_scope():
            biased = _debias_variable('biased', variable.get_shape(), variable.dtype.base_dtype)
            local_step = _debias_variable('local_step', [], variable.dtype.base_dtype)
    biased_value = state_ops.assign_sub(biased, (biased - value) * decay)
    steps = state_ops.assign_add(local_step, 1)
    return biased_value / (1 - math_ops.pow(1 - decay, steps))


def _debias_variable(name, shape, dtype):
    return variable_scope.get_variable(name, shape=shape, dtype=dtype, trainable=False,
                                       initializer=init_ops.Zeros())


def weighted_moving_average(value, decay, weight, truediv=True, collections=None, name=None):
    """Returns the moving average of value * weight divided by that of weight.

    Args:
      value: a tensor.
      decay: a scalar number or tensor.
      weight: a tensor that can be multiplied by `value`.
      truediv: whether to divide integers as floating-point numbers.
      collections: the collections of the two variables, or None for the global variables.
      name: the name of the scope. Defaults to 'WeightedMovingAvg'.

    Returns:
      A tensor that updates the averages and returns the new quotient.
    """
    if collections is None:
        collections = [ops.GraphKeys.GLOBAL_VARIABLES]
    with variable_scope.variable_scope(name, 'WeightedMovingAvg', [value, weight, decay]) as scope:
        sums = [variable_scope.get_variable(
            what, shape=tensor.get_shape(), dtype=tensor.dtype, trainable=False,
            initializer=init_ops.Zeros(), collections=collections)
            for what, tensor in (('value_x_weight', value), ('weight', weight))]
        numerator = assign_moving_average(sums[0], value * weight, decay, zero_debias=False)
        denominator = assign_moving_average(sums[1], weight, decay, zero_debias=False)
        divide = math_ops.truediv if truediv else math_ops.divide
        return divide(numerator, denominator, name=scope.name)


@export('train.ExponentialMovingAverage')
class ExponentialMovingAverage:
    """Maintains moving averages of variables: average = decay * average + (1 - decay) * value.

    Args:
      decay: a number or scalar tensor below 1.
      num_updates: the number of completed updates. If given, the decay is at most
        (1 + num_updates) / (10 + num_updates), so that averages move quickly at first.
      zero_debias: whether to correct averages of tensors for their initial value 0.
      name: the averages are named VARIABLE/name.
    """

    def __init__(self, decay, num_updates=None, zero_debias=False,
                 name='ExponentialMovingAverage'):
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages = {}

    @property
    def name(self):
        """The name that was given to the constructor."""
        return self._name

    def apply(self, var_list=None):
        """Creates the averages and returns an operation that updates them all.

        Args:
          var_list: variables and tensors of dtype half, float or double, or None for the trainable
            variables. Averages of variables start with the variables' initial values, those of tensors
            with 0.

        Returns:
          An operation. Another call creates another operation for the same averages.

        Raises:
          TypeError: if a variable has a different dtype.
        """
        if var_list is None:
            var_list = variable_lists.trainable_variables()
        debiased = set()
        for v in var_list:
            if v.dtype.base_dtype not in (dtypes.float16, dtypes.float32, dtypes.float64,
                                          dtypes.bfloat16):
                raise TypeError('The variables must be half, float, or double: %s' % v.name)
            if _key(v) not in self._averages:
                self._averages[_key(v)] = self._make_average(v)
                if self._zero_debias and not isinstance(v, variables.Variable):
                    debiased.add(_key(v))
        return self._update(var_list, debiased)

    def _make_average(self, v):
        with ops.init_scope():
            if isinstance(v, variables.Variable):
                return self._average_of_variable(v)
            return slot_creator.create_zeros_slot(
                v, self.name,
                colocate_with_primary=v.op.type in ('Variable', 'VariableV2', 'VarHandleOp'))

    def _average_of_variable(self, v):
        average = slot_creator.create_slot(v, _initialized_value(v), self.name)
        ops.add_to_collection(ops.GraphKeys.MOVING_AVERAGE_VARIABLES, v)
        return average

    def _update(self, var_list, debiased):
        with ops.name_scope(self.name) as scope:
            decay = ops.convert_to_tensor(self._decay, dtype=dtypes.float32, name='decay')
            if self._num_updates is not None:
                count = math_ops.cast(self._num_updates, dtypes.float32, name='num_updates')
                decay = gen.Minimum(decay, (1.0 + count) / (10.0 + count))
            updates = [assign_moving_average(self._averages[_key(v)], v, decay,
                                             zero_debias=_key(v) in debiased) for v in var_list]
            return control_flow_ops.group(*updates, name=scope)

    def average(self, var):
        """Returns the variable with the average of `var`, or None if it has no average.

        Args:
          var: a Variable or Tensor.
        """
        return self._averages.get(_key(var))

    def average_name(self, var):
        """Returns the name of the variable with the average of `var`, its key in checkpoints.

        The average need not exist.

        Args:
          var: a Variable or Tensor.
        """
        if _key(var) in self._averages:
            return self._averages[_key(var)].op.name
        return ops.get_default_graph().unique_name(var.op.name + '/' + self.name,
                                                   mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None):
        """Returns a dict with which a Saver restores variables from their averages.

        Args:
          moving_avg_variables: the variables to restore from averages, or None for the trainable
            variables and those that were passed to apply.

        Returns:
          A dict from names in the checkpoint to variables. All other variables keep their own names.
        """
        if moving_avg_variables is None:
            moving_avg_variables = (variable_lists.trainable_variables()
                                    + variable_lists.moving_average_variables())
        averaged = list({_key(v): v for v in moving_avg_variables}.values())
        names = {self.average_name(v): v for v in averaged}
        taken = {v.name for v in averaged}
        others = {v.op.name: v for v in variable_lists.global_variables() if v.name not in taken}
        for name, v in others.items():
            names.setdefault(name, v)
        return names


def _initialized_value(v):
    if ops.executing_eagerly():
        return v.read_value()
    if not v._is_resource:
        return v.initialized_value()
    if not _core.op_defs(['Switch']):
        return v.read_value()
    pred = gen.VarIsInitializedOp(v.handle)
    with ops.name_scope('cond'):
        gen.Identity(gen.Switch(pred, pred, name='Switch').output_true, name='switch_t')
        branch = gen.Identity(pred, name='pred_id')
        handle = gen.Switch(v.handle, branch, name='Read/ReadVariableOp/Switch').output_true
        read = gen.ReadVariableOp(handle, v.dtype.base_dtype, name='Read/ReadVariableOp')
        initial = gen.Switch(v.initial_value, branch, name='Switch').output_false
        merged = gen.Merge([initial, gen.Identity(read)]).output
    merged.set_shape(v.get_shape())
    return merged


def _key(v):
    return (v.op.graph, v.name) if getattr(v, '_in_graph_mode', True) else v._unique_id
