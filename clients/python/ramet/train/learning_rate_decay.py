"""Learning rates that decrease with the step, such as tf.train.exponential_decay."""

import functools
import itertools
import math

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import cond, control_flow_case
from ramet.ops.math import math_ops
from ramet.ops.random import random_ops


def _on_call(decay):
    """Decorates a function so that it returns a function of the current step while operations run eagerly."""
    @functools.wraps(decay)
    def make(*args, **kwargs):
        rate = functools.partial(decay, *args, **kwargs)
        return rate if ops.executing_eagerly() else rate()

    return make


def _initial(learning_rate):
    return ops.convert_to_tensor(learning_rate, name='initial_learning_rate')


@export('train.exponential_decay')
@_on_call
def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False,
                      name=None):
    """Returns learning_rate * decay_rate ^ (global_step / decay_steps).

    Args:
      learning_rate: a scalar number or floating-point tensor, the rate at step 0.
      global_step: a scalar integer tensor or variable.
      decay_steps: a scalar, the number of steps over which the rate changes by decay_rate.
      decay_rate: a scalar, the factor.
      staircase: whether to round the quotient down.
      name: the name of the operation. Defaults to 'ExponentialDecay'.

    Returns:
      A scalar tensor with the dtype of learning_rate.
    """
    values = [learning_rate, global_step, decay_steps, decay_rate]
    with ops.name_scope(name, 'ExponentialDecay', values) as scope:
        rate = _initial(learning_rate)
        decay_steps = math_ops.cast(decay_steps, rate.dtype)
        decay_rate = math_ops.cast(decay_rate, rate.dtype)
        p = math_ops.cast(global_step, rate.dtype) / decay_steps
        if staircase:
            p = gen.Floor(p)
        return math_ops.multiply(rate, math_ops.pow(decay_rate, p), name=scope)


@export('train.piecewise_constant', 'train.piecewise_constant_decay')
@_on_call
def piecewise_constant(x, boundaries, values, name=None):
    """Returns values[i] for boundaries[i - 1] < x <= boundaries[i].

    Args:
      x: a scalar number, tensor or variable.
      boundaries: a list of increasing numbers or tensors with the dtype of x.
      values: a list of numbers or tensors of one dtype, one more than boundaries.
      name: the name of the scope. Defaults to 'PiecewiseConstant'.

    Returns:
      A scalar tensor with the dtype of the values.

    Raises:
      ValueError: if the dtypes or the lengths of the lists do not match.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError('The length of boundaries should be 1 less than the length of values')
    x = ops.convert_to_tensor(x)
    boundaries = ops.convert_n_to_tensor(boundaries)
    values = ops.convert_n_to_tensor(values)
    boundaries = [_boundary(b, x.dtype.base_dtype) for b in boundaries]
    for v in values[1:]:
        if v.dtype.base_dtype != values[0].dtype.base_dtype:
            raise ValueError('Values must have elements all with the same dtype (%s vs %s).'
                             % (values[0].dtype.base_dtype, v.dtype.base_dtype))
    with ops.name_scope(name, 'PiecewiseConstant', [x, boundaries, values, name]):
        conditions = [x <= boundaries[0], x > boundaries[-1]]
        conditions += [(x > low) & (x <= high) for low, high in itertools.pairwise(boundaries)]
        chosen = [values[0], values[-1], *values[1:-1]]
        pairs = [(condition, lambda value=value: value)
                 for condition, value in zip(conditions, chosen, strict=True)]
        return control_flow_case.case(pairs, lambda: values[0], exclusive=True)


def _boundary(b, dtype):
    if b.dtype.base_dtype == dtype:
        return b
    if b.dtype.base_dtype.name == 'int32' and dtype.name == 'int64':
        return math_ops.cast(b, dtype)
    raise ValueError('Boundaries (%s) must have the same dtype as x (%s).'
                     % (b.dtype.base_dtype, dtype))


@export('train.polynomial_decay')
@_on_call
def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0,
                     cycle=False, name=None):
    """Returns (learning_rate - end) * (1 - step / decay_steps) ^ power + end, a polynomial decay.

    Args:
      learning_rate: a scalar, the rate at step 0.
      global_step: a scalar integer tensor or variable.
      decay_steps: a scalar. From this step on, the rate is end_learning_rate.
      end_learning_rate: a scalar.
      power: a scalar. 1 decays linearly.
      cycle: whether to restart the decay every time it reaches a multiple of decay_steps, over one
        more decay_steps.
      name: the name of the operation. Defaults to 'PolynomialDecay'.

    Returns:
      A scalar tensor with the dtype of learning_rate.
    """
    values = [learning_rate, global_step, decay_steps, end_learning_rate, power]
    with ops.name_scope(name, 'PolynomialDecay', values) as scope:
        rate = _initial(learning_rate)
        dtype = rate.dtype
        end = math_ops.cast(end_learning_rate, dtype)
        power = math_ops.cast(power, dtype)
        step = math_ops.cast(global_step, dtype)
        steps = math_ops.cast(decay_steps, dtype)
        if cycle:
            rounds = array_ops.where_v2(math_ops.equal(step, 0), 1.0,
                                        gen.Ceil(step / decay_steps))
            steps = math_ops.multiply(steps, rounds)
        else:
            step = gen.Minimum(step, steps)
        p = step / steps
        return math_ops.add(
            math_ops.multiply(rate - end, math_ops.pow(1 - p, power)), end, name=scope)


@export('train.natural_exp_decay')
@_on_call
def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False,
                      name=None):
    """Returns learning_rate * exp(-decay_rate * global_step / decay_steps).

    Args:
      learning_rate: a scalar number or floating-point tensor, the rate at step 0.
      global_step: a scalar integer tensor or variable.
      decay_steps: a scalar.
      decay_rate: a scalar.
      staircase: whether to round the quotient down.
      name: the name of the operation.

    Returns:
      A scalar tensor with the dtype of learning_rate.
    """
    natural_rate = gen.Exp(gen.Neg(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, natural_rate,
                             staircase=staircase, name=name)


@export('train.inverse_time_decay')
@_on_call
def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False,
                       name=None):
    """Returns learning_rate / (1 + decay_rate * global_step / decay_steps).

    Args:
      learning_rate: a scalar number or floating-point tensor, the rate at step 0.
      global_step: a scalar integer tensor or variable.
      decay_steps: a scalar.
      decay_rate: a scalar.
      staircase: whether to round the quotient down.
      name: the name of the operation.

    Returns:
      A scalar tensor with the dtype of learning_rate.
    """
    values = [learning_rate, global_step, decay_rate]
    with ops.name_scope(name, 'InverseTimeDecay', values) as scope:
        rate = _initial(learning_rate)
        decay_steps = math_ops.cast(decay_steps, rate.dtype)
        decay_rate = math_ops.cast(decay_rate, rate.dtype)
        p = math_ops.cast(global_step, rate.dtype) / decay_steps
        if staircase:
            p = gen.Floor(p)
        one = math_ops.cast(constant_op.constant(1), rate.dtype)
        return math_ops.divide(rate, math_ops.add(one, math_ops.multiply(decay_rate, p)),
                               name=scope)


@export('train.cosine_decay')
@_on_call
def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Decays along half a cosine from learning_rate to alpha * learning_rate (arXiv 1608.03983).

    Args:
      learning_rate: a scalar, the rate at step 0.
      global_step: a scalar integer tensor or variable.
      decay_steps: a scalar. From this step on, the rate is constant.
      alpha: a number, the fraction of learning_rate that remains at the end.
      name: the name of the scope. Defaults to 'CosineDecay'.

    Returns:
      A scalar tensor with the dtype of learning_rate.
    """
    with ops.name_scope(name, 'CosineDecay', [learning_rate, global_step]):
        rate = _initial(learning_rate)
        decay_steps = math_ops.cast(decay_steps, rate.dtype)
        step = gen.Minimum(math_ops.cast(global_step, rate.dtype), decay_steps)
        completed = step / decay_steps
        decayed = (1 - alpha) * _half_cosine(completed) + alpha
        return math_ops.multiply(rate, decayed)


def _half_cosine(fraction):
    return 0.5 * (1.0 + gen.Cos(constant_op.constant(math.pi) * fraction))


@export('train.cosine_decay_restarts')
@_on_call
def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0,
                          alpha=0.0, name=None):
    """Applies cosine_decay repeatedly, with restarts (SGDR, arXiv 1608.03983).

    Args:
      learning_rate: a scalar, the rate at step 0.
      global_step: a scalar integer tensor or variable.
      first_decay_steps: a scalar, the length of the first period.
      t_mul: a scalar, the factor between the lengths of successive periods.
      m_mul: a scalar, the factor between the initial rates of successive periods.
      alpha: a scalar, the fraction of the rate that remains at the end of a period.
      name: the name of the operation. Defaults to 'SGDRDecay'.

    Returns:
      A scalar tensor with the dtype of learning_rate.
    """
    with ops.name_scope(name, 'SGDRDecay', [learning_rate, global_step]) as scope:
        rate = _initial(learning_rate)
        dtype = rate.dtype
        first = math_ops.cast(first_decay_steps, dtype)
        alpha, t_mul, m_mul = (math_ops.cast(v, dtype) for v in (alpha, t_mul, m_mul))
        completed = math_ops.cast(global_step, dtype) / first
        same_length = math_ops.equal(t_mul, 1.0)
        restarts, fraction = cond.cond(same_length, lambda: _equal_periods(completed),
                                       lambda: _growing_periods(completed, t_mul))
        fraction_of_rate = 0.5 * m_mul ** restarts
        cosine = fraction_of_rate * (
            1.0 + gen.Cos(constant_op.constant(math.pi) * fraction))
        return math_ops.multiply(rate, (1 - alpha) * cosine + alpha, name=scope)


def _equal_periods(completed):
    restarts = gen.Floor(completed)
    return restarts, completed - restarts


def _growing_periods(completed, t_mul):
    restarts = gen.Floor(
        gen.Log(1.0 - completed * (1.0 - t_mul)) / gen.Log(t_mul))
    before = (1.0 - t_mul ** restarts) / (1.0 - t_mul)
    return restarts, (completed - before) / t_mul ** restarts


@export('train.linear_cosine_decay')
@_on_call
def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0,
                        beta=0.001, name=None):
    """Returns the product of a linear decay and a cosine (Bello et al., arXiv 1709.07417).

    Args:
      learning_rate: a scalar, the rate at step 0.
      global_step: a scalar integer tensor or variable.
      decay_steps: a scalar. From this step on, the rate is constant.
      num_periods: a number, how many periods the cosine has until then.
      alpha: a number, added to the linear factor.
      beta: a number, added to the product.
      name: the name of the operation. Defaults to 'LinearCosineDecay'.

    Returns:
      A scalar tensor with the dtype of learning_rate.
    """
    with ops.name_scope(name, 'LinearCosineDecay', [learning_rate, global_step]) as scope:
        rate = _initial(learning_rate)
        dtype = rate.dtype
        decay_steps = math_ops.cast(decay_steps, dtype)
        num_periods, alpha, beta = (math_ops.cast(v, dtype) for v in (num_periods, alpha, beta))
        step = gen.Minimum(math_ops.cast(global_step, dtype), decay_steps)
        line = (decay_steps - step) / decay_steps
        cosine = _half_cosine(2.0 * num_periods * (step / decay_steps))
        decayed = (alpha + line) * cosine + beta
        return math_ops.multiply(rate, decayed, name=scope)


@export('train.noisy_linear_cosine_decay')
@_on_call
def noisy_linear_cosine_decay(learning_rate, global_step, decay_steps, initial_variance=1.0,
                              variance_decay=0.55, num_periods=0.5, alpha=0.0, beta=0.001,
                              name=None):
    """Like linear_cosine_decay, with normal noise added to the linear factor.

    Args:
      learning_rate: a scalar, the rate at step 0.
      global_step: a scalar integer tensor or variable.
      decay_steps: a scalar. From this step on, the rate is constant except for the noise.
      initial_variance: a number, the variance of the noise at step 0.
      variance_decay: a number: the variance is initial_variance / (1 + step) ^ variance_decay.
      num_periods: a number, how many periods the cosine has.
      alpha: a number, added to the linear factor.
      beta: a number, added to the product.
      name: the name of the operation. Defaults to 'NoisyLinearCosineDecay'.

    Returns:
      A scalar tensor with the dtype of learning_rate.
    """
    with ops.name_scope(name, 'NoisyLinearCosineDecay', [learning_rate, global_step]) as scope:
        rate = _initial(learning_rate)
        dtype = rate.dtype
        decay_steps = math_ops.cast(decay_steps, dtype)
        initial_variance, variance_decay, num_periods, alpha, beta = (
            math_ops.cast(v, dtype)
            for v in (initial_variance, variance_decay, num_periods, alpha, beta))
        step = gen.Minimum(math_ops.cast(global_step, dtype), decay_steps)
        line = (decay_steps - step) / decay_steps
        variance = initial_variance / math_ops.pow(1.0 + step, variance_decay)
        noisy = line + random_ops.random_normal(line.shape, stddev=math_ops.sqrt(variance))
        cosine = _half_cosine(2.0 * num_periods * (step / decay_steps))
        decayed = (alpha + noisy) * cosine + beta
        return math_ops.multiply(rate, decayed, name=scope)
