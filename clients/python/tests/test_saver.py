"""Savers, checkpoints, meta graphs and GraphDefs."""

import os
import tempfile
import threading
import unittest
from unittest import mock

import numpy as np

import ramet
import ramet.compat.v1 as tf
from ramet.framework import meta_graph
from ramet.tools import freeze_graph, inspect_checkpoint, strip_unused_lib
from ramet.train.saving.saveable_object import SaveableObject, SaveSpec


class InFolder(unittest.TestCase):
    """Runs in a new folder and a new graph."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.graph = tf.Graph()
        context = self.graph.as_default()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def saved(self, variables, values, path='m', **options):
        """Saves values of variables; returns the saver."""
        saver = tf.train.Saver(**options)
        with tf.Session() as session:
            for v, value in zip(variables, values):
                session.run(v.initializer, {v.initializer.inputs[1]: value})
            saver.save(session, path)
        return saver


def variables():
    return (tf.get_variable('a', initializer=[0.0, 0.0]),
            tf.get_variable('scope/b', initializer=tf.zeros([2, 2], tf.int32), use_resource=True))


class SaverTest(InFolder):

    VALUES = [[1.5, -2.0], [[1, 2], [3, 4]]]

    def test_a_saver_without_nodes_is_not_exported(self):
        with tf.Graph().as_default():
            tf.get_variable('v', [2])
            tf.add_to_collection('savers', tf.train.Saver(defer_build=True))
            tf.add_to_collection('savers', tf.train.Saver(name='built'))
            (saver_def,) = tf.train.export_meta_graph().collection_def['savers'].bytes_list.value
            self.assertIn(b'built', saver_def)

    def test_saves_and_restores(self):
        both = variables()
        saver = self.saved(both, self.VALUES)
        with tf.Session() as session:
            saver.restore(session, tf.train.latest_checkpoint('.'))
            for v, value in zip(both, self.VALUES):
                np.testing.assert_array_equal(session.run(v), value)

    def test_names_of_a_dict(self):
        a, b = variables()
        self.saved((a, b), self.VALUES, var_list={'x': a, 'y': b})
        self.assertEqual(tf.train.list_variables('m'), [('x', [2]), ('y', [2, 2])])

    def test_steps_and_old_checkpoints(self):
        a, _ = variables()
        saver = tf.train.Saver([a], max_to_keep=2)
        with tf.Session() as session:
            session.run(a.initializer)
            paths = [saver.save(session, 'm', global_step=step) for step in (1, 2, 3)]
        self.assertEqual(paths, ['m-1', 'm-2', 'm-3'])
        self.assertEqual(saver.last_checkpoints, ['m-2', 'm-3'])
        self.assertFalse(tf.train.checkpoint_exists('m-1'))
        self.assertEqual(tf.train.latest_checkpoint('.'), './m-3')
        state = tf.train.get_checkpoint_state('.')
        self.assertEqual(list(state.all_model_checkpoint_paths), ['./m-2', './m-3'])

    def test_step_of_a_variable_with_zeros_in_front(self):
        step = tf.Variable(7, name='step')
        with tf.Session() as session:
            session.run(step.initializer)
            path = tf.train.Saver(pad_step_number=True).save(session, 'm', global_step=step)
        self.assertEqual(path, 'm-00000007')

    def test_partitioned(self):
        whole = tf.get_variable('p', initializer=tf.zeros([5, 2]),
                                partitioner=tf.fixed_size_partitioner(2))
        value = np.arange(10, dtype=np.float32).reshape(5, 2)
        self.saved(list(whole), [value[:3], value[3:]])
        self.assertEqual(tf.train.list_variables('m'), [('p', [5, 2])])
        np.testing.assert_array_equal(tf.train.load_variable('m', 'p'), value)

    def test_saveable_object(self):
        a = tf.get_variable('a', initializer=3.0)

        class Doubled(SaveableObject):
            def __init__(self, variable):
                self.variable = variable
                super().__init__(variable, [SaveSpec(variable.value() * 2, '', 'twice')], 'obj')

            def restore(self, restored_tensors, restored_shapes):
                return self.variable.assign(restored_tensors[0] / 2)

        saver = tf.train.Saver([Doubled(a)])
        with tf.Session() as session:
            session.run(a.initializer)
            saver.save(session, 'm')
        self.assertEqual(tf.train.load_variable('m', 'twice'), 6.0)
        with tf.Session() as session:
            saver.restore(session, 'm')
            self.assertEqual(session.run(a), 3.0)

    def test_an_error_of_restore_comes_out(self):
        class Bad(SaveableObject):
            def restore(self, restored_tensors, restored_shapes):
                raise KeyError('of restore')

        a = tf.get_variable('a', initializer=3.0)
        with self.assertRaisesRegex(KeyError, 'of restore'):
            tf.train.Saver([Bad(a, [SaveSpec(a.value(), '', 'x')], 'x')])

    def test_defer_and_empty(self):
        saver = tf.train.Saver(defer_build=True)
        a, _ = variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            with self.assertRaisesRegex(RuntimeError, r'`build\(\)` should be called before save'):
                saver.save(session, 'm')
            saver.build()
            self.assertEqual(saver.save(session, 'm'), 'm')
        with tf.Graph().as_default(), tf.Session() as session:
            self.assertIsNone(tf.train.Saver(allow_empty=True).save(session, 'empty'))
            self.assertTrue(os.path.exists('empty.meta'))

    def test_definition_goes_round(self):
        variables()
        definition = tf.train.Saver(max_to_keep=3, name='mine').to_proto()
        self.assertEqual(definition.filename_tensor_name, 'mine/Const:0')
        again = tf.train.Saver.from_proto(definition)
        self.assertEqual(again.as_saver_def(), definition)

    def test_no_path(self):
        variables()
        saver = tf.train.Saver()
        with tf.Session() as session:
            os.mkdir('nothing')
            path = tf.train.latest_checkpoint('nothing')
            with self.assertRaisesRegex(ValueError, "Can't load save_path when it is None.*no file "
                                                    "'checkpoint' in .*nothing"):
                saver.restore(session, path)

    def test_no_checkpoint_names_those_near(self):
        a, b = variables()
        saver = self.saved((a, b), self.VALUES, 'model1-900')
        with tf.Session() as session, self.assertRaisesRegex(
                ValueError, 'not a valid checkpoint: model1-1000.*model1-900'):
            saver.restore(session, 'model1-1000')

    def test_uninitialized(self):
        tf.get_variable('a', initializer=1.0)
        with tf.Session() as session, self.assertRaisesRegex(
                tf.errors.FailedPreconditionError, 'uninitialized value a'):
            tf.train.Saver().save(session, 'm')

    def test_what_does_not_fit(self):
        self.saved(variables(), self.VALUES)
        for name, shape, error in (('a', [3], tf.errors.InvalidArgumentError),
                                   ('c', [2], tf.errors.NotFoundError)):
            with tf.Graph().as_default(), tf.Session() as session:
                tf.get_variable(name, shape, initializer=tf.zeros_initializer())
                with self.assertRaisesRegex(error, 'Restoring from checkpoint failed'):
                    tf.train.Saver().restore(session, 'm')


class CheckpointTest(InFolder):

    def setUp(self):
        super().setUp()
        self.saved(variables(), SaverTest.VALUES)

    def test_reader(self):
        reader = tf.train.load_checkpoint('.')
        self.assertEqual(reader.get_variable_to_shape_map(), {'a': [2], 'scope/b': [2, 2]})
        self.assertEqual(reader.get_variable_to_dtype_map(),
                         {'a': tf.float32, 'scope/b': tf.int32})
        self.assertTrue(reader.has_tensor('a'))
        self.assertFalse(reader.has_tensor('c'))
        np.testing.assert_array_equal(reader.get_tensor('scope/b'), SaverTest.VALUES[1])
        self.assertEqual(reader.debug_string(), b'a (DT_FLOAT) [2]\nscope/b (DT_INT32) [2,2]\n')
        self.assertRegex(repr(reader), r'scope/b +int32 +\[2, 2\]')

    def test_nothing_there(self):
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'Failed to find any matching files'):
            tf.train.NewCheckpointReader('none')
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'Key c not found'):
            tf.train.load_variable('m', 'c')
        os.mkdir('empty')
        with self.assertRaisesRegex(ValueError, "Couldn't find 'checkpoint' file"):
            tf.train.list_variables('empty')

    def test_state_file(self):
        tf.train.update_checkpoint_state('.', 'x', ['w', 'x'],
                                         all_model_checkpoint_timestamps=[1, 2])
        state = tf.train.get_checkpoint_state('.')
        self.assertEqual(state.model_checkpoint_path, './x')
        self.assertEqual(list(state.all_model_checkpoint_timestamps), [1, 2])
        self.assertIsNone(tf.train.latest_checkpoint('.'))
        self.assertIsNone(tf.train.get_checkpoint_state('nowhere'))

    def test_remove(self):
        self.assertEqual(len(tf.train.get_checkpoint_mtimes(['m', 'none'])), 1)
        tf.train.remove_checkpoint('m')
        self.assertFalse(tf.train.checkpoint_exists('m'))
        self.assertFalse(os.path.exists('m.meta'))

    def test_initial_values(self):
        with tf.Graph().as_default(), tf.Session() as session:
            with tf.variable_scope('new'):
                a = tf.get_variable('a', [2])
            other = tf.get_variable('other', [2, 2], tf.int32, use_resource=True)
            tf.train.init_from_checkpoint('m', {'a': 'new/a', 'scope/b': other})
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run(a), SaverTest.VALUES[0])
            np.testing.assert_array_equal(session.run(other), SaverTest.VALUES[1])
            with self.assertRaisesRegex(ValueError, 'c is not found in m checkpoint'):
                tf.train.init_from_checkpoint('m', {'c': a})

    def test_new_checkpoints(self):
        self.assertEqual(list(tf.train.checkpoints_iterator('.', timeout=0)), ['./m'])

    def test_a_folder_that_a_link_replaces_during_a_save_is_kept(self):
        for sharded in False, True:
            with tf.Graph().as_default() as graph, self.subTest(sharded=sharded):
                folder, moved, elsewhere = (f'{name}{sharded}' for name in ('a', 'b', 'c'))
                os.mkdir(folder)
                os.mkdir(elsewhere)
                a, _ = variables()

                def replace():
                    if not os.path.islink(folder):
                        os.rename(folder, moved)
                        os.symlink(elsewhere, folder)
                    return True

                saver = tf.train.Saver(sharded=sharded)
                replaced = tf.py_func(replace, [], tf.bool)
                for op in graph.get_operations():
                    if op.type == 'SaveV2':
                        op._add_control_input(replaced.op)
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    self.assertEqual(saver.save(session, f'{folder}/m', global_step=1),
                                     f'{folder}/m-1')
                    self.assertEqual(os.listdir(elsewhere), [])
                    self.assertLessEqual({'checkpoint', 'm-1.index', 'm-1.meta'},
                                         set(os.listdir(moved)))
                    session.run(a.assign([5, 6]))
                    saver.restore(session, f'{moved}/m-1')
                    self.assertEqual(session.run(a).tolist(), [0, 0])

    def test_printed(self):
        with mock.patch('builtins.print') as printed:
            inspect_checkpoint.print_tensors_in_checkpoint_file('m', '', False, True)
        self.assertEqual([call.args[0] for call in printed.call_args_list],
                         ['tensor: a (float32) [2]', 'tensor: scope/b (int32) [2, 2]',
                          '# Total number of params: 6'])


def linear_model():
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('w', initializer=[[1.0], [2.0]])
    return tf.identity(tf.matmul(x, w), name='y')


class MetaGraphTest(InFolder):

    def setUp(self):
        super().setUp()
        linear_model()
        tf.add_to_collection('answers', tf.constant(42, name='answer'))
        tf.add_to_collection('numbers', 7)
        tf.add_to_collection('texts', 'word')
        tf.add_to_collection('functions', lambda: None)
        self.saved(tf.global_variables(), [[[3.0], [4.0]]])

    def test_goes_on_in_a_new_graph(self):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            saver = tf.train.import_meta_graph('m.meta')
            saver.restore(session, 'm')
            np.testing.assert_array_equal(session.run('y:0', {'x:0': [[1.0, 1.0]]}), [[7.0]])
            self.assertEqual([v.name for v in tf.trainable_variables()], ['w:0'])
            self.assertIs(tf.get_collection('answers')[0], graph.get_tensor_by_name('answer:0'))
            self.assertEqual(tf.get_collection('numbers'), [7])
            self.assertEqual(tf.get_collection('functions'), [])

    def test_under_a_scope(self):
        with tf.Graph().as_default(), tf.Session() as session:
            saver = tf.train.import_meta_graph('m.meta', import_scope='net',
                                               input_map={'x': tf.constant([[2.0, 1.0]])})
            saver.restore(session, 'm')
            np.testing.assert_array_equal(session.run('net/y:0'), [[10.0]])
            self.assertEqual(tf.global_variables()[0].name, 'net/w:0')

    def test_message(self):
        message = tf.train.export_meta_graph('other.meta', collection_list=['variables', 'numbers'],
                                             as_text=True)
        self.assertEqual(sorted(message.collection_def), ['numbers', 'variables'])
        self.assertIn('_output_shapes', message.graph_def.node[0].attr)
        self.assertEqual(meta_graph.read_meta_graph_file('other.meta'), message)
        with tf.Graph().as_default():
            self.assertIsNotNone(tf.train.import_meta_graph(message))

    def test_one_scope(self):
        with tf.Graph().as_default():
            with tf.variable_scope('part'):
                v = tf.get_variable('v', initializer=1.0)
                tf.square(v, name='s')
            tf.constant(1, name='outside')
            message, by_name = meta_graph.export_scoped_meta_graph(export_scope='part')
            self.assertIn('s', [node.name for node in message.graph_def.node])
            self.assertNotIn('outside', [node.name for node in message.graph_def.node])
            self.assertEqual(list(by_name), ['v:0'])
            copied = meta_graph.copy_scoped_meta_graph('part', 'copy')
            self.assertEqual(copied['v:0'].name, 'copy/v:0')

    def test_objects_are_asked_while_others_build(self):
        graph = self.graph

        class Thing:
            def to_proto(self, export_scope=None):
                def build():
                    with graph.as_default():
                        tf.constant(1, name='meanwhile')

                thread = threading.Thread(target=build)
                thread.start()
                thread.join()
                return tf.NodeDef(name='thing')

        tf.add_to_collection('things', Thing())
        message = tf.train.export_meta_graph()
        self.assertEqual(list(message.collection_def['things'].bytes_list.value),
                         [tf.NodeDef(name='thing').SerializeToString()])
        self.assertEqual(graph.get_operation_by_name('meanwhile').type, 'Const')

    def test_no_file(self):
        with self.assertRaisesRegex(OSError, 'File does not exist. Received: none.meta.'):
            tf.train.import_meta_graph('none.meta')
        with open('bad.meta', 'w', encoding='utf-8') as f:
            f.write('hello {')
        with self.assertRaisesRegex(OSError, 'Cannot parse file bad.meta'):
            tf.train.import_meta_graph('bad.meta')


class GraphDefTest(InFolder):

    def setUp(self):
        super().setUp()
        linear_model()
        self.graph_def = self.graph.as_graph_def()

    def test_import(self):
        with tf.Graph().as_default() as graph:
            y, op = tf.import_graph_def(self.graph_def, return_elements=['y:0', 'w'])
            self.assertEqual((y.name, op.name), ('import/y:0', 'import/w'))
            x = tf.constant([[1.0, 0.0]])
            again, = tf.import_graph_def(self.graph_def, {'x:0': x}, ['MatMul'], name='again')
            self.assertIs(again.inputs[0], x)
            self.assertIsNone(tf.import_graph_def(self.graph_def.SerializeToString(), name=''))
            self.assertEqual(graph.get_operation_by_name('y').type, 'Identity')

    def test_import_errors(self):
        for error, arguments in ((TypeError, [3]), (TypeError, [tf.GraphDef(), 3]),
                                 (ValueError, [tf.GraphDef(), {'a': tf.constant(1)}]),
                                 (ValueError, [tf.GraphDef(), None, ['a']]),
                                 (TypeError, [tf.GraphDef(), None, [3]])):
            with self.assertRaises(error):
                tf.import_graph_def(*arguments)
        bad = tf.GraphDef(node=[tf.NodeDef(name='a', op='Identity', input=['b'])])
        with self.assertRaisesRegex(ValueError, "Node 'a': Unknown input node 'b'"):
            tf.import_graph_def(bad)

    def test_written(self):
        path = tf.io.write_graph(self.graph, 'new/folder', 'g.pbtxt')
        self.assertEqual(path, 'new/folder/g.pbtxt')
        with open(path, encoding='utf-8') as f:
            self.assertIn('name: "MatMul"', f.read())

    def test_frozen(self):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            frozen = tf.graph_util.convert_variables_to_constants(session, self.graph_def, ['y'])
            with self.assertRaisesRegex(AssertionError, 'zz is not in graph'):
                tf.graph_util.convert_variables_to_constants(session, self.graph_def, ['zz'])
        with tf.Graph().as_default(), tf.Session() as session:
            y, = tf.import_graph_def(frozen, return_elements=['y:0'])
            self.assertEqual(session.run(y, {'import/x:0': [[1.0, 1.0]]}), [[3.0]])

    def test_tools_of_graphs(self):
        part = tf.graph_util.extract_sub_graph(self.graph_def, ['w/read'])
        self.assertEqual([n.name for n in part.node], ['w', 'w/read'])
        rest = tf.graph_util.remove_training_nodes(self.graph_def, ['y'])
        self.assertNotIn('w/read', [n.name for n in rest.node])
        cut = strip_unused_lib.strip_unused(self.graph_def, ['w/read'], ['y'],
                                            tf.float32.as_datatype_enum)
        self.assertEqual({n.name: n.op for n in cut.node}['w/read'], 'Placeholder')
        self.assertTrue(tf.graph_util.must_run_on_cpu(tf.constant('text').op))
        self.assertFalse(tf.graph_util.must_run_on_cpu(tf.constant(1.0).op))
        self.assertEqual(tf.graph_util.tensor_shape_from_node_def_name(self.graph, 'y').as_list(),
                         [None, 1])

    def test_freeze_graph(self):
        self.saved(tf.global_variables(), [[[3.0], [4.0]]])
        tf.io.write_graph(self.graph, '.', 'g.pb', as_text=False)
        frozen = freeze_graph.freeze_graph('g.pb', '', True, 'm', 'y', '', '', 'frozen.pb', True,
                                           '')
        self.assertNotIn('VariableV2', [n.op for n in frozen.node])
        model = ramet.load('frozen.pb')
        np.testing.assert_array_equal(model('y', x=[[1.0, 1.0]]), [[7.0]])


class TextTest(InFolder):
    def test_texts_that_are_not_utf8_are_refused(self):
        w = tf.get_variable('w', [1])
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(w.initializer)
            for call in (lambda: saver.save(session, '\udc80'),
                         lambda: saver.save(session, 'm', latest_filename='\udc80'),
                         lambda: saver.save(session, 'm', meta_graph_suffix='\udc80'),
                         lambda: saver.restore(session, '\udc80'),
                         lambda: tf.train.latest_checkpoint('.', '\udc80'),
                         lambda: tf.train.remove_checkpoint('m', meta_graph_suffix='\udc80')):
                with self.assertRaises(UnicodeError):
                    call()
        with self.assertRaisesRegex(TypeError, 'Expected binary or unicode string, got 7'):
            tf.train.latest_checkpoint('.', 7)

    def test_flags_and_scopes_of_meta_graphs(self):
        tf.get_variable('w', [1])
        meta = tf.train.export_meta_graph(clear_devices='yes', strip_default_attrs=[])
        with self.assertRaisesRegex(TypeError, 'export_scope must be a str, found int'):
            tf.train.export_meta_graph(export_scope=7)
        with self.assertRaisesRegex(TypeError, 'import_scope must be a str, found int'):
            tf.train.import_meta_graph(meta, import_scope=7)


if __name__ == '__main__':
    unittest.main()
