"""Publishes a model at shm:policy and serves it on the default ports."""

import subprocess
import time
import urllib.request

import ramet
import ramet.compat.v1 as tf

x = tf.placeholder(tf.float32, [None, 3], name='x')
tf.identity(tf.layers.dense(x, 2), name='out')
session = tf.Session()
session.run(tf.global_variables_initializer())
publisher = ramet.Publisher(session, 'shm:policy')
publisher.publish(step=1)
server = subprocess.Popen(['ramet', 'serve', 'shm:policy', '--model_name=policy', '--outputs=out:0'])
for attempt in range(600):
    try:
        urllib.request.urlopen('http://localhost:8501/readyz')
        break
    except OSError:
        time.sleep(0.1)
print('ready', flush=True)
server.wait()
