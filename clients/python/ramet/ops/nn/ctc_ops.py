"""Connectionist temporal classification (CTC): the loss and the decoders."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_ops
from ramet.ops.array.array_basics import one_of
from ramet.ops.control_flow import map_fn
from ramet.ops.math import math_ops
from ramet.ops.nn import ctc_dense
from ramet.ops.nn.ctc_dense import dim_of

_SHORT_FLOATS = (dtypes.float16, dtypes.bfloat16)


@export('nn.ctc_loss')
def ctc_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False,
             ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False, time_major=True,
             logits=None):
    """Returns the CTC loss of each example; the last class is the blank.

    Args:
      labels: an int32 SparseTensor with a row of labels per example.
      inputs: logits [time, batch, classes].
      sequence_length: an int32 vector with the number of steps of each example.
      preprocess_collapse_repeated: whether to merge repeated labels first.
      ctc_merge_repeated: whether repeated classes without a blank between them are one label.
      ignore_longer_outputs_than_inputs: whether examples with more labels than steps have loss 0
        instead of an error.
      time_major: whether `inputs` are [time, batch, classes], not [batch, time, classes].
      logits: another name of `inputs`.

    Returns:
      A vector with the negative log probabilities.

    Raises:
      TypeError: if labels is not a SparseTensor.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError('Expected argument `labels` to be a SparseTensor. '
                        f'Received labels={labels} of type: {type(labels).__name__}')
    inputs = one_of('logits', logits, 'inputs', inputs)
    inputs = ops.convert_to_tensor(inputs, name='logits')
    if not time_major:
        inputs = array_ops.transpose(inputs, [1, 0, 2])
    dtype = inputs.dtype
    if dtype in _SHORT_FLOATS:
        inputs = math_ops.cast(inputs, dtypes.float32)
    loss = gen.CTCLoss(
        inputs, labels.indices, labels.values, sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs)[0]
    return math_ops.cast(loss, dtype) if dtype in _SHORT_FLOATS else loss


def _with_blank_last(labels, logits, blank_index):
    classes = dim_of(logits, 2)
    if blank_index < 0:
        blank_index += classes
    if blank_index == classes - 1:
        return labels, logits
    logits = array_ops.concat(
        [logits[:, :, :blank_index], logits[:, :, blank_index + 1:],
         logits[:, :, blank_index:blank_index + 1]], axis=2)
    values = array_ops.where(labels.values < blank_index, labels.values, labels.values - 1)
    return SparseTensor(labels.indices, values, labels.dense_shape), logits


@export('nn.ctc_loss_v2')
def ctc_loss_v2(labels, logits, label_length, logit_length, logits_time_major=True, unique=None,
                blank_index=None, name=None):
    """Returns the CTC loss of each example, for sparse or padded labels.

    Args:
      labels: int labels [batch, max_label_length], padded, or a SparseTensor with a row per example.
      logits: [time, batch, classes].
      label_length: a vector with the number of labels of each example; None if labels are sparse.
      logit_length: a vector with the number of steps of each example.
      logits_time_major: whether `logits` are [time, batch, classes], not [batch, time, classes].
      unique: the result of tf.nn.ctc_unique_labels for the labels, which can save work, or None.
      blank_index: the class of the blank; a negative one counts from the end. Defaults to 0 for
        padded labels.
      name: the name of the scope.

    Returns:
      A vector with the negative log probabilities.

    Raises:
      ValueError: if labels is a SparseTensor and blank_index is None.
    """
    if not isinstance(labels, SparseTensor):
        return ctc_loss_dense(labels, logits, label_length, logit_length, logits_time_major, unique,
                              0 if blank_index is None else blank_index, name)
    if blank_index is None:
        raise ValueError('Argument `blank_index` must be provided when labels is a SparseTensor.')
    labels, logits = _with_blank_last(labels, logits, blank_index)
    return ctc_loss(labels=labels, inputs=logits, sequence_length=logit_length,
                    time_major=logits_time_major)


def _with_blank_first(logits, labels, unique, blank_index):
    """Moves the blank to class 0 and numbers the labels accordingly."""
    if blank_index < 0:
        blank_index += dim_of(logits, 2)
    logits = array_ops.concat(
        [logits[:, :, blank_index:blank_index + 1], logits[:, :, :blank_index],
         logits[:, :, blank_index + 1:]], axis=2)
    labels = array_ops.where(labels < blank_index, labels + 1, labels)
    if not unique:
        return logits, labels, unique
    found, positions = unique
    found = array_ops.where(found < blank_index, found + 1, found)
    used = array_ops.sequence_mask(math_ops.reduce_max(positions, axis=1) + 1, dim_of(found, 1))
    return logits, labels, (array_ops.where(used, found, array_ops.zeros_like(found)), positions)


def ctc_loss_dense(labels, logits, label_length, logit_length, logits_time_major=True, unique=None,
                   blank_index=0, name=None):
    """Like tf.nn.ctc_loss_v2, for padded labels."""
    with ops.name_scope(name, 'ctc_loss_dense', [logits, labels, label_length, logit_length]):
        logits = ops.convert_to_tensor(logits, name='logits')
        labels = ops.convert_to_tensor(labels, name='labels')
        label_length = ops.convert_to_tensor(label_length, name='label_length')
        logit_length = ops.convert_to_tensor(logit_length, name='logit_length')
        dtype = logits.dtype
        if dtype in _SHORT_FLOATS:
            logits = math_ops.cast(logits, dtypes.float32)
        if not logits_time_major:
            logits = array_ops.transpose(logits, perm=[1, 0, 2])
        if blank_index != 0:
            logits, labels, unique = _with_blank_first(logits, labels, unique, blank_index)
        loss = ctc_dense.loss_of(logits, labels, label_length, logit_length)
        return math_ops.cast(loss, dtype) if dtype in _SHORT_FLOATS else loss


@export('nn.ctc_greedy_decoder')
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """Decodes the best class of each step.

    Args:
      inputs: logits [time, batch, classes].
      sequence_length: an int32 vector with the number of steps of each example.
      merge_repeated: whether repeated classes count once.
      blank_index: the class of the blank; a negative one counts from the end. Defaults to the last.

    Returns:
      A tuple ([SparseTensor of the labels, one row per example], [batch, 1] negative sums of the
      best logits).
    """
    indices, values, shape, score = gen.CTCGreedyDecoder(
        inputs, sequence_length, merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index)
    return [SparseTensor(indices, values, shape)], score


@export('nn.ctc_beam_search_decoder')
def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1,
                            merge_repeated=True):
    """Decodes the most likely label sequences with a beam search; the last class is the blank.

    Args:
      inputs: logits [time, batch, classes].
      sequence_length: an int32 vector with the number of steps of each example.
      beam_width: the number of candidates that are kept.
      top_paths: the number of sequences to return.
      merge_repeated: whether repeated labels of a result count once.

    Returns:
      A tuple (list of top_paths SparseTensors of the labels, one row per example, and the log
      probabilities [batch, top_paths]).
    """
    indices, values, shapes, score = gen.CTCBeamSearchDecoder(
        inputs, sequence_length, beam_width=beam_width, top_paths=top_paths,
        merge_repeated=merge_repeated)
    return [SparseTensor(*parts) for parts in zip(indices, values, shapes)], score


@export('nn.ctc_beam_search_decoder_v2')
@with_args_of(ctc_beam_search_decoder)
def ctc_beam_search_decoder_v2(inputs, sequence_length, beam_width=100, top_paths=1):
    """Like ctc_beam_search_decoder, but does not merge repeated labels."""
    return ctc_beam_search_decoder(inputs, sequence_length=sequence_length, beam_width=beam_width,
                                   top_paths=top_paths, merge_repeated=False)


@export('nn.collapse_repeated')
def collapse_repeated(labels, seq_length, name=None):
    """Merges repeated labels.

    Args:
      labels: [batch, max_length] labels.
      seq_length: a vector with the number of labels of each example.
      name: the name of the scope.

    Returns:
      A tuple (labels, padded with 0; the numbers of labels).
    """
    with ops.name_scope(name, 'collapse_repeated_labels', [labels, seq_length]):
        labels = ops.convert_to_tensor(labels, name='labels')
        seq_length = ops.convert_to_tensor(seq_length, name='seq_length')
        kept = array_ops.concat([array_ops.ones_like(labels[:, :1], dtypes.bool),
                                 gen.NotEqual(labels[:, 1:], labels[:, :-1])], axis=1)
        within = array_ops.sequence_mask(seq_length, maxlen=dim_of(labels, 1))
        kept = math_ops.logical_and(kept, within)
        counts = math_ops.reduce_sum(math_ops.cast(kept, dtypes.int32), axis=1)
        longest = math_ops.reduce_max(counts)
        places = array_ops.reshape(array_ops.sequence_mask(counts, maxlen=longest), [-1])
        numbers = math_ops.range(dim_of(places, 0))
        flat = array_ops.scatter_nd(
            array_ops.expand_dims(array_ops.boolean_mask(numbers, places), axis=1),
            array_ops.boolean_mask(array_ops.reshape(labels, [-1]), array_ops.reshape(kept, [-1])),
            array_ops.shape(places))
        return (array_ops.reshape(flat, [dim_of(labels, 0), longest]),
                math_ops.cast(counts, seq_length.dtype))


@export('nn.ctc_unique_labels')
def ctc_unique_labels(labels, name=None):
    """Returns the distinct labels of each example, for the argument `unique` of tf.nn.ctc_loss_v2.

    Args:
      labels: [batch, max_label_length] labels, padded with 0.
      name: the name of the scope.

    Returns:
      A tuple (int64 distinct labels, padded with 0; int32 positions of the labels in them), both of
      the shape of `labels`.
    """
    def unique_of(row):
        found, positions = gen.Unique(row)[:2]
        padding = [[0, dim_of(positions, 0) - dim_of(found, 0)]]
        return [math_ops.cast(array_ops.pad(found, padding), dtypes.int64), positions]

    with ops.name_scope(name, 'ctc_unique_labels', [labels]):
        labels = ops.convert_to_tensor(labels, name='labels')
        return map_fn.map_fn(unique_of, labels, dtype=[dtypes.int64, dtypes.int32])
