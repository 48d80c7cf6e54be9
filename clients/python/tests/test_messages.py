"""Messages in common situations, and whether they help."""

import os
import tempfile
import unittest

import numpy as np
import ramet
import ramet.compat.v1 as tf
from ramet.examples.tutorials.mnist import input_data


class MessagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        context = tf.Graph().as_default()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def said(self, error, call, *args, **kwargs):
        """Calls, and returns the message of the error of the expected class."""
        with self.assertRaises(error) as caught:
            call(*args, **kwargs)
        return str(caught.exception)

    def logged(self, call, *args):
        """Calls, and returns what was written to the standard error stream."""
        with tempfile.TemporaryFile() as file:
            kept = os.dup(2)
            os.dup2(file.fileno(), 2)
            try:
                call(*args)
            finally:
                os.dup2(kept, 2)
                os.close(kept)
            file.seek(0)
            return file.read().decode()

    def check(self, message, *parts):
        for part in parts:
            self.assertIn(part, message)


class BytesInMessagesTest(MessagesTest):
    def test_bytes_that_are_not_utf_8_are_escaped(self):
        with tf.Session() as session:
            said = self.said(tf.errors.InvalidArgumentError, session.run, tf.string_to_number(tf.constant(b'a\xffb')))
        self.check(said, r'a\xffb')


class CheckpointMessagesTest(MessagesTest):
    def setUp(self):
        super().setUp()
        self.variable = tf.get_variable('v', [3])
        self.saver = tf.train.Saver()
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def save(self):
        self.session.run(tf.global_variables_initializer())
        for step in (600, 900):
            self.saver.save(self.session, self.path('model1'), global_step=step)

    def test_restore_of_a_prefix_that_is_not_there(self):
        self.save()
        message = self.said(ValueError, self.saver.restore, self.session, self.path('model1-1000'))
        self.check(message, 'The passed save_path is not a valid checkpoint: ',
                   'looked for ' + self.path('model1-1000.index'), 'model1-600, model1-900',
                   'latest is ' + self.path('model1-900'))

    def test_restore_from_a_folder_that_is_not_there(self):
        self.check(self.said(ValueError, self.saver.restore, self.session, self.path('no/model')),
                   self.path('no/model.index'), f"folder '{self.path('no')}' cannot be read")

    def test_restore_of_none(self):
        latest = tf.train.latest_checkpoint(self.folder)
        self.assertIsNone(latest)
        self.check(self.said(ValueError, self.saver.restore, self.session, latest),
                   "Can't load save_path when it is None.", 'latest_checkpoint', self.folder,
                   "no file 'checkpoint'")

    def test_load_of_a_model_that_is_not_there(self):
        self.save()
        self.check(self.said(FileNotFoundError, ramet.load, self.path('modle1')),
                   self.path('modle1.meta'), 'model1-600, model1-900')

    def test_a_variable_is_uninitialized(self):
        message = self.said(tf.errors.FailedPreconditionError, self.session.run,
                            self.variable + 1)
        self.check(message, 'Attempting to use uninitialized value v', 'restore a checkpoint',
                   'run its initializer', 'session.initialize_missing()',
                   os.path.basename(__file__))

    def test_a_resource_variable_is_uninitialized(self):
        variable = tf.get_variable('r', [3], use_resource=True)
        self.check(self.said(tf.errors.FailedPreconditionError, self.session.run, variable),
                   'Could not find variable r.', 'restore a checkpoint', 'run its initializer',
                   'session.initialize_missing()')

    def test_initialize_missing_is_what_the_messages_say(self):
        self.save()
        other = tf.get_variable('w', initializer=5.0)
        with tf.Session() as session:
            self.saver.restore(session, self.path('model1-900'))
            self.assertEqual(session.initialize_missing(), 1)
            self.assertEqual(session.run(other), 5)
            np.testing.assert_array_equal(session.run(self.variable),
                                          self.session.run(self.variable))

    def test_initializers_after_a_restore(self):
        self.save()
        init = tf.global_variables_initializer()
        self.saver.restore(self.session, self.path('model1-900'))
        self.check(self.logged(self.session.run, init), 'restored values of 1 variables are '
                   'overwritten by their initializers', 'session.initialize_missing()')
        self.assertEqual(self.logged(self.session.run, init), '')


class RunMessagesTest(MessagesTest):
    def test_a_placeholder_was_not_fed(self):
        x = tf.placeholder(tf.float32, [None, 784], name='x')
        with tf.Session() as session:
            message = self.said(tf.errors.InvalidArgumentError, session.run, x + 1)
        self.check(message, "You must feed a value for placeholder tensor 'x'", 'dtype float',
                   'shape [?,784]', 'placeholder values are not saved',
                   os.path.basename(__file__))

    def test_a_gpu_without_one(self):
        with tf.device('/gpu:0'):
            x = tf.constant(1.0, name='x')
        with tf.Session() as session:
            self.check(self.said(tf.errors.InvalidArgumentError, session.run, x),
                       'Cannot assign a device for operation x:',
                       'was explicitly assigned to /device:GPU:0 but available devices are [',
                       'CPU:0', 'allow_soft_placement')

    def test_a_gpu_without_one_placed_softly(self):
        with tf.device('/gpu:0'):
            x = tf.constant(1.0, name='x') + 1
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            log = self.logged(session.run, x)
            self.check(log, '/device:GPU:0', "'x'", 'run on', 'CPU:0')
            self.assertEqual(log.count('\n'), 1)
            self.assertEqual(self.logged(session.run, x), '')

    def import_node(self, op):
        graph_def = tf.GraphDef()
        graph_def.node.add(name='n', op=op)
        tf.import_graph_def(graph_def, name='')

    def test_an_op_that_cannot_run_here(self):
        self.import_node('MatMull')
        with tf.Session() as session:
            self.check(self.said(tf.errors.UnimplementedError, session.run, 'n'), "node 'n'",
                       "'MatMull'", "the most similar op is 'MatMul'",
                       'importing, cloning and exporting it still work')
        self.assertEqual(tf.get_default_graph().as_graph_def().node[0].op, 'MatMull')

    def test_a_fetch_that_is_not_there(self):
        tf.constant(1, name='out')
        with tf.Session() as session:
            self.check(self.said(ValueError, session.run, 'ouT:0'), "'ouT:0'",
                       "Did you mean 'out'?")


class NamesAndDataMessagesTest(MessagesTest):
    def test_data_set_files_are_missing(self):
        self.check(self.said(tf.errors.NotFoundError, input_data.read_data_sets,
                             self.path('MNIST_data')), self.path('MNIST_data'),
                   'train-images-idx3-ubyte', 'train-labels-idx1-ubyte', 't10k-images-idx3-ubyte',
                   't10k-labels-idx1-ubyte', 'no such folder', 'dataset-fashion-mnist')

    def name(self, path):
        found = tf
        for part in path.split('.'):
            found = getattr(found, part)
        return found

    def test_names_that_tensorflow_never_had(self):
        for path, meant in (('train.import', 'tf.train.import_meta_graph'),
                            ('get_trainable_variables', 'tf.trainable_variables'),
                            ('GlobalKeys', 'tf.GraphKeys'), ('placehodler', 'tf.placeholder'),
                            ('train.AdamOptimiser', 'tf.train.AdamOptimizer'),
                            ('nn.sofmax', 'tf.nn.softmax'),
                            ('raw_ops.MatMull', 'tf.raw_ops.MatMul')):
            message = self.said(AttributeError, self.name, path)
            self.check(message, f'TensorFlow 1 has no tf.{path}; did you mean ', meant)

    def test_names_that_ramet_does_not_have(self):
        absent = tf.raw_ops.TPUReplicateMetadata
        self.check(self.said(NotImplementedError, absent, num_replicas=1),
                   'TensorFlow has tf.raw_ops.TPUReplicateMetadata, but Ramet does not have it')


if __name__ == '__main__':
    unittest.main()
