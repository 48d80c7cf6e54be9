"""Flags of a script if absl is not installed: the part of absl.flags that scripts use."""

import csv

from ramet.lib.own_flag_values import (  # noqa: F401
    DuplicateFlagError,
    Error,
    Flag,
    FlagHolder,
    FlagValues,
    IllegalFlagValueError,
    UnparsedFlagAccessError,
    UnrecognizedFlagError,
    ValidationError,
)

FLAGS = FlagValues()


def disclaim_key_flags():
    """Does nothing: flags are not grouped by module."""


def adopt_module_key_flags(module, flag_values=FLAGS):
    """Does nothing: flags are not grouped by module."""


def declare_key_flag(flag_name, flag_values=FLAGS):
    """Does nothing: flags are not grouped by module."""


def _text(value):
    return str(value)


def _boolean(value):
    if isinstance(value, str):
        if value.lower() in ('true', 't', '1'):
            return True
        if value.lower() in ('false', 'f', '0'):
            return False
    elif value in (0, 1):
        return bool(value)
    raise ValueError('Non-boolean argument to boolean flag', value)


def _integer(value):
    if isinstance(value, str):
        return int(value, {'0x': 16, '0o': 8}.get(value[:2].lower(), 10))
    if isinstance(value, bool) or int(value) != value:
        raise TypeError(f'Expect argument to be a string or int, found {type(value)}')
    return int(value)


def _bounded(parse, kind, lower, upper):
    if lower is None and upper is None:
        return parse
    bounds = f'>= {lower}' if upper is None else f'<= {upper}' if lower is None \
        else f'in the range [{lower}, {upper}]'

    def checked(value):
        value = parse(value)
        if (lower is not None and value < lower) or (upper is not None and value > upper):
            raise ValueError(f'{value} is not {kind} {bounds}')
        return value

    return checked


def _one_of(choices, case_sensitive):
    by_name = {one if case_sensitive else one.lower(): one for one in choices}

    def parse(value):
        name = value if case_sensitive else value.lower()
        if name not in by_name:
            raise ValueError(f'value should be one of <{"|".join(choices)}>')
        return by_name[name]

    return parse


def _comma_list(value):
    if isinstance(value, list):
        return value
    return next(csv.reader([value], strict=True, skipinitialspace=True)) if value else []


def _space_list(value):
    return value if isinstance(value, list) else value.split()


def _define(parse, name, default, help, flag_values, required=False, **kinds):
    if required and default is not None:
        raise ValueError(f'If flag --{name} is required, it cannot have a default value')
    flag_values[name] = Flag(parse, name, default, help, **kinds)
    if required:
        mark_flag_as_required(name, flag_values)
    return FlagHolder(flag_values, name)


def DEFINE_string(name, default, help, flag_values=FLAGS, required=False):
    """Defines a flag with a str value."""
    return _define(_text, name, default, help, flag_values, required)


def DEFINE_boolean(name, default, help, flag_values=FLAGS, required=False):
    """Defines a boolean flag: --name, --noname, --name=false."""
    return _define(_boolean, name, default, help, flag_values, required, boolean=True)


DEFINE_bool = DEFINE_boolean


def DEFINE_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS,
                   required=False):
    """Defines a flag with an int value."""
    parse = _bounded(_integer, 'integer', lower_bound, upper_bound)
    return _define(parse, name, default, help, flag_values, required)


def DEFINE_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS,
                 required=False):
    """Defines a flag with a float value."""
    parse = _bounded(float, 'number', lower_bound, upper_bound)
    return _define(parse, name, default, help, flag_values, required)


def DEFINE_enum(name, default, enum_values, help, flag_values=FLAGS, case_sensitive=True,
                required=False):
    """Defines a flag whose value is one of several strings."""
    parse = _one_of(enum_values, case_sensitive)
    return _define(parse, name, default, help, flag_values, required)


def DEFINE_list(name, default, help, flag_values=FLAGS, required=False):
    """Defines a flag whose value is a comma-separated list of str."""
    return _define(_comma_list, name, default, help, flag_values, required)


def DEFINE_spaceseplist(name, default, help, flag_values=FLAGS, required=False):
    """Defines a flag whose value is a space-separated list of str."""
    return _define(_space_list, name, default, help, flag_values, required)


def DEFINE_multi_string(name, default, help, flag_values=FLAGS, required=False):
    """Defines a flag that may be given several times. Its value is a list of str."""
    return _define(_text, name, default, help, flag_values, required, multi=True)


def DEFINE_multi_integer(name, default, help, lower_bound=None, upper_bound=None,
                         flag_values=FLAGS, required=False):
    """Defines a flag that may be given several times. Its value is a list of int."""
    parse = _bounded(_integer, 'integer', lower_bound, upper_bound)
    return _define(parse, name, default, help, flag_values, required, multi=True)


def DEFINE_multi_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=FLAGS,
                       required=False):
    """Defines a flag that may be given several times. Its value is a list of float."""
    parse = _bounded(float, 'number', lower_bound, upper_bound)
    return _define(parse, name, default, help, flag_values, required, multi=True)


def DEFINE_multi_enum(name, default, enum_values, help, flag_values=FLAGS, case_sensitive=True,
                      required=False):
    """Defines a flag that may be given several times. Its value is a list of allowed strings."""
    parse = _one_of(enum_values, case_sensitive)
    return _define(parse, name, default, help, flag_values, required, multi=True)


def register_validator(flag_name, checker, message='Flag validation failed', flag_values=FLAGS):
    """Registers a function that is called with the value of a flag and returns False to reject it."""
    register_multi_flags_validator((flag_name,), lambda values: checker(values[flag_name]), message, flag_values)


def register_multi_flags_validator(flag_names, multi_flags_checker, message='Flag validation failed',
                                   flag_values=FLAGS):
    """Registers a function that is called with {name: value} of several flags and returns False to reject them."""
    flag_values._validators.append((tuple(flag_names), multi_flags_checker, message))


def multi_flags_validator(flag_names, message='Flag validation failed', flag_values=FLAGS):
    """Returns a decorator that registers a function as the validator of several flags."""

    def decorate(function):
        register_multi_flags_validator(flag_names, function, message, flag_values)
        return function

    return decorate


def validator(flag_name, message='Flag validation failed', flag_values=FLAGS):
    """Returns a decorator that registers a function as the validator of a flag."""

    def decorate(function):
        register_validator(flag_name, function, message, flag_values)
        return function

    return decorate


def mark_flag_as_required(flag_name, flag_values=FLAGS):
    """Makes the command line invalid unless a flag is given or has a default."""
    register_validator(flag_name, lambda value: value is not None,
                       f'Flag --{flag_name} must have a value other than None.', flag_values)


def mark_flags_as_required(flag_names, flag_values=FLAGS):
    """Makes the command line invalid unless each of several flags is given or has a default."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def mark_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
    """Makes the command line invalid if more than one of several flags has a value, or none if one is required."""
    _mark_exclusive(flag_names, required, flag_values, lambda value: value is not None,
                    'must have a value other than None.')


def mark_bool_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
    """Makes the command line invalid if more than one of several flags is true, or none if one is required."""
    _mark_exclusive(flag_names, required, flag_values, bool, 'must be True.')


def _mark_exclusive(names, required, flag_values, is_given, wanted):
    def accepts(values):
        given = sum(is_given(value) for value in values.values())
        return given == 1 or (given == 0 and not required)

    how_many = 'Exactly' if required else 'At most'
    register_multi_flags_validator(names, accepts, f'{how_many} one of ({", ".join(names)}) {wanted}', flag_values)
