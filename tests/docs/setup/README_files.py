"""Writes the input of the commands in README.md."""

import numpy as np

np.save('x.npy', np.ones([1, 784], np.float32))
