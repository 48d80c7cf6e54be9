"""Nested structures walked to the depth of another structure, and the paths of their atoms."""

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
    """Yields (path, part of value) for each atom of shallow."""
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
    """Checks that input_tree has the structure of shallow_tree, with anything in place of atoms.

    Args:
        shallow_tree: a structure or an atom.
        input_tree: the structure to check.
        check_types: whether the classes of sequences have to be the same.
        expand_composites: as of `nest.flatten`.

    Raises:
        TypeError: if classes differ, or an atom is where shallow_tree has a structure.
        ValueError: if the numbers of elements or the keys differ.
    """
    nested = nest._nested_test(expand_composites)
    for _ in _walk_up_to(shallow_tree, input_tree, check_types, nested):
        pass


@export('contrib.framework.nest.flatten_with_tuple_paths_up_to')
def flatten_with_tuple_paths_up_to(
    shallow_tree, input_tree, check_types=True, expand_composites=False
):
    """List of (path, part of input_tree) for the atoms of shallow_tree; a path is a tuple."""
    nested = nest._nested_test(expand_composites)
    return list(_walk_up_to(shallow_tree, input_tree, check_types, nested))


@export('contrib.framework.nest.flatten_up_to')
def flatten_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False):
    """The parts of a structure that stand where a shallower one has its atoms.

    Args:
        shallow_tree: a structure or an atom.
        input_tree: a structure at least as deep.
        check_types: as of `assert_shallow_structure`.
        expand_composites: as of `nest.flatten`.

    Returns:
        List of the parts, which may be structures.

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
    """As `map_structure_up_to`; func gets the path, a tuple, before the parts."""
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
    """Calls a function with the parts of structures where a shallower one has its atoms.

    Args:
        shallow_tree: a structure or an atom.
        func: called with one part of each input.
        *inputs: structures at least as deep as shallow_tree.
        **kwargs: check_types and expand_composites as of `assert_shallow_structure`.

    Returns:
        A structure as shallow_tree, of what func returned.

    Raises:
        ValueError: if there is no input, or as `assert_shallow_structure`.
        TypeError: as `assert_shallow_structure`.
    """
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *parts: func(*parts), *inputs, **kwargs
    )


@export('contrib.framework.nest.map_structure_with_tuple_paths')
def map_structure_with_tuple_paths(func, *structure, **kwargs):
    """As `nest.map_structure`; func gets the path of the atom, a tuple, before the atoms."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


@export('contrib.framework.nest.map_structure_with_paths')
def map_structure_with_paths(func, *structure, **kwargs):
    """As `nest.map_structure`; func gets the path of the atom, as 'a/0', before the atoms."""
    return map_structure_with_tuple_paths_up_to(
        structure[0],
        lambda path, *atoms: func('/'.join(map(str, path)), *atoms),
        *structure,
        **kwargs,
    )


@export('contrib.framework.nest.flatten_with_tuple_paths')
def flatten_with_tuple_paths(structure, expand_composites=False):
    """List of (path, atom) for the atoms of a structure; a path is a tuple of keys."""
    return flatten_with_tuple_paths_up_to(structure, structure, False, expand_composites)


@export('contrib.framework.nest.yield_flat_paths')
def yield_flat_paths(structure, expand_composites=False):
    """Yields the paths of the atoms of a structure, tuples of keys."""
    for path, _ in flatten_with_tuple_paths(structure, expand_composites):
        yield path


@export('contrib.framework.nest.flatten_with_joined_string_paths')
def flatten_with_joined_string_paths(structure, separator='/', expand_composites=False):
    """List of (path, atom) for the atoms of a structure; a path is a str such as 'a/0'."""
    return [
        (separator.join(map(str, path)), atom)
        for path, atom in flatten_with_tuple_paths(structure, expand_composites)
    ]


@export('contrib.framework.nest.flatten_dict_items')
def flatten_dict_items(dictionary):
    """A dict of atoms from one whose keys and values are structures of the same length.

    Args:
        dictionary: a mapping, as {(1, 2): ('a', 'b')}.

    Returns:
        A mapping of the same class, as {1: 'a', 2: 'b'}.

    Raises:
        TypeError: if dictionary is no mapping.
        ValueError: if a key and its value differ in length, or a key comes twice.
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
    """The part of a structure to which a function says to descend, with bools for atoms.

    Args:
        traverse_fn: called with each part; returns whether to descend into it, or a structure of
            bools that tells so of each of its children.
        structure: a structure or an atom.
        expand_composites: as of `nest.flatten`.

    Returns:
        A structure of bools, for the functions that take a shallow_tree.

    Raises:
        TypeError: if traverse_fn returns something else.
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
    """A structure with tuples in place of its lists."""
    if not nest.is_nested(structure):
        return structure
    values = [list_to_tuple(value) for value in nest._values(structure)]
    return tuple(values) if isinstance(structure, list) else nest._like(structure, values)
