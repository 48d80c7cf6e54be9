"""Functions for the ops that update variables, by TensorFlow's names, such as apply_adam."""

from ramet.compat import namespace


def __getattr__(name):
    if not name.startswith('__'):
        wanted = name.replace('_', '')
        for op in namespace.known_ops():
            if op.lower() == wanted and op[:1].isupper():
                globals()[name] = namespace.op_function(op)
                return globals()[name]
    raise AttributeError('module %r has no attribute %r' % (__name__, name))
