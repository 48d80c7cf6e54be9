"""Replaces statements and expressions of a function by calls of the functions of `operators`."""

import ast

from ramet.autograph import jumps, names
from ramet.autograph.errors import UnsupportedError
from ramet.autograph.features import Feature

# These look at the frame that calls them.
_FRAME_FUNCTIONS = frozenset(('super', 'locals', 'globals', 'eval', 'exec', 'vars', 'dir', 'breakpoint'))
_LOOP_OPTIONS = ('parallel_iterations', 'swap_memory', 'maximum_iterations', 'shape_invariants')


def operator(name):
    return ast.Attribute(jumps.load('ag__'), name, ast.Load())


def call(function, *args):
    return ast.Call(function, list(args), [])


def parameters(args=()):
    """Returns the parameters of a function."""
    return ast.arguments(posonlyargs=[], args=[ast.arg(name) for name in args], vararg=None, kwonlyargs=[],
                         kw_defaults=[], kwarg=None, defaults=[])


def function_def(name, args, body):
    """Returns a FunctionDef without decorators, which has one more field from Python 3.12 on."""
    more = {'type_params': []} if 'type_params' in ast.FunctionDef._fields else {}
    return ast.FunctionDef(name, args, body, [], **more)


def _lambda(body):
    return ast.Lambda(parameters(), body)


def _function(name, body, args=()):
    return function_def(name, parameters(args), body or [ast.Pass()])


def _expression(text, context):
    node = ast.parse(text, mode='eval').body
    node.ctx = context
    for part in ast.walk(node):
        if 'lineno' in part._attributes:
            part.lineno = 0  # _placed sets the line
    return node


def _placed(nodes, like):
    """Returns nodes whose parts without a place are at the start of another node.

    Python reports the last line of a call's function that has several lines.
    """
    for node in nodes:
        for part in ast.walk(node):
            if 'lineno' in part._attributes and not getattr(part, 'lineno', 0):
                part.lineno = part.end_lineno = like.lineno
                part.col_offset = part.end_col_offset = like.col_offset
    return nodes


class _Scope:
    """A Python function that is being written: a converted one, or one that was made of a block."""

    def __init__(self, function, nonlocal_names):
        self.function = function
        self.nonlocal_names = nonlocal_names
        self.undefined = set()


class _FunctionInfo:
    """The names of a converted function."""

    def __init__(self, node):
        self.globals = names.declared(node.body, ast.Global)
        self.nonlocals = names.declared(node.body, ast.Nonlocal)
        self.parameters = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}


class Rewriter(ast.NodeTransformer):
    """Rewrites one function and the functions inside it."""

    def __init__(self, namer, features, file):
        """Creates a rewriter.

        Args:
          namer: a Namer for the outermost function.
          features: a set of Features.
          file: the path of the program, for messages.
        """
        self._namer = namer
        self._features = features
        self._file = file
        self._scopes = []
        self._may_be_undefined = set()

    def _uses(self, feature):
        return feature in self._features or Feature.ALL in self._features

    # Functions.

    def function(self, node):
        """Rewrites a FunctionDef in place."""
        jumps.lower(node, self._namer)
        ast.fix_missing_locations(node)
        names.Liveness(node.body)
        outer = self._may_be_undefined
        self._may_be_undefined = _assigned_in_blocks(node.body) | outer
        node.body = self._body(node.body, _Scope(_FunctionInfo(node), set()))
        self._may_be_undefined = outer

    def _body(self, statements, scope):
        self._scopes.append(scope)
        made = []
        for statement in statements:
            result = self.visit(statement)
            made.extend(result if isinstance(result, list) else [result])
        self._scopes.pop()
        docstring = made[:1] if made and _is_docstring(made[0]) else []
        undefined = [jumps.assign(name, call(operator('Undefined'), ast.Constant(name)), statements[0])
                     for name in sorted(scope.undefined)]
        return docstring + _placed(undefined, statements[0]) + made[len(docstring):] if made else made

    def visit_FunctionDef(self, node):
        node.args = self.visit(node.args)
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        self.function(node)
        node.decorator_list.append(operator('autograph_artifact'))
        return ast.fix_missing_locations(node)

    def visit_Lambda(self, node):
        node = self.generic_visit(node)
        return ast.copy_location(call(operator('autograph_artifact'), node), node)

    def _leave_alone(self, node):
        return node

    visit_ClassDef = visit_AsyncFunctionDef = _leave_alone

    def _refuse(self, node, problem):
        raise UnsupportedError(f'{problem}\n    File "{self._file}", line {node.lineno}')

    def _refuse_generator(self, node):
        self._refuse(node, 'generators are not supported')

    visit_Yield = visit_YieldFrom = _refuse_generator

    def visit_NamedExpr(self, node):
        self._refuse(node, 'assignment expressions are not supported')

    def visit_Attribute(self, node):
        if node.attr.startswith('__') and not node.attr.endswith('__'):
            self._refuse(node, 'mangled names are not yet supported')
        return self.generic_visit(node)

    # Variables.

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self._may_be_undefined:
            return ast.copy_location(call(operator('ld'), node), node)
        return node

    def visit_AugAssign(self, node):
        made = self.generic_visit(node)
        if isinstance(node.target, ast.Name) and node.target.id in self._may_be_undefined:
            name = node.target.id
            return _placed([jumps.assign(name, call(operator('ld'), jumps.load(name)), node), made], node)
        return made

    def visit_Delete(self, node):
        if all(isinstance(target, ast.Name) and target.id in self._may_be_undefined for target in node.targets):
            return _placed([jumps.assign(target.id, call(operator('Undefined'), ast.Constant(target.id)), node)
                            for target in node.targets], node)
        return self.generic_visit(node)

    # Expressions.

    def visit_BoolOp(self, node):
        node = self.generic_visit(node)
        name = 'and_' if isinstance(node.op, ast.And) else 'or_'
        made = node.values[-1]
        for value in reversed(node.values[:-1]):
            made = ast.copy_location(call(operator(name), _lambda(value), _lambda(made)), node)
        return _placed([made], node)[0]

    def visit_UnaryOp(self, node):
        node = self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return _placed([call(operator('not_'), node.operand)], node)[0]

    def visit_IfExp(self, node):
        text = ast.unparse(node.test)
        node = self.generic_visit(node)
        made = call(operator('if_exp'), node.test, _lambda(node.body), _lambda(node.orelse), ast.Constant(text))
        return _placed([made], node)[0]

    def visit_Compare(self, node):
        # a < b < c becomes `a < b and b < c`, which evaluates b twice. TensorFlow does the same.
        node = self.generic_visit(node)
        names_of_ops = {ast.Eq: 'eq', ast.NotEq: 'not_eq'} if self._uses(Feature.EQUALITY_OPERATORS) else {}
        made, left = None, node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            name = names_of_ops.get(type(op))
            one = ast.Compare(left, [op], [right]) if name is None else call(operator(name), left, right)
            made = one if made is None else call(operator('and_'), _lambda(made), _lambda(one))
            left = right
        return _placed([made], node)[0]

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name):
            name = node.func.id
            if name in _FRAME_FUNCTIONS or name == 'print' and not self._uses(Feature.BUILTIN_FUNCTIONS):
                return self.generic_visit(node)
        node = self.generic_visit(node)
        return ast.copy_location(ast.Call(
            ast.copy_location(operator('converted_call'), node),
            [node.func, _placed([jumps.load('ag_options__')], node)[0], *node.args], node.keywords), node)

    # Statements.

    def visit_Assert(self, node):
        node = self.generic_visit(node)
        if not self._uses(Feature.ASSERT_STATEMENTS):
            return node
        message = ast.Constant('Assertion error') if node.msg is None else node.msg
        return _placed([ast.Expr(call(operator('assert_stmt'), node.test, _lambda(message)))], node)[0]

    def visit_If(self, node):
        written = names.effects_of(node.test, *node.body, *node.orelse)
        state = _State(self, node, written)
        test = self.visit(node.test)
        body, orelse = state.function('if_body', node.body), state.function('else_body', node.orelse)
        made = call(operator('if_stmt'), test, jumps.load(body.name), jumps.load(orelse.name),
                    *state.arguments(), ast.Constant(state.outputs))
        return _placed([*state.functions(), body, orelse, ast.Expr(made)], node)

    def visit_While(self, node):
        if node.orelse:
            self._refuse(node, 'while/else statement not yet supported')
        options = self._loop_options(node)
        state = _State(self, node, names.effects_of(node.test, *node.body))
        test = _function(self._namer.new('loop_test'), [ast.Return(self.visit(node.test))])
        body = state.function('loop_body', node.body)
        made = call(operator('while_stmt'), jumps.load(test.name), jumps.load(body.name), *state.arguments(), options)
        return _placed([*state.functions(), body, test, ast.Expr(made)], node)

    def visit_For(self, node):
        if node.orelse:
            self._refuse(node, 'for/else statement not yet supported')
        options = self._loop_options(node)
        options.keys.append(ast.Constant('iterate_names'))
        options.values.append(ast.Constant(ast.unparse(node.target)))
        state = _State(self, node, names.effects_of(node.target, *node.body))
        iterated, item = self.visit(node.iter), self._namer.new('itr')
        first = ast.copy_location(ast.Assign([node.target], jumps.load(item)), node)
        body = state.function('loop_body', [first, *node.body], [item])
        functions, test = [*state.functions(), body], ast.Constant(None)
        if getattr(node, 'extra_test', None) is not None:
            [condition] = _placed([node.extra_test], node)
            extra = _function(self._namer.new('extra_test'), [ast.Return(self.visit(condition))])
            functions.append(extra)
            test = jumps.load(extra.name)
        made = call(operator('for_stmt'), iterated, test, jumps.load(body.name), *state.arguments(), options)
        return _placed([*functions, ast.Expr(made)], node)

    def _loop_options(self, node):
        """Removes the calls of set_loop_options in a loop; returns the Dict of their arguments."""
        options, rest = ast.Dict([], []), []
        for statement in node.body:
            if not _calls(statement, 'set_loop_options'):
                rest.append(statement)
                continue
            given = list(zip(_LOOP_OPTIONS, statement.value.args))
            given += [(keyword.arg, keyword.value) for keyword in statement.value.keywords]
            for name, value in given:
                options.keys.append(ast.Constant(name))
                options.values.append(self.visit(value))
        node.body = rest or [ast.copy_location(ast.Pass(), node)]
        return options

    # For _State.

    @property
    def scope(self):
        return self._scopes[-1]

    def new_name(self, wanted):
        return self._namer.new(wanted)

    def block(self, statements, nonlocal_names):
        """Rewrites a block that becomes a function."""
        return self._body(statements, _Scope(self.scope.function, nonlocal_names)) if statements else []


class _State:
    """The variables that a statement changes, and the functions that read and write them."""

    def __init__(self, rewriter, node, written):
        self._rewriter = rewriter
        function = rewriter.scope.function
        needed = node.live_in | node.live_out | function.nonlocals | function.globals
        simple = written.writes & needed
        parts = {text for text, inside in written.parts.items() if inside <= node.live_in}
        input_only = (simple & node.live_in) - node.live_out
        self._parts = parts
        self._names = sorted(simple | parts, key=lambda name: (name in input_only, name))
        self._simple = simple
        self.outputs = len(self._names) - len(input_only)
        self._note_undefined(simple, function)
        self._getter, self._setter = rewriter.new_name('get_state'), rewriter.new_name('set_state')

    def _note_undefined(self, simple, function):
        scope = self._rewriter.scope
        scope.undefined |= (simple - scope.nonlocal_names - function.globals - function.nonlocals - function.parameters)

    def _declarations(self):
        function = self._rewriter.scope.function
        global_names = sorted(self._simple & function.globals)
        nonlocal_names = sorted(self._simple - function.globals)
        made = [ast.Global(global_names)] if global_names else []
        return made + ([ast.Nonlocal(nonlocal_names)] if nonlocal_names else [])

    def functions(self):
        """Returns the functions that return all variables as a tuple, and that set them."""
        values = [call(operator('ldu'), _lambda(_expression(name, ast.Load())), ast.Constant(name))
                  if name in self._parts else jumps.load(name) for name in self._names]
        getter = _function(self._getter, [ast.Return(ast.Tuple(values, ast.Load()))])
        body = []
        if self._names:
            target = ast.Tuple([_expression(name, ast.Store()) for name in self._names], ast.Store())
            body = [*self._declarations(), ast.Assign([target], jumps.load('vars_'))]
        return getter, _function(self._setter, body, ['vars_'])

    def arguments(self):
        """Returns the arguments for the call that replaces the statement."""
        symbols = ast.Tuple([ast.Constant(name) for name in self._names], ast.Load())
        return jumps.load(self._getter), jumps.load(self._setter), symbols

    def function(self, name, statements, args=()):
        """Returns a block of the statement as a function."""
        body = self._rewriter.block(statements, self._simple - self._rewriter.scope.function.globals)
        return _function(self._rewriter.new_name(name), self._declarations() + body, args)


def _is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _calls(statement, name):
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    function = statement.value.func
    return (getattr(function, 'attr', None) or getattr(function, 'id', None)) == name


def _assigned_in_blocks(body):
    """Returns the variables of a function that statements inside its conditionals and loops assign."""
    found, waiting = set(), list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, jumps.SCOPES):
            continue
        if isinstance(node, (ast.If, ast.While, ast.For)):
            found |= names.effects_of(node).writes
        else:
            waiting.extend(child for holder, field in jumps.blocks_of(node) for child in getattr(holder, field))
    return found - names.declared(body, (ast.Global, ast.Nonlocal))
