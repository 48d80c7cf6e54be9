"""Functions of the library: calls, branches and loops that call them, recursion, variables."""

import numpy as np
import tensorflow.compat.v1 as tf
from google.protobuf import text_format
from tensorflow.python.framework import function
from tensorflow.python.ops import cond_v2, functional_ops, while_v2

r = tf.raw_ops
X = np.float32([[1, 2], [3, 4]])
V = np.float32([1, -2, 3])
F = tf.float32


def hidden(value, dtype=np.float32):
    """Returns a tensor whose value is unknown at build time."""
    return tf.placeholder_with_default(np.asarray(value, dtype), None)


def call():
    @tf.function
    def f(x, y):
        return x * y + 1.0, x - y

    return list(f(hidden(X), hidden(2)))


def call_of_call():
    @tf.function
    def inner(x):
        return tf.square(x) + 1.0

    @tf.function
    def outer(x):
        return inner(inner(x)) * inner(x)

    return outer(hidden(V))


def call_returns_arguments_and_constants():
    @tf.function
    def f(x, y):
        return y, x, x, tf.constant([7.0, 8.0]), tf.constant([7.0, 8.0])

    return list(f(hidden(X), hidden(3)))


def call_twice():
    @tf.function
    def f(x):
        return tf.cumsum(x) * 2.0

    y = f(hidden(V))
    return [f(y), f(hidden(X)), y]


def call_without_arguments():
    @tf.function
    def f():
        return tf.range(5) * 2

    return f()


def call_with_strings():
    @tf.function
    def f(s, n):
        return tf.strings.join([s, s], "-"), tf.equal(s, b"a"), n + 1

    return list(f(hidden([b"a", b"bc"], object), hidden([1, 22], np.int32)))


def call_in_many_types():
    @tf.function
    def f(a, b, c, d):
        return tf.cast(a, tf.int64) + b, tf.logical_not(c), d * d

    return list(f(hidden(3, np.int32), hidden([4, 5], np.int64), hidden(True, np.bool_), hidden(1 + 2j, np.complex64)))


@function.Defun(F, F)
def defined(x, y):
    return x * y, x + y


@function.Defun(F)
def defined_over(x):
    a, b = defined(x, x)
    return tf.concat([a, b], 0)


def call_by_name():
    return list(defined(hidden(V), hidden(3)))


def call_by_name_of_call_by_name():
    return [defined_over(hidden(V)), defined_over(hidden([1.0]))]


@function.Defun(F, F)
def old_flow(x, n):
    """TensorFlow 1 control flow in a function."""
    y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x - 1.0)
    return tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1.0, a * 1.5), (tf.constant(0.0), y))[1]


def old_flow_in_function():
    return [old_flow(hidden(V), hidden(3)), old_flow(-hidden(V), hidden(0))]


def control_outputs():
    @tf.function
    def f(x):
        checked = tf.debugging.Assert(tf.reduce_all(x > 0.0), [x])
        with tf.control_dependencies([checked] if checked is not None else []):
            return tf.identity(x) * 2.0

    return f(hidden([1, 2]))


def assert_fails():
    @tf.function
    def f(x):
        tf.debugging.Assert(tf.reduce_all(x > 0.0), [x])
        return x * 2.0

    return f(hidden([1, -2]))


def error_in_function():
    @tf.function
    def inner(x):
        return tf.debugging.check_numerics(x, "not a number here")

    @tf.function
    def outer(x):
        return inner(x) + 1.0

    return outer(hidden([1, np.nan]))


def branch(value, dtype=np.bool_):
    then, other = function.Defun(F)(lambda x: x * 2.0), function.Defun(F)(lambda x: x - 5.0)
    return functional_ops.If(hidden(value, dtype), [hidden(V)], then, other)


def branch_with_nothing():
    one, two = function.Defun()(lambda: tf.constant(1.0)), function.Defun()(lambda: tf.constant(2.0))
    return [functional_ops.If(hidden(p, np.bool_), [], one, two)[0] for p in (True, False)]


def branch_of_shapes():
    """The branches return different shapes."""
    def build(p):
        return cond_v2.cond_v2(hidden(p, np.bool_), lambda: tf.zeros([2, 3]), lambda: tf.ones([4]), "cond")

    return [build(True), build(False)]


def branches(p, q):
    x = hidden(V)

    def second():
        return cond_v2.cond_v2(hidden(q, np.bool_), lambda: x + 10.0, lambda: tf.exp(x), "inner")

    return cond_v2.cond_v2(hidden(p, np.bool_), lambda: x * x, second, "outer")


def not_taken_fails():
    x = hidden([1, np.nan])
    return cond_v2.cond_v2(hidden(True, np.bool_), lambda: tf.ones([2]), lambda: tf.debugging.check_numerics(x, "no"), "c")


def case(index):
    functions = [function.Defun(F)(lambda x: x), function.Defun(F)(lambda x: x * 10.0), function.Defun(F)(lambda x: tf.exp(x))]
    for f in functions:
        f.add_to_graph(tf.get_default_graph())
    return r.Case(branch_index=hidden(index, np.int32), input=[hidden(V)], Tout=[F], branches=functions)


def loop(n):
    return list(while_v2.while_loop(lambda i, x: i < hidden(n, np.int32), lambda i, x: (i + 1, x * 2.0 + 1.0),
                                    (tf.constant(0), hidden(V)), return_same_structure=True))


def loop_that_swaps():
    return list(while_v2.while_loop(lambda i, a, b: i < 5, lambda i, a, b: (i + 1, b, a + b),
                                    (tf.constant(0), hidden(1), hidden(1)), return_same_structure=True))


def loop_in_loop():
    def outer(i, total):
        def inner(j, t):
            return j + 1, t + tf.cast(i * j, F)

        _, total = while_v2.while_loop(lambda j, t: j < i, inner, (tf.constant(0), total), return_same_structure=True)
        return i + 1, total

    return list(while_v2.while_loop(lambda i, t: i < 6, outer, (tf.constant(0), hidden(0)), return_same_structure=True))


def loop_that_grows():
    return list(while_v2.while_loop(
        lambda i, x: i < 4, lambda i, x: (i + 1, tf.concat([x, x[:1] + tf.cast(i, F)], 0)),
        (tf.constant(0), hidden([5])),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])), return_same_structure=True))


def loop_with_branch():
    def body(i, x):
        return i + 1, cond_v2.cond_v2(tf.equal(i % 2, 0), lambda: x + 1.0, lambda: x * 3.0, "parity")

    return list(while_v2.while_loop(lambda i, x: i < 7, body, (tf.constant(0), hidden(V)), return_same_structure=True))


def loop_as_long_as_float():
    """A condition that is not a bool."""
    step, cond = function.Defun(F)(lambda x: x - 1.0), function.Defun(F)(lambda x: x)
    return functional_ops.While([hidden(4)], cond, step)


def loop_over_nothing():
    step, cond = function.Defun(F)(lambda x: x[1:]), function.Defun(F)(lambda x: x)
    return functional_ops.While([hidden(V)], cond, step)


def collect_in_loop():
    @tf.function
    def f(x):
        return tf.map_fn(lambda row: tf.reduce_sum(row) * row, x), tf.scan(lambda a, b: a * 0.5 + b, x)

    return list(f(hidden([[1, 2], [3, 4], [5, 6]])))


def arrays_in_function():
    @tf.function
    def f(n):
        a = tf.TensorArray(F, size=n, clear_after_read=False)
        _, a = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, tf.cast(i * i, F))), (tf.constant(0), a))
        return a.stack(), a.read(2), a.size()

    return list(f(hidden(4, np.int32)))


def list_through_calls():
    @tf.function
    def add(l, x):
        return r.TensorListPushBack(input_handle=l, tensor=x)

    @tf.function
    def gather(l):
        return r.TensorListStack(input_handle=l, element_shape=[-1], element_dtype=F, num_elements=-1)

    l = r.EmptyTensorList(element_shape=[-1], max_num_elements=-1, element_dtype=F)
    return gather(add(add(l, hidden(V)), hidden(2 * V)))


def handle(value, name):
    """Returns the handle of a new variable, available after its value is assigned."""
    v = r.VarHandleOp(dtype=F, shape=np.shape(value), shared_name=name)
    with tf.control_dependencies([r.AssignVariableOp(resource=v, value=hidden(value))]):
        return tf.identity(v)


def variable_in_function():
    v = handle(V, "v")

    @tf.function
    def f(v, x):
        before = r.ReadVariableOp(resource=v, dtype=F)
        with tf.control_dependencies([before]):
            add = r.AssignAddVariableOp(resource=v, value=x)
        with tf.control_dependencies([add]):
            return before, r.ReadVariableOp(resource=v, dtype=F)

    return list(f(v, hidden([10, 20, 30])))


def variable_through_calls():
    v = handle(2, "v")

    @tf.function
    def double(v):
        r.AssignVariableOp(resource=v, value=r.ReadVariableOp(resource=v, dtype=F) * 2.0)
        return tf.constant(0.0)

    @tf.function
    def outer(v):
        double(v)
        double(v)
        return r.ReadVariableOp(resource=v, dtype=F)

    return outer(v)


def handle_returned():
    v = handle(V, "v")

    @tf.function
    def same(v):
        return v, tf.identity(v)

    a, b = same(v)
    return [r.ReadVariableOp(resource=a, dtype=F), r.ReadVariableOp(resource=b, dtype=F)]


def variable_in_loop():
    v = handle(1, "v")

    def body(i):
        with tf.control_dependencies([r.AssignVariableOp(resource=v, value=r.ReadVariableOp(resource=v, dtype=F) * 3.0)]):
            return (i + 1,)

    out = while_v2.while_loop(lambda i: i < 4, body, (tf.constant(0),), return_same_structure=True)
    with tf.control_dependencies(list(out)):
        return [out[0], r.ReadVariableOp(resource=v, dtype=F)]


def effects(op, attrs=""):
    """Tests which stateful nodes run although no result or control output needs them. The body adds 5."""
    v = handle(3, "v")
    text = """library { function {
      signature { name: "f" input_arg { name: "r" type: DT_RESOURCE } output_arg { name: "y" type: DT_FLOAT } }
      node_def { name: "k" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
        attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 5 } } } }
      node_def { name: "add" op: "AssignAddVariableOp" input: "r" input: "k:output:0"
        attr { key: "dtype" value { type: DT_FLOAT } } }
      node_def { name: "sq" op: "Square" input: "k:output:0" attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "y" value: "sq:y:0" } } }
      node { name: "v" op: "Placeholder" attr { key: "dtype" value { type: DT_RESOURCE } } }
      node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } }
      node { name: "c" %s %s }
      versions { producer: 2000 }""" % (op, attrs)
    c, = tf.import_graph_def(text_format.Parse(text, tf.GraphDef()), {"v": v, "p": hidden(True, np.bool_)}, ["c:0"])
    with tf.control_dependencies([c]):
        return [c, r.ReadVariableOp(resource=v, dtype=F)]


TYPES = ('attr { key: "Tin" value { list { type: DT_RESOURCE } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } ')
CALL = 'op: "%s" input: "v" ' + TYPES + 'attr { key: "f" value { func { name: "f" } } }'
IF = ('op: "If" input: "p" input: "v" attr { key: "Tcond" value { type: DT_BOOL } } ' + TYPES +
      'attr { key: "then_branch" value { func { name: "f" } } } attr { key: "else_branch" value { func { name: "f" } } }')
NO_INLINE = 'attr { key: "_noinline" value { b: true } }'
LOWER = 'attr { key: "_lower_using_switch_merge" value { b: true } }'

# f(x) is the sum of 1 to x.
RECURSION = """library {
  function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
    node_def { name: "z" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
      attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 0.5 } } } }
    node_def { name: "l" op: "Greater" input: "x" input: "z:output:0" attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "i" op: "If" input: "l:z:0" input: "x" attr { key: "Tcond" value { type: DT_BOOL } }
      attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } }
      attr { key: "then_branch" value { func { name: "g" } } } attr { key: "else_branch" value { func { name: "h" } } } }
    ret { key: "y" value: "i:output:0" } }
  function { signature { name: "h" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
    ret { key: "y" value: "x" } }
  function { signature { name: "g" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "y" type: DT_FLOAT } }
    node_def { name: "o" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
      attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
    node_def { name: "s" op: "Sub" input: "x" input: "o:output:0" attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "c" op: "f" input: "s:z:0" }
    node_def { name: "a" op: "AddV2" input: "x" input: "c:y:0" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "y" value: "a:z:0" } } }
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "c" op: "f" input: "x" } versions { producer: 2000 }"""


def recursion(n):
    graph = text_format.Parse(RECURSION, tf.GraphDef())
    return tf.import_graph_def(graph, {"x": hidden(n)}, ["c:0"])


def programs():
    for f in (call, call_of_call, call_returns_arguments_and_constants, call_twice, call_without_arguments,
              call_with_strings, call_in_many_types, call_by_name, call_by_name_of_call_by_name, old_flow_in_function,
              control_outputs, branch_with_nothing, branch_of_shapes, not_taken_fails, loop_that_swaps, loop_in_loop,
              loop_that_grows, loop_with_branch, loop_as_long_as_float, loop_over_nothing, collect_in_loop,
              arrays_in_function, list_through_calls, variable_in_function, variable_through_calls, handle_returned,
              variable_in_loop):
        yield f.__name__, f
    yield "assert_fails", assert_fails, "assertion failed: [1 -2]"
    yield "error_in_function", error_in_function, "not a number here : Tensor had NaN values"
    for name, value, dtype in (("true", True, np.bool_), ("false", False, np.bool_), ("half", 0.5, np.float32),
                               ("zero", 0, np.int64), ("byte", 3, np.uint8), ("string", b"x", object),
                               ("empty_string", b"", object), ("zeros", [0, 0], np.int32), ("nothing", [], np.int32),
                               ("double", 0.0, np.float64)):
        yield "branch_" + name, lambda value=value, dtype=dtype: branch(value, dtype)
    for p in (True, False):
        for q in (True, False):
            yield "branches_%d%d" % (p, q), lambda p=p, q=q: branches(p, q)
    for index in (0, 1, 2, 3, -1):
        yield "case_%s" % str(index).replace("-", "minus_"), lambda index=index: case(index)
    for n in (0, 1, 10):
        yield "loop_%d" % n, lambda n=n: loop(n)
    for name, op, attrs in (("call", CALL % "PartitionedCall", ""), ("stateful_call", CALL % "StatefulPartitionedCall", ""),
                            ("kept_call", CALL % "StatefulPartitionedCall", NO_INLINE), ("if", IF, ""),
                            ("lowered_if", IF, LOWER), ("by_name", 'op: "f" input: "v"', "")):
        yield "effects_of_" + name, lambda op=op, attrs=attrs: effects(op, attrs)
    yield "recursion_by_name", lambda: recursion(5)
    yield "recursion_deep", lambda: recursion(300)
