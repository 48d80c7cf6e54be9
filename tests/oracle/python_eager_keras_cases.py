"""The eager programs with Keras that python_eager_test.py runs in TensorFlow and in Ramet."""

import numpy as np

A = np.array([[1., 2.], [3., 4.]], np.float32)


def _ones(model, tf):
    for v in model.variables:
        v.assign(tf.ones_like(v) * .5)


def layers(tf):
    dense = tf.keras.layers.Dense(3, kernel_initializer='ones', activation='relu')
    made = [dense(A), [v.shape for v in dense.weights], dense.get_weights()[0]]
    norm = tf.keras.layers.BatchNormalization()
    made += [norm(A, training=True), norm(A, training=False), [v.numpy() for v in norm.weights]]
    embedding = tf.keras.layers.Embedding(4, 2, embeddings_initializer='ones')
    pool = tf.keras.layers.GlobalAveragePooling2D()
    return made + [embedding(np.array([[1, 2]])), pool(np.ones([1, 2, 2, 3], np.float32)),
                   tf.keras.layers.Dropout(.5)(A, training=False), tf.keras.layers.Flatten()(np.ones([2, 2, 2],
                   np.float32)),
                   tf.keras.layers.Concatenate()([A, A])]


def sequential(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, activation='tanh', input_shape=(2,)),
            tf.keras.layers.Dense(1)])
    _ones(model, tf)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(tf.constant(A)) ** 2.)
    return [model(tf.constant(A)), loss, *tape.gradient(loss, model.trainable_variables), len(model.layers)]


def built_later(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, activation='tanh'), tf.keras.layers.Dense(1)])
    first = model(tf.constant(A)).shape
    _ones(model, tf)
    return [first, model(tf.constant(A)), [v.shape for v in model.variables]]


def functional(tf):
    inputs = tf.keras.Input([2])
    hidden = tf.keras.layers.Dense(3, activation='sigmoid')(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(hidden))
    _ones(model, tf)
    return [model(tf.constant(A)), [v.shape for v in model.trainable_variables]]


def subclass(tf):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.a = tf.keras.layers.Dense(2, activation='relu')
            self.b = tf.keras.layers.Dense(1)

        def call(self, x, training=False):
            return self.b(self.a(x)) * (2. if training else 1.)

    net = Net()
    net(tf.constant(A))
    _ones(net, tf)
    optimizer = tf.train.GradientDescentOptimizer(.1)
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(net(tf.constant(A)) ** 2.)
        optimizer.apply_gradients(zip(tape.gradient(loss, net.variables), net.variables))
    return [net(tf.constant(A), training=True), loss, [v.numpy() for v in net.variables]]


def losses_of_layers(tf):
    dense = tf.keras.layers.Dense(2, kernel_initializer='ones', kernel_regularizer=tf.keras.regularizers.l2(.1))
    dense(A)
    dense(A)
    return [len(dense.losses), dense.losses[0]]


def functions(tf):
    y, p = tf.constant([[0., 1.]]), tf.constant([[.2, .8]])
    return [tf.keras.losses.mean_squared_error(y, p), tf.keras.losses.binary_crossentropy(y, p),
            tf.keras.losses.categorical_crossentropy(y, p), tf.keras.activations.softmax(p), tf.keras.backend.mean(p),
            tf.keras.losses.SparseCategoricalCrossentropy()([1], p), tf.keras.backend.get_value(tf.Variable(2.))]


def metrics(tf):
    mean, accuracy = tf.keras.metrics.Mean(), tf.keras.metrics.BinaryAccuracy()
    mean(1.)
    mean.update_state([2., 6.])
    accuracy.update_state([1., 0.], [.9, .8])
    made = [mean.result(), accuracy.result()]
    mean.reset_states()
    return [*made, mean.result()]


CASES = [function for name, function in list(globals().items())
         if callable(function) and function.__module__ == __name__ and not name.startswith('_')]
