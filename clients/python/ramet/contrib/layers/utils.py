"""What the layers of tf.contrib share."""

import functools

from ramet.contrib.framework import variables
from ramet.framework import ops
from ramet.ops.partitioned_variable import PartitionedVariable


def collect_named_outputs(collections, alias, outputs):
    """Adds an output to collections, if there are any, and returns it."""
    if collections:
        ops.add_to_collections(collections, outputs)
    return outputs


def get_variable_collections(variables_collections, name):
    """The collections for a variable: a list, or what a dict has under the variable's name."""
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
    """A custom getter that makes model variables, with other names than tf.layers gives them."""
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
