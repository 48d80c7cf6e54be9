"""Losses of lists of logits, and models with buckets of sequence lengths."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_loss
from ramet.ops.variables import variable_scope


@export('contrib.legacy_seq2seq.sequence_loss_by_example')
def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True,
                             softmax_loss_function=None, name=None):
    """Returns the weighted cross-entropy of each sequence of a batch.

    Args:
      logits: a list of tensors [batch, symbols].
      targets: a list of int32 vectors [batch].
      weights: a list of float vectors [batch].
      average_across_timesteps: whether to divide the sum over time by the sum of the weights.
      softmax_loss_function: a function (labels=..., logits=...) that returns the losses of a batch,
        or None for the cross-entropy.
      name: the name of the scope. Defaults to "sequence_loss_by_example".

    Returns:
      A float vector [batch], the logarithm of the perplexity of each sequence.

    Raises:
      ValueError: if the lists have different lengths.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError('Lengths of logits, weights, and targets must be the same '
                         f'{len(logits)}, {len(weights)}, {len(targets)}.')
    with ops.name_scope(name, 'sequence_loss_by_example', [*logits, *targets, *weights]):
        losses = []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            if softmax_loss_function is None:
                loss = nn_loss.sparse_softmax_cross_entropy_with_logits(
                    labels=array_ops.reshape(target, [-1]), logits=logit)
            else:
                loss = softmax_loss_function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = math_ops.add_n(losses)
        if average_across_timesteps:
            size = math_ops.add_n(weights)
            size += 1e-12  # Avoids a division by zero for sequences whose weights are all zero.
            total /= size
        return total


@export('contrib.legacy_seq2seq.sequence_loss')
@with_args_of(sequence_loss_by_example)
def sequence_loss(logits, targets, weights, average_across_timesteps=True,
                  average_across_batch=True, softmax_loss_function=None, name=None):
    """Returns the weighted cross-entropy of a batch of sequences.

    Args:
      average_across_batch: whether to divide the sum over the sequences by their number.
      name: the name of the scope. Defaults to "sequence_loss".

    Returns:
      A scalar.

    Raises:
      ValueError: if the lists have different lengths.
    """
    with ops.name_scope(name, 'sequence_loss', [*logits, *targets, *weights]):
        cost = math_ops.reduce_sum(sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps=average_across_timesteps,
            softmax_loss_function=softmax_loss_function))
        if not average_across_batch:
            return cost
        return cost / math_ops.cast(array_ops.shape(targets[0])[0], cost.dtype)


def _check_lengths(last_bucket, encoder_inputs, targets, weights):
    for what, values, needed in (('encoder_inputs', encoder_inputs, last_bucket[0]),
                                 ('targets', targets, last_bucket[1]),
                                 ('weights', weights, last_bucket[1])):
        if len(values) < needed:
            raise ValueError(f'Length of {what} ({len(values)}) must be at least that of last '
                             f'bucket ({needed}).')


@export('contrib.legacy_seq2seq.model_with_buckets')
def model_with_buckets(encoder_inputs, decoder_inputs, targets, weights, buckets, seq2seq,
                       softmax_loss_function=None, per_example_loss=False, name=None):
    """Builds a model for each of several pairs of sequence lengths; the models share their variables.

    Args:
      encoder_inputs: a list of tensors, the inputs of the encoder.
      decoder_inputs: a list of tensors, the inputs of the decoder.
      targets: a list of int32 vectors [batch].
      weights: a list of float vectors [batch].
      buckets: a list of pairs (length of the encoder's input, length of the decoder's), the longest last.
      seq2seq: a function (encoder inputs, decoder inputs) that returns outputs and states.
      softmax_loss_function: see sequence_loss.
      per_example_loss: whether the losses are vectors [batch] instead of scalars.
      name: the name of the scope. Defaults to "model_with_buckets".

    Returns:
      For each bucket, the outputs and the loss: (list of lists, list of tensors).

    Raises:
      ValueError: if a list is shorter than the last bucket.
    """
    _check_lengths(buckets[-1], encoder_inputs, targets, weights)
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with ops.name_scope(name, 'model_with_buckets',
                       [*encoder_inputs, *decoder_inputs, *targets, *weights]):
        for j, (source, target) in enumerate(buckets):
            with variable_scope.variable_scope(variable_scope.get_variable_scope(), reuse=True if j > 0 else None):
                made, _ = seq2seq(encoder_inputs[:source], decoder_inputs[:target])
                outputs.append(made)
                losses.append(loss(made, targets[:target], weights[:target],
                                   softmax_loss_function=softmax_loss_function))
    return outputs, losses
