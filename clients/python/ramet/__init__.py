"""Trains, runs and clones TensorFlow 1 graphs without TensorFlow.

`import ramet.compat.v1 as tf` provides TensorFlow's v1 API. `python -m ramet script.py` runs an unchanged script, whose
`import tensorflow` then imports Ramet.

`ramet.load(path)` opens a saved model. `ramet.clone(...)` copies a graph, or a part of one, with its own variables.
`ramet.Publisher(session, 'shm:NAME')` publishes a session's variables, and `ramet.Follower('shm:NAME')` keeps a copy of
them up to date, usually in another process.
"""

_names = {
    'load': 'ramet.model',
    'Model': 'ramet.model',
    'Graph': 'ramet.framework.graph',
    'Session': 'ramet.client.session',
    'DeviceWork': 'ramet.client.device_work',
    'work_of_device': 'ramet.client.device_work',
    'clone': 'ramet.cloning',
    'Clone': 'ramet.cloning',
    'CloneError': 'ramet.cloning',
    'NoSuchElementError': 'ramet.cloning',
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
        importlib.import_module('ramet.startup')
        value = getattr(importlib.import_module(_names[name]), name)
    else:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    globals()[name] = value
    return value


def __dir__():
    return sorted({*(n for n in globals() if n.startswith('__')), *_names, '__version__', 'compat'})
