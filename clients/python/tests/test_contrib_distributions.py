"""tf.contrib.distributions: probabilities are consistent with formulas, with each other and with samples."""

import math
import unittest

import numpy as np
import ramet.compat.v1 as tf

ds = tf.contrib.distributions
X = np.array([0.2, 0.7, 1.5, 3.], np.float32)


class DistributionTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(1)

    def run_(self, fetches):
        with tf.Session() as session:
            return session.run(fetches)

    def close(self, want, got, rtol=1e-4):
        np.testing.assert_allclose(want, self.run_(got), rtol=rtol, atol=1e-5)

    def check_moments(self, distribution, tolerance=0.1):
        """Compares means and variances with those of samples."""
        samples, mean, variance = self.run_([distribution.sample(20000, seed=1),
                                             distribution.mean(), distribution.variance()])
        np.testing.assert_allclose(mean, samples.mean(0), atol=tolerance)
        np.testing.assert_allclose(variance, samples.var(0), rtol=2 * tolerance, atol=tolerance)

    def check_density(self, distribution, low=-30., high=30.):
        """Compares the cumulative distribution function with the integral of the density."""
        x = np.linspace(low, high, 20001).astype(np.float32)
        density, cumulative = self.run_([distribution.prob(x), distribution.cdf(x)])
        total = np.cumsum(density.astype(np.float64)) * (x[1] - x[0])
        self.assertAlmostEqual(1, total[-1], places=2)
        np.testing.assert_allclose(total, cumulative, atol=5e-3)


class ScalarTest(DistributionTest):

    def test_the_distributions_of_tf(self):
        self.assertIs(tf.distributions.Normal, ds.Normal)
        self.assertIs(tf.distributions.kl_divergence, ds.kl_divergence)

    def test_logistic_and_half_normal(self):
        for distribution in (ds.Logistic(0.5, 1.5), ds.HalfNormal(2.)):
            self.check_moments(distribution, 0.15)
            self.check_density(distribution)
        self.close(1 / (1 + np.exp((X - 1) / 2)), ds.Logistic(1., 2.).survival_function(X))
        z = (X - 1) / 2
        self.close(-z - 2 * np.log1p(np.exp(-z)) - np.log(2), ds.Logistic(1., 2.).log_prob(X))

    def test_counts(self):
        poisson, geometric = ds.Poisson([3., 0.5]), ds.Geometric(probs=[0.3, 0.6])
        for distribution in (poisson, geometric):
            self.check_moments(distribution)
            counts = np.arange(60, dtype=np.float32)[:, None]
            probs, cumulative = self.run_([distribution.prob(counts), distribution.cdf(counts)])
            np.testing.assert_allclose(np.cumsum(probs, 0), cumulative, atol=1e-5)
        self.close(math.exp(-3) * 3 ** 2 / 2, poisson.prob(2.)[0])
        self.close(0.3 * 0.7 ** 2, geometric.prob(2.)[0])
        discrete = ds.Poisson([3., 0.5], interpolate_nondiscrete=False)
        self.close([0, 0], discrete.prob(1.5))
        self.close([0, 0], ds.HalfNormal([1., 2.]).prob(-1.))
        with self.assertRaisesRegex(ValueError, 'exactly one of'):
            ds.Poisson()

    def test_relaxed_bernoulli(self):
        distribution = ds.RelaxedBernoulli(0.8, probs=0.3)
        y = np.linspace(1e-4, 1 - 1e-4, 20001).astype(np.float32)
        density = self.run_(distribution.prob(y))
        self.assertAlmostEqual(1, density.mean(), places=2)
        samples = self.run_(distribution.sample(20000))
        self.assertAlmostEqual(0.3, (samples > 0.5).mean(), places=1)


class BijectorTest(DistributionTest):

    def test_each_bijector(self):
        b = ds.bijectors
        x = tf.constant(X)
        for bijector in (b.Identity(), b.Exp(), b.Sigmoid(), b.Softplus(),
                         b.AffineScalar(1., -2.), b.Invert(b.Exp()),
                         b.Chain([b.Exp(), b.AffineScalar(0.5, 0.3)])):
            y = bijector.forward(x)
            slope, = tf.gradients(y, x)
            got = self.run_([bijector.inverse(y), tf.log(tf.abs(slope)),
                             bijector.forward_log_det_jacobian(x),
                             -bijector.inverse_log_det_jacobian(y)])
            np.testing.assert_allclose(X, got[0], rtol=1e-4)
            np.testing.assert_allclose(got[1], got[2], rtol=1e-3, atol=1e-5)
            np.testing.assert_allclose(got[1], got[3], rtol=1e-3, atol=1e-5)

    def test_affine(self):
        affine = ds.bijectors.Affine(shift=[1., 2.], scale_diag=[3., 4.],
                                     scale_identity_multiplier=1.)
        self.close([[5., 12.]], affine.forward([[1., 2.]]))
        self.close([math.log(20.)], affine.forward_log_det_jacobian([[1., 2.]]))

    def test_log_normal(self):
        distribution = ds.TransformedDistribution(ds.Normal(0.5, 0.7), ds.bijectors.Exp())
        self.close(np.exp(-0.5 * ((np.log(X) - 0.5) / 0.7) ** 2) / (
            X * 0.7 * math.sqrt(2 * math.pi)), distribution.prob(X))
        samples = self.run_(distribution.sample(20000))
        self.assertAlmostEqual(math.exp(0.5 + 0.7 ** 2 / 2), samples.mean(), places=1)


class VectorTest(DistributionTest):

    def test_normal_vectors(self):
        loc, scale = np.array([[1., -1.]], np.float32), np.array([[0.5, 2.]], np.float32)
        distribution = ds.MultivariateNormalDiag(loc, scale)
        self.assertEqual(([1], [2]), (distribution.batch_shape.as_list(),
                                      distribution.event_shape.as_list()))
        self.check_moments(distribution)
        x = np.array([[0.3, 0.4]], np.float32)
        z = (x - loc) / scale
        self.close((-0.5 * z ** 2 - 0.5 * math.log(2 * math.pi) - np.log(scale)).sum(-1),
                   distribution.log_prob(x))
        self.close([[[0.25, 0], [0, 4.]]], distribution.covariance())
        other = ds.MultivariateNormalDiag([0., 0.])
        each = tf.distributions.kl_divergence(ds.Normal(loc, scale), ds.Normal(0., 1.))
        self.close(self.run_(tf.reduce_sum(each, -1)), distribution.kl_divergence(other))
        independent = ds.Independent(ds.Normal(loc[0], scale[0]), 1)
        self.close(self.run_(distribution.log_prob(x)), independent.log_prob(x))
        self.close(self.run_(distribution.entropy())[0], independent.entropy())

    def test_categories(self):
        probs = np.array([0.2, 0.5, 0.3], np.float32)
        one_hot = ds.OneHotCategorical(probs=probs)
        self.check_moments(one_hot, 0.05)
        self.close(np.log(probs), one_hot.log_prob(np.eye(3)))
        relaxed = ds.RelaxedOneHotCategorical(0.5, probs=probs)
        samples, logs = self.run_([relaxed.sample(20000), relaxed.log_prob([[0.2, 0.5, 0.3]])])
        np.testing.assert_allclose(1, samples.sum(-1), rtol=1e-5)
        np.testing.assert_allclose(probs, np.bincount(samples.argmax(-1)) / 20000, atol=0.02)
        # The density of arXiv 1611.00712, equation 10.
        y, t = np.array([0.2, 0.5, 0.3]), 0.5
        want = math.log(2) + 2 * math.log(t) + np.log(
            probs * y ** (-t - 1)).sum() - 3 * math.log((probs * y ** -t).sum())
        np.testing.assert_allclose([want], logs, rtol=1e-4)


class MixtureTest(DistributionTest):

    def test_mixtures_of_numbers(self):
        probs, loc, scale = [0.3, 0.7], np.array([-1., 2.]), np.array([0.5, 1.])
        normals = [ds.Normal(np.float32(m), np.float32(s)) for m, s in zip(loc, scale)]
        made = [ds.Mixture(ds.Categorical(probs=probs), normals),
                ds.MixtureSameFamily(ds.Categorical(probs=probs),
                                     ds.Normal(np.float32(loc), np.float32(scale)))]
        density = sum(p * np.exp(-0.5 * ((X - m) / s) ** 2) / (s * math.sqrt(2 * math.pi))
                      for p, m, s in zip(probs, loc, scale))
        for mixture in made:
            self.close(density, mixture.prob(X))
            self.check_moments(mixture)
            self.check_density(mixture)

    def test_mixtures_of_vectors(self):
        loc = np.array([[0., 1.], [2., 3.]], np.float32)
        made = [ds.Mixture(ds.Categorical(probs=[0.4, 0.6]),
                           [ds.MultivariateNormalDiag(m) for m in loc]),
                ds.MixtureSameFamily(ds.Categorical(probs=[0.4, 0.6]),
                                     ds.MultivariateNormalDiag(loc))]
        x = np.array([[0.5, 0.5], [2., 2.]], np.float32)
        want = self.run_(made[0].log_prob(x))
        self.close(want, made[1].log_prob(x))
        for mixture in made:
            self.check_moments(mixture)
            self.assertEqual([2], mixture.event_shape.as_list())


if __name__ == '__main__':
    unittest.main()
