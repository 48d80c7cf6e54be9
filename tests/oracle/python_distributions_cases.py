"""The calls that python_distributions_test.py compares between the packages, by group. (call, True) also runs."""

METHODS = ('mean', 'mode', 'variance', 'stddev', 'entropy', 'covariance', 'is_scalar_event', 'is_scalar_batch',
           'batch_shape_tensor', 'event_shape_tensor')
OF_VALUES = ('prob', 'log_prob', 'cdf', 'log_cdf', 'survival_function', 'log_survival_function')


def ph(tf, dtype='float32'):
    return tf.placeholder_with_default(tf.constant([0.5, 1.5], dtype), None)


# name: (make(tf, tf.distributions, **options), values)
DISTRIBUTIONS = {
    'normal': (lambda tf, d, **o: d.Normal([1., -2.], [[0.5], [3.]], **o), [-30., 0.25]),
    'normal_double': (lambda tf, d, **o: d.Normal(tf.constant(1., tf.float64), tf.constant(2., tf.float64), **o),
                      [-41., -3., 0.1, 20.]),
    'normal_unknown': (lambda tf, d, **o: d.Normal(ph(tf), 2., **o), 1.5),
    'laplace': (lambda tf, d, **o: d.Laplace([1., -2.], [[0.5], [3.]], **o), [-0.5, 2.]),
    'uniform': (lambda tf, d, **o: d.Uniform([1., -2.], [[2.], [3.]], **o), [-0.5, 1.25]),
    'uniform_default': (lambda tf, d, **o: d.Uniform(**o), [-1., 0.25, 1., 2., float('nan')]),
    'student_t': (lambda tf, d, **o: d.StudentT([1.5, 2.5], [1., -2.], [[0.5], [3.]], **o), [-0.5, 2.]),
    'student_t_wild': (lambda tf, d, **o: d.StudentT([0.5, 2.], 1., 2., **o), [-0.5, 2.]),
    'gamma': (lambda tf, d, **o: d.Gamma([0.5, 3.], [[2.], [0.25]], **o), [0.5, 2.]),
    'exponential': (lambda tf, d, **o: d.Exponential([0.5, 3.], **o), [0.5, 2.]),
    'beta': (lambda tf, d, **o: d.Beta([0.5, 3.], [[2.], [1.5]], **o), [0.25, 0.75]),
    'bernoulli': (lambda tf, d, **o: d.Bernoulli(probs=[0.25, 0.75], **o), [0, 1]),
    'bernoulli_logits': (lambda tf, d, **o: d.Bernoulli(logits=[[-1.], [3.]], dtype=tf.float32, **o), [0., 1.]),
    'categorical': (lambda tf, d, **o: d.Categorical(probs=[[0.25, 0.5, 0.25], [0.125, 0.125, 0.75]], **o), [0, 2]),
    'categorical_logits': (lambda tf, d, **o: d.Categorical([0.5, 1., -2.], dtype=tf.int64, **o), 2),
    'categorical_unknown': (lambda tf, d, **o: d.Categorical(ph(tf), **o), 1),
    'categorical_batch': (lambda tf, d, **o: d.Categorical(tf.zeros([2, 3, 4]), **o), [[0, 1, 2], [3, 0, 1]]),
    'dirichlet': (lambda tf, d, **o: d.Dirichlet([[0.5, 2.], [3., 1.5]], **o), [0.25, 0.75]),
    'dirichlet_multinomial': (lambda tf, d, **o: d.DirichletMultinomial([4., 5.], [[0.5, 2.], [3., 1.5]], **o),
                              [[1., 3.], [2., 3.]]),
    'multinomial': (lambda tf, d, **o: d.Multinomial([4., 5.], probs=[[0.25, 0.75], [0.5, 0.5]], **o),
                    [[1., 3.], [2., 3.]]),
    'multinomial_logits': (lambda tf, d, **o: d.Multinomial(3., logits=[0.5, 1., -2.], **o), [1., 2., 0.]),
}


def dist(make, **options):
    return lambda tf: make(tf, tf.distributions, **options)


def method_cases(make, values, **options):
    """Yields calls of all methods of a distribution."""
    made = dist(make, **options)
    for name in METHODS:
        yield lambda tf, name=name: getattr(made(tf), name)(), True
    for name in OF_VALUES:
        yield lambda tf, name=name: getattr(made(tf), name)(values), True
    yield lambda tf: made(tf).log_prob(values, name='named'), True
    yield lambda tf: [tf.constant(str(x)) for x in (made(tf), made(tf).batch_shape, made(tf).event_shape)], True
    yield lambda tf: tf.constant(repr(made(tf))), True
    yield lambda tf: tf.constant(sorted(made(tf).parameters)), True
    yield lambda tf: made(tf).copy().mean(), True


def sample_cases(make):
    made = dist(make)

    def seeded(call):
        def run(tf):
            tf.set_random_seed(7)
            return call(tf)
        return run

    for shape in ((), 3, [2, 3], [0]):
        yield lambda tf, shape=shape: made(tf).sample(shape, seed=5), True
    yield seeded(lambda tf: made(tf).sample([4])), True
    yield lambda tf: made(tf).sample(tf.placeholder_with_default([2], None), seed=3), True


KL = [(lambda tf, name=name, make=make: tf.distributions.kl_divergence(
    make(tf, tf.distributions), make(tf, tf.distributions)), True) for name, (make, _) in DISTRIBUTIONS.items()] + [
    (lambda tf: tf.distributions.Normal(0., 1.).kl_divergence(tf.distributions.Normal([1., 2.], 3.)), True),
    (lambda tf: tf.distributions.Normal(0., 1.).cross_entropy(tf.distributions.Normal([1., 2.], 3.)), True),
    (lambda tf: tf.distributions.Normal(0., 1., allow_nan_stats=False).kl_divergence(
        tf.distributions.Normal(1., 3.)), True),
    (lambda tf: tf.distributions.Gamma(0.5, 1.).kl_divergence(tf.distributions.Gamma([1., 2.], 3.)), True),
    (lambda tf: tf.distributions.Beta(0.5, 1.).kl_divergence(tf.distributions.Beta([1., 2.], 3.)), True),
    (lambda tf: tf.distributions.Exponential(0.5).kl_divergence(tf.distributions.Exponential([1., 2.])), True),
    lambda tf: tf.distributions.kl_divergence(tf.distributions.Normal(0., 1.), tf.distributions.Uniform()),
    lambda tf: tf.distributions.RegisterKL(int, float)(3),
]


def with_new_kl(tf):
    class Mine(tf.distributions.Normal):
        pass

    @tf.distributions.RegisterKL(Mine, Mine)
    def _kl(a, b, name=None):
        return tf.constant(7.)

    try:
        tf.distributions.RegisterKL(Mine, Mine)(_kl)
    except ValueError as error:
        message = str(error).split(' to: ')[0]
    mine = Mine(0., 1.)
    return [tf.distributions.kl_divergence(mine, mine), tf.constant(message),
            tf.distributions.kl_divergence(mine, tf.distributions.Normal(0., 2.))]


def own_distribution(tf):
    class Half(tf.distributions.Distribution):
        def __init__(self):
            super().__init__(tf.float32, tf.distributions.NOT_REPARAMETERIZED, False, True, name='Half')

        def _prob(self, value):
            return value / 2

        def _log_cdf(self, value):
            return value - 1

        def _stddev(self):
            return tf.constant(3.)

        def _batch_shape(self):
            return tf.TensorShape([])

        def _event_shape(self):
            return tf.TensorShape([])

        def _sample_n(self, n, seed=None):
            return tf.ones([n])

    half = Half()
    return [half.log_prob(3.), half.cdf(0.5), half.survival_function(0.5), half.variance(), half.sample([2, 2]),
            tf.constant(str(half)), half.log_survival_function(0.5)]


def missing(method, *args):
    def call(tf):
        made = tf.distributions.Distribution(tf.float32, tf.distributions.FULLY_REPARAMETERIZED, False, True)
        return getattr(made, method)(*args)
    return call


OTHER = [
    (with_new_kl, True),
    (own_distribution, True),
    *(missing(m) for m in ('mean', 'stddev', 'variance', 'entropy', 'mode', 'covariance', 'sample',
                           'batch_shape_tensor', 'event_shape_tensor')),
    *(missing(m, 1.) for m in ('prob', 'log_prob', 'cdf', 'log_cdf', 'quantile', 'survival_function')),
    (lambda tf: tf.distributions.Normal([1., 2.], 3.).quantile([0.01, 0.75]), True),
    (lambda tf: tf.distributions.Normal(tf.constant(1., tf.float64), 3.).quantile(0.5), True),
    (lambda tf: tf.distributions.Normal(0., 1.).quantile(tf.constant([0., 1e-20, 1e-3, 0.2, 0.5, 0.9, 0.9999, 1.])),
     True),
    (lambda tf: tf.distributions.Uniform(1., 4.).range(), True),
    (lambda tf: list(tf.distributions.Normal.param_shapes([2, 3]).values()), True),
    (lambda tf: tf.constant(str(sorted(tf.distributions.Gamma.param_static_shapes([2, 3]).items()))), True),
    lambda tf: tf.distributions.Normal.param_static_shapes(tf.TensorShape([None])),
    lambda tf: tf.distributions.Categorical.param_shapes([2]),
    lambda tf: tf.distributions.Normal(1, 2),
    lambda tf: tf.distributions.Normal(tf.constant(1., tf.float64), tf.constant(1.)),
    lambda tf: tf.distributions.Bernoulli(),
    lambda tf: tf.distributions.Bernoulli([0.5], [0.5]),
    lambda tf: tf.distributions.Bernoulli(probs=[1, 2]),
    lambda tf: tf.distributions.Categorical([1, 2]),
    lambda tf: tf.distributions.Categorical(2.),
    lambda tf: tf.distributions.Categorical(probs=[[0.5, 0.5]]).log_prob('a'),
    lambda tf: tf.distributions.Categorical(probs=[[1.]], validate_args=True),
    lambda tf: tf.distributions.Normal(0., 1.).sample([[1]]),
    lambda tf: tf.distributions.Gamma(1., 1.).log_prob(tf.constant(1., tf.float64)),
    (lambda tf: tf.distributions.Categorical(probs=[[0.5, 0.5]]).prob([0., 1.]), True),
    (lambda tf: tf.constant(repr([tf.distributions.FULLY_REPARAMETERIZED,
                                  tf.distributions.NOT_REPARAMETERIZED])), True),
    (lambda tf: tf.constant([tf.distributions.Normal(0., 1.).reparameterization_type
                             is tf.distributions.FULLY_REPARAMETERIZED]), True),
]


def reparameterized(name, make):
    def call(tf):
        graph_inputs = make(tf, tf.distributions)._graph_parents
        made = make(tf, tf.distributions)
        del graph_inputs
        return [g for g in tf.gradients(made.sample([3], seed=4), made._graph_parents) if g is not None]
    return call, True


GRADIENTS = [reparameterized(name, DISTRIBUTIONS[name][0]) for name in (
    'normal', 'laplace', 'uniform', 'student_t', 'gamma', 'exponential', 'beta', 'dirichlet')]

CASES = {'kl': KL, 'other': OTHER, 'gradients': GRADIENTS}
for _name, (_make, _values) in DISTRIBUTIONS.items():
    CASES[_name] = [*method_cases(_make, _values)]
    CASES[_name + '_checked'] = [*method_cases(_make, _values, validate_args=True)]
    CASES[_name + '_no_nan'] = [*method_cases(_make, _values, allow_nan_stats=False)]
    # TensorFlow draws the rows of a batch in the order in which iterations of a loop happen to run.
    if _name != 'multinomial':
        CASES[_name + '_samples'] = [*sample_cases(_make)]
