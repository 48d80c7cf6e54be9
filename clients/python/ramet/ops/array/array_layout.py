"""Rearranges elements: transpose, pad, blocks of space and depth, patches."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_util
from ramet.ops.array import array_basics, array_fill, array_join
from ramet.ops.array.array_basics import one_of


@export('transpose')
def transpose(a, perm=None, name='transpose', conjugate=False):
    """Permutes the dimensions.

    Args:
      a: a tensor.
      perm: the old position of each new dimension. Defaults to the reverse order.
      name: the name of the node.
      conjugate: whether to conjugate complex elements too.

    Returns:
      A tensor.
    """
    if type(a) is ops.Tensor and perm is not None and not conjugate:
        return gen.Transpose(a, perm, name=name or 'transpose')
    with ops.name_scope(name, 'transpose', [a]) as scope:
        a = ops.convert_to_tensor(a, name='a')
        build = gen.ConjugateTranspose if conjugate and a.dtype.is_complex else gen.Transpose
        if perm is not None:
            return build(a, perm, name=scope)
        rank = a.shape.rank
        if rank is not None:
            return build(a, list(range(rank - 1, -1, -1)), name=scope)
        return build(a, gen.Range(gen.Rank(a) - 1, -1, -1), name=scope)


@export('linalg.matrix_transpose', 'linalg.transpose', 'matrix_transpose')
def matrix_transpose(a, name='matrix_transpose', conjugate=False):
    """Transposes the last two dimensions.

    Args:
      a: a tensor of rank at least 2.
      name: the name of the scope.
      conjugate: whether to conjugate complex elements too.

    Returns:
      A tensor.

    Raises:
      ValueError: if the rank is less than 2.
    """
    with ops.name_scope(name, values=[a]):
        a = ops.convert_to_tensor(a, name='a')
        rank = a.shape.rank
        if rank is None:
            count = array_basics.rank(a)
            perm = array_join.concat(
                (gen.Range(0, count - 2, 1), [count - 1, count - 2]), 0)
            return transpose(a, perm=perm, conjugate=conjugate)
        if rank < 2:
            raise ValueError('Argument `a` should be a (batch) matrix with rank >= 2.  Received '
                             f'`a` = {a} with shape: {a.shape}')
        perm = list(range(rank - 2)) + [rank - 1, rank - 2]
        return transpose(a, perm=perm, conjugate=conjugate)


@export('linalg.adjoint')
def adjoint(matrix, name=None):
    """Transposes the last two dimensions and conjugates the elements.

    Args:
      matrix: a tensor of rank at least 2.
      name: the name of the scope.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'adjoint', [matrix]):
        matrix = ops.convert_to_tensor(matrix, name='matrix')
        return matrix_transpose(matrix, conjugate=True)


@export('pad')
def pad(tensor, paddings, mode='CONSTANT', name=None, constant_values=0):
    """Pads a tensor.

    Args:
      tensor: a tensor.
      paddings: an int32 or int64 tensor of shape [rank, 2]: the number of elements to add before and
        after.
      mode: 'CONSTANT', 'REFLECT' or 'SYMMETRIC'.
      name: the name of the node.
      constant_values: the scalar to pad with in mode 'CONSTANT'.

    Returns:
      A tensor.

    Raises:
      ValueError: if `mode` is something else.
    """
    kind = mode.upper()
    if kind == 'CONSTANT':
        if isinstance(constant_values, ops.Tensor) or constant_values != 0:
            result = gen.PadV2(tensor, paddings, constant_values, name=name)
        else:
            result = gen.Pad(tensor, paddings, name=name)
    elif kind in ('REFLECT', 'SYMMETRIC'):
        result = gen.MirrorPad(tensor, paddings, mode=kind, name=name)
    else:
        raise ValueError('Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or '
                         f'"SYMMETRIC". Received `mode` = {kind}')
    _set_padded_shape(result, paddings)
    return result


def _set_padded_shape(result, paddings):
    """Sets the sizes that follow from the known elements of a partially known `paddings`."""
    if result._is_eager:
        return
    source = result.op.inputs[0].shape
    known = tensor_util.constant_value(result.op.inputs[1], partial=True)
    if source.rank is None or known is None or result.shape.is_fully_defined():
        return
    dims = [None if size is None or before is None or after is None else size + before + after
            for (before, after), size in zip(known, source.as_list())]
    result.set_shape(dims)


@export('reverse_sequence')
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None,
                     batch_dim=None):
    """Reverses the first elements of each row, up to the length of the row.

    Args:
      input: a tensor.
      seq_lengths: an int32 or int64 vector with a length per row.
      seq_axis: an int, the dimension to reverse.
      batch_axis: an int, the dimension of the rows. Defaults to 0.
      name: the name of the node.
      seq_dim: deprecated name of `seq_axis`.
      batch_dim: deprecated name of `batch_axis`.

    Returns:
      A tensor like `input`.

    Raises:
      ValueError: if an argument is given with both names.
    """
    return gen.ReverseSequence(input, seq_lengths,
                               seq_dim=one_of('seq_axis', seq_axis, 'seq_dim', seq_dim),
                               batch_dim=one_of('batch_axis', batch_axis, 'batch_dim', batch_dim,
                                                0),
                               name=name)


@export('nn.space_to_batch', 'space_to_batch')
def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """Moves blocks of height and width into the batch dimension.

    Args:
      input: a tensor of shape [batch, height, width, depth].
      paddings: an integer tensor of shape [2, 2].
      block_size: an int.
      name: the name of the node.
      block_shape: another name of `block_size`.

    Returns:
      A tensor with a batch dimension block_size ** 2 times as large.
    """
    block = one_of('block_shape', block_shape, 'block_size', block_size)
    result = gen.SpaceToBatchND(input, _block(block), paddings, name=name)
    result.set_shape(result.shape.with_rank(4))
    return result


@export('batch_to_space')
def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """Moves blocks of the batch dimension back into height and width.

    Args:
      input: a tensor of shape [batch, height, width, depth].
      crops: an integer tensor of shape [2, 2].
      block_size: an int.
      name: the name of the node.
      block_shape: another name of `block_size`.

    Returns:
      A tensor with a batch dimension block_size ** 2 times smaller.
    """
    block = one_of('block_shape', block_shape, 'block_size', block_size)
    result = gen.BatchToSpaceND(input, _block(block), crops, name=name)
    result.set_shape(result.shape.with_rank(4))
    return result


def _block(size):
    return np.array([size, size], dtype=np.int64) if isinstance(size, int) else size


@export('nn.space_to_depth', 'space_to_depth')
def space_to_depth(input, block_size, name=None, data_format='NHWC'):
    """Moves blocks of height and width into the depth.

    Args:
      input: a tensor of rank 4.
      block_size: an int.
      name: the name of the node.
      data_format: 'NHWC', 'NCHW' or 'NCHW_VECT_C'.

    Returns:
      A tensor.
    """
    return gen.SpaceToDepth(input, block_size, data_format=data_format, name=name)


@export('depth_to_space', 'nn.depth_to_space')
def depth_to_space(input, block_size, name=None, data_format='NHWC'):
    """Moves blocks of the depth into height and width.

    Args:
      input: a tensor of rank 4.
      block_size: an int.
      name: the name of the node.
      data_format: 'NHWC', 'NCHW' or 'NCHW_VECT_C'.

    Returns:
      A tensor.
    """
    return gen.DepthToSpace(input, block_size, data_format=data_format, name=name)


@export('required_space_to_batch_paddings')
def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """Returns paddings that make sizes divisible by block sizes, and the crops that undo them.

    Args:
      input_shape: an int32 vector of n sizes.
      block_shape: an int32 vector of n sizes.
      base_paddings: an int32 tensor [n, 2] of the minimum paddings. Defaults to zeros.
      name: the name of the scope.

    Returns:
      A tuple (paddings, crops) of int32 tensors [n, 2]; constants if the inputs are.
    """
    with ops.name_scope(name, 'required_space_to_batch_paddings', [input_shape, block_shape]):
        input_shape = ops.convert_to_tensor(input_shape, dtype=dtypes.int32, name='input_shape')
        block_shape = ops.convert_to_tensor(block_shape, dtype=dtypes.int32, name='block_shape')
        block_shape.shape.assert_is_fully_defined()
        block_shape.shape.assert_has_rank(1)
        count = block_shape.shape.as_list()[0]
        if count == 0:
            empty = array_fill.zeros([0, 2], dtypes.int32)
            return empty, empty
        input_shape.shape.assert_is_compatible_with([count])
        base = _base_paddings(base_paddings, count)
        known = [tensor_util.constant_value(t) for t in (input_shape, block_shape, base)]
        if all(value is not None for value in known):
            return _constant_paddings(*known)
        return _computed_paddings(input_shape, block_shape, base, count)


def _base_paddings(base_paddings, count):
    if base_paddings is None:
        return array_fill.zeros([count, 2], dtypes.int32)
    base = ops.convert_to_tensor(base_paddings, dtype=dtypes.int32, name='base_paddings')
    base.shape.assert_is_compatible_with([count, 2])
    return base


def _constant_paddings(sizes, block, base):
    start, least_end = base[:, 0], base[:, 1]
    extra = (block - (sizes + start + least_end) % block) % block
    paddings = [[start[i], least_end[i] + extra[i]] for i in range(len(block))]
    crops = [[0, extra[i]] for i in range(len(block))]
    return (ops.convert_to_tensor(paddings, dtypes.int32, name='paddings'),
            ops.convert_to_tensor(crops, dtypes.int32, name='crops'))


def _computed_paddings(sizes, block, base, count):
    start, least_end = base[:, 0], base[:, 1]
    full = sizes + start + least_end
    extra = (block - full % block) % block
    end = least_end + extra
    paddings = array_join.stack([[start[i], end[i]] for i in range(count)], name='paddings')
    crops = array_join.stack([[0, extra[i]] for i in range(count)], name='crops')
    return paddings, crops


@export('image.extract_patches')
def extract_patches(images, sizes, strides, rates, padding, name=None):
    """Extracts patches of images into the depth dimension.

    Args:
      images: a tensor of shape [batch, height, width, depth].
      sizes: [1, height, width, 1] of a patch.
      strides: [1, y, x, 1], the distance between patches.
      rates: [1, y, x, 1], the distance between the pixels of a patch.
      padding: 'VALID' or 'SAME'.
      name: the name of the node.

    Returns:
      A tensor with a row of height * width * depth elements per patch.
    """
    return gen.ExtractImagePatches(images, sizes, strides, rates, padding, name=name)


@export('extract_image_patches', 'image.extract_image_patches')
def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None,
                          sizes=None):
    """Extracts patches of images into the depth dimension.

    Args:
      images: a tensor of shape [batch, height, width, depth].
      ksizes: [1, height, width, 1] of a patch.
      strides: [1, y, x, 1], the distance between patches.
      rates: [1, y, x, 1], the distance between the pixels of a patch.
      padding: 'VALID' or 'SAME'.
      name: the name of the node.
      sizes: another name of `ksizes`.

    Returns:
      A tensor with a row of height * width * depth elements per patch.
    """
    return gen.ExtractImagePatches(images, one_of('sizes', sizes, 'ksizes', ksizes), strides,
                                   rates, padding, name=name)


@export('manip.roll', 'roll')
def roll(input, shift, axis, name=None):
    """Shifts elements along dimensions. Elements shifted past the end wrap around to the start.

    Args:
      input: a tensor of rank at least 1.
      shift: an int32 or int64 scalar or vector, the number of positions.
      axis: the dimensions, with the shape of `shift`.
      name: the name of the node.

    Returns:
      A tensor like `input`.
    """
    return gen.Roll(input, shift, axis, name=name)


@export('fingerprint')
def fingerprint(data, method='farmhash64', name=None):
    """Returns a fingerprint of each row.

    Args:
      data: a tensor of rank at least 1.
      method: a string scalar; 'farmhash64'.
      name: the name of the node.

    Returns:
      A uint8 matrix with 8 columns.
    """
    return gen.Fingerprint(data, method, name=name)
