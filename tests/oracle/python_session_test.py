"""Symptom: a session's options, metadata or partial runs differ from TensorFlow's.

Each case runs in both packages, in separate graphs, and notes values, or the class and message of an error. The
notes must be the same. Needs tensorflow and the package ramet on the path.
"""

import os
import re
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import tensorflow.compat.v1 as tf

import ramet.compat.v1 as rt

from python_session_cases import CASES

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


def message_of(error):
    """Returns the message without the location in the program, which TensorFlow adds."""
    message = str(error).removeprefix('Graph execution error:\n\n')
    inner = re.search(r"^Node: '.*'\n(.*?)\n\nOriginal stack trace", message, re.S | re.M)
    message = inner[1] if inner else message
    return message.split('\n\nOriginal stack trace')[0].split('\n\t [[')[0]


def notes_of(package, case):
    notes = []

    def note(call):
        try:
            notes.append(repr(call()))
        except Exception as error:
            notes.append(f'{type(error).__name__}: {message_of(error)}')

    with package.Graph().as_default():
        case(package, note)
    return notes


class SessionTest(unittest.TestCase):
    def test_cases(self):
        self.maxDiff = None
        for case in CASES:
            with self.subTest(case.__name__):
                self.assertEqual(notes_of(rt, case), notes_of(tf, case))


if __name__ == '__main__':
    unittest.main()
