"""Finds modules of Ramet for those of absl that programs import, if absl is not installed."""

import importlib
from importlib.machinery import ModuleSpec

_MODULES = {'absl.app': 'ramet.lib.own_app', 'absl.flags': 'ramet.lib.own_flags',
            'absl.logging': 'ramet.lib.own_logging'}


class _PackageLoader:
    """Loads the empty package absl."""

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        module.__doc__ = 'The modules of absl that Ramet has.'


class AbslFinder:
    """Finds absl and some of its modules. It comes after the finders of installed packages."""

    @staticmethod
    def find_spec(full_name, path=None, target=None):
        if full_name == 'absl':
            return ModuleSpec(full_name, _PackageLoader, is_package=True)
        if full_name not in _MODULES:
            return None
        from ramet.compat import namespace  # deferred: reads the table of names
        return namespace.alias_spec(full_name, importlib.import_module(_MODULES[full_name]))
