"""Symptom: tf.train.warm_start sets different values or fails differently, or bfloat16_scope builds other nodes.

Needs tensorflow, and the package ramet on the path.
"""

import os
import tempfile
import unittest

import numpy as np
import python_nn_test as nn_test
import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

tf.logging.set_verbosity(tf.logging.ERROR)
FOLDER = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(FOLDER.name, name)


def make_files():
    for name, words in (('old', 'a\nb\nc\n'), ('new', 'c\nx\na\n')):
        with open(path(name), 'w') as file:
            file.write(words)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable('table', initializer=np.arange(6, dtype=np.float32).reshape(3, 2))
        tf.get_variable('bias', initializer=[5., 6.])
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, path('model'))


CHECKPOINT = make_files()


def variables(package, partitioned=False):
    partitioner = package.fixed_size_partitioner(2) if partitioned else None
    package.get_variable('table', shape=[4 if partitioned else 3, 2], partitioner=partitioner)
    package.get_variable('bias', shape=[2])
    package.get_variable('other', shape=[1], trainable=False)


def vocabulary(package, **kwargs):
    options = {'new_vocab': path('new'), 'new_vocab_size': 3, 'num_oov_buckets': 0, 'old_vocab': path('old'),
               'backup_initializer': package.ones_initializer(), **kwargs}
    return package.train.VocabInfo(**options)


def case(partitioned=False, vocabularies=None, **kwargs):
    def call(package):
        variables(package, partitioned)
        options = dict(kwargs)
        if vocabularies is not None:
            options['var_name_to_vocab_info'] = {'table': vocabulary(package, **vocabularies)}
        if 'warm' in options:
            options['vars_to_warm_start'] = [v for v in package.global_variables() if v.op.name == options.pop('warm')]
        package.train.warm_start(CHECKPOINT, **options)
    return call


CASES = [
    case(), case(vars_to_warm_start='bi'), case(vars_to_warm_start=['table', 'bias']), case(warm='bias'),
    case(vars_to_warm_start='bias', var_name_to_prev_var_name={'bias': 'nothing'}),
    case(vars_to_warm_start='bias', var_name_to_prev_var_name={'nothing': 'bias'}),
    case(vars_to_warm_start=['other']), case(vars_to_warm_start=[1]), case(vars_to_warm_start=1),
    case(vocabularies={}), case(vocabularies={}, vars_to_warm_start=None),
    case(vocabularies={'backup_initializer': None}), case(vocabularies={'old_vocab_size': 1}),
    case(partitioned=True, vocabularies={'num_oov_buckets': 1}), case(vocabularies={'axis': 2}),
    case(vocabularies={}, vars_to_warm_start='bias'),
]


class WarmStartTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    def same(self, call):
        results = []
        for package in (tf, rt):
            graph, _, error = nn_test.build(package, call)
            if error is not None:
                results.append(type(error).__name__)
                continue
            with package.Session(graph=graph) as session, graph.as_default():
                session.run(package.global_variables_initializer())
                results.append({v.name: session.run(v) for v in package.global_variables()})
        want, got = results
        if isinstance(want, str) or isinstance(got, str):
            self.assertEqual(want, got)
            return
        self.assertEqual(list(want), list(got))
        for name, value in want.items():
            if name.startswith(('table', 'bias')) and np.all(value == np.round(value)):
                np.testing.assert_array_equal(got[name], value, name)

    def test_bfloat16_scope_builds_the_same_nodes(self):
        def call(package):
            with package.tpu.bfloat16_scope():
                return [package.get_variable('x', [2], dtype=package.bfloat16), package.get_variable('y', [2])]

        nn_test.NnTest.check(self, call, False)

    same_nodes = nn_test.NnTest.same_nodes


def add_tests():
    for i, call in enumerate(CASES):
        setattr(WarmStartTest, f'test_warm_start_{i}', lambda self, call=call: self.same(call))


add_tests()

if __name__ == '__main__':
    unittest.main()
