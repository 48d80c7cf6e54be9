import numpy as np
import ramet
import ramet.compat.v1 as tf

x = tf.placeholder(tf.float32, [None, 3], name='x')
tf.identity(tf.layers.dense(x, 2), name='out')
images = np.ones([2, 3], np.float32)
session = tf.Session()
session.run(tf.global_variables_initializer())
