"""Serves a model while train_and_publish.py trains it in another process.

Graph and values come from the address alone. Each run uses all values of the newest version.

    python follow.py [shm:NAME]
"""

import sys

import ramet
import ramet.compat.v1 as tf


def main(address):
    with ramet.Follower(address) as follower:
        ask = follower.prepare('out:0', ['x:0'])
        served = set()
        while True:
            answer, seen = ask.with_version([10.0])
            served.add(seen.version)
            try:
                follower.wait(seen.version + 1, timeout=1)
            except tf.errors.DeadlineExceededError:
                gone = not follower.stats()['connected']
                if gone and follower.update().version == seen.version:
                    break
        print('served %d versions' % len(served))
        print('the trainer has ended; f(10) = %.2f at step %d' % (answer[0], seen.step))


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else 'shm:line')
