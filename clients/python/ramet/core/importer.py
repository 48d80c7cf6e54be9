"""Creates the modules of ramet.core that are not files: *_pb2 modules and their packages."""

import functools
import sys
from importlib.machinery import ModuleSpec

from ramet.core import modules

_PREFIX = 'ramet.core.'


def _packages():
    found = set()
    for name in modules.MODULES:
        while '.' in name:
            name = name.rpartition('.')[0]
            found.add(name)
    return frozenset(found)


class Importer:
    """Finds and loads the modules listed in modules.MODULES; see `importlib.abc`."""

    def __init__(self):
        self._packages = _packages()

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith(_PREFIX):
            return None
        name = fullname[len(_PREFIX):]
        if name in modules.MODULES:
            return ModuleSpec(fullname, self)
        if name in self._packages:
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__[len(_PREFIX):]
        module.__doc__ = f'The messages of tensorflow/core/{name.replace(".", "/")}.'
        if name in modules.MODULES:
            module.__doc__ = module.__doc__.replace('_pb2.', '.proto.')
            module.__getattr__ = functools.partial(_attribute, module, name)
            module.__dir__ = functools.partial(_names, module, name)


def _fill(module, name):
    from ramet.core import pool  # deferred: loads protobuf
    module.__dict__.update(pool.module_contents(name))
    for hook in ('__getattr__', '__dir__'):
        module.__dict__.pop(hook, None)


def _attribute(module, name, attribute):
    """Creates the classes of `module`, unless the attribute is only probed for, as for any module."""
    if not attribute.startswith('__') or attribute == '__all__':
        _fill(module, name)
        if attribute in module.__dict__:
            return module.__dict__[attribute]
    raise AttributeError(f'module {module.__name__!r} has no attribute {attribute!r}')


def _names(module, name):
    _fill(module, name)
    return sorted(module.__dict__)


def install():
    """Installs the importer for `import ramet.core...`."""
    if not any(isinstance(finder, Importer) for finder in sys.meta_path):
        sys.meta_path.append(Importer())
