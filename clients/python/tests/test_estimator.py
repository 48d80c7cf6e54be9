"""Tests of tf.estimator: training, evaluation, predictions, exports and warm starts of a model function."""

import os
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf

ModeKeys = tf.estimator.ModeKeys
INPUTS = np.linspace(-1, 1, 40, dtype=np.float32)[:, np.newaxis]
LABELS = 3 * INPUTS + 1


def line(features, labels, mode, params):
    """A model that fits a line."""
    x = features['x']
    predictions = tf.layers.dense(x, 1, name='line')
    if mode == ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'y': predictions, 'twice': 2 * predictions})
    loss = tf.losses.mean_squared_error(labels, predictions)
    train_op = None
    if mode == ModeKeys.TRAIN:
        optimizer = tf.train.GradientDescentOptimizer(params['rate'])
        train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op,
        eval_metric_ops={'error': tf.metrics.mean_absolute_error(labels, predictions)})


def inputs(repeat=20, batch=10):
    return tf.data.Dataset.from_tensor_slices(({'x': INPUTS}, LABELS)).repeat(repeat).batch(batch)


def summaries(folder):
    """Returns {step: {tag: value}} of the event files in a folder."""
    found = {}
    for name in os.listdir(folder):
        if 'tfevents' in name:
            for event in tf.train.summary_iterator(os.path.join(folder, name)):
                for value in event.summary.value:
                    found.setdefault(event.step, {})[value.tag] = value.simple_value
    return found


class EstimatorTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def make(self, name='model', model_fn=line, params=None, warm_start_from=None, **config):
        config = tf.estimator.RunConfig(tf_random_seed=1, **{'save_checkpoints_steps': 20, **config})
        return tf.estimator.Estimator(model_fn, os.path.join(self.folder, name), config,
                                      params or {'rate': .3}, warm_start_from)

    def test_trains_until_the_inputs_end_and_continues(self):
        estimator = self.make()
        self.assertIs(estimator.train(inputs), estimator)
        self.assertEqual(estimator.get_variable_value('global_step'), 80)
        self.assertEqual(estimator.get_variable_names(), ['global_step', 'line/bias', 'line/kernel'])
        estimator.train(inputs, steps=5)
        self.assertEqual(estimator.get_variable_value('global_step'), 85)
        estimator.train(inputs, max_steps=85)
        self.assertTrue(estimator.latest_checkpoint().endswith('model.ckpt-85'))
        np.testing.assert_allclose(estimator.get_variable_value('line/kernel'), [[3]], atol=.05)

    def test_writes_the_files_of_tensorflow(self):
        estimator = self.make(save_summary_steps=10)
        estimator.train(inputs, steps=25)
        names = os.listdir(estimator.model_dir)
        for name in ('checkpoint', 'graph.pbtxt', 'model.ckpt-0.index', 'model.ckpt-20.meta', 'model.ckpt-25.index'):
            self.assertIn(name, names)
        found = summaries(estimator.model_dir)
        self.assertEqual(sorted(step for step in found if 'loss' in found[step]), [1, 11, 21])
        with open(os.path.join(estimator.model_dir, 'checkpoint')) as file:
            self.assertIn('model_checkpoint_path: "model.ckpt-25"', file.read())

    def test_evaluates_a_checkpoint(self):
        estimator = self.make()
        estimator.train(inputs)
        result = estimator.evaluate(inputs, steps=4)
        self.assertEqual(set(result), {'error', 'loss', 'global_step'})
        self.assertLess(result['error'], .05)
        self.assertEqual(result['global_step'], 80)
        again = estimator.evaluate(lambda: inputs(1), name='other',
                                   checkpoint_path=os.path.join(estimator.model_dir, 'model.ckpt-20'))
        self.assertEqual(again['global_step'], 20)
        found = summaries(estimator.eval_dir('other'))
        self.assertAlmostEqual(found[20]['error'], again['error'], places=6)
        self.assertIn('checkpoint_path', found[20])

    def test_predicts_examples_or_batches(self):
        estimator = self.make()
        estimator.train(inputs)

        def features():
            return tf.data.Dataset.from_tensors({'x': tf.constant([[0.], [1.], [2.]])})

        values = list(estimator.predict(features))
        self.assertEqual(len(values), 3)
        np.testing.assert_allclose([v['y'][0] for v in values], [1, 4, 7], atol=.1)
        with tf.Graph().as_default() as graph:
            first = estimator.predict(features)
            next(first)
            self.assertIs(tf.get_default_graph(), graph)
            first.close()
        (batch,) = estimator.predict(features, predict_keys=['twice'], yield_single_examples=False)
        self.assertEqual(list(batch), ['twice'])
        with self.assertRaisesRegex(ValueError, 'Expected to run at least one output from'):
            next(estimator.predict(features, predict_keys=['nothing']))

    def test_uses_a_model_without_a_checkpoint(self):
        self.assertEqual(self.make().evaluate(inputs, steps=1)['global_step'], 0)

    def test_exports_for_serving(self):
        estimator = self.make()
        estimator.train(inputs, steps=20)
        receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
            {'x': tf.placeholder(tf.float32, [None, 1], name='x')})
        path = estimator.export_saved_model(os.path.join(self.folder, 'served'), receiver)
        self.assertRegex(path.decode(), r'served/\d+$')
        with tf.Session(graph=tf.Graph()) as session:
            meta_graph = tf.saved_model.loader.load(session, ['serve'], path.decode())
            signature = meta_graph.signature_def['serving_default']
            self.assertEqual(set(signature.outputs), {'y', 'twice'})
            y, twice = session.run([signature.outputs['y'].name, signature.outputs['twice'].name],
                                   {signature.inputs['x'].name: [[1.]]})
            np.testing.assert_allclose(2 * y, twice)

    def test_exports_all_modes(self):
        estimator = self.make()
        estimator.train(inputs, steps=20)
        features = {'x': tf.placeholder(tf.float32, [None, 1], name='x')}
        supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
            features, tf.placeholder(tf.float32, [None, 1], name='y'))
        path = estimator.experimental_export_all_saved_models(os.path.join(self.folder, 'all'), {
            ModeKeys.TRAIN: supervised, ModeKeys.EVAL: supervised,
            ModeKeys.PREDICT: tf.estimator.export.build_raw_serving_input_receiver_fn(features)})
        with tf.Session(graph=tf.Graph()) as session:
            meta_graph = tf.saved_model.loader.load(session, ['eval'], path.decode())
            self.assertEqual(set(meta_graph.signature_def['eval'].outputs),
                             {'loss', 'metrics/error/value', 'metrics/error/update_op'})

    def test_warm_starts_from_a_checkpoint(self):
        first = self.make()
        first.train(inputs)
        second = self.make('second', params={'rate': 1e-9}, warm_start_from=first.model_dir)
        second.train(inputs, steps=1)
        np.testing.assert_allclose(second.get_variable_value('line/kernel'), first.get_variable_value('line/kernel'),
                                   atol=1e-6)
        settings = tf.estimator.WarmStartSettings(first.model_dir, vars_to_warm_start='.*bias')
        third = self.make('third', params={'rate': 1e-9}, warm_start_from=settings)
        third.train(inputs, steps=1)
        np.testing.assert_allclose(third.get_variable_value('line/bias'), first.get_variable_value('line/bias'),
                                   atol=1e-6)
        self.assertNotAlmostEqual(third.get_variable_value('line/kernel')[0, 0],
                                  first.get_variable_value('line/kernel')[0, 0], places=2)

    def test_warm_starts_rows_by_a_vocabulary(self):
        words = {'old': 'a\nb\nc\n', 'new': 'c\nx\na\n'}
        for name, text in words.items():
            with open(os.path.join(self.folder, name), 'w') as file:
                file.write(text)
        with tf.Graph().as_default(), tf.Session() as session:
            table = tf.get_variable('table', initializer=[[1., 1], [2, 2], [3, 3]])
            session.run(table.initializer)
            path = tf.train.Saver().save(session, os.path.join(self.folder, 'words'))
        with tf.Graph().as_default(), tf.Session() as session:
            table = tf.get_variable('table', shape=[4, 2])
            tf.train.warm_start(path, var_name_to_vocab_info={'table': tf.train.VocabInfo(
                os.path.join(self.folder, 'new'), 3, 1, os.path.join(self.folder, 'old'),
                backup_initializer=tf.constant_initializer(7.))})
            session.run(table.initializer)
            np.testing.assert_array_equal(session.run(table), [[3, 3], [7, 7], [1, 1], [7, 7]])

    def test_trains_evaluates_and_exports(self):
        estimator = self.make(save_checkpoints_steps=20)
        receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
            {'x': tf.placeholder(tf.float32, [None, 1], name='x')})
        exporters = [tf.estimator.FinalExporter('final', receiver), tf.estimator.BestExporter('best', receiver)]
        metrics, exported = tf.estimator.train_and_evaluate(
            estimator, tf.estimator.TrainSpec(inputs, max_steps=60),
            tf.estimator.EvalSpec(inputs, steps=2, exporters=exporters, throttle_secs=0))
        self.assertEqual(metrics['global_step'], 60)
        self.assertRegex(exported[0].decode(), r'export/final/\d+$')
        self.assertEqual(sorted(summaries(estimator.eval_dir())), [20, 40, 60])
        self.assertTrue(os.listdir(os.path.join(estimator.model_dir, 'export', 'best')))

    def test_stops_when_a_metric_is_low(self):
        estimator = self.make(save_checkpoints_steps=10)
        hook = tf.estimator.experimental.stop_if_lower_hook(
            estimator, 'error', .5, run_every_secs=None, run_every_steps=1)
        tf.estimator.train_and_evaluate(
            estimator, tf.estimator.TrainSpec(inputs, max_steps=80, hooks=[hook]),
            tf.estimator.EvalSpec(inputs, steps=4, throttle_secs=0))
        self.assertLess(estimator.get_variable_value('global_step'), 80)

    def test_evaluates_in_memory(self):
        estimator = self.make(save_checkpoints_steps=1000)
        hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, lambda: inputs(1), every_n_iter=10)
        estimator.train(inputs, steps=25, hooks=[hook])
        found = summaries(estimator.eval_dir())
        self.assertEqual(sorted(found), [0, 10, 20, 25])
        self.assertAlmostEqual(found[25]['loss'], estimator.evaluate(lambda: inputs(1))['loss'], places=5)

    def test_stops_at_a_checkpoint(self):
        estimator = self.make(save_checkpoints_steps=5)
        hook = tf.estimator.experimental.make_stop_at_checkpoint_step_hook(estimator, 10, 0)
        estimator.train(inputs, hooks=[hook])
        self.assertLess(estimator.get_variable_value('global_step'), 15)

    def test_hooks_and_listeners_run(self):
        calls = []

        class Hook(tf.train.SessionRunHook):
            def after_run(self, run_context, run_values):
                calls.append('run')

        class Listener(tf.train.CheckpointSaverListener):
            def after_save(self, session, global_step_value):
                calls.append(int(global_step_value))

        self.make().train(inputs, hooks=[Hook()], max_steps=3, saving_listeners=[Listener()])
        self.assertEqual(calls, [0, 'run', 'run', 'run', 3])


class ArgumentsTest(unittest.TestCase):

    def refuses(self, error, text, function, *args, **kwargs):
        with self.assertRaisesRegex(error, text):
            function(*args, **kwargs)

    def test_estimator_checks_its_arguments(self):
        folder = tempfile.mkdtemp()
        make = tf.estimator.Estimator
        self.refuses(ValueError, 'model_fn must be provided', make, None, folder)
        self.refuses(ValueError, 'must include features argument', make, lambda labels: None, folder)
        self.refuses(ValueError, 'does not include params', make, lambda features: None, folder, params={'a': 1})
        self.refuses(ValueError, 'has following not expected args', make, lambda features, more: None, folder)
        self.refuses(ValueError, 'config must be an instance of `RunConfig`', make, line, folder, config=1)
        estimator = make(line, folder, params={})
        self.refuses(ValueError, 'Can not provide both steps and max_steps', estimator.train, inputs, steps=1,
                     max_steps=1)
        self.refuses(ValueError, 'Must specify steps > 0', estimator.train, inputs, steps=0)
        self.refuses(ValueError, 'Must specify steps > 0', estimator.evaluate, inputs, steps=0)
        self.refuses(ValueError, "Couldn't find trained model at", estimator.get_variable_names)
        self.refuses(ValueError, 'input_fn should return', estimator.train, lambda: (1, 2, 3))

    def test_spec_checks_its_arguments(self):
        spec = tf.estimator.EstimatorSpec
        with tf.Graph().as_default():
            loss = tf.constant(1.)
            self.refuses(ValueError, 'Missing loss', spec, ModeKeys.EVAL)
            self.refuses(ValueError, 'Missing train_op', spec, ModeKeys.TRAIN, loss=loss)
            self.refuses(ValueError, 'Missing predictions', spec, ModeKeys.PREDICT)
            self.refuses(ValueError, 'Loss must be scalar', spec, ModeKeys.EVAL, loss=tf.constant([1., 2]))
            self.refuses(TypeError, 'Values of eval_metric_ops must be', spec, ModeKeys.EVAL, loss=loss,
                         eval_metric_ops={'a': loss})
            self.assertEqual(spec(ModeKeys.EVAL, loss=tf.constant([1.])).loss.shape, ())
        with tf.Graph().as_default():
            self.refuses(ValueError, 'must be from the default graph', spec, ModeKeys.EVAL, loss=loss)

    def test_run_config(self):
        config = tf.estimator.RunConfig(save_checkpoints_steps=3)
        self.assertEqual((config.save_checkpoints_steps, config.save_checkpoints_secs), (3, None))
        self.assertEqual(config.replace(save_checkpoints_secs=5).save_checkpoints_steps, None)
        self.assertEqual(tf.estimator.RunConfig().save_checkpoints_secs, 600)
        self.refuses(ValueError, 'cannot be both set', tf.estimator.RunConfig, save_checkpoints_secs=1,
                     save_checkpoints_steps=1)
        self.refuses(ValueError, 'Replacing nothing is not supported', config.replace, nothing=1)
        self.refuses(ValueError, 'keep_checkpoint_max should be >= 0', tf.estimator.RunConfig, keep_checkpoint_max=-1)
        self.assertTrue(config.is_chief)

    def test_reads_tf_config(self):
        self.addCleanup(os.environ.pop, 'TF_CONFIG', None)
        os.environ['TF_CONFIG'] = '{"model_dir": "/tmp/somewhere", "task": {"type": "chief"}}'
        config = tf.estimator.RunConfig()
        self.assertEqual((config.model_dir, config.task_type), ('/tmp/somewhere', 'chief'))
        os.environ['TF_CONFIG'] = '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker"}}'
        self.refuses(ValueError, 'cluster of several tasks', tf.estimator.RunConfig)


class InputsTest(unittest.TestCase):

    @staticmethod
    def batches(input_fn):
        found = []
        with tf.Graph().as_default():
            batch = input_fn()
            with tf.train.MonitoredSession() as session:
                while not session.should_stop():
                    found.append(session.run(batch))
        return found

    def test_numpy_arrays(self):
        x, y = np.arange(10), np.arange(10) * 2.
        found = self.batches(tf.estimator.inputs.numpy_input_fn({'a': x}, y, batch_size=4, num_epochs=2, shuffle=False))
        np.testing.assert_array_equal(np.concatenate([f['a'] for f, _ in found]), np.tile(x, 2))
        np.testing.assert_array_equal(np.concatenate([labels for _, labels in found]), np.tile(y, 2))
        found = self.batches(tf.estimator.inputs.numpy_input_fn(x, batch_size=3, shuffle=True))
        self.assertEqual(sorted(np.concatenate(found)), list(range(10)))

    def test_strings(self):
        found = self.batches(tf.estimator.inputs.numpy_input_fn({'a': np.array(['u', 'vw'])}, shuffle=False))
        self.assertEqual(list(found[0]['a']), [b'u', b'vw'])

    def test_numpy_arguments(self):
        make = tf.estimator.inputs.numpy_input_fn
        with self.assertRaisesRegex(ValueError, "'shuffle' must be provided"):
            make({'a': np.arange(2)})
        with self.assertRaisesRegex(ValueError, 'x cannot be an empty dict'):
            make({}, shuffle=False)
        with self.assertRaisesRegex(TypeError, 'x must be a dict or array'):
            make([1], shuffle=False)
        with tf.Graph().as_default():
            with self.assertRaisesRegex(ValueError, 'Length of tensors in x and y is mismatched'):
                make({'a': np.arange(2)}, np.arange(3), shuffle=False)()
            with self.assertRaisesRegex(ValueError, 'no rows'):
                make({'a': np.arange(0)}, shuffle=False)()


if __name__ == '__main__':
    unittest.main()
