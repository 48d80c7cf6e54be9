"""Checkpoints of variables of eager execution."""

import os

from ramet import gen
from ramet.lib import paths


def write(prefix, names, tensors):
    """Writes tensors to a checkpoint.

    Args:
      prefix: str, the prefix of the files. The folder is created.
      names: a list of str.
      tensors: a list of Tensors.
    """
    folder = os.path.dirname(paths.to_text(prefix))
    if folder:
        os.makedirs(folder, exist_ok=True)
    gen.SaveV2(prefix, names, [''] * len(names), tensors)


def restore(prefix, variables):
    """Restores variables.

    Args:
      prefix: str, the prefix of the files.
      variables: a list of pairs of a variable and its name in the checkpoint.
    """
    for variable, name in variables:
        variable.assign(gen.RestoreV2(prefix, [name], [''], dtypes=[variable.dtype.base_dtype])[0])
