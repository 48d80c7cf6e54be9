"""`python -m ramet --check`: all names that a program uses and Ramet lacks, without running it."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

from ramet import api
from ramet.runner import uses


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(textwrap.dedent(text))
        return path

    def names(self, text):
        return [use.name for use in uses.find(self.write('program.py', text))]

    def run_ramet(self, *arguments):
        package = os.path.dirname(os.path.dirname(api.__file__))
        return subprocess.run([sys.executable, '-m', 'ramet', *arguments], cwd=self.folder, capture_output=True,
                              text=True, env={**os.environ, 'PYTHONPATH': package}, check=False, timeout=60)

    def test_imports_and_aliases(self):
        self.assertEqual(self.names("""\
            import tensorflow as tf
            import tensorflow.compat.v1 as tf1
            import tensorflow.contrib.slim
            from tensorflow.python.ops import array_ops
            from tensorflow import nn as net, train
            slim = tf.contrib.slim
            tf.compat.v1.placeholder(tf1.float32)
            slim.conv2d(array_ops.pad, net.relu)
            train.Saver().save()
            tensorflow.zeros
            """), ['contrib.slim', 'python.ops.array_ops', 'nn', 'train', 'contrib.slim', 'float32', 'placeholder',
                   'contrib.slim.conv2d', 'nn.relu', 'python.ops.array_ops.pad', 'train.Saver', 'zeros'])

    def test_names_that_mean_something_else(self):
        self.assertEqual(self.names("""\
            import tensorflow as tf
            import numpy as np
            def f(tf, x):
                return tf.absent_1, np.zeros
            g = lambda tf: tf.absent_2
            class A:
                def h(self):
                    tf = self
                    return tf.absent_3
            tf.add
            tf = None
            tf.absent_4
            """), ['add'])

    def test_modules_beside_the_program(self):
        self.write('lib/__init__.py', 'from .layer import dense')
        self.write('lib/layer.py', 'import tensorflow as tf\ntf.matmul')
        self.write('other.py', 'import tensorflow as tf\ntf.not_imported')
        self.assertEqual(self.names('import lib\nimport os'), ['matmul'])
        found = uses.find(self.folder)
        self.assertEqual([(use.name, os.path.basename(use.file), use.line) for use in found],
                         [('matmul', 'layer.py', 2), ('not_imported', 'other.py', 2)])

    def test_report(self):
        self.write('good.py', 'import tensorflow as tf\ntf.train.Saver.restore\ntf.float32.name')
        good = self.run_ramet('--check', 'good.py')
        self.assertEqual((good.returncode, good.stdout),
                         (0, 'good.py: Ramet has all names of TensorFlow that it uses (2)\n'))
        self.write('bad.py', """\
            import tensorflow as tf
            raise SystemExit('must not run')
            tf.nn.no_such_layer(1)
            tf.train.Saver.no_such_method
            tf.nn.no_such_layer(2)
            """)
        bad = self.run_ramet('--check', 'good.py', 'bad.py')
        self.assertEqual(bad.returncode, 1, bad.stderr)
        self.assertIn('bad.py uses 2 names of TensorFlow. Ramet lacks 2 of them:\n', bad.stdout)
        self.assertIn('  tf.nn.no_such_layer  (bad.py:3, bad.py:5)\n      TensorFlow 1 has no tf.nn.no_such_layer',
                      bad.stdout)
        self.assertIn('  tf.train.Saver.no_such_method  (bad.py:4)\n      tf.train.Saver has no', bad.stdout)

    def test_files_that_are_no_programs(self):
        for text in ('def (:', '\0', '(' * 5000):
            self.write('broken.py', text)
            run = self.run_ramet('--check', 'broken.py', 'absent.py')
            self.assertEqual(run.returncode, 2)
            self.assertIn('broken.py: cannot be examined: ', run.stderr)
            self.assertIn('absent.py: cannot be examined: ', run.stderr)
            self.assertNotIn('Traceback', run.stderr)
        self.assertEqual(self.run_ramet('--check').returncode, 1)

    def test_a_program_that_stops_shows_all_absent_names(self):
        self.write('program.py', """\
            import tensorflow as tf
            tf.contrib.cloud.BigQueryReader()
            tf.contrib.bigtable.BigtableClient
            """)
        run = self.run_ramet('program.py')
        self.assertEqual(run.returncode, 1)
        self.assertIn('UnavailableError: TensorFlow has tf.contrib.cloud.BigQueryReader', run.stderr)
        self.assertIn('Ramet lacks 2 of them:\n  tf.contrib.bigtable.BigtableClient  (program.py:3)\n', run.stderr)
        self.assertIn('  tf.contrib.cloud.BigQueryReader  (program.py:2)\n', run.stderr)


if __name__ == '__main__':
    unittest.main()
