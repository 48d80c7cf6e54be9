"""Modules of public names, which are filled from a table on demand.

names.gen.tsv maps each dotted name below `tf.` to its definition (see tools/gen_python_api.py):
  framework.ops:Graph    attribute Graph of ramet.framework.ops
  lib.flags:             the module ramet.lib.flags
  framework.ops:=        the value that ramet.framework.ops exported with api.export_value under this name
  gen:MatMul             the function of one op
  =stack                 an alias of another public name
  !what to write         removed before TensorFlow 1.0; the text says what to write instead
After `~`, a function has its implementation for ragged tensors, a function of ramet.ops.ragged, or the name of a function
of ragged_elementwise that applies the function itself to the values.
"""

import bisect
import functools
import importlib
import os
import re
import sys
from importlib.machinery import ModuleSpec

from ramet import api

ROOT = 'ramet.compat.v1'
# Rooms that build no graphs, so that they need no hooks of the rooms above them.
_INDEPENDENT = ('api', 'compat', 'core', 'lib')


def _read(file_name):
    with open(os.path.join(os.path.dirname(__file__), 'v1', file_name), encoding='utf-8') as file:
        return file.read()


def _load_table():
    cells = _read('names.gen.tsv').replace('\n', '\t').split('\t')
    return dict(zip(cells[::2], cells[1::2]))


_table = _load_table()
_sorted = list(_table)


@functools.cache
def tensorflow_names():
    """Returns all dotted names of tf.compat.v1. Namespaces end with '.', open ones with '.*'."""
    return frozenset(_read('tensorflow_names.txt').split('\n'))


@functools.cache
def known_ops():
    """Returns the names of ramet.gen, which include the types of all ops."""
    return frozenset(dir(importlib.import_module('ramet.gen')))


def _has(target):
    if target.startswith('='):
        same = target[1:]
        return _has(_table[same]) if same in _table else is_namespace(same)
    return not target.startswith('gen:') or target[4:].partition('~')[0] in known_ops()


def known_names():
    """Maps the public names that Ramet has to their definitions."""
    return {path: target for path, target in _table.items() if target[0] != '!' and _has(target)}


def near_names(path):
    """Returns names that Ramet has and that are similar to `path`, the closest first."""
    from ramet.compat import nearest  # deferred: needed only for messages
    if path.startswith('raw_ops.'):
        known = {f'raw_ops.{op}': op for op in known_ops() if op[:1].isupper()}
    else:
        known = known_names()
    return nearest.near_names(path, known)


def _in_table(prefix):
    """Returns whether a name in the table starts with `prefix`."""
    at = bisect.bisect_left(_sorted, prefix)
    return at < len(_sorted) and _sorted[at].startswith(prefix)


def _is_open(path):
    parts = path.split('.')
    return any('.'.join(parts[:n]) + '.*' in tensorflow_names() for n in range(1, len(parts) + 1))


def is_namespace(path):
    """Returns whether a dotted name below `tf.` is a namespace, of Ramet or of TensorFlow."""
    return _in_table(path + '.') or path == 'raw_ops' \
        or path + '.' in tensorflow_names() or path + '.*' in tensorflow_names()


@functools.cache
def op_function(op):
    """Returns the function of an op, the same one for all its public names, with TensorFlow's signature."""
    name = re.sub(r'(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', '_', op).lower()
    return load('gen').endpoint(op, name)


class UnknownNameError(AttributeError):
    """A name that TensorFlow 1 never had. The message lists similar names, found when it is printed."""

    def __init__(self, path):
        super().__init__(path)
        self._path = path

    def __str__(self):
        return unknown_message(self._path)


def unknown_message(path):
    """Returns the error message for a name that TensorFlow 1 never had."""
    near = near_names(path)
    message = f'TensorFlow 1 has no tf.{path}'
    return f'{message}; did you mean {api.list_of(near)}?' if near else message


_ragged_functions = {}


def _ragged_function(path, target, implementation):
    """Returns the function of a target that accepts ragged tensors, the same one for all its public names."""
    if target not in _ragged_functions:
        _ragged_functions[target] = _ragged_aware(path, target, implementation)
    return _ragged_functions[target]


def _ragged_aware(path, target, implementation):
    from ramet.framework import ragged_hooks  # deferred: loads the package

    function = _resolve(path, target)
    if isinstance(function, api.Unavailable):
        return function
    module, _, name = implementation.rpartition(':')

    def load_implementation():
        chosen = getattr(load(f'ops.ragged.{module or "ragged_elementwise"}'), name)
        return chosen if module else functools.partial(chosen, function)

    return ragged_hooks.ragged_aware(function, load_implementation, path)


def _resolve(path, target):
    plain, _, implementation = target.partition('~')
    if implementation and target[0] != '!':
        return _ragged_function(path, plain, implementation)
    kind = target[0]
    if kind == '=':
        return find(target[1:]) if _has(target) else api.Unavailable(path, near_names)
    if kind == '!':
        return api.Unavailable(path, advice=target[1:])
    where, _, attribute = target.partition(':')
    if where == 'gen':
        if not _has(target):
            return api.Unavailable(path, near_names)
        return op_function(attribute)
    module = load(where)
    if attribute == '=':
        return api.exported_value(path)
    return getattr(module, attribute) if attribute else module


def load(where):
    """Returns the module of a target in the table, after the modules that it may rely on.

    Args:
      where: the dotted name of a module below `ramet.`.
    """
    if where.partition('.')[0] not in _INDEPENDENT:
        importlib.import_module('ramet.startup')
    return importlib.import_module(f'ramet.{where}')


def _raw_op(path):
    op = path[len('raw_ops.'):]
    if op in known_ops() and op[:1].isupper():
        return load('gen').raw(op)
    return _missing(path)


def _missing(path):
    if path in tensorflow_names() or _is_open(path):
        return api.Unavailable(path, near_names)
    raise UnknownNameError(path)


def find(path):
    """Returns the symbol for a dotted name below `tf.`.

    Returns:
      The symbol or module, or an api.Unavailable if TensorFlow has the name and Ramet does not.

    Raises:
      UnknownNameError: if TensorFlow has no such name either.
    """
    target = _table.get(path)
    if target:
        return _resolve(path, target)
    if is_namespace(path):
        return importlib.import_module(f'{ROOT}.{path}')
    if path.startswith('raw_ops.'):
        return _raw_op(path)
    return _missing(path)


def names_in(prefix):
    """Returns the names directly in a namespace, for completion. `prefix` is '' or ends with '.'."""
    names = set()
    for path in _sorted[bisect.bisect_left(_sorted, prefix):]:
        if not path.startswith(prefix):
            break
        if _table[path][0] != '!' and _has(_table[path]):
            names.add(path[len(prefix):].partition('.')[0])
    if prefix == 'raw_ops.':
        names.update(op for op in known_ops() if op[:1].isupper())
    return sorted(names | {'raw_ops'} if not prefix else names)


def fill(module_name):
    """Makes a module of sys.modules provide the names of its namespace."""
    module = sys.modules[module_name]
    prefix = module_name[len(ROOT) + 1:] + '.' if module_name != ROOT else ''
    values = vars(module)

    def __getattr__(name):
        if name == '__all__':
            return names_in(prefix)
        if name.startswith('__'):
            raise AttributeError(f'module {module_name!r} has no attribute {name!r}')
        value = values[name] = find(prefix + name)
        return value

    def __dir__():
        return sorted({*names_in(prefix), *(n for n in values if n.startswith('__'))})

    values['__getattr__'] = __getattr__
    values['__dir__'] = __dir__


class _Loader:
    """Loads an empty module, which then provides its namespace."""

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        module.__doc__ = f'The names of tf.{module.__name__[len(ROOT) + 1:]}.'
        fill(module.__name__)


class _AliasLoader:
    """Loads an existing module under an additional name."""

    def __init__(self, module):
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        module.__spec__ = self._spec


def alias_spec(full_name, module):
    """Returns a spec with which importing `full_name` returns `module` itself."""
    return ModuleSpec(full_name, _AliasLoader(module), is_package=hasattr(module, '__path__'))


class Finder:
    """Finds the namespaces below ramet.compat.v1, none of which is a file."""

    @staticmethod
    def find_spec(full_name, path=None, target=None):
        if not full_name.startswith(ROOT + '.'):
            return None
        name = full_name[len(ROOT) + 1:]
        where = _table.get(name, '')
        if where.endswith(':'):
            return alias_spec(full_name, load(where[:-1]))
        if not where and is_namespace(name):
            return ModuleSpec(full_name, _Loader, is_package=True)
        if where or name.rpartition('.')[2].startswith('__') or name in tensorflow_names():
            return None
        raise ModuleNotFoundError(unknown_message(name))


sys.meta_path.insert(0, Finder)
