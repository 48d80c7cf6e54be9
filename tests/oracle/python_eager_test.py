"""Symptom: an eager program has a different value, dtype, text or error than in TensorFlow.

python_eager_cases.py and the files like it have the programs. They run in both packages, in a process of its own per
package and file. Needs tensorflow, and the package ramet on the path.
"""

import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

# Describes the result of each case: dtypes and values, or the error.
PROGRAM = """
import importlib, json, sys, warnings
import numpy as np
warnings.simplefilter('ignore')
sys.path.insert(0, sys.argv[1])
cases = importlib.import_module(sys.argv[3])
tf = importlib.import_module(sys.argv[2])
tf.enable_eager_execution()
if sys.argv[2].startswith('tensorflow'):
    tf.disable_v2_tensorshape()
    tf.disable_tensor_equality()
tf.logging.set_verbosity('ERROR')
DIGITS = 3

def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(key): plain(v) for key, v in value.items()}
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, bytes):
        return value.decode('latin-1')
    if isinstance(value, tf.IndexedSlices):
        return ['slices', plain(value.values), plain(value.indices)]
    if isinstance(value, tf.SparseTensor):
        return ['sparse', plain(value.indices), plain(value.values), plain(value.dense_shape)]
    if isinstance(value, (tf.DType, tf.TensorShape)):
        return str(value)
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return [value.dtype.name, plain(value.numpy())]
    value = np.asarray(value)
    if value.dtype == object:
        return plain(value.tolist())
    if value.dtype.kind == 'c':
        return plain([value.real, value.imag])
    return np.round(value.astype(np.float64), DIGITS).tolist()

def described(case):
    try:
        return plain(case(tf))
    except Exception as error:
        lines = str(error).split('\\n')
        text = lines[0].split('/device:CPU:0}} ')[-1].split(' [Op:')[0]
        return type(error).__name__, text

print(json.dumps({case.__name__: described(case) for case in cases.CASES}))
"""


def results(package, cases):
    environment = dict(os.environ, TF_USE_LEGACY_KERAS='1', TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='')
    output = subprocess.run([sys.executable, '-B', '-c', PROGRAM, HERE, package, cases], check=True,
                            stdout=subprocess.PIPE, env=environment).stdout
    return json.loads(output.splitlines()[-1])


class EagerTest(unittest.TestCase):
    maxDiff = None

    def check(self, cases):
        ours, theirs = results('ramet.compat.v1', cases), results('tensorflow.compat.v1', cases)
        self.assertEqual(list(ours), list(theirs))
        for name, wanted in theirs.items():
            with self.subTest(case=name):
                self.assertEqual(ours[name], wanted)

    def test_programs(self):
        self.check('python_eager_cases')

    def test_gradients(self):
        self.check('python_eager_gradients_cases')

    def test_models(self):
        self.check('python_eager_models_cases')

    def test_keras(self):
        self.check('python_eager_keras_cases')


if __name__ == '__main__':
    unittest.main()
