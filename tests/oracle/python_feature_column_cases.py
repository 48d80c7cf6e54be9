"""The uses of feature columns that python_feature_column_test.py compares between the packages: call(tf)."""

import os
import tempfile

VOCABULARY = os.path.join(tempfile.gettempdir(), 'ramet_feature_column_vocabulary.txt')
with open(VOCABULARY, 'w') as vocabulary:
    vocabulary.write('x\ny\nz\n')


def fed(tf, values, shape, name, dtype=None):
    """Returns a placeholder with values, so that no constant is folded into shapes."""
    return tf.placeholder_with_default(tf.constant(values, dtype), shape, name=name)


def sparse(tf, indices, values, name):
    return tf.SparseTensor(fed(tf, indices, [None, 2], name + '_at', tf.int64), values,
                           fed(tf, [3, 2], [2], name + '_shape', tf.int64))


def features(tf):
    return {'a': fed(tf, [[1., 2.], [3., 4.], [5., 6.]], [None, 2], 'a'),
            'b': fed(tf, [0, 3, 3], [None], 'b', tf.int64),
            's': fed(tf, [['x', 'y'], ['', 'q'], ['z', 'x']], [None, 2], 's'),
            'u': tf.placeholder(tf.float32, None, name='u'), 'f': fed(tf, [[1.], [2.], [3.]], [None, 1], 'f'),
            'w': fed(tf, [[1., 2.], [0., .5], [3., 1.]], [None, 2], 'w'),
            'sparse': sparse(tf, [[0, 0], [2, 1]], fed(tf, [1, 2], [None], 'values', tf.int64), 'sparse'),
            'steps': sparse(tf, [[0, 0], [0, 1], [2, 0]], fed(tf, [1., 2., 3.], [None], 'numbers'), 'steps')}


def constant(tf):
    return tf.constant_initializer([[i, i + .5] for i in range(20)])


def inputs(*make, **kwargs):
    """Returns a call of input_layer with the columns that functions make."""
    return lambda tf: tf.feature_column.input_layer(
        features(tf), [f(tf.feature_column, tf) for f in make], **kwargs)


def linear(*make, **kwargs):
    """Returns a call of linear_model with the columns that functions make."""
    return lambda tf: tf.feature_column.linear_model(
        features(tf), [f(tf.feature_column, tf) for f in make], **kwargs)


def number(fc, tf):
    return fc.numeric_column('f')


def pair(fc, tf):
    return fc.numeric_column('a', shape=2, normalizer_fn=lambda x: x * 2)


def bucket(fc, tf):
    return fc.bucketized_column(fc.numeric_column('f'), [1.5, 2.5])


def bucket_pair(fc, tf):
    return fc.bucketized_column(fc.numeric_column('w', shape=2), [.5, 1, 2.5])


def identity(fc, tf):
    return fc.categorical_column_with_identity('b', 5)


def identity_default(fc, tf):
    return fc.categorical_column_with_identity('b', 3, default_value=1)


def identity_sparse(fc, tf):
    return fc.categorical_column_with_identity('sparse', 3)


def hashed(fc, tf):
    return fc.categorical_column_with_hash_bucket('s', 7)


def hashed_int(fc, tf):
    return fc.categorical_column_with_hash_bucket('b', 7, dtype=tf.int64)


def listed(fc, tf):
    return fc.categorical_column_with_vocabulary_list('s', ['x', 'y'], num_oov_buckets=1)


def listed_int(fc, tf):
    return fc.categorical_column_with_vocabulary_list('b', [3, 5], default_value=0)


def in_file(fc, tf):
    return fc.categorical_column_with_vocabulary_file('s', VOCABULARY)


def in_file_buckets(fc, tf):
    return fc.categorical_column_with_vocabulary_file('s', VOCABULARY, vocabulary_size=2, num_oov_buckets=2)


def weighted(fc, tf):
    return fc.weighted_categorical_column(hashed(fc, tf), 'w')


def crossed(fc, tf):
    return fc.crossed_column(['s', bucket(fc, tf)], 10)


def crossed_nested(fc, tf):
    return fc.crossed_column([fc.crossed_column(['s', 'sparse'], 3), identity(fc, tf)], 10, hash_key=7)


CATEGORICAL = (identity, identity_default, identity_sparse, hashed, hashed_int, listed, listed_int, in_file,
               in_file_buckets, bucket_pair, weighted, crossed, crossed_nested)


# Columns without tables, whose results are also compared.
RUN = {identity, identity_default, identity_sparse, hashed, hashed_int, bucket_pair, weighted, crossed, crossed_nested}


def each(use):
    """Returns the cases of a use of each categorical column."""
    return [(use(make), make in RUN) for make in CATEGORICAL]


def indicator(make):
    return lambda fc, tf: fc.indicator_column(make(fc, tf))


def embedding(make, **kwargs):
    def made(fc, tf):
        options = {'initializer': constant(tf), **kwargs}
        return fc.embedding_column(make(fc, tf), 2, **options)
    return made


def shared(tf):
    fc = tf.feature_column
    both = fc.shared_embedding_columns([identity(fc, tf), fc.categorical_column_with_identity('sparse', 5)], 2,
                                       initializer=constant(tf))
    with tf.variable_scope('first'):
        first = fc.input_layer(features(tf), both)
    return [first, fc.input_layer(features(tf), both[:1])]


def in_scopes(tf):
    fc = tf.feature_column
    with tf.variable_scope('x', partitioner=tf.fixed_size_partitioner(2)):
        first = fc.linear_model(features(tf), [pair(fc, tf)], units=2)
    with tf.variable_scope('y'):
        second = fc.input_layer(features(tf), [number(fc, tf)])
    with tf.variable_scope('y', reuse=tf.AUTO_REUSE):
        third = fc.linear_model(features(tf), [number(fc, tf)])
    return [first, second, third]


def to_dicts(tf):
    fc = tf.feature_column
    variables, tensors = {}, {}
    columns = [number(fc, tf), pair(fc, tf)]
    result = fc.linear_model(features(tf), columns, cols_to_vars=variables, weight_collections=['mine'])
    fc.input_layer(features(tf), columns, cols_to_output_tensors=tensors)
    names = [[v.name for v in variables[c]] for c in [*columns, 'bias']]
    tf.constant(str(names))
    tf.constant(str([v.name for v in tf.get_collection('mine')]))
    return [result, *(tensors[c] for c in columns)]


def spec(tf):
    fc = tf.feature_column
    columns = [make(fc, tf) for make in (number, pair, listed, listed_int, weighted, crossed)]
    found = fc.make_parse_example_spec([*columns, indicator(listed)(fc, tf)])
    return tf.constant(str(sorted(found.items())).replace('tf.', ''))


def refused(call):
    return lambda tf: call(tf.feature_column, tf)


CASES = {
    'numeric': [(inputs(number, pair), True), (inputs(lambda fc, tf: fc.numeric_column('u')), True),
                (inputs(lambda fc, tf: fc.numeric_column('b', dtype=tf.int64)), True)],
    'bucketized': [(inputs(bucket, number), True), (inputs(bucket_pair), True)],
    'linear_dense': [(linear(number, pair, units=2), True), (linear(pair), True),
                     (linear(number, trainable=False), True)],
    'indicator': each(lambda make: inputs(indicator(make))),
    'embedding': each(lambda make: inputs(embedding(make))) + [
        (inputs(embedding(hashed, combiner=combiner)), True) for combiner in ('sum', 'sqrtn')] + [
        inputs(embedding(hashed, max_norm=1., trainable=False)), inputs(embedding(hashed, initializer=None)),
        inputs(embedding(hashed, use_safe_embedding_lookup=False))],
    'linear': each(linear) + [linear(*CATEGORICAL[3:5], number, sparse_combiner='mean')],
    'shared': [(shared, True)],
    'scopes': [(in_scopes, True), (to_dicts, True)],
    'spec': [spec],
    'errors': [refused(call) for call in (
        lambda fc, tf: fc.numeric_column('a', shape=0), lambda fc, tf: fc.numeric_column('a', shape='x'),
        lambda fc, tf: fc.numeric_column('a', default_value='x'), lambda fc, tf: fc.numeric_column(1),
        lambda fc, tf: fc.numeric_column('a', shape=[2], default_value=[1, 2, 3]),
        lambda fc, tf: fc.numeric_column('a', dtype=tf.int32, default_value=[1.5]),
        lambda fc, tf: fc.numeric_column('a', dtype=tf.string), lambda fc, tf: fc.numeric_column('a', normalizer_fn=1),
        lambda fc, tf: fc.bucketized_column(number(fc, tf), [2, 1]),
        lambda fc, tf: fc.bucketized_column(number(fc, tf), []),
        lambda fc, tf: fc.categorical_column_with_identity('a', 0),
        lambda fc, tf: fc.categorical_column_with_identity('a', 2, default_value=2),
        lambda fc, tf: fc.categorical_column_with_hash_bucket('a', 0),
        lambda fc, tf: fc.categorical_column_with_hash_bucket('a', None),
        lambda fc, tf: fc.categorical_column_with_hash_bucket('a', 3, dtype=tf.float32),
        lambda fc, tf: fc.categorical_column_with_vocabulary_list('a', []),
        lambda fc, tf: fc.categorical_column_with_vocabulary_list('a', ['x', 'x']),
        lambda fc, tf: fc.categorical_column_with_vocabulary_list('a', ['x'], dtype=tf.int32),
        lambda fc, tf: fc.categorical_column_with_vocabulary_list('a', ['x'], default_value=0, num_oov_buckets=1),
        lambda fc, tf: fc.categorical_column_with_vocabulary_file('a', ''),
        lambda fc, tf: fc.categorical_column_with_vocabulary_file('a', '/nothing'),
        lambda fc, tf: fc.crossed_column(['a'], 3), lambda fc, tf: fc.crossed_column(['a', 'b'], 0),
        lambda fc, tf: fc.crossed_column(['a', 3], 3),
        lambda fc, tf: fc.embedding_column(identity(fc, tf), 0),
        lambda fc, tf: fc.embedding_column(identity(fc, tf), 1, ckpt_to_load_from='a'),
        lambda fc, tf: fc.embedding_column(identity(fc, tf), 1, initializer=3),
        lambda fc, tf: fc.indicator_column('a'),
        lambda fc, tf: fc.weighted_categorical_column(identity(fc, tf), 'w', dtype=tf.string),
        lambda fc, tf: fc.input_layer({}, []), lambda fc, tf: fc.input_layer({}, [number(fc, tf)]),
        lambda fc, tf: fc.input_layer({'f': tf.constant(1.)}, [number(fc, tf)]),
        lambda fc, tf: fc.input_layer({'f': tf.constant([1.]), 'w': tf.constant([[1.], [2.]])},
                                      [number(fc, tf), fc.numeric_column('w')]),
        lambda fc, tf: fc.input_layer(features(tf), {'a': 1}),
    )],
}
