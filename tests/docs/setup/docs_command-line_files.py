"""Writes the models and tensors of docs/command-line.md, and publishes at shm:policy."""

import time

import numpy as np
import ramet
import ramet.compat.v1 as tf


np.save('x.npy', np.ones([2, 3], np.float32))


def network(x, scope=''):
    kernel = tf.get_variable(scope + 'w', [3, 2])
    bias = tf.get_variable(scope + 'b', [2], initializer=tf.zeros_initializer())
    return tf.matmul(x, kernel) + bias


def save(prefix, step=None, **options):
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    tf.train.Saver(**options).save(session, prefix, global_step=step)
    return session


def sum_of_inputs():
    w1, w2 = tf.placeholder('float', name='w1'), tf.placeholder('float', name='w2')
    bias = tf.Variable(2.0, name='bias')
    tf.multiply(tf.add(w1, w2), bias, name='op_to_restore')
    save('./model', 1000)


def training():
    x, keep = tf.placeholder(tf.float32, [None, 3], name='x'), tf.placeholder_with_default(1.0, [], name='keep_prob')
    tf.get_variable('embedding', [8, 4])
    logits = tf.identity(tf.nn.dropout(tf.layers.dense(x, 2), keep), name='logits')
    tf.nn.softmax(logits, name='out')
    tf.train.AdamOptimizer().minimize(tf.reduce_mean(tf.square(logits)))
    session = save('./train', 1000)
    save('./model-2016.ckpt', write_version=tf.train.SaverDef.V1)
    tf.saved_model.simple_save(session, 'saved_model', {'images': x}, {'probabilities': tf.get_default_graph().get_tensor_by_name('out:0')})
    with open('saver.pbtxt', 'w') as file:
        file.write(str(tf.train.Saver().saver_def))


def served(address='shm:policy'):
    x = tf.placeholder(tf.float32, [None, 3], name='images')
    tf.identity(network(x), name='out')
    step = tf.train.get_or_create_global_step()
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    saver = tf.train.Saver(tf.global_variables())
    session.run(tf.assign(step, 1000))
    saver.save(session, './checkpoints/model', global_step=1000)
    publisher = ramet.Publisher(session, address, retained=3)
    for version in (1, 2):
        publisher.publish(step=1100 + 100 * version, metrics={'loss': 0.31})
    publisher.promote('stable', 1)
    return publisher


def clonable():
    tf.identity(network(tf.placeholder(tf.float32, [None, 3], name='in')), name='out')
    tf.train.export_meta_graph('in.meta')
    for name in ('actor-100', 'critic-200'):
        save('./' + name)


def activation(op, name):
    op(tf.placeholder(tf.float32, [3], name='x'), name=name)
    tf.train.export_meta_graph(name[-1] + '.meta')


def two_networks():
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    for scope in ('net', 'copy/net'):
        with tf.name_scope(scope + '/'):
            tf.nn.relu(tf.matmul(x, tf.ones([3, 2])), name='out')
    tf.train.export_meta_graph('both.meta')


for build in (sum_of_inputs, training, clonable, lambda: activation(tf.nn.relu, 'act_a'),
              lambda: activation(tf.nn.tanh, 'act_b'), two_networks):
    with tf.Graph().as_default():
        build()
np.savez('weights.npz', **{'layer1/W': np.ones([3, 2], np.float32)})
with tf.Graph().as_default():
    publisher = served()
    followers = [ramet.Follower('shm:policy') for _ in range(3)]
    followers[0].pin(1)
    print('ready', flush=True)
    time.sleep(600)
