"""Fine-tunes a pretrained network: adds a new head and trains only the head.

A small convolutional network has been trained on three patterns and saved as a checkpoint. This
program has a few pictures of two other patterns. It imports the graph, cuts it at the tensor
"features:0" and adds a new layer. stop_gradient keeps the imported weights unchanged. The result is
saved as one model: the imported layers up to the cut, and the new head.

    python import_and_fine_tune.py [folder [layer]]

A wrong layer name or file gives an error that says what to do: "featurs:0" gives
"... Did you mean 'features'?".
"""

import os
import sys
import tempfile

import numpy as np
import ramet.compat.v1 as tf

SIZE = 12


def pictures(kinds, count, seed):
    """Returns `count` pictures of noisy patterns, and the index of each one's kind."""
    row, column = np.mgrid[:SIZE, :SIZE]
    patterns = {'rows': row % 2, 'columns': column % 2, 'checkers': (row + column) % 2,
                'wide rows': row // 2 % 2, 'wide columns': column // 2 % 2}
    rng = np.random.RandomState(seed)
    labels = rng.randint(len(kinds), size=count)
    images = np.stack([patterns[kinds[k]] for k in labels])[..., np.newaxis]
    return images + rng.normal(0, 0.5, images.shape), labels


def somebody_trains(prefix):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        images = tf.placeholder(tf.float32, [None, SIZE, SIZE, 1], name='images')
        labels = tf.placeholder(tf.int64, [None], name='labels')
        kernel = tf.get_variable('conv/kernel', [3, 3, 1, 8])
        conv = tf.nn.relu(tf.nn.conv2d(images, kernel, strides=[1, 1, 1, 1], padding='SAME'))
        pool = tf.nn.max_pool(conv, [1, 4, 4, 1], [1, 4, 4, 1], 'VALID')
        features = tf.reshape(pool, [-1, (SIZE // 4) ** 2 * 8], name='features')
        logits = tf.matmul(features, tf.get_variable('head/w', [features.shape[1], 3]))
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        step = tf.train.AdamOptimizer(0.01).minimize(loss)
        session.run(tf.global_variables_initializer())
        x, y = pictures(['rows', 'columns', 'checkers'], 256, seed=1)
        for _ in range(60):
            session.run(step, {images: x, labels: y})
        tf.train.Saver().save(session, prefix)


def fine_tune(theirs, ours, layer='features:0'):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        saver = tf.train.import_meta_graph(theirs + '.meta', clear_devices=True)
        saver.restore(session, theirs)
        before = session.run(tf.global_variables())

        images = graph.get_tensor_by_name('images:0')
        features = tf.stop_gradient(graph.get_tensor_by_name(layer))
        features = tf.layers.flatten(features)
        labels = tf.placeholder(tf.int64, [None], name='our_labels')
        tf.set_random_seed(2)
        with tf.variable_scope('our_head'):
            w = tf.get_variable('w', [features.shape[1], 2])
            b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
        logits = tf.add(tf.matmul(features, w), b, name='our_logits')
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        kept = set(tf.global_variables()) - {w, b}
        step = tf.train.AdamOptimizer(0.05).minimize(loss, var_list=[w, b])
        right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))

        new = [v for v in tf.global_variables() if v not in kept]
        print('new variables:', ', '.join(v.op.name for v in new))
        session.run(tf.variables_initializer(new))
        x, y = pictures(['wide rows', 'wide columns'], 64, seed=2)
        test_x, test_y = pictures(['wide rows', 'wide columns'], 500, seed=3)
        print('accuracy before: %.3f' % session.run(right, {images: test_x, labels: test_y}))
        for _ in range(50):
            session.run(step, {images: x, labels: y})
        accuracy = session.run(right, {images: test_x, labels: test_y})
        print('accuracy after:  %.3f' % accuracy)

        after = session.run(tf.global_variables()[:len(before)])
        assert all(np.array_equal(a, b) for a, b in zip(before, after))
        assert accuracy > 0.9, accuracy
        print('the imported weights are unchanged; saved', tf.train.Saver().save(session, ours))
        return accuracy


def serve(ours):
    """Returns the accuracy of the saved model, using its files alone."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(ours + '.meta').restore(session, ours)
        x, y = pictures(['wide rows', 'wide columns'], 500, seed=3)
        kinds = session.run(tf.argmax(graph.get_tensor_by_name('our_logits:0'), 1), {'images:0': x})
        return np.mean(kinds == y)


def main(folder, *layer):
    theirs, ours = os.path.join(folder, 'cnn'), os.path.join(folder, 'tuned')
    somebody_trains(theirs)
    accuracy = fine_tune(theirs, ours, *layer)
    assert abs(serve(ours) - accuracy) < 1e-6
    print('the saved model has the same accuracy:', ours)


if __name__ == '__main__':
    if len(sys.argv) > 1:
        main(*sys.argv[1:])
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(scratch)
