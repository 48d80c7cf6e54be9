"""Writes the programs that the page runs unchanged."""

import pathlib

pathlib.Path('my_package').mkdir()
for name in ('train.py', 'my_package/train.py', 'my_package/__init__.py'):
    pathlib.Path(name).write_text('import tensorflow as tf\n')
