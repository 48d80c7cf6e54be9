"""Fourier transforms and audio."""

import struct

import numpy as np
import tensorflow as tf

from case import Case, array, eighths, i32, scalar

TOL = {"float": 1e-5, "double": 1e-12}
COMPLEX = {"float": "complex64", "double": "complex128"}
# Small primes, powers, a product, and a prime that is not a small factor of anything.
LENGTHS = (1, 2, 3, 4, 7, 8, 12, 30, 37, 74)


def case(op, real, inputs, attrs=None, **more):
    tol = TOL[real]
    return Case(op, inputs, attrs or {}, tol=tol, atol=10 * tol, grad_tol=10 * tol, **more)


def full():
    for real, kind in COMPLEX.items():
        for op in ("FFT", "IFFT"):
            for n in LENGTHS:
                yield case(op, real, [eighths(kind, (n,))], grad=n < 20)
            yield case(op, real, [eighths(kind, (2, 3, 5))], grad=True)
        for op in ("FFT2D", "IFFT2D", "FFT3D", "IFFT3D"):
            for shape in ((3, 4, 5), (1, 1, 1), (2, 1, 6)):
                yield case(op, real, [eighths(kind, shape)], grad=True)
            yield case(op, real, [eighths(kind, (2, 2, 3, 4))], grad=True)
    for op, rank in (("FFT", 1), ("IFFT", 1), ("FFT2D", 2), ("IFFT2D", 2), ("FFT3D", 3), ("IFFT3D", 3)):
        for shape in ((0, 2, 3), (2, 0, 3), (2, 3, 0), (0, 0, 0)):
            yield Case(op, [np.zeros(shape, np.complex64)])
        yield Case(op, [np.zeros((2,) * (rank - 1), np.complex64)], error="Input must have rank of at least %d but got: [" % rank)


def real_forward():
    for real, kind in COMPLEX.items():
        attrs = {"Tcomplex": tf.as_dtype(kind)}
        for n in LENGTHS:
            yield case("RFFT", real, [eighths(real, (2, n)), i32(n)], attrs, grad=n < 20)
        yield case("RFFT", real, [eighths(real, (2, 9)), i32(6)], attrs)
        yield case("RFFT", real, [eighths(real, (2, 9)), i32(1)], attrs)
        for shape in ((3, 4, 5), (2, 4, 4), (1, 1, 1), (2, 1, 6)):
            yield case("RFFT2D", real, [eighths(real, shape), i32(*shape[1:])], attrs, grad=True)
            yield case("RFFT3D", real, [eighths(real, shape), i32(*shape)], attrs)
        yield case("RFFT2D", real, [eighths(real, (2, 4, 5)), i32(3, 4)], attrs)
        yield case("RFFT3D", real, [eighths(real, (2, 4, 5, 6)), i32(3, 2, 5)], attrs)
    attrs = {"Tcomplex": tf.complex64}
    for op, rank in (("RFFT", 1), ("RFFT2D", 2), ("RFFT3D", 3)):
        yield Case(op, [np.zeros((0, 3, 4), np.float32), i32(*(0, 3, 4)[3 - rank:])], attrs)
        yield from wrong(op, rank, np.float32, attrs)
        yield Case(op, [np.zeros((2, 3, 4), np.float32), i32(*[5] * rank)], attrs,
                   error="Input dimension %d must have length of at least 5 but got: %d" % (3 - rank, 5 - rank))
    yield Case("RFFT", [np.zeros(4, np.float32), i32(4)], {"Tcomplex": tf.complex128},
               error="Wrong types for forward real FFT: in=1 out=18")


def real_inverse():
    for real, kind in COMPLEX.items():
        attrs = {"Treal": tf.as_dtype({"float": "float32", "double": "float64"}[real])}
        for n in LENGTHS:
            yield case("IRFFT", real, [eighths(kind, (2, n // 2 + 1)), i32(n)], attrs, grad=1 < n < 20)
        yield case("IRFFT", real, [eighths(kind, (2, 9)), i32(6)], attrs)
        yield case("IRFFT", real, [eighths(kind, (2, 9)), i32(1)], attrs)
        for shape in ((3, 4, 5), (2, 4, 4), (2, 2, 6)):
            x = eighths(kind, shape[:2] + (shape[2] // 2 + 1,))
            yield case("IRFFT2D", real, [x, i32(*shape[1:])], attrs, grad=True)
            yield case("IRFFT3D", real, [x, i32(*shape)], attrs)
        yield case("IRFFT2D", real, [eighths(kind, (2, 4, 5)), i32(3, 4)], attrs)
        yield case("IRFFT3D", real, [eighths(kind, (2, 4, 5, 6)), i32(3, 2, 5)], attrs)
    attrs = {"Treal": tf.float32}
    for op, rank in (("IRFFT", 1), ("IRFFT2D", 2), ("IRFFT3D", 3)):
        yield Case(op, [np.zeros((0, 3, 4), np.complex64), i32(*(0, 3, 6)[3 - rank:])], attrs)
        yield from wrong(op, rank, np.complex64, attrs)
    yield Case("IRFFT", [np.zeros((2, 3), np.complex64), i32(6)], attrs,
               error="Input dimension 1 must have length of at least 4 but got: 3")
    yield Case("IRFFT", [np.zeros(4, np.complex64), i32(4)], {"Treal": tf.float64},
               error="Wrong types for backward real FFT: in=8 out=2")


def wrong(op, rank, kind, attrs):
    yield Case(op, [np.zeros((2,) * (rank - 1), kind), i32(*[2] * rank)], attrs,
               error="Input must have rank of at least %d but got: [" % rank)
    yield Case(op, [np.zeros((2, 3, 4), kind), i32(*[2] * (rank + 1))], attrs, error="fft_length must have shape [%d]" % rank)
    yield Case(op, [np.zeros((2, 3, 4), kind), i32(*[-1] * rank)], attrs, error="fft_length[0] must >= 0, but got: -1")


def spectrograms():
    op = "AudioSpectrogram"
    for squared in (False, True):
        for size, stride in ((2, 1), (4, 5), (7, 3), (16, 16), (100, 1)):
            yield Case(op, [eighths("float", (40, 2), -1, 1)], {"window_size": size, "stride": stride, "magnitude_squared": squared},
                       tol=1e-5, atol=1e-5)
    for shape in ((9, 0), (0, 2)):
        yield Case(op, [np.zeros(shape, np.float32)], {"window_size": 4, "stride": 5})
    yield Case(op, [np.zeros(3, np.float32)], {"window_size": 4, "stride": 5}, error="input must be 2-dimensional[3]")


def mfccs():
    for bins, rate, attrs in ((9, 8000, {"upper_frequency_limit": 3000.0}), (257, 16000, {}), (65, 8000, {"dct_coefficient_count": 40}),
                              (33, 44100, {"filterbank_channel_count": 5, "dct_coefficient_count": 3}),
                              (33, 8000, {"lower_frequency_limit": 0.0, "upper_frequency_limit": 4000.0}),
                              (33, 8000, {"lower_frequency_limit": 900.0, "upper_frequency_limit": 2000.0}),
                              (33, 8000, {"upper_frequency_limit": 9000.0})):
        yield Case("Mfcc", [eighths("float", (2, 3, bins), 0, 4), scalar("int32", rate)], attrs, tol=1e-4, atol=1e-4)
    yield Case("Mfcc", [np.zeros((1, 2, 33), np.float32), scalar("int32", 8000)], tol=1e-4, atol=1e-4)
    yield Case("Mfcc", [np.zeros((1, 0, 9), np.float32), scalar("int32", 8000)])
    for shape, rate, attrs in (((1, 2, 1), 8000, {}), ((1, 1, 9), 0, {}), ((1, 1, 9), 8000, {"dct_coefficient_count": 0}),
                               ((1, 1, 9), 8000, {"dct_coefficient_count": 50}), ((1, 1, 9), 8000, {"filterbank_channel_count": 0}),
                               ((1, 1, 9), 8000, {"upper_frequency_limit": 5.0, "lower_frequency_limit": 6.0}),
                               ((1, 1, 9), 8000, {"lower_frequency_limit": -6.0})):
        yield Case("Mfcc", [np.zeros(shape, np.float32), scalar("int32", rate)], attrs, error="Mfcc initialization failed for channel count ")
    yield Case("Mfcc", [np.zeros((3, 4), np.float32), scalar("int32", 8000)], error="spectrogram must be 3-dimensional[3,4]")
    yield Case("Mfcc", [np.zeros((1, 2, 9), np.float32), i32(8000)],
               error="Input sample_rate should be a scalar tensor, got [1] instead.")


def wav(channels=1, rate=8000, data=b"\1\0\2\0\3\0\xff\xff", form=1, bits=16, before=b"", after=b"", size=16, frame=None,
        second=None, riff=b"RIFF", kind=b"WAVE", extra=b"", name=b"data", length=None):
    """Returns a WAV file that may be damaged."""
    frame = channels * bits // 8 if frame is None else frame
    second = rate * frame if second is None else second
    head = struct.pack("<IHHIIHH", size, form, channels, rate, second, frame, bits)
    length = len(data) if length is None else length
    return (riff + struct.pack("<I", 36 + len(data)) + kind + before + b"fmt " + head + extra + name +
            struct.pack("<I", length) + data + after)


def text(value):
    return np.array(value, dtype=object)


def decoded():
    op = "DecodeWav"
    files = [wav(), wav(channels=2), wav(data=b""), wav(size=18, extra=b"\0\0"), wav(before=b"JUNK\4\0\0\0abcd"),
             wav(before=b"JUNK\5\0\0\0abcde"), wav(after=b"LIST\4\0\0\0abcd"), wav(after=b"LIST\xff\0\0\0a"), wav(rate=0),
             wav(data=b"\1\0\2\0\3", after=b"\0LIST\1\0\0\0\0"), wav(channels=2, data=b"\1\0\2\0\3\0", after=b"\0\0")]
    files += [wav(before=name + b"\2\0\0\0ab") for name in (b"bext", b"iXML", b"qlty", b"mext", b"levl", b"link", b"axml")]
    for file in files[:6] + files[11:]:
        yield Case(op, [text(file)])
    for file in files[6:9]:
        yield Case(op, [text(file)])
    for attrs in ({"desired_channels": 3}, {"desired_samples": 6}, {"desired_samples": 1, "desired_channels": 1}, {"desired_channels": 0},
                  {"desired_samples": 0}, {"desired_channels": 1}):
        yield Case(op, [text(wav(channels=2))], attrs)
    short = "Data too short when trying to read string"
    for end in range(0, len(wav()), 3):
        yield Case(op, [text(wav()[:end])], error="No data chunk found in WAV" if end == 36 else short)
    for file, error in ((wav(form=2), "Expected 1 (PCM), but got2"), (wav(bits=8), "Can only read 16-bit WAV files, but received 8"),
                        (wav(channels=0), "Expected at least 1, but got 0"), (wav(frame=3), "Expected 2 but got 3"),
                        (wav(second=3), "Expected 16000 but got 3 (sample_rate=8000, bytes_per_sample=2)"),
                        (wav(size=17), "Expected 16 or 18, but got17"), (wav(before=b"LIST\4\0\0\0abcd"), "Unexpected field LIST"),
                        (wav(before=b"JUNK\xff\xff\xff\xffabcd"), short), (wav(after=b"data\2\0\0\0\1\1"), "More than one data chunk found in WAV"),
                        (wav(after=b"LIST\xff\0\0\xf0a"), "WAV data chunk 'LIST' is too large: 4026532095 bytes, but the limit is 2147483647"),
                        (wav(after=b"x"), short), (wav(length=100), short), (wav(riff=b"RIFX"), "Header mismatch: Expected RIFF but found RIFX"),
                        (wav(kind=b"WAVX"), "Header mismatch: Expected WAVE but found WAVX"), (wav(name=b"LIST"), "No data chunk found in WAV"),
                        (wav(rate=4000000000, second=3705032704), "Expected 8000000000 but got 3705032704")):
        yield Case(op, [text(file)], error=error)


def encoded():
    op = "EncodeWav"
    for audio in ([[0.5, -0.5], [0.25, 1]], [[1.5], [np.nan], [0.1], [-2]], np.zeros((0, 1))):
        yield Case(op, [array("float", audio), scalar("int32", 44100)])
    for shape, rate, error in (((3,), 8000, "audio must be 2-dimensional[3]"), ((3, 0), 8000, "num_channels must be in (0, 2^16), got: 0"),
                               ((1, 70000), 8000, "num_channels must be in (0, 2^16), got: 70000"),
                               ((3, 1), 0, "sample_rate must be in (0, 2^32), got: 0"),
                               ((3, 1), -5, "sample_rate must be in (0, 2^32), got: 18446744073709551611")):
        yield Case(op, [np.zeros(shape, np.float32), scalar("int32", rate)], error=error)
    yield Case(op, [np.zeros((3, 1), np.float32), i32(8000)], error="Input sample_rate should be a scalar tensor, got [1] instead.")


def cases():
    for group in (full, real_forward, real_inverse, spectrograms, mfccs, decoded, encoded):
        yield from group()
