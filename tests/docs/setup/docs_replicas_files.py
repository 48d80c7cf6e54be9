"""Saves model-1000, and publishes it at shm:policy in 120 versions."""

import time

import numpy as np
import ramet
import ramet.compat.v1 as tf

x = tf.placeholder(tf.float32, [None, 3], name='x')
tf.identity(tf.layers.dense(x, 2), name='out')
np.save('x.npy', np.ones([2, 3], np.float32))
session = tf.Session()
session.run(tf.global_variables_initializer())
tf.train.Saver().save(session, './model', global_step=1000)
publisher = ramet.Publisher(session, 'shm:policy', retained=5)
for step in range(120):
    publisher.publish(step=step)
print('ready', flush=True)
time.sleep(600)
