"""Tables."""

import zlib

import numpy as np
import tensorflow.compat.v1 as tf

r = tf.raw_ops


def hidden(value, dtype=None):
    """Returns a tensor whose value is unknown at build time."""
    value = np.asarray(value)
    dtype = dtype or {"U": tf.string, "O": tf.string}.get(value.dtype.kind, value.dtype)
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def i64(*values):
    return np.array(values, np.int64)


def once(key=tf.string, value=tf.int64, **attrs):
    return r.HashTableV2(key_dtype=key, value_dtype=value, use_node_name_sharing=True, **attrs)


def mutable(key=tf.string, value=tf.int64, **attrs):
    return r.MutableHashTableV2(key_dtype=key, value_dtype=value, use_node_name_sharing=True, **attrs)


def find(t, keys, default):
    op = r.LookupTableFind if t.dtype.base_dtype == tf.string else r.LookupTableFindV2
    return op(table_handle=t, keys=hidden(keys), default_value=hidden(default))


def size(t):
    return r.LookupTableSizeV2(table_handle=t)


def fill(t, keys, values):
    return r.InitializeTableV2(table_handle=t, keys=hidden(keys), values=hidden(values))


def insert(t, keys, values):
    return r.LookupTableInsertV2(table_handle=t, keys=hidden(keys), values=hidden(values))


def put(t, keys, values):
    return r.LookupTableImportV2(table_handle=t, keys=hidden(keys), values=hidden(values))


def remove(t, keys):
    return r.LookupTableRemoveV2(table_handle=t, keys=hidden(keys))


def after(op, fn):
    with tf.control_dependencies([op]):
        return fn()


def values_of(dtype):
    if dtype == tf.string:
        return ["x", "a value that is longer than short strings", ""]
    if dtype == tf.bool:
        return np.array([True, False, True])
    return np.array([3, -1, 7]).astype(dtype.as_numpy_dtype)


def pairs():
    ints = (tf.float32, tf.float64, tf.int32)
    return {tf.int32: ints, tf.int64: ints + (tf.int64, tf.string), tf.string: ints + (tf.int64, tf.bool)}


def dtypes():
    for key, kinds in pairs().items():
        keys = ["a", "b", "some longer key"] if key == tf.string else np.array([5, -6, 7]).astype(key.as_numpy_dtype)
        other = ["b", "q"] if key == tf.string else np.array([[-6, 9]]).astype(key.as_numpy_dtype)
        for value in kinds + ((tf.string,) if key != tf.int64 else ()):
            values, default = values_of(value), values_of(value)[1]

            def build(make=once, key=key, value=value, keys=keys, values=values, other=other, default=default):
                t = make(key, value)
                return after(put(t, keys, values), lambda: [find(t, other, default), size(t)])
            yield "once_%s_%s" % (key.name, value.name), build
            if value in kinds:
                yield "mutable_%s_%s" % (key.name, value.name), lambda build=build: build(mutable)


def filling():
    def lookup():
        t = once()
        return after(fill(t, ["a", "b"], i64(1, 2)), lambda: [find(t, [["a", "x"]], i64(-1)[0]), size(t), find(t, "b", i64(0)[0])])
    yield "fill", lookup

    def defaults():
        t = once()
        return after(fill(t, ["a"], i64(1)), lambda: find(t, ["x", "a", "y"], i64(4, 5, 6)))
    yield "default_each", defaults

    def again():
        t = once()
        first = fill(t, ["a", "b"], i64(1, 2))
        second = after(first, lambda: fill(t, ["a", "c"], i64(7, 8)))
        third = after(second, lambda: put(t, ["a", "c"], i64(7, 8)))
        return after(third, lambda: find(t, ["a", "b", "c"], i64(-1)[0]))
    yield "filled_stays", again

    def equal():
        t = once()
        return after(fill(t, ["a", "a"], i64(1, 1)), lambda: size(t))
    yield "equal_twice", equal

    def export():
        t = once()
        return after(fill(t, ["a"], i64(1)), lambda: list(r.LookupTableExportV2(table_handle=t, Tkeys=tf.string, Tvalues=tf.int64)))
    yield "export", export
    yield "no_size", lambda: size(once())

    def one(build):
        return lambda: after(build(), lambda: tf.constant(1))
    zero = i64(0)[0]
    yield "not_filled", lambda: find(once(), ["a"], zero), "Table not initialized."
    yield ("no_export", lambda: list(r.LookupTableExportV2(table_handle=once(), Tkeys=tf.string, Tvalues=tf.int64)),
           "HashTable is not initialized.")
    yield ("twice", one(lambda: fill(once(), ["a", "a"], i64(1, 2))),
           "HashTable has different value for same key. Key a has 1 and trying to add value 2")
    yield "sizes", one(lambda: fill(once(), ["a", "b"], i64(1))), "Keys and values must have the same size 2 vs 1"
    yield "rank", one(lambda: fill(once(), "a", i64(1))), "Keys must be a vector, but received shape[]"
    yield ("key_type", one(lambda: fill(once(), i64(1), i64(1))),
           "Signature mismatch, have: resource, int64, int64-> expected: resource, string, int64->")
    yield "not_initializable", one(lambda: fill(mutable(), ["a"], i64(1))), "is not initializable"
    yield "no_insert", one(lambda: insert(once(), ["a"], i64(1))), "Insert not supported by InitializableLookupTable implementations"
    yield "no_remove", one(lambda: remove(once(), ["a"])), "Remove not supported by InitializableLookupTable implementations"


def changing():
    def build():
        t = mutable()
        first = after(put(t, ["a", "b", "c"], i64(1, 2, 3)), lambda: insert(t, ["b", "d", "d"], i64(7, 8, 9)))
        gone = after(first, lambda: remove(t, ["a", "zz"]))
        return after(gone, lambda: [find(t, ["a", "b", "c", "d"], i64(-1)[0]), size(t)])
    yield "change", build

    def many():
        t = mutable(tf.int64, tf.string)
        keys = np.arange(100, dtype=np.int64)
        first = after(put(t, keys, [str(k) for k in keys]), lambda: remove(t, keys[::2]))
        return after(first, lambda: [find(t, keys[40:60], "none"), size(t)])
    yield "many", many

    def shared():
        a, b, c = mutable(name="a", shared_name="x"), mutable(name="b", shared_name="x"), mutable(name="c")
        return after(put(a, ["k"], i64(4)), lambda: [size(b), size(c), find(b, ["k"], i64(0)[0])])
    yield "shared", shared

    def conflict():
        a, b = mutable(name="a", shared_name="x"), mutable(tf.int64, name="b", shared_name="x")
        return after(size(a), lambda: size(b))
    yield "conflict", conflict, "Conflicting key/value dtypes"

    def scalar():
        t = mutable()
        return after(insert(t, "a", i64(5)[0]), lambda: [find(t, "a", i64(0)[0]), size(t)])
    yield "scalar", scalar

    def export():
        t = mutable()
        return after(put(t, ["k"], i64(4)), lambda: list(r.LookupTableExportV2(table_handle=t, Tkeys=tf.string, Tvalues=tf.int64)))
    yield "export_mutable", export

    def one(make):
        return lambda: after(make(), lambda: tf.constant(1))
    yield "default_shape", lambda: find(mutable(), ["a", "b"], i64(-1)), "Expected shape [] or [2] for default value, got [1]"
    yield "value_shape", one(lambda: insert(mutable(), ["a", "b"], i64(1))), "Expected shape [2] for value, got [1]"
    yield "import_shape", one(lambda: put(mutable(), ["a", "b"], i64(1))), "Expected shape [2] for value, got [1]"
    yield ("insert_type", one(lambda: insert(mutable(), ["a"], np.float32([1]))),
           "Signature mismatch, have: resource, string, float-> expected: resource, string, int64->")
    yield ("remove_type", one(lambda: remove(mutable(), i64(1))),
           "Signature mismatch, have: resource, int64-> expected: resource, string->")


def references():
    def build():
        t = r.HashTable(key_dtype=tf.string, value_dtype=tf.int64, shared_name="h")
        filled = r.InitializeTable(table_handle=t, keys=hidden(["a", "b"]), values=hidden(i64(1, 2)))
        return after(filled, lambda: [find(t, ["b", "z"], i64(9)[0]), r.LookupTableSize(table_handle=t), tf.identity(t)])
    yield "reference", build

    def changed():
        t = r.MutableHashTable(key_dtype=tf.int64, value_dtype=tf.float32, shared_name="m", container="c")
        first = r.LookupTableImport(table_handle=t, keys=hidden(i64(1, 2)), values=hidden(np.float32([1, 2])))
        second = after(first, lambda: r.LookupTableInsert(table_handle=t, keys=hidden(i64(1)), values=hidden(np.float32([5]))))
        return after(second, lambda: [find(t, i64(1, 2, 3), np.float32(0)), r.LookupTableSize(table_handle=t)])
    yield "reference_mutable", changed

    def export():
        t = r.MutableHashTable(key_dtype=tf.int64, value_dtype=tf.float32)
        first = r.LookupTableImport(table_handle=t, keys=hidden(i64(1)), values=hidden(np.float32([1])))
        return after(first, lambda: list(r.LookupTableExport(table_handle=t, Tkeys=tf.int64, Tvalues=tf.float32)))
    yield "reference_export", export


def written(text):
    """Returns the path of a file with this text, and the op that writes it."""
    path = "/tmp/ramet_conformance_vocabulary_%08x" % zlib.crc32(text.encode())
    return path, r.WriteFile(filename=path, contents=tf.constant(text))


def from_file(text, key_index, value_index, key=tf.string, value=tf.int64, keys=("a", "b"), default=None, v1=False, **attrs):
    default = values_of(value)[1] if default is None else default

    def build():
        path, wrote = written(text)
        with tf.control_dependencies([wrote]):
            if v1:
                t = r.HashTable(key_dtype=key, value_dtype=value)
                filled = r.InitializeTableFromTextFile(table_handle=t, filename=hidden(path), key_index=key_index, value_index=value_index, **attrs)
            else:
                t = once(key, value)
                filled = r.InitializeTableFromTextFileV2(table_handle=t, filename=hidden(path), key_index=key_index, value_index=value_index, **attrs)
        return after(filled, lambda: find(t, list(keys) if key == tf.string else np.array(keys, key.as_numpy_dtype), default))
    return build


def files():
    yield "lines", from_file("a\nb\nc\n", -2, -1)
    yield "lines_v1", from_file("a\nb\nc\n", -2, -1, v1=True)
    yield "no_last_newline", from_file("x\na\nb", -2, -1)
    yield "carriage_returns", from_file("a\r\nb\r\n", -2, -1)
    yield "lines_offset", from_file("a\nb\n", -2, -1, offset=5)
    yield "lines_cut", from_file("a\nb\nc\n", -2, -1, vocab_size=1)
    yield "numbers", from_file("a\nb\n", -1, -2, tf.int64, tf.string, (0, 1, 2), default="none")
    yield "columns", from_file("a 1\nb 2\n", 0, 1, delimiter=" ")
    yield "columns_swapped", from_file("1\ta\n2\tb\n", 1, 0, keys=("a", "b"))
    yield "blanks", from_file("a\t 7 \nb\t+8\n", 0, 1)
    yield "floats", from_file("a\t1e3\nb\t-.5\n", 0, 1, value=tf.float32)
    yield "doubles", from_file("a\t1.25\nb\tinf\n", 0, 1, value=tf.float64)
    yield "empty_field", from_file("a  z\nb q z\n", 0, 1, value=tf.string, delimiter=" ")
    yield "int32s", from_file("7 z\n8 y\n", 0, 1, tf.int32, tf.string, (7, 9), delimiter=" ")
    yield "whole_numbers", from_file("4\n5\n", -1, -2, tf.int64, tf.int64, (0, 1))
    yield "empty_line", from_file("a\n\nb\n", -2, -1), "empty line found at position"
    yield "repeated", from_file("a\nb\na\n", -2, -1), "HashTable has different value for same key. Key a has 0 and trying to add value 2"
    yield "too_few", from_file("a\nb\nd\n", -2, -1, vocab_size=4), "expected 4 but got 3"
    yield "no_lines", from_file("", -2, -1), "Read less bytes than requested"
    yield "one_column", from_file("a 1\nb\n", 0, 1, delimiter=" "), "line 1 (b) : expected at least 2 got 1"
    yield "no_number", from_file("a x\nb\n", 0, 1, delimiter=" "), "Field x in line 0 is not a valid int64."
    yield "no_float", from_file("a 1.x\nb\n", 0, 1, value=tf.float32, delimiter=" "), "Field 1.x in line 0 is not a valid float."
    yield "large", from_file("a 99999999999\n", 0, 1, value=tf.int32, delimiter=" "), "Field 99999999999 in line 0 is not a valid int32."
    yield "no_bool", from_file("a true\n", 0, 1, value=tf.bool, delimiter=" "), "Data type bool not supported."
    yield ("line_number_type", from_file("a\nb\n", -2, -1, value=tf.int32),
           "Value index for line number requires table value dtype of int64, got int32")
    yield "delimiter", from_file("a b\n", 0, 1, delimiter="ab"), "delimiter should be only 1 char"

    def missing(path):
        return lambda: after(r.InitializeTableFromTextFileV2(table_handle=once(), filename=hidden(path), key_index=-2, value_index=-1),
                             lambda: tf.constant(1))
    yield "no_file", missing("/nowhere/vocabulary"), "No such file or directory"
    yield "no_name", missing(""), "filename cannot be empty."
    yield "two_names", missing(["a", "b"]), "filename should be a single string, but got [2]"


def programs():
    for group in (dtypes, filling, changing, references, files):
        yield from group()
