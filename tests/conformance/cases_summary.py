"""Summaries, and the text of tensors: strings that must equal TensorFlow's byte for byte."""

import numpy as np

from case import REALS, Case, array, eighths, scalar, strings

NAN, INF = float("nan"), float("inf")


def tag(text="loss/a"):
    return strings(text).reshape(())


def scalars():
    for dtype in REALS:
        yield Case("ScalarSummary", [tag(), scalar(dtype, 7)])
    yield Case("ScalarSummary", [strings(["a", "b", ""]), array("float", [0.0, -0.0, 1.5])])
    yield Case("ScalarSummary", [strings([["a"], ["b"]]), array("float", [[NAN], [INF]])])
    yield Case("ScalarSummary", [tag(), scalar("double", 1e300)])
    yield Case("ScalarSummary", [tag(), scalar("int64", 2**53 + 1)])
    yield Case("ScalarSummary", [strings([]), array("float", [])])
    yield Case("ScalarSummary", [strings(["a", "b"]), array("float", [1, 2, 3])],
               error="tags and values are not the same shape: [2] != [3]")
    yield Case("ScalarSummary", [tag("a"), array("float", [1])],
               error="tags and values are not the same shape: [] != [1] (tag 'a')")


def histograms():
    for dtype in REALS:
        yield Case("HistogramSummary", [tag(), eighths(dtype, (4, 5), -2, 9)])
    for values in ([0, 0], [-1, 0, 2, 5], [-0.0], [1e-12, -1e-12, 1e-13], [1e20, -1e20, 9e19]):
        yield Case("HistogramSummary", [tag(), array("double", values)])
    yield Case("HistogramSummary", [tag(), array("double", [1e300, -1e300, 1e-300])])
    yield Case("HistogramSummary", [tag(""), array("float", [])])
    rng = np.random.RandomState(3)
    yield Case("HistogramSummary", [tag(), (rng.randn(300) * 100).astype(np.float32)])
    for dtype in ("float", "double", "half", "bfloat16"):
        yield Case("HistogramSummary", [tag(), array(dtype, [1, NAN])],
                   error="Nan in summary histogram for: ")
        yield Case("HistogramSummary", [tag(), array(dtype, [1, -INF])],
                   error="Infinity in Histogram for: ")
    yield Case("HistogramSummary", [strings(["a"]), array("float", [1])], error="tags must be scalar")


def merged():
    a, b = b"\n\x08\n\x01a\x15\0\0\x80?", b"\n\x08\n\x01b\x15\0\0\x80?"
    yield Case("MergeSummary", [tag(a), tag(b)], {"N": 2})
    yield Case("MergeSummary", [strings([a, b""]), tag(b)], {"N": 2})
    yield Case("MergeSummary", [tag(b"\n\x05\x15\0\0\x80?\n\x05\x15\0\0\0@")], {"N": 1})
    yield Case("MergeSummary", [tag(b"\n\x06\n\x01a\n\x01b")], {"N": 1})
    yield Case("MergeSummary", [tag(b"\n\x08\x15\0\0\0\0\n\x01b")], {"N": 1})
    yield Case("MergeSummary", [tag(b"\x12\x01a\n\x05\n\x01bz\0")], {"N": 1})
    yield Case("MergeSummary", [tag(a), tag(a)], {"N": 2},
               error="Duplicate tag a found in summary inputs ")
    for bad in (b"xyz", b"\n\x7f", b"\n\x03\n\x01\xff", b"\n\x03*\x01\x09", b"\n\x03\x08\x01\x10"):
        yield Case("MergeSummary", [tag(bad)], {"N": 1},
                   error="Could not parse one of the summary inputs")


def tensors():
    for dtype in REALS + ("complex64", "bool"):
        yield Case("TensorSummaryV2", [tag(), eighths(dtype, (2, 3)), tag("")])
    for value in (strings([["a", ""]]), array("float", []), np.zeros((2, 0), np.int32)):
        yield Case("TensorSummaryV2", [tag(""), value, tag(b"\x12\x01q")])
    yield Case("TensorSummaryV2", [strings(["a"]), scalar("float", 1), tag("")],
               error="tag must be scalar")
    yield Case("TensorSummaryV2", [tag(), scalar("float", 1), strings([""])],
               error="serialized_summary_metadata must be scalar")



def images():
    rng = np.random.RandomState(5)
    for channels in (1, 3, 4):
        shape = (2, 5, 7, channels)
        yield Case("ImageSummary", [tag(), rng.randint(0, 256, shape).astype(np.uint8)])
        for dtype in (np.float32, np.float64, np.float16):
            x = rng.randn(*shape).astype(dtype)
            yield Case("ImageSummary", [tag(), x])
            yield Case("ImageSummary", [tag(), np.abs(x)], {"max_images": 1})
            x[0, 1, 2, channels - 1] = NAN
            x[1, 1, 3, 0] = -INF
            yield Case("ImageSummary", [tag(), x], {"max_images": 2})
    for values in ([0, 0], [NAN, NAN], [1e-7, 1e-8], [1, 300], [-128, 127], [-1000, 127]):
        yield Case("ImageSummary", [tag(), array("float", values).reshape(1, 1, 2, 1)])
    for shape in ((1, 1, 1, 3), (1, 40, 1, 1), (1, 1, 40, 4), (1, 30, 30, 3), (0, 2, 2, 1)):
        yield Case("ImageSummary", [tag(), rng.randint(0, 9, shape).astype(np.uint8)])
    ramp = np.add.outer(np.arange(24), np.arange(20)).reshape(1, 24, 20, 1)
    yield Case("ImageSummary", [tag(), ramp.astype(np.uint8)])
    one = np.zeros((1, 1, 1, 3), np.float32)
    yield Case("ImageSummary", [strings(["a"]), one], error="Tags must be a scalar")
    yield Case("ImageSummary", [tag(), one[0]],
               error="Tensor must be 4-D with last dim 1, 3, or 4, not [1,1,3]")
    yield Case("ImageSummary", [tag(), one[..., :2]],
               error="Tensor must be 4-D with last dim 1, 3, or 4, not [1,1,1,2]")
    yield Case("ImageSummary", [tag(), one[:, :0]],
               error="input tensor must have non-zero dims. Found: [1, 0, 1, 3].")


def sounds():
    rate = scalar("float", 44100.5)
    wave = array("float", [[0, 0.5, -0.5, 1, -1, 2, NAN, -2, 0.99999, INF, -INF],
                           np.arange(-5, 6) / 65536])
    yield Case("AudioSummaryV2", [tag(), wave, rate])
    yield Case("AudioSummaryV2", [tag(), wave, rate], {"max_outputs": 1})
    yield Case("AudioSummaryV2", [tag(), eighths("float", (5, 4, 2), -1, 1), array("float", [8000])])
    for r in (0.2, 0.6, 44101.5, 4e9):
        yield Case("AudioSummaryV2", [tag(), wave[:, :2], scalar("float", r)])
    for shape in ((1, 0, 1), (0, 2, 1)):
        yield Case("AudioSummaryV2", [tag(), np.zeros(shape, np.float32), rate])
    for found, x, r in (
            ("Tag must be a scalar", None, rate),
            ("Tensor must be 3-D or 2-D, got: [1,1,1,1]", np.zeros((1, 1, 1, 1)), rate),
            ("audio is null", np.zeros((2, 2, 0)), rate),
            ("num_channels must be in (0, 2^16), got: 0", np.zeros((1, 0, 0)), rate),
            ("num_channels must be in (0, 2^16), got: 70000", np.zeros((1, 1, 70000)), rate),
            ("sample_rate must be > 0", wave, scalar("float", -1)),
            ("sample_rate must be > 0", wave, scalar("float", NAN)),
            ("sample_rate must be in (0, 2^32), got: ", wave, scalar("float", 1e12)),
            ("sample_rate must be rank-0 or contain a single value", wave, array("float", [1, 2]))):
        name = strings(["a"]) if x is None else tag()
        x = wave if x is None else x.astype(np.float32)
        yield Case("AudioSummaryV2", [name, x, r], error=found)


def texts():
    def text(x, **attrs):
        return Case("StringFormat", [x], attrs)

    for dtype in REALS + ("complex64", "bool"):
        yield text(eighths(dtype, (2, 9), -2, 9))
        yield text(scalar(dtype, 1))
    yield text(scalar("float", 1), summarize=0)
    yield text(tag("a"), summarize=0)
    cube = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    for summarize in (3, 1, 2, 0, -1, -2, 100):
        yield text(cube, summarize=summarize)
    yield text(np.arange(100, dtype=np.int64).reshape(10, 10), summarize=2)
    for shape in ((0,), (2, 0), (0, 2), (1, 1, 1), (5, 1)):
        yield text(np.ones(shape, np.float32))
    numbers = [1 / 3, 1e10, 1e-10, NAN, -INF, 100000, 1234567, 0.1, -0.0]
    for dtype in ("float", "double", "half", "bfloat16"):
        yield text(array(dtype, numbers), summarize=-1)
    for values in ("a", ["a", 'b"\\'], ["b\n\t\r\u00e9\0\x7f'", "%s"]):
        yield text(strings(values))
    one, many = scalar("float", 1), np.arange(10, dtype=np.int32)
    yield Case("StringFormat", [one, many], {"template": "a {} b {}", "placeholder": "{}"})
    yield Case("StringFormat", [tag("%s"), tag("b")], {"template": "%s-%s"})
    yield Case("StringFormat", [tag("a")], {"placeholder": ""})


def passed_on():
    yield Case("Print", [eighths("float", (2, 3)), scalar("int32", 1)], {"first_n": 0}, grad=True)


def cases():
    for family in (scalars, histograms, merged, tensors, images, sounds, texts, passed_on):
        yield from family()
