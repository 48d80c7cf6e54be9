"""Ramet: TensorFlow-1 graphs without TensorFlow.

`import ramet.compat.v1 as tf` is TensorFlow's v1 API; `python -m ramet script.py` runs a script
whose `import tensorflow` is answered by it. `ramet.load(path)` opens a model in one line,
`ramet.clone(...)` copies a graph, or a part of one, with variables of its own.
"""

_names = {
    'load': 'ramet.model',
    'Model': 'ramet.model',
    'Graph': 'ramet.framework.graph',
    'Session': 'ramet.client.session',
    'clone': 'ramet.cloning',
    'Clone': 'ramet.cloning',
}


def __getattr__(name):
    import importlib

    if name == '__version__':
        value = importlib.import_module('ramet.lib.versions').RAMET_VERSION
    elif name in _names:
        importlib.import_module('ramet.framework.ops')
        value = getattr(importlib.import_module(_names[name]), name)
    else:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    globals()[name] = value
    return value


def __dir__():
    return sorted({*(n for n in globals() if n.startswith('__')), *_names, '__version__', 'compat'})
