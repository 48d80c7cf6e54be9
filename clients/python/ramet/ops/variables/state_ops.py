"""Functions that modify variables of both kinds: assignments and scatters."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_cast


def is_variable_initialized(ref, name=None):
    """Returns a bool Tensor that is True if a variable has a value."""
    if ref.dtype._is_ref_dtype:
        return gen.IsVariableInitialized(ref, name=name)
    return ref.is_initialized(name=name)


@export('assign')
def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Assigns `value` to a variable.

    Args:
      ref: a Variable, a reference Tensor, or a slice of a variable.
      value: a Tensor of its dtype and shape.
      validate_shape: False allows a different shape (reference variables). Defaults to True.
      use_locking: whether to protect the assignment with a lock. Defaults to True.
      name: the name of the node.

    Returns:
      The reference, or the resource variable, after the assignment.

    Raises:
      ValueError: if the shapes are incompatible.
    """
    if ref.dtype._is_ref_dtype:
        return gen.Assign(ref, value, validate_shape=validate_shape, use_locking=use_locking,
                          name=name)
    return ref.assign(value, name=name)


@export('assign_add')
@with_args_of(assign)
def assign_add(ref, value, use_locking=None, name=None):
    """Adds `value` to a variable.

    Args:
      use_locking: whether to protect the assignment with a lock. Defaults to False.

    Returns:
      The reference, or the resource variable, after the assignment.
    """
    if ref.dtype._is_ref_dtype:
        return gen.AssignAdd(ref, value, use_locking=use_locking, name=name)
    return ref.assign_add(value)


@export('assign_sub')
@with_args_of(assign)
def assign_sub(ref, value, use_locking=None, name=None):
    """Subtracts `value` from a variable.

    Args:
      use_locking: whether to protect the assignment with a lock. Defaults to False.

    Returns:
      The reference, or the resource variable, after the assignment.
    """
    if ref.dtype._is_ref_dtype:
        return gen.AssignSub(ref, value, use_locking=use_locking, name=name)
    return ref.assign_sub(value)


@export('count_up_to')
def count_up_to(ref, limit, name=None):
    """Increments an integer scalar variable, up to `limit`.

    Args:
      ref: a Variable of either kind.
      limit: int.
      name: the name of the node.

    Returns:
      The previous value. Running it raises OutOfRangeError if the variable is already `limit`.
    """
    if ref.dtype._is_ref_dtype:
        return gen.CountUpTo(ref, limit=limit, name=name)
    return gen.ResourceCountUpTo(ref.handle, limit, T=ref.dtype, name=name)


def _scatter(reference_op, resource_op, ref, indices, updates, use_locking, name):
    if ref.dtype._is_ref_dtype:
        return reference_op(ref, indices, updates, use_locking=use_locking, name=name)
    updates = ops.convert_to_tensor(updates, ref.dtype)
    return ref._lazy_read(resource_op(ref.handle, indices, updates, name=name))


@export('scatter_update')
def scatter_update(ref, indices, updates, use_locking=True, name=None):
    """Assigns `updates` to the rows of a variable at `indices`.

    Args:
      ref: a Variable of either kind.
      indices: an int32 or int64 Tensor of any shape with positions in the first dimension.
      updates: a Tensor of shape indices.shape + ref.shape[1:], or a scalar.
      use_locking: whether to protect the update with a lock (reference variables).
      name: the name of the node.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterUpdate, gen.ResourceScatterUpdate, ref, indices, updates,
                    use_locking, name)


@export('scatter_add')
@with_args_of(scatter_update)
def scatter_add(ref, indices, updates, use_locking=False, name=None):
    """Adds `updates` to rows of a variable.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterAdd, gen.ResourceScatterAdd, ref, indices, updates, use_locking,
                    name)


@export('scatter_sub')
@with_args_of(scatter_update)
def scatter_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtracts `updates` from rows of a variable.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterSub, gen.ResourceScatterSub, ref, indices, updates, use_locking,
                    name)


@export('scatter_mul')
@with_args_of(scatter_update)
def scatter_mul(ref, indices, updates, use_locking=False, name=None):
    """Multiplies rows of a variable by `updates`.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterMul, gen.ResourceScatterMul, ref, indices, updates, use_locking,
                    name)


@export('scatter_div')
@with_args_of(scatter_update)
def scatter_div(ref, indices, updates, use_locking=False, name=None):
    """Divides rows of a variable by `updates`.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterDiv, gen.ResourceScatterDiv, ref, indices, updates, use_locking,
                    name)


@export('scatter_max')
@with_args_of(scatter_update)
def scatter_max(ref, indices, updates, use_locking=False, name=None):
    """Replaces rows of a variable by the maximum of themselves and `updates`.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterMax, gen.ResourceScatterMax, ref, indices, updates, use_locking,
                    name)


@export('scatter_min')
@with_args_of(scatter_update)
def scatter_min(ref, indices, updates, use_locking=False, name=None):
    """Replaces rows of a variable by the minimum of themselves and `updates`.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterMin, gen.ResourceScatterMin, ref, indices, updates, use_locking,
                    name)


@export('scatter_nd_update')
def scatter_nd_update(ref, indices, updates, use_locking=True, name=None):
    """Assigns `updates` to values or slices of a variable.

    Args:
      ref: a Variable of either kind.
      indices: an int32 or int64 Tensor [..., depth]. Each row is a position in the first `depth`
        dimensions.
      updates: a Tensor of shape indices.shape[:-1] + ref.shape[depth:].
      use_locking: whether to protect the update with a lock (reference variables).
      name: the name of the node.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterNdUpdate, gen.ResourceScatterNdUpdate, ref, indices, updates,
                    use_locking, name)


@export('scatter_nd_add')
@with_args_of(scatter_nd_update)
def scatter_nd_add(ref, indices, updates, use_locking=False, name=None):
    """Adds `updates` to values or slices of a variable.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterNdAdd, gen.ResourceScatterNdAdd, ref, indices, updates,
                    use_locking, name)


@export('scatter_nd_sub')
@with_args_of(scatter_nd_update)
def scatter_nd_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtracts `updates` from values or slices of a variable.

    Returns:
      The variable after the update.
    """
    return _scatter(gen.ScatterNdSub, gen.ResourceScatterNdSub, ref, indices, updates,
                    use_locking, name)


@export('batch_scatter_update')
def batch_scatter_update(ref, indices, updates, use_locking=True, name=None):
    """Assigns rows of each batch: var[i1, ..., indices[i1, ..., j]] = updates[i1, ..., j].

    Args:
      ref: a Variable of either kind.
      indices: an int32 or int64 Tensor of known rank. All dimensions but the last are batches.
      updates: a Tensor of shape indices.shape + ref.shape[rank of indices:].
      use_locking: whether to protect the update with a lock (reference variables).
      name: the prefix of the nodes' names.

    Returns:
      The variable after the update.
    """
    with ops.name_scope(name):
        indices = ops.convert_to_tensor(indices, name='indices')
        sizes = array_ops.shape(indices)
        rank = indices.get_shape().ndims
        if rank is None:
            raise ValueError('batch_gather does not allow indices with unknown shape.')
        rows = array_ops.expand_dims(indices, axis=-1)
        positions = [_positions(dim, rank, sizes, rows) for dim in range(rank - 1)] + [rows]
        return scatter_nd_update(ref, array_ops.concat(positions, axis=-1), updates,
                                 use_locking=use_locking)


def _positions(dim, rank, sizes, rows):
    size = sizes[dim]
    shape = [1] * dim + [size] + [1] * (rank - dim)
    counted = array_ops.reshape(gen.Range(0, size, 1), shape)
    return math_cast.cast(counted, rows.dtype) * array_ops.ones_like(rows)
