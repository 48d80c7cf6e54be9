"""Variables of both kinds: their nodes, values and records."""

import unittest

import numpy as np

import ramet.compat.v1 as tf


def both_kinds(test):
    """Runs a test for reference and for resource variables."""
    def run(self):
        for use_resource in (False, True):
            with self.subTest(use_resource=use_resource), tf.Graph().as_default():
                test(self, use_resource)

    return run


class VariableTest(unittest.TestCase):

    def node_names(self):
        return [op.name for op in tf.get_default_graph().get_operations()]

    def test_nodes_of_a_reference_variable(self):
        with tf.Graph().as_default():
            v = tf.Variable([1., 2.], name='v')
            self.assertEqual(self.node_names(), ['v/initial_value', 'v', 'v/Assign', 'v/read'])
            self.assertEqual(v.dtype.name, 'float32_ref')
            self.assertIs(v.value(), v.graph.get_tensor_by_name('v/read:0'))
            self.assertEqual(repr(v), "<tf.Variable 'v:0' shape=(2,) dtype=float32_ref>")

    def test_nodes_of_a_resource_variable(self):
        with tf.Graph().as_default():
            v = tf.Variable([1., 2.], name='v', use_resource=True)
            self.assertEqual(self.node_names(),
                             ['v/Initializer/initial_value', 'v',
                              'v/IsInitialized/VarIsInitializedOp', 'v/Assign',
                              'v/Read/ReadVariableOp'])
            self.assertEqual(repr(v), "<tf.Variable 'v:0' shape=(2,) dtype=float32>")

    @both_kinds
    def test_is_one_object(self, use_resource):
        v = tf.Variable(1., use_resource=use_resource)
        self.assertIsInstance(v, tf.Variable)
        self.assertIs(tf.global_variables()[0], v)
        self.assertIs(tf.trainable_variables()[0], v)
        self.assertEqual({v: 1}[v], 1)
        self.assertNotEqual(v, tf.Variable(1., use_resource=use_resource))

    @both_kinds
    def test_assignments(self, use_resource):
        v = tf.Variable([1., 2.], use_resource=use_resource)
        with tf.Session() as session:
            session.run(v.initializer)
            np.testing.assert_array_equal(session.run(v.assign([3., 4.])), [3, 4])
            np.testing.assert_array_equal(session.run(tf.assign_add(v, [1., 1.])), [4, 5])
            session.run(v.assign_sub([1., 1.], read_value=False))
            np.testing.assert_array_equal(session.run(v[1].assign(9.)), [3, 9])
            np.testing.assert_array_equal(session.run(tf.scatter_update(v, [0], [7.])), [7, 9])
            np.testing.assert_array_equal(v.eval(), [7, 9])
            v.load([0., 1.])
            np.testing.assert_array_equal(session.run(v), [0, 1])
            np.testing.assert_array_equal(session.run(v * 2. + v), [0, 3])

    @both_kinds
    def test_uninitialized(self, use_resource):
        v = tf.Variable(1., name='v', use_resource=use_resource)
        report = tf.report_uninitialized_variables()
        with tf.Session() as session:
            self.assertFalse(session.run(tf.is_variable_initialized(v)))
            self.assertEqual(list(session.run(report)), [b'v'])
            with self.assertRaises(tf.errors.FailedPreconditionError):
                session.run(v)
            session.run(tf.global_variables_initializer())
            self.assertEqual(list(session.run(report)), [])

    @both_kinds
    def test_proto(self, use_resource):
        v = tf.Variable(1., name='v', use_resource=use_resource, trainable=False)
        v._set_save_slice_info(tf.Variable.SaveSliceInfo('whole', [4], [1], [1]))
        message = v.to_proto()
        self.assertEqual(message.is_resource, use_resource)
        self.assertFalse(message.trainable)
        self.assertEqual(message.save_slice_info_def.full_name, 'whole')
        self.assertIs(tf.Variable.from_proto(message), v)
        self.assertIsNone(v.to_proto(export_scope='elsewhere'))

    @both_kinds
    def test_of_an_imported_graph(self, use_resource):
        v = tf.Variable([1., 2.], name='v', use_resource=use_resource)
        message, graph_def = v.to_proto(), v.graph.as_graph_def()
        with tf.Graph().as_default():
            tf.import_graph_def(graph_def, name='')
            copy = tf.Variable.from_proto(message)
            self.assertEqual((copy.name, copy.shape), (v.name, v.shape))
            self.assertIs(tf.Variable.from_proto(message), copy)
            with tf.Session() as session:
                session.run(copy.initializer)
                np.testing.assert_array_equal(session.run(copy), [1, 2])

    @both_kinds
    def test_unknown_argument(self, use_resource):
        with self.assertRaisesRegex(TypeError, 'trainabel'):
            tf.Variable(1., trainabel=True, use_resource=use_resource)

    def test_initial_value_in_a_scope_with_controls(self):
        with tf.Graph().as_default():
            with tf.control_dependencies([tf.no_op()]):
                v = tf.Variable(lambda: tf.zeros([2]))
            self.assertEqual(v.initializer.control_inputs, [])
            self.assertEqual(v.initial_value.op.control_inputs, [])

    def test_partitioned(self):
        with tf.Graph().as_default():
            whole = tf.get_variable('w', [5, 2], partitioner=tf.fixed_size_partitioner(2),
                                    initializer=tf.ones_initializer())
            self.assertEqual([v.shape.as_list() for v in whole], [[3, 2], [2, 2]])
            self.assertEqual([v._save_slice_info.spec for v in whole], ['5 2 0,3:0,2',
                                                                        '5 2 3,2:0,2'])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                np.testing.assert_array_equal(session.run(tf.identity(whole)), np.ones([5, 2]))


class ScopeTest(unittest.TestCase):

    def setUp(self):
        default = tf.Graph().as_default()
        default.__enter__()
        self.addCleanup(default.__exit__, None, None, None)

    def test_sharing(self):
        with tf.variable_scope('a'):
            v = tf.get_variable('v', [2])
        with tf.variable_scope('a', reuse=True):
            self.assertIs(tf.get_variable('v', [2]), v)
            with self.assertRaisesRegex(ValueError, 'Variable a/w does not exist'):
                tf.get_variable('w', [2])
            with self.assertRaisesRegex(ValueError, r'specified shape \(3,\) and found'):
                tf.get_variable('v', [3])
        with tf.variable_scope('a', reuse=tf.AUTO_REUSE):
            self.assertIs(tf.get_variable('v', [2]), v)
            self.assertEqual(tf.get_variable('w', [2]).name, 'a/w:0')

    def test_a_name_that_exists(self):
        tf.get_variable('v', [2])
        with self.assertRaisesRegex(ValueError, 'already exists, disallowed(.|\n)*test_variables'):
            tf.get_variable('v', [2])

    def test_numbered_default_names(self):
        names = []
        for _ in range(2):
            with tf.variable_scope(None, 'block'):
                for _ in range(2):
                    with tf.variable_scope(None, 'layer'):
                        names.append(tf.get_variable('w', []).op.name)
        self.assertEqual(names, ['block/layer/w', 'block/layer_1/w', 'block_1/layer/w',
                                 'block_1/layer_1/w'])

    def test_a_scope_that_raises_is_closed(self):
        with self.assertRaises(KeyError), tf.variable_scope('a', reuse=True):
            raise KeyError
        self.assertEqual(tf.get_variable_scope().name, '')
        self.assertFalse(tf.get_variable_scope().reuse)
        self.assertEqual(tf.no_op().name, 'NoOp')

    def test_templates_share(self):
        template = tf.make_template('t', lambda x: x * tf.get_variable('w', []))
        template(1.)
        template(2.)
        self.assertEqual([v.name for v in tf.global_variables()], ['t/w:0'])

    def test_a_template_that_makes_variables_again(self):
        template = tf.make_template('t', lambda: tf.Variable(1.))
        template()
        with self.assertRaisesRegex(ValueError, 'when calling a template after the first'):
            template()


class TemporaryVariablesTest(unittest.TestCase):

    def test_a_name_is_taken_until_the_variable_is_destroyed(self):
        def temporary():
            ref = tf.raw_ops.TemporaryVariable(shape=[], dtype=tf.float32, var_name='t')
            return tf.assign(ref, 1.0)

        def destroy(ref):
            return tf.raw_ops.DestroyTemporaryVariable(ref=ref, var_name='t')

        with tf.Graph().as_default(), tf.Session() as sess:
            first = temporary()
            last = destroy(first)
            with tf.control_dependencies([last]):
                again = destroy(temporary())
            for _ in range(2):  # each run has variables of its own
                self.assertEqual(sess.run([last, again]), [1.0, 1.0])
                self.assertEqual(sess.run(first), 1.0)
            with self.assertRaisesRegex(tf.errors.AlreadyExistsError, 'Resource t already exists'):
                sess.run([first, temporary()])
            with self.assertRaisesRegex(tf.errors.NotFoundError, 'Resource t does not exist'):
                sess.run([last, destroy(first)])


if __name__ == '__main__':
    unittest.main()
