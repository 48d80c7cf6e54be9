"""Symptom: a program that imports names from TensorFlow's internal modules does not start.

python_internal_modules_cases.py lists the modules and names that programs import. Each must exist in TensorFlow
(unless TensorFlow 2 removed it) and lead to something that Ramet has.
Needs tensorflow, and the package ramet on the path.
"""

import importlib
import json
import os
import subprocess
import sys
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import python_internal_modules_cases as cases

# Names and modules that TensorFlow 1.15 has, and 2.21 does not have there.
REMOVED = (
    'framework.graph_util.convert_variables_to_constants',
    'framework.ops.IndexedSlices',
    'framework.ops.Tensor',
    'framework.ops.convert_n_to_tensor_or_indexed_slices',
    'framework.ops.convert_to_tensor_or_indexed_slices',
    'framework.ops.register_tensor_conversion_function',
    'framework.tensor_shape.matrix',
    'framework.tensor_shape.scalar',
    'framework.tensor_shape.vector',
    'layers.layers.batch_normalization',
    'ops.array_ops.stack',
    'ops.array_ops.unstack',
    'ops.control_flow_ops.Assert',
    'ops.control_flow_ops.case',
    'ops.control_flow_ops.cond',
    'ops.control_flow_ops.switch_case',
    'ops.control_flow_ops.while_loop',
    'ops.functional_ops.map_fn',
    'ops.gen_nn_ops.fused_batch_norm',
    'ops.math_ops.batch_matmul',
    'ops.random_ops.random_crop',
    'ops.variables.is_variable_initialized',
    'training.gen_training_ops',
    'training.training_ops',
)

# Prints the names in `modules` that the program cannot use.
PROGRAM = """
import importlib, json, sys
from ramet import api
absent = []
for module, names in json.loads(sys.argv[1]).items():
    try:
        found = importlib.import_module('tensorflow.python.' + module)
    except ImportError:
        absent.append(module)
        continue
    for name in names.split():
        if isinstance(getattr(found, name), api.Unavailable):
            absent.append(module + '.' + name)
print(json.dumps(absent))
"""


def has(module, name):
    try:
        getattr(module, name)
    except AttributeError:
        return False
    except ImportError:  # a layer of Keras 2, which is a package of its own
        return True
    return True


class InternalModulesTest(unittest.TestCase):
    maxDiff = None

    def test_ramet_has_the_names(self):
        run = subprocess.run([sys.executable, '-m', 'ramet', '-c', PROGRAM, json.dumps(cases.MODULES)],
                             capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([], sorted(json.loads(run.stdout)))

    def test_tensorflow_has_the_names(self):
        absent = []
        for module, names in cases.MODULES.items():
            try:
                found = importlib.import_module('tensorflow.python.' + module)
            except ImportError:
                absent.append(module)
                continue
            absent += [f'{module}.{name}' for name in names.split() if not has(found, name)]
        self.assertEqual(sorted(REMOVED), sorted(absent))


if __name__ == '__main__':
    unittest.main()
