#!/usr/bin/env python3
"""Writes tables of the names in TensorFlow for clients/python. It is run by hand; its outputs are in the repository.

usage: tensorflow_facts.py --wheel tensorflow_cpu-1.15.0-cp37-cp37m-manylinux2010_x86_64.whl
Run it with a Python that has TensorFlow 2.21. It only reads the wheel of 1.15, and does not run it. Writes

  clients/python/api/endpoints.tsv               public names of tf.compat.v1 whose function adds
                                                 exactly one op, and the op
  clients/python/api/contrib.tsv                 names of tf.contrib that are aliases of other names
  clients/python/ramet/compat/v1/tensorflow_names.txt
                                                 every public name of tf.compat.v1 of both versions
  clients/python/ramet/runner/internal_names.tsv internal module, name in it, public name
"""

import argparse
import ast
import inspect
import os
import textwrap
import types
import zipfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'clients', 'python')
TREE = 'tensorflow_core/'
# Parts of contrib whose re-exports are not meant to be public.
NOISE = ('contrib.LazyLoader', 'contrib.keras', 'contrib.quantization', 'contrib.boosted_trees',
         'contrib.tensor_forest')
# The parts of contrib from which other parts re-export symbols.
HOMES = ('contrib.layers.', 'contrib.framework.', 'contrib.losses.', 'contrib.metrics.')
# Namespaces within parts of contrib that programs use.
DEEPER = ('contrib.framework.nest.', 'contrib.slim.losses.', 'contrib.slim.metrics.')
# Namespaces that are separate packages, or whose names are created at run time.
OPEN = ('app.flags', 'compat.v2', 'contrib.estimator', 'contrib.tpu', 'estimator', 'flags', 'keras', 'logging.logging', 'test.mock')


def tensorflow():
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    return tf


def is_public(name):
    return not name.startswith('_')


def walk(module, prefix, seen, out):
    """Adds the dotted names below a namespace to `out`. Names of namespaces end with a dot."""
    seen.add(id(module))
    for name in filter(is_public, dir(module)):
        path = prefix + name
        if path in ('compat.v1', *OPEN):
            continue
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):
            continue
        if not isinstance(value, types.ModuleType):
            out[path] = value
            continue
        out[path + '.'] = value
        module_name = value.__dict__.get('__name__', '')
        if module_name.startswith('tensorflow') and id(value) not in seen:
            walk(value, path + '.', seen, out)


def op_of(function):
    """Returns the type of the op that a function of a generated module adds to a graph."""
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Call) and getattr(node.func, 'attr', '') == '_apply_op_helper':
            return node.args[0].value
    return None


def passes_on(function):
    """Returns (generated function, its call) if the body only passes its arguments on, else None."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):
        return None
    if not isinstance(tree.body[0], ast.FunctionDef):
        return None
    body = [s for s in tree.body[0].body
            if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return None
    call = body[0].value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    module = function.__globals__.get(getattr(call.func.value, 'id', ''))
    if '.gen_' not in getattr(module, '__name__', ''):
        return None
    return getattr(module, call.func.attr), call


def hands_on_by_name(call, parameters):
    given = dict(zip(parameters, call.args))
    given.update({k.arg: k.value for k in call.keywords})
    return all(isinstance(v, ast.Name) and v.id == k for k, v in given.items()) \
        and list(given) == list(parameters)


def endpoint_op(symbol, raw_ops):
    """Returns the op type if a public symbol only wraps this op, with the same arguments; else None."""
    from tensorflow.python.util import tf_decorator
    function = tf_decorator.unwrap(symbol)[1]
    if not inspect.isfunction(function):
        return None
    if '.gen_' not in function.__module__:
        passed = passes_on(function)
        if not passed:
            return None
        inner = tf_decorator.unwrap(passed[0])[1]
        if not hands_on_by_name(passed[1], inspect.signature(inner).parameters):
            return None
    else:
        inner = function
    op = op_of(inner)
    raw = getattr(raw_ops, op or '', None)
    if raw is None:
        return None

    def arguments(f):
        return [(p.name, p.default) for p in inspect.signature(f).parameters.values()]

    return op if arguments(symbol) == arguments(raw) else None


class Wheel:
    """The names exported by the sources in a wheel of TensorFlow 1.15, which are read but not run."""

    def __init__(self, path):
        self._zip = zipfile.ZipFile(path)
        self._files = set(self._zip.namelist())
        self._names = {}
        self._all = {}

    def file_of(self, module):
        base = TREE + module.replace('.', '/')
        for path in (base + '/__init__.py', base + '.py'):
            if path in self._files:
                return path
        return None

    def modules(self, prefix):
        """Yields the dotted names of all modules whose path begins with `prefix`."""
        for path in sorted(self._files):
            if path.startswith(TREE + prefix) and path.endswith('.py'):
                yield path[len(TREE):-3].replace('/', '.').removesuffix('.__init__')

    def tree(self, module):
        return ast.parse(self._zip.read(self.file_of(module)))

    def imports(self, module):
        """Yields (module, name, local name) for each `from tensorflow.x import y` of a generated module."""
        for node in ast.walk(self.tree(module)):
            if isinstance(node, ast.ImportFrom) and (node.module or '').startswith('tensorflow.'):
                for alias in node.names:
                    yield node.module[len('tensorflow.'):], alias.name, alias.asname or alias.name

    def names(self, module):
        """Maps each public name of a module to the (module, name) that it is imported from or defined as."""
        if module not in self._names:
            self._names[module] = {}
            if self.file_of(module):
                self._names[module] = self._read(module, self.tree(module))
        return self._names[module]

    def _read(self, module, tree):
        names, listed, trimmed = {}, set(), False
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names[node.name] = (module, node.name)
            elif isinstance(node, ast.Assign):
                targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
                names.update((t, (module, t)) for t in targets)
                if '__all__' in targets:
                    self._all[module] = set(strings_of(node.value))
                    listed |= self._all[module]
                if '_allowed_symbols' in targets:
                    listed.update(strings_of(node.value))
            elif isinstance(node, ast.ImportFrom) and node.module not in (None, '__future__'):
                names.update(self._imported(node))
            elif 'remove_undocumented' in ast.unparse(node):
                trimmed = True
        listed.update(line[2:].strip() for line in (ast.get_docstring(tree) or '').splitlines()
                      if line.startswith('@@'))
        return {n: at for n, at in names.items()
                if is_public(n) and (n in listed or not trimmed)}

    def _imported(self, node):
        origin = node.module.removeprefix('tensorflow.')
        if node.names[0].name == '*':
            names = self.names(origin)
            return {n: at for n, at in names.items() if n in self._all.get(origin, names)}
        return {alias.asname or alias.name: (origin, alias.name) for alias in node.names}

    def origin(self, at):
        """Follows (module, name) through imports to where the symbol is defined."""
        for _ in range(10):
            further = self.names(at[0]).get(at[1], at)
            if further == at:
                break
            at = further
        return at


def strings_of(node):
    return {n.value for n in ast.walk(node)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def public_of(wheel, tree, prefix):
    """Maps public name -> (internal module, name in it) for a tree of generated __init__ files."""
    names = {}
    for module in wheel.modules(tree):
        inner = module.replace('/', '.')[len(tree.replace('/', '.')):].strip('.')
        if inner.split('.')[0] in ('compat', 'v1') and inner != 'compat':
            continue
        at = '.'.join(filter(None, (prefix, inner)))
        if at:
            names[at + '.'] = None
        for origin, name, here in wheel.imports(module):
            if is_public(here) and not origin.startswith(('_api', 'python.keras.api')):
                names['.'.join(filter(None, (at, here)))] = (origin, name)
    top = tree.rstrip('/').replace('/', '.') + '.v1'
    if not prefix and wheel.file_of(top):
        for origin, name, here in wheel.imports(top):
            if is_public(here) and not origin.startswith('_api'):
                names[here] = (origin, name)
    return names


def contrib_names(wheel):
    """Yields (public name, (module, name) of its definition) for contrib. Namespaces end with a dot."""
    for module in wheel.modules('contrib/'):
        parts = module.split('.')
        if 'python' in parts:
            continue
        if {'examples', 'testing', 'cmake', 'makefile', 'benchmarks'} & set(parts) \
                or parts[-1].endswith(('_pb2', '_test')):
            continue
        yield module + '.', None
        yield from names_below(wheel, module, module, 2 if 'learn' in parts else 1)


def names_below(wheel, path, module, depth):
    """Yields (public name, (module, name)) for the names of a module and of the modules in it."""
    for name, at in wheel.names(module).items():
        at = wheel.origin(at)
        within = '.'.join(at)
        if wheel.file_of(within) and name != 'python':
            if depth and within.startswith('contrib.') and '.gen_' not in within or name == 'nest':
                yield f'{path}.{name}.', None
                yield from names_below(wheel, f'{path}.{name}', within, depth - 1)
        elif at[0].startswith('contrib.') or at[0] == module \
                or (path == module and wheel.file_of(module).endswith('__init__.py')):
            yield f'{path}.{name}', at


def shortest_names(public):
    """Maps (internal module, name) -> the shortest public name."""
    best = {}
    for path, at in public.items():
        if at and at[0].startswith('python.'):
            best[at] = min(best.get(at, path), path, key=lambda p: (p.count('.'), len(p), p))
    return best


def contrib_aliases(contrib, shortest):
    """Returns lines with each name of contrib that is an alias of another public or contrib name."""
    homes = {}
    for path, at in contrib.items():
        if path.startswith(HOMES) and at:
            homes[at] = min(homes.get(at, path), path, key=len)
    same = {path: shortest.get(at) or homes.get(at) for path, at in contrib.items()}
    return {f'{path}\t{other}' for path, other in same.items()
            if other and other != path and not path.startswith(NOISE)
            and (path.count('.') == 2 or path.startswith(DEEPER))}


def internal_names(wheel, shortest):
    """Returns lines with the internal modules, and with the public symbols in them."""
    skipped = ('python.keras', 'python.tpu', 'python.autograph', 'python.tools.api')
    lines = {f'{module}\t{name}\t{path}' for (module, name), path in shortest.items()
             if '.gen_' not in module}
    lines |= set(wheel.modules('python/'))
    lines |= {m for m in wheel.modules('contrib/') if '.python' in m and '.gen_' not in m}
    return {line for line in lines if not line.startswith((*skipped, *NOISE))}


def write(path, lines):
    path = os.path.normpath(os.path.join(ROOT, path))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(line + '\n' for line in sorted(lines))
    print(f'{path}: {len(lines)} lines')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--wheel', required=True, help='the wheel of TensorFlow 1.15')
    wheel = Wheel(parser.parse_args().wheel)
    tf = tensorflow()
    symbols = {}
    walk(tf, '', set(), symbols)
    old = public_of(wheel, '_api/v1/', '')
    old.update(public_of(wheel, 'python/keras/api/_v1/keras/', 'keras'))

    endpoints = set()
    for path, symbol in symbols.items():
        if not path.startswith('raw_ops.') and not path.endswith('.'):
            op = endpoint_op(symbol, tf.raw_ops)
            if op:
                endpoints.add(f'{path}\t{op}')
    write('api/endpoints.tsv', endpoints)

    shortest = shortest_names(old)
    contrib = dict(contrib_names(wheel))
    write('api/contrib.tsv', contrib_aliases(contrib, shortest))

    names = {*symbols, *old, *(n for n in contrib if not n.startswith(NOISE))}
    names |= {f'{path}.*' for path in (*OPEN, *NOISE[1:])}
    names = {n for n in names if not n.startswith('compat.v1') and n + '.' not in names}
    write('ramet/compat/v1/tensorflow_names.txt', names)

    write('ramet/runner/internal_names.tsv', internal_names(wheel, shortest))


if __name__ == '__main__':
    main()
