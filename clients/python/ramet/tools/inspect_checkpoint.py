"""Prints the contents of a checkpoint."""

import re

import numpy as np

from ramet.train import checkpoint_utils


def print_tensors_in_checkpoint_file(file_name, tensor_name, all_tensors, all_tensor_names=False,
                                     count_exclude_pattern=''):
    """Prints the tensors of a checkpoint.

    Args:
      file_name: str, the checkpoint's prefix.
      tensor_name: str, the tensor to print, or '' to print all names with their shapes.
      all_tensors: whether to print all tensors with their values.
      all_tensor_names: whether to print all names with dtypes.
      count_exclude_pattern: a regular expression of tensors that do not count as parameters.
    """
    reader = checkpoint_utils.NewCheckpointReader(file_name)
    if all_tensors or all_tensor_names:
        dtypes = reader.get_variable_to_dtype_map()
        for key, dtype in sorted(dtypes.items()):
            print('tensor: %s (%s) %s' % (key, dtype.name,
                                          reader.get_variable_to_shape_map()[key]))
            if all_tensors:
                print(reader.get_tensor(key))
    elif not tensor_name:
        print(reader.debug_string().decode('utf-8', errors='ignore'))
    else:
        print('tensor: %s (%s) %s' % (
            tensor_name, reader.get_variable_to_dtype_map()[tensor_name].name,
            reader.get_variable_to_shape_map()[tensor_name]))
        print(reader.get_tensor(tensor_name))
    _print_count(reader, count_exclude_pattern)


def _print_count(reader, exclude):
    sizes = {key: int(np.prod(shape))
             for key, shape in reader.get_variable_to_shape_map().items()}
    left_out = [size for key, size in sizes.items() if exclude and re.match(exclude, key)]
    if exclude:
        print('# Excluding %d tensors (%d params) that match %s when counting.'
              % (len(left_out), sum(left_out), exclude))
    print('# Total number of params: %d' % (sum(sizes.values()) - sum(left_out)))
