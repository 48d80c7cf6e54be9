"""Symptom: a SavedModel of TensorFlow 2 (functions, variables, a loop, a branch) does not run.

Needs tensorflow and the package ramet on the path.
"""

import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import ramet.compat.v1 as rt

MAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'python_saved_model_v2_make.py')


class SavedModelOfTensorFlow2Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([sys.executable, MAKE, cls.folder.name], check=True)
        cls.where = os.path.join(cls.folder.name, 'model')
        with np.load(os.path.join(cls.folder.name, 'values.npz')) as values:
            cls.values = dict(values)

    def setUp(self):
        self.session = rt.Session(graph=rt.Graph())
        self.addCleanup(self.session.close)
        with self.session.graph.as_default():
            self.meta = rt.saved_model.loader.load(self.session, ['serve'], self.where)

    def call(self, signature, **feeds):
        signature = self.meta.signature_def[signature]
        fetches = {key: info.name for key, info in signature.outputs.items()}
        return self.session.run(
            fetches, {signature.inputs[key].name: value for key, value in feeds.items()})

    def test_a_loop_with_a_branch(self):
        for count in (0, 1, 5, 3):
            got = self.call('serving_default', x=self.values['x'], count=count)
            self.assertEqual(set(got), {'total', 'last', 'calls'})
            for key, value in got.items():
                np.testing.assert_allclose(value, self.values[f'{key}_{count}'], rtol=1e-5,
                                           err_msg=f'{key} of {count}')

    def test_a_table(self):
        got = self.call('look_up', word=['dog', 'bird', 'cat'])
        np.testing.assert_array_equal(got['number'], self.values['numbers'])

    def test_other_rows(self):
        x = np.repeat(self.values['x'], 3, 0)
        got = self.call('serving_default', x=x, count=3)['total']
        np.testing.assert_allclose(got, np.repeat(self.values['total_3'], 3, 0), rtol=1e-5)

    def test_a_gradient_through_it(self):
        signature = self.meta.signature_def['serving_default']
        graph = self.session.graph
        x = graph.get_tensor_by_name(signature.inputs['x'].name)
        count = graph.get_tensor_by_name(signature.inputs['count'].name)
        y = graph.get_tensor_by_name(signature.outputs['total'].name)
        with graph.as_default():
            (gradient,) = rt.gradients(y, x)
        at, step = self.values['x'], np.float32(1e-2)

        def total(value):
            return self.session.run(y, {x: value, count: 3}).sum()

        got = self.session.run(gradient, {x: at, count: 3})
        want = np.zeros_like(at)
        for index in np.ndindex(at.shape):
            more = np.zeros_like(at)
            more[index] = step
            want[index] = (total(at + more) - total(at - more)) / (2 * step)
        np.testing.assert_allclose(got, want, rtol=2e-2, atol=2e-3)


if __name__ == '__main__':
    unittest.main()
