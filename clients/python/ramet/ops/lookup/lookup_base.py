"""The base classes of tables."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor


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
        """Returns the number of entries of the table, an int64 scalar.

        Args:
          name: the name of the scope.
        """
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
