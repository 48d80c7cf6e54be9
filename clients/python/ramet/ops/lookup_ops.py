"""Tables that map keys to values, filled once or modified by operations."""

import functools
import uuid

from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops import gen
from ramet.ops.lookup_init import KeyValueTensorInitializer, TextFileInitializer
from ramet.train.saving.saveable_object import SaveableObject, SaveSpec


@export('contrib.lookup.LookupInterface')
class LookupInterface:
    """The base class of tables.

    Args:
      key_dtype: DType of the keys.
      value_dtype: DType of the values.
    """

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self):
        return self._key_dtype

    @property
    def value_dtype(self):
        return self._value_dtype

    @property
    def name(self):
        """The name of the table's operation, a str."""
        return self._name

    @property
    def resource_handle(self):
        """The table's handle, a tensor."""
        return self._resource_handle

    def __getitem__(self, keys):
        return self.lookup(keys)


@export('contrib.lookup.InitializableLookupTableBase')
class InitializableLookupTableBase(LookupInterface):
    """A table that an initializer fills once.

    Args:
      default_value: the value for missing keys.
      initializer: a TableInitializerBase.
    """

    def __init__(self, default_value, initializer):
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = ops.convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.get_shape().merge_with([])
        self._initializer = initializer
        self._resource_handle = self._create_resource()
        self._init_op = initializer.initialize(self)

    @property
    def default_value(self):
        """The value for missing keys, a scalar."""
        return self._default_value

    @property
    def initializer(self):
        """The operation that fills the table."""
        return self._init_op

    init = initializer

    def size(self, name=None):
        """Returns the number of entries of the table, an int64 scalar."""
        with ops.name_scope(name, f'{self.name}_Size', [self.resource_handle]):
            return gen.LookupTableSizeV2(self.resource_handle)

    def lookup(self, keys, name=None):
        """Looks up the values of keys.

        Args:
          keys: a tensor of the table's key dtype, or a SparseTensor.
          name: the name of the scope.

        Returns:
          A tensor of the shape of `keys`, or a SparseTensor.

        Raises:
          TypeError: if `keys` has a different dtype.
        """
        key_tensor = keys.values if isinstance(keys, SparseTensor) else keys
        if not isinstance(key_tensor, ops.Tensor):
            key_tensor = ops.convert_to_tensor(key_tensor, dtype=self._key_dtype)
        if key_tensor.dtype.base_dtype != self._key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self._key_dtype}, received: '
                            f'{key_tensor.dtype}')
        with ops.name_scope(name, f'{self.name}_Lookup',
                            [self.resource_handle, key_tensor, self._default_value]):
            values = gen.LookupTableFindV2(self.resource_handle, key_tensor, self._default_value)
        values.set_shape(key_tensor.get_shape())
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, values, keys.dense_shape)
        return values


@export('lookup.StaticHashTable', 'contrib.lookup.HashTable')
class StaticHashTable(InitializableLookupTableBase):
    """A table that is filled once, when the graph's tables are initialized.

    Args:
      initializer: a KeyValueTensorInitializer or a TextFileInitializer.
      default_value: the value for missing keys.
        shared_name: str. Tables with the same shared name share one table of the session (only for
          contrib's HashTable).
      name: the name of the operation.
    """

    def __init__(self, initializer, default_value, shared_name=None, name=None,
                 experimental_is_anonymous=False):
        del experimental_is_anonymous
        self._shared_name = shared_name or getattr(initializer, '_shared_name', None) or (
            'hash_table_' + str(uuid.uuid4()))
        self._name = name or 'hash_table'
        super().__init__(default_value, initializer)

    def _create_resource(self):
        handle = gen.HashTableV2(key_dtype=self._key_dtype, value_dtype=self._value_dtype,
                                 shared_name=self._shared_name, name=self._name)
        self._name = handle.op.name.split('/')[-1]
        return handle

    def export(self, name=None):
        """Returns all keys and all values, a pair of vectors."""
        with ops.name_scope(name, f'{self.name}_Export', [self.resource_handle]):
            return tuple(gen.LookupTableExportV2(self.resource_handle, self._key_dtype,
                                                 self._value_dtype))


@export('lookup.experimental.MutableHashTable', 'contrib.lookup.MutableHashTable')
class MutableHashTable(LookupInterface):
    """A table that operations can modify. A Saver saves and restores it.

    Args:
      key_dtype: DType of the keys.
      value_dtype: DType of the values.
      default_value: the value for missing keys, a scalar.
      shared_name: str. Tables with the same shared name share one table of the session.
      name: the name of the operation.
      checkpoint: whether a Saver saves it.
    """

    def __init__(self, key_dtype, value_dtype, default_value, shared_name=None,
                 name='MutableHashTable', checkpoint=True, experimental_is_anonymous=False):
        del experimental_is_anonymous
        super().__init__(key_dtype, value_dtype)
        self._default_value = ops.convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.get_shape().assert_has_rank(0)
        self._resource_handle = gen.MutableHashTableV2(
            key_dtype=self._key_dtype, value_dtype=self._value_dtype,
            shared_name=shared_name or '', use_node_name_sharing=shared_name is None, name=name)
        self._name = self._resource_handle.op.name.split('/')[-1]
        if checkpoint:
            saveable = _Saveable(self, name)
            ops.add_to_collection(ops.GraphKeys.SAVEABLE_OBJECTS, saveable)

    def _in_scope(self, name, what, values=()):
        return ops.name_scope(name, f'{self.name}_{what}', [self.resource_handle, *values])

    def size(self, name=None):
        """Returns the number of entries of the table, an int64 scalar."""
        with self._in_scope(name, 'Size'), ops.colocate_with(self.resource_handle):
            return gen.LookupTableSizeV2(self.resource_handle)

    def remove(self, keys, name=None):
        """Returns an operation that removes keys from the table.

        Args:
          keys: a tensor of the table's key dtype; missing keys are ignored.
          name: the name of the scope.

        Raises:
          TypeError: if `keys` has a different dtype.
        """
        if not isinstance(keys, ops.Tensor):
            keys = ops.convert_to_tensor(keys, dtype=self._key_dtype)
        if keys.dtype != self._key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self._key_dtype}, received: '
                            f'{keys.dtype}')
        with self._in_scope(name, 'lookup_table_remove', [keys]):
            return gen.LookupTableRemoveV2(self.resource_handle, keys)

    def lookup(self, keys, dynamic_default_values=None, name=None):
        """Looks up the values of keys.

        Args:
          keys: a tensor of the table's key dtype.
          dynamic_default_values: values for missing keys, a scalar or one for
            each key, or None for the table's default value.
          name: the name of the scope.

        Returns:
          A tensor of the shape of `keys`.

        Raises:
          ValueError: if `keys` has a different dtype.
        """
        with self._in_scope(name, 'lookup_table_find', [keys, self._default_value]):
            keys = ops.convert_to_tensor(keys, dtype=self._key_dtype, name='keys')
            default = self._default_value
            if dynamic_default_values is not None:
                default = ops.convert_to_tensor(dynamic_default_values, dtype=self._value_dtype,
                                                name='default_values')
            with ops.colocate_with(self.resource_handle):
                return gen.LookupTableFindV2(self.resource_handle, keys, default)

    def insert(self, keys, values, name=None):
        """Returns an operation that inserts values for keys, replacing existing ones.

        Args:
          keys: a tensor of the table's key dtype.
          values: a tensor of the same shape, of the table's value dtype.
          name: the name of the scope.

        Raises:
          ValueError: if `keys` or `values` has a different dtype.
        """
        with self._in_scope(name, 'lookup_table_insert', [keys, values]):
            keys = ops.convert_to_tensor(keys, self._key_dtype, name='keys')
            values = ops.convert_to_tensor(values, self._value_dtype, name='values')
            with ops.colocate_with(self.resource_handle):
                return gen.LookupTableInsertV2(self.resource_handle, keys, values)

    def export(self, name=None):
        """Returns all keys and all values, a pair of vectors."""
        with self._in_scope(name, 'lookup_table_export_values'):
            with ops.colocate_with(self.resource_handle):
                return tuple(gen.LookupTableExportV2(self.resource_handle, self._key_dtype,
                                                     self._value_dtype))


class _Saveable(SaveableObject):
    """Saves and restores the keys and values of a MutableHashTable."""

    def __init__(self, table, name):
        keys, values = table.export()
        super().__init__(table, [SaveSpec(keys, '', name + '-keys'),
                                 SaveSpec(values, '', name + '-values')], name)

    def restore(self, restored_tensors, restored_shapes):
        del restored_shapes
        with ops.name_scope(f'{self.name}_table_restore'):
            handle = self.op.resource_handle
            with ops.colocate_with(handle):
                return gen.LookupTableImportV2(handle, *restored_tensors)


class HasherSpec:
    """The hash function for unknown keys, 'fasthash', 'stronghash' or 'legacy', and its key."""

    def __init__(self, hasher, key):
        self.hasher = hasher
        self.key = key


FastHashSpec = HasherSpec('fasthash', None)


def _string_hash(spec):
    if spec.hasher == 'fasthash':
        return gen.StringToHashBucketFast
    if spec.hasher == 'legacy':
        return gen.StringToHashBucket
    return functools.partial(gen.StringToHashBucketStrong, key=spec.key)


@export('contrib.lookup.IdTableWithHashBuckets')
class IdTableWithHashBuckets(LookupInterface):
    """Maps keys to ids: those of a table, and for unknown keys ids after the table's.

    Args:
      table: a table with int64 values, or None if all keys are unknown.
      num_oov_buckets: int, the number of ids over which a hash distributes unknown keys.
      hasher_spec: a HasherSpec.
      name: the name of the scope.
      key_dtype: DType of the keys, string or an integer one, or None for that of `table`, else string.
    """

    def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None,
                 key_dtype=None):
        if table is None and num_oov_buckets <= 0:
            raise ValueError('oov_buckets must be > 0 if no `table` is supplied.')
        given = key_dtype or (table.key_dtype if table else dtypes.string)
        if table is not None and table.value_dtype != dtypes.int64:
            raise TypeError(f'Invalid value dtype for table, expected {dtypes.int64} but got '
                            f'{table.value_dtype}.')
        self._table, self._buckets, self._hasher = table, num_oov_buckets, hasher_spec
        super().__init__(given, dtypes.int64)
        self._name = name.split('/')[-1] if name else table.name if table else 'hash_bucket'

    @property
    def initializer(self):
        """The operation that fills the table, or None without a table."""
        return self._table.initializer if self._table is not None else None

    init = initializer

    @property
    def resource_handle(self):
        return self._table.resource_handle if self._table is not None else None

    def size(self, name=None):
        """Returns the number of ids, including those for unknown keys."""
        with ops.name_scope(name, f'{self.name}_Size'):
            if self._table is None:
                return ops.convert_to_tensor(self._buckets, dtypes.int64)
            return self._table.size() + self._buckets

    def lookup(self, keys, name=None):
        """Returns the ids of keys, an int64 tensor or SparseTensor with the shape of `keys`.

        Raises:
          TypeError: if `keys` has a different dtype.
        """
        if not isinstance(keys, (ops.Tensor, SparseTensor)):
            keys = ops.convert_to_tensor(keys, dtype=self._key_dtype)
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f'Dtype of argument `keys` must be {self._key_dtype}, received: '
                            f'{keys.dtype}')
        values = keys.values if isinstance(keys, SparseTensor) else keys
        if self._table is not None and values.dtype.base_dtype != self._table.key_dtype:
            values = gen.Cast(values, DstT=dtypes.int64)
        with ops.name_scope(name, f'{self.name}_Lookup'):
            ids = self._ids(values)
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, ids, keys.dense_shape)
        return ids

    def _ids(self, values):
        if self._buckets == 0:
            return self._table.lookup(values)
        text = values if values.dtype.base_dtype == dtypes.string else gen.AsString(values)
        buckets = _string_hash(self._hasher)(text, num_buckets=self._buckets, name='hash_bucket')
        if self._table is None:
            return buckets
        ids = self._table.lookup(values)
        shifted = gen.AddV2(buckets, self._table.size(), name='Add')
        known = gen.NotEqual(ids, self._table.default_value)
        return gen.SelectV2(known, ids, shifted)


@export('lookup.StaticVocabularyTable')
class StaticVocabularyTable(IdTableWithHashBuckets):
    """Maps keys to ids: those of an initializer, and for unknown keys ids after these.

    Args:
        initializer: a KeyValueTensorInitializer or a TextFileInitializer with int64 values, or None if
          all keys are unknown.
      num_oov_buckets: int > 0, the number of ids over which a hash distributes unknown keys.
      lookup_key_dtype: DType of the keys, or None for that of the initializer.
      name: the name of the table.

    Raises:
      ValueError: if num_oov_buckets is not above 0.
      TypeError: if the initializer's values are not int64.
    """

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None,
                 experimental_is_anonymous=False):
        del experimental_is_anonymous
        if num_oov_buckets <= 0:
            raise ValueError('`num_oov_buckets` must be > 0; use StaticHashTable.')
        table = None
        if initializer is not None:
            if initializer.value_dtype != dtypes.int64:
                raise TypeError(f'Invalid `value_dtype`, expected {dtypes.int64} but got '
                                f'{initializer.value_dtype}.')
            table = StaticHashTable(initializer, default_value=-1, name=name)
        super().__init__(table, num_oov_buckets, name=None if table else name,
                         key_dtype=lookup_key_dtype)


def _check_file(vocabulary_file, vocab_size):
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError('`vocabulary_file` must be specified and must not be empty.')
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f'`vocab_size` must be greater than 0, got {vocab_size} for '
                         f'vocabulary_file: {vocabulary_file}.')


def _check_buckets(num_oov_buckets):
    if num_oov_buckets < 0:
        raise ValueError(f'num_oov_buckets must be greater or equal than 0, got '
                         f'{num_oov_buckets}.')


@export('contrib.lookup.index_table_from_file')
def index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None,
                          default_value=-1, hasher_spec=FastHashSpec, key_dtype=dtypes.string,
                          name=None, key_column_index=-2, value_column_index=-1, delimiter='\t'):
    """Returns a table from the lines of a file to their numbers.

    Args:
      vocabulary_file: str or a string scalar, the file.
      num_oov_buckets: int, the number of ids over which unknown keys are distributed.
      vocab_size: int, the maximum number of lines to read, or None for all.
      default_value: int, the id of unknown keys if there are no buckets.
      hasher_spec: a HasherSpec.
      key_dtype: DType of the keys.
      name: the name of the scope.
        key_column_index: int, the column of the keys, or -2 for the whole line.
        value_column_index: int, the column of the ids, or -1 for the line number.
        delimiter: str, the column separator.

    Raises:
      ValueError: if the file is not given, or an argument is out of range.
    """
    _check_file(vocabulary_file, vocab_size)
    _check_buckets(num_oov_buckets)
    with ops.name_scope(name, 'string_to_index'):
        with ops.name_scope(None, 'hash_table'):
            init = TextFileInitializer(
                vocabulary_file, dtypes.int64 if key_dtype.is_integer else key_dtype,
                key_column_index, dtypes.int64, value_column_index, vocab_size=vocab_size,
                delimiter=delimiter, name='table_init')
            table = StaticHashTable(init, default_value)
    return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


@export('contrib.lookup.index_table_from_tensor')
def index_table_from_tensor(vocabulary_list, num_oov_buckets=0, default_value=-1,
                            hasher_spec=FastHashSpec, dtype=dtypes.string, name=None):
    """Returns a table from the elements of a vector to their indices.

    Args:
      vocabulary_list: a vector of strings or integers.
      num_oov_buckets: int, the number of ids over which unknown keys are distributed.
      default_value: int, the id of unknown keys if there are no buckets.
      hasher_spec: a HasherSpec.
      dtype: DType of the keys.
      name: the name of the scope.

    Raises:
      ValueError: if the vector is not given, or of a different kind than `dtype`.
      TypeError: if `dtype` is neither an integer type nor string.
    """
    if vocabulary_list is None:
        raise ValueError('`vocabulary_list` must be specified.')
    _check_buckets(num_oov_buckets)
    if not dtype.is_integer and dtype.base_dtype != dtypes.string:
        raise TypeError('`dtype` must either be integer or string.')
    with ops.name_scope(name, 'string_to_index'):
        keys = ops.convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            kind = 'integer' if dtype.is_integer else 'non-integer'
            raise ValueError(f'Invalid `dtype`: Expected {kind}, got {keys.dtype}.')
        numbers = _numbers(keys)
        with ops.name_scope(None, 'hash_table'):
            if keys.dtype.is_integer and keys.dtype != dtypes.int64:
                keys = gen.Cast(keys, DstT=dtypes.int64)
            init = KeyValueTensorInitializer(keys, numbers, keys.dtype.base_dtype, dtypes.int64,
                                             name='table_init')
            table = StaticHashTable(init, default_value)
    return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def _with_buckets(table, num_oov_buckets, hasher_spec, dtype):
    if num_oov_buckets == 0 and dtype.base_dtype == table.key_dtype:
        return table
    return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=dtype)


def _numbers(keys):
    """Returns 0, 1, 2, ... for the elements of a vector."""
    count = keys.shape.num_elements()
    size = (gen.Size(keys, name='Size') if count is None
            else constant_op.constant(count, dtypes.int32, name='Size'))
    with ops.name_scope('range') as scope:
        start = constant_op.constant(0, dtypes.int32, name='start')
        delta = constant_op.constant(1, dtypes.int32, name='delta')
        numbers = gen.Range(start, size, delta, name=scope)
    return gen.Cast(numbers, DstT=dtypes.int64, name='Cast')


@export('contrib.lookup.index_to_string_table_from_file')
def index_to_string_table_from_file(vocabulary_file, vocab_size=None, default_value='UNK',
                                    name=None, key_column_index=-1, value_column_index=-2,
                                    delimiter='\t'):
    """Returns a table from line numbers of a file to the lines.

    Args:
      vocabulary_file: str or a string scalar, the file.
      vocab_size: int, the maximum number of lines to read, or None for all.
      default_value: str, the value of unknown numbers.
      name: the name of the scope.
        key_column_index: int, the column of the ids, or -1 for the line number.
        value_column_index: int, the column of the values, or -2 for the whole line.
        delimiter: str, the column separator.

    Raises:
      ValueError: if the file is not given, or an argument is out of range.
    """
    _check_file(vocabulary_file, vocab_size)
    with ops.name_scope(name, 'index_to_string'):
        init = TextFileInitializer(vocabulary_file, dtypes.int64, key_column_index, dtypes.string,
                                   value_column_index, vocab_size=vocab_size, delimiter=delimiter,
                                   name='table_init')
        return StaticHashTable(init, default_value)


@export('contrib.lookup.index_to_string_table_from_tensor')
def index_to_string_table_from_tensor(vocabulary_list, default_value='UNK', name=None):
    """Returns a table from indices to the elements of a vector of strings.

    Args:
      vocabulary_list: a vector of strings.
      default_value: str, the value of unknown numbers.
      name: the name of the scope.

    Raises:
      ValueError: if the vector is not given.
    """
    if vocabulary_list is None:
        raise ValueError('`vocabulary_list` argument must be specified.')
    with ops.name_scope(name, 'index_to_string'):
        values = ops.convert_to_tensor(vocabulary_list, dtypes.string)
        init = KeyValueTensorInitializer(_numbers(values), values, dtypes.int64, dtypes.string,
                                         name='table_init')
        return StaticHashTable(init, default_value)

