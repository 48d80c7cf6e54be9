"""Functions for the ops that update variables, by TensorFlow's names, such as apply_adam."""

from ramet import gen


def __getattr__(name):
    if not name.startswith('__'):
        wanted = name.replace('_', '')
        for op in dir(gen):
            if op.lower() == wanted:
                globals()[name] = gen.endpoint(op, name)
                return globals()[name]
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
