"""tf.autograph, and functions of datasets with Python's control flow."""

import functools
import io
import textwrap
import traceback
import unittest
import unittest.mock

import numpy as np
import ramet.compat.v1 as tf


def loop_with_options(x):
    v = tf.constant([0])
    for i in tf.range(4):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([None]))])
        v = tf.concat([v, [i + x]], 0)
    while x > 0:
        tf.autograph.experimental.set_loop_options(maximum_iterations=3)
        x -= 1
    return v, x


class AutographTest(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)
        self.x = tf.placeholder(tf.int32, [], name='x')

    def values(self, function, *inputs):
        result = tf.autograph.to_graph(function)(self.x)
        with tf.Session() as session:
            return [session.run(result, {self.x: value}) for value in inputs]

    def test_options_of_loops(self):
        [(v, x)] = self.values(loop_with_options, 5)
        np.testing.assert_array_equal(v, [0, 5, 6, 7, 8])
        self.assertEqual(x, 2)

    def test_python_values_run_as_in_python(self):
        def function(n):
            found = []
            for i in range(10):
                if i % 2:
                    continue
                if i > 6:
                    break
                found.append(i)
            while n:
                n -= 1
            return found if n == 0 and found else None

        self.assertEqual(tf.autograph.to_graph(function)(3), [0, 2, 4, 6])

    def test_variables_of_the_enclosing_function_are_shared(self):
        calls = 0

        def function(x):
            nonlocal calls
            calls += 1
            return x if x > calls else -x

        self.assertEqual(self.values(function, 0, 5), [0, 5])
        self.assertEqual(calls, 1)

    def test_defaults_and_keywords(self):
        def function(x, *rest, factor=2, **more):
            y = x * factor + sum(rest)
            if y > more['limit']:
                y = tf.constant(0)
            return y

        converted = tf.autograph.to_graph(function)
        results = [converted(self.x, limit=3), converted(self.x, 1, 2, factor=3, limit=100)]
        with tf.Session() as session:
            self.assertEqual(session.run(results, {self.x: 2}), [0, 9])

    def test_functions_of_libraries_are_not_converted(self):
        def function(x):
            return functools.reduce(lambda a, b: a + b, [x, np.int32(2)])

        self.assertEqual(self.values(function, 3), [5])

    def test_recursion(self):
        def factorial(n):
            if n <= 1:
                return 1
            return n * factorial(n - 1)

        self.assertEqual(tf.autograph.to_graph(factorial)(5), 120)

    def test_tracebacks_show_the_lines_of_the_program(self):
        def function(x):
            y = x
            if x > 2:
                z = x
            return z + y

        try:
            tf.autograph.to_graph(function)(self.x)
        except ValueError as error:
            text = ''.join(traceback.format_exception(error))
        self.assertIn('    if x > 2:', text)
        self.assertIn("'z' must also be initialized in the else branch", text)

    def test_messages_of_converted_functions_of_datasets(self):
        def wrong(x):
            if x > 2:
                raise KeyError('mine')
            return x

        with self.assertRaises(KeyError) as caught:
            tf.data.Dataset.range(3).map(wrong)
        self.assertRegex(str(caught.exception), r'(?s)in user code:.*test_autograph.py", line \d+, in wrong  \*\n'
                                                r".*raise KeyError\('mine'\).*KeyError: 'mine'")

    def test_errors_of_assignments_to_items_show_the_statement(self):
        def function(x):
            pair = tf.stack([x, x])
            if x > 2:
                pair[0] = 1
            return pair

        with self.assertRaises(TypeError) as caught:
            tf.function(function)(self.x)
        self.assertIn('        if x > 2:\n', str(caught.exception))

    def test_errors_with_constructors_of_their_own_are_raised_as_they_are(self):
        class Own(Exception):
            def __init__(self, number, text):
                super().__init__(text)
                self.number = number

        def wrong(x):
            raise Own(3, 'text')

        with self.assertRaises(Own) as caught:
            tf.data.Dataset.range(3).map(wrong)
        self.assertEqual(caught.exception.number, 3)

    def test_features(self):
        def function(x):
            assert x > 1, 'too small'
            print('value', x)
            if x == 3:
                return 30
            return 0

        converted = tf.autograph.to_graph(
            function, experimental_optional_features=tf.autograph.experimental.Feature.all_but(
                tf.autograph.experimental.Feature.NAME_SCOPES))
        result = converted(self.x)
        self.assertLessEqual({'Assert', 'PrintV2'}, {op.type for op in tf.get_default_graph().get_operations()})
        with tf.Session() as session:
            self.assertEqual(session.run(result, {self.x: 3}), 30)
        with unittest.mock.patch('sys.stdout', io.StringIO()):
            self.assertEqual(tf.autograph.to_graph(function, experimental_optional_features=None)(3), 30)

    def test_code(self):
        code = tf.autograph.to_code(lambda x: x if x > 1 else -x)
        self.assertIn("ag__.if_exp(x > 1, lambda: x, lambda: -x, 'x > 1')", code)
        self.assertTrue(tf.autograph.to_code(self.test_code).startswith('def tf__test_code(self):'))

    def test_lambdas_of_one_line(self):
        pair = (lambda a: a if a > 1 else -a), (lambda a: a if a > 1 else a * 3)
        self.assertEqual(self.values(pair[0], -2) + self.values(pair[1], -2), [2, -6])

    def test_what_cannot_be_converted_runs_as_it_is(self):
        def function(x):
            for i in (1, 2):
                x += i
            else:
                x *= 2
            return x

        with self.assertLogs('tensorflow', 'WARNING') as logs:
            dataset = tf.data.Dataset.range(2).map(function)
        self.assertRegex(logs.output[0], r'for/else statement not yet supported\n    File ".*test_autograph.py", line \d+\n')
        following = tf.data.make_one_shot_iterator(dataset).get_next()
        with tf.Session() as session:
            self.assertEqual([session.run(following), session.run(following)], [6, 8])

    def test_coroutines_and_classes_inside_are_left_alone(self):
        def function(x):
            class Pair:
                first = x

            async def coroutine():
                async for _ in Pair.first:
                    return 1

            if x > 2:
                return Pair.first
            return -x

        self.assertEqual(self.values(function, 3, 1), [3, -1])

    def test_statements_that_cannot_be_converted(self):
        async def coroutine(x):
            return x

        def generator(x):
            yield x

        def named(x):
            return (y := x) + y

        def mangled(x):
            return x.__hidden

        def while_else(x):
            while x > 1:
                x -= 1
            else:
                return x

        for function, problem in (
                (coroutine, 'coroutines are'), (generator, 'generators are'), (named, 'assignment expressions are'),
                (mangled, 'mangled names are'), (while_else, 'while/else statement')):
            with self.subTest(problem), self.assertRaises(NotImplementedError) as caught:
                tf.autograph.to_graph(function)
            self.assertRegex(str(caught.exception), rf'^{problem} not.* supported\n    File ".*\.py", line \d+$')

    def test_functions_without_source(self):
        scope = {}
        exec(textwrap.dedent('''
            def function(x):
                return x if x > 2 else -x
        '''), scope)
        with self.assertRaisesRegex(Exception, 'could not get source code'):
            tf.autograph.to_graph(scope['function'])

    def test_only_functions(self):
        with self.assertRaisesRegex(Exception, "doesn't expose a __code__ object"):
            tf.autograph.to_graph(3)

    def test_contrib_names(self):
        @tf.contrib.autograph.convert(recursive=True)
        def function(x):
            return 1 if x > 2 else 0

        @tf.contrib.autograph.do_not_convert
        def left_alone(x):
            return 'tensor' if x is not None else None

        with tf.Session() as session:
            self.assertEqual(session.run(function(self.x), {self.x: 7}), 1)
        self.assertEqual(tf.autograph.to_graph(lambda x: left_alone(x))(self.x), 'tensor')


if __name__ == '__main__':
    unittest.main()
