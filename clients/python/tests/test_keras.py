"""tf.keras: models of all kinds, the data that they take, callbacks, and files."""

import contextlib
import functools
import hashlib
import io
import json
import os
import tarfile
import tempfile
import unittest
import zipfile

import numpy as np
import ramet.compat.v1 as tf

try:
    import h5py
except ImportError:
    h5py = None

L = tf.keras.layers
K = tf.keras.backend
X = np.random.RandomState(0).rand(32, 4).astype(np.float32)
Y = X[:, :1] * 2 + 1


def dense_model(**compiling):
    model = tf.keras.Sequential([L.Dense(8, activation='relu', input_shape=(4,)), L.Dense(1)])
    model.compile(**{'optimizer': 'adam', 'loss': 'mse', **compiling})
    return model


class TestCase(unittest.TestCase):

    def setUp(self):
        K.clear_session()
        np.random.seed(0)


class ModelsTest(TestCase):

    def test_a_subclass_gets_its_inputs_from_data(self):
        class Own(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.hidden = [L.Dense(8, activation='relu'), L.Dropout(0.1)]
                self.last = L.Dense(1)

            def call(self, inputs, training=None):
                for layer in self.hidden:
                    inputs = layer(inputs)
                return self.last(inputs)

        model = Own()
        model.compile('sgd', 'mse')
        history = model.fit(X, Y, epochs=3, verbose=0).history
        self.assertLess(history['loss'][-1], history['loss'][0])
        self.assertEqual(4, len(model.trainable_weights))
        self.assertEqual((32, 1), model.predict(X).shape)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'weights')
            model.save_weights(path)
            before = model.get_weights()
            model.set_weights([w * 0 for w in before])
            model.load_weights(path).assert_consumed()
            np.testing.assert_array_equal(before[0], model.get_weights()[0])
        with self.assertRaises(NotImplementedError):
            model.get_config()

    def test_a_sequential_without_shape_is_built_by_data(self):
        model = tf.keras.Sequential([L.Dense(3), L.Dense(1)])
        self.assertEqual([], model.weights)
        model.compile('sgd', 'mse')
        model.fit(X, Y, verbose=0)
        self.assertEqual((4, 3), tuple(model.weights[0].shape.as_list()))

    def test_a_layer_of_the_program(self):
        class Scaled(L.Layer):
            def __init__(self, units, **kwargs):
                super().__init__(**kwargs)
                self.units = units

            def build(self, input_shape):
                self.kernel = self.add_weight('kernel', shape=[int(input_shape[-1]), self.units],
                                              regularizer=tf.keras.regularizers.l2(0.1))
                self.scale = tf.Variable(2., name='scale')
                super().build(input_shape)

            def call(self, inputs):
                return tf.matmul(inputs, self.kernel) * self.scale

            def compute_output_shape(self, input_shape):
                return tf.TensorShape([input_shape[0], self.units])

            def get_config(self):
                return {**super().get_config(), 'units': self.units}

        model = tf.keras.Sequential([Scaled(2, input_shape=(4,), name='own')])
        self.assertEqual(['own/kernel:0', 'own/scale:0'], [w.name for w in model.trainable_weights])
        self.assertEqual(1, len(model.losses))
        with tf.keras.utils.CustomObjectScope({'Scaled': Scaled}):
            copy = tf.keras.models.clone_model(model)
        self.assertEqual(2, copy.layers[0].units)
        with self.assertRaisesRegex(ValueError, 'Unknown layer: Scaled'):
            tf.keras.models.model_from_json(model.to_json())

    def test_layers_of_tf_layers_are_layers_of_keras(self):
        self.assertTrue(issubclass(tf.layers.Dense, L.Dense))
        a = tf.keras.Input((4,))
        model = tf.keras.Model(a, tf.layers.Dense(2)(a))
        model.compile(tf.train.GradientDescentOptimizer(0.1), 'mse')
        model.fit(X, X[:, :2], verbose=0)
        self.assertEqual(2, len(model.trainable_weights))

    def test_operations_between_layers(self):
        a = tf.keras.Input((4,))
        out = L.Dense(1)(tf.nn.relu(L.Dense(3)(a) * 2. + 1.))
        model = tf.keras.Model(a, out)
        self.assertEqual(4, len(model.weights))
        copy = tf.keras.models.model_from_json(model.to_json())
        copy.set_weights(model.get_weights())
        np.testing.assert_allclose(model.predict(X), copy.predict(X), rtol=1e-5)

    def test_layers_that_are_not_trained(self):
        model = dense_model()
        model.layers[0].trainable = False
        model.compile('sgd', 'mse')
        before = model.get_weights()
        model.train_on_batch(X, Y)
        after = model.get_weights()
        np.testing.assert_array_equal(before[0], after[0])
        self.assertTrue((before[2] != after[2]).any())

    def test_a_stateful_network_continues(self):
        model = tf.keras.Sequential([L.LSTM(3, stateful=True, batch_input_shape=(2, 5, 1))])
        x = np.ones((2, 5, 1), np.float32)
        first, second = model.predict(x, batch_size=2), model.predict(x, batch_size=2)
        self.assertTrue((first != second).any())
        model.reset_states()
        np.testing.assert_allclose(first, model.predict(x, batch_size=2), rtol=1e-6)

    def test_the_learning_phase(self):
        a = tf.keras.Input((4,))
        model = tf.keras.Model(a, L.Dropout(0.5)(a))
        np.testing.assert_array_equal(X, model.predict(X))
        run = K.function([model.input, K.learning_phase()], [model.output])
        self.assertTrue((run([X, 1])[0] == 0).any())
        np.testing.assert_array_equal(X, run([X, 0])[0])

    def test_masked_losses_and_metrics(self):
        model = tf.keras.Sequential([L.Masking(input_shape=(2, 1)), L.Dense(1, kernel_initializer='ones')])
        model.compile('sgd', 'mse', metrics=['mse'])
        x = np.array([[[1.], [2.]], [[3.], [0.]]], np.float32)
        loss, metric = model.test_on_batch(x, x * 0)
        self.assertAlmostEqual((1 + 4 + 9) / 4, loss, places=5)
        self.assertAlmostEqual((1 + 4 + 9) / 3, metric, places=5)

    def test_an_optimizer_of_tf_train(self):
        model = dense_model(optimizer=tf.train.AdamOptimizer(0.01))
        history = model.fit(X, Y, epochs=5, verbose=0).history
        self.assertLess(history['loss'][-1], history['loss'][0])

    def test_summary(self):
        lines = []
        a = tf.keras.Input((4,), name='a')
        b = L.Dense(3, name='b')(a)
        tf.keras.Model(a, L.Add(name='c')([b, b]), name='m').summary(print_fn=lines.append)
        self.assertEqual('Model: "m"', lines[0])
        self.assertEqual(['a (InputLayer)', '[(None, 4)]', '0'], [part.strip() for part in lines[4].split('  ')
                                                                   if part.strip()])
        self.assertIn('a[0][0]', lines[6])
        self.assertIn('Total params: 15', lines)

    def test_messages(self):
        with self.assertRaisesRegex(RuntimeError, 'You must compile your model before training/testing'):
            tf.keras.Sequential([L.Dense(1, input_shape=(4,))]).fit(X, Y)
        K.clear_session()
        model = dense_model()
        with self.assertRaisesRegex(ValueError, r'expected dense_input to have shape \(4,\) but got array with shape '
                                                r'\(3,\)'):
            model.predict(X[:, :3])
        with self.assertRaisesRegex(ValueError, 'Found 32 input samples and 31 target samples'):
            model.fit(X, Y[1:])
        with self.assertRaisesRegex(ValueError, 'Unknown loss function: nothing'):
            dense_model(loss='nothing')
        with self.assertRaisesRegex(ValueError, 'Graph disconnected'):
            tf.keras.Model(tf.keras.Input((4,)), L.Dense(1)(tf.keras.Input((4,))))


class DataTest(TestCase):

    def test_datasets(self):
        model = dense_model()
        data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
        history = model.fit(data, epochs=2, validation_data=data, verbose=0).history
        self.assertEqual({'loss', 'val_loss'}, set(history))
        np.testing.assert_allclose(model.evaluate(data, verbose=0), model.evaluate(X, Y, verbose=0), rtol=1e-4)
        self.assertEqual((16, 1), model.predict(data, steps=2).shape)
        model.fit(data.repeat(), steps_per_epoch=3, epochs=2, verbose=0)

    def test_generators(self):
        def batches():
            while True:
                yield X[:8], Y[:8]

        class Batches(tf.keras.utils.Sequence):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                return X[index * 8:index * 8 + 8], Y[index * 8:index * 8 + 8]

        model = dense_model()
        self.assertEqual(2, len(model.fit_generator(batches(), steps_per_epoch=3, epochs=2, verbose=0).epoch))
        model.fit_generator(Batches(), epochs=2, workers=2, validation_data=Batches(), verbose=0)
        np.testing.assert_allclose(model.evaluate_generator(Batches()), model.evaluate(X, Y, verbose=0), rtol=1e-4)
        np.testing.assert_allclose(model.predict_generator(Batches()), model.predict(X), rtol=1e-5)

    def test_weights_and_dicts(self):
        model = dense_model()
        zero = model.test_on_batch({'dense_input': X}, {'dense_1': Y}, sample_weight=np.zeros(32))
        self.assertEqual(0, zero)

    def test_output(self):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            dense_model(metrics=['mae']).fit(X, Y, epochs=2, validation_split=0.25, verbose=2)
        lines = text.getvalue().splitlines()
        self.assertEqual(['Train on 24 samples, validate on 8 samples', 'Epoch 1/2'], lines[:2])
        self.assertRegex(lines[2], r'^24/24 - \d+s .*/sample - loss: [\d.e+]+ - mean_absolute_error: [\d.e+]+ - '
                                   r'val_loss: [\d.e+]+ - val_mean_absolute_error: [\d.e+]+$')


class CallbacksTest(TestCase):

    def test_early_stopping_restores_the_best(self):
        model = dense_model(optimizer=tf.keras.optimizers.SGD(0.))
        stop = tf.keras.callbacks.EarlyStopping('loss', patience=2, restore_best_weights=True)
        self.assertLess(len(model.fit(X, Y, epochs=20, verbose=0, callbacks=[stop]).epoch), 10)

    def test_learning_rates(self):
        model = dense_model(optimizer='sgd')
        c = tf.keras.callbacks
        history = model.fit(X, Y, epochs=3, verbose=0, callbacks=[
            c.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1))]).history
        np.testing.assert_allclose([0.1, 0.05, 0.1 / 3], history['lr'], rtol=1e-6)
        K.set_value(model.optimizer.lr, 0.5)
        model.fit(X, Y, epochs=3, verbose=0, callbacks=[c.ReduceLROnPlateau('loss', 0.5, patience=1, min_delta=100)])
        self.assertAlmostEqual(0.125, float(K.get_value(model.optimizer.lr)))

    def test_files(self):
        c = tf.keras.callbacks
        with tempfile.TemporaryDirectory() as folder:
            model = dense_model()
            path = os.path.join(folder, 'w-{epoch:02d}')
            model.fit(X, Y, epochs=2, verbose=0, callbacks=[
                c.CSVLogger(os.path.join(folder, 'log.csv')), c.TensorBoard(os.path.join(folder, 'events')),
                c.ModelCheckpoint(path, save_weights_only=True), c.TerminateOnNaN()])
            with open(os.path.join(folder, 'log.csv')) as file:
                self.assertEqual('epoch,loss', file.read().splitlines()[0])
            self.assertTrue(os.path.exists(os.path.join(folder, 'w-02.index')))
            events = os.path.join(folder, 'events')
            tags = {v.tag for e in tf.train.summary_iterator(os.path.join(events, os.listdir(events)[0]))
                    for v in e.summary.value}
            self.assertEqual({'epoch_loss'}, tags)
            self.assertEqual(os.path.join(folder, 'w-02'), tf.train.latest_checkpoint(folder))

    def test_lambda_callbacks_are_called_in_order(self):
        called = []
        c = tf.keras.callbacks.LambdaCallback(
            on_epoch_begin=lambda e, logs: called.append(f'begin {e}'), on_batch_end=lambda b, logs: called.append(b),
            on_train_end=lambda logs: called.append('end'))
        dense_model().fit(X, Y, batch_size=16, verbose=0, callbacks=[c])
        self.assertEqual(['begin 0', 0, 1, 'end'], called)


@unittest.skipIf(h5py is None, 'h5py is not installed')
class FilesTest(TestCase):

    def test_a_model_continues_after_loading(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'model.h5')
            model = dense_model(metrics=['mae'])
            model.fit(X, Y, verbose=0)
            model.save(path)
            model.reset_metrics()
            expected = model.train_on_batch(X, Y)
            K.clear_session()
            loaded = tf.keras.models.load_model(path)
            np.testing.assert_allclose(expected, loaded.train_on_batch(X, Y), rtol=1e-5)
            self.assertEqual(['loss', 'mean_absolute_error'], loaded.metrics_names)

    def test_weights_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'weights.h5')
            model = tf.keras.Sequential([L.Dense(3, name='a', input_shape=(4,)), L.Dense(2, name='b')])
            model.save_weights(path)
            other = tf.keras.Sequential([L.Dense(3, name='a', input_shape=(4,)), L.Dense(5, name='c')])
            other.load_weights(path, by_name=True)
            np.testing.assert_array_equal(model.get_weights()[0], other.get_weights()[0])
            with self.assertRaisesRegex(ValueError, 'containing 2 layers into a model with 1 layers'):
                tf.keras.Sequential([L.Dense(3, input_shape=(4,))]).load_weights(path)


class ObjectCheckpointTest(TestCase):

    def test_checkpoints_of_models(self):
        with tempfile.TemporaryDirectory() as folder:
            for optimizer in ('adam', tf.train.AdamOptimizer()):
                model, other = (dense_model(optimizer=optimizer, loss='mse') for _ in range(2))
                for each in (model, other):
                    each.train_on_batch(X, Y)
                session = K.get_session()
                path = tf.train.Checkpoint(model=model).save(os.path.join(folder, 'c'), session)
                names = [name for name, _ in tf.train.list_variables(path)]
                self.assertIn('model/layer-0/kernel/.ATTRIBUTES/VARIABLE_VALUE', names)
                self.assertTrue(any('/.OPTIMIZER_SLOT/model/optimizer/' in name for name in names))
                status = tf.train.Checkpoint(model=other).restore(path)
                status.assert_consumed().initialize_or_restore(session)
                for expected, found in zip(model.get_weights(), other.get_weights(), strict=True):
                    np.testing.assert_array_equal(expected, found)

    def test_saving_weights_again_adds_no_operations(self):
        with tempfile.TemporaryDirectory() as folder:
            model = dense_model(optimizer='adam', loss='mse')
            model.save_weights(os.path.join(folder, 'w'), save_format='tf')
            count = len(tf.get_default_graph().get_operations())
            model.save_weights(os.path.join(folder, 'w'), save_format='tf')
            self.assertEqual(count, len(tf.get_default_graph().get_operations()))

    def test_layers_in_private_attributes(self):
        class Own(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self._blocks = [L.Dense(2)]
                self._named = {'last': L.Dense(1)}

            def call(self, inputs):
                return self._named['last'](self._blocks[0](inputs))

        model = Own()
        model(tf.ones([2, 3]))
        self.assertEqual(4, len(model.trainable_weights))


class UtilsTest(TestCase):

    def test_arrays(self):
        np.testing.assert_array_equal([[0, 1], [1, 0]], tf.keras.utils.to_categorical([1, 0]))
        np.testing.assert_allclose([[.6, .8]], tf.keras.utils.normalize(np.array([[3., 4.]])))
        with self.assertRaisesRegex(FileNotFoundError, 'Ramet does not download files'):
            tf.keras.utils.get_file('nothing.npz', cache_dir=os.sep)

    def test_files_of_the_cache(self):
        with tempfile.TemporaryDirectory() as cache:
            folder = os.path.join(cache, 'datasets')
            os.makedirs(folder)
            text = os.path.join(cache, 'text')
            with open(text, 'wb') as file:
                file.write(b'some text')
            with tarfile.open(os.path.join(folder, 'words.tar.gz'), 'w:gz') as archive:
                archive.add(text, 'words/a.txt')
            with zipfile.ZipFile(os.path.join(folder, 'more.zip'), 'w') as archive:
                archive.write(text, 'b.txt')
            with open(os.path.join(folder, 'more.zip'), 'rb') as file:
                content = file.read()

            get_file = functools.partial(tf.keras.utils.get_file, cache_dir=cache)
            self.assertEqual(os.path.join(folder, 'words'), get_file('words', untar=True))
            self.assertEqual(['a.txt'], os.listdir(os.path.join(folder, 'words')))
            get_file('more.zip', extract=True, archive_format='tar')
            self.assertFalse(os.path.exists(os.path.join(folder, 'b.txt')))
            get_file('more.zip', extract=True, md5_hash=hashlib.md5(content).hexdigest())
            self.assertTrue(os.path.exists(os.path.join(folder, 'b.txt')))
            get_file('more.zip', file_hash=hashlib.sha256(content).hexdigest())
            for digest, algorithm in (('0' * 64, 'sha256'), ('0' * 32, 'md5')):
                with self.assertRaisesRegex(ValueError, f'more.zip has the {algorithm} digest'):
                    get_file('more.zip', file_hash=digest)

    def test_events_that_are_not_written(self):
        with self.assertLogs('tensorflow', 'WARNING') as logs:
            tf.keras.callbacks.TensorBoard(write_images=True, write_graph=True)
        self.assertEqual(1, len(logs.output))
        self.assertIn('ignores write_images=True', logs.output[0])

    def test_sequences_and_texts(self):
        p = tf.keras.preprocessing
        np.testing.assert_array_equal([[0, 1, 2], [4, 5, 6]], p.sequence.pad_sequences([[1, 2], [3, 4, 5, 6]], 3))
        tokenizer = p.text.Tokenizer(num_words=3, oov_token='?')
        tokenizer.fit_on_texts(['a b a', 'c a!'])
        self.assertEqual([[2, 1], [1]], tokenizer.texts_to_sequences(['A b', 'd']))
        self.assertEqual({'?': 1, 'a': 2, 'b': 3, 'c': 4}, tokenizer.word_index)

    def test_images(self):
        generator = tf.keras.preprocessing.image.ImageDataGenerator(
            rescale=0.5, horizontal_flip=True, rotation_range=20, width_shift_range=0.1, zoom_range=0.1)
        x = np.random.rand(10, 6, 6, 3).astype(np.float32)
        batch, labels = next(generator.flow(x, np.arange(10), batch_size=4, seed=1))
        self.assertEqual(((4, 6, 6, 3), (4,)), (batch.shape, labels.shape))
        self.assertLessEqual(batch.max(), 0.5)

    def test_data_sets_come_from_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'mnist.npz')
            np.savez(path, x_train=np.zeros((3, 28, 28)), y_train=np.zeros(3), x_test=np.zeros((2, 28, 28)),
                     y_test=np.zeros(2))
            (x, _), (_, y) = tf.keras.datasets.mnist.load_data(path)
            self.assertEqual(((3, 28, 28), (2,)), (x.shape, y.shape))

    def test_configurations_are_json(self):
        model = dense_model()
        self.assertEqual('Sequential', json.loads(model.to_json())['class_name'])


if __name__ == '__main__':
    unittest.main()
