#!/usr/bin/env python3
"""Writes the table of public names of the Python package, names.gen.tsv, from

  clients/python/ramet/**/*.py     export(...) and export_value(...) with literal names
  ramet/core/public_names.py       proto classes: {'GraphDef': 'framework.graph_pb2:GraphDef'}
  clients/python/api/endpoints.tsv names of functions that add exactly one op
  clients/python/api/contrib.tsv   names of tf.contrib that are aliases of other names
  clients/python/api/keras.tsv     names of tf.keras that are aliases of other names
  clients/python/api/aliases.tsv   names from before TensorFlow 1.0
  clients/python/api/ragged.tsv    functions that accept ragged tensors, and what then implements them

If several of these define a name, the first one wins. With --check, writes nothing and exits with 1 if the table is
out of date.
"""

import argparse
import ast
import functools
import os
import sys

PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'clients', 'python')
TABLE = 'ramet/compat/v1/names.gen.tsv'


class ApiError(Exception):
    """An error in the sources, with file and line."""


def literal_names(call, file_name):
    if call.keywords or not all(isinstance(a, ast.Constant) and isinstance(a.value, str)
                                for a in call.args):
        raise ApiError(f'{file_name}:{call.lineno}: names given to export must be literal strings')
    return [a.value for a in call.args]


def is_call_of(node, function):
    return isinstance(node, ast.Call) and function == (
        getattr(node.func, 'id', None) or getattr(node.func, 'attr', None))


def exports_of_statement(statement, file_name):
    """Yields (public name, attribute or '=') for each export of a statement of a module."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        for decorator in statement.decorator_list:
            if is_call_of(decorator, 'export'):
                for name in literal_names(decorator, file_name):
                    yield name, statement.name
        return
    call = getattr(statement, 'value', None)
    if is_call_of(call, 'export_value'):
        if not isinstance(call.args[0], ast.Constant):
            raise ApiError(f'{file_name}:{call.lineno}: export_value needs a literal name')
        yield call.args[0].value, '='
    elif isinstance(call, ast.Call) and is_call_of(call.func, 'export'):
        if isinstance(statement, ast.Assign):
            symbol = statement.targets[0]
        else:
            symbol = call.args[0]
        if not isinstance(symbol, ast.Name):
            raise ApiError(f'{file_name}:{call.lineno}: export(...) needs a symbol that has a name')
        for name in literal_names(call.func, file_name):
            yield name, symbol.id


def modules(package):
    """Yields (path, dotted module name below ramet) for each source file of the package."""
    for folder, folders, files in os.walk(package):
        folders.sort()
        for file in sorted(files):
            if file.endswith('.py'):
                path = os.path.join(folder, file)
                dotted = os.path.relpath(path, package)[:-3].replace(os.sep, '.')
                yield path, dotted.removesuffix('.__init__')


def source_exports(package):
    """Maps public name -> target for all exports of the sources."""
    found, lines, problems = {}, {}, []
    for path, module in modules(package):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        if 'export' not in text or module == 'api':
            continue
        file_name = os.path.relpath(path, PYTHON)
        for statement in ast.parse(text, path).body:
            for name, attribute in exports_of_statement(statement, file_name):
                at = f'{file_name}:{statement.lineno}'
                if name in found:
                    problems.append(f'{at}: tf.{name} is already exported at {lines[name]}')
                if not may_be_public(name):
                    problems.append(f'{at}: TensorFlow has no tf.{name}')
                found[name], lines[name] = f'{module}:{attribute}', at
    if problems:
        raise ApiError('\n'.join(problems))
    return found


def proto_names(package):
    path = os.path.join(package, 'core', 'public_names.py')
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        for statement in ast.parse(file.read(), path).body:
            if isinstance(getattr(statement, 'value', None), ast.Dict):
                return {k: 'core.' + v for k, v in ast.literal_eval(statement.value).items()}
    raise ApiError(f'{path}: expected a dict of names')


def rows(name):
    with open(os.path.join(PYTHON, 'api', name), encoding='utf-8') as file:
        return [line.rstrip('\n').split('\t') for line in file]


@functools.cache
def tensorflow_names():
    with open(os.path.join(PYTHON, os.path.dirname(TABLE), 'tensorflow_names.txt'),
              encoding='utf-8') as file:
        return {*file.read().split('\n'), *(row[0] for row in rows('aliases.tsv'))}


def may_be_public(name):
    """Reports whether TensorFlow has this name, or may have it because it is in a namespace with unknown names."""
    known = tensorflow_names()
    return name in known or any(name[:i] + '.*' in known for i, c in enumerate(name) if c == '.')


def table(package):
    """Returns the table as a dict, public name -> target."""
    old = dict(rows('aliases.tsv'))
    names = {'compat.v1': 'compat.v1:', **source_exports(package)}
    for more in (proto_names(package), {name: f'gen:{op}' for name, op in rows('endpoints.tsv')}):
        names.update((name, target) for name, target in more.items() if name not in names)
    same_names = [*rows('contrib.tsv'), *rows('keras.tsv')]
    aliases = {**{name: f'={same}' for name, same in same_names}, **old}
    for name, target in aliases.items():
        same = names.get(target[1:]) if target[0] == '=' else None
        if name not in names and (same or target[0] != '=' or name in old):
            names[name] = same if same and '=' not in same else target
    return names


def mark_ragged(names):
    """Adds the implementations for ragged tensors to all names of the functions in ragged.tsv."""
    implementations = {}
    for name, implementation in rows('ragged.tsv'):
        if name in names and names[name][0] not in '=!':
            implementations[names[name]] = implementation
    for name, target in names.items():
        if target in implementations and ':=' not in target:
            names[name] = f'{target}~{implementations[target]}'
    return names


def text_of(names):
    return '\n'.join(f'{name}\t{target}' for name, target in sorted(names.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--check', action='store_true', help='only check whether the table is out of date')
    args = parser.parse_args()
    path = os.path.normpath(os.path.join(PYTHON, TABLE))
    try:
        text = text_of(mark_ragged(table(os.path.join(PYTHON, 'ramet'))))
    except ApiError as error:
        sys.exit(str(error))
    if not args.check:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text + '\n')
        return
    with open(path, encoding='utf-8') as file:
        if file.read() != text + '\n':
            sys.exit(f'{path} is out of date: run tools/gen_python_api.py')


if __name__ == '__main__':
    main()
