"""The optimizers of tf.keras.optimizers, with the formulas of Keras 2."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.keras.backend import config, state
from ramet.keras.optimizers.optimizer import Optimizer
from ramet.ops.math import math_ops
from ramet.ops.variables import variables as tf_variables


def _scattered(variable, indices, values):
    """Adds rows to a variable."""
    return gen.ResourceScatterAdd(variable.handle, indices, values)


def _moved(variable, decay, indices, rows):
    """Returns a variable, multiplied by `decay`, with (1 - decay) * rows added."""
    first = variable.assign(variable * decay, read_value=False)
    with ops.control_dependencies([first]):
        added = _scattered(variable, indices, rows * (1 - decay))
    with ops.control_dependencies([added]):
        return variable.read_value()


class _WithHypers(Optimizer):
    """An optimizer with its hyperparameters as arguments.

    Args:
      learning_rate: a number, a schedule, or a function without arguments that returns a number.
      epsilon: a small number that keeps divisors away from zero. None means that of tf.keras.backend.epsilon.
      name: the name of the optimizer.
      **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`; see Optimizer.
    """

    def _set_hypers(self, kwargs, learning_rate, **hypers):
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        for name, value in hypers.items():
            self._set_hyper(name, value)

    def _value(self, name, var):
        return self._get_hyper(name, var.dtype.base_dtype)

    def get_config(self):
        hypers = {name: self._serialized_hyper(name) for name in self._hyper}
        own = {name: getattr(self, name) for name in ('epsilon', 'amsgrad', 'centered', 'nesterov')
               if name in self.__dict__}
        return {**super().get_config(), **hypers, **own}


@export('keras.optimizers.SGD')
@with_args_of(_WithHypers)
class SGD(_WithHypers):
    """Gradient descent: v = momentum * v - learning_rate * gradient; w = w + v.

    Args:
      momentum: a number from 0 to 1.
      nesterov: whether to use Nesterov's momentum.

    Raises:
      ValueError: if momentum is out of range.
    """

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, name='SGD', **kwargs):
        super().__init__(name, **kwargs)
        self._momentum = hasattr(momentum, 'op') or callable(momentum) or momentum > 0
        if isinstance(momentum, (int, float)) and (momentum < 0 or momentum > 1):
            raise ValueError('`momentum` must be between [0, 1].')
        self._set_hypers(kwargs, learning_rate, momentum=momentum)
        self.nesterov = nesterov

    def _create_slots(self, var_list):
        if self._momentum:
            for var in var_list:
                self.add_slot(var, 'momentum')

    def _resource_apply_dense(self, grad, var):
        if not self._momentum:
            return gen.ResourceApplyGradientDescent(var.handle, self._rate, grad)
        slot, momentum = self.get_slot(var, 'momentum'), self._value('momentum', var)
        step = self._rate * grad
        moved = slot.assign(momentum * slot - step)
        return var.assign_add(momentum * moved - step if self.nesterov else moved)

    def _resource_apply_sparse(self, grad, var, indices):
        if not self._momentum:
            return _scattered(var, indices, -grad * self._rate)
        slot, momentum = self.get_slot(var, 'momentum'), self._value('momentum', var)
        rows = gen.ResourceGather(slot.handle, indices, dtype=var.dtype.base_dtype)
        step = self._rate * grad
        moved = momentum * rows - step
        with ops.control_dependencies([gen.ResourceScatterUpdate(slot.handle, indices, moved)]):
            return _scattered(var, indices, momentum * moved - step if self.nesterov else moved)


@export('keras.optimizers.RMSprop')
@with_args_of(_WithHypers)
class RMSprop(_WithHypers):
    """Divides gradients by the root of a moving average of their squares.

    Args:
      rho: the fraction of the moving averages that a step keeps.
      momentum: a number from 0 to 1.
      centered: whether to subtract the square of the moving average of the gradient.
    """

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, name='RMSprop',
                 **kwargs):
        super().__init__(name, **kwargs)
        self._momentum = hasattr(momentum, 'op') or callable(momentum) or momentum > 0
        if isinstance(momentum, (int, float)) and (momentum < 0 or momentum > 1):
            raise ValueError('`momentum` must be between [0, 1].')
        self._set_hypers(kwargs, learning_rate, rho=rho, momentum=momentum)
        self.epsilon = epsilon or config.epsilon()
        self.centered = centered

    def _create_slots(self, var_list):
        for name, wanted in (('rms', True), ('momentum', self._momentum), ('mg', self.centered)):
            for var in var_list if wanted else ():
                self.add_slot(var, name)

    def _resource_apply_dense(self, grad, var):
        rms, rho = self.get_slot(var, 'rms'), self._value('rho', var)
        if not self._momentum:
            squares = rms.assign(rho * rms + (1. - rho) * math_ops.square(grad))
            if self.centered:
                mean = self.get_slot(var, 'mg')
                squares = squares - math_ops.square(mean.assign(rho * mean + (1. - rho) * grad))
            return var.assign_sub(self._rate * grad / (math_ops.sqrt(squares) + self.epsilon))
        common = (self._rate, rho, self._value('momentum', var), math_ops.cast(self.epsilon, grad.dtype), grad)
        momentum = self.get_slot(var, 'momentum')
        if self.centered:
            return gen.ResourceApplyCenteredRMSProp(var.handle, self.get_slot(var, 'mg').handle, rms.handle,
                                                    momentum.handle, *common)
        return gen.ResourceApplyRMSProp(var.handle, rms.handle, momentum.handle, *common)

    def _resource_apply_sparse(self, grad, var, indices):
        rms, rho = self.get_slot(var, 'rms'), self._value('rho', var)
        if self._momentum:
            common = (self._rate, rho, self._value('momentum', var), math_ops.cast(self.epsilon, grad.dtype), grad,
                      indices)
            momentum = self.get_slot(var, 'momentum')
            if self.centered:
                return gen.ResourceSparseApplyCenteredRMSProp(var.handle, self.get_slot(var, 'mg').handle, rms.handle,
                                                              momentum.handle, *common)
            return gen.ResourceSparseApplyRMSProp(var.handle, rms.handle, momentum.handle, *common)
        squares = _rows(_moved(rms, rho, indices, math_ops.square(grad)), indices)
        if self.centered:
            mean = _rows(_moved(self.get_slot(var, 'mg'), rho, indices, grad), indices)
            squares = squares - math_ops.square(mean)
        return _scattered(var, indices, -self._rate * grad / (math_ops.sqrt(squares) + self.epsilon))


def _rows(tensor, indices):
    return gen.GatherV2(tensor, indices, 0)


@export('keras.optimizers.Adagrad')
@with_args_of(_WithHypers)
class Adagrad(_WithHypers):
    """Divides gradients by the root of the sum of their squares.

    Args:
      initial_accumulator_value: the initial value of the sums.

    Raises:
      ValueError: if initial_accumulator_value is negative.
    """

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, name='Adagrad', **kwargs):
        if initial_accumulator_value < 0.0:
            raise ValueError(f'initial_accumulator_value must be non-negative: {initial_accumulator_value}')
        super().__init__(name, **kwargs)
        self._set_hypers(kwargs, learning_rate)
        self._initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon or config.epsilon()

    def _create_slots(self, var_list):
        initial = self._initial_accumulator_value

        def initializer(shape, dtype=None):
            return ops.convert_to_tensor(initial, dtype=dtype) + gen.Fill(
                ops.convert_to_tensor(shape or [], dtype='int32'), ops.convert_to_tensor(0, dtype=dtype))

        for var in var_list:
            self.add_slot(var, 'accumulator', initializer)

    def _resource_apply_dense(self, grad, var):
        return gen.ResourceApplyAdagradV2(var.handle, self.get_slot(var, 'accumulator').handle, self._rate,
                                          math_ops.cast(self.epsilon, grad.dtype), grad)

    def _resource_apply_sparse(self, grad, var, indices):
        return gen.ResourceSparseApplyAdagradV2(var.handle, self.get_slot(var, 'accumulator').handle, self._rate,
                                                math_ops.cast(self.epsilon, grad.dtype), grad, indices)

    def get_config(self):
        return {**super().get_config(), 'initial_accumulator_value': self._initial_accumulator_value}


@export('keras.optimizers.Adadelta')
@with_args_of(_WithHypers)
class Adadelta(_WithHypers):
    """Scales gradients by the ratio of moving averages of updates and gradients.

    Args:
      rho: the fraction of the moving averages that a step keeps.
    """

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, name='Adadelta', **kwargs):
        super().__init__(name, **kwargs)
        self._set_hypers(kwargs, learning_rate, rho=rho)
        self.epsilon = epsilon or config.epsilon()

    def _create_slots(self, var_list):
        for name in ('accum_grad', 'accum_var'):
            for var in var_list:
                self.add_slot(var, name)

    def _arguments(self, grad, var):
        return (var.handle, self.get_slot(var, 'accum_grad').handle, self.get_slot(var, 'accum_var').handle,
                self._rate, self._value('rho', var), math_ops.cast(self.epsilon, grad.dtype), grad)

    def _resource_apply_dense(self, grad, var):
        return gen.ResourceApplyAdadelta(*self._arguments(grad, var))

    def _resource_apply_sparse(self, grad, var, indices):
        return gen.ResourceSparseApplyAdadelta(*self._arguments(grad, var), indices)


class _Moments(_WithHypers):
    """An optimizer with moving averages m and v of gradients and of their squares.

    Args:
      beta_1: the fraction of m that a step keeps.
      beta_2: the fraction of v that a step keeps.
    """

    def _create_slots(self, var_list):
        for name in ('m', 'v'):
            for var in var_list:
                self.add_slot(var, name)

    def _prepare(self, dtype):
        super()._prepare(dtype)
        step = math_ops.cast(self.iterations + 1, dtype)
        self._beta_1 = self._get_hyper('beta_1', dtype)
        self._beta_2 = self._get_hyper('beta_2', dtype)
        self._power_1 = math_ops.pow(self._beta_1, step)
        self._power_2 = math_ops.pow(self._beta_2, step)


@export('keras.optimizers.Adam')
@with_args_of(_Moments, _WithHypers)
class Adam(_Moments):
    """Divides a moving average of gradients by the root of a moving average of their squares.

    Args:
      amsgrad: whether to use the maximum of all averages of squares.
    """

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, name='Adam',
                 **kwargs):
        super().__init__(name, **kwargs)
        self._set_hypers(kwargs, learning_rate, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = epsilon or config.epsilon()
        self.amsgrad = amsgrad

    def _create_slots(self, var_list):
        super()._create_slots(var_list)
        if self.amsgrad:
            for var in var_list:
                self.add_slot(var, 'vhat')

    def set_weights(self, weights):
        own = self.weights
        if len(weights) == 3 * ((len(own) - 1) // 2) + 1 and not self.amsgrad:
            weights = weights[:len(own)]
        super().set_weights(weights)

    def _prepare(self, dtype):
        super()._prepare(dtype)
        self._scaled_rate = self._rate * (math_ops.sqrt(1 - self._power_2) / (1 - self._power_1))

    def _resource_apply_dense(self, grad, var):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        if not self.amsgrad:
            return gen.ResourceApplyAdam(
                var.handle, m.handle, v.handle, self._power_1, self._power_2, self._rate, self._beta_1, self._beta_2,
                math_ops.cast(self.epsilon, grad.dtype), grad)
        first = m.assign(m * self._beta_1 + grad * (1 - self._beta_1))
        second = v.assign(v * self._beta_2 + math_ops.square(grad) * (1 - self._beta_2))
        return var.assign_sub(self._step(var, first, second))

    def _resource_apply_sparse(self, grad, var, indices):
        first = _moved(self.get_slot(var, 'm'), self._beta_1, indices, grad)
        second = _moved(self.get_slot(var, 'v'), self._beta_2, indices, math_ops.square(grad))
        return var.assign_sub(self._step(var, first, second))

    def _step(self, var, first, second):
        if self.amsgrad:
            largest = self.get_slot(var, 'vhat')
            second = largest.assign(math_ops.maximum(largest, second))
        return self._scaled_rate * first / (math_ops.sqrt(second) + self.epsilon)


@export('keras.optimizers.Adamax')
@with_args_of(_Moments, _WithHypers)
class Adamax(_Moments):
    """Divides a moving average of gradients by the largest recent gradient."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name='Adamax', **kwargs):
        super().__init__(name, **kwargs)
        self._set_hypers(kwargs, learning_rate, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = epsilon or config.epsilon()

    def _resource_apply_dense(self, grad, var):
        return gen.ResourceApplyAdaMax(
            var.handle, self.get_slot(var, 'm').handle, self.get_slot(var, 'v').handle, self._power_1, self._rate,
            self._beta_1, self._beta_2, math_ops.cast(self.epsilon, grad.dtype), grad)

    def _resource_apply_sparse(self, grad, var, indices):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        first = self._beta_1 * _rows(m.read_value(), indices) + (1 - self._beta_1) * grad
        largest = math_ops.maximum(self._beta_2 * _rows(v.read_value(), indices), math_ops.abs(grad))
        stored = [gen.ResourceScatterUpdate(m.handle, indices, first),
                  gen.ResourceScatterUpdate(v.handle, indices, largest)]
        with ops.control_dependencies(stored):
            return _scattered(var, indices, -self._rate / (1 - self._power_1) * (first / (largest + self.epsilon)))


@export('keras.optimizers.Nadam')
@with_args_of(_Moments, _WithHypers)
class Nadam(_Moments):
    """Adam with Nesterov's momentum.

    Raises:
      ValueError: if the learning rate is a schedule.
    """

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name='Nadam', **kwargs):
        kwargs['decay'] = kwargs.pop('schedule_decay', 0.004)
        if not hasattr(learning_rate, 'op') and not isinstance(learning_rate, (int, float)):
            raise ValueError('The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the '
                             'learning rate.')
        super().__init__(name, **kwargs)
        self._set_hypers(kwargs, learning_rate, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = epsilon or config.epsilon()
        self._m_cache = None

    def _create_slots(self, var_list):
        if self._m_cache is None:
            self._m_cache = self.add_weight('momentum_cache', shape=[], dtype=var_list[0].dtype.base_dtype,
                                            initializer='ones')
            self._own_weights.append(self._m_cache)
        super()._create_slots(var_list)

    def _prepare(self, dtype):
        super()._prepare(dtype)
        self._rate = self._get_hyper('learning_rate', dtype)
        step = math_ops.cast(self.iterations + 1, dtype)
        decay = self._get_hyper('decay', dtype)
        base = ops.convert_to_tensor(0.96, dtype=dtype)
        now, following = (self._beta_1 * (1. - 0.5 * math_ops.pow(base, decay * t)) for t in (step, step + 1))
        product = self._m_cache.assign(self._m_cache * now)
        self._m_now, self._m_next = now, following
        self._product, self._next_product = product, product * following

    def _resource_apply_dense(self, grad, var):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        first = m.assign(self._beta_1 * m + (1 - self._beta_1) * grad)
        second = v.assign(self._beta_2 * v + (1 - self._beta_2) * math_ops.square(grad))
        return var.assign_sub(self._step(grad, first, second))

    def _resource_apply_sparse(self, grad, var, indices):
        first = _rows(_moved(self.get_slot(var, 'm'), self._beta_1, indices, grad), indices)
        second = _rows(_moved(self.get_slot(var, 'v'), self._beta_2, indices, math_ops.square(grad)), indices)
        return _scattered(var, indices, -self._step(grad, first, second))

    def _step(self, grad, first, second):
        gradient = grad / (1. - self._product)
        first = first / (1. - self._next_product)
        second = second / (1. - self._power_2)
        mean = (1. - self._m_now) * gradient + self._m_next * first
        return self._rate * mean / (math_ops.sqrt(second) + self.epsilon)


@export('keras.optimizers.Ftrl')
@with_args_of(_WithHypers)
class Ftrl(_WithHypers):
    """Follow the regularized leader; see tf.train.FtrlOptimizer.

    Args:
      learning_rate_power: a number that is not positive.
      initial_accumulator_value: the initial value of the sums of squares.
      l1_regularization_strength: the factor of absolute values.
      l2_regularization_strength: the factor of squares.

    Raises:
      ValueError: if an argument is out of range.
    """

    def __init__(self, learning_rate=0.001, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, name='Ftrl', **kwargs):
        super().__init__(name, **kwargs)
        for what, value in (('initial_accumulator_value', initial_accumulator_value),
                            ('l1_regularization_strength', l1_regularization_strength),
                            ('l2_regularization_strength', l2_regularization_strength)):
            if value < 0.0:
                raise ValueError(f'{what} {value} needs to be positive or zero')
        if learning_rate_power > 0.0:
            raise ValueError(f'learning_rate_power {learning_rate_power} needs to be negative or zero')
        self._set_hypers(kwargs, learning_rate, learning_rate_power=learning_rate_power,
                         l1_regularization_strength=l1_regularization_strength,
                         l2_regularization_strength=l2_regularization_strength)
        self._initial_accumulator_value = initial_accumulator_value

    _create_accumulators = Adagrad._create_slots

    def _create_slots(self, var_list):
        self._create_accumulators(var_list)
        for var in var_list:
            self.add_slot(var, 'linear')

    def _arguments(self, var, *grad):
        return (var.handle, self.get_slot(var, 'accumulator').handle, self.get_slot(var, 'linear').handle, *grad,
                self._rate, self._value('l1_regularization_strength', var),
                self._value('l2_regularization_strength', var), self._value('learning_rate_power', var))

    def _resource_apply_dense(self, grad, var):
        return gen.ResourceApplyFtrl(*self._arguments(var, grad))

    def _resource_apply_sparse(self, grad, var, indices):
        return gen.ResourceSparseApplyFtrl(*self._arguments(var, grad, indices))

    def get_config(self):
        return {**super().get_config(), 'initial_accumulator_value': self._initial_accumulator_value}


class TFOptimizer(Optimizer):
    """An optimizer of tf.train in a model.

    Args:
      optimizer: a tf.train.Optimizer.
      iterations: the variable that counts the steps, or None for a new one.
    """

    def __init__(self, optimizer, iterations=None):
        super().__init__(type(optimizer).__name__)
        self.optimizer = optimizer
        if iterations is not None:
            self.iterations = iterations

    def get_gradients(self, loss, params):
        return [grad for grad, _ in self.optimizer.compute_gradients(loss, params)]

    def apply_gradients(self, grads_and_vars, name=None):
        """Returns the operation that applies a step.

        Args:
          grads_and_vars: a list of pairs (gradient, Variable).
          name: the name of the operation.
        """
        before = set(map(id, ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES)))
        update = self.optimizer.apply_gradients(grads_and_vars, global_step=self.iterations, name=name)
        for variable in ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES):
            if id(variable) not in before and isinstance(variable, tf_variables.Variable):
                state.track_variable(variable)
        return update

    def _trackable_children(self):
        return {**super()._trackable_children(), 'optimizer': self.optimizer}

    def get_config(self):
        raise NotImplementedError('TF optimizers do not have a configuration')
