"""Invalid GraphDefs and MetaGraphDefs. The checker runs `y` if the import succeeds."""
from graphs import (BOOL, FLOAT, Attr, add, const, function, graph, identity, meta, node, node_def, shape, tensor,
                    versions)
from wire import field, varint

X = const("x")
T = Attr.type(FLOAT)


def variable(name, dims):
    return node(name, "VariableV2", dtype=T, shape=Attr.shape(dims), container=Attr.text(""),
                shared_name=Attr.text(""))


def flow(name, op, inputs, frame="", **attrs):
    if op == "Enter":
        attrs.update(frame_name=Attr.text(frame), is_constant=field(5, 0), parallel_iterations=Attr.int(10))
    return node(name, op, inputs, T=T, **attrs)


def edges():
    yield 34, "self_input", graph(identity("y", "y"))
    yield 34, "data_cycle", graph(identity("y", "a"), identity("a", "y"))
    yield 34, "control_cycle", graph(X, node("y", "Identity", ["x", "^a"], T=T), node("a", "Identity", ["x", "^y"], T=T))
    yield 35, "duplicate_name", graph(X, X)
    for name in ("", "_x", "a b", "a\nb", "a:0", "^a", "\xff\xfe"):
        yield 35, "name_%s" % name.encode().hex(), graph(const(name))
    yield 36, "missing_input", graph(identity("y", "nobody"))
    for port in (1, 7, -3, 1 << 31, 1 << 63):
        yield 36, "port_%d" % port, graph(X, identity("y", "x:%d" % port))
    yield 36, "control_to_nobody", graph(node("y", "Identity", ["^nobody"], T=T))
    yield 36, "control_before_data", graph(X, node("y", "Identity", ["^x", "x"], T=T))
    yield 36, "no_input", graph(node("y", "Identity", [], T=T))
    yield 36, "empty_input", graph(identity("y", ""))
    yield 36, "two_inputs_too_many", graph(X, node("y", "Identity", ["x", "x", "x"], T=T))


def constants():
    def bad(name, value):
        return 37, "const_" + name, graph(node("y", "Const", dtype=T, value=Attr.tensor(value)))

    yield bad("content_shorter", tensor(FLOAT, [4], content=b"\0" * 8))
    yield bad("content_longer", tensor(FLOAT, [1], content=b"\0" * 8))
    yield bad("2_to_40_elements", tensor(FLOAT, [1 << 40], content=b"\0" * 4))
    yield bad("2_to_40_of_one_value", tensor(FLOAT, [1 << 40], floats=[1.0]))
    yield bad("overflow", tensor(FLOAT, [1 << 62, 1 << 62], floats=[1.0]))
    yield bad("negative", tensor(FLOAT, [-2], floats=[1.0]))
    yield bad("too_many_values", tensor(FLOAT, [2], floats=[1.0, 2.0, 3.0]))
    yield bad("unknown_rank", field(1, FLOAT) + field(2, field(3, 1)) + field(5, b"\0\0\0\0"))
    yield bad("dtype_is_another", tensor(BOOL, [1], content=b"\1"))
    yield bad("dtype_77", tensor(77, [1], content=b"\1"))
    yield bad("half_a_float", field(1, FLOAT) + field(2, shape([1])) + field(5, b"\0\0"))
    yield 37, "const_value_is_no_tensor", graph(node("y", "Const", dtype=T, value=Attr.int(3)))


def attributes():
    for dims in ([-5], [1 << 62, 1 << 62], [1 << 40]):
        v = variable("v", dims)
        init = node("y", "Assign", ["v", "x"], T=T, validate_shape=field(5, 1), use_locking=field(5, 1))
        yield 38, "variable_" + "_".join(map(str, dims)), graph(v, X, init)
    yield 39, "type_mismatch", graph(X, node("y", "Identity", ["x"], T=Attr.type(BOOL)))
    yield 39, "type_attr_is_text", graph(X, node("y", "Identity", ["x"], T=Attr.text("float")))
    yield 39, "type_9999", graph(X, node("y", "Identity", ["x"], T=Attr.type(9999)))
    yield 39, "attr_missing", graph(X, node("y", "Identity", ["x"]))
    yield 39, "unknown_op", graph(X, node("y", "NoSuchOp", ["x"], T=T))
    for n in (-1, 0, 1 << 40, 3):
        yield 39, "n_%d" % n, graph(X, node("y", "AddN", ["x", "x"], T=T, N=Attr.int(n)))
    yield 39, "min_consumer", graph(X, identity("y", "x"), version=versions(min_consumer=99999))


def functions():
    call = node("y", "StatefulPartitionedCall", [], Tin=field(1, b""), Tout=field(1, b""), f=Attr.func("f"))

    def calling(name):
        return node_def("c", "StatefulPartitionedCall", [], Tin=field(1, b""), Tout=field(1, b""), f=Attr.func(name))

    yield 40, "function_calls_itself", graph(call, library=function("f", calling("f")))
    yield 40, "functions_call_each_other", graph(call, library=function("f", calling("g")) + function("g", calling("f")))
    yield 40, "function_without_name", graph(call, library=function("", calling("f")))
    twice = function("f") + function("f", calling("g"))
    yield 40, "function_twice", graph(call, library=twice)
    yield 40, "function_missing", graph(call)
    nested, source = [X], "x"
    for depth in range(64):
        nested.append(flow("e%d" % depth, "Enter", [source], frame="f%d" % depth))
        source = "e%d" % depth
    yield 40, "frames_nested_64_deep", graph(*nested, identity("y", source))
    loop = flow("m", "Merge", ["n", "n"], N=Attr.int(2)) + flow("n", "NextIteration", ["m"]) + identity("y", "m")
    yield 40, "merge_of_next_iteration_alone", graph(loop)
    yield 40, "exit_without_enter", graph(X, flow("y", "Exit", ["x"]))


def deep():
    value = field(3, 1)
    for _ in range(10000):
        value = field(10, field(1, "f") + field(2, field(1, "a") + field(2, value)))
    yield 41, "attr_nested_10000_deep", graph(X, node("y", "Identity", ["x"], T=T, deep=value))
    dims = field(2, field(1, 2))
    for _ in range(5000):
        dims = field(2, dims)
    yield 41, "shape_nested_5000_deep", graph(node("y", "Placeholder", dtype=T, shape=field(7, dims)))


def metas():
    good = graph(X, identity("y", "x"))
    yield 42, "collection_of_nobody", meta(good, collections=[("c", field(1, field(1, "nobody:0")))])
    variable_def = field(1, "nobody:0") + field(2, "nobody/Assign") + field(3, "nobody/read:0")
    yield 42, "variable_of_nobody", meta(good, collections=[("variables", field(2, field(1, variable_def)))])
    yield 42, "variable_is_no_message", meta(good, collections=[("variables", field(2, field(1, b"\xff\xff\xff")))])
    saver = field(1, "save/Const:0") + field(2, "save/control_dependency:0") + field(3, "save/restore_all")
    yield 42, "saver_of_nobody", meta(good, saver=saver)
    located = node("y", "Identity", ["x"], T=T, _class=Attr.texts(["loc:@nobody"]))
    yield 42, "colocated_with_nobody", meta(graph(X, located))
    yield 42, "no_message", b"\xff" * 100
    yield 42, "text_that_is_none", b"meta_info_def { tensorflow_version: "
    for n in (2, len(good) // 2, len(good) - 1):
        yield 42, "cut_%d" % n, meta(good)[:n]
    yield 42, "length_of_2_to_63", field(1, b"") + b"\x12" + varint(1 << 63) + b"\0"


# Cases that need not be errors: the import may fix them, or nothing may go wrong in a run.
LENIENT = {"collection_of_nobody", "functions_call_each_other", "function_without_name", "function_calls_itself",
           "shape_nested_5000_deep", "frames_nested_64_deep", "type_9999", "const_too_many_values",
           "const_unknown_rank", "saver_of_nobody"}


def cases():
    yield 0, "clean_graph", "graph", {"g.pb": graph(X, identity("y", "x"))}, "g.pb", "ok"
    yield 0, "clean_meta", "meta", {"g.meta": meta(graph(X, identity("y", "x")))}, "g.meta", "ok"
    for part in (edges, constants, attributes, functions, deep):
        for number, name, content in part():
            yield number, name, "graph", {"g.pb": content}, "g.pb", "any" if name in LENIENT else "error"
    for number, name, content in metas():
        yield number, "meta_" + name, "meta", {"g.meta": content}, "g.meta", "any" if name in LENIENT else "error"
    chain = [X] + [identity("n%d" % i, "n%d" % (i - 1) if i else "x") for i in range(200000)]
    yield 41, "chain_of_200000", "graph", {"g.pb": graph(*chain, identity("y", "n199999"))}, "g.pb", "ok"
