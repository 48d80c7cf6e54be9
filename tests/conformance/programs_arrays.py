"""Stacks and tensor arrays."""

import collections

import numpy as np
import tensorflow.compat.v1 as tf

r = tf.raw_ops
Array = collections.namedtuple("Array", "handle flow")


def hidden(value):
    """Returns a tensor whose value is unknown at build time."""
    return tf.placeholder_with_default(value, None)


def array(n=3, dtype=tf.float32, **attrs):
    return r.TensorArrayV3(size=hidden(np.int32(n)), dtype=dtype, **attrs)


def write(a, i, value, flow=None):
    return r.TensorArrayWriteV3(handle=a.handle, index=hidden(np.int32(i)), value=value,
                                flow_in=a.flow if flow is None else flow)


def read(a, i, flow=None, dtype=tf.float32):
    return r.TensorArrayReadV3(handle=a.handle, index=hidden(np.int32(i)),
                               flow_in=a.flow if flow is None else flow, dtype=dtype)


def gather(a, indices, flow=None, **attrs):
    return r.TensorArrayGatherV3(handle=a.handle, indices=hidden(np.int32(indices)), dtype=tf.float32,
                                 flow_in=a.flow if flow is None else flow, **attrs)


def scatter(a, indices, value):
    return r.TensorArrayScatterV3(handle=a.handle, indices=hidden(np.int32(indices)), value=value,
                                  flow_in=a.flow)


def concat(a, flow=None, **attrs):
    return list(r.TensorArrayConcatV3(handle=a.handle, flow_in=a.flow if flow is None else flow,
                                      dtype=tf.float32, **attrs))


def split(a, value, lengths):
    return r.TensorArraySplitV3(handle=a.handle, value=value, lengths=hidden(np.int64(lengths)),
                                flow_in=a.flow)


def size(a, flow=None):
    return r.TensorArraySizeV3(handle=a.handle, flow_in=a.flow if flow is None else flow)


def grad(a, flow=None, source="gradients"):
    g = r.TensorArrayGradV3(handle=a.handle, flow_in=a.flow if flow is None else flow, source=source)
    return Array(g.grad_handle, g.flow_out)


def after(ops, make):
    with tf.control_dependencies(ops):
        return make()


def first_twice(**attrs):
    a = array(**attrs)
    flow = write(a, 0, 1.0)
    x = read(a, 0, flow)
    return [x, after([x], lambda: read(a, 0, flow))]


def values():
    x, y = [1.0, 2.0], [3.0, 4.0]
    yield "read", lambda: (lambda a: read(a, 1, write(a, 1, x)))(array())
    yield "read_again", lambda: first_twice(clear_after_read=False)
    yield "read_zeros", lambda: read(array(element_shape=[2]), 1)
    yield "gather", lambda: (lambda a: gather(a, [2, 0], write(a, 2, y, write(a, 0, x))))(array())
    yield "gather_none", lambda: gather(array(), [], element_shape=[2, 3])
    yield "scatter", lambda: (lambda a: read(a, 0, scatter(a, [2, 0], [x, y])))(array())
    yield "scatter_grows", lambda: (lambda a: size(a, scatter(a, [4, 0], [x, y])))(array(1, dynamic_size=True))
    yield "concat", lambda: (lambda a: concat(a, write(a, 1, x + y, write(a, 0, x))))(array(2))
    yield "concat_none", lambda: concat(array(0), element_shape_except0=[2])
    yield "split", lambda: (lambda a: read(a, 2, split(a, x + y, [1, 0, 3])))(array())
    yield "split_grows", lambda: (lambda a: size(a, split(a, x + y, [1, 0, 3])))(array(1, dynamic_size=True))
    yield "size", lambda: size(array(7))
    yield "write_grows", lambda: (lambda a: size(a, write(a, 5, x)))(array(2, dynamic_size=True))
    for dtype in (tf.int32, tf.string, tf.bool, tf.complex64, tf.half, tf.float64, tf.int64):
        value = {tf.string: "text", tf.bool: True}.get(dtype, 3)
        yield "of_" + dtype.name, lambda d=dtype, v=value: (
            lambda a: read(a, 0, write(a, 0, tf.constant(v, d)), d))(array(1, d))
    yield "close", lambda: after([r.TensorArrayCloseV3(handle=array().handle)], lambda: tf.constant(1))


def gradient_arrays():
    def added():
        g = grad(array())
        return read(g, 0, write(g, 0, 4.0, write(g, 0, 3.0)))

    def zeros():
        a = array()
        g = grad(a, write(a, 0, [1.0, 2.0]))
        return read(g, 0)

    def same_source():
        a = array()
        g, h = grad(a), grad(a)
        return read(h, 0, write(g, 0, [1.0, 2.0]))

    def other_source():
        a = array()
        flow = write(a, 0, [1.0, 2.0])
        g, h = grad(a, flow), grad(a, flow, "other")
        return after([write(g, 0, [1.0, 2.0])], lambda: read(h, 0))

    def with_shape():
        a = array(2, element_shape=[2])
        g = r.TensorArrayGradWithShape(handle=a.handle, flow_in=a.flow, source="g",
                                       shape_to_prepend=hidden(np.int32([3])))
        return read(Array(*g), 0)

    for make in (added, zeros, same_source, other_source, with_shape):
        yield "gradient_" + make.__name__, make


def derivatives():
    def x():
        return tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def of_write_read():
        v = x()
        a = array()
        flow = write(a, 1, v * v, write(a, 0, v))
        return [read(a, 0, flow), read(a, 1, flow)], [v]

    def of_scatter_gather():
        v = x()
        a = array(4)
        return [gather(a, [3, 0, 1], scatter(a, [0, 1, 3], v * v))], [v]

    def of_gather_twice():
        v = x()
        a = array(3, clear_after_read=False)
        flow = scatter(a, [0, 1, 2], v)
        return [gather(a, [1, 2], flow), gather(a, [1, 0], flow) * 3.0], [v]

    def of_split_concat():
        v = x()
        a = array(3)
        value, _ = concat(a, split(a, v, [1, 0, 2]))
        return [value * value], [v]

    def of_part():
        v = x()
        a = array()
        return [read(a, 2, scatter(a, [0, 1, 2], v))], [v]

    for make in (of_write_read, of_scatter_gather, of_gather_twice, of_split_concat, of_part):
        yield make.__name__, make


def errors():
    x = np.float32([1, 2])
    yield "read_twice", first_twice, ": Could not read index 0 twice because it was cleared after a previous read (perhaps try setting clear_after_read = false?)."
    yield "write_twice", lambda: (lambda a: write(a, 0, x, write(a, 0, x)))(array()), ": Could not write to TensorArray index 0 because it has already been written to."
    yield "write_outside", lambda: write(array(), 3, x), ": Tried to write to index 3 but array is not resizeable and size is: 3"
    yield "write_negative", lambda: write(array(), -1, x), ": Tried to write to index -1 but array is not resizeable"
    yield "read_outside", lambda: read(array(), 3), "Tried to read from index 3 but array size is: 3"
    yield "read_unwritten", lambda: read(array(element_shape=[None]), 1), "Could not read from TensorArray index 1.  Furthermore, the element shape is not fully defined: [?]."
    yield "write_dtype", lambda: write(array(), 0, 1), "TensorArray dtype is float but Op is trying to write dtype int32."
    yield "read_dtype", lambda: (lambda a: read(a, 0, write(a, 0, x), tf.int32))(array()), "TensorArray dtype is float but Op requested dtype int32."
    yield "write_shape", lambda: write(array(element_shape=[3]), 0, hidden(x)), "because the value shape is [2] which is incompatible with the TensorArray's inferred element shape: [3] (consider setting infer_shape=False)."
    yield "identical_shapes", lambda: (lambda a: write(a, 1, hidden(x), write(a, 0, hidden(x[:1]))))(array(identical_element_shapes=True)), "inferred element shape: [1]"
    yield "negative_size", lambda: array(-1).flow, "Size should be >= 0."
    yield "size_vector", lambda: array([1, 2]).flow, "TensorArray size must be scalar, but had shape: [2]"
    yield "scatter_count", lambda: scatter(array(), [0, 1], hidden(x[:1])), "Expected len(indices) == values.shape[0], but saw: 2 vs. 1"
    yield "scatter_outside", lambda: scatter(array(), [0, 5], x), "Max scatter index must be < array size (5 vs. 3)"
    yield "gather_shapes", lambda: (lambda a: gather(a, [0, 1], write(a, 1, x, write(a, 0, x[:1]))))(array()), "TensorArray has inconsistent shapes.  Index 0 has shape: [1] but index 1 has shape: [2]"
    yield "gather_nothing", lambda: gather(array(), []), "TensorArray has size zero, but element shape <unknown> is not fully defined."
    yield "concat_scalar", lambda: (lambda a: concat(a, write(a, 0, 1.0)))(array(1)), "Concat saw a scalar shape at index 0 but requires at least vectors.  Did you mean to call pack?"
    yield "concat_shapes", lambda: (lambda a: concat(a, write(a, 1, [[1.0, 2.0]], write(a, 0, x))))(array(2)), "Index 0 has (excepting dimension 0) shape: [] but index 1 has (excepting dimension 0) shape: [2]"
    yield "concat_nothing", lambda: concat(array(0)), "TensorArray has size zero, but element_shape_except0 <unknown> is not fully defined."
    yield "split_sum", lambda: split(array(2), hidden(x), [1, 2]), "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is 3 and value's shape is: [2]"
    yield "split_count", lambda: split(array(3), hidden(x), [1, 1]), "TensorArray's size is not equal to the size of lengths (3 vs. 2), and the TensorArray is not marked as dynamically resizeable"
    def closed():
        a = array()
        return after([r.TensorArrayCloseV3(handle=a.handle)], lambda: size(a))
    yield "closed", closed, " has already been closed."
    def grow_after_gradient():
        a = array(2, dynamic_size=True)
        return after([grad(a).flow], lambda: write(a, 3, x))
    yield "grow_after_gradient", grow_after_gradient, ": Tried to write to index 3 but array is not resizeable and size is: 2"
    def gradient_shapes():
        g = grad(array())
        return write(g, 0, hidden(x[:1]), write(g, 0, hidden(x)))
    yield "gradient_shapes", gradient_shapes, "@gradients: Could not aggregate to TensorArray index 0 because the existing shape is [2] but the new input shape is [1]."
    yield "gradient_of_gradient", lambda: grad(grad(array())).flow, "Wrong input container. _tensor_array_grads"


def stacks():
    def both(old):
        make = (lambda: r.Stack(elem_type=tf.float32)) if old else (
            lambda: r.StackV2(max_size=hidden(np.int32(-1)), elem_type=tf.float32, stack_name="s"))
        push, pop, close = (r.StackPush, r.StackPop, r.StackClose) if old else (
            r.StackPushV2, r.StackPopV2, r.StackCloseV2)
        return make, push, pop, close

    def pushed_and_popped(old, names=1):
        make, push, pop, close = both(old)
        stacks_ = [make() for _ in range(names)]
        pushes = []
        for i, s in enumerate(stacks_):
            for v in ([1.0, 2.0], [3.0]):
                pushes = [after(pushes, lambda s=s, v=v, i=i: push(handle=s, elem=np.float32(v) * (i + 1)))]
        pops = []
        for s in stacks_:
            for _ in range(2):
                pops.append(after(pushes + pops, lambda s=s: pop(handle=s, elem_type=tf.float32)))
        return pops + [after([after(pops, lambda: close(handle=stacks_[0]))], lambda: tf.constant(1))]

    for old in (False, True):
        suffix = "_old" if old else ""
        yield "stack" + suffix, lambda old=old: pushed_and_popped(old)
        yield "two_stacks" + suffix, lambda old=old: pushed_and_popped(old, 2)
        def empty(old=old):
            make, _, pop, _ = both(old)
            return pop(handle=make(), elem_type=tf.float32)
        yield "stack_empty" + suffix, empty, "is empty when calling Pop()."
        def dtype(old=old):
            make, push, _, _ = both(old)
            return push(handle=make(), elem=1)
        yield "stack_dtype" + suffix, dtype, "Must have type 1 but got 3"
        def closed(old=old):
            make, push, _, close = both(old)
            s = make()
            return after([close(handle=s)], lambda: push(handle=s, elem=1.0))
        yield "stack_closed" + suffix, closed, "has already been closed."
    def full():
        s = r.StackV2(max_size=hidden(np.int32(1)), elem_type=tf.float32)
        return after([r.StackPushV2(handle=s, elem=1.0)], lambda: r.StackPushV2(handle=s, elem=2.0))
    yield "stack_full", full, "overflowed its max_size (1)"
    yield "stack_size", lambda: after([r.StackV2(max_size=hidden(np.int32([1, 2])), elem_type=tf.float32).op], lambda: tf.constant(1)), "Stack size must be a scalar, but had shape: [2]"


def old_forms():
    """The ops before V3, which TensorFlow runs only in graphs with an old producer version."""
    def node(graph, name, op, inputs, **attrs):
        n = graph.node.add(name=name, op=op, input=inputs)
        for key, value in attrs.items():
            if isinstance(value, np.ndarray):
                n.attr[key].tensor.CopyFrom(tf.make_tensor_proto(value))
            elif isinstance(value, str):
                n.attr[key].s = value.encode()
            else:
                n.attr[key].type = value.as_datatype_enum

    def build(version):
        graph = tf.GraphDef()
        graph.versions.producer = 20 if version else 10
        f = tf.float32
        for name, value in (("n", np.int32(2)), ("i", np.int32(1)), ("f", np.float32(0)), ("x", np.float32([5, 6])),
                            ("l", np.int64([1, 1])), ("ii", np.int32([1, 0]))):
            node(graph, name, "Const", [], dtype=tf.as_dtype(value.dtype), value=np.asarray(value))
        for name, op, inputs, attrs in (
                ("a", "", ["n"], {"dtype": f}), ("w", "Write", ["a", "i", "x", "f"], {"T": f}),
                ("r", "Read", ["a", "i", "w"], {"dtype": f}), ("s", "Size", ["a", "w"], {}),
                ("g", "Grad", ["a", "w"], {"source": "gradients"}), ("gw", "Write", ["g", "i", "x", "w"], {"T": f}),
                ("gw2", "Write", ["g", "i", "x", "gw"], {"T": f}), ("gr", "Read", ["g", "i", "gw2"], {"dtype": f}),
                ("b", "", ["n"], {"dtype": f}), ("sp", "Split", ["b", "x", "l", "f"], {"T": f}),
                ("c", "Concat", ["b", "sp"], {"dtype": f}), ("cl", "Close", ["b", "^c"], {}),
                ("d", "", ["n"], {"dtype": f}), ("sc", "Scatter", ["d", "ii", "x", "f"], {"T": f}),
                ("ga", "Gather", ["d", "ii", "sc"], {"dtype": f})):
            node(graph, name, "TensorArray" + op + version, inputs, **attrs)
        node(graph, "done", "Identity", ["n", "^cl"], T=tf.int32)
        fetches = ["r:0", "s:0", "gr:0", "c:0", "c:1", "ga:0", "done:0"]
        if not version:
            node(graph, "e", "TensorArray", ["n"], dtype=f)
            node(graph, "u", "TensorArrayUnpack", ["e", "x", "f"], T=f)
            node(graph, "p", "TensorArrayPack", ["e", "u"], dtype=f)
            fetches.append("p:0")
        return list(tf.import_graph_def(graph, name="", return_elements=fetches))

    yield "before_V3", lambda: build("V2")
    yield "before_V2", lambda: build("")


def programs():
    for family in (values, gradient_arrays, derivatives, errors, stacks, old_forms):
        yield from family()
