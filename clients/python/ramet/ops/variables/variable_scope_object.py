"""VariableScope: the settings of open variable scopes that get_variable uses."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.variables import variables

_AUTO = variables.VariableSynchronization.AUTO
_NONE = variables.VariableAggregation.NONE


@export('no_regularizer')
def no_regularizer(_):
    """A regularizer without a loss, which overrides the one of the variable scope."""


@export('VariableScope')
class VariableScope:
    """The settings of a variable scope for get_variable.

    Attributes:
      name: the prefix of the variables' names.
      reuse: True, tf.AUTO_REUSE, or a false value.
      initializer, regularizer, caching_device, partitioner: defaults for get_variable.
      custom_getter, dtype, use_resource, constraint: defaults for get_variable.
      original_name_scope: the name scope that was first opened with it, such as 'a/b/'.
    """

    def __init__(self, reuse, name='', initializer=None, regularizer=None, caching_device=None,
                 partitioner=None, custom_getter=None, name_scope='', dtype=dtypes.float32,
                 use_resource=None, constraint=None):
        """Creates the settings. Use variable_scope to open a scope.

        Args:
          reuse: True, tf.AUTO_REUSE, or a false value.
          name: the prefix of the variables' names.
          initializer: the default initializer.
          regularizer: the default regularizer.
          caching_device: the default caching device.
          partitioner: the default partitioner.
          custom_getter: the default custom getter.
          name_scope: the name scope that was first opened with it, such as 'a/b/'.
          dtype: the default dtype.
          use_resource: whether variables are resource variables.
          constraint: the default constraint.
        """
        self._reuse = reuse
        self._name = name
        self._name_scope = name_scope
        self._initializer = initializer
        self._regularizer = regularizer
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    def __repr__(self):
        return f"<tf.VariableScope '{self._name}' reuse={self._reuse}>"

    name = property(lambda self: self._name)
    original_name_scope = property(lambda self: self._name_scope)
    reuse = property(lambda self: self._reuse)
    initializer = property(lambda self: self._initializer)
    regularizer = property(lambda self: self._regularizer)
    caching_device = property(lambda self: self._caching_device)
    partitioner = property(lambda self: self._partitioner)
    custom_getter = property(lambda self: self._custom_getter)
    dtype = property(lambda self: self._dtype)
    use_resource = property(lambda self: self._use_resource)
    constraint = property(lambda self: self._constraint)

    def reuse_variables(self):
        """Makes get_variable reuse existing variables in this scope instead of creating them."""
        self._reuse = True

    def set_initializer(self, initializer):
        """Sets the default initializer of this scope.

        Args:
          initializer: an initializer, or None.
        """
        self._initializer = initializer

    def set_dtype(self, dtype):
        """Sets the default dtype of this scope.

        Args:
          dtype: a DType.
        """
        self._dtype = dtype

    def set_use_resource(self, use_resource):
        """Sets whether variables of this scope are resource variables.

        Args:
          use_resource: True, False, or None for the default setting.
        """
        self._use_resource = use_resource

    def set_regularizer(self, regularizer):
        """Sets the default regularizer of this scope.

        Args:
          regularizer: a function from a variable to a loss, or None.
        """
        self._regularizer = regularizer

    def set_caching_device(self, caching_device):
        """Sets the device on which reads of this scope's variables are cached.

        Args:
          caching_device: a device, a device function, or None.
        """
        self._caching_device = caching_device

    def set_partitioner(self, partitioner):
        """Sets the default partitioner of this scope.

        Args:
          partitioner: a function (shape, dtype) -> list of the number of parts in each dimension, or None.
        """
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter):
        """Sets the custom getter of this scope.

        Args:
          custom_getter: a function (getter, name, **arguments) that returns a variable, or None.
        """
        self._custom_getter = custom_getter

    def get_collection(self, name):
        """Returns the items of a graph collection whose names are under this scope.

        Args:
          name: the key of the collection.
        """
        return ops.get_collection(name, self._name + '/' if self._name else '')

    def trainable_variables(self):
        """Returns the trainable variables under this scope."""
        return self.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self):
        """Returns the global variables under this scope."""
        return self.get_collection(ops.GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self):
        """Returns the local variables under this scope."""
        return self.get_collection(ops.GraphKeys.LOCAL_VARIABLES)

    def _full_name(self, name):
        return f'{self._name}/{name}' if self._name else name

    def get_variable(self, var_store, name, shape=None, dtype=None, initializer=None,
                     regularizer=None, reuse=None, trainable=None, collections=None,
                     caching_device=None, partitioner=None, validate_shape=True, use_resource=None,
                     custom_getter=None, constraint=None, synchronization=_AUTO,
                     aggregation=_NONE):
        """Returns a variable under this scope; see tf.get_variable."""
        with ops.name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                found = ops.convert_to_tensor(initializer).dtype.base_dtype
                if found != dtype:
                    raise ValueError(f"Initializer type '{found}' and explicit dtype '{dtype}' "
                                     "don't match.")
            return var_store.get_variable(
                self._full_name(name), shape=shape,
                dtype=self._dtype if dtype is None else dtype,
                initializer=self._initializer if initializer is None else initializer,
                regularizer=self._regularizer if regularizer is None else regularizer,
                reuse=self._reuse if reuse is None else reuse, trainable=trainable,
                collections=collections,
                caching_device=self._caching_device if caching_device is None else caching_device,
                partitioner=self._partitioner if partitioner is None else partitioner,
                validate_shape=validate_shape,
                use_resource=self._use_resource if use_resource is None else use_resource,
                custom_getter=self._custom_getter if custom_getter is None else custom_getter,
                constraint=self._constraint if constraint is None else constraint,
                synchronization=synchronization, aggregation=aggregation)

    def _get_partitioned_variable(self, var_store, name, partitioner, **arguments):
        full_name = '/'.join(part for part in (self._name, name) if part)
        for what in ('initializer', 'regularizer', 'constraint', 'caching_device', 'dtype',
                     'use_resource', 'reuse'):
            if arguments.get(what) is None:
                arguments[what] = getattr(self, what)
        custom_getter = arguments.pop('custom_getter', None) or self._custom_getter
        with ops.name_scope(None):
            return var_store.get_variable(full_name, partitioner=partitioner,
                                          custom_getter=custom_getter, **arguments)
