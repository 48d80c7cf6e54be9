"""Publishing variables from a GPU to the host, next to the rate at which the card copies to the host.

usage: publish.py [--megabytes N] [--variables N] [--repeats N]      prints a JSON object per figure

A step writes all variables on the GPU. The figure is the time from `publish` until a follower on the CPU has the
version, which includes the copy from the GPU to the shared memory. The rate of the card is that of copies of the same
size by the CUDA driver, in this process, to page-locked and to pageable memory. Without CUDA only Ramet's figures are
printed.
"""
import argparse
import ctypes
import os
import sys
import time

import numpy as np
import ramet
import ramet.compat.v1 as tf

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "networks"))
import common


class CudaDriver:
    """The functions of libcuda.so.1 that copy to the host, in the context that other libraries use too."""

    def __init__(self):
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self._call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)

    def _call(self, name, *arguments):
        code = getattr(self._cuda, name)(*arguments)
        if code != 0:
            raise OSError(f"{name} failed with the error {code} of CUDA")

    def seconds_to_host(self, size, pinned, repeats):
        """Returns the best time of a copy of `size` bytes to page-locked or pageable memory."""
        source, target = ctypes.c_uint64(), ctypes.c_void_p()
        self._call("cuMemAlloc_v2", ctypes.byref(source), ctypes.c_size_t(size))
        self._call("cuMemsetD8_v2", source, ctypes.c_ubyte(1), ctypes.c_size_t(size))
        pageable = np.ones(size, np.uint8)  # touched, so that the copies do not wait for new pages
        if pinned:
            self._call("cuMemAllocHost_v2", ctypes.byref(target), ctypes.c_size_t(size))
        else:
            target = ctypes.c_void_p(pageable.ctypes.data)

        def copy():
            start = time.perf_counter()
            self._call("cuMemcpyDtoH_v2", target, source, ctypes.c_size_t(size))
            return time.perf_counter() - start
        copy()
        best = min(copy() for _ in range(repeats))
        if pinned:
            self._call("cuMemFreeHost", target)
        self._call("cuMemFree_v2", source)
        return best


def show_rate(name, size, seconds, **more):
    common.show(name, size / seconds / 1e9, "GB/s", **more)


def card_rates(size, repeats):
    """Shows the rates of the card, if its driver is CUDA's."""
    try:
        cuda = CudaDriver()
    except OSError as error:
        common.show("copy rate not measured", str(error), "")
        return
    show_rate("copy/pinned", size, cuda.seconds_to_host(size, True, repeats))
    show_rate("copy/pageable", size, cuda.seconds_to_host(size, False, repeats))


def build(size, count):
    """Returns `count` variables that take `size` bytes together, and a step that writes them."""
    variables = [tf.get_variable(f"v{i}", initializer=tf.zeros([size // count // 4]), use_resource=False)
                 for i in range(count)]
    with tf.control_dependencies([tf.assign_add(v, tf.ones_like(v)) for v in variables]):
        return variables, tf.no_op()


def publish_times(session, variables, step, repeats):
    """Returns the times of `publish` and until a follower has the version, in seconds, one of each per version."""
    address = f"shm:gpu_publish-{os.getpid()}"
    returned, usable = [], []
    with ramet.Publisher(session, address, variables=variables, at_limit="wait") as publisher:
        publisher.publish(0)
        with ramet.Follower(address, device="/cpu:0", verify="off") as follower:
            for number in range(1, repeats + 1):
                session.run(step)
                start = time.perf_counter()
                version = publisher.publish(number)
                returned.append(time.perf_counter() - start)
                follower.wait(version)
                usable.append(time.perf_counter() - start)
            got = follower.session.run(variables[-1].name)
        assert got[0] == repeats + 1, f"the follower has {got[0]}, the trainer {repeats + 1}"
    return returned, usable


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--variables", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=20)
    args = parser.parse_args()
    size = args.megabytes << 20
    with tf.Session(graph=tf.get_default_graph()) as session:
        variables, step = build(size, args.variables)
        session.run(tf.global_variables_initializer())
        session.run(step)
        before = card_work()
        returned, usable = publish_times(session, variables, step, args.repeats)
        copied = card_work() - before
        warm = slice(min(5, args.repeats // 2), None)  # the first versions touch new memory
        name = f"publish/{args.megabytes}MB/{args.variables}"
        show_rate(name, size, min(usable[warm]), median=size / float(np.median(usable[warm])) / 1e9,
                  returned_us=float(np.median(returned[warm])) * 1e6, bytes_to_host=copied)
    card_rates(size, args.repeats)


def card_work():
    """Returns the bytes that were copied from the GPU to the host so far; 0 without a GPU."""
    try:
        return ramet.work_of_device().bytes_to_host
    except tf.errors.NotFoundError:
        return 0


if __name__ == "__main__":
    main()
