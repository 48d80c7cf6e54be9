"""Options of conversions."""

import enum

from ramet.api import export


@export('autograph.experimental.Feature', 'contrib.autograph.Feature')
class Feature(enum.Enum):
    """Optional parts of a conversion.

    ASSERT_STATEMENTS converts `assert`, BUILTIN_FUNCTIONS `print`, EQUALITY_OPERATORS `==` and `!=`, and NAME_SCOPES
    opens a name scope per function. AUTO_CONTROL_DEPS and LISTS have no effect. ALL stands for all of them.
    """

    ALL = 'ALL'
    AUTO_CONTROL_DEPS = 'AUTO_CONTROL_DEPS'
    ASSERT_STATEMENTS = 'ASSERT_STATEMENTS'
    BUILTIN_FUNCTIONS = 'BUILTIN_FUNCTIONS'
    EQUALITY_OPERATORS = 'EQUALITY_OPERATORS'
    LISTS = 'LISTS'
    NAME_SCOPES = 'NAME_SCOPES'

    @classmethod
    def all(cls):
        """Returns a tuple of all features."""
        return tuple(cls.__members__.values())

    @classmethod
    def all_but(cls, exclude):
        """Returns a tuple of all features but some.

        Args:
          exclude: a Feature, or a list of them.
        """
        exclude = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(set(cls.all()) - set(exclude) - {cls.ALL})


@export('contrib.autograph.ConversionOptions')
class ConversionOptions:
    """Holds the options of a conversion. Options with equal values are equal."""

    __slots__ = ('optional_features', 'recursive', 'user_requested')

    def __init__(self, recursive=False, user_requested=False, optional_features=Feature.ALL):
        """Creates options.

        Args:
          recursive: whether functions that a converted function calls are converted too.
          user_requested: whether functions of libraries are converted.
          optional_features: a Feature, a collection of them, or None.
        """
        if isinstance(optional_features, Feature):
            optional_features = (optional_features,)
        self.recursive = recursive
        self.user_requested = user_requested
        self.optional_features = frozenset(optional_features or ())

    def _key(self):
        return self.recursive, self.user_requested, self.optional_features

    def __eq__(self, other):
        return isinstance(other, ConversionOptions) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def uses(self, feature):
        """Returns whether a feature is on.

        Args:
          feature: a Feature.
        """
        return feature in self.optional_features or Feature.ALL in self.optional_features

    def for_calls(self):
        """Returns the options for functions that the converted function calls."""
        return ConversionOptions(self.recursive, False, self.optional_features)


STANDARD = ConversionOptions(recursive=True, optional_features=None)
