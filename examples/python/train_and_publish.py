"""A training script with one added line, which publishes its variables after each step.

follow.py is the other side. It may be started before or after this script, and several times. With
FOLLOWERS, training begins when that many followers are connected.

    python train_and_publish.py [shm:NAME [FOLLOWERS]]
"""

import sys
import time

import numpy as np
import ramet
import ramet.compat.v1 as tf

STEPS = 3000


def build():
    x = tf.placeholder(tf.float32, [None], name='x')
    y = tf.placeholder(tf.float32, [None], name='y')
    w, b = tf.get_variable('w', []), tf.get_variable('b', [])
    out = tf.add(x * w, b, name='out')
    loss = tf.reduce_mean(tf.square(out - y))
    return x, y, w, b, tf.train.AdamOptimizer(0.02).minimize(loss, tf.train.create_global_step())


def main(address, followers):
    x, y, w, b, step = build()
    xs = np.linspace(-1, 2, 50)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        publisher = ramet.Publisher(session, address, every_steps=1)
        while publisher.stats['readers'] < followers:
            time.sleep(0.01)
        for _ in range(STEPS):
            session.run(step, {x: xs, y: 2 * xs + 1})
        print('trained %d steps: y = %.3f x + %.3f, in %d versions'
              % (STEPS, *session.run([w, b]), publisher.stats['published']))
        publisher.close()


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else 'shm:line',
         int(sys.argv[2]) if len(sys.argv) > 2 else 0)
