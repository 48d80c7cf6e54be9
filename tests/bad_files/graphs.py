"""Builds GraphDef and MetaGraphDef messages from their fields."""
import struct

from wire import field

FLOAT, INT32, STRING, BOOL, RESOURCE = 1, 3, 7, 10, 20


def shape(dims):
    return b"".join(field(2, field(1, d)) for d in dims)


def tensor(dtype, dims, content=None, floats=None):
    out = field(1, dtype) + field(2, shape(dims))
    if content is not None:
        out += field(4, content)
    if floats is not None:
        out += field(5, struct.pack("<%df" % len(floats), *floats))
    return out


class Attr:
    """Serialized AttrValues."""

    @staticmethod
    def type(t):
        return field(6, t)

    @staticmethod
    def int(i):
        return field(3, i)

    @staticmethod
    def text(s):
        return field(2, s)

    @staticmethod
    def shape(dims):
        return field(7, shape(dims))

    @staticmethod
    def tensor(t):
        return field(8, t)

    @staticmethod
    def texts(items):
        return field(1, b"".join(field(2, i) for i in items))

    @staticmethod
    def types(items):
        return field(1, b"".join(field(6, i) for i in items))

    @staticmethod
    def func(name, **attrs):
        return field(10, field(1, name) + b"".join(field(2, field(1, k) + field(2, v)) for k, v in attrs.items()))


def node_def(name, op, inputs=(), **attrs):
    out = field(1, name) + field(2, op)
    for i in inputs:
        out += field(3, i)
    for key, value in attrs.items():
        out += field(5, field(1, key) + field(2, value))
    return out


def node(name, op, inputs=(), **attrs):
    return field(1, node_def(name, op, inputs, **attrs))


def const(name, value=1.0, dims=(), **more):
    t = tensor(FLOAT, dims, **(more or {"floats": [value]}))
    return node(name, "Const", dtype=Attr.type(FLOAT), value=Attr.tensor(t))


def identity(name, source):
    return node(name, "Identity", [source], T=Attr.type(FLOAT))


def add(name, a, b):
    return node(name, "AddV2", [a, b], T=Attr.type(FLOAT))


def versions(producer=1395, min_consumer=0):
    return field(4, field(1, producer) + field(2, min_consumer))


def graph(*nodes, library=b"", version=None):
    return b"".join(nodes) + (library and field(2, library)) + (version or versions())


def meta(graph_def, saver=None, collections=()):
    out = field(1, field(5, "2.21.0")) + field(2, graph_def)
    if saver is not None:
        out += field(3, saver)
    for name, value in collections:
        out += field(4, field(1, name) + field(2, value))
    return out


def function(name, *node_defs):
    """Returns a FunctionDef without arguments, as an entry of a FunctionDefLibrary."""
    return field(1, field(1, field(1, name)) + b"".join(field(3, n) for n in node_defs))


def argument(name, dtype, count=None):
    """Returns an ArgDef. The dtype is a number, or the name of the attr that holds it."""
    return field(1, name) + field(4 if isinstance(dtype, str) else 3, dtype) + (field(5, count) if count else b"")


def library_function(name, nodes, args, results, ret, attrs=(), controls=()):
    """Returns a FunctionDef. `args` and `results` are lists of arguments of `argument`."""
    signature = field(1, name) + b"".join(field(2, argument(*a)) for a in args)
    signature += b"".join(field(3, argument(*r)) for r in results)
    signature += b"".join(field(4, field(1, key) + field(2, kind)) for key, kind in attrs)
    signature += b"".join(field(20, key) for key, _ in controls)
    out = field(1, signature) + b"".join(field(3, n) for n in nodes)
    out += b"".join(field(4, field(1, key) + field(2, value)) for key, value in ret)
    return field(1, out + b"".join(field(6, field(1, key) + field(2, value)) for key, value in controls))
