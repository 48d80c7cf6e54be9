"""Skip-gram models as their programs are written: candidates as noise, summaries, a projector, nearest words."""

import collections
import glob
import os
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf
from ramet.compat.v1.contrib.tensorboard.plugins import projector

TOPICS, WORDS_OF_TOPIC = 5, 6


def generated_text(sentences, seed):
    """Returns words; each sentence has the words of one topic."""
    random = np.random.RandomState(seed)
    words = []
    for _ in range(sentences):
        topic = random.randint(TOPICS)
        words.extend('topic%d_word%d' % (topic, word) for word in random.randint(WORDS_OF_TOPIC, size=12))
    return words


def build_dataset(words, vocabulary_size):
    """Returns the words as numbers, (word, count) pairs by frequency, and the two dictionaries."""
    count = [['UNK', -1]]
    count.extend(collections.Counter(words).most_common(vocabulary_size - 1))
    dictionary = {word: number for number, (word, _) in enumerate(count)}
    data = [dictionary.get(word, 0) for word in words]
    count[0][1] = data.count(0)
    return data, count, dictionary, dict(zip(dictionary.values(), dictionary.keys()))


class SkipGrams:
    """Batches of a word and its neighbors from a window that moves over the data."""

    def __init__(self, data, seed):
        self._data = data
        self._next = 0
        self._random = np.random.RandomState(seed)

    def generate_batch(self, batch_size, num_skips, skip_window):
        assert batch_size % num_skips == 0 and num_skips <= 2 * skip_window
        batch = np.ndarray(shape=(batch_size), dtype=np.int32)
        labels = np.ndarray(shape=(batch_size, 1), dtype=np.int32)
        window = collections.deque(maxlen=2 * skip_window + 1)
        window.extend(self._take() for _ in range(2 * skip_window + 1))
        neighbors = [i for i in range(2 * skip_window + 1) if i != skip_window]
        for start in range(0, batch_size, num_skips):
            for j, neighbor in enumerate(self._random.choice(neighbors, num_skips, replace=False)):
                batch[start + j] = window[skip_window]
                labels[start + j, 0] = window[neighbor]
            window.append(self._take())
        self._next = (self._next - 2 * skip_window) % len(self._data)
        return batch, labels

    def _take(self):
        word = self._data[self._next]
        self._next = (self._next + 1) % len(self._data)
        return word


def share_of_own_topic(nearest, words, names):
    """Returns how many of the `nearest` of each word, the word itself excepted, are of its topic."""
    def topic(word):
        return names[word].split('_')[0]

    return np.mean([topic(word) == topic(other) for word, row in zip(words, nearest) for other in row[1:]])


class BasicTest(unittest.TestCase):
    """The program with tf.nn.nce_loss, name scopes, summaries and the projector."""

    BATCH, EMBEDDING, SAMPLED, STEPS = 64, 16, 16, 1200

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log_dir = folder.name
        self.size = TOPICS * WORDS_OF_TOPIC + 1
        self.data, self.count, _, self.names = build_dataset(generated_text(600, 1), self.size)

    def build(self, valid_examples):
        size = self.size
        with tf.name_scope('inputs'):
            self.inputs = tf.placeholder(tf.int32, shape=[self.BATCH])
            self.labels = tf.placeholder(tf.int32, shape=[self.BATCH, 1])
            valid_dataset = tf.constant(valid_examples, dtype=tf.int32)
        with tf.device('/cpu:0'):
            with tf.name_scope('embeddings'):
                self.embeddings = tf.Variable(tf.random_uniform([size, self.EMBEDDING], -1.0, 1.0))
                embed = tf.nn.embedding_lookup(self.embeddings, self.inputs)
            with tf.name_scope('weights'):
                weights = tf.Variable(tf.truncated_normal([size, self.EMBEDDING],
                                                          stddev=1.0 / np.sqrt(self.EMBEDDING)))
            with tf.name_scope('biases'):
                biases = tf.Variable(tf.zeros([size]))
        with tf.name_scope('loss'):
            self.loss = tf.reduce_mean(tf.nn.nce_loss(
                weights=weights, biases=biases, labels=self.labels, inputs=embed, num_sampled=self.SAMPLED,
                num_classes=size))
        tf.summary.scalar('loss', self.loss)
        with tf.name_scope('optimizer'):
            self.optimizer = tf.train.GradientDescentOptimizer(.5).minimize(self.loss)
        length = tf.sqrt(tf.reduce_sum(tf.square(self.embeddings), 1, keep_dims=True))
        self.normalized_embeddings = self.embeddings / length
        valid = tf.nn.embedding_lookup(self.normalized_embeddings, valid_dataset)
        self.similarity = tf.matmul(valid, self.normalized_embeddings, transpose_b=True)
        _, self.nearest = tf.nn.top_k(self.similarity, k=4)
        self.merged = tf.summary.merge_all()
        self.saver = tf.train.Saver()

    def train(self, session, writer):
        """Returns the losses of the steps."""
        batches, losses = SkipGrams(self.data, 2), []
        for step in range(self.STEPS):
            inputs, labels = batches.generate_batch(self.BATCH, 2, 2)
            run_metadata = tf.RunMetadata()
            _, summary, loss = session.run([self.optimizer, self.merged, self.loss],
                                           feed_dict={self.inputs: inputs, self.labels: labels},
                                           run_metadata=run_metadata)
            losses.append(loss)
            writer.add_summary(summary, step)
            if step == self.STEPS - 1:
                writer.add_run_metadata(run_metadata, 'step%d' % step)
        return losses

    def write_projector(self, session, writer):
        metadata_path = os.path.join(self.log_dir, 'metadata.tsv')
        with open(metadata_path, 'w') as file:
            file.writelines(self.names[i] + '\n' for i in range(self.size))
        self.saver.save(session, os.path.join(self.log_dir, 'model.ckpt'))
        config = projector.ProjectorConfig()
        embedding = config.embeddings.add()
        embedding.tensor_name = self.embeddings.name
        embedding.metadata_path = metadata_path
        projector.visualize_embeddings(writer, config)

    def test_program(self):
        valid = np.arange(1, self.size)
        with tf.Graph().as_default():
            tf.set_random_seed(4)
            self.build(valid)
            with tf.Session() as session:
                writer = tf.summary.FileWriter(self.log_dir, session.graph)
                session.run(tf.global_variables_initializer())
                losses = self.train(session, writer)
                similarity, nearest = session.run([self.similarity, self.nearest])
                final = session.run(self.normalized_embeddings)
                self.write_projector(session, writer)
                writer.close()
        self.assertLess(np.mean(losses[-100:]), .6 * np.mean(losses[:20]))
        np.testing.assert_array_equal(nearest[:, 0], valid)
        np.testing.assert_allclose(similarity, final[1:] @ final.T, atol=1e-5)
        np.testing.assert_array_equal(nearest, np.argsort(-similarity, axis=1)[:, :4])
        self.assertGreater(share_of_own_topic(nearest, valid, self.names), .9)
        self.check_files(losses, final)

    def check_files(self, losses, final):
        events = [event for path in glob.glob(os.path.join(self.log_dir, 'events.out.*'))
                  for event in tf.train.summary_iterator(path)]
        written = [value.simple_value for event in events for value in event.summary.value if value.tag == 'loss_1']
        np.testing.assert_allclose(written, losses, rtol=1e-6)
        self.assertTrue(any(event.graph_def for event in events))
        self.assertEqual([event.tagged_run_metadata.tag for event in events
                          if event.HasField('tagged_run_metadata')], ['step%d' % (self.STEPS - 1)])
        with open(os.path.join(self.log_dir, 'projector_config.pbtxt')) as file:
            text = file.read()
        self.assertIn('tensor_name: "embeddings/Variable:0"', text)
        self.assertIn('metadata.tsv', text)
        saved = tf.train.load_variable(os.path.join(self.log_dir, 'model.ckpt'), 'embeddings/Variable')
        lengths = np.linalg.norm(saved, axis=1, keepdims=True)
        np.testing.assert_allclose(saved / lengths, final, rtol=1e-4)


class AnalogiesTest(unittest.TestCase):
    """The program that writes noise contrastive estimation out and has a graph for analogies."""

    BATCH, EMBEDDING, SAMPLED, STEPS = 64, 16, 8, 800

    def forward(self, examples, labels, counts):
        """Returns logits of the labels and of sampled words."""
        size, dim = len(counts), self.EMBEDDING
        self.embedding = emb = tf.Variable(tf.random_uniform([size, dim], -.5 / dim, .5 / dim), name='emb')
        weights = tf.Variable(tf.zeros([size, dim]), name='sm_w_t')
        bias = tf.Variable(tf.zeros([size]), name='sm_b')
        self.global_step = tf.Variable(0, name='global_step')
        labels_matrix = tf.reshape(tf.cast(labels, dtype=tf.int64), [self.BATCH, 1])
        sampled_ids, _, _ = tf.nn.fixed_unigram_candidate_sampler(
            true_classes=labels_matrix, num_true=1, num_sampled=self.SAMPLED, unique=True, range_max=size,
            distortion=.75, unigrams=counts)
        example_emb = tf.nn.embedding_lookup(emb, examples)
        true_logits = tf.reduce_sum(example_emb * tf.nn.embedding_lookup(weights, labels), 1)
        true_logits += tf.nn.embedding_lookup(bias, labels)
        sampled_b = tf.reshape(tf.nn.embedding_lookup(bias, sampled_ids), [self.SAMPLED])
        sampled_logits = tf.matmul(example_emb, tf.nn.embedding_lookup(weights, sampled_ids), transpose_b=True)
        return true_logits, sampled_logits + sampled_b

    def nce_loss(self, true_logits, sampled_logits):
        true = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones_like(true_logits), logits=true_logits)
        sampled = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.zeros_like(sampled_logits),
                                                          logits=sampled_logits)
        return (tf.reduce_sum(true) + tf.reduce_sum(sampled)) / self.BATCH

    def optimize(self, loss, words_to_train):
        """Minimizes the loss at a rate that falls with the words of the batches so far."""
        words = tf.cast(self.global_step * self.BATCH, tf.float32)
        self.lr = 2. * tf.maximum(.0001, 1. - words / words_to_train)
        optimizer = tf.train.GradientDescentOptimizer(self.lr)
        return optimizer.minimize(loss, global_step=self.global_step, gate_gradients=optimizer.GATE_NONE)

    def build_eval(self):
        """Adds the graph that answers what is to c as b is to a."""
        self.analogy = [tf.placeholder(dtype=tf.int32, name='analogy_' + name) for name in 'abc']
        nemb = tf.nn.l2_normalize(self.embedding, 1)
        a, b, c = (tf.gather(nemb, words) for words in self.analogy)
        _, self.answers = tf.nn.top_k(tf.matmul(c + (b - a), nemb, transpose_b=True), 4)
        self.near_word = tf.placeholder(dtype=tf.int32)
        distances = tf.matmul(tf.gather(nemb, self.near_word), nemb, transpose_b=True)
        _, self.near = tf.nn.top_k(distances, 4)

    def test_program(self):
        data, count, dictionary, names = build_dataset(generated_text(600, 3), TOPICS * WORDS_OF_TOPIC + 1)
        batches, losses = SkipGrams(data, 5), []
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(9)
            examples = tf.placeholder(tf.int32, [self.BATCH])
            labels = tf.placeholder(tf.int32, [self.BATCH])
            logits = self.forward(examples, labels, [max(number, 1) for _, number in count])
            loss = self.nce_loss(*logits)
            train = self.optimize(loss, self.STEPS * self.BATCH)
            self.build_eval()
            tf.global_variables_initializer().run()
            for _ in range(self.STEPS):
                words, others = batches.generate_batch(self.BATCH, 4, 2)
                losses.append(session.run([loss, train], {examples: words, labels: others[:, 0]})[0])
            step, rate = session.run([self.global_step, self.lr])
            near = session.run(self.near, {self.near_word: np.arange(1, len(count))})
            questions = [dictionary['topic%d_word%d' % pair] for pair in ((0, 1), (1, 1), (0, 2))]
            answers = session.run(self.answers, dict(zip(self.analogy, np.transpose([questions]))))
        self.assertEqual(step, self.STEPS)
        self.assertAlmostEqual(rate, 2e-4, places=6)
        self.assertLess(np.mean(losses[-50:]), .7 * np.mean(losses[:5]))
        self.assertGreater(share_of_own_topic(near, np.arange(1, len(count)), names), .9)
        self.assertTrue(all(names[word].startswith('topic1_') for word in answers[0]),
                        [names[word] for word in answers[0]])


if __name__ == '__main__':
    unittest.main()
