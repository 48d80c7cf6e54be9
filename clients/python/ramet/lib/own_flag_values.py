"""The classes of flags and of their errors, if absl is not installed."""


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
    """The defined flags, as attributes. Calling it parses a command line.

    The attributes `__flags` and `__flags_parsed` have absl's names, because programs read them.
    """

    def __init__(self):
        self.__dict__.update({'__flags': {}, '__flags_parsed': False, '_validators': []})

    def _flags(self):
        """Returns the flags as a dict of Flag objects."""
        return self.__dict__['__flags']

    def __getattr__(self, name):
        if name.startswith('__') or name not in self._flags():
            raise AttributeError(name)
        if not self.is_parsed():
            raise UnparsedFlagAccessError(
                f'Trying to access flag --{name} before flags were parsed.')
        return self._flags()[name].value

    def __setattr__(self, name, value):
        if name not in self._flags():
            raise UnrecognizedFlagError(name, value)
        flag = self._flags()[name]
        before, flag.value = flag.value, value
        try:
            self._validate(name)
        except Exception:
            flag.value = before
            raise

    def __delattr__(self, name):
        if name not in self._flags():
            raise AttributeError(name)
        del self._flags()[name]

    def __getitem__(self, name):
        return self._flags()[name]

    def __setitem__(self, name, flag):
        if name in self._flags():
            raise DuplicateFlagError(
                f"The flag '{name}' is defined twice. "
                f'Description from first occurrence: {self._flags()[name].help}')
        self._flags()[name] = flag

    def __contains__(self, name):
        return name in self._flags()

    def __iter__(self):
        return iter(self._flags())

    def __len__(self):
        return len(self._flags())

    def __dir__(self):
        return sorted(self._flags())

    def __str__(self):
        return self.get_help()

    def is_parsed(self):
        return self.__dict__['__flags_parsed']

    def mark_as_parsed(self):
        self.__dict__['__flags_parsed'] = True

    def unparse_flags(self):
        self.__dict__['__flags_parsed'] = False

    def set_default(self, name, value):
        if name not in self._flags():
            raise UnrecognizedFlagError(name, value)
        self._flags()[name].set_default(value)

    def flag_values_dict(self):
        return {name: flag.value for name, flag in self._flags().items()}

    def flags_into_string(self):
        """Returns the flags that have a value as the lines of a flag file."""
        return ''.join(f'--{name}={value}\n' for name, value in self.flag_values_dict().items() if value is not None)

    def get_help(self):
        """Returns the help of all flags, one paragraph per flag."""
        return '\n'.join(
            f'  --{"[no]" if flag.boolean else ""}{name}: {flag.help}\n'
            f'    (default: {flag.default!r})' for name, flag in sorted(self._flags().items()))

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
        for name in self._flags():
            self._validate(name)
        return left

    def _take(self, argument, rest):
        """Sets the flag in `argument`, with a value from `rest` if it does not contain one."""
        name, equals, value = argument.partition('=')
        flag = self._flags().get(name)
        if flag is None:
            flag = self._flags().get(name[2:]) if name.startswith('no') and not equals else None
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
        for names, accepts, message in self._validators:
            if changed not in names:
                continue
            values = {name: self._flags()[name].value for name in names}
            if not accepts(values):
                given = ' '.join(f'--{name}={value}' for name, value in values.items())
                raise IllegalFlagValueError(f'flag {given}: {message}')
