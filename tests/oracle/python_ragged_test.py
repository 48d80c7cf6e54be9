"""Symptom: a function of ragged tensors has a different value, static shape, dtype or error than in TensorFlow.

python_ragged_cases.py has the calls. Each runs in both packages, in a process of its own per package.
Needs tensorflow, and the package ramet on the path.
"""

import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

# Describes the result of each case: kinds, dtypes and values, or the error.
PROGRAM = """
import importlib, json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import python_ragged_cases
tf = importlib.import_module(sys.argv[2])
tf.disable_eager_execution()
tf.logging.set_verbosity('ERROR')

def plain(value):
    if hasattr(value, 'to_list'):
        return plain(value.to_list())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, bytes):
        return value.decode('latin-1')
    value = np.asarray(value)
    if value.dtype == object:
        return plain(value.tolist())
    return np.round(value.astype(np.float64), 5).tolist()

def kind(value):
    if isinstance(value, tf.RaggedTensor):
        return ['ragged', value.ragged_rank, value.dtype.name, value.row_splits.dtype.name, len(value.shape)]
    return ['dense', value.dtype.name]

def described(call):
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            made = call(tf)
            parts = list(made) if isinstance(made, (list, tuple)) else [made]
            return [kind(part) for part in parts], plain(session.run(parts))
        except (TypeError, ValueError) as error:
            text = str(error).split('\\n')[0].split(' for ')[0].split('): ')[-1]
            return type(error).__name__, text.replace('?', 'None')
        except tf.errors.OpError as error:
            return type(error).__name__

print(json.dumps([described(call) for call in python_ragged_cases.CASES]))
"""


def results(package):
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='')
    output = subprocess.run([sys.executable, '-B', '-c', PROGRAM, HERE, package], check=True,
                            stdout=subprocess.PIPE, env=environment).stdout
    return json.loads(output.splitlines()[-1])


class RaggedTest(unittest.TestCase):
    def test_like_tensorflow(self):
        ours, theirs = results('ramet.compat.v1'), results('tensorflow.compat.v1')
        self.assertEqual(len(ours), len(theirs))
        for number, (mine, wanted) in enumerate(zip(ours, theirs, strict=True)):
            with self.subTest(case=number):
                self.assertEqual(mine, wanted)


if __name__ == '__main__':
    unittest.main()
