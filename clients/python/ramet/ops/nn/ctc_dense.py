"""The CTC loss of padded labels, by the forward-backward algorithm on logarithms.

Class 0 is the blank. An example with L labels has the states 0 (the start), 1 to L (the labels), and L + 1 to 2 L + 1
(the blanks behind the start and behind each label).
"""

import math

from ramet.framework import dtypes, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.control_flow import functional_ops
from ramet.ops.functions import custom_gradient
from ramet.ops.linalg import linalg_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation

_LOG_ZERO = -math.inf
# A finite number for states that a path cannot end in, so that sums with other logarithms stay numbers.
_LOG_TINY = math.log(1e-307)


def dim_of(tensor, i):
    """Returns dimension i of a tensor: an int if it is known and not 0, else a Tensor."""
    return tensor_shape.dimension_value(tensor.shape[i]) or array_ops.shape(tensor)[i]


def loss_of(logits, labels, label_length, logit_length):
    """Returns the loss of each example, with its own gradient for the logits."""
    @custom_gradient.custom_gradient
    def compute(logits, labels, label_length, logit_length):
        loss, slopes = _loss_and_slopes(logits, labels, label_length, logit_length)

        def grad(grad_loss):
            return [array_ops.reshape(grad_loss, [1, -1, 1]) * slopes, None, None, None]

        return loss, grad

    return compute(logits, labels, label_length, logit_length)


def _loss_and_slopes(logits, labels, label_length, logit_length):
    classes = dim_of(logits, 2)
    log_probabilities = nn_activation.log_softmax(logits)
    used = _time_mask(logit_length, dim_of(logits, 0))
    paths, log_likelihood = _forward_backward(
        math_ops.log(_transitions(labels)), _initial_states(label_length, dim_of(labels, 1)),
        _final_states(label_length, dim_of(labels, 1)),
        _state_probabilities(labels, classes, log_probabilities), used)
    expected = _class_probabilities(labels, classes, paths)
    slopes = math_ops.exp(log_probabilities) - math_ops.exp(expected)
    return -log_likelihood, slopes * array_ops.expand_dims(used, axis=2)


def _time_mask(logit_length, time):
    """Returns 1 for the steps of each example, [time, batch]."""
    mask = array_ops.sequence_mask(logit_length, time, dtypes.float32)
    return array_ops.transpose(mask, perm=[1, 0])


def _transitions(labels):
    """Returns which states may follow which, [batch, to, from]."""
    batch, length = dim_of(labels, 0), dim_of(labels, 1)
    states = 2 * (length + 1)
    label_states = math_ops.range(length + 1)
    blank_states = label_states + length + 1
    pairs = array_ops.concat(
        [[[1, 0]], array_ops.stack([label_states[1:], blank_states[:-1]], 1),
         array_ops.stack([blank_states, label_states], 1)], 0)
    common = array_ops.scatter_nd(pairs, array_ops.ones([dim_of(pairs, 0)]), [states, states])
    common += linalg_ops.eye(states)
    # Different neighbors may follow each other without a blank.
    places = array_ops.stack(
        [array_ops.zeros_like(label_states[2:]), label_states[2:], label_states[1:-1]], 1)
    places = array_ops.tile(array_ops.expand_dims(places, 0), [batch, 1, 1])
    places += array_ops.expand_dims(
        array_ops.expand_dims(math_ops.range(batch), 1) * [1, 0, 0], 1)
    differ = 1.0 - math_ops.cast(math_ops.equal(labels[:, :-1], labels[:, 1:]), dtypes.float32)
    return array_ops.expand_dims(common, 0) + array_ops.scatter_nd(
        places, differ, [batch, states, states])


def _initial_states(label_length, length):
    return array_ops.one_hot(
        array_ops.zeros([dim_of(label_length, 0)], dtype=dtypes.int32), depth=2 * (length + 1),
        on_value=0.0, off_value=_LOG_TINY, axis=1)


def _final_states(label_length, length):
    """A path ends in the last label or in the blank behind it."""
    last = array_ops.one_hot(label_length, depth=length + 1, axis=0)
    both = array_ops.ones([2, 1, dim_of(label_length, 0)]) * last
    states = array_ops.reshape((1.0 - both) * _LOG_TINY,
                               [2 * (length + 1), dim_of(label_length, 0)])
    return array_ops.transpose(states)


def _state_probabilities(labels, classes, log_probabilities):
    """Returns the log probability of the class of each state, [time, batch, states]."""
    blank = array_ops.tile(log_probabilities[:, :, :1], [1, 1, dim_of(labels, 1) + 1])
    chosen = array_ops.expand_dims(array_ops.one_hot(labels, depth=classes), axis=0)
    of_labels = math_ops.reduce_sum(array_ops.expand_dims(log_probabilities, axis=2) * chosen,
                                    axis=3)
    return array_ops.pad(array_ops.concat([of_labels, blank], axis=2), [[0, 0], [0, 0], [1, 0]],
                         constant_values=_LOG_ZERO)


def _class_probabilities(labels, classes, paths):
    """Sums the log probabilities of the states of each class, [time, batch, classes]."""
    count = dim_of(labels, 1) + 1
    blanks = math_ops.reduce_logsumexp(paths[:, :, count:], axis=2, keepdims=True)
    chosen = array_ops.one_hot(labels - 1, depth=classes - 1, on_value=0.0, off_value=_LOG_ZERO)
    of_labels = array_ops.expand_dims(paths[:, :, 1:count], axis=3)
    of_labels = math_ops.reduce_logsumexp(of_labels + array_ops.expand_dims(chosen, axis=0), axis=2)
    return array_ops.concat([blanks, of_labels], axis=-1)


def _step(states, transitions):
    """Returns the normalized log probabilities of the next states, and the logarithm of their sum."""
    states = math_ops.reduce_logsumexp(array_ops.expand_dims(states, axis=1) + transitions, axis=-1)
    total = math_ops.reduce_logsumexp(states, axis=-1, keepdims=True)
    return states - total, total


def _forward_backward(transitions, initial, final, observed, used):
    """Returns the log probabilities of the states, [time, batch, states], and of the labels."""
    def forward(states, observation):
        states = math_ops.reduce_logsumexp(
            array_ops.expand_dims(states, axis=1) + transitions, axis=-1) + observation
        return states - math_ops.reduce_logsumexp(states, axis=-1, keepdims=True)

    back = array_ops.transpose(transitions, [0, 2, 1])

    def backward(state, now):
        states, total = state
        observation, mask = now
        states, added = _step(states + observation, back)
        total += array_ops.squeeze(added, axis=[-1]) * mask
        mask = array_ops.expand_dims(mask, axis=1)
        return states * mask + final * (1.0 - mask), total

    ahead = functional_ops.scan(forward, observed, initial, back_prop=False)
    before, totals = functional_ops.scan(
        backward, (observed, used), (final, array_ops.zeros([dim_of(observed, 1)])),
        back_prop=False, reverse=True)
    log_likelihood = before[0, :, 0] + totals[0]
    after = array_ops.concat([before[1:], array_ops.expand_dims(final, 0)], axis=0)
    paths = ahead + after
    paths -= math_ops.reduce_logsumexp(paths, axis=2, keepdims=True)
    return paths + math_ops.log(array_ops.expand_dims(used, axis=2)), log_likelihood
