"""Runs the programs in the folder RAMET_SEEDS and the models in the folder RAMET_ZOO."""

import os
import re
import subprocess
import sys
import unittest

import ramet
import ramet.compat.v1 as tf

SEEDS, ZOO = os.environ.get('RAMET_SEEDS'), os.environ.get('RAMET_ZOO')
MNIST = '/usr/share/datasets/fashion-mnist'


def lines_of(command):
    package = os.path.dirname(os.path.dirname(os.path.abspath(ramet.__file__)))
    done = subprocess.run(command, env={**os.environ, 'PYTHONPATH': package}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.splitlines()


@unittest.skipUnless(SEEDS, 'skipped: RAMET_SEEDS names no folder')
class SeedsTest(unittest.TestCase):
    """Each program runs unchanged under `python -m ramet`."""

    def run_seeds(self, only, passes):
        command = [sys.executable, os.path.join(SEEDS, 'run_all.py'), '--mnist', MNIST, '--runner',
                   f'{sys.executable} -m ramet', '--only', only]
        lines = lines_of(command)
        self.assertEqual(lines[-1:], [f'{passes} passed, 0 failed'], '\n'.join(lines))

    def test_tutorials(self):
        self.run_seeds('tutorial', 7)

    def test_second_answer(self):
        self.run_seeds('second_answer', 1)

    @unittest.skipUnless(os.path.isdir(MNIST), 'skipped: no data set in ' + MNIST)
    def test_trainer_and_follower(self):
        self.run_seeds('duplicate', 2)


@unittest.skipUnless(ZOO, 'skipped: RAMET_ZOO names no folder')
class ZooTest(unittest.TestCase):
    def test_models_give_the_values_of_tensorflow(self):
        lines = lines_of([sys.executable, os.path.join(ZOO, 'run_zoo.py'), '--backend', 'ramet',
                          '--zoo', ZOO])
        text = '\n'.join(lines)
        self.assertRegex(lines[-1], r'^\d+ passed, \d+ failed', text)
        reasons = [line for line in lines if re.match(r'      \S', line)]
        for reason in reasons:
            self.assertTrue(self.is_documented(reason), text)

    def is_documented(self, reason):
        if 'Ramet does not implement this op' in reason:
            return True
        # On a GPU, gathers give zeros for indices that are out of range, as in TensorFlow.
        wants_error = "'InvalidArgumentError', 'message_contains': 'indices'" in reason
        return wants_error and reason.endswith('got list') and tf.test.is_gpu_available()


if __name__ == '__main__':
    unittest.main()
