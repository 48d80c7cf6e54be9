"""Strings."""

import numpy as np
import tensorflow.compat.v1 as tf

from case import COMPLEX, FLOATS, SIGNED, UNSIGNED, Case, array, eighths, i32, i64, scalar, strings


def joined():
    names = strings(["a", "b/c", ""]).reshape(3)
    yield Case("StringJoin", [names, names], {"separator": "-"})
    yield Case("StringJoin", [names, strings(["x"]).reshape(())])
    yield Case("StringJoin", [strings(["m"]).reshape(()), strings(["_temp/part"]).reshape(())])
    paths = strings(["s3://bucket/m", "/tmp/s3://m", "s3://", "s3:/", "a\nb", ""]).reshape(2, 3)
    for pattern in ("^s3://.*", "(a|s3:/)/?", ".*", "a.b", "a\\.b|", ""):
        yield Case("StaticRegexFullMatch", [paths], {"pattern": pattern})


def one(text):
    return strings([text]).reshape(())


TEXTS = strings(["", "a", "Hello, World", "  x y ", "\t\n\v\f\r", "a\u00f1b \u20ac", b"\xff\x80a", "a\0b "])


def transformed():
    for op in ("StringUpper", "StringLower", "StringStrip", "StringLength"):
        yield Case(op, [TEXTS])
        yield Case(op, [TEXTS.reshape(2, 2, 2)])
        yield Case(op, [TEXTS[:0]])
        yield Case(op, [one(" Ab ")])
    yield Case("StringUpper", [TEXTS], {"encoding": "latin"}, error="only utf-8 or '' (no encoding) is supported, received latin")
    yield Case("StringLower", [TEXTS], {"encoding": "latin"}, error="only utf-8 or '' (no encoding) is supported, received latin")
    yield Case("StringLength", [TEXTS], {"unit": "UTF8_CHAR"})


def cut():
    lines = strings(["a b", "", "  c", "x,y;;z", ",", b"\0"])
    for delimiter in (" ", "", ",", ",;", "xyz"):
        for skip_empty in (True, False):
            yield Case("StringSplit", [lines, one(delimiter)], {"skip_empty": skip_empty})
    yield Case("StringSplit", [lines[:0], one(" ")])
    yield Case("StringSplit", [one("a"), one(" ")], error="input must be a vector, got shape: []")
    yield Case("StringSplit", [lines, lines[:2]], error="delimiter must be a scalar, got shape: [2]")
    lines = strings(["  a b  c ", "", "  ", "a<>b<><>c", "<>", "a\tb\nc"])
    for sep in ("", "<>", " ", "a"):
        for most in (-1, 0, 1, 2):
            yield Case("StringSplitV2", [lines, one(sep)], {"maxsplit": most})
    yield Case("StringSplitV2", [lines[:0], one(" ")])
    yield Case("StringSplitV2", [one("a"), one(" ")], error="input must be a vector, got shape: []")
    yield Case("StringSplitV2", [lines, lines[:1]], error="sep must be a scalar, got shape: [1]")


def pieces():
    def case(text, pos, length, dtype="int32", **more):
        attrs = {"unit": more.pop("unit")} if "unit" in more else {}
        text = one(text) if isinstance(text, (str, bytes)) else strings(text)
        return Case("Substr", [text, array(dtype, pos), array(dtype, length)], attrs, **more)

    for dtype in ("int32", "int64"):
        for pos, length in ((1, 3), (-3, 2), (5, 1), (1, -1), (0, 0), (-5, 9), (2, 100)):
            yield case("hello", pos, length, dtype)
    for pos, length in ((1, 1), (-2, 1), (3, 1), (0, -5), (1, -1), (0, 9), (-3, 2)):
        yield case("a\u00f1b", pos, length, unit="UTF8_CHAR")
    yield case(["abc", "def"], [0, 2], [1, 2])
    yield case(["abc", "def"], 1, 1)
    yield case(["abc", "def"], [[1], [2]], [[1], [1]])
    yield case("abcd", [0, 1, 2], [1, 2, 3])
    yield case([["ab"], ["cd"]], [0, 1], [1, 1])
    yield case([[["abc"]]], [[[1]]], [[[1]]])
    yield case("hello", 6, 1, error="pos 6 out of range for string b'hello' at index 0")
    yield case("hello", -6, 1, error="pos -6 out of range for string b'hello' at index 0")
    yield case(["ab", "cd"], [0, 3], [1, 1], error="pos 3 out of range for string b'cd' at index 1")
    yield case("a\u00f1b", -3, -1, unit="UTF8_CHAR", error="pos -3 out of range for string at index 0")
    yield case("a\u00f1b", 4, 1, unit="UTF8_CHAR", error="pos 4 out of range for string at index 0")
    yield case(["ab", "cd"], [0, 1], [1], error="pos and len should have the same shape, got: [2] vs. [1]")
    yield case(["ab", "cd"], [0, 1, 2], [1, 2, 3], error="Incompatible shapes: [2] vs. [3]")


def reduced():
    x = strings(["a", "b", "c", "d", "e", "f", "g", "", "i", "j", "k", "l"]).reshape(2, 3, 2)
    for axes in ([0], [1], [2], [-1], [1, 0], [0, 1], [0, 1, 2], [2, 1, 0], [0, -1], []):
        for attrs in ({}, {"separator": "-"}, {"keep_dims": True}):
            yield Case("ReduceJoin", [x, array("int32", axes)], attrs)
    yield Case("ReduceJoin", [x, scalar("int32", -1)])
    yield Case("ReduceJoin", [one("x"), array("int32", [])])
    yield Case("ReduceJoin", [x[:0], i32(0)], {"separator": "-"})
    yield Case("ReduceJoin", [x[:0], i32(1)])
    yield Case("ReduceJoin", [x, i32(0, 0)], error="Duplicate reduction dimension 0")
    yield Case("ReduceJoin", [x, i32(0, -3)], error="Duplicate reduction dimension -3")
    yield Case("ReduceJoin", [x, i32(3)], error="Invalid reduction dimension 3 for input with 3 dimension(s)")
    yield Case("ReduceJoin", [x, i32(-4)], error="Invalid reduction dimension -4 for input with 3 dimension(s)")
    for ids in ("int32", "int64"):
        for count in ("int32", "int64"):
            op, attrs = "UnsortedSegmentJoin", {"separator": "-"}
            yield Case(op, [strings(["a", "b", "c"]), array(ids, [0, 2, 0]), scalar(count, 4)], attrs)
            yield Case(op, [x.reshape(3, 4), array(ids, [1, 0, 1]), scalar(count, 2)])
            yield Case(op, [x.reshape(3, 4), array(ids, [[1, 0, 0, 1]] * 3), scalar(count, 3)], attrs)
    # Empty strings at the front of a segment leave no separator.
    yield Case(op, [strings(["a", "", "", "b", "", "x", "", ""]), i32(0, 0, 1, 1, 2, 2, 3, 3), scalar("int32", 4)], attrs)
    yield Case(op, [one("a"), scalar("int32", 0), scalar("int32", 1)], error="Segment_id cannot have rank 0")
    yield Case(op, [one("a"), i32(0), scalar("int32", 1)], error="Invalid segment_id rank 1 for input with 0 dimension(s)")
    wrong = "segment_ids are not allowed to exceed num_segments or to have negative values."
    for k in (3, -1):
        yield Case("UnsortedSegmentJoin", [strings(["a", "b"]), i32(0, k), scalar("int32", 3)], error=wrong)


def coded():
    x = strings([b"", b"a", b"ab", b"abc", b"\xff\xfe\xfd", bytes(range(64))])
    for pad in (False, True):
        yield Case("EncodeBase64", [x.reshape(2, 3)], {"pad": pad})
    yield Case("DecodeBase64", [strings(["", "YQ", "YQ==", "YWI", "YWJj", "__79", "YR"])])
    for text, what in (("Y", "Base64 string length cannot be 1 modulo 4."), ("Y==", "Invalid character found in base64."),
                       ("a+/=", "Invalid character found in base64."), ("YQ==YQ", "Invalid character found in base64."), ("Y Q", "Invalid character found in base64.")):
        yield Case("DecodeBase64", [one(text)], error=what)
    words = [b"", b"a", b"ab", b"abcdefg", b"abcdefgh"] + [bytes(range(n)) for n in (12, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 256)]
    for buckets in (2**62, 10, 1):
        yield Case("StringToHashBucket", [strings(words)], {"num_buckets": buckets})
        yield Case("StringToHashBucketFast", [strings(words)], {"num_buckets": buckets})
        yield Case("StringToHashBucketStrong", [strings(words)], {"num_buckets": buckets, "key": [123, -456]})
    yield Case("StringToHashBucketStrong", [strings(words)], {"num_buckets": 3, "key": [1, 2, 3]}, error="Key must have 2 elements")


def numbers():
    op = "StringToNumber"
    for name in ("float", "double"):
        attrs = {"out_type": tf.as_dtype(name)}
        yield Case(op, [strings(["1", " 2.5 ", "-1e3", "inf", "-INF", "nan", "0x10", "1e400", "1e-400", "+3", ".5", "5.", "1e39", "0x1p3", "infinity",
                                 "\t1\n", "nan(3)", "1.7976931348623157e308", "1e-320", "0.1", "123456789.123456789"])], attrs)
        for text in ("", "a", "1 2", "1f", "- 1", "1_0", "--1", "+-1", "e5", "."):
            yield Case(op, [one(text)], attrs, error="StringToNumberOp could not correctly convert string: " + text)
    for name, low, high in (("int32", -2**31, 2**31 - 1), ("int64", -2**63, 2**63 - 1), ("uint32", 0, 2**32 - 1), ("uint64", 0, 2**64 - 1)):
        attrs = {"out_type": tf.as_dtype(name)}
        yield Case(op, [strings(["1", " 7 ", str(low), str(high), "007"])], attrs)
        for text in ("", "1.5", "0x10", str(low - 1), str(high + 1), "- 1", "1 2"):
            yield Case(op, [one(text)], attrs, error="StringToNumberOp could not correctly convert string: " + text)
    yield Case(op, [strings(["+7", "-7"])], {"out_type": tf.int32})
    op = "AsString"
    for name in FLOATS + COMPLEX:
        x = eighths(name, (2, 3))
        for attrs in ({}, {"precision": 2}, {"scientific": True}, {"shortest": True}, {"width": 12}, {"width": 12, "fill": "0"}, {"fill": "+"},
                      {"width": 12, "fill": "-"}, {"fill": " ", "precision": 0}, {"precision": 3, "shortest": True, "width": 9}):
            yield Case(op, [x], attrs)
    for name in ("float", "double"):
        yield Case(op, [array(name, [-0.0, np.inf, np.nan, 1e20, 1 / 3, 1e-7])])
        yield Case(op, [array(name, [-0.0, np.inf, np.nan, 1e20, 1 / 3, 1e-7])], {"shortest": True})
    for name in SIGNED + UNSIGNED:
        for attrs in ({}, {"width": 5}, {"width": 5, "fill": "0"}, {"width": 5, "fill": "-"}):
            yield Case(op, [array(name, [5, 100, -7 if name in SIGNED else 7])], attrs)
    yield Case(op, [array("bool", [True, False])], {"width": 9})
    yield Case(op, [TEXTS[:3]])
    yield Case(op, [TEXTS[:3]], {"width": 4})
    yield Case(op, [TEXTS[:3]], {"width": 4, "fill": "-"})
    for attrs in ({"scientific": True}, {"shortest": True}, {"precision": 2}):
        yield Case(op, [TEXTS[:3]], attrs)
    for width in (-3, -1, 0, 1, 2, 5, 20):
        for precision in (-2, -1, 0, 2, 5):
            for fill in ("", "-", "0", "+"):
                attrs = {"width": width, "precision": precision, "fill": fill}
                yield Case(op, [strings(["", "a", "Hello, World", b"a\0b", b"h\xc3\xa9"])], attrs)
    for x in (i32(5, -7), array("bool", [True, False]), array("uint8", [1, 2]), array("float", [1.5, np.nan])):
        yield Case(op, [x], {"precision": -2, "width": 6})
    for x, attrs, what in ((i32(1), {"precision": 2}, "precision not supported for datatype int32"), (i32(1), {"shortest": True}, "scientific and shortest format not supported for datatype int32"),
                           (array("float", [1]), {"scientific": True, "shortest": True}, "Cannot select both scientific and shortest notation"),
                           (i32(1), {"fill": "ab"}, "Fill string must be one or fewer characters"), (i32(1), {"fill": "x"}, "Fill argument not supported: \"x\"")):
        yield Case(op, [x], attrs, error=what)


def packed():
    for name in FLOATS + COMPLEX + ("int8", "int16", "int32", "int64", "uint8", "uint16"):
        for little in (True, False):
            attrs = {"out_type": tf.as_dtype(name), "little_endian": little}
            order = eighths(name, (2, 2))
            order = order if little or name in COMPLEX + ("bfloat16",) else order.byteswap()
            if little or name not in COMPLEX + ("bfloat16",):
                yield Case("DecodeRaw", [strings([row.tobytes() for row in order])], attrs)
    yield Case("DecodeRaw", [one(b"\1\0\1")], {"out_type": tf.bool})
    yield Case("DecodeRaw", [one(b"")], {"out_type": tf.int32})
    yield Case("DecodeRaw", [one(eighths("complex64", (3,)).byteswap().tobytes())], {"out_type": tf.complex64, "little_endian": False})
    yield Case("DecodeRaw", [strings(["abcd", "ef"])], {"out_type": tf.int16}, error="DecodeRaw requires input strings to all be the same size, but element 1 has size 4 != 2")
    yield Case("DecodeRaw", [strings(["abc"])], {"out_type": tf.int16}, error="Input to DecodeRaw has length 3 that is not a multiple of 2, the size of int16")
    for name in FLOATS + COMPLEX + SIGNED + UNSIGNED + ("bool",):
        for shape in ((), (3,), (2, 0), (2, 3)):
            x = eighths(name, shape)
            yield Case("SerializeTensor", [x])
            yield Case("ParseTensor", [one(tf.make_tensor_proto(x).SerializeToString())], {"out_type": tf.as_dtype(name)})
    yield Case("SerializeTensor", [TEXTS])
    yield Case("ParseTensor", [one(tf.make_tensor_proto(TEXTS).SerializeToString())], {"out_type": tf.string})
    yield Case("ParseTensor", [one("xyz")], {"out_type": tf.float32}, error="Could not parse `serialized` as TensorProto")
    yield Case("ParseTensor", [one(tf.make_tensor_proto([1.5, 2.0]).SerializeToString())], {"out_type": tf.int32}, error="Type mismatch between parsed tensor (float) and dtype (int32)")
    yield Case("ParseTensor", [strings(["a", "b"])], {"out_type": tf.float32}, error="Expected `serialized` to be a scalar, got shape: [2]")
    yield Case("ParseTensor", [one("")], {"out_type": tf.float32}, error="Cannot parse tensor from proto: ")


def fingerprints():
    op, method = "Fingerprint", np.array(b"farmhash64", object)
    for dtype in ("float", "int64", "bool", "half", "complex128"):
        for shape in ((3,), (2, 3), (2, 2, 2), (0, 3), (2, 0)):
            yield Case(op, [eighths(dtype, shape), method])
    for value in ([b"ab", b"c", b""], [[b"ab", b"c"], [b"", b"d"]], [[b"ab"], [b"c"]], [[[b"a"], [b"b"]]]):
        yield Case(op, [np.array(value, object), method])
    for data, name, error in ((np.zeros(2, np.float32), np.array(b"x", object), "Unsupported fingerprint method: x"),
                              (np.float32(3), method, "`data` should have at least one dimension: []"),
                              (np.zeros(2, np.float32), np.array([b"farmhash64"], object), "`method` should be a scalar string: [1]")):
        yield Case(op, [data, name], error=error)


def expressions():
    texts = strings(["aaa", "bab", "", "a\nb", "h\u00e9", b"\xffa", "x1y22"])
    pairs = (("a", "x\\0y"), ("(a)(b)?", "[\\2\\1]"), ("\\d+", "#"), ("(?i)A|B$", ""), ("^", ">"), ("[^a]", "."),
             ("a", "\\1"), ("\\pL", "L"), ("", "-"))
    for pattern, rewrite in pairs:
        for every in (True, False):
            yield Case("RegexReplace", [texts, one(pattern), one(rewrite)], {"replace_global": every})
            yield Case("StaticRegexReplace", [texts], {"pattern": pattern, "rewrite": rewrite, "replace_global": every})
        yield Case("RegexFullMatch", [texts.reshape(7, 1), one(pattern)])
        yield Case("StaticRegexFullMatch", [texts], {"pattern": pattern})
    wrong = "Invalid pattern: (, error: missing ): ("
    yield Case("RegexReplace", [texts, one("("), one("")], error=wrong)
    yield Case("StaticRegexReplace", [texts], {"pattern": "(", "rewrite": ""}, error=wrong)
    yield Case("RegexFullMatch", [texts, one("(")], error=wrong)
    yield Case("StaticRegexFullMatch", [texts], {"pattern": "("}, error=wrong)
    yield Case("RegexFullMatch", [texts, texts[:1]], error="Pattern must be scalar, but received [1]")
    yield Case("RegexReplace", [texts, one("a"), texts[:1]], error="Rewrite must be scalar, but received [1]")


def ngrams():
    words = strings(["a", "b", "c", "d", "e"])

    def case(splits, widths, dtype="int64", text=words, pad=0, short=False, separator="|", **more):
        attrs = {"separator": separator, "ngram_widths": widths, "left_pad": "LP", "right_pad": "RP", "pad_width": pad,
                 "preserve_short_sequences": short}
        return Case("StringNGrams", [text, array(dtype, splits)], attrs, **more)

    for dtype in ("int32", "int64"):
        for pad in (-1, 0, 1, 5):
            for short in (False, True):
                yield case([0, 4, 4, 5], [2, 1, 3], dtype, pad=pad, short=short)
                yield case([0, 4, 4, 5], [4], dtype, pad=pad, short=short, separator="")
    yield case([0, 0], [2], text=words[:0])
    yield case([0, 5], [])
    yield case([0, 5], [], pad=1, short=True)
    yield case([0, 5], [0], error="ngram_widths must contain positive values")
    yield case([1, 5], [2], error="First split value must be 0, got 1")
    yield case([0, 3, 2, 5], [2], error="Invalid split value 2, must be in [3, 5]")
    yield case([0, 4], [2], error="Last split value must be data size. Expected 5, got 4")
    yield case([0, 5], [2**31 - 1], pad=-1, error="Pad width could lead to integer overflow, got pad_width = 2147483646")


MIXED = strings([b"a\xffb\xe2\x82c", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", "", "\x01x", "h\u00e9\U0001f600", b"\xf0\x9f"])


def decoded():
    wide = {"UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be", "latin-1": "latin-1", "US-ASCII": "latin-1"}
    texts = {"UTF-8": MIXED}
    for name, codec in wide.items():
        texts[name] = strings(["ab\u00e9".encode(codec), b"\xd8\0\0a\0", b""])
    for encoding, text in texts.items():
        for errors in ("replace", "ignore"):
            for control in (False, True):
                attrs = {"input_encoding": encoding, "errors": errors, "replace_control_characters": control,
                         "replacement_char": 65 if control else 65533}
                for op in ("UnicodeDecode", "UnicodeDecodeWithOffsets"):
                    yield Case(op, [text], {**attrs, "Tsplits": tf.int64})
                for output in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
                    yield Case("UnicodeTranscode", [text], {**attrs, "output_encoding": output})
    for op, more in (("UnicodeDecode", {}), ("UnicodeDecodeWithOffsets", {}), ("UnicodeTranscode", {"output_encoding": "UTF-8"})):
        strict = {"input_encoding": "UTF-8", "errors": "strict", **more}
        yield Case(op, [MIXED.reshape(7, 1)], strict, error="Invalid formatting on input string")
        yield Case(op, [one(MIXED[5])], strict)
        yield Case(op, [MIXED], {**strict, "input_encoding": "no"}, error="Could not create converter for input encoding: no")
        yield Case(op, [MIXED], {**strict, "replacement_char": 0x110000},
                   error="replacement_char out of unicode codepoint range")
    yield Case("UnicodeDecode", [one("\x01a")], {"input_encoding": "UTF-8", "errors": "strict", "replace_control_characters": True})


def encoded():
    codes = i32(65, 0xd800, 0x1f600, 0xfffe, 0x110000, -1, 0xe9)
    for output in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
        for errors in ("replace", "ignore"):
            for dtype in ("int32", "int64"):
                yield Case("UnicodeEncode", [codes, array(dtype, [0, 3, 3, 7])],
                           {"output_encoding": output, "errors": errors, "replacement_char": 66})
    utf8 = {"output_encoding": "UTF-8"}
    yield Case("UnicodeEncode", [codes[:0], i64(0)], utf8)
    yield Case("UnicodeEncode", [codes, i64(0, 7)], {**utf8, "errors": "strict"},
               error="Code point is out of range for Unicode, or is a surrogate.")
    yield Case("UnicodeEncode", [codes, i64(1, 7)], utf8, error="First value in input_splits must be zero.")
    yield Case("UnicodeEncode", [codes, i64(0, 6)], utf8,
               error="Last value in input_splits must be equal to length of input_tensor.")
    yield Case("UnicodeEncode", [codes, i64(0, 3, 2, 7)], utf8,
               error="Values in input_splits must be equal or in ascending order.")
    yield Case("UnicodeScript", [i32(1041, 33464, -500, 0x110000, 65, 0x378, 0x0e01, 0).reshape(2, 4)])
    letters = strings(["\u00e9 \u00df \u01c6", "\u0130 \u03a3 \u0391\u03a3", b"a\xffB", ""])
    for op in ("StringUpper", "StringLower"):
        yield Case(op, [letters], {"encoding": "utf-8"})


def cases():
    for group in (fingerprints, joined, transformed, cut, pieces, reduced, coded, numbers, packed, expressions, ngrams, decoded, encoded):
        yield from group()
