"""Finds the variables that statements read and write, and those that are needed behind a statement."""

import ast
import dataclasses

from ramet.autograph.jumps import SCOPES


@dataclasses.dataclass
class Effects:
    """The variables that a part of a function reads and writes.

    Attributes:
      reads: the names of variables.
      writes: the names of variables.
      parts: maps the source of attributes and items that are written, such as "self.x", to the names in it.
      closures: the names that functions inside read, possibly later.
    """

    reads: set = dataclasses.field(default_factory=set)
    writes: set = dataclasses.field(default_factory=set)
    parts: dict = dataclasses.field(default_factory=dict)
    closures: set = dataclasses.field(default_factory=set)


class _Collector(ast.NodeVisitor):
    """Collects the effects of nodes."""

    def __init__(self):
        self.effects = Effects()

    def visit_Name(self, node):
        target = self.effects.reads if isinstance(node.ctx, ast.Load) else self.effects.writes
        target.add(node.id)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            self.effects.reads.add(node.target.id)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        self._part(node)

    def visit_Subscript(self, node):
        self._part(node)

    def _part(self, node):
        """Visits an attribute or an item. TensorFlow treats a written one as a variable if its path is fixed."""
        if not isinstance(node.ctx, ast.Load):
            names = _fixed_path(node)
            if names is not None:
                self.effects.parts[ast.unparse(node)] = names
        self.generic_visit(node)

    def _comprehension(self, node):
        inner = effects_of(*ast.iter_child_nodes(node))
        self.effects.reads |= inner.reads - inner.writes
        self.effects.closures |= inner.closures

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_comprehension(self, node):
        for child in [node.iter, node.target, *node.ifs]:
            self.visit(child)

    def _function(self, node, body):
        outside = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None),
                   *getattr(node, 'decorator_list', ())]
        for child in outside:
            self.visit(child)
        inner = effects_of(*body)
        own = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
        free = (inner.reads | inner.closures) - own - (inner.writes - _not_local(body))
        self.effects.reads |= free
        self.effects.closures |= free

    def visit_Lambda(self, node):
        self._function(node, [node.body])

    def visit_FunctionDef(self, node):
        self.effects.writes.add(node.name)
        self._function(node, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.effects.writes.add(node.name)
        inner = effects_of(*node.decorator_list, *node.bases, *node.keywords, *node.body)
        self.effects.reads |= inner.reads | inner.closures
        self.effects.closures |= inner.reads | inner.closures

    def visit_ExceptHandler(self, node):
        if node.name:
            self.effects.writes.add(node.name)
        self.generic_visit(node)

    def visit_alias(self, node):
        self.effects.writes.add((node.asname or node.name).partition('.')[0])

    def visit_MatchAs(self, node):
        if node.name:
            self.effects.writes.add(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node):
        if node.name:
            self.effects.writes.add(node.name)

    def visit_MatchMapping(self, node):
        if node.rest:
            self.effects.writes.add(node.rest)
        self.generic_visit(node)


def _fixed_path(node):
    """Returns the names in a path such as a.b[c].d, or None if it has other parts."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Attribute):
        return _fixed_path(node.value)
    if isinstance(node, ast.Subscript):
        value = _fixed_path(node.value)
        if value is None or isinstance(node.slice, ast.Constant):
            return value
        return value | {node.slice.id} if isinstance(node.slice, ast.Name) else None
    return None


def _not_local(body):
    return {name for statement in body for node in ast.walk(statement)
            if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}


def effects_of(*nodes):
    """Returns the Effects of statements and expressions."""
    collector = _Collector()
    for node in nodes:
        collector.visit(node)
    return collector.effects


def declared(body, kind):
    """Returns the names that a function declares, not those of functions inside it.

    Args:
      body: the statements of the function.
      kind: ast.Global or ast.Nonlocal.
    """
    found, waiting = set(), list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, kind):
            found.update(node.names)
        elif not isinstance(node, SCOPES):
            waiting.extend(ast.iter_child_nodes(node))
    return found


class Liveness:
    """Finds the variables whose values are needed before and behind the statements of a function.

    It sets the attributes `live_in` and `live_out` of each If, While and For.
    """

    def __init__(self, body):
        """Computes the variables for the body of a function, whose jumps are replaced."""
        self._always = effects_of(*body).closures | declared(body, (ast.Nonlocal, ast.Global))
        self._block(body, set(self._always))

    def _block(self, statements, live):
        for statement in reversed(statements):
            live = self._statement(statement, live)
        return live

    def _statement(self, node, live):
        visit = getattr(self, f'_{type(node).__name__}', None)
        if visit is not None:
            return visit(node, live)
        if isinstance(node, ast.Return):
            live = set()
        effects = effects_of(node)
        return (live - effects.writes) | effects.reads | self._always

    def _With(self, node, live):
        effects = effects_of(*node.items)
        return (self._block(node.body, live) - effects.writes) | effects.reads | self._always

    def _If(self, node, live):
        node.live_out = live
        node.live_in = (self._block(node.body, live) | self._block(node.orelse, live)
                        | effects_of(node.test).reads)
        return node.live_in

    def _While(self, node, live):
        test = effects_of(node.test).reads | live
        head = test
        for _ in range(2):
            head = test | self._block(node.body, head)
        node.live_in, node.live_out = head, live
        return head

    def _For(self, node, live):
        extra = getattr(node, 'extra_test', None)
        test = live | (effects_of(extra).reads if extra is not None else set())
        target = effects_of(node.target)
        head = test
        for _ in range(2):
            head = test | (self._block(node.body, head) - target.writes) | target.reads
        node.live_in, node.live_out = head | effects_of(node.iter).reads, live
        return node.live_in

    def _Try(self, node, live):
        # An exception can leave the body at any place, so that no assignment in it is sure to happen.
        handlers = set(live)
        for handler in node.handlers:
            handlers |= self._block(handler.body, live | effects_of(*node.finalbody).reads)
        handlers |= effects_of(*node.orelse, *node.finalbody, *(h.type for h in node.handlers if h.type)).reads
        self._block(node.finalbody, live)
        self._block(node.orelse, handlers)
        return self._block(node.body, handlers) | handlers

    _TryStar = _Try

    def _Match(self, node, live):
        effects = effects_of(node.subject, *(case.pattern for case in node.cases),
                             *(case.guard for case in node.cases if case.guard))
        inside = [self._block(case.body, live) for case in node.cases]
        return set().union(live, effects.reads, *inside)
