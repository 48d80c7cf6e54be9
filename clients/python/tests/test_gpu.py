"""GPUs as Python programs see them. The device is a processor behind OpenCL (PoCL), if one is installed, or a GPU of
the driver that RAMET_TEST_GPU names."""

import glob
import os
import pathlib
import re
import subprocess
import sys
import unittest

import ramet

SEEDS = os.environ.get('RAMET_SEEDS')
DRIVER = os.environ.get('RAMET_TEST_GPU', 'opencl:cpu')
HAS_GPU = DRIVER != 'opencl:cpu' or bool(glob.glob('/etc/OpenCL/vendors/pocl*.icd'))
EXAMPLE_FILE = str(pathlib.Path(__file__).resolve().parents[3] / 'examples' / 'python' / 'train_on_a_gpu.py')
EXAMPLE = f'import runpy; runpy.run_path({EXAMPLE_FILE!r}, run_name="__main__")'


def run(program, gpu=DRIVER, **env):
    """Returns the lines that a program prints in a process of its own."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(ramet.__file__)))
    done = subprocess.run([sys.executable, '-B', '-m', 'ramet', '-c', program], text=True,
                          env={**os.environ, 'PYTHONPATH': package, 'RAMET_GPU': gpu, **env},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.splitlines()


LISTING = '''
import tensorflow as tf
from tensorflow.python.client import device_lib
print([d.name for d in device_lib.list_local_devices() if d.device_type == 'GPU'])
print(tf.test.is_gpu_available(), tf.test.gpu_device_name())
'''


class GpuTest(unittest.TestCase):

    @unittest.skipUnless(HAS_GPU, 'skipped: PoCL is not installed (pocl-opencl-icd)')
    def test_a_gpu_is_listed(self):
        self.assertEqual(run(LISTING), ["['/device:GPU:0']", 'True /device:GPU:0'])

    def test_without_a_gpu_none_is_listed(self):
        self.assertEqual(run(LISTING, gpu='off'), ['[]', 'False '])

    @unittest.skipUnless(HAS_GPU, 'skipped: PoCL is not installed (pocl-opencl-icd)')
    def test_the_environment_hides_gpus(self):
        self.assertEqual(run(LISTING, CUDA_VISIBLE_DEVICES=''), ['[]', 'False '])
        self.assertEqual(run(LISTING, CUDA_VISIBLE_DEVICES='-1'), ['[]', 'False '])
        self.assertEqual(run(LISTING, CUDA_VISIBLE_DEVICES='0'),
                         ["['/device:GPU:0']", 'True /device:GPU:0'])

    @unittest.skipUnless(HAS_GPU, 'skipped: PoCL is not installed (pocl-opencl-icd)')
    def test_gpu_options_count(self):
        lines = run('''
import tensorflow as tf
options = tf.GPUOptions(per_process_gpu_memory_fraction=1e-5, visible_device_list='0', allow_growth=True)
with tf.Session(config=tf.ConfigProto(gpu_options=options)) as session:
    with tf.device('/gpu:0'):
        x = tf.placeholder(tf.float32)
        y = x * 2
    print(session.run(y, {x: [1.0, 2.0]}))
    try:
        session.run(y, {x: [1.0] * 1000000})
    except tf.errors.ResourceExhaustedError as error:
        print('out of memory on GPU:0' in error.message, 'per_process_gpu_memory_fraction' in error.message)
    print(session.run(y, {x: [3.0]}))
''')
        self.assertEqual(lines, ['[2. 4.]', 'True True', '[6.]'])

    @unittest.skipUnless(HAS_GPU, 'skipped: PoCL is not installed (pocl-opencl-icd)')
    def test_wrong_gpu_options_are_errors(self):
        for options, message in (('visible_device_list="7"', "visible_device_list is '7'"),
                                 ('per_process_gpu_memory_fraction=2', 'memory_fraction is 2')):
            lines = run(f'''
import tensorflow as tf
try:
    tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions({options})))
except tf.errors.InvalidArgumentError as error:
    print(error.message)
''')
            self.assertIn(message, lines[0])

    @unittest.skipUnless(HAS_GPU, 'skipped: PoCL is not installed (pocl-opencl-icd)')
    @unittest.skipUnless(SEEDS, 'skipped: RAMET_SEEDS names no folder')
    def test_a_network_trains_on_the_gpu_as_on_the_cpu(self):
        lines = run(f'import sys; sys.path.insert(0, {SEEDS!r})' + '''
import numpy as np
import tensorflow as tf
from duplicate_a_graph import build_net

random = np.random.RandomState(0)
images = random.rand(50, 784)
classes = np.eye(10)[random.randint(10, size=50)]
outputs = []
for device in ('/cpu:0', '/gpu:0'):
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
    init, x, y, out, train, _ = build_net(graph, device)
    with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as session:
        session.run(init)
        outputs.append(session.run(out, {x: images}))
        for _ in range(20):
            session.run(train, {x: images, y: classes})
        outputs.append(session.run(out, {x: images}))
print(np.abs(outputs[1] - outputs[3]).max() < 1e-4, np.abs(outputs[2] - outputs[3]).max() > 0.01)
''')
        self.assertEqual(lines[-1:], ['True True'], '\n'.join(lines))

    @unittest.skipUnless(HAS_GPU, 'skipped: PoCL is not installed (pocl-opencl-icd)')
    def test_a_copy_on_the_cpu_follows_a_trainer_on_the_gpu(self):
        lines = run(EXAMPLE)
        steps = [line for line in lines if line.startswith('step ')]
        self.assertEqual(len(steps), 3, '\n'.join(lines))
        for line in steps:
            on_gpu, copied, restored = re.findall(r'0\.\d+|1\.0+', line)
            self.assertTrue(on_gpu == copied == restored, line)
        self.assertEqual(lines[-1], 'the copy on the CPU is as good as the trainer on the GPU')

    @unittest.skipUnless(HAS_GPU, 'skipped: PoCL is not installed (pocl-opencl-icd)')
    def test_each_graph_runs_on_its_device(self):
        lines = run("""
import sys
sys.path.insert(0, %r)
import tensorflow as tf
from train_on_a_gpu import build_net

for device in '/gpu:0', '/cpu:0':
    graph = tf.Graph()
    init, images, labels, output, train, _ = build_net(graph, device)
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=True)
    with tf.Session(graph=graph, config=config) as session:
        session.run(init)
        session.run(train, {images: [[0.5] * 64], labels: [[0.1] * 10]})
""" % os.path.dirname(EXAMPLE_FILE))
        for op in 'MatMul', 'VariableV2', 'ApplyGradientDescent':
            places = [line.rsplit('device:', 1)[1] for line in lines if f': ({op}): ' in line]
            self.assertIn('GPU:0', places, '\n'.join(lines))
            self.assertIn('CPU:0', places, '\n'.join(lines))

    @unittest.skipUnless(HAS_GPU, 'skipped: PoCL is not installed (pocl-opencl-icd)')
    def test_the_work_of_a_run_is_counted(self):
        lines = run("""
import ramet
import tensorflow as tf
with tf.device('/gpu:0'):
    x = tf.placeholder(tf.float32, [4])
    y = tf.matmul(x[None], tf.exp(x)[:, None])
with tf.Session() as session:
    session.run(y, {x: [0, 1, 2, 3]})
    before = ramet.work_of_device()
    session.run(y, {x: [0, 1, 2, 3]})
    work = ramet.work_of_device() - before
print(work.launches >= 2, work.copies_to_device, work.bytes_to_device, work.copies_to_host, work.bytes_to_host)
print(ramet.work_of_device('/device:GPU:0').launches > work.launches)
""")
        self.assertEqual(lines, ['True 1 16 1 4', 'True'])

    def test_work_is_counted_on_gpus_only(self):
        lines = run("""
import ramet
import tensorflow as tf
for name in '/cpu:0', '/gpu:0', '':
    try:
        print(ramet.work_of_device(name))
    except tf.errors.NotFoundError as error:
        print(error.message[:len(name) + 15])
""", gpu='off')
        self.assertEqual(lines, ['/cpu:0 counts no work', '/gpu:0 counts no work', ' counts no work'])

    def test_the_example_says_how_to_try_it_without_a_gpu(self):
        self.assertEqual(run(EXAMPLE, gpu='off'),
                         ['no GPU was found; to try a processor behind OpenCL instead, install pocl-opencl-icd '
                          'and run: RAMET_GPU=opencl:cpu python train_on_a_gpu.py'])


if __name__ == '__main__':
    unittest.main()
