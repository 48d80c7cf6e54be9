"""Warm starting: a new model begins with the variables of a checkpoint."""

import collections

from ramet import _core
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.lib import tf_logging as logging
from ramet.lib.file_io import FileIO
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import state_ops
from ramet.train import checkpoint_utils

_VOCABULARY_FIELDS = ('new_vocab', 'new_vocab_size', 'num_oov_buckets', 'old_vocab', 'old_vocab_size',
                      'backup_initializer', 'axis')


class VocabInfo(collections.namedtuple('VocabInfo', _VOCABULARY_FIELDS)):
    """Says which rows or columns of a variable in a checkpoint become those of a variable with a new vocabulary."""

    def __new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size=-1,
                backup_initializer=None, axis=0):
        """Creates the description.

        Args:
          new_vocab: str, the file of the new vocabulary, one word per line.
          new_vocab_size: int, the number of words to use of it.
          num_oov_buckets: int, the number of rows after those of the words, which get initial values.
          old_vocab: str, the file of the checkpoint's vocabulary.
          old_vocab_size: int, the number of words to use of it, or -1 for all.
          backup_initializer: an initializer for the words that the old vocabulary lacks, or None for zeros.
          axis: 0 if words are rows, 1 if they are columns.

        Raises:
          ValueError: if axis is neither 0 nor 1.
        """
        if axis not in (0, 1):
            raise ValueError(f'The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}')
        return super().__new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size,
                               backup_initializer, axis)


export('train.VocabInfo', 'estimator.VocabInfo')(VocabInfo)


def _name_of(variable):
    info = getattr(variable, '_save_slice_info', None)
    return variable.op.name if info is None else info.full_name


def _selected(vars_to_warm_start):
    """Returns {name: [variable, or its parts]}."""
    keys = ops.GraphKeys
    if vars_to_warm_start is None or isinstance(vars_to_warm_start, str):
        logging.info('Warm-starting variables only in TRAINABLE_VARIABLES.')
        found = ops.get_collection(keys.TRAINABLE_VARIABLES, scope=vars_to_warm_start)
    elif not isinstance(vars_to_warm_start, list):
        raise ValueError('`vars_to_warm_start must be a `list` or `str`.  Given type is '
                         f'{type(vars_to_warm_start)}')
    elif all(isinstance(item, str) for item in vars_to_warm_start):
        found = [variable for scope in vars_to_warm_start
                 for variable in ops.get_collection(keys.GLOBAL_VARIABLES, scope=scope)]
    elif all(map(checkpoint_utils.is_variable, vars_to_warm_start)):
        found = [part for item in vars_to_warm_start for part in getattr(item, '_variable_list', [item])]
    else:
        raise ValueError('If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are '
                         f'{[type(item) for item in vars_to_warm_start]}')
    groups = {}
    for variable in found:
        groups.setdefault(_name_of(variable), []).append(variable)
    return groups


def _check_used(what, given, names):
    unused = set(given) - set(names)
    if unused:
        raise ValueError(f'You provided the following variables in {what} that were not used: {unused}.  Perhaps you '
                         f'misspelled them?  Here is the list of viable variable names: {set(names)}')


@export('train.warm_start')
def warm_start(ckpt_to_initialize_from, vars_to_warm_start='.*', var_name_to_vocab_info=None,
               var_name_to_prev_var_name=None):
    """Changes the initializers of variables so that they get their values from a checkpoint.

    Args:
      ckpt_to_initialize_from: str, a checkpoint's prefix, or a folder with checkpoints.
      vars_to_warm_start: a regular expression for the names of trainable variables, a list of regular expressions
        for the names of all variables, a list of variables, or None for the variables in var_name_to_vocab_info only.
      var_name_to_vocab_info: a dict from names of variables to VocabInfos.
      var_name_to_prev_var_name: a dict from names of variables to their names in the checkpoint.

    Raises:
      ValueError: if an argument is invalid, a dict names a variable that is not set, or the checkpoint lacks one.
    """
    vocabularies, previous = var_name_to_vocab_info or {}, var_name_to_prev_var_name or {}
    logging.info('Warm-starting from: %s', ckpt_to_initialize_from)
    groups = _selected(vars_to_warm_start)
    plain = {}
    for name, parts in groups.items():
        old_name = previous.get(name, name)
        if name in vocabularies:
            _start_with_vocabulary(parts, ckpt_to_initialize_from, old_name, vocabularies[name])
        elif vars_to_warm_start:
            logging.debug('Warm-starting variable: %s; prev_var_name: %s', name, previous.get(name, 'Unchanged'))
            plain[old_name] = parts[0] if len(parts) == 1 else parts
    checkpoint_utils.init_from_checkpoint(ckpt_to_initialize_from, plain)
    logging.info('Warm-started %d variables.', len(plain) + sum(name in vocabularies for name in groups))
    _check_used('`var_name_to_prev_var_name`', previous, groups)
    _check_used('`var_name_to_vocab_info`', vocabularies, groups)


def _words(path, size):
    with FileIO(path, 'rb') as file:
        words = file.read().split(b'\n')
    if words and not words[-1]:
        words.pop()
    if size != -1 and size > len(words):
        raise ValueError(f'{path}: the vocabulary has {len(words)} words, but {size} are expected')
    return words if size == -1 else words[:size]


def _old_numbers(info, size):
    """Returns the old number of each new row or column; -1 for those without one."""
    known = {word: number for number, word in enumerate(_words(info.old_vocab, info.old_vocab_size))}
    numbers = [known.get(word, -1) for word in _words(info.new_vocab, info.new_vocab_size)]
    total = info.new_vocab_size + info.num_oov_buckets
    if total != size:
        raise ValueError(f'The vocabulary of {info.new_vocab_size} words and {info.num_oov_buckets} out-of-vocabulary '
                         f'buckets needs {total} rows or columns, but the variable has {size}')
    return numbers + [-1] * info.num_oov_buckets


def _start_with_vocabulary(parts, checkpoint, old_name, info):
    old = checkpoint_utils.restored_tensor(checkpoint, old_name, parts[0].dtype.base_dtype)
    sizes = [part.get_shape().as_list() for part in parts]
    size = sum(s[0] for s in sizes) if info.axis == 0 else sizes[0][1]
    numbers, at = _old_numbers(info, size), 0
    for part, shape in zip(parts, sizes):
        here = numbers[at:at + shape[0]] if info.axis == 0 else numbers
        source = old if info.axis == 0 else old[at:at + shape[0]]
        at += shape[0]
        value = _remapped(source, here, shape, info)
        _core.set_variable_initializer(part.graph, part._id, state_ops.assign(part, value).op, value)


def _remapped(old, numbers, shape, info):
    """Returns `old` with the rows or columns `numbers`; those of -1 are initial values."""
    moved = array_ops.gather(old, [max(number, 0) for number in numbers], axis=info.axis)
    make = info.backup_initializer
    fresh = array_ops.zeros(shape, old.dtype) if make is None else ops.convert_to_tensor(make(shape, dtype=old.dtype))
    known = math_ops.cast([number >= 0 for number in numbers], dtypes.bool)
    known = array_ops.expand_dims(known, 1 - info.axis)
    return array_ops.where(math_ops.logical_and(known, array_ops.ones(shape, dtypes.bool)), moved, fresh)
