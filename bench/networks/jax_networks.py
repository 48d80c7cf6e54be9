"""The networks of the benchmarks in JAX, the counterpart of graph_networks.py.

Plain JAX, without libraries of layers or optimizers: steps are jitted and donate their parameters, float32 throughout.
"""
import functools

import common
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_default_matmul_precision", "highest")  # float32, no TF32


def cross_entropy(logits, y):
    return jnp.mean(-jnp.sum(y * jax.nn.log_softmax(logits), axis=1))


def conv(h, kernel, stride=1):
    return jax.lax.conv_general_dilated(h, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def max_pool(h):
    return jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")


class Parameters:
    """The parameters of a network by name: created by the first call of the network, and passed to later ones."""

    def __init__(self, values=None):
        self.create = values is None
        self.values = {} if values is None else values

    def __call__(self, name, shape, fill=None):
        if self.create:
            self.values[name] = common.normal(name, shape) if fill is None else np.full(shape, fill, np.float32)
        return self.values[name]


def mlp(p, x):
    for i, (rows, columns) in enumerate([(784, 256), (256, 256), (256, 10)]):
        x = x @ p(f"w{i}", (rows, columns)) + p(f"b{i}", (columns,), 0)
        if i < 2:
            x = jax.nn.relu(x)
    return jax.nn.softmax(x)


def mlp_loss(out, y):
    return jnp.mean(-jnp.sum(y * jnp.log(out), axis=1))


def cnn(p, x):
    for i, (before, after) in enumerate([(1, 32), (32, 64)]):
        x = max_pool(jax.nn.relu(conv(x, p(f"c{i}", (5, 5, before, after))) + p(f"cb{i}", (after,), 0)))
    x = jax.nn.relu(x.reshape(-1, 3136) @ p("f0", (3136, 1024)))
    return x @ p("f1", (1024, 10))


def batch_norm(p, number, h, frozen):
    if frozen:
        mean = p(f"m{number}", (h.shape[-1],), common.KEPT_MEAN)
        variance = p(f"v{number}", (h.shape[-1],), common.KEPT_VARIANCE)
    else:
        mean = jnp.mean(h, axis=(0, 1, 2))
        variance = jnp.mean(jnp.square(h), axis=(0, 1, 2)) - jnp.square(mean)
    scale = p(f"g{number}", (h.shape[-1],), 1) * jax.lax.rsqrt(variance + 1e-3)
    return (h - mean) * scale + p(f"o{number}", (h.shape[-1],), 0)


def resnet20(p, x, frozen=False):
    count = [0]

    def conv_bn(h, channels, size, stride, relu=True):
        number = count[0]
        count[0] += 1
        h = batch_norm(p, number, conv(h, p(f"k{number}", (size, size, h.shape[-1], channels)), stride), frozen)
        return jax.nn.relu(h) if relu else h
    h = common.resnet20_blocks(x, conv_bn, jax.nn.relu)
    return jnp.mean(h, axis=(1, 2)) @ p("fc", (64, 10))


def lstm(p, x):
    """32 steps of 16 rows, width 128."""
    w, b = p("w", (64 + 128, 512)), p("b", (512,), 0)

    def body(state, row):
        c, h = state
        i, j, f, o = jnp.split(jnp.concatenate([row, h], 1) @ w + b, 4, axis=1)
        c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(j)
        return (c, jax.nn.sigmoid(o) * jnp.tanh(c)), None
    start = jnp.zeros((16, 128)), jnp.zeros((16, 128))
    return jax.lax.scan(body, start, x)[0][1]


def encoder(p, h):
    """Four layers, width 128, 4 heads, 64 tokens."""
    count = [0]

    def dense(h, columns):
        count[0] += 1
        rows = h.shape[-1]
        r = h.reshape(-1, rows) @ p(f"d{count[0]}", (rows, columns)) + p(f"db{count[0]}", (columns,), 0)
        return r.reshape(-1, 64, columns)

    def norm(h):
        count[0] += 1
        mean = jnp.mean(h, axis=2, keepdims=True)
        variance = jnp.mean(jnp.square(h - mean), axis=2, keepdims=True)
        return (h - mean) * jax.lax.rsqrt(variance + 1e-6) * p(f"g{count[0]}", (128,), 1)

    def heads(h):
        return h.reshape(-1, 64, 4, 32).transpose(0, 2, 1, 3)
    for _ in range(4):
        q, k, v = heads(dense(h, 128)), heads(dense(h, 128)), heads(dense(h, 128))
        a = jax.nn.softmax(jnp.matmul(q, k.transpose(0, 1, 3, 2)) * 0.17677669) @ v
        h = norm(h + dense(a.transpose(0, 2, 1, 3).reshape(-1, 64, 128), 128))
        f = dense(h, 512)
        h = norm(h + dense(0.5 * f * (1.0 + jax.lax.erf(f * 0.70710678)), 128))
    return h


def chain(x):
    for scale in common.CHAIN_SCALES:
        x = jax.nn.relu(x * scale + 0.25)
    return x


def smooth_chain(x):
    for scale in common.CHAIN_SCALES:
        x = jnp.tanh(x * scale) + jnp.exp(-jnp.square(x))
    return jax.nn.sigmoid(x)


def tiny_ops(x):
    for i in range(1000):
        x = jnp.sin(x) if i % 2 else jnp.cos(x)
    return x


def distance(out, y):
    return jnp.mean(jnp.square(out - y))


def descent(rate):
    def update(p, g, state):
        return jax.tree.map(lambda v, d: v - rate * d, p, g), state
    return update, lambda p: ()


def momentum(rate, factor):
    def update(p, g, state):
        state = jax.tree.map(lambda a, d: a * factor + d, state, g)
        return jax.tree.map(lambda v, a: v - rate * a, p, state), state
    return update, lambda p: jax.tree.map(jnp.zeros_like, p)


def adam(rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """The update of TensorFlow's AdamOptimizer, with the powers of beta as state."""
    def update(p, g, state):
        m, v, power1, power2 = state
        step = rate * jnp.sqrt(1 - power2) / (1 - power1)
        m = jax.tree.map(lambda a, d: a + (d - a) * (1 - beta1), m, g)
        v = jax.tree.map(lambda a, d: a + (d * d - a) * (1 - beta2), v, g)
        p = jax.tree.map(lambda w, a, b: w - step * a / (jnp.sqrt(b) + epsilon), p, m, v)
        return p, (m, v, power1 * beta1, power2 * beta2)
    return update, lambda p: (jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p),
                              jnp.float32(beta1), jnp.float32(beta2))


NETWORKS = {
    "mlp": (mlp, mlp_loss, descent(0.05)),
    "cnn": (cnn, cross_entropy, adam(1e-4)),
    "resnet20": (resnet20, cross_entropy, momentum(0.1, 0.9)),
    "resnet20_frozen": (functools.partial(resnet20, frozen=True), cross_entropy, momentum(0.1, 0.9)),
    "lstm": (lstm, distance, adam(1e-3)),
    "encoder": (encoder, distance, adam(1e-3)),
}


class Trainer:
    """The parameters and the optimizer's state of a network, and its jitted step."""

    def __init__(self, workload):
        network, loss, (update, self._start) = NETWORKS[workload]
        created = Parameters()
        x = common.batch(workload)[0]
        jax.eval_shape(functools.partial(network, created), jax.ShapeDtypeStruct(x.shape, jnp.float32))
        self._initial = created.values
        self.apply = jax.jit(lambda p, x: network(Parameters(p), x))
        self.loss = jax.jit(lambda p, x, y: loss(network(Parameters(p), x), y))

        def step(p, state, x, y):
            gradients = jax.grad(lambda q: loss(network(Parameters(q), x), y))(p)
            return update(p, gradients, state)
        self._step = jax.jit(step, donate_argnums=(0, 1))
        self.restart()

    def restart(self):
        """Sets the initial values. They are copied, because a step may write into the arrays that it is given."""
        self.values = jax.tree.map(jnp.array, self._initial)
        self.state = jax.device_put(self._start(self.values))

    def step(self, x, y):
        self.values, self.state = self._step(self.values, self.state, x, y)

    def wait(self):
        jax.block_until_ready((self.values, self.state))
