"""Strings as ragged tensors of code points, characters, bytes, words and n-grams."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_join
from ramet.ops.ragged import ragged_array, ragged_tensor
from ramet.ops.ragged.ragged_tensor import RaggedTensor


def _strings(value, name='input'):
    """Converts a value to a Tensor or RaggedTensor of strings."""
    if is_ragged(value):
        return ragged_tensor.convert(value)
    return ops.convert_to_tensor(value, dtype=dtypes.string, name=name)


def _ragged_rows(indices, values, shape, nrows=None):
    """Makes a ragged tensor of the parts of a sparse one. The number of rows may be known as an int."""
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    rows = RaggedTensor.from_value_rowids(values, indices[:, 0], nrows=shape[0], validate=False)
    if nrows is not None:
        rows.row_splits.set_shape([nrows + 1])
    return rows


def _by_rows(split, strings, unknown):
    """Splits strings of any rank with a function that splits those of a vector.

    Args:
      split: a function from a string vector to a RaggedTensor with a row for each.
      strings: a Tensor or RaggedTensor.
      unknown: the error for an unknown rank.
    """
    if is_ragged(strings):
        return strings.with_flat_values(_by_rows(split, strings.flat_values, unknown))
    rank = strings.shape.rank
    if rank is None:
        raise ValueError(unknown)
    if rank == 0:
        return split(array_join.stack([strings]))[0]
    if rank == 1:
        return split(strings)
    return _by_rows(split, RaggedTensor.from_tensor(strings, ragged_rank=rank - 1), unknown)


@export('strings.bytes_split')
def string_bytes_split(input, name=None):
    """Splits strings into their bytes.

    Args:
      input: a string Tensor or RaggedTensor whose rank is known.
      name: the name of the scope.

    Returns:
      A RaggedTensor with a row for each string, or a vector for a single string.

    Raises:
      ValueError: if the rank of `input` is not known.
    """
    with ops.name_scope(name, 'StringsByteSplit', [input]):
        def split(strings):
            parts = gen.StringSplit(strings, delimiter='', skip_empty=False)
            return _ragged_rows(*parts, strings.shape[0].value)

        return _by_rows(split, _strings(input), 'input must have a statically-known rank.')


def split_words(input, sep, maxsplit):
    """Splits strings at a separator: tf.strings.split with a ragged result.

    Args:
      input: a string Tensor or RaggedTensor whose rank is known.
      sep: the separator, or None for any white space.
      maxsplit: the maximum number of splits, or -1 for no limit.

    Raises:
      ValueError: if the rank of `input` is not known.
    """
    sep = ops.convert_to_tensor('' if sep is None else sep, dtype=dtypes.string)

    def split(strings):
        parts = gen.StringSplitV2(strings, sep=sep, maxsplit=maxsplit)
        return _ragged_rows(*parts, strings.shape[0].value)

    return _by_rows(split, _strings(input), 'input must have a known rank.')


def ragged_of_sparse(sparse, nrows):
    """Returns a ragged tensor with the rows of a SparseTensor of rank 2.

    Args:
      sparse: a SparseTensor whose rows have their values at the beginning.
      nrows: the number of rows as an int, or None.
    """
    return _ragged_rows(sparse.indices, sparse.values, sparse.dense_shape, nrows)


def _decoded(input, encoding, errors, replacement_char, replace_control, with_offsets):
    """Returns the code points of strings, and the offsets of their bytes or None."""
    if is_ragged(input):
        input = ragged_tensor.convert(input)
    else:
        input = ops.convert_to_tensor(input, dtype=dtypes.string, name='input')
    rank = input.shape.rank
    if rank is None:
        raise ValueError('Rank of `input` must be statically known.')
    if rank > 1:
        input = _fully_ragged(input, rank)
    flat = input.flat_values if is_ragged(input) else input
    build = gen.UnicodeDecodeWithOffsets if with_offsets else gen.UnicodeDecode
    splits, *parts = build(
        array_basics.reshape(flat, [-1]), input_encoding=encoding, errors=errors,
        replacement_char=replacement_char, replace_control_characters=replace_control)
    return [_in_rows(part, splits, input, rank) for part in parts]


def _fully_ragged(input, rank):
    """Makes all dimensions but the first ragged."""
    if not is_ragged(input):
        return RaggedTensor.from_tensor(input, ragged_rank=rank - 1)
    if input.ragged_rank < rank - 1:
        return input.with_flat_values(RaggedTensor.from_tensor(
            input.flat_values, ragged_rank=rank - input.ragged_rank - 1))
    return input


def _in_rows(values, splits, input, rank):
    if rank == 0:
        return values
    rows = RaggedTensor.from_row_splits(values, splits, validate=False)
    return input.with_flat_values(rows) if rank > 1 else rows


@export('strings.unicode_decode')
def unicode_decode(input, input_encoding, errors='replace', replacement_char=65533,
                   replace_control_characters=False, name=None):
    """Returns the code points of strings.

    Args:
      input: a string Tensor or RaggedTensor whose rank is known.
      input_encoding: the name of the encoding, such as 'UTF-8'.
      errors: 'strict' to fail for malformed input, 'replace' or 'ignore'.
      replacement_char: the code point that replaces malformed input.
      replace_control_characters: whether control characters below U+0020 count as malformed.
      name: the name of the scope.

    Returns:
      A RaggedTensor of int32 with a row for each string, or a vector for a single string.

    Raises:
      ValueError: if the rank of `input` is not known.
    """
    with ops.name_scope(name, 'UnicodeDecode', [input]):
        return _decoded(input, input_encoding, errors, replacement_char, replace_control_characters,
                        False)[0]


@export('strings.unicode_decode_with_offsets')
def unicode_decode_with_offsets(input, input_encoding, errors='replace', replacement_char=65533,
                                replace_control_characters=False, name=None):
    """Returns the code points of strings, and where each begins.

    Args:
      input: a string Tensor or RaggedTensor whose rank is known.
      input_encoding: the name of the encoding, such as 'UTF-8'.
      errors: 'strict' to fail for malformed input, 'replace' or 'ignore'.
      replacement_char: the code point that replaces malformed input.
      replace_control_characters: whether control characters below U+0020 count as malformed.
      name: the name of the scope.

    Returns:
      A tuple of two RaggedTensors, or vectors for a single string: int32 code points, and the int64
      offset of each in bytes.

    Raises:
      ValueError: if the rank of `input` is not known.
    """
    with ops.name_scope(name, 'UnicodeDecodeWithOffsets', [input]):
        return tuple(_decoded(input, input_encoding, errors, replacement_char,
                              replace_control_characters, True))


@export('strings.unicode_split')
def unicode_split(input, input_encoding, errors='replace', replacement_char=65533, name=None):
    """Splits strings into their characters.

    Args:
      input: a string Tensor or RaggedTensor whose rank is known.
      input_encoding: the name of the encoding: 'UTF-8', 'UTF-16-BE' or 'UTF-32-BE'.
      errors: 'strict' to fail for malformed input, 'replace' or 'ignore'.
      replacement_char: the code point that replaces malformed input.
      name: the name of the scope.

    Returns:
      A RaggedTensor of strings with a row for each string, or a vector for a single string.

    Raises:
      ValueError: if the rank of `input` is not known.
    """
    with ops.name_scope(name, 'UnicodeSplit', [input]):
        points, = _decoded(input, input_encoding, errors, replacement_char, False, False)
        return _characters(points, input_encoding, errors, replacement_char)


@export('strings.unicode_split_with_offsets')
def unicode_split_with_offsets(input, input_encoding, errors='replace', replacement_char=65533, name=None):
    """Splits strings into their characters, and returns where each begins.

    Args:
      input: a string Tensor or RaggedTensor whose rank is known.
      input_encoding: the name of the encoding: 'UTF-8', 'UTF-16-BE' or 'UTF-32-BE'.
      errors: 'strict' to fail for malformed input, 'replace' or 'ignore'.
      replacement_char: the code point that replaces malformed input.
      name: the name of the scope.

    Returns:
      A tuple of two RaggedTensors, or vectors for a single string: characters, and the int64 offset of
      each in bytes.

    Raises:
      ValueError: if the rank of `input` is not known.
    """
    with ops.name_scope(name, 'UnicodeSplitWithOffsets', [input]):
        points, offsets = _decoded(input, input_encoding, errors, replacement_char, False, True)
        return _characters(points, input_encoding, errors, replacement_char), offsets


def _characters(points, encoding, errors, replacement_char):
    """Encodes each code point as a string."""
    single = ragged_array.expand_dims(points, -1) if is_ragged(points) else array_basics.expand_dims(
        points, -1)
    return unicode_encode(single, encoding, errors=errors, replacement_char=replacement_char)


@export('strings.unicode_encode')
def unicode_encode(input, output_encoding, errors='replace', replacement_char=65533, name=None):
    """Returns strings with the given code points.

    Args:
      input: an int32 Tensor or RaggedTensor whose rank is known. The last dimension has the code points
        of each string.
      output_encoding: 'UTF-8', 'UTF-16-BE' or 'UTF-32-BE'.
      errors: 'strict' to fail for values that are not code points, 'replace' or 'ignore'.
      replacement_char: the code point that replaces them.
      name: the name of the scope.

    Returns:
      A string Tensor or RaggedTensor without the last dimension of `input`.

    Raises:
      ValueError: if the rank of `input` is not known, or is 0.
    """

    def encode(ragged):
        return gen.UnicodeEncode(
            input_values=ragged.values, input_splits=ragged.row_splits, errors=errors,
            replacement_char=replacement_char, output_encoding=output_encoding)

    with ops.name_scope(name, 'UnicodeEncode', [input]):
        input = ragged_tensor.convert(input, name='input')
        if input.shape.rank is None:
            raise ValueError('Rank of input_tensor must be statically known.')
        return _encoded(encode, input)


def _encoded(encode, input):
    """Encodes code points of any rank with a function that encodes the rows of a ragged tensor."""
    if is_ragged(input):
        if input.flat_values.shape.rank > 1:
            return input.with_flat_values(_encoded(encode, input.flat_values))
        if input.ragged_rank > 1:
            return input.with_values(_encoded(encode, input.values))
        return encode(input)
    rank = input.shape.rank
    if rank == 0:
        raise ValueError("input_tensor's rank must be at least 1.")
    if rank == 1:
        splits = array_join.stack([0, array_basics.shape(input, out_type=dtypes.int32)[0]])
        rows = RaggedTensor.from_row_splits(input, splits, validate=False)
        return array_basics.reshape(encode(rows), [])
    if rank == 2:
        return encode(RaggedTensor.from_tensor(input))
    sizes = array_basics.shape(input)
    flat = array_basics.reshape(input, array_join.stack([-1, sizes[-1]]))
    result = array_basics.reshape(_encoded(encode, flat), sizes[:-1])
    result.set_shape(input.shape[:-1])
    return result
