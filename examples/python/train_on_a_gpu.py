"""A trainer on the first GPU and a copy of its graph on the CPU, as two graphs of one program.

The question "How to duplicate a graph and keep the copy up to date, for example from GPU to CPU?"
in TensorFlow 1: both graphs come from the same function, build_net, with different devices. The
copy restores a checkpoint, or follows the trainer's variables.

    python train_on_a_gpu.py

Without a GPU, a processor behind OpenCL can take its place (Debian: pocl-opencl-icd):

    RAMET_GPU=opencl:cpu python train_on_a_gpu.py
"""

import os
import sys
import tempfile

import numpy as np
import ramet
import ramet.compat.v1 as tf

STEPS, EVERY = 60, 20


def build_net(graph, device):
    """Builds the network in a graph, on a device."""
    with graph.as_default(), graph.device(device):
        tf.set_random_seed(1)
        images = tf.placeholder(tf.float32, [None, 64])
        labels = tf.placeholder(tf.float32, [None, 10])
        w0 = tf.get_variable('w0', [64, 32], initializer=tf.glorot_uniform_initializer())
        w1 = tf.get_variable('w1', [32, 10], initializer=tf.glorot_uniform_initializer())
        b0, b1 = tf.Variable(tf.zeros([32])), tf.Variable(tf.zeros([10]))
        hidden = tf.nn.relu(tf.matmul(images, w0) + b0)
        output = tf.nn.softmax(tf.matmul(hidden, w1) + b1)
        loss = tf.reduce_mean(-tf.reduce_sum(labels * tf.log(output), reduction_indices=[1]))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        return tf.global_variables_initializer(), images, labels, output, train, tf.train.Saver()


def pictures(rng, count, centers):
    """Returns pictures of ten classes and their labels."""
    classes = rng.randint(10, size=count)
    return centers[classes] + rng.normal(0, 0.3, (count, 64)), np.eye(10)[classes]


def accuracy(session, output, images, test):
    """Returns the part of the test pictures that a session classifies correctly."""
    found = session.run(output, {images: test[0]})
    return np.mean(found.argmax(1) == test[1].argmax(1))


def main():
    if not tf.test.is_gpu_available():
        sys.exit('no GPU was found; to try a processor behind OpenCL instead, install pocl-opencl-icd '
                 'and run: RAMET_GPU=opencl:cpu python train_on_a_gpu.py')
    rng = np.random.RandomState(0)
    centers = rng.uniform(0, 1, (10, 64))
    test = pictures(rng, 500, centers)
    graph_a, graph_b = tf.Graph(), tf.Graph()
    init, images, labels, output, train, saver = build_net(graph_a, '/gpu:0')
    _, images_b, _, output_b, _, saver_b = build_net(graph_b, '/cpu:0')
    config = tf.ConfigProto(allow_soft_placement=True)
    address = f'shm:train_on_a_gpu-{os.getpid()}'
    with tempfile.TemporaryDirectory() as folder, \
            tf.Session(graph=graph_a, config=config) as trainer, \
            tf.Session(graph=graph_b) as copy, tf.Session(graph=graph_b) as restored:
        trainer.run(init)
        with ramet.Publisher(trainer, address) as publisher:
            publisher.publish(0)  # a follower waits for the first version
            follower = ramet.Follower(address, session=copy)
            for step in range(1, STEPS + 1):
                batch = pictures(rng, 50, centers)
                trainer.run(train, {images: batch[0], labels: batch[1]})
                if step % EVERY:
                    continue
                follower.wait(publisher.publish(step))
                path = saver.save(trainer, os.path.join(folder, 'net'), step)
                saver_b.restore(restored, path)
                found = [accuracy(trainer, output, images, test),
                         accuracy(copy, output_b, images_b, test),
                         accuracy(restored, output_b, images_b, test)]
                print(f'step {step}: accuracy on the GPU {found[0]:.3f}, '
                      f'of the copy on the CPU {found[1]:.3f}, restored {found[2]:.3f}')
                assert found[0] == found[1] == found[2]
            follower.close()
    print('the copy on the CPU is as good as the trainer on the GPU')


if __name__ == '__main__':
    main()
