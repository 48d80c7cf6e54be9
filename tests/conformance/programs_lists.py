"""Lists of tensors, which are variants."""

import numpy as np
import tensorflow.compat.v1 as tf

r = tf.raw_ops
X = np.float32([[1, 2], [3, 4], [5, 6]])
V = np.float32([1, 2, 3])


def hidden(value, dtype=np.int32):
    """Returns a tensor whose value is unknown at build time."""
    return tf.placeholder_with_default(np.asarray(value, dtype), None)


def empty(shape=-1, most=-1, dtype=tf.float32):
    return r.EmptyTensorList(element_shape=hidden(shape), max_num_elements=hidden(most), element_dtype=dtype)


def reserve(n=3, shape=-1, dtype=tf.float32):
    return r.TensorListReserve(element_shape=hidden(shape), num_elements=hidden(n), element_dtype=dtype)


def push(l, value):
    return r.TensorListPushBack(input_handle=l, tensor=value)


def pop(l, shape=-1):
    return r.TensorListPopBack(input_handle=l, element_shape=hidden(shape), element_dtype=tf.float32)


def put(l, i, value, **attrs):
    return r.TensorListSetItem(input_handle=l, index=hidden(i), item=value, **attrs)


def get(l, i, shape=-1, dtype=tf.float32):
    return r.TensorListGetItem(input_handle=l, index=hidden(i), element_shape=hidden(shape), element_dtype=dtype)


def stack(l, shape=-1, n=-1, dtype=tf.float32):
    return r.TensorListStack(input_handle=l, element_shape=hidden(shape), element_dtype=dtype, num_elements=n)


def length(l):
    return r.TensorListLength(input_handle=l)


def from_tensor(t, shape=-1):
    return r.TensorListFromTensor(tensor=t, element_shape=hidden(shape))


def gather(l, indices, shape=-1):
    return r.TensorListGather(input_handle=l, indices=hidden(indices), element_shape=hidden(shape), element_dtype=tf.float32)


def scatter(t, indices, shape=-1, n=-1):
    return r.TensorListScatterV2(tensor=t, indices=hidden(indices), element_shape=hidden(shape), num_elements=hidden(n))


def scatter_v1(t, indices, shape=-1):
    return r.TensorListScatter(tensor=t, indices=hidden(indices), element_shape=hidden(shape))


def scatter_into(l, t, indices):
    return r.TensorListScatterIntoExistingList(input_handle=l, tensor=t, indices=hidden(indices))


def resize(l, n):
    return r.TensorListResize(input_handle=l, size=hidden(n))


def concat(l, shape=-1, leading=()):
    return list(r.TensorListConcatV2(input_handle=l, element_shape=hidden(shape), leading_dims=hidden(leading, np.int64), element_dtype=tf.float32))


def concat_v1(l, shape=None):
    return list(r.TensorListConcat(input_handle=l, element_shape=tf.TensorShape(shape), element_dtype=tf.float32))


def split(t, lengths, shape=-1):
    return r.TensorListSplit(tensor=t, element_shape=hidden(shape), lengths=hidden(lengths, np.int64))


def concat_lists(a, b):
    return r.TensorListConcatLists(input_a=a, input_b=b, element_dtype=tf.float32)


def push_batch(lists, t):
    return r.TensorListPushBackBatch(input_handles=lists, tensor=t)


def values():
    yield "empty", lambda: length(empty())
    yield "push_pop", lambda: list(pop(push(push(empty(), V), 1.0)))[1]
    yield "lists_stay", lambda: (lambda l: [stack(l), stack(push(l, V)), stack(push(l, V + 1))])(push(empty(), V))
    yield "pop_unset", lambda: pop(reserve(), [2]).tensor
    yield "reserve", lambda: length(reserve(4))
    yield "set_get", lambda: get(put(reserve(), 1, V), 1)
    yield "set_grows", lambda: length(put(reserve(), 5, V, resize_if_index_out_of_bounds=True))
    yield "get_unset", lambda: get(reserve(), 0, [2])
    yield "get_unset_like_another", lambda: get(put(reserve(), 1, V), 0)
    yield "get_unset_string", lambda: get(reserve(3, [2], tf.string), 0, dtype=tf.string)
    yield "stack", lambda: stack(push(push(empty(), V), V))
    yield "stack_none", lambda: stack(empty(), [2])
    yield "stack_unset", lambda: stack(put(reserve(), 1, V))
    yield "stack_number", lambda: stack(push(push(empty(), V), V), n=2)
    yield "stack_string", lambda: stack(push(empty(dtype=tf.string), ["a", "b"]), dtype=tf.string)
    yield "from_tensor", lambda: (lambda l: [length(l), stack(l), get(l, 2)])(from_tensor(X, [2]))
    yield "element_shape", lambda: [r.TensorListElementShape(input_handle=empty(s), shape_type=t)
                                    for s in ([2, -1], -1, []) for t in (tf.int32, tf.int64)]
    yield "gather", lambda: gather(from_tensor(X), [2, 0, 2])
    yield "gather_none", lambda: gather(empty(), [], [3])
    yield "scatter", lambda: [stack(scatter(X, [2, 0, 1])), length(scatter(X, [7, 0, 1])), length(scatter(X, [2, 0, 1], n=5))]
    yield "scatter_again", lambda: stack(scatter(X, [0, 0, 0]))
    yield "scatter_v1", lambda: [stack(scatter_v1(X, [2, 0, 1])), length(scatter_v1(X, [7, 0, 1]))]
    yield "scatter_into", lambda: [gather(scatter_into(reserve(), X, [2, 0, 1]), [2, 0, 1]), length(scatter_into(reserve(), X, [7, 0, 1]))]
    yield "resize", lambda: [length(resize(reserve(), n)) for n in (5, 1, 0)]
    yield "concat", lambda: concat(push(push(empty(), V), V[:1]))
    yield "concat_v1", lambda: concat_v1(push(push(empty(), V), V[:1])) + concat_v1(empty(), [None, 2])
    yield "concat_none", lambda: concat(empty(), [-1, 2])
    yield "concat_unset", lambda: concat(reserve(2, [3])) + concat(reserve(2, [-1, 2]), [-1, 2], [1, 2])
    yield "split", lambda: concat(split(X, [1, 0, 2], [-1, 2]))
    yield "concat_lists", lambda: [length(t) for t in tf.unstack(concat_lists(
        tf.stack([empty(), push(empty(), V)]), tf.stack([push(empty(), V), push(empty(), V)])))]
    yield "push_batch", lambda: [stack(t) for t in tf.unstack(push_batch(tf.stack([empty(), push(empty(), V[:2])]), hidden(X[:2], np.float32)))]
    yield "zeros_like", lambda: [stack(tf.zeros_like(push(empty(), V))), get(tf.zeros_like(reserve(2, [2])), 0)]
    yield "add_n", lambda: stack(tf.add_n([from_tensor(X), from_tensor(X), reserve(3)]))
    yield "nested", lambda: stack(r.TensorListGetItem(
        input_handle=r.TensorListSetItem(input_handle=reserve(2, [], tf.variant), index=0, item=from_tensor(X)),
        index=0, element_shape=[], element_dtype=tf.variant))
    yield "moved", lambda: [length(t) for t in tf.unstack(tf.gather(tf.stack([empty(), push(empty(), V)]), [1, 0, 1]))] + [
        length(tf.reshape(tf.stack([empty(), reserve(5)])[1:], []))]


def derivatives():
    def x():
        return tf.constant(X)

    def of_push_pop():
        v = x()
        l, a = pop(push(push(empty(), v), v * v), [3, 2])
        return [a, pop(l, [3, 2]).tensor], [v]

    def of_items():
        v = x()
        l = put(put(reserve(), 0, v), 1, v * v)
        return [get(l, 1, [3, 2]), get(l, 0, [3, 2])], [v]

    def of_overwritten():
        v = x()
        l = put(put(reserve(1), 0, v), 0, v * v)
        return [get(l, 0, [3, 2])], [v]

    def of_stack():
        v = x()
        return [stack(push(from_tensor(v * v), v[0]))], [v]

    def of_gather_scatter():
        v = x()
        return [gather(resize(scatter(v * v, [2, 0, 1], [2]), 4), [0, 1, 0], [2])], [v]

    def of_scatter_v1():
        v = x()
        return [gather(scatter_v1(v * v, [2, 0, 1], [2]), [2, 0], [2])], [v]

    def of_scatter_into():
        v = x()
        return [gather(scatter_into(reserve(5, [2]), v * v, [1, 2, 3]), [1, 2, 0], [2])], [v]

    def of_split_concat():
        v = x()
        return [concat(split(v * v, [1, 2], [-1, 2]), [-1, 2])[0]], [v]

    def of_concat_v1():
        v = x()
        return [concat_v1(split(v * v, [1, 2], [-1, 2]))[0]], [v]

    for make in (of_push_pop, of_items, of_overwritten, of_stack, of_gather_scatter, of_scatter_v1, of_scatter_into,
                 of_split_concat, of_concat_v1):
        yield make.__name__, make


def errors():
    vec = lambda: hidden(V, np.float32)
    yield "pop_empty", lambda: pop(empty()).tensor, "Trying to pop from an empty list."
    yield "pop_no_shape", lambda: pop(reserve()).tensor, "Trying to read an uninitialized tensor but element_shape is not fully defined.<unknown>"
    yield "pop_shapes", lambda: pop(reserve(3, [2]), [3]).tensor, "PartialTensorShape: Incompatible shapes during merge: [3] vs. [2]"
    yield "push_shape", lambda: length(push(empty([2]), vec())), "Tried to append a tensor with incompatible shape to a list. Op element shape: [3] list shape: [2]"
    yield "push_full", lambda: length(push(push(empty(-1, 1), V), V)), "Tried to push item into a full list list size: 1 max_num_elements: 1"
    yield "shape_matrix", lambda: length(empty([[1, 2]])), "Shape must be at most rank 1 but is rank 2"
    yield "shape_negative", lambda: length(empty([-2])), "must be >= -1"
    yield "shape_scalar", lambda: length(empty(3)), "The only valid scalar shape tensor is the fully unknown shape specified as -1."
    yield "reserve_negative", lambda: length(reserve(-1)), "The num_elements to reserve must be a non negative number, but got -1"
    yield "set_outside", lambda: length(put(reserve(), 3, V)), "Trying to modify element 3 in a list with 3 elements."
    yield "set_dtype", lambda: length(put(reserve(), 0, hidden(1))), "Invalid data types; op elements int32 but list elements float"
    yield "set_shape", lambda: length(put(reserve(3, [2]), 0, vec())), "Tried to set a tensor with incompatible shape at a list index. Item element shape: [3] list shape: [2]"
    yield "get_outside", lambda: get(reserve(), -1), "Trying to access element -1 in a list with 3 elements."
    yield "get_no_shape", lambda: get(reserve(), 0), "Trying to read an uninitialized tensor but element_shape is not fully defined: <unknown> and no list element is set."
    yield "stack_none_no_shape", lambda: stack(empty()), "Tried to stack elements of an empty list with non-fully-defined element_shape: <unknown>"
    yield "stack_unset_no_shape", lambda: stack(reserve()), "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: <unknown>"
    yield "stack_wrong_number", lambda: stack(push(empty(), V), n=2), "Operation expected a list with 2 elements but got a list with 1 elements."
    yield "stack_shapes", lambda: stack(push(push(empty(), V), 1.0)), "PartialTensorShape: Incompatible ranks during merge: 1 vs. 0"
    yield "from_scalar", lambda: length(from_tensor(hidden(1, np.float32))), "Tensor must be at least a vector, but saw shape: []"
    yield "from_shape", lambda: length(from_tensor(hidden(X, np.float32), [3])), "Specified a list with shape [3] from a tensor with shape [2]"
    yield "gather_outside", lambda: gather(from_tensor(X), [3]), "Trying to gather element 3 in a list with 3 elements."
    yield "gather_none_no_shape", lambda: gather(empty(), []), "Tried to gather 0-elements from a list with non-fully-defined shape: <unknown>"
    yield "scatter_negative", lambda: length(scatter(X, [-1, 0, 1])), "Indices in TensorListScatter must all be non-negative."
    yield "scatter_outside", lambda: length(scatter(X, [2, 0, 1], n=2)), "TensorListScatter: Trying to scatter at index 2 in list with size 2"
    yield "scatter_count", lambda: length(scatter(X, [0, 1])), "Invalid number of rows in input tensor. Expected: 2 Actual: 3"
    yield "scatter_into_count", lambda: length(scatter_into(reserve(), X, [0, 1])), "Expected len(indices) == tensor.shape[0], but saw: 2 vs. 3"
    yield "resize_negative", lambda: length(resize(reserve(), -1)), "TensorListSlice expects size to be non-negative. Got: -1"
    yield "concat_none_no_shape", lambda: concat(empty()), "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: <unknown>"
    yield "concat_scalar", lambda: concat(push(empty(), 1.0)), "Concat saw a scalar shape at index 0 but requires at least vectors."
    yield "concat_scalars", lambda: concat(empty(), []), "Concat requires elements to be at least vectors, found scalars instead."
    yield "concat_shapes", lambda: concat(push(push(empty(), X), V)), "PartialTensorShape: Incompatible ranks during merge: 1 vs. 0"
    yield "concat_unset_no_shape", lambda: concat(reserve(2)), "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully defined: <unknown>"
    yield "concat_leading", lambda: concat(reserve(2, [-1, 2]), [-1, 2], [1]), "List contains uninitialized tensor at index 1 but leading_dims has only 1 elements."
    yield "concat_first", lambda: concat(push(empty(), V), [2]), "First entry of element_shape input does not match the first dim of list element at index: 0 Expected: 2 Actual: 3"
    yield "split_unused", lambda: length(split(X, [1, 1])), "Unused values in tensor. Length of tensor: 3 Values used: 2"
    yield "split_outside", lambda: length(split(X, [1, 7])), "Attempting to slice [1, 8] from tensor with length 3"
    yield "split_negative", lambda: length(split(X, [-1, 4])), "Invalid value in lengths: -1"
    yield "split_shape", lambda: length(split(X, [1, 2], [-1, 3])), "tensor shape [3,2] is not compatible with element_shape [?,3]"
    yield "concat_lists_shapes", lambda: length(concat_lists(empty([2]), empty([3]))), "input_a and input_b TensorList element shapes are not identical at index 0.  Saw [2] vs. [3]"
    yield "push_batch_count", lambda: length(push_batch(tf.stack([empty(), empty()]), hidden(X, np.float32))[0]), "Expected tensor.shape[0] == input_handles.size, but saw 3 vs. 2"
    yield "add_n_lengths", lambda: stack(tf.add_n([from_tensor(X), from_tensor(X[:2])])), "Trying to add two lists of tensors with different lengths. One is 3 and the other is 2"
    yield "add_n_shapes", lambda: stack(tf.add_n([from_tensor(X), from_tensor(hidden(X[:, :1], np.float32))])), "Trying to add two tensors with incompatible element shapes. One is [2] and the other is [1]"


def programs():
    for family in (values, derivatives, errors):
        yield from family()
