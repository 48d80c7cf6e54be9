"""Writes the TensorFlow 2 SavedModel for python_saved_model_v2_test.py, and the results of its functions.

usage: python_saved_model_v2_make.py FOLDER     (writes FOLDER/model and FOLDER/values.npz)
"""

import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np
import tensorflow as tf

X = np.array([[.5, -.3, .8], [1., 2., -1.]], np.float32)


class Dense(tf.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        values = np.sin(np.arange(inputs * outputs, dtype=np.float32))
        self.w = tf.Variable(values.reshape(inputs, outputs), name='w')
        self.b = tf.Variable(tf.zeros([outputs]), name='b')

    @tf.function
    def __call__(self, x):
        return tf.tanh(x @ self.w + self.b)


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Dense(3, 4), Dense(4, 3)]
        self.calls = tf.Variable(0, trainable=False, name='calls')
        self.words = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(['cat', 'dog'], [3, 5]), -1)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, 'x'),
                                  tf.TensorSpec([], tf.int32, 'count')])
    def serve(self, x, count):
        """Returns a loop, and a branch in it."""
        self.calls.assign_add(1)
        total = tf.zeros_like(x)
        for i in tf.range(count):
            if i % 2 == 0:
                x = self.layers[1](self.layers[0](x))
            else:
                x = x * tf.reduce_sum(self.layers[0].w)
            total += x
        return {'total': total, 'last': x, 'calls': tf.identity(self.calls)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, 'word')])
    def look_up(self, word):
        return {'number': self.words.lookup(word)}


def main():
    folder = sys.argv[1]
    model = Model()
    where = os.path.join(folder, 'model')
    tf.saved_model.save(model, where, {'serving_default': model.serve, 'look_up': model.look_up})
    loaded = tf.saved_model.load(where)
    values = {}
    for count in (0, 1, 5, 3):
        for key, value in loaded.serve(X, count).items():
            values[f'{key}_{count}'] = value.numpy()
    values['numbers'] = loaded.look_up(np.array(['dog', 'bird', 'cat']))['number'].numpy()
    np.savez(os.path.join(folder, 'values.npz'), x=X, **values)


if __name__ == '__main__':
    main()
