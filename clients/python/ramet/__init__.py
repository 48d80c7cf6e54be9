"""Ramet: TensorFlow-1 graphs without TensorFlow.

`import ramet.compat.v1 as tf` is TensorFlow's v1 API; `python -m ramet script.py` runs a script
whose `import tensorflow` is answered by it. `ramet.load(path)` opens a model in one line,
`ramet.clone(...)` copies a graph, or a part of one, with variables of its own.
`ramet.Publisher(session, 'shm:NAME')` publishes a session's variables, `ramet.Follower('shm:NAME')`
is a copy in another process that keeps up with them.
"""

_names = {
    'load': 'ramet.model',
    'Model': 'ramet.model',
    'Graph': 'ramet.framework.graph',
    'Session': 'ramet.client.session',
    'clone': 'ramet.cloning',
    'Clone': 'ramet.cloning',
    'Publisher': 'ramet.replica',
    'Follower': 'ramet.replica',
    'ReplicaMonitor': 'ramet.replica',
    'VersionInfo': 'ramet.replica',
    'RunVersion': 'ramet.replica',
    'run_version': 'ramet.replica',
    'PublishHook': 'ramet.train.publish_hook',
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
