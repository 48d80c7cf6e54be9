"""Utilities of the layers of tf.contrib."""

import functools

from ramet.contrib.framework import variables
from ramet.framework import ops, tensor_shape
from ramet.ops.variables.partitioned_variable import PartitionedVariable


def append_tensor_alias(tensor, alias):
    """Gives a tensor an additional name, and returns it."""
    alias = alias.removesuffix('/')
    tensor.aliases = [*getattr(tensor, 'aliases', ()), alias]
    return tensor


def get_tensor_aliases(tensor):
    """Returns the names of a tensor: those from append_tensor_alias, or else its own."""
    return getattr(tensor, 'aliases', None) or [tensor.name.removesuffix(':0')]


def gather_tensors_aliases(tensors):
    """Returns the names of all tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(collection, clear_collection=False):
    """Returns the tensors of a collection by their names, and clears the collection if asked."""
    found = {alias: tensor for tensor in ops.get_collection(collection)
             for alias in get_tensor_aliases(tensor)}
    if clear_collection:
        ops.get_default_graph().clear_collection(collection)
    return found


def collect_named_outputs(collections, alias, outputs):
    """Adds an output to collections, if there are any, under a name, and returns it."""
    if collections:
        append_tensor_alias(outputs, alias)
        ops.add_to_collections(collections, outputs)
    return outputs


def get_variable_collections(variables_collections, name):
    """Returns the collections for a variable: a list, or the dict's entry for the variable's name."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name, None)
    return variables_collections


def add_variable_to_collections(variable, variables_collections, name):
    """Adds a variable, or the parts of one, to the collections given for `name`."""
    parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
    for collection in get_variable_collections(variables_collections, name) or []:
        for part in parts:
            if not any(v is part for v in ops.get_collection(collection)):
                ops.add_to_collection(collection, part)


def layer_variable_getter(rename=None):
    """Returns a custom getter that creates model variables and renames those of tf.layers."""
    return functools.partial(_get_model_variable, rename=rename or {})


def _get_model_variable(getter, name, rename, shape=None, dtype=None, initializer=None,
                        regularizer=None, trainable=True, collections=None, caching_device=None,
                        partitioner=None, use_resource=None, synchronization=None,
                        aggregation=None, **unused):
    before, slash, last = name.rpartition('/')
    return variables.model_variable(
        f'{before}{slash}{rename.get(last, last)}', shape=shape, dtype=dtype,
        initializer=initializer, regularizer=regularizer, collections=collections,
        trainable=trainable, caching_device=caching_device, partitioner=partitioner,
        custom_getter=getter, use_resource=use_resource, synchronization=synchronization,
        aggregation=aggregation)


def layer_format(data_format):
    """Converts a data format such as 'NCHW' to that of tf.layers."""
    return 'channels_first' if data_format and data_format.startswith('NC') else 'channels_last'


def check_format(data_format, *known):
    """Checks that a data format is one of the known ones.

    Raises:
      ValueError: if it is not.
    """
    if data_format not in known:
        raise ValueError(f'data_format has to be either {" or ".join(known)}.')


def last_dimension(shape, min_rank=1):
    """Returns the size of the last axis.

    Raises:
      ValueError: if it is unknown, or the rank is unknown or less than `min_rank`.
    """
    if shape.ndims is None:
        raise ValueError('dims of shape must be known but is None')
    if shape.ndims < min_rank:
        raise ValueError(f'rank of shape must be at least {min_rank} not: {shape.ndims}')
    size = tensor_shape.dimension_value(shape[-1])
    if size is None:
        raise ValueError('last dimension shape must be known but is None')
    return size
