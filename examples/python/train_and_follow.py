"""A trainer process and a follower process that share only a checkpoint prefix.

The trainer saves to the same prefix repeatedly. Each save is atomic: a reader finds the old or the
new checkpoint, never a mixture. The follower imports the trainer's .meta file once and restores the
values whenever the files have changed. At the end, the copy agrees exactly with the trainer.

The pictures are those of Fashion-MNIST (Debian: dataset-fashion-mnist), or generated ones if it is
not installed.

    python train_and_follow.py [folder]
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import ramet.compat.v1 as tf
from ramet.examples.tutorials.mnist import input_data

PICTURES = '/usr/share/datasets/fashion-mnist'
STEPS, EVERY = 200, 50


def read_pictures():
    """Returns a function that returns (images, labels) of a batch size, and 1000 test pictures."""
    if os.path.isdir(PICTURES):
        data = input_data.read_data_sets(PICTURES, validation_size=0)
        return data.train.next_batch, (data.test.images[:1000], data.test.labels[:1000])
    rng = np.random.RandomState(0)
    centers = rng.uniform(0, 1, (10, 784))

    def next_batch(count):
        labels = rng.randint(10, size=count)
        return centers[labels] + rng.normal(0, 0.5, (count, 784)), labels

    return next_batch, next_batch(1000)


def build():
    x = tf.placeholder(tf.float32, [None, 784], name='x')
    labels = tf.placeholder(tf.int64, [None], name='labels')
    hidden = tf.nn.relu(tf.matmul(x, tf.get_variable('hidden', [784, 64])))
    logits = tf.matmul(hidden, tf.get_variable('out', [64, 10]), name='logits')
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.AdamOptimizer().minimize(loss, tf.train.create_global_step())
    right = tf.equal(tf.argmax(logits, 1), labels)
    tf.reduce_mean(tf.cast(right, tf.float32), name='accuracy')
    return x, labels, step


def train(prefix):
    next_batch, (test_images, test_labels) = read_pictures()
    x, labels, step = build()
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i in range(1, STEPS + 1):
            images, classes = next_batch(100)
            session.run(step, {x: images, labels: classes})
            if i % EVERY == 0:
                saver.save(session, prefix)
        report('trainer ', session, {x: test_images, labels: test_labels})


def report(who, session, feeds):
    step, accuracy = session.run(['global_step:0', 'accuracy:0'], feeds)
    print('%s step %3d  accuracy %.4f' % (who, step, accuracy), flush=True)
    return step


def saved_at(prefix):
    """Returns when the checkpoint was last saved, or None if it does not exist."""
    whole = tf.train.checkpoint_exists(prefix) and os.path.exists(prefix + '.meta')
    return os.stat(prefix + '.index').st_mtime_ns if whole else None


def follow(prefix):
    _, (test_images, test_labels) = read_pictures()
    seen, step = wait_for_change(prefix, None), 0
    with tf.Session() as session:
        saver = tf.train.import_meta_graph(prefix + '.meta', clear_devices=True)
        while True:
            saver.restore(session, prefix)
            step = report('follower', session, {'x:0': test_images, 'labels:0': test_labels})
            if step == STEPS:
                return
            seen = wait_for_change(prefix, seen)


def wait_for_change(prefix, seen, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        now = saved_at(prefix)
        if now is not None and now != seen:
            return now
        time.sleep(0.01)
    raise TimeoutError('%s was not saved within %d s' % (prefix, seconds))


def main(folder):
    prefix = os.path.join(folder, 'model')
    roles = [subprocess.Popen([sys.executable, __file__, role, prefix], stdout=subprocess.PIPE,
                              text=True) for role in ('--follow', '--train')]
    followed, trained = (role.communicate()[0].splitlines() for role in roles)
    print('\n'.join(followed + trained))
    assert not any(role.returncode for role in roles)
    assert followed[-1].split()[1:] == trained[-1].split()[1:]
    print('the copy agrees with the trainer exactly')


if __name__ == '__main__':
    if sys.argv[1:2] == ['--train']:
        train(sys.argv[2])
    elif sys.argv[1:2] == ['--follow']:
        follow(sys.argv[2])
    elif len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(scratch)
