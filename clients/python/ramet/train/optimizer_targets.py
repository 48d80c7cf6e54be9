"""The kinds of variables that an optimizer updates, and how each takes gradients and updates."""

from ramet.framework import ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.variables import variables


class _RefVariable:
    """A reference variable to update."""

    def __init__(self, variable):
        self._variable = variable

    def tensor(self):
        return self._variable._ref()

    def update_op(self, optimizer, grad):
        variable = self._variable
        if isinstance(grad, IndexedSlices):
            _refuse_constraint(variable)
            return optimizer._apply_sparse_duplicate_indices(grad, variable)
        return _constrained(variable, optimizer._apply_dense(grad, variable))


class _ResourceVariable:
    """A resource variable to update."""

    def __init__(self, variable):
        self._variable = variable

    def tensor(self):
        return self._variable.handle

    def update_op(self, optimizer, grad):
        variable = self._variable
        if isinstance(grad, IndexedSlices):
            _refuse_constraint(variable)
            return optimizer._resource_apply_sparse_duplicate_indices(
                grad.values, variable, grad.indices)
        return _constrained(variable, optimizer._resource_apply_dense(grad, variable))


class _PlainTensor:
    """A tensor. Its gradient can be computed, but no update can be applied to it."""

    def __init__(self, tensor):
        self._tensor = tensor

    def tensor(self):
        return self._tensor

    def update_op(self, optimizer, grad):
        raise NotImplementedError('Trying to update a Tensor ', self._tensor)


def _refuse_constraint(variable):
    if variable.constraint is not None:
        raise RuntimeError('Cannot use a constraint function on a sparse variable.')


def _constrained(variable, update_op):
    if variable.constraint is None:
        return update_op
    with ops.control_dependencies([update_op]):
        return variable.assign(variable.constraint(variable))


def target_of(v):
    if v.op.type == 'VarHandleOp':
        return _ResourceVariable(v)
    if isinstance(v, variables.Variable):
        return _RefVariable(v)
    if isinstance(v, ops.Tensor):
        return _PlainTensor(v)
    raise NotImplementedError('Trying to optimize unsupported type ', v)
