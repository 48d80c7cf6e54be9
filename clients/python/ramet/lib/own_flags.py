"""Flags of a script if absl is not installed: the part of absl.flags that scripts use."""

import csv


class Error(Exception):
    """A flag is defined or used incorrectly, or has an invalid value."""


class DuplicateFlagError(Error):
    """Two flags have the same name."""


class IllegalFlagValueError(Error):
    """The value of a flag is invalid."""


class UnrecognizedFlagError(Error):
    """The command line contains an undefined flag."""

    def __init__(self, flagname, flagvalue=''):
        super().__init__(f"Unknown command line flag '{flagname}'")
        self.flagname = flagname
        self.flagvalue = flagvalue


class UnparsedFlagAccessError(Error):
    """A flag was accessed before the command line was parsed."""


class ValidationError(Error):
    """A validator rejected a value."""


class Flag:
    """A flag: its name, value, default, help, and the function that parses its value."""

    def __init__(self, parse, name, default, help_string, boolean=False, multi=False):
        self.name = name
        self.help = help_string
        self.boolean = boolean
        self.present = 0
        self._parse_one = parse
        self._multi = multi
        self.default = self.value = self._from_default(default)

    def _checked(self, given):
        try:
            return self._parse_one(given)
        except (TypeError, ValueError) as error:
            raise IllegalFlagValueError(f'flag --{self.name}={given}: {error}') from None

    def _from_default(self, given):
        if given is None:
            return None
        if not self._multi:
            return self._checked(given)
        return [self._checked(one) for one in (given if isinstance(given, list) else [given])]

    def set_default(self, given):
        self.default = self._from_default(given)
        if not self.present:
            self.value = self.default

    def parse(self, text):
        """Sets the value from the command line."""
        value = self._checked(text)
        if self._multi:
            value = (self.value if self.present else []) + [value]
        self.value = value
        self.present += 1


class FlagHolder:
    """The result of DEFINE_...: a flag with its `name`, `value` and `default`."""

    def __init__(self, values, name):
        self._values = values
        self.name = name

    @property
    def value(self):
        return getattr(self._values, self.name)

    @property
    def default(self):
        return self._values[self.name].default


class FlagValues:
    """The defined flags, as attributes. Calling it parses a command line."""

    def __init__(self):
        self.__dict__.update(_flags={}, _validators=[], _parsed=False)

    def __getattr__(self, name):
        if name.startswith('__') or name not in self._flags:
            raise AttributeError(name)
        if not self._parsed:
            raise UnparsedFlagAccessError(
                f'Trying to access flag --{name} before flags were parsed.')
        return self._flags[name].value

    def __setattr__(self, name, value):
        if name not in self._flags:
            raise UnrecognizedFlagError(name, value)
        flag = self._flags[name]
        before, flag.value = flag.value, value
        try:
            self._validate(name)
        except Exception:
            flag.value = before
            raise

    def __delattr__(self, name):
        if name not in self._flags:
            raise AttributeError(name)
        del self._flags[name]

    def __getitem__(self, name):
        return self._flags[name]

    def __setitem__(self, name, flag):
        if name in self._flags:
            raise DuplicateFlagError(
                f"The flag '{name}' is defined twice. "
                f'Description from first occurrence: {self._flags[name].help}')
        self._flags[name] = flag

    def __contains__(self, name):
        return name in self._flags

    def __iter__(self):
        return iter(self._flags)

    def __len__(self):
        return len(self._flags)

    def __dir__(self):
        return sorted(self._flags)

    def __str__(self):
        return self.get_help()

    def is_parsed(self):
        return self._parsed

    def mark_as_parsed(self):
        self.__dict__['_parsed'] = True

    def unparse_flags(self):
        self.__dict__['_parsed'] = False

    def set_default(self, name, value):
        if name not in self._flags:
            raise UnrecognizedFlagError(name, value)
        self._flags[name].set_default(value)

    def flag_values_dict(self):
        return {name: flag.value for name, flag in self._flags.items()}

    def get_help(self):
        """Returns the help of all flags, one paragraph per flag."""
        return '\n'.join(
            f'  --{"[no]" if flag.boolean else ""}{name}: {flag.help}\n'
            f'    (default: {flag.default!r})' for name, flag in sorted(self._flags.items()))

    def __call__(self, argv, known_only=False):
        """Parses the flags in a command line.

        Args:
          argv: the name of the program and its arguments.
          known_only: whether to leave undefined flags in place.

        Returns:
          The arguments in `argv` that are not flags.

        Raises:
          UnrecognizedFlagError: if a flag is not defined, unless `known_only`.
          IllegalFlagValueError: if the value of a flag is invalid.
          Error: if a flag needs a value and has none.
        """
        left, unknown = list(argv[:1]), []
        rest = iter(argv[1:])
        for argument in rest:
            if argument == '--':
                left.extend(['--', *rest] if known_only else rest)
            elif not argument.startswith('-') or argument == '-':
                left.append(argument)
            elif not self._take(argument.lstrip('-'), rest):
                unknown.append(argument)
                left.append(argument)
        if unknown and not known_only:
            raise UnrecognizedFlagError(*unknown[0].lstrip('-').partition('=')[::2])
        self.mark_as_parsed()
        for name in self._flags:
            self._validate(name)
        return left

    def _take(self, argument, rest):
        """Sets the flag in `argument`, with a value from `rest` if it does not contain one."""
        name, equals, value = argument.partition('=')
        flag = self._flags.get(name)
        if flag is None:
            flag = self._flags.get(name[2:]) if name.startswith('no') and not equals else None
            if flag is None or not flag.boolean:
                return False
            value = 'false'
        elif not equals:
            value = 'true' if flag.boolean else next(rest, None)
            if value is None:
                raise Error(f'Missing value for flag --{name}')
        flag.parse(value)
        return True

    def _validate(self, changed):
        for name, accepts, message in self._validators:
            if name == changed and not accepts(self._flags[name].value):
                raise IllegalFlagValueError(f'flag --{name}={self._flags[name].value}: {message}')


FLAGS = FlagValues()


def disclaim_key_flags():
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
    flag_values._validators.append((flag_name, checker, message))


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
