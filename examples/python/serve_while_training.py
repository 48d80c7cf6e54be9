"""Serves requests in one thread while another one trains, both in the same session.

Many threads may use a session at once; they share its variables. The graph is finalized first, so
that a thread that adds to it by accident gets an error. A request that runs while a training step
changes the weights may see some of them before and some after the step. If that matters, save the
weights and restore them into a separate session, as train_and_follow.py does.

    python serve_while_training.py
"""

import threading

import numpy as np
import ramet.compat.v1 as tf


def build():
    x = tf.placeholder(tf.float32, [None, 1], name='x')
    y = tf.placeholder(tf.float32, [None, 1], name='y')
    with tf.variable_scope('model'):
        w1 = tf.get_variable('w1', [1, 32])
        b1 = tf.get_variable('b1', [32], initializer=tf.random_uniform_initializer(-1, 1))
        w2 = tf.get_variable('w2', [32, 1])
    out = tf.matmul(tf.tanh(tf.matmul(x, w1) + b1), w2, name='out')
    loss = tf.reduce_mean(tf.square(out - y))
    return x, y, out, loss, tf.train.AdamOptimizer(0.01).minimize(loss)


class Server(threading.Thread):
    """Computes the value at 0.5 until it is told to stop, and keeps the answers."""

    def __init__(self, session, coordinator):
        super().__init__()
        self._ask = session.make_callable('out:0', feed_list=['x:0'])
        self._coordinator = coordinator
        self.answers = []

    def run(self):
        with self._coordinator.stop_on_exception():
            while not self._coordinator.should_stop():
                self.answers.append(float(self._ask([[0.5]])[0, 0]))


def main():
    tf.set_random_seed(1)
    xs = np.linspace(-2, 2, 200).reshape(-1, 1)
    ys = np.sin(2 * xs)
    x, y, out, loss, step = build()
    init = tf.global_variables_initializer()
    with tf.Session() as session:
        session.run(init)
        session.graph.finalize()
        coordinator = tf.train.Coordinator()
        server = Server(session, coordinator)
        server.start()
        with coordinator.stop_on_exception():
            steps = 0
            while not coordinator.should_stop() and (steps < 600 or len(server.answers) < 10):
                _, value = session.run([step, loss], {x: xs, y: ys})
                steps += 1
        coordinator.request_stop()
        coordinator.join([server])

        print('%d steps, loss %.5f; meanwhile %d requests were answered'
              % (steps, value, len(server.answers)))
        print('f(0.5) went from %.3f to %.3f; sin(1) is %.3f'
              % (server.answers[0], server.answers[-1], np.sin(1)))
        final = session.run(out, {x: [[0.5]]})[0, 0]
        assert abs(final - np.sin(1)) < 0.1


if __name__ == '__main__':
    main()
