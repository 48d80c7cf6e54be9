"""tf.strings.ngrams."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.ragged import ragged_tensor
from ramet.ops.ragged.ragged_tensor import RaggedTensor

_PAD_TYPES = 'pad_values must be a string, tuple of strings, or None.'


@export('strings.ngrams')
def ngrams(data, ngram_width, separator=' ', pad_values=None, padding_width=None,
           preserve_short_sequences=False, name=None):
    """Returns the sequences of neighboring words in each row, joined to strings.

    Args:
      data: a string Tensor or RaggedTensor. The last dimension has the words.
      ngram_width: the number of words of each n-gram, an int or a list of ints.
      separator: the text between words.
      pad_values: a string that is added at both ends of a row, or a tuple of one for each end.
      padding_width: how many are added at most. Defaults to one less than the number of words.
      preserve_short_sequences: whether a row that is too short gives one n-gram of all its words.
      name: the name of the scope.

    Returns:
      A string Tensor, or a RaggedTensor if `data` is one.

    Raises:
      TypeError: if pad_values has a different type.
      ValueError: if a width is less than 1, the rank of `data` is not known or 0, or padding_width is
        given without pad_values.
    """
    with ops.name_scope(name, 'StringNGrams', [data]):
        left, right = _pads(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError('padding_width must be greater than 0.')
        if padding_width is not None and pad_values is None:
            raise ValueError('pad_values must be provided if padding_width is set.')
        data = ragged_tensor.convert(data) if is_ragged(data) else ops.convert_to_tensor(
            data, dtype=dtypes.string, name='data')
        attrs = dict(
            separator=separator, ngram_widths=_widths(ngram_width), left_pad=left, right_pad=right,
            pad_width=_pad_width(pad_values, padding_width),
            preserve_short_sequences=preserve_short_sequences)
        return _ngrams(data, attrs)


def _pads(pad_values):
    if pad_values is None:
        return '', ''
    if isinstance(pad_values, (str, bytes)):
        return pad_values, pad_values
    if isinstance(pad_values, (list, tuple)):
        if len(pad_values) != 2:
            raise TypeError(_PAD_TYPES)
        if not all(isinstance(value, (str, bytes)) for value in pad_values):
            raise TypeError(_PAD_TYPES)
        return pad_values
    raise TypeError(_PAD_TYPES)


def _pad_width(pad_values, padding_width):
    if pad_values is None:
        return 0
    return -1 if padding_width is None else padding_width


def _widths(ngram_width):
    widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    if min(widths) < 1:
        raise ValueError(f'All ngram_widths must be greater than 0. Got {ngram_width}')
    return widths


def _ngrams(data, attrs):
    rank = data.shape.rank
    if rank is None:
        raise ValueError('Rank of data must be known.')
    if rank == 0:
        raise ValueError('Data must have rank>0')
    if rank == 1:
        row = RaggedTensor.from_row_starts(data, [0], validate=False)
        return _ngrams(row, attrs).flat_values
    if not is_ragged(data):
        return _ngrams(RaggedTensor.from_tensor(data, ragged_rank=rank - 1), attrs).to_tensor()
    if data.ragged_rank > 1 or data.flat_values.shape.rank > 1:
        return data.with_values(_ngrams(data.values, attrs))
    words, splits = gen.StringNGrams(data=data.flat_values, data_splits=data.row_splits, **attrs)
    return RaggedTensor.from_row_splits(words, splits, validate=False)
