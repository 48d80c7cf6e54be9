"""Finds the modules of Ramet for modules below `tensorflow`."""

import importlib

_ROOT = 'tensorflow'


def _facade_spec(full_name):
    from ramet.runner import internal  # deferred: reads large tables
    return internal.facade_spec(full_name, full_name[len(_ROOT) + 1:])


def _public_spec(full_name, path):
    from ramet.compat import namespace  # deferred: reads the table of names
    name = f'{namespace.ROOT}.{path}' if path else namespace.ROOT
    return namespace.alias_spec(full_name, importlib.import_module(name))


def _own_spec(full_name, name):
    """Returns the spec of the module of Ramet at the same path, or None if there is none."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name + '.').startswith(error.name + '.'):
            return None
        raise
    from ramet.compat import namespace  # deferred: reads the table of names
    return namespace.alias_spec(full_name, module)


class Finder:
    """Finds tensorflow and all modules below it, before the finder of installed packages."""

    @staticmethod
    def find_spec(full_name, path=None, target=None):
        if full_name != _ROOT and not full_name.startswith(_ROOT + '.'):
            return None
        parts = full_name.split('.')[1:]
        if parts[:2] == ['compat', 'v1']:
            parts = parts[2:]
        if not parts:
            return _public_spec(full_name, '')
        if parts[0] in ('core', 'examples'):
            return _own_spec(full_name, 'ramet.' + '.'.join(parts))
        if parts[0] == 'python' or (parts[0] == 'contrib' and 'python' in parts):
            return _facade_spec(full_name)
        return _public_spec(full_name, '.'.join(parts))
