"""Graphs, operations, tensors, scopes and collections."""

import gc
import threading
import unittest
import weakref

import ramet.compat.v1 as tf


class HandlesTest(unittest.TestCase):
    def setUp(self):
        self.graph = tf.Graph()
        self.context = self.graph.as_default()
        self.context.__enter__()

    def tearDown(self):
        self.context.__exit__(None, None, None)

    def test_one_object_for_each_tensor_and_operation(self):
        a = tf.constant(1.0, name='a')
        b = tf.add(a, 2.0, name='b')
        self.assertIs(self.graph.get_tensor_by_name('a:0'), a)
        self.assertIs(self.graph.get_operation_by_name('b'), b.op)
        self.assertIs(b.op.inputs[0], a)
        self.assertIs(b.op.outputs[0], b)
        a.note = 'kept'
        self.assertEqual(self.graph.get_tensor_by_name('a:0').note, 'kept')

    def test_what_an_operation_knows(self):
        a = tf.constant([[1.0, 2.0]], name='a')
        with tf.control_dependencies([tf.no_op('first')]):
            b = tf.matmul(a, a, transpose_b=True, name='b')
        self.assertEqual(b.op.type, 'MatMul')
        self.assertEqual([t.name for t in b.op.inputs], ['a:0', 'a:0'])
        self.assertEqual([o.name for o in b.op.control_inputs], ['first'])
        self.assertEqual(a.consumers(), [b.op, b.op])
        self.assertIs(b.op.get_attr('transpose_b'), True)
        self.assertEqual(b.op.get_attr('T'), tf.float32)
        self.assertEqual(b.op.node_def.op, 'MatMul')
        self.assertEqual(list(b.op.node_def.input), ['a', 'a', '^first'])
        self.assertEqual(b.op.op_def.input_arg[0].name, 'a')
        with self.assertRaisesRegex(ValueError, "no attr named 'absent'"):
            b.op.get_attr('absent')

    def test_traceback_names_the_line_that_made_the_node(self):
        a = tf.constant(1.0)
        file, line, function, source = a.op.traceback[-1]
        self.assertEqual((function, source), ('test_traceback_names_the_line_that_made_the_node',
                                              'a = tf.constant(1.0)'))
        self.assertTrue(file.endswith('test_graph.py'))

    def test_lookup_errors(self):
        tf.constant(1.0, name='a')
        for name, error in [('b:0', KeyError), ('a:1', KeyError), ('a', ValueError)]:
            with self.subTest(name), self.assertRaises(error):
                self.graph.get_tensor_by_name(name)
        with self.assertRaises(KeyError):
            self.graph.get_operation_by_name('b')
        with self.assertRaises(TypeError):
            self.graph.get_operation_by_name(3)

    def test_a_graph_is_freed_with_its_handles(self):
        graph = tf.Graph()
        with graph.as_default():
            tensor = tf.constant(1.0) + 2.0
        gone = weakref.ref(graph)
        del graph
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertEqual(tensor.op.graph.version, 3)
        del tensor
        gc.collect()
        self.assertIsNone(gone())

    def test_finalized_graphs_refuse_nodes(self):
        self.graph.finalize()
        with self.assertRaisesRegex(RuntimeError, 'Graph is finalized and cannot be modified.'):
            tf.constant(1.0)

    def test_as_graph_def_round_trip(self):
        tf.add(tf.constant([1, 2], name='a'), 3, name='b')
        definition = self.graph.as_graph_def()
        with tf.Graph().as_default() as other:
            tf.import_graph_def(definition, name='')
            self.assertEqual(other.as_graph_def(), definition)
        self.assertEqual([n.name for n in self.graph.as_graph_def(from_version=1).node],
                         ['b/y', 'b'])

    def test_symbolic_values_are_refused_as_python_values(self):
        a = tf.constant([1.0, 2.0])
        for use in (bool, len, iter, float):
            with self.subTest(use), self.assertRaises(TypeError):
                use(a)

    def test_set_shape_merges(self):
        x = tf.placeholder(tf.float32, [None, 3])
        x.set_shape([2, None])
        self.assertEqual(x.shape.as_list(), [2, 3])
        with self.assertRaises(ValueError):
            x.set_shape([4, 3])


class ScopesTest(unittest.TestCase):
    def setUp(self):
        self.graph = tf.Graph()
        self.context = self.graph.as_default()
        self.context.__enter__()

    def tearDown(self):
        self.context.__exit__(None, None, None)

    def test_name_scopes(self):
        with tf.name_scope('a') as a:
            self.assertEqual(a, 'a/')
            self.assertEqual(tf.constant(1).op.name, 'a/Const')
            with tf.name_scope(None):
                self.assertEqual(tf.constant(1).op.name, 'Const')
        with tf.name_scope('a') as again:
            self.assertEqual(again, 'a_1/')
        with tf.name_scope(a):
            self.assertEqual(tf.constant(1).op.name, 'a/Const_1')
        with self.assertRaises(ValueError), self.graph.name_scope('b@d'):
            pass
        with tf.name_scope(None, 'default', [1]) as scope:
            self.assertEqual(scope, 'default/')

    def test_each_thread_has_its_own_name_scope(self):
        inside, leave, names = threading.Event(), threading.Event(), []

        def other():
            with self.graph.as_default(), tf.name_scope('other'):
                inside.set()
                leave.wait(10)
                names.append(tf.constant(1).op.name)

        thread = threading.Thread(target=other)
        thread.start()
        inside.wait(10)
        names.append(tf.constant(1).op.name)
        leave.set()
        thread.join()
        self.assertEqual(names, ['Const', 'other/Const'])

    def test_devices(self):
        with tf.device('/job:worker'), tf.device('/cpu:0'):
            self.assertEqual(tf.constant(1).device, '/job:worker/device:CPU:0')
            with tf.device(None):
                self.assertEqual(tf.constant(1).device, '')
        with tf.device(lambda op: '/device:CPU:1' if op.type == 'Const' else ''):
            self.assertEqual(tf.constant(1).device, '/device:CPU:1')
        with self.assertRaises(ValueError), tf.device('no device'):
            pass

    def test_control_dependencies(self):
        a, b = tf.no_op('a'), tf.constant(1, name='b')
        with tf.control_dependencies([a]), tf.control_dependencies([b]):
            c = tf.constant(2)
            with tf.control_dependencies(None):
                d = tf.constant(3)
        self.assertEqual([o.name for o in c.op.control_inputs], ['a', 'b'])
        self.assertEqual(d.op.control_inputs, [])
        with self.assertRaises(TypeError), tf.control_dependencies([3]):
            pass

    def test_colocation(self):
        with tf.device('/cpu:0'):
            a = tf.constant(1, name='a')
        with tf.colocate_with(a.op):
            b = tf.constant(2)
        self.assertEqual(b.op.colocation_groups(), [b'loc:@a'])
        self.assertEqual(b.device, '/device:CPU:0')

    def test_gradient_override(self):
        tf.RegisterGradient('TestGraphTimesTen')(lambda op, grad: grad * 10.0)
        x = tf.constant(2.0)
        with self.graph.gradient_override_map({'Square': 'TestGraphTimesTen'}):
            y = tf.square(x)
        z = tf.square(x)
        with tf.Session() as session:
            self.assertEqual(session.run(tf.gradients(y, x) + tf.gradients(z, x)), [10.0, 4.0])

    def test_exceptions_of_gradient_functions_reach_the_caller(self):
        @tf.RegisterGradient('TestGraphFails')
        def _fails(op, grad):
            raise ZeroDivisionError('from the gradient')

        x = tf.constant(2.0)
        with self.graph.gradient_override_map({'Square': 'TestGraphFails'}):
            y = tf.square(x)
        with self.assertRaisesRegex(ZeroDivisionError, 'from the gradient'):
            tf.gradients(y, x)


class CollectionsTest(unittest.TestCase):
    def test_items_of_any_kind(self):
        graph = tf.Graph()
        with graph.as_default():
            tensor = tf.constant(1.0)
            items = [tensor, tensor.op, 3, 2.5, 'text', {'a': 1}]
            for item in items:
                tf.add_to_collection('mixed', item)
            self.assertEqual(tf.get_collection('mixed'), items)
            self.assertEqual(graph.get_all_collection_keys(), ['mixed'])
            reference = tf.get_collection_ref('mixed')
            self.assertIs(reference, tf.get_collection_ref('mixed'))
            reference.append('more')
            del reference[:5]
            self.assertEqual(tf.get_collection('mixed'), [{'a': 1}, 'more'])
            graph.clear_collection('mixed')
            self.assertEqual(tf.get_collection('mixed'), [])

    def test_scope_is_a_regular_expression(self):
        with tf.Graph().as_default():
            for name in ('a/x', 'b/x'):
                tf.add_to_collection('k', tf.constant(1.0, name=name))
            self.assertEqual([t.op.name for t in tf.get_collection('k', 'b')], ['b/x'])

    def test_numbers_and_text_survive_a_meta_graph(self):
        with tf.Graph().as_default():
            tf.constant(1.0)
            tf.add_to_collection('numbers', 3)
            tf.add_to_collection('texts', 'abc')
            exported = tf.train.export_meta_graph()
        self.assertEqual(list(exported.collection_def['numbers'].int64_list.value), [3])
        self.assertEqual(list(exported.collection_def['texts'].bytes_list.value), [b'abc'])


if __name__ == '__main__':
    unittest.main()
