"""Functions of beam search: repeated batches, the paths of the beams, and penalties of scores."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, nest, ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops, tensor_array_ops
from ramet.ops.math import math_ops


@export('contrib.seq2seq.tile_batch')
def tile_batch(t, multiplier, name=None):
    """Repeats each entry of a batch.

    Args:
      t: a tensor [batch, ...], or a structure of them.
      multiplier: how often to repeat each entry.
      name: the name of the scope. Defaults to "tile_batch".

    Returns:
      A tensor [batch * multiplier, ...], or a structure of them.

    Raises:
      ValueError: if the rank of a tensor is unknown or 0.
    """
    with ops.name_scope(name, 'tile_batch', [*nest.flatten(t), multiplier]):
        return nest.map_structure(lambda x: _tiled(x, multiplier), t)


def _tiled(t, multiplier):
    t = ops.convert_to_tensor(t, name='t')
    if not t.get_shape().ndims:
        raise ValueError('t must have statically known rank')
    shape, rank = array_ops.shape(t), t.get_shape().ndims
    tiling = [1] * (rank + 1)
    tiling[1] = multiplier
    known = tensor_util.constant_value(ops.convert_to_tensor(multiplier))
    size = tensor_shape.dimension_value(t.get_shape()[0])
    tiled = array_ops.reshape(gen.Tile(array_ops.expand_dims(t, 1), tiling),
                       array_ops.concat(([shape[0] * multiplier], shape[1:]), 0))
    tiled.set_shape(tensor_shape.TensorShape([None if None in (known, size) else int(known) * size])
                    .concatenate(t.get_shape()[1:]))
    return tiled


@export('contrib.seq2seq.gather_tree')
def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """Follows the beams of a search back from their ends.

    Args:
      step_ids: the symbols of each step, an int32 tensor [time, batch, beam].
      parent_ids: the beams of the previous step that the symbols continue, of the same shape.
      max_sequence_lengths: the length of the longest beam, an int32 vector [batch].
      end_token: the symbol after the end of a beam, an int32 scalar.
      name: the name of the scope. Defaults to "GatherTree".

    Returns:
      The symbols of each beam, an int32 tensor [time, batch, beam].
    """
    with ops.name_scope(name, 'GatherTree',
                       [step_ids, parent_ids, max_sequence_lengths, end_token]):
        step_ids = ops.convert_to_tensor(step_ids, dtypes.int32)
        parent_ids = ops.convert_to_tensor(parent_ids, dtypes.int32)
        end_token = ops.convert_to_tensor(end_token, dtypes.int32)
        beams = _followed(step_ids, parent_ids, ops.convert_to_tensor(max_sequence_lengths),
                          end_token)
        ends = math_ops.cumsum(math_ops.cast(math_ops.equal(beams, end_token), dtypes.int32), axis=0, exclusive=True)
        result = array_ops.where(ends > 0, array_ops.fill(array_ops.shape(beams), end_token), beams)
        result.set_shape(step_ids.shape)
        return result


def _followed(step_ids, parent_ids, lengths, end_token):
    """Returns the symbols on the path of each beam, and the end token after its batch entry's length."""
    shape = array_ops.shape(step_ids)
    steps, ends = shape[0], array_ops.fill(shape[1:], end_token)
    first = gen.Tile(array_ops.expand_dims(math_ops.range(shape[2]), 0), [shape[1], 1])
    array = tensor_array_ops.TensorArray(dtypes.int32, size=steps, element_shape=step_ids.shape[1:])

    def step(level, beams, array):
        inside = gen.Tile(array_ops.expand_dims(level < lengths, 1), [1, shape[2]])
        symbols = array_ops.batch_gather(step_ids[level], beams)
        array = array.write(level, array_ops.where(inside, symbols, ends))
        return level - 1, array_ops.where(inside, array_ops.batch_gather(parent_ids[level], beams), beams), array

    invariants = (tensor_shape.TensorShape([]), tensor_shape.TensorShape([None, None]), None)
    _, _, array = control_flow_ops.while_loop(lambda level, beams, array: level >= 0, step,
                                (steps - 1, first, array), back_prop=False,
                                shape_invariants=invariants[:2] + (tensor_shape.TensorShape(None),))
    return array.stack()


def gather_tree_from_array(t, parent_ids, sequence_length):
    """Orders the values of a TensorArray by the beams at the end of a search.

    Args:
      t: a tensor [time, batch, beam, ...] or [time, batch * beam, ...], or a TensorArray of such steps.
      parent_ids: the beams of the previous step, an int32 tensor [time, batch, beam].
      sequence_length: the lengths of the beams [batch, beam].

    Returns:
      A tensor of the shape of t.
    """
    if isinstance(t, tensor_array_ops.TensorArray):
        t = t.stack()
    shape = array_ops.shape(parent_ids)
    steps, batch, beam = shape[0], shape[1], shape[2]
    ids = gen.Tile(array_ops.reshape(math_ops.range(beam), [1, 1, -1]), [steps, batch, 1])
    lengths = math_ops.cast(math_ops.reduce_max(sequence_length, axis=1), dtypes.int32)
    sorted_ids = gather_tree(ids, parent_ids, lengths, beam + 1)
    inside = array_ops.transpose(array_ops.sequence_mask(sequence_length, maxlen=steps), perm=[2, 0, 1])
    sorted_ids = array_ops.where(inside, sorted_ids, ids)
    time_index = gen.Tile(array_ops.reshape(math_ops.range(steps), [-1, 1, 1]), [1, batch, beam])
    batch_index = gen.Tile(array_ops.reshape(math_ops.range(batch), [1, -1, 1]), [steps, 1, beam])
    values = array_ops.reshape(t, [steps, batch, beam, -1])
    ordered = array_ops.gather_nd(values, array_ops.stack([time_index, batch_index, sorted_ids], -1))
    result = array_ops.reshape(ordered, array_ops.shape(t))
    result.set_shape(t.get_shape())
    return result


def mask_of_finished(log_probs, end_token, finished):
    """Returns log_probs where beams that have ended can only emit the end token, at no cost."""
    vocabulary = array_ops.shape(log_probs)[2]
    row = array_ops.one_hot(end_token, vocabulary, dtype=log_probs.dtype,
                     on_value=constant_op.constant(0., dtype=log_probs.dtype),
                     off_value=constant_op.constant(log_probs.dtype.min, dtype=log_probs.dtype))
    rows = gen.Tile(array_ops.reshape(row, [1, 1, -1]), array_ops.concat([array_ops.shape(finished), [1]], 0))
    return array_ops.where(gen.Tile(array_ops.expand_dims(finished, 2), [1, 1, vocabulary]), rows, log_probs)


def scores_of(log_probs, lengths, length_penalty_weight, coverage_penalty_weight, finished,
              accumulated_attention_probs):
    """Returns log_probs with the penalties of arXiv 1609.08144 for long beams and missing coverage."""
    scores = log_probs / math_ops.cast(_length_penalty(lengths, length_penalty_weight), log_probs.dtype)
    weight = ops.convert_to_tensor(coverage_penalty_weight, name='coverage_penalty_weight')
    if weight.get_shape().ndims != 0:
        raise ValueError(f'coverage_penalty_weight should be a scalar, but saw shape: '
                         f'{weight.get_shape()}')
    if tensor_util.constant_value(weight) == 0.0:
        return scores
    if accumulated_attention_probs is None:
        raise ValueError('accumulated_attention_probs can be None only if '
                         'coverage_penalty_weight is 0.')
    probs = accumulated_attention_probs
    probs = array_ops.where(math_ops.equal(probs, 0.0), array_ops.ones_like(probs), probs)  # Padding of the source.
    penalty = math_ops.reduce_sum(gen.Log(gen.Minimum(probs, 1.0)), 2) * math_ops.cast(finished, dtypes.float32)
    return scores + array_ops.expand_dims(penalty * weight, 2)


def _length_penalty(lengths, weight):
    weight = ops.convert_to_tensor(weight, name='penalty_factor')
    weight.set_shape(())
    static = tensor_util.constant_value(weight)
    if static is not None and static == 0:
        return 1.0
    return math_ops.div((5. + math_ops.to_float(lengths)) ** weight, (5. + 1.) ** weight)
