"""Linear equations, determinants and eigenvalues from Python."""

import unittest

import numpy as np

import ramet.compat.v1 as tf

A = np.array([[[4, 1, 0.5], [1, 3, -1], [0.5, -1, 6]], [[2, -0.5, 0], [-0.5, 5, 1], [0, 1, 9]]])
B = np.arange(12.0).reshape(2, 3, 2)


class LinalgTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def values(self, *tensors):
        with tf.Session() as sess:
            return sess.run(list(tensors))

    def test_equations(self):
        lower = np.tril(A)
        x, y, z = self.values(tf.linalg.solve(A, B), tf.linalg.triangular_solve(A, B),
                              tf.linalg.cholesky_solve(tf.linalg.cholesky(A), B))
        np.testing.assert_allclose(A @ x, B, atol=1e-12)
        np.testing.assert_allclose(lower @ y, B, atol=1e-12)
        np.testing.assert_allclose(z, x, atol=1e-12)

    def test_determinants(self):
        det, log, (sign, size) = self.values(tf.linalg.det(A), tf.linalg.logdet(A),
                                             tf.linalg.slogdet(A))
        np.testing.assert_allclose(det, np.linalg.det(A))
        np.testing.assert_allclose(log, np.log(det))
        np.testing.assert_allclose(sign * np.exp(size), det)

    def test_inverse(self):
        inverse, = self.values(tf.linalg.inv(A))
        np.testing.assert_allclose(inverse @ A, np.broadcast_to(np.eye(3), A.shape), atol=1e-12)

    def test_eigenvalues(self):
        (e, v), alone = self.values(tf.linalg.eigh(A), tf.linalg.eigvalsh(A))
        np.testing.assert_allclose(v * e[:, None, :] @ np.swapaxes(v, 1, 2), A, atol=1e-12)
        np.testing.assert_allclose(alone, e)

    def test_names(self):
        self.assertEqual(tf.linalg.triangular_solve(A, B).op.name,
                         'triangular_solve/MatrixTriangularSolve')
        self.assertEqual(tf.linalg.eigh(A, name='q')[1].name, 'q:1')

    def test_singular(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Input is not invertible.'):
            self.values(tf.linalg.inv(np.ones((2, 2))))


if __name__ == '__main__':
    unittest.main()
