"""Serialized sparse tensors, and sparse tensors that the session keeps for queues."""

import numpy as np
import tensorflow.compat.v1 as tf

STATE_OUTLIVES_RUNS = True

r = tf.raw_ops

INDICES = np.array([[0, 1], [0, 3], [2, 0], [2, 2]], np.int64)
SHAPE = np.array([3, 4], np.int64)


def hidden(value):
    """Returns a tensor whose value is unknown at build time."""
    return tf.placeholder_with_default(tf.constant(value), None)


def parts(dtype=np.float32, indices=INDICES, shape=SHAPE):
    values = np.arange(1, len(indices) + 1)
    values = np.array(["s%d" % v for v in values]) if dtype is str else values.astype(dtype)
    return {"sparse_indices": hidden(indices), "sparse_values": hidden(values), "sparse_shape": hidden(shape)}


def serialize(dtype, out_type):
    def build():
        one = r.SerializeSparse(**parts(dtype), out_type=out_type)
        wider = r.SerializeSparse(**parts(dtype, INDICES[:2], np.array([5, 4], np.int64)), out_type=out_type)
        kind = tf.as_dtype(np.object_ if dtype is str else dtype)
        stacked = tf.stack([[one, wider]])
        return [*r.DeserializeSparse(serialized_sparse=one, dtype=kind),
                *r.DeserializeSparse(serialized_sparse=stacked, dtype=kind)]
    return build


def serialize_many(dtype, out_type):
    def build():
        rows = r.SerializeManySparse(**parts(dtype), out_type=out_type)
        kind = tf.as_dtype(np.object_ if dtype is str else dtype)
        read = [] if out_type == tf.variant else [*r.DeserializeManySparse(serialized_sparse=rows, dtype=kind)]
        return read + [*r.DeserializeSparse(serialized_sparse=rows, dtype=kind)]
    return build


def keep(dtype):
    def build():
        kind = tf.as_dtype(np.object_ if dtype is str else dtype)
        first = r.AddSparseToTensorsMap(**parts(dtype), shared_name="kept")
        with tf.control_dependencies([first]):
            second = r.AddSparseToTensorsMap(**parts(dtype, INDICES[:1], np.array([1, 9], np.int64)), shared_name="kept")
        handles = tf.stack([second, first])
        return [*r.TakeManySparseFromTensorsMap(sparse_handles=handles, dtype=kind, shared_name="kept")]
    return build


def keep_many():
    handles = r.AddManySparseToTensorsMap(**parts(), shared_name="rows")
    return [handles, *r.TakeManySparseFromTensorsMap(sparse_handles=handles, dtype=tf.float32, shared_name="rows")]


def take_unknown():
    handle = r.AddSparseToTensorsMap(**parts(), shared_name="unknown")
    return [*r.TakeManySparseFromTensorsMap(sparse_handles=tf.stack([handle, 77]), dtype=tf.float32, shared_name="unknown")]


def take_other_dtype():
    handle = r.AddSparseToTensorsMap(**parts(), shared_name="other")
    return [*r.TakeManySparseFromTensorsMap(sparse_handles=tf.stack([handle]), dtype=tf.int32, shared_name="other")]


def take_ranks():
    handles = [r.AddSparseToTensorsMap(**parts(), shared_name="ranks"),
               r.AddSparseToTensorsMap(**parts(indices=INDICES[:, :1], shape=SHAPE[:1]), shared_name="ranks")]
    return [*r.TakeManySparseFromTensorsMap(sparse_handles=tf.stack(handles), dtype=tf.float32, shared_name="ranks")]


def take_none():
    return [*r.TakeManySparseFromTensorsMap(sparse_handles=hidden(np.zeros([0], np.int64)), dtype=tf.float32)]


def deserialize(serialized, dtype=tf.float32):
    return lambda: [*r.DeserializeSparse(serialized_sparse=serialized(), dtype=dtype)]


def text(value):
    return lambda: hidden(np.array(value, dtype=object))


def failures():
    one = lambda: r.SerializeSparse(**parts())
    shape = lambda: tf.stack([one()[0], one()[1], one()[0]])
    yield "deserialize_text", deserialize(text(["a", "b", "c"])), "Could not parse serialized proto"
    yield "deserialize_short", deserialize(text(["a", "b"])), "Serialized sparse should have 3 as the last dimension [2]"
    yield "deserialize_scalar", deserialize(text("a")), "Serialized sparse should have non-zero rank []"
    yield "deserialize_none", deserialize(lambda: hidden(np.zeros([0, 3], object))), (
        "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension [0,3]")
    yield "deserialize_dtype", deserialize(one, tf.int32), (
        "Requested SparseTensor of type int32 but SparseTensor[0].values.dtype() == float")
    yield "deserialize_shape", deserialize(shape), "Expected serialized_sparse[0, 1] to be a shape vector but its shape is [4,2]"
    yield "serialize_many_vector", lambda: [r.SerializeManySparse(**parts(indices=INDICES[:, :1], shape=SHAPE[:1]))], (
        "Rank of input SparseTensor should be > 1, but saw rank: 1")
    yield "serialize_many_unsorted", lambda: [r.SerializeManySparse(**parts(indices=INDICES[::-1].copy()))], (
        "indices[1] = [2,0] is out of order.")
    yield "add_many_outside", lambda: [r.AddManySparseToTensorsMap(**parts(shape=np.array([2, 4], np.int64)))], (
        "indices[2] = [2,0] is out of bounds: need 0 <= index < [2,4]")
    yield "add_negative", lambda: [r.AddSparseToTensorsMap(**parts(shape=np.array([-3, 4], np.int64)))], "Dimension -3 must be >= 0"
    yield "take_unknown", take_unknown, "Unable to find SparseTensor: 77 in map: unknown"
    yield "take_other_dtype", take_other_dtype, "Requested SparseTensor of type int32 but SparseTensor[0].values.dtype() == float"
    yield "take_ranks", take_ranks, "Inconsistent rank across SparseTensors: rank prior to SparseTensor[1] was: "
    yield "take_none", take_none, "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows"


def programs():
    for dtype in (np.float32, np.int8, np.complex128, str):
        name = np.dtype(dtype).name if dtype is not str else "string"
        for out_type in (tf.string, tf.variant):
            yield "serialize_%s_%s" % (name, out_type.name), serialize(dtype, out_type)
            yield "serialize_many_%s_%s" % (name, out_type.name), serialize_many(dtype, out_type)
        yield "keep_" + name, keep(dtype)
    yield "keep_many", keep_many
    yield from failures()
