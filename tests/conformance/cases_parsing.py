"""Examples, records and compressed strings."""

import gzip
import zlib

import numpy as np
import tensorflow.compat.v1 as tf

from case import Case, i32, i64, strings

train = tf.train


def feature(values):
    """Returns a Feature with a list of the values' type; None gives one without a list."""
    if values is None:
        return train.Feature()
    if values and isinstance(values[0], bytes):
        return train.Feature(bytes_list=train.BytesList(value=values))
    if values and isinstance(values[0], float):
        return train.Feature(float_list=train.FloatList(value=values))
    return train.Feature(int64_list=train.Int64List(value=values))


def example(**features):
    return train.Example(
        features=train.Features(feature={key: feature(v) for key, v in features.items()})).SerializeToString()


def sequence(context, lists):
    return train.SequenceExample(
        context=train.Features(feature={key: feature(v) for key, v in context.items()}),
        feature_lists=train.FeatureLists(feature_list={
            key: train.FeatureList(feature=[feature(v) for v in rows]) for key, rows in lists.items()
        })).SerializeToString()


def one(text):
    return strings([text]).reshape(())


INT, FLOAT, STRING = tf.int64, tf.float32, tf.string
NONE = {INT: np.zeros(0, np.int64), FLOAT: np.zeros(0, np.float32), STRING: strings([])}
FULL = example(a=[1, -2, 3], f=[1.5, 2.5], s=[b"x", b"yy"])
FEW = example(a=[4], f=[0.25], s=[b""])
EMPTY = example()
KINDLESS = example(a=None, f=None, s=None)
# Values that are not packed, as writers of proto2 make them; a field that the parser does not know.
UNPACKED = b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06\x1a\x04\x08\x01\x08\x02"
UNKNOWN = b"\x52\x01x" + FULL
TWICE = FULL + example(a=[7])
BAD = {
    "length": b"\x0a\x05abc", "group": b"\x0b", "kind": b"\x0a\x0a\x0a\x08\x0a\x01a\x12\x03\x22\x01x",
    "list": b"\x0a\x0a\x0a\x08\x0a\x01a\x12\x03\x1a\x01x", "entry": b"\x0a\x05\x0a\x03\x0a\x01a",
    "huge": b"\x0a\x0f\x0a\x0d\x0a\x01a\x12\x08\x1a\x06\x0a\x84\x80\x80\x80\x08",
}


def v2(serialized, sparse=(), dense=(), ragged=(), names=(), **more):
    """A case of ParseExampleV2. Features are (key, dtype[, shape, default]) or (key, dtype, dtype of splits)."""
    inputs = [serialized, strings(list(names)), *(strings([f[0] for f in fs]) for fs in (sparse, dense, ragged))]
    attrs = {
        "Tdense": [f[1] for f in dense], "num_sparse": len(sparse), "sparse_types": [f[1] for f in sparse],
        "ragged_value_types": [f[1] for f in ragged], "ragged_split_types": [f[2] for f in ragged],
        "dense_shapes": [tf.TensorShape(f[2]) for f in dense],
    }
    return Case("ParseExampleV2", inputs + [f[3] for f in dense], attrs, **more)


def examples():
    batch = strings([FULL, EMPTY, KINDLESS, FEW, UNPACKED, UNKNOWN, TWICE])
    sparse = [("a", INT), ("f", FLOAT), ("s", STRING), ("absent", INT)]
    ragged = [("a", INT, tf.int32), ("f", FLOAT, tf.int64), ("s", STRING, tf.int64)]
    padded = [("a", INT, [None], i64(9)), ("f", FLOAT, [None], np.float32([.5])), ("s", STRING, [None], strings(["-"]))]
    for serialized in (batch, batch[:0], batch[:1], one(FULL), one(EMPTY), one(TWICE)):
        yield v2(serialized, sparse)
        yield v2(serialized, (), padded)
        yield v2(serialized, (), (), ragged)
    fixed = [("a", INT, [3], i64(7, 8, 9)), ("f", FLOAT, [2, 1], np.float32([[.5], [1]])),
             ("s", STRING, [], one("default"))]
    for serialized in (strings([FULL, EMPTY, UNKNOWN]), one(EMPTY)):
        yield v2(serialized, (), fixed[:2])
    yield v2(strings([EMPTY, EMPTY]), sparse, fixed)
    yield v2(strings([FULL]), (), [("f", FLOAT, [None, 2], np.float32([0]))])


def wrong_examples():
    dense = [("a", INT, [3], NONE[INT])]
    name = {"names": ["n"]}
    for serialized, where in ((strings([EMPTY]), "Name: n, "), (one(EMPTY), "")):
        names = name if where else {}
        yield v2(serialized, (), dense, **names,
                 error=where + "Feature: a (data type: int64) is required but could not be found.")
    yield v2(strings([FULL, FEW]), (), dense, error="Name: <unknown>, Key: a, Index: 1.  Number of int64 values != "
             "expected.  Values size: 1 but output shape: [3]")
    yield v2(one(FEW), (), dense, error="Key: a.  Can't parse serialized Example: Some int64_list slice was not parsed.")
    for key, kind, other in (("a", FLOAT, "int64"), ("f", STRING, "float"), ("s", INT, "string")):
        kind_name = {FLOAT: "float", STRING: "string", INT: "int64"}[kind]
        text = f"Data types don't match. Data type: {other} but expected type: {kind_name}"
        yield v2(strings([FULL]), (), [(key, kind, [3], NONE[kind])], **name, error=f"Name: n, Key: {key}, Index: 0.  " + text)
        yield v2(one(FULL), (), [(key, kind, [3], NONE[kind])], error=f"Key: {key}.  " + text)
        text = f"Data types don't match. Expected type: {kind_name}, Actual type: {other}"
        yield v2(strings([FULL]), [(key, kind)], **name, error=f"Name: n, Key: {key}, Index: 0.  " + text)
        yield v2(one(FULL), [(key, kind)], error=f"Key: {key}.  " + text)
        yield v2(strings([FULL]), (), (), [(key, kind, INT)], error=text)
    for bad in ("length", "group", "entry"):
        yield v2(strings([BAD[bad]]), [("a", INT)], error="Could not parse example input, value: '")
        yield v2(one(BAD[bad]), [("a", INT)], error="Could not parse example input, value: '")
    yield v2(strings([BAD["kind"]]), [("a", INT)], error="Unsupported datatype.")
    yield v2(strings([BAD["list"]]), [("a", INT)], error="Key: a, Index: 0.  Can't parse serialized Example.")
    yield v2(one(BAD["list"]), (), dense, error="Key: a.  Can't parse serialized Example: Parsing int64_list failed.")
    rows = [("a", INT, [None, 2], i64(0))]
    yield v2(strings([FULL]), (), rows, error="Number of int64 values is not a multiple of stride length. Saw 3 values "
             "but output shape is: [?,2]")
    yield v2(one(FULL), (), rows,
             error="Error while parsing feature with key a: number of elements should be divisible by 2, found 3 instead")
    yield v2(strings([FULL]), (), [("a", INT, [None], NONE[INT])], error="must contain a single element (the padding element)")
    yield v2(strings([FULL]), (), [("a", INT, [3], i64(1, 2))],
             error="def_value[0].shape() == [2] is not compatible with dense_shapes_[0] == [3]")
    yield v2(strings([FULL]), [("a", INT)], names=["n", "m"], error="Expected names have the same shape as serialized")


def older_examples():
    attrs = {"Nsparse": 1, "Ndense": 1, "sparse_types": [STRING], "Tdense": [INT], "dense_shapes": [tf.TensorShape([3])]}
    keys = [one("s"), one("a")]
    yield Case("ParseExample", [strings([FULL, UNKNOWN]), strings([]), *keys, NONE[INT]], attrs)
    yield Case("ParseExample", [strings([FULL, EMPTY]), strings(["n", "m"]), *keys, NONE[INT]], attrs,
               error="Name: m, Feature: a (data type: int64) is required but could not be found.")
    attrs = {"num_sparse": 1, "sparse_keys": ["s"], "dense_keys": ["a"], "sparse_types": [STRING], "Tdense": [INT],
             "dense_shapes": [tf.TensorShape([3])]}
    yield Case("ParseSingleExample", [one(FULL), NONE[INT]], attrs)
    yield Case("ParseSingleExample", [one(EMPTY), i64(7, 8, 9)], attrs)
    yield Case("ParseSingleExample", [one(FEW), NONE[INT]], attrs,
               error="Key: a.  Can't parse serialized Example: Some int64_list slice was not parsed.")


LONG = sequence({"c": [1, 2], "t": [b"x"]}, {"q": [[1, 2], [3, 4]], "r": [[1], [2, 3], []], "u": [[b"m"], [b"n"]]})
SHORT = sequence({"c": [3, 4]}, {"q": [[5, 6]], "r": []})
BARE = sequence({}, {})


def sequences_v2(serialized, context=((), (), ()), lists=((), (), ()), names=(), missing=None, **more):
    """A case of ParseSequenceExampleV2; the features are (sparse, dense, ragged), each as in v2."""
    groups = [*context, *lists]
    missing = [True] * len(lists[1]) if missing is None else missing
    inputs = [serialized, strings(list(names)), *(strings([f[0] for f in fs]) for fs in groups),
              np.array(missing, np.bool_), *(f[3] for f in context[1])]
    attrs = {
        "Ncontext_sparse": len(context[0]), "Tcontext_dense": [f[1] for f in context[1]],
        "context_sparse_types": [f[1] for f in context[0]], "context_ragged_value_types": [f[1] for f in context[2]],
        "context_ragged_split_types": [f[2] for f in context[2]],
        "context_dense_shapes": [tf.TensorShape(f[2]) for f in context[1]],
        "Nfeature_list_sparse": len(lists[0]), "Nfeature_list_dense": len(lists[1]),
        "feature_list_dense_types": [f[1] for f in lists[1]], "feature_list_sparse_types": [f[1] for f in lists[0]],
        "feature_list_ragged_value_types": [f[1] for f in lists[2]],
        "feature_list_ragged_split_types": [f[2] for f in lists[2]],
        "feature_list_dense_shapes": [tf.TensorShape(f[2]) for f in lists[1]],
    }
    return Case("ParseSequenceExampleV2", inputs, attrs, **more)


def sequences():
    batch = strings([LONG, BARE, SHORT])
    sparse, ragged = [("c", INT), ("t", STRING)], [("c", INT, tf.int32)]
    for serialized in (batch, batch[:0], one(LONG), one(BARE)):
        yield sequences_v2(serialized, (sparse, (), ()), ([("r", INT), ("u", STRING)], (), ()))
        yield sequences_v2(serialized, lists=((), [("q", INT, [2])], ()))
    yield sequences_v2(batch, ((), [("c", INT, [2], i64(8, 9))], ()))
    yield sequences_v2(batch, ((), (), ragged), ((), (), [("r", INT, INT), ("u", STRING, tf.int32)]))
    yield sequences_v2(batch, lists=((), [("q", INT, [2])], ()), missing=[False], names=["l", "b", "s"],
                       error="Name: b, Feature list 'q' is required but could not be found.  Did you mean to include it "
                       "in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?")
    yield sequences_v2(batch, ([("c", FLOAT)], (), ()),
                       error="Name: <unknown>, Context feature: c.  Data types don't match. Expected type: float")
    yield sequences_v2(batch, lists=([("q", FLOAT)], (), ()),
                       error="Feature list: q, Index: 0.  Data types don't match. Expected type: float")
    yield sequences_v2(batch, lists=((), [("q", INT, [3])], ()), error="Feature list 'q' has an unexpected number of "
                       "values.  Total values size: 4 is not consistent with output shape: [?,3]")
    yield sequences_v2(strings([LONG]), lists=((), [("q", INT, [4])], ()), error="Name: <unknown>, Key: q, Index: 0.  Number "
                       "of values != expected.  values size: 2 but output shape: [4]")
    yield sequences_v2(strings([SHORT]), ((), [("c", INT, [3], NONE[INT])], ()),
                       error="Inconsistent max number of elements for feature c: expected 3, but found 2")
    yield sequences_v2(strings([BAD["length"]]), ([("c", INT)], (), ()), error="Invalid protocol message input, example id: ")
    yield sequences_v2(strings([b"\x12\x0a\x0a\x08\x0a\x01q\x12\x03\x0a\x01x"]), lists=([("q", INT)], (), ()),
                       error="Error in sequence feature q in example <unknown>")


def older_sequences():
    attrs = {
        "feature_list_dense_missing_assumed_empty": ["q"], "context_sparse_keys": ["t"], "context_dense_keys": ["c"],
        "feature_list_sparse_keys": ["r"], "feature_list_dense_keys": ["q"], "Ncontext_sparse": 1, "Ncontext_dense": 1,
        "Nfeature_list_sparse": 1, "Nfeature_list_dense": 1, "context_sparse_types": [STRING], "Tcontext_dense": [INT],
        "feature_list_dense_types": [INT], "context_dense_shapes": [tf.TensorShape([2])],
        "feature_list_sparse_types": [INT], "feature_list_dense_shapes": [tf.TensorShape([2])],
    }
    yield Case("ParseSequenceExample", [strings([LONG, BARE, SHORT]), strings([]), i64(8, 9)], attrs)
    single = {k: v for k, v in attrs.items() if not k.endswith("_keys") and k != "feature_list_dense_missing_assumed_empty"}
    keys = [strings(["q"]), one("t"), one("c"), one("r"), one("q")]
    yield Case("ParseSingleSequenceExample", [one(LONG), *keys, NONE[INT], one("")], single)
    yield Case("ParseSingleSequenceExample", [one(BARE), *keys, i64(8, 9), one("n")], single)
    yield Case("ParseSingleSequenceExample", [one(BARE), *keys, NONE[INT], one("n")], single,
               error="Name: n, Context feature 'c' is required but could not be found.")
    yield Case("ParseSingleSequenceExample", [one(b"zzzz"), *keys, NONE[INT], one("n")], single,
               error="Could not parse example input, value: 'zzzz'")


def csv(records, defaults, **more):
    attrs = {"OUT_TYPE": [tf.as_dtype(d.dtype) if d.dtype != object else STRING for d in defaults]}
    attrs.update({k: more.pop(k) for k in ("field_delim", "use_quote_delim", "na_value", "select_cols") if k in more})
    return Case("DecodeCSV", [strings(records) if isinstance(records, list) else records, *defaults], attrs, **more)


def records():
    number, text = i32(7), strings(["-"])
    yield csv(["1,a", " 2 ,\"b,c\"", ",", "+3,\"d\"\"e\"", "-4,f"], [number, text])
    yield csv(["1;2.5;1e3;x", ";;;"], [np.int64([1]), np.float32([.5]), np.float64([.25]), text], field_delim=";")
    yield csv(["NA,NA", "1,\"x\""], [number, text], na_value="NA", use_quote_delim=False)
    yield csv(["1,2,3", "4,5,6"], [number, np.float32([0])], select_cols=[0, 2])
    yield csv(strings([["1", "2"], ["3", "4"]]), [np.int32(5)])
    yield csv(strings([]), [number])
    required = np.zeros(0, np.int32)
    yield csv(["1", ""], [number], error="Expect 1 fields but have 0 in record 1")
    yield csv([","], [number, required], error="Field 1 is required but missing in record 0!")
    yield csv(["1,2,3"], [number, number], error="Expect 2 fields but have 3 in record 0")
    yield csv(["x"], [number], error="Field 0 in record 0 is not a valid int32: x")
    yield csv(["1.5z"], [np.float32([0])], error="Field 0 in record 0 is not a valid float: 1.5z")
    yield csv(["99999999999"], [number], error="is not a valid int32: 99999999999")
    yield csv(["a\"b"], [text], error="Unquoted fields cannot have quotes/CRLFs inside")
    yield csv(["\"a\"b\""], [text], error="Quote inside a string has to be escaped by another quote")
    yield csv(["\"a"], [text], error="Quoted field has to end with quote followed by delim or end")
    yield csv(["1"], [number], field_delim=";;", error="field_delim should be only 1 char")
    yield csv(["1"], [number], select_cols=[0, 1], error="select_cols should match output size")
    yield csv(["1"], [number, number], select_cols=[1, 0], error="select_cols should be strictly increasing indices")
    yield csv(["1"], [number], select_cols=[-1], error="select_cols should be non-negative indices")


def raw():
    texts = strings(["abc", "abcdefgh", ""])
    for kind in ("uint8", "int16", "int32", "float32", "int64", "float64", "int8", "uint16"):
        for little in (True, False):
            yield Case("DecodePaddedRaw", [texts, np.int32(8)], {"out_type": tf.as_dtype(kind), "little_endian": little})
    yield Case("DecodePaddedRaw", [texts, np.int32(0)], {"out_type": tf.int16}, error="fixed_length (0) must be greater than zero.")
    packed = strings([zlib.compress(b"hello" * 100), zlib.compress(b"")])
    yield Case("DecodeCompressed", [packed], {"compression_type": "ZLIB"})
    yield Case("DecodeCompressed", [strings([gzip.compress(b"a", mtime=0), gzip.compress(b"b", mtime=0) * 2])],
               {"compression_type": "GZIP"})
    yield Case("DecodeCompressed", [texts], {"compression_type": ""})
    yield Case("DecodeCompressed", [strings(["garbage"])], {"compression_type": "ZLIB"},
               error="inflate() failed with error -3: incorrect header check")
    yield Case("DecodeCompressed", [texts], {"compression_type": "X"},
               error="Only ZLIB, ZSTD, GZIP or NONE are supported compressions")


def cases():
    for family in (examples, wrong_examples, older_examples, sequences, older_sequences, records, raw):
        yield from family()
