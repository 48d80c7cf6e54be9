"""Tests of contrib_names.py."""

import os
import subprocess
import sys
import tempfile
import unittest

import contrib_names

PROGRAM = """
import tensorflow as tf
import tensorflow.contrib.slim as slim
import tensorflow.contrib.layers
from tensorflow.contrib import rnn as cells, seq2seq
from tensorflow.contrib.seq2seq.python.ops import helper
import other.contrib.slim as not_ours

cell = cells.GRUCell(3)
net = slim.nets.vgg.vgg_16.default_image_size
loss = tf.contrib.losses.no_such_loss(net)
tensorflow.contrib.layers.conv2d(tf.nn.relu(cell), 3)
other = not_ours.conv2d
seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell))
"""


class ContribNamesTest(unittest.TestCase):
    def test_names_of_a_program(self):
        found = contrib_names.names_of(PROGRAM)
        for name in ('rnn.GRUCell', 'slim.nets.vgg.vgg_16.default_image_size', 'losses.no_such_loss', 'layers.conv2d',
                     'seq2seq.dynamic_decode', 'seq2seq.BasicDecoder', 'seq2seq.python.ops.helper'):
            self.assertEqual(found['contrib.' + name], 1, name)
        self.assertFalse([name for name in found if not name.startswith('contrib.')])

    def test_known_names(self):
        names, spaces = contrib_names.known_names()
        for name in ('rnn.GRUCell', 'rnn', 'slim.conv2d', 'rnn.GRUCell.call', 'rnn.python.ops.rnn_cell'):
            self.assertTrue(contrib_names.is_known('contrib.' + name, names, spaces), name)
        for name in ('losses.no_such_loss', 'no_such_module', 'rnn.GRUCellar'):
            self.assertFalse(contrib_names.is_known('contrib.' + name, names, spaces), name)

    def test_prints_of_python_2(self):
        self.assertEqual(list(contrib_names.names_of('import tensorflow as tf\nprint tf.contrib.x\n')), ['contrib.x'])

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (('a.py', PROGRAM), ('b.py', 'def ('), ('c.txt', 'no program')):
                with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
                    file.write(text)
            run = subprocess.run([sys.executable, contrib_names.__file__, '--absent', folder], capture_output=True,
                                 text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, 'absent\t1\tcontrib.losses.no_such_loss\n'))
        self.assertIn('b.py: cannot be read', run.stderr)


if __name__ == '__main__':
    unittest.main()
