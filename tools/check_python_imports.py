#!/usr/bin/env python3
"""Checks which modules of the Python package import which.

Prints 'file:line: message' for each finding and exits with 1 if there is one. It finds
  - an import of a module in a higher room (ROOMS lists the rooms from the lowest to the highest)
  - modules that import each other in a circle, including imports inside functions
  - an import inside a function without a comment '# deferred: REASON' on its first line
  - an import by name (importlib.import_module('ramet...')), which this check cannot follow, outside of the rooms that
    resolve public names (BY_NAME)

With --counts, prints the number of modules, imports, deferred imports, modules in circles and imports of higher rooms.
"""

import argparse
import ast
import collections
import os
import sys

PACKAGE = os.path.join('clients', 'python', 'ramet')
# The rooms of each row may import the rooms of the rows above it. '' is the package itself.
ROOMS = (
    ('_core', 'api', 'docstrings'),
    ('core', 'gen'),
    ('framework',),
    ('lib',),
    ('client',),
    ('ops',),
    ('autograph',),
    ('function',),
    ('data',),
    ('summary', 'replica'),
    ('train',),
    ('keras',),
    ('layers',),
    ('rnn',),
    ('feature_column',),
    ('saved_model', 'cloning', 'graph_editor'),
    ('estimator',),
    ('contrib', 'tools', 'model', 'testing', 'examples'),
    ('startup',),
    ('compat',),
    ('runner',),
    ('', '__main__'),
)
BY_NAME = ('', 'compat', 'runner')
LEVELS = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}

Import = collections.namedtuple('Import', ['source', 'target', 'line', 'deferred', 'reason'])


def modules(root):
    """Maps the dotted name of each module below `ramet` to its path. The package itself is ''."""
    found = {}
    package = os.path.join(root, PACKAGE)
    for folder, folders, files in os.walk(package):
        folders.sort()
        for file in sorted(files):
            if file.endswith('.py'):
                path = os.path.join(folder, file)
                name = os.path.relpath(path, package)[:-3].replace(os.sep, '.')
                found['' if name == '__init__' else name.removesuffix('.__init__')] = path
    return found


def room_of(module):
    return module.partition('.')[0]


def known_module(name, known):
    """Returns the module that a dotted name below `ramet` belongs to: itself, or the closest package around it."""
    while name not in known and '.' in name:
        name = name.rpartition('.')[0]
    return name


def targets(node, known):
    """Yields the modules that an import statement names. Modules that are not files, such as those of `core`, count as
    their package."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        names = [f'{node.module}.{alias.name}' for alias in node.names]
    else:
        names = []
    for name in names:
        first, _, rest = name.partition('.')
        if first == 'ramet':
            yield known_module(rest, known)


def deferred_reason(line):
    return line.partition('# deferred:')[2].strip()


def imports(module, tree, lines, known):
    """Yields the imports of a module."""

    def visit(node, deferred):
        for child in ast.iter_child_nodes(node):
            for target in targets(child, known):
                yield Import(module, target, child.lineno, deferred, deferred_reason(lines[child.lineno - 1]))
            yield from visit(child, deferred or isinstance(child, (ast.FunctionDef, ast.Lambda)))

    yield from visit(tree, False)


def imports_by_name(tree):
    """Yields the lines of calls such as importlib.import_module('ramet.x')."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = getattr(node.func, 'attr', None) or getattr(node.func, 'id', None)
        if called in ('import_module', '__import__') and _begins_with_ramet(node.args[0]):
            yield node.lineno


def _begins_with_ramet(node):
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith('ramet')


def circles(found):
    """Returns the sets of modules that import each other, each as a sorted list (Tarjan's algorithm)."""
    graph = collections.defaultdict(set)
    for item in found:
        if item.source != item.target:
            graph[item.source].add(item.target)
    number, lowest, stack, result = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for following in sorted(graph.get(node, ())):
            if following not in number:
                visit(following)
                lowest[node] = min(lowest[node], lowest[following])
            elif following in stack:
                lowest[node] = min(lowest[node], number[following])
        if lowest[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                result.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return result


def read(root):
    """Returns (modules, imports, [(module, line)] of imports by name) of the package."""
    known, found, by_name = modules(root), [], []
    for module, path in known.items():
        with open(path, encoding='utf-8') as file:
            text = file.read()
        tree = ast.parse(text, path)
        found += imports(module, tree, text.split('\n'), known)
        by_name += [(module, line) for line in imports_by_name(tree)]
    return known, found, by_name


def is_upward(item):
    """Reports whether an import names a room that its own room may not import."""
    source, target = room_of(item.source), room_of(item.target)
    return source != target and LEVELS.get(target, -1) >= LEVELS.get(source, len(ROOMS))


def findings(root):
    known, found, by_name = read(root)

    def place(module, line):
        return f'{os.path.relpath(known[module], root)}:{line}'

    for module in known:
        if room_of(module) not in LEVELS:
            yield f'{place(module, 1)}: ROOMS in tools/check_python_imports.py lacks the room {room_of(module)!r}'
    for item in found:
        if is_upward(item):
            yield (f'{place(item.source, item.line)}: import of ramet.{item.target}: {room_of(item.source)!r} may not '
                   f'import {room_of(item.target)!r}; let the upper room register itself in the lower one')
        if item.deferred and not item.reason:
            yield (f'{place(item.source, item.line)}: import of ramet.{item.target} inside a function: move it to the '
                   "top of the module, or give the reason in a comment '# deferred: ...'")
    for module, line in by_name:
        if room_of(module) not in BY_NAME:
            yield f'{place(module, line)}: import by name; use an import statement'
    for circle in circles(found):
        yield f'{place(circle[0], 1)}: circle of imports: {", ".join(circle)}'


def counts(root):
    known, found, _ = read(root)
    in_circles = sum(map(len, circles(found)))
    return (f'{len(known)} modules, {len(found)} imports, {sum(item.deferred for item in found)} of them deferred, '
            f'{in_circles} modules in circles, {sum(map(is_upward, found))} imports of higher rooms')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('root', nargs='?', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
    parser.add_argument('--counts', action='store_true', help='print counts instead of findings')
    args = parser.parse_args()
    if args.counts:
        print(counts(args.root))
        return 0
    found = list(findings(args.root))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
