"""Replaces break, continue and return by flags and conditionals, so that every block has one way out.

    while test:                          break_ = False
        if a: break                      while not break_ and test:
        b                                    continue_ = False
                                             if a:
                                                 break_ = True
                                                 continue_ = True
                                             if not continue_:
                                                 b

A `for` gets the additional condition in the attribute `extra_test`.
"""

import ast

BLOCKS = ('body', 'orelse', 'finalbody')
LOOPS = (ast.For, ast.While)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def blocks_of(statement):
    """Yields (holder, field) for each block of statements inside a statement."""
    for holder in [statement, *getattr(statement, 'handlers', ()), *getattr(statement, 'cases', ())]:
        for field in BLOCKS:
            if getattr(holder, field, None):
                yield holder, field


class Namer:
    """Makes names that a function does not use."""

    def __init__(self, tree):
        self._taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self._taken |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}

    def new(self, wanted):
        """Returns the wanted name, with a number if it is taken."""
        name, number = wanted, 0
        while name in self._taken:
            number += 1
            name = f'{wanted}_{number}'
        self._taken.add(name)
        return name


def load(name):
    return ast.Name(name, ast.Load())


def assign(name, value, like):
    """Returns the statement `name = value` at the place of another."""
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), like)


def negated(name):
    return ast.UnaryOp(ast.Not(), load(name))


def both(first, second):
    return second if first is None else ast.BoolOp(ast.And(), [first, second])


def _guarded(name, statements):
    """Returns the statements under `if not name`."""
    return [ast.copy_location(ast.If(negated(name), statements, []), statements[0])] if statements else []


class _Jumps:
    """Replaces the jumps of one kind within a function or a loop by an assignment to a flag."""

    def __init__(self, kinds, flag, replace):
        self._kinds = kinds
        self._flag = flag
        self._replace = replace
        self.used = False

    def replacement(self, jump):
        """Returns the statements that replace a jump."""
        self.used = True
        return self._replace(jump)

    def block(self, statements):
        """Returns (statements, whether one of them may jump)."""
        made = []
        for at, statement in enumerate(statements):
            if isinstance(statement, self._kinds):
                return made + self.replacement(statement), True
            if self._inside(statement):
                rest, _ = self.block(statements[at + 1:])
                return [*made, statement, *_guarded(self._flag, rest)], True
            made.append(statement)
        return made, False

    def _inside(self, statement):
        """Replaces the jumps in the blocks of a statement; returns whether there are any."""
        if isinstance(statement, SCOPES) or (isinstance(statement, LOOPS) and ast.Return not in self._kinds):
            return False
        jumps = False
        for holder, field in blocks_of(statement):
            made, jumped = self.block(getattr(holder, field))
            setattr(holder, field, made)
            jumps |= jumped
        if jumps and isinstance(statement, LOOPS):
            stop_when(statement, self._flag)
        return jumps


def stop_when(loop, flag):
    """Makes a loop end when a flag is set."""
    if isinstance(loop, ast.While):
        loop.test = ast.copy_location(both(negated(flag), loop.test), loop.test)
    else:
        extra = getattr(loop, 'extra_test', None)
        loop.extra_test = negated(flag) if extra is None else both(negated(flag), extra)


def _loops_in(statements):
    """Yields the loops of a function, each after those inside it."""
    for statement in statements:
        if isinstance(statement, SCOPES):
            continue
        for holder, field in blocks_of(statement):
            yield from _loops_in(getattr(holder, field))
        if isinstance(statement, LOOPS):
            yield statement


class _Lowering:
    """Replaces the jumps of one function."""

    def __init__(self, namer):
        self._namer = namer
        self._first_values = {}

    def function(self, node):
        self._loops(node.body)
        node.body = self._with_flags(node.body)
        self._returns(node)

    def _loops(self, body):
        for loop in _loops_in(body):
            break_, continue_ = self._namer.new('break_'), self._namer.new('continue_')
            breaks = _Jumps((ast.Break,), break_, lambda at, name=break_: [
                assign(name, ast.Constant(True), at), ast.copy_location(ast.Continue(), at)])
            loop.body = _without_guards(breaks, loop.body)
            continues = _Jumps((ast.Continue,), continue_, lambda at, name=continue_: [
                assign(name, ast.Constant(True), at)])
            loop.body, _ = continues.block(loop.body)
            if continues.used:
                loop.body.insert(0, assign(continue_, ast.Constant(False), loop))
            if breaks.used:
                stop_when(loop, break_)
                self._first_values[loop] = break_

    def _with_flags(self, statements):
        """Inserts the first values of the flags before the loops."""
        made = []
        for statement in statements:
            if statement in self._first_values:
                made.append(assign(self._first_values[statement], ast.Constant(False), statement))
            if not isinstance(statement, SCOPES):
                for holder, field in blocks_of(statement):
                    setattr(holder, field, self._with_flags(getattr(holder, field)))
            made.append(statement)
        return made

    def _returns(self, node):
        node.body, _ = _else_after_return(node.body)
        if not any(_has_return(statement) for statement in node.body[:-1]) and (
                isinstance(node.body[-1], ast.Return) or not _has_return(node.body[-1])):
            return
        flag, value = self._namer.new('do_return'), self._namer.new('retval_')
        returns = _Jumps((ast.Return,), flag, lambda at: [
            assign(value, at.value or ast.Constant(None), at), assign(flag, ast.Constant(True), at)])
        body, _ = returns.block(node.body)
        undefined = ast.Call(ast.Attribute(load('ag__'), 'UndefinedReturnValue', ast.Load()), [], [])
        result = ast.Call(ast.Attribute(load('ag__'), 'returned', ast.Load()), [load(value), load(flag)], [])
        last = ast.copy_location(ast.Return(result), node.body[-1])
        node.body = [assign(flag, ast.Constant(False), node), assign(value, undefined, node), *body, last]


def _without_guards(breaks, statements):
    """Replaces each break by an assignment and a continue, whose replacement adds the guards."""

    class Replacer(ast.NodeTransformer):
        def visit_Break(self, node):
            return breaks.replacement(node)

        def _keep(self, node):
            return node

        visit_For = visit_While = visit_FunctionDef = visit_Lambda = visit_ClassDef = _keep

    made = []
    for statement in statements:
        replaced = Replacer().visit(statement)
        made.extend(replaced if isinstance(replaced, list) else [replaced])
    return made


def _has_return(statement):
    if isinstance(statement, ast.Return):
        return True
    if isinstance(statement, SCOPES):
        return False
    return any(_has_return(inner) for holder, field in blocks_of(statement) for inner in getattr(holder, field))


def _else_after_return(statements):
    """Moves statements behind an `if` that returns into its other branch; returns them and whether all return."""
    for at, statement in enumerate(statements):
        if isinstance(statement, ast.Return):
            return statements[:at + 1], True
        if isinstance(statement, ast.If):
            statement.body, body_returns = _else_after_return(statement.body)
            statement.orelse, else_returns = _else_after_return(statement.orelse)
            rest = statements[at + 1:]
            if body_returns and else_returns:
                return statements[:at + 1], True
            if rest and body_returns:
                statement.orelse, all_return = _else_after_return(statement.orelse + rest)
                return statements[:at + 1], all_return
            if rest and else_returns:
                statement.body, all_return = _else_after_return(statement.body + rest)
                return statements[:at + 1], all_return
        elif isinstance(statement, ast.With):
            statement.body, returns = _else_after_return(statement.body)
            if returns:
                return statements[:at + 1], True
        elif not isinstance(statement, SCOPES):
            for holder, field in blocks_of(statement):
                setattr(holder, field, _else_after_return(getattr(holder, field))[0])
    return statements, False


def lower(node, namer):
    """Replaces the jumps of a function by flags; functions inside it are left alone.

    Args:
      node: a FunctionDef, which is changed.
      namer: a Namer.
    """
    _Lowering(namer).function(node)
