"""Sessions: fetches, feeds, persistent values, errors, threads."""

import collections
import threading
import unittest

import numpy as np

import ramet.compat.v1 as tf
from ramet.client import base_session


class SessionTest(unittest.TestCase):
    def setUp(self):
        self.graph = tf.Graph()
        self.context = self.graph.as_default()
        self.context.__enter__()
        self.session = tf.Session()

    def tearDown(self):
        self.session.close()
        self.context.__exit__(None, None, None)

    def run_(self, *args):
        return self.session.run(*args)

    def test_fetch_structures(self):
        a, b = tf.constant([1.0, 2.0]), tf.constant(3)
        Pair = collections.namedtuple('Pair', 'x y')
        fetched = self.run_({'list': [a, b], 'pair': Pair(a, (b,)), 'op': tf.no_op()})
        np.testing.assert_array_equal(fetched['list'][0], [1.0, 2.0])
        self.assertIsInstance(fetched['pair'], Pair)
        self.assertEqual(fetched['pair'].y, (3,))
        self.assertIsNone(fetched['op'])
        self.assertEqual(self.run_(['Const_1:0']), [3])
        self.assertEqual(self.run_([]), [])
        self.assertIsInstance(self.run_(b), np.int32)
        self.assertEqual(self.run_(tf.constant('text')), b'text')

    def test_sparse_tensors_and_indexed_slices(self):
        sparse = tf.SparseTensor([[0, 1]], [2.0], [1, 3])
        value = self.run_(sparse)
        self.assertIsInstance(value, tf.SparseTensorValue)
        np.testing.assert_array_equal(value.dense_shape, [1, 3])
        fed = tf.sparse_placeholder(tf.float32)
        back = self.run_(fed, {fed: value})
        np.testing.assert_array_equal(back.indices, [[0, 1]])
        self.assertEqual(tf.sparse_placeholder(tf.float32, [3, None]).shape.as_list(), [3, None])
        slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([4]))
        np.testing.assert_array_equal(self.run_(slices).indices, [4])

    def test_feeds_of_all_forms(self):
        x = tf.placeholder(tf.float32, [None])
        total = tf.reduce_sum(x)
        for value in ([1, 2], (1.0, 2.0), np.array([1, 2]), np.arange(4, dtype='f')[1:3],
                      np.array([1.0, 9.0, 2.0])[::2]):
            with self.subTest(str(value)):
                self.assertEqual(self.run_(total, {x: value}), 3.0)
        big = np.arange(40000, dtype=np.float32)
        self.assertEqual(self.run_(x[7], {x: big}), 7.0)
        self.assertEqual(self.run_(x[2], {x: big[1:]}), 3.0)
        self.assertEqual(self.run_(x[2], {'Placeholder:0': big[::-1]}), 39997.0)
        with self.assertRaisesRegex(ValueError, r'Cannot feed value of shape \(1, 2\)'):
            self.run_(total, {x: [[1.0, 2.0]]})
        with self.assertRaisesRegex(TypeError, 'cannot be a tf.Tensor object'):
            self.run_(total, {x: tf.constant([1.0])})
        with self.assertRaisesRegex(TypeError, 'Cannot interpret feed_dict key as Tensor'):
            self.run_(total, {'nothing:0': 1.0})

    def test_structures_as_keys_of_a_feed_dict(self):
        a, b, c = (tf.placeholder(tf.float32, [], name=n) for n in ('fa', 'fb', 'fc'))
        state, pair = tf.nn.rnn_cell.LSTMStateTuple, collections.namedtuple('Pair', 'x y')
        with tf.Session() as session:
            for feeds in ({(a, (b, c)): (1, [2, 3])}, {(a, (b, c)): (1, 2, 3)},
                          {state(a, b): state(1, 2), c: 3}, {pair(a, b): (1, 2), 'fc:0': 3},
                          {(state(a, b), c): (state(1, 2), 3)}, {('fa:0', b, c): [1, 2, 3]},
                          {(a, b, c): {'x': 1, 'y': 2, 'z': 3}}):
                self.assertEqual(session.run([a + 0, b + 0, c + 0], feeds), [1, 2, 3])
            self.assertEqual(session.make_callable(a - b, [state(a, b)])((5, 3)), 2)
            self.assertEqual(session.make_callable(a - b, [a, (b,)])(5, [3]), 2)
            self.assertEqual((a + b).eval({(a, b): (1, 2)}), 3)
            with self.assertRaisesRegex(ValueError, 'Key had 2 elements, but value had 1 elements'):
                session.run(a, {state(a, b): np.ones(2)})
            for feeds in ({(a, a): (1, 2)}, {(a, b): (1, 2), a: 3}):
                with self.assertRaisesRegex(ValueError, 'key is not unique'):
                    session.run(a + 0, feeds)
            with self.assertRaisesRegex(TypeError, 'must be a dictionary'):
                session.run(a, [(a, 1)])
            with self.assertRaisesRegex(TypeError, 'Cannot interpret feed_dict key as Tensor'):
                session.run(a, {(a, None): (1, 2)})

    def test_fetched_arrays_belong_to_the_caller(self):
        v = tf.get_variable('v', [5000], initializer=tf.zeros_initializer())
        self.run_(v.initializer)
        first = self.run_(v)
        first += 7.0
        self.assertEqual(self.run_(v).max(), 0.0)
        before = self.run_(v)
        self.run_(tf.assign_add(v, np.ones(5000, 'f')))
        self.assertEqual((before.max(), self.run_(v).max()), (0.0, 1.0))

    def test_fed_arrays_stay_the_callers(self):
        x = tf.placeholder(tf.float32, [5000])
        v = tf.get_variable('v', [5000])
        array = np.zeros(5000, 'f')
        assign = tf.assign(v, x)
        self.run_(assign, {x: array})
        array += 1.0
        self.assertEqual(self.run_(v).max(), 0.0)
        self.run_(tf.assign_add(v, np.ones(5000, 'f')))
        self.assertEqual((array.max(), self.run_(v).max()), (1.0, 1.0))
        back = self.run_(x, {x: array})
        back += 1.0
        self.assertEqual(array.max(), 1.0)
        negative = self.run_(tf.negative(x), {x: array})
        self.assertEqual((array.max(), negative.max()), (1.0, -1.0))

    def test_errors_name_the_op_and_its_line(self):
        x = tf.placeholder(tf.float32, [None], name='images')
        y = tf.sqrt(x)
        with self.assertRaises(tf.errors.InvalidArgumentError) as raised:
            self.run_(y)
        self.assertIs(raised.exception.op, x.op)
        self.assertIn("'images'", raised.exception.message)
        self.assertIn("x = tf.placeholder(tf.float32, [None], name='images')",
                      str(raised.exception))

    def test_closed_and_empty(self):
        self.assertRaisesRegex(RuntimeError, 'The Session graph is empty', self.run_, [])
        a = tf.constant(1)
        self.session.close()
        self.assertRaisesRegex(RuntimeError, 'Attempted to use a closed Session', self.run_, a)

    def test_other_graphs_elements_are_refused(self):
        with tf.Graph().as_default():
            other = tf.constant(1)
        tf.constant(2)
        with self.assertRaisesRegex(ValueError, 'is not an element of this graph'):
            self.run_(other)
        with self.assertRaisesRegex(TypeError, 'None'):
            self.run_([None])

    def test_make_callable(self):
        x = tf.placeholder(tf.float32, [])
        double = self.session.make_callable({'y': x * 2.0}, [x])
        self.assertEqual(double(3.0), {'y': 6.0})
        self.assertIsNone(self.session.make_callable(tf.no_op())())

    def test_prevented_elements(self):
        x = tf.placeholder(tf.float32, [])
        y = x + 1.0
        self.graph.prevent_feeding(y)
        self.graph.prevent_fetching(y.op)
        with self.assertRaisesRegex(ValueError, 'may not be fed'):
            self.run_(x, {y: 1.0})
        with self.assertRaisesRegex(ValueError, 'not fetchable'):
            self.run_(y, {x: 1.0})

    def test_default_sessions(self):
        a = tf.constant(4)
        with self.assertRaisesRegex(ValueError, 'No default session is registered'):
            a.eval()
        with self.session.as_default():
            self.assertEqual(a.eval(), 4)
            self.assertIs(tf.get_default_session(), self.session)
        interactive = tf.InteractiveSession(graph=self.graph)
        self.assertEqual(a.eval(), 4)
        interactive.close()
        self.assertIsNone(tf.get_default_session())

    def test_config(self):
        config = tf.ConfigProto(device_count={'CPU': 2}, allow_soft_placement=True)
        with tf.Session(config=config) as session:
            names = [d.name for d in session.list_devices()]
        self.assertTrue(any(n.endswith('CPU:1') for n in names), names)
        options, metadata = tf.RunOptions(), tf.RunMetadata()
        a = tf.constant(4)
        self.assertEqual(self.session.run(a, run_metadata=metadata), 4)
        self.assertEqual(self.session.run(a, None, options, metadata), 4)
        with self.assertRaises(TypeError):
            tf.Session(config='no config')
        with self.assertRaises(tf.errors.NotFoundError):
            tf.Session('grpc://somewhere')

    def test_config_chooses_passes(self):
        def disabled(**fields):
            return base_session.core_options(tf.ConfigProto(graph_options=tf.GraphOptions(**fields)))['disabled_passes']

        self.assertEqual(disabled(), [])
        self.assertEqual(disabled(rewrite_options={'disable_meta_optimizer': True}), ['all'])
        self.assertEqual(disabled(rewrite_options={'constant_folding': 'OFF', 'remapping': 'OFF'}),
                         ['constant_folding', 'batch_norm_folding', 'epilogues', 'packed_weights', 'elementwise',
                          'device_fusion'])
        self.assertEqual(disabled(rewrite_options={'constant_folding': 'ON', 'arithmetic_optimization': 'OFF'}),
                         ['arithmetic'])
        level = {'opt_level': 'L0', 'do_constant_folding': True}
        self.assertEqual(disabled(optimizer_options=level), ['common_subexpressions'])
        self.assertEqual(disabled(optimizer_options={'opt_level': 'L0'}), ['constant_folding', 'common_subexpressions'])
        config = tf.ConfigProto(graph_options=tf.GraphOptions(rewrite_options={'disable_meta_optimizer': True}))
        with tf.Session(config=config) as session:
            self.assertEqual(session.run(tf.identity(3) + 4), 7)

    def test_python_runs_while_a_step_runs(self):
        started, go_on, ended = threading.Event(), threading.Event(), []

        def slow(x):
            started.set()
            self.assertTrue(go_on.wait(60))
            return x

        y = tf.py_func(slow, [tf.constant(1.0)], tf.float32)
        thread = threading.Thread(target=lambda: ended.append(self.run_(y)))
        thread.start()
        self.assertTrue(started.wait(60))
        self.assertEqual(ended, [])
        go_on.set()
        thread.join()
        self.assertEqual(ended, [1.0])

    def test_many_threads_run_one_session(self):
        x = tf.placeholder(tf.float32, [100])
        y = tf.reduce_sum(x * 2.0)
        wrong = []

        def work(n):
            array = np.full(100, n, 'f')
            for _ in range(200):
                if self.run_(y, {x: array}) != 200.0 * n:
                    wrong.append(n)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_every_dtype_goes_in_and_out(self):
        for name in ('float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 '
                     'bool complex64 complex128').split():
            with self.subTest(name):
                x = tf.placeholder(name, [2])
                out = self.run_(tf.identity(x), {x: np.array([0, 1], name)})
                self.assertEqual(out.dtype, np.dtype(name))
                np.testing.assert_array_equal(out, np.array([0, 1], name))
        x = tf.placeholder(tf.string, [2])
        out = self.run_(x, {x: ['a', b'\xff']})
        self.assertEqual(out.tolist(), [b'a', b'\xff'])


if __name__ == '__main__':
    unittest.main()
