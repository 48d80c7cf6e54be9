"""Hash tables that operations modify."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.framework.saveable_object import SaveableObject, SaveSpec
from ramet.ops.lookup.lookup_base import LookupInterface


class TableSaveable(SaveableObject):
    """Saves and restores the keys and values of a table."""

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


class MutableTable(LookupInterface):
    """The base class of tables that operations can modify.

    Args:
      key_dtype: DType of the keys.
      value_dtype: DType of the values.
    """

    def _adopt(self, handle, name, checkpoint):
        """Sets the table's handle, and registers the table for Savers if checkpoint is True."""
        self._resource_handle = handle
        self._name = name if handle._is_eager else handle.op.name.split('/')[-1]
        if checkpoint and not handle._is_eager:
            ops.add_to_collection(ops.GraphKeys.SAVEABLE_OBJECTS, TableSaveable(self, name))

    def _in_scope(self, name, what, values=()):
        return ops.name_scope(name, f'{self.name}_{what}', [self.resource_handle, *values])

    def size(self, name=None):
        """Returns the number of entries of the table, an int64 scalar.

        Args:
          name: the name of the scope.
        """
        with self._in_scope(name, 'Size'), ops.colocate_with(self.resource_handle):
            return gen.LookupTableSizeV2(self.resource_handle)

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
        """Returns all keys and all values, a pair of vectors.

        Args:
          name: the name of the scope.
        """
        with self._in_scope(name, 'lookup_table_export_values'):
            with ops.colocate_with(self.resource_handle):
                return tuple(gen.LookupTableExportV2(self.resource_handle, self._key_dtype,
                                                     self._value_dtype))


@export('lookup.experimental.MutableHashTable', 'contrib.lookup.MutableHashTable')
class MutableHashTable(MutableTable):
    """A table that operations can modify. A Saver saves and restores it.

    Args:
      key_dtype: DType of the keys.
      value_dtype: DType of the values.
      default_value: the value for missing keys, a scalar.
      shared_name: str. Tables with the same shared name share one table of the session.
      name: the name of the operation.
      checkpoint: whether a Saver saves it.
      experimental_is_anonymous: ignored.
    """

    def __init__(self, key_dtype, value_dtype, default_value, shared_name=None,
                 name='MutableHashTable', checkpoint=True, experimental_is_anonymous=False):
        del experimental_is_anonymous
        super().__init__(key_dtype, value_dtype)
        self._default_value = ops.convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.get_shape().assert_has_rank(0)
        handle = gen.MutableHashTableV2(
            key_dtype=self._key_dtype, value_dtype=self._value_dtype,
            shared_name=shared_name or '', use_node_name_sharing=shared_name is None, name=name)
        self._adopt(handle, name, checkpoint)

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


@export('lookup.experimental.DenseHashTable')
class DenseHashTable(MutableTable):
    """A table with open addressing that operations can modify. A Saver saves and restores it.

    It is faster than a MutableHashTable, but needs two keys that are never used.

    Args:
      key_dtype: DType of the keys.
      value_dtype: DType of the values.
      default_value: the value for missing keys, a scalar or vector; values have its shape.
      empty_key: the key that marks free buckets, a scalar or vector; keys have its shape.
      deleted_key: the key that marks buckets whose entry was removed.
      initial_num_buckets: int, a power of 2; None for 131072.
      name: the name of the operation.
      checkpoint: whether a Saver saves it.
      experimental_is_anonymous: ignored.
    """

    _shared_name = None

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key,
                 initial_num_buckets=None, name='MutableDenseHashTable', checkpoint=True,
                 experimental_is_anonymous=False):
        del experimental_is_anonymous
        super().__init__(key_dtype, value_dtype)
        self._default_value = ops.convert_to_tensor(default_value, dtype=self._value_dtype,
                                                    name='default_value')
        options = {} if initial_num_buckets is None else {
            'initial_num_buckets': initial_num_buckets}
        handle = gen.MutableDenseHashTableV2(
            empty_key=ops.convert_to_tensor(empty_key, dtype=self._key_dtype, name='empty_key'),
            deleted_key=ops.convert_to_tensor(deleted_key, dtype=self._key_dtype,
                                              name='deleted_key'),
            shared_name=self._shared_name or '',
            use_node_name_sharing=checkpoint and self._shared_name is None,
            value_dtype=self._value_dtype, value_shape=self._default_value.get_shape(), name=name,
            **options)
        self._adopt(handle, name, checkpoint)

    def lookup(self, keys, name=None):
        """Looks up the values of keys.

        Args:
          keys: a tensor of the table's key dtype.
          name: the name of the scope.

        Returns:
          A tensor with a value for each key.

        Raises:
          ValueError: if `keys` has a different dtype.
        """
        with self._in_scope(name, 'lookup_table_find', [keys]):
            keys = ops.convert_to_tensor(keys, dtype=self._key_dtype, name='keys')
            with ops.colocate_with(self.resource_handle):
                return gen.LookupTableFindV2(self.resource_handle, keys, self._default_value)

    def insert_or_assign(self, keys, values, name=None):
        """Same as insert.

        Args:
          keys: a tensor of the table's key dtype.
          values: a tensor with a value for each key.
          name: the name of the scope.

        Raises:
          ValueError: if `keys` or `values` has a different dtype.
        """
        return self.insert(keys, values, name)

    def erase(self, keys, name=None):
        """Returns an operation that removes keys from the table.

        Args:
          keys: a Tensor of the table's key dtype; missing keys are ignored.
          name: the name of the scope.

        Raises:
          TypeError: if `keys` has a different dtype.
        """
        if keys.dtype != self._key_dtype:
            raise TypeError(f'Signature mismatch. Keys must be dtype {self._key_dtype}, got '
                            f'{keys.dtype}.')
        with self._in_scope(name, 'lookup_table_remove', [keys, self._default_value]):
            return gen.LookupTableRemoveV2(self.resource_handle, keys)

    def remove(self, keys, name=None):
        """Same as erase.

        Args:
          keys: a Tensor of the table's key dtype; missing keys are ignored.
          name: the name of the scope.

        Raises:
          TypeError: if `keys` has a different dtype.
        """
        return self.erase(keys, name)


@export('contrib.lookup.MutableDenseHashTable')
class MutableDenseHashTable(DenseHashTable):
    """A DenseHashTable that can have a shared name.

    Args:
      key_dtype: DType of the keys.
      value_dtype: DType of the values.
      default_value: the value for missing keys, a scalar or vector; values have its shape.
      empty_key: the key that marks free buckets, a scalar or vector; keys have its shape.
      deleted_key: the key that marks buckets whose entry was removed.
      initial_num_buckets: int, a power of 2; None for 131072.
      shared_name: str. Tables with the same shared name share one table of the session.
      name: the name of the operation.
      checkpoint: whether a Saver saves it.
    """

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key,
                 initial_num_buckets=None, shared_name=None, name='MutableDenseHashTable',
                 checkpoint=True):
        self._shared_name = shared_name
        super().__init__(key_dtype, value_dtype, default_value, empty_key, deleted_key,
                         initial_num_buckets, name, checkpoint)
