"""Compiles converted functions, with the line numbers of the original."""

import ast
import builtins
import copy
import types
import weakref

from ramet.autograph import jumps, source
from ramet.autograph.errors import UnsupportedError, register_code
from ramet.autograph.rewriting import Rewriter, function_def, parameters

# Maps code objects to {features: (code of the converted function, its tree)}.
_converted = weakref.WeakKeyDictionary()
_OWN_CELLS = ('ag__', 'ag_options__')


def _as_function_def(node):
    """Returns a changeable FunctionDef of a FunctionDef or a Lambda."""
    node = copy.deepcopy(node)
    if isinstance(node, ast.Lambda):
        body = [ast.copy_location(ast.Return(node.body), node.body)]
        node = ast.copy_location(function_def('lambda_', node.args, body), node)
    node.decorator_list = []
    node.returns = None
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [d and ast.Constant(None) for d in node.args.kw_defaults]
    for arg in ast.walk(node.args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    return node


class _ExplicitSuper(ast.NodeTransformer):
    """Gives super() its arguments, which Python finds only in the method itself."""

    def __init__(self, first):
        self._first = first

    def visit_Call(self, node):
        node = self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == 'super' and not node.args:
            node.args = [ast.copy_location(ast.Name(name, ast.Load()), node) for name in ('__class__', self._first)]
        return node


def rewritten(function, features):
    """Returns the FunctionDef of a converted function.

    Args:
      function: a Python function.
      features: a set of Features.

    Raises:
      AutoGraphError: if it cannot be converted.
    """
    node, file = source.syntax_tree(function), function.__code__.co_filename
    if isinstance(node, ast.AsyncFunctionDef):
        raise UnsupportedError(f'coroutines are not supported\n    File "{file}", line {node.lineno}')
    node = _as_function_def(node)
    if '__class__' in function.__code__.co_freevars and node.args.args:
        node = _ExplicitSuper(node.args.args[0].arg).visit(node)
    Rewriter(jumps.Namer(node), features, file).function(node)
    node.name = f'tf__{node.name}'
    return ast.fix_missing_locations(node)


def _compiled(node, function):
    """Returns the code object of a FunctionDef whose free variables are those of a function."""
    free = [*function.__code__.co_freevars, *_OWN_CELLS]
    # The variables must be local to a function around it. No statement of it runs.
    locals_ = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None), lineno=1) for name in free]
    factory = function_def('factory', parameters(), [*locals_, node])
    module = ast.fix_missing_locations(ast.Module([factory], []))
    try:
        code = compile(module, function.__code__.co_filename, 'exec', dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise UnsupportedError(f'the converted code does not compile: {error}') from error
    for name in ('factory', node.name):
        code = next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)
    return code


def _code_of(function, features):
    known = _converted.setdefault(function.__code__, {})
    if features not in known:
        node = rewritten(function, features)
        known[features] = _compiled(node, function), node
        register_code(known[features][0], function.__name__)
    return known[features]


def converted(function, options, operators):
    """Returns the converted function, which shares the variables of the original.

    Args:
      function: a Python function.
      options: ConversionOptions.
      operators: the object that the code names ag__.

    Raises:
      AutoGraphError: if it cannot be converted.
    """
    code, node = _code_of(function, options.optional_features)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells['ag__'] = types.CellType(operators)
    cells['ag_options__'] = types.CellType(options.for_calls())
    scope = function.__globals__
    if '__builtins__' not in scope:
        scope = {**scope, '__builtins__': builtins}
    made = types.FunctionType(code, scope, f'tf__{function.__name__}', function.__defaults__,
                              tuple(cells[name] for name in code.co_freevars))
    made.__kwdefaults__ = function.__kwdefaults__
    made.__doc__, made.__module__ = function.__doc__, function.__module__
    made._ramet_tree = node
    return made
