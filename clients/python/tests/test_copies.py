"""copy.copy, copy.deepcopy and pickle of public objects."""

import collections
import copy
import os
import pickle
import unittest

import ramet
import ramet.compat.v1 as tf


class CopiesTest(unittest.TestCase):
    def setUp(self):
        self.context = tf.Graph().as_default()
        self.context.__enter__()
        self.addCleanup(self.context.__exit__, None, None, None)

    def test_values_are_copied(self):
        values = [
            tf.TensorShape([1, None]), tf.TensorShape(None), tf.Dimension(3), tf.float32,
            tf.bfloat16, tf.float32._as_ref, tf.resource, tf.nn.rnn_cell.LSTMStateTuple(1, 2),
            tf.ConfigProto(allow_soft_placement=True), tf.RunOptions(),
            tf.get_default_graph().as_graph_def(),
            tf.SparseTensorValue([[0]], [1.0], [2]), tf.DeviceSpec(job='a'),
            tf.UnconnectedGradients.NONE]
        for value in values:
            for made in (copy.copy(value), copy.deepcopy(value),
                         pickle.loads(pickle.dumps(value))):
                self.assertIs(type(made), type(value))
                self.assertTrue(made == value, value)

    def test_functions_of_ops_are_their_own_copies(self):
        for function in (tf.nn.relu, tf.raw_ops.MatMul, tf.exp, tf.nn.softmax, tf.raw_ops.Sum, tf.nn.conv3d):
            for made in (copy.copy(function), copy.deepcopy({'activation': function})['activation'],
                         pickle.loads(pickle.dumps(function))):
                self.assertIs(made, function)

    def test_errors_keep_what_they_say(self):
        error = tf.errors.NotFoundError(None, None, 'gone')
        for made in (copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
            self.assertIs(type(made), tf.errors.NotFoundError)
            self.assertEqual((made.message, made.error_code), ('gone', tf.errors.NOT_FOUND))

    def test_what_belongs_to_a_graph_or_process_says_so(self):
        x = tf.placeholder(tf.float32, [2], name='x')
        session = tf.Session()
        variables = [tf.Variable(1.0), tf.Variable(1.0, use_resource=True)]
        session.run(tf.global_variables_initializer())
        with ramet.Publisher(session, f'shm:copies-{os.getpid()}') as publisher:
            objects = [
                x, x.op, x.graph, session, *variables, tf.train.Saver(variables), publisher,
                tf.get_variable('p', [4], partitioner=tf.fixed_size_partitioner(2)),
                ramet.clone(inputs=x, outputs=tf.identity(x)),
                tf.nn.rnn_cell.LSTMStateTuple(variables[0], variables[0])]
            for value in objects:
                kind = type(value[0] if isinstance(value, tuple) else value).__name__
                for make in (copy.deepcopy, pickle.dumps):
                    with self.assertRaisesRegex(TypeError, f"cannot pickle '{kind}' object"):
                        make(value)

    def test_shallow_copies(self):
        x = tf.constant([1.0])
        resource = tf.Variable(1.0, use_resource=True)
        for value in (x, x.op, resource):
            self.assertIs(copy.copy(value), value)
        saver = tf.train.Saver([resource])
        self.assertIs(type(copy.copy(saver)), tf.train.Saver)
        self.assertEqual(copy.copy(saver).saver_def, saver.saver_def)

    def test_layers_that_are_not_built(self):
        cell = tf.nn.rnn_cell.BasicLSTMCell(3)
        self.assertEqual(copy.deepcopy(cell).state_size, cell.state_size)

    def test_structures_of_layers(self):
        class Names(dict):
            pass

        x = tf.ones([2, 3])
        layer = tf.layers.Dense(3)
        layer(x)
        layer.states = [
            tf.nn.rnn_cell.LSTMStateTuple(x, x), collections.OrderedDict(a=x), Names(a=[x]), frozenset([x]),
            tf.SparseTensor([[0]], [1.0], [2]), tf.get_variable('q', [4], partitioner=tf.fixed_size_partitioner(2))]
        made = copy.deepcopy(layer)
        self.assertIs(made.kernel, layer.kernel)
        self.assertIsNot(made.states, layer.states)
        for copied, original in zip(made.states, layer.states, strict=True):
            self.assertIs(type(copied), type(original))
        self.assertIs(made.states[0].c, x)
        self.assertIs(made.states[1]['a'], x)
        self.assertIs(made.states[2]['a'][0], x)
        self.assertIs(next(iter(made.states[3])), x)
        self.assertIs(made.states[4], layer.states[4])
        self.assertIs(made.states[5], layer.states[5])

    def test_copies_of_layers_track_their_own_lists(self):
        layer = tf.layers.Dense(3)
        layer.parts = []
        made = copy.deepcopy(layer)
        made.parts.append(tf.layers.Dense(2))
        made.parts[0](tf.ones([2, 3]))
        self.assertEqual(len(made.weights), 2)
        self.assertEqual(layer.weights, [])


if __name__ == '__main__':
    unittest.main()
