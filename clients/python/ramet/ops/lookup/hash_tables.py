"""Hash tables, filled once or modified by operations."""

import uuid

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.framework.saveable_object import SaveableObject, SaveSpec
from ramet.ops.lookup.lookup_base import InitializableLookupTableBase, LookupInterface


@export('lookup.StaticHashTable', 'contrib.lookup.HashTable')
class StaticHashTable(InitializableLookupTableBase):
    """A table that is filled once, when the graph's tables are initialized.

    Args:
      initializer: a KeyValueTensorInitializer or a TextFileInitializer.
      default_value: the value for missing keys.
      shared_name: str. Tables with the same shared name share one table of the session (only for
        contrib's HashTable).
      name: the name of the operation.
      experimental_is_anonymous: ignored.
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
        """Returns all keys and all values, a pair of vectors.

        Args:
          name: the name of the scope.
        """
        with ops.name_scope(name, f'{self.name}_Export', [self.resource_handle]):
            return tuple(gen.LookupTableExportV2(self.resource_handle, self._key_dtype,
                                                 self._value_dtype))


class TableSaveable(SaveableObject):
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
      experimental_is_anonymous: ignored.
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
            saveable = TableSaveable(self, name)
            ops.add_to_collection(ops.GraphKeys.SAVEABLE_OBJECTS, saveable)

    def _in_scope(self, name, what, values=()):
        return ops.name_scope(name, f'{self.name}_{what}', [self.resource_handle, *values])

    def size(self, name=None):
        """Returns the number of entries of the table, an int64 scalar.

        Args:
          name: the name of the scope.
        """
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
        """Returns all keys and all values, a pair of vectors.

        Args:
          name: the name of the scope.
        """
        with self._in_scope(name, 'lookup_table_export_values'):
            with ops.colocate_with(self.resource_handle):
                return tuple(gen.LookupTableExportV2(self.resource_handle, self._key_dtype,
                                                     self._value_dtype))
