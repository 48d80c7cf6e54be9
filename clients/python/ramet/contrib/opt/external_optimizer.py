"""Optimizers outside of the graph, such as those of SciPy."""

import numpy as np

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.ops.array import array_ops
from ramet.ops.gradients import gradients as gradients_lib
from ramet.ops.variables import variable_lists


def _flat(tensor):
    return array_ops.reshape(tensor, [-1])


def _joined(tensors):
    """Returns all elements of tensors as one vector."""
    return _flat(tensors[0]) if len(tensors) == 1 else array_ops.concat([_flat(t) for t in tensors], 0)


@export('contrib.opt.ExternalOptimizerInterface')
class ExternalOptimizerInterface:
    """The base class of optimizers that call the graph for values and gradients of a loss.

    Args:
      loss: a scalar tensor.
      var_list: the variables, or None for all trainable ones.
      equalities: tensors that must be zero, or None.
      inequalities: tensors that must not be negative, or None.
      var_to_bounds: a dict from variables to pairs (lower, upper), or None.
      **optimizer_kwargs: the options of the optimizer.
    """

    def __init__(self, loss, var_list=None, equalities=None, inequalities=None, var_to_bounds=None,
                 **optimizer_kwargs):
        self._loss, self.optimizer_kwargs = loss, optimizer_kwargs
        self._vars = list(variable_lists.trainable_variables() if var_list is None else var_list)
        self._equalities, self._inequalities = list(equalities or []), list(inequalities or [])
        sizes = [v.get_shape().num_elements() for v in self._vars]
        self._slices = [slice(end - size, end) for size, end in
                        zip(sizes, np.cumsum(sizes), strict=True)]
        self._packed_bounds = self._bounds(var_to_bounds)
        self._placeholders = [array_ops.placeholder(v.dtype.base_dtype) for v in self._vars]
        self._updates = [v.assign(array_ops.reshape(p, v.get_shape()))
                         for v, p in zip(self._vars, self._placeholders, strict=True)]
        self._packed_var = _joined([v.read_value() for v in self._vars])
        self._packed_grad = self._gradient(loss)
        self._equality_grads = [self._gradient(e) for e in self._equalities]
        self._inequality_grads = [self._gradient(i) for i in self._inequalities]

    def _bounds(self, var_to_bounds):
        if var_to_bounds is None:
            return None
        by_variable = {id(v): pair for v, pair in var_to_bounds.items()}
        bounds = []
        for v in self._vars:
            lower, upper = by_variable.get(id(v), (-np.inf, np.inf))
            shape = v.get_shape().as_list()
            bounds += zip(np.broadcast_to(lower, shape).ravel(),
                          np.broadcast_to(upper, shape).ravel(), strict=True)
        return bounds

    def _gradient(self, loss):
        grads = gradients_lib.gradients(loss, self._vars)
        return _joined([array_ops.zeros_like(v) if g is None else ops.convert_to_tensor(g)
                        for g, v in zip(grads, self._vars, strict=True)])

    def _feeds(self, packed, feed_dict):
        return {**(feed_dict or {}), **{p: packed[part] for p, part in zip(
            self._placeholders, self._slices, strict=True)}}

    def minimize(self, session=None, feed_dict=None, fetches=None, step_callback=None,
                 loss_callback=None, **run_kwargs):
        """Minimizes the loss and assigns the result to the variables.

        Args:
          session: a Session, or None for the default one.
          feed_dict: the feeds of all runs.
          fetches: tensors that are passed to loss_callback, or None.
          step_callback: a function of the vector of all variables, called after each step, or None.
          loss_callback: a function of the fetches, called for each evaluation of the loss, or None.
          **run_kwargs: further arguments of session.run.
        """
        session = session or ops.get_default_session()
        fetches = fetches or []

        def evaluate(packed, tensors):
            session.run(self._updates, self._feeds(packed, None), **run_kwargs)
            return session.run(tensors, feed_dict, **run_kwargs)

        def loss_grad_func(packed):
            loss, grad, values = evaluate(packed, [self._loss, self._packed_grad, list(fetches)])
            if loss_callback is not None:
                loss_callback(*values)
            return np.float64(loss), np.asarray(grad, np.float64)

        def functions(tensors):
            return [lambda packed, t=t: np.asarray(evaluate(packed, t), np.float64)
                    for t in tensors]

        result = self._minimize(
            initial_val=np.asarray(session.run(self._packed_var, feed_dict, **run_kwargs),
                                   np.float64),
            loss_grad_func=loss_grad_func, equality_funcs=functions(self._equalities),
            equality_grad_funcs=functions(self._equality_grads),
            inequality_funcs=functions(self._inequalities),
            inequality_grad_funcs=functions(self._inequality_grads),
            packed_bounds=self._packed_bounds, step_callback=step_callback or (lambda _: None),
            optimizer_kwargs=self.optimizer_kwargs)
        session.run(self._updates, self._feeds(np.asarray(result), None), **run_kwargs)

    def _minimize(self, **arguments):
        """Returns the vector that minimizes a loss. Subclasses define it."""
        raise NotImplementedError(
            'To use ExternalOptimizerInterface, subclass from it and implement the _minimize() '
            'method.')


@export('contrib.opt.ScipyOptimizerInterface')
@with_args_of(ExternalOptimizerInterface)
class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes with scipy.optimize.minimize. SciPy must be installed.

    The option `method` selects the method; it defaults to 'L-BFGS-B', or to 'SLSQP' with constraints.
    """

    _DEFAULT_METHOD = 'L-BFGS-B'

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs,
                  inequality_funcs, inequality_grad_funcs, packed_bounds, step_callback,
                  optimizer_kwargs):
        import scipy.optimize

        constraints = [{'type': kind, 'fun': function, 'jac': gradient}
                       for kind, functions, gradients in (
                           ('eq', equality_funcs, equality_grad_funcs),
                           ('ineq', inequality_funcs, inequality_grad_funcs))
                       for function, gradient in zip(functions, gradients, strict=True)]
        options = dict(optimizer_kwargs)
        method = options.pop('method', 'SLSQP' if constraints else self._DEFAULT_METHOD)
        result = scipy.optimize.minimize(
            loss_grad_func, initial_val, jac=True, method=method, bounds=packed_bounds,
            constraints=constraints, callback=step_callback, **options)
        logging.info('Optimization terminated with:\n  Message: %s\n  Objective function value: %f',
                     result.message, result.fun)
        return result.x
