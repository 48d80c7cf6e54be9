"""Makes versions of a perceptron, with Ramet's Python package, until it is ended.

usage: trainer.py publish NAME ADDRESS RATE      publishes RATE versions a second at ADDRESS; 0: only the first one
       trainer.py save NAME BASE RATE            saves SavedModels as folders of BASE
"""

import itertools
import sys
import time

import perceptron
import ramet
import ramet.compat.v1 as tf


def versions(rate):
    """Yields a number at each time at which a version is due."""
    begin = time.monotonic()
    for number in itertools.count(1):
        yield number
        if rate == 0:
            time.sleep(3600)
        time.sleep(max(0, begin + number / rate - time.monotonic()))


def publish(name, address, rate):
    perceptron.build(tf, name)
    update = [v.assign(v * 0.999) for v in tf.trainable_variables()]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        publisher = ramet.Publisher(session, address)
        for step in versions(rate):
            session.run(update)
            publisher.publish(step=step)
            if step == 1:
                print("ready", flush=True)


def save(name, base, rate):
    for number in versions(rate):
        perceptron.save(tf, name, base, number, seed=number)
        if number == 1:
            print("ready", flush=True)


if __name__ == "__main__":
    {"publish": publish, "save": save}[sys.argv[1]](sys.argv[2], sys.argv[3], float(sys.argv[4]))
