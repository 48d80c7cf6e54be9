"""tf.contrib.learn.preprocessing: texts as arrays of the numbers of their words."""

import pickle
import re

import numpy as np

from ramet.api import export, export_value
from ramet.lib.file_io import FileIO

TOKENIZER_RE = export_value('contrib.learn.preprocessing.TOKENIZER_RE',
                            re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE))


@export('contrib.learn.preprocessing.tokenizer')
def tokenizer(iterator):
    """Yields the list of the words of each text.

    Args:
      iterator: an iterable of str.
    """
    for text in iterator:
        yield TOKENIZER_RE.findall(text)


class CategoricalVocabulary:
    """Maps categories to numbers. 0 stands for unknown categories. Grows until it is frozen."""

    def __init__(self, unknown_token='<UNK>', support_reverse=True):
        """Creates the vocabulary.

        Args:
          unknown_token: str, the name of unknown categories.
          support_reverse: whether numbers can be mapped to categories.
        """
        self._unknown_token = unknown_token
        self._mapping = {unknown_token: 0}
        self._support_reverse = support_reverse
        self._reverse_mapping = [unknown_token] if support_reverse else None
        self._freq = {}
        self._freeze = False

    def __len__(self):
        return len(self._mapping)

    def freeze(self, freeze=True):
        """Stops the growth of the vocabulary, or lets it grow again.

        Args:
          freeze: whether it is frozen.
        """
        self._freeze = freeze

    def get(self, category):
        """Returns the number of a category, a new one if the vocabulary is not frozen.

        Args:
          category: any hashable object.
        """
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category, count=1):
        """Counts a category, which gets a number if the vocabulary is not frozen.

        Args:
          category: any hashable object.
          count: int, how often it occurs.
        """
        if self.get(category) > 0:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency, max_frequency=-1):
        """Removes categories that are rare or very frequent. The others are numbered again, the most frequent first.

        Args:
          min_frequency: int; categories that occur at most this often are removed.
          max_frequency: int; categories that occur at least this often are removed, if it is positive.
        """
        kept = sorted(sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0])),
                      key=lambda item: item[1], reverse=True)
        kept = [(category, count) for category, count in kept
                if count > min_frequency and (max_frequency <= 0 or count < max_frequency)]
        self._freq = dict(kept)
        self._mapping = {self._unknown_token: 0}
        if self._support_reverse:
            self._reverse_mapping = [self._unknown_token]
        for category, _ in kept:
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)

    def reverse(self, class_id):
        """Returns the category with a number.

        Args:
          class_id: int.

        Raises:
          ValueError: if the vocabulary does not support it.
        """
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]


@export('contrib.learn.preprocessing.VocabularyProcessor')
class VocabularyProcessor:
    """Maps texts to arrays of the numbers of their words.

    Attributes:
      max_document_length: the length of the arrays.
      min_frequency: the number of occurrences of a word that are too few.
      vocabulary_: the CategoricalVocabulary.
    """

    def __init__(self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None):
        """Creates the processor.

        Args:
          max_document_length: int, the length of the arrays. Longer texts are cut, shorter ones are filled with 0.
          min_frequency: int; words that occur at most this often become unknown.
          vocabulary: a CategoricalVocabulary, or None for a new one.
          tokenizer_fn: a function from an iterable of str to an iterable of lists of words, or None for `tokenizer`.
        """
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents, unused_y=None):
        """Learns the words of texts, and freezes the vocabulary.

        Args:
          raw_documents: an iterable of str.

        Returns:
          This processor.
        """
        del unused_y
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents, unused_y=None):
        """Learns the words of texts, and yields the numbers of their words.

        Args:
          raw_documents: an iterable of str that can be read twice.
        """
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents):
        """Yields an int64 array of the numbers of the words for each text.

        Args:
          raw_documents: an iterable of str.
        """
        for words in self._tokenizer(raw_documents):
            numbers = np.zeros(self.max_document_length, np.int64)
            for at, word in enumerate(words[:self.max_document_length]):
                numbers[at] = self.vocabulary_.get(word)
            yield numbers

    def reverse(self, documents):
        """Yields the text for each array of numbers, its words separated by spaces.

        Args:
          documents: an iterable of arrays of numbers.
        """
        for numbers in documents:
            yield ' '.join(self.vocabulary_.reverse(number) for number in numbers)

    def save(self, filename):
        """Writes the processor into a file, with pickle.

        Args:
          filename: str.
        """
        with FileIO(filename, 'wb') as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename):
        """Returns the processor in a file. A file of an untrusted source can run any code.

        Args:
          filename: str.
        """
        with FileIO(filename, 'rb') as file:
            return pickle.loads(file.read())


@export('contrib.learn.preprocessing.ByteProcessor')
class ByteProcessor:
    """Maps texts to arrays of their bytes."""

    def __init__(self, max_document_length):
        """Creates the processor.

        Args:
          max_document_length: int, the length of the arrays. Longer texts are cut, shorter ones are filled with 0.
        """
        self.max_document_length = max_document_length

    def fit(self, x):
        """Does nothing, and returns this processor.

        Args:
          x: ignored.
        """
        del x
        return self

    def transform(self, x):
        """Yields an array of bytes for each text.

        Args:
          x: an iterable of str or bytes.
        """
        for text in x:
            data = text.encode() if isinstance(text, str) else bytes(text)
            data = data[:self.max_document_length]
            yield np.frombuffer(data.ljust(self.max_document_length, b'\0'), np.uint8)

    def fit_transform(self, x):
        """Yields an array of bytes for each text.

        Args:
          x: an iterable of str or bytes.
        """
        return self.fit(x).transform(x)

    def reverse(self, x):
        """Yields the text for each array of bytes.

        Args:
          x: an iterable of arrays of bytes.
        """
        for data in x:
            yield bytes(np.asarray(data, np.uint8)).rstrip(b'\0').decode(errors='ignore')
