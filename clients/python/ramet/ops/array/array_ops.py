"""Provides all array functions in one module, with TensorFlow's name."""

from ramet import gen
from ramet.ops.array.array_basics import (  # noqa: F401
    broadcast_dynamic_shape,
    broadcast_static_shape,
    expand_dims,
    expand_dims_v2,
    guarantee_const,
    identity,
    newaxis,
    rank,
    rank_internal,
    reshape,
    shape,
    shape_internal,
    shape_n,
    size,
    size_internal,
    squeeze,
    stop_gradient,
)
from ramet.ops.array.array_diag import matrix_diag, matrix_diag_part, matrix_set_diag, tensor_diag_part  # noqa: F401
from ramet.ops.array.array_fill import fill, ones, ones_like, zeros, zeros_like  # noqa: F401
from ramet.ops.array.array_gather import batch_gather, batch_gather_nd, gather, gather_nd, gather_v2  # noqa: F401
from ramet.ops.array.array_grid import meshgrid  # noqa: F401
from ramet.ops.array.array_join import concat, parallel_stack, split, stack, unstack  # noqa: F401
from ramet.ops.array.array_layout import (  # noqa: F401
    batch_to_space,
    depth_to_space,
    extract_image_patches,
    extract_patches,
    fingerprint,
    matrix_transpose,
    pad,
    required_space_to_batch_paddings,
    reverse_sequence,
    roll,
    space_to_batch,
    space_to_depth,
    transpose,
)
from ramet.ops.array.array_placeholders import placeholder, placeholder_with_default, sparse_placeholder  # noqa: F401
from ramet.ops.array.array_repeat import repeat, repeat_with_axis  # noqa: F401
from ramet.ops.array.array_select import (  # noqa: F401
    boolean_mask,
    edit_distance,
    one_hot,
    searchsorted,
    sequence_mask,
    setdiff1d,
    sparse_mask,
    tensor_scatter_nd_update,
    unique,
    unique_with_counts,
    where,
    where_v2,
)
from ramet.ops.array.slicing import slice, strided_slice  # noqa: F401

diag_part = tensor_diag_part
_GENERATED = {
    'batch_to_space_nd': 'BatchToSpaceND', 'bitcast': 'Bitcast', 'broadcast_to': 'BroadcastTo',
    'check_numerics': 'CheckNumerics', 'diag': 'Diag', 'identity_n': 'IdentityN',
    'invert_permutation': 'InvertPermutation', 'matrix_band_part': 'MatrixBandPart',
    'prevent_gradient': 'PreventGradient', 'reverse': 'ReverseV2', 'reverse_v2': 'ReverseV2',
    'scatter_nd': 'ScatterNd', 'snapshot': 'Snapshot', 'space_to_batch_nd': 'SpaceToBatchND',
    'tensor_scatter_nd_add': 'TensorScatterAdd', 'tensor_scatter_nd_max': 'TensorScatterMax',
    'tensor_scatter_nd_min': 'TensorScatterMin', 'tensor_scatter_nd_sub': 'TensorScatterSub',
    'tile': 'Tile', 'unravel_index': 'UnravelIndex',
}


def __getattr__(name):
    if name not in _GENERATED:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    globals()[name] = made = getattr(gen, _GENERATED[name])
    return made
