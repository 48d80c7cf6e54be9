"""Hash tables that are filled once."""

import uuid

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.lookup.lookup_base import InitializableLookupTableBase


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
        self._name = self._name if handle._is_eager else handle.op.name.split('/')[-1]
        return handle

    def export(self, name=None):
        """Returns all keys and all values, a pair of vectors.

        Args:
          name: the name of the scope.
        """
        with ops.name_scope(name, f'{self.name}_Export', [self.resource_handle]):
            return tuple(gen.LookupTableExportV2(self.resource_handle, self._key_dtype,
                                                 self._value_dtype))
