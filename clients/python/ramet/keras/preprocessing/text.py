"""Texts as sequences of integers."""

import collections
import hashlib
import json

import numpy as np

from ramet.api import export

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


@export('keras.preprocessing.text.text_to_word_sequence')
def text_to_word_sequence(text, filters=_FILTERS, lower=True, split=' '):
    """Returns the words of a text.

    Args:
      text: str.
      filters: the characters to replace by `split`.
      lower: whether to convert to lower case.
      split: the separator of words.
    """
    text = text.lower() if lower else text
    table = str.maketrans(dict.fromkeys(filters, split))
    return [word for word in text.translate(table).split(split) if word]


@export('keras.preprocessing.text.hashing_trick')
def hashing_trick(text, n, hash_function=None, filters=_FILTERS, lower=True, split=' '):
    """Returns a number from 1 to n - 1 for each word of a text, by a hash.

    Args:
      text: str.
      n: the number of different results, plus one.
      hash_function: a function from a word to an integer, 'md5', or None for Python's hash.
      filters, lower, split: see text_to_word_sequence.
    """
    if hash_function is None:
        hash_function = hash
    elif hash_function == 'md5':
        def hash_function(word):
            return int(hashlib.md5(word.encode()).hexdigest(), 16)
    return [hash_function(word) % (n - 1) + 1 for word in text_to_word_sequence(text, filters, lower, split)]


@export('keras.preprocessing.text.one_hot')
def one_hot(text, n, filters=_FILTERS, lower=True, split=' '):
    """Returns a number from 1 to n - 1 for each word of a text, by Python's hash.

    Args:
      text: str.
      n: the number of different results, plus one.
      filters, lower, split: see text_to_word_sequence.
    """
    return hashing_trick(text, n, hash_function=hash, filters=filters, lower=lower, split=split)


@export('keras.preprocessing.text.Tokenizer')
class Tokenizer:
    """Gives each word of a vocabulary a number, the most frequent first.

    Args:
      num_words: how many words to use, plus one; None for all.
      filters: the characters to remove.
      lower: whether to convert to lower case.
      split: the separator of words.
      char_level: whether characters are words.
      oov_token: a word that stands for unknown words, or None.
      document_count: the number of texts that were read before.
      **kwargs: `nb_words`, an old name of num_words.

    Attributes:
      word_counts: a dict from words to how often they occurred.
      word_docs: a dict from words to the number of texts with them.
      word_index, index_word: dicts from words to numbers and back.
    """

    def __init__(self, num_words=None, filters=_FILTERS, lower=True, split=' ', char_level=False, oov_token=None,
                 document_count=0, **kwargs):
        num_words = kwargs.pop('nb_words', num_words)
        if kwargs:
            raise TypeError(f'Unrecognized keyword arguments: {kwargs}')
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token, self.document_count = char_level, oov_token, document_count
        self.word_counts = collections.OrderedDict()
        self.word_docs, self.index_docs = collections.defaultdict(int), collections.defaultdict(int)
        self.word_index, self.index_word = {}, {}

    def _words(self, text):
        if isinstance(text, list) or self.char_level:
            lowered = self.lower
            return [w.lower() if lowered else w for w in text]
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts):
        """Adds the words of texts to the vocabulary.

        Args:
          texts: a list of texts, or of lists of words.
        """
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        ordered = sorted(self.word_counts.items(), key=lambda pair: -pair[1])
        vocabulary = ([] if self.oov_token is None else [self.oov_token]) + [word for word, _ in ordered]
        self.word_index = {word: i + 1 for i, word in enumerate(vocabulary)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        self.index_docs.update({self.word_index[word]: count for word, count in self.word_docs.items()})

    def fit_on_sequences(self, sequences):
        """Counts the numbers in sequences, for sequences_to_matrix.

        Args:
          sequences: a list of lists of numbers.
        """
        self.document_count += len(sequences)
        for sequence in sequences:
            for number in set(sequence):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts):
        """Returns the numbers of the words of texts.

        Args:
          texts: a list of texts, or of lists of words.
        """
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts):
        """Yields the numbers of the words of each text.

        Args:
          texts: a list of texts, or of lists of words.
        """
        unknown = self.word_index.get(self.oov_token)
        for text in texts:
            numbers = (self.word_index.get(word) for word in self._words(text))
            known = (unknown if i is None or (self.num_words and i >= self.num_words) else i for i in numbers)
            yield [i for i in known if i is not None]

    def sequences_to_texts(self, sequences):
        """Returns the texts of lists of numbers.

        Args:
          sequences: a list of lists of numbers.
        """
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences):
        """Yields the text of each list of numbers.

        Args:
          sequences: a list of lists of numbers.
        """
        for sequence in sequences:
            words = (self.index_word.get(i) if not self.num_words or i < self.num_words else None for i in sequence)
            yield ' '.join(w for w in (self.oov_token if word is None else word for word in words) if w is not None)

    def texts_to_matrix(self, texts, mode='binary'):
        """Returns a row for each text; see sequences_to_matrix.

        Args:
          texts: a list of texts.
          mode: 'binary', 'count', 'tfidf' or 'freq'.
        """
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode=mode)

    def sequences_to_matrix(self, sequences, mode='binary'):
        """Returns a row with a value for each number of the vocabulary, for each list of numbers.

        Args:
          sequences: a list of lists of numbers.
          mode: 'binary' (1 if it occurs), 'count', 'freq' (count by length) or 'tfidf'.

        Raises:
          ValueError: if the vocabulary is empty or the mode is unknown.
        """
        if not self.num_words and not self.word_index:
            raise ValueError('Specify a dimension (`num_words` argument), or fit on some text data first.')
        if mode not in ('binary', 'count', 'freq', 'tfidf'):
            raise ValueError('Unknown vectorization mode:', mode)
        if mode == 'tfidf' and not self.document_count:
            raise ValueError('Fit the Tokenizer on some data before using tfidf mode.')
        columns = self.num_words or len(self.word_index) + 1
        result = np.zeros((len(sequences), columns))
        for row, sequence in zip(result, sequences):
            for number, count in collections.Counter(i for i in sequence if i < columns).items():
                row[number] = self._value(mode, number, count, len(sequence))
        return result

    def _value(self, mode, number, count, length):
        if mode == 'tfidf':
            return (1 + np.log(count)) * np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
        return {'binary': 1, 'count': count, 'freq': count / length}[mode]

    def get_config(self):
        """Returns the vocabulary and the arguments as a dict that can be serialized as JSON."""
        own = {name: getattr(self, name) for name in ('num_words', 'filters', 'lower', 'split', 'char_level',
                                                      'oov_token', 'document_count')}
        return {**own, **{name: json.dumps(getattr(self, name)) for name in (
            'word_counts', 'word_docs', 'index_docs', 'index_word', 'word_index')}}

    def to_json(self, **kwargs):
        """Returns the vocabulary and the arguments as a string.

        Args:
          **kwargs: further arguments of json.dumps.
        """
        return json.dumps({'class_name': type(self).__name__, 'config': self.get_config()}, **kwargs)
