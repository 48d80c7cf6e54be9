"""Makes versions of a perceptron, with Ramet's Python package, until it gets SIGTERM.

usage: trainer.py publish NAME ADDRESS RATE      publishes RATE versions a second at ADDRESS; 0: only the first one
       trainer.py save NAME BASE RATE            saves SavedModels as folders of BASE

Prints a line when the first version is there, and at the end the number of versions per second that it has made.
"""

import contextlib
import itertools
import signal
import sys
import time

import perceptron
import ramet
import ramet.compat.v1 as tf


class Stopped(Exception):
    pass


def stop(*_):
    raise Stopped


def versions(rate):
    """Yields a number at each time at which a version is due."""
    begin = time.monotonic()
    for number in itertools.count(1):
        yield number
        if number == 1:
            print("ready", flush=True)
        if rate == 0:
            time.sleep(3600)
        time.sleep(max(0, begin + number / rate - time.monotonic()))


def publish(name, address, numbers):
    perceptron.build(tf, name)
    update = [v.assign(v * 0.999) for v in tf.trainable_variables()]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        publisher = ramet.Publisher(session, address)
        for step in numbers:
            session.run(update)
            publisher.publish(step=step)


def save(name, base, numbers):
    for number in numbers:
        perceptron.save(tf, name, base, number, seed=number)


def main():
    kind, name, place, rate = sys.argv[1:]
    signal.signal(signal.SIGTERM, stop)
    numbers = versions(float(rate))
    made, begin = 0, time.monotonic()

    def counted():
        nonlocal made
        for made in numbers:
            yield made

    with contextlib.suppress(Stopped):
        {"publish": publish, "save": save}[kind](name, place, counted())
    print(max(made - 1, 0) / (time.monotonic() - begin), flush=True)


if __name__ == "__main__":
    main()
