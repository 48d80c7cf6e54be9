"""Invalid function libraries. The checker runs `y` if the import succeeds.

If a case lists the words that an error must contain, they are the names of the function and the node.
"""
from graphs import BOOL, FLOAT, INT32, RESOURCE, Attr, const, graph, library_function, node, node_def
from wire import field

X = const("x")
T = Attr.type(FLOAT)
CHAIN = 20000


def types(*dtypes):
    return Attr.types(dtypes)


def call(name, function, inputs=("x",), tin=(FLOAT,), tout=(FLOAT,), make=node, op="PartitionedCall", **attrs):
    return make(name, op, inputs, **{"Tin": types(*tin), "Tout": types(*tout), "f": Attr.func(function), **attrs})


def inner(name, function, inputs=("a",), **more):
    return call(name, function, inputs, make=node_def, **more)


def unary(name, source, op="Neg", dtype=FLOAT, **attrs):
    return node_def(name, op, [source], **{"T": Attr.type(dtype), **attrs})


def function(name, *nodes, args=(("a", FLOAT),), results=(("r", FLOAT),), ret=(("r", "n:y:0"),), **more):
    return library_function(name, nodes, args, results, ret, **more)


NEG = function("neg", unary("n", "a"))
SAME = function("same", ret=[("r", "a")])
YES = function("yes", node_def("t", "Const", dtype=Attr.type(BOOL), value=Attr.tensor(field(1, BOOL) + field(2, b"") + field(11, b"\1"))),
               results=[("r", BOOL)], ret=[("r", "t:output:0")])


def of(f, name="f"):
    """Returns a graph that calls a function."""
    return graph(X, call("y", name), library=f)


def edges():
    def bad(name, *nodes, words=("'f'", "n"), **more):
        return name, of(function("f", *nodes, **more)), words

    yield bad("input_of_nobody", unary("n", "nobody:y:0"), words=("'f'", "'n'", "nobody"))
    yield bad("argument_of_nobody", unary("n", "b"))
    yield bad("output_without_such_name", unary("n", "a"), ret=[("r", "n:z:0")])
    for index in ("1", "-1", "x", "99999999999999999999", ""):
        yield bad("output_%s" % (index or "empty"), unary("n", "a"), ret=[("r", "n:y:" + index)])
    yield bad("control_of_nobody", node_def("n", "Neg", ["a", "^nobody"], T=T))
    yield bad("control_before_data", node_def("n", "Neg", ["^a", "a"], T=T))
    yield bad("no_input", node_def("n", "Neg", [], T=T))
    yield bad("two_inputs", node_def("n", "Neg", ["a", "a"], T=T))
    yield bad("cycle", unary("n", "m:y:0"), unary("m", "n:y:0"))
    yield bad("self_input", unary("n", "n:y:0"))
    yield bad("control_cycle", node_def("n", "Neg", ["a", "^m"], T=T), node_def("m", "Neg", ["a", "^n"], T=T))
    yield bad("node_twice", unary("n", "a"), unary("n", "a"))
    yield "node_named_as_argument", of(function("f", unary("a", "a"), ret=[("r", "a:y:0")])), "ok"
    yield bad("node_without_name", unary("", "a"), ret=[("r", "a")], words=("'f'",))
    yield bad("node_with_bad_name", unary("n n", "a"), ret=[("r", "a")])
    yield bad("argument_twice", unary("n", "a"), args=[("a", FLOAT), ("a", FLOAT)], words=("'f'", "'a'"))
    yield bad("result_without_value", unary("n", "a"), ret=[], words=("'f'", "'r'"))
    yield bad("value_of_nobody", unary("n", "a"), ret=[("r", "nobody:y:0")], words=("'f'", "nobody"))
    yield bad("control_result_of_nobody", unary("n", "a"), controls=[("c", "nobody")], words=("'f'", "nobody"))


def names():
    yield "defined_twice", of(function("f", unary("n", "a")) + function("f", unary("n", "a", "Exp"))), ("'f'",)
    yield "defined_twice_alike", of(2 * function("f", unary("n", "a"))), "any"
    yield "unknown", of(NEG), ("'f'", "y")
    yield "unknown_inside", of(function("f", inner("n", "nobody"), ret=[("r", "n:output:0")])), ("f", "n", "nobody")
    yield "unknown_op_inside", of(function("f", unary("n", "a", "NoSuchOp"))), ("f", "n", "NoSuchOp")
    yield "without_name", of(function("", unary("n", "a")), ""), "any"
    gradient = field(2, field(1, "neg") + field(2, "nobody"))
    symbolic = node("y", "SymbolicGradient", ["x", "x"], Tin=types(FLOAT, FLOAT), Tout=types(FLOAT), f=Attr.func("neg"))
    yield "gradient_unknown", graph(X, symbolic, library=NEG + gradient), ("nobody", "y")
    yield "gradient_of_itself", graph(X, symbolic, library=NEG + field(2, field(1, "neg") + field(2, "neg"))), ("neg", "y")
    two = gradient + field(2, field(1, "neg") + field(2, "same"))
    yield "two_gradients", graph(X, symbolic, library=NEG + SAME + two), ("neg",)
    for which in ("then_branch", "else_branch"):
        branches = {"then_branch": Attr.func("neg"), "else_branch": Attr.func("neg"), which: Attr.func("nobody")}
        # Only the branch that is taken is looked up.
        yield "unknown_%s" % which, graph(X, choice(**branches), library=NEG), ("nobody", "y") if which[0] == "t" else "any"


def choice(**attrs):
    return node("y", "If", ["x", "x"], **{"Tcond": T, "Tin": types(FLOAT), "Tout": types(FLOAT), "then_branch": Attr.func("neg"),
                                         "else_branch": Attr.func("neg"), **attrs})


def loop(cond="yes", body="same"):
    return node("y", "While", ["x"], T=types(FLOAT), cond=Attr.func(cond), body=Attr.func(body))


def signatures():
    f = function("f", unary("n", "a"))
    yield "too_many_arguments", graph(X, call("y", "f", ["x", "x"], [FLOAT, FLOAT]), library=f), ("'f'", "y")
    yield "too_few_arguments", graph(X, call("y", "f", [], []), library=f), ("'f'", "y")
    yield "too_many_results", graph(X, call("y", "f", tout=[FLOAT, FLOAT]), library=f), ("'f'", "y")
    yield "result_of_another_type", graph(X, call("y", "f", tout=[INT32]), library=f), ("'f'", "y")
    yield "inputs_unlike_tin", graph(X, call("y", "f", tin=[INT32]), library=f), ("y",)
    yield "argument_of_another_type", of(function("f", unary("n", "a", dtype=INT32), args=[("a", INT32)],
                                                  results=[("r", INT32)])), ("'f'", "y")
    yield "body_mixes_types", of(function("f", unary("n", "a", dtype=INT32))), ("'f'", "node n")
    yield "value_of_another_type", of(function("f", unary("n", "a"), results=[("r", INT32)])), ("'f'", "r")
    for dtype in (0, 99, 9999, 1 << 31):
        yield "argument_type_%d" % dtype, of(function("f", unary("n", "a"), args=[("a", dtype)])), ("f",)
    yield "argument_is_resource", of(function("f", unary("n", "a"), args=[("a", RESOURCE)])), ("f",)
    yield "branch_of_another_type", graph(X, choice(then_branch=Attr.func("yes")), library=NEG + YES), ("'yes'", "y")
    both = function("both", results=[("r", FLOAT), ("s", FLOAT)], ret=[("r", "a"), ("s", "a")])
    yield "condition_is_two", graph(X, loop("both"), library=both + SAME), ("'both'", "y")
    shape = node_def("n", "VarHandleOp", dtype=T, shape=Attr.shape([]))
    handle = function("handle", shape, results=[("r", RESOURCE)], ret=[("r", "n:resource:0")])
    yield "condition_is_a_handle", graph(X, loop("handle"), library=handle + SAME), ("handle", "y")
    body = function("none", args=[("a", FLOAT)], results=[], ret=[])
    yield "body_returns_nothing", graph(X, loop(body="none"), library=body + YES1), ("'none'", "y")
    body = function("int", unary("n", "a", "Cast", SrcT=T, DstT=Attr.type(INT32)), results=[("r", INT32)])
    yield "body_returns_int", graph(X, loop(body="int"), library=body + YES1), ("'int'", "y")
    yield "condition_takes_nothing", graph(X, loop(), library=SAME + function(
        "yes", args=[], results=[("r", BOOL)], ret=[("r", "a")])), ("'yes'", "y")


YES1 = function("yes", unary("n", "a", "IsFinite"), results=[("r", BOOL)])


def attributes():
    f = function("f", unary("n", "a"))
    for name, value in (("int", Attr.int(3)), ("text", Attr.text("f")), ("type", T), ("empty", b"")):
        yield "call_of_%s" % name, graph(X, call("y", "f", f=value), library=f), ("y", "f")
    yield "call_without_f", graph(X, node("y", "PartitionedCall", ["x"], Tin=types(FLOAT), Tout=types(FLOAT)), library=f), ("y", "f")
    yield "tin_is_type", graph(X, call("y", "f", Tin=T), library=f), ("y", "Tin")
    yield "branches_is_function", graph(X, case(branches=Attr.func("f")), library=f), ("y", "branches")
    yield "branches_is_empty", graph(X, case(branches=field(1, b"")), library=f), ("y", "branches")
    many = dict(args=[("a", "T")], results=[("r", "T")], attrs=[("T", "type")])
    generic = function("f", node_def("n", "Neg", ["a"], T=field(9, "T")), **many)
    yield "attr_is_missing", of(generic), ("'f'", "T")
    for name, value in (("int", Attr.int(1)), ("text", Attr.text("T")), ("placeholder", field(9, "T"))):
        yield "attr_is_%s" % name, graph(X, call("y", "f", f=Attr.func("f", T=value)), library=generic), ("f", "T")
    yield "placeholder_of_nobody", of(function("f", node_def("n", "Neg", ["a"], T=field(9, "U")))), ("'f'", "'n'")
    yield "attr_not_declared", of(function("f", unary("n", "a"), args=[("a", "U")])), ("'f'", "U")
    for count in (-1, 0, 1 << 40, 3):
        listed = function("f", unary("n", "a:0"), args=[("a", FLOAT, "N")], attrs=[("N", "int")])
        one = call("y", "f", f=Attr.func("f", N=Attr.int(count)))
        yield "count_%d" % count, graph(X, one, library=listed), ("f", "y")


def case(**attrs):
    zero = node("zero", "Const", dtype=Attr.type(INT32), value=Attr.tensor(field(1, INT32) + field(2, b"") + field(7, b"\0")))
    return zero + node("y", "Case", ["zero", "x"], Tin=types(FLOAT), Tout=types(FLOAT), **attrs)


def recursions():
    yield "calls_itself", of(function("f", inner("n", "f"), ret=[("r", "n:output:0")])), ("f", "n")
    by_name = node_def("n", "f", ["a"])
    yield "calls_itself_by_name", of(function("f", by_name, ret=[("r", "n:r:0")])), ("f", "n")
    yield "is_the_op_of_itself", graph(X, node("y", "f", ["x"]), library=function("f", by_name, ret=[("r", "n:r:0")])), ("f", "n")
    f = function("f", inner("n", "g"), ret=[("r", "n:output:0")])
    g = function("g", inner("m", "f"), ret=[("r", "m:output:0")])
    yield "calls_one_another", of(f + g), ("f", "n", "g", "m")
    body = node_def("n", "While", ["a"], T=types(FLOAT), cond=Attr.func("yes"), body=Attr.func("f"))
    yield "loop_of_itself", of(function("f", body, ret=[("r", "n:output:0")]) + YES1), ("f", "n")
    symbolic = node("y", "SymbolicGradient", ["x", "x"], Tin=types(FLOAT, FLOAT), Tout=types(FLOAT), f=Attr.func("f"))
    yield "gradient_of_recursion", graph(X, symbolic, library=function("f", inner("n", "f"), ret=[("r", "n:output:0")])), ("f", "y")
    choose = node_def("n", "If", ["a", "a"], Tcond=T, Tin=types(FLOAT), Tout=types(FLOAT), then_branch=Attr.func("f"), else_branch=Attr.func("f"))
    yield "gradient_of_branch_of_itself", graph(X, symbolic, library=function("f", choose, ret=[("r", "n:output:0")])), ("'f'", "y")


def chains():
    """Yields chains of functions, each of which calls the next one once or twice."""
    def chain(length, calls):
        links = []
        for i in range(length):
            nodes = [inner("c%d" % k, "f%d" % (i + 1), ["a" if k == 0 else "c%d:output:0" % (k - 1)]) for k in range(calls)]
            links.append(function("f%d" % i, *nodes, ret=[("r", "c%d:output:0" % (calls - 1))]))
        return b"".join(links) + function("f%d" % length, unary("n", "a"))

    yield "chain_of_500", of(chain(500, 1), "f0"), "ok"
    yield "chain_of_%d" % CHAIN, of(chain(CHAIN, 1), "f0"), ("'f5000'", "c0")
    yield "unused_chain_of_%d" % CHAIN, graph(X, call("z", "f0"), node("y", "Neg", ["x"], T=T), library=chain(CHAIN, 1)), "ok"
    gradient = node("y", "SymbolicGradient", ["x", "x"], Tin=types(FLOAT, FLOAT), Tout=types(FLOAT), f=Attr.func("f0"))
    yield "gradient_of_chain_of_500", graph(X, gradient, library=chain(500, 1)), "ok"
    yield "gradient_of_chain_of_%d" % CHAIN, graph(X, gradient, library=chain(CHAIN, 1)), ("f", "y")
    yield "gradient_of_doubling_64_times", graph(X, gradient, library=chain(64, 2)), ("'f0'", "y")
    yield "doubles_64_times", graph(X, call("z", "f0"), node("y", "Neg", ["x"], T=T), library=chain(64, 2)), "ok"


def cases():
    parts = ((43, edges), (44, names), (45, signatures), (46, attributes), (47, recursions), (47, chains))
    for number, part in parts:
        for name, content, expect in part():
            yield 0 if expect == "ok" else number, "function_" + name, "graph", {"g.pb": content}, "g.pb", expect
