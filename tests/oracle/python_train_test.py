"""Symptom: training, saving or an error in the Python package differs from TensorFlow.

Cases in python_train_cases.py are built and run in both packages, in separate graphs. Their nodes, collections,
values after some steps, and the classes and messages of errors are compared. Checkpoints, meta graphs and
SavedModels are exchanged in both directions. Needs tensorflow and the package ramet on the path.
"""

import difflib
import os
import re
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf

import python_train_cases as cases
import ramet.compat.v1 as rt

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.FATAL)
rt.logging.set_verbosity(rt.logging.FATAL)
# Compared in separate tests: nodes of gradients, and guarded reads of initial values.
GRADIENTS = re.compile(r'^gradients/')
GUARDED = re.compile(r'(^|/)(cond(_\d+)?/|IsVariableInitialized|VarIsInitializedOp)|'
                     r'/(EMA|Foo)/Assign$|^(read|Read|Identity)(_\d+)?(/|$)')


def attr_text(value):
    """Returns the meaning of an attr; constants may be encoded in several ways."""
    if value.WhichOneof('value') != 'tensor':
        return value.SerializeToString(deterministic=True)
    tensor = tf.AttrValue.FromString(value.SerializeToString()).tensor
    array = tf.make_ndarray(tensor)
    return tensor.dtype, array.shape, array.tolist()


def node_lines(graph, skip):
    """Returns the nodes as lines, sorted by name, with their control inputs sorted by name."""
    lines = []
    for node in graph.as_graph_def().node:
        attrs = {k: attr_text(v) for k, v in node.attr.items()
                 if k != '_has_manual_control_dependencies'}
        inputs = [i for i in node.input if not i.startswith('^')]
        controls = sorted(i for i in node.input if i.startswith('^'))
        if not skip.search(node.name):
            lines.append(str((node.name, node.op, inputs + controls, node.device,
                              sorted(attrs.items()))))
    return sorted(lines)


def run(package, case):
    """Returns the graph of a case, its result, and its error."""
    with package.Graph().as_default() as graph:
        package.set_random_seed(1)
        try:
            return graph, case(package), None
        except Exception as error:
            return graph, None, '%s: %s' % (type(error).__name__, message(error))


def message(error):
    text = re.sub(r' at 0x[0-9a-f]+', '', str(error))
    return re.sub(r'\btensorflow\.|RefVariable|ResourceVariable', '', text)


def close(expected, actual):
    """Returns whether nested results are equal, with a tolerance for numbers."""
    if isinstance(expected, (list, tuple)):
        return len(expected) == len(actual) and all(map(close, expected, actual))
    if isinstance(expected, (np.ndarray, np.generic, float)):
        return np.allclose(expected, actual, rtol=2e-5, atol=2e-6)
    return expected == actual


class TrainTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    def check(self, case, nodes=True, skip=GRADIENTS):
        expected, expected_result, expected_error = run(tf, case)
        actual, actual_result, actual_error = run(rt, case)
        self.assertIsNone(expected_error)
        self.assertIsNone(actual_error)
        if nodes:
            lines = difflib.unified_diff(node_lines(expected, skip), node_lines(actual, skip),
                                         'tensorflow', 'ramet', lineterm='', n=0)
            difference = '\n'.join(lines)
            self.assertFalse(difference, difference)
        self.assertTrue(close(expected_result, actual_result),
                        '%s\n%s' % (expected_result, actual_result))

    def check_error(self, case):
        _, _, expected = run(tf, case)
        _, _, actual = run(rt, case)
        self.assertIsNotNone(expected)
        self.assertEqual(expected, actual)


class InFolder(unittest.TestCase):
    """Runs in a new folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)


def train_and_save(package, prefix, resource):
    """Runs three steps of Adam; returns the values."""
    with package.Graph().as_default():
        _, _, loss = cases.model(package, resource, False)
        step = package.train.get_or_create_global_step()
        train_op = package.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        package.identity(loss, name='loss')
        package.add_to_collection('train_ops', train_op)
        saver = package.train.Saver()
        with package.Session() as session:
            session.run(package.global_variables_initializer())
            for _ in range(3):
                session.run(train_op)
            saver.save(session, prefix, global_step=step)
            return session.run({v.op.name: v for v in package.global_variables()})


def resume(package, prefix):
    """Imports the meta graph, restores, and runs one more step; returns values before and after."""
    with package.Graph().as_default(), package.Session() as session:
        saver = package.train.import_meta_graph(prefix + '.meta')
        saver.restore(session, package.train.latest_checkpoint('.'))
        everything = {v.op.name: v for v in package.global_variables()}
        before = session.run(everything)
        session.run(package.get_collection('train_ops')[0])
        return before, session.run(everything)


class ExchangeTest(InFolder):

    def check(self, writer, reader, resource):
        saved = train_and_save(writer, 'm', resource)
        before, after = resume(reader, 'm-3')
        self.assertEqual(set(saved), set(before))
        for name, value in saved.items():
            np.testing.assert_array_equal(value, before[name], name)
        _, expected = resume(writer, 'm-3')
        for name, value in expected.items():
            np.testing.assert_allclose(value, after[name], rtol=1e-5, err_msg=name)

    def test_ramet_reads_tensorflow(self):
        self.check(tf, rt, False)

    def test_ramet_reads_tensorflow_resources(self):
        self.check(tf, rt, True)

    def test_tensorflow_reads_ramet(self):
        self.check(rt, tf, False)

    def test_tensorflow_reads_ramet_resources(self):
        self.check(rt, tf, True)

    def test_what_checkpoints_say(self):
        train_and_save(tf, 'm', False)
        for call in (lambda p: p.train.list_variables('m-3'),
                     lambda p: p.train.load_checkpoint('.').debug_string(),
                     lambda p: p.train.latest_checkpoint('.'),
                     lambda p: str(p.train.get_checkpoint_state('.')),
                     lambda p: p.train.checkpoint_exists('m-3'),
                     lambda p: [int(t) for t in p.train.get_checkpoint_mtimes(['m-3', 'no'])],
                     lambda p: p.train.load_variable('m-3', 'global_step')):
            self.assertEqual(call(tf), call(rt))

    def test_meta_graphs(self):
        def exported(package):
            with package.Graph().as_default():
                cases.model(package, True, False)
                package.train.Saver()
                return package.train.export_meta_graph()

        expected, actual = exported(tf), exported(rt)
        self.assertEqual({k: v.SerializeToString() for k, v in expected.collection_def.items()},
                         {k: v.SerializeToString() for k, v in actual.collection_def.items()})
        self.assertEqual([n.name for n in expected.graph_def.node],
                         [n.name for n in actual.graph_def.node])
        self.assertEqual([op.name for op in expected.meta_info_def.stripped_op_list.op],
                         [op.name for op in actual.meta_info_def.stripped_op_list.op])


def write_saved_model(package, folder):
    with package.Graph().as_default(), package.Session() as session:
        x = package.placeholder(package.float32, [None, 2], name='x')
        w = package.get_variable('w', initializer=package.constant([[1., 2.], [3., 4.]]))
        y = package.matmul(x, w, name='y')
        session.run(package.global_variables_initializer())
        package.saved_model.simple_save(session, folder, {'x': x}, {'y': y})


def ask_saved_model(package, folder):
    with package.Graph().as_default(), package.Session() as session:
        meta_graph = package.saved_model.load(session, ['serve'], folder)
        signature = meta_graph.signature_def['serving_default']
        return session.run(signature.outputs['y'].name, {signature.inputs['x'].name: [[1., 1.]]})


class SavedModelExchangeTest(InFolder):

    def test_both_ways(self):
        for writer in (tf, rt):
            folder = 'of_%s' % writer.__name__
            write_saved_model(writer, folder)
            for reader in (tf, rt):
                np.testing.assert_array_equal(ask_saved_model(reader, folder), [[4., 6.]])

    def test_frozen(self):
        write_saved_model(tf, 'm')

        def frozen(package):
            with package.Graph().as_default() as graph, package.Session() as session:
                package.saved_model.load(session, ['serve'], 'm')
                return package.graph_util.convert_variables_to_constants(
                    session, graph.as_graph_def(), ['y'])

        self.assertEqual([(n.name, n.op, list(n.input)) for n in frozen(tf).node],
                         [(n.name, n.op, list(n.input)) for n in frozen(rt).node])


def add_test(name, check, *args, **kwargs):
    setattr(TrainTest, 'test_' + name, lambda self: check(self, *args, **kwargs))


def add_tests():
    for name, make in cases.OPTIMIZERS.items():
        for resource in (False, True):
            for sparse in (False, True):
                add_test('%s_%s_%s' % (name, 'resource' if resource else 'ref',
                                       'sparse' if sparse else 'dense'),
                         TrainTest.check, cases.train(make, resource, sparse))
    for name, decay in cases.LEARNING_RATES.items():
        add_test('rate_' + name, TrainTest.check, cases.with_step(decay))
    for name, decay in cases.LEARNING_RATES_BY_VALUE.items():
        add_test('rate_' + name, TrainTest.check, cases.with_step(decay), nodes=False)
    for name, case in cases.AVERAGES.items():
        add_test('average_' + name, TrainTest.check, case, skip=GUARDED)
    for name, make in cases.SAVERS.items():
        add_test('saver_' + name, TrainTest.check, cases.saver_nodes(make))
    for name, case in cases.ERRORS.items():
        add_test('error_' + name, TrainTest.check_error, case)


add_tests()

if __name__ == '__main__':
    unittest.main()
