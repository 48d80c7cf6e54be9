"""The networks of the benchmarks as TensorFlow 1 graphs, for tensorflow.compat.v1 and ramet.compat.v1."""
import common
import numpy as np


class Networks:
    """Builds the networks in the default graph of one of the two packages.

    Args:
      tf: the package, tensorflow.compat.v1 or ramet.compat.v1.
    """

    def __init__(self, tf):
        self._tf = tf

    def _variable(self, name, shape, fill=None, trainable=True):
        value = common.normal(name, shape) if fill is None else np.full(shape, fill, np.float32)
        return self._tf.get_variable(name, initializer=value, use_resource=False, trainable=trainable)

    def mlp(self, x):
        """Returns the probabilities of a perceptron 784-256-256-10."""
        tf = self._tf
        for i, (rows, columns) in enumerate([(784, 256), (256, 256), (256, 10)]):
            x = tf.matmul(x, self._variable(f"w{i}", [rows, columns])) + self._variable(f"b{i}", [columns], 0)
            if i < 2:
                x = tf.nn.relu(x)
        return tf.nn.softmax(x)

    def cnn(self, x):
        """Returns the logits of two convolutions with pooling and two dense layers."""
        tf = self._tf
        for i, (before, after) in enumerate([(1, 32), (32, 64)]):
            x = tf.nn.conv2d(x, self._variable(f"c{i}", [5, 5, before, after]), [1, 1, 1, 1], "SAME")
            x = tf.nn.relu(tf.nn.bias_add(x, self._variable(f"cb{i}", [after], 0)))
            x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        x = tf.nn.relu(tf.matmul(tf.reshape(x, [-1, 3136]), self._variable("f0", [3136, 1024])))
        return tf.matmul(x, self._variable("f1", [1024, 10]))

    def resnet20(self, x, frozen=False):
        """Returns the logits of a ResNet-20 for CIFAR.

        Args:
          x: the images.
          frozen: whether batch normalization uses the moments that training has kept, instead of the batch's.
        """
        tf = self._tf
        count = [0]

        def conv_bn(h, channels, size, stride, relu=True):
            number = count[0]
            count[0] += 1
            kernel = self._variable(f"k{number}", [size, size, int(h.shape[-1]), channels])
            h = tf.nn.conv2d(h, kernel, [1, stride, stride, 1], "SAME")
            scale, offset = self._variable(f"g{number}", [channels], 1), self._variable(f"o{number}", [channels], 0)
            moments = {}
            if frozen:
                moments = {"mean": self._variable(f"m{number}", [channels], common.KEPT_MEAN, trainable=False),
                           "variance": self._variable(f"v{number}", [channels], common.KEPT_VARIANCE, trainable=False)}
            h, _, _ = tf.nn.fused_batch_norm(h, scale, offset, is_training=not frozen, **moments)
            return tf.nn.relu(h) if relu else h
        h = common.resnet20_blocks(x, conv_bn, tf.nn.relu)
        return tf.matmul(tf.reduce_mean(h, axis=[1, 2]), self._variable("fc", [64, 10]))

    def lstm(self, x):
        """Returns the last state of an LSTM of width 128, as a while_loop over 32 steps of 16 rows."""
        tf = self._tf
        w, b = self._variable("w", [64 + 128, 512]), self._variable("b", [512], 0)
        rows = tf.TensorArray(tf.float32, size=32).unstack(x)

        def body(t, c, h):
            i, j, f, o = tf.split(tf.matmul(tf.concat([rows.read(t), h], 1), w) + b, 4, axis=1)
            c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
            return t + 1, c, tf.sigmoid(o) * tf.tanh(c)
        start = [tf.constant(0), tf.zeros([16, 128]), tf.zeros([16, 128])]
        return tf.while_loop(lambda t, c, h: t < 32, body, start)[2]

    def encoder(self, h):
        """Returns the features of four transformer layers: width 128, 4 heads, 64 tokens."""
        tf = self._tf
        count = [0]

        def dense(h, columns):
            count[0] += 1
            rows = int(h.shape[-1])
            product = tf.matmul(tf.reshape(h, [-1, rows]), self._variable(f"d{count[0]}", [rows, columns]))
            return tf.reshape(product + self._variable(f"db{count[0]}", [columns], 0), [-1, 64, columns])

        def norm(h):
            count[0] += 1
            mean, variance = tf.nn.moments(h, [2], keep_dims=True)
            return (h - mean) * tf.rsqrt(variance + 1e-6) * self._variable(f"g{count[0]}", [128], 1)

        def heads(h):
            return tf.transpose(tf.reshape(h, [-1, 64, 4, 32]), [0, 2, 1, 3])
        for _ in range(4):
            q, k, v = heads(dense(h, 128)), heads(dense(h, 128)), heads(dense(h, 128))
            a = tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * 0.17677669), v)
            h = norm(h + dense(tf.reshape(tf.transpose(a, [0, 2, 1, 3]), [-1, 64, 128]), 128))
            f = dense(h, 512)
            h = norm(h + dense(0.5 * f * (1.0 + tf.erf(f * 0.70710678)), 128))
        return h

    def chain(self, x):
        """Returns twelve cheap element-wise ops of an array: the time is that of the memory."""
        for scale in common.CHAIN_SCALES:
            x = self._tf.nn.relu(x * scale + 0.25)
        return x

    def smooth_chain(self, x):
        """Returns element-wise ops of an array that are expensive to compute."""
        tf = self._tf
        for scale in common.CHAIN_SCALES:
            x = tf.tanh(x * scale) + tf.exp(-tf.square(x))
        return tf.sigmoid(x)

    def tiny_ops(self, x):
        """Returns 1,000 ops of a scalar: the time is that of starting them."""
        for i in range(1000):
            x = self._tf.sin(x) if i % 2 else self._tf.cos(x)
        return x

    def _cross_entropy(self, logits, y):
        tf = self._tf
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))

    def _mlp_loss(self, out, y):
        tf = self._tf
        return tf.reduce_mean(-tf.reduce_sum(y * tf.log(out), axis=[1]))

    def _distance(self, out, y):
        return self._tf.reduce_mean(self._tf.square(out - y))

    def trained(self, workload, x, y):
        """Returns the output, the loss and the training step of a network."""
        optimizers = self._tf.train
        loss, optimizer = {
            "mlp": (self._mlp_loss, lambda: optimizers.GradientDescentOptimizer(0.05)),
            "cnn": (self._cross_entropy, lambda: optimizers.AdamOptimizer(1e-4)),
            "resnet20": (self._cross_entropy, lambda: optimizers.MomentumOptimizer(0.1, 0.9)),
            "lstm": (self._distance, lambda: optimizers.AdamOptimizer(1e-3)),
            "encoder": (self._distance, lambda: optimizers.AdamOptimizer(1e-3)),
        }[workload]
        out = getattr(self, workload)(x)
        loss = loss(out, y)
        return out, loss, optimizer().minimize(loss)
