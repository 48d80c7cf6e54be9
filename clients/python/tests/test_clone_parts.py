"""ramet.clone: loops, branches, functions, tables, gradients and objects of the program."""

import collections
import contextlib
import itertools
import os
import tempfile
import unittest

import numpy as np

import ramet
import ramet.compat.v1 as tf
from ramet.framework import collections_lib
from ramet.ops.functions.function import Defun


class GraphTest(unittest.TestCase):
    def setUp(self):
        self.graph = tf.Graph()
        entered = self.graph.as_default()
        entered.__enter__()
        self.addCleanup(entered.__exit__, None, None, None)

    def value(self, fetch, feeds=None, init=True):
        with tf.Session() as session:
            if init:
                session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            return session.run(fetch, feeds)


class ControlFlowTest(GraphTest):
    def power(self, x, w):
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w), [0, x])[1]

    def test_a_loop_and_its_gradient(self):
        x = tf.placeholder(tf.float32, [], name='x')
        w = tf.get_variable('w', initializer=2.0)
        y = self.power(x, w)
        original = tf.gradients(y, [x, w])
        net = ramet.clone(inputs=x, outputs=y, initial='current')
        copies = [net.transformed(x), net.variables[w]]
        made = tf.gradients(net.transformed(y), copies)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(net.variables[w].assign(3.0))
            self.assertEqual(session.run([y, net.transformed(y)], {x: 1, net.transformed(x): 1}),
                             [8, 27])
            self.assertEqual(session.run(made, {net.transformed(x): 1}), [27, 27])
            self.assertEqual(session.run(original, {x: 1}), [8, 12])
        self.assertEqual(tf.gradients(net.transformed(y), [x, w]), [None, None])

    def test_the_gradients_of_a_loop_are_cloned(self):
        x = tf.placeholder(tf.float32, [], name='x')
        w = tf.get_variable('w', initializer=2.0)
        gradient, = tf.gradients(self.power(x, w), w)
        for net in (ramet.clone(inputs=x, outputs=gradient), ramet.clone()):
            with tf.Session() as session:
                session.run(net.init_op)
                self.assertEqual(
                    session.run(net.transformed(gradient), {net.transformed(x): 1}), 12)

    def test_a_branch_and_its_gradient(self):
        x = tf.placeholder(tf.float32, [], name='x')
        w = tf.get_variable('w', initializer=2.0)
        y = tf.cond(x > 0, lambda: x * w, lambda: self.power(x, w))
        net = ramet.clone(inputs=x, outputs=y)
        made, = tf.gradients(net.transformed(y), net.variables[w])
        for at, of_w in ((2., 2.), (-2., -24.)):
            self.assertEqual(self.value(made, {net.transformed(x): at}), of_w)

    def test_a_branch_that_only_passes_values_on(self):
        x = tf.placeholder(tf.float32, [], name='x')
        w = tf.get_variable('w', initializer=2.0, use_resource=True)
        y = tf.cond(x > 0, lambda: x * w, lambda: x + w)
        net = ramet.clone(inputs=x, outputs=y)
        self.assertEqual([c.name for c in tf.get_collection('cond_context')][2:],
                         ['copy/cond/cond_text', 'copy/cond/cond_text_1'])
        made, = tf.gradients(net.transformed(y), net.variables[w])
        self.assertEqual(self.value(made, {net.transformed(x): 3.}), 3)

    def test_contexts_know_the_copies(self):
        x = tf.placeholder(tf.float32, [], name='x')
        y = self.power(x, tf.constant(2.))
        net = ramet.clone(inputs=x, outputs=y)
        body = next(op for op in net.ops if op.type == 'Mul')
        copy = net.ops[body]._get_control_flow_context()
        self.assertEqual(copy.name, 'copy/while/while_context')
        self.assertEqual(body._get_control_flow_context().name, 'while/while_context')
        self.assertFalse(self.graph.is_fetchable(net.ops[body]))
        self.assertEqual([c.name for c in tf.get_collection('while_context')],
                         ['while/while_context', 'copy/while/while_context'])
        self.assertEqual(self.value(net.transformed(y), {net.transformed(x): 1}), 8)

    def test_tensor_arrays(self):
        x = tf.placeholder(tf.float32, [3], name='x')
        y = tf.map_fn(lambda e: e * e, x)
        net = ramet.clone(inputs=x, outputs=y)
        made, = tf.gradients(net.transformed(y), net.transformed(x))
        feeds = {net.transformed(x): [1, 2, 3]}
        self.assertEqual(self.value(net.transformed(y), feeds).tolist(), [1, 4, 9])
        self.assertEqual(self.value(made, feeds).tolist(), [2, 4, 6])


class StateTest(GraphTest):
    def test_a_bare_graph_def(self):
        with tf.Graph().as_default() as built:
            x = tf.placeholder(tf.float32, [2], name='x')
            for kind in (False, True):
                x = x * tf.get_variable(f'w{kind}', initializer=[2., 3.], use_resource=kind)
            tf.identity(x, name='y')
        tf.import_graph_def(built.as_graph_def(), name='')
        self.assertEqual(tf.global_variables(), [])
        net = ramet.clone(inputs='x', outputs='y')
        self.assertEqual([t.op.name for t in net.variables], ['wFalse', 'wTrue'])
        self.assertEqual(tf.global_variables(), list(net.variables.values()))
        with tf.variable_scope('copy', reuse=True):
            self.assertIn(tf.get_variable('wTrue', [2], use_resource=True), tf.global_variables())
        asked = []
        ramet.clone(outputs='y', variables=lambda v: asked.append(v) or 'own')
        self.assertEqual([op.name for op in asked[:2]], ['wFalse', 'wTrue'])
        with tf.Session() as session:
            session.run(net.init_op)
            y = session.run(net.transformed('y:0'), {net.transformed('x:0'): [1, 1]})
            self.assertEqual(y.tolist(), [4, 9])
            session.run(tf.train.GradientDescentOptimizer(0.1).minimize(
                tf.reduce_sum(net.transformed('y:0')),
                var_list=tf.global_variables()[:2]), {net.transformed('x:0'): [1, 1]})

    def test_tables_are_own_or_shared(self):
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(['a', 'b'], tf.constant([1, 2], tf.int64)), -1)
        mutable = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name='mutable')
        keys = tf.placeholder(tf.string, [None])
        found = table.lookup(keys) + mutable.lookup(keys)
        net = ramet.clone(inputs=keys, outputs=found)
        shared = ramet.clone(inputs=keys, outputs=found, resources='shared')
        copy = net.transformed(mutable)
        self.assertIsNot(copy, mutable)
        self.assertTrue(copy.resource_handle.op.name.startswith('copy/'))
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            session.run(copy.insert(['b'], tf.constant([40], tf.int64)))
            values = [session.run(y, {k: ['a', 'b', 'c']}).tolist() for k, y in (
                (keys, found), (net.transformed(keys), net.transformed(found)),
                (shared.transformed(keys), shared.transformed(found)))]
        self.assertEqual(values, [[0, 1, -2], [0, 42, -2], [0, 1, -2]])

    def words(self):
        """Returns a static table, a mutable table, and the results of looking a vector of keys up in both."""
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(['a', 'b'], tf.constant([1, 2], tf.int64)), -1)
        mutable = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name='mutable')
        keys = tf.placeholder(tf.string, [None])
        return table, mutable, keys, tf.stack([table.lookup(keys), mutable.lookup(keys)])

    def test_init_op_fills_tables(self):
        table, mutable, keys, found = self.words()
        for into in (None, tf.Graph()):
            net = ramet.clone(inputs=keys, outputs=found, into=into)
            with tf.Session(graph=net.graph) as session:
                session.run(net.init_op)
                session.run(net.init_op)
                values = session.run(net.transformed(found), {net.transformed(keys): ['b', 'c']})
            self.assertEqual(values.tolist(), [[2, -1], [-1, -1]])

    def test_current_copies_the_content_of_tables(self):
        table, mutable, keys, found = self.words()
        with tf.Session() as session:
            session.run(tf.tables_initializer())
            session.run(mutable.insert(['b'], tf.constant([40], tf.int64)))
            for into in (None, tf.Graph()):
                net = ramet.clone(inputs=keys, outputs=found, into=into, initial='current',
                                  session=session if into else None)
                with contextlib.ExitStack() as stack:
                    own = stack.enter_context(tf.Session(graph=into)) if into else session
                    own.run(net.init_op)
                    own.run(net.transformed(mutable).insert(['a'], tf.constant([7], tf.int64))
                            if into is None else tf.no_op())
                    y, x = net.transformed(found), net.transformed(keys)
                    values = own.run(y, {x: ['a', 'b', 'c']}).tolist()
                self.assertEqual(values, [[1, 2, -1], [-1 if into else 7, 40, -1]])
            # The original has not changed.
            self.assertEqual(session.run(mutable.size()), 1)

    def test_current_leaves_what_has_no_value_alone(self):
        for use_resource in (False, True):
            for into in (None, tf.Graph()):
                with tf.Graph().as_default(), tf.Session() as session:
                    table, _, keys, found = self.words()
                    v = tf.get_variable('v', [], use_resource=use_resource)
                    w = tf.get_variable('w', initializer=2.0, use_resource=use_resource)
                    session.run(w.initializer)
                    net = ramet.clone(outputs=[v.op, w.op, found], into=into, initial='current',
                                      session=session if into else None)
                    with tf.Session(graph=net.graph) as other:
                        own = other if into else session
                        own.run(net.init_op)
                        copies = [net.transformed(x) for x in (v, w)]
                        self.assertEqual(own.run(copies[1]), 2)
                        with self.assertRaises(tf.errors.FailedPreconditionError):
                            own.run(copies[0])
                        with self.assertRaises(tf.errors.FailedPreconditionError):
                            own.run(net.transformed(found), {net.transformed(keys): ['a']})

    def test_what_waits_for_init_op_runs(self):
        v = tf.get_variable('v', [])
        net = ramet.clone(outputs=v.op, initial='current')
        with tf.control_dependencies([net.init_op]):
            after = tf.constant(3)
        with tf.Session() as session:
            self.assertEqual(session.run(after), 3)

    def test_a_clone_of_a_loaded_saved_model_has_its_vocabulary(self):
        with tempfile.TemporaryDirectory() as folder:
            file, model = os.path.join(folder, 'words'), os.path.join(folder, 'model')
            with open(file, 'w', encoding='utf-8') as words:
                words.write('x\ny\n')
            with tf.Graph().as_default(), tf.Session() as session:
                table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
                    file, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                    tf.lookup.TextFileIndex.LINE_NUMBER), -1)
                keys = tf.placeholder(tf.string, [None], name='keys')
                offset = tf.get_variable('offset', initializer=tf.constant(10, tf.int64))
                tf.add(table.lookup(keys), offset, name='ids')
                session.run(tf.global_variables_initializer())
                builder = tf.saved_model.builder.SavedModelBuilder(model)
                builder.add_meta_graph_and_variables(
                    session, ['serve'], main_op=tf.tables_initializer(),
                    assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS))
                builder.save()
            os.remove(file)
            for into, initial in itertools.product((False, True), ('current', 'initializer')):
                into = tf.Graph() if into else None
                with tf.Graph().as_default(), tf.Session() as session:
                    tf.saved_model.load(session, ['serve'], model)
                    net = ramet.clone(inputs='keys:0', outputs='ids:0', into=into,
                                      initial=initial, session=session if into else None)
                    with tf.Session(graph=net.graph) as other:
                        own = other if into else session
                        own.run(net.init_op)
                        ids = own.run(net.transformed('ids:0'),
                                      {net.transformed('keys:0'): ['y', 'z']})
                    self.assertEqual(ids.tolist(), [11, 9])

    def test_current_copies_dense_tables(self):
        table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, [0., 0.], 0, -1, 4, 't')
        keys = tf.placeholder(tf.int64, [None])
        found = table.lookup(keys)
        with tf.Session() as session:
            session.run(table.insert(np.int64([5, 9, 13, 7]), np.ones((4, 2), np.float32)))
            for into in (None, tf.Graph()):
                net = ramet.clone(inputs=keys, outputs=found, into=into, initial='current',
                                  session=session if into else None)
                with tf.Session(graph=net.graph) if into else contextlib.nullcontext(session) as reader:
                    reader.run(net.init_op)
                    copy = net.transformed(table)
                    values, size = reader.run([net.transformed(found), copy.size()],
                                              {net.transformed(keys): [13, 6]})
                self.assertEqual((values.tolist(), size), ([[1, 1], [0, 0]], 4))

    def test_a_mutable_table_is_saved_with_the_clone(self):
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name='t',
                                                   checkpoint=True)
        keys = tf.placeholder(tf.string, [None])
        found = table.lookup(keys)
        for given in (dict(inputs=keys, outputs=found, dst_scope='a'), dict(dst_scope='b')):
            net = ramet.clone(**given)
            saveable = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)[-1]
            self.assertTrue(saveable.name.startswith(net.scope + '/'), saveable.name)
            self.assertTrue(saveable.op.resource_handle.op.name.startswith(net.scope + '/'))
            self.assertEqual({s.name for s in saveable.specs},
                             {saveable.name + '-keys', saveable.name + '-values'})
        saveables = tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)
        self.assertEqual([s.name for s in saveables], ['t', 'a/t', 'b/t', 'b/a/t'])
        self.assertEqual(saveables[2].op.resource_handle, net.transformed(table.resource_handle))
        tf.train.Saver()


class GradientsTest(GraphTest):
    def test_a_custom_gradient_holds_on_to_the_copies(self):
        @tf.custom_gradient
        def square(x):
            y = x * x
            return y, lambda dy: dy * (y + 100 * x)

        x = tf.placeholder(tf.float32, [], name='x')
        y = square(x)
        first = ramet.clone(inputs=x, outputs=y)
        second = ramet.clone(inputs=first.transformed(x), outputs=first.transformed(y))
        into = tf.Graph()
        other = ramet.clone(inputs=x, outputs=y, into=into)
        for graph, a, b in (
                (self.graph, x, y), (self.graph, first.transformed(x), first.transformed(y)),
                (self.graph, second.transformed(first.transformed(x)),
                 second.transformed(first.transformed(y))),
                (into, other.transformed(x), other.transformed(y))):
            with graph.as_default(), tf.Session() as session:
                gradient, = tf.gradients(b, a)
                self.assertEqual(session.run(gradient, {a: 2.0}), 204, a.name)

    def test_variables_of_a_custom_gradient(self):
        @tf.custom_gradient
        def scaled(x):
            w = tf.get_variable('w', initializer=3.0, use_resource=True)

            def grad(dy, variables=None):
                return dy * w, [dy * x * v for v in variables]

            return x * w, grad

        x = tf.placeholder(tf.float32, [], name='x')
        y = scaled(x)
        for net in (ramet.clone(inputs=x, outputs=y),
                    ramet.clone(inputs=x, outputs=y, into=tf.Graph())):
            w, = net.variables.values()
            with net.graph.as_default(), tf.Session() as session:
                gradients = tf.gradients(net.transformed(y), [net.transformed(x), w])
                session.run(w.assign(5.0).op)
                self.assertEqual(session.run(gradients, {net.transformed(x): 2.0}), [5, 10])

    def test_overridden_gradients(self):
        @tf.RegisterGradient('TestCloneTwice')
        def _(op, dy):
            return 2 * dy * op.inputs[0]

        x = tf.placeholder(tf.float32, [])
        with self.graph.gradient_override_map({'Identity': 'TestCloneTwice'}):
            y = tf.identity(x)
        net = ramet.clone(inputs=x, outputs=y)
        gradient, = tf.gradients(net.transformed(y), net.transformed(x))
        self.assertEqual(self.value(gradient, {net.transformed(x): 4.0}), 8)

    def test_functions_with_gradients(self):
        @Defun(tf.float32, tf.float32)
        def backward(x, dy):
            return dy * x * 10.0

        @Defun(tf.float32, grad_func=backward)
        def forward(x):
            return x * x

        x = tf.placeholder(tf.float32, [])
        y = forward(x)
        y.set_shape([])
        into = tf.Graph()
        for net in (ramet.clone(inputs=x, outputs=y),
                    ramet.clone(inputs=x, outputs=y, into=into)):
            with net.graph.as_default(), tf.Session() as session:
                again = forward(net.transformed(x))
                gradient, = tf.gradients(net.transformed(y), net.transformed(x))
                self.assertEqual(session.run([net.transformed(y), gradient, again],
                                             {net.transformed(x): 3.0}), [9, 30, 9])

    def test_optimizers_move_the_clone_alone(self):
        for use_resource in (False, True):
            for make in (lambda: tf.train.GradientDescentOptimizer(0.1),
                         lambda: tf.train.AdamOptimizer(0.1),
                         lambda: tf.train.MomentumOptimizer(0.1, 0.9),
                         lambda: tf.train.AdagradOptimizer(0.1),
                         lambda: tf.train.RMSPropOptimizer(0.1)):
                with tf.Graph().as_default():
                    x = tf.placeholder(tf.float32, [2])
                    w = tf.get_variable('w', initializer=[1., 2.], use_resource=use_resource)
                    loss = tf.reduce_sum(tf.square(w * x))
                    theirs = make().minimize(loss)
                    net = ramet.clone(inputs=x, outputs=loss)
                    step = make().minimize(net.transformed(loss), var_list=[net.variables[w]])
                    with tf.Session() as session:
                        session.run(tf.global_variables_initializer())
                        session.run(step, {net.transformed(x): [1, 1]})
                        self.assertEqual(session.run(w).tolist(), [1, 2])
                        session.run(theirs, {x: [1, 1]})
                        np.testing.assert_array_equal(session.run(w),
                                                      session.run(net.variables[w]))

    def test_py_func_runs_in_another_graph(self):
        into = tf.Graph()

        def clone():
            with tf.Graph().as_default():
                x = tf.placeholder(tf.float32, [], name='x')
                y = tf.py_func(lambda v: v + np.float32(1), [x], tf.float32)
                return ramet.clone(inputs=x, outputs=y, into=into, dst_scope='').transformed(y).name

        name = clone()
        with tf.Session(graph=into) as session:
            self.assertEqual(session.run(name, {'x:0': 1}), 2)


class Layer:
    """An object of a program that holds parts of the graph."""

    def __init__(self, kernel, out):
        self.kernel = kernel
        self.tensors = {'out': out, 'list': [out, 3]}
        self.owner = self
        self.op_name = out.op.name


class ObjectsTest(GraphTest):
    def setUp(self):
        super().setUp()
        self.x = tf.placeholder(tf.float32, [2], name='x')
        self.w = tf.get_variable('w', initializer=[1., 2.])
        self.y = tf.multiply(self.x, self.w, name='y')

    def test_own_objects_in_collections(self):
        pair = collections.namedtuple('pair', 'a b')
        sparse = tf.SparseTensor(tf.zeros([2, 1], tf.int64), self.y, tf.constant([2], tf.int64))
        for item in (Layer(self.w, self.y), [self.y, 'text'], pair(self.w, self.y), sparse,
                     'text', 3, Layer(None, tf.constant(1)), tf.IndexedSlices(self.y, self.x)):
            tf.add_to_collection('mine', item)
        tf.add_to_collection(('any', 'key'), self.y)
        net = ramet.clone(outputs=[self.y, sparse.indices, sparse.dense_shape])
        layer, items, both, sparse_copy, slices = tf.get_collection('mine')[8:]
        self.assertIsInstance(layer, Layer)
        self.assertIs(layer.kernel, net.variables[self.w])
        y = net.transformed(self.y)
        self.assertEqual(layer.tensors, {'out': y, 'list': [y, 3]})
        self.assertEqual(layer.op_name, 'copy/y')
        self.assertEqual((items, both), ([y, 'text'], pair(net.variables[self.w], y)))
        self.assertIs(sparse_copy.values, y)
        self.assertEqual(sparse_copy.indices.name, 'copy/' + sparse.indices.name)
        self.assertIs(slices.values, y)
        self.assertEqual(tf.get_collection(('any', 'key')), [self.y, y])

    def test_objects_are_transformed(self):
        net = ramet.clone(outputs=self.y)
        layer = Layer(self.w, self.y)
        copy = net.transformed(layer)
        self.assertIs(copy.kernel, net.variables[self.w])
        self.assertIs(layer.kernel, self.w)
        self.assertIsNone(net.transformed(Layer(None, tf.constant(1))))

    def test_objects_with_messages(self):
        from ramet.core.framework import variable_pb2

        class Named:
            def __init__(self, name):
                self.name = name

        collections_lib.register_proto_function(
            'test_clone_named', variable_pb2.VariableDef,
            lambda item, export_scope=None: variable_pb2.VariableDef(
                variable_name=item.name, initializer_name='unknown'),
            lambda message, import_scope=None: Named(message.variable_name))
        self.addCleanup(collections_lib._proto_functions.pop, 'test_clone_named')
        tf.add_to_collection('test_clone_named', Named('y:0'))
        tf.add_to_collection('test_clone_named', Named('elsewhere:0'))
        ramet.clone(outputs=self.y)
        self.assertEqual([item.name for item in tf.get_collection('test_clone_named')],
                         ['y:0', 'elsewhere:0', 'copy/y:0'])

    def test_into_another_graph(self):
        tf.add_to_collection('mine', Layer(self.w, self.y))
        tf.add_to_collection(('any', 'key'), self.y)
        into = tf.Graph()
        net = ramet.clone(outputs=self.y, into=into)
        layer, = into.get_collection('mine')
        self.assertIs(layer.kernel, net.variables[self.w])
        self.assertEqual(into.get_collection(('any', 'key')), [net.transformed(self.y)])

    def test_what_is_shared_is_not_listed_twice(self):
        tf.add_to_collection('mine', Layer(self.w, tf.constant(1)))
        ramet.clone(outputs=self.y, variables='shared')
        self.assertEqual(len(tf.get_collection('mine')), 1)
        self.assertEqual(tf.global_variables(), [self.w])

    def test_a_running_session_sees_the_clone(self):
        with tf.Session() as session:
            session.run(self.w.initializer)
            session.run(self.y, {self.x: [1, 1]})
            net = ramet.clone(inputs=self.x, outputs=self.y, initial='current')
            session.run(net.init_op)
            self.assertEqual(session.run(net.transformed(self.y),
                                         {net.transformed(self.x): [1, 1]}).tolist(), [1, 2])

    def test_saved_model_of_a_clone(self):
        import tempfile
        net = ramet.clone(inputs=self.x, outputs=self.y)
        with tempfile.TemporaryDirectory() as folder, tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.saved_model.simple_save(session, folder + '/m', {'x': net.transformed(self.x)},
                                       {'y': net.transformed(self.y)})
            with ramet.load(folder + '/m') as model:
                self.assertEqual(model('y', x=[1, 1]).tolist(), [1, 2])


if __name__ == '__main__':
    unittest.main()
