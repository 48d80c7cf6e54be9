#!/usr/bin/env bash
# Runs in a bare Debian: installs the wheel in /ramet with pip, and trains, saves and restores with it.
set -euo pipefail
cd /ramet
apt-get -qq -y install --no-install-recommends python3-venv > apt.log 2>&1 || { cat apt.log; exit 1; }
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check ramet-*.whl
env/bin/pip list --disable-pip-version-check --format=freeze
mkdir empty
cd empty
cp ../program.py .
[ "$(../env/bin/python -m ramet program.py .)" = ok ]

cat > libraries.py <<'P'
"""Follows a session through shared memory, and prints the libraries of the process that Python does not bring."""
import ramet.compat.v1 as tf, ramet, numpy as np

x = tf.placeholder(tf.float32, [64, 64], name='x')
y = tf.matmul(x, tf.get_variable('w', [64, 64]), name='y')
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    publisher = ramet.Publisher(session, 'shm:package')
    publisher.publish()
    follower = ramet.Follower('shm:package')
    ones = np.ones([64, 64], np.float32)
    np.testing.assert_array_equal(follower.run('y:0', {'x:0': ones}), session.run(y, {x: ones}))
with open('/proc/self/maps') as maps:
    print(*sorted({line.split()[-1] for line in maps if '.so' in line}), sep='\n')
P
../env/bin/python libraries.py > libraries
grep -q '/env/.*/libdnnl' libraries || { cat libraries; echo "the wheel's oneDNN is not used" >&2; exit 1; }
# These belong to every Linux that pip accepts this wheel on, or to Python.
if grep -vE '^/ramet/env/|/(ld-linux-x86-64|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z|util|expat|crypto|ssl|ffi|bz2|lzma|uuid))\.so|/python3' libraries; then
  echo "the wheel does not bundle the libraries above" >&2
  exit 1
fi
