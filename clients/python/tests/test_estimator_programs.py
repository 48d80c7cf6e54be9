"""Whole programs with estimators, written as programs for TensorFlow 1 are: a digit classifier and a small BERT."""

import collections
import os
import re
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf


def digits(count, seed):
    """Returns images of 28 x 28 whose bright row says the label."""
    random = np.random.RandomState(seed)
    labels = random.randint(0, 10, count).astype(np.int32)
    images = random.rand(count, 28, 28).astype(np.float32) * .1
    for image, label in zip(images, labels):
        image[2 * label:2 * label + 3] += 1
    return images.reshape(count, 784), labels


def cnn_model_fn(features, labels, mode):
    """A convolutional network for digits."""
    net = tf.reshape(features['x'], [-1, 28, 28, 1])
    for filters in (8, 16):
        net = tf.layers.conv2d(net, filters, [5, 5], padding='same', activation=tf.nn.relu)
        net = tf.layers.max_pooling2d(net, [2, 2], strides=2)
    net = tf.layers.dense(tf.layers.flatten(net), 32, activation=tf.nn.relu)
    net = tf.layers.dropout(net, rate=.1, training=mode == tf.estimator.ModeKeys.TRAIN)
    logits = tf.layers.dense(net, 10)
    predictions = {'classes': tf.argmax(logits, axis=1), 'probabilities': tf.nn.softmax(logits, name='softmax_tensor')}
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=predictions, export_outputs={
            'classify': tf.estimator.export.PredictOutput(predictions)})
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    accuracy = tf.metrics.accuracy(labels=labels, predictions=predictions['classes'], name='acc_op')
    tf.identity(accuracy[1], name='train_accuracy')
    tf.summary.scalar('train_accuracy', accuracy[1])
    train_op = tf.train.AdamOptimizer(3e-3).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={'accuracy': accuracy})


class DigitsTest(unittest.TestCase):

    def test_program(self):
        with tempfile.TemporaryDirectory() as folder:
            classifier = tf.estimator.Estimator(
                cnn_model_fn, os.path.join(folder, 'model'), tf.estimator.RunConfig(tf_random_seed=7))
            images, labels = digits(200, 1)
            train = tf.estimator.inputs.numpy_input_fn({'x': images}, labels, batch_size=50, num_epochs=None,
                                                       shuffle=True)
            hook = tf.train.LoggingTensorHook({'probabilities': 'softmax_tensor'}, every_n_iter=50)
            classifier.train(train, steps=30, hooks=[hook])
            images, labels = digits(60, 2)
            test = tf.estimator.inputs.numpy_input_fn({'x': images}, labels, num_epochs=1, shuffle=False)
            self.assertGreater(classifier.evaluate(test)['accuracy'], .8)
            predictions = [p['classes'] for p in classifier.predict(test)]
            self.assertEqual(len(predictions), 60)
            self.assertGreater(np.mean(predictions == labels), .8)
            image = tf.placeholder(tf.float32, [None, 784])
            path = classifier.export_savedmodel(
                os.path.join(folder, 'export'),
                tf.estimator.export.build_raw_serving_input_receiver_fn({'x': image}))
            self.assertTrue(os.path.exists(os.path.join(path.decode(), 'saved_model.pb')))
            again = tf.estimator.Estimator(cnn_model_fn, os.path.join(folder, 'again'),
                                           warm_start_from=os.path.join(folder, 'model'))
            again.train(train, steps=1)
            self.assertGreater(again.evaluate(test)['accuracy'], .5)


CONFIG = dict(vocab_size=30, hidden_size=16, layers=2, heads=2, intermediate_size=32, positions=16, stddev=.02)
LENGTH = 12


def gelu(x):
    return x * .5 * (1. + tf.tanh(np.sqrt(2 / np.pi) * (x + .044715 * tf.pow(x, 3))))


def initializer():
    return tf.truncated_normal_initializer(stddev=CONFIG['stddev'])


def layer_norm(x, name='LayerNorm'):
    with tf.variable_scope(name):
        size = x.shape[-1].value
        gamma = tf.get_variable('gamma', [size], initializer=tf.ones_initializer())
        beta = tf.get_variable('beta', [size], initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(x, axes=[-1], keep_dims=True)
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-12)


def embeddings(ids, segments):
    with tf.variable_scope('embeddings'):
        size = CONFIG['hidden_size']
        words = tf.get_variable('word_embeddings', [CONFIG['vocab_size'], size], initializer=initializer())
        kinds = tf.get_variable('token_type_embeddings', [2, size], initializer=initializer())
        positions = tf.get_variable('position_embeddings', [CONFIG['positions'], size], initializer=initializer())
        found = tf.nn.embedding_lookup(words, ids)
        one_hot = tf.one_hot(tf.reshape(segments, [-1]), depth=2)
        found += tf.reshape(tf.matmul(one_hot, kinds), tf.shape(found))
        found += tf.expand_dims(tf.slice(positions, [0, 0], [LENGTH, -1]), 0)
        return layer_norm(found)


def attention(x, mask, dropout):
    heads, size = CONFIG['heads'], CONFIG['hidden_size'] // CONFIG['heads']

    def projected(name):
        made = tf.layers.dense(x, heads * size, name=name, kernel_initializer=initializer())
        return tf.transpose(tf.reshape(made, [-1, LENGTH, heads, size]), [0, 2, 1, 3])

    with tf.variable_scope('attention'):
        with tf.variable_scope('self'):
            query, key, value = projected('query'), projected('key'), projected('value')
            scores = tf.matmul(query, key, transpose_b=True) / np.sqrt(size)
            scores += (1. - tf.cast(tf.expand_dims(tf.expand_dims(mask, 1), 1), tf.float32)) * -10000.
            weights = tf.nn.dropout(tf.nn.softmax(scores), 1. - dropout) if dropout else tf.nn.softmax(scores)
            context = tf.reshape(tf.transpose(tf.matmul(weights, value), [0, 2, 1, 3]), [-1, LENGTH, heads * size])
        with tf.variable_scope('output'):
            return layer_norm(x + tf.layers.dense(context, heads * size, kernel_initializer=initializer()))


def encoder(x, mask, dropout):
    for i in range(CONFIG['layers']):
        with tf.variable_scope('layer_%d' % i):
            x = attention(x, mask, dropout)
            with tf.variable_scope('intermediate'):
                wide = tf.layers.dense(x, CONFIG['intermediate_size'], activation=gelu,
                                       kernel_initializer=initializer())
            with tf.variable_scope('output'):
                x = layer_norm(x + tf.layers.dense(wide, CONFIG['hidden_size'], kernel_initializer=initializer()))
    return x


def create_model(is_training, features, num_labels):
    """Returns (loss, loss of each example, logits, probabilities)."""
    with tf.variable_scope('bert'):
        x = embeddings(features['input_ids'], features['segment_ids'])
        with tf.variable_scope('encoder'):
            x = encoder(x, features['input_mask'], .1 if is_training else 0)
        with tf.variable_scope('pooler'):
            first = tf.squeeze(x[:, 0:1, :], axis=1)
            pooled = tf.layers.dense(first, CONFIG['hidden_size'], activation=tf.tanh,
                                     kernel_initializer=initializer())
    weights = tf.get_variable('output_weights', [num_labels, CONFIG['hidden_size']], initializer=initializer())
    bias = tf.get_variable('output_bias', [num_labels], initializer=tf.zeros_initializer())
    with tf.variable_scope('loss'):
        logits = tf.nn.bias_add(tf.matmul(pooled, weights, transpose_b=True), bias)
        one_hot = tf.one_hot(features['label_ids'], depth=num_labels, dtype=tf.float32)
        per_example = -tf.reduce_sum(one_hot * tf.nn.log_softmax(logits, axis=-1), axis=-1)
        return tf.reduce_mean(per_example), per_example, logits, tf.nn.softmax(logits, axis=-1)


class AdamWeightDecayOptimizer(tf.train.Optimizer):
    """Adam with decoupled weight decay, with slots of its own."""

    def __init__(self, learning_rate, weight_decay_rate, exclude, name='AdamWeightDecayOptimizer'):
        super().__init__(False, name)
        self.learning_rate = learning_rate
        self.weight_decay_rate = weight_decay_rate
        self.exclude = exclude

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        assignments = []
        for gradient, parameter in grads_and_vars:
            if gradient is None:
                continue
            own_name = re.match('^(.*):\\d+$', parameter.name).group(1)
            m, v = (tf.get_variable(own_name + suffix, shape=parameter.shape.as_list(), dtype=tf.float32,
                                    trainable=False, initializer=tf.zeros_initializer())
                    for suffix in ('/adam_m', '/adam_v'))
            next_m = tf.multiply(.9, m) + tf.multiply(.1, gradient)
            next_v = tf.multiply(.999, v) + tf.multiply(.001, tf.square(gradient))
            update = next_m / (tf.sqrt(next_v) + 1e-6)
            if not any(re.search(pattern, own_name) for pattern in self.exclude):
                update += self.weight_decay_rate * parameter
            assignments.extend([parameter.assign(parameter - self.learning_rate * update), m.assign(next_m),
                                v.assign(next_v)])
        return tf.group(*assignments, name=name)


def create_optimizer(loss, rate, num_train_steps, num_warmup_steps):
    global_step = tf.train.get_or_create_global_step()
    learning_rate = tf.train.polynomial_decay(tf.constant(rate, dtype=tf.float32), global_step, num_train_steps,
                                              end_learning_rate=0., power=1., cycle=False)
    step, warm_up = tf.cast(global_step, tf.float32), tf.constant(num_warmup_steps, dtype=tf.float32)
    is_warm_up = tf.cast(step < warm_up, tf.float32)
    learning_rate = (1. - is_warm_up) * learning_rate + is_warm_up * rate * step / warm_up
    optimizer = AdamWeightDecayOptimizer(learning_rate, .01, ['LayerNorm', 'layer_norm', 'bias'])
    variables = tf.trainable_variables()
    gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), clip_norm=1.)
    train_op = optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)
    return tf.group(train_op, [global_step.assign(global_step + 1)])


def model_fn_builder(init_checkpoint, num_train_steps):
    def model_fn(features, labels, mode, params):
        del labels
        assert params['batch_size'] and params['use_tpu'] is False
        total, per_example, logits, probabilities = create_model(mode == tf.estimator.ModeKeys.TRAIN, features, 2)
        if init_checkpoint:
            names = {name for name, _ in tf.train.list_variables(init_checkpoint)}
            assignment = collections.OrderedDict(
                (v.op.name, v.op.name) for v in tf.trainable_variables() if v.op.name in names)
            tf.train.init_from_checkpoint(init_checkpoint, assignment)
        if mode == tf.estimator.ModeKeys.TRAIN:
            return tf.contrib.tpu.TPUEstimatorSpec(
                mode=mode, loss=total, train_op=create_optimizer(total, 5e-3, num_train_steps, 4), scaffold_fn=None)
        if mode == tf.estimator.ModeKeys.EVAL:
            def metric_fn(per_example_loss, label_ids, logits):
                predictions = tf.argmax(logits, axis=-1, output_type=tf.int32)
                return {'eval_accuracy': tf.metrics.accuracy(label_ids, predictions),
                        'eval_loss': tf.metrics.mean(values=per_example_loss)}
            return tf.contrib.tpu.TPUEstimatorSpec(
                mode=mode, loss=total, eval_metrics=(metric_fn, [per_example, features['label_ids'], logits]))
        return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, predictions={'probabilities': probabilities})

    return model_fn


def write_examples(path, count, seed):
    """Writes Examples whose label says whether the word 7 occurs."""
    random = np.random.RandomState(seed)
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(count):
            ids = random.randint(8, 30, LENGTH)
            label = random.randint(2)
            ids[random.randint(1, LENGTH)] = 7 if label else 8
            ids[0] = 1
            values = {'input_ids': ids, 'input_mask': np.ones(LENGTH, int), 'segment_ids': np.zeros(LENGTH, int),
                      'label_ids': [label]}
            features = {name: tf.train.Feature(int64_list=tf.train.Int64List(value=[int(v) for v in value]))
                        for name, value in values.items()}
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())


def decode(record):
    """Parses an Example, with the op if there is one and else in Python."""
    shapes = {'input_ids': [LENGTH], 'input_mask': [LENGTH], 'segment_ids': [LENGTH], 'label_ids': []}
    if 'parse_single_example' in dir(tf) and 'ParseExampleV2' in dir(tf.raw_ops):
        example = tf.parse_single_example(record, {
            name: tf.FixedLenFeature(shape, tf.int64) for name, shape in shapes.items()})
        return {name: tf.to_int32(value) for name, value in example.items()}

    def parse(data):
        features = tf.train.Example.FromString(data).features.feature
        return [np.reshape(np.array(features[name].int64_list.value, np.int32), shape)
                for name, shape in shapes.items()]

    values = tf.py_func(parse, [record], [tf.int32] * len(shapes))
    for value, shape in zip(values, shapes.values()):
        value.set_shape(shape)
    return dict(zip(shapes, values))


def input_fn_builder(path, is_training):
    def input_fn(params):
        dataset = tf.data.TFRecordDataset(path)
        if is_training:
            dataset = dataset.repeat().shuffle(buffer_size=100, seed=1)
        return dataset.apply(tf.contrib.data.map_and_batch(
            decode, batch_size=params['batch_size'], drop_remainder=is_training))

    return input_fn


class BertTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, count, seed in (('train', 200, 1), ('eval', 40, 2)):
            write_examples(os.path.join(self.folder, name), count, seed)

    def estimator(self, name, steps, init_checkpoint=None, **kwargs):
        tpu_config = tf.contrib.tpu.TPUConfig(
            iterations_per_loop=1000, num_shards=8,
            per_host_input_for_training=tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2)
        config = tf.contrib.tpu.RunConfig(cluster=None, master=None, model_dir=os.path.join(self.folder, name),
                                          save_checkpoints_steps=1000, tpu_config=tpu_config, tf_random_seed=3)
        return tf.contrib.tpu.TPUEstimator(
            **{'use_tpu': False, **kwargs}, model_fn=model_fn_builder(init_checkpoint, steps), config=config,
            train_batch_size=16, eval_batch_size=8, predict_batch_size=8)

    def inputs(self, name, is_training=False):
        return input_fn_builder(os.path.join(self.folder, name), is_training)

    def test_program(self):
        estimator = self.estimator('model', 60)
        estimator.train(self.inputs('train', True), max_steps=60)
        names = estimator.get_variable_names()
        self.assertIn('bert/encoder/layer_1/attention/self/query/kernel/adam_m', names)
        self.assertIn('bert/embeddings/word_embeddings', names)
        result = estimator.evaluate(self.inputs('eval'), steps=None)
        self.assertEqual(set(result), {'eval_accuracy', 'eval_loss', 'loss', 'global_step'})
        self.assertGreater(result['eval_accuracy'], .7)
        probabilities = [p['probabilities'] for p in estimator.predict(self.inputs('eval'))]
        np.testing.assert_allclose(np.sum(probabilities, axis=1), np.ones(40), rtol=1e-5)

        tuned = self.estimator('tuned', 2, estimator.latest_checkpoint())
        tuned.train(self.inputs('train', True), max_steps=1)
        self.assertGreater(tuned.evaluate(self.inputs('eval'))['eval_accuracy'], .6)

    def test_refuses_a_tpu(self):
        with self.assertRaisesRegex(tf.errors.UnimplementedError, 'does not run graphs on TPUs'):
            self.estimator('model', 1, use_tpu=True)
        with self.assertRaisesRegex(tf.errors.UnimplementedError, 'does not run graphs on TPUs'):
            tf.contrib.cluster_resolver.TPUClusterResolver('name')
        with self.assertRaisesRegex(ValueError, 'does not include params argument'):
            self.estimator('model', 1).train(lambda: None, steps=1)

    def test_optimizer_of_shards(self):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.get_variable('x', initializer=2.)
            optimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(.5))
            train_op = optimizer.minimize(x * x)
            session.run(x.initializer)
            session.run(train_op)
            self.assertEqual(session.run(x), 0)

    def test_bfloat16_scope(self):
        with tf.Graph().as_default():
            with tf.contrib.tpu.bfloat16_scope():
                value = tf.get_variable('x', [2], dtype=tf.bfloat16)
            self.assertEqual(value.dtype, tf.bfloat16)
            self.assertEqual(tf.global_variables()[0].dtype.base_dtype, tf.float32)


class HParamsTest(unittest.TestCase):

    def test_values(self):
        hparams = tf.contrib.training.HParams(rate=.1, sizes=[1, 2], name='a', flag=True)
        hparams.parse('rate=1,sizes=[3,4],name=xy,flag=false')
        self.assertEqual(hparams.values(), {'rate': 1., 'sizes': [3, 4], 'name': 'xy', 'flag': False})
        hparams.parse('sizes[1]=7')
        self.assertEqual(hparams.sizes, [3, 7])
        self.assertEqual(hparams.get('rate'), 1.)
        self.assertEqual(hparams.get('nothing', 3), 3)
        self.assertIn('name', hparams)
        hparams.add_hparam('more', 2)
        hparams.parse_json('{"more": 5}')
        self.assertEqual(hparams.to_json(sort_keys=True),
                         '{"flag": false, "more": 5, "name": "xy", "rate": 1.0, "sizes": [3, 7]}')
        hparams.del_hparam('more')
        self.assertNotIn('more', hparams)

    def test_errors(self):
        hparams = tf.contrib.training.HParams(rate=.1, count=2, sizes=[1, 2])
        for text in ('rate', 'unknown=1', 'count=1.5', 'rate=1,rate=2', 'sizes=1', 'count=[1]', 'sizes[0]=[1]'):
            with self.assertRaises(ValueError, msg=text):
                hparams.parse(text)
        with self.assertRaises(ValueError):
            hparams.add_hparam('rate', 1)
        with self.assertRaises(ValueError):
            hparams.set_hparam('count', 'text')
        with self.assertRaises(KeyError):
            hparams.override_from_dict({'unknown': 1})


if __name__ == '__main__':
    unittest.main()
