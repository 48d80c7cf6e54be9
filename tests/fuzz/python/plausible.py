"""Arguments that callers of a public symbol usually pass, chosen by the parameter's name, so that calls get past the
first check of their arguments."""

import re

import numpy as np

import ramet.compat.v1 as tf

SHAPES = [[], [2], [2, 3], [0], [2, 0, 3], [1, 4, 4, 2], [3, 3], None, [None, 3], [-1], [1 << 20, 0], [1 << 61, 0]]


def shape(random):
    return random.choice(SHAPES)


def array(random, dtype=np.float32):
    dims = [d if d not in (None, -1) and d < 1 << 20 else 1 for d in shape(random) or []]
    values = np.array([random.choice([0, 1, 2, 3, -1]) for _ in range(int(np.prod(dims)))], dtype)
    return values.reshape(dims)


def tensor(random):
    dtype = random.choice([np.float32] * 6 + [np.float64, np.int32, np.int64, np.bool_, np.complex64, np.float16,
                                              np.uint8])
    value = array(random, dtype)
    if random.random() < 0.6:
        return tf.constant(value)
    return tf.placeholder(value.dtype, random.choice([value.shape, None, [None] * value.ndim]))


def integers(random):
    return random.choice([0, 1, 2, -1, 3, [0], [1, 0], [1, 1], [0, 1, 2], [-1], tf.constant([1, 0]),
                          np.array([[0, 1]])])


# The first pattern that is found in a parameter's name decides.
PATTERNS = [
    (r'^(name|scope|default_name|message|tag|prefix|var_scope)$', lambda r: r.choice([None, 'a', 'b/c', 'd'])),
    (r'dtype|out_type|^T$|Tout', lambda r: r.choice([tf.float32, tf.float32, tf.int32, tf.int64, tf.bool, tf.string])),
    (r'shape$|^dims$|sizes$|multiples', shape),
    (r'axis|axes|dim$|^k$|begin|^end$|^size$|perm|indices|ids$|num_|depth|_size|length|limit|delta|units|filters|'
     r'strides|ksize|kernel|paddings|crops|block|rates?$|steps', integers),
    (r'^(true_fn|false_fn|fn|body|cond|func|initializer|loop_fn|.*_fn)$',
     lambda r: r.choice([lambda *a: a[0] if a else tf.constant(1.0), lambda *a: a, lambda *a: tf.constant(True),
                         tf.zeros_initializer()])),
    (r'^(graph|g)$', lambda r: tf.get_default_graph()),
    (r'session|^sess$', lambda r: tf.Session()),
    (r'optimizer', lambda r: tf.train.GradientDescentOptimizer(0.1)),
    (r'cell', lambda r: tf.nn.rnn_cell.BasicRNNCell(2)),
    (r'^(var|variable|ref)', lambda r: tf.Variable(array(r))),
    (r'var_list|variables', lambda r: [tf.Variable(array(r)), tf.Variable(1.0)]),
    (r'^(values|inputs|tensors|xs|ys|args|elems|loop_vars|inputs_list)$',
     lambda r: [tensor(r) for _ in range(r.randrange(4))]),
    (r'rate|alpha|beta|rho|epsilon|momentum|decay|scale|keep_prob|stddev|mean|minval|maxval|clip|temperature',
     lambda r: r.choice([0.0, 0.5, 1.0, -1.0, float('nan'), 2, tf.constant(0.5)])),
    (r'file|path|dir', lambda r: r.choice(['file', 'missing/file', '', '.'])),
    (r'padding', lambda r: r.choice(['SAME', 'VALID', [[0, 0], [1, 1]]])),
    (r'data_format', lambda r: r.choice(['NHWC', 'NCHW', 'channels_first'])),
    (r'^(use_|is_|keep|trainable|reuse|validate|exclusive|reverse|training|swap|colocate)',
     lambda r: r.random() < 0.5),
]


def value(random, name):
    """Returns a value for the parameter of that name."""
    for pattern, make in PATTERNS:
        if re.search(pattern, name):
            return make(random)
    return tensor(random)
