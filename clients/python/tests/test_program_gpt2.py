"""GPT-2 as its program is written: keys and values kept between steps, sampling, training with few kept activations."""

import json
import os
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf
from ramet.compat.v1.contrib import graph_editor as ge


def default_hparams():
    return tf.contrib.training.HParams(n_vocab=0, n_ctx=1024, n_embd=768, n_head=12, n_layer=12)


def shape_list(x):
    """Returns the dimensions of `x`: a number where it is known, else a tensor."""
    known, found = x.shape.as_list(), tf.shape(x)
    return [found[i] if size is None else size for i, size in enumerate(known)]


def softmax(x, axis=-1):
    powers = tf.exp(x - tf.reduce_max(x, axis=axis, keepdims=True))
    return powers / tf.reduce_sum(powers, axis=axis, keepdims=True)


def gelu(x):
    return .5 * x * (1 + tf.tanh(np.sqrt(2 / np.pi) * (x + .044715 * tf.pow(x, 3))))


def norm(x, scope, *, axis=-1, epsilon=1e-5):
    """Scales and shifts the normalized last dimension."""
    with tf.variable_scope(scope):
        size = x.shape[-1].value
        gain = tf.get_variable('g', [size], initializer=tf.constant_initializer(1))
        bias = tf.get_variable('b', [size], initializer=tf.constant_initializer(0))
        mean = tf.reduce_mean(x, axis=axis, keepdims=True)
        variance = tf.reduce_mean(tf.square(x - mean), axis=axis, keepdims=True)
        return (x - mean) * tf.rsqrt(variance + epsilon) * gain + bias


def split_states(x, n):
    *first, size = shape_list(x)
    return tf.reshape(x, first + [n, size // n])


def merge_states(x):
    *first, n, size = shape_list(x)
    return tf.reshape(x, first + [n * size])


def conv1d(x, scope, nf, *, stddev=.02):
    """A convolution of width 1, computed as a product of matrices."""
    with tf.variable_scope(scope):
        *first, nx = shape_list(x)
        w = tf.get_variable('w', [1, nx, nf], initializer=tf.random_normal_initializer(stddev=stddev))
        b = tf.get_variable('b', [nf], initializer=tf.constant_initializer(0))
        product = tf.matmul(tf.reshape(x, [-1, nx]), tf.reshape(w, [-1, nf]))
        return tf.reshape(product + b, first + [nf])


def attention_mask(nd, ns, *, dtype):
    """Returns ones where a query may look. The last query sees all `ns` keys, the one before it one less."""
    query, key = tf.range(nd)[:, None], tf.range(ns)
    return tf.cast(query + ns - nd >= key, dtype)


def attention_weights(query, key):
    scores = tf.matmul(query, key, transpose_b=True) * tf.rsqrt(tf.cast(query.shape[-1].value, query.dtype))
    _, _, nd, ns = shape_list(scores)
    mask = tf.reshape(attention_mask(nd, ns, dtype=scores.dtype), [1, 1, nd, ns])
    return softmax(scores * mask - tf.cast(1e10, scores.dtype) * (1 - mask))


def attn(x, scope, n_state, *, past, hparams):
    """Returns (outputs, keys and values of this call)."""
    def heads(y):
        return tf.transpose(split_states(y, hparams.n_head), [0, 2, 1, 3])

    with tf.variable_scope(scope):
        query, key, value = map(heads, tf.split(conv1d(x, 'c_attn', n_state * 3), 3, axis=2))
        present = tf.stack([key, value], axis=1)
        if past is not None:
            past_key, past_value = tf.unstack(past, axis=1)
            key, value = tf.concat([past_key, key], axis=-2), tf.concat([past_value, value], axis=-2)
        mixed = tf.matmul(attention_weights(query, key), value)
        return conv1d(merge_states(tf.transpose(mixed, [0, 2, 1, 3])), 'c_proj', n_state), present


def mlp(x, scope, n_state):
    with tf.variable_scope(scope):
        return conv1d(gelu(conv1d(x, 'c_fc', n_state)), 'c_proj', x.shape[-1].value)


def block(x, scope, *, past, hparams):
    with tf.variable_scope(scope):
        size = x.shape[-1].value
        attended, present = attn(norm(x, 'ln_1'), 'attn', size, past=past, hparams=hparams)
        x = x + attended
        return x + mlp(norm(x, 'ln_2'), 'mlp', size * 4), present


def past_shape(*, hparams, batch_size=None, sequence=None):
    return [batch_size, hparams.n_layer, 2, hparams.n_head, sequence, hparams.n_embd // hparams.n_head]


def positions_for(tokens, past_length):
    batch, count = tf.shape(tokens)[0], tf.shape(tokens)[1]
    return tf.tile(tf.expand_dims(past_length + tf.range(count), axis=0), [batch, 1])


def model(hparams, X, past=None, scope='model', reuse=tf.AUTO_REUSE):
    """Returns the logits of the next tokens, and the keys and values of these tokens as 'present'."""
    with tf.variable_scope(scope, reuse=reuse):
        batch, sequence = shape_list(X)
        wpe = tf.get_variable('wpe', [hparams.n_ctx, hparams.n_embd],
                              initializer=tf.random_normal_initializer(stddev=.01))
        wte = tf.get_variable('wte', [hparams.n_vocab, hparams.n_embd],
                              initializer=tf.random_normal_initializer(stddev=.02))
        past_length = 0 if past is None else tf.shape(past)[-2]
        h = tf.gather(wte, X) + tf.gather(wpe, positions_for(X, past_length))
        pasts = [None] * hparams.n_layer if past is None else tf.unstack(past, axis=1)
        presents = []
        for layer, layer_past in enumerate(pasts):
            h, present = block(h, 'h%d' % layer, past=layer_past, hparams=hparams)
            tf.add_to_collection('checkpoints', h)
            presents.append(present)
        flat = tf.reshape(norm(h, 'ln_f'), [batch * sequence, hparams.n_embd])
        logits = tf.reshape(tf.matmul(flat, wte, transpose_b=True), [batch, sequence, hparams.n_vocab])
        return {'logits': logits, 'present': tf.stack(presents, axis=1)}


def top_k_logits(logits, k):
    """Leaves the `k` largest logits; all of them if `k` is 0."""
    if k == 0:
        return logits

    def without_small():
        smallest = tf.nn.top_k(logits, k=k)[0][:, -1, tf.newaxis]
        return tf.where(logits < smallest, tf.ones_like(logits, dtype=logits.dtype) * -1e10, logits)

    return tf.cond(tf.equal(k, 0), lambda: logits, without_small)


def top_p_logits(logits, p):
    """Leaves the most probable tokens until their probabilities add up to `p`."""
    batch, _ = shape_list(logits)
    ordered = tf.sort(logits, direction='DESCENDING', axis=-1)
    totals = tf.cumsum(tf.nn.softmax(ordered, axis=-1), axis=-1)
    last = tf.maximum(tf.reduce_sum(tf.cast(totals <= p, tf.int32), axis=-1) - 1, 0)
    smallest = tf.gather_nd(ordered, tf.stack([tf.range(batch), last], axis=-1))
    return tf.where(logits < smallest[:, tf.newaxis], tf.ones_like(logits) * -1e10, logits)


def sample_sequence(*, hparams, length, start_token=None, batch_size=None, context=None, temperature=1, top_k=0,
                    top_p=1):
    """Returns `context`, or `start_token`, followed by `length` sampled tokens."""
    if context is None:
        context = tf.fill([batch_size, 1], start_token)

    def step(tokens, past=None):
        output = model(hparams, tokens, past=past)
        output['present'].set_shape(past_shape(hparams=hparams, batch_size=batch_size))
        return output['logits'], output['present']

    def body(past, previous, output):
        logits, presents = step(previous[:, tf.newaxis], past)
        logits = top_p_logits(top_k_logits(logits[:, -1, :] / tf.to_float(temperature), top_k), top_p)
        samples = tf.multinomial(logits, num_samples=1, output_dtype=tf.int32)
        return [tf.concat([past, presents], axis=-2), tf.squeeze(samples, axis=[1]),
                tf.concat([output, samples], axis=1)]

    with tf.name_scope('sample_sequence'):
        # The last token of the context is the loop's first input, so that no token is computed twice.
        _, past = step(context[:, :-1])
        _, _, tokens = tf.while_loop(
            lambda *_: True, body, maximum_iterations=length, loop_vars=[past, context[:, -1], context],
            shape_invariants=[tf.TensorShape(past_shape(hparams=hparams, batch_size=batch_size)),
                              tf.TensorShape([batch_size]), tf.TensorShape([batch_size, None])],
            back_prop=False)
        return tokens


def segment_ops(ys, xs, start):
    """Returns the ops between `start` and `ys` that depend on `start` or `xs`."""
    kept = [t.op for t in start]
    behind = ge.get_backward_walk_ops([y.op for y in ys], inclusive=True, stop_at_ts=start)
    ahead = ge.get_forward_walk_ops([x.op for x in xs] + kept, inclusive=True, within_ops=behind + kept)
    return [op for op in ahead if op.inputs and op not in kept]


def gradients_with_checkpoints(y, xs, checkpoints):
    """Returns the gradients of `y`; the backward pass computes again what is between two checkpoints."""
    sums, outputs, grads = [None] * len(xs), [y], None
    for start in [[c] for c in reversed(checkpoints)] + [[]]:
        with tf.name_scope('recompute'):
            inputs = [tf.stop_gradient(t) for t in start]
            ops = segment_ops(outputs, xs, start)
            _, info = ge.copy_with_input_replacements(ge.sgv(ops), dict(zip(start, inputs)))
            copies = [info.transformed(t) for t in outputs]
            for op in map(info.transformed, ops) if grads else []:
                ge.add_control_inputs(op, [g.op for g in grads])
            found = tf.gradients(copies, list(xs) + inputs, grad_ys=grads)
        grads, outputs = found[len(xs):], start
        sums = [b if a is None else a if b is None else a + b for a, b in zip(sums, dense(found[:len(xs)]))]
    return sums


def dense(gradients):
    return [g if g is None else tf.convert_to_tensor(g) for g in gradients]


def language_loss(logits, tokens):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tokens[:, 1:],
                                                                         logits=logits[:, :-1]))


def tiny_hparams():
    hparams = default_hparams()
    hparams.override_from_dict(json.loads(
        '{"n_vocab": 11, "n_ctx": 24, "n_embd": 16, "n_head": 2, "n_layer": 3}'))
    return hparams


def counting_text(random, batch, length):
    """Returns rows that count up by one, modulo 10, from a random digit."""
    return (random.randint(0, 10, (batch, 1)) + np.arange(length)) % 10


class Gpt2Test(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(5)
        self.hparams = tiny_hparams()
        self.random = np.random.RandomState(3)

    def test_steps_with_past_equal_the_whole_sequence(self):
        tokens = tf.placeholder(tf.int32, [2, None])
        past = tf.placeholder(tf.float32, past_shape(hparams=self.hparams, batch_size=2))
        whole, step = model(self.hparams, tokens), model(self.hparams, tokens, past=past)
        names = [v.op.name for v in tf.trainable_variables()]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(names), 2 + 3 * 12 + 2)
        self.assertIn('model/h2/attn/c_attn/w', names)
        ids = self.random.randint(0, 11, (2, 9))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            expected, presents = session.run([whole['logits'], whole['present']], {tokens: ids})
            kept, steps = np.zeros(past_shape(hparams=self.hparams, batch_size=2, sequence=0)), []
            for i in range(9):
                logits, new = session.run([step['logits'], step['present']], {tokens: ids[:, i:i + 1], past: kept})
                kept = np.concatenate([kept, new], axis=-2)
                steps.append(logits)
        np.testing.assert_allclose(np.concatenate(steps, 1), expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(kept, presents, rtol=1e-4, atol=1e-5)

    def test_mask_hides_later_tokens(self):
        tokens = tf.placeholder(tf.int32, [1, None])
        logits = model(self.hparams, tokens)['logits']
        ids = self.random.randint(0, 10, (1, 8))
        changed = np.concatenate([ids[:, :5], ids[:, 5:] + 1], axis=1)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            first, second = (session.run(logits, {tokens: x}) for x in (ids, changed))
            mask = session.run(attention_mask(2, 4, dtype=tf.float32))
        np.testing.assert_array_equal(first[:, :5], second[:, :5])
        self.assertGreater(np.abs(first[:, 5:] - second[:, 5:]).min(), 0)
        np.testing.assert_array_equal(mask, [[1, 1, 1, 0], [1, 1, 1, 1]])

    def test_samples_are_among_the_most_probable(self):
        context = tf.placeholder(tf.int32, [3, None])
        sampled = sample_sequence(hparams=self.hparams, length=8, context=context, batch_size=3, temperature=.7,
                                  top_k=2)
        started = sample_sequence(hparams=self.hparams, length=5, start_token=10, batch_size=4, top_p=.9)
        logits = model(self.hparams, context)['logits']
        with tf.Session(graph=tf.get_default_graph()) as session:
            session.run(tf.global_variables_initializer())
            given = self.random.randint(0, 11, (3, 4))
            tokens = session.run(sampled, {context: given})
            scores = session.run(logits, {context: tokens})
            texts = session.run(started)
        np.testing.assert_array_equal(tokens[:, :4], given)
        self.assertEqual(tokens.shape, (3, 12))
        best = np.argsort(-scores[:, 3:-1], axis=-1)[..., :2]
        self.assertTrue((best == tokens[:, 4:, None]).any(-1).all())
        self.assertEqual(texts.shape, (4, 6))
        self.assertTrue((texts[:, 0] == 10).all() and (texts < 11).all())

    def test_filters_of_logits(self):
        logits = tf.constant([[1., 3., 2., 0.], [4., 4., 1., 0.]])
        with tf.Session() as session:
            top, every, likely = session.run([top_k_logits(logits, 2), top_k_logits(logits, 0),
                                              top_p_logits(logits, .95)])
        np.testing.assert_array_equal(top > -1e9, [[False, True, True, False], [True, True, False, False]])
        np.testing.assert_array_equal(every, [[1, 3, 2, 0], [4, 4, 1, 0]])
        np.testing.assert_array_equal(likely > -1e9, [[False, True, True, False], [True, True, False, False]])


class TrainingTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(5)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.hparams = tiny_hparams()
        self.random = np.random.RandomState(3)

    def test_recomputed_gradients_are_equal(self):
        tokens = tf.placeholder(tf.int32, [4, None])
        loss = language_loss(model(self.hparams, tokens)['logits'], tokens)
        variables = tf.trainable_variables()
        plain = dense(tf.gradients(loss, variables))
        ops_before = len(tf.get_default_graph().get_operations())
        again = gradients_with_checkpoints(loss, variables, tf.get_collection('checkpoints'))
        recomputed = [op.name for op in tf.get_default_graph().get_operations()[ops_before:]]
        self.assertTrue(any('h1/mlp' in name for name in recomputed))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for a, b in zip(*session.run([plain, again], {tokens: counting_text(self.random, 4, 12)})):
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)

    def train(self, steps):
        """Trains, writes summaries and a checkpoint, and returns the losses."""
        tokens = tf.placeholder(tf.int32, [16, None])
        loss = language_loss(model(self.hparams, tokens)['logits'], tokens)
        variables = [v for v in tf.trainable_variables() if 'model' in v.name]
        gradients = gradients_with_checkpoints(loss, variables, tf.get_collection('checkpoints'))
        train = tf.train.AdamOptimizer(learning_rate=.01).apply_gradients(zip(gradients, variables))
        summary = tf.summary.scalar('loss', loss)
        saver = tf.train.Saver(var_list=variables, max_to_keep=5, keep_checkpoint_every_n_hours=2)
        config = tf.ConfigProto()
        config.gpu_options.allow_growth = True
        losses = []
        with tf.Session(config=config) as session, tf.summary.FileWriter(self.folder) as log:
            session.run(tf.global_variables_initializer())
            for step in range(steps):
                _, value, text = session.run([train, loss, summary],
                                             {tokens: counting_text(self.random, 16, 12)})
                log.add_summary(text, step)
                losses.append(value)
            saver.save(session, os.path.join(self.folder, 'model'), global_step=steps)
        return losses

    def test_trains_and_samples_from_a_checkpoint(self):
        losses = self.train(60)
        self.assertGreater(losses[0], 2)
        self.assertLess(np.mean(losses[-5:]), .5)  # a row's first digit says all others
        tf.reset_default_graph()
        tf.set_random_seed(1)
        context = tf.placeholder(tf.int32, [1, None])
        output = sample_sequence(hparams=self.hparams, length=8, context=context, batch_size=1, top_k=1)
        with tf.Session(graph=tf.get_default_graph()) as session:
            tf.train.Saver().restore(session, tf.train.latest_checkpoint(self.folder))
            tokens = session.run(output, {context: [[6, 7, 8]]})
        np.testing.assert_array_equal(tokens, [(6 + np.arange(11)) % 10])


if __name__ == '__main__':
    unittest.main()
