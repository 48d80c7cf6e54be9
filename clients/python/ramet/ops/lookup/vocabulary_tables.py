"""Tables that map keys to ids, and unknown keys to ids by a hash."""

import functools

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.lookup.hash_tables import StaticHashTable
from ramet.ops.lookup.lookup_base import LookupInterface


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
        """Returns the number of ids, including those for unknown keys.

        Args:
          name: the name of the scope.
        """
        with ops.name_scope(name, f'{self.name}_Size'):
            if self._table is None:
                return ops.convert_to_tensor(self._buckets, dtypes.int64)
            return self._table.size() + self._buckets

    def lookup(self, keys, name=None):
        """Returns the ids of keys.

        Args:
          keys: a tensor or SparseTensor of keys.
          name: the name of the scope.

        Returns:
          An int64 tensor or SparseTensor with the shape of `keys`.

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
      experimental_is_anonymous: ignored.

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
