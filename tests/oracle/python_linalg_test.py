"""Symptom: a function of matrices that consists of many operations has different values or gradients.

Each call is made in both packages. Only values are compared: Ramet adds fewer nodes for the same formulas.
Needs tensorflow, and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf

import ramet.compat.v1 as rt

tf.disable_v2_behavior()


def matrix(*shape, dtype='float64', scale=1.0):
    numbers = np.random.RandomState(7).uniform(-scale, scale, (2, *shape))
    return (numbers[0] + 1j * numbers[1] if dtype.startswith('complex') else numbers[0]).astype(dtype)


def values(package, call, *inputs, known=True):
    """Returns the result of a call, and its gradients with respect to its inputs."""
    with package.Graph().as_default(), package.Session() as session:
        tensors = [package.placeholder(x.dtype, x.shape if known else None) for x in inputs]
        result = call(package, *tensors)
        gradients = package.gradients(package.square(package.abs(result)), tensors)
        return session.run([result, *gradients], dict(zip(tensors, inputs)))


class LinalgTest(unittest.TestCase):

    def check(self, call, *inputs, tol, known=True):
        for want, got in zip(values(tf, call, *inputs, known=known), values(rt, call, *inputs, known=known)):
            self.assertEqual((want.dtype, want.shape), (got.dtype, got.shape))
            np.testing.assert_allclose(got, want, rtol=tol, atol=tol * np.abs(want).max(initial=1))

    def test_matrix_exponential(self):
        for dtype, tol in (('float32', 1e-4), ('float64', 1e-10), ('complex64', 1e-4), ('complex128', 1e-10)):
            for shape in ((2, 4, 4), (1, 1)):
                for scale in (1e-3, 0.5, 3):
                    with self.subTest(dtype=dtype, shape=shape, scale=scale):
                        self.check(lambda p, x: p.linalg.expm(x), matrix(*shape, dtype=dtype, scale=scale), tol=tol)
        self.check(lambda p, x: p.linalg.expm(x), matrix(2, 3, 3, scale=0.1), tol=1e-10, known=False)
        self.check(lambda p, x: p.linalg.expm(x), matrix(2, 0, 3, 3), tol=1e-10)

    def test_matrix_exponential_of_other_values(self):
        for p in (tf, rt):
            with p.Graph().as_default(), p.Session() as session:
                self.assertTrue(np.isnan(session.run(p.linalg.expm([[np.inf, 0.], [0., 1.]]))).all())
                self.assertEqual(p.linalg.expm(p.zeros([2, 0, 0])).shape.as_list(), [2, 0, 0])
                with self.assertRaisesRegex(ValueError, 'does not support matrices of type'):
                    p.linalg.expm(p.constant([[1, 2], [3, 4]]))

    def test_least_squares(self):
        for dtype, tol in (('float32', 2e-3), ('float64', 1e-8), ('complex64', 2e-3), ('complex128', 1e-8)):
            for shape in ((4, 3), (2, 2, 5)):
                for regularizer in (0.0, 0.25):
                    if regularizer and dtype == 'complex128':
                        continue
                    with self.subTest(dtype=dtype, shape=shape, regularizer=regularizer):
                        rhs = matrix(*shape[:-1], 2, dtype=dtype)
                        self.check(lambda p, a, b, r=regularizer: p.matrix_solve_ls(a, b, r),
                                   matrix(*shape, dtype=dtype), rhs, tol=tol)
        self.check(lambda p, a, b: p.linalg.lstsq(a, b), matrix(4, 3), matrix(4, 1), tol=1e-8, known=False)

    def test_least_squares_that_are_refused(self):
        for p in (tf, rt):
            with p.Graph().as_default(), self.assertRaisesRegex(NotImplementedError, 'complex128'):
                p.matrix_solve_ls(matrix(2, 2, dtype='complex128'), matrix(2, 1, dtype='complex128'), 0.5)


if __name__ == '__main__':
    unittest.main()
