"""Symptom: branches and loops built with Ramet have different nodes, contexts or values.

Needs tensorflow, and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf

import ramet.compat.v1 as rt

tf.disable_v2_behavior()
tf.disable_control_flow_v2()

SEQUENCES = np.linspace(0, 1, 30).reshape(2, 5, 3)


def branches(p):
    x, c = p.placeholder(p.float32, [2], 'x'), p.placeholder(p.bool, [], 'c')
    with p.control_dependencies([x]):
        y = p.cond(c, lambda: (x * 2, x), lambda: (p.exp(x), p.cond(c, lambda: x, lambda: -x)))
    z = p.case([(x[0] < 1, lambda: x), (x[0] < 2, lambda: 2 * x)], default=lambda: 3 * x)
    with p.control_dependencies([p.Assert(x[0] < 3, [x, 'x'])]):
        last = p.identity(z)
    return [*y, last], [{x: [v, 2], c: c_} for v in (0, 1, 2) for c_ in (True, False)]


def loops(p):
    n, x = p.placeholder(p.int32, [], 'n'), p.placeholder(p.float32, [], 'x')

    def body(i, s):
        inner = p.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + x), [0, s])[1]
        with p.control_dependencies([x]):
            factor = p.constant(0.5)
        return i + 1, p.cond(p.equal(i % 2, 0), lambda: inner * factor, lambda: s + x)
    plain = p.while_loop(lambda i, s: i < n, body, [0, x])
    grown = p.while_loop(lambda i, c: i < n, lambda i, c: [i + 1, p.concat([c, c], 0)],
                         [0, p.zeros([1])], maximum_iterations=3,
                         shape_invariants=[p.TensorShape([]), p.TensorShape([None])])
    within = p.cond(n > 2, lambda: p.while_loop(lambda i: i < n, lambda i: i + 1, [0]), lambda: n)
    return [*plain, *grown, within], [{n: k, x: 1.5} for k in (0, 1, 5)]


def variables(p):
    v = p.get_variable('v', [], initializer=p.zeros_initializer(), use_resource=False)
    w = p.get_variable('w', [], initializer=p.zeros_initializer(), use_resource=True)

    def body(i):
        with p.control_dependencies([p.assign_add(v, 1.0), w.assign_add(2.0)]):
            return i + 1
    with p.control_dependencies([p.while_loop(lambda i: i < 5, body, [0])]):
        return [p.identity(v.read_value()), w.read_value()], [{}, {}]


def functions(p):
    x = p.placeholder(p.float32, [4, 2], 'x')
    return [p.map_fn(lambda a: a * a, x), p.scan(lambda a, b: a * 0.5 + b, x),
            p.scan(lambda a, b: a + b, x, initializer=p.zeros([2]), reverse=True),
            p.foldl(lambda a, b: a + b, x), p.foldr(lambda a, b: a * 2 + b, x)], [
                {x: np.arange(8).reshape(4, 2)}]


class Cell:
    """Runs steps with the functions of either package."""

    def __init__(self, package, size):
        self.p, self.state_size, self.output_size = package, (size, size), size

    def zero_state(self, batch_size, dtype):
        zeros = self.p.zeros(self.p.stack([batch_size, self.output_size]), dtype)
        return zeros, zeros

    def __call__(self, inputs, state, scope=None):
        w = self.p.get_variable('w', [3, self.output_size], use_resource=False,
                                initializer=self.p.ones_initializer())
        h = self.p.tanh(self.p.matmul(inputs, w) + state[1])
        return h, (state[0] + h, h)


def recurrent(p):
    x = p.placeholder(p.float32, [2, 5, 3], 'x')
    lengths = p.placeholder(p.int32, [2], 'lengths')
    both = p.nn.bidirectional_dynamic_rnn(Cell(p, 4), Cell(p, 3), x, lengths, dtype=p.float32)
    one = p.nn.dynamic_rnn(Cell(p, 4), x, dtype=p.float32)
    static = p.nn.static_rnn(Cell(p, 4), p.unstack(x, axis=1), dtype=p.float32, scope='static',
                             sequence_length=lengths)
    return [both, one, static], [{x: SEQUENCES, lengths: n} for n in ([2, 5], [0, 1])]


def rows_of_two_dtypes(p):
    c, x = p.placeholder(p.bool, [], 'c'), p.placeholder(p.float32, [2, 3], 'x')
    short, long = p.placeholder(p.int32, [2], 'short'), p.placeholder(p.int64, [2], 'long')
    made = [p.cond(c, lambda: p.IndexedSlices(x, a), lambda: p.IndexedSlices(x * 2, b))
            for a, b in ((short, long), (long, short), (short, short))]
    feeds = {x: np.ones([2, 3]), short: [1, 2], long: [3, 4]}
    return [[m.indices, m.values] for m in made], [{c: c_, **feeds} for c_ in (True, False)]


def fed_branch(p):
    c, inner = p.placeholder(p.bool, [], 'c'), []

    def branch():
        inner.append(p.identity(p.constant(1.0), 'inner'))
        return inner[0] * 2
    y = p.cond(c, branch, lambda: p.constant(3.0))
    return [y], [{c: c_, inner[0]: 5} for c_ in (True, False)]


def dead_in_loop(p):
    """Returns a tensor that is dead from the second iteration of a loop on."""
    c, x = p.placeholder(p.bool, [], 'c'), p.placeholder(p.float32, [2], 'x')
    made = []
    for work in (lambda a: p.cast(p.cast(a, p.int32), p.float32), lambda a: p.where(a > 0, a, -a),
                 lambda a: p.string_to_number(p.as_string(a)), lambda a: p.matmul([a], [a], False, True)[0]):
        dead, alive = p.raw_ops.Switch(data=x, pred=c)
        count, last = p.while_loop(
            lambda i, a: i < 3, lambda i, a: (i + 1, work(a) * alive), [0, x],
            shape_invariants=[p.TensorShape([]), p.TensorShape(None)])
        made += [*p.raw_ops.Merge(inputs=[dead, last]), count]
    return made, [{c: c_, x: [1, 2]} for c_ in (False, True)]


def nodes(graph):
    return {node.name: (node.op, [i for i in node.input if i[0] != '^'],
                        sorted(i for i in node.input if i[0] == '^'))
            for node in graph.as_graph_def().node}


def contexts(graph):
    return {key: [context.to_proto().SerializeToString(deterministic=True)
                  for context in graph.get_collection(key)]
            for key in ('cond_context', 'while_context')}


def flat(value):
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


class ControlFlowTest(unittest.TestCase):
    def check(self, program):
        made = []
        for package in (tf, rt):
            graph = package.Graph()
            with graph.as_default(), package.Session() as session:
                fetches, feeds = program(package)
                found = nodes(graph), contexts(graph)
                session.run(package.global_variables_initializer())
                made.append((*found, [flat(session.run(fetches, f)) for f in feeds]))
        (expected, expected_contexts, values), (got, got_contexts, got_values) = made
        self.assertEqual(got, expected)
        self.assertEqual(got_contexts, expected_contexts)
        for ours, theirs in zip(got_values, values, strict=True):
            for a, b in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5)

    def test_branches(self):
        self.check(branches)

    def test_loops(self):
        self.check(loops)

    def test_variables(self):
        self.check(variables)

    def test_functions(self):
        self.check(functions)

    def test_rows_of_two_dtypes(self):
        self.check(rows_of_two_dtypes)

    def test_fed_branch(self):
        self.check(fed_branch)

    def test_dead_in_loop(self):
        self.check(dead_in_loop)

    def test_refused(self):
        programs = (lambda p, c: p.cond(c, lambda: [], lambda: []),
                    lambda p, c: p.cond(c, lambda: (), lambda: ()),
                    lambda p, c: p.while_loop(lambda i: i, lambda i: i + 1, [0]))
        for i, program in enumerate(programs):
            errors = []
            for package in (tf, rt):
                with package.Graph().as_default(), self.assertRaises(Exception) as caught:
                    program(package, package.placeholder(package.bool, []))
                errors.append((type(caught.exception), str(caught.exception)))
            with self.subTest(i):
                self.assertEqual(errors[1], errors[0])

    def test_recurrent_networks(self):
        self.check(recurrent)


if __name__ == '__main__':
    unittest.main()
