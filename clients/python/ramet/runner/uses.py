"""Finds the names of TensorFlow that a program uses, without running it."""

import ast
import os
import typing

_ROOT = 'tensorflow'
_V1 = 'compat.v1'


class Use(typing.NamedTuple):
    """A name of TensorFlow at a place in a program. `name` is a dotted path below `tensorflow.`."""
    name: str
    file: str
    line: int


def _below_root(path):
    """Returns a dotted path below `tensorflow.`, without `compat.v1`, or None for other modules."""
    if path != _ROOT and not path.startswith(_ROOT + '.'):
        return None
    path = path[len(_ROOT) + 1:]
    return path[len(_V1) + 1:] if path == _V1 or path.startswith(_V1 + '.') else path


def _join(path, name):
    joined = f'{path}.{name}' if path else name
    return joined[len(_V1) + 1:] if joined == _V1 or joined.startswith(_V1 + '.') else joined


class _Scope:
    """The names of a module, function or class that refer to names of TensorFlow."""

    def __init__(self, outer=None):
        self._outer = outer
        self._paths = {}

    def bind(self, name, path):
        """Makes a name refer to a path below `tensorflow.`, or to something else if the path is None."""
        self._paths[name] = path

    def find(self, name):
        if name in self._paths:
            return self._paths[name]
        return self._outer.find(name) if self._outer else None


class _Finder(ast.NodeVisitor):
    """Collects the uses in one file."""

    def __init__(self, file):
        self.uses = []
        self.modules = []  # (dotted name, number of leading dots) of the modules that the file imports
        self._file = file
        self._scope = _Scope()

    def _use(self, path, node):
        if path:
            self.uses.append(Use(path, self._file, node.lineno))

    def visit_Import(self, node):
        for alias in node.names:
            path = _below_root(alias.name)
            if path is None:
                self.modules.append((alias.name, 0))
                self._scope.bind(alias.asname or alias.name.partition('.')[0], None)
                continue
            self._use(path, node)
            self._scope.bind(alias.asname or _ROOT, path if alias.asname else '')

    def visit_ImportFrom(self, node):
        path = _below_root(node.module or '') if not node.level else None
        for alias in node.names:
            if path is None:
                self.modules.append((f'{node.module}.{alias.name}' if node.module else alias.name, node.level))
                self._scope.bind(alias.asname or alias.name, None)
            elif alias.name != '*':
                name = _join(path, alias.name)
                self._use(name, node)
                self._scope.bind(alias.asname or alias.name, name)
            else:
                self._use(path, node)

    def _path(self, node):
        """Returns the path that an expression of names and dots refers to, or None."""
        if isinstance(node, ast.Name):
            return self._scope.find(node.id)
        if isinstance(node, ast.Attribute):
            path = self._path(node.value)
            return None if path is None else _join(path, node.attr)
        return None

    def visit_Attribute(self, node):
        path = self._path(node)
        if path is None:
            self.generic_visit(node)
        else:
            self._use(path, node)

    def visit_Assign(self, node):
        self.generic_visit(node)
        path = self._path(node.value) if isinstance(node.value, (ast.Name, ast.Attribute)) else None
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._scope.bind(target.id, path)

    def _visit_within(self, node, parameters=()):
        self._scope = _Scope(self._scope)
        for name in parameters:
            self._scope.bind(name, None)
        for child in ast.iter_child_nodes(node):
            self.visit(child)
        self._scope = self._scope._outer

    def visit_FunctionDef(self, node):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        self._visit_within(node, [a.arg for a in every if a])

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node):
        self._visit_within(node)


def _neighbor(name, level, file, folder):
    """Returns the files of a module that are next to a program: of the module and of its packages."""
    where = folder
    if level:
        where = os.path.dirname(file)
        for _ in range(level - 1):
            where = os.path.dirname(where)
    found = []
    for part in name.split('.'):
        inside = os.path.join(where, part)
        found += [path for path in (inside + '.py', os.path.join(inside, '__init__.py')) if os.path.isfile(path)]
        where = inside
    return found


def _files_in(folder):
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith('.') and f != '__pycache__')
        yield from (os.path.join(where, name) for name in sorted(names) if name.endswith('.py'))


def find(path):
    """Finds the names of TensorFlow that a program uses.

    Names are followed through imports and assignments such as `slim = tf.contrib.slim`. Modules that the program
    imports are searched too if they are in its folder or below.

    Args:
      path: a Python file, or a folder, all of whose Python files are searched.

    Returns:
      A list of Use, sorted by file and line.

    Raises:
      OSError: if a file cannot be read.
      SyntaxError: if a file is not Python 3.
    """
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    waiting = list(_files_in(path)) if os.path.isdir(path) else [path]
    seen, uses = set(waiting), []
    while waiting:
        file = waiting.pop()
        with open(file, 'rb') as source:
            tree = ast.parse(source.read(), file)
        finder = _Finder(file)
        finder.visit(tree)
        uses += finder.uses
        for name, level in finder.modules:
            near = [f for f in _neighbor(name, level, file, folder) if f not in seen]
            seen.update(near)
            waiting += near
    return sorted(set(uses), key=lambda use: (use.file, use.line, use.name))
