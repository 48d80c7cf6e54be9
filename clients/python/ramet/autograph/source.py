"""The syntax trees of functions."""

import ast
import functools
import inspect
import linecache

from ramet.autograph.errors import NoSourceError

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@functools.lru_cache(maxsize=32)
def _tree(text, file):
    return ast.parse(text, file)


def _lines(function):
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise NoSourceError(
            f'Unable to locate the source code of {function}. Note that functions defined in certain environments, '
            'like the interactive Python shell, do not expose their source code. If that is the case, you should '
            'define them in a .py source file. If you are certain the code is graph-compatible, wrap the call using '
            '@tf.autograph.experimental.do_not_convert. Original error: could not get source code')
    return lines


def _first_line(node):
    return min([node.lineno, *(d.lineno for d in getattr(node, 'decorator_list', ()))])


def _parameters(node):
    args = node.args
    rest = [arg.arg for arg in (args.vararg, args.kwarg) if arg is not None]
    return [arg.arg for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs]] + rest


def _fits(node, code):
    flags = [flag for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS) if code.co_flags & flag]
    count = code.co_argcount + code.co_kwonlyargcount + len(flags)
    names = list(code.co_varnames[:count])
    if _parameters(node) != names:
        return False
    if code.co_name == '<lambda>':
        return isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    return isinstance(node, _FUNCTIONS) and node.name == code.co_name and code.co_firstlineno in (
        node.lineno, _first_line(node))


def _positions(code):
    """Returns the (line, column) pairs of the instructions, where Python records them (from 3.11 on)."""
    if not hasattr(code, 'co_positions'):
        return []
    return [(line, column) for line, _, column, _ in code.co_positions() if line and column]


def _contains(node, positions):
    first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return all(first <= position < last for position in positions)


def _chosen(found, function):
    """Returns the node of a function among those with the same line, name and parameters."""
    positions = _positions(function.__code__)
    if len(found) > 1 and positions:
        found = [node for node in found if _contains(node, positions)]
        # A lambda inside another one is the smaller one.
        found = found[-1:]
    if len({ast.dump(node) for node in found}) > 1:
        raise NoSourceError(
            f'Unable to identify source code of lambda function {function}. It was defined in this code:\n'
            f'{ast.unparse(found[0])}\nThis code must contain a single distinguishable lambda. To avoid this problem, '
            'define each lambda in a separate expression.')
    return found[0] if found else None


def syntax_tree(function):
    """Returns the FunctionDef or Lambda of a function. The caller must not change it.

    Args:
      function: a Python function.

    Raises:
      NoSourceError: if its source cannot be read, or another function is at the same place.
    """
    code = function.__code__
    try:
        tree = _tree(''.join(_lines(function)), code.co_filename)
    except SyntaxError as error:
        raise NoSourceError(f'could not parse the source code of {function}: {error}') from error
    kinds = (*_FUNCTIONS, ast.Lambda)
    found = [node for node in ast.walk(tree) if isinstance(node, kinds) and _fits(node, code)]
    node = _chosen(found, function) if found else None
    if node is None:
        raise NoSourceError(f'the source of {function} is not at {code.co_filename}:{code.co_firstlineno}')
    return node
