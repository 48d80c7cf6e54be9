#!/usr/bin/env python3
"""Measures single ops on Ramet and TensorFlow in turns, with one thread. Prints the table of docs/benchmarks.md.

usage: op_table.py RAMET_PYTHON TENSORFLOW_PYTHON [TURNS] [PATTERN]

Each figure is the shortest run of the op, called without a fetch, over all turns. Ops that one of the two packages
lacks are named on stderr and left out of the table. PATTERN is a regular expression that selects ops. RAMET_PYTHON
must find the package; PYTHONPATH=build/python applies only to it.
"""
import os
import re
import subprocess
import sys
import time
from collections import defaultdict

SECONDS = 0.12


def cases(tf, np):
    """Yields (name, function, arrays); the function takes the tensors and returns the tensor or op to measure."""
    seeds = iter(range(10**6))

    def floats(*shape, dtype="float32"):
        # Each array is different, because TensorFlow merges equal constants.
        return np.asarray(np.random.RandomState(next(seeds)).rand(*shape) - 0.5, dtype)

    def ints(high, *shape, dtype="int32"):
        return np.asarray(np.random.RandomState(1).randint(0, high, shape), dtype)

    raw = tf.raw_ops
    big, other = floats(512, 512), floats(512, 512)
    doubles, more_doubles = (floats(512, 512, dtype="float64") for _ in range(2))
    numbers = ints(1000, 512, 512) - 500
    flags = ints(2, 512, 512).astype("bool")
    halves, more_halves = (floats(512, 512, dtype="float16") for _ in range(2))
    row, column, small = floats(512), floats(512, 1), floats(1, 10)

    yield "identity [1]", tf.identity, [floats(1)]
    for name in ("exp expm1 log log1p tanh sigmoid sin cos tan asin acos atan sinh cosh asinh acosh "
                 "atanh erf erfc lgamma sqrt rsqrt reciprocal square abs negative sign floor ceil "
                 "rint round is_nan is_finite").split():
        array = np.abs(big) + (1 if name == "acosh" else 0) if name in (
            "log", "log1p", "sqrt", "rsqrt", "acosh") else big
        yield name, getattr(tf.math, name), [array]
    for name in "relu relu6 elu selu leaky_relu softplus softsign".split():
        yield name, getattr(tf.nn, name), [big]
    for name in "exp log tanh sigmoid sin erf sqrt atan".split():
        yield name + " double", getattr(tf.math, name), [np.abs(doubles)]
    yield "exp half", tf.exp, [halves]
    yield "exp [1,10]", tf.exp, [small]
    for name in ("ReluGrad Relu6Grad EluGrad SeluGrad SoftplusGrad SoftsignGrad").split():
        yield name, lambda a, b, name=name: getattr(raw, name)(
            gradients=a, **{"outputs" if name in ("EluGrad", "SeluGrad") else "features": b}), [big, other]
    yield "LeakyReluGrad", lambda a, b: raw.LeakyReluGrad(gradients=a, features=b), [big, other]
    for name in "SigmoidGrad TanhGrad SqrtGrad RsqrtGrad".split():
        yield name, lambda a, b, name=name: getattr(raw, name)(y=a, dy=b), [big + 1, other]
    yield "gelu (erf)", lambda a: 0.5 * a * (1 + tf.erf(a / 1.4142135)), [big]

    for name in ("add subtract multiply divide maximum minimum squared_difference floordiv floormod "
                 "atan2 pow less equal").split():
        yield name, getattr(tf.math, name), [np.abs(big) + 0.1, other]
    yield "xlogy", tf.math.xlogy, [big, np.abs(other)]
    yield "add row", tf.add, [big, row]
    yield "add column", tf.add, [big, column]
    yield "add scalar", tf.add, [big, floats()]
    yield "add [1,10]", tf.add, [small, -small]
    yield "multiply double", tf.multiply, [doubles, more_doubles]
    yield "multiply half", tf.multiply, [halves, more_halves]
    for name in "add multiply maximum less floordiv floormod truncatediv bitwise_and".split():
        function = tf.bitwise.bitwise_and if name == "bitwise_and" else getattr(tf, name)
        yield name + " int32", function, [numbers, np.abs(numbers) % 9 + 1]
    yield "floordiv int64", tf.floordiv, [numbers.astype("int64"), np.abs(numbers).astype("int64") + 1]
    yield "abs int32", tf.abs, [numbers]
    yield "logical_and", tf.logical_and, [flags, ~flags]
    yield "logical_not", tf.logical_not, [flags]
    yield "clip_by_value", lambda a: tf.clip_by_value(a, -0.2, 0.2), [big]
    yield "add_n of 4", lambda a, b, c, d: tf.add_n([a, b, c, d]), [big, other, big + 1, other + 1]
    yield "where", tf.where, [flags, big, other]
    yield "where rows", tf.where, [ints(2, 512).astype("bool"), big, other]
    yield "where int32", tf.where, [flags, numbers, -numbers]

    for source, target in (("float32", "int32"), ("int32", "float32"), ("float32", "float64"),
                           ("float32", "float16"), ("float16", "float32"), ("float32", "bfloat16"),
                           ("bool", "float32"), ("float32", "bool"), ("int64", "int32"),
                           ("uint8", "float32"), ("float32", "uint8")):
        array = flags if source == "bool" else (np.abs(numbers) % 200).astype(source)
        yield "cast %s %s" % (source, target), lambda a, t=target: tf.cast(a, t), [array]

    axes = {"all": None, "0": 0, "1": 1}
    for name in "sum mean prod max".split():
        for label, axis in axes.items():
            yield "reduce_%s axis %s" % (name, label), lambda a, n=name, axis=axis: getattr(
                tf, "reduce_" + n)(a, axis), [big / 100 + 1]
    images = floats(16, 32, 32, 16)
    yield "reduce_sum [0,1,2] of 4", lambda a: tf.reduce_sum(a, [0, 1, 2]), [images]
    yield "reduce_mean [1,2] of 4", lambda a: tf.reduce_mean(a, [1, 2]), [images]
    yield "reduce_sum [0,2] of 3", lambda a: tf.reduce_sum(a, [0, 2]), [floats(64, 64, 64)]
    yield "reduce_sum 1 of 3", lambda a: tf.reduce_sum(a, 1), [floats(64, 64, 64)]
    yield "reduce_sum int32", lambda a: tf.reduce_sum(a, 1), [numbers]
    yield "reduce_max int32 axis 0", lambda a: tf.reduce_max(a, 0), [numbers]
    yield "reduce_sum double", lambda a: tf.reduce_sum(a, 1), [doubles]
    yield "reduce_sum half", lambda a: tf.reduce_sum(a, 1), [halves]
    yield "reduce_any", lambda a: tf.reduce_any(a, 1), [flags]
    yield "reduce_all axis 0", lambda a: tf.reduce_all(a, 0), [flags]
    yield "reduce_logsumexp", lambda a: tf.reduce_logsumexp(a, 1), [big]
    yield "moments", lambda a: tf.nn.moments(a, [0, 1, 2])[0], [images]
    yield "argmax 1", lambda a: tf.argmax(a, 1), [big]
    yield "argmax 0", lambda a: tf.argmax(a, 0), [big]
    yield "argmax [1,10]", lambda a: tf.argmax(a, 1), [small]
    yield "argmax int32", lambda a: tf.argmax(a, 1), [numbers]
    yield "cumsum 1", lambda a: tf.cumsum(a, 1), [big]
    yield "cumsum 0", lambda a: tf.cumsum(a, 0), [big]
    yield "l2_loss", tf.nn.l2_loss, [big]
    yield "top_k 5", lambda a: tf.nn.top_k(a, 5)[0], [big]
    yield "top_k 1", lambda a: tf.nn.top_k(a, 1)[0], [big]
    yield "top_k 50", lambda a: tf.nn.top_k(a, 50)[0], [big]
    yield "top_k all", lambda a: tf.nn.top_k(a, 512)[0], [floats(64, 512)]
    yield "top_k 10 of 100000", lambda a: tf.nn.top_k(a, 10)[0], [floats(100000)]
    yield "in_top_k", lambda a, t: tf.nn.in_top_k(a, t, 5), [big, ints(512, 512)]

    yield "softmax [2048,64]", tf.nn.softmax, [floats(2048, 64)]
    yield "softmax [50,10]", tf.nn.softmax, [floats(50, 10)]
    yield "softmax [1,1000]", tf.nn.softmax, [floats(1, 1000)]
    yield "log_softmax", tf.nn.log_softmax, [floats(512, 100)]
    yield "softmax xent", lambda a, b: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=b, logits=a), [floats(512, 100), floats(512, 100)]
    yield "softmax xent [50,10]", lambda a, b: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=b, logits=a), [floats(50, 10), floats(50, 10)]
    yield "sparse xent", lambda a, b: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=b, logits=a), [floats(512, 100), ints(100, 512)]
    yield "sigmoid xent", lambda a, b: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=b, logits=a), [big, other]

    for m, k, n in ((512, 128, 128), (512, 512, 128), (64, 128, 128), (16, 192, 512), (1, 784, 256),
                    (1, 256, 10), (50, 784, 256), (256, 256, 256)):
        yield "matmul [%d,%d]x[%d,%d]" % (m, k, k, n), tf.matmul, [floats(m, k), floats(k, n)]
    yield "matmul a^T", lambda a, b: tf.matmul(a, b, transpose_a=True), [floats(50, 784), floats(50, 256)]
    yield "matmul b^T", lambda a, b: tf.matmul(a, b, transpose_b=True), [floats(50, 256), floats(784, 256)]
    yield "matmul double", tf.matmul, [floats(128, 128, dtype="float64"), floats(128, 128, dtype="float64")]
    yield "matmul int32", tf.matmul, [ints(9, 64, 64)] * 2
    heads = floats(8, 4, 64, 32)
    yield "batch matmul q k^T", lambda a, b: tf.matmul(a, b, transpose_b=True), [heads, -heads]
    yield "batch matmul a v", tf.matmul, [floats(8, 4, 64, 64), heads]
    yield "batch matmul [32,4,4]", tf.matmul, [floats(32, 4, 4), floats(32, 4, 4)]
    yield "batch matmul [64,1,64]x[64,64,32]", tf.matmul, [floats(64, 1, 64), floats(64, 64, 32)]
    yield "batch matmul [4,128,128]", tf.matmul, [floats(4, 128, 128), floats(4, 128, 128)]
    yield "bias_add", tf.nn.bias_add, [big, row]
    yield "bias_add 4", tf.nn.bias_add, [images, floats(16)]
    yield "bias_add [1,10]", tf.nn.bias_add, [small, floats(10)]
    yield "BiasAddGrad", lambda a: raw.BiasAddGrad(out_backprop=a), [big]
    yield "BiasAddGrad 4", lambda a: raw.BiasAddGrad(out_backprop=a), [images]

    one = [1, 1, 1, 1]
    for label, x, k in (("3x3 16", (16, 32, 32, 16), (3, 3, 16, 16)), ("1x1 64", (8, 16, 16, 64), (1, 1, 64, 64)),
                        ("5x5 1 to 32", (16, 28, 28, 1), (5, 5, 1, 32)), ("3x3 batch 1", (1, 14, 14, 64), (3, 3, 64, 64)),
                        ("7x7 3 to 16", (1, 64, 64, 3), (7, 7, 3, 16))):
        filters, image = floats(*k), floats(*x)
        out = floats(*(x[:3] + k[3:]))
        yield "conv " + label, lambda a, b: tf.nn.conv2d(a, b, one, "SAME"), [image, filters]
        yield "conv input grad " + label, lambda b, g, x=x: raw.Conv2DBackpropInput(
            input_sizes=list(x), filter=b, out_backprop=g, strides=one, padding="SAME"), [filters, out]
        yield "conv filter grad " + label, lambda a, g, k=k: raw.Conv2DBackpropFilter(
            input=a, filter_sizes=list(k), out_backprop=g, strides=one, padding="SAME"), [image, out]
    yield "depthwise 3x3", lambda a, b: tf.nn.depthwise_conv2d(a, b, one, "SAME"), [
        floats(8, 32, 32, 16), floats(3, 3, 16, 1)]
    yield "conv1d", lambda a, b: tf.nn.conv1d(a, b, 1, "SAME"), [floats(8, 100, 32), floats(3, 32, 32)]
    two = [1, 2, 2, 1]
    halved = floats(16, 16, 16, 16)
    for window in (two, [1, 3, 3, 1]):
        label = " %dx%d" % (window[1], window[1])
        yield "max_pool" + label, lambda a, w=window: tf.nn.max_pool(a, w, two, "SAME"), [images]
        yield "avg_pool" + label, lambda a, w=window: tf.nn.avg_pool(a, w, two, "SAME"), [images]
        yield "MaxPoolGrad" + label, lambda a, y, g, w=window: raw.MaxPoolGrad(
            orig_input=a, orig_output=y, grad=g, ksize=w, strides=two, padding="SAME"), [
                images, images.reshape(16, 16, 2, 16, 2, 16).max((2, 4)), halved]
        yield "AvgPoolGrad" + label, lambda g, w=window: raw.AvgPoolGrad(
            orig_input_shape=list(images.shape), grad=g, ksize=w, strides=two, padding="SAME"), [halved]
    yield "lrn", tf.nn.lrn, [images]
    channel = floats(16) + 1
    yield "fused_batch_norm", lambda a, s, o: tf.nn.fused_batch_norm(
        a, s, o, o, s, is_training=False)[0], [images, channel, channel]
    yield "fused_batch_norm train", lambda a, s, o: tf.nn.fused_batch_norm(a, s, o)[0], [
        images, channel, channel]
    yield "FusedBatchNormGrad", lambda g, a, s, m, v: raw.FusedBatchNormGradV3(
        y_backprop=g, x=a, scale=s, reserve_space_1=m, reserve_space_2=v,
        reserve_space_3=tf.constant([], tf.float32))[0], [images, -images, channel, channel, channel]

    yield "transpose 0213", lambda a: tf.transpose(a, [0, 2, 1, 3]), [floats(8, 64, 4, 32)]
    yield "transpose 10", lambda a: tf.transpose(a), [big]
    yield "transpose 021", lambda a: tf.transpose(a, [0, 2, 1]), [floats(32, 64, 64)]
    yield "transpose NHWC NCHW", lambda a: tf.transpose(a, [0, 3, 1, 2]), [images]
    yield "transpose 102", lambda a: tf.transpose(a, [1, 0, 2]), [floats(32, 64, 64)]
    yield "concat 1", lambda a, b: tf.concat([a, b], 1), [floats(512, 256), floats(512, 256)]
    yield "concat 0", lambda a, b: tf.concat([a, b], 0), [floats(256, 512), floats(256, 512)]
    yield "concat [16,64] 1", lambda a, b: tf.concat([a, b], 1), [floats(16, 64), floats(16, 128)]
    yield "split 1", lambda a: tf.split(a, 4, 1), [big]
    yield "split [16,512] 1", lambda a: tf.split(a, 4, 1), [floats(16, 512)]
    yield "stack 0", lambda a, b: tf.stack([a, b]), [big, other]
    yield "stack 1", lambda a, b: tf.stack([a, b], 1), [big, other]
    yield "stack last", lambda a, b: tf.stack([a, b], 2), [big, other]
    yield "unstack", lambda a: tf.unstack(a), [floats(16, 128, 64)]
    yield "unstack 1", lambda a: tf.unstack(a, axis=1), [floats(128, 16, 64)]
    yield "slice", lambda a: tf.slice(a, [10, 20], [400, 400]), [big]
    yield "strided_slice rows", lambda a: a[10:400], [big]
    yield "strided_slice columns", lambda a: a[:, 5:300], [big]
    yield "strided_slice steps", lambda a: a[::2, ::3], [big]
    yield "StridedSliceGrad", lambda g: raw.StridedSliceGrad(
        shape=[512, 512], begin=[0, 5], end=[512, 300], strides=[1, 1], dy=g), [floats(512, 295)]
    yield "tile", lambda a: tf.tile(a, [1, 4]), [floats(512, 128)]
    yield "broadcast_to", lambda a: tf.broadcast_to(a, [512, 512]), [column]
    yield "pad", lambda a: tf.pad(a, [[1, 1], [1, 1]]), [big]
    yield "pad 4", lambda a: tf.pad(a, [[0, 0], [1, 1], [1, 1], [0, 0]]), [images]
    yield "mirror pad", lambda a: tf.pad(a, [[1, 1], [1, 1]], "REFLECT"), [big]
    yield "reverse 1", lambda a: tf.reverse(a, [1]), [big]
    yield "reverse 0", lambda a: tf.reverse(a, [0]), [big]
    yield "roll", lambda a: tf.roll(a, 3, 1), [big]
    yield "gather", tf.gather, [big, ints(512, 500)]
    yield "gather axis 1", lambda a, i: tf.gather(a, i, axis=1), [big, ints(512, 500)]
    yield "gather rows of 32", tf.gather, [floats(5000, 32), ints(5000, 512)]
    yield "gather_nd rows", tf.gather_nd, [big, ints(512, 500, 1)]
    yield "gather_nd elements", tf.gather_nd, [big, ints(512, 5000, 2)]
    yield "scatter_nd rows", lambda i, u: tf.scatter_nd(i, u, [512, 512]), [ints(512, 500, 1), floats(500, 512)]
    yield "scatter_nd elements", lambda i, u: tf.scatter_nd(i, u, [512, 512]), [ints(512, 5000, 2), floats(5000)]
    yield "segment_sum", tf.segment_sum, [big, (np.arange(512) // 4).astype("int32")]
    yield "unsorted_segment_sum", lambda a, i: tf.math.unsorted_segment_sum(a, i, 128), [big, ints(128, 512)]
    yield "unsorted_segment_max", lambda a, i: tf.math.unsorted_segment_max(a, i, 128), [big, ints(128, 512)]
    yield "one_hot", lambda a: tf.one_hot(a, 64), [ints(64, 512, 16)]
    yield "one_hot [50] of 10", lambda a: tf.one_hot(a, 10), [ints(10, 50)]
    yield "where indices", lambda a: raw.Where(condition=a), [flags]
    yield "boolean_mask", tf.boolean_mask, [big, ints(2, 512).astype("bool")]
    yield "unique", lambda a: tf.unique(a)[0], [ints(1000, 20000)]
    yield "fill", lambda a: tf.fill([512, 512], a), [floats()]
    yield "zeros_like", tf.zeros_like, [big]
    yield "range", lambda a: tf.range(a), [np.int32(100000)]
    yield "matrix_band_part", lambda a: tf.matrix_band_part(a, -1, 0), [big]
    yield "diag_part", tf.matrix_diag_part, [big]
    yield "space_to_depth", lambda a: tf.space_to_depth(a, 2), [images]
    yield "depth_to_space", lambda a: tf.depth_to_space(a, 2), [images]
    yield "space_to_batch", lambda a: tf.space_to_batch(a, [[0, 0], [0, 0]], block_size=2), [images]
    yield "resize_bilinear", lambda a: tf.image.resize_bilinear(a, [64, 64]), [images]
    yield "resize_nearest", lambda a: tf.image.resize_nearest_neighbor(a, [64, 64]), [images]
    yield "resize_bilinear 3 channels", lambda a: tf.image.resize_bilinear(a, [64, 64]), [floats(4, 100, 100, 3)]

    for name in "random_uniform random_normal truncated_normal".split():
        yield name, lambda a, n=name: getattr(tf, n)([512, 512]), [floats(1)]
    yield "random_uniform int", lambda a: tf.random_uniform([512, 512], 0, 100, tf.int32), [floats(1)]
    yield "random_shuffle", tf.random_shuffle, [big]
    yield "multinomial", lambda a: tf.multinomial(a, 10), [floats(64, 100)]
    yield "dropout", lambda a: tf.nn.dropout(a, rate=0.5), [big]
    train = tf.train
    for label, optimizer in (("sgd", lambda: train.GradientDescentOptimizer(0.01)),
                             ("momentum", lambda: train.MomentumOptimizer(0.01, 0.9)),
                             ("adam", lambda: train.AdamOptimizer(0.01)),
                             ("adagrad", lambda: train.AdagradOptimizer(0.01)),
                             ("rmsprop", lambda: train.RMSPropOptimizer(0.01)),
                             ("ftrl", lambda: train.FtrlOptimizer(0.01)),
                             ("adadelta", lambda: train.AdadeltaOptimizer(0.01))):
        def dense(g, optimizer=optimizer):
            return optimizer().apply_gradients([(g, tf.get_variable("v", initializer=floats(512, 512)))])

        def sparse(g, i, optimizer=optimizer):
            slices = tf.IndexedSlices(g, i, dense_shape=[1000, 64])
            return optimizer().apply_gradients([(slices, tf.get_variable("v", initializer=floats(1000, 64)))])
        yield "apply " + label, dense, [big]
        yield "apply %s sparse" % label, sparse, [floats(200, 64), np.arange(200, dtype="int32") * 5]
    yield "assign_add", lambda a: tf.assign_add(tf.get_variable("v", initializer=floats(512, 512)), a), [big]
    yield "scatter_add", lambda i, u: tf.scatter_add(
        tf.get_variable("v", initializer=floats(512, 512)), i, u), [ints(512, 500), floats(500, 512)]

    spd = floats(64, 64)
    spd = spd.dot(spd.T) + np.eye(64, dtype="float32")
    yield "cholesky", tf.cholesky, [spd]
    yield "matrix_inverse", tf.matrix_inverse, [spd]
    yield "matrix_solve", tf.matrix_solve, [spd, floats(64, 8)]
    yield "fft", tf.fft, [floats(64, 256).astype("complex64")]
    yield "einsum", lambda a, b: tf.einsum("bij,bjk->bik", a, b), [floats(8, 64, 64), floats(8, 64, 64)]
    yield "bincount", lambda a: tf.bincount(a), [ints(1000, 20000)]
    yield "searchsorted", tf.searchsorted, [np.sort(floats(1000)), floats(5000)]


def measure(package, pattern):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import numpy as np
    if package == "tensorflow":
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.ERROR)
    else:
        import ramet.compat.v1 as tf
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    for name, function, arrays in cases(tf, np):
        if not re.search(pattern, name):
            continue
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            try:
                inputs = [tf.placeholder_with_default(tf.constant(a), np.shape(a)) for a in arrays]
                result = function(*inputs)
                result = result[0] if isinstance(result, (list, tuple)) else result
                session.run(tf.global_variables_initializer())
                call = session.make_callable(result if isinstance(result, tf.Operation) else result.op)
                call()
            except Exception as error:
                print("%s: %s" % (name, str(error).splitlines()[0]), file=sys.stderr)
                continue
            best, end = float("inf"), time.perf_counter() + SECONDS
            while time.perf_counter() < end:
                begin = time.perf_counter()
                call()
                best = min(best, time.perf_counter() - begin)
            print("%s\t%.3f" % (name, best * 1e6), flush=True)


def run(python, package, pattern, best):
    env = dict(os.environ)
    if package == "tensorflow":
        env.pop("PYTHONPATH", None)
    done = subprocess.run([python, os.path.abspath(__file__), "--measure", package, pattern], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    sys.stderr.write("".join(line + "\n" for line in done.stderr.splitlines() if ": " in line))
    for line in done.stdout.splitlines():
        name, value = line.split("\t")
        best[name][package] = min(best[name][package], float(value))


def main():
    if sys.argv[1] == "--measure":
        return measure(*sys.argv[2:4])
    pythons = dict(zip(("ramet", "tensorflow"), sys.argv[1:3]))
    pattern = sys.argv[4] if len(sys.argv) > 4 else ""
    best = defaultdict(lambda: defaultdict(lambda: float("inf")))
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 3):
        for package, python in pythons.items():
            run(python, package, pattern, best)
    print("| op | TensorFlow µs | Ramet µs | TensorFlow / Ramet |")
    print("| --- | ---: | ---: | ---: |")
    for name, values in best.items():
        if len(values) < 2:
            continue
        print("| %s | %.1f | %.1f | %.2f |" % (name, values["tensorflow"], values["ramet"],
                                               values["tensorflow"] / values["ramet"]))


main()
