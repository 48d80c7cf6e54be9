"""Models for python_keras_test.py: functions of a module tf.keras that return a compiled model, and their data."""

import numpy as np

_random = np.random.RandomState(7)
VECTORS = _random.rand(24, 6).astype(np.float32)
IMAGES = _random.rand(8, 8, 8, 3).astype(np.float32)
VOLUMES = _random.rand(4, 5, 6, 5, 2).astype(np.float32)
STEPS = _random.rand(12, 5, 4).astype(np.float32)
STEPS[3, 2:] = STEPS[5, 4:] = 0
WORDS = _random.randint(0, 9, (12, 6))
CLASSES = _random.randint(0, 3, 24)
ONE_HOT = np.eye(3, dtype=np.float32)[CLASSES]
BINARY = _random.randint(0, 2, (24, 1)).astype(np.float32)
VALUES = _random.rand(24, 2).astype(np.float32)


def sequential(*layers, loss='mse', optimizer='sgd', metrics=(), **compiling):
    """Returns a function that makes a Sequential of the layers that `layers` make from tf.keras."""

    def build(k):
        model = k.Sequential([layer(k.layers) for layer in layers])
        chosen = optimizer(k) if callable(optimizer) else optimizer
        model.compile(chosen, loss(k) if callable(loss) else loss,
                      metrics=[m(k) if callable(m) else m for m in metrics], **compiling)
        return model

    return build


def on_images(*layers, **compiling):
    """Returns a case with layers on images, and a dense layer at the end."""
    return sequential(*layers, lambda L: L.Flatten(), lambda L: L.Dense(2), **compiling), IMAGES, VALUES[:8]


def on_steps(*layers, **compiling):
    """Returns a case with layers on sequences, and a dense layer at the end."""
    return sequential(*layers, lambda L: L.Dense(2), **compiling), STEPS, VALUES[:12]


def optimizer_case(make):
    """Returns a case that compares an optimizer."""
    return sequential(lambda L: L.Dense(5, activation='tanh', input_shape=(6,)), lambda L: L.Dense(2),
                      optimizer=make), VECTORS, VALUES


def embedding_case(make):
    """Returns a case that compares the sparse updates of an optimizer."""
    return sequential(lambda L: L.Embedding(9, 4, input_length=6), lambda L: L.Flatten(), lambda L: L.Dense(2),
                      optimizer=make), WORDS, VALUES[:12]


def loss_case(loss, y=VALUES, activation='sigmoid', units=2, metrics=()):
    """Returns a case that compares a loss and metrics."""
    return sequential(lambda L: L.Dense(units, activation=activation, input_shape=(6,)), loss=loss,
                      metrics=metrics), VECTORS, y


def functional(k):
    L = k.layers
    a, b = k.Input((6,), name='a'), k.Input((6,), name='b')
    shared = L.Dense(4, activation='relu', name='shared')
    left, right = shared(a), shared(b)
    merged = L.concatenate([left, right, L.Add()([left, right]), L.Multiply()([left, right])])
    outputs = [L.Dense(2, name='first')(merged), L.Dense(1, activation='sigmoid', name='second')(merged)]
    model = k.Model([a, b], outputs)
    model.compile('rmsprop', {'first': 'mse', 'second': 'binary_crossentropy'}, metrics={'second': ['accuracy']},
                  loss_weights=[1., 0.3])
    return model


def operations(k):
    a = k.Input((6,))
    x = k.layers.Dense(4)(a)
    x = x * 2. + 1.
    model = k.Model(a, k.layers.Dense(2)(x))
    model.compile('sgd', 'mse')
    return model


def regularized(k):
    L, r = k.layers, k.regularizers
    model = k.Sequential([
        L.Dense(5, input_shape=(6,), kernel_regularizer=r.l2(0.02), bias_regularizer=r.l2(0.1),
                activity_regularizer=r.l1(0.01), kernel_constraint=k.constraints.max_norm(0.5)),
        L.BatchNormalization(), L.ActivityRegularization(l2=0.01), L.Dense(2, kernel_constraint='non_neg')])
    model.compile('sgd', 'mse', metrics=['mae'])
    return model


def nested(k):
    L = k.layers
    inner = k.Sequential([L.Dense(4, activation='tanh', input_shape=(6,)), L.Dense(3)])
    a = k.Input((6,))
    model = k.Model(a, L.Dense(2)(inner(a)))
    model.compile('adam', 'mse')
    return model


def encoder_decoder(k):
    L = k.layers
    source, target = k.Input((5, 4)), k.Input((5, 4))
    _, h, c = L.LSTM(3, return_state=True)(source)
    out = L.LSTM(3, return_sequences=True)(target, initial_state=[h, c])
    model = k.Model([source, target], L.TimeDistributed(L.Dense(4))(out))
    model.compile('adam', 'mse')
    return model


def attention(k):
    L = k.layers
    a = k.Input((5, 4))
    x = L.Attention(use_scale=True)([a, L.Dense(4)(a)])
    model = k.Model(a, L.Dense(2)(L.GlobalAveragePooling1D()(L.LayerNormalization()(x))))
    model.compile('sgd', 'mse')
    return model


CASES = {
    'functional': (functional, {'a': VECTORS, 'b': VECTORS[::-1]}, [VALUES, BINARY]),
    'operations': (operations, VECTORS, VALUES),
    'regularized': (regularized, VECTORS, VALUES),
    'nested': (nested, VECTORS, VALUES),
    'encoder_decoder': (encoder_decoder, [STEPS, STEPS[::-1]], STEPS),
    'attention': (attention, STEPS, VALUES[:12]),
    # Optimizers.
    'sgd': optimizer_case(lambda k: k.optimizers.SGD(0.1, decay=0.1)),
    'momentum': optimizer_case(lambda k: k.optimizers.SGD(0.05, momentum=0.9)),
    'nesterov': optimizer_case(lambda k: k.optimizers.SGD(0.05, momentum=0.9, nesterov=True, clipnorm=0.5)),
    'rmsprop': optimizer_case(lambda k: k.optimizers.RMSprop(0.01)),
    'rmsprop_centered': optimizer_case(lambda k: k.optimizers.RMSprop(0.01, momentum=0.5, centered=True)),
    'adagrad': optimizer_case(lambda k: k.optimizers.Adagrad(0.1)),
    'adadelta': optimizer_case(lambda k: k.optimizers.Adadelta(1.0)),
    'adam': optimizer_case(lambda k: k.optimizers.Adam(0.02, clipvalue=0.1)),
    'amsgrad': optimizer_case(lambda k: k.optimizers.Adam(0.02, amsgrad=True)),
    'adamax': optimizer_case(lambda k: k.optimizers.Adamax(0.02)),
    'nadam': optimizer_case(lambda k: k.optimizers.Nadam(0.02)),
    'ftrl': optimizer_case(lambda k: k.optimizers.Ftrl(0.1, l1_regularization_strength=0.01)),
    'schedule': optimizer_case(lambda k: k.optimizers.SGD(k.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5))),
    'sparse_sgd': embedding_case(lambda k: k.optimizers.SGD(0.1)),
    'sparse_momentum': embedding_case(lambda k: k.optimizers.SGD(0.1, momentum=0.9)),
    'sparse_adam': embedding_case(lambda k: k.optimizers.Adam(0.02)),
    'sparse_rmsprop': embedding_case(lambda k: k.optimizers.RMSprop(0.02)),
    'sparse_adagrad': embedding_case(lambda k: k.optimizers.Adagrad(0.02)),
    'sparse_adamax': embedding_case(lambda k: k.optimizers.Adamax(0.02)),
    'sparse_nadam': embedding_case(lambda k: k.optimizers.Nadam(0.02)),
    # Losses and metrics.
    'mae': loss_case('mae', metrics=['mse', 'mape', 'msle', 'cosine_proximity']),
    'mape': loss_case('mape'), 'msle': loss_case('msle'), 'logcosh': loss_case('logcosh'),
    'kld': loss_case('kld', ONE_HOT, 'softmax', 3), 'poisson': loss_case('poisson'),
    'cosine': loss_case('cosine_similarity'), 'huber': loss_case(lambda k: k.losses.Huber(0.3)),
    'hinge': loss_case('hinge', BINARY * 2 - 1, 'tanh', 1, metrics=['squared_hinge']),
    'squared_hinge': loss_case('squared_hinge', BINARY * 2 - 1, 'tanh', 1),
    'categorical_hinge': loss_case('categorical_hinge', ONE_HOT, 'softmax', 3),
    'categorical': loss_case('categorical_crossentropy', ONE_HOT, 'softmax', 3, metrics=['accuracy', 'ce']),
    'smoothed': loss_case(lambda k: k.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1), ONE_HOT,
                          None, 3),
    'sparse': loss_case('sparse_categorical_crossentropy', CLASSES, 'softmax', 3, metrics=['acc']),
    'sparse_logits': loss_case(lambda k: k.losses.SparseCategoricalCrossentropy(from_logits=True), CLASSES, None, 3),
    'binary': loss_case('binary_crossentropy', BINARY, 'sigmoid', 1, metrics=[
        'accuracy', lambda k: k.metrics.AUC(name='auc'), lambda k: k.metrics.Precision(name='p'),
        lambda k: k.metrics.Recall(name='r'), lambda k: k.metrics.FalsePositives(name='fp'),
        lambda k: k.metrics.AUC(name='pr', curve='PR')]),
    'root': loss_case('mse', metrics=[lambda k: k.metrics.RootMeanSquaredError(name='rmse')]),
    # Layers.
    'conv2d': on_images(lambda L: L.Conv2D(4, 3, activation='relu', padding='same', input_shape=(8, 8, 3)),
                        lambda L: L.MaxPooling2D(), lambda L: L.BatchNormalization(),
                        lambda L: L.AveragePooling2D(2, 1)),
    'conv2d_strided': on_images(lambda L: L.Conv2D(4, (3, 2), strides=2, input_shape=(8, 8, 3)),
                                lambda L: L.LeakyReLU(), lambda L: L.Conv2DTranspose(2, 3, strides=2)),
    'dilated': on_images(lambda L: L.Conv2D(4, 3, dilation_rate=2, input_shape=(8, 8, 3)), lambda L: L.PReLU()),
    'separable': on_images(lambda L: L.SeparableConv2D(4, 3, depth_multiplier=2, input_shape=(8, 8, 3)),
                           lambda L: L.DepthwiseConv2D(3), lambda L: L.GlobalMaxPooling2D()),
    'shapes': on_images(lambda L: L.ZeroPadding2D(((1, 2), (0, 1)), input_shape=(8, 8, 3)), lambda L: L.Cropping2D(1),
                        lambda L: L.UpSampling2D((2, 3)), lambda L: L.Permute((2, 1, 3)), lambda L: L.Reshape((-1, 3)),
                        lambda L: L.GlobalAveragePooling1D(), lambda L: L.RepeatVector(2)),
    'conv3d': (sequential(lambda L: L.Conv3D(3, 2, input_shape=(5, 6, 5, 2)), lambda L: L.MaxPooling3D(),
                          lambda L: L.UpSampling3D(), lambda L: L.ZeroPadding3D(), lambda L: L.Cropping3D(),
                          lambda L: L.GlobalAveragePooling3D(), lambda L: L.Dense(2)), VOLUMES, VALUES[:4]),
    'conv1d': on_steps(lambda L: L.Conv1D(4, 3, padding='causal', dilation_rate=2, input_shape=(5, 4)),
                       lambda L: L.ELU(), lambda L: L.MaxPooling1D(2, 1), lambda L: L.SeparableConv1D(3, 2),
                       lambda L: L.ZeroPadding1D(1), lambda L: L.Cropping1D(1), lambda L: L.UpSampling1D(2),
                       lambda L: L.GlobalMaxPooling1D()),
    'activations': (sequential(lambda L: L.Dense(8, input_shape=(6,), activation='selu'),
                               lambda L: L.Activation('hard_sigmoid'), lambda L: L.ThresholdedReLU(0.2),
                               lambda L: L.ReLU(0.9, 0.1, 0.3), lambda L: L.Lambda(lambda x: x * 2),
                               lambda L: L.Softmax(),
                               lambda L: L.Dense(2, activation='softsign')), VECTORS, VALUES),
    'simple_rnn': on_steps(lambda L: L.SimpleRNN(3, input_shape=(5, 4))),
    'gru': on_steps(lambda L: L.GRU(3, input_shape=(5, 4), return_sequences=True),
                    lambda L: L.GRU(3, reset_after=True)),
    'lstm': on_steps(lambda L: L.LSTM(3, input_shape=(5, 4), return_sequences=True),
                     lambda L: L.LSTM(3, go_backwards=True, recurrent_activation='sigmoid')),
    'unrolled': on_steps(lambda L: L.Masking(input_shape=(5, 4)), lambda L: L.LSTM(3, unroll=True)),
    'masked': on_steps(lambda L: L.Masking(input_shape=(5, 4)), lambda L: L.GRU(3, return_sequences=True),
                       lambda L: L.LSTM(2)),
    'embedding': (sequential(lambda L: L.Embedding(9, 4, mask_zero=True), lambda L: L.LSTM(3), lambda L: L.Dense(2)),
                  WORDS, VALUES[:12]),
    'bidirectional': on_steps(lambda L: L.Bidirectional(L.LSTM(3, return_sequences=True), input_shape=(5, 4)),
                              lambda L: L.Bidirectional(L.GRU(2), merge_mode='sum')),
    'stacked': on_steps(lambda L: L.RNN([L.LSTMCell(3), L.GRUCell(2), L.SimpleRNNCell(2)], input_shape=(5, 4))),
    'time_distributed': on_steps(lambda L: L.TimeDistributed(L.Dense(3, activation='tanh'), input_shape=(5, 4)),
                                 lambda L: L.Flatten()),
}
