"""Sequences of integers as arrays."""

import json
import random

import numpy as np

from ramet.api import export
from ramet.keras.utils.data_utils import Sequence


@export('keras.preprocessing.sequence.pad_sequences')
def pad_sequences(sequences, maxlen=None, dtype='int32', padding='pre', truncating='pre', value=0.):
    """Returns sequences in an array, with values added or removed to give them the same length.

    Args:
      sequences: a list of lists.
      maxlen: the length, or None for the largest one.
      dtype: the type of the result.
      padding: 'pre' or 'post': where to add values.
      truncating: 'pre' or 'post': where to remove values.
      value: the value to add.

    Raises:
      ValueError: if an argument is invalid.
    """
    if not hasattr(sequences, '__len__'):
        raise ValueError('`sequences` must be iterable.')
    for sequence in sequences:
        if not hasattr(sequence, '__len__'):
            raise ValueError(f'`sequences` must be a list of iterables. Found non-iterable: {sequence}')
    if truncating not in ('pre', 'post'):
        raise ValueError(f'Truncating type "{truncating}" not understood')
    if padding not in ('pre', 'post'):
        raise ValueError(f'Padding type "{padding}" not understood')
    maxlen = max((len(s) for s in sequences), default=0) if maxlen is None else maxlen
    sample_shape = next((np.asarray(s).shape[1:] for s in sequences if len(s)), ())
    result = np.full((len(sequences), maxlen, *sample_shape), value, dtype=dtype)
    for row, sequence in zip(result, sequences):
        if not len(sequence):
            continue
        kept = np.asarray(sequence[-maxlen:] if truncating == 'pre' else sequence[:maxlen], dtype=dtype)
        if kept.shape[1:] != sample_shape:
            raise ValueError(f'Shape of sample {kept.shape[1:]} of sequence is different from expected shape '
                             f'{sample_shape}')
        if padding == 'post':
            row[:len(kept)] = kept
        elif len(kept):
            row[-len(kept):] = kept
    return result


@export('keras.preprocessing.sequence.make_sampling_table')
def make_sampling_table(size, sampling_factor=1e-5):
    """Returns the probability to keep each word of a vocabulary, the most frequent first, by Zipf's law.

    Args:
      size: the number of words.
      sampling_factor: a number; words that are more frequent are dropped.
    """
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + 0.577) + 0.5 - 1. / (12. * rank)
    fraction = sampling_factor * inverse
    return np.minimum(1., fraction / np.sqrt(fraction))


@export('keras.preprocessing.sequence.skipgrams')
def skipgrams(sequence, vocabulary_size, window_size=4, negative_samples=1., shuffle=True, categorical=False,
              sampling_table=None, seed=None):
    """Returns pairs of a word and a word in its context, and pairs of a word and a random word.

    Args:
      sequence: a list of the numbers of words. 0 is not a word.
      vocabulary_size: the number of words, plus one.
      window_size: how many words before and after a word are its context.
      negative_samples: the number of random pairs for each pair.
      shuffle: whether to shuffle the pairs.
      categorical: whether labels are [0, 1] and [1, 0] instead of 1 and 0.
      sampling_table: the probability to keep each word, or None.
      seed: an integer.

    Returns:
      A tuple of a list of pairs and a list of labels.
    """
    couples, labels = [], []
    for i, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < random.random()):
            continue
        for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
                labels.append([0, 1] if categorical else 1)
    if negative_samples > 0:
        count = int(len(labels) * negative_samples)
        words = [c[0] for c in couples]
        random.shuffle(words)
        couples += [[words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in range(count)]
        labels += [[1, 0] if categorical else 0] * count
    if shuffle:
        seed = random.randint(0, int(10e6)) if seed is None else seed
        for values in (couples, labels):
            random.seed(seed)
            random.shuffle(values)
    return couples, labels


@export('keras.preprocessing.sequence.TimeseriesGenerator')
class TimeseriesGenerator(Sequence):
    """Batches of windows of a time series.

    Args:
      data: an array; the first axis is time.
      targets: an array with the target of each time.
      length: the length of a window.
      sampling_rate: the distance of two times in a window.
      stride: the distance of two windows.
      start_index: the first time to use.
      end_index: the last time to use, or None for the end.
      shuffle: whether to take random windows.
      reverse: whether windows are in reverse order.
      batch_size: the number of windows in a batch.

    Raises:
      ValueError: if no window fits.
    """

    def __init__(self, data, targets, length, sampling_rate=1, stride=1, start_index=0, end_index=None, shuffle=False,
                 reverse=False, batch_size=128):
        if len(data) != len(targets):
            raise ValueError(f'Data and targets have to be of same length. Data length is {len(data)} while target '
                             f'length is {len(targets)}')
        self.data, self.targets = data, targets
        self.length, self.sampling_rate, self.stride = length, sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(f'`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as '
                             'no part of the sequence would be left to be used as current step.')

    def __len__(self):
        span = self.batch_size * self.stride
        return (self.end_index - self.start_index + span) // span

    def __getitem__(self, index):
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            begin = self.start_index + self.batch_size * self.stride * index
            rows = np.arange(begin, min(begin + self.batch_size * self.stride, self.end_index + 1), self.stride)
        samples = np.array([self.data[row - self.length:row:self.sampling_rate] for row in rows])
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1, ...] if self.reverse else samples), targets

    def get_config(self):
        """Returns the arguments as a dict that can be serialized as JSON."""
        def plain(value):
            return value.tolist() if isinstance(value, np.ndarray) else list(value)

        return {'data': json.dumps(plain(self.data)), 'targets': json.dumps(plain(self.targets)),
                'length': self.length, 'sampling_rate': self.sampling_rate, 'stride': self.stride,
                'start_index': self.start_index, 'end_index': self.end_index, 'shuffle': self.shuffle,
                'reverse': self.reverse, 'batch_size': self.batch_size}
