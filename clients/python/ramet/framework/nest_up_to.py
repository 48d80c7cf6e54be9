"""Traverses nested structures to the depth of another structure, and gets the paths of atoms."""

from collections import abc

from ramet.api import export
from ramet.framework import nest


def _same_kind(shallow, value):
    if isinstance(shallow, abc.Mapping) and isinstance(value, abc.Mapping):
        return True
    if nest.is_namedtuple(shallow) and nest.is_namedtuple(value):
        return nest.same_namedtuples(shallow, value)
    return isinstance(value, type(shallow)) or (
        isinstance(shallow, list) and isinstance(value, list)
    )


def _check_level(shallow, value, check_types, nested):
    if not nested(value):
        raise TypeError(
            'If shallow structure is a sequence, input must also be a sequence. Input has type: '
            f'{type(value)}.'
        )
    if check_types and not _same_kind(shallow, value):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f'{type(value)}, while shallow structure has type {type(shallow)}.'
        )
    sizes = len(nest._values(value)), len(nest._values(shallow))
    if sizes[0] != sizes[1]:
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f'{sizes[0]}, while shallow structure has length {sizes[1]}.'
        )
    if isinstance(shallow, abc.Mapping) and isinstance(value, abc.Mapping):
        missing = sorted(set(shallow) - set(value))
        if missing:
            raise ValueError(
                "The shallow_tree's keys are not a subset of the input_tree's keys. The "
                f'shallow_tree has the following keys that are not in the input_tree: {missing}.'
            )


def _walk_up_to(shallow, value, check_types, nested, path=()):
    """Yields (path, part of value) for each atom of `shallow`."""
    if not nested(shallow):
        yield path, value
        return
    _check_level(shallow, value, check_types, nested)
    items = nest._items(shallow)
    if isinstance(shallow, abc.Mapping) and isinstance(value, abc.Mapping):
        parts = [value[key] for key, _ in items]
    else:
        parts = nest._values(value)
    for (key, part_of_shallow), part in zip(items, parts, strict=True):
        yield from _walk_up_to(part_of_shallow, part, check_types, nested, (*path, key))


@export('contrib.framework.nest.assert_shallow_structure')
def assert_shallow_structure(shallow_tree, input_tree, check_types=True, expand_composites=False):
    """Checks that input_tree has the structure of shallow_tree, with arbitrary parts for its atoms.

    Args:
      shallow_tree: a structure or an atom.
      input_tree: the structure to check.
      check_types: whether the classes of sequences must be equal.
      expand_composites: as for `nest.flatten`.

    Raises:
      TypeError: if classes differ, or if shallow_tree has a structure where input_tree has an atom.
      ValueError: if the numbers of elements or the keys differ.
    """
    nested = nest._nested_test(expand_composites)
    for _ in _walk_up_to(shallow_tree, input_tree, check_types, nested):
        pass


@export('contrib.framework.nest.flatten_with_tuple_paths_up_to')
def flatten_with_tuple_paths_up_to(
    shallow_tree, input_tree, check_types=True, expand_composites=False
):
    """Returns (path, part of input_tree) for each atom of shallow_tree. A path is a tuple of keys.

    Args:
      shallow_tree: a structure or an atom.
      input_tree: a structure at least as deep.
      check_types: as for `assert_shallow_structure`.
      expand_composites: as for `nest.flatten`.
    """
    nested = nest._nested_test(expand_composites)
    return list(_walk_up_to(shallow_tree, input_tree, check_types, nested))


@export('contrib.framework.nest.flatten_up_to')
def flatten_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False):
    """Returns the parts of a structure at the positions of the atoms of a shallower structure.

    Args:
      shallow_tree: a structure or an atom.
      input_tree: a structure at least as deep.
      check_types: as for `assert_shallow_structure`.
      expand_composites: as for `nest.flatten`.

    Returns:
      A list of the parts, which may be structures.

    Raises:
      TypeError: as `assert_shallow_structure`.
      ValueError: as `assert_shallow_structure`.
    """
    return [
        part
        for _, part in flatten_with_tuple_paths_up_to(
            shallow_tree, input_tree, check_types, expand_composites
        )
    ]


@export('contrib.framework.nest.map_structure_with_tuple_paths_up_to')
def map_structure_with_tuple_paths_up_to(shallow_tree, func, *inputs, **kwargs):
    """Like `map_structure_up_to`, but passes func the path, a tuple of keys, before the parts.

    Args:
      shallow_tree: a structure or an atom.
      func: a function of a path and one part of each input.
      *inputs: structures at least as deep as shallow_tree.
      **kwargs: check_types and expand_composites, as for `assert_shallow_structure`.
    """
    if not inputs:
        raise ValueError('Cannot map over no sequences')
    check_types = kwargs.pop('check_types', True)
    expand_composites = kwargs.pop('expand_composites', False)
    walks = [
        flatten_with_tuple_paths_up_to(shallow_tree, tree, check_types, expand_composites)
        for tree in inputs
    ]
    results = [
        func(parts[0][0], *[part for _, part in parts]) for parts in zip(*walks, strict=True)
    ]
    return nest.pack_sequence_as(shallow_tree, results, expand_composites)


@export('contrib.framework.nest.map_structure_up_to')
def map_structure_up_to(shallow_tree, func, *inputs, **kwargs):
    """Calls a function with the parts of structures at the atoms of a shallower structure.

    Args:
      shallow_tree: a structure or an atom.
      func: a function that takes one part of each input.
      *inputs: structures at least as deep as shallow_tree.
      **kwargs: check_types and expand_composites, as for `assert_shallow_structure`.

    Returns:
      A structure like shallow_tree, with the results of func as atoms.

    Raises:
      ValueError: if there is no input, or as `assert_shallow_structure`.
      TypeError: as `assert_shallow_structure`.
    """
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *parts: func(*parts), *inputs, **kwargs
    )


@export('contrib.framework.nest.map_structure_with_tuple_paths')
def map_structure_with_tuple_paths(func, *structure, **kwargs):
    """Like `nest.map_structure`, but passes func the path, a tuple of keys, before the atoms.

    Args:
      func: a function of a path and one atom of each structure.
      *structure: structures that are equal except for their atoms.
      **kwargs: check_types and expand_composites, as for `nest.assert_same_structure`.
    """
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


@export('contrib.framework.nest.map_structure_with_paths')
def map_structure_with_paths(func, *structure, **kwargs):
    """Like `nest.map_structure`, but passes func the path, such as 'a/0', before the atoms.

    Args:
      func: a function of a path and one atom of each structure.
      *structure: structures that are equal except for their atoms.
      **kwargs: check_types and expand_composites, as for `nest.assert_same_structure`.
    """
    return map_structure_with_tuple_paths_up_to(
        structure[0],
        lambda path, *atoms: func('/'.join(map(str, path)), *atoms),
        *structure,
        **kwargs,
    )


@export('contrib.framework.nest.flatten_with_tuple_paths')
def flatten_with_tuple_paths(structure, expand_composites=False):
    """Returns (path, atom) for each atom of a structure. A path is a tuple of keys.

    Args:
      structure: a structure or an atom.
      expand_composites: as for `nest.flatten`.
    """
    return flatten_with_tuple_paths_up_to(structure, structure, False, expand_composites)


@export('contrib.framework.nest.yield_flat_paths')
def yield_flat_paths(structure, expand_composites=False):
    """Yields the path of each atom of a structure, as a tuple of keys.

    Args:
      structure: a structure or an atom.
      expand_composites: as for `nest.flatten`.
    """
    for path, _ in flatten_with_tuple_paths(structure, expand_composites):
        yield path


@export('contrib.framework.nest.flatten_with_joined_string_paths')
def flatten_with_joined_string_paths(structure, separator='/', expand_composites=False):
    """Returns (path, atom) for each atom of a structure. A path is a str such as 'a/0'.

    Args:
      structure: a structure or an atom.
      separator: str, the separator of the keys in a path.
      expand_composites: as for `nest.flatten`.
    """
    return [
        (separator.join(map(str, path)), atom)
        for path, atom in flatten_with_tuple_paths(structure, expand_composites)
    ]


@export('contrib.framework.nest.flatten_dict_items')
def flatten_dict_items(dictionary):
    """Flattens the keys of a dict, which may be structures, together with their values.

    Args:
      dictionary: a mapping, such as {(1, 2): ('a', 'b')}.

    Returns:
      A mapping of the same class, such as {1: 'a', 2: 'b'}.

    Raises:
      TypeError: if dictionary is not a mapping.
      ValueError: if a key and its value differ in length, or a key occurs twice.
    """
    if not isinstance(dictionary, abc.Mapping):
        raise TypeError(
            "FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, "
            f"instead of '{type(dictionary).__name__}'."
        )
    flat = {}
    for structure, value in dictionary.items():
        keys = nest.flatten(structure)
        values = nest.flatten(value) if nest.is_nested(structure) else [value]
        if len(keys) != len(values):
            raise ValueError(
                f'Could not flatten dictionary. Key had {len(keys)} elements, but value had '
                f'{len(values)} elements. Key: {keys}, value: {values}.'
            )
        for key, atom in zip(keys, values, strict=True):
            if key in flat:
                raise ValueError(f'Cannot flatten dict because this key is not unique: {key}')
            flat[key] = atom
    return flat if type(dictionary) is dict else type(dictionary)(flat)


@export('contrib.framework.nest.get_traverse_shallow_structure')
def get_traverse_shallow_structure(traverse_fn, structure, expand_composites=False):
    """Returns the part of a structure that a function chooses to traverse, with bools as atoms.

    Args:
      traverse_fn: a function of a part that returns whether to traverse it, or a structure of bools
        with the answer for each of its children.
      structure: a structure or an atom.
      expand_composites: as for `nest.flatten`.

    Returns:
      A structure of bools, for the functions that take a shallow_tree.

    Raises:
      TypeError: if traverse_fn returns anything else.
    """
    nested = nest._nested_test(expand_composites)
    descend = traverse_fn(structure)
    if not nested(structure):
        if not isinstance(descend, bool):
            raise TypeError(
                f'traverse_fn returned structure: {descend} for non-structure: {structure}'
            )
        return descend
    if descend is False:
        return False
    children = nest._values(structure)
    if descend is True:
        flags = [True] * len(children)
    elif not nested(descend):
        raise TypeError(f'traverse_fn returned a non-bool scalar: {descend} for input: {structure}')
    else:
        assert_shallow_structure(descend, structure, expand_composites=expand_composites)
        flags = nest._values(descend)
    level = []
    for flag, child in zip(flags, children, strict=True):
        if not isinstance(flag, bool):
            raise TypeError(
                "traverse_fn didn't return a depth=1 structure of bools.  saw: "
                f' {descend} for structure: {structure}'
            )
        level.append(
            get_traverse_shallow_structure(traverse_fn, child, expand_composites) if flag else False
        )
    return nest._like(structure, level)


def list_to_tuple(structure):
    """Returns a structure with its lists replaced by tuples."""
    if not nest.is_nested(structure):
        return structure
    values = [list_to_tuple(value) for value in nest._values(structure)]
    return tuple(values) if isinstance(structure, list) else nest._like(structure, values)
