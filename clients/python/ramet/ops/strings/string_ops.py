"""Strings: joining, splitting, searching, and conversion to numbers."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, ragged_hooks
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_basics
from ramet.ops.array.array_basics import one_of
from ramet.ops.math import math_range


@export('string_join', 'strings.join')
def string_join(inputs, separator='', name=None):
    """Joins strings element-wise.

    Args:
      inputs: a list of string tensors. Scalars are broadcast.
      separator: the text to insert between them.
      name: the name of the node.

    Returns:
      A string tensor.
    """
    return gen.StringJoin(inputs, separator=separator, name=name)


@export('reduce_join', 'strings.reduce_join')
def reduce_join(inputs, axis=None, keep_dims=None, separator='', name=None,
                reduction_indices=None, keepdims=None):
    """Joins the strings along dimensions.

    Args:
      inputs: a string tensor.
      axis: the dimensions, in the order of joining. Defaults to all.
      keep_dims: deprecated name of `keepdims`.
      separator: the text to insert between them.
      name: the name of the node.
      reduction_indices: deprecated name of `axis`.
      keepdims: whether to keep the dimensions with size 1.

    Returns:
      A string tensor.

    Raises:
      ValueError: if an argument is given with both names.
    """
    keepdims = one_of('keepdims', keepdims, 'keep_dims', keep_dims, False)
    axis = one_of('axis', axis, 'reduction_indices', reduction_indices)
    with ops.name_scope(name, 'ReduceJoin', [inputs]):
        inputs = ops.convert_to_tensor(inputs)
        return gen.ReduceJoin(inputs=inputs, reduction_indices=_join_dims(inputs, axis),
                              keep_dims=keepdims, separator=separator)


def _join_dims(inputs, axis):
    """Returns `axis`, or all dimensions, the last one first."""
    if axis is not None:
        return axis
    rank = inputs.shape.rank
    if rank is not None:
        return constant_op.constant(list(range(rank - 1, -1, -1)), dtype=dtypes.int32)
    return math_range.range(array_basics.rank(inputs) - 1, -1, -1)


@export('regex_replace', 'strings.regex_replace')
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    """Replaces matches of a regular expression (re2).

    Args:
      input: a string tensor.
      pattern: a string or a scalar tensor.
      rewrite: a string or a scalar tensor. \\\\1 and so on refer to groups.
      replace_global: whether to replace all matches instead of only the first one.
      name: the name of the node.

    Returns:
      A string tensor like `input`.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return gen.StaticRegexReplace(input=input, pattern=pattern, rewrite=rewrite,
                                      replace_global=replace_global, name=name)
    return gen.RegexReplace(input=input, pattern=pattern, rewrite=rewrite,
                            replace_global=replace_global, name=name)


@export('strings.regex_full_match')
def regex_full_match(input, pattern, name=None):
    """Returns whether each string matches a regular expression (re2) completely.

    Args:
      input: a string tensor.
      pattern: a string or a scalar tensor.
      name: the name of the node.

    Returns:
      A bool tensor.
    """
    if isinstance(pattern, (str, bytes)):
        return gen.StaticRegexFullMatch(input=input, pattern=pattern, name=name)
    return gen.RegexFullMatch(input=input, pattern=pattern, name=name)


@export('strings.length')
def string_length(input, name=None, unit='BYTE'):
    """Returns the lengths of strings.

    Args:
      input: a string tensor.
      name: the name of the node.
      unit: 'BYTE' or 'UTF8_CHAR'.

    Returns:
      An int32 tensor.
    """
    return gen.StringLength(input, unit=unit, name=name)


@export('substr')
def substr_deprecated(input, pos, len, name=None, unit='BYTE'):
    """Returns substrings. Deprecated: use tf.strings.substr.

    Args:
      input: a string tensor.
      pos: an int32 or int64 tensor, the start positions. Negative ones count from the end.
      len: a tensor of the same dtype, the lengths.
      name: the name of the node.
      unit: 'BYTE' or 'UTF8_CHAR'.

    Returns:
      A string tensor.
    """
    return substr(input, pos, len, name=name, unit=unit)


@export('strings.substr')
def substr(input, pos, len, name=None, unit='BYTE'):
    """Returns substrings.

    Args:
      input: a string tensor.
      pos: an int32 or int64 tensor, the start positions. Negative ones count from the end.
      len: a tensor of the same dtype, the lengths.
      name: the name of the node.
      unit: 'BYTE' or 'UTF8_CHAR'.

    Returns:
      A string tensor.
    """
    return gen.Substr(input, pos, len, unit=unit, name=name)


@export('string_to_number', 'strings.to_number')
def string_to_number(string_tensor=None, out_type=dtypes.float32, name=None, input=None):
    """Converts strings to numbers.

    Args:
      string_tensor: a string tensor.
      out_type: float32, float64, int32 or int64.
      name: the name of the node.
      input: another name of `string_tensor`.

    Returns:
      A tensor of `out_type`.
    """
    string_tensor = one_of('input', input, 'string_tensor', string_tensor)
    return gen.StringToNumber(string_tensor, out_type, name=name)


@export('string_to_hash_bucket', 'strings.to_hash_bucket')
def string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):
    """Returns a hash bucket for each string.

    Args:
      string_tensor: a string tensor.
      num_buckets: an int.
      name: the name of the node.
      input: another name of `string_tensor`.

    Returns:
      An int64 tensor.
    """
    string_tensor = one_of('input', input, 'string_tensor', string_tensor)
    return gen.StringToHashBucket(string_tensor, num_buckets, name=name)


@export('strings.format')
def string_format(template, inputs, placeholder='{}', summarize=3, name=None):
    """Formats the values of tensors as text.

    Args:
      template: a string that contains `placeholder` for each value.
      inputs: a tensor or a list.
      placeholder: the text that is replaced by a value.
      summarize: the number of elements to show at each end of a dimension, or -1 for all.
      name: the name of the node.

    Returns:
      A string scalar.

    Raises:
      ValueError: if the numbers of placeholders and values differ.
    """
    if tensor_like(inputs):
        inputs = [inputs]
    places = template.count(placeholder)
    if places != len(inputs):
        raise ValueError(f'The template expects {places} tensors, but the inputs only has '
                         f'{len(inputs)}. Please ensure the number of placeholders in template '
                         'matches inputs length.')
    return gen.StringFormat(inputs, template=template, placeholder=placeholder,
                            summarize=summarize, name=name)


def tensor_like(value):
    return isinstance(value, (ops.Tensor, SparseTensor)) or hasattr(value, '_ref')


@export('strings.unsorted_segment_join')
def unsorted_segment_join(inputs, segment_ids, num_segments, separator='', name=None):
    """Joins the strings of each segment.

    Args:
      inputs: a string tensor.
      segment_ids: an integer tensor, its shape a prefix of that of `inputs`.
      num_segments: an integer scalar.
      separator: the text to insert between them.
      name: the name of the node.

    Returns:
      A string tensor with `num_segments` rows.
    """
    return gen.UnsortedSegmentJoin(inputs, segment_ids, num_segments, separator=separator,
                                   name=name)


@export('string_split')
def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type='SparseTensor',
                 name=None):
    """Splits strings at any character of a delimiter.

    Args:
      source: a string vector.
      sep: the characters. Defaults to a space.
      skip_empty: whether to leave out empty pieces.
      delimiter: deprecated name of `sep`.
      result_type: 'SparseTensor' or 'RaggedTensor'.
      name: the name of the node.

    Returns:
      A SparseTensor or RaggedTensor of strings with one row per element.

    Raises:
      ValueError: if `result_type` is something else.
    """
    with ops.name_scope(name, 'StringSplit', [source]):
        sep = one_of('sep', sep, 'delimiter', delimiter)
        if sep is None:
            sep = ' '
        sep = ops.convert_to_tensor(sep, dtype=dtypes.string)
        source = ops.convert_to_tensor(source, dtype=dtypes.string)
        indices, values, shape = gen.StringSplit(source, delimiter=sep, skip_empty=skip_empty)
        return _result(indices, values, shape, source, result_type)


def _result(indices, values, shape, strings, result_type):
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    sparse = SparseTensor(indices, values, shape)
    if result_type == 'SparseTensor':
        return sparse
    if result_type == 'RaggedTensor':
        from ramet.ops.ragged import ragged_strings  # deferred: start-up time, for many modules

        return ragged_strings.ragged_of_sparse(sparse, strings.shape.with_rank(1)[0].value)
    raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


@export('strings.split')
def strings_split(input=None, sep=None, maxsplit=-1, result_type='SparseTensor', source=None,
                  name=None):
    """Splits strings at a separator, or at white space.

    Args:
      input: a string Tensor or RaggedTensor.
      sep: the separator. Defaults to any white space.
      maxsplit: the maximum number of splits, or -1 for no limit.
      result_type: 'SparseTensor' or 'RaggedTensor'.
      source: deprecated name of `input`.
      name: the name of the scope.

    Returns:
      A SparseTensor or RaggedTensor of strings with one row per element.

    Raises:
      ValueError: if `result_type` is something else.
    """
    input = one_of('input', input, 'source', source)
    if result_type not in ('SparseTensor', 'RaggedTensor'):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    with ops.name_scope(name, 'StringSplit', [input]):
        if not ragged_hooks.is_ragged(input):
            input = ops.convert_to_tensor(input, dtype=dtypes.string, name='input')
            if input.shape.rank == 0:
                input = array_basics.expand_dims(input, 0)
            if result_type == 'SparseTensor' and input.shape.rank in (1, None):
                sep = ops.convert_to_tensor('' if sep is None else sep, dtype=dtypes.string)
                indices, values, shape = gen.StringSplitV2(input, sep=sep, maxsplit=maxsplit)
                return _result(indices, values, shape, input, result_type)
        from ramet.ops.ragged import ragged_strings  # deferred: start-up time, for many modules

        words = ragged_strings.split_words(input, sep, maxsplit)
        return words if result_type == 'RaggedTensor' else words.to_sparse()


@export('decode_raw', 'io.decode_raw')
def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
    """Returns the bytes of strings as numbers.

    Args:
      input_bytes: a tensor of strings of one length.
      out_type: the DType of the numbers.
      little_endian: whether the least significant byte of a number comes first.
      name: the name of the operation.
      bytes: an old name of `input_bytes`.

    Raises:
      ValueError: if no strings, or both names, are given.
    """
    if input_bytes is not None and bytes is not None:
        raise ValueError("Cannot specify both 'input_bytes' and 'bytes'.")
    strings = bytes if input_bytes is None else input_bytes
    if strings is None:
        raise ValueError('Must provide `input_bytes`.')
    return gen.DecodeRaw(strings, out_type, little_endian=little_endian, name=name)
