"""Provides all tables in one module, with TensorFlow's name."""

from ramet.ops.lookup.hash_tables import StaticHashTable  # noqa: F401
from ramet.ops.lookup.index_tables import (  # noqa: F401
    index_table_from_file,
    index_table_from_tensor,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
)
from ramet.ops.lookup.lookup_base import InitializableLookupTableBase, LookupInterface  # noqa: F401
from ramet.ops.lookup.mutable_tables import DenseHashTable, MutableHashTable  # noqa: F401
from ramet.ops.lookup.vocabulary_tables import (  # noqa: F401
    FastHashSpec,
    HasherSpec,
    IdTableWithHashBuckets,
    StaticVocabularyTable,
)
