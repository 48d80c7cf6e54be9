"""Nested structures: lists, tuples, dicts, namedtuples and attrs classes of arbitrary values.

A structure is a mapping, a sequence other than str or bytes, a view of a dict, or an attrs object. Every other
value is an atom, including None and arrays. Mappings are traversed in the order of their sorted keys.
"""

import collections.abc as abc
import functools

from ramet.api import export

_MORE_SPECIFICALLY = (
    "The two structures don't have the same nested structure.\n\n"
    'First structure: {}\n\nSecond structure: {}\n\nMore specifically: {}\n'
    'Entire first structure:\n{}\nEntire second structure:\n{}'
)


def is_mapping(value):
    """Returns whether a value is a mapping."""
    return isinstance(value, abc.Mapping)


def is_attrs(value):
    """Returns whether a value is an instance of an attrs class."""
    return hasattr(type(value), '__attrs_attrs__')


def is_namedtuple(value, strict=False):
    """Returns whether a value is a namedtuple. With strict, subclasses of namedtuples do not count."""
    if not isinstance(value, tuple) or (strict and type(value).__base__ is not tuple):
        return False
    fields = getattr(value, '_fields', None)
    return isinstance(fields, abc.Sequence) and all(isinstance(f, str) for f in fields)


def same_namedtuples(first, second):
    """Returns whether two namedtuples have classes with the same name and fields."""
    return type(first).__name__ == type(second).__name__ and first._fields == second._fields


@functools.lru_cache(maxsize=1024)
def _is_nested_class(cls):
    if issubclass(cls, (abc.Mapping, abc.MappingView)) or hasattr(cls, '__attrs_attrs__'):
        return True
    return issubclass(cls, abc.Sequence) and not issubclass(cls, (str, bytes))


@export('nest.is_nested', 'contrib.framework.nest.is_nested', 'contrib.framework.nest.is_sequence')
def is_nested(structure):
    """Returns whether a value is a structure and not an atom.

    Args:
      structure: any value.
    """
    return _is_nested_class(type(structure))


def _is_composite(value):
    return hasattr(type(value), '_type_spec')


@export('contrib.framework.nest.is_sequence_or_composite')
def is_nested_or_composite(structure):
    """Returns whether a value is a structure or composed of tensors, such as a SparseTensor.

    Args:
      structure: any value.
    """
    return _is_composite(structure) or is_nested(structure)


is_sequence_or_composite = is_nested_or_composite


def _nested_test(expand_composites):
    return is_nested_or_composite if expand_composites else is_nested


def _items(structure):
    """Returns the keys and values of the top level; keys are names, or positions in a sequence."""
    if isinstance(structure, abc.Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    if is_attrs(structure):
        names = [field.name for field in type(structure).__attrs_attrs__]
        return [(name, getattr(structure, name)) for name in names]
    if _is_composite(structure):
        spec = structure._type_spec
        return [(type(structure).__name__, spec._to_components(structure))]
    if is_namedtuple(structure):
        return list(zip(structure._fields, structure, strict=True))
    return list(enumerate(structure))


def _values(structure):
    """Returns the values of the top level."""
    kind = type(structure)
    if kind is list or kind is tuple:
        return structure
    if kind is dict:
        return [structure[key] for key in sorted(structure)]
    return [value for _, value in _items(structure)]


def _flatten_into(structure, nested, result):
    for value in _values(structure):
        if nested(value):
            _flatten_into(value, nested, result)
        else:
            result.append(value)


@export('nest.flatten', 'contrib.framework.nest.flatten')
def flatten(structure, expand_composites=False):
    """Returns the atoms of a structure in order.

    Args:
      structure: a structure or an atom.
      expand_composites: whether to split SparseTensor, IndexedSlices and the like into their parts.

    Returns:
      A list of the atoms. An atom alone becomes a list of one element.

    Raises:
      TypeError: if the keys of a mapping cannot be sorted.
    """
    nested = _nested_test(expand_composites)
    if not nested(structure):
        return [structure]
    result = []
    _flatten_into(structure, nested, result)
    return result


def _like(instance, values):
    """Returns a structure like `instance`, with different values at the top level."""
    kind = type(instance)
    if kind is list or kind is tuple:
        return kind(values)
    if isinstance(instance, abc.Mapping):
        return _mapping_like(instance, dict(zip(sorted(instance), values, strict=True)))
    if isinstance(instance, (abc.MappingView, range)):
        return list(values)
    if _is_composite(instance):
        return instance._type_spec._from_components(values[0])
    if is_namedtuple(instance) or is_attrs(instance):
        return kind(*values)
    return kind(values)


def _mapping_like(instance, values):
    pairs = [(key, values[key]) for key in instance]
    if hasattr(instance, 'default_factory'):
        return type(instance)(instance.default_factory, pairs)
    return type(instance)(dict(pairs) if type(instance) is not dict else pairs)


def _pack(structure, atoms, nested):
    return _like(
        structure,
        [_pack(v, atoms, nested) if nested(v) else next(atoms) for v in _values(structure)],
    )


@export('nest.pack_sequence_as', 'contrib.framework.nest.pack_sequence_as')
def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """Returns a structure like the given one, with different atoms.

    Args:
      structure: the structure to imitate, or an atom.
      flat_sequence: the atoms, in the order of `flatten`.
      expand_composites: as for `flatten`.

    Raises:
      TypeError: if flat_sequence is not a sequence, or if the keys of a mapping cannot be sorted.
      ValueError: if the number of atoms differs.
    """
    nested = _nested_test(expand_composites)
    if not is_nested(flat_sequence):
        raise TypeError(
            f'Attempted to pack value:\n  {flat_sequence}\ninto a structure, but found '
            f'incompatible type `{type(flat_sequence)}` instead.'
        )
    if not nested(structure):
        if len(flat_sequence) != 1:
            raise ValueError(
                f'The target structure is of type `{type(structure)}`\n  {structure}\nHowever the '
                f'input is a sequence ({type(flat_sequence)}) of length {len(flat_sequence)}.\n  '
                f'{flat_sequence}\nnest cannot guarantee that it is safe to map one to the other.'
            )
        return flat_sequence[0]
    atoms = list(_values(flat_sequence))
    _check_atom_count(structure, flat_sequence, len(atoms), expand_composites)
    return _pack(structure, iter(atoms), nested)


def _check_atom_count(structure, flat_sequence, count, expand_composites):
    try:
        expected = len(flatten(structure, expand_composites))
    except TypeError as error:
        raise TypeError('nest only supports dicts with sortable keys.') from error
    if expected != count:
        raise ValueError(
            f'Could not pack sequence. Structure had {expected} atoms, but flat_sequence had '
            f'{count} items.  Structure: {structure}, flat_sequence: {flat_sequence}.'
        )


class _Dot:
    def __repr__(self):
        return '.'


_DOT = _Dot()


def _outline(structure):
    return str(pack_sequence_as(structure, [_DOT for _ in flatten(structure)]))


def _described(value):
    return f'type={type(value).__name__} str={value}'


def _full_type_name(value):
    kind = type(value)
    in_main = kind.__module__ in ('builtins', '__main__') or issubclass(kind, tuple)
    return kind.__name__ if in_main else f'{kind.__module__}.{kind.__name__}'


def _type_difference(first, second):
    """Returns the difference of the types of two structures as (exception class, text), or None."""
    if isinstance(first, abc.Mapping) and isinstance(second, abc.Mapping):
        if set(first) == set(second):
            return None
        return ValueError, (
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f'{_described(list(first))}, while second structure has keys '
            f'{_described(list(second))}'
        )
    if is_namedtuple(first) and is_namedtuple(second) and same_namedtuples(first, second):
        return None
    if type(first) is type(second) or (isinstance(first, list) and isinstance(second, list)):
        return None
    return TypeError, (
        "The two namedtuples don't have the same sequence type. First structure "
        f'{_described(first)} has type {_full_type_name(first)}, while second structure '
        f'{_described(second)} has type {_full_type_name(second)}'
    )


def _composite_difference(first, second):
    # Shapes may differ, even in rank: the branches of a cond need not agree on them.
    specs = first._type_spec, second._type_spec
    if specs[0].most_specific_common_supertype([specs[1]]) is not None:
        return None
    return ValueError, (
        f'Incompatible CompositeTensor TypeSpecs: {_described(specs[0])} vs. {_described(specs[1])}'
    )


def _difference(first, second, check_types, nested):
    """Returns the first difference of two structures as (exception class, text), or None."""
    is_first, is_second = nested(first), nested(second)
    if is_first != is_second:
        sequence, atom = (first, second) if is_first else (second, first)
        return ValueError, (
            f'Substructure "{_described(sequence)}" is a sequence, while substructure '
            f'"{_described(atom)}" is not'
        )
    if not is_first:
        return None
    if _is_composite(first) and _is_composite(second):
        return _composite_difference(first, second)
    found = _type_difference(first, second) if check_types else None
    if found:
        return found
    values = _values(first), _values(second)
    if len(values[0]) != len(values[1]):
        return ValueError, (
            "The two structures don't have the same number of elements. First structure: "
            f'{_described(first)}. Second structure: {_described(second)}'
        )
    for pair in zip(*values, strict=True):
        found = _difference(*pair, check_types, nested)
        if found:
            return found
    return None


@export('nest.assert_same_structure', 'contrib.framework.nest.assert_same_structure')
def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Checks that two structures are equal except for their atoms.

    Args:
      nest1: a structure or an atom.
      nest2: a structure or an atom.
      check_types: whether the classes of sequences and the keys of mappings must be equal too.
      expand_composites: as for `flatten`.

    Raises:
      ValueError: if the numbers of elements or the keys differ.
      TypeError: if check_types is set and the classes differ.
    """
    found = _difference(nest1, nest2, check_types, _nested_test(expand_composites))
    if found:
        error, text = found
        raise error(
            _MORE_SPECIFICALLY.format(
                _described(nest1), _described(nest2), text, _outline(nest1), _outline(nest2)
            )
        )


@export('nest.map_structure', 'contrib.framework.nest.map_structure')
def map_structure(func, *structure, **kwargs):
    """Calls a function with the atoms of one or more structures.

    Args:
      func: a function that takes one atom of each structure.
      *structure: structures that are equal except for their atoms.
      **kwargs: check_types and expand_composites, as for `assert_same_structure`.

    Returns:
      A structure like the first one, with the results of func as atoms.

    Raises:
      TypeError: if func is not callable, or the classes of the structures differ.
      ValueError: if there is no structure, or if their numbers of elements or keys differ.
    """
    if not callable(func):
        raise TypeError(f'func must be callable, got: {func}')
    if not structure:
        raise ValueError('Must provide at least one structure')
    check_types = kwargs.pop('check_types', True)
    expand_composites = kwargs.pop('expand_composites', False)
    if kwargs:
        raise ValueError(
            'Only valid keyword arguments are `check_types` and `expand_composites`, not: '
            f'`{"`, `".join(kwargs)}`'
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    flat = [flatten(s, expand_composites) for s in structure]
    return pack_sequence_as(
        structure[0],
        [func(*atoms) for atoms in zip(*flat, strict=True)],
        expand_composites,
    )
