"""Tables with open addressing, whose buckets are compared."""

import numpy as np
import tensorflow.compat.v1 as tf

from programs_lookup import after, find, i64, insert, pairs, put, r, remove, size, values_of

# A second run inserts into buckets that the first has changed.
STATE_OUTLIVES_RUNS = True


def dense(empty, deleted, value=tf.float32, shape=(), buckets=4, **attrs):
    return r.MutableDenseHashTableV2(empty_key=empty, deleted_key=deleted, value_dtype=value, value_shape=shape,
                                     initial_num_buckets=buckets, use_node_name_sharing=True, **attrs)


def exported(t, key, value=tf.float32):
    return list(r.LookupTableExportV2(table_handle=t, Tkeys=key, Tvalues=value))


def dense_dtypes():
    for key, kinds in pairs().items():
        keys = ["a", "b", "some longer key"] if key == tf.string else np.array([5, -6, 7]).astype(key.as_numpy_dtype)
        other = ["b", "q"] if key == tf.string else np.array([-6, 9]).astype(key.as_numpy_dtype)
        markers = ["", "-"] if key == tf.string else np.array([0, -1]).astype(key.as_numpy_dtype)
        for value in tuple(kind for kind in kinds if kind != tf.string) + ((tf.bool,) if key == tf.int64 else ()):
            def build(key=key, value=value, keys=keys, other=other, markers=markers):
                t = dense(*markers, value)
                first = insert(t, keys, values_of(value))
                return after(first, lambda: [find(t, other, values_of(value)[1]), size(t), *exported(t, key, value)])
            yield "dense_%s_%s" % (key.name, value.name), build


def dense_tables():
    zero, gone = i64(0)[0], i64(-1)[0]
    f = lambda *values: np.array(values, np.float32)

    def change():
        t = dense(zero, gone)
        first = insert(t, i64(*range(5, 25)), np.arange(20, dtype=np.float32))
        second = after(first, lambda: remove(t, i64(6, 7, 99)))
        third = after(second, lambda: insert(t, i64(6, 8, 2 ** 40), f(1, 2, 3)))
        return after(third, lambda: [find(t, i64(6, 7, 8, 9), f(-1)[0]), size(t), *exported(t, tf.int64)])
    yield "dense_change", change

    def vectors():
        t = dense(i64(0, 0), i64(-1, -1), shape=[2])
        keys = np.array([[1, 2], [3, 4], [5, -6], [7, 2 ** 40]])
        first = insert(t, keys, np.arange(8, dtype=np.float32).reshape(4, 2))
        return after(first, lambda: [find(t, keys[1:], f(-1, -2)), *exported(t, tf.int64)])
    yield "dense_vectors", vectors

    def imported():
        t = dense(zero, gone, name="a")
        column = lambda values: np.array(values).reshape(-1, 1)
        first = put(t, column(i64(0, -1, 0, 7)), column(f(1, 2, 3, 4)))
        return after(first, lambda: [find(t, i64(7, 4), f(9)[0]), size(t), *exported(t, tf.int64)])
    yield "dense_import", imported

    def shared():
        a, b = dense(zero, gone, name="a", shared_name="x"), dense(zero, gone, name="b", shared_name="x")
        return after(insert(a, i64(4), f(4)), lambda: [size(b), find(b, i64(4), f(0)[0])])
    yield "dense_shared", shared

    yield from dense_errors(zero, gone, f)


def dense_errors(zero, gone, f):
    def one(make):
        return lambda: after(make(), lambda: tf.constant(1))
    for name, key in (("empty", zero), ("deleted", gone)):
        what = "Using the %s_key as a table key is not allowed" % name
        yield "dense_insert_" + name, one(lambda key=key: insert(dense(zero, gone), [i64(5)[0], key], f(1, 2))), what
        yield "dense_find_" + name, lambda key=key: find(dense(zero, gone), [key], f(1)[0]), what
        yield "dense_remove_" + name, one(lambda key=key: remove(dense(zero, gone), [key])), what
    for name, make, what in (
        ("equal", lambda: dense(gone, gone), "Empty and deleted keys cannot be equal"),
        ("shapes", lambda: dense(i64(1, 2), gone), "Empty and deleted keys must have same shape, got shapes: [2] and []"),
        ("matrix", lambda: dense(zero, gone, shape=[2, 2]), "Empty value must be a scalar or a vector, got shape [2,2]"),
        ("buckets", lambda: dense(zero, gone, buckets=6), "Number of buckets must be at least 4 and a power of 2, got: 6"),
        ("load", lambda: dense(zero, gone, max_load_factor=1.0), "max_load_factor must be between 0 and 1, got: 1")):
        yield "dense_" + name, lambda make=make: size(make()), what
    pair = lambda: dense(i64(1, 2), i64(3, 4))
    yield "dense_key_shape", lambda: find(pair(), i64(1, 2, 3), f(0)[0]), "Input key shape [3] must end with the table's key shape [2]"
    yield "dense_one_key", lambda: find(pair(), i64(1, 2), f(0)[0]), "Expected key shape [2,2] got [2]"
    yield "dense_matrix_keys", one(lambda: remove(dense(zero, gone), [[5, 6]])), "Expected key shape [1] got [1,2]"
    yield "dense_default", lambda: find(dense(zero, gone, shape=[2]), i64(5), f(0)[0]), "Expected shape [2] or [1,2] for default value, got []"
    yield "dense_values", one(lambda: insert(dense(zero, gone, shape=[2]), i64(5), f(0))), "Expected shape [1,2] for value, got [1]"


def programs():
    for group in (dense_dtypes, dense_tables):
        yield from group()
