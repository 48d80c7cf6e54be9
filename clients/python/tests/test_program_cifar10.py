"""The CIFAR-10 program with queues: binary records, distorted images, moving averages, hooks, and its evaluation."""

import math
import os
import re
import tempfile
import time
import unittest

import numpy as np
import ramet.compat.v1 as tf

SIDE, CROPPED, CLASSES, BATCH = 32, 24, 10, 32
MOVING_AVERAGE_DECAY = .9
TOWER_NAME = 'tower'


def generated_images(count, seed):
    """Returns (labels, images): a label says which channel has which pattern."""
    random = np.random.RandomState(seed)
    labels = random.randint(0, CLASSES, count).astype(np.uint8)
    images = random.randint(0, 40, (count, 3, SIDE, SIDE)).astype(np.uint8)
    y, x = np.mgrid[:SIDE, :SIDE] // 2
    patterns = [y % 2, x % 2, (x + y) % 2, (x // 2 + y // 2) % 2]
    for label, image in zip(labels, images):
        image[label % 3] += (patterns[label // 3] * 150).astype(np.uint8)
    return labels, images


def write_records(path, count, seed):
    labels, images = generated_images(count, seed)
    with open(path, 'wb') as file:
        for label, image in zip(labels, images):
            file.write(bytes([label]) + image.tobytes())


# The input.

class CifarRecord:
    """An image that is read from the files of a queue."""


def read_cifar10(filename_queue):
    result = CifarRecord()
    label_bytes = 1
    result.height, result.width, result.depth = SIDE, SIDE, 3
    image_bytes = result.height * result.width * result.depth
    reader = tf.FixedLengthRecordReader(record_bytes=label_bytes + image_bytes)
    result.key, value = reader.read(filename_queue)
    record_bytes = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record_bytes, [0], [label_bytes]), tf.int32)
    depth_major = tf.reshape(tf.strided_slice(record_bytes, [label_bytes], [label_bytes + image_bytes]),
                             [result.depth, result.height, result.width])
    result.uint8image = tf.transpose(depth_major, [1, 2, 0])
    return result


def generate_image_and_label_batch(image, label, min_queue_examples, shuffle):
    capacity = min_queue_examples + 3 * BATCH
    if shuffle:
        images, labels = tf.train.shuffle_batch([image, label], batch_size=BATCH, num_threads=2, capacity=capacity,
                                                min_after_dequeue=min_queue_examples, seed=4)
    else:
        images, labels = tf.train.batch([image, label], batch_size=BATCH, num_threads=1, capacity=capacity)
    tf.summary.image('images', images)
    return images, tf.reshape(labels, [BATCH])


def read_image(filenames):
    for name in filenames:
        if not tf.gfile.Exists(name):
            raise ValueError('Failed to find file: ' + name)
    read_input = read_cifar10(tf.train.string_input_producer(filenames, seed=3))
    return read_input, tf.cast(read_input.uint8image, tf.float32)


def distorted_inputs(data_dir):
    """Returns batches of randomly cropped, flipped, darker or lighter images for training."""
    with tf.name_scope('data_augmentation'):
        read_input, image = read_image([os.path.join(data_dir, 'data_batch_%d.bin' % i) for i in range(1, 3)])
        image = tf.random_crop(image, [CROPPED, CROPPED, 3])
        image = tf.image.random_flip_left_right(image)
        image = tf.image.random_brightness(image, max_delta=63)
        image = tf.image.random_contrast(image, lower=.2, upper=1.8)
        image = tf.image.per_image_standardization(image)
        image.set_shape([CROPPED, CROPPED, 3])
        read_input.label.set_shape([1])
    return generate_image_and_label_batch(image, read_input.label, 200, shuffle=True)


def inputs(data_dir):
    """Returns batches of the images in the middle for the evaluation."""
    with tf.name_scope('input'):
        read_input, image = read_image([os.path.join(data_dir, 'test_batch.bin')])
        image = tf.image.resize_image_with_crop_or_pad(image, CROPPED, CROPPED)
        image = tf.image.per_image_standardization(image)
        image.set_shape([CROPPED, CROPPED, 3])
        read_input.label.set_shape([1])
    return generate_image_and_label_batch(image, read_input.label, 32, shuffle=False)


# The model.

def activation_summary(x):
    name = re.sub('%s_[0-9]*/' % TOWER_NAME, '', x.op.name)
    tf.summary.histogram(name + '/activations', x)
    tf.summary.scalar(name + '/sparsity', tf.nn.zero_fraction(x))


def variable_on_cpu(name, shape, initializer):
    with tf.device('/cpu:0'):
        return tf.get_variable(name, shape, initializer=initializer, dtype=tf.float32)


def variable_with_weight_decay(name, shape, stddev, wd):
    variable = variable_on_cpu(name, shape, tf.truncated_normal_initializer(stddev=stddev, dtype=tf.float32))
    if wd is not None:
        tf.add_to_collection('losses', tf.multiply(tf.nn.l2_loss(variable), wd, name='weight_loss'))
    return variable


def convolution(x, name, filters, bias):
    with tf.variable_scope(name) as scope:
        kernel = variable_with_weight_decay('weights', [5, 5, x.shape[-1].value, filters], 5e-2, None)
        conv = tf.nn.conv2d(x, kernel, [1, 1, 1, 1], padding='SAME')
        biases = variable_on_cpu('biases', [filters], tf.constant_initializer(bias))
        made = tf.nn.relu(tf.nn.bias_add(conv, biases), name=scope.name)
    activation_summary(made)
    return made


def local(x, name, size):
    with tf.variable_scope(name) as scope:
        weights = variable_with_weight_decay('weights', [x.shape[-1].value, size], .04, .004)
        biases = variable_on_cpu('biases', [size], tf.constant_initializer(.1))
        made = tf.nn.relu(tf.matmul(x, weights) + biases, name=scope.name)
    activation_summary(made)
    return made


def inference(images):
    x = convolution(images, 'conv1', 8, 0.)
    x = tf.nn.max_pool(x, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='SAME', name='pool1')
    x = tf.nn.lrn(x, 4, bias=1., alpha=.001 / 9., beta=.75, name='norm1')
    x = convolution(x, 'conv2', 8, .1)
    x = tf.nn.lrn(x, 4, bias=1., alpha=.001 / 9., beta=.75, name='norm2')
    x = tf.nn.max_pool(x, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='SAME', name='pool2')
    x = local(tf.reshape(x, [images.shape[0].value, 288]), 'local3', 32)
    with tf.variable_scope('softmax_linear') as scope:
        weights = variable_with_weight_decay('weights', [32, CLASSES], 1 / 32., None)
        biases = variable_on_cpu('biases', [CLASSES], tf.constant_initializer(0.))
        logits = tf.add(tf.matmul(x, weights), biases, name=scope.name)
    activation_summary(logits)
    return logits


def total_loss(logits, labels):
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.cast(labels, tf.int64), logits=logits, name='cross_entropy_per_example')
    tf.add_to_collection('losses', tf.reduce_mean(cross_entropy, name='cross_entropy'))
    return tf.add_n(tf.get_collection('losses'), name='total_loss')


def add_loss_summaries(total):
    """Returns the op that updates the averages of the losses."""
    loss_averages = tf.train.ExponentialMovingAverage(.9, name='avg')
    losses = tf.get_collection('losses')
    averages_op = loss_averages.apply(losses + [total])
    for loss in losses + [total]:
        tf.summary.scalar(loss.op.name + ' (raw)', loss)
        tf.summary.scalar(loss.op.name, loss_averages.average(loss))
    return averages_op


def train_op_of(total, global_step):
    lr = tf.train.exponential_decay(.06, global_step, 100, .5, staircase=True)
    tf.summary.scalar('learning_rate', lr)
    with tf.control_dependencies([add_loss_summaries(total)]):
        opt = tf.train.GradientDescentOptimizer(lr)
        grads = opt.compute_gradients(total)
    apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
    for var in tf.trainable_variables():
        tf.summary.histogram(var.op.name, var)
    for grad, var in grads:
        if grad is not None:
            tf.summary.histogram(var.op.name + '/gradients', grad)
    variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
    with tf.control_dependencies([apply_gradient_op]):
        return variable_averages.apply(tf.trainable_variables())


# Training and evaluation.

class LoggerHook(tf.train.SessionRunHook):
    """Keeps the losses and times of the steps."""

    def __init__(self, loss):
        self._loss = loss

    def begin(self):
        self._step = -1
        self.losses, self.seconds = [], []

    def before_run(self, run_context):
        self._step += 1
        self._start = time.time()
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        self.losses.append(run_values.results)
        self.seconds.append(time.time() - self._start)


class AveragesHook(tf.train.SessionRunHook):
    """Computes the moving averages of a variable in NumPy."""

    def __init__(self, variable, global_step):
        self._variable, self._step = variable, global_step
        self.average = None

    def after_create_session(self, session, coord):
        self.average = session.run(self._variable)

    def after_run(self, run_context, run_values):
        value, step = run_context.session.run([self._variable, self._step])
        decay = min(MOVING_AVERAGE_DECAY, (1 + step) / (10 + step))
        self.average = self.average * decay + value * (1 - decay)


def train(data_dir, train_dir, steps):
    """Returns (losses, average of the first biases as computed by hand)."""
    with tf.Graph().as_default():
        tf.set_random_seed(2)
        global_step = tf.train.get_or_create_global_step()
        with tf.device('/cpu:0'):
            images, labels = distorted_inputs(data_dir)
        loss = total_loss(inference(images), labels)
        train_op = train_op_of(loss, global_step)
        logger = LoggerHook(loss)
        averages = AveragesHook(tf.trainable_variables()[1], global_step)
        hooks = [tf.train.StopAtStepHook(last_step=steps), tf.train.NanTensorHook(loss), logger, averages]
        with tf.train.MonitoredTrainingSession(checkpoint_dir=train_dir, hooks=hooks, save_summaries_steps=20,
                                               config=tf.ConfigProto(log_device_placement=False)) as session:
            while not session.should_stop():
                session.run(train_op)
        return logger.losses, averages.average


def eval_once(saver, train_dir, top_k_op, num_examples):
    """Returns (precision, step of the checkpoint, restored biases of the first layer)."""
    with tf.Session() as session:
        ckpt = tf.train.get_checkpoint_state(train_dir)
        saver.restore(session, ckpt.model_checkpoint_path)
        coord = tf.train.Coordinator()
        threads = []
        try:
            for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
                threads.extend(runner.create_threads(session, coord=coord, daemon=True, start=True))
            num_iter = int(math.ceil(num_examples / BATCH))
            true_count, step = 0, 0
            while step < num_iter and not coord.should_stop():
                true_count += np.sum(session.run([top_k_op]))
                step += 1
            biases = session.run(tf.trainable_variables()[1])
        except Exception as error:  # ends the threads too
            coord.request_stop(error)
            raise
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)
        return true_count / (num_iter * BATCH), int(ckpt.model_checkpoint_path.split('-')[-1]), biases


def evaluate(data_dir, train_dir, num_examples):
    with tf.Graph().as_default():
        images, labels = inputs(data_dir)
        top_k_op = tf.nn.in_top_k(inference(images), labels, 1)
        variable_averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY)
        saver = tf.train.Saver(variable_averages.variables_to_restore())
        return eval_once(saver, train_dir, top_k_op, num_examples)


class Cifar10Test(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data_dir = os.path.join(folder.name, 'data')
        self.train_dir = os.path.join(folder.name, 'train')
        tf.gfile.MakeDirs(self.data_dir)
        for seed, name in enumerate(('data_batch_1', 'data_batch_2', 'test_batch')):
            write_records(os.path.join(self.data_dir, name + '.bin'), 640, seed)

    def test_records(self):
        """Batches without shuffling have the records of the file in order."""
        labels, images = generated_images(640, 2)
        with tf.Graph().as_default(), tf.Session() as session:
            batch = inputs(self.data_dir)
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=session, coord=coord)
            found = [session.run(batch) for _ in range(22)]
            coord.request_stop()
            coord.join(threads)
        np.testing.assert_array_equal(np.concatenate([y for _, y in found]), np.resize(labels, 22 * BATCH))
        middle = images[:BATCH, :, 4:-4, 4:-4].transpose(0, 2, 3, 1).astype(np.float64)
        scaled = (middle - middle.mean((1, 2, 3), keepdims=True)) / middle.std((1, 2, 3), keepdims=True)
        np.testing.assert_allclose(found[0][0], scaled, atol=1e-4)
        np.testing.assert_array_equal(found[0][0], found[20][0])  # the file has 20 batches

    def test_program(self):
        losses, average = train(self.data_dir, self.train_dir, 140)
        self.assertEqual(len(losses), 140)
        self.assertLess(np.mean(losses[-10:]), .5 * np.mean(losses[:10]))
        precision, step, biases = evaluate(self.data_dir, self.train_dir, 640)
        self.assertEqual(step, 140)
        self.assertGreater(precision, .6)
        np.testing.assert_allclose(biases, average, rtol=1e-4, atol=1e-6)
        last = tf.train.load_variable(self.train_dir, 'conv1/biases')
        self.assertGreater(np.abs(last - biases).max(), 1e-6)
        self.check_summaries()

    def check_summaries(self):
        path, = (os.path.join(self.train_dir, name) for name in os.listdir(self.train_dir) if 'tfevents' in name)
        values = [value for event in tf.train.summary_iterator(path) for value in event.summary.value]
        tags = {value.tag for value in values}
        for tag in ('images/image/0', 'conv1/conv1/activations', 'local3/weights/gradients', 'learning_rate',
                    'total_loss__raw_', 'cross_entropy_1', 'global_step/sec'):
            self.assertIn(tag, tags)
        images = [value.image for value in values if value.tag == 'images/image/0']
        self.assertEqual((images[0].height, images[0].width, images[0].colorspace), (CROPPED, CROPPED, 3))
        self.assertTrue(images[0].encoded_image_string.startswith(b'\x89PNG'))

    def test_missing_file(self):
        tf.gfile.Remove(os.path.join(self.data_dir, 'data_batch_2.bin'))
        with self.assertRaisesRegex(ValueError, 'Failed to find file'):
            distorted_inputs(self.data_dir)


if __name__ == '__main__':
    unittest.main()
