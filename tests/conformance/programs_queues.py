"""Queues, readers, accumulators, barriers, staging areas and mutexes: programs of one run, in which operations follow
each other by control dependencies."""

import zlib

import numpy as np
import tensorflow.compat.v1 as tf

STATE_OUTLIVES_RUNS = True

r = tf.raw_ops
F, I, S = tf.float32, tf.int32, tf.string


def hidden(value, dtype=None):
    """Returns a tensor whose value is unknown at build time."""
    value = np.asarray(value)
    dtype = dtype or {"U": tf.string, "O": tf.string}.get(value.dtype.kind, value.dtype)
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def f32(values):
    return hidden(np.array(values, np.float32))


def i32(values):
    return hidden(np.array(values, np.int32))


def i64(values):
    return hidden(np.array(values, np.int64))


def sequence(*steps):
    """Builds each step after the one before; returns the results of those that return tensors."""
    results, before = [], []
    for step in steps:
        with tf.control_dependencies(before):
            made = step()
        outputs = made if isinstance(made, (list, tuple)) else [made]
        outputs = [x for out in outputs for x in (out if isinstance(out, list) else [out])]
        before = [x.op if isinstance(x, tf.Tensor) else x for x in outputs]
        results += [x for x in outputs if isinstance(x, tf.Tensor)]
    return results


def is_ref(handle):
    return handle.dtype.base_dtype == tf.string


def use(name, handle, **args):
    return getattr(r, name + ("" if is_ref(handle) else "V2"))(handle=handle, **args)


def enqueue(q, *components):
    return lambda: use("QueueEnqueue", q, components=list(components))


def enqueue_many(q, *components):
    return lambda: use("QueueEnqueueMany", q, components=list(components))


def dequeue(q, types=(F,)):
    return lambda: list(use("QueueDequeue", q, component_types=list(types)))


def dequeue_many(q, n, types=(F,)):
    return lambda: list(use("QueueDequeueMany", q, n=i32(n), component_types=list(types)))


def dequeue_up_to(q, n, types=(F,)):
    return lambda: list(use("QueueDequeueUpTo", q, n=i32(n), component_types=list(types)))


def close(q, **args):
    return lambda: use("QueueClose", q, **args)


def size(q):
    return lambda: use("QueueSize", q)


def is_closed(q):
    return lambda: use("QueueIsClosed", q)


def queues():
    forms = (("V2", ""), ("", "ref_"))
    for suffix, form in forms:
        def make(kind, suffix=suffix, **attrs):
            attrs = {"component_types": [F], "shapes": [[]], "capacity": 10, **attrs}
            return getattr(r, kind + suffix)(**attrs)

        def many(*args, suffix=suffix, **attrs):
            return make(*args, suffix=suffix, **attrs)

        def fifo(make=make):
            q = make("FIFOQueue", component_types=[F, S], shapes=[])
            return sequence(enqueue(q, f32([1, 2]), hidden("a")), enqueue(q, f32(3), hidden(["b"])), size(q),
                            dequeue(q, [F, S]), is_closed(q), close(q), is_closed(q), dequeue(q, [F, S]), size(q))
        yield form + "fifo", fifo

        def fifo_many(make=make):
            q = make("FIFOQueue", shapes=[[2]])
            return sequence(enqueue_many(q, f32([[1, 2], [3, 4], [5, 6], [7, 8]])), dequeue_many(q, 2), dequeue(q),
                            close(q), dequeue_up_to(q, 3), size(q))
        yield form + "fifo_many", fifo_many

        def padding(make=make):
            q = make("PaddingFIFOQueue", component_types=[F, S], shapes=[[None, 2], [None]])
            return sequence(enqueue(q, f32([[1, 2]]), hidden(["a", "b"])),
                            enqueue(q, f32([[3, 4], [5, 6]]), hidden(["c"])),
                            enqueue_many(q, f32([[[7, 8]]]), hidden([["d", "e", "f"]])),
                            dequeue_many(q, 3, [F, S]))
        yield form + "padding", padding

        def shuffled(make=make):
            q = make("RandomShuffleQueue", component_types=[I], shapes=[[]], capacity=100, min_after_dequeue=4, seed=7,
                     seed2=11)
            return sequence(enqueue_many(q, i32(range(40))), dequeue(q, [I]), dequeue_many(q, 20, [I]),
                            enqueue_many(q, i32(range(50, 60))), dequeue_many(q, 9, [I]), close(q),
                            dequeue_up_to(q, 100, [I]))
        yield form + "shuffled", shuffled

        def priority(make=make):
            q = make("PriorityQueue", component_types=[S])
            return sequence(enqueue_many(q, i64([5, 1, 3, 1, 5, 3, 1]), hidden(list("abcdefg"))),
                            enqueue(q, i64(2), hidden("h")), dequeue(q, [tf.int64, S]),
                            dequeue_many(q, 4, [tf.int64, S]), close(q), dequeue_up_to(q, 3, [tf.int64, S]))
        yield form + "priority", priority


def queue_errors():
    def fifo(**attrs):
        return r.FIFOQueueV2(**{"component_types": [F], "shapes": [[]], "capacity": 10, **attrs})

    def closed(*steps, **attrs):
        def build():
            q = fifo(**attrs)
            return sequence(enqueue(q, f32(1)), close(q), *[s(q) for s in steps], lambda: tf.constant(1))
        return build

    yield "closed", closed(lambda q: enqueue(q, f32(1))), "is closed."
    yield "too_few", closed(lambda q: dequeue_many(q, 2)), "is closed and has insufficient elements (requested 2, current size 1)"
    yield "empty", closed(dequeue, dequeue), "is closed and has insufficient elements (requested 1, current size 0)"
    yield "nothing_left", closed(dequeue, lambda q: dequeue_up_to(q, 3)), "is closed and has insufficient elements (requested 3, current size 0)"
    yield "closed_again", closed(close), "is already closed."
    yield "negative", closed(lambda q: dequeue_many(q, -1)), "DequeueManyOp requested -1 < 0 elements"
    yield "no_shapes", closed(lambda q: dequeue_many(q, 1), shapes=[]), "require the components to have specified shapes."
    yield "shape", (lambda: sequence(enqueue(fifo(), f32([1])), lambda: tf.constant(1))), "Shape mismatch in tuple component 0. Expected [], got [1]"
    yield "batch_shape", (lambda: sequence(enqueue_many(fifo(), f32([[1]])), lambda: tf.constant(1))), "Shape mismatch in tuple component 0. Expected [1], got [1,1]"
    yield "dtype", (lambda: sequence(enqueue(fifo(), i32(1)), lambda: tf.constant(1))), "Signature mismatch, have: resource, int32-> expected: resource, float->"
    yield "dequeued_dtype", (lambda: sequence(dequeue(fifo(), [I]))), "Signature mismatch, have: resource->int32 expected: resource->float"

    def shared(**attrs):
        def build():
            a = fifo(shared_name="q")
            return sequence(size(a), lambda: size(fifo(**{"shared_name": "q", **attrs}))())
        return build
    yield "shared_capacity", shared(capacity=15), "Shared queue 'q' has capacity 10 but requested capacity was 15"
    yield "shared_types", shared(component_types=[I]), "Shared queue 'q' has component types float but requested component types were int32"

    def rows():
        q = r.FIFOQueueV2(component_types=[F, F], capacity=10)
        return sequence(enqueue_many(q, f32([1, 2]), f32([1])), lambda: tf.constant(1))
    yield "rows", rows, "All input tensors must have the same size in the 0th dimension. Component 1 has 1, and should have 2"


def reader_programs():
    text = b"header\nfirst\nsecond\r\n\nlast"
    for suffix, form in (("V2", ""), ("", "ref_")):
        def build(make, steps, contents=text, suffix=suffix):
            def program():
                path = "/tmp/ramet_queues_%08x" % zlib.crc32(contents)
                q = getattr(r, "FIFOQueue" + suffix)(component_types=[S], shapes=[[]], capacity=10)
                reader = make(suffix)
                written = lambda: r.WriteFile(filename=hidden(path), contents=hidden(contents))
                return sequence(written, enqueue_many(q, hidden([path, path])), close(q), *steps(reader, q, suffix))
            return program

        def op(name, reader, suffix, **args):
            return lambda: getattr(r, name + suffix)(reader_handle=reader, **args)

        def read(reader, q, suffix):
            return lambda: list(op("ReaderRead", reader, suffix, queue_handle=q)())

        def up_to(reader, q, suffix, n):
            return lambda: list(op("ReaderReadUpTo", reader, suffix, queue_handle=q, num_records=i64(n))())

        def counts(reader, suffix):
            return [op("ReaderNumRecordsProduced", reader, suffix), op("ReaderNumWorkUnitsCompleted", reader, suffix)]

        def reads(reader, q, suffix):
            return [read(reader, q, suffix), up_to(reader, q, suffix, 2), up_to(reader, q, suffix, 9),
                    *counts(reader, suffix), read(reader, q, suffix), *counts(reader, suffix),
                    op("ReaderReset", reader, suffix), *counts(reader, suffix)]

        # TensorFlow rejects most older readers in new graphs.
        if suffix:
            yield form + "lines", build(lambda s: r.TextLineReaderV2(skip_header_lines=1), reads)
            yield form + "records_of_one_size", build(
                lambda s: r.FixedLengthRecordReaderV2(header_bytes=7, record_bytes=4, footer_bytes=1, hop_bytes=3), reads)

            def states(reader, q, suffix):
                def restored(state):
                    return lambda: r.ReaderRestoreStateV2(reader_handle=reader, state=hidden(np.array(state, object), S))
                return [read(reader, q, suffix), op("ReaderSerializeState", reader, suffix),
                        restored(b"\x08\x02\x10\x02\x18\x05"), *counts(reader, suffix), read(reader, q, suffix)]
            yield form + "identity", build(lambda s: r.IdentityReaderV2(), states)
            yield form + "damaged_state", build(lambda s: r.IdentityReaderV2(), lambda reader, q, s: [
                lambda: r.ReaderRestoreStateV2(reader_handle=reader, state=hidden("zzz")), lambda: tf.constant(1)]), "Could not parse state for IdentityReader"
            record = bytes.fromhex("0300000000000000") + tf_mask(bytes.fromhex("0300000000000000")) + b"abc" + tf_mask(b"abc")
            yield form + "tf_records", build(lambda s: r.TFRecordReaderV2(), reads, record * 5)
            yield form + "damaged_record", build(lambda s: r.TFRecordReaderV2(), lambda reader, q, s: [
                up_to(reader, q, s, 9)], record + b"x" * 20), "corrupted record at 19"
            yield form + "no_state", build(lambda s: r.TextLineReaderV2(), lambda reader, q, s: [
                op("ReaderSerializeState", reader, s)]), "Reader SerializeState"
        yield form + "whole_files", build(lambda s: getattr(r, "WholeFileReader" + s)(), lambda reader, q, s: [
            read(reader, q, s), *counts(reader, s), up_to(reader, q, s, 3)])


def tf_mask(data):
    """Returns the masked CRC-32C of TFRecord files."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    return masked.to_bytes(4, "little")


def accumulators():
    for resource in (True, False):
        prefix = "Resource" if resource else ""

        def op(name, a, prefix=prefix, **args):
            return lambda: getattr(r, prefix + name)(handle=a, **args)

        for reduction in ("MEAN", "SUM"):
            for dtype in (F, tf.float64, tf.half):
                def dense(op=op, prefix=prefix, reduction=reduction, dtype=dtype):
                    a = getattr(r, prefix + "ConditionalAccumulator")(dtype=dtype, shape=[2], reduction_type=reduction)
                    apply = lambda step, g: op("AccumulatorApplyGradient", a, local_step=i64(step), gradient=hidden(np.array(g), dtype))
                    return sequence(apply(0, [1, 2]), apply(3, [4, 6]), op("AccumulatorNumAccumulated", a),
                                    op("AccumulatorTakeGradient", a, num_required=i32(1), dtype=dtype),
                                    apply(0, [1, 2]), op("AccumulatorNumAccumulated", a),
                                    op("AccumulatorSetGlobalStep", a, new_global_step=i64(0)), apply(0, [5, 5]),
                                    op("AccumulatorNumAccumulated", a))
                yield "%s_%s_%s" % (prefix or "ref", reduction, dtype.name), dense

        def error(*gradients, required=1, prefix=prefix, op=op):
            def build():
                a = getattr(r, prefix + "ConditionalAccumulator")(dtype=F, shape=None)
                return sequence(*[op("AccumulatorApplyGradient", a, local_step=i64(0), gradient=f32(g)) for g in gradients],
                                op("AccumulatorTakeGradient", a, num_required=i32(required), dtype=F))
            return build
        yield (prefix or "ref") + "_shape", error([1, 2], [1]), "Shape mismatch: expected [2], got [1]"
        yield (prefix or "ref") + "_required", error([1], required=0), "Argument num_required must be positive, but was 0"

    def sparse(*gradients, shape=(3, 2), reduction="MEAN"):
        def build():
            a = r.SparseConditionalAccumulator(dtype=F, shape=shape, reduction_type=reduction)
            steps = []
            for indices, values, *known in gradients:
                steps.append(lambda i=indices, v=values, k=known: r.SparseAccumulatorApplyGradient(
                    handle=a, local_step=i64(0), gradient_indices=i64(i), gradient_values=f32(v),
                    gradient_shape=i64(k[0] if k else []), has_known_shape=bool(k)))
            steps.append(lambda: list(r.SparseAccumulatorTakeGradient(handle=a, num_required=i32(1), dtype=F)))
            return sequence(*steps)
        return build

    rows = [[1, 2], [3, 4]]
    yield "sparse", sparse(([0, 2], rows, [3, 2]), ([1, 2], rows))
    yield "sparse_sum", sparse(([0, 2], rows), ([0, 1], rows), ([2, 2], rows), reduction="SUM")
    yield "sparse_any_shape", sparse(([0, 7], rows), ([7, 2], rows), ([7, 7], rows), shape=None)
    yield "sparse_rows", sparse(([1, 2], [3, 4]), ([1, 3], [3, 4]), shape=[4])
    yield "sparse_index", sparse(([0, 7], rows)), "index of slice 1 exceeded limits of shape; index is 7 exceeded 3"
    yield "sparse_count", sparse(([0], rows)), "Expected 1 non-empty input values, got 2"
    yield "sparse_width", sparse(([0, 1], [[1, 2, 3], [4, 5, 6]])), "Shape mismatch: expected values dim 1 to be 2, got 3"
    yield "sparse_known", sparse(([0, 1], rows, [4, 2])), "Shape mismatch: expected shape dim 0 to be 3, got 4"
    yield "sparse_rank", sparse(([0, 1], rows, [3])), "Shape mismatch: expected shape rank at least 2, got 1"
    yield "sparse_indices", sparse(([[0], [1]], rows)), "Input indices should be vector but received shape: [2,1]"


def barriers():
    def barrier(*steps, **attrs):
        def build():
            b = r.Barrier(**{"component_types": [F, S], "shapes": [[], []], **attrs})
            return sequence(*[s(b) for s in steps], lambda: tf.constant(1))
        return build

    def insert(i, keys, values):
        return lambda b: lambda: r.BarrierInsertMany(handle=b, keys=hidden(keys), values=values(), component_index=i)

    def take(n, **attrs):
        return lambda b: lambda: list(r.BarrierTakeMany(handle=b, num_elements=i32(n), component_types=[F, S], **attrs))

    def shut(**attrs):
        return lambda b: lambda: r.BarrierClose(handle=b, **attrs)

    sizes = [lambda b: lambda: r.BarrierReadySize(handle=b), lambda b: lambda: r.BarrierIncompleteSize(handle=b)]
    first = insert(0, ["a", "b", "c"], lambda: f32([1, 2, 3]))
    yield "barrier", barrier(first, *sizes, insert(1, ["c", "d"], lambda: hidden(["x", "y"])), *sizes,
                             insert(0, ["d"], lambda: f32([4])), insert(1, ["a"], lambda: hidden(["z"])), take(2),
                             take(0), shut(), *sizes, insert(1, ["b"], lambda: hidden(["w"])),
                             take(5, allow_small_batch=True))
    yield "barrier_again", barrier(first, insert(0, ["b"], lambda: f32([1]))), "Key b already has a value for component 0 in barrier"
    yield "barrier_index", barrier(insert(2, ["b"], lambda: f32([1]))), "The component ID is out of range 2 > num_components (= 2)"
    yield "barrier_dtype", barrier(insert(1, ["b"], lambda: f32([1]))), "Signature mismatch, have: string_ref, string, float-> expected: string_ref, string, string->"
    yield "barrier_capacity", barrier(*sizes, capacity=3), "Barrier only accepts capacity=-1."
    yield "barrier_shapes", barrier(*sizes, shapes=[[]]), "All of the component shapes must be specified"
    yield "barrier_closed", barrier(first, shut(cancel_pending_enqueues=True), insert(1, ["a"], lambda: hidden(["z"]))), "is closed.  Pending enqueues cancelled: 1.  Number of new insertions: 1."
    yield "barrier_closed_again", barrier(shut(), shut()), "is already closed."
    yield "barrier_too_few", barrier(first, shut(cancel_pending_enqueues=True), take(1)), "is closed and has insufficient elements (requested 1, total size 0)"


def stages():
    def stage(*steps, **attrs):
        def build():
            common = {"shared_name": "s", **attrs}
            return sequence(*[s(common) for s in steps], lambda: tf.constant(1))
        return build

    put = lambda *values: lambda a: lambda: r.Stage(values=[f32(v) for v in values], **a)
    get = lambda n: lambda a: lambda: list(r.Unstage(dtypes=[F] * n, **a))
    peek = lambda i, n: lambda a: lambda: list(r.StagePeek(index=i32(i), dtypes=[F] * n, **a))
    size = lambda a: lambda: r.StageSize(dtypes=[F], **a)
    clear = lambda a: lambda: r.StageClear(dtypes=[F], **a)
    yield "stage", stage(put(1, [2, 3]), put(4, 5), size, peek(1, 2), get(2), size, get(2), put(6, 7), clear, size)
    yield "stage_mismatch", stage(put(1), get(2)), "Mismatch stage/unstage: 1 vs. 2"
    yield "stage_memory", stage(put([1, 2]), memory_limit=3), "Attempted to insert tensors with combined size of '8' bytes into Staging Area with a memory limit of '3'."

    for prefix in ("", "Ordered"):
        def call(name, a, prefix=prefix, **args):
            return getattr(r, prefix + name)(**args, **a)

        put = lambda key, indices, *values, call=call: lambda a: lambda: call(
            "MapStage", a, key=i64(key), indices=i32(indices), values=[f32(v) for v in values], dtypes=[F, F])
        get = lambda key, indices, call=call: lambda a: lambda: list(call(
            "MapUnstage", a, key=i64(key), indices=i32(indices), dtypes=[F] * len(indices)))
        peek = lambda key, indices, call=call: lambda a: lambda: list(call(
            "MapPeek", a, key=i64(key), indices=i32(indices), dtypes=[F] * len(indices)))

        def pop(a, call=call):
            def build():
                taken = call("MapUnstageNoKey", a, indices=i32([0, 1]), dtypes=[F, F])
                return [taken.key, *taken.values]
            return build

        sizes = [lambda a, call=call: lambda: call("MapSize", a, dtypes=[F, F]),
                 lambda a, call=call: lambda: call("MapIncompleteSize", a, dtypes=[F, F])]
        clear = lambda a, call=call: lambda: call("MapClear", a, dtypes=[F, F])
        name = prefix.lower() + "map_"
        yield name + "stage", stage(put(3, [0], 1), *sizes, put(3, [1], [2, 3]), *sizes, peek(3, [0, 1]), get(3, [1]),
                                    *sizes, get(3, [0]), *sizes, put(9, [0, 1], 5, 6), pop, put(1, [1], 3), clear, *sizes)
        yield name + "twice", stage(put(1, [0], 1), put(1, [0], 1)), "The tensor for index '0' for key '1' was already initialized '2'."
        yield name + "bounds", stage(put(1, [2], 1)), "Index '2' for key '1' was out of bounds '2'."
        yield name + "order", stage(put(1, [1, 0], 1, 2)), "Indices are not strictly ordered"
        yield name + "removed", stage(put(1, [0, 1], 1, 2), get(1, [0]), get(1, [0])), "Tensor at index '0' for key '1' has already been removed."


def mutexes():
    def twice():
        mutex = r.MutexV2()
        def locked(value):
            lock = r.MutexLock(mutex=mutex)
            with tf.control_dependencies([lock]):
                x = tf.identity(hidden(np.float32(value)))
            with tf.control_dependencies([x]):
                done = r.ConsumeMutexLock(mutex_lock=lock)
            with tf.control_dependencies([done]):
                return tf.identity(x)
        return [locked(1), locked(2)]
    yield "mutex", twice

    yield "handle_absent", lambda: r.GetSessionTensor(handle=hidden("absent"), dtype=F), "The tensor with handle 'absent' is not in the session store."
    yield ("handle_deleted", lambda: sequence(lambda: r.DeleteSessionTensor(handle=hidden("absent")), lambda: tf.constant(1)),
           "Failed to delete a tensor with handle 'absent' in the session store.")


def programs():
    for group in (queues, queue_errors, reader_programs, accumulators, barriers, stages, mutexes):
        yield from group()
