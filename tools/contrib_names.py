#!/usr/bin/env python3
"""Lists the names of tf.contrib that Python programs use, and whether Ramet has them.

The programs are read, not run. A name counts as used if an import statement or a chain of attributes spells it, such as
`from tensorflow.contrib import rnn` and `rnn.GRUCell`. Prints a line 'STATE<tab>COUNT<tab>NAME' for each name, where STATE
is 'have' or 'absent', and exits with 1 if one is absent.

usage: contrib_names.py [--absent] [--files] PATH...
"""

import argparse
import ast
import collections
import os
import re
import sys

V1 = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'clients', 'python', 'ramet', 'compat', 'v1')
ROOTS = ('tensorflow', 'tensorflow.compat.v1')


def known_names():
    """Returns the names of Ramet, and the namespaces around them."""
    with open(os.path.join(V1, 'names.gen.tsv'), encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t') for line in file]
    names = {name for name, target in rows if not target.startswith('!')}
    spaces = {name[:i] for name in names for i, char in enumerate(name) if char == '.'}
    return names, spaces


def relative(module):
    """Returns the path of a module below `tf.`, or None for a module outside of TensorFlow."""
    for root in sorted(ROOTS, key=len, reverse=True):
        if module == root or module.startswith(root + '.'):
            return module[len(root) + 1:]
    return None


class Names(ast.NodeVisitor):
    """Collects the dotted names below `tf.` that a module uses."""

    def __init__(self):
        self.found = collections.Counter()
        self._aliases = {}

    def visit_Import(self, node):
        for alias in node.names:
            path = relative(alias.name)
            if path is None:
                continue
            self._use(path)
            if alias.asname:
                self._aliases[alias.asname] = path
            else:
                self._aliases['tensorflow'] = ''

    def visit_ImportFrom(self, node):
        path = relative(node.module or '') if node.level == 0 else None
        if path is None:
            return
        for alias in node.names:
            name = f'{path}.{alias.name}'.lstrip('.')
            self._use(path if alias.name == '*' else name)
            self._aliases[alias.asname or alias.name] = name

    def visit_Attribute(self, node):
        parts, inner = [], node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self._aliases:
            self._use('.'.join(filter(None, [self._aliases[inner.id], *reversed(parts)])))
        else:
            self.visit(inner)

    def _use(self, name):
        if name.startswith('contrib.'):
            self.found[name] += 1


def names_of(source):
    """Returns a Counter of the names of tf.contrib that a program uses.

    Args:
      source: the text of the program. Python 2's print statements are accepted.

    Raises:
      SyntaxError: if the text is not a program.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        tree = ast.parse(re.sub(r'^(\s*)print\s+(?!\()(.*)$', r'\1print(\2)', source, flags=re.MULTILINE))
    visitor = Names()
    visitor.visit(tree)
    return visitor.found


def is_known(name, names, spaces):
    """Returns whether Ramet has a name: the name itself, its module, or an object with the rest as attributes."""
    if name in spaces or '.python.' in f'{name}.':  # Internal modules are resolved at run time.
        return True
    return any(name == path or name.startswith(path + '.') for path in _prefixes(name) if path in names)


def _prefixes(name):
    parts = name.split('.')
    return ['.'.join(parts[:n]) for n in range(len(parts), 1, -1)]


def programs(paths):
    """Yields the files of programs: the given ones, and those with the suffix .py in given folders."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
        for folder, folders, files in os.walk(path):
            folders.sort()
            yield from (os.path.join(folder, file) for file in sorted(files) if file.endswith('.py'))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('paths', nargs='+', metavar='PATH', help='a program, or a folder with programs')
    parser.add_argument('--absent', action='store_true', help='print only names that Ramet does not have')
    parser.add_argument('--files', action='store_true', help='print the files that use each name')
    args = parser.parse_args()
    names, spaces = known_names()
    total, users = collections.Counter(), collections.defaultdict(list)
    for path in programs(args.paths):
        try:
            with open(path, encoding='utf-8', errors='replace') as file:
                found = names_of(file.read())
        except (SyntaxError, ValueError, RecursionError) as error:
            print(f'{path}: cannot be read: {error}', file=sys.stderr)
            continue
        total += found
        for name in found:
            users[name].append(path)
    absent = [name for name in total if not is_known(name, names, spaces)]
    for name, count in sorted(total.items(), key=lambda item: (-item[1], item[0])):
        state = 'absent' if name in absent else 'have'
        if state == 'absent' or not args.absent:
            print(f'{state}\t{count}\t{name}' + (f'\t{" ".join(users[name])}' if args.files else ''))
    return 1 if absent else 0


if __name__ == '__main__':
    sys.exit(main())
