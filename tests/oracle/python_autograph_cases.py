"""Functions that python_autograph_test.py converts with TensorFlow and with Ramet.

A function of CASES takes the package tf and an int32 scalar. A function of MAPS takes the package and returns a
dataset.
"""

CASES, MAPS = {}, {}


def case(function):
    CASES[function.__name__] = function
    return function


def mapped(function):
    MAPS[function.__name__] = function
    return function


@case
def branches(tf, x):
    if x > 0:
        y = x * 2
    else:
        y = -x
    return y


@case
def early_returns(tf, x):
    if x > 10:
        return x * 2
    if x > 5:
        return x * 3
    return x


@case
def conditional_expressions(tf, x):
    return x if x > 3 and not x > 8 or x < 1 else -x


@case
def chained_comparisons(tf, x):
    if 1 < x + 1 <= 6 < x * 2:
        x = x + 1
    return x if 0 != x != 4 else -x


@case
def jumps_in_while(tf, n):
    s = 0
    while n > 0:
        n -= 1
        if tf.equal(n % 2, 0):
            continue
        if s > 10:
            break
        s += n
    return s


@case
def assigned_in_one_branch(tf, n):
    s = 0
    for i in tf.range(n):
        if i > 3:
            continue
        y = i * 2
        s = s + y
    return s, y


@case
def assigned_in_loop(tf, n):
    for i in tf.range(n):
        y = i * 2
    return i, y


def _larger(a):
    if a > 2:
        a = a + 100
    return a


@case
def calls_of_functions(tf, x):
    return [_larger(x), (lambda q: q if q > 1 else -q)(x)]


class _Counter:
    def __init__(self, tf):
        self.k = tf.constant(3)

    def go(self, x):
        if x > 1:
            self.k = self.k + x
        else:
            self.k = self.k - x
        return self.k


class _Derived(_Counter):
    def go(self, x):
        r = super().go(x)
        for j in range(3):
            r = r + j
            if j == 1:
                break
        return r


@case
def methods(tf, x):
    return _Derived(tf).go(x)


@case
def elements_of_tensor(tf, x):
    t = tf.stack([x, x + 1, x + 2])
    acc = tf.constant(0)
    for e in t:
        if e > 4:
            break
        acc += e
    return acc


@case
def items_of_dict(tf, x):
    d = {'a': x, 'b': x}
    if x > 2:
        d['a'] = d['a'] + 1
    return [d[k] for k in sorted(d)]


@case
def elements_of_dataset(tf, x):
    total = tf.constant(0, tf.int64)
    for e in tf.data.Dataset.range(10):
        if e > 6:
            break
        total += e
    return total, len(tf.data.Dataset.range(7)), any(tf.data.Dataset.range(3).map(lambda e: e > 1))


@case
def tensor_array(tf, x):
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    i = 0
    while i < x:
        ta = ta.write(i, i * i)
        i += 1
    return ta.stack()


@case
def try_and_with(tf, x):
    try:
        r = x if x > 3 else x - 1
    finally:
        pass
    with tf.name_scope('foo'):
        if x > 5:
            r = r * 2
    return r


@case
def builtin_functions(tf, x):
    return int(abs(x)), max(1, 2), len(tf.stack([x, x])), [float(i) for i in range(3)], float(x)


@case
def tuples_of_variables(tf, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@case
def nested_loops(tf, x):
    i = 0
    r = tf.constant(0)
    while i < 5:
        j = 0
        while j < x:
            if r > 50:
                break
            r += i * j
            j += 1
        i += 1
    return r


@case
def inner_functions(tf, x):
    def twice(y):
        if y > 3:
            return y * 2
        return y

    total = 0
    for i in (1, 2):
        total += twice(x + i)
    return total


@case
def return_in_loop(tf, x):
    for i in tf.range(x):
        if i > 2:
            return i
    return x


@case
def no_else(tf, x):
    if x > 2:
        z = x
    return z


@case
def no_bool(tf, x):
    if x:
        x = x + 1
    return x


@case
def other_dtype(tf, x):
    while x > 0:
        x = tf.cast(x, tf.float32)
    return x


@case
def other_shape(tf, x):
    x = tf.reshape(x, [1])
    for _ in tf.range(2):
        x = tf.concat([x, x], 0)
    return x


@case
def branches_differ(tf, x):
    if x > 2:
        y = x
    else:
        y = 1.5
    return y


@case
def structures_differ(tf, x):
    if x > 2:
        y = (x, x)
    else:
        y = x
    return y


@case
def none_in_branch(tf, x):
    y = None
    if x > 2:
        y = x
    return y


def _conditional(x):
    if x % 2 > 0:
        y = x * 10
    else:
        y = x
    return y


@mapped
def map_conditional(tf):
    return tf.data.Dataset.range(5).map(_conditional)


@mapped
def map_parallel(tf):
    return tf.data.Dataset.range(5).map(lambda x: x if x > 2 else -x, num_parallel_calls=2)


@mapped
def filter_logical(tf):
    return tf.data.Dataset.range(6).filter(lambda x: x > 1 and not x > 4)


@mapped
def interleave_maps(tf):
    return tf.data.Dataset.range(2).interleave(lambda x: tf.data.Dataset.range(3).map(_conditional), cycle_length=2)


@mapped
def loops_in_map(tf):
    def loop(x):
        s = tf.constant(0, tf.int64)
        while x > 0:
            s += x
            x -= 1
        for i in tf.range(3):
            s += tf.cast(i, tf.int64)
        return {'s': s}

    return tf.data.Dataset.range(5).map(loop)


@mapped
def scan_conditional(tf):
    def step(state, x):
        if x > 2:
            state += x
        return state, state

    return tf.data.Dataset.range(6).apply(tf.data.experimental.scan(tf.constant(0, tf.int64), step))


@mapped
def unconverted(tf):
    @tf.autograph.experimental.do_not_convert
    def plain(x):
        return tf.cond(x > 2, lambda: x, lambda: -x) if x is not None else 1

    return tf.data.Dataset.range(5).map(plain)


@mapped
def break_in_python_loop(tf):
    def wrong(x):
        for _ in [1, 2, 3]:
            if x > 2:
                break
        return x

    return tf.data.Dataset.range(5).map(wrong)


@mapped
def undefined_in_map(tf):
    def wrong(x):
        if x > 2:
            z = x
        return z

    return tf.data.Dataset.range(5).map(wrong)
