"""make_template: functions that reuse the variables of their first call."""

import functools
import traceback

from ramet.api import export
from ramet.framework import ops
from ramet.ops.variables import variable_scope, variable_store


@export('make_template')
def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None,
                  **kwargs):
    """Wraps a function so that every call uses the variables that the first call created.

    Args:
      name_: the name of the variable scope of the calls, made unique.
      func_: the function, which creates its variables with get_variable.
      create_scope_now_: whether to choose the scope immediately instead of in the first call.
      unique_name_: the name of the scope, used as it is.
      custom_getter_: the custom getter of the scope.
      **kwargs: arguments of `func_` to set in all calls.

    Returns:
      A callable that takes the remaining arguments of `func_`.

    Raises:
      ValueError: if `name_` is None.
    """
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now=create_scope_now_, unique_name=unique_name_,
                    custom_getter=custom_getter_)


class Template:
    """A function with its own variables, created by make_template."""

    def __init__(self, name, func, create_scope_now=False, unique_name=None, custom_getter=None):
        if name is None:
            raise ValueError('name cannot be None.')
        self._func = func
        self._defined_at = traceback.extract_stack()[:-2]
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._variables_created = False
        self._eager_store = None
        if ops.executing_eagerly():
            if unique_name is not None:
                raise ValueError('unique_name_ cannot be used when eager execution is enabled.')
            self._eager_store = variable_store.VariableStore(keeps_eager=True)
        self._scope = self._chosen_scope() if create_scope_now else None

    def _chosen_scope(self):
        name = self._unique_name or variable_scope.scope_store().unique(self._name)
        with variable_scope.PureVariableScope(name, custom_getter=self._custom_getter) as scope:
            return scope

    def __call__(self, *args, **kwargs):
        if self._eager_store is None:
            return self._call_in_scope(args, kwargs)
        with variable_scope.opened_store(self._eager_store):
            return self._call_in_scope(args, kwargs)

    def _call_in_scope(self, args, kwargs):
        if self._scope is not None:
            with variable_scope.variable_scope(self._scope, reuse=self._variables_created):
                return self._call(args, kwargs)
        with variable_scope.variable_scope(self._unique_name, self._name,
                                           custom_getter=self._custom_getter) as scope:
            self._scope = scope
            return self._call(args, kwargs)

    def _call(self, args, kwargs):
        before = len(ops.get_collection_ref(ops.GraphKeys.TRAINABLE_VARIABLES))
        try:
            result = self._func(*args, **kwargs)
            if self._variables_created:
                self._check_trainable(before)
        except Exception as error:
            message = error.args[0] if error.args else ''
            defined = ''.join(traceback.format_list(self._defined_at))
            error.args = (f'{message}\n\noriginally defined at:\n{defined}',) + error.args[1:]
            raise
        self._variables_created = True
        return result

    def _check_trainable(self, before):
        now = ops.get_collection_ref(ops.GraphKeys.TRAINABLE_VARIABLES)
        if len(now) != before:
            raise ValueError('Trainable variable created when calling a template after the first '
                             'time, perhaps you used tf.Variable when you meant tf.get_variable: '
                             f'{(list(now)[before:],)}')

    name = property(lambda self: self._name)
    func = property(lambda self: self._func)
    variable_scope = property(lambda self: self._scope)
    var_scope = variable_scope

    @property
    def variable_scope_name(self):
        """The scope's name with a trailing slash, or None before the first call."""
        if self._scope is None:
            return None
        name = self._scope.name
        return name if not name or name.endswith('/') else name + '/'

    def _collection(self, key):
        if self._eager_store is not None:
            made = self._eager_store.sorted_variables()
            if key == ops.GraphKeys.TRAINABLE_VARIABLES:
                return [v for v in made if v.trainable]
            return made if key == ops.GraphKeys.GLOBAL_VARIABLES else []
        return ops.get_collection(key, self.variable_scope_name) if self._variables_created else []

    @property
    def variables(self):
        """The global and local variables that the template created."""
        return self.global_variables + self.local_variables

    @property
    def weights(self):
        """Same as `variables`."""
        return self.variables

    @property
    def trainable_variables(self):
        """The trainable variables."""
        return self._collection(ops.GraphKeys.TRAINABLE_VARIABLES)

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self):
        """The variables that are not trainable."""
        trainable = set(self.trainable_variables)
        return [v for v in self.variables if v not in trainable]

    non_trainable_weights = non_trainable_variables

    @property
    def global_variables(self):
        """The global variables."""
        return self._collection(ops.GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self):
        """The local variables."""
        return self._collection(ops.GraphKeys.LOCAL_VARIABLES)
