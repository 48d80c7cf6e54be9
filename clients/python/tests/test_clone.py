"""ramet.clone: networks copied with their own variables."""

import os
import tempfile
import unittest

import numpy as np

import ramet
import ramet.compat.v1 as tf

BATCH = np.linspace(-1, 1, 12, dtype='f').reshape(4, 3)


def names(items):
    return [item.name for item in items]


class NetTest(unittest.TestCase):
    """x -> a dense layer, a partitioned and a resource variable -> q, with Adam on a loss."""

    def setUp(self):
        self.graph = tf.Graph()
        entered = self.graph.as_default()
        entered.__enter__()
        self.addCleanup(entered.__exit__, None, None, None)
        tf.set_random_seed(1)
        self.x = tf.placeholder(tf.float32, [None, 3], name='x')
        with tf.variable_scope('net'):
            hidden = tf.layers.dense(self.x, 4, tf.nn.relu)
            self.w = tf.get_variable('w', [4, 2])
            self.p = tf.get_variable('p', [4, 2], partitioner=tf.fixed_size_partitioner(2))
            self.r = tf.get_variable('r', [2], use_resource=True,
                                     initializer=tf.ones_initializer())
            self.q = tf.add(tf.matmul(hidden, self.w + self.p), self.r, name='q')
        self.loss = tf.reduce_mean(tf.square(self.q), name='loss')
        self.step = tf.train.AdamOptimizer(0.1).minimize(self.loss)
        self.init = tf.global_variables_initializer()
        self.originals = tf.trainable_variables()

    def session(self):
        session = tf.Session()
        self.addCleanup(session.close)
        session.run(self.init)
        return session

    def both(self, session, net):
        """Returns the outputs of the original and of its clone for the same batch."""
        x = net.transformed(self.x)
        return session.run([self.q, net.transformed(self.q)], {self.x: BATCH, x: BATCH})


class CloneTest(NetTest):
    def test_starts_from_current_values_and_goes_its_own_way(self):
        net = ramet.clone(inputs=self.x, outputs=self.q, dst_scope='target', initial='current')
        loss = tf.reduce_sum(tf.square(net.transformed(self.q) - 1))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(
            loss, var_list=list(net.variables.values()))
        session = self.session()
        session.run(net.init_op)
        original, first = self.both(session, net)
        np.testing.assert_array_equal(original, first)

        session.run(self.step, {self.x: BATCH})
        moved, copy = self.both(session, net)
        self.assertFalse(np.array_equal(moved, original))
        np.testing.assert_array_equal(copy, first)

        before = session.run(self.originals)
        session.run(train, {net.transformed(self.x): BATCH})
        for old, new in zip(before, session.run(self.originals), strict=True):
            np.testing.assert_array_equal(old, new)
        moved, copy = self.both(session, net)
        self.assertFalse(np.array_equal(copy, first))

        session.run(net.update_op)
        np.testing.assert_array_equal(*self.both(session, net))

    def test_without_arguments_about_it_the_clone_starts_as_the_original_did(self):
        net = ramet.clone(inputs=self.x, outputs=self.q)
        session = tf.Session()
        with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'copy/'):
            session.run(net.transformed(self.q), {net.transformed(self.x): BATCH})
        session.run(net.init_op)
        session.run(net.transformed(self.q), {net.transformed(self.x): BATCH})
        self.assertEqual(session.run(net.variables[self.r]).tolist(), [1, 1])
        missing = {name.decode() for name in session.run(tf.report_uninitialized_variables())}
        self.assertFalse([name for name in missing if name.startswith('copy/')])
        self.assertIn('net/w', missing)

    def test_polyak(self):
        net = ramet.clone(inputs=self.x, outputs=self.q, initial='current')
        follow = net.polyak_op(0.25)
        session = self.session()
        session.run(net.init_op)
        old = session.run(self.w)
        session.run(self.step, {self.x: BATCH})
        new = session.run(self.w)
        session.run(follow)
        np.testing.assert_allclose(session.run(net.variables[self.w]), 0.25 * new + 0.75 * old,
                                   rtol=1e-6)
        with self.assertRaisesRegex(ValueError, "could not convert string to float: 'x'"):
            net.polyak_op('x')
        for tau in (-0.1, 1.5, float('nan')):
            with self.assertRaisesRegex(ValueError, r'clone: tau: .* is not in \[0, 1\]'):
                net.polyak_op(tau)

    def test_what_is_what(self):
        net = ramet.clone(inputs=self.x, outputs=self.q, dst_scope='t')
        self.assertEqual((net.scope, net.source, net.graph), ('t', self.graph, self.graph))
        self.assertEqual(net.transformed(self.q).name, 't/net/q:0')
        self.assertIs(net.transformed('net/q:0'), net.transformed(self.q))
        self.assertIs(net.transformed('net/q'), net.transformed(self.q.op))
        self.assertIs(net.transformed(self.w), net.variables[self.w])
        self.assertEqual(names(net.transformed({'a': [self.x, self.q]})['a']),
                         ['t/x:0', 't/net/q:0'])
        self.assertIsNone(net.transformed(self.loss))
        self.assertIsNone(net.transformed(self.step))
        with self.assertRaisesRegex(KeyError, "'net/qq'"):
            net.transformed('net/qq')
        with self.assertRaisesRegex(TypeError, 'a Tensor, Operation, Variable, a name'):
            net.transformed(3)
        self.assertEqual(names(net.variables), names(self.originals))
        self.assertEqual(names(net.variables.values()), ['t/' + n for n in names(self.originals)])
        self.assertEqual(net.ops[self.q.op].name, 't/net/q')
        self.assertNotIn(self.loss.op, net.ops)
        self.assertEqual(net.tensors[self.x].name, 't/x:0')
        self.assertEqual([op.name for op in net.ops.values()], ['t/' + op.name for op in net.ops])
        self.assertEqual(len(net.ops), len(list(net.ops)))
        self.assertEqual(repr(net), f"<ramet.Clone 't': {len(net.ops)} operations, 5 variables>"
                         .replace('5', str(len(net.variables))))

    def test_partitioned_variables(self):
        net = ramet.clone(outputs=self.q)
        copy = net.transformed(self.p)
        self.assertEqual((copy.name, copy.shape.as_list(), copy._get_partitions()),
                         ('copy/net/p', [4, 2], [2, 1]))
        self.assertEqual([net.variables[part] for part in self.p], list(copy))
        self.assertEqual([v._save_slice_info.spec for v in copy], ['4 2 0,2:0,2', '4 2 2,2:0,2'])

    def test_get_variable_finds_the_copies(self):
        net = ramet.clone(inputs=self.x, outputs=self.q, dst_scope='copy')
        with tf.variable_scope('copy', reuse=True), tf.variable_scope('net'):
            self.assertIs(tf.get_variable('w', [4, 2]), net.variables[self.w])
            self.assertIs(tf.get_variable('r', use_resource=True), net.variables[self.r])
            whole = tf.get_variable('p', [4, 2], partitioner=tf.fixed_size_partitioner(2))
            self.assertEqual(list(whole), list(net.transformed(self.p)))
            layer = tf.layers.dense(self.x, 4, tf.nn.relu)
        self.assertIn(net.variables[self.originals[0]].value().op.name,
                      [op.name for op in _needs(layer.op)])
        with tf.variable_scope(None, default_name='copy') as scope:
            self.assertEqual(scope.name, 'copy_1')
        with self.assertRaisesRegex(ValueError, 'Variable copy/net/w already exists'), \
                tf.variable_scope('copy/net'):
            tf.get_variable('w', [4, 2])

    def test_collections(self):
        for given, of_globals, of_trainables in (
                (True, 10, 10), (False, 5, 5), (['variables'], 10, 5), ('variables', 10, 5)):
            with tf.Graph().as_default():
                x = tf.placeholder(tf.float32, [5])
                for i in range(5):
                    x = x * tf.get_variable(f'w{i}', [5])
                tf.add_to_collection('mine', x)
                net = ramet.clone(outputs=x, collections=given)
                self.assertEqual(len(tf.global_variables()), of_globals)
                self.assertEqual(len(tf.trainable_variables()), of_trainables)
                mine = tf.get_collection('mine')
                self.assertEqual(mine, [x, net.transformed(x)] if given is True else [x])

    def test_shared_variables(self):
        def rule(variable):
            self.assertIsInstance(variable, tf.Variable)
            return 'shared' if variable is self.w else 'own'

        for given in (rule, {self.w: 'shared'}, {'net/w': 'shared'}, {'net/w:0': 'shared'}):
            net = ramet.clone(inputs=self.x, outputs=self.q, variables=given)
            self.assertNotIn(self.w, net.variables)
            self.assertIs(net.transformed(self.w), self.w)
            self.assertEqual(len(net.variables), len(self.originals) - 1)
        net = ramet.clone(inputs=self.x, outputs=self.q, variables='shared')
        self.assertEqual(net.variables, {})
        np.testing.assert_array_equal(*self.both(self.session(), net))
        net = ramet.clone(inputs=self.x, outputs=self.q, variables={self.p: 'shared'})
        self.assertIs(net.transformed(self.p), self.p)

    def test_input_map(self):
        doubled = self.x * 2
        net = ramet.clone(outputs=self.q, input_map={self.x: doubled}, initial='current')
        session = self.session()
        session.run(net.init_op)
        np.testing.assert_array_equal(
            session.run(net.transformed(self.q), {self.x: BATCH}),
            session.run(self.q, {self.x: BATCH * 2}))
        self.assertIs(net.transformed(self.x), doubled)
        hidden = self.graph.get_tensor_by_name('net/dense/Relu:0')
        net = ramet.clone(outputs='net/q:0', input_map={hidden: None})
        self.assertEqual(net.transformed(hidden).op.type, 'Placeholder')
        self.assertEqual(net.transformed(hidden).shape.as_list(), [None, 4])

    def test_input_map_asks_for_placeholders(self):
        hidden = self.graph.get_tensor_by_name('net/dense/Relu:0')
        for by, shape in ((None, [None, 4]), (tf.TensorShape([5, 4]), [5, 4])):
            net = ramet.clone(outputs=self.q, input_map={hidden: by, self.x: None})
            self.assertEqual(net.transformed(hidden).op.type, 'Placeholder')
            self.assertEqual(net.transformed(hidden).shape.as_list(), shape)
        with self.assertRaisesRegex(ValueError, 'input_map: a placeholder of shape'):
            ramet.clone(outputs=self.q, input_map={hidden: tf.TensorShape([5, 3])})

    def test_input_map_of_variables(self):
        other = tf.get_variable('other', [2], use_resource=True)
        for by in (other, tf.constant([3., 4.])):
            net = ramet.clone(outputs=self.q, input_map={self.r: by}, initial='current')
            self.assertEqual(len(net.variables), len(self.originals) - 1)
            self.assertNotIn(self.r, net.variables)
        session = self.session()
        session.run(net.init_op)
        original, copy = self.both(session, net)
        np.testing.assert_allclose(copy - original, np.tile([2, 3], [4, 1]), rtol=1e-5)

    def test_devices(self):
        with tf.device('/gpu:0'):
            y = tf.identity(self.q, name='y')

        def ask(op):
            self.assertIs(op.graph, self.graph)
            return tf.DeviceSpec(device_type='CPU') if op.name == 'y' else None

        for device, wanted in ((None, '/device:GPU:0'), ('/cpu:0', '/device:CPU:0'),
                               (tf.DeviceSpec(device_type='CPU'), '/device:CPU:*'),
                               ({'/gpu:0': '/cpu:0'}, '/device:CPU:0'),
                               ({'/device:GPU:0': '/gpu:1'}, '/device:GPU:1'),
                               ({'/gpu:1': '/cpu:0'}, '/device:GPU:0'),
                               (lambda op: '/job:ps' if op.type == 'Identity' else '', '/job:ps'),
                               (ask, '/device:CPU:*')):
            net = ramet.clone(inputs=self.q, outputs=y, device=device)
            self.assertEqual(net.transformed(y).device, wanted, device)

    def test_the_whole_graph(self):
        net = ramet.clone(initial='current')
        self.assertEqual(len(net.variables), len(tf.global_variables()) / 2)
        self.assertEqual(net.transformed(self.step).name, 'copy/Adam')
        session = self.session()
        session.run(net.init_op)
        x = net.transformed(self.x)
        for _ in range(3):
            session.run([self.step, net.transformed(self.step)], {self.x: BATCH, x: BATCH})
        np.testing.assert_array_equal(*self.both(session, net))

    def test_slots(self):
        plain = ramet.clone(inputs=self.x, outputs=self.q)
        with_slots = ramet.clone(inputs=self.x, outputs=self.q, slots=True)
        slots = {v.op.name for v in with_slots.variables} - {v.op.name for v in plain.variables}
        self.assertIn('net/w/Adam_1', slots)
        self.assertEqual(len(slots), 2 * len(self.originals))

    def test_just_operations_and_a_scope(self):
        net = ramet.clone(scope='net', dst_scope='other')
        self.assertEqual(net.transformed(self.q).name, 'other/q:0')
        self.assertEqual(net.transformed(self.q).op.type, 'AddV2')
        layer = self.graph.get_operation_by_name('net/dense/MatMul')
        self.assertIs(net.ops[layer].inputs[0], self.x)
        import ramet.graph_editor as ge
        view = ge.sgv(self.q.op, self.loss.op)
        for given in ([self.q.op, 'loss'], view):
            net = ramet.clone(ops=given, dst_scope='few')
            self.assertEqual(net.transformed(self.q).op.inputs[0], self.q.op.inputs[0])

    def test_name_scopes(self):
        self.assertEqual([ramet.clone(outputs=self.q).scope for _ in range(2)], ['copy', 'copy_1'])
        with tf.name_scope('outer'):
            self.assertEqual(ramet.clone(outputs=self.q).scope, 'outer/copy')
            self.assertEqual(ramet.clone(outputs=self.q, dst_scope='root/').scope, 'root')
            self.assertEqual(tf.identity(self.x, name='after').name, 'outer/after:0')

    def test_open_scopes_do_not_count(self):
        with tf.control_dependencies([self.step]), tf.device(lambda op: '/cpu:0'), \
                self.graph.gradient_override_map({'MatMul': 'Mine'}):
            net = ramet.clone(outputs=self.q)
        copy = net.transformed('net/dense/MatMul')
        self.assertEqual((copy.control_inputs, copy.device), ([], ''))
        self.assertNotIn('_gradient_op_type', copy._attr_names())

    def test_a_constraint_is_the_copys_too(self):
        v = tf.get_variable('v', initializer=[3., -4.], constraint=tf.nn.relu)
        copy = ramet.clone(outputs=v).variables[v]
        self.assertIs(copy.constraint, tf.nn.relu)

    def test_a_clone_of_a_clone(self):
        first = ramet.clone(inputs=self.x, outputs=self.q, initial='current')
        second = ramet.clone(inputs=first.transformed(self.x), outputs=first.transformed(self.q),
                             initial='current', dst_scope='again')
        session = self.session()
        session.run(first.init_op)
        session.run(second.init_op)
        y = second.transformed(first.transformed(self.q))
        self.assertEqual(y.name, 'again/copy/net/q:0')
        x = second.transformed(first.transformed(self.x))
        np.testing.assert_array_equal(session.run(y, {x: BATCH}),
                                      session.run(self.q, {self.x: BATCH}))
        self.assertEqual(len(second.variables), len(self.originals))


class FilesTest(NetTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = os.path.join(folder.name, 'model')

    def test_saver_map_loads_the_originals_checkpoint(self):
        session = self.session()
        session.run(self.step, {self.x: BATCH})
        tf.train.Saver().save(session, self.prefix)
        net = ramet.clone(inputs=self.x, outputs=self.q)
        self.assertEqual(list(net.saver_map['net/p']), list(net.transformed(self.p)))
        saver = tf.train.Saver(net.saver_map)
        saver.restore(session, self.prefix)
        np.testing.assert_array_equal(*self.both(session, net))

    def test_a_checkpoint_as_initial(self):
        session = self.session()
        tf.train.Saver().save(session, self.prefix)
        wanted = session.run(self.q, {self.x: BATCH})
        session.run(self.step, {self.x: BATCH})
        net = ramet.clone(inputs=self.x, outputs=self.q, initial=self.prefix)
        session.run(net.init_op)
        np.testing.assert_array_equal(self.both(session, net)[1], wanted)

    def test_a_clone_is_saved_exported_and_imported(self):
        net = ramet.clone(inputs=self.x, outputs=self.q, initial='current', dst_scope='target')
        session = self.session()
        session.run(net.init_op)
        wanted = session.run(self.q, {self.x: BATCH})
        tf.train.Saver().save(session, self.prefix)
        with tf.Graph().as_default() as graph, tf.Session() as other:
            tf.train.import_meta_graph(self.prefix + '.meta').restore(other, self.prefix)
            self.assertIn('target/net/w', [v.op.name for v in tf.trainable_variables()])
            np.testing.assert_array_equal(
                other.run('target/net/q:0', {'target/x:0': BATCH}), wanted)
            again = ramet.clone(inputs='target/x:0', outputs='target/net/q:0', initial='current')
            other.run(again.init_op)
            np.testing.assert_array_equal(
                other.run(again.transformed('target/net/q:0'),
                          {again.transformed('target/x:0'): BATCH}), wanted)
            with tf.variable_scope('copy/target/net', reuse=True):
                self.assertIs(tf.get_variable('w', [4, 2]), again.transformed(
                    next(v for v in again.variables if v.op.name == 'target/net/w')))
                whole = tf.get_variable('p', [4, 2], partitioner=tf.fixed_size_partitioner(2))
                self.assertEqual(len(list(whole)), 2)
            self.assertIs(again.source, graph)

    def test_savers_are_cloned_with_their_nodes(self):
        saver = tf.train.Saver([self.w, self.r])
        tf.add_to_collection('savers', saver)
        net = ramet.clone()
        copy = tf.get_collection('savers')[-1]
        self.assertIsNot(copy, saver)
        self.assertEqual(copy.saver_def.restore_op_name, 'copy/' + saver.saver_def.restore_op_name)
        session = self.session()
        session.run(net.init_op)
        copies = [net.variables[v] for v in (self.w, self.r)]
        before = session.run(copies)
        copy.save(session, self.prefix, write_meta_graph=False)
        self.assertEqual([name for name, _ in tf.train.list_variables(self.prefix)],
                         ['copy/net/r', 'copy/net/w'])
        session.run([v.assign(v * 2).op for v in copies])
        copy.restore(session, self.prefix)
        for a, b in zip(before, session.run(copies), strict=True):
            np.testing.assert_array_equal(a, b)


class DtypeTest(NetTest):
    def test_inside_another_dtype(self):
        session = self.session()
        wanted = session.run(self.q, {self.x: BATCH})
        for dtype, tolerance in ((tf.bfloat16, 0.05), (tf.float16, 0.005), (tf.float64, 1e-5),
                                 (np.float16, 0.005), ('float64', 1e-5),
                                 ({tf.float32: tf.float16}, 0.005),
                                 (lambda op: None if op.type == 'Add' else tf.float16, 0.005),
                                 (lambda op: {tf.float32: tf.float16}, 0.005)):
            net = ramet.clone(inputs=self.x, outputs=self.q, dtype=dtype, initial='current')
            session.run(net.init_op)
            y = net.transformed(self.q)
            self.assertEqual((y.dtype, net.transformed(self.x).dtype), (tf.float32, tf.float32))
            self.assertNotEqual(net.variables[self.w].dtype.base_dtype, tf.float32)
            np.testing.assert_allclose(session.run(y, {net.transformed(self.x): BATCH}), wanted,
                                       atol=tolerance)
        self.assertEqual(net.transformed(self.p).dtype, tf.float16)
        session.run(net.update_op)
        session.run(net.polyak_op(0.5))

    def test_checkpoints_of_the_original_are_cast(self):
        session = self.session()
        with tempfile.TemporaryDirectory() as folder:
            prefix = os.path.join(folder, 'model')
            tf.train.Saver().save(session, prefix)
            for initial in ('initializer', prefix):
                net = ramet.clone(inputs=self.x, outputs=self.q, dtype=tf.float64, initial=initial)
                session.run(net.init_op)
                if initial == 'initializer':
                    saver = tf.train.Saver(net.saver_map)
                    saver.restore(session, prefix)
                for v in self.originals:
                    np.testing.assert_array_equal(session.run(v), session.run(net.variables[v]))
            saver.save(session, prefix + '-again', write_meta_graph=False)
            stored = tf.train.load_checkpoint(prefix + '-again').get_variable_to_dtype_map()
            self.assertEqual(set(stored.values()), {tf.float32})

    def test_errors(self):
        for dtype, kind in ((tf.int32, ValueError), ('flot', TypeError), (3.5, TypeError),
                            ({tf.int32: tf.float32}, ValueError),
                            (lambda op: 1 / 0, ZeroDivisionError)):
            with self.assertRaisesRegex(kind, '' if kind is ZeroDivisionError else 'dtype: '):
                ramet.clone(outputs=self.q, dtype=dtype)


class StripTest(NetTest):
    def test_what_only_trains_stays_behind(self):
        net = ramet.clone(strip_training=True, initial='current')
        self.assertEqual(list(net.variables), self.originals)
        self.assertIsNone(net.transformed(self.step))
        self.assertFalse([op.name for op in net.ops.values() if 'gradients' in op.name])
        session = self.session()
        session.run(net.init_op)
        np.testing.assert_array_equal(*self.both(session, net))

    def test_what_was_passed_on_is_found(self):
        y = tf.identity(tf.stop_gradient(self.q), name='y')
        net = ramet.clone(outputs=tf.square(y), strip_training=True)
        self.assertEqual(net.transformed(y), net.transformed(self.q))


class OtherGraphTest(NetTest):
    def test_updates_from_another_graph(self):
        session, into = self.session(), tf.Graph()
        net = ramet.clone(inputs=self.x, outputs=self.q, into=into, dst_scope='')
        for ask in (lambda: net.update_op, lambda: net.polyak_op(0.5)):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'session'):
                ask()
        with tf.Session(graph=into) as other:
            net.update(session, other)
            np.testing.assert_array_equal(other.run('net/q:0', {'x:0': BATCH}),
                                          session.run(self.q, {self.x: BATCH}))
            before = session.run(self.w)
            session.run(self.step, {self.x: BATCH})
            net.polyak(0.25, session, other)
            np.testing.assert_allclose(other.run(net.variables[self.w]),
                                       0.25 * session.run(self.w) + 0.75 * before, rtol=1e-6)
            for sessions in ((other, other), (session, session)):
                with self.assertRaisesRegex(ValueError, 'session|graph'):
                    net.update(*sessions)
            with self.assertRaisesRegex(ValueError, 'tau'):
                net.polyak(2, session, other)
            with self.assertRaisesRegex(TypeError, 'session: a Session is expected, not None'):
                net.update(None)
            with self.assertRaises(tf.errors.FailedPreconditionError):
                net.update(tf.Session(graph=self.graph), other)

    def test_updates_between_sessions_of_one_graph(self):
        net = ramet.clone(inputs=self.x, outputs=self.q)
        first, second = self.session(), self.session()
        net.update(first)
        net.update(first, second)
        for session in (first, second):
            np.testing.assert_array_equal(session.run(net.variables[self.w]), first.run(self.w))

    def test_into_another_graph(self):
        session = self.session()
        into = tf.Graph()
        net = ramet.clone(inputs=self.x, outputs=self.q, into=into, dst_scope='', initial='current',
                          session=session)
        wanted = session.run(self.q, {self.x: BATCH})
        session.run(self.step, {self.x: BATCH})
        self.assertIs(net.graph, into)
        self.assertIs(net.transformed(self.w).graph, into)
        with tf.Session(graph=into) as other:
            other.run(net.init_op)
            np.testing.assert_array_equal(other.run('net/q:0', {'x:0': BATCH}), wanted)
        with into.as_default():
            self.assertEqual(names(tf.trainable_variables()), names(self.originals))
            with tf.variable_scope('net', reuse=True):
                self.assertIs(tf.get_variable('w', [4, 2]), net.variables[self.w])
                whole = tf.get_variable('p', [4, 2], partitioner=tf.fixed_size_partitioner(2))
            self.assertEqual(list(whole), list(net.transformed(self.p)))

    def test_the_source_is_where_the_elements_are(self):
        with tf.Graph().as_default() as other:
            net = ramet.clone(outputs=self.q)
            self.assertIs(net.source, self.graph)
            self.assertEqual(other.get_operations(), [])
            self.assertIs(ramet.clone().source, other)
            self.assertIs(ramet.clone(self.graph, outputs='net/q').source, self.graph)

    def test_errors_name_the_argument(self):
        into = tf.Graph()
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'clone: .*session'):
            ramet.clone(into=into, initial='current')
        with self.assertRaisesRegex(ValueError, "variables: 'net/.*' cannot be shared"):
            ramet.clone(into=into, variables='shared')
        with self.assertRaisesRegex(ValueError, 'session: it runs a different graph than the source'):
            ramet.clone(into=into, initial='current', session=tf.Session(graph=into))
        with self.assertRaisesRegex(TypeError, 'session: a Session is expected, not 3'):
            ramet.clone(session=3)
        self.assertEqual(into.get_operations(), [])


class ErrorsTest(NetTest):
    def test_each_names_the_argument_and_changes_nothing(self):
        other = tf.Graph()
        with other.as_default():
            stranger = tf.placeholder(tf.float32, name='stranger')
        cases = (
            (dict(inputs='nox:0', outputs=self.q), KeyError, "inputs: .*'nox'.*Did you mean 'x'?"),
            (dict(outputs='q'), tf.errors.NotFoundError, "outputs: .*'q'"),
            (dict(outputs=self.q, ops=[self.q]), ValueError, 'outputs: use either'),
            (dict(outputs=3), TypeError, 'outputs: a Tensor, Operation, Variable or name'),
            (dict(inputs=[stranger], outputs=self.q), ValueError, "'net/q:0' does not belong to the source"),
            (dict(source=self.graph, outputs=stranger), ValueError, "outputs: 'stranger:0'"),
            (dict(source=3), TypeError, 'source: a Graph is expected, not int'),
            (dict(into='x'), TypeError, 'into: a Graph is expected, not str'),
            (dict(variables='ow'), ValueError, "variables: 'own' or 'shared' is expected"),
            (dict(variables=3), TypeError, "variables: 'own', 'shared', a function"),
            (dict(variables=lambda v: True), ValueError, "variables: .* for 'net/.*not True"),
            (dict(variables=lambda v: 1 / 0), ZeroDivisionError, ''),
            (dict(variables={'nono': 'shared'}), KeyError, 'nono'),
            (dict(device='gpux'), ValueError, "device: .*'gpux'"),
            (dict(device=3), TypeError, 'device: a str'),
            (dict(device=lambda op: 1 / 0), ZeroDivisionError, ''),
            (dict(device=lambda op: '/gpux:0'), ValueError, 'gpux'),
            (dict(input_map={self.x: 3.0}), TypeError, "input_map: .*'x:0', not 3.0; use tf.constant"),
            (dict(input_map={self.x: self.q}), ValueError, 'input_map: '),
            (dict(input_map=[self.x]), TypeError, 'input_map: a dict'),
            (dict(input_map={self.p: self.x}), TypeError, 'stands for 2 tensors'),
            (dict(dst_scope='a b'), ValueError, "dst_scope: 'a b' is not a valid scope name"),
            (dict(dst_scope=3), TypeError, 'dst_scope: a str is expected'),
            (dict(scope='nothing'), (ValueError, KeyError), 'scope'),
            (dict(initial=None), ValueError, "initial: .*not None"),
            (dict(collections=3), TypeError, 'collections: True, False or a list'),
            (dict(initial='curent'), ramet.CloneError,
             "^clone: initial: 'curent' is neither 'initializer' nor 'current', and there is no "
             r"checkpoint 'curent\.index'\. Did you mean 'current'\?"),
            (dict(initial='/no/model'), ValueError, r"there is no checkpoint '/no/model\.index'\.$"),
            (dict(outputs='q'), ramet.NoSuchElementError, '^clone: outputs: '),
            (dict(variables='ow'), ValueError, '^clone: variables: '),
            (dict(variables={'nono': 'shared'}), KeyError, 'clone: variables: '),
            (dict(device='gpux'), ValueError, '^clone: device: '),
            (dict(dtype='flot'), TypeError, '^clone: dtype: '),
        )
        before = self.graph.as_graph_def().SerializeToString()
        for arguments, kind, message in cases:
            with self.subTest(arguments), self.assertRaisesRegex(kind, message):
                ramet.clone(**arguments)
            self.assertEqual(self.graph.as_graph_def().SerializeToString(), before)
        self.assertEqual(len(tf.trainable_variables()), len(self.originals))

    def test_update_op_across_graphs_names_what_to_use(self):
        net = ramet.clone(outputs=self.q, into=tf.Graph())
        for member, get in (('update_op', lambda: net.update_op),
                            ('polyak_op', lambda: net.polyak_op(0.5))):
            with self.assertRaisesRegex(ramet.CloneError, f'^clone: {member}: .*different graph.*'
                                        r'update\(session, into\) or polyak\(tau, session, into\)'):
                get()

    def test_a_finalized_graph(self):
        net = ramet.clone(outputs=self.q)
        self.graph.finalize()
        with self.assertRaisesRegex(RuntimeError, 'finalized'):
            ramet.clone(outputs=self.q)
        with self.assertRaisesRegex(RuntimeError, 'finalized'):
            net.polyak_op(0.5)
        self.assertIsNotNone(ramet.clone(outputs=self.q, into=tf.Graph()))


def _needs(op):
    seen, waiting = [], [op]
    while waiting:
        op = waiting.pop()
        if op not in seen:
            seen.append(op)
            waiting.extend(t.op for t in op.inputs)
    return seen


if __name__ == '__main__':
    unittest.main()
